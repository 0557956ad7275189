// The limits of a submission.
#include "gpu/device/budget.h"

#include <gtest/gtest.h>

namespace Atoll::gpu {
namespace {

TEST(Budget, CountsEachThingByItself) {
  Budget budget({.packets = 3, .dwords = 10, .buffers = 2, .bytes = 100});
  EXPECT_TRUE(budget.packets() && budget.packets(2));
  EXPECT_TRUE(budget.dwords(10) && budget.buffers() && budget.bytes(100));
  EXPECT_EQ(budget.report(), "");
  EXPECT_FALSE(budget.packets());
  EXPECT_NE(budget.report().find("more than 3 packets"), std::string::npos) << budget.report();
  EXPECT_TRUE(budget.buffers());
  EXPECT_FALSE(budget.buffers());
  EXPECT_NE(budget.report().find("more than 2 command buffers"), std::string::npos) << budget.report();
  budget.begin();
  EXPECT_TRUE(budget.packets(3));
}

TEST(Budget, IsNotFooledByCountsThatWrap) {
  Budget budget({.bytes = 100});
  EXPECT_TRUE(budget.bytes(50));
  EXPECT_FALSE(budget.bytes(~uint64_t(0)));
  EXPECT_FALSE(budget.bytes(1)) << "what was refused once stays refused";
}

// A grid or a draw is as large as its product, which may have more than 64 bits.
TEST(Budget, GroupsAndVerticesAreCountedByTheirProducts) {
  Budget budget({.groups = 1000, .vertices = 100});
  EXPECT_TRUE(budget.groups(10, 10, 5) && budget.groups(500, 1, 1) && budget.groups(0, ~0u, ~0u));
  EXPECT_FALSE(budget.groups(1, 1, 1));
  EXPECT_NE(budget.report().find("more than 1000 work-groups"), std::string::npos) << budget.report();
  EXPECT_TRUE(budget.vertices(20, 5));
  EXPECT_FALSE(budget.vertices(1, 1));
  EXPECT_NE(budget.report().find("more than 100 vertices"), std::string::npos) << budget.report();
  budget.begin();
  EXPECT_FALSE(budget.groups(~0u, ~0u, ~0u));
  budget.begin();
  EXPECT_FALSE(budget.groups(1u << 22, 1u << 21, 1u << 21));  // 2^64
  EXPECT_FALSE(Budget({}).groups(1, 1, 2400000000u)) << "hours of a hostile recording";
}

}  // namespace
}  // namespace Atoll::gpu
