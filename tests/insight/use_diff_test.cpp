#include "insight/use_diff.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "insight/structure_fields.h"
#include "registers/lookup.h"

using namespace Atoll;
using namespace Atoll::insight;

namespace {

UsedStructure structure(std::string name, std::vector<uint32_t> words) {
  return {0, std::make_shared<const std::pair<std::string, std::vector<uint32_t>>>(std::move(name), std::move(words))};
}
UsedProgram program(uint64_t address, uint64_t hash, std::vector<std::string> lines) {
  return {address, 64, hash, "gfx7", std::make_shared<const std::vector<std::string>>(std::move(lines))};
}

TEST(UseDiff, NamesTheFieldOfAnImageResource) {
  RecordedDraw a, b;
  const RecordedDraw* draws[2] = {&a, &b};
  // TYPE 9 (2D) in bits 31:28, DST_SEL_Y in bits 5:3 (AMD's Sea Islands manual, SQ_IMG_RSRC_WORD3).
  a.uses.structures = {structure("SQ_IMG_RSRC_WORD", {1, 2, 3, 0x90000028, 0, 0, 0, 0})};
  b.uses.structures = {structure("SQ_IMG_RSRC_WORD", {1, 2, 3, 0x90000000, 0, 0, 0, 0})};
  const auto found = compare_structures(*registers::find_family("sea_islands"), draws);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "SQ_IMG_RSRC_WORD3 of 0");
  ASSERT_EQ(found[0].fields.size(), 1u);
  EXPECT_EQ(found[0].fields[0].name, "DST_SEL_Y");
  EXPECT_EQ(found[0].fields[0].values[0], 5u);
  EXPECT_EQ(found[0].fields[0].meanings[1], "SQ_SEL_0");
  const RecordedDraw* alike[2] = {&a, &a};
  EXPECT_TRUE(compare_structures(*registers::find_family("sea_islands"), alike).empty());
}

TEST(UseDiff, NamesTheFieldOfACommandsStructureAndHowManyThereAre) {
  RecordedDraw a, b;
  const RecordedDraw* draws[2] = {&a, &b};
  // Destination Blend Factor: bits 25:21 of an entry's first dword (Intel's DG1 manual, volume 2a, BLEND_STATE_ENTRY).
  a.uses.structures = {structure("BLEND_STATE_ENTRY", {19u << 21, 0})};
  b.uses.structures = {structure("BLEND_STATE_ENTRY", {17u << 21, 0}), structure("CC_VIEWPORT", {0, 0})};
  const auto found = compare_structures(*registers::find_family("dg1"), draws);
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(found[0].fields.size(), 1u);
  EXPECT_EQ(found[0].fields[0].name, "Destination Blend Factor");
  EXPECT_EQ(found[0].fields[0].meanings[0], "INV_SRC_ALPHA");
  EXPECT_EQ(found[0].fields[0].meanings[1], "ZERO");
  EXPECT_EQ(found[1].name, "different CC_VIEWPORT in the draw");
  EXPECT_EQ(found[1].values[0], 0u);
  EXPECT_EQ(found[1].values[1], 1u);
}

TEST(UseDiff, PairsProgramsByWhatSaysWhereTheyAre) {
  const registers::Family& family = *registers::find_family("sea_islands");
  StateNames names;
  const auto row = registers::find_by_name(family, "SPI_SHADER_PGM_LO_PS");
  ASSERT_FALSE(row.empty());
  const uint64_t key = StateNames::register_key(*row[0].address(), 0);
  // The second recording has one more program before, and its pixel shader elsewhere.
  RecordedDraw a, b;
  a.uses.programs = {program(0x10000, 1, {"s_nop 0", "v_mul_f32 v0, v1, v2", "s_endpgm"})};
  b.uses.programs = {program(0x20000, 2, {"s_endpgm"}), program(0x30000, 3, {"s_nop 0", "v_sub_f32 v0, v1, v2", "s_endpgm"})};
  const HeldState first = {{key, 0x100}}, second = {{key, 0x300}};
  const HeldState* const held[2] = {&first, &second};
  const RecordedDraw* draws[2] = {&a, &b};
  const auto found = compare_programs(family, names, draws, held);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].stage, "SPI_SHADER_PGM_LO_PS");
  EXPECT_EQ(found[0].first, 1u);
  EXPECT_EQ(found[0].unlike, 1u);
  EXPECT_EQ(found[0].instructions[0], "v_mul_f32 v0, v1, v2");
  EXPECT_EQ(found[0].instructions[1], "v_sub_f32 v0, v1, v2");
  EXPECT_EQ(found[0].addresses[1], 0x30000u);
  // That one is alone.
  EXPECT_FALSE(found[1].addresses[0]);
  EXPECT_EQ(found[1].addresses[1], 0x20000u);
}

TEST(StructureFields, HaveWhatIsNotZeroOrHasAName) {
  const auto fields =
      fields_of(*registers::find_family("sea_islands"), structure("SQ_IMG_RSRC_WORD", {0, 0, 0, 0x90000000, 0, 0, 0, 0}));
  auto find = [&](std::string_view name) { return std::ranges::find(fields, name, &StructureField::name); };
  ASSERT_NE(find("TYPE"), fields.end());
  EXPECT_EQ(find("TYPE")->meaning, "SQ_RSRC_IMG_2D");
  ASSERT_NE(find("DST_SEL_Y"), fields.end());
  EXPECT_EQ(find("DST_SEL_Y")->meaning, "SQ_SEL_0");
  EXPECT_EQ(find("BASE_LEVEL"), fields.end());
}

}  // namespace
