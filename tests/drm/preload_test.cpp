// libatoll_drm.so gets into every process of a program: what it needs, what it exports, and what it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string output_of(const std::string& command) {
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 0);  // allocators and Mesa leave memory behind when a program ends
  std::string text;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return text;
  std::array<char, 4096> buffer;
  for (size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  ::pclose(pipe);
  return text;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) found.push_back(line);
  return found;
}

const std::string with_gpu = "env LD_PRELOAD=" ATOLL_SHIM " ATOLL_GPU=bonaire ";

TEST(Preload, NeedsTheCLibraryAlone) {
  int needed = 0;
  for (auto& line : lines(output_of("readelf -dW " ATOLL_SHIM)))
    if (line.find("(NEEDED)") != line.npos) {
      needed++;
      EXPECT_NE(line.find("[libc.so.6]"), line.npos) << line;
    }
  EXPECT_EQ(needed, 1);
}

// The library behind it is opened late, when the C library keeps some hundred bytes for all that have memory of threads in its
// initial-exec model. With 6,600 no program could load it.
TEST(Preload, TheLibraryBehindItHasLittleMemoryOfThreads) {
  bool found = false;
  for (auto& line : lines(output_of("readelf -lW " ATOLL_LIBRARY))) {
    std::istringstream in(line);
    std::string type, offset, address, physical, file_bytes, bytes;
    if (!(in >> type >> offset >> address >> physical >> file_bytes >> bytes) || type != "TLS") continue;
    found = true;
    EXPECT_LE(std::stoul(bytes, nullptr, 16), 1024u);
  }
  EXPECT_TRUE(found);
}

TEST(Preload, ExportsOnlyWhatTheCLibraryHas) {
  std::set<std::string> c_library;
  for (auto& line : lines(output_of("nm -D --defined-only --without-symbol-versions /lib/x86_64-linux-gnu/libc.so.6")))
    c_library.insert(line.substr(line.rfind(' ') + 1));
  ASSERT_TRUE(c_library.count("printf"));
  int exported = 0;
  for (auto& line : lines(output_of("nm -D --defined-only " ATOLL_SHIM))) {
    std::string name = line.substr(line.rfind(' ') + 1);
    EXPECT_TRUE(c_library.count(name)) << name;
    exported++;
  }
  EXPECT_GT(exported, 20);
}

// Its calls into other libraries. It runs under allocators' locks and before sanitizers are ready: nothing here may allocate,
// lock, or ask the dynamic linker before a GPU's descriptor is used (that alone loads libatoll.so).
TEST(Preload, CallsNothingThatAllocates) {
  const std::set<std::string> allowed = {"environ", "__environ", "__errno_location", "getpid",
                                         "syscall", "_r_debug",  "_dl_find_object",  // the dynamic linker's list
                                         "dlopen",  "dlsym",     "dlerror",          "pthread_once"};  // for libatoll.so
  int needed = 0;
  for (auto& line : lines(output_of("nm -D --undefined-only --without-symbol-versions " ATOLL_SHIM))) {
    std::string name = line.substr(line.rfind(' ') + 1);
    if (name.starts_with("_ITM_") || name == "__gmon_start__" || name.starts_with("__asan") || name.starts_with("__ubsan"))
      continue;
    EXPECT_TRUE(allowed.count(name)) << name;
    needed++;
  }
  EXPECT_GT(needed, 4);
}

// Allocators open files, read links and map memory under their own lock, before main. Both orders: `atoll run` puts its library
// first, wrappers put theirs first.
class Allocators : public testing::TestWithParam<const char*> {};

TEST_P(Allocators, StartAndReachTheGpu) {
  std::string allocator = GetParam();
  for (std::string preload : {ATOLL_SHIM ":" + allocator, allocator + ":" ATOLL_SHIM})
    EXPECT_EQ(output_of("timeout 60 env ATOLL_GPU=bonaire LD_PRELOAD=" + preload + " " ATOLL_NODE_PROGRAM " node"), "fine\n")
        << preload;
  // (a linker that does not find the allocator says so: cmake/apt-packages.txt)
  std::string said =
      output_of("env LD_PRELOAD=" + allocator + " timeout 60 " ATOLL_BINARY " run --display none " ATOLL_NODE_PROGRAM " dma-buf");
  EXPECT_EQ(said.substr(0, said.find('\n')), "fine") << said;
}

INSTANTIATE_TEST_SUITE_P(Libraries, Allocators,
                         testing::Values("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0"));

// Objects that LLVM makes late outlive exit handlers, such as the one by which Mesa joins its compile threads; of all other
// libraries the order is the C library's.
TEST(Preload, KeepsTheOrderOfEndings) {
  const std::string plain = ATOLL_ORDER_PROGRAM " ";
  EXPECT_EQ(output_of(plain + ATOLL_ORDER_LLVM), "object\nhandler\n");
  EXPECT_EQ(output_of(with_gpu + plain + ATOLL_ORDER_LLVM), "handler\nobject\n");
  EXPECT_EQ(output_of(with_gpu + plain + ATOLL_ORDER_LIBRARY), "object\nhandler\n");
  for (std::string library : {ATOLL_ORDER_LLVM, ATOLL_ORDER_LIBRARY})
    EXPECT_EQ(output_of(with_gpu + plain + library + " close"), "object\nclosed\nhandler\n");
}

// The same with Mesa, whose output is lost when it dies.
TEST(Preload, ProgramsEndWhileMesaCompiles) {
  for (int run = 0; run < 5; ++run) {
    std::string said = output_of("MESA_SHADER_CACHE_DISABLE=1 " ATOLL_BINARY " run --display none " ATOLL_ENDING_PROGRAM);
    EXPECT_NE(said.find("bonaire"), said.npos) << said;
    EXPECT_NE(said.find("\ndrawn\n"), said.npos) << said;
  }
}

// Mesa's threads do not survive a fork, so a child that goes on drawing would wait for ever; one that only ends must end well.
TEST(Preload, ChildrenOfAForkDoNotHang) {
  const std::string program = "MESA_SHADER_CACHE_DISABLE=1 timeout 100 " ATOLL_BINARY " run --display none " ATOLL_ENDING_PROGRAM;
  std::string said = output_of(program + " fork");
  EXPECT_NE(said.find("is the child of a fork"), said.npos) << said;
  EXPECT_NE(said.find("child: status 0, signal 6"), said.npos) << said;
  said = output_of(program + " fork-exit");
  EXPECT_NE(said.find("child: status 0, signal 0"), said.npos) << said;
}

// A driver's exit handler waits for threads that a child has not; in its own process it runs as ever.
TEST(Preload, ChildrenOfAForkEndWithoutTheDriversHandlers) {
  EXPECT_EQ(output_of(with_gpu + "timeout 100 " ATOLL_ORDER_PROGRAM " " ATOLL_WAITING_DRIVER " fork"),
            "handler\nchild 5\nthreads joined\nhandler\n");
}

TEST(Preload, ShowsTheDeviceFiles) {
  EXPECT_EQ(output_of(with_gpu + "cat /sys/class/drm/renderD128/device/device"), "0x6658\n");
  EXPECT_EQ(output_of(with_gpu + "stat -c '%F %t %T' /dev/dri/renderD128"), "character special file e2 80\n");
  EXPECT_EQ(output_of(with_gpu + "stat -c '%F %t %T' /dev/dri/card0"), "character special file e2 0\n");
  EXPECT_EQ(output_of(with_gpu + "realpath /sys/dev/char/226:128/device"), "/sys/devices/pcia701:00/a701:01:00.0\n");
  std::string listing = output_of(with_gpu + "ls /dev/dri");
  EXPECT_EQ(listing, "by-path\ncard0\nrenderD128\n");
}

// Further questions of common tools, each by a path of its own through the C library: none of them may complain.
TEST(Preload, ShowsTheDeviceFilesToCommonTools) {
  const std::string character = "character special file";
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"ls -l /dev/dri 2>&1 >/dev/null", ""},                        // getxattr() of an access control list
      {"ls -lR /sys/class/drm 2>&1 >/dev/null", ""},                 //
      {"stat -f -c %T /sys/class/drm/card0", "sysfs"},               // statfs()
      {"df /dev/dri 2>&1 >/dev/null", ""},                           // statvfs()
      {"/usr/bin/test -r /dev/dri/card0 && echo yes", "yes"},        // euidaccess()
      {"bash -c 'test -w /dev/dri/renderD128 && echo yes'", "yes"},  // eaccess()
      {"find /dev/dri -type c | wc -l", "2"},                        // readdir()'s types
      {"bash -c 'cd /dev/dri && stat -c %F card0'", character},      // chdir() and a relative path
      {"env -u PWD bash -c 'cd /sys/class/drm && /bin/pwd'", "/sys/class/drm"},
      {"perl -e 'print scalar(() = glob(\"/dev/dri/*\"))'", "3"},
      {"python3 -c 'import os; print(os.listxattr(\"/dev/dri/card0\"), os.open(\"/dev/dri/card0\", os.O_RDWR) > 2)'", "[] True"},
  };
  for (auto& [command, expected] : commands) {
    std::string said = output_of("export LD_PRELOAD=" ATOLL_SHIM " ATOLL_GPU=bonaire; " + command);
    EXPECT_EQ(said.substr(0, said.find_last_not_of('\n') + 1), expected) << command;
  }
}

// A program cannot change the files that all programs share, by whatever way it comes to them. (On a copy of them, and by paths that
// no machine has.)
TEST(Preload, TheDeviceFilesAreReadOnly) {
  std::string copy = output_of("mktemp -d");
  copy.resize(copy.find('\n'));
  output_of("cd " + copy +
            " && mkdir -p lib share/atoll/devices && cp " ATOLL_SHIM " lib/ && cp -r \"$(dirname " ATOLL_SHIM
            ")/../share/atoll/devices/bonaire\" share/atoll/devices/");
  const std::string with_copy =
      "export LD_PRELOAD=" + copy + "/lib/libatoll_drm.so ATOLL_GPU=bonaire; sh 2>&1 <<'END'\ncd /sys/devices/pcia701:00 && ";
  const std::string tree = "cd " + copy + "/share && find . -printf '%p %y %m %s %u\\n' | sort";
  const std::string before = output_of(tree), slot = "/sys/bus/pci/devices/a701:01:00.0/";
  ASSERT_NE(before.find("vendor"), before.npos);
  for (auto& command : std::vector<std::string>{
           "chmod 600 " + slot + "vendor", "chmod -R go-r .", "rm -f " + slot + "vendor", "rm -rf a701:01:00.0", "touch new",
           "mv " + slot + "vendor " + slot + "other", "ln -s a " + slot + "b", "ln " + slot + "vendor " + slot + "b",
           "mkdir folder", "chown 1 " + slot + "vendor", "truncate -s 1 " + slot + "vendor", "echo 1 >" + slot + "vendor",
           "touch -d yesterday a701:01:00.0", "python3 -c 'open(\"a701:01:00.0/vendor\", \"r+\")'",
           "perl -e 'unlink(\"a701:01:00.0/vendor\") or die $!'", "mkfifo pipe"}) {
    std::string said = output_of(with_copy + command + " || echo refused\nEND\n");
    EXPECT_NE(said.find("Read-only file system"), said.npos) << command << ": " << said;
    EXPECT_NE(said.find("refused"), said.npos) << command;
    EXPECT_EQ(output_of(tree), before) << command;
  }
  output_of("rm -rf " + copy);
}

// Preloaded alone, with a session of its own, and in one that `atoll run` keeps.
class Nodes : public testing::TestWithParam<const char*> {};

TEST_P(Nodes, AnswerAsTheKernels) {
  if (std::string(GetParam()) != "sockets")
    EXPECT_EQ(output_of("(" + with_gpu + ATOLL_NODE_PROGRAM " " + GetParam() + " 2>/dev/null)"), "fine\n");
  std::string said = output_of(ATOLL_BINARY " run --display none " ATOLL_NODE_PROGRAM " " + std::string(GetParam()));
  EXPECT_NE(("\n" + said).find("\nfine\n"), said.npos) << said;
  // the child of a fork is told once why the parent's GPU is not its own
  EXPECT_EQ(said.find("is the child of a fork") != said.npos, std::string(GetParam()) == "fork") << said;
}

INSTANTIATE_TEST_SUITE_P(Programs, Nodes, testing::Values("node", "dma-buf", "sockets", "fork", "sync-files"));

// A hang is its context's alone: a program that asks for notice learns that it was guilty (KHR_robustness), another context goes on.
TEST(Preload, AHangIsToldToTheContextThatMadeIt) {
  for (std::string gpu : {"bonaire", "dg1"}) {
    std::string said =
        output_of("ATOLL_STILL_SECONDS=8 timeout 300 " ATOLL_BINARY " run --gpu " + gpu + " --display none " ATOLL_RESET_PROGRAM);
    EXPECT_NE(said.find("before: none none\ncounted: 7\n"), said.npos) << gpu << said;
    EXPECT_NE(said.find("after the hang: guilty\n"), said.npos) << gpu << said;
    EXPECT_NE(said.find("of the other: none\ncounted: 5\n"), said.npos) << gpu << said;
  }
}

TEST(Preload, SaysThatThereIsNoKfd) {
  const std::string said = output_of(with_gpu + "cat /dev/kfd /dev/kfd /dev/kmsg-that-is-not-there");
  EXPECT_NE(said.find("/dev/kfd, which ROCm asks for, is hawaii's, gfx1200's and gfx1201's alone"), said.npos) << said;
  EXPECT_EQ(said.find("which ROCm asks for"), said.rfind("which ROCm asks for")) << said;
  EXPECT_EQ(output_of(with_gpu + "stat -c %F /proc/modules"), output_of("stat -c %F /proc/modules"));
}

TEST(Preload, ShowsTheComputeDriverOfHawaii) {
  const std::string hawaii = "env ATOLL_GPU=hawaii LD_PRELOAD=" ATOLL_SHIM " ";
  EXPECT_EQ(output_of(hawaii + "stat -c '%F %t' /dev/kfd"), "character special file ea\n");
  EXPECT_EQ(output_of(hawaii + "cut -d ' ' -f 1 /proc/modules"), "amdgpu\n");
  EXPECT_EQ(output_of(hawaii + "cat /sys/class/kfd/kfd/topology/nodes/1/name"), "hawaii\n");
  // 4 engines of 11 units, 4 SIMDs each
  EXPECT_EQ(
      output_of(hawaii +
                "grep -E '^(simd_count|gfx_target_version|device_id) ' /sys/devices/virtual/kfd/kfd/topology/nodes/1/properties"),
      "simd_count 176\ngfx_target_version 70001\ndevice_id 26544\n");
}

// However a program asks for the status of an open device: statx() by coreutils, stat(), fstat() and fstatat() by Python; by descriptor, by links
// in /proc and /dev, from inside a folder, and in a process that has no session of its own.
TEST(Preload, ShowsOpenDevicesAsDevices) {
  constexpr struct {
    const char *path, *numbers, *decimal;
  } rows[] = {{"/dev/kfd", "ea:0", "234 0"}, {"/dev/dri/renderD128", "e2:80", "226 128"}, {"/dev/dri/card0", "e2:0", "226 0"}};
  for (auto& row : rows) {
    const std::string path = row.path;
    const std::string shell = "env ATOLL_GPU=gfx1201 LD_PRELOAD=" ATOLL_SHIM " bash -c 'exec 7<>" + path + "; ";
    const std::string device = std::string("character special file ") + row.numbers + "\n";
    const std::string ask = "stat -L -c \"%F %t:%T\" ";
    for (const char* where : {"/proc/self/fd/7", "/proc/thread-self/fd/7", "/proc/$$/fd/7", "/dev/fd/7"})
      EXPECT_EQ(output_of(shell + ask + where + "'"), device) << path << " as " << where;
    EXPECT_EQ(output_of(shell + ask + "- <&7'"), device) << path;
    EXPECT_EQ(output_of(shell + ask + "/dev/stdin <&7'"), device) << path;
    EXPECT_EQ(output_of(shell + "cd /proc/self/fd; " + ask + "7'"), device) << path;
    EXPECT_EQ(output_of(shell + "find -L /proc/self/fd -maxdepth 1 -name 7 -type c 2>/dev/null'"), "/proc/self/fd/7\n") << path;
    EXPECT_EQ(output_of(shell + "test -c /dev/fd/7 && echo a device'"), "a device\n") << path;
    const std::string python =
        "python3 -c \"import os, stat\n"
        "here = os.open(\\\"/proc/self/fd\\\", os.O_RDONLY)\n"
        "for s in os.fstat(7), os.stat(\\\"/dev/fd/7\\\"), os.stat(\\\"7\\\", dir_fd=here), os.lstat(\\\"" +
        path +
        "\\\"):\n"
        "  print(stat.S_ISCHR(s.st_mode), os.major(s.st_rdev), os.minor(s.st_rdev))\"'";
    const std::string one = std::string("True ") + row.decimal + "\n";
    EXPECT_EQ(output_of(shell + python), one + one + one + one) << path;
  }
  // a link itself stays a link, and other files are what they are
  const std::string shell =
      "env ATOLL_GPU=gfx1201 LD_PRELOAD=" ATOLL_SHIM " bash -c 'exec 7<>/dev/kfd 8</dev/zero 9</etc/passwd; ";
  EXPECT_EQ(output_of(shell + "stat -c %F /proc/self/fd/7'"), "symbolic link\n");
  EXPECT_EQ(output_of(shell + "stat -L -c \"%F %t:%T\" /proc/self/fd/8 /proc/self/fd/9'"),
            "character special file 1:5\nregular file 0:0\n");
}

TEST(Preload, TellsThisMachinesProcessorsAndMemory) {
  const std::string gpu = "env ATOLL_GPU=gfx1201 LD_PRELOAD=" ATOLL_SHIM " ";
  for (const char* root : {"/sys/class/kfd/kfd", "/sys/devices/virtual/kfd/kfd"}) {
    const std::string node = std::string(root) + "/topology/nodes/0/";
    EXPECT_EQ(output_of(gpu + "sed -n s/cpu_cores_count.//p " + node + "properties"), output_of("getconf _NPROCESSORS_ONLN"));
    const std::string bytes = output_of(gpu + "sed -n s/size_in_bytes.//p " + node + "mem_banks/0/properties");
    EXPECT_EQ(std::stoull("0" + bytes) / 1024,
              std::stoull("0" + output_of("sed -n 's/MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo")));
    // by a stream as well, which the library opens by another way
    EXPECT_EQ(output_of(gpu + "awk '$1 == \"cpu_cores_count\" { print $2 }' " + node + "properties"),
              output_of("getconf _NPROCESSORS_ONLN"));
    EXPECT_NE(output_of(gpu + "sh -c 'echo 1 > " + node + "properties'").find("Read-only"), std::string::npos);
  }
}

// Discovery (amdgpu_discovery.c) tells GC 12.0.1, SDMA 7.0.1, NBIF 6.3.1.
TEST(Preload, TellsThePartsOfAChip) {
  const std::string gpu = "env ATOLL_GPU=gfx1201 LD_PRELOAD=" ATOLL_SHIM " ";
  const std::string die = "/sys/class/drm/renderD128/device/ip_discovery/die/0/";
  EXPECT_EQ(
      output_of(gpu + "sh -c 'cd " + die + "; cat 11/0/major 11/0/minor 11/0/revision NBIF/0/major NBIF/0/minor SDMA1/0/hw_id'"),
      "12\n0\n1\n6\n3\n43\n");
  EXPECT_EQ(
      output_of(gpu +
                "grep -E '^(simd_count|gfx_target_version|wave_front_size|num_cp_queues|num_sdma_queues_per_engine|cwsr_size) ' "
                "/sys/class/kfd/kfd/topology/nodes/1/properties"),
      "simd_count 128\nwave_front_size 32\ngfx_target_version 120001\nnum_sdma_queues_per_engine 6\nnum_cp_queues 4\n"
      "cwsr_size 30699520\n");
}

TEST(Preload, LeavesEverythingElseAlone) {
  EXPECT_EQ(output_of(with_gpu + "cat /proc/self/comm"), "cat\n");
  EXPECT_EQ(output_of(with_gpu + "stat -c %F /dev/null"), "character special file\n");
  EXPECT_EQ(output_of(with_gpu + "test -e /dev/dri-not-there || echo no"), "no\n");
  // without a GPU, or with one that does not exist, there is nothing to see
  EXPECT_EQ(output_of("env -u ATOLL_GPU LD_PRELOAD=" ATOLL_SHIM " stat -c %F /dev/dri/renderD128"),
            output_of("stat -c %F /dev/dri/renderD128"));
  EXPECT_NE(output_of("env ATOLL_GPU=voodoo LD_PRELOAD=" ATOLL_SHIM " ls /dev/dri").find("no device files for the GPU 'voodoo'"),
            std::string::npos);
}

}  // namespace
