#include "isa/r500/fields.h"

#include "registers/lookup.h"

namespace Atoll::r500 {
namespace {

template <class Register>
Layout layout(std::string_view name) {
  constexpr uint8_t word = word_of<Register>();
  Layout result{name, word, {}};
  for (const registers::Field& f : registers::find_by_name(registers::r5xx_tables, name).at(0).entry->fields)
    result.fields.push_back({{word, uint8_t(f.high), uint8_t(f.low)}, f.name});
  return result;
}

}  // namespace

#define LAYOUT(name) layout<name>(#name)

std::span<const Layout> layout_of(Type type) {
  static const Layout alu[] = {LAYOUT(US_CMN_INST),     LAYOUT(US_ALU_RGB_ADDR),   LAYOUT(US_ALU_ALPHA_ADDR),
                               LAYOUT(US_ALU_RGB_INST), LAYOUT(US_ALU_ALPHA_INST), LAYOUT(US_ALU_RGBA_INST)};
  static const Layout tex[] = {LAYOUT(US_CMN_INST), LAYOUT(US_TEX_INST), LAYOUT(US_TEX_ADDR), LAYOUT(US_TEX_ADDR_DXDY)};
  static const Layout flow[] = {LAYOUT(US_CMN_INST), LAYOUT(US_FC_INST), LAYOUT(US_FC_ADDR)};
  return type == Type::Fc ? std::span<const Layout>(flow) : type == Type::Tex ? std::span<const Layout>(tex) : alu;
}

}  // namespace Atoll::r500
