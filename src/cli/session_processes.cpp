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
#include <set>
#include <string_view>

#include "drm/session/session_file.h"

namespace Atoll::cli {
namespace {

std::string rest_of(int file) {
  std::string text;
  std::array<char, 4096> bytes;
  for (ssize_t got; (got = ::read(file, bytes.data(), bytes.size())) > 0;) text.append(bytes.data(), size_t(got));
  ::close(file);
  return text;
}

std::string contents(const std::string& path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return file < 0 ? std::string() : rest_of(file);
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

// Fields of /proc/PID/stat by their numbers in proc(5). They stand behind the name, which may hold anything.
struct ProcessState {
  static constexpr int PARENT = 4, ADDRESS_SPACE = 23, CODE_BEGIN = 26, ENVIRONMENT_BEGIN = 50, ENVIRONMENT_END = 51, LAST = 52;

  bool ready = false;  // to run, or it runs
  bool alive = false;  // has a program: no zombie, no thread of the kernel
  pid_t parent = 0;
  bool started = false;  // its execve() is over, if it was in one
  uint64_t environment_begin = 0, environment_end = 0;
};

ProcessState state_of(const std::string& process) {
  ProcessState state;
  const std::string stat = contents(process + "/stat");
  const size_t name_end = stat.rfind(')');
  if (name_end == stat.npos || name_end + 4 > stat.size()) return state;
  const char letter = stat[name_end + 2];
  std::array<uint64_t, ProcessState::LAST + 1> fields{};
  const char* at = stat.data() + name_end + 3;
  const char* const end = stat.data() + stat.size();
  for (int field = ProcessState::PARENT; field <= ProcessState::LAST && at < end; ++field) {
    std::from_chars(at + 1, end, fields[size_t(field)]);  // (some are negative and not wanted here)
    at = std::find(at + 1, end, ' ');
  }
  state.ready = letter == 'R';
  state.alive = letter != 'Z' && letter != 'X' && fields[ProcessState::ADDRESS_SPACE] != 0;
  state.parent = pid_t(fields[ProcessState::PARENT]);
  state.started = fields[ProcessState::CODE_BEGIN] != 0;
  state.environment_begin = fields[ProcessState::ENVIRONMENT_BEGIN];
  state.environment_end = fields[ProcessState::ENVIRONMENT_END];
  return state;
}

enum class Environment { names_session, names_none, gone };

// A process that calls execve() has no environment for a while: Linux gives it its new address space (fs/exec.c, exec_mmap) before it says
// where in there the environment is (fs/binfmt_elf.c, create_elf_tables, and then load_elf_binary where the code is), and until then
// /proc/PID/environ reads as empty (fs/proc/base.c, environ_read). A file of it that was opened before execve() reads as empty or ends early.
// So what was read counts if `stat` says afterwards that the program has started and that its environment is as long; else it is read again.
Environment environment_of(const std::string& process, const std::string& wanted) {
  constexpr int most_tries = 1000;  // milliseconds; it is in between for longer on a file system that hangs
  for (int tries = 0; tries < most_tries; ++tries) {
    const int file = ::open((process + "/environ").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && (errno == EACCES || errno == EPERM)) return Environment::names_none;  // another user's
    const std::string text = file < 0 ? std::string() : rest_of(file);
    const size_t at = text.find(wanted);
    if (at != text.npos && (at == 0 || text[at - 1] == '\0')) return Environment::names_session;
    const ProcessState state = state_of(process);
    if (!state.alive) return Environment::gone;
    if (state.environment_end == 0 && !text.empty()) return Environment::names_none;  // a kernel that does not say
    if (state.started && text.size() == state.environment_end - state.environment_begin) return Environment::names_none;
    ::usleep(1000);
  }
  return Environment::names_none;
}

// Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat"; zeros from a kernel that has none.
ProcessTimes times_of(const std::string& process) {
  const std::string text = contents(process + "/schedstat");
  ProcessTimes times;
  const char* const end = text.data() + text.size();
  const auto ran = std::from_chars(text.data(), end, times.ran);
  if (ran.ptr < end) std::from_chars(ran.ptr + 1, end, times.queued);
  return times;
}

bool has_gpu(const std::string& process) {
  bool found = false;
  each_number(process + "/fd", [&](int number) {
    std::array<char, 64> target{};
    std::string link = fmt::format("{}/fd/{}", process, number);
    found |= number != drm::inherited_session && ::readlink(link.c_str(), target.data(), target.size() - 1) > 0 &&
             std::string_view(target.data()).starts_with("/memfd:atoll-gpu");
  });
  return found;
}

}  // namespace

std::vector<SessionProcess> session_processes(const std::string& session, pid_t except) {
  const std::string wanted = fmt::format("{}={}", drm::session_variable, session) + '\0';
  std::vector<SessionProcess> found;
  std::map<pid_t, pid_t> parents;
  // One that was listed and is gone when it is looked at may have started another, which that list has not (Linux fills the whole list at
  // once; fs/proc/base.c, proc_pid_readdir). Its child has a higher number and is on the next list, which is needed for new numbers alone.
  std::set<int> seen;
  for (bool gone = true; gone;) {
    gone = false;
    each_number("/proc", [&](int id) {
      if (!seen.insert(id).second) return;
      const std::string process = fmt::format("/proc/{}", id);
      if (except) parents[id] = state_of(process).parent;
      if (id == ::getpid()) return;
      const Environment environment = environment_of(process, wanted);
      gone |= environment == Environment::gone;
      if (environment != Environment::names_session) return;
      std::string name = contents(process + "/comm");
      if (name.ends_with('\n')) name.pop_back();
      found.push_back({id, name, has_gpu(process), state_of(process).ready, times_of(process)});
    });
  }
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
