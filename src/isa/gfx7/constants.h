// The constants of Sea Islands' operands: isa/amd/constants_text.h for its types. Unlike later GPUs this one has no 1/(2 pi).
#pragma once
#include "isa/amd/constants_text.h"
#include "isa/gfx7/table.h"

namespace Atoll::gfx7 {

using amd::ConstantClass;
using amd::WrittenNumber;

constexpr ConstantClass constant_class(Type type) {
  if (type.bits == 16) return ConstantClass::HalfFloat;
  if (type.bits == 64) return type.base == Type::F ? ConstantClass::Float64 : ConstantClass::Integer64;
  return ConstantClass::Bits32;
}

inline std::string literal_text(ConstantClass c, uint32_t literal) {
  return amd::literal_text(c, amd::floats_of_sea_islands, literal);
}
inline std::optional<amd::Constant> constant_of(ConstantClass c, WrittenNumber number) {
  return amd::constant_of(c, amd::floats_of_sea_islands, number);
}

}  // namespace Atoll::gfx7
