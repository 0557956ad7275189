#include "isa/gfx7/decode.h"

#include <cstring>
#include <string_view>

#include "base/removable_check.h"
#include "isa/amd/decode.h"
#include "isa/gfx7/operands.h"
#include "isa/gfx7/registers.h"

namespace Atoll::gfx7 {
namespace {

using amd::refuse, amd::vgpr_problem;

// A register, constant or literal number for an operand of the table.
const char* operand(Instruction& i, const OperandRow& o, uint32_t raw, Unused unused, bool& wants_literal) {
  const Opcode& row = *i.opcode;
  unsigned dwords = o.type.dwords();
  bool direct = raw == LDS_DIRECT && o.slot == Slot::Src0 && takes_lds_direct(row);
  switch (o.kind) {
    case Kind::Vgpr:
    case Kind::Returned:
      if (o.bits.width == 9) {
        if (raw < VGPR0) return refuse("{} takes a VGPR, not operand {}", row.name, raw);
        raw -= VGPR0;
      }
      if (o.kind == Kind::Returned && i.glc == 0) {
        if (raw != 0 && unused == Unused::refused) return refuse("{} without GLC returns nothing: VDST must be zero", row.name);
        raw = 0;
        break;
      }
      if (const char* problem = vgpr_problem(raw, dwords)) return problem;
      if (is_source(o.slot)) raw += VGPR0;
      break;
    case Kind::Sgpr:
    case Kind::Mask:
      if (o.field == Field::sbase) raw *= 2;
      if (o.field == Field::srsrc || o.field == Field::ssamp) raw *= 4;
      if (o.kind == Kind::Mask && is_source(o.slot) && special_source(raw)) break;
      if (const char* problem = scalar_register_problem(raw, dwords))
        return refuse("{}: scalar operand {}: {}", row.name, raw, problem);
      break;
    case Kind::ScalarSource:
    case Kind::ScalarInline:
    case Kind::VectorSource:
    case Kind::VgprOrDirect:
    case Kind::ScalarOffset:
      if (direct) break;
      if (raw >= VGPR0) {
        if (o.kind != Kind::VectorSource && o.kind != Kind::VgprOrDirect) return refuse("{} takes no VGPR there", row.name);
        if (const char* problem = vgpr_problem(raw - VGPR0, dwords)) return problem;
      } else if (o.kind == Kind::VgprOrDirect) {
        return refuse("{} takes a VGPR, not operand {}", row.name, raw);
      } else if (raw == LITERAL) {
        if (o.kind == Kind::ScalarInline || o.kind == Kind::ScalarOffset || row.format == Format::VOP3)
          return refuse("{} takes no literal there", row.name);
        wants_literal = true;
      } else if (raw < 128) {
        if (const char* problem = scalar_register_problem(raw, dwords))
          return refuse("{}: scalar operand {}: {}", row.name, raw, problem);
      } else if (!inline_constant(raw) && !special_source(raw)) {
        return refuse("source operand {} is not defined for {}", raw, row.name);
      }
      break;
    case Kind::SmrdOffset:
      if (i.imm == 0) {
        if (raw == LITERAL)
          wants_literal = true;
        else if (const char* problem = scalar_register_problem(raw, 1))
          return refuse("{}: scalar operand {}: {}", row.name, raw, problem);
      }
      break;
    case Kind::Parameter:
      if (raw > 2) return refuse("{}: there is no parameter {}", row.name, raw);
      break;
    default: break;
  }
  if (uint16_t* place = slot_of(i, o.slot)) *place = uint16_t(raw);
  return nullptr;
}

// True if the instruction gives this field a meaning; the others must be zero, as text cannot tell them.
bool uses(const Instruction& i, Field field) {
  const Opcode& row = *i.opcode;
  for (const OperandRow& o : row.rows()) {
    if (o.field == field && o.bits.width != 0) return true;
    if (o.kind == Kind::SmrdOffset && field == Field::imm) return true;
    if (o.kind == Kind::BufferFormat && field == Field::nfmt) return true;
    if (o.kind == Kind::Attribute && field == Field::attrchan) return true;
  }
  switch (field) {
    case Field::op:
    case Field::encoding: return true;
    case Field::clamp: return row.has(Flag::Clamp);
    case Field::omod: return row.has(Flag::Omod);
    case Field::offset0:
    case Field::offset1:
    case Field::gds: return !row.has(Flag::Bare);
    case Field::glc:
    case Field::slc: return !row.has(Flag::Bare);
    case Field::offset:
    case Field::offen:
    case Field::idxen:
    case Field::addr64: return !row.has(Flag::Bare) && row.format != Format::SMRD;
    case Field::lds: return row.has(Flag::Lds);
    case Field::tfe: return !row.has(Flag::Bare) && (row.format != Format::MUBUF || row.has(Flag::Load));
    case Field::dmask:
    case Field::unorm:
    case Field::da:
    case Field::r128:
    case Field::lwe:
    case Field::en:
    case Field::compr:
    case Field::done:
    case Field::vm:
    case Field::neg:
    case Field::abs: return true;
    default: return false;
  }
}

std::string_view field_name(Field field) {
  switch (field) {
    case Field::simm16: return "SIMM16";
    case Field::sdst: return "SDST";
    case Field::vdst: return "VDST";
    case Field::src0: return "SRC0";
    case Field::src1: return "SRC1";
    case Field::src2: return "SRC2";
    default: return "a field";
  }
}

const char* buffer(Instruction& i, Unused unused) {
  if (i.addr64 && (i.offen || i.idxen)) return "ADDR64 together with OFFEN or IDXEN";
  unsigned registers = i.addr64 ? 2u : unsigned(i.offen) + unsigned(i.idxen);
  if (unused == Unused::ignored && registers == 0) i.address = 0;
  if (unused == Unused::ignored && i.lds) i.data = 0;
  if (registers == 0 && i.address != 0) return "VADDR must be zero without OFFEN, IDXEN and ADDR64";
  if (i.address + registers > 256) return "the address reaches past v255";
  if (i.lds && i.tfe) return "LDS together with TFE";
  if (i.lds && i.data != 0) return "VDATA must be zero with LDS";
  if (i.data + i.opcode->operands[0].type.dwords() + unsigned(i.tfe) > 256) return "the data reach past v255";
  return nullptr;
}

const char* image(const Instruction& i) {
  const Opcode& row = *i.opcode;
  if (i.data + image_data_dwords(i) > 256) return "the data reach past v255";
  if (i.address + row.operands[1].type.dwords() > 256) return "the address reaches past v255";
  return nullptr;
}

}  // namespace

const char* decode_into(std::span<const uint8_t> bytes, Instruction& i, Unused unused) {
  i = {};
  if (bytes.size() < 4) return refuse("an instruction takes at least 4 bytes; {} are left", bytes.size());
  uint32_t words[2] = {};
  std::memcpy(words, bytes.data(), std::min<size_t>(bytes.size(), 8));
  unsigned available = unsigned(std::min<size_t>(bytes.size(), 8) / 4);
  amd::Found found;
  if (const char* error = amd::find_row(table, {words, available}, found)) return error;
  Format format = found.format;
  const Opcode* row = i.opcode = found.row;
  const Layout& form = layout(*row);
  i.bytes = uint8_t(form.words * 4);
  for (unsigned n = 0; n < form.words; ++n)
    if (uint32_t reserved = words[n] & ~form.used[n])
      return refuse("{}: reserved bits {:#x} of dword {} are set", row->name, reserved, n);
  for (const FieldRow& f : form.fields) {
    uint32_t value = f.bits.get(words);
    if (value != 0 && !uses(i, f.field)) {
      if (unused == Unused::ignored) continue;
      return refuse("{}: {} must be zero", row->name, field_name(f.field));
    }
    if (uint16_t* place = modifier_of(i, f.field)) *place = uint16_t(value);
  }
  if (i.neg & ~row->neg) return refuse("{} has no such NEG modifier", row->name);
  if (i.abs & ~row->abs) return refuse("{} has no such ABS modifier", row->name);
  bool wants_literal = false;
  for (const OperandRow& o : row->rows()) {
    if (o.kind == Kind::ImpliedVcc) {
      *slot_of(i, o.slot) = VCC_LO;
    } else if (o.kind == Kind::Literal) {
      wants_literal = true;
    } else if (o.bits.width != 0) {
      if (const char* error = operand(i, o, o.bits.get(words), unused, wants_literal)) return error;
    }
  }
  const char* problem = nullptr;
  switch (format) {
    case Format::MUBUF:
    case Format::MTBUF:
      if (!row->has(Flag::Bare)) problem = buffer(i, unused);
      break;
    case Format::MIMG: problem = image(i); break;
    case Format::DS:
      if (row->has(Flag::GdsOnly) && i.gds == 0) problem = "GDS must be set";
      break;
    case Format::EXP:
      for (unsigned n = 0; n < 4; ++n) {
        unsigned readers = i.compr ? (n < 2 ? 3u << 2 * n : 0u) : 1u << n;  // with COMPR a VSRC holds two components
        if (i.en & readers || i.exports[n] == 0) continue;
        if (unused == Unused::ignored)
          i.exports[n] = 0;
        else
          problem = "a VSRC that EN leaves out must be zero";
      }
      break;
    case Format::VINTRP:
      if (!ATOLL_CHECK("attribute.index", i.attr < attribute_count)) problem = "there are attributes 0 to 32";
      break;
    default: break;
  }
  if (problem != nullptr) return refuse("{}: {}", row->name, problem);
  if (wants_literal) {
    if (bytes.size() < i.bytes + 4u) return refuse("the instruction ends before its literal");
    i.literal = words[1];
    i.bytes = uint8_t(i.bytes + 4);
  }
  return nullptr;
}

Expected<Instruction> decode(std::span<const uint8_t> bytes) {
  Instruction i;
  if (const char* error = decode_into(bytes, i)) return fail("{}", error);
  return i;
}

}  // namespace Atoll::gfx7
