// Memory faults of Atoll's own threads as values: a thread that runs GPU code sets a recovery point, and SIGSEGV or SIGBUS
// there jumps back with what is known about the access. Faults of all other code go on to the handlers from before.
// (x86-64 Linux: the page-fault error code, Intel SDM volume 3, 4.7; sigaction(2).)
#pragma once
#include <pthread.h>

#include <csetjmp>
#include <cstdint>

#include "base/expected.h"

namespace Atoll {

enum class HostAccess : uint8_t { Unknown, Read, Write, Execute };

struct HostFault {
  int signal = 0;              // SIGSEGV or SIGBUS
  uintptr_t address = 0;       // meaningful if address_known
  bool address_known = false;  // the processor does not tell a non-canonical address (general protection fault)
  HostAccess access = HostAccess::Unknown;
  uintptr_t host_pc = 0;
};

struct CodeRange {
  uintptr_t begin = 0, end = 0;
  bool contains(uintptr_t pc) const { return pc >= begin && pc < end; }
};

// One recovery point of the calling thread:
//   FaultRecovery recovery;
//   if (sigsetjmp(recovery.environment, 0) == 0) { recovery.activate(); …risky…; recovery.deactivate(); }
//   else { …recovery.last_fault(); it is deactivated already… }
// Points nest. Code between activate() and deactivate() must own nothing that unwinding would free: a fault skips destructors.
class FaultRecovery {
public:
  // Prepares the thread: handlers (again, if someone replaced them), alternate stack, signals unblocked.
  FaultRecovery();
  ~FaultRecovery();
  FaultRecovery(const FaultRecovery&) = delete;
  FaultRecovery& operator=(const FaultRecovery&) = delete;

  void activate();
  void deactivate();
  bool active() const { return active_; }
  const HostFault& last_fault() const { return fault_; }

  sigjmp_buf environment;
  CodeRange leaves_from;  // where ask_to_leave() reaches the thread; nowhere, if it is left empty

private:
  friend struct FaultHandler;
  FaultRecovery* outer_ = nullptr;
  bool active_ = false;
  HostFault fault_;
};

// If that thread executes code inside of its innermost active point's `leaves_from`, it jumps back there as after a fault, with
// last_fault().signal = 0; else nothing happens. A FaultRecovery has been made in this process.
void ask_to_leave(pthread_t thread);

}  // namespace Atoll
