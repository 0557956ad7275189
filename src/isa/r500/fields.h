// The words of an R5xx pixel shader instruction, field by field (R5xx Acceleration v1.3, 10.10). The register data alone say
// where a field lies (registers/r5xx/fragment_shader.json): field<US_CMN_INST::TYPE>. An instruction's words are the values of
// registers of one index, in the order in which GA_US_VECTOR_INDEX takes them.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "registers/r5xx.h"

namespace Atoll::r500 {

using r5xx::US_ALU_ALPHA_ADDR, r5xx::US_ALU_ALPHA_INST, r5xx::US_ALU_RGB_ADDR, r5xx::US_ALU_RGB_INST, r5xx::US_ALU_RGBA_INST,
    r5xx::US_CMN_INST, r5xx::US_FC_ADDR, r5xx::US_FC_INST, r5xx::US_TEX_ADDR, r5xx::US_TEX_ADDR_DXDY, r5xx::US_TEX_INST;

inline constexpr uint32_t kWords = 6;
using Words = std::array<uint32_t, kWords>;

struct Field {
  uint8_t word, high, low;
  constexpr uint32_t largest() const { return uint32_t((uint64_t(2) << (high - low)) - 1); }
  constexpr uint32_t bits() const { return largest() << low; }
  constexpr uint32_t get(const Words& words) const { return words[word] >> low & largest(); }
  constexpr void set(Words& words, uint32_t value) const { words[word] = (words[word] & ~bits()) | ((value << low) & bits()); }

  // By which registers::fields_read() lists the field as one that the model looks at; null for words and fields found by name.
  const uint32_t* read = nullptr;
};

// The word of the six that a register's value is.
template <class Register, class... Others>
constexpr bool is_one_of = (std::is_same_v<Register, Others> || ...);
template <class Register>
constexpr uint8_t word_of() {
  if (is_one_of<Register, US_CMN_INST>) return 0;
  if (is_one_of<Register, US_ALU_RGB_ADDR, US_TEX_INST>) return 1;
  if (is_one_of<Register, US_ALU_ALPHA_ADDR, US_TEX_ADDR, US_FC_INST>) return 2;
  if (is_one_of<Register, US_ALU_RGB_INST, US_TEX_ADDR_DXDY, US_FC_ADDR>) return 3;
  if (is_one_of<Register, US_ALU_ALPHA_INST>) return 4;
  static_assert(is_one_of<Register, US_CMN_INST, US_ALU_RGB_ADDR, US_TEX_INST, US_ALU_ALPHA_ADDR, US_TEX_ADDR, US_FC_INST,
                          US_ALU_RGB_INST, US_TEX_ADDR_DXDY, US_FC_ADDR, US_ALU_ALPHA_INST, US_ALU_RGBA_INST>);
  return 5;
}

template <class F>
inline constexpr Field field{word_of<typename F::register_type>(), F::low + F::width - 1, F::low,
                             &registers::access::FieldRead<F::register_type::register_id | F::number>::id};

// Values of US_CMN_INST.TYPE.
enum class Type : uint8_t { Alu, Out, Fc, Tex };
constexpr Type type_of(const Words& words) { return Type(field<US_CMN_INST::TYPE>.get(words)); }

// For text: a word of an instruction, the register that describes it, and its fields by name.
struct NamedField : Field {
  std::string_view name;
};
struct Layout {
  std::string_view name;
  uint8_t word;
  std::vector<NamedField> fields;
};
std::span<const Layout> layout_of(Type type);

}  // namespace Atoll::r500
