// Writes the shaders that draws and dispatches use to a folder, each once: its words as in memory
// (CHIP-STAGE-HASH.bin) and as text (.s). What a program's text is, a family says.
#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace Atoll::gpu {

class ProgramFiles {
public:
  // The folder is made with the first program.
  explicit ProgramFiles(std::string folder) : folder_(std::move(folder)) {}

  // Any thread. `text` is asked for where the program is not there yet. What cannot be written is said once, on standard error.
  void write(std::string_view chip, std::string_view stage, std::span<const uint32_t> words,
             const std::function<std::string()>& text);

private:
  const std::string folder_;
  std::mutex mutex_;
  bool failed_ = false;
  std::set<std::string> written_;  // names of files without their ends
};

}  // namespace Atoll::gpu
