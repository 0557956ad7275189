// Whole files in and out. A file is written under a temporary name and renamed, so that nothing half-written stays behind.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"

namespace Atoll {

// The most that a verb reads from a file or a pipe that it has to hold whole, unless it says otherwise.
inline constexpr uint64_t max_file_bytes = uint64_t(1) << 28;

// A file, or standard input ("-"), piece by piece.
class InputFile {
public:
  static Expected<InputFile> open(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  // Appends up to `bytes` more to `to`; fewer than that only at the end.
  Expected<void> read(std::vector<uint8_t>& to, size_t bytes);
  // The rest, if it has no more than `most` bytes: a file's size is checked before any of it is read.
  Expected<void> read_rest(std::vector<uint8_t>& to, uint64_t most);
  bool ended() const { return ended_; }

private:
  InputFile(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  int fd_;
  std::string name_;
  bool ended_ = false;
};

// The bytes of `path`; "-" is standard input. More than `most` are refused: a file's before any is read, a pipe's once they are
// there.
Expected<std::vector<uint8_t>> read_file(const std::string& path, uint64_t most = max_file_bytes);

// Writes `bytes` to `path`, whole or not at all; "-" is standard output.
Expected<void> write_file(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace Atoll
