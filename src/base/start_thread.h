// Threads of Atoll's own inside of somebody else's program: signals meant for the program never land on them, and where none is to be
// had (ulimit -u, a container's pids limit, ulimit -v) that is an error, not an exception that ends the program.
#pragma once
#include <thread>
#include <utility>

#include "base/expected.h"

namespace Atoll {

// Blocks all signals of the calling thread, but for those that a fault of the processor raises where `faults_land`, until it goes.
class SignalsBlocked {
public:
  explicit SignalsBlocked(bool faults_land);
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
  alignas(8) unsigned char before_[128];  // a sigset_t
};

// The error of a thread that cannot be started: the reason, and the remedy.
Error no_thread(const std::exception& why);

// `faults_land`: it runs GPU code (memory/fault.h).
template <class Body>
Expected<std::thread> start_thread(Body&& body, bool faults_land = true) {
  const SignalsBlocked blocked(faults_land);
  try {
    return std::thread(std::forward<Body>(body));
  } catch (const std::exception& why) {  // system_error; bad_alloc, for what the thread is told
    return std::unexpected(no_thread(why));
  }
}

}  // namespace Atoll
