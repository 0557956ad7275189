// Lookup in the compiled register tables, and the typed accessors beside them.
#include "registers/lookup.h"

#include <gtest/gtest.h>

#include "registers/dg1.h"
#include "registers/gfx12.h"
#include "registers/r5xx.h"
#include "registers/sea_islands.h"

namespace Atoll::registers {
namespace {

std::vector<std::string> names(const std::vector<Instance>& instances) {
  std::vector<std::string> all;
  for (auto& instance : instances) all.push_back(instance.name());
  return all;
}

using Names = std::vector<std::string>;

TEST(Lookup, RepeatedRegistersByName) {
  auto& family = sea_islands_tables;
  EXPECT_EQ(names(find_by_name(family, "CB_COLOR3_INFO")), Names{"CB_COLOR3_INFO"});
  EXPECT_EQ(names(find_by_name(family, "cb_color[3]_info")), Names{"CB_COLOR3_INFO"});
  EXPECT_EQ(find_by_name(family, "CB_COLOR3_INFO")[0].address(), 0x28c70 + 3 * 0x3c);
  for (auto* all : {"CB_COLOR[0-7]_INFO", "CB_COLOR_INFO"}) EXPECT_EQ(find_by_name(family, all).size(), 8u) << all;
  for (auto* none : {"CB_COLOR8_INFO", "CB_COLOR03_INFO", "CB_COLOR99999999999999999999_INFO", "CB_COLOR[0]INFO", "", "[", "[0]"})
    EXPECT_TRUE(find_by_name(family, none).empty()) << none;
}

TEST(Lookup, AddressesAndAliases) {
  auto found = find_by_address(sea_islands_tables, 0x28c70 + 7 * 0x3c);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name(), "CB_COLOR7_INFO");
  EXPECT_EQ(find_by_address(sea_islands_tables, 0x28c71).size(), 0u);
  found = find_by_address(r5xx_tables, 0x2098);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name(), "VAP_VPORT_XSCALE");
  EXPECT_EQ(found[0].alias, 1u);
  EXPECT_EQ(found[0].address(), 0x2098u);
  EXPECT_EQ(find_by_address(r5xx_tables, 0x1d98)[0].alias, 0u);
}

// Every instance of every family is found by its own name and at its own address.
TEST(Lookup, EveryInstanceIsFound) {
  for (auto* family : all_families()) {
    for (auto& instance : all_instances(*family)) {
      auto named = find_by_name(*family, instance.name());
      ASSERT_EQ(named.size(), 1u) << instance.name();
      EXPECT_EQ(named[0].entry, instance.entry) << instance.name();
      EXPECT_EQ(named[0].instance, instance.instance) << instance.name();
      if (!instance.address()) continue;
      size_t hits = 0;
      for (auto& there : find_by_address(*family, *instance.address()))
        hits += there.entry == instance.entry && there.instance == instance.instance && there.alias == instance.alias;
      EXPECT_EQ(hits, 1u) << instance.name();
    }
  }
}

TEST(Lookup, NearestNames) {
  EXPECT_EQ(nearest_registers(sea_islands_tables, "CB_COLR0_INFO", 1), Names{"CB_COLOR0_INFO"});
  EXPECT_EQ(nearest_registers(sea_islands_tables, "CB_CLOOR5_INFO", 1), Names{"CB_COLOR5_INFO"});
  EXPECT_EQ(nearest_registers(r5xx_tables, "vport_xscale", 1), Names{"VAP_VPORT_XSCALE"});
}

TEST(Lookup, FieldsAndValues) {
  auto found = find_by_name(sea_islands_tables, "CB_COLOR0_INFO");
  ASSERT_EQ(found.size(), 1u);
  const uint32_t word[] = {0x28828};
  bool seen = false;
  for (auto& field : found[0].entry->fields) {
    if (field.name != "FORMAT") continue;
    seen = true;
    EXPECT_EQ(field_value(field, word), 10u);
    EXPECT_EQ(value_name(field.values, 10), "COLOR_8_8_8_8");
    EXPECT_EQ(value_name(field.values, 63), "");
  }
  EXPECT_TRUE(seen);
  auto& depth_format = find_by_name(sea_islands_tables, "DB_Z_INFO")[0].entry->fields[0];
  EXPECT_EQ(depth_format.name, "FORMAT");
  EXPECT_EQ(value_name(depth_format.values, 2), "");  // the manual's list lacks it
  EXPECT_EQ(value_name(depth_format, 2), "Z_24");
  EXPECT_EQ(value_name(depth_format, 3), "Z_32_FLOAT");
  EXPECT_FALSE(depth_format.public_source.empty());
  static_assert(sea_islands::DB_Z_INFO::FORMAT::Z_24 == 2 &&
                sea_islands::GB_TILE_MODE::PIPE_CONFIG::ADDR_SURF_P16_32x32_16x16 == 17);
  Field across{};
  across.low = 28, across.high = 67;
  const uint32_t words[] = {0xa0000000, 0x12345678, 0x7};
  EXPECT_EQ(field_value(across, words), 0x7123456'78aull);
  EXPECT_EQ(field_value(across, std::span(words).first(1)), 0xaull);
  auto& rows = sea_islands_tables.registers;  // (for texts; a Text stands in the tables)
  const NamedValue ranges[] = {{0, 0, rows[0].name}, {4, 7, rows[1].name}, {9, 9, rows[2].name}};
  EXPECT_EQ(value_name(ranges, 3), "");
  EXPECT_EQ(value_name(ranges, 4), rows[1].name);
  EXPECT_EQ(value_name(ranges, 7), rows[1].name);
  EXPECT_EQ(value_name(ranges, 8), "");
}

TEST(Lookup, PacketsOfAnEngine) {
  ASSERT_NE(find_packet(sea_islands_tables, 0x2d), nullptr);
  EXPECT_EQ(find_packet(sea_islands_tables, 0x2d)->name, "DRAW_INDEX_AUTO");
  EXPECT_EQ(find_packet(sea_islands_tables, 5), nullptr);
  EXPECT_EQ(find_packet(sea_islands_tables, 0x2d, "SDMA"), nullptr);
  ASSERT_NE(find_packet(sea_islands_tables, 5, "SDMA"), nullptr);
  EXPECT_EQ(find_packet(sea_islands_tables, 5, "SDMA")->name, "SDMA_FENCE");
}

// The same packet and the same name, with other words behind them: Mesa 25.0.7 src/amd/registers/{gfx7,gfx12}.json, pkt3.json.
TEST(Lookup, Gfx12IsNotSeaIslands) {
  EXPECT_EQ(find_packet(gfx12_tables, 0xb8)->sets, Packet::Sets::Pairs);
  EXPECT_EQ(find_packet(gfx12_tables, 0x69)->sets, Packet::Sets::Row);
  EXPECT_EQ(find_packet(gfx12_tables, 0x37)->sets, Packet::Sets::No);
  EXPECT_EQ(find_packet(sea_islands_tables, 0xb8), nullptr);
  static_assert(gfx12::packets::SET_PREDICATION::min_dwords == 3 && sea_islands::packets::SET_PREDICATION::min_dwords == 2);
  static_assert(gfx12::packets::DMA_DATA::COMMAND::BYTE_COUNT::mask == 0x3ffffff);
  static_assert(gfx12::CB_COLOR_BASE::address(0) == 0x28c60 && gfx12::CB_COLOR_BASE::count == 8);
  static_assert(gfx12::SPI_SHADER_USER_DATA_GS::address(0) == 0xb230 && gfx12::SPI_SHADER_USER_DATA_GS::count == 32);
  static_assert(gfx12::VGT_NUM_INSTANCES::address() == sea_islands::VGT_NUM_INSTANCES::address());
  EXPECT_FALSE(find_by_name(gfx12_tables, "SQ_WAVE_MODE")[0].address()) << "read by s_getreg_b32 alone";
}

TEST(Accessors, Fields) {
  using Info = sea_islands::CB_COLOR_INFO;
  static_assert(Info::address(0) == 0x28c70 && Info::address(7) == 0x28e14 && Info::count == 8);
  static_assert(Info::FORMAT::get(0x28828) == Info::FORMAT::COLOR_8_8_8_8);
  static_assert(Info::FORMAT::set(0xffffffff, 0) == 0xffffff83);
  static_assert(Info::FORMAT::of(0x3f) == 0x7c);
  static_assert(r5xx::VAP_VPORT_XSCALE::address() == 0x1d98);
  static_assert(sea_islands::packets::DRAW_INDEX_AUTO::opcode == 0x2d);
  static_assert(dg1::EU_OPCODE::dp4a == 0x58 && dg1::EU_OPCODE::if_ == 0x22 && dg1::EU_OPCODE::bits == 7);
  using Whole = access::Bits<0, 32>;
  static_assert(Whole::get(0x87654321) == 0x87654321 && Whole::set(1, 0x87654321) == 0x87654321);
  using Across = access::WideBits<28, 40>;
  uint32_t words[] = {0x0abcdef0, 0, 0xfffffff0};
  Across::set(words, 0x7123456'78aull);
  EXPECT_EQ(words[0], 0xaabcdef0u);
  EXPECT_EQ(words[1], 0x12345678u);
  EXPECT_EQ(words[2], 0xfffffff7u);
  EXPECT_EQ(Across::get(words), 0x7123456'78aull);
}

}  // namespace
}  // namespace Atoll::registers
