// Finds readers and writers of pages of this process: the pages are closed, an access to them is noted, and carried out with the
// page open for one instruction (x86-64's trap flag, Intel SDM volume 3, 18.3.1.4). Accesses to the same memory by other
// addresses, or by system calls, are not seen. For one thread at a time: while an instruction is carried out the page is open for
// all.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace Atoll {

class AccessTrap {
public:
  // How far before the watched bytes an access may begin and still count as reading them: its size is not known.
  static constexpr uint64_t widest_access = 64;
  // Accesses to a page beside its watched bytes that are carried out one by one between two take()s; behind them it is open.
  static constexpr unsigned most_steps = 4096;

  struct Page {
    uint8_t* host = nullptr;      // its first byte
    bool writable = true;         // what is not faults as before
    unsigned begin = 0, end = 0;  // the watched bytes in it
  };
  struct Seen {
    bool read = false, written = false;
    bool missed = false;  // a page was open for a while
  };

  // Null: there is one in this process already.
  static std::unique_ptr<AccessTrap> make();
  ~AccessTrap();
  AccessTrap(const AccessTrap&) = delete;
  AccessTrap& operator=(const AccessTrap&) = delete;

  // These in place of those before, which get their access back if they are still mapped. While no other thread accesses them.
  void watch(std::vector<Page> pages);
  // Returns the accesses seen since the last time; all pages are closed again.
  Seen take();

private:
  AccessTrap() = default;
};

}  // namespace Atoll
