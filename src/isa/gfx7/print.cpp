#include "isa/gfx7/print.h"

#include <fmt/format.h>

#include <iterator>

#include "isa/amd/swizzle.h"
#include "isa/gfx7/constants.h"
#include "isa/gfx7/immediates.h"
#include "isa/gfx7/names.h"
#include "isa/gfx7/operands.h"

namespace Atoll::gfx7 {
namespace {

struct Printer {
  const Instruction& i;
  const Opcode& row = *i.opcode;
  std::string out;

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  }

  std::string whole() {
    out = row.name;
    out += row.has(Flag::E32) ? "_e32" : row.has(Flag::E64) ? "_e64" : "";
    bool first = true;
    for (const OperandRow& o : row.rows()) {
      std::string text = operand(o);
      if (text.empty()) continue;
      add("{}{}", first ? " " : row.format == Format::EXP && o.slot == Slot::Export0 ? " " : ", ", text);
      first = false;
    }
    modifiers();
    return out;
  }

  std::string source(const OperandRow& o) const {
    unsigned number = *slot_of(i, o.slot), index = unsigned(o.slot) - unsigned(Slot::Src0);
    bool constant = inline_constant(number);
    std::string name = number >= VGPR0     ? vector_name(number - VGPR0, o.type.dwords())
                       : constant          ? amd::inline_text(constant_class(o.type), number)
                       : number == LITERAL ? literal_text(constant_class(o.type), i.literal)
                                           : scalar_name(number, o.type.dwords());
    bool neg = i.neg >> index & 1, abs = i.abs >> index & 1;
    if (abs) name = "|" + name + "|";
    if (neg) name = constant && !abs ? "neg(" + name + ")" : "-" + name;
    return name;
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
      case Kind::ScalarOffset:
        return inline_constant(number) ? amd::inline_text(ConstantClass::Bits32, number) : scalar_name(number, 1);
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
      case Kind::Attribute: return fmt::format("attr{}.{}", i.attr, "xyzw"[i.attrchan & 3]);
      case Kind::Parameter: return number == 0 ? "p10" : number == 1 ? "p20" : "p0";
      case Kind::ExportTarget: {
        std::string_view name = name_of(export_targets, i.tgt);
        return name.empty() ? fmt::format("invalid_target_{}", i.tgt) : std::string(name);
      }
      case Kind::ExportSource: {
        unsigned n = unsigned(o.slot) - unsigned(Slot::Export0);
        return i.en >> n & 1 ? vector_name(i.exports[i.compr ? n / 2 : n], 1) : "off";
      }
      default: return "";
    }
  }

  void flag(uint16_t set, const char* name) {
    if (set) add(" {}", name);
  }

  // Several masks do the same, and the text of all is that of one; the others are written as numbers.
  std::string swizzle() const {
    std::string text = amd::swizzle_text(uint16_t(i.ds_offset())), why;
    Lexer reader(text);
    auto value = amd::parse_swizzle(reader, why);
    return value && *value == i.ds_offset() ? text : fmt::format("{}", i.ds_offset());
  }

  void modifiers() {
    switch (row.format) {
      case Format::VOP3:
        flag(i.clamp, "clamp");
        if (i.omod != 0) out += i.omod == 1 ? " mul:2" : i.omod == 2 ? " mul:4" : " div:2";
        break;
      case Format::DS:
        if (row.has(Flag::TwoAddress)) {
          if (i.offset0 != 0) add(" offset0:{}", i.offset0);
          if (i.offset1 != 0) add(" offset1:{}", i.offset1);
        } else if (i.ds_offset() != 0) {
          add(" offset:{}", row.has(Flag::Swizzle) ? swizzle() : fmt::format("{}", i.ds_offset()));
        }
        flag(i.gds, "gds");
        break;
      case Format::MUBUF:
      case Format::MTBUF:
        if (row.format == Format::MTBUF)
          if (std::string text = buffer_format_text({i.dfmt, i.nfmt}); !text.empty()) add(" format:{}", text);
        flag(i.idxen, "idxen");
        flag(i.offen, "offen");
        flag(i.addr64, "addr64");
        if (i.offset != 0) add(" offset:{}", i.offset);
        flag(i.glc, "glc");
        flag(i.slc, "slc");
        flag(i.tfe, "tfe");
        flag(i.lds, "lds");
        break;
      case Format::FLAT:
        flag(i.glc, "glc");
        flag(i.slc, "slc");
        flag(i.tfe, "tfe");
        break;
      case Format::MIMG:
        if (i.dmask != 0) add(" dmask:{:#x}", i.dmask);
        flag(i.unorm, "unorm");
        flag(i.glc, "glc");
        flag(i.slc, "slc");
        flag(i.r128, "r128");
        flag(i.tfe, "tfe");
        flag(i.lwe, "lwe");
        flag(i.da, "da");
        break;
      case Format::EXP:
        flag(i.done, "done");
        flag(i.compr, "compr");
        flag(i.vm, "vm");
        break;
      default: break;
    }
  }
};

}  // namespace

std::string print(const Instruction& instruction) { return Printer{.i = instruction, .out = {}}.whole(); }

}  // namespace Atoll::gfx7
