// Files of a cache: what comes back is what was put there, by this process or another; whatever else happens to a file or its folder, there
// is nothing.
#include "base/file_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace Atoll {
namespace {

namespace fs = std::filesystem;

class FileCacheTest : public testing::Test {
protected:
  const fs::path place = fs::path(testing::TempDir()) / ("file_cache_" + std::to_string(::getpid()));
  const fs::path folder = place / "made" / "files";
  FileCache cache{folder};
  FileCacheTest() {
    fs::remove_all(place);
    fs::create_directories(place);
  }
  ~FileCacheTest() override { fs::remove_all(place); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (!fs::exists(folder)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (!entry.is_directory()) found.push_back(entry.path());
    return found;
  }
  fs::path only_file() const {
    const auto all = files();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? fs::path() : all[0];
  }
  static std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }
};

TEST_F(FileCacheTest, ComesBack) {
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", "value");
  cache.store("empty", "");
  cache.store("key 2", std::string(100000, 'x'));
  EXPECT_EQ(cache.find("key"), "value");
  EXPECT_EQ(cache.find("empty"), "");
  EXPECT_EQ(cache.find("key 2"), std::string(100000, 'x'));
  EXPECT_FALSE(cache.find("key 3"));
  cache.store("key", "another");
  FileCache second(folder);
  EXPECT_EQ(second.find("key"), "another");
  EXPECT_EQ(cache.counts().found, 3u);
  EXPECT_EQ(cache.counts().missing, 2u);
  EXPECT_EQ(cache.counts().stored, 4u);
  EXPECT_EQ(cache.counts().refused, 0u);
  EXPECT_EQ(cache.usage().files, 3u);
  struct stat about;
  ASSERT_EQ(::stat(folder.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  for (const fs::path& file : files()) {
    ASSERT_EQ(::stat(file.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
  }
  EXPECT_EQ(cache.clear().files, 3u);
  EXPECT_TRUE(files().empty());
  EXPECT_FALSE(cache.find("key"));
}

TEST_F(FileCacheTest, NoFileThatIsOtherThanItWasWritten) {
  cache.store("key", "the value");
  const fs::path file = only_file();
  const std::string whole = read(file);
  for (size_t n = 0; n < whole.size(); n++)
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      std::string changed = whole;
      changed[n] = char(uint8_t(changed[n]) ^ flip);
      write(file, changed);
      EXPECT_FALSE(cache.find("key")) << n;
    }
  for (size_t n = 0; n < whole.size(); n++) {
    write(file, whole.substr(0, n));
    EXPECT_FALSE(cache.find("key")) << n;
  }
  write(file, whole + "more");
  EXPECT_FALSE(cache.find("key"));
  EXPECT_EQ(cache.counts().refused, whole.size() * 4 + 1);
  cache.store("key", "the value");
  EXPECT_EQ(cache.find("key"), "the value");
  // Another's, under this one's name.
  cache.store("yek", "the wrong value");
  for (const fs::path& other : files())
    if (other != file) fs::rename(other, file);
  EXPECT_FALSE(cache.find("key"));
}

TEST_F(FileCacheTest, NoFileThatOthersCouldChange) {
  cache.store("key", "value");
  const fs::path file = only_file(), aside = place / "aside";
  ASSERT_EQ(cache.find("key"), "value");
  fs::permissions(file, fs::perms(0644));
  EXPECT_FALSE(cache.find("key")) << "readable by others";
  fs::permissions(file, fs::perms(0600));
  ASSERT_EQ(cache.find("key"), "value");
  fs::create_hard_link(file, aside);
  EXPECT_FALSE(cache.find("key")) << "of two names";
  fs::remove(file);
  fs::create_symlink(aside, file);
  EXPECT_FALSE(cache.find("key")) << "a link";
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(cache.find("key")) << "a pipe";
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(cache.find("key")) << "a folder";
  fs::remove(file);
  fs::rename(aside, file);
  ASSERT_EQ(cache.find("key"), "value");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(cache.find("key")) << "somebody else's";
    ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(cache.find("key")) << "in somebody else's folder";
    cache.store("other", "value");
    EXPECT_EQ(files().size(), 1u);
    ASSERT_EQ(::chown(folder.c_str(), 0, 0), 0);
  }
  fs::permissions(folder, fs::perms(0755));
  EXPECT_FALSE(cache.find("key")) << "in a folder that others read";
  cache.store("other", "value");
  EXPECT_EQ(files().size(), 1u);
  fs::permissions(folder, fs::perms(0700));
  ASSERT_EQ(cache.find("key"), "value");
  const fs::path real = place / "real";
  fs::rename(folder, real);
  fs::create_directory_symlink(real, folder);
  EXPECT_FALSE(cache.find("key")) << "by a link to the folder";
}

TEST_F(FileCacheTest, NothingIsWrittenWhereNothingCanBe) {
  FileCache nowhere("/proc/self/nothing");
  for (int n = 0; n < 10; n++) nowhere.store("key", "value");
  EXPECT_FALSE(nowhere.find("key"));
  EXPECT_EQ(nowhere.counts().failures, 3u);  // (then it asks no more)
  // As on a file system that is full: a file may grow to 4 KiB.
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit least{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &least);
    cache.store("key", std::string(100000, 'x'));
    ::_exit(cache.counts().failures == 1 && !cache.find("key") ? 5 : 6);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << status;
  EXPECT_TRUE(files().empty());  // not half of it either
}

TEST_F(FileCacheTest, ManyProcessesAtOnce) {
  auto value_of = [](int n) { return std::string(size_t(1000 + n), char('a' + n % 26)); };
  std::vector<pid_t> children;
  for (int child = 0; child < 6; child++) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    bool good = true;
    for (int round = 0; round < 20; round++)
      for (int n = 0; n < 20; n++) {
        const std::string key = "key " + std::to_string(n);
        if (auto there = cache.find(key)) good = good && *there == value_of(n);
        if ((n + round + child) % 3 == 0) cache.store(key, value_of(n));
      }
    ::_exit(good && cache.counts().refused == 0 ? 5 : 6);
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << status;
  }
  EXPECT_EQ(files().size(), 20u);
}

TEST_F(FileCacheTest, WhatWasNotUsedForLongestGoesFirst) {
  FileCache small(folder, {.bytes = uint64_t(256) * (16 << 10), .days = 60});  // 16 KiB in each of 256 parts
  auto key_of = [](int n) { return "key " + std::to_string(n); };
  auto age = [&](int days) {
    const timespec then = {::time(nullptr) - days * 24 * 60 * 60, 0}, both[2] = {then, then};
    for (const fs::path& file : files()) ::utimensat(AT_FDCWD, file.c_str(), both, 0);
  };
  for (int n = 0; n < 400; n++) small.store(key_of(n), std::string(8000, 'x'));
  age(10);
  for (int n = 400; n < 3400; n++) small.store(key_of(n), std::string(8000, 'x'));
  EXPECT_LE(small.usage().bytes, uint64_t(256) * (16 << 10) * 4);  // (each 8th looks)
  EXPECT_LT(files().size(), 2000u);
  // Files that are too old go whatever room there is; so do files that nobody has finished.
  small.clear();
  for (int n = 0; n < 100; n++) small.store(key_of(n), "x");
  const size_t before = files().size();
  age(61);
  for (int n = 1000; n < 4000; n++) small.store(key_of(n), "x");
  EXPECT_EQ(before, 100u);
  size_t left = 0;
  for (int n = 0; n < 100; n++) left += small.find(key_of(n)).has_value();
  EXPECT_LT(left, 60u);
}

TEST_F(FileCacheTest, UseIsNoted) {
  cache.store("key", "value");
  const fs::path file = only_file();
  const timespec then = {::time(nullptr) - 10 * 24 * 60 * 60, 0}, both[2] = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), both, 0), 0);
  ASSERT_TRUE(cache.find("key"));
  struct stat about;
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_GT(about.st_mtime, ::time(nullptr) - 60);
}

TEST(CacheFolder, IsWhereTheUserSays) {
  ::setenv("ATOLL_CACHE", "/somewhere", 1);
  EXPECT_EQ(cache_folder(), "/somewhere");
  ::setenv("ATOLL_CACHE", "0", 1);
  EXPECT_EQ(cache_folder(), "");
  ::setenv("ATOLL_CACHE", "off", 1);
  EXPECT_EQ(cache_folder(), "");
}

}  // namespace
}  // namespace Atoll
