#include "memory/access_trap.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>

#include "memory/fault.h"
#include "memory/fault_filter.h"
#include "memory/memory_file.h"

namespace Atoll {
namespace {

enum class Access : uint8_t { none, reading, all };

struct Watched : AccessTrap::Page {
  Access open = Access::none;
  bool stepping = false;  // open for the instruction at hand
  unsigned steps = 0;
};

// The handlers' own: set while no watched page can be accessed.
std::vector<Watched> pages;  // by address
AccessTrap::Seen seen;
std::atomic<bool> in_use{false};
struct sigaction trap_before{};

constexpr long long trap_flag = 0x100;

void protect(const Watched& page, Access access) {
  const int writing = page.writable ? PROT_WRITE : 0;
  ::mprotect(page.host, page_bytes,
             access == Access::none      ? PROT_NONE
             : access == Access::reading ? PROT_READ
                                         : PROT_READ | writing);
}

// The page of the access is opened, for the instruction or until the next take().
bool open_page(uintptr_t address, bool write, void* context) {
  const auto at =
      std::ranges::lower_bound(pages, address, {}, [](const Watched& p) { return uintptr_t(p.host) + page_bytes - 1; });
  if (at == pages.end() || address < uintptr_t(at->host) || (write && !at->writable)) return false;
  Watched& page = *at;
  const uint64_t place = address - uintptr_t(page.host);
  if (write && place >= page.begin && place < page.end) seen.written = true;
  const bool reads = !write && place < page.end && place + AccessTrap::widest_access > page.begin;
  seen.read |= reads;
  if (++page.steps > AccessTrap::most_steps) {
    page.open = Access::all;
    seen.missed = true;
  } else if (reads) {
    page.open = Access::reading;
  } else if (write && seen.written && seen.read) {
    page.open = Access::all;
  } else {
    page.stepping = true;
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= trap_flag;
    protect(page, Access::all);
    return true;
  }
  protect(page, page.open);
  return true;
}

void after_step(int signal, siginfo_t* info, void* context) {
  bool any = false;
  for (Watched& page : pages) {
    if (!page.stepping) continue;
    any = true;
    page.stepping = false;
    protect(page, page.open);
  }
  if (any || info->si_code == TRAP_TRACE) {
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~trap_flag;
    return;
  }
  ::sigaction(signal, &trap_before, nullptr);  // somebody else's: it comes again
  ::raise(signal);
}

}  // namespace

std::unique_ptr<AccessTrap> AccessTrap::make() {
  if (in_use.exchange(true)) return nullptr;
  const FaultRecovery handlers;  // installs them
  struct sigaction action{};
  action.sa_sigaction = after_step;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGTRAP, &action, &trap_before);
  set_fault_filter(open_page);
  return std::unique_ptr<AccessTrap>(new AccessTrap);
}

AccessTrap::~AccessTrap() {
  watch({});
  set_fault_filter(nullptr);
  ::sigaction(SIGTRAP, &trap_before, nullptr);
  in_use = false;
}

void AccessTrap::watch(std::vector<Page> wanted) {
  for (const Watched& page : pages) protect(page, Access::all);
  pages.clear();
  std::ranges::sort(wanted, {}, &Page::host);
  for (const Page& page : wanted) {
    if (pages.empty() || pages.back().host != page.host)
      pages.push_back({page});
    else
      pages.back().begin = std::min(pages.back().begin, page.begin), pages.back().end = std::max(pages.back().end, page.end);
  }
  take();
}

AccessTrap::Seen AccessTrap::take() {
  for (Watched& page : pages) {
    page.open = Access::none, page.steps = 0, page.stepping = false;
    protect(page, Access::none);
  }
  return std::exchange(seen, {});
}

}  // namespace Atoll
