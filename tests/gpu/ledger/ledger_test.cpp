// The ledger of registers against the model: what acts is what the sweep finds, and every field has one state.
#include <gtest/gtest.h>

#include "r5xx_scene.h"
#include "sea_islands_scene.h"

namespace Atoll::ledger {
namespace {

TEST(SeaIslandsLedger, WhatActsIsListed) {
  auto scenes = sea_islands_scenes();
  if (HasFailure()) return;
  const Swept swept = sweep(registers::sea_islands_tables, scenes);
  EXPECT_EQ(compare_with_list(registers::sea_islands_tables, swept.acts), "");
  EXPECT_EQ(swept.keep_old_state, "") << "draws take what was found for the one before";
}

TEST(SeaIslandsLedger, WhatDoesNotActYetIsSaid) {
  auto scenes = sea_islands_scenes();
  if (HasFailure()) return;
  EXPECT_EQ(plant_not_yet(registers::sea_islands_tables, scenes), "");
}

// Instructions are the decoder's, which has accessors of its own, and the number of instances is the packet's as much as the
// register's.
TEST(SeaIslandsLedger, EveryFieldHasOneState) {
  EXPECT_EQ(check_states(registers::sea_islands_tables, {"SQ_", "VGT_NUM_INSTANCES"}), "");
}

TEST(R5xxLedger, WhatActsIsListed) {
  auto scenes = r5xx_scenes();
  if (HasFailure()) return;
  const Swept swept = sweep(registers::r5xx_tables, scenes);
  EXPECT_EQ(compare_with_list(registers::r5xx_tables, swept.acts), "");
  EXPECT_EQ(swept.keep_old_state, "") << "draws take what was found for the one before";
}

TEST(R5xxLedger, WhatDoesNotActYetIsSaid) {
  auto scenes = r5xx_scenes();
  if (HasFailure()) return;
  EXPECT_EQ(plant_not_yet(registers::r5xx_tables, scenes), "");
}

// The pixel shader's words are read by the accessors of its instruction set.
TEST(R5xxLedger, EveryFieldHasOneState) { EXPECT_EQ(check_states(registers::r5xx_tables, {"US_"}), ""); }

}  // namespace
}  // namespace Atoll::ledger
