#include "cli/line_reader.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace Atoll::cli {

Expected<LineReader> LineReader::open(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "re");
  if (file == nullptr) return fail("cannot open {}: {}", path, std::strerror(errno));
  return LineReader(file, path);
}

LineReader::LineReader(LineReader&& other) noexcept
    : file_(other.file_), path_(std::move(other.path_)), line_(other.line_), room_(other.room_) {
  other.file_ = nullptr;
  other.line_ = nullptr;
}

LineReader::~LineReader() {
  if (file_ != nullptr && file_ != stdin) std::fclose(file_);
  std::free(line_);
}

std::optional<std::string> LineReader::next() {
  ssize_t size = ::getline(&line_, &room_, file_);
  if (size < 0) return {};
  while (size > 0 && (line_[size - 1] == '\n' || line_[size - 1] == '\r')) --size;
  return std::string(line_, size_t(size));
}

std::string LineReader::failure() const {
  return std::ferror(file_) ? fmt::format("cannot read {}: {}", path_, std::strerror(errno)) : std::string();
}

}  // namespace Atoll::cli
