// proc(5).
#include "cli/session_processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <string_view>

#include "drm/session/session_file.h"

namespace Atoll::cli {
namespace {

std::string contents(const std::string& path) {
  std::string text;
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 4096> bytes;
  for (ssize_t got; (got = ::read(file, bytes.data(), bytes.size())) > 0;) text.append(bytes.data(), size_t(got));
  ::close(file);
  return text;
}

template <class Each>
void each_number(const std::string& folder, Each each) {
  DIR* open = ::opendir(folder.c_str());
  if (!open) return;
  while (dirent* entry = ::readdir(open)) {
    int number = 0;
    std::string_view name = entry->d_name;
    if (std::from_chars(name.begin(), name.end(), number).ptr == name.end()) each(number);
  }
  ::closedir(open);
}

// Field 4 of stat, behind the name, which may hold anything.
pid_t parent_of(const std::string& process) {
  std::string stat = contents(process + "/stat");
  size_t end = stat.rfind(')');
  pid_t parent = 0;
  if (end != stat.npos && end + 4 < stat.size()) std::from_chars(stat.data() + end + 4, stat.data() + stat.size(), parent);
  return parent;
}

bool has_gpu(const std::string& process) {
  bool found = false;
  each_number(process + "/fd", [&](int number) {
    std::array<char, 64> target{};
    std::string link = fmt::format("{}/fd/{}", process, number);
    found |= ::readlink(link.c_str(), target.data(), target.size() - 1) > 0 &&
             std::string_view(target.data()).starts_with("/memfd:atoll-gpu");
  });
  return found;
}

}  // namespace

std::vector<SessionProcess> session_processes(const std::string& session, pid_t except) {
  const std::string wanted = fmt::format("{}={}", drm::session_variable, session) + '\0';
  std::vector<SessionProcess> found;
  std::map<pid_t, pid_t> parents;
  each_number("/proc", [&](int id) {
    std::string process = fmt::format("/proc/{}", id);
    if (except) parents[id] = parent_of(process);
    if (id == ::getpid()) return;
    std::string environment = contents(process + "/environ");
    size_t at = environment.find(wanted);
    if (at == environment.npos || (at && environment[at - 1] != '\0')) return;
    std::string name = contents(process + "/comm");
    if (name.ends_with('\n')) name.pop_back();
    found.push_back({id, name, has_gpu(process)});
  });
  std::erase_if(found, [&](const SessionProcess& one) {
    pid_t above = one.id;
    for (int steps = 0; except && above > 1 && above != except && steps < 64; ++steps) above = parents[above];
    return except && above == except;
  });
  return found;
}

std::string names_of(const std::vector<SessionProcess>& processes) {
  constexpr size_t most = 3;
  std::string text;
  for (size_t i = 0; i < std::min(most, processes.size()); ++i)
    text += fmt::format("{}{} ({})", i ? ", " : "", processes[i].name, processes[i].id);
  if (processes.size() > most) text += fmt::format(", {} more", processes.size() - most);
  return text;
}

void SessionKeeper::dismiss() const {
  const char byte = 0;
  (void)!::write(pipe, &byte, 1);
}

Expected<SessionKeeper> keep_session(int descriptor) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return fail("pipe: {}", std::strerror(errno));
  // the copy in the child has the same number
  constexpr int first_number = 700;
  int file = ::fcntl(descriptor, F_DUPFD_CLOEXEC, first_number);
  if (file < 0) file = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (file < 0) return fail("no descriptor for the session: {}", std::strerror(errno));
  pid_t keeper = ::fork();
  if (keeper < 0) return fail("fork: {}", std::strerror(errno));
  if (keeper != 0) {
    ::close(file);
    ::close(pipe[0]);  // the other end closes when this process ends, however it does
    return SessionKeeper{fmt::format("/proc/{}/fd/{}", keeper, file), pipe[1]};
  }
  // away from the terminal and from pipes that somebody reads to their end
  ::setsid();
  for (int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  ::prctl(PR_SET_NAME, "atoll-session");
  if (int null = ::open("/dev/null", O_RDWR); null >= 0)
    for (int standard : {0, 1, 2}) ::dup2(null, standard);
  std::array<unsigned, 2> kept = {unsigned(std::min(file, pipe[0])), unsigned(std::max(file, pipe[0]))};
  if (kept[0] > 3) ::syscall(SYS_close_range, 3u, kept[0] - 1, 0u);
  if (kept[1] > kept[0] + 1) ::syscall(SYS_close_range, kept[0] + 1, kept[1] - 1, 0u);
  ::syscall(SYS_close_range, kept[1] + 1, ~0u, 0u);
  char byte;
  ssize_t got;
  while ((got = ::read(pipe[0], &byte, 1)) < 0 && errno == EINTR) {
  }
  if (got == 1) ::_exit(0);  // dismissed
  const std::string name = fmt::format("/proc/{}/fd/{}", ::getpid(), file);
  while (!session_processes(name, 0).empty()) ::usleep(500'000);
  ::_exit(0);
}

}  // namespace Atoll::cli
