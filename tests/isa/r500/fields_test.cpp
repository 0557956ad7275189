// The field table against the register data of the manual, both ways.
#include "isa/r500/fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "registers/lookup.h"
#include "registers/r5xx.h"

namespace Atoll::r500 {
namespace {

TEST(Fields, AsTheRegisterDataSays) {
  std::set<std::string_view> seen;
  for (auto layout : {layout_of(Type::Alu), layout_of(Type::Tex), layout_of(Type::Fc)})
    for (const Layout& word : layout) {
      auto found = registers::find_by_name(registers::r5xx_tables, word.name);
      ASSERT_EQ(found.size(), 512u) << word.name;
      const registers::Register& entry = *found[0].entry;
      EXPECT_EQ(entry.fields.size(), word.fields.size()) << word.name;
      for (const registers::Field& f : entry.fields) {
        auto mine = std::find_if(word.fields.begin(), word.fields.end(), [&](const Field& m) { return m.name == f.name; });
        ASSERT_NE(mine, word.fields.end()) << word.name << "." << f.name;
        EXPECT_EQ(mine->high, f.high) << word.name << "." << f.name;
        EXPECT_EQ(mine->low, f.low) << word.name << "." << f.name;
        EXPECT_EQ(mine->word, word.word) << word.name << "." << f.name;
      }
      seen.insert(word.name);
    }
  // Every instruction word of the manual: the US registers with 512 entries.
  for (const registers::Register& r : registers::r5xx_tables.registers)
    if (r.block == "US" && r.count == 512) EXPECT_TRUE(seen.contains(r.name.substr(0, r.name.find("_[")))) << r.name;
  EXPECT_EQ(seen.size(), 11u);
}

TEST(Fields, GetAndSetTouchTheirBitsAlone) {
  Words words;
  words.fill(~0u);
  rgba_inst::ALPHA_MOD_C.set(words, 1);
  EXPECT_EQ(words[5], 0x7fffffffu);
  EXPECT_EQ(rgba_inst::ALPHA_MOD_C.get(words), 1u);
  cmn::TYPE.set(words, 4);  // does not fit: its low bits
  EXPECT_EQ(words[0], 0xfffffffcu);
}

}  // namespace
}  // namespace Atoll::r500
