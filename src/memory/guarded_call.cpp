#include "memory/guarded_call.h"

#include <fmt/format.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "base/start_thread.h"
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

// Held by the thread that runs the body and by whoever waits for it.
struct Call {
  void (*body)(void* data);
  void* data;
  CodeRange library;
  pthread_t thread{};
  uintptr_t stack_end = 0;  // the lowest address of the thread's
  bool left = false;        // body did not come back, but for this:
  HostFault fault{};
  std::mutex mutex{};
  std::condition_variable ended{};
  bool over = false;
  bool alone = false;  // nobody waits: the body's data is its own

  // Inside of the C library's allocator, say, which would wait for a lock of its own when the thread ends.
  bool left_elsewhere() const { return left && fault.signal && !library.contains(fault.host_pc); }
};

uintptr_t stack_end_of_thread() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes)) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  ::pthread_attr_getstack(&attributes, &lowest, &size);
  ::pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(lowest);
}

// The code that was left may hold the allocator's locks, so nothing is allocated here afterwards.
void run_body(Call& call) {
  call.stack_end = stack_end_of_thread();
  FaultRecovery recovery;
  recovery.leaves_from = call.library;
  if (sigsetjmp(recovery.environment, 0) == 0) {
    recovery.activate();
    call.body(call.data);
    recovery.deactivate();
  } else {
    call.left = true, call.fault = recovery.last_fault();
  }
}

std::string reason(const Call& call, size_t stack_bytes) {
  if (!call.left) return {};
  const HostFault& fault = call.fault;
  if (!fault.signal) return "takes too long";
  constexpr uintptr_t around = 64 << 10;  // the guard page, and frames that are larger
  if (fault.address_known && fault.address + around > call.stack_end && fault.address < call.stack_end + around)
    return fmt::format("overflows its stack of {} KiB", stack_bytes >> 10);
  return fmt::format("crashes ({} at {:#x})", fault.signal == SIGBUS ? "SIGBUS" : "SIGSEGV", fault.host_pc);
}

std::atomic<bool> all_leave{false};
std::atomic<int> running{0}, alone{0};
constexpr int most_alone = 4;

void* thread_body(void* data) {
  std::unique_ptr<std::shared_ptr<Call>> held(static_cast<std::shared_ptr<Call>*>(data));
  Call& call = **held;
  run_body(call);
  const bool stays = call.left_elsewhere();
  {
    std::lock_guard lock(call.mutex);
    call.over = true;
    call.ended.notify_all();
  }
  running.fetch_sub(1);
  if (!stays) return nullptr;
  for (;;) ::pause();  // (what it holds it keeps: nothing is freed here any more)
}

double processor_seconds(pthread_t thread) {
  clockid_t clock;
  timespec at{};
  if (::pthread_getcpuclockid(thread, &clock) || ::clock_gettime(clock, &at)) return 0;
  return double(at.tv_sec) + double(at.tv_nsec) * 1e-9;
}

bool start(const std::shared_ptr<Call>& call, size_t stack_bytes) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes)) return false;
  auto held = std::make_unique<std::shared_ptr<Call>>(call);
  running.fetch_add(1);
  bool started;
  {
    const SignalsBlocked blocked(true);
    started = !::pthread_attr_setstacksize(&attributes, stack_bytes) &&
              !::pthread_create(&call->thread, &attributes, thread_body, held.get());
  }
  ::pthread_attr_destroy(&attributes);
  if (started) [[maybe_unused]]
    auto* passed = held.release();
  else
    running.fetch_sub(1);
  return started;
}

// Waits for the body's end, and makes it end where it takes more than its time, or everything is to. False: it is unwanted before.
bool wait(Call& call, double most_seconds, const GuardedCallLimits& limits) {
  auto look = std::min<std::chrono::duration<double>>(1s, std::chrono::duration<double>(most_seconds / 4));
  look = std::min<std::chrono::duration<double>>(look, 5ms);
  std::unique_lock lock(call.mutex);
  while (!call.ended.wait_for(lock, look, [&] { return call.over; })) {
    if (all_leave.load(std::memory_order_relaxed) || processor_seconds(call.thread) >= most_seconds) break;
    if (!call.alone && limits.unwanted && limits.unwanted(call.data)) {
      if (alone.load() >= most_alone) break;
      alone.fetch_add(1), running.fetch_add(1);
      call.alone = true;
      return false;
    }
  }
  if (!call.over) {
    const FaultRecovery in_front;  // of a handler that the application has installed meanwhile
    while (!call.over) {
      ask_to_leave(call.thread);
      call.ended.wait_for(lock, 1ms, [&] { return call.over; });
    }
  }
  return true;
}

void end_thread(const Call& call) {
  if (call.left_elsewhere())
    ::pthread_detach(call.thread);
  else
    ::pthread_join(call.thread, nullptr);
}

// For a body that nobody waits for.
void look_after(const std::shared_ptr<Call>& call, const GuardedCallLimits& limits) {
  wait(*call, processor_seconds(call->thread) + limits.processor_seconds_alone, limits);
  end_thread(*call);
  if (!call->left && limits.dispose && !all_leave.load()) limits.dispose(call->data);
  alone.fetch_sub(1), running.fetch_sub(1);
}

}  // namespace

std::string guarded_call(void (*body)(void* data), void* data, const void* library, const GuardedCallLimits& limits) {
  auto call = std::make_shared<Call>(body, data, code_around(library));
  if (!start(call, limits.stack_bytes)) {
    run_body(*call);  // no thread to be had: here, then, for as long as it takes
    return reason(*call, limits.stack_bytes);
  }
  if (wait(*call, limits.processor_seconds, limits)) {
    end_thread(*call);
    return reason(*call, limits.stack_bytes);
  }
  if (auto thread = start_thread([call, limits] { look_after(call, limits); }, false)) {
    thread->detach();
  } else {  // none to be had: it is left now
    GuardedCallLimits now = limits;
    now.processor_seconds_alone = 0;
    look_after(call, now);
  }
  return guarded_call_unwanted;
}

void leave_guarded_calls() {
  all_leave.store(true);
  for (int turn = 0; turn < 1000 && running.load() > 0; turn++) std::this_thread::sleep_for(1ms);
}

void forget_guarded_calls() {
  running.store(0);
  alone.store(0);
}

}  // namespace Atoll
