// The child of a fork, without exec, of a program that drew: it has one thread, and a driver whose other threads do not exist.
//
// Mesa gives work to threads of its own and waits for them with the futex system call, through the C library's syscall()
// (src/util/futex.c, u_queue.c). In such a child the wait has no end, on any hardware and with Mesa's software drivers: no ioctl
// is made, and nothing would ever be said. So where a child of that kind, with one thread alone, is about to wait without a
// timeout on memory that no other process has, it is told so and ended by SIGABRT. In all other processes both functions are the
// C library's.
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "drm/shim/shim.h"

namespace Atoll::drm::shim {
namespace {

int gpu_process;  // the process that loaded libatoll.so; its children have a copy of the number

long kernel(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

int this_process() { return int(kernel(SYS_getpid, 0, 0, 0, 0, 0, 0)); }

// Reads a file of /proc in blocks.
class Reader {
public:
  explicit Reader(const char* path) : descriptor_(int(kernel(SYS_openat, AT_FDCWD, long(path), O_RDONLY | O_CLOEXEC, 0, 0, 0))) {}
  ~Reader() {
    if (descriptor_ >= 0) kernel(SYS_close, descriptor_, 0, 0, 0, 0, 0);
  }
  // The next character, or 0 at the end.
  char next() {
    if (at_ == length_) {
      length_ = descriptor_ < 0 ? 0 : kernel(SYS_read, descriptor_, long(room_), sizeof room_, 0, 0, 0);
      at_ = 0;
      if (length_ <= 0) return length_ = 0, char(0);
    }
    return room_[at_++];
  }

private:
  int descriptor_;
  long at_ = 0, length_ = 0;
  char room_[1024];
};

// proc(5): field 20 of stat; the name in field 2 may hold anything, and ends with the last parenthesis.
bool has_one_thread() {
  Reader stat("/proc/self/stat");
  unsigned field = 0;
  uint64_t threads = 0;
  while (char c = stat.next()) {
    if (c == ')') {
      field = 2;
      threads = 0;
    } else if (c == ' ') {
      field++;
    } else if (field == 20 && c >= '0' && c <= '9') {
      threads = threads * 10 + uint64_t(c - '0');
    }
  }
  return threads == 1;
}

// Memory that this process shares with nobody: what a futex there waits for only its own threads can do.
bool is_private(uintptr_t address) {
  Reader maps("/proc/self/maps");
  auto number = [&](char end) {
    uintptr_t value = 0;
    for (char c; (c = maps.next()) && c != end;) value = value * 16 + uintptr_t(c <= '9' ? c - '0' : c - 'a' + 10);
    return value;
  };
  for (;;) {
    uintptr_t begin = number('-'), end = number(' ');
    if (end == 0) return false;
    char kind = 0;
    for (int i = 0; i < 4; ++i) kind = maps.next();  // "rw-p"
    if (address >= begin && address < end) return kind == 'p';
    for (char c; (c = maps.next()) && c != '\n';) {
    }
  }
}

void refuse_endless_wait(const int* address, long operation, long value, long timeout) {
  long command = operation & FUTEX_CMD_MASK;
  if ((command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) || timeout != 0) return;
  int known = __atomic_load_n(&gpu_process, __ATOMIC_RELAXED);
  if (known == 0 || known == this_process() || __atomic_load_n(address, __ATOMIC_SEQ_CST) != int(value)) return;
  if (!has_one_thread() || !is_private(uintptr_t(address))) return;
  Text<512> line;
  say(line
      << "process " << uint64_t(this_process())
      << " is the child of a fork and waits for a thread that its parent had and that a "
      << "fork does not copy: OpenGL and Vulkan do not work on in such a child, with any of Mesa's drivers. It would wait for "
      << "ever and is ended: open the display after the fork, or exec");
  kernel(SYS_kill, this_process(), SIGABRT, 0, 0, 0, 0);
}

}  // namespace

bool is_child_of_gpu_process() {
  int known = __atomic_load_n(&gpu_process, __ATOMIC_RELAXED);
  return known != 0 && known != this_process();
}

void note_gpu_process() { __atomic_store_n(&gpu_process, this_process(), __ATOMIC_RELAXED); }

}  // namespace Atoll::drm::shim

using namespace Atoll::drm::shim;

namespace {

[[gnu::used]] long answer(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}

[[gnu::used]] long futex(long number, long address, long operation, long value, long timeout, long other, long last) {
  refuse_endless_wait(reinterpret_cast<const int*>(address), operation, value, timeout);
  return answer(kernel(number, address, operation, value, timeout, other, last));
}

}  // namespace

// As the C library has it, but for one number: nothing on the stack beside the place to return to (who starts a thread by it
// relies on that), registers moved from where functions have their arguments (System V ABI 3.2.3) to where the kernel does
// (A.2.1).
SHIM_EXPORT [[gnu::naked]] long syscall(long number, ...) noexcept {
  asm("cmp %[futex], %%rdi\n\t"
      "je %P[wait]\n\t"
      "mov %%rdi, %%rax\n\t"
      "mov %%rsi, %%rdi\n\t"
      "mov %%rdx, %%rsi\n\t"
      "mov %%rcx, %%rdx\n\t"
      "mov %%r8, %%r10\n\t"
      "mov %%r9, %%r8\n\t"
      "mov 8(%%rsp), %%r9\n\t"
      "syscall\n\t"
      "cmp $-4095, %%rax\n\t"
      "jae 1f\n\t"
      "ret\n"
      "1:\n\t"
      "mov %%rax, %%rdi\n\t"
      "jmp %P[answer]" ::[futex] "i"(SYS_futex),
      [wait] "i"(&futex), [answer] "i"(&answer));
}

// The C library keeps the stacks of its parent's threads for the child, up to 40 MB; Mesa's exit handler joins all of its
// threads, and those whose stacks are gone would be read all the same.
SHIM_EXPORT int pthread_join(pthread_t thread, void** result) {
  static auto real = next<int (*)(pthread_t, void**)>("pthread_join");
  if (is_child_of_gpu_process()) {
    char byte;
    iovec here{&byte, 1}, there{reinterpret_cast<void*>(thread), 1};
    if (kernel(SYS_process_vm_readv, this_process(), long(&here), 1, long(&there), 1, 0) == -EFAULT) return ESRCH;
  }
  return real(thread, result);
}
