// Recovery from faults, and how the handler lives with those of others.
#include "memory/fault.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace Atoll {
namespace {

// Runs `risky` under a recovery point; did it fault?
template <class F>
bool faults(FaultRecovery& recovery, F risky) {
  if (sigsetjmp(recovery.environment, 0) != 0) return true;
  recovery.activate();
  risky();
  recovery.deactivate();
  return false;
}

// Accesses that the sanitizers would report before the processor does.
__attribute__((no_sanitize("undefined", "address"))) void read_word(uintptr_t address) {
  (void)*reinterpret_cast<volatile uint32_t*>(address);
}
__attribute__((no_sanitize("undefined", "address"))) void write_word(uintptr_t address) {
  *reinterpret_cast<volatile uint32_t*>(address) = 1;
}

// The end of a child process: its exit status, or 128 + the signal.
template <class F>
int in_child(F body) {
  pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(Fault, NullReadAndWrite) {
  FaultRecovery recovery;
  EXPECT_TRUE(faults(recovery, [] { read_word(12); }));
  EXPECT_TRUE(recovery.last_fault().address_known);
  EXPECT_EQ(recovery.last_fault().address, 12u);
  EXPECT_EQ(recovery.last_fault().access, HostAccess::Read);
  EXPECT_EQ(recovery.last_fault().signal, SIGSEGV);
  EXPECT_FALSE(recovery.active());
  EXPECT_TRUE(faults(recovery, [] { write_word(20); }));
  EXPECT_EQ(recovery.last_fault().address, 20u);
  EXPECT_EQ(recovery.last_fault().access, HostAccess::Write);
}

TEST(Fault, InstructionFetch) {
  void* page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  FaultRecovery recovery;
  EXPECT_TRUE(faults(recovery, [&] { reinterpret_cast<void (*)()>(page)(); }));
  EXPECT_EQ(recovery.last_fault().address, reinterpret_cast<uintptr_t>(page));
  EXPECT_EQ(recovery.last_fault().access, HostAccess::Execute);
  ::munmap(page, 4096);
}

TEST(Fault, NonCanonicalAddress) {
  FaultRecovery recovery;
  EXPECT_TRUE(faults(recovery, [] { write_word(0x8000'0000'0000'0000); }));
  EXPECT_FALSE(recovery.last_fault().address_known);
  EXPECT_EQ(recovery.last_fault().access, HostAccess::Unknown);
  EXPECT_NE(recovery.last_fault().host_pc, 0u);
}

TEST(Fault, BusErrorBehindTheEndOfAFile) {
  int fd = ::memfd_create("short", MFD_CLOEXEC);
  auto* at = static_cast<volatile char*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  FaultRecovery recovery;
  EXPECT_TRUE(faults(recovery, [&] { at[9] = 1; }));
  EXPECT_EQ(recovery.last_fault().signal, SIGBUS);
  EXPECT_EQ(recovery.last_fault().address, reinterpret_cast<uintptr_t>(at) + 9);
  ::munmap(const_cast<char*>(at), 4096);
  ::close(fd);
}

TEST(Fault, ManyInARowAndNested) {
  FaultRecovery outer;
  int inner_faults = 0;
  EXPECT_TRUE(faults(outer, [&] {
    FaultRecovery inner;
    for (int i = 0; i < 1000; ++i) inner_faults += faults(inner, [] { read_word(0); });
    read_word(400);  // inner is not active: this is outer's
  }));
  EXPECT_EQ(inner_faults, 1000);
  EXPECT_EQ(outer.last_fault().address, 400u);
  EXPECT_FALSE(faults(outer, [] {}));
}

TEST(Fault, EachThreadHasItsOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (uintptr_t t = 1; t <= 8; ++t)
    threads.emplace_back([&, t] {
      FaultRecovery recovery;
      for (int i = 0; i < 100; ++i)
        right += faults(recovery, [&] { read_word(4 * t); }) && recovery.last_fault().address == 4 * t;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 800);
}

TEST(Fault, StackOverflowIsRecovered) {  // needs the alternate stack
  EXPECT_EQ(in_child([] {
              std::thread([] {
                FaultRecovery recovery;
                struct Deep {
                  static int down(int n) {
                    if (n < 0) return 0;
                    volatile char room[4096];
                    room[0] = char(n);
                    return down(n + 1) + room[0];
                  }
                };
                if (!faults(recovery, [] { (void)Deep::down(0); })) ::_exit(1);
                ::_exit(0);
              }).join();
            }),
            0);
}

TEST(Fault, OthersDieAsWithoutUs) {
  EXPECT_EQ(in_child([] {
              ::signal(SIGSEGV, SIG_DFL);
              FaultRecovery recovery;
              EXPECT_TRUE(faults(recovery, [] { read_word(0); }));
              read_word(0);  // no recovery point
            }),
            128 + SIGSEGV);
  EXPECT_EQ(in_child([] {  // a signal sent by a process is no fault of ours, recovery point or not
              ::signal(SIGSEGV, SIG_DFL);
              FaultRecovery recovery;
              (void)faults(recovery, [] { ::raise(SIGSEGV); });
            }),
            128 + SIGSEGV);
}

sigjmp_buf application_point;
int application_calls;
struct sigaction kept;  // what the application found when it installed its handler

void application_handler(int, siginfo_t*, void*) {
  ++application_calls;
  siglongjmp(application_point, 1);
}

void install(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, &kept);
}

bool application_catches() {
  if (sigsetjmp(application_point, 1) != 0) return true;
  read_word(0);
  return false;
}

TEST(Fault, ChainsToAHandlerInstalledBefore) {
  EXPECT_EQ(in_child([] {
              install(application_handler);
              FaultRecovery recovery;
              for (int i = 0; i < 3; ++i) {
                if (!faults(recovery, [] { read_word(4); }) || recovery.last_fault().address != 4) ::_exit(1);
                if (!application_catches() || application_calls != i + 1) ::_exit(2);
              }
            }),
            0);
}

// Looks first, then hands what is not its own on to whom it found.
void polite_handler(int signal, siginfo_t* info, void* context) {
  ++application_calls;
  if (info->si_addr == reinterpret_cast<void*>(0x40)) siglongjmp(application_point, 1);
  if (kept.sa_flags & SA_SIGINFO)
    kept.sa_sigaction(signal, info, context);
  else if (kept.sa_handler == SIG_DFL)
    ::_exit(99);
}

TEST(Fault, AHandlerInstalledAfterThatChainsToUs) {
  EXPECT_EQ(in_child([] {
              ::signal(SIGSEGV, SIG_DFL);
              FaultRecovery recovery;
              install(polite_handler);
              if (!faults(recovery, [] { read_word(4); })) ::_exit(1);
              if (application_calls != 1) ::_exit(2);
            }),
            0);
}

TEST(Fault, OurHandlerGoesBackInFrontWithoutAnEndlessChain) {
  EXPECT_EQ(in_child([] {
              install(application_handler);
              FaultRecovery first;
              install(polite_handler);  // in front of us, keeps our address
              FaultRecovery again;      // we stand in front again
              if (!faults(again, [] { read_word(4); }) || application_calls != 0) ::_exit(1);
              // not ours: us → polite_handler → us → application_handler
              for (int i = 1; i <= 3; ++i)
                if (!application_catches() || application_calls != 2 * i) ::_exit(2);
              if (!faults(again, [] { read_word(4); }) || application_calls != 6) ::_exit(3);
            }),
            0);
}

TEST(Fault, ReplacedHandlersComeBackWithTheNextRecovery) {
  EXPECT_EQ(in_child([] {
              {
                FaultRecovery first;
              }
              install(application_handler);  // does not chain
              for (int i = 0; i < 100; ++i) {
                FaultRecovery recovery;
                if (!faults(recovery, [] { read_word(4); }) || application_calls != i) ::_exit(1);
                if (!application_catches()) ::_exit(2);
                install(application_handler);
              }
            }),
            0);
}

}  // namespace
}  // namespace Atoll
