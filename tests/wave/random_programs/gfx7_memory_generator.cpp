// Random accesses to LDS, buffers, flat and scalar memory, and images.
#include <algorithm>
#include <string_view>

#include "gfx7_programs.h"
#include "isa/gfx7/buffer_format.h"
#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7::test {

BufferFormat random_format(Random& r) {
  bool wanted = !r.chance(1);
  for (;;) {
    BufferFormat f{r.below(16), r.below(8)};
    if (!wanted || buffer_format(f.data, f.number)) return f;
  }
}

void Generator::aimed(Code& code, const Aim& aim) {
  for (int tries = 0; tries < 1000; tries++)
    if (memory(code, {.depth = 2, .exec_writes = false, .calls = false}, &aim)) return;
  broken_promise(
      fmt::format("no instruction for an aim at space {}, VGPR {}, offset {:#x}", int(aim.space), aim.address, aim.offset)
          .c_str(),
      __FILE__, __LINE__);
}

// `aim`: there, and not where the reserved registers lead. (Global memory is flat, private memory lies in buffers here.)
bool Generator::memory(Code& code, const Context& context, const Aim* aim) {
  static constexpr Class classes[] = {Lds, Lds, Lds, Flat, Flat, Smem, Buffer, Buffer, Buffer},
                         aims[] = {Lds, Flat, Flat, Buffer, Smem, Buffer};
  Class c = aim ? aims[aim->space] : classes[r.below(std::size(classes))];
  const Opcode* row = pick(c);
  if (!row) return false;
  std::string_view name = row->name;
  bool store = row->has(Flag::Store) || name.starts_with("ds_write"), load = row->has(Flag::Load) || name.starts_with("ds_read");
  bool atomic = !store && !load;
  bool format = name.find("format") != name.npos;
  unsigned dwords = 1;
  for (const OperandRow& o : row->rows())
    if (o.slot == Slot::Data || o.slot == Slot::Dst) dwords = std::max(dwords, o.type.dwords());
  if (c == Smem && !has_room(dwords, context)) return false;
  if (name.find("src2") != name.npos && name.find("64") != name.npos) dwords = 2;
  BufferFormat buffer_format = random_format(r);
  // Lanes must not overlap where one lane stores several dwords: which of them wins is nobody's promise.
  bool own = store && (dwords > 1 || row->has(Flag::TwoAddress) || format);
  bool dword = dwords == 1 && !format && !row->has(Flag::TwoAddress) && name.find("byte") == name.npos &&
               name.find("short") == name.npos && !name.ends_with("8") && !name.ends_with("16");
  if (aim && c != Smem && ((own && !aim->apart) || (atomic && (aim->plain || r.chance(80))) || (aim->plain && !dword)))
    return false;
  bool to_lds = c == Buffer && load && dwords == 1 && !row->has(Flag::Typed) && r.chance(20);
  bool addr64 = c == Buffer && !row->has(Flag::Bare) && r.chance(15);
  uint32_t align = atomic || own || r.chance(80) ? (dwords > 1 ? 8u : 4u) : 1u, from = r.below(DATA_VGPRS);
  // One aperture for all lanes, or each its own.
  bool wide_atomic = atomic && dwords > 1;  // private memory has none: a fault
  bool apertures = c == Flat && r.chance(60), each = apertures && !own && r.chance(wide_atomic ? 1 : 60),
       in_private = apertures && !each && r.chance(wide_atomic ? 1 : 50);
  uint32_t bits = (apertures ? 0x7f : 0xfff) & ~(align - 1);
  Code prepare;
  bool global_share = c == Lds && r.chance(15);
  uint32_t address = aim ? aim->address : uint32_t(ADDRESS), base = aim ? aim->base : uint32_t(BUFFER_BASE),
           descriptor = aim ? aim->descriptor : uint32_t(BUFFER_DESCRIPTOR);
  auto scalar_offset = [&](uint32_t none) {
    if (aim) return aim->has_scalar_offset ? aim->scalar_offset : none;
    return r.chance(50) && !own ? uint32_t(SMALL_OFFSET) : none;
  };
  if (aim) {
    if (global_share)
      text(prepare, "s_mov_b32 m0, s{}", aim->scalar_offset);
    else if (to_lds || (c == Lds && r.chance(20)))
      text(prepare, "s_mov_b32 m0, s{}", aim->scalar_offset);
    else if (c == Lds)
      text(prepare, "s_mov_b32 m0, -1");
  } else if (global_share)
    text(prepare, "s_mov_b32 m0, {:#x}", r.below(64) << 18 | r.below(2 * shared_bytes));  // base and size of the wave's part
  else if (c == Lds && r.chance(85))
    text(prepare, "s_mov_b32 m0, {}", r.chance(90) ? -1 : int(r.below(lds_bytes)));  // how far LDS reaches
  if (to_lds && !aim) text(prepare, "s_movk_i32 m0, {}", r.below(1024) * 4);
  if (c != Smem && !aim) {
    uint32_t form = r.below(4);  // consecutive, equal or any
    if (own && in_private) {     // each lane's own anyway
      text(prepare, "v_and_b32 v{}, 0x78, v{}", int(ADDRESS), from);
    } else if (own || (form == 0 && !apertures)) {
      text(prepare, "v_and_b32 v{}, {}, v{}", int(ADDRESS), own ? 0x20 : 0, from);
      if (own)
        text(prepare, "v_or_b32 v{}, v{}, v{}", int(ADDRESS), int(ADDRESS), int(LANE_BASE));
      else
        text(prepare, "v_lshrrev_b32 v{}, {}, v{}", int(ADDRESS), dwords >= 4 ? 2 : dwords >= 2 ? 3 : 4, int(LANE_BASE));
    } else if (form == 1) {
      text(prepare, "s_and_b32 s{}, s{}, {:#x}", int(SCALAR_ADDRESS), r.below(DATA_SGPRS), bits);
      text(prepare, "v_mov_b32 v{}, s{}", int(ADDRESS), int(SCALAR_ADDRESS));
    } else {
      text(prepare, "v_and_b32 v{}, {:#x}, v{}", int(ADDRESS), bits, from);
    }
    if (c == Flat && each)
      text(prepare, "v_mov_b32 v{}, v{}", ADDRESS + 1, int(FLAT_HIGH));
    else if (c == Flat)
      text(prepare, "v_mov_b32 v{}, {:#x}", ADDRESS + 1,
           in_private    ? private_high
           : apertures   ? shared_high
           : r.chance(1) ? 0x7f
                         : uint32_t(buffer_base >> 32));
    if (c == Buffer) text(prepare, "v_mov_b32 v{}, {:#x}", ADDRESS + 1, addr64 ? 0 : r.below(16) * align);
  }
  const Layout& form = layout(*row);
  std::vector<uint32_t> words(form.words);
  words[0] = form.fixed;
  bool literal = false, index = !own && !addr64 && r.chance(40), immediate = r.chance(60);
  for (const OperandRow& o : row->rows()) {
    unsigned count = std::max(1u, o.type.dwords());
    uint32_t value = 0;
    switch (o.kind) {
      case Kind::Vgpr:
      case Kind::Returned: value = o.slot == Slot::Address ? address : data_vgpr(count); break;
      case Kind::BufferAddress: value = address; break;
      case Kind::ScalarOffset: value = scalar_offset(INTEGER_0); break;
      case Kind::SmrdOffset:
        immediate &= !aim || !aim->has_scalar_offset;
        value = aim         ? (immediate ? uint32_t(aim->offset) & 0xff : aim->scalar_offset)
                : immediate ? r.below(200)
                            : uint32_t(SMALL_OFFSET);
        break;
      case Kind::BufferFormat: value = buffer_format.data; break;
      case Kind::Sgpr:
        value = o.field == Field::sbase   ? (count == 4 ? descriptor : base) / 2
                : o.field == Field::srsrc ? descriptor / 4
                                          : free_sgpr(count, context.stack);
        break;
      default: value = operand(*row, o, {}, literal); break;
    }
    if (o.bits.width) o.bits.put(words.data(), value);
  }
  // If lanes own 64 bytes each, offsets stay in them.
  uint32_t two = own ? row->has(Flag::Stride64) ? 1 : 3 : 8;
  for (const FieldRow& f : form.fields) {
    uint32_t value = 0;
    switch (f.field) {
      case Field::op: value = row->opcode; break;
      case Field::imm: value = row->operand_count == 3 && immediate && (!aim || !aim->has_scalar_offset); break;
      case Field::offset0:
        value = aim && !row->has(Flag::Bare) ? uint32_t(aim->offset) & 0xff
                : row->has(Flag::Bare)       ? 0
                : row->has(Flag::TwoAddress) ? r.below(two)
                                             : r.below(3) * align;
        break;
      case Field::offset1:
        value = aim && !row->has(Flag::Bare) ? uint32_t(aim->offset) >> 8 & 0xff : row->has(Flag::TwoAddress) ? r.below(two) : 0;
        break;
      case Field::offset:
        if (c != Buffer) continue;
        value = aim                       ? uint32_t(aim->offset) & 0xfff
                : own                     ? r.below(3) * align
                : r.chance(10) && !atomic ? r.below(4096)
                                          : r.below(16) * align;
        break;
      case Field::offen: value = c == Buffer && !row->has(Flag::Bare) && !addr64 && (own || r.chance(50)); break;
      case Field::idxen: value = c == Buffer && !row->has(Flag::Bare) && index; break;
      case Field::addr64: value = addr64; break;
      case Field::gds: value = global_share; break;
      case Field::lds: value = to_lds; break;
      case Field::tfe: value = c == Buffer && load && !to_lds && r.chance(10); break;
      case Field::glc: value = !row->has(Flag::Bare) && r.below(2); break;
      case Field::slc: value = !row->has(Flag::Bare) && r.chance(10); break;
      case Field::nfmt:
        if (!row->has(Flag::Typed)) continue;
        value = buffer_format.number;
        break;
      default: continue;
    }
    f.bits.put(words.data(), value);
  }
  if (literal) words.push_back(r.word());
  if (!valid(words)) return false;
  code.add(prepare);
  code.add(words);
  return true;
}

// The T# and S# are data, or those that nothing else writes; what an image does with an access the machine says.
bool Generator::image(Code& code, bool plain_lookup) {
  const Opcode* row = pick(Image);
  const bool looks_up = row->has(Flag::Sample) || row->has(Flag::Gather4);
  if (plain_lookup && !looks_up) return false;
  const Layout& form = layout(*row);
  std::vector<uint32_t> words(form.words);
  words[0] = form.fixed;
  for (const FieldRow& f : form.fields) {
    uint32_t value = 0;
    switch (f.field) {
      case Field::op: value = row->opcode; break;
      case Field::dmask: value = r.chance(5) ? 0 : 1 + r.below(15); break;
      case Field::glc: value = r.chance(60); break;
      case Field::unorm:
      case Field::da: value = r.chance(plain_lookup ? 3 : 40); break;
      case Field::r128:
      case Field::tfe:
      case Field::lwe:
      case Field::slc: value = r.chance(plain_lookup ? 1 : 10); break;
      case Field::vaddr: value = data_vgpr(8); break;
      case Field::vdata: value = data_vgpr(5); break;
      case Field::srsrc: value = r.chance(plain_lookup ? 99 : 60) ? IMAGE_DESCRIPTOR / 4 : data_sgpr(8) / 4; break;
      case Field::ssamp:
        if (!looks_up) continue;
        value = r.chance(plain_lookup ? 99 : 60) ? IMAGE_DESCRIPTOR / 4 + 2 : data_sgpr(4) / 4;
        break;
      default: continue;
    }
    f.bits.put(words.data(), value);
  }
  if (!valid(words)) return false;
  code.add(words);
  return true;
}

}  // namespace Atoll::gfx7::test
