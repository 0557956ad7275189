#include "trace/recording_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "trace/format.h"

namespace Atoll::trace {
namespace {

namespace fs = std::filesystem;

// Nothing, if a recording may take the place of what stands there.
std::string obstacle(const std::string& path) {
  struct stat s{};
  if (::lstat(path.c_str(), &s) != 0) return errno == ENOENT ? std::string() : std::strerror(errno);
  if (S_ISDIR(s.st_mode)) return "is a folder";
  if (!S_ISREG(s.st_mode)) return "is no ordinary file";
  if (s.st_size == 0) return "is there, and it is empty, not a recording";
  if (!is_recording(path)) return "is there, and it is no recording";
  return {};
}

}  // namespace

bool is_recording(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return false;
  char begin[magic.size()];
  struct stat s{};
  bool found = ::fstat(descriptor, &s) == 0 && S_ISREG(s.st_mode) &&
               ::pread(descriptor, begin, sizeof begin, 0) == ssize_t(sizeof begin) &&
               magic == std::string_view(begin, sizeof begin);
  ::close(descriptor);
  return found;
}

std::string part_name(const std::string& place, int process, unsigned attempt) {
  return attempt ? fmt::format("{}.{}-{}.part", place, process, attempt + 1) : fmt::format("{}.{}.part", place, process);
}

Expected<std::string> place_of_recording(const std::string& file) {
  std::error_code error;
  fs::path path = fs::absolute(file, error);
  if (error) return fail("{}: {}", file, error.message());
  if (!path.has_filename()) return fail("{} names no file", file);
  struct stat s{};
  if (::lstat(path.c_str(), &s) == 0 && S_ISLNK(s.st_mode)) {
    path = fs::canonical(path, error);
    if (error) return fail("{} is a link that leads nowhere: {}", file, error.message());
  }
  fs::path folder = path.parent_path();
  if (!fs::is_directory(folder, error)) return fail("{}: there is no folder {}", file, folder.string());
  if (std::string why = obstacle(path); !why.empty()) return fail("{} {}: it is left as it is; name another file", file, why);
  // Only by trying can it be known: permissions, read-only file systems, names that are too long.
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    std::string part = part_name(path, ::getpid(), attempt);
    int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return fail("{}: no file can be made in {}: {}", file, folder.string(), std::strerror(errno));
    ::unlink(part.c_str());
    ::close(descriptor);
    break;
  }
  return path.string();
}

Expected<void> put_in_place(const std::string& part, const std::string& place, uint64_t older_than) {
  if (::renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0) return {};
  // Something is there, or the file system does not know how to look first (EINVAL).
  if (errno != EEXIST && errno != EINVAL && errno != ENOSYS) return fail("{}: {}", place, std::strerror(errno));
  if (std::string why = obstacle(place); !why.empty()) return fail("{} {}", place, why);
  struct stat s{};
  if (::stat(place.c_str(), &s) == 0 && uint64_t(s.st_mtim.tv_sec) * 1'000'000'000 + uint64_t(s.st_mtim.tv_nsec) >= older_than)
    return fail("{} is there, another recording", place);
  if (::rename(part.c_str(), place.c_str()) != 0) return fail("{}: {}", place, std::strerror(errno));
  return {};
}

}  // namespace Atoll::trace
