// atoll run from outside: what passes through, what is refused, and that a driver finds its GPU.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "codeobject/compiled_object.h"
#include "gpu/chips/chip.h"
#include "sanitizer.h"

namespace Atoll {
namespace {

struct Result {
  int status = 0;
  std::string out, err;
};

struct Run : testing::Test {
  TemporaryFolder folder;

  std::string get(const std::string& name) {
    auto bytes = read_file(folder.file(name));
    return bytes ? std::string(bytes->begin(), bytes->end()) : "(none)";
  }

  Result atoll(const std::string& arguments, const std::string& input = "") {
    write_text(folder.file("in"), input);
    std::string command = std::string(ATOLL_BINARY) + " run " + arguments + " <" + folder.file("in") + " >" + folder.file("out") +
                          " 2>" + folder.file("err");
    int status = std::system(command.c_str());
    return {WEXITSTATUS(status), get("out"), get("err")};
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST_F(Run, PassesEverythingThrough) {
  auto r = atoll("--display none cat - /dev/null", "some\ninput");
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "some\ninput");
  EXPECT_TRUE(has(r.err, "nothing reached the GPU")) << r.err;
  EXPECT_EQ(atoll("-- sh -c 'exit 42'").status, 42);
  EXPECT_EQ(atoll("-- sh -c 'kill -TERM $$'").status, 128 + 15);
  EXPECT_EQ(atoll("-- sh -c 'echo $0 $1; echo e >&2' -x --gpu").out, "-x --gpu\n");
  EXPECT_TRUE(has(atoll("-- sh -c 'echo said >&2'").err, "said\n"));
  EXPECT_EQ(atoll("echo --stats --gpu").out, "--stats --gpu\n");
}

TEST_F(Run, SetsWhatTheManualSays) {
  auto r = atoll("--gpu Kabini --strict --record rec -- env");
  EXPECT_TRUE(has(r.out, "ATOLL_GPU=kabini\n"));
  EXPECT_TRUE(has(r.out, "/libatoll_drm.so\n"));
  EXPECT_TRUE(has(r.out, "ATOLL_STRICT=1\n"));
  EXPECT_TRUE(has(r.out, "/rec\n"));
  r = atoll("--shaders " + folder.file("programs") + " -- env");
  EXPECT_TRUE(has(r.out, "ATOLL_SHADERS=" + folder.file("programs") + "\n")) << r.out << r.err;
  r = atoll("--gpu r580 --shaders " + folder.file("programs") + " -- env");
  EXPECT_TRUE(has(r.out, "ATOLL_SHADERS=" + folder.file("programs") + "\n")) << r.out << r.err;
}

TEST_F(Run, RefusesWhatCannotWork) {
  EXPECT_EQ(atoll("").status, 2);
  EXPECT_EQ(atoll("--gpu voodoo true").status, 2);
  EXPECT_EQ(atoll("--display mirror true").status, 2);
  EXPECT_TRUE(has(atoll("--gpu gfx1201 --shaders " + folder.file("programs") + " true").err, "are not written yet"));
  EXPECT_EQ(atoll("--no-such-option true").status, 2);
  EXPECT_EQ(atoll("no-such-program-here").status, 127);
  EXPECT_EQ(atoll(folder.file("not-there")).status, 127);
  write_text(folder.file("text"), "no program");
  EXPECT_EQ(atoll(folder.file("text")).status, 126);
  write_text(folder.file("main.c"), "int main(void) { return 0; }\n");
  ASSERT_EQ(std::system(("clang-19 -static -o " + folder.file("static") + " " + folder.file("main.c")).c_str()), 0);
  auto r = atoll(folder.file("static"));
  EXPECT_EQ(r.status, 126);
  EXPECT_TRUE(has(r.err, "linked statically")) << r.err;
  ASSERT_EQ(std::system(("cp /bin/true " + folder.file("setuid") + " && chown 1 " + folder.file("setuid") + " && chmod u+sx " +
                         folder.file("setuid"))
                            .c_str()),
            0);
  r = atoll(folder.file("setuid"));
  EXPECT_EQ(r.status, 126);
  EXPECT_TRUE(has(r.err, "setuid")) << r.err;
}

TEST_F(Run, EndsWhatTakesTooLong) {
  auto r = atoll("--timeout 0.5 --display none -- sleep 100");
  EXPECT_EQ(r.status, 124);
  EXPECT_TRUE(has(r.err, "sleep still runs after the 0.5 s of --timeout: ended")) << r.err;
  // whatever it started, wherever that went
  std::string late = folder.file("late");
  r = atoll("--timeout 0.5 --display none -- sh -c '(sleep 2; echo late >" + late + ") & setsid -f sh -c \"sleep 2; echo late >" +
            late + "\"; sleep 100'");
  EXPECT_EQ(r.status, 124);
  EXPECT_EQ(std::system("sleep 3"), 0);
  EXPECT_EQ(get("late"), "(none)");
  EXPECT_EQ(atoll("--timeout 50 --display none -- sh -c 'exit 3'").status, 3);
  EXPECT_EQ(atoll("--timeout soon --display none -- true").status, 2);
  EXPECT_EQ(atoll("--timeout 0 --display none -- true").status, 2);
}

// A program that asks alone and ends well has done what it is for; one that fails has not.
TEST_F(Run, SaysWhetherTheGpuWasAsked) {
  EXPECT_TRUE(
      has(atoll("--display none -- " ATOLL_NODE_PROGRAM " node").err, "the bonaire was asked, nothing was drawn or computed"));
  auto r = atoll("--display none -- sh -c '" ATOLL_NODE_PROGRAM " node; exit 3'");
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(has(r.err, "the bonaire was opened, but nothing was submitted")) << r.err;
  EXPECT_TRUE(has(atoll("--display none -- true").err, "no process opened the bonaire's device files"));
}

// If /proc has other processes' numbers, or they may not be looked at, the session is the one of `run` all the same. Sandboxes
// that the machine itself does not allow are left out, but not all of them.
TEST_F(Run, SandboxesAndNamespaces) {
  const std::string program = ATOLL_NODE_PROGRAM " sockets";
  int tried = 0;
  for (std::string sandbox :
       {"unshare -Urpf --mount-proc", "unshare -pf --mount-proc", "unshare -Urmnpf --mount-proc",
        "setpriv --reuid 1 --regid 1 --clear-groups", "bwrap --dev-bind / /", "bwrap --unshare-pid --dev-bind / / --proc /proc",
        "bwrap --unshare-all --dev-bind / / --proc /proc",
        "bwrap --unshare-all --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp"}) {
    if (std::system((sandbox + " " ATOLL_NODE_PROGRAM " nothing >/dev/null 2>&1").c_str()) != 0) continue;
    tried++;
    auto r = atoll("--display none -- " + sandbox + " " + program);
    EXPECT_EQ(r.status, 0) << sandbox;
    EXPECT_EQ(r.out, "fine\n") << sandbox;
    EXPECT_TRUE(has(r.err, "the bonaire was asked, nothing was drawn or computed")) << sandbox << r.err;
    EXPECT_FALSE(has(r.err, "of its own")) << sandbox << r.err;
  }
  EXPECT_GT(tried, 0);
  // a process that is in one, but has nothing of the GPU, is no reason to wait
  EXPECT_EQ(atoll("--display none -- sh -c 'sleep 3 & '").status, 0);
  if (std::system("bwrap --dev-bind / / --tmpfs /proc true >/dev/null 2>&1") == 0) {
    auto r = atoll("--display none -- bwrap --dev-bind / / --tmpfs /proc " ATOLL_NODE_PROGRAM " node");
    EXPECT_TRUE(has(r.err, "it needs /proc")) << r.err;
  }
}

TEST_F(Run, SeveralGpusInOneSession) {
  auto r = atoll(
      "--gpu bonaire,dg1,r580 --display none -- sh -c 'ls /dev/dri; cat /sys/class/drm/renderD129/device/vendor; realpath "
      "/sys/dev/char/226:130/device; stat -c \"%F %t %T\" /dev/dri/card2'");
  EXPECT_EQ(r.out,
            "by-path\ncard0\ncard1\ncard2\nrenderD128\nrenderD129\nrenderD130\n0x8086\n/sys/devices/pcia701:00/a701:03:00.0\n"
            "character special file e2 2\n");
  r = atoll("--gpu bonaire,dg1 --display none -- " ATOLL_NODE_PROGRAM " sockets");
  EXPECT_EQ(r.out, "fine\n") << r.err;
  EXPECT_TRUE(has(r.err, "the bonaire,dg1 was asked")) << r.err;
  r = atoll("--gpu bonaire,voodoo true");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(has(r.err, "no GPU 'voodoo'")) << r.err;
  EXPECT_EQ(atoll("--gpu bonaire, true").status, 2);
  EXPECT_TRUE(has(atoll("--gpu bonaire,dg1,r580,kabini,hawaii true").err, "a session has 4 GPUs at most"));
  EXPECT_TRUE(has(atoll("--gpu bonaire,dg1 --record " + folder.file("rec") + " true").err, "take one GPU at a time"));
}

TEST_F(Run, LooksAtScreenshotsBeforeTheProgramStarts) {
  const std::string program = " -- touch " + folder.file("started");
  write_text(folder.file("file"), "");
  for (auto& [options, problem] : std::vector<std::pair<std::string, std::string>>{
           {"--screenshot " + folder.file("none/a.png"), "there is no folder"},
           {"--screenshot " + folder.file("none/a.png@3"), "there is no folder"},
           {"--screenshot " + folder.file("file/a.png"), "is no folder"},
           {"--screenshot " + std::filesystem::path(folder.file("x")).parent_path().string(), "is a folder"},
           {"--screenshot " + folder.file("a.png@0"), "frames are counted from 1"},
           {"--screenshot " + folder.file("a.png@99999999999999999999"), "no program shows so many frames"},
           {"--screenshot @5", "no file is named"},
           {"--screenshot " + folder.file("a.png@1") + " --screenshot " + folder.file("a.png@2"), "two pictures in one file"},
           {"--frames 5 --screenshot " + folder.file("a.png@6"), "--frames ends the program after 5"},
           {"--display none --frames 5", "--frames counts what windows show"}}) {
    auto r = atoll(options + program);
    EXPECT_EQ(r.status, 2) << options;
    EXPECT_TRUE(has(r.err, problem)) << options << ": " << r.err;
    EXPECT_EQ(get("started"), "(none)") << options;
  }
  for (const char* frames : {"0", "-1", "many", "1.5"}) EXPECT_EQ(atoll("--frames " + std::string(frames) + program).status, 2);
}

// The drivers that loaders find, with some of every kind in folders of this test's own; the manifests' libraries need not be
// there.
TEST_F(Run, HidesDriversInSoftware) {
  std::filesystem::create_directories(folder.file("share/vulkan/icd.d"));
  auto vulkan = [&](const std::string& name, const std::string& library) {
    write_text(folder.file("share/vulkan/icd.d/" + name),
               "{\"ICD\": {\"library_path\": \"" + library + "\", \"api_version\": \"1.3\"}}");
  };
  vulkan("radeon_icd.json", "libvulkan_radeon.so");
  vulkan("lvp_icd.json", "/usr/lib/libvulkan_lvp.so");
  vulkan("vk_swiftshader_icd.json", "./libvk_swiftshader.so");
  write_text(folder.file("share/vulkan/icd.d/broken.json"), "{");
  const std::string radeon = folder.file("share/vulkan/icd.d/radeon_icd.json"),
                    broken = folder.file("share/vulkan/icd.d/broken.json");
  const std::string here =
      "env -u VK_DRIVER_FILES -u VK_ICD_FILENAMES -u OCL_ICD_VENDORS XDG_CONFIG_HOME=/none XDG_CONFIG_DIRS=/none "
      "XDG_DATA_HOME=/none XDG_DATA_DIRS=" +
      folder.file("share") + " ";
  auto seen = [&](const std::string& before, const std::string& options) {
    const std::string command = here + before + ATOLL_BINARY " run --display none " + options +
                                " -- sh -c 'echo VK=$VK_DRIVER_FILES; echo OLD=$VK_ICD_FILENAMES; echo CL=$OCL_ICD_VENDORS; ls "
                                "\"$OCL_ICD_VENDORS\" 2>/dev/null; true' >" +
                                folder.file("out") + " 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return get("out");
  };
  // (/etc of this machine is looked through as well)
  std::string r = seen("", "");
  EXPECT_TRUE(has(r, broken + ":" + radeon)) << r;
  EXPECT_FALSE(has(r, "lvp_icd")) << r;
  EXPECT_FALSE(has(r, "swiftshader")) << r;
  EXPECT_FALSE(has(r, "OLD=\n")) << "loaders before 1.3.207: " << r;
  EXPECT_TRUE(has(seen("", "--beside"), "VK=\nOLD=\n"));
  EXPECT_TRUE(has(seen("VK_DRIVER_FILES=mine ", ""), "VK=mine\nOLD=\n"));
  std::filesystem::remove(radeon);
  std::filesystem::remove(broken);
  EXPECT_FALSE(has(seen("", ""), "VK=\n")) << "where no other driver is there, the loader finds none";
  std::filesystem::remove(folder.file("share/vulkan/icd.d/lvp_icd.json"));
  std::filesystem::remove(folder.file("share/vulkan/icd.d/vk_swiftshader_icd.json"));
  if (!std::filesystem::exists("/etc/vulkan/icd.d")) EXPECT_TRUE(has(seen("", ""), "VK=\n")) << "nothing to hide";
}

// Daemons: one that draws is waited for and counted; the session stays for one that begins later.
TEST_F(Run, KeepsTheSessionForDaemons) {
  auto r = atoll("--display none -- setsid -f " ATOLL_GEARS " --size 64x64 " + folder.file("gears.png"));
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.err, "draws")) << r.err;
  EXPECT_TRUE(has(r.err, "of 1 process")) << r.err;
  std::string said = folder.file("said");
  r = atoll("--display none -- setsid -f sh -c 'sleep 3; " ATOLL_NODE_PROGRAM " node >" + said + " 2>&1'");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(has(r.err, "that setsid left behind go on: the session stays for them")) << r.err;
  EXPECT_TRUE(has(r.err, "nothing reached the bonaire so far")) << r.err;
  for (int tries = 0; tries < 300 && get("said").find('\n') == std::string::npos; ++tries) EXPECT_EQ(std::system("sleep 0.1"), 0);
  EXPECT_EQ(get("said"), "fine\n");
}

// The second that one gets to begin with the GPU is a second with a processor: here another process has nearly all of the only one.
TEST_F(Run, WaitsForDaemonsOnABusyMachine) {
  if (::access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "the kernel does not say how long a process had no processor";
  const std::string processor = "taskset -c " + std::to_string(::sched_getcpu()) + " ";
  const pid_t busy = ::fork();
  if (busy == 0) {
    ::execl("/bin/sh", "sh", "-c", ("exec " + processor + "sh -c 'while :; do :; done'").c_str(), nullptr);
    ::_exit(1);
  }
  // about 0.05 s of a processor, of which it gets a thirtieth
  auto r = atoll("--display none -- setsid -f " + processor +
                 "nice -n 15 sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exec " ATOLL_NODE_PROGRAM " node' >" +
                 folder.file("said"));
  ::kill(busy, SIGKILL);
  ::waitpid(busy, nullptr, 0);
  EXPECT_EQ(r.status, 0);
  EXPECT_FALSE(has(r.err, "go on: the session stays for them")) << r.err;
  EXPECT_TRUE(has(r.err, "the bonaire was asked, nothing was drawn or computed")) << r.err;
}

TEST_F(Run, SaysWhatAtollRefuses) {
  auto r = atoll("--stats --display none -- " ATOLL_NODE_PROGRAM " refused");
  EXPECT_EQ(r.out, "fine\n");
  EXPECT_TRUE(has(
      r.err,
      "atoll: drm: refused, since Atoll does not have it: on-chip memory (GDS, GWS, OA) as a buffer (GEM_CREATE, domain 0x8)\n"));
  EXPECT_TRUE(has(r.err, "atoll: run: refused 2 times, since Atoll does not have it: on-chip memory")) << r.err;
  EXPECT_EQ(nlohmann::json::parse(r.err.substr(r.err.rfind("\n{") + 1))["refused"].size(), 1) << r.err;
}

// Nobody dies of a limit or of a pipe without a word.
TEST_F(Run, SaysWhichLimitIsTooLow) {
  if (address_sanitizer) GTEST_SKIP() << "AddressSanitizer itself wants more address space than the limit";
  auto limited = [&](const std::string& before, const std::string& after) {
    std::string command =
        before + ATOLL_BINARY " run --display none -- " + after + ATOLL_GEARS " --size 64x64 " + folder.file("gears.png") + "'";
    int status = std::system((command + " >" + folder.file("out") + " 2>" + folder.file("err")).c_str());
    return Result{WEXITSTATUS(status), get("out"), get("err")};
  };
  auto r = limited("sh -c 'ulimit -v 8000000; exec ", "");
  EXPECT_EQ(r.status, 125);
  EXPECT_TRUE(has(r.err, "the limit on address space is 8000000 kB (ulimit -v)")) << r.err;
  r = limited("sh -c 'ulimit -f 1000; exec ", "");
  EXPECT_EQ(r.status, 125);
  EXPECT_TRUE(has(r.err, "ulimit -f unlimited")) << r.err;
  r = limited("", "sh -c 'ulimit -v 8000000; exec ");
  EXPECT_TRUE(has(r.err, "ulimit -v unlimited")) << r.err;
}

TEST_F(Run, OutlivesThoseWhoReadItsLines) {
  // the reader leaves after the first of some hundred lines
  std::string command = "ATOLL_LOG=trace:ioctl " ATOLL_BINARY " run --display none -- " ATOLL_GEARS " --size 64x64 " +
                        folder.file("gears.png") + " 2>&1 >" + folder.file("out") + " | head -n 1 >" + folder.file("err");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(has(get("err"), "atoll: ioctl: ")) << get("err");
  EXPECT_TRUE(has(get("out"), "GL_VERSION")) << get("out");
}

// Four processes on one session: weston, Xwayland, its window manager's helper, glxgears.
TEST_F(Run, ShowsWindowsOnAPrivateDesktop) {
  if (std::system("command -v weston Xwayland glxgears >/dev/null") != 0)
    GTEST_SKIP() << "weston, xwayland or mesa-utils is missing";
  if (address_sanitizer) GTEST_SKIP() << "programs of others have no AddressSanitizer for libatoll.so";
  auto r = atoll("--gpu r580 --stats --screenshot " + folder.file("picture.png@20") + " --screenshot " +
                 folder.file("later.png@60") + " -- timeout 15 glxgears -info");
  EXPECT_EQ(r.status, 124) << r.err;  // timeout's
  EXPECT_TRUE(has(r.out, "GL_RENDERER   = ATI R580")) << r.out << r.err;
  EXPECT_EQ(get("picture.png").substr(1, 3), "PNG");
  EXPECT_EQ(get("later.png").substr(1, 3), "PNG");
  EXPECT_NE(get("later.png"), get("picture.png")) << "the gears turn";
  auto stats = nlohmann::json::parse(r.err.substr(r.err.rfind("\n{") + 1));
  EXPECT_GE(stats["processes"], 3);
  EXPECT_GT(stats["draws"], 100);
  EXPECT_GE(stats["frames"], 60) << "later.png was taken";
  EXPECT_EQ(stats["failed"], 0);
}

TEST_F(Run, EndsAfterFrames) {
  if (std::system("command -v weston Xwayland glxgears >/dev/null") != 0)
    GTEST_SKIP() << "weston, xwayland or mesa-utils is missing";
  if (address_sanitizer) GTEST_SKIP() << "programs of others have no AddressSanitizer for libatoll.so";
  auto r = atoll("--gpu r580 --frames 25 --stats --screenshot " + folder.file("early.png@25") + " --screenshot " +
                 folder.file("last.png") + " --timeout 100 -- glxgears");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.err, "glxgears has shown the 25 frames of --frames: ended")) << r.err;
  EXPECT_GE(nlohmann::json::parse(r.err.substr(r.err.rfind("\n{") + 1))["frames"], 25);
  EXPECT_EQ(get("early.png").substr(1, 3), "PNG");
  EXPECT_EQ(get("last.png").substr(1, 3), "PNG");
  // its own status, and a word on what is missing
  r = atoll("--gpu r580 --frames 1000000 -- sh -c 'exit 7'");
  EXPECT_EQ(r.status, 7);
  EXPECT_TRUE(has(r.err, "of the 1000000 frames of --frames")) << r.err;
  r = atoll("--gpu r580 --frames 1000000 --timeout 4 -- glxgears");
  EXPECT_EQ(r.status, 124) << r.err;
}

// A frame that was never shown, and one that was when the program ended before its picture was there.
TEST_F(Run, SaysWhyThereIsNoScreenshot) {
  if (std::system("command -v weston Xwayland glxgears >/dev/null") != 0)
    GTEST_SKIP() << "weston, xwayland or mesa-utils is missing";
  if (address_sanitizer) GTEST_SKIP() << "programs of others have no AddressSanitizer for libatoll.so";
  auto r = atoll("--gpu r580 --screenshot " + folder.file("never.png@1000000") + " -- timeout 4 glxgears");
  EXPECT_TRUE(has(r.err, " frames only, 1000000 was asked for")) << r.err;
  write_text(folder.file("weston-screenshooter"), "#!/bin/sh\nexec sleep 60\n");
  std::filesystem::permissions(folder.file("weston-screenshooter"), std::filesystem::perms::owner_all);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", (std::filesystem::path(folder.file("x")).parent_path().string() + ":" + path).c_str(), 1);
  r = atoll("--gpu r580 --screenshot " + folder.file("late.png@1") + " -- timeout 4 glxgears");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(has(r.err, "the program ended while its frame 1 was on the screen")) << r.err;
  EXPECT_FALSE(has(r.err, "left behind")) << "who takes the picture was not started by the program: " << r.err;
}

// Told to end, this one closes its window at once and takes its time for the rest.
TEST_F(Run, TheLastScreenshotIsOfThePictureBeforeTheTimeWasOver) {
  if (std::system("command -v weston Xwayland glxgears >/dev/null") != 0)
    GTEST_SKIP() << "weston, xwayland or mesa-utils is missing";
  if (address_sanitizer) GTEST_SKIP() << "programs of others have no AddressSanitizer for libatoll.so";
  auto r = atoll("--gpu r580 --display headless --screenshot " + folder.file("empty.png") + " -- sleep 4");
  EXPECT_EQ(r.status, 0) << r.err;
  write_text(folder.file("slow"), "#!/bin/bash\nglxgears & trap 'kill $!; sleep 3; exit 0' TERM\nwait\n");
  std::filesystem::permissions(folder.file("slow"), std::filesystem::perms::owner_all);
  r = atoll("--gpu r580 --display headless --timeout 8 --screenshot " + folder.file("gears.png") + " -- " + folder.file("slow"));
  EXPECT_EQ(r.status, 124) << r.err;
  EXPECT_TRUE(get("gears.png") != get("empty.png")) << "the desktop after the window was closed";
}

std::vector<std::string> drawing_chips() {
  std::vector<std::string> names;
  for (auto& chip : gpu::chips())
    if (chip.draws()) names.emplace_back(chip.name);
  return names;
}

TEST_F(Run, DoctorDrawsOnEveryChip) {
  std::string command = ATOLL_BINARY " doctor >" + folder.file("out") + " 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << get("out");
  for (auto& chip : drawing_chips()) EXPECT_TRUE(has(get("out"), "ok       a triangle on " + chip)) << get("out");
  // (amdkfd of Linux 6.13 knows gfx701, gfx1200 and gfx1201; Kaveri is not offered.)
  for (const char* chip : {"hawaii", "gfx1200", "gfx1201"})
    EXPECT_TRUE(has(get("out"), std::string("ok       /dev/kfd on ") + chip + "\n")) << get("out");
  EXPECT_TRUE(has(get("out"), " 0 failed")) << get("out");
  if (has(get("out"), "ok       OpenCL on DG1")) EXPECT_TRUE(has(get("out"), "ok       a computation on dg1")) << get("out");
}

// A GPU without it is not taken for one that has it.
TEST_F(Run, DoctorFindsNoComputeDriverWhereNoneIs) {
  auto r = atoll("--gpu bonaire --display none -- " ATOLL_BINARY " doctor --compute-driver");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "gfx_target_version 0, version 0.0\nNo such file or directory\n")) << r.out;
}

class Drivers : public Run, public testing::WithParamInterface<std::string> {};

// The renderer is asked for first: with a wrong answer somewhere Mesa takes its software renderer without a word.
TEST_P(Drivers, FindTheirGpu) {
  auto r = atoll("--stats --gpu " + GetParam() + " -- " ATOLL_GEARS " --size 64x64 " + folder.file("gears.png"));
  std::string lower = r.out;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  size_t line = lower.find("gl_renderer:");
  ASSERT_NE(line, lower.npos) << r.out << r.err;
  EXPECT_TRUE(has(lower.substr(line, lower.find('\n', line) - line), GetParam())) << r.out;
  size_t json = r.err.rfind("\n{");
  ASSERT_NE(json, r.err.npos) << r.err;
  auto stats = nlohmann::json::parse(r.err.substr(json + 1));
  EXPECT_EQ(stats["gpu"], GetParam());
  EXPECT_EQ(stats["processes"], 1);
  EXPECT_GT(stats["submissions"], 0);
}

INSTANTIATE_TEST_SUITE_P(Chips, Drivers, testing::ValuesIn(drawing_chips()), [](auto& info) { return info.param; });

}  // namespace
}  // namespace Atoll
