// Files keep what was dear to make for other processes of the same user: values by key, each in a file of its own that is named by the
// key's digest and holds the key, which is compared. Any number of processes use one folder at once.
//
// Nothing is taken from a file but what this user has put there and what is whole: a folder or file that belongs to somebody else, that
// others may read or write, that has a second name, is a link, is cut short or does not fit its checksum counts as not there. Who may write
// as this user can put anything there: that is no boundary, as it is none for any program that the user runs.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll {

struct FileCacheLimits {
  uint64_t bytes = uint64_t(512) << 20;  // of all files together; those that were not used for longest go first
  uint64_t days = 60;                    // since a file was used last
};

class FileCache {
public:
  // `folder` is made where it is wanted and is not there.
  // `summed`: it counts among file_caches().
  explicit FileCache(std::string folder, const FileCacheLimits& limits = {}, bool summed = true)
      : folder_(std::move(folder)), limits_(limits), summed_(summed) {}

  // Both may be called by several threads at once, and neither fails: what cannot be read is not there, what cannot be written is not kept.
  std::optional<std::string> find(std::string_view key);
  void store(std::string_view key, std::string_view value);

  struct Counts {
    uint64_t found = 0, missing = 0, stored = 0;
    uint64_t refused = 0;   // files that were there and not taken
    uint64_t failures = 0;  // to write one
  };
  Counts counts() const;

  struct Usage {
    uint64_t files = 0, bytes = 0;
  };
  Usage usage() const;
  // The files that it had.
  Usage clear();
  const std::string& folder() const { return folder_; }
  const FileCacheLimits& limits() const { return limits_; }

private:
  const std::string folder_;
  const FileCacheLimits limits_;
  const bool summed_;
  std::atomic<uint64_t> found_{0}, missing_{0}, stored_{0}, refused_{0}, failures_{0}, turns_{0};

  bool write(int folder, const std::string& place, const std::string& name, std::string_view key, std::string_view value);
  void make_room(int folder, const char* part);
};

// The sums of all of the process's caches that count.
FileCache::Counts file_caches();

// The folder that ATOLL_CACHE names; empty: nothing is to be kept, as without it, with "0" or "off", and in a program that runs with more
// rights than whoever started it.
std::string cache_folder();

}  // namespace Atoll
