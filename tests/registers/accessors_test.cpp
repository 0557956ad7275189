// Registers as code reads them: fields that are counted, and which looks leave a mark.
#include "registers/accessors.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "registers/ledger.h"
#include "registers/r5xx.h"

namespace Atoll::registers {
namespace {

using r5xx::GB_ENABLE;
using r5xx::RB3D_COLOR_CHANNEL_MASK;
using r5xx::VAP_PROG_STREAM_CNTL;

bool is_read(uint32_t register_id, uint32_t field) {
  auto all = fields_read(r5xx_tables);
  return std::ranges::find(all, FieldNumber{uint16_t(register_id >> 8 & 0xffff), uint8_t(field)}) != all.end();
}

TEST(Accessors, FieldsThatAreCounted) {
  using Sources = access::FieldList<GB_ENABLE::TEX0_SOURCE, GB_ENABLE::TEX1_SOURCE, GB_ENABLE::TEX2_SOURCE>;
  access::Word<GB_ENABLE> word(0x0024'000f);
  EXPECT_EQ(Sources::get(word, 0), 0u);
  EXPECT_EQ(Sources::get(word, 1), 1u);
  EXPECT_EQ(Sources::get(word, 2), 2u);
  EXPECT_EQ(Sources::get(word, 3), 0u);
  EXPECT_EQ(Sources::bits(word), 0x24u);
  // Not next to each other, and not of one width.
  using Mixed = access::FieldList<VAP_PROG_STREAM_CNTL::DST_VEC_LOC_0, VAP_PROG_STREAM_CNTL::DATA_TYPE_1>;
  access::Word<VAP_PROG_STREAM_CNTL> stream(0x000b'1f00);
  EXPECT_EQ(Mixed::get(stream, 0), 0x1fu);
  EXPECT_EQ(Mixed::get(stream, 1), 0xbu);
  EXPECT_EQ(Mixed::bits(stream), 0x17fu);
}

TEST(Accessors, ALookThatOnlyReportsLeavesNoMark) {
  volatile uint32_t bits = 0x7;
  access::Word<RB3D_COLOR_CHANNEL_MASK> word(bits);
  using Masks = access::FieldList<RB3D_COLOR_CHANNEL_MASK::RED_MASK, RB3D_COLOR_CHANNEL_MASK::ALPHA_MASK>;
  EXPECT_EQ(RB3D_COLOR_CHANNEL_MASK::BLUE_MASK::get(word), 1u);
  EXPECT_EQ(RB3D_COLOR_CHANNEL_MASK::GREEN_MASK::peek(word), 1u);
  EXPECT_EQ(Masks::get(word, bits & 1), 0u);
  EXPECT_TRUE(is_read(RB3D_COLOR_CHANNEL_MASK::register_id, RB3D_COLOR_CHANNEL_MASK::BLUE_MASK::number));
  EXPECT_FALSE(is_read(RB3D_COLOR_CHANNEL_MASK::register_id, RB3D_COLOR_CHANNEL_MASK::GREEN_MASK::number));
  EXPECT_TRUE(is_read(RB3D_COLOR_CHANNEL_MASK::register_id, RB3D_COLOR_CHANNEL_MASK::RED_MASK::number));
  EXPECT_TRUE(is_read(RB3D_COLOR_CHANNEL_MASK::register_id, RB3D_COLOR_CHANNEL_MASK::ALPHA_MASK::number));
}

}  // namespace
}  // namespace Atoll::registers
