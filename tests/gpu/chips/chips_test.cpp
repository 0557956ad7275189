// The table of GPUs: names resolve in either case, and each row has what its users rely on.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gpu/chips/family_programs.h"
#include "gpu/chips/rows.h"

namespace Atoll::gpu {
namespace {

TEST(Chips, NamesAreFoundInEitherCase) {
  ASSERT_NE(find_chip("bonaire"), nullptr);
  EXPECT_EQ(find_chip("BonAire"), find_chip("bonaire"));
  EXPECT_EQ(find_chip("bonaire"), &chip("bonaire"));
  for (auto name : {"", "bonair", "bonaire ", "tahiti", "r600", "gfx704"}) EXPECT_EQ(find_chip(name), nullptr) << name;
}

TEST(Chips, NumbersCountTheRowsOfAFamily) {
  std::map<Family, unsigned> next;
  for (auto& row : chips()) EXPECT_EQ(row.number_in_family, next[row.family]++) << row.name;
  EXPECT_EQ(next[Family::sea_islands], 4u);
  EXPECT_EQ(next[Family::r5xx], 4u);
}

TEST(Chips, ProcessorsOfCodeObjects) {
  EXPECT_EQ(find_chip_of_processor("gfx705"), &chip("kabini"));
  EXPECT_EQ(find_chip_of_processor("gfx12-generic")->family, Family::rdna4);
  EXPECT_EQ(find_chip_of_processor("gfx900"), nullptr);
  EXPECT_EQ(find_chip_of_processor(""), nullptr);
}

TEST(Chips, AnIsaByItsNameAGpuOrAProcessor) {
  for (auto name : {"gfx7", "GFX7", "gfx700", "gfx705", "hawaii"}) EXPECT_EQ(find_isa(name), "gfx7") << name;
  for (auto name : {"rdna4", "gfx1200", "gfx1201", "gfx12-generic"}) EXPECT_EQ(find_isa(name), "rdna4") << name;
  EXPECT_EQ(find_isa("r500-vs"), "r500-vs");
  EXPECT_EQ(find_isa("dg1"), "xe-lp");
  EXPECT_EQ(find_isa("r580"), "") << "it has two";
  EXPECT_EQ(find_isa("gfx900"), "");
}

// AMD's processors are called gfx and a number by compilers (LLVM docs AMDGPUUsage, "Processors"), Intel's are not.
TEST(Chips, WhatIsLaunchedComesInAContainer) {
  for (auto& row : chips()) {
    const FamilyPrograms& programs = programs_of(row);
    EXPECT_EQ(programs.container != Container::none, row.launches()) << row.name;
    if (row.launches()) EXPECT_EQ(programs.container == Container::hsa, row.processors.front().starts_with("gfx")) << row.name;
    EXPECT_EQ(programs.container == Container::intel, row.pci_vendor == 0x8086) << row.name;
    if (programs.bare_waves)
      EXPECT_TRUE(row.isas.contains("rdna4")) << row.name << ": src/gpu/rdna4/words.h and graphics_wave.h alone";
  }
}

TEST(Chips, WhatRunsHasADriverAMemoryAndAPciDeviceOfItsOwn) {
  std::set<uint32_t> devices;
  for (auto& row : chips()) {
    EXPECT_FALSE(row.isas.empty()) << row.name;
    EXPECT_FALSE(row.planned.empty()) << row.name;
    if (!row.runs()) continue;
    EXPECT_FALSE(row.run_by.empty()) << row.name;
    EXPECT_FALSE(row.registers.empty()) << row.name;
    EXPECT_TRUE(row.vram_bytes && row.gtt_bytes && row.engine_clock && row.memory_clock && row.crystal_clock && row.memory_bits)
        << row.name;
    if (row.uapis.contains("amdgpu"))
      EXPECT_TRUE(row.amdgpu.wave_lanes && row.amdgpu.compute_rings && row.amdgpu.me.version && row.gs_waves) << row.name;
    if (row.uapis.contains("radeon")) EXPECT_TRUE(row.radeon_works) << row.name;
    EXPECT_TRUE(devices.insert(uint32_t(row.pci_vendor) << 16 | row.pci_device).second) << row.name;
  }
  EXPECT_EQ(devices.size(), 11u);
}

}  // namespace
}  // namespace Atoll::gpu
