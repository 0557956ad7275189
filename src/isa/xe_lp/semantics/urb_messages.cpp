// Messages to the URB. A thread's entries are those that it was dispatched with (ThreadContext::urb); what lies beyond an entry's end
// reads 0 and keeps nothing, since no other thread's entry may be reached.
#include <bit>
#include <cstring>

#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/semantics/send_called.h"
#include "isa/xe_lp/urb_message.h"

namespace Atoll::xe_lp {
namespace {

struct UrbEntry {
  uint8_t* bytes = nullptr;
  uint64_t size = 0;
};

// None: the handle is of no entry.
UrbEntry find_urb_entry(const wave::Wave& wave, const ThreadContext& context, uint32_t handle) {
  handle &= urb_handle_mask;
  for (const UrbEntries& entries : context.urb) {
    if (handle < entries.first || handle >= entries.end || (handle - entries.first) % entries.size) continue;
    const uint64_t at = uint64_t(handle) * urb_row_bytes, size = uint64_t(entries.size) * urb_row_bytes;
    if (at + size > wave.lds_bytes) continue;
    return {wave.lds + at, size};
  }
  return {};
}

}  // namespace

void run_urb_message(SendCall& c) {
  UrbMessage m;
  if (const char* why = read_urb_message(c.descriptor, m)) return void(c.fail(why));
  if (m.fence) return;  // threads see each other's entries as they are
  const unsigned length = (c.descriptor >> 25 & 15) + (c.extended >> 6 & 31), first = m.header_registers();
  if (length < first) return void(c.fail("send.urb: a payload without the handles, offsets or masks that it should have"));
  const unsigned components = m.write ? length - first : c.has_answer() ? c.descriptor >> 20 & 31 : 0;
  if (components > most_urb_components) return void(c.fail("send.urb: a write of more than two slots"));
  const ThreadContext& context = context_of(c.wave);
  // All handles first: what is read may be put where they stand.
  UrbEntry entries[8];
  uint64_t starts[8];
  uint32_t masks[8];
  for (uint32_t rest = c.enabled & 0xff; rest; rest &= rest - 1) {
    const auto lane = unsigned(std::countr_zero(rest));
    const uint32_t handle = c.payload(0)[lane];
    entries[lane] = find_urb_entry(c.wave, context, handle);
    if (!entries[lane].bytes) {
      c.fault = wave::FaultKind::Illegal, c.address = handle, c.lane = int(lane);
      c.reason = "send.urb: a handle that names no entry of the thread's";
      return;
    }
    starts[lane] = (uint64_t(m.offset) + (m.offsets ? c.payload(1)[lane] : 0)) * urb_slot_bytes;
    masks[lane] = m.masks ? c.payload(first - 1)[lane] >> 16 : ~0u;
  }
  if (m.write && c.probing) return;
  for (uint32_t rest = c.enabled & 0xff; rest; rest &= rest - 1) {
    const auto lane = unsigned(std::countr_zero(rest));
    for (unsigned n = 0; n < components; n++) {
      const uint64_t at = starts[lane] + n * 4u;
      const bool inside = at + 4 <= entries[lane].size;
      if (m.write) {
        if (inside && masks[lane] >> n & 1) std::memcpy(entries[lane].bytes + at, c.payload(first + n) + lane, 4);
      } else {
        uint32_t value = 0;
        if (inside) std::memcpy(&value, entries[lane].bytes + at, 4);
        c.answer(n)[lane] = value;
      }
    }
  }
}

}  // namespace Atoll::xe_lp
