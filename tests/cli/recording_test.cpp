// run --record, replay and decode from outside: where recordings may stand, what becomes of them when something goes wrong, and
// that nothing is ever lost or cut in silence.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/files.h"
#include "codeobject/compiled_object.h"
#include "sanitizer.h"
#include "trace/stream_recording.h"

namespace Atoll {
namespace {

namespace fs = std::filesystem;

struct Result {
  int status = 0;
  std::string out, err;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

struct Recording : testing::Test {
  TemporaryFolder folder;
  const std::string small = ATOLL_GEARS " --size 32x32", long_one = ATOLL_GEARS " --size 32x32 --frames 100000";

  std::string path(const std::string& name) { return folder.file(name); }
  std::string get(const std::string& name) {
    auto bytes = read_file(path(name));
    return bytes ? std::string(bytes->begin(), bytes->end()) : "(none)";
  }
  bool exists(const std::string& name) { return fs::exists(path(name)); }
  size_t files() { return size_t(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator())); }
  // The only file whose name begins with the first and ends with the second.
  std::string only(const std::string& begin, const std::string& end) {
    std::string found;
    for (auto& entry : fs::directory_iterator(folder.path)) {
      std::string name = entry.path().filename();
      if (!name.starts_with(begin) || !name.ends_with(end)) continue;
      EXPECT_EQ(found, "") << name;
      found = name;
    }
    return found;
  }

  Result shell(const std::string& command) {
    int status = std::system(fmt::format("cd '{}' && {{ {} ; }} >.out 2>.err </dev/null", folder.path, command).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), get(".out"), get(".err")};
  }
  Result atoll(const std::string& arguments) { return shell(std::string(ATOLL_BINARY) + " " + arguments); }
  Result record(const std::string& file, const std::string& program, const std::string& options = "") {
    return atoll(fmt::format("run --display none {} --record {} -- {}", options, file, program));
  }
  // The submissions that a replay finds; -1 if it has something to complain of that is no cut.
  long replayed(const std::string& file, int status = 0, const std::string& said = "") {
    Result r = atoll("replay --stats " + file);
    EXPECT_EQ(r.status, status) << r.err;
    EXPECT_TRUE(has(r.err, said)) << r.err;
    auto json = nlohmann::json::parse(r.out, nullptr, false);
    if (json.is_discarded()) return -1;
    EXPECT_EQ(json["pages_unlike"], 0) << r.err;
    EXPECT_EQ(json["whole"], status == 0);
    return json["submissions"];
  }
  void wait_for(const std::function<bool()>& condition) {
    for (int n = 0; n < 6000 && !condition(); n++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(condition());
  }
  // A recording under way holds something.
  void wait_for_submissions() {
    wait_for([&] {
      for (auto& entry : fs::directory_iterator(folder.path))
        if (entry.path().extension() == ".part" && entry.file_size() > 10000) return true;
      return false;
    });
  }
};

TEST_F(Recording, IsNamedAtTheEnd) {
  Result r = record("f", small, "--stats");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.err, "atoll: run: " + path("f") + ": ")) << r.err;
  EXPECT_TRUE(has(r.err, " of gears (process ")) << r.err;
  auto stats = nlohmann::json::parse(r.err.substr(r.err.rfind("\n{") + 1));
  ASSERT_EQ(stats["recordings"].size(), 1u);
  auto& recording = stats["recordings"][0];
  EXPECT_EQ(recording["file"], path("f"));
  EXPECT_EQ(recording["whole"], true);
  EXPECT_EQ(recording["bytes"], fs::file_size(path("f")));
  EXPECT_EQ(replayed("f"), long(recording["submissions"]));
  EXPECT_EQ(only("f.", ""), "");
}

TEST_F(Recording, IsRefusedBeforeAnythingRuns) {
  ASSERT_EQ(shell("mkdir empty full; echo text >text; echo file >full/file; : >nothing; mkfifo pipe; ln -s text link").status, 0);
  // A user who may make device nodes may remove them as well: never the machine's own.
  const char* device = shell("mknod device c 1 3").status == 0 ? "device" : "/dev/null";
  size_t before = files();
  for (const char* file :
       {"empty", "full", "text", "nothing", "pipe", "link", "not-there/f", "text/f", device, "/proc/f", "/proc/self/fd/1"}) {
    Result r = record(file, "touch ran");
    EXPECT_EQ(r.status, 125) << file;
    EXPECT_EQ(r.err.find(fmt::format("atoll: run: --record: {}", file)), 0u) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_FALSE(exists("ran")) << file;
  }
  EXPECT_EQ(files(), before);
  EXPECT_EQ(get("text"), "text\n");
  EXPECT_EQ(get("full/file"), "file\n");
  struct stat s{};
  EXPECT_TRUE(::stat(device[0] == '/' ? device : path(device).c_str(), &s) == 0 && S_ISCHR(s.st_mode));
}

TEST_F(Recording, ReplacesAnOlderOneOnlyWhenItHoldsSomething) {
  ASSERT_EQ(record("f", small).status, 0);
  std::string old = get("f");
  Result r = record("f", "sh -c 'exit 3'");
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "nothing was recorded: " + path("f") + " is not written")) << r.err;
  EXPECT_EQ(get("f"), old);
  EXPECT_EQ(only("f", ""), "f");
  ASSERT_EQ(record("f", small + " --frame 7").status, 0);
  EXPECT_NE(get("f"), old);
  EXPECT_GT(replayed("f"), 0);
}

TEST_F(Recording, EachProcessHasOneAndAllAreListed) {
  Result r = record("f", "sh -c '" + small + " && " + small + "'", "--stats");
  ASSERT_EQ(r.status, 0) << r.err;
  std::string second = only("f.", "");
  ASSERT_NE(second, "");
  EXPECT_TRUE(has(r.err, path("f") + ": ")) << r.err;
  EXPECT_TRUE(has(r.err, path(second) + ": ")) << r.err;
  auto stats = nlohmann::json::parse(r.err.substr(r.err.rfind("\n{") + 1));
  ASSERT_EQ(stats["recordings"].size(), 2u);
  EXPECT_EQ(second, fmt::format("f.{}", int(stats["recordings"][1]["process"])));
  EXPECT_GT(replayed("f"), 0);
  EXPECT_GT(replayed(second), 0);
}

// Three GPUs draw into each other's buffers, which come and go; each recording stands for itself.
// On a GPU without page tables too, where each process could reach the memory of all.
TEST_F(Recording, OfADesktopAllReplay) {
  if (shell("command -v weston Xwayland glxgears").status != 0) GTEST_SKIP() << "weston, xwayland or mesa-utils is missing";
  if (address_sanitizer) GTEST_SKIP() << "programs of others have no AddressSanitizer for libatoll.so";
  for (std::string gpu : {"bonaire", "r580"}) {
    SCOPED_TRACE(gpu);
    Result r = atoll("run --gpu " + gpu + " --display headless --stats --record f -- timeout 3 glxgears");
    EXPECT_EQ(r.status, 124) << r.err;
    auto stats = nlohmann::json::parse(r.err.substr(r.err.rfind("\n{") + 1));
    ASSERT_EQ(stats["recordings"].size(), 3u);
    for (auto& recording : stats["recordings"]) {
      std::string file = fs::path(std::string(recording["file"])).filename();
      EXPECT_EQ(file == "f", recording["program"] == "glxgears") << file;
      EXPECT_TRUE(file.starts_with("f")) << file;
      EXPECT_TRUE(file == "f" || file.starts_with("f.desktop")) << file;
      EXPECT_GE(replayed(file, recording["whole"] ? 0 : 1), long(recording["submissions"]));
    }
  }
}

// Without `run` nobody said that an older recording may go.
TEST_F(Recording, ByHandReplacesNothing) {
  std::string call = "LD_PRELOAD=" ATOLL_SHIM " ATOLL_GPU=bonaire ATOLL_RECORD=f " + small;
  Result r = shell(call);
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  std::string first = get("f");
  r = shell(call + " --frame 9");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(get("f"), first);
  std::string second = only("f.", "");
  EXPECT_TRUE(has(r.err, "the recording is " + path(second) + ": " + path("f") + " is there already")) << r.err;
  EXPECT_GT(replayed(second), 0);
  // and what is no recording is no place for one
  write_text(path("text"), "text");
  r = shell("LD_PRELOAD=" ATOLL_SHIM " ATOLL_GPU=bonaire ATOLL_RECORD=text " + small);
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.err, "nothing is recorded: " + std::string("text is there, and it is no recording"))) << r.err;
  EXPECT_EQ(get("text"), "text");
}

// The mark says that all is there that was submitted: whoever is killed between submissions leaves that, in the midst of one not.
TEST_F(Recording, OfAKilledProgramHasItsName) {
  std::thread killer([&] {
    wait_for_submissions();
    std::string part = only("f.", ".part");
    ::kill(std::stoi(part.substr(2)), SIGKILL);
  });
  Result r = record("f", long_one);
  killer.join();
  EXPECT_EQ(r.status, 128 + SIGKILL);
  EXPECT_TRUE(has(r.err, path("f") + ": ")) << r.err;
  EXPECT_EQ(only("f", ""), "f");
  Result again = atoll("replay f");
  bool whole = again.status == 0;
  EXPECT_GT(
      replayed("f", whole ? 0 : 1,
               whole ? "its process ended without an end of its own" : "without its mark at the end: the program was killed"),
      0);
  EXPECT_EQ(has(r.err, "there is no mark at the end"), !whole) << r.err;
}

TEST_F(Recording, OfAProgramWhoseLauncherIsKilled) {
  ASSERT_EQ(record("old", small).status, 0);
  fs::copy(path("old"), path("f"));
  auto start = [&](const std::string& program) {
    Result r = shell(fmt::format("{} run --display none --record f -- {} >log 2>&1 & echo $!", ATOLL_BINARY, program));
    return std::stoi(r.out);
  };
  // the program goes on and ends by itself
  int launcher = start(ATOLL_GEARS " --size 32x32 --frames 40");
  wait_for_submissions();
  int program = std::stoi(only("f.", ".part").substr(2));
  ::kill(launcher, SIGKILL);
  EXPECT_EQ(get("f"), get("old"));
  wait_for([&] { return get("f") != get("old"); });
  wait_for([&] { return ::kill(program, 0) != 0; });
  EXPECT_GT(replayed("f"), 1);
  EXPECT_EQ(only("f.", ""), "");
  // the program is killed as well: what it wrote stays where it wrote it
  fs::copy_file(path("old"), path("f"), fs::copy_options::overwrite_existing);
  launcher = start(long_one);
  wait_for_submissions();
  std::string part = only("f.", ".part");
  program = std::stoi(part.substr(2));
  ::kill(launcher, SIGKILL);
  ::kill(program, SIGKILL);
  wait_for([&] { return ::kill(program, 0) != 0; });
  EXPECT_EQ(get("f"), get("old"));
  EXPECT_GT(replayed(part, 1, "ends "), 0);
}

// As bash's `ulimit -f` and the kernel's default for SIGXFSZ have it.
TEST_F(Recording, ThatCannotBeWrittenFailsTheRunAndNotTheProgram) {
  ASSERT_EQ(record("f", small).status, 0);
  std::string old = get("f");
  ASSERT_GT(old.size(), 20u << 10);
  Result r = record("f", "bash -c 'ulimit -f 16; " + small + "; echo status $?'");
  EXPECT_EQ(r.status, 125) << r.err;
  EXPECT_TRUE(has(r.out, "status 0\n")) << r.out << r.err;
  EXPECT_TRUE(has(r.err, "cannot be written any further: File too large")) << r.err;
  EXPECT_EQ(get("f"), old);
  std::string part = only("f.", ".part");
  if (!part.empty()) {  // with the submissions that it has
    EXPECT_TRUE(has(r.err, path(part))) << r.err;
    EXPECT_GT(replayed(part, 1, "without its mark at the end"), 0);
  }
  // the program's own status comes first
  r = record("g", "bash -c 'ulimit -f 16; " + small + "; exit 9'");
  EXPECT_EQ(r.status, 9) << r.err;
  EXPECT_TRUE(has(r.err, "cannot be written any further")) << r.err;
  EXPECT_FALSE(exists("g"));
}

TEST_F(Recording, OnAFullDiskFailsTheRun) {
  if (shell("unshare -m true").status != 0) GTEST_SKIP() << "no small file system can be mounted here";
  Result r =
      shell(fmt::format("mkdir disk && unshare -m bash -c 'mount -t tmpfs -o size=100k none disk && cd disk && {} run "
                        "--display none --record f -- {} && exit 1; status=$?; ls; {} replay *.part; exit $status'",
                        ATOLL_BINARY, long_one.substr(0, long_one.rfind(' ')) + " 2000", ATOLL_BINARY));
  EXPECT_EQ(r.status, 125) << r.err;
  EXPECT_TRUE(has(r.err, "cannot be written any further: No space left on device")) << r.err;
  EXPECT_TRUE(has(r.err, "without its mark at the end")) << r.err;
  EXPECT_TRUE(has(r.out, ".part")) << r.out;
}

TEST_F(Recording, ThatIsCutIsToldByReplayAndDecode) {
  ASSERT_EQ(record("f", ATOLL_GEARS " --size 32x32 --frames 3").status, 0);
  std::string whole = get("f");
  Result r = atoll("decode f");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.out.find("submission 0, graphics queue 0: buffer 0x"), 0u);
  long submissions = replayed("f"), cut = 0;
  for (size_t length : {size_t(0), size_t(7), size_t(15), size_t(60), whole.size() / 2, whole.size() - 100, whole.size() - 1}) {
    write_text(path("cut"), whole.substr(0, length));
    for (const char* call : {"replay cut", "decode cut --gpu bonaire"}) {
      if (length < 8 && std::string_view(call).starts_with("decode")) continue;  // no recording, for all that it can know
      r = atoll(call);
      EXPECT_EQ(r.status, 1) << call << length;
      EXPECT_TRUE(has(r.err, length ? "cut ends " : "cut is no recording")) << r.err;
    }
    if (length > whole.size() / 2) cut = replayed("cut", 1, "behind submission ");
  }
  EXPECT_EQ(cut, submissions) << "the mark alone is cut";
}

TEST_F(Recording, WhatCannotBeWrittenFailsItsReplay) {
  ASSERT_EQ(record("f", small).status, 0);
  shell("echo no folder >text");
  for (std::string option : {"--shaders", "--png"}) {
    Result r = atoll("replay f " + option + " text");
    EXPECT_EQ(r.status, 1) << option;
    EXPECT_TRUE(has(r.err, "text")) << option << r.err;
  }
  for (std::string call : {"replay f --stats", "decode f", "decode --json f", "registers-used f"}) {
    Result r = shell(fmt::format("{} {} >/dev/full", ATOLL_BINARY, call));
    EXPECT_EQ(r.status, 1) << call;
    EXPECT_TRUE(has(r.err, "cannot write standard output: No space left on device")) << call << r.err;
  }
}

TEST_F(Recording, ReplayEndsInTime) {
  ASSERT_EQ(record("f", ATOLL_GEARS " --size 32x32 --frames 20").status, 0);
  EXPECT_EQ(atoll("replay f --timeout 1000").status, 0);
  Result r = atoll("replay f --engine interpreter --timeout 1e-6");  // as long as it takes to make the device
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.err, "f: did not end within 1e-06 seconds (--timeout): ended in submission ")) << r.err;
}

// A grid that a submission may have, of which each work-group ends at once: minutes, in which the GPU never stands still.
TEST_F(Recording, ReplayOfALongGridEndsInTime) {
  trace::test::write_recording(path("grid"), trace::test::SeaIslandsDispatches().direct(1, 1, 1 << 28).recording());
  for (std::string engine : {"interpreter", "jit"}) {
    Result r = atoll("replay grid --timeout 0.5 --engine " + engine);
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.err, "atoll: replay: grid: did not end within 0.5 seconds (--timeout): ended in submission 0, counted from 0\n");
  }
  trace::test::write_recording(path("more"), trace::test::SeaIslandsDispatches().direct(1, 1, 2400000000u).recording());
  Result r = atoll("replay more");
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.err, "more than 268435456 work-groups in one submission: the GPU hangs")) << r.err;
}

TEST_F(Recording, TimesAreNumbersAboveZero) {
  for (std::string call : {"replay --timeout {} f", "run --timeout {} -- true", "launch --timeout {} f --grid 1",
                           "eval --isa gfx7 --timeout {} s_nop"})
    for (std::string time : {"nan", "-nan", "-1", "0", "inf", "1e300", "1s", "\'\'"}) {
      Result r = atoll(std::string(call).replace(call.find("{}"), 2, time));
      EXPECT_EQ(r.status, 2) << call << time;
      EXPECT_TRUE(has(r.err, "is not a number of seconds above 0")) << call << time << r.err;
    }
}

TEST_F(Recording, WhatIsNoFileIsSaidFirst) {
  shell("mkdir folder");
  for (std::string gpu : {"", "--gpu bonaire ", "--gpu dg1 "}) {
    Result r = atoll("decode " + gpu + "nowhere");
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.err, "atoll: decode: cannot open nowhere: No such file or directory\n");
    r = atoll("decode " + gpu + "folder");
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.err, "atoll: decode: cannot read folder: Is a directory\n");
  }
}

TEST_F(Recording, IsDecodedForItsOwnGpu) {
  ASSERT_EQ(record("f", small, "--gpu r580").status, 0);
  Result r = atoll("decode f --json --gpu R580");
  EXPECT_EQ(r.status, 0) << r.err;
  auto packet = nlohmann::json::parse(r.out.substr(0, r.out.find('\n')));
  EXPECT_EQ(packet["submission"], 0);
  EXPECT_EQ(packet["kind"], "graphics");
  EXPECT_EQ(packet["packet"], "PACKET0");
  r = atoll("decode f --gpu bonaire");
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.err, "it is of r580, not of bonaire")) << r.err;
  r = atoll("decode f --hex");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(has(r.err, "is a recording")) << r.err;
  EXPECT_EQ(atoll("decode f --gpu voodoo").status, 2);
}

}  // namespace
}  // namespace Atoll
