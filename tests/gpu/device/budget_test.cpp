// What a submission may take.
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

}  // namespace
}  // namespace Atoll::gpu
