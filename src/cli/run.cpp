// atoll run: an unmodified program on an emulated GPU. It names a session's memory to the program's processes and puts the
// library libatoll_drm.so before them; their own Mesa does the rest. The program's input, output and status pass through.
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
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include "base/environment.h"
#include "cli/checks.h"
#include "cli/display.h"
#include "cli/installation.h"
#include "cli/live_usage.h"
#include "cli/mesa_folder.h"
#include "cli/program_file.h"
#include "cli/recordings.h"
#include "cli/run_report.h"
#include "cli/screenshot_option.h"
#include "cli/session_processes.h"
#include "cli/software_drivers.h"
#include "cli/time_option.h"
#include "cli/verbs.h"
#include "drm/session/device_tree.h"
#include "drm/session/session.h"
#include "gpu/chips/chip.h"
#include "gpu/chips/family_programs.h"
#include "trace/submitted_streams.h"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* run_verb = "run";
// The verb's own statuses, as timeout(1) and env(1) use them.
constexpr int STATUS_TIME = 124, STATUS_CANNOT = 126, STATUS_NOT_FOUND = 127;

struct RunCall {
  std::string gpu = "bonaire", display = "auto", size = "1024x768", record, shaders, registers_used, mesa, checks, app;
  UserDesktop user;
  std::vector<std::string> screenshots, arguments;
  double timeout = 0;   // seconds; 0: none
  uint64_t frames = 0;  // after which it is ended; 0: it ends by itself
  bool stats = false, strict = false, beside = false;
};

// The program and its arguments.
std::vector<std::string> command;

constexpr std::string_view options_with_value[] = {"--gpu",        "--display", "--record",  "--registers-used",
                                                   "--screenshot", "--shaders", "--timeout", "--mesa",
                                                   "--check",      "--frames",  "--size"};

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

// The GPUs of --gpu, which others may follow behind commas.
std::vector<const gpu::Chip*> find_chips(const RunCall& call) {
  std::vector<const gpu::Chip*> chips;
  for (std::string_view rest = call.gpu;; rest.remove_prefix(rest.find(',') + 1)) {
    const std::string_view name = rest.substr(0, rest.find(','));
    const gpu::Chip* chip = gpu::find_chip(name);
    if (!chip) end_with(STATUS_CALL, run_verb, fmt::format("no GPU '{}': choose one of {}", name, gpu::chip_names()));
    if (!chip->runs())
      end_with(STATUS_CALL, run_verb,
               fmt::format("no driver brings programs to {} yet (it is for: {})", chip->name,
                           gpu::programs_of(*chip).container == gpu::Container::hsa ? code_object_launches : chip->planned));
    chips.push_back(chip);
    if (rest.find(',') == rest.npos) break;
  }
  if (chips.size() > drm::max_devices)
    end_with(STATUS_CALL, run_verb, fmt::format("--gpu {}: a session has {} GPUs at most", call.gpu, drm::max_devices));
  if (chips.size() > 1 && !(call.record.empty() && call.registers_used.empty()))
    end_with(STATUS_CALL, run_verb, fmt::format("--gpu {}: --record and --registers-used take one GPU at a time", call.gpu));
  return chips;
}

std::string names_of(const std::vector<const gpu::Chip*>& chips) {
  std::string names;
  for (auto* chip : chips) names += (names.empty() ? "" : ",") + std::string(chip->name);
  return names;
}

// The device files of several GPUs, for as long as the session needs them.
class DeviceFiles {
public:
  explicit DeviceFiles(const std::vector<const gpu::Chip*>& chips) {
    std::string pattern = (fs::temp_directory_path() / "atoll-devices-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) end_with(STATUS_ATOLL, run_verb, fmt::format("{}: {}", pattern, std::strerror(errno)));
    folder_ = pattern;
    ::chmod(pattern.c_str(), 0755);  // also for programs of another user
    auto written = drm::write_device_tree(tree(), chips);
    if (written) return;
    remove();
    end_with(STATUS_ATOLL, run_verb, written.error().message);
  }
  ~DeviceFiles() { remove(); }
  DeviceFiles(const DeviceFiles&) = delete;
  DeviceFiles& operator=(const DeviceFiles&) = delete;
  std::string tree() const { return (folder_ / "tree").string(); }
  void leave() { folder_.clear(); }

private:
  void remove() {
    std::error_code error;
    if (!folder_.empty()) fs::remove_all(folder_, error);
  }
  fs::path folder_;
};

// Some GPUs are newer than the distributions' Mesa: one that `atoll mesa --fetch` left drives them then. Programs may bring drivers of
// their own, so that nothing ends where there is none.
void use_newer_mesa(const std::vector<const gpu::Chip*>& chips, bool opencl) {
  unsigned least = 0;
  std::string names;
  for (auto* chip : chips) {
    const unsigned of_this = gpu::programs_of(*chip).mesa;
    least = std::max(least, of_this);
    if (of_this) names += (names.empty() ? "" : ", ") + std::string(chip->name);
  }
  if (least == 0 || mesa_of_environment()) return;
  const std::string own = mesa_version(system_mesa());
  if (mesa_is(own, least)) return;
  const std::string why = own.empty() ? "the system has no Mesa" : fmt::format("the system's Mesa is {}", own);
  if (auto mesa = newest_fetched_mesa(least)) {
    complain(run_verb, fmt::format("{}: by Mesa {} of {} ({})", names, mesa->version, mesa->folder.string(), why));
    return use_mesa(*mesa, opencl);
  }
  complain(run_verb,
           fmt::format("{}: driven by Mesa {} and later, {}: `atoll mesa --fetch` gets a newer one, --mesa DIR takes yours",
                       names, least, why));
}

void set_environment(const RunCall& call, const fs::path& library, const std::vector<const gpu::Chip*>& chips,
                     const std::string& session) {
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
  set("ATOLL_GPU", names_of(chips));
  set(drm::session_variable, session);
  const bool intel =
      std::any_of(chips.begin(), chips.end(), [](auto* chip) { return chip->uapis.contains("i915"); });  // which has NEO
  if (!call.mesa.empty()) {
    auto folder = find_mesa(call.mesa);
    auto mesa = folder ? look_at_mesa(*folder) : std::unexpected(folder.error());
    if (!mesa) end_with(STATUS_CALL, run_verb, fmt::format("--mesa {}", mesa.error().message));
    use_mesa(*mesa, !intel);
  } else {
    use_newer_mesa(chips, !intel);
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

enum class Wait : uint8_t { ended, out_of_time, frames_shown, window_closed };

// Waits until the program has ended, or until the time, or until the windows on the desktop have shown so many frames (0: never).
Wait wait_until(Clock::time_point end, int& status, const Display* display = nullptr, uint64_t frames = 0) {
  int handle = int(::syscall(SYS_pidfd_open, child, 0));
  for (;;) {
    pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    const bool shown = frames && display->frames() >= frames, closed = display && display->closed();
    auto left = end == Clock::time_point::max() ? 1h : end - Clock::now();
    if (shown || closed || left <= 0s) {
      ::close(handle);
      return shown ? Wait::frames_shown : closed ? Wait::window_closed : Wait::out_of_time;
    }
    if (frames) left = std::min<decltype(left)>(left, 10ms);
    if (display && !display->place().empty()) left = std::min<decltype(left)>(left, 100ms);
    int milliseconds = int(std::min<int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1, 3'600'000));
    pollfd one{handle, POLLIN, 0};
    // (pidfd_open came with Linux 5.3)
    ::poll(&one, handle >= 0 ? 1 : 0, handle >= 0 ? milliseconds : std::min(milliseconds, 20));
  }
  ::close(handle);
  child = 0;
  return Wait::ended;
}

// SIGTERM to everything, SIGKILL to what is still there 5 s later.
void end_all(const Running& running) {
  constexpr auto patience = 5s;
  if (running.display) running.display->freeze();  // a program that is told to end closes its windows first
  send(running, SIGTERM);
  auto end = Clock::now() + patience;
  int status = 0;
  bool killed = child > 0 && wait_until(end, status) != Wait::ended;
  while (!killed && !running.others().empty()) {
    killed = Clock::now() >= end;
    ::usleep(20'000);
  }
  if (killed) {
    send(running, SIGKILL);
    if (child > 0) wait_until(Clock::time_point::max(), status);
  }
}

int end_by_time(const RunCall& call, const Running& running, const std::string& what) {
  complain(run_verb, fmt::format("{} after the {:g} s of --timeout: ended", what, call.timeout));
  end_all(running);
  return STATUS_TIME;
}

int end_by_frames(const RunCall& call, const Running& running) {
  running.display->catch_up();
  complain(run_verb, fmt::format("{} has shown the {} frames of --frames: ended", command[0], call.frames));
  end_all(running);
  return STATUS_DONE;
}

int end_by_window(const Running& running) {
  complain(run_verb, fmt::format("the window that showed the desktop was closed: {} is ended", command[0]));
  end_all(running);
  return STATUS_DONE;
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
  switch (wait_until(running.deadline, status, running.display, call.frames)) {
    case Wait::out_of_time: return end_by_time(call, running, fmt::format("{} still runs", command[0]));
    case Wait::frames_shown: return end_by_frames(call, running);
    case Wait::window_closed: return end_by_window(running);
    case Wait::ended: break;
  }
  if (call.frames)
    complain(run_verb, fmt::format("{} ended when {} of the {} frames of --frames were shown", command[0],
                                   running.display->frames(), call.frames));
  return wait_for_rest(call, running, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

// 126 and 127 as execvp's errors have them.
int start(const RunCall& call, Running& running, const std::string& program, int session_file) {
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
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  rlimit most{};
  if (::getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur > rlim_t(drm::inherited_session))
    ::posix_spawn_file_actions_adddup2(&actions, session_file, drm::inherited_session);
  const int why = ::posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (why) {
    child = 0;
    end_with(why == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT, run_verb, fmt::format("{}: {}", program, std::strerror(why)));
  }
  if (call.timeout > 0)
    running.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(call.timeout));
  return wait_for_program(call, running);
}

// "1024x768"; nothing if it is no size that a desktop can have.
std::optional<std::pair<unsigned, unsigned>> parse_size(const std::string& text) {
  constexpr unsigned least = 64, most = 8192;
  unsigned size[2]{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i : {0, 1}) {
    auto [next, error] = std::from_chars(at, end, size[i]);
    if (error != std::errc() || size[i] < least || size[i] > most || (i == 0 && (next == end || *next != 'x'))) return {};
    at = next + (i == 0);
  }
  return at == end ? std::optional(std::pair(size[0], size[1])) : std::nullopt;
}
std::string check_size(const std::string& text) {
  return parse_size(text) ? "" : fmt::format("'{}' is no size from 64x64 to 8192x8192, such as 1280x720", text);
}

// A desktop, if the program is to have one. Its processes have the GPU as well, and are recorded under another name.
std::unique_ptr<Display> make_display(const RunCall& call, std::vector<Screenshot> screenshots, const std::string& program) {
  const std::string library = call.display == "auto" ? library_for_windows(program) : "";
  const bool shown = call.display == "nested" || call.display == "vnc";
  const bool wanted = call.display == "headless" || shown || !screenshots.empty() || call.frames != 0 || !library.empty();
  if (!wanted) return nullptr;
  if (!call.record.empty()) set("ATOLL_RECORD", place_for_recording(run_verb, call.record + ".desktop"));
  Display::Request request{.shown = call.display == "nested" ? Shown::nested
                                    : call.display == "vnc"  ? Shown::vnc
                                                             : Shown::nowhere,
                           .user = call.user,
                           .screenshots = std::move(screenshots),
                           .count_frames = call.stats || call.frames != 0 || shown};
  if (const auto size = parse_size(call.size)) std::tie(request.width, request.height) = *size;  // (check_size has let it in)
  auto display = Display::start(std::move(request));
  if (!display) end_with(STATUS_ATOLL, run_verb, display.error().message);
  if (shown) complain(run_verb, fmt::format("the desktop is shown in {}", (*display)->place()));
  if (!library.empty())
    complain(run_verb,
             fmt::format("{} uses {}: it has a desktop of its own, which is shown nowhere (--display nested or vnc shows it)",
                         fs::path(program).filename().string(), library));
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

void run(RunCall& call) {
  if (command.empty()) end_with(STATUS_CALL, run_verb, "no program named: atoll run [options] APP [ARG…]");
  findings_for(run_verb, call.checks, std::string(environment_text("ATOLL_ENGINE")));
  const std::vector<const gpu::Chip*> chips = find_chips(call);
  const std::string gpu = names_of(chips);
  if (!call.shaders.empty()) {
    if (std::any_of(chips.begin(), chips.end(), [](auto* chip) { return !gpu::programs_of(*chip).written; }))
      end_with(STATUS_CALL, run_verb, fmt::format("--shaders: programs of the {} are not written yet", gpu));
    std::error_code error;
    fs::create_directories(call.shaders, error);
    if (error) end_with(STATUS_ATOLL, run_verb, fmt::format("--shaders {}: {}", call.shaders, error.message()));
  }
  if (call.display == "none" && !call.screenshots.empty())
    end_with(STATUS_CALL, run_verb, "--screenshot shows windows, which --display none has not");
  if (call.display == "none" && call.frames)
    end_with(STATUS_CALL, run_verb, "--frames counts what windows show, which --display none has not");
  auto screenshots = parse_screenshots(call.screenshots, call.frames);
  if (!screenshots) end_with(STATUS_CALL, run_verb, screenshots.error().message);
  const auto [program, problem, exists] = find_program(command[0]);
  if (program.empty()) end_with(exists ? STATUS_CANNOT : STATUS_NOT_FOUND, run_verb, fmt::format("{}: {}", command[0], problem));
  if (auto why = obstacle(program)) end_with(STATUS_CANNOT, run_verb, *why);
  fs::path library = preloaded_library();
  if (auto why = limit(gpu)) end_with(STATUS_ATOLL, run_verb, *why);
  auto file = drm::Session::create_file();
  if (!file) end_with(STATUS_ATOLL, run_verb, file.error().message);
  auto session = drm::Session::open(*file);
  if (!session) end_with(STATUS_ATOLL, run_verb, session.error().message);
  auto kept = keep_session(*file);
  if (!kept) end_with(STATUS_ATOLL, run_verb, kept.error().message);
  const auto chosen = HiddenSoftware::chosen_by_user();
  call.user = UserDesktop::now();
  set_environment(call, library, chips, kept->name);
  ::unsetenv(drm::devices_variable);
  std::optional<DeviceFiles> devices;
  if (chips.size() > 1) set(drm::devices_variable, devices.emplace(chips).tree());
  std::optional<HiddenSoftware> hidden;
  if (!call.beside) hidden.emplace(chosen);
  std::string recording = call.record.empty() ? "" : place_for_recording(run_verb, call.record);
  if (!recording.empty()) drm::replace_older_recordings(**session);
  auto display = make_display(call, std::move(*screenshots), program);
  if (!recording.empty()) set("ATOLL_RECORD", recording);
  auto usage = make_usage(call, gpu);
  Running running{kept->name, display.get()};
  const auto begin = Clock::now();
  int status = start(call, running, program, *file);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (display && !display->place().empty())
    complain(run_verb, fmt::format("{} frames shown, {:.1f} a second", display->frames(), double(display->frames()) / seconds));
  if (display)
    if (auto finished = display->finish(); !finished) {
      complain(run_verb, finished.error().message);
      if (status == 0) status = STATUS_ATOLL;
    }
  auto recordings = drm::finish_recordings(**session);
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
  report({.verb = run_verb,
          .gpu = gpu,
          .session = **session,
          .found = found,
          .status = status,
          .goes_on = goes_on,
          .checked = !call.checks.empty(),
          .stats = call.stats,
          .without_desktop = call.display == "auto" && !display,
          .frames = display ? std::optional(display->frames()) : std::nullopt,
          .seconds = seconds,
          .recordings = call.record.empty() ? nullptr : &recordings});
  if (tell_findings(run_verb, found) && status == 0) status = STATUS_FAILED;
  if (!goes_on) kept->dismiss();
  if (goes_on && hidden) hidden->leave();
  if (goes_on && devices) devices->leave();
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
  sub->add_option("--gpu", call->gpu,
                  "the GPU to emulate; bonaire if it is left out; several with commas between them are devices of one session")
      ->type_name("GPU[,GPU...]");
  sub->add_option(
         "--display", call->display,
         "the desktop for windows: headless is one of its own, without a screen; nested shows it in a window of yours, vnc to "
         "VNC viewers "
         "of this machine, both with pointer and keyboard; auto is headless for programs that use X11 or Wayland, else none")
      ->check(CLI::IsMember({"auto", "nested", "vnc", "headless", "none"}));
  sub->add_option("--size", call->size, "the desktop's size in pixels, 1024x768 if it is left out")
      ->check(check_size)
      ->type_name("WIDTHxHEIGHT");
  sub->add_option("--screenshot", call->screenshots,
                  "a PNG of the desktop, at the end or when windows have shown FRAME frames; may be repeated")
      ->type_name("FILE[@FRAME]")
      ->allow_extra_args(false);
  sub->add_option("--frames", call->frames,
                  "ends the program, and everything it started, when windows have shown so many frames; exit status 0")
      ->check(CLI::Range(uint64_t(1), uint64_t(1) << 32))
      ->type_name("N");
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
         fmt::format(
             "drivers of this Mesa instead of the system's: a version that `atoll mesa` lists, unpacked packages, an install "
             "prefix, or a build folder of meson; without it, the newest that was fetched drives GPUs that the system's is "
             "too old for ({})",
             gpu::chip_names([](const gpu::Chip& chip) { return gpu::programs_of(chip).mesa != 0; })))
      ->type_name("DIR");
  add_check_option(*sub, call->checks);
  add_timeout_option(*sub, call->timeout,
                     "ends the program and everything it started after this time: SIGTERM, 5 s later SIGKILL; exit status 124");
  sub->add_flag(
      "--beside", call->beside,
      "the program finds drivers in software as well (lavapipe, PoCL), which are hidden from Vulkan's and OpenCL's loaders else");
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
