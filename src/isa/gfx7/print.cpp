#include "isa/gfx7/print.h"

#include "isa/amd/instruction_text.h"
#include "isa/amd/swizzle.h"
#include "isa/gfx7/constants.h"
#include "isa/gfx7/immediates.h"
#include "isa/gfx7/names.h"
#include "isa/gfx7/operands.h"

namespace Atoll::gfx7 {
namespace {

// The flags before an offset, and those behind it.
constexpr auto first_flags = std::span(flag_names).first(4), last_flags = std::span(flag_names).subspan(4);

struct Printer : amd::InstructionText {
  const Instruction& i;
  const Opcode& row = *i.opcode;
  explicit Printer(const Instruction& instruction) : i(instruction) {}

  std::string whole() {
    text = row.name;
    text += row.has(Flag::E32) ? "_e32" : row.has(Flag::E64) ? "_e64" : "";
    add_operands(row, [&](const OperandRow& o) { return operand(o); });
    modifiers();
    return std::move(text);
  }

  std::string source(const OperandRow& o) const {
    unsigned number = *slot_of(i, o.slot), index = unsigned(o.slot) - unsigned(Slot::Src0);
    std::string name = number == LITERAL ? literal_text(constant_class(o.type), i.literal)
                                         : amd::source_name(registers, constant_class(o.type), amd::floats_of_sea_islands, number,
                                                            o.type.dwords());
    return amd::modified_name(name, i.neg >> index & 1, i.abs >> index & 1, inline_constant(number));
  }

  std::string operand(const OperandRow& o) const {
    unsigned number = slot_of(i, o.slot) != nullptr ? *slot_of(i, o.slot) : 0, count = o.type.dwords();
    switch (o.kind) {
      case Kind::Returned: return i.glc ? vector_name(number, count) : "";
      case Kind::Vgpr:
        if (is_source(o.slot)) return source(o);
        if (o.field == Field::vdata) return i.lds ? "" : vector_name(number, count + i.tfe);
        return vector_name(number, count);
      case Kind::Sgpr:
      case Kind::Mask: return scalar_name(number, count);
      case Kind::ScalarSource:
      case Kind::ScalarInline:
      case Kind::VectorSource:
      case Kind::VgprOrDirect: return source(o);
      case Kind::ImpliedVcc: return "vcc";
      case Kind::Literal:
        return row.format == Format::SOPK ? literal_text(ConstantClass::Bits32, i.literal) : fmt::format("{:#x}", i.literal);
      case Kind::ImageData: return vector_name(number, image_data_dwords(i));
      case Kind::ImageAddress: return vector_name(number, count);
      case Kind::BufferAddress: {
        unsigned registers = i.addr64 ? 2u : unsigned(i.offen) + unsigned(i.idxen);
        return registers == 0 ? "off" : vector_name(number, registers);
      }
      case Kind::ScalarOffset: return amd::source_name(registers, ConstantClass::Bits32, amd::floats_of_sea_islands, number, 1);
      case Kind::SmrdOffset:
        return i.imm                 ? fmt::format("{:#x}", i.offset)
               : i.offset == LITERAL ? fmt::format("{:#x}", i.literal)
                                     : scalar_name(i.offset, 1);
      case Kind::BufferFormat: return "";
      case Kind::Label:
      case Kind::Hex:
      case Kind::Decimal:
      case Kind::HwReg:
      case Kind::Message:
      case Kind::WaitCnt: return immediate_text(o.kind, i.simm16);
      case Kind::Attribute: return amd::attribute_name(i.attr, i.attrchan);
      case Kind::Parameter: return number == 0 ? "p10" : number == 1 ? "p20" : "p0";
      case Kind::ExportTarget: return amd::export_target_name(export_targets, i.tgt);
      case Kind::ExportSource: {
        unsigned n = unsigned(o.slot) - unsigned(Slot::Export0);
        return i.en >> n & 1 ? vector_name(i.exports[i.compr ? n / 2 : n], 1) : "off";
      }
      default: return "";
    }
  }

  // Several masks do the same, and the text of all is that of one; the others are written as numbers.
  std::string swizzle() const {
    std::string mask = amd::swizzle_text(uint16_t(i.ds_offset())), why;
    Lexer reader(mask);
    auto value = amd::parse_swizzle(reader, why);
    return value && *value == i.ds_offset() ? mask : fmt::format("{}", i.ds_offset());
  }

  void modifiers() {
    if (row.format == Format::MTBUF)
      if (std::string format = buffer_format_text({i.dfmt, i.nfmt}); !format.empty()) add(" format:{}", format);
    if (i.dmask != 0) add(" dmask:{:#x}", i.dmask);
    add_flags(i, first_flags);
    if (row.format == Format::DS) {
      if (row.has(Flag::TwoAddress)) {
        add_offset("offset0", i.offset0);
        add_offset("offset1", i.offset1);
      } else if (i.ds_offset() != 0) {
        add(" offset:{}", row.has(Flag::Swizzle) ? swizzle() : fmt::format("{}", i.ds_offset()));
      }
    } else if (row.format == Format::MUBUF || row.format == Format::MTBUF) {
      add_offset("offset", i.offset);
    }
    add_flags(i, last_flags);
    add_clamp_and_factor(0, i.omod);
  }
};

}  // namespace

std::string print(const Instruction& instruction) { return Printer(instruction).whole(); }

}  // namespace Atoll::gfx7
