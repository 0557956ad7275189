// Places where recordings may stand; nothing else is ever replaced.
#include "trace/recording_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "trace/format.h"

namespace {

using namespace Atoll;
namespace fs = std::filesystem;

struct RecordingFile : testing::Test {
  fs::path folder = fs::canonical(testing::TempDir()) / ("recording_file_test." + std::to_string(getpid()));
  RecordingFile() { fs::create_directory(folder); }
  ~RecordingFile() override { fs::remove_all(folder); }
  std::string path(const std::string& name) { return folder / name; }
  void put(const std::string& name, const std::string& text) { std::ofstream(path(name)) << text; }
  std::string get(const std::string& name) {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string place(const std::string& file) {
    auto found = trace::place_of_recording(file);
    return found ? *found : "! " + found.error().message;
  }
  void expect_refused(const std::string& file, const std::string& part) {
    std::string said = place(file);
    EXPECT_EQ(said.find("! " + file), 0u) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
};

const std::string a_recording = std::string(trace::magic) + "...";

TEST_F(RecordingFile, GoesWhereNothingIsOrARecording) {
  put("old", a_recording);
  EXPECT_EQ(place(path("new")), path("new"));
  EXPECT_EQ(place(path("old")), path("old"));
  fs::create_symlink("old", path("link"));
  EXPECT_EQ(place(path("link")), path("old"));
  EXPECT_EQ(get("old"), a_recording);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2) << "trying leaves nothing";
}

TEST_F(RecordingFile, RefusesWhateverElseStandsThere) {
  put("text", "a recording this is not");
  put("short", "ATOLL");
  put("empty", "");
  fs::create_directory(path("folder"));
  fs::create_directory(path("full"));
  put("full/file", "");
  fs::create_symlink("nowhere", path("dangling"));
  fs::create_symlink("text", path("link"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  size_t before = size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  expect_refused(path("text"), "it is no recording: it is left as it is");
  expect_refused(path("short"), "it is no recording");
  expect_refused(path("empty"), "it is empty, not a recording");
  expect_refused(path("folder"), "is a folder");
  expect_refused(path("full"), "is a folder");
  expect_refused(path("dangling"), "a link that leads nowhere");
  expect_refused(path("link"), "it is no recording");
  expect_refused(path("pipe"), "is no ordinary file");
  expect_refused("/dev/full", "is no ordinary file");
  expect_refused(path("not-there/file"), "there is no folder");
  expect_refused(path("text/file"), "there is no folder");
  expect_refused(path("folder/"), "names no file");
  expect_refused(path(std::string(255, 'x')), "File name too long");
  expect_refused("/proc/file", "no file can be made in /proc");
  EXPECT_EQ(get("text"), "a recording this is not");
  EXPECT_EQ(size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator())), before);
}

TEST_F(RecordingFile, IsPutInThePlaceOfARecordingOnly) {
  put("part", a_recording + "new");
  put("text", "text");
  fs::create_directory(path("folder"));
  for (const char* name : {"text", "folder"}) {
    auto placed = trace::put_in_place(path("part"), path(name), ~uint64_t(0));
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error().message.find(path(name) + " is "), 0u) << placed.error().message;
  }
  EXPECT_EQ(get("text"), "text");
  EXPECT_TRUE(trace::put_in_place(path("part"), path("free"), 0));
  EXPECT_EQ(get("free"), a_recording + "new");
  put("old", a_recording + "old");
  struct stat old{};
  ::stat(path("old").c_str(), &old);
  uint64_t written = uint64_t(old.st_mtim.tv_sec) * 1'000'000'000 + uint64_t(old.st_mtim.tv_nsec);
  EXPECT_FALSE(trace::put_in_place(path("free"), path("old"), 0));
  EXPECT_FALSE(trace::put_in_place(path("free"), path("old"), written));
  EXPECT_EQ(get("old"), a_recording + "old");
  EXPECT_TRUE(trace::put_in_place(path("free"), path("old"), written + 1));
  EXPECT_EQ(get("old"), a_recording + "new");
  EXPECT_FALSE(fs::exists(path("free")));
  EXPECT_FALSE(trace::put_in_place(path("free"), path("old"), ~uint64_t(0))) << "there is none";
}

}  // namespace
