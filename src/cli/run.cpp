// atoll run: an unmodified program on an emulated GPU. It names a session's memory to the program's processes and puts the
// library libatoll_drm.so before them; their own Mesa does the rest. The program's input, output and status pass through.
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/environment.h"
#include "cli/checks.h"
#include "cli/display.h"
#include "cli/installation.h"
#include "cli/level_report.h"
#include "cli/live_usage.h"
#include "cli/mesa_folder.h"
#include "cli/recordings.h"
#include "cli/session_processes.h"
#include "cli/time_option.h"
#include "cli/verbs.h"
#include "drm/session/session.h"
#include "gpu/chips/chip.h"
#include "trace/submitted_streams.h"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* run_verb = "run";
// The verb's own statuses, as timeout(1) and env(1) use them.
constexpr int STATUS_TIME = 124, STATUS_CANNOT = 126, STATUS_NOT_FOUND = 127;

struct RunCall {
  std::string gpu = "bonaire", display = "auto", record, shaders, registers_used, mesa, checks, app;
  std::vector<std::string> screenshots, arguments;
  double timeout = 0;  // seconds; 0: none
  bool stats = false, strict = false;
};

// The program and its arguments.
std::vector<std::string> command;

constexpr std::string_view options_with_value[] = {"--gpu",     "--display", "--record", "--registers-used", "--screenshot",
                                                   "--shaders", "--timeout", "--mesa",   "--check"};

// The program's file, as execvp(3) would find it; or an example of ours.
std::string find_program(const std::string& name) {
  auto runnable = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != name.npos) {
    std::error_code error;
    if (!fs::exists(name, error)) end_with(STATUS_NOT_FOUND, run_verb, fmt::format("{}: no such program", name));
    if (!runnable(name)) end_with(STATUS_CANNOT, run_verb, fmt::format("{}: is not executable", name));
    return name;
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    size_t colon = rest.find(':');
    fs::path folder = rest.substr(0, colon);
    if (folder.empty()) folder = ".";
    if (runnable(folder / name)) return (folder / name).string();
    if (colon == rest.npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (auto example = find_example(name)) return example->string();
  end_with(STATUS_NOT_FOUND, run_verb, fmt::format("{}: no such program in PATH", name));
}

// Why the preloaded library would not get into the program; nothing if it does. A script is judged by its interpreter.
std::optional<std::string> obstacle(const std::string& file, int depth = 0) {
  std::ifstream in(file, std::ios::binary);
  std::string head(4096, '\0');
  in.read(head.data(), std::streamsize(head.size()));
  head.resize(size_t(in.gcount()));
  struct stat status{};
  if (::stat(file.c_str(), &status) == 0) {
    bool other_user = (status.st_mode & S_ISUID) && status.st_uid != ::geteuid();
    bool other_group = (status.st_mode & S_ISGID) && status.st_gid != ::getegid();
    if (other_user || other_group)
      return fmt::format("{} is setuid or setgid: the system preloads nothing into it; run a copy", file);
  }
  if (head.starts_with("#!") && depth < 4) {
    size_t begin = head.find_first_not_of(" \t", 2), end = head.find_first_of(" \t\n", begin);
    if (begin == head.npos) return {};
    return obstacle(head.substr(begin, end - begin), depth + 1);
  }
  if (head.size() < sizeof(Elf64_Ehdr) || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) {
    if (depth == 0 && !head.starts_with("#!"))
      return fmt::format("{} is neither a program nor a script with an interpreter", file);
    return {};
  }
  Elf64_Ehdr header;
  std::memcpy(&header, head.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
    return fmt::format("{} is not a 64-bit x86 program: the emulated GPU's library is 64-bit only", file);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    in.clear();
    in.seekg(std::streamoff(header.e_phoff + uint64_t(i) * header.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment)) return fmt::format("{} is truncated", file);
    if (segment.p_type == PT_INTERP) return {};
  }
  return fmt::format("{} is linked statically: nothing can be preloaded into it", file);
}

// Why the limits of resources that the program inherits leave no room for a GPU; nothing if they do (setrlimit(2)).
std::optional<std::string> limit(std::string_view gpu) {
  // what memory/address_space.cpp reserves at least, and something for the driver
  constexpr uint64_t address_space = uint64_t(22) << 30;
  rlimit most{};
  if (::getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur < address_space)
    return fmt::format(
        "the limit on address space is {} kB (ulimit -v); the {} reserves 20 GiB at least, which take no memory: "
        "ulimit -v unlimited",
        most.rlim_cur >> 10, gpu);
  return {};
}

// The library to be preloaded.
fs::path preloaded_library() {
  auto library = find_private_library("libatoll_drm.so");
  if (!library)
    end_with(STATUS_ATOLL, run_verb,
             "libatoll_drm.so is missing beside libatoll.so: build it (cmake --build), or install Atoll again");
  return *library;
}

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

void set_environment(const RunCall& call, const fs::path& library, const std::string& gpu, const std::string& session) {
  std::string preload = library.string();
  if (preload.find_first_of(" :") != preload.npos)
    end_with(STATUS_ATOLL, run_verb, fmt::format("{}: LD_PRELOAD takes no spaces or colons: move Atoll elsewhere", preload));
  if (const char* before = std::getenv("LD_PRELOAD"); before && *before) preload += std::string(":") + before;
  set("LD_PRELOAD", preload);
  // AddressSanitizer's shared runtime wants to stand before all other libraries (sanitizers' wiki, AddressSanitizerFlags)
  const char* sanitizer = std::getenv("ASAN_OPTIONS");
  std::string options = sanitizer ? sanitizer : "";
  if (options.find("verify_asan_link_order") == options.npos)
    set("ASAN_OPTIONS", options + (options.empty() ? "" : ":") + "verify_asan_link_order=0");
  set("ATOLL_GPU", gpu);
  set(drm::session_variable, session);
  if (!call.mesa.empty()) {
    auto folder = find_mesa(call.mesa);
    auto mesa = folder ? look_at_mesa(*folder) : std::unexpected(folder.error());
    if (!mesa) end_with(STATUS_CALL, run_verb, fmt::format("--mesa {}", mesa.error().message));
    const gpu::Chip* chip = gpu::find_chip(gpu);
    const bool intel = chip && chip->uapis.contains("i915");  // which has NEO
    use_mesa(*mesa, !intel);
  }
  if (call.strict) set("ATOLL_STRICT", "1");
  if (!call.checks.empty()) set("ATOLL_CHECK", call.checks);
  if (!call.shaders.empty()) set("ATOLL_SHADERS", fs::absolute(call.shaders).string());
}

pid_t child = 0;
volatile sig_atomic_t interrupted = 0;

// Signals that end us are passed on to the program, which may treat them as it likes.
void pass_on(int signal) {
  if (child > 0)
    ::kill(child, signal);
  else if (signal != SIGUSR1 && signal != SIGUSR2)
    interrupted = 1;
}

void on(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// The program, and what it started in its session. The desktop that we gave it is none of these.
struct Running {
  std::string session;
  Display* display = nullptr;
  bool none_left = false;  // it has ended, and so has all that it started
  Clock::time_point deadline = Clock::time_point::max();

  std::vector<SessionProcess> others() const {
    const pid_t photographer = display ? display->photographer() : 0;
    auto found = session_processes(session, display ? display->process() : 0);
    std::erase_if(found, [&](auto& one) { return one.id == child || one.id == photographer; });
    return found;
  }
  bool out_of_time() const { return Clock::now() >= deadline; }
};

void send(const Running& running, int signal) {
  auto others = running.others();
  auto to = [signal](pid_t process) {
    ::kill(process, signal);
    ::kill(process, SIGCONT);  // what is stopped does not end
  };
  if (child > 0) to(child);
  for (auto& one : others) to(one.id);
}

// Has the program ended? Waits until then, or until the time.
bool wait_until(Clock::time_point end, int& status) {
  int handle = int(::syscall(SYS_pidfd_open, child, 0));
  for (;;) {
    pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    auto left = end == Clock::time_point::max() ? 1h : end - Clock::now();
    if (left <= 0s) {
      ::close(handle);
      return false;
    }
    int milliseconds = int(std::min<int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1, 3'600'000));
    pollfd one{handle, POLLIN, 0};
    // (pidfd_open came with Linux 5.3)
    ::poll(&one, handle >= 0 ? 1 : 0, handle >= 0 ? milliseconds : std::min(milliseconds, 20));
  }
  ::close(handle);
  child = 0;
  return true;
}

// SIGTERM to everything, SIGKILL to what is still there 5 s later.
int end_by_time(const RunCall& call, const Running& running, const std::string& what) {
  constexpr auto patience = 5s;
  if (running.display) running.display->freeze();  // a program that is told to end closes its windows first
  complain(run_verb, fmt::format("{} after the {:g} s of --timeout: ended", what, call.timeout));
  send(running, SIGTERM);
  auto end = Clock::now() + patience;
  int status = 0;
  bool killed = child > 0 && !wait_until(end, status);
  while (!killed && !running.others().empty()) {
    killed = Clock::now() >= end;
    ::usleep(20'000);
  }
  if (killed) {
    send(running, SIGKILL);
    if (child > 0) wait_until(Clock::time_point::max(), status);
  }
  return STATUS_TIME;
}

// The time that processes had no processor for though they were ready to run.
struct WithoutProcessor {
  Clock::duration sum{};  // of the one that waited longest at each look
  bool goes_on = false;   // one of them still waits, which the kernel adds when it gets the processor

  void look_at(const std::vector<SessionProcess>& processes) {
    std::chrono::nanoseconds most{};
    goes_on = false;
    for (auto& one : processes) {
      auto [found, is_new] = known_.try_emplace(one.id, one.times);
      ProcessTimes& before = found->second;
      if (is_new && looked_) before = {};
      most = std::max(most, std::chrono::nanoseconds(one.times.queued - before.queued));
      goes_on |= !is_new && one.ready && one.times == before;
      before = one.times;
    }
    sum += most;
    looked_ = true;
  }

private:
  std::map<pid_t, ProcessTimes> known_;
  bool looked_ = false;
};

// Waits for processes that the program left behind: daemons, children in the background. Those that use the GPU are waited for; those that do not get
// a second to begin with it, in which time without a processor does not count: the machine may be busy.
int wait_for_rest(const RunCall& call, Running& running, int status) {
  constexpr auto patience = 1s;
  on(SIGINT, pass_on);
  auto begin = Clock::now();
  WithoutProcessor without_processor;
  bool told = false;
  for (;; ::usleep(20'000)) {
    auto rest = running.others();
    without_processor.look_at(rest);
    running.none_left = rest.empty();
    if (running.none_left) return status;
    auto using_gpu = rest;
    std::erase_if(using_gpu, [](auto& one) { return !one.has_gpu; });
    if (running.out_of_time())
      return end_by_time(call, running, fmt::format("{} that {} left behind still run", names_of(rest), command[0]));
    const bool waited = !without_processor.goes_on && Clock::now() - begin - without_processor.sum >= patience;
    if (interrupted || (waited && using_gpu.empty())) {
      complain(run_verb,
               fmt::format("{} that {} left behind go on: the session stays for them, what they do from now on is not counted",
                           names_of(rest), command[0]));
      return status;
    }
    if (waited && !told)
      complain(run_verb,
               fmt::format("waiting for {} that {} left behind and that use the GPU (interrupt to let them go on alone)",
                           names_of(using_gpu), command[0]));
    told |= waited;
  }
}

int wait_for_program(const RunCall& call, Running& running) {
  for (int signal : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) on(signal, pass_on);
  // the terminal sends these to the program as well
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  // what we say at the end may go to a pipe that nobody reads any longer; the program's status is what counts
  ::signal(SIGPIPE, SIG_IGN);
  int status = 0;
  if (!wait_until(running.deadline, status)) return end_by_time(call, running, fmt::format("{} still runs", command[0]));
  return wait_for_rest(call, running, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

// 126 and 127 as execvp's errors have them.
int start(const RunCall& call, Running& running, const std::string& program) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (auto& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  // Not by fork(), which copies the tables of all pages that this process has.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  const sigset_t defaults = default_signals();
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int why = ::posix_spawn(&child, program.c_str(), nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (why) {
    child = 0;
    end_with(why == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT, run_verb, fmt::format("{}: {}", program, std::strerror(why)));
  }
  if (call.timeout > 0)
    running.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(call.timeout));
  return wait_for_program(call, running);
}

// The findings of --check in all processes.
std::vector<gpu::Finding> findings_of(const drm::SharedStatistics& s) {
  std::vector<gpu::Finding> found;
  for (auto& row : s.found) {
    if (!row.times) break;  // they are filled in turn; the others' pages have not been touched yet
    found.push_back({row.text, row.program, row.times});
  }
  if (s.found_more) found.push_back({"more than can be listed", 0, s.found_more});
  return found;
}

void report(const RunCall& call, const std::string& gpu, const drm::Session& session,
            const std::vector<drm::RecordingReport>& recordings, const std::vector<gpu::Finding>& found, const Display* display,
            bool goes_on) {
  const drm::SharedStatistics& s = session.statistics();
  uint64_t processes = s.opened - 1;  // one of them is this one
  std::fflush(stdout);
  if (s.submissions == 0 && goes_on) {
    complain(run_verb, fmt::format("nothing reached the {} so far", gpu));
  } else if (s.submissions == 0) {
    complain(
        run_verb,
        processes == 0
            ? fmt::format("nothing reached the GPU: no process opened the {}'s device files; does the program use Mesa?", gpu)
            : fmt::format("nothing reached the GPU: the {} was opened, but nothing was submitted", gpu));
  } else {
    complain(run_verb, fmt::format("{}: {} submissions, {} draws, {} dispatches of {} process{}{}", gpu, s.submissions.load(),
                                   s.draws.load(), s.dispatches.load(), processes, processes == 1 ? "" : "es",
                                   s.failed ? fmt::format("; {} submissions failed", s.failed.load()) : ""));
  }
  nlohmann::ordered_json unknown = nlohmann::json::array();
  for (auto& row : s.unknown) {
    if (!row.what[0]) break;
    complain(run_verb, fmt::format("unknown {} at {}, {} times", row.what, row.where, row.times));
    unknown.push_back({{"what", row.what}, {"where", row.where}, {"times", row.times}});
  }
  nlohmann::ordered_json refused = nlohmann::json::array();
  for (auto& row : s.refused) {
    if (!row.what[0]) break;
    complain(run_verb,
             fmt::format("refused {} time{}, since Atoll does not have it: {}", row.times, row.times == 1 ? "" : "s", row.what));
    refused.push_back({{"what", row.what}, {"times", row.times}});
  }
  nlohmann::ordered_json early = nlohmann::json::array();
  for (const gpu::Finding& f : found) early.push_back({{"program", f.program}, {"what", f.text}, {"times", f.times}});
  if (!call.stats) return;
  double instructions = double(std::max<uint64_t>(s.instructions, 1));
  nlohmann::ordered_json line = {{"gpu", gpu},
                                 {"processes", processes},
                                 {"submissions", s.submissions.load()},
                                 {"failed", s.failed.load()},
                                 {"packets", s.packets.load()},
                                 {"draws", s.draws.load()},
                                 {"dispatches", s.dispatches.load()},
                                 {"vertices", s.vertices.load()},
                                 {"primitives", s.primitives.load()},
                                 {"pixels", s.pixels.load()},
                                 {"waves", s.waves.load()},
                                 {"instructions", s.instructions.load()},
                                 {"compiled", double(s.compiled) / instructions},
                                 {"called", double(s.called) / instructions},
                                 {"interpreted", double(s.interpreted) / instructions},
                                 {"run_seconds", double(s.run_nanoseconds) * 1e-9},
                                 {"compile_seconds", double(s.compile_nanoseconds) * 1e-9},
                                 {"unknown", unknown},
                                 {"refused", refused}};
  add_level(line);
  if (display) line["frames"] = display->frames();
  if (!call.checks.empty()) line["findings"] = early;
  if (!call.record.empty()) line["recordings"] = recordings_json(recordings);
  say(line.dump());
}

// FILE or FILE@FRAME.
Screenshot parse_screenshot(const std::string& text) {
  Screenshot screenshot{text, 0};
  size_t at = text.rfind('@');
  if (at == text.npos || at + 1 == text.size() || text.find_first_not_of("0123456789", at + 1) != text.npos) return screenshot;
  screenshot.file = text.substr(0, at);
  screenshot.frame = std::strtoull(text.c_str() + at + 1, nullptr, 10);
  if (screenshot.frame == 0) end_with(STATUS_CALL, run_verb, fmt::format("--screenshot {}: frames are counted from 1", text));
  return screenshot;
}

// A desktop, if the program is to have one. Its processes have the GPU as well, and are recorded under another name.
std::unique_ptr<Display> make_display(const RunCall& call, const std::string& program) {
  bool wanted = call.display == "headless" || !call.screenshots.empty() || (call.display == "auto" && wants_windows(program));
  if (!wanted) return nullptr;
  std::vector<Screenshot> screenshots;
  screenshots.reserve(call.screenshots.size());
  for (auto& text : call.screenshots) screenshots.push_back(parse_screenshot(text));
  if (!call.record.empty()) set("ATOLL_RECORD", place_for_recording(run_verb, call.record + ".desktop"));
  auto display = Display::start(1024, 768, std::move(screenshots), call.stats);
  if (!display) end_with(STATUS_ATOLL, run_verb, display.error().message);
  return std::move(*display);
}

// The registers that the program's driver writes; not the desktop's.
std::unique_ptr<LiveUsage> make_usage(const RunCall& call, const std::string& gpu) {
  if (call.registers_used.empty()) return nullptr;
  const registers::Family* family = trace::stream_family(gpu);
  if (!family) end_with(STATUS_CALL, run_verb, fmt::format("--registers-used: streams of {} cannot be read yet", gpu));
  auto usage = LiveUsage::start(call.registers_used, *family, gpu);
  if (!usage) end_with(STATUS_ATOLL, run_verb, fmt::format("--registers-used: {}", usage.error().message));
  set("ATOLL_REGISTERS_USED", (*usage)->folder());
  return std::move(*usage);
}

void run(const RunCall& call) {
  if (command.empty()) end_with(STATUS_CALL, run_verb, "no program named: atoll run [options] APP [ARG…]");
  findings_for(run_verb, call.checks, std::string(environment_text("ATOLL_ENGINE")));
  const gpu::Chip* chip = gpu::find_chip(call.gpu);
  if (!chip) end_with(STATUS_CALL, run_verb, fmt::format("no GPU '{}': choose one of {}", call.gpu, gpu::chip_names()));
  if (!chip->runs())
    end_with(STATUS_CALL, run_verb,
             fmt::format("no driver brings programs to {} yet (it is for: {})", chip->name,
                         chip->launches() && chip->family != gpu::Family::xe_lp ? code_object_launches : chip->planned));
  std::string gpu(chip->name);
  if (!call.shaders.empty()) {
    if (chip->family == gpu::Family::xe_lp)
      end_with(STATUS_CALL, run_verb, fmt::format("--shaders: programs of the {} are not written yet", gpu));
    std::error_code error;
    fs::create_directories(call.shaders, error);
    if (error) end_with(STATUS_ATOLL, run_verb, fmt::format("--shaders {}: {}", call.shaders, error.message()));
  }
  if (call.display == "nested") end_with(STATUS_CALL, run_verb, "--display nested is not there yet: --display headless");
  if (call.display == "none" && !call.screenshots.empty())
    end_with(STATUS_CALL, run_verb, "--screenshot shows windows, which --display none has not");
  std::string program = find_program(command[0]);
  if (auto why = obstacle(program)) end_with(STATUS_CANNOT, run_verb, *why);
  fs::path library = preloaded_library();
  if (auto why = limit(gpu)) end_with(STATUS_ATOLL, run_verb, *why);
  auto file = drm::Session::create_file();
  if (!file) end_with(STATUS_ATOLL, run_verb, file.error().message);
  auto session = drm::Session::open(*file);
  if (!session) end_with(STATUS_ATOLL, run_verb, session.error().message);
  auto kept = keep_session(*file);
  if (!kept) end_with(STATUS_ATOLL, run_verb, kept.error().message);
  set_environment(call, library, gpu, kept->name);
  std::string recording = call.record.empty() ? "" : place_for_recording(run_verb, call.record);
  if (!recording.empty()) drm::replace_older_recordings(**session);
  auto display = make_display(call, program);
  if (!recording.empty()) set("ATOLL_RECORD", recording);
  auto usage = make_usage(call, gpu);
  Running running{kept->name, display.get()};
  int status = start(call, running, program);
  if (display)
    if (auto finished = display->finish(); !finished) {
      complain(run_verb, finished.error().message);
      if (status == 0) status = STATUS_ATOLL;
    }
  auto recordings = drm::settle_recordings(**session);
  std::fflush(stdout);
  if (!recording.empty() && !tell_recordings(run_verb, recording, recordings) && status == 0) status = STATUS_ATOLL;
  if (usage) {
    if (auto written = usage->finish(); !written) {
      complain(run_verb, fmt::format("--registers-used: {}", written.error().message));
      if (status == 0) status = STATUS_ATOLL;
    }
    usage.reset();
  }
  if (const uint64_t processes = (*session)->statistics().shaders_unwritten) {
    complain(run_verb, fmt::format("--shaders {}: programs of {} process{} could not be written: see above", call.shaders,
                                   processes, processes == 1 ? "" : "es"));
    if (status == 0) status = STATUS_ATOLL;
  }
  const auto found = findings_of((*session)->statistics());
  const bool goes_on = !running.none_left && !running.others().empty();
  report(call, gpu, **session, recordings, found, display.get(), goes_on);
  if (tell_findings(run_verb, found) && status == 0) status = STATUS_FAILED;
  if (!goes_on) kept->dismiss();
  end(status);
}

}  // namespace

void add_run(CLI::App& app) {
  auto* sub = app.add_subcommand("run", "runs an unmodified program on an emulated GPU");
  sub->footer("Environment variables:\n" + environment_help());
  auto call = std::make_shared<RunCall>();
  // for help alone: take_program has taken them before
  sub->add_option("APP", call->app, "the program; everything behind it is passed on untouched");
  sub->add_option("ARG", call->arguments, "its arguments");
  sub->add_option("--gpu", call->gpu, "the GPU to emulate; bonaire if it is left out")->type_name("GPU");
  sub->add_option(
         "--display", call->display,
         "the desktop for windows: headless is one of its own, without a screen; auto is headless for programs that use X11 or "
         "Wayland, else none; nested is not there yet")
      ->check(CLI::IsMember({"auto", "nested", "headless", "none"}));
  sub->add_option("--screenshot", call->screenshots,
                  "a PNG of the desktop, at the end or when windows have shown FRAME frames; may be repeated")
      ->type_name("FILE[@FRAME]")
      ->allow_extra_args(false);
  sub->add_option("--record", call->record, "records everything that the GPU is given")->type_name("FILE");
  sub->add_option(
         "--registers-used", call->registers_used,
         "writes which registers the program's driver wrote, renewed every second: a page if FILE ends in .html, JSON if in "
         ".json, else text")
      ->type_name("FILE");
  sub->add_option("--shaders", call->shaders, "writes each shader that the GPU is given into this folder, as words and as text")
      ->type_name("DIR");
  sub->add_option(
         "--mesa", call->mesa,
         "drivers of this Mesa instead of the system's: a version that `atoll mesa` lists, unpacked packages, an install "
         "prefix, or a build folder of meson")
      ->type_name("DIR");
  add_check_option(*sub, call->checks);
  add_timeout_option(*sub, call->timeout,
                     "ends the program and everything it started after this time: SIGTERM, 5 s later SIGKILL; exit status 124");
  sub->add_flag("--stats", call->stats, "prints counters as JSON on standard error when the program has ended");
  sub->add_flag("--strict", call->strict, "anything that is not modelled ends the context instead of being counted");
  sub->callback([call] { run(*call); });
}

void take_program(std::vector<std::string>& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    if (one != "--" && one.starts_with("-")) {
      if (std::find(std::begin(options_with_value), std::end(options_with_value), one) != std::end(options_with_value)) ++i;
      continue;
    }
    command.assign(arguments.begin() + std::ptrdiff_t(one == "--" ? i + 1 : i), arguments.end());
    arguments.resize(i);
    return;
  }
}

}  // namespace Atoll::cli
