#include "isa/amd/instruction_text.h"

namespace Atoll::amd {

std::string source_name(const RegisterNames& registers, ConstantClass c, unsigned floats, unsigned operand, unsigned dwords) {
  if (operand >= VGPR0) return vector_name(operand - VGPR0, dwords);
  if (is_inline_constant(operand, floats)) return inline_text(c, operand);
  return scalar_name(registers, operand, dwords);
}

std::string modified_name(std::string name, bool negate, bool absolute, bool constant) {
  if (absolute) name = "|" + name + "|";
  if (negate) name = constant && !absolute ? "neg(" + name + ")" : "-" + name;
  return name;
}

std::string attribute_name(unsigned attribute, unsigned channel) {
  return fmt::format("attr{}.{}", attribute, "xyzw"[channel & 3]);
}

std::string export_target_name(std::span<const Name> targets, unsigned target) {
  std::string_view name = name_of(targets, target);
  return name.empty() ? fmt::format("invalid_target_{}", target) : std::string(name);
}

}  // namespace Atoll::amd
