// The places of tables and their entries: Mesa 25.0.7 src/intel/vulkan/anv_sparse.c (anv_trtt_bind_add), genX_init_state.c
// (init_trtt_context_state), genX_cmd_buffer.c (write_trtt_entries), genxml/gen120.xml (GFX_TRTT_CR and the registers beside it).
// A GPU walks them when its TLB does not know a page, so changes of them take effect with a TLB invalidation.
#include "gpu/dg1/state/tiled_resources.h"

#include <array>

namespace Atoll::dg1 {
namespace {

constexpr uint64_t range_bytes = uint64_t(1) << 44;
constexpr unsigned l3_shift = 35, l2_shift = 26, l1_shift = 16;
// Entries of the two upper levels; those of the lowest are compared with two registers.
constexpr uint64_t entry_is_invalid = 1 << 0, entry_is_nothing = 1 << 1;
constexpr uint64_t table_mask = address_mask & ~uint64_t(0xfff);
// A GPU with 4 GiB of its own needs a few; a program could make 2^18 of one. A process can map 65,530 pieces that are not each
// other's neighbours (Linux, vm.max_map_count).
constexpr unsigned most_tables = 2048, most_pieces = 1 << 15;

class Walk {
public:
  Walk(Context& context, uint32_t registers)
      : c_(context),
        begin_(uint64_t(mmio::tr_va_data(context.registers.read(registers + mmio::trtt_va_range))) << 44),
        nothing_(context.registers.read(registers + mmio::trtt_null)),
        invalid_(context.registers.read(registers + mmio::trtt_invalid)) {}

  // False: there are too many tables, or pieces.
  bool run(uint64_t l3) {
    std::array<uint64_t, 512> top, middle;
    std::array<uint32_t, 1024> lowest;
    if (!read(l3, top)) return true;
    for (uint64_t i = 0; i < top.size(); i++) {
      const uint64_t at = begin_ + (i << l3_shift);
      if (!upper(top[i], at, l3_shift) || !read(top[i], middle)) continue;
      for (uint64_t j = 0; j < middle.size(); j++) {
        if (found.size() > most_pieces) return false;
        const uint64_t below = at + (j << l2_shift);
        if (!upper(middle[j], below, l2_shift)) continue;
        if (++tables_ > most_tables) return false;
        if (!read(middle[j], lowest)) continue;
        for (uint64_t k = 0; k < lowest.size(); k++) tile(lowest[k], below + (k << l1_shift));
      }
    }
    return found.size() <= most_pieces;
  }

  std::vector<Alias> found;

private:
  Context& c_;
  const uint64_t begin_;
  const uint32_t nothing_, invalid_;
  unsigned tables_ = 0;

  // A table that is not there says nothing.
  template <class Table>
  bool read(uint64_t address, Table& table) {
    address &= table_mask;
    return c_.space.contains(address, sizeof table) && c_.read(address, table.data(), sizeof table, "read of a table of tiles");
  }

  void add(uint64_t at, uint64_t bytes, uint64_t target) {
    if (!found.empty() && found.back().end() == at) {
      Alias& last = found.back();
      const bool goes_on =
          target == Alias::nothing ? last.target == target : last.target != Alias::nothing && last.target + last.bytes == target;
      if (goes_on) {
        last.bytes += bytes;
        return;
      }
    }
    found.push_back({at, bytes, target});
  }

  // True if the entry names a table.
  bool upper(uint64_t entry, uint64_t at, unsigned shift) {
    if (entry & entry_is_nothing) add(at, uint64_t(1) << shift, Alias::nothing);
    return !(entry & (entry_is_nothing | entry_is_invalid));
  }

  void tile(uint32_t entry, uint64_t at) {
    constexpr uint64_t bytes = uint64_t(1) << l1_shift;
    if (entry == nothing_)
      add(at, bytes, Alias::nothing);
    else if (entry != invalid_)
      add(at, bytes, uint64_t(entry) << l1_shift);
  }
};

}  // namespace

bool translate_tiled_resources(Context& c) {
  const uint32_t registers = c.kind == gpu::QueueKind::copy ? mmio::copy_trtt : mmio::trtt;
  const bool enabled = c.registers.read(registers + mmio::trtt_control) & mmio::trtt_enable;
  if (!enabled && !c.aliases) return true;
  if (!c.aliases) c.aliases = Aliases::of(c.space);
  const uint32_t range = c.registers.read(registers + mmio::trtt_va_range);
  Expected<void> done;
  if (!enabled) {
    done = c.aliases->set(0, uint64_t(1) << Sections::address_bits, {});
    c.aliases.reset();
  } else {
    if (mmio::tr_va_mask(range) != 0xf)
      return c.lose(fmt::format("TR-TT with a mask of {:#x} for addresses is not executed", mmio::tr_va_mask(range)));
    const uint64_t l3 = c.registers.read64(registers + mmio::trtt_l3);
    Walk walk(c, registers);
    if (!walk.run(l3))
      return c.lose(
          fmt::format("the table of tiles at {:#x} leads to more than {} others or {} pieces", l3, most_tables, most_pieces));
    if (c.lost()) return false;
    done = c.aliases->set(uint64_t(mmio::tr_va_data(range)) << 44, range_bytes, walk.found);
  }
  if (!done) return c.lose(done.error().message);
  c.environment->begin_submission(&c);
  return true;
}

}  // namespace Atoll::dg1
