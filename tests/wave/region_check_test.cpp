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
    region.late.push_back(false);
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
                  f.load(Space::Scratch, low, high, 0, kConsecutive), f.load(Space::Lds, low, high, -4, kOther)};
  AccessPlan plan = f.plan();
  EXPECT_EQ(plan.groups.size(), 3u);  // row, equal, row of other lanes
  EXPECT_EQ(plan.groups[0].begin, -8);
  EXPECT_EQ(plan.groups[0].end, 24 + 64);  // the flat one is among them
  for (int n : called) EXPECT_EQ(plan.group_of[size_t(n)], -1);
  EXPECT_EQ(f.complaint(plan), "");
  f.like.flat_shared_high = 1;  // an aperture in the window: flat addresses there are no global ones
  EXPECT_EQ(f.plan().groups[0].end, -8 + 64);
}

// Loads from global memory whose lanes stand anywhere are gathered where chunks have 16 lanes; halves where none can straddle dwords.
TEST(AccessPlan, LanesAnywhereAreGathered) {
  Fixture f;
  f.width = 16;
  int low = f.read(2), high = f.read(3);
  f.load(Space::Global, low, high, 4, kOther);
  f.load(Space::Global, low, high, -8, kConsecutive | kEqual);
  f.load(Space::Global, low, high, 1, kEqual);
  f.accesses.back().bytes = 1;
  f.load(Space::Global, low, high, 6, kConsecutive);
  f.accesses.back().bytes = 2;
  f.load(Space::Lds, low, high, 8, kConsecutive | kEqual);
  int called[] = {f.load(Space::Global, low, high, 7, kOther), f.load(Space::Scratch, low, high, 0, kOther)};
  for (auto access = f.accesses.end() - 2; access != f.accesses.end(); access++) access->bytes = 2;
  AccessPlan plan = f.plan();
  ASSERT_EQ(plan.groups.size(), 3u);
  EXPECT_EQ(plan.groups[2].space, Space::Lds);
  EXPECT_EQ(plan.groups[2].form, kOther);
  EXPECT_EQ(plan.groups[0].form, kOther);
  EXPECT_EQ(plan.groups[0].begin, -8);
  EXPECT_EQ(plan.groups[0].end, 8);
  EXPECT_FALSE(plan.groups[0].even);
  EXPECT_TRUE(plan.groups[1].even);
  for (int n : called) EXPECT_EQ(plan.group_of[size_t(n)], -1);
  EXPECT_EQ(f.complaint(plan), "");
  plan.groups[1].even = false;
  EXPECT_NE(f.complaint(plan).find("straddle"), std::string::npos);
  f.width = 8;
  EXPECT_TRUE(f.plan().groups.empty());
}

// A texture is looked for once where several samples name it by the same words, as long as nothing writes these.
TEST(Recorder, FindsATextureOnceForTheSameWords) {
  Wave wave;
  wave.lanes = 64;
  Recorder r(wave, {}, {.bytes = 64 * 128, .active_cell = cell_of(0)});
  Step step;
  r.step = &step;
  constexpr uint32_t first = cell_of(8);
  auto found = [&](uint64_t form, uint32_t cell) {
    std::array<Recorder::S32, 12> words{};
    for (uint32_t n = 0; n < 12; n++) words[n] = r.scalar(cell + n * 4);
    return r.texture(form, {}, words).id;
  };
  const int one = found(1, first);
  EXPECT_EQ(found(1, first), one);
  EXPECT_NE(found(2, first), one);
  EXPECT_NE(found(1, first + 4), one);
  r.set_scalar(first + 48, r.s32(0));  // none of its words
  EXPECT_EQ(found(1, first), one);
  r.set_scalar(first + 44, r.s32(0));
  const int after = found(1, first);
  EXPECT_GT(after, one);
  EXPECT_EQ(found(1, first), after);
  r.set_mask(first - 4, r.m(true));  // of 64 lanes: two words
  EXPECT_GT(found(1, first), after);
}

// Stores to textures: only of those that are stored to, at places that are made of their own parts.
TEST(RegionCheck, FindsTexelsThatMayNotBeStored) {
  const TextureAccess stored{.form = 1, .use = TextureUse::stored, .words = {}},
      loaded{.form = 1, .use = TextureUse::loaded, .words = {}};
  struct Damage {
    const char* words;
    std::function<void(std::vector<Node>&)> make;
  };
  const Damage damages[] = {
      {"", [](std::vector<Node>&) {}},
      {"not stored to", [&](std::vector<Node>& n) { n[1].extra = &loaded; }},
      {"beyond a texel", [](std::vector<Node>& n) { n.back().imm = 8 << 8 | 8; }},
      {"beyond a texel", [](std::vector<Node>& n) { n.back().imm = 2 << 8 | 2; }},
      {"beyond a texel", [](std::vector<Node>& n) { n.back().imm = 32 << 8; }},
      {"made of its parts", [](std::vector<Node>& n) { n.back().c = 2; }},
      {"made of its parts", [](std::vector<Node>& n) { n[6].b = 2; }},
      {"another texture or level", [](std::vector<Node>& n) { n[5].b = 2; }},
      {"other types", [](std::vector<Node>& n) { n.back().b = 3; }},
  };
  for (const Damage& damage : damages) {
    Fixture f;
    std::vector<Node>& n = f.region.nodes;
    f.node(Op::Const, Type::S32);
    const int texture = f.node(Op::Texture, Type::Texture, -1, -1, -1, 0, &stored);
    const int one = f.node(Op::Const, Type::U32, -1, -1, -1, 1), none = f.node(Op::Const, Type::U32);
    const int column = f.node(Op::TexelColumn, Type::U32, texture, none, one),
              row = f.node(Op::TexelRow, Type::U32, texture, none, one);
    const int offset = f.node(Op::TexelOffset, Type::U32, texture, column, row);
    const int all = f.node(Op::Const, Type::M, -1, -1, -1, 1);
    f.node(Op::WriteTexel, Type::None, one, all, offset, 8 << 8 | 4);
    AccessPlan plan = f.plan();
    damage.make(n);
    const std::string complaint = f.complaint(plan);
    if (!*damage.words) EXPECT_EQ(complaint, "");
    EXPECT_NE(complaint.find(damage.words), std::string::npos) << complaint << ", not " << damage.words;
  }
}

// The place of pixels is set by the code that placed them: no instruction writes there, whichever cells it names.
TEST(RegionCheck, FindsWritesOfPlacesOfPixels) {
  for (const uint32_t begin : {cell_of(20), cell_of(20) + 32, cell_of(20) + 100})
    for (const uint32_t bytes : {4u, 32u, 128u}) {
      Fixture f;
      f.file.whole_wave = true, f.width = 8, f.like.lanes = 8;
      f.file.pixels_begin = begin, f.file.pixels_end = begin + bytes;
      const int value = f.node(Op::Const, Type::U32, -1, -1, -1, 1), all = f.node(Op::Const, Type::M, -1, -1, -1, 1);
      for (const Op op : {Op::WriteRegion, Op::WriteIndexed})
        for (uint32_t cell = begin - 160; cell < begin + 320; cell += 16) {
          const Region region{.cell = cell, .bytes = 4, .lanes = 8, .vertical = 8, .width = 8, .horizontal = 1};
          const IndexedBytes window{.cell = cell, .size = 64, .bytes = 4, .lanes = 8};
          const bool is_region = op == Op::WriteRegion;
          f.region.nodes.resize(2), f.region.late.resize(2);
          f.node(op, Type::None, value, all, is_region ? -1 : value, 0,
                 is_region ? static_cast<const void*>(&region) : static_cast<const void*>(&window));
          const uint32_t end = cell + (is_region ? 32 : 64);
          const bool reaches = cell < begin + bytes && end > begin;
          const std::string complaint = f.complaint(f.plan());
          EXPECT_EQ(complaint.find("places of pixels") != complaint.npos, reaches) << cell << " " << complaint;
          if (!reaches) {
            EXPECT_EQ(complaint, "");
          }
        }
    }
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

// Each operation's operands and result have its types: what is damaged in one node is found there.
TEST(RegionCheck, FindsWrongTypes) {
  struct Damage {
    const char* words;
    std::function<void(Fixture&)> make;
  };
  // The nodes of the sound region, by what they are.
  enum At : size_t {
    LANES,
    MASK,
    SCALAR,
    REAL,
    SUM,
    ROUNDED,
    WORD,
    HALF,
    WIDE,
    DOUBLE,
    LOW,
    LESS,
    CHOSEN,
    SPLAT,
    ADDRESS,
    LOADED
  };
  auto retype = [](size_t at, Type type) { return [=](Fixture& f) { f.region.nodes[at].type = type; }; };
  auto rewire = [](size_t at, int Node::* operand, int to) { return [=](Fixture& f) { f.region.nodes[at].*operand = to; }; };
  const Damage damages[] = {
      {"other types", retype(LANES, Type::F32)},
      {"other types", retype(MASK, Type::U32)},
      {"other types", retype(SCALAR, Type::U32)},
      {"other types", retype(REAL, Type::F64)},            // 32 bits as 64
      {"other types", retype(REAL, Type::SF32)},           // lanes as a scalar
      {"other types", retype(REAL, Type::U32)},            // a bit cast that casts nothing
      {"other types", rewire(SUM, &Node::b, LANES)},       // f32 + u32
      {"other types", rewire(SUM, &Node::b, -1)},          // one operand
      {"other types", rewire(SUM, &Node::c, REAL)},        // three
      {"other types", retype(ROUNDED, Type::U64)},         // a conversion to 64-bit integers
      {"other types", rewire(ROUNDED, &Node::a, LANES)},   // of an integer
      {"other types", rewire(WORD, &Node::a, REAL)},       // from an integer, of a float
      {"other types", rewire(HALF, &Node::a, REAL)},       // a float's half of it
      {"other types", retype(HALF, Type::F64)},            // a half to f64
      {"other types", rewire(WIDE, &Node::a, SCALAR)},     // lanes widened from a scalar
      {"other types", rewire(DOUBLE, &Node::a, WIDE)},     // a float's conversion of an integer
      {"other types", retype(DOUBLE, Type::F32)},          // to itself
      {"other types", rewire(LOW, &Node::a, LANES)},       // the half of a word
      {"other types", retype(LESS, Type::S1)},             // lanes compared to one bit
      {"other types", rewire(LESS, &Node::a, REAL)},       // integers and floats
      {"other types", rewire(CHOSEN, &Node::a, LANES)},    // a choice by no mask
      {"other types", rewire(CHOSEN, &Node::c, REAL)},     // between types
      {"other types", rewire(SPLAT, &Node::a, LANES)},     // what is lanes already
      {"other types", rewire(LOADED, &Node::a, ADDRESS)},  // an address of 64 bits in one half
      {"other types", rewire(LOADED, &Node::c, LANES)},    // a condition that is no mask
      {"other types", [](Fixture& f) { f.region.nodes.back().a = REAL; }},
      {"another type", [](Fixture& f) { f.region.nodes.back().type = Type::U32; }},  // a value of what leaves none
      {"another type", retype(SUM, Type::None)},
      {"cannot hold", [](Fixture& f) { f.node(Op::Const, Type::U32, -1, -1, -1, uint64_t(1) << 32); }},
      {"cannot hold", [](Fixture& f) { f.node(Op::Const, Type::M, -1, -1, -1, 2); }},
      {"before the last", [](Fixture& f) { f.region.nodes.back().step = 0; }},
      {"of the epilogue", [](Fixture& f) { f.region.late[LANES] = true; }},
      {"not say", [](Fixture& f) { f.region.late.pop_back(); }},
  };
  for (const Damage& damage : damages) {
    Fixture f;
    f.read(2);
    f.node(Op::ReadMask, Type::M, -1, -1, -1, cell_of(1));
    f.node(Op::ReadScalar, Type::S32, -1, -1, -1, cell_of(0) + 8);
    f.node(Op::Bitcast, Type::F32, LANES);
    f.node(Op::FAdd, Type::F32, REAL, REAL);
    f.node(Op::CvtToS, Type::U32, SUM);
    f.node(Op::CvtFromU, Type::F32, LANES);
    f.node(Op::CvtF32F16, Type::F32, LANES);
    f.node(Op::Widen, Type::U64, LANES);
    f.node(Op::CvtFloat, Type::F64, REAL);
    f.node(Op::Low, Type::U32, WIDE);
    f.node(Op::ULt, Type::M, LANES, LOW);
    f.node(Op::Select, Type::U32, LESS, LANES, LOW);
    f.node(Op::Splat, Type::U32, SCALAR);
    f.node(Op::Join, Type::U64, LANES, SPLAT);
    f.load(Space::Global, LANES, SPLAT, 0, kOther, MASK);
    f.write(3, LOADED);
    ASSERT_EQ(f.complaint(without_guards(f.region)), "");
    damage.make(f);
    std::string complaint = f.complaint(without_guards(f.region));
    EXPECT_NE(complaint.find(damage.words), std::string::npos) << "damage " << &damage - damages << ": " << complaint;
  }
}

// Code that may be left out if no lane needs it has an end, does nothing but compute, and is of use to nothing else.
TEST(RegionCheck, WhatMayBeLeftOut) {
  enum { LANES, MASK, BEGIN, INSIDE, SELDOM, AFTER };
  struct Damage {
    const char* words;
    std::function<void(Fixture&)> make;
  };
  auto change = [](size_t n, Node to) { return [=](Fixture& f) { f.region.nodes[n] = to; }; };
  const Damage damages[] = {
      {"", [](Fixture&) {}},
      {"may have been left out", [](Fixture& f) { f.region.nodes[AFTER].b = INSIDE; }},
      {"more than computing", change(INSIDE, {Op::ReadLanes, Type::U32, -1, -1, -1, cell_of(2)})},
      {"without its beginning", change(BEGIN, {Op::Not, Type::U32, LANES})},
      {"without an end", change(SELDOM, {Op::Not, Type::U32, LANES})},
      {"within such", change(INSIDE, {Op::BeginSeldom, Type::None, MASK, LANES})},
      {"under two masks", [](Fixture& f) { f.region.nodes[SELDOM].c = INSIDE; }},
      {"other types", [](Fixture& f) { f.region.nodes[SELDOM].a = LANES; }},
      {"another type", [](Fixture& f) { f.region.nodes[BEGIN].type = Type::U32; }},
  };
  for (const Damage& damage : damages) {
    Fixture f;
    f.read(2);
    f.node(Op::ReadMask, Type::M, -1, -1, -1, cell_of(1));
    f.node(Op::BeginSeldom, Type::None, MASK, LANES);
    f.node(Op::Not, Type::U32, LANES);
    f.node(Op::Seldom, Type::U32, MASK, INSIDE, LANES);
    f.node(Op::Add, Type::U32, SELDOM, LANES);
    f.write(3, AFTER);
    ASSERT_EQ(f.complaint(without_guards(f.region)), "");
    damage.make(f);
    const std::string complaint = f.complaint(without_guards(f.region));
    EXPECT_NE(complaint.find(damage.words), std::string::npos) << "damage " << &damage - damages << ": " << complaint;
  }
}

// An operation that sees lanes of other chunks, or does something to the whole wave, stands where all lanes are there.
TEST(RegionCheck, LanesOfOtherChunks) {
  LaneMap within, across;
  for (int lane = 0; lane < 32; lane++)
    within.from[size_t(lane)] = int8_t(lane ^ 3), across.from[size_t(lane)] = int8_t(lane ^ 16);
  AtomicCall call{
      .access = {.space = Space::Lds}, .mode = {}, .given = 1u << kLow | 1u << kDataLow, .results = 1, .result = {cell_of(5), 0}};
  struct Damage {
    const char* words;
    std::function<void(Fixture&)> make;
  };
  auto of = [](Fixture& f, Op op) -> size_t {
    for (size_t n = 0; n < f.region.nodes.size(); n++)
      if (f.region.nodes[n].op == op) return n;
    return ~size_t(0);
  };
  const Damage damages[] = {
      {"", [](Fixture&) {}},
      {"another chunk", [&](Fixture& f) { f.region.nodes[of(f, Op::MoveLanes)].extra = &across; }},
      {"another chunk",
       [&](Fixture& f) { f.region.nodes[of(f, Op::MoveLanes)] = {Op::PickLanes, Type::U32, 0, 0, -1, 0, nullptr, 0}; }},
      {"does not have",
       [&](Fixture& f) {
         static LaneMap wild = within;
         wild.from[3] = 32;
         f.region.nodes[of(f, Op::MoveLanes)].extra = &wild;
       }},
      {"register file", [&](Fixture& f) { f.region.nodes[of(f, Op::ReadLane)].imm = cell_of(63) + 64; }},
      {"register file", [&](Fixture& f) { f.region.nodes[of(f, Op::WriteLane)].imm = cell_of(64); }},
      {"may be written", [&](Fixture& f) { f.write(3, 0); }},
      {"kept again",
       [&](Fixture& f) {
         f.region.nodes[of(f, Op::MoveLanes)] = {Op::WriteLanes, Type::None, 0, -1, -1, cell_of(4), nullptr, 0};
       }},
      {"not done", [&](Fixture& f) { f.region.late[of(f, Op::WriteLane)] = false; }},
      {"not done", [&](Fixture& f) { f.region.late[of(f, Op::Atomic)] = false; }},
      {"not kept", [&](Fixture&) { call.given |= 1u << kHigh; }},
      {"for nothing", [&](Fixture& f) { f.region.late[of(f, Op::KeepLanes)] = true; }},
      {"register file", [&](Fixture&) { call.result[0] = cell_of(64); }},
      {"register file", [&](Fixture&) { call.result[0] = cell_of(5) + 4; }},
      {"more results", [&](Fixture&) { call.results = 3; }},
      {"regions on all lanes", [](Fixture& f) { f.region.whole = true; }},
  };
  for (const Damage& damage : damages) {
    Fixture f;
    const AtomicCall sound = call;
    int v2 = f.read(2), three = f.node(Op::Const, Type::S32, -1, -1, -1, 3);
    int lane = f.node(Op::ReadLane, Type::S32, three, -1, -1, cell_of(3));
    f.node(Op::MoveLanes, Type::U32, v2, -1, -1, 0, &within);
    f.node(Op::KeepLanes, Type::None, v2, -1, -1, kLow);
    f.node(Op::KeepLanes, Type::None, v2, -1, -1, kDataLow);
    f.node(Op::Atomic, Type::None, -1, -1, -1, 0, &call);
    f.region.late.back() = true;
    f.node(Op::WriteLane, Type::None, three, lane, -1, cell_of(6));
    f.region.late.back() = true;
    f.width = 8;
    damage.make(f);
    const std::string complaint = f.complaint(f.plan());
    call = sound;
    if (*damage.words)
      EXPECT_NE(complaint.find(damage.words), std::string::npos) << damage.words << ": " << complaint;
    else
      EXPECT_EQ(complaint, "");
  }
}

}  // namespace
}  // namespace Atoll::wave
