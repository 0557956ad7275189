// Lines of a file or of standard input, one at a time, for the --batch modes: another process may wait for each answer.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

#include "base/expected.h"

namespace Atoll::cli {

class LineReader {
public:
  // "-" is standard input.
  static Expected<LineReader> open(const std::string& path);
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;
  ~LineReader();

  // A line may be so long, in bytes.
  static constexpr size_t max_bytes = size_t(1) << 26;

  // The next line without its line end; nothing at the end, after a read error or where a line is too long.
  std::optional<std::string> next();

  // Why reading ended before the end of the file; empty when it did not.
  std::string failure() const;

private:
  explicit LineReader(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  std::FILE* file_;
  std::string path_;
  size_t number_ = 0;  // of the last line
  bool too_long_ = false;
};

}  // namespace Atoll::cli
