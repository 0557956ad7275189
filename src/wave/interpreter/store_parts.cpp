#include "wave/interpreter/store_parts.h"

#include <memory>

namespace Atoll::wave::ATOLL_LEVEL {
namespace {

// The data of an instruction's parts until the last of them is there. An instruction starts over with its first part: whatever an older
// one left is discarded.
struct StoreParts {
  struct Part {
    MemoryAccess access;
    uint32_t live;
    alignas(64) uint32_t low[kLanes], high[kLanes], value[kLanes];
  } part[max_store_parts];
  unsigned count = 0;
};
StoreParts& store_parts() {
  // Not in the thread's static storage: a library that is loaded into a running program has next to none of it.
  static thread_local std::unique_ptr<StoreParts> parts;
  if (!parts) parts = std::make_unique<StoreParts>();
  return *parts;
}

// True if a store has only adjacent dwords, in lanes that stand in a row: no lane touches another's.
template <int N>
bool store_rows(Interpreter& e, const StoreParts& parts, const Block& block) {
  unsigned stride = 4 * parts.count;
  for (unsigned n = 0; n < parts.count; n++) {
    const MemoryAccess &first = parts.part[0].access, &x = parts.part[n].access;
    if (x.bytes != 4 || x.stride != stride || x.offset != first.offset + 4 * int32_t(n)) return false;
    if (n && std::memcmp(parts.part[n].low, parts.part[0].low, N * 4)) return false;
    if (n && parts.part[n].live != parts.part[0].live) return false;
  }
  if (!block.live) return true;
  Form f = form_of<N>(e.wave, block, stride, stride);
  if (N == kHalf || f.place) note_form(e, f.form);
  if (!f.place || f.form != kConsecutive) return false;
  for (unsigned n = 0; n < parts.count; n++)
    for (int h = 0; h < N; h += kHalf)
      if (!store_row(f.place + 4 * n + unsigned(h) * stride, parts.part[n].access, stride, block.live >> h & 0xffff,
                     parts.part[n].value + h))
        return false;
  return true;
}

// 16 lanes, one after the other, each with all of its parts.
void store_lane_by_lane(Interpreter& e, const StoreParts& parts, int from, int first_lane, uint32_t live) {
  auto block_of_part = [&](unsigned n) {
    const auto& p = parts.part[n];
    return Block{p.low + from, p.high + from, p.access.space, p.access.offset, first_lane + from, p.live >> from & 0xffff};
  };
  live = live >> from & 0xffff;
  note_form(e, kOther);
  uint8_t* memory[max_store_parts] = {};
  alignas(64) uint64_t at[max_store_parts][kHalf];
  bool inside = !e.probing;
  for (unsigned n = 0; n < parts.count && inside; n++) {
    U16x64 offsets;
    memory[n] = const_cast<uint8_t*>(offsets_inside(e.wave, block_of_part(n), parts.part[n].access.bytes, offsets));
    std::memcpy(at[n], &offsets, sizeof at[n]);
    inside = memory[n];
  }
  for (uint32_t rest = live; rest; rest &= rest - 1) {
    int l = std::countr_zero(rest);
    for (unsigned n = 0; n < parts.count; n++) {
      Block block = block_of_part(n);
      if (!(block.live >> l & 1)) continue;
      if (inside)
        write(memory[n] + at[n][l], parts.part[n].access.bytes, parts.part[n].value[from + l]);
      else
        block.live = 1u << l, store_any(e, parts.part[n].access, block, parts.part[n].value + from);
    }
  }
}

}  // namespace

template <int N>
void store_part(Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value) {
  StoreParts& parts = store_parts();
  if (access.part == 0) parts.count = 0;
  if (parts.count != access.part || parts.count == max_store_parts) broken_promise("stores in their order", __FILE__, __LINE__);
  auto& own = parts.part[parts.count];
  own.access = access, own.access.space = block.space, own.live = block.live;
  std::memcpy(own.low, block.low, N * 4);
  std::memcpy(own.high, block.high, N * 4);
  std::memcpy(own.value, value, N * 4);
  parts.count++;
  if (parts.count != access.parts) return;
  uint32_t live = 0;
  bool own_memory = true;  // private memory is each lane's own: lanes cannot overlap
  for (unsigned n = 0; n < parts.count; n++) {
    live |= parts.part[n].live;
    own_memory &= parts.part[n].access.space == Space::Scratch;
  }
  if (!live) return;
  const auto& first = parts.part[0];
  Block all{first.low, first.high, first.access.space, first.access.offset, block.first_lane, first.live};
  if (own_memory && !e.probing) {
    for (unsigned n = 0; n < parts.count; n++) {
      const auto& p = parts.part[n];
      Block of_part{p.low, p.high, p.access.space, p.access.offset, block.first_lane, p.live};
      for (int h = 0; h < N; h += kHalf) store_any(e, p.access, of_part.half(h), p.value + h);
    }
    return;
  }
  bool flat = false;
  for (unsigned n = 0; n < parts.count; n++) flat |= parts.part[n].access.space == Space::Flat;
  if (!e.probing && !flat && !own_memory && store_rows<N>(e, parts, all)) return;
  for (int h = 0; h < N; h += kHalf) store_lane_by_lane(e, parts, h, block.first_lane, live);
}

template void store_part<kLanes>(Interpreter&, const MemoryAccess&, const Block&, const uint32_t*);
template void store_part<kHalf>(Interpreter&, const MemoryAccess&, const Block&, const uint32_t*);

}  // namespace Atoll::wave::ATOLL_LEVEL
