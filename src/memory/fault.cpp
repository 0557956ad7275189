#include "memory/fault.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "memory/fault_filter.h"

#if !defined(__x86_64__)
#error "fault.cpp reads the x86-64 page-fault error code"
#endif

namespace Atoll {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS};
constexpr int signal_count = 2;
constexpr size_t stack_bytes = 64 << 10;
constexpr int max_previous = 8;  // how often others may replace our handler and have it put back in front

bool same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_flags == b.sa_flags && (a.sa_flags & SA_SIGINFO ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler);
}

int index_of(int signal) { return signal == SIGSEGV ? 0 : 1; }

// The handlers we stand in front of, oldest first. An entry is complete before the count tells of it.
struct Previous {
  struct sigaction actions[max_previous];
  std::atomic<int> count{0};
} previous[signal_count];

std::mutex install_mutex;
std::atomic<FaultFilter> filter{nullptr};

// A handler that we chain to may chain back to us (it was installed after us and kept our address). Then the signal goes on
// to the next older one. Such a call has the same siginfo as the one under way and a deeper stack frame.
struct Chaining {
  const siginfo_t* info = nullptr;
  const void* frame = nullptr;
  int level = 0;
};

// The value that ask_to_leave() sends with its signal.
constexpr char leave_request = 0;

// initial-exec: reading them in the handler must not allocate
__attribute__((tls_model("initial-exec"))) thread_local FaultRecovery* innermost = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local Chaining chaining[signal_count];

void default_action(int signal, const siginfo_t* info) {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  if (info->si_code <= 0) ::raise(signal);  // sent by a process; a fault of the processor comes again when we return
}

void chain(int signal, siginfo_t* info, void* context, const void* frame) {
  Chaining& state = chaining[index_of(signal)];
  bool called_back = state.info == info && frame < state.frame;
  int level = called_back ? state.level : previous[index_of(signal)].count.load(std::memory_order_acquire);
  Chaining outer = state;
  if (level-- == 0) return default_action(signal, info);
  const struct sigaction& action = previous[index_of(signal)].actions[level];
  bool takes_info = action.sa_flags & SA_SIGINFO;
  if (!takes_info && action.sa_handler == SIG_DFL) return default_action(signal, info);
  if (!takes_info && action.sa_handler == SIG_IGN) {
    if (info->si_code > 0) default_action(signal, info);  // the kernel does not let a fault be ignored either
    return;
  }
  state = {info, frame, level};
  sigset_t mask = action.sa_mask, before;
  if (!(action.sa_flags & SA_NODEFER)) ::sigaddset(&mask, signal);
  ::pthread_sigmask(SIG_BLOCK, &mask, &before);
  if (takes_info)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  state = outer;
}

}  // namespace

struct FaultHandler {
  static void handle(int signal, siginfo_t* info, void* context) {
    FaultRecovery* recovery = innermost;
    if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &leave_request && info->si_pid == ::getpid()) {
      const auto& was = *static_cast<const ucontext_t*>(context);
      const auto pc = uintptr_t(was.uc_mcontext.gregs[REG_RIP]), stack = uintptr_t(was.uc_mcontext.gregs[REG_RSP]);
      // If a request comes while the one before is handled, the thread is in this code, and it is unknown in whose code it was before.
      const uintptr_t alternate = reinterpret_cast<uintptr_t>(was.uc_stack.ss_sp);
      const bool handling = stack >= alternate && stack < alternate + was.uc_stack.ss_size;
      if (!recovery || handling || !recovery->leaves_from.contains(pc)) return;
      recovery->fault_ = {};
      leave(*recovery);
    }
    constexpr long long page_fault = 14, write = 2, fetch = 16;
    if (FaultFilter asked = filter.load(std::memory_order_acquire); asked && signal == SIGSEGV && info->si_code == SEGV_ACCERR) {
      const auto& at = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
      if (at[REG_TRAPNO] == page_fault && !(at[REG_ERR] & fetch) &&
          asked(reinterpret_cast<uintptr_t>(info->si_addr), at[REG_ERR] & write, context))
        return;
    }
    if (!recovery || info->si_code <= 0) {  // not our code, or a signal that a process sent
      int saved = errno;
      chain(signal, info, context, __builtin_frame_address(0));
      errno = saved;
      return;
    }
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    HostFault& fault = recovery->fault_;
    fault = {};
    fault.signal = signal;
    fault.host_pc = uintptr_t(registers[REG_RIP]);
    fault.address_known = registers[REG_TRAPNO] == page_fault;
    if (fault.address_known) {
      fault.address = reinterpret_cast<uintptr_t>(info->si_addr);
      fault.access = registers[REG_ERR] & fetch   ? HostAccess::Execute
                     : registers[REG_ERR] & write ? HostAccess::Write
                                                  : HostAccess::Read;
    }
    leave(*recovery);
  }

  [[noreturn]] static void leave(FaultRecovery& recovery) {
    innermost = recovery.outer_;
    recovery.active_ = false;
    siglongjmp(recovery.environment, 1);
  }

  // Puts the handler in front of whatever is installed, unless it is there already.
  static void install() {
    std::lock_guard lock(install_mutex);
    for (int signal : signals) {
      struct sigaction now{};
      ::sigaction(signal, nullptr, &now);
      if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &handle) continue;
      Previous& list = previous[index_of(signal)];
      int count = list.count.load(std::memory_order_relaxed);
      // a handler that was put back keeps its entry; when the list is full the newest takes the place of the one before
      if (count == 0 || !same(list.actions[count - 1], now)) {
        if (count == max_previous) --count;
        list.actions[count] = now;
        list.count.store(count + 1, std::memory_order_release);
      }
      struct sigaction ours{};
      ours.sa_sigaction = &handle;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      ::sigemptyset(&ours.sa_mask);
      ::sigaction(signal, &ours, nullptr);
    }
  }
};

namespace {

// The thread's alternate stack, with a guard page below; given back when the thread ends.
struct AlternateStack {
  void* pages = nullptr;
  size_t bytes = 0;

  void prepare() {
    stack_t now{};
    ::sigaltstack(nullptr, &now);
    if (!(now.ss_flags & SS_DISABLE)) return;  // has one (ours, or a sanitizer's)
    if (!pages) {
      bytes = stack_bytes + 4096;
      void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
      if (at == MAP_FAILED) return;  // the handler then runs on the thread's own stack
      ::mprotect(at, 4096, PROT_NONE);
      pages = at;
    }
    stack_t stack{};
    stack.ss_sp = static_cast<char*>(pages) + 4096;
    stack.ss_size = stack_bytes;
    ::sigaltstack(&stack, nullptr);
  }

  ~AlternateStack() {
    if (!pages) return;
    stack_t now{};
    ::sigaltstack(nullptr, &now);
    if (now.ss_sp == static_cast<char*>(pages) + 4096) {
      stack_t none{};
      none.ss_flags = SS_DISABLE;
      ::sigaltstack(&none, nullptr);
    }
    ::munmap(pages, bytes);
    pages = nullptr;  // (what exit() calls behind this may want one again)
  }
};

thread_local AlternateStack alternate_stack;

}  // namespace

FaultRecovery::FaultRecovery() {
  if (innermost) return;  // (The point around it has prepared the thread: four system calls are dear where images are looked up.)
  FaultHandler::install();
  alternate_stack.prepare();
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : signals) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

FaultRecovery::~FaultRecovery() {
  if (active_) deactivate();
}

void FaultRecovery::activate() {
  ATOLL_ASSERT(!active_);
  outer_ = innermost;
  active_ = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  innermost = this;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

void FaultRecovery::deactivate() {
  ATOLL_ASSERT(active_ && innermost == this);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  innermost = outer_;
  active_ = false;
}

void set_fault_filter(FaultFilter asked) { filter.store(asked, std::memory_order_release); }

void ask_to_leave(pthread_t thread) {
  sigval request{};
  request.sival_ptr = const_cast<char*>(&leave_request);
  ::pthread_sigqueue(thread, SIGSEGV, request);
}

}  // namespace Atoll
