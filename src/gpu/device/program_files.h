// Writes the shaders that draws and dispatches use to a folder, each once: its words as in memory
// (CHIP-STAGE-HASH.bin) and as text (.s). A family makes the text.
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
  // The folder is made with the first program; `unwritten` is called once, where a program cannot be written.
  explicit ProgramFiles(std::string folder, std::function<void()> unwritten = {})
      : folder_(std::move(folder)), unwritten_(std::move(unwritten)) {}

  // Any thread. `text` is asked for where the program is not there yet. A failure to write is reported once, on standard error.
  void write(std::string_view chip, std::string_view stage, std::span<const uint32_t> words,
             const std::function<std::string()>& text);

private:
  const std::string folder_;
  const std::function<void()> unwritten_;
  std::mutex mutex_;
  bool failed_ = false;
  std::set<std::string> written_;  // names of files without their ends
};

}  // namespace Atoll::gpu
