#include "sea_islands_scene.h"

#include <gtest/gtest.h>

#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"

namespace Atoll::ledger {

using namespace sea_islands;

namespace {

std::vector<uint32_t> encode(const std::string& line, const std::string& where) {
  auto i = gfx7::parse(line);
  EXPECT_TRUE(i) << where << ": " << line << ": " << (i ? "" : i.error().message);
  if (!i) return {};
  auto encoded = gfx7::encode(*i);
  EXPECT_TRUE(encoded) << line;
  if (!encoded) return {};
  return {encoded->dwords.begin(), encoded->dwords.begin() + encoded->count};
}

}  // namespace

const Pm4Family& sea_islands_family() {
  static constexpr Pm4Family::Range ranges[] = {{packets::SET_CONFIG_REG::opcode, 0x8000, 0xb000},
                                                {packets::SET_SH_REG::opcode, 0xb000, 0xc000},
                                                {packets::SET_CONTEXT_REG::opcode, 0x28000, 0x30000},
                                                {packets::SET_UCONFIG_REG::opcode, 0x30000, 0x40000}};
  static constexpr uint32_t draws[] = {packets::DRAW_INDEX_AUTO::opcode, packets::DRAW_INDEX_2::opcode,
                                       packets::DRAW_INDEX_OFFSET_2::opcode};
  static constexpr uint32_t starts_work[] = {VGT_DRAW_INITIATOR::address(), COMPUTE_DISPATCH_INITIATOR::address(),
                                             VGT_EVENT_INITIATOR::address()};
  static const Pm4Family family{.tables = registers::sea_islands_tables,
                                .chip = "bonaire",
                                .make_device = make_device,
                                .ranges = ranges,
                                .copy_data = packets::COPY_DATA::opcode,
                                .draws = draws,
                                .starts_work = starts_work,
                                .no_draw_reads = COMPUTE_USER_DATA::address(15),
                                .from_reset = {3u << 30 | packets::CLEAR_STATE::opcode << 8, 0},
                                .encode = encode};
  return family;
}

}  // namespace Atoll::ledger
