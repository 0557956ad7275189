#include "base/file_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/blake2b.h"
#include "base/environment.h"

namespace Atoll {
namespace {

struct Head {
  char magic[8];
  uint32_t key_bytes, value_bytes;
  Digest digest;  // of all that follows
};
constexpr char magic[8] = {'A', 't', 'o', 'l', 'l', 'F', '1', '\n'};
constexpr size_t most_bytes = size_t(64) << 20;  // of a file
constexpr uint64_t most_failures = 3;            // then nothing more is written: the file system is full or read-only
constexpr unsigned parts = 256;                  // folders that files are spread over
constexpr time_t day = 24 * 60 * 60;

class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

private:
  const int number_;
};

bool is_private(const struct stat& about) { return about.st_uid == ::geteuid() && !(about.st_mode & 077); }

// -1: there is none, or it is somebody else's. The descriptor is closed again after each use: programs close what they do not know, and
// its number would be another file's.
int open_folder(const std::string& folder) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat about;
  if (opened >= 0 && !(::fstat(opened, &about) == 0 && is_private(about))) {
    ::close(opened);
    return -1;
  }
  return opened;
}

void make_folders(const std::string& folder) {
  for (size_t slash = folder.find('/', 1);; slash = folder.find('/', slash + 1)) {
    ::mkdir(folder.substr(0, slash).c_str(), 0700);
    if (slash == folder.npos) break;
  }
}

std::string part_name(unsigned part) { return fmt::format("{:02x}", part); }

std::string place_of(std::string_view key) {
  const std::string name = hex(blake2b(key));
  return name.substr(0, 2) + "/" + name.substr(2);
}

bool read_all(int file, std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::pread(file, bytes.data() + at, bytes.size() - at, off_t(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += size_t(got);
  }
  return true;
}
bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(size_t(put));
  }
  return true;
}

// The value that stands in these bytes; nothing: they are not what was written.
std::optional<std::string> value_in(std::string_view bytes, std::string_view key) {
  Head head;
  if (bytes.size() < sizeof head) return {};
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  if (std::memcmp(head.magic, magic, sizeof magic) != 0 || size_t(head.key_bytes) + head.value_bytes != bytes.size()) return {};
  if (bytes.substr(0, head.key_bytes) != key || blake2b(bytes) != head.digest) return {};
  return std::string(bytes.substr(head.key_bytes));
}

std::atomic<uint64_t> all_found{0}, all_missing{0}, all_stored{0}, all_refused{0}, all_failures{0};

struct Entry {
  std::string name;
  struct stat about;
  bool is_draft() const { return name.starts_with("draft-"); }
};

// The plain files in a folder below.
std::vector<Entry> entries_in(int folder, const char* part) {
  std::vector<Entry> found;
  const int below = ::openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* list = below < 0 ? nullptr : ::fdopendir(below);
  if (!list) {
    if (below >= 0) ::close(below);
    return found;
  }
  while (const dirent* entry = ::readdir(list)) {
    Entry next{entry->d_name, {}};
    if (::fstatat(below, entry->d_name, &next.about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(next.about.st_mode))
      found.push_back(std::move(next));
  }
  ::closedir(list);
  return found;
}

uint64_t bytes_of(const Entry& entry) { return uint64_t(entry.about.st_blocks) * 512; }

}  // namespace

std::optional<std::string> FileCache::find(std::string_view key) {
  const Descriptor folder(open_folder(folder_));
  // (Nothing waits: a pipe of that name is opened at once, and refused.)
  const Descriptor file(folder ? ::openat(folder, place_of(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1);
  if (!file) {
    missing_++, all_missing += summed_;
    return {};
  }
  struct stat about;
  std::optional<std::string> value;
  // (No name at all: another process has put a new file in its place since it was opened.)
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && is_private(about) && about.st_nlink <= 1 &&
      size_t(about.st_size) <= most_bytes) {
    std::string bytes(size_t(about.st_size), '\0');
    if (read_all(file, bytes)) value = value_in(bytes, key);
  }
  if (!value) {
    refused_++, all_refused += summed_;
    return {};
  }
  found_++, all_found += summed_;
  if (const timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}}; about.st_mtime + day < ::time(nullptr))
    ::futimens(file, times);
  return value;
}

bool FileCache::write(int folder, const std::string& place, const std::string& draft, std::string_view key,
                      std::string_view value) {
  const Descriptor file(::openat(folder, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return false;
  Head head{};
  std::memcpy(head.magic, magic, sizeof magic);
  head.key_bytes = uint32_t(key.size()), head.value_bytes = uint32_t(value.size());
  std::string rest(key);
  rest += value;
  head.digest = blake2b(rest);
  const std::string_view first(reinterpret_cast<const char*>(&head), sizeof head);
  const bool done =
      write_all(file, first) && write_all(file, rest) && ::renameat(folder, draft.c_str(), folder, place.c_str()) == 0;
  if (!done) ::unlinkat(folder, draft.c_str(), 0);
  return done;
}

void FileCache::store(std::string_view key, std::string_view value) {
  if (failures_ >= most_failures || sizeof(Head) + key.size() + value.size() > most_bytes) return;
  int opened = open_folder(folder_);
  if (opened < 0) {
    make_folders(folder_);
    opened = open_folder(folder_);
  }
  const Descriptor folder(opened);
  const std::string place = place_of(key), part = place.substr(0, 2);
  const uint64_t turn = turns_++;
  const auto random = uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
  const std::string draft = fmt::format("{}/draft-{}-{}-{:x}", part, ::getpid(), turn, random);
  bool done = false;
  if (folder) {
    ::mkdirat(folder, part.c_str(), 0700);
    done = write(folder, place, draft, key, value);
  }
  if (!done) {
    failures_++, all_failures += summed_;
    return;
  }
  stored_++, all_stored += summed_;
  if ((turn + uint64_t(::getpid())) % 8 == 0) make_room(folder, part.c_str());
}

void FileCache::make_room(int folder, const char* part) {
  std::vector<Entry> entries = entries_in(folder, part);
  std::ranges::sort(entries, {}, [](const Entry& entry) { return entry.about.st_mtime; });
  const time_t now = ::time(nullptr);
  uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += bytes_of(entry);
  const uint64_t most = limits_.bytes / parts, least = most / 4 * 3;
  const bool full = bytes > most;
  for (const Entry& entry : entries) {
    const time_t unused = now - entry.about.st_mtime;
    const bool old = unused > (entry.is_draft() ? day / 24 : time_t(limits_.days) * day);
    if (!old && !(full && bytes > least && !entry.is_draft())) continue;
    if (::unlinkat(folder, fmt::format("{}/{}", part, entry.name).c_str(), 0) == 0) bytes -= bytes_of(entry);
  }
}

FileCache::Counts FileCache::counts() const { return {found_, missing_, stored_, refused_, failures_}; }

FileCache::Usage FileCache::usage() const {
  Usage all;
  const Descriptor folder(open_folder(folder_));
  for (unsigned part = 0; folder && part < parts; part++)
    for (const Entry& entry : entries_in(folder, part_name(part).c_str())) all.files++, all.bytes += bytes_of(entry);
  return all;
}

FileCache::Usage FileCache::clear() {
  Usage all;
  const Descriptor folder(open_folder(folder_));
  for (unsigned part = 0; folder && part < parts; part++) {
    const std::string name = part_name(part);
    for (const Entry& entry : entries_in(folder, name.c_str()))
      if (::unlinkat(folder, fmt::format("{}/{}", name, entry.name).c_str(), 0) == 0) all.files++, all.bytes += bytes_of(entry);
    ::unlinkat(folder, name.c_str(), AT_REMOVEDIR);
  }
  return all;
}

FileCache::Counts file_caches() { return {all_found, all_missing, all_stored, all_refused, all_failures}; }

std::string cache_folder() {
  if (::getauxval(AT_SECURE)) return {};
  const std::string_view asked = environment_text("ATOLL_CACHE");
  if (asked == "0" || asked == "off" || asked.empty()) return {};
  return std::string(asked);
}

}  // namespace Atoll
