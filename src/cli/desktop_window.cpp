#include "cli/desktop_window.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// As one word of a shell command.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// The second weston draws without any GPU, by pixman: its back ends for Wayland and X11 present ordinary shared memory then.
Expected<void> write_script(const fs::path& file, const UserDesktop& user, const std::string& backend, unsigned width,
                            unsigned height) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return fail("/proc/self/exe: {}: the desktop is shown only where there is /proc: run with --display headless",
                error.message());
  std::ofstream out(file);
  out << "unset ATOLL_GPU ATOLL_SESSION ATOLL_RECORD ATOLL_REGISTERS_USED ATOLL_SHADERS LD_PRELOAD\n";
  auto set = [&](const char* name, const std::string& value) {
    if (value.empty())
      out << "unset " << name << "\n";
    else
      out << "export " << name << "=" << quoted(value) << "\n";
  };
  set("XDG_RUNTIME_DIR", user.runtime_folder);
  set("WAYLAND_DISPLAY", user.wayland_display);
  set("DISPLAY", user.x_display);
  set("XAUTHORITY", user.x_authority);
  if (!user.preload.empty()) set("LD_PRELOAD", user.preload);
  out << quoted(self.string()) << " share-screen weston --backend=" << backend
      << " --use-pixman --shell=fullscreen-shell.so --no-config --idle-time=0 --width=" << width << " --height=" << height
      << "\n: 2>/dev/null >" << quoted((file.parent_path() / closed_mark).string()) << "\n";
  if (!out.flush()) return fail("{}: {}", file.string(), std::strerror(errno));
  return {};
}

// The first port for displays that nobody listens on (RFC 6143: 5900 and up).
Expected<uint16_t> free_port() {
  constexpr uint16_t first = 5900, last = 5999;
  for (uint16_t port = first; port <= last; ++port) {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return fail("socket: {}", std::strerror(errno));
    const int one = 1;
    ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool is_free = ::bind(probe, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
    ::close(probe);
    if (is_free) return port;
  }
  return fail("all ports from {} to {} are in use: end another --display vnc", first, last);
}

void kill_server(pid_t& server) {
  if (server > 0) {
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);
  }
  server = -1;
}

// An X server that VNC viewers of this machine see. (`-displayfd`: it says which display it has once it is ready.)
Expected<std::string> start_vnc_server(uint16_t port, unsigned width, unsigned height, int output, pid_t& server) {
  int pipe[2];
  if (::pipe(pipe) != 0) return fail("pipe: {}", std::strerror(errno));
  const std::string number = fmt::format("{}", pipe[1]), port_text = fmt::format("{}", port),
                    size = fmt::format("{}x{}", width, height);
  const std::array<const char*, 17> words = {
      "Xvnc",      "-displayfd", number.c_str(), "-rfbport", port_text.c_str(), "-localhost", "-SecurityTypes", "None",
      "-geometry", size.c_str(), "-depth",       "24",       "-nolisten",       "tcp",        "-desktop",       "atoll run",
      nullptr};
  server = ::fork();
  if (server == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::setpgid(0, 0);  // the terminal's interrupt is the program's
    ::close(pipe[0]);
    for (const char* name : {"LD_PRELOAD", "ATOLL_GPU", "ATOLL_SESSION"}) ::unsetenv(name);
    if (int null = ::open("/dev/null", O_RDONLY); null >= 0) ::dup2(null, 0);
    ::dup2(output, 1);
    ::dup2(output, 2);
    ::execvp(words[0], const_cast<char* const*>(words.data()));
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string display;
  pollfd one{pipe[0], POLLIN, 0};
  constexpr int patience = 30'000;  // milliseconds
  char byte;
  while (server > 0 && ::poll(&one, 1, patience) > 0 && ::read(pipe[0], &byte, 1) == 1 && byte != '\n') display += byte;
  ::close(pipe[0]);
  if (!display.empty()) return ":" + display;
  kill_server(server);
  return fail("Xvnc does not start on port {0}: `Xvnc :99 -rfbport {0}` says why; or run with --display headless", port);
}

}  // namespace

UserDesktop UserDesktop::now() {
  return {variable("WAYLAND_DISPLAY"), variable("DISPLAY"), variable("XAUTHORITY"), variable("XDG_RUNTIME_DIR"),
          variable("LD_PRELOAD")};
}

bool in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  for (;;) {
    size_t colon = rest.find(':');
    if (::access((fs::path(rest.substr(0, colon)) / name).c_str(), X_OK) == 0) return true;
    if (colon == rest.npos) return false;
    rest.remove_prefix(colon + 1);
  }
}

Expected<ShownDesktop> show_desktop(Shown shown, const UserDesktop& user, unsigned width, unsigned height, const fs::path& folder,
                                    int output) {
  ShownDesktop made;
  if (shown == Shown::nowhere) return made;
  UserDesktop where = user;
  std::string backend;
  if (shown == Shown::vnc) {
    if (!in_path("Xvnc"))
      return fail(
          "Xvnc is missing, which shows the desktop to VNC viewers (weston has a VNC back end of its own from version 12 on "
          "only): install "
          "the package tigervnc-standalone-server, or run with --display nested or headless");
    auto port = free_port();
    if (!port) return std::unexpected(port.error());
    auto display = start_vnc_server(*port, width, height, output, made.server);
    if (!display) return std::unexpected(display.error());
    where.x_display = *display;
    where.x_authority.clear();
    backend = "x11-backend.so";
    made.place = fmt::format("vnc://127.0.0.1:{}", *port);
  } else if (!user.wayland_display.empty()) {
    backend = "wayland-backend.so";
    made.place = fmt::format("a window of the Wayland desktop {}", user.wayland_display);
  } else if (!user.x_display.empty()) {
    backend = "x11-backend.so";
    made.place = fmt::format("a window of the X server {}", user.x_display);
  } else {
    return fail(
        "there is no desktop to show a window on (neither WAYLAND_DISPLAY nor DISPLAY is set): run with --display headless, or "
        "--display vnc");
  }
  if (where.runtime_folder.empty()) where.runtime_folder = folder.string();  // weston does not go without one
  const fs::path script = folder / "show";
  if (auto written = write_script(script, where, backend, width, height); !written) {
    kill_server(made.server);
    return std::unexpected(written.error());
  }
  made.module_settings = fmt::format("[screen-share]\ncommand=sh {}\nstart-on-startup=true\n", script.string());
  return made;
}

}  // namespace Atoll::cli
