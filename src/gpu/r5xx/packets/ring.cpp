#include "gpu/r5xx/packets/ring.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/r5xx/byte_swap.h"
#include "registers/pm4_header.h"
#include "registers/r5xx.h"

namespace Atoll::r5xx {

// True if the chip reads the primary stream from memory (bus mastering). CP_CSQ_MODE overrides CP_CSQ_CNTL if it enables a
// buffer.
bool Ring::enabled() const {
  auto mode = c_.registers.read<CP_CSQ_MODE>();
  if (CP_CSQ_MODE::CSQ_PRIMARY_ENABLE::get(mode)) return CP_CSQ_MODE::CSQ_PRIMARY_MODE::get(mode);
  uint32_t control = c_.registers.get<CP_CSQ_CNTL::CSQ_MODE>();
  return control == 2 || control == 4 || control == 6 || control == 8;
}

bool Ring::takes_writes(Queue queue) const {
  using Mode = CP_CSQ_MODE;
  const auto mode = c_.registers.read<Mode>();
  const uint32_t control = c_.registers.get<CP_CSQ_CNTL::CSQ_MODE>();
  switch (queue) {
    case primary:
      if (Mode::CSQ_PRIMARY_ENABLE::get(mode)) return !Mode::CSQ_PRIMARY_MODE::get(mode);
      return control == 1 || control == 3 || control == 5 || control == 7 || control == 15;
    case indirect_1: return Mode::CSQ_INDIRECT1_ENABLE::get(mode) ? !Mode::CSQ_INDIRECT1_MODE::get(mode) : control == 15;
    default: return Mode::CSQ_INDIRECT2_ENABLE::get(mode) ? !Mode::CSQ_INDIRECT2_MODE::get(mode) : control == 15;
  }
}

void Ring::take(Queue queue, uint32_t dword) {
  if (c_.lost()) return;
  if (!takes_writes(queue)) return c_.unknown("a write to a command queue that is read from memory or off (CP_CSQ_APER)");
  auto& words = pending_[queue];
  words.push_back(dword);
  const registers::PacketHeader header = registers::read_header(words[0], registers::Pm4Dialect::R5xx);
  if (words.size() < 1 + header.dwords) return;
  processor_.begin();
  processor_.run(std::exchange(words, {}), 0);
}

void Ring::write_register(uint32_t address, uint32_t value) {
  switch (address) {
    case CP_RB_RPTR::address(): return;  // read only: CP_RB_RPTR_WR sets it
    case CP_RB_RPTR_WR::address():
    case CP_RB_BASE::address(): processor_.write(address, value); return;
    case CP_RB_WPTR::address(): run(CP_RB_WPTR::RB_WPTR::get(value)); return;
    default: break;
  }
  // The apertures of the three queues, each up to the next and the last as long as the one before.
  constexpr uint32_t first = CP_CSQ_APER_PRIMARY::address(), second = CP_CSQ_APER_INDIRECT2::address(),
                     third = CP_CSQ_APER_INDIRECT::address(), end = 2 * third - second;
  if (address >= first && address < second) return take(primary, Word<CP_CSQ_APER_PRIMARY>(value).whole());
  if (address >= second && address < third) return take(indirect_2, Word<CP_CSQ_APER_INDIRECT2>(value).whole());
  if (address >= third && address < end) return take(indirect_1, Word<CP_CSQ_APER_INDIRECT>(value).whole());
  processor_.write(address, value);
  processor_.write_back();  // it may have drawn
}

void Ring::run(uint32_t write_pointer) {
  const auto control = c_.registers.read<CP_RB_CNTL>();
  // 0 and 1: 8 dwords; n: 2^(n + 1), at most 2^23.
  const uint32_t size = 2u << std::clamp(CP_RB_CNTL::RB_BUFSZ::get(control), 2u, 22u);
  c_.registers.set(CP_RB_WPTR::address(), write_pointer);
  if (CP_RB_CNTL::RB_RPTR_WR_ENA::get(control)) c_.registers.set(CP_RB_RPTR::address(), c_.registers.whole<CP_RB_RPTR_WR>());
  if (!enabled() || c_.lost()) return;
  uint32_t read_pointer = c_.registers.get<CP_RB_RPTR::RB_RPTR>() & (size - 1);
  write_pointer &= size - 1;
  const uint64_t base = c_.registers.get<CP_RB_BASE::RB_BASE>() << CP_RB_BASE::RB_BASE::low;
  const auto* ring = reinterpret_cast<const uint32_t*>(c_.memory(base, uint64_t(size) * 4, false, "ring (CP_RB_BASE)"));
  if (!ring) return;

  // The words between the pointers are copied, because the ring may be filled further meanwhile.
  std::vector<uint32_t> words;
  for (uint32_t at = read_pointer; at != write_pointer; at = (at + 1) & (size - 1))
    words.push_back(swapped(ring[at], CP_RB_CNTL::BUF_SWAP::get(control)));
  processor_.begin();
  processor_.run(std::move(words), base + uint64_t(read_pointer) * 4);

  c_.registers.set(CP_RB_RPTR::address(), write_pointer);
  if (CP_RB_CNTL::RB_NO_UPDATE::get(control)) return;
  const uint64_t copy = c_.registers.get<CP_RB_RPTR_ADDR::RB_RPTR_ADDR>() << CP_RB_RPTR_ADDR::RB_RPTR_ADDR::low;
  if (copy == 0) return;  // nobody asked for the host's copy
  write_pointer = swapped(write_pointer, c_.registers.get<CP_RB_RPTR_ADDR::RB_RPTR_SWAP>());
  c_.write(copy, &write_pointer, 4, "copy of the read pointer (CP_RB_RPTR_ADDR)");
}

}  // namespace Atoll::r5xx
