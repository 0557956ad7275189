// atoll doctor: is everything there that programs on an emulated GPU need, and does it work? One line a check, and for what fails
// how to mend it.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/host_level.h"
#include "base/text.h"
#include "cli/computation.h"
#include "cli/compute_driver.h"
#include "cli/installation.h"
#include "cli/level_report.h"
#include "cli/triangle.h"
#include "cli/verbs.h"
#include "drm/session/kfd_facts.h"
#include "drm/session/session.h"
#include "gpu/chips/chip.h"
#include "memory/address_space.h"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* doctor_verb = "doctor";

// The problem, or nothing.
using Finding = std::optional<std::string>;

struct Checks {
  bool json = false;
  int failed = 0, missing = 0, passed = 0;

  void line(const std::string& what, const Finding& finding, const std::string& remedy, bool needed = true) {
    if (json) {
      nlohmann::ordered_json row = {{"check", what}, {"state", !finding ? "ok" : needed ? "failed" : "missing"}};
      if (finding) row["problem"] = *finding;
      if (finding && !remedy.empty()) row["remedy"] = remedy;
      fmt::print("{}\n", row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
      std::fflush(stdout);
      (!finding ? passed : needed ? failed : missing)++;
      return;
    }
    if (!finding) {
      passed++;
      fmt::print("ok       {}\n", what);
      return;
    }
    (needed ? failed : missing)++;
    fmt::print("{} {}: {}{}{}\n", needed ? "FAILED  " : "missing ", what, *finding, remedy.empty() ? "" : ": ", remedy);
  }
};

Finding first_of(std::initializer_list<const char*> files) {
  std::error_code error;
  for (const char* file : files)
    if (fs::exists(file, error)) return {};
  return "not there";
}

Finding in_path(const char* name) {
  std::string_view rest = std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin";
  for (;;) {
    size_t colon = rest.find(':');
    if (::access((fs::path(rest.substr(0, colon)) / name).c_str(), X_OK) == 0) return {};
    if (colon == rest.npos) return "not there";
    rest.remove_prefix(colon + 1);
  }
}

struct File {
  const char* what;
  std::initializer_list<const char*> files;
  const char* package;
  bool needed;
};

#define ATOLL_LIB "/usr/lib/x86_64-linux-gnu/"
constexpr const char* intel_opencl = ATOLL_LIB "intel-opencl/libigdrcl.so";
const File files[] = {
    {"OpenGL on Sea Islands (radeonsi)",
     {ATOLL_LIB "dri/radeonsi_dri.so", "/usr/lib/dri/radeonsi_dri.so"},
     "libgl1-mesa-dri",
     true},
    {"OpenGL on R5xx (r300g)", {ATOLL_LIB "dri/r300_dri.so", "/usr/lib/dri/r300_dri.so"}, "libgl1-mesa-dri", true},
    {"EGL", {ATOLL_LIB "libEGL_mesa.so.0"}, "libegl-mesa0", true},
    {"OpenGL ES", {ATOLL_LIB "libGLESv2.so.2"}, "libgles2", true},
    {"GLX", {ATOLL_LIB "libGLX_mesa.so.0"}, "libglx-mesa0", false},
    {"Vulkan on Sea Islands (RADV)", {ATOLL_LIB "libvulkan_radeon.so"}, "mesa-vulkan-drivers", false},
    {"OpenCL on Sea Islands (clover)", {ATOLL_LIB "libMesaOpenCL.so.1"}, "mesa-opencl-icd", false},
    {"OpenCL on DG1 (Intel NEO)", {intel_opencl}, "intel-opencl-icd", false},
    {"OpenGL on DG1 (iris)", {ATOLL_LIB "dri/iris_dri.so", "/usr/lib/dri/iris_dri.so"}, "libgl1-mesa-dri", false},
    {"ROCm's HSA on hawaii (libhsa-runtime64)", {ATOLL_LIB "libhsa-runtime64.so.1"}, "libhsa-runtime64-1", false},
    {"Vulkan on DG1 (anv)", {ATOLL_LIB "libvulkan_intel.so"}, "mesa-vulkan-drivers", false},
};
#undef ATOLL_LIB

struct Tool {
  const char *what, *name, *package;
};
constexpr Tool tools[] = {
    {"a desktop for windows", "weston", "weston"},
    {"X programs on it", "Xwayland", "xwayland"},
    {"a compiler for kernels", "clang-19", "clang-19"},
};

Finding session_memory() {
  auto file = drm::Session::create_file();
  if (!file) return file.error().message;
  auto session = drm::Session::open(*file);
  ::close(*file);
  if (!session) return session.error().message;
  drm::Session::Request request{.bytes = 1 << 20, .asked_bytes = 1 << 20, .begin = uint64_t(4) << 30, .end = drm::memory_bytes};
  auto index = (*session)->allocate(request);
  if (!index) return index.error().message;
  auto exported = (*session)->export_dma_buf(*index, true);
  if (!exported) return exported.error().message;
  ::close(*exported);
  return {};
}

Finding address_space() {
  auto space = AddressSpace::create();
  if (!space) return space.error().message;
  if ((*space)->size() < uint64_t(1) << 36) return fmt::format("only {} GiB of addresses", (*space)->size() >> 30);
  auto buffer = (*space)->allocate(4096);
  if (!buffer) return buffer.error().message;
  buffer->host_pointer[0] = 1;
  return {};
}

Finding own_memory_through_the_kernel() {
  int from = 7, to = 0;
  iovec a{&to, sizeof to}, b{&from, sizeof from};
  if (::process_vm_readv(::getpid(), &a, 1, &b, 1, 0) == sizeof to) return {};
  return fmt::format("process_vm_readv: {}", std::strerror(errno));
}

Finding mappings() {
  unsigned long most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  if (most == 0 || most >= 65530) return {};
  return fmt::format("{} mappings a process", most);
}

Finding size_of_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= drm::session_file_bytes) return {};
  return fmt::format("files of {} bytes at most", limit.rlim_cur);
}

Finding code_generator() {
  auto file = find_private_library("libatoll_jit.so");
  if (!file) return "libatoll_jit.so is not there";
  if (::dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL)) return {};
  return ::dlerror();
}

// The command's output and status.
int run(const std::vector<std::string>& command, std::string& output) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return 125;
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (auto& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    ::dup2(pipe[1], 1);
    ::dup2(pipe[1], 2);
    ::alarm(120);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::array<char, 4096> bytes;
  for (ssize_t got; (got = ::read(pipe[0], bytes.data(), bytes.size())) > 0;) output.append(bytes.data(), size_t(got));
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool contains_name(const std::string& text, std::string_view name) { return lower(text).find(name) != std::string::npos; }

// A check of this program's own on a chip: its status.
int check_on(const gpu::Chip& chip, const char* check, std::string& output) {
  std::error_code error;
  std::string self = fs::read_symlink("/proc/self/exe", error).string();
  return run({self, "run", "--gpu", std::string(chip.name), "--display", "none", "--", self, "doctor", check}, output);
}

// The version that /dev/kfd tells there is that of a kernel which knows the chip, and so is the GPU in its topology.
Finding compute_driver_on(const gpu::Chip& chip, const drm::KfdFacts& facts) {
  std::string output;
  const int status = check_on(chip, "--compute-driver", output);
  const std::string told = fmt::format("gfx_target_version {}, version 1.{}\n", facts.target, facts.minor);
  if (status == 0 && output.find(told) != output.npos) return {};
  return fmt::format("status {}, {}", status, output.substr(0, output.find('\n')));
}

// The result of a check of this program's own on a chip; `name` is in what the driver calls the device.
Finding on_chip(const gpu::Chip& chip, const char* check, std::string_view name) {
  std::string output;
  int status = check_on(chip, check, output);
  std::string device = output.substr(0, output.find('\n'));
  std::string rest = output.substr(std::min(output.size(), device.size() + 1));
  if (size_t newline = rest.find('\n'); newline != rest.npos) rest.resize(newline);
  if (status != 0) return fmt::format("status {}, {}", status, rest.empty() ? device : rest);
  if (!contains_name(device, name)) return fmt::format("'{}' answers instead", device);
  return {};
}

// True if an OpenCL driver is installed that is only for this family.
bool has_opencl(const gpu::Chip& chip) { return chip.uapis.contains("i915") && !first_of({intel_opencl}); }

void diagnose(bool json) {
  Checks checks;
  checks.json = json;
  for (auto& file : files)
    checks.line(file.what, first_of(file.files), fmt::format("apt-get install {}", file.package), file.needed);
  for (auto& tool : tools)
    checks.line(fmt::format("{} ({})", tool.what, tool.name), in_path(tool.name), fmt::format("apt-get install {}", tool.package),
                false);
  constexpr const char* build = "build Atoll (cmake --build build/release), or install it again";
  checks.line("libatoll_drm.so", find_private_library("libatoll_drm.so") ? Finding() : "not there", build);
  checks.line("device files", find_data("devices/bonaire/dev/dri/renderD128") ? Finding() : "not there", build);
  const std::string level_problem = host_level_problem();
  checks.line(level_text(), level_problem.empty() ? Finding() : level_problem, "");
  if (best_host_level() == HostLevel::Baseline)
    checks.line("AVX2", "hidden or not there, as said above; everything is several times slower without",
                "a virtual machine shows its host's processor where it is told so (QEMU: -cpu host)", false);
  checks.line("code generator", code_generator(), "apt-get install libllvm19; without it: ATOLL_ENGINE=interpreter", false);
  checks.line("a GPU's address space", address_space(), "ulimit -v unlimited");
  checks.line("memory that processes share", session_memory(),
              "ulimit -f unlimited; a container must allow memfd_create and fcntl locks");
  checks.line("size of files", size_of_files(), "ulimit -f unlimited");
  checks.line("mappings", mappings(), "sysctl vm.max_map_count=65530");
  checks.line("checked access to a program's memory", own_memory_through_the_kernel(),
              "a container must allow process_vm_readv; without it a driver's wrong pointer ends the program", false);
  for (auto& chip : gpu::chips())
    if (chip.draws())
      checks.line(fmt::format("a triangle on {}", chip.name), on_chip(chip, "--triangle", chip.name),
                  "ATOLL_LOG=info atoll run --gpu … shows more");
  for (auto& chip : gpu::chips())
    if (has_opencl(chip))
      checks.line(fmt::format("a computation on {}", chip.name),
                  on_chip(chip, "--computation", fmt::format("[{:#x}]", chip.pci_device)),
                  "ATOLL_LOG=info atoll run --gpu … shows more");
  for (auto& chip : gpu::chips())
    if (const drm::KfdFacts* facts = drm::kfd_facts(chip))
      checks.line(fmt::format("/dev/kfd on {}", chip.name), compute_driver_on(chip, *facts),
                  "ATOLL_LOG=info atoll run --gpu … shows more");
  if (!json) fmt::print("{} ok, {} failed, {} missing\n", checks.passed, checks.failed, checks.missing);
  if (checks.failed) end(STATUS_FAILED);
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto* sub = app.add_subcommand(doctor_verb, "checks drivers, packages and limits, and says how to get what is missing");
  auto* only_triangle = sub->add_flag("--triangle")->group("")->description("draws a triangle on whatever GPU is there");
  auto* only_computation = sub->add_flag("--computation")->group("")->description("computes on whatever GPU is there");
  auto* only_compute_driver = sub->add_flag("--compute-driver")->group("")->description("asks /dev/kfd");
  auto* json =
      sub->add_flag("--json")->description("one JSON object per line: check, state (ok, failed, missing), problem, remedy");
  sub->callback([only_triangle, only_computation, only_compute_driver, json] {
    if (only_compute_driver->count() > 0) return end(ask_compute_driver());
    if (only_triangle->count() + only_computation->count() == 0) return diagnose(json->count() > 0);
    if (int status = only_triangle->count() > 0 ? draw_triangle() : compute_values()) end(status);
  });
}

}  // namespace Atoll::cli
