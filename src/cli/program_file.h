// The program that `run` is to start: its file, and whether the preloaded library can get into it.
#pragma once
#include <optional>
#include <string>

namespace Atoll::cli {

struct ProgramFile {
  std::string file;     // empty: there is none that can be executed
  std::string problem;  // why not
  bool exists = true;
};

// As execvp(3) would find it; or an example of ours.
ProgramFile find_program(const std::string& name);

// Why the preloaded library would not get into the program; nothing if it does. A script is judged by its interpreter.
std::optional<std::string> obstacle(const std::string& file);

}  // namespace Atoll::cli
