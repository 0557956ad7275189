// Times a scene's frames in the running process, so that neither its start nor the compilation of its shaders counts.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace scenes {

struct Options {
  std::string scene;
  double block = 0.4;       // the least wall time in seconds of the shorter of the two blocks that are measured
  double least_warmth = 1;  // seconds
  double max_warmth = 60;
  int least_frames = 24;  // before anything is measured: background compilation has to see some
  double hold = 0;        // seconds that frames are drawn for a profiler, instead of measuring
  std::string picture;    // file for the last frame: RGBA, 8 bits each, rows from the top
};

// Says how the program is used and ends it, where the words are no options; --list prints the scenes, one a line.
Options read_options(int argc, char** argv, const char* program, const std::vector<std::pair<std::string, std::string>>& scenes);

struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;
};

struct Running {
  std::string renderer;                 // what the driver calls itself
  std::function<void(int frame)> draw;  // returns when the frame is done
  std::function<Picture()> read_picture;
};

// Draws until frames cost no less than those before, then a block of N frames and one of 2N, then frame 0, whose picture is
// written. Prints a line of JSON. The program's exit status.
int measure(const Options& options, const Running& running);

}  // namespace scenes
