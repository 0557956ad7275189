// The ledger of GFX12's registers against the model (sweep.h).
#include <gtest/gtest.h>

#include "gfx12_build.h"

namespace Atoll::ledger {

Gfx12Scenes gfx12_scenes() {
  Gfx12Scenes all;
  add_compute_scenes(all);
  add_draw_scenes(all);
  add_sample_scenes(all);
  add_stage_scenes(all);
  add_image_scenes(all);
  return all;
}

namespace {

TEST(Gfx12Ledger, WhatActsIsListed) {
  auto scenes = gfx12_scenes();
  if (HasFailure()) return;
  const Swept swept = sweep(registers::gfx12_tables, scenes);
  EXPECT_EQ(compare_with_list(registers::gfx12_tables, swept.acts), "");
  EXPECT_EQ(swept.keep_old_state, "") << "draws take what was found for the one before";
}

TEST(Gfx12Ledger, WhatDoesNotActYetIsSaid) {
  auto scenes = gfx12_scenes();
  if (HasFailure()) return;
  EXPECT_EQ(plant_not_yet(registers::gfx12_tables, scenes), "");
}

// Descriptors' words are read by the instruction set and by gpu/rdna4, which have their own tables of them, and sizes and indices of draws
// and dispatches are their packets' words.
TEST(Gfx12Ledger, EveryFieldHasOneState) {
  EXPECT_EQ(check_states(registers::gfx12_tables, {"SQ_", "VGT_NUM_", "VGT_DMA_", "COMPUTE_DIM_"}), "");
}

// Every register that a stream can set is in it, and every descriptor's word.
TEST(Gfx12Ledger, EveryRegisterOfStreamsIsInIt) {
  const Family& family = registers::gfx12_tables;
  std::string missing;
  for (size_t n = 0; n < family.registers.size(); n++) {
    const registers::Register& r = family.registers[n];
    const uint32_t at = registers::Instance{&r}.address().value_or(0);
    bool set = r.name.starts_with("SQ_BUF_") || r.name.starts_with("SQ_IMG_");
    for (const Pm4Family::Range& range : gfx12_family().ranges) set |= at >= range.first && at < range.end;
    if (set && !registers::ledger_row(family, {uint16_t(n), 0})) (missing += std::string_view(r.name)) += "\n";
  }
  EXPECT_EQ(missing, "");
}

}  // namespace
}  // namespace Atoll::ledger
