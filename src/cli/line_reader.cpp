#include "cli/line_reader.h"

#include <cerrno>
#include <cstring>

namespace Atoll::cli {

Expected<LineReader> LineReader::open(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "re");
  if (file == nullptr) return fail("cannot open {}: {}", path, std::strerror(errno));
  return LineReader(file, path);
}

LineReader::LineReader(LineReader&& other) noexcept
    : file_(other.file_), path_(std::move(other.path_)), number_(other.number_), too_long_(other.too_long_) {
  other.file_ = nullptr;
}

LineReader::~LineReader() {
  if (file_ != nullptr && file_ != stdin) std::fclose(file_);
}

std::optional<std::string> LineReader::next() {
  if (too_long_) return {};
  std::string line;
  int c = EOF;
  ::flockfile(file_);
  while (line.size() <= max_bytes && (c = ::getc_unlocked(file_)) != EOF && c != '\n') line.push_back(char(c));
  ::funlockfile(file_);
  if (c == EOF && (line.empty() || std::ferror(file_))) return {};
  number_++;
  too_long_ = line.size() > max_bytes;
  if (too_long_) return {};
  while (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

std::string LineReader::failure() const {
  const std::string name = path_ == "-" ? "standard input" : path_;
  if (too_long_) return fmt::format("{}:{}: a line of more than {} bytes", name, number_, max_bytes);
  return std::ferror(file_) ? fmt::format("cannot read {}: {}", name, std::strerror(errno)) : std::string();
}

}  // namespace Atoll::cli
