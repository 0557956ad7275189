// The processes of a session of `atoll run`: those whose environment names it, however they were started and whoever their parent
// is now, and the process that keeps the session for those that outlive the verb.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"

namespace Atoll::cli {

// Nanoseconds of its first thread, as the kernel counted them when that last got or gave back a processor: on one, and ready for one.
struct ProcessTimes {
  uint64_t ran = 0, queued = 0;
  bool operator==(const ProcessTimes&) const = default;
};

struct SessionProcess {
  pid_t id = 0;
  std::string name;
  bool has_gpu = false;  // has a descriptor of the session's file, beside the inherited one
  bool ready = false;    // to run, or it runs
  ProcessTimes times;
};

// All that are alive except the caller, `except` and its descendants (0: nobody). `session` is the variable's value.
std::vector<SessionProcess> session_processes(const std::string& session, pid_t except);
// "gears (1234), 3 more"
std::string names_of(const std::vector<SessionProcess>& processes);

// The process that holds the session's file open until the caller has ended and the last process of the session as well.
struct SessionKeeper {
  std::string name;  // under which others open the file (`/proc/PID/fd/N`)
  int pipe = -1;     // to the process
  // The caller knows that no process of the session is left, which the keeper need not find out then.
  void dismiss() const;
};
// Starts it; `descriptor` is one of the file.
Expected<SessionKeeper> keep_session(int descriptor);

}  // namespace Atoll::cli
