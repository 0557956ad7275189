// The words of an instruction against the register data that describes them.
#include "isa/r500/fields.h"

#include <gtest/gtest.h>

#include <set>

#include "registers/lookup.h"

namespace Atoll::r500 {
namespace {

// Every instruction word of the manual, the US registers with 512 entries, belongs to some type of instruction.
TEST(Fields, EveryInstructionWordHasItsPlace) {
  std::set<std::string_view> seen;
  for (auto type : {Type::Alu, Type::Tex, Type::Fc})
    for (const Layout& word : layout_of(type)) seen.insert(word.name);
  for (const registers::Register& r : registers::r5xx_tables.registers) {
    const std::string_view name = r.name;
    if (r.block == "US" && r.count == 512) EXPECT_TRUE(seen.contains(name.substr(0, name.find("_[")))) << name;
  }
  EXPECT_EQ(seen.size(), 11u);
}

// A field that is found by its name lies where the code's field of that name lies.
TEST(Fields, NamedOnesLieWhereCodeSeesThem) {
  auto named = [](Type type, std::string_view word, std::string_view name) {
    for (const Layout& layout : layout_of(type))
      for (const NamedField& f : layout.fields)
        if (layout.name == word && f.name == name) return std::array<unsigned, 3>{f.word, f.high, f.low};
    return std::array<unsigned, 3>{99, 99, 99};
  };
  auto seen = [](const Field& f) { return std::array<unsigned, 3>{f.word, f.high, f.low}; };
  EXPECT_EQ(named(Type::Alu, "US_ALU_RGBA_INST", "ALPHA_MOD_C"), seen(field<US_ALU_RGBA_INST::ALPHA_MOD_C>));
  EXPECT_EQ(named(Type::Tex, "US_TEX_INST", "INST"), seen(field<US_TEX_INST::INST>));
  EXPECT_EQ(named(Type::Fc, "US_FC_ADDR", "JUMP_ADDR"), seen(field<US_FC_ADDR::JUMP_ADDR>));
}

TEST(Fields, GetAndSetTouchTheirBitsAlone) {
  Words words;
  words.fill(~0u);
  field<US_ALU_RGBA_INST::ALPHA_MOD_C>.set(words, 1);
  EXPECT_EQ(words[5], 0x7fffffffu);
  EXPECT_EQ(field<US_ALU_RGBA_INST::ALPHA_MOD_C>.get(words), 1u);
  field<US_CMN_INST::TYPE>.set(words, 4);  // does not fit: its low bits
  EXPECT_EQ(words[0], 0xfffffffcu);
}

}  // namespace
}  // namespace Atoll::r500
