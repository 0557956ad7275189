// The loads and stores of a region that compiled code makes itself, and the guards on their addresses that this needs. All others
// go through the interpreter's checked accesses.
//
// The profile says that a chunk's addresses were always consecutive, or always equal. A guard per set of address registers tests
// that, and that everything the group's accesses may touch lies inside the memory they are for; what it proved is `begin` and
// `end`, and only an access within them may rely on it (HostAddresses). Loads at other addresses (of LDS: in files of bytes) are gathered,
// where the host can, lane by lane: their guard tests each lane's address.
#pragma once
#include <cstdint>
#include <vector>

#include "wave/jit/regions.h"

namespace Atoll::wave {

// Accesses with the same address registers, lanes and form. Offsets count from the value of the registers in the chunk's lane 0.
struct GuardedGroup {
  Space space = Space::Global;  // never Flat: addresses in the window are global ones
  AddressForm form = kEqual;    // kConsecutive: 4 bytes from lane to lane; kEqual: all lanes agree; kOther: any
  bool even = false;            // kOther: no address is odd
  bool rows = false;            // kOther: rows now and then, which are worth a look; proves nothing
  int low = -1, high = -1;      // nodes of the first access's address; high only where the space is Global
  int base = -1, offset = -1;   // nodes of a scalar of 64 bits and of lanes of 32, whose sum that address is; -1: it is none
  int condition = -1;           // node; -1: all active lanes
  int64_t begin = 0, end = 0;   // bytes that some access may touch: [begin, end)
};

struct AccessPlan {
  std::vector<int> group_of;  // by node: its group, -1 where the node goes through the checked accesses
  std::vector<GuardedGroup> groups;
  // By node: a load whose value nothing needs. LLVM would drop it, and with it the fault that it may raise.
  std::vector<bool> unwanted;
};

// Bytes from the first to just after the last byte that one access of a group touches in a chunk of `width` lanes.
constexpr int64_t bytes_touched(Space space, AddressForm form, int width) {
  return form == kConsecutive && space != Space::Scratch ? int64_t(width) * 4 : 4;
}

// True if `low` and `high` are the halves of such a sum.
bool is_sum(const std::vector<Node>& nodes, int low, int high, int& base, int& offset);

// `width`: lanes of a chunk. Reads the steps' address forms, which other threads add to, once each.
// `in_loop`: of a loop over several regions (loops.h), whose lanes are all gathered: at another round they stand elsewhere.
AccessPlan plan_accesses(const CodeRegion& region, const Wave& like, int width, bool in_loop = false);
// The plan of code that has no guards.
AccessPlan without_guards(const CodeRegion& region);

}  // namespace Atoll::wave
