// Messages to the URB. A thread's entries are those that it was dispatched with (ThreadContext::urb); what lies beyond an entry's end
// reads 0 and keeps nothing, since no other thread's entry may be reached.
#include <algorithm>
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
  const UrbEntries* of = nullptr;
};

// None: the handle is of no entry.
UrbEntry find_urb_entry(const wave::Wave& wave, const ThreadContext& context, uint32_t handle) {
  handle &= urb_handle_mask;
  for (const UrbEntries& entries : context.urb) {
    if (handle < entries.first || handle >= entries.end || (handle - entries.first) % entries.size) continue;
    const uint64_t at = uint64_t(handle) * urb_row_bytes, size = uint64_t(entries.size) * urb_row_bytes;
    if (at + size > wave.lds_bytes) continue;
    return {wave.lds + at, size, &entries};
  }
  return {};
}

// The entry behind `before`, if the handle is that one's: lanes' mostly follow each other.
UrbEntry next_entry(const wave::Wave& wave, const UrbEntry& before, uint32_t handle) {
  handle &= urb_handle_mask;
  if (!before.bytes || handle >= before.of->end) return {};
  uint8_t* const bytes = before.bytes + before.size;
  const bool is_next = uint64_t(handle) * urb_row_bytes == uint64_t(bytes - wave.lds);
  return is_next && uint64_t(bytes - wave.lds) + before.size <= wave.lds_bytes ? UrbEntry{bytes, before.size, before.of}
                                                                               : UrbEntry{};
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
  const uint32_t *handles = c.payload(0), *offsets = m.offsets ? c.payload(1) : nullptr,
                 *channels = m.masks ? c.payload(first - 1) : nullptr;
  for (uint32_t rest = c.enabled & 0xff; rest; rest &= rest - 1) {
    const auto lane = unsigned(std::countr_zero(rest));
    const uint32_t handle = handles[lane];
    if (lane) entries[lane] = next_entry(c.wave, entries[lane - 1], handle);
    if (!entries[lane].bytes) entries[lane] = find_urb_entry(c.wave, context, handle);
    if (!entries[lane].bytes) {
      c.fault = wave::FaultKind::Illegal, c.address = handle, c.lane = int(lane);
      c.reason = "send.urb: a handle that names no entry of the thread's";
      return;
    }
    starts[lane] = (uint64_t(m.offset) + (offsets ? offsets[lane] : 0)) * urb_slot_bytes;
    masks[lane] = channels ? channels[lane] >> 16 : ~0u;
  }
  if (m.write && c.probing) return;
  uint32_t* rows[most_urb_components];
  for (unsigned n = 0; n < components; n++) rows[n] = m.write ? c.payload(first + n) : c.answer(n);
  for (uint32_t rest = c.enabled & 0xff; rest; rest &= rest - 1) {
    const auto lane = unsigned(std::countr_zero(rest));
    const UrbEntry& entry = entries[lane];
    const uint64_t room = starts[lane] < entry.size ? (entry.size - starts[lane]) / 4 : 0;
    const unsigned inside = unsigned(std::min<uint64_t>(room, components));
    uint8_t* at = entry.bytes + (inside ? starts[lane] : 0);
    if (m.write) {
      for (unsigned n = 0; n < inside; n++)
        if (masks[lane] >> n & 1) std::memcpy(at + n * 4, rows[n] + lane, 4);
    } else {
      for (unsigned n = 0; n < components; n++) {
        uint32_t value = 0;
        if (n < inside) std::memcpy(&value, at + n * 4, 4);
        rows[n][lane] = value;
      }
    }
  }
}

}  // namespace Atoll::xe_lp
