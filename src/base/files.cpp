#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace Atoll {
namespace {

Expected<void> write_all(int fd, std::span<const uint8_t> bytes, const std::string& path) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail("cannot write {}: {}", path, std::strerror(errno));
    bytes = bytes.subspan(size_t(n));
  }
  return {};
}

}  // namespace

Expected<std::vector<uint8_t>> read_file(const std::string& path) {
  int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail("cannot open {}: {}", path, std::strerror(errno));
  std::vector<uint8_t> bytes;
  Expected<void> status;
  for (uint8_t piece[65536];;) {
    ssize_t n = ::read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) status = fail("cannot read {}: {}", path, std::strerror(errno));
    if (n <= 0) break;
    bytes.insert(bytes.end(), piece, piece + n);
  }
  if (fd != STDIN_FILENO) ::close(fd);
  if (!status) return std::unexpected(status.error());
  return bytes;
}

Expected<void> write_file(const std::string& path, std::span<const uint8_t> bytes) {
  if (path == "-") return write_all(STDOUT_FILENO, bytes, "standard output");
  struct stat existing{};
  if (::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {  // a device or a pipe is written in place
    int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail("cannot open {} for writing: {}", path, std::strerror(errno));
    auto status = write_all(fd, bytes, path);
    ::close(fd);
    return status;
  }
  std::string beside = path + ".atoll-" + std::to_string(::getpid());
  int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return fail("cannot create {}: {}", path, std::strerror(errno));
  auto status = write_all(fd, bytes, path);
  if (::close(fd) != 0 && status) status = fail("cannot write {}: {}", path, std::strerror(errno));
  if (status && ::rename(beside.c_str(), path.c_str()) != 0) status = fail("cannot rename to {}: {}", path, std::strerror(errno));
  if (!status) ::unlink(beside.c_str());
  return status;
}

}  // namespace Atoll
