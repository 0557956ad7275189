#include <algorithm>

#include "isa/xe_lp/code.h"
#include "isa/xe_lp/names.h"

namespace Atoll::xe_lp {
namespace {

std::string type_text(DataType type) {
  for (const TypeName& t : type_names)
    if (t.type == type) return ":" + std::string(t.name);
  return ":?";
}

std::string register_text(const Operand& o) {
  if (o.null()) return "null";
  unsigned sub = o.byte / size_of(o.type);
  if (o.grf) return fmt::format("r{}.{}", o.number, sub);
  for (const ArfName& a : arf_names)
    if (unsigned(a.arf) == o.number >> 4u) return fmt::format("{}{}.{}", a.name, o.number & 15, sub);
  return fmt::format("arf{:#x}.{}", o.number, sub);
}

std::string source_text(const Instruction& i, unsigned n) {
  const Operand& o = i.src[n];
  if (o.immediate) return fmt::format("{:#x}{}", o.value, type_text(o.type));
  std::string text = o.negate ? o.absolute ? "(-abs)" : "(-)" : o.absolute ? "(abs)" : "";
  text += register_text(o);
  if (o.null()) return text + type_text(o.type);
  if (i.opcode->shape != Shape::ternary)
    text += fmt::format("<{};{},{}>", o.vertical, o.width, o.horizontal);
  else if (n < 2)
    text += fmt::format("<{};{}>", o.vertical, o.horizontal);
  else
    text += fmt::format("<{}>", o.horizontal);
  return text + type_text(o.type);
}

}  // namespace

std::string print(const Instruction& i) {
  std::string flag = fmt::format("f{}.{}", i.flag, i.flag_half), text;
  if (i.no_mask || i.predicate != Predicate::none) {
    text = i.no_mask ? "(W" : "(";
    if (i.predicate != Predicate::none) {
      text += fmt::format("{}{}{}", i.no_mask ? "&" : "", i.inverse ? "~" : "", flag);
      if (i.predicate != Predicate::sequential) text += "." + std::string(predicate_names[unsigned(i.predicate)]);
    }
    text += ") ";
  }
  text += i.opcode->name;
  if (i.opcode->shape == Shape::none) return text;
  text += fmt::format(" ({}|M{})", i.lanes, i.offset);
  if (i.opcode->branches()) {
    text += fmt::format(" {}", i.jip);
    if (i.opcode->shape == Shape::jip_uip) text += fmt::format(" {}", i.uip);
    return text;
  }
  if (i.condition != Condition::none) {
    auto found = std::find_if(std::begin(condition_names), std::end(condition_names),
                              [&](const ConditionName& c) { return c.condition == i.condition; });
    text += fmt::format(" ({}){}", found == std::end(condition_names) ? "?" : found->name, flag);
  }
  text += i.saturate ? " (sat)" : " ";
  text += register_text(i.dst);
  if (!i.dst.null()) text += fmt::format("<{}>", i.dst.horizontal);
  text += type_text(i.dst.type);
  for (unsigned n = 0; n < i.opcode->sources(); n++) text += " " + source_text(i, n);
  return text;
}

}  // namespace Atoll::xe_lp
