#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

Expected<InputFile> InputFile::open(const std::string& path) {
  if (path == "-") return InputFile(STDIN_FILENO, "standard input");
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail("cannot open {}: {}", path, std::strerror(errno));
  return InputFile(fd, path);
}

InputFile::InputFile(InputFile&& other) noexcept : fd_(other.fd_), name_(std::move(other.name_)), ended_(other.ended_) {
  other.fd_ = STDIN_FILENO;
}

InputFile::~InputFile() {
  if (fd_ != STDIN_FILENO) ::close(fd_);
}

Expected<void> InputFile::read(std::vector<uint8_t>& to, size_t bytes) {
  const size_t wanted = to.size() + bytes;
  for (uint8_t chunk[65536]; !ended_ && to.size() < wanted;) {
    ssize_t n = ::read(fd_, chunk, std::min(sizeof chunk, wanted - to.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail("cannot read {}: {}", name_, std::strerror(errno));
    ended_ = n == 0;
    to.insert(to.end(), chunk, chunk + n);
  }
  return {};
}

Expected<void> InputFile::read_rest(std::vector<uint8_t>& to, uint64_t most) {
  struct stat file{};
  if (::fstat(fd_, &file) == 0 && S_ISREG(file.st_mode)) {
    if (uint64_t(file.st_size) > most) return fail("{} has {} bytes: at most {} are read", name_, file.st_size, most);
    to.reserve(size_t(file.st_size));
  }
  while (!ended_) {
    if (auto done = read(to, 65536); !done) return done;
    if (to.size() > most) return fail("{} has more than {} bytes: no more are read", name_, most);
  }
  return {};
}

Expected<std::vector<uint8_t>> read_file(const std::string& path, uint64_t most) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  std::vector<uint8_t> bytes;
  if (auto done = file->read_rest(bytes, most); !done) return std::unexpected(done.error());
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
