#include "cli/display.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/files.h"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto max_start_time = 60s;
constexpr auto picture_interval = 500ms;

// A child that ends with us; its output goes to `output`.
pid_t spawn(const std::vector<std::string>& command, int output, const char* folder = nullptr) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (auto& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpgid(0, 0);  // the terminal's interrupt is the program's
  int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(output, 1);
  ::dup2(output, 2);
  if (folder && ::chdir(folder) != 0) ::_exit(127);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

bool wait_for_end(pid_t child, std::chrono::milliseconds time) {
  for (auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end; ::usleep(5000))
    if (::waitpid(child, nullptr, WNOHANG) != 0) return true;
  return false;
}

constexpr const char* settings = R"([core]
idle-time=0
xwayland=true
{}[shell]
panel-position=none
locking=false
startup-animation=none
animation=none
close-animation=none
focus-animation=none
background-color=0xff202020
{})";

}  // namespace

Expected<std::unique_ptr<Display>> Display::start(Request request) {
  for (auto [tool, package] : {std::pair("weston", "weston"), {"Xwayland", "xwayland"}})
    if (!in_path(tool)) return fail("{} is missing: install the package {}, or run with --display none", tool, package);
  std::unique_ptr<Display> display(new Display);
  display->screenshots_ = std::move(request.screenshots);
  std::string pattern = (fs::temp_directory_path() / "atoll-run-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return fail("{}: {}", pattern, std::strerror(errno));
  display->folder_ = pattern;
  // where X servers put their sockets; weston gives up without it
  ::mkdir("/tmp/.X11-unix", 01777);
  ::chmod("/tmp/.X11-unix", 01777);

  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return fail("pipe: {}", std::strerror(errno));
  display->log_ = pipe[0];
  auto shown = show_desktop(request.shown, request.user, request.width, request.height, display->folder_, pipe[1]);
  if (!shown) {
    ::close(pipe[1]);
    return std::unexpected(shown.error());
  }
  display->shown_ = *shown;
  const bool shares = !shown->module_settings.empty();
  std::ofstream(display->folder_ / "weston.ini")
      << fmt::format(settings, shares ? "modules=screen-share.so\n" : "", shown->module_settings);
  ::setenv("XDG_RUNTIME_DIR", display->folder_.c_str(), 1);
  for (const char* name : {"WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY", "XAUTHORITY"}) ::unsetenv(name);
  std::vector<std::string> command = {"weston",
                                      "--backend=headless-backend.so",
                                      "--use-gl",
                                      "--config=" + (display->folder_ / "weston.ini").string(),
                                      "--socket=atoll",
                                      fmt::format("--width={}", request.width),
                                      fmt::format("--height={}", request.height)};
  auto& pictures = display->screenshots_;
  if (!pictures.empty()) command.push_back("--debug");  // lets a client take pictures
  if (request.count_frames || std::any_of(pictures.begin(), pictures.end(), [](auto& one) { return one.frame != 0; }))
    command.push_back("--logger-scopes=log,proto");
  display->weston_ = spawn(command, pipe[1]);
  ::close(pipe[1]);
  if (display->weston_ < 0) return fail("fork: {}", std::strerror(errno));
  display->watcher_ = std::thread([&d = *display] { d.watch(); });

  auto end = std::chrono::steady_clock::now() + max_start_time;
  for (;; ::usleep(10000)) {
    std::lock_guard lock(display->mutex_);
    if (display->ready_) break;
    bool died = ::waitpid(display->weston_, nullptr, WNOHANG) != 0;
    if (died) display->weston_ = -1;
    if (died || std::chrono::steady_clock::now() > end)
      return fail("weston does not start ({})", display->last_words_.empty() ? "without a word" : display->last_words_);
  }
  ::setenv("WAYLAND_DISPLAY", "atoll", 1);
  ::setenv("DISPLAY", display->x_display_.c_str(), 1);
  return display;
}

// Reads what weston says until it is gone, and takes the pictures.
void Display::watch() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  auto next_picture = std::chrono::steady_clock::now() + picture_interval;
  for (;;) {
    pollfd one{log_, POLLIN, 0};
    ::poll(&one, 1, 50);
    std::array<char, 65536> bytes;
    ssize_t got = one.revents ? ::read(log_, bytes.data(), bytes.size()) : -1;
    if (got == 0) return;
    if (got > 0) read_log({bytes.data(), size_t(got)});
    // busy before frozen is looked at: freeze() writes first and waits then
    busy_ = true;
    if (ends_ || frozen_ || !ready_) {
      busy_ = false;
      continue;
    }
    const bool was_pending = pending_pictures_;
    bool all = true;
    for (auto& one : screenshots_) {
      auto now = std::chrono::steady_clock::now();
      if (one.frame ? one.taken || frames_ < one.frame : now < next_picture && !was_pending) continue;
      const bool taken = take_picture(one.file);
      one.taken |= taken;
      all &= taken;
      if (!one.frame) next_picture = now + picture_interval;
    }
    if (was_pending && all) pending_pictures_ = false;
    busy_ = false;
  }
}

void Display::read_log(std::string_view more) {
  unread_ += more;
  for (size_t newline; (newline = unread_.find('\n')) != unread_.npos; unread_.erase(0, newline + 1)) {
    std::string line = unread_.substr(0, newline);
    // a new picture in a window: a buffer that is attached (the pointer's too, but that moves nowhere here)
    if (line.find("wl_surface@") != line.npos && line.find(".commit(") != line.npos) {
      frames_++;
      continue;
    }
    std::lock_guard lock(mutex_);
    if (size_t at = line.find("listening on display "); at != line.npos) {
      x_display_ = line.substr(at + 21);
      ready_ = true;
    }
    if (line.find("] client ") == line.npos && !line.empty()) last_words_ = line;
  }
}

// False if weston's client had to be ended. The log must be read meanwhile, or weston stops.
bool Display::wait_for_picture(pid_t child) {
  auto end = std::chrono::steady_clock::now() + 20s;
  while (::waitpid(child, nullptr, WNOHANG) == 0) {
    if (ends_ || std::chrono::steady_clock::now() > end) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      return false;
    }
    pollfd one{log_, POLLIN, 0};
    std::array<char, 65536> bytes;
    if (::poll(&one, 1, 10) <= 0) continue;
    ssize_t got = ::read(log_, bytes.data(), bytes.size());
    if (got > 0)
      read_log({bytes.data(), size_t(got)});
    else
      ::usleep(10'000);  // weston has ended: nothing to read, and its client ends soon
  }
  return true;
}

// Has weston's own client write what is on the screen.
bool Display::take_picture(const std::string& file) {
  fs::path folder = folder_ / "picture";
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directory(folder, error);
  int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  pid_t child = spawn({"weston-screenshooter"}, null, folder.c_str());
  ::close(null);
  if (child < 0) return false;
  photographer_ = child;
  const bool ended = wait_for_picture(child);
  photographer_ = 0;
  if (!ended) return false;
  for (auto& entry : fs::directory_iterator(folder, error)) {
    auto bytes = read_file(entry.path().string());
    if (!bytes) continue;
    if (auto written = write_file(file, *bytes); !written) {
      picture_error_ = written.error().message;
      return false;
    }
    return true;
  }
  return false;
}

void Display::catch_up() {
  pending_pictures_ = true;
  for (auto end = std::chrono::steady_clock::now() + 20s; pending_pictures_ && std::chrono::steady_clock::now() < end;)
    ::usleep(5000);
}

bool Display::closed() const {
  std::error_code error;
  return !shown_.place.empty() && fs::exists(folder_ / closed_mark, error);
}

void Display::freeze() {
  frozen_ = true;
  for (auto end = std::chrono::steady_clock::now() + 5s; busy_ && std::chrono::steady_clock::now() < end;) ::usleep(5000);
}

Expected<void> Display::finish() {
  ends_ = true;
  stop();
  if (!picture_error_.empty()) return fail("{}", picture_error_);
  for (auto& one : screenshots_) {
    if (one.taken) continue;
    if (one.frame && frames_ >= one.frame)
      return fail(
          "no screenshot {}: the program ended while its frame {} was on the screen: ask for an earlier one, or let it run "
          "longer",
          one.file, one.frame);
    if (one.frame)
      return fail("no screenshot {}: the program showed {} frames only, {} was asked for", one.file, frames_.load(), one.frame);
    return fail("no screenshot {}: the program ended before one could be taken", one.file);
  }
  return {};
}

void Display::stop() {
  if (weston_ > 0) {
    ::kill(weston_, SIGTERM);
    if (!wait_for_end(weston_, 5s)) {
      ::kill(weston_, SIGKILL);
      ::waitpid(weston_, nullptr, 0);
    }
    weston_ = -1;
  }
  if (shown_.server > 0) {
    ::kill(shown_.server, SIGTERM);
    if (!wait_for_end(shown_.server, 5s)) {
      ::kill(shown_.server, SIGKILL);
      ::waitpid(shown_.server, nullptr, 0);
    }
    shown_.server = -1;
  }
  if (watcher_.joinable()) watcher_.join();
  if (log_ >= 0) ::close(log_);
  log_ = -1;
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
  folder_.clear();
}

Display::~Display() {
  ends_ = true;
  stop();
}

std::string library_for_windows(const std::string& program) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return {};
  pid_t child = ::fork();
  if (child == 0) {
    // the dynamic linker lists the libraries and ends (ld.so(8))
    ::setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
    ::unsetenv("LD_PRELOAD");
    ::dup2(pipe[1], 1);
    ::dup2(pipe[1], 2);
    ::execl(program.c_str(), program.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 4096> bytes;
  for (ssize_t got; (got = ::read(pipe[0], bytes.data(), bytes.size())) > 0;) text.append(bytes.data(), size_t(got));
  ::close(pipe[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  constexpr std::array libraries = {"libX11.so", "libxcb.so", "libwayland-client.so", "libSDL", "libglfw", "libgtk", "libQt"};
  for (const char* name : libraries)
    if (size_t at = text.find(name); at != text.npos) return text.substr(at, text.find_first_of(" \n", at) - at);
  return {};
}

}  // namespace Atoll::cli
