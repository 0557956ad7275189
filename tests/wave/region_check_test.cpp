// The plan of guarded accesses and the check that stands before LLVM, on nodes made by hand: what the plan joins it may join, and
// the check finds each proof that is missing.
#include "wave/jit/region_check.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>

namespace Atoll::wave {
namespace {

constexpr uint32_t cell_of(uint32_t n) { return register_file_offset + n * 128; }

struct Fixture {
  CodeRegion region;
  std::deque<Step> steps;
  std::deque<MemoryAccess> accesses;
  Wave like;
  RegisterFile file{.bytes = 64 * 128, .active_cell = cell_of(0)};
  int width = 16;

  int node(Op op, Type type, int a = -1, int b = -1, int c = -1, uint64_t imm = 0, const void* extra = nullptr) {
    if (region.steps.empty()) step(0);
    region.nodes.push_back({op, type, a, b, c, imm, extra, uint32_t(region.steps.size() - 1)});
    return int(region.nodes.size()) - 1;
  }
  void step(uint8_t forms) {
    Step& s = steps.emplace_back();
    s.address_forms = forms;
    region.steps.push_back(&s);
  }
  int read(uint32_t n) { return node(Op::ReadLanes, Type::U32, -1, -1, -1, cell_of(n)); }
  void write(uint32_t n, int value, int condition = -1) { node(Op::WriteLanes, Type::None, value, condition, -1, cell_of(n)); }
  int load(Space space, int low, int high, int32_t offset, uint8_t form = kEqual, int condition = -1) {
    step(form);
    return node(Op::Load, Type::U32, low, high, condition, 0,
                &accesses.emplace_back(MemoryAccess{.space = space, .offset = offset}));
  }
  AccessPlan plan() { return plan_accesses(region, like, width); }
  std::string complaint(const AccessPlan& plan) {
    auto sound = check_region(region, plan, file, like, width);
    return sound ? "" : sound.error().message;
  }
};

TEST(AccessPlan, OneGuardCoversEveryRegisterThatHoldsTheValue) {
  Fixture f;
  int v2 = f.read(2);
  f.write(3, v2);
  int a = f.load(Space::Lds, v2, v2, 0), b = f.load(Space::Lds, f.read(3), v2, 60000);
  AccessPlan plan = f.plan();
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_EQ(plan.group_of[size_t(a)], plan.group_of[size_t(b)]);
  EXPECT_EQ(plan.groups[0].begin, 0);
  EXPECT_EQ(plan.groups[0].end, 60004);
  EXPECT_EQ(f.complaint(plan), "");
}

TEST(AccessPlan, AWriteBetweenPartsThem) {
  for (bool conditional : {false, true}) {
    Fixture f;
    int v2 = f.read(2), mask = f.node(Op::ReadMask, Type::M, -1, -1, -1, cell_of(1));
    f.load(Space::Lds, v2, v2, 0);
    f.write(2, f.read(4), conditional ? mask : -1);
    f.load(Space::Lds, f.read(2), v2, 8);
    EXPECT_EQ(f.plan().groups.size(), 2u);
    EXPECT_EQ(f.complaint(f.plan()), "");
  }
}

TEST(AccessPlan, FormsSpacesLanesAndOffsetsThatNeedCallsGetThem) {
  Fixture f;
  int low = f.read(2), high = f.read(3), mask = f.node(Op::ReadMask, Type::M, -1, -1, -1, cell_of(1));
  f.load(Space::Global, low, high, -8, kConsecutive);
  f.load(Space::Global, low, high, -8, kEqual);
  f.load(Space::Global, low, high, 16, kConsecutive, mask);
  f.load(Space::Flat, low, high, 24, kConsecutive);
  int called[] = {f.load(Space::Lds, low, high, -4), f.load(Space::Scratch, low, high, 2),
                  f.load(Space::Scratch, low, high, 0, kConsecutive), f.load(Space::Lds, low, high, 0, kOther),
                  f.load(Space::Lds, low, high, 0, kConsecutive | kEqual)};
  AccessPlan plan = f.plan();
  EXPECT_EQ(plan.groups.size(), 3u);  // row, equal, row of other lanes
  EXPECT_EQ(plan.groups[0].begin, -8);
  EXPECT_EQ(plan.groups[0].end, 24 + 64);  // the flat one is among them
  for (int n : called) EXPECT_EQ(plan.group_of[size_t(n)], -1);
  EXPECT_EQ(f.complaint(plan), "");
  f.like.flat_shared_high = 1;  // an aperture in the window: flat addresses there are no global ones
  EXPECT_EQ(f.plan().groups[0].end, -8 + 64);
}

// Each damage to a sound region is found.
TEST(RegionCheck, FindsWhatHasNoProof) {
  struct Damage {
    const char* words;
    std::function<void(Fixture&, AccessPlan&)> make;
  };
  const Damage damages[] = {
      {"cover", [](Fixture&, AccessPlan& p) { p.groups[0].end -= 1; }},
      {"cover", [](Fixture&, AccessPlan& p) { p.groups[0].begin += 4; }},
      {"another memory", [](Fixture&, AccessPlan& p) { p.groups[0].space = Space::Global; }},
      {"another address", [](Fixture&, AccessPlan& p) { p.groups[0].low = 1; }},
      {"no guard", [](Fixture&, AccessPlan& p) { p.group_of.back() = 7; }},
      {"comes after", [](Fixture& f, AccessPlan& p) { p.groups[0].low = int(f.region.nodes.size()); }},
      {"no row", [](Fixture& f, AccessPlan&) { f.accesses.back().stride = 8; }},
      {"without a guard", [](Fixture& f, AccessPlan&) { f.accesses.back().bytes = 2; }},
      {"cover", [](Fixture& f, AccessPlan&) { f.accesses.back().offset = 4096; }},
      {"no access", [](Fixture&, AccessPlan& p) { p.group_of[0] = 0; }},
      {"register file", [](Fixture& f, AccessPlan&) { f.region.nodes[0].imm = cell_of(64); }},
      {"register file", [](Fixture& f, AccessPlan&) { f.region.nodes[0].imm = 0; }},
      {"register file", [](Fixture& f, AccessPlan&) { f.region.nodes[0].imm += 4; }},
      {"not made yet", [](Fixture& f, AccessPlan&) { f.region.nodes.back().a = int(f.region.nodes.size()); }},
      {"other types", [](Fixture& f, AccessPlan&) { f.region.nodes[0].type = Type::F32; }},
      {"another region", [](Fixture&, AccessPlan& p) { p.group_of.pop_back(); }},
      {"chunks", [](Fixture& f, AccessPlan&) { f.width = 64; }},
  };
  for (const Damage& damage : damages) {
    Fixture f;
    int v2 = f.read(2), v3 = f.read(3);
    f.load(Space::Lds, v2, v3, 0, kConsecutive);
    f.load(Space::Lds, v2, v3, 512, kConsecutive);
    AccessPlan plan = f.plan();
    ASSERT_EQ(f.complaint(plan), "");
    damage.make(f, plan);
    EXPECT_NE(f.complaint(plan).find(damage.words), std::string::npos) << damage.words << ": " << f.complaint(plan);
  }
}

}  // namespace
}  // namespace Atoll::wave
