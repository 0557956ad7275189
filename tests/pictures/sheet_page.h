// The page that a sheet of squares is: where each square stands, what a sheet's program takes from its command line, its PNG.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sheet {

inline constexpr int cell = 72, inside = 64, columns = 10;  // pixels, pixels, squares

inline int rows(int squares) { return (squares + columns - 1) / columns; }

struct Options {
  std::string png;
  int only = -1;  // the number of the one square to draw, or -1
};

// Reads the arguments of PROGRAM [--list] [--only N] PNG; nothing when there is nothing to draw: `status` is then the exit
// status.
std::optional<Options> read_options(const char* program, int argc, char** argv, const std::vector<std::string>& names,
                                    int& status);

// RGBA, four bytes a pixel, row after row; false: it said why not.
bool write_png(const char* program, const std::string& file, int width, int height, const std::vector<uint8_t>& rgba);

}  // namespace sheet
