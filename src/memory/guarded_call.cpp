#include "memory/guarded_call.h"

#include <fmt/format.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "memory/fault.h"

namespace Atoll {
namespace {

using namespace std::chrono_literals;

// The executable part of the loaded object that `address` lies in; empty if there is none.
CodeRange code_around(const void* address) {
  struct Search {
    uintptr_t address;
    CodeRange code;
  } search{reinterpret_cast<uintptr_t>(address), {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* data) {
        auto& of = *static_cast<Search*>(data);
        bool inside = false;
        CodeRange code;
        for (const auto* part = object->dlpi_phdr; part < object->dlpi_phdr + object->dlpi_phnum; part++) {
          if (part->p_type != PT_LOAD) continue;
          const uintptr_t begin = object->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
          inside |= begin <= of.address && of.address < end;
          if (part->p_flags & PF_X) code = {begin, end};
        }
        if (inside) of.code = code;
        return int(inside);
      },
      &search);
  return search.code;
}

struct Call {
  void (*body)(void* data);
  void* data;
  CodeRange leaves_from;
  size_t stack_bytes;
  std::string why{};
  std::mutex mutex{};
  std::condition_variable ended{};
  bool over = false;
};

std::string reason(const HostFault& fault, size_t stack_bytes) {
  if (!fault.signal) return "takes too long";
  // The handler's frame is on the alternate stack: how deep the thread was is told by the address that it could not touch.
  pthread_attr_t attributes;
  void* lowest = nullptr;
  size_t size = 0;
  if (!::pthread_getattr_np(::pthread_self(), &attributes)) {
    ::pthread_attr_getstack(&attributes, &lowest, &size);
    ::pthread_attr_destroy(&attributes);
  }
  const uintptr_t end = reinterpret_cast<uintptr_t>(lowest);
  constexpr uintptr_t around = 64 << 10;  // the guard page, and frames that are larger
  if (fault.address_known && fault.address + around > end && fault.address < end + around)
    return fmt::format("overflows its stack of {} KiB", stack_bytes >> 10);
  return fmt::format("crashes ({} at {:#x})", fault.signal == SIGBUS ? "SIGBUS" : "SIGSEGV", fault.host_pc);
}

void run_body(Call& call) {
  FaultRecovery recovery;
  recovery.leaves_from = call.leaves_from;
  if (sigsetjmp(recovery.environment, 0) == 0) {
    recovery.activate();
    call.body(call.data);
    recovery.deactivate();
  } else {
    call.why = reason(recovery.last_fault(), call.stack_bytes);
  }
}

void* thread_body(void* data) {
  Call& call = *static_cast<Call*>(data);
  run_body(call);
  std::lock_guard lock(call.mutex);
  call.over = true;
  call.ended.notify_all();
  return nullptr;
}

double processor_seconds(pthread_t thread) {
  clockid_t clock;
  timespec at{};
  if (::pthread_getcpuclockid(thread, &clock) || ::clock_gettime(clock, &at)) return 0;
  return double(at.tv_sec) + double(at.tv_nsec) * 1e-9;
}

bool start(pthread_t& thread, Call& call) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes)) return false;
  // Signals meant for the application never land here; faults do.
  sigset_t all, before;
  ::sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) ::sigdelset(&all, signal);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const bool started =
      !::pthread_attr_setstacksize(&attributes, call.stack_bytes) && !::pthread_create(&thread, &attributes, thread_body, &call);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

std::string guarded_call(void (*body)(void* data), void* data, const void* library, const GuardedCallLimits& limits) {
  Call call{body, data, code_around(library), limits.stack_bytes};
  pthread_t thread;
  if (!start(thread, call)) {
    run_body(call);  // no thread to be had: here, then, for as long as it takes
    return std::move(call.why);
  }
  {
    const auto look = std::min<std::chrono::duration<double>>(1s, std::chrono::duration<double>(limits.processor_seconds / 4));
    std::unique_lock lock(call.mutex);
    while (!call.ended.wait_for(lock, look, [&] { return call.over; }) && processor_seconds(thread) < limits.processor_seconds) {
    }
    if (!call.over) {
      const FaultRecovery in_front;  // of a handler that the application has installed meanwhile
      while (!call.over) {
        ask_to_leave(thread);
        call.ended.wait_for(lock, 1ms, [&] { return call.over; });
      }
    }
  }
  ::pthread_join(thread, nullptr);
  return std::move(call.why);
}

}  // namespace Atoll
