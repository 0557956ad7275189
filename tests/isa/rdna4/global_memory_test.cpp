// Flat, global and scratch instructions against a model of bytes and lanes.
#include "isa/rdna4/semantics/global_memory.h"

#include <functional>

#include "isa/rdna4/table.h"
#include "memory_model.h"

namespace Atoll::rdna4::test {
namespace {

// How an instruction comes by its addresses.
enum class Mode { Gv, Gvs, FlatMemory, FlatLds, FlatScratch, FlatMixed, Sv, Ss, Svs, St };
struct ModeName {
  const char* family;
  Mode mode;
};
constexpr ModeName kModes[] = {{"global", Mode::Gv},    {"global", Mode::Gvs},       {"flat", Mode::FlatMemory},
                               {"flat", Mode::FlatLds}, {"flat", Mode::FlatScratch}, {"flat", Mode::FlatMixed},
                               {"scratch", Mode::Sv},   {"scratch", Mode::Ss},       {"scratch", Mode::Svs},
                               {"scratch", Mode::St}};

constexpr uint32_t kAddress = 40, kSaddr = 20, kData = 8;

// Sets the address registers and fields, and says where each lane's access lands. `bytes` in all.
std::vector<Target> addresses(SingleStep& wave, Words& random, Mode mode, unsigned bytes, unsigned round, Instruction& i) {
  std::vector<Target> targets(wave.lanes());
  static constexpr int32_t offsets[] = {0, 4, -16, 1, 20, -3};
  i.address = kAddress;
  i.offset = offsets[random.next() % 6];
  uint64_t span = SingleStep::scratch_bytes - bytes;
  auto scratch_target = [&](uint32_t lane) { return Target{Where::Scratch, pattern(round, lane, 0, span, 4, random)}; };
  uint64_t scalar = 0;
  uint32_t scalar32 = 0;
  if (mode == Mode::Ss || mode == Mode::St) scalar32 = uint32_t(random.next() % span);
  if (mode == Mode::St) i.offset = int32_t(scalar32);
  if (mode == Mode::Svs) scalar32 = random.next();
  if (mode == Mode::Gvs) scalar = SingleStep::memory_base - 5000 + random.next() % 8000;
  for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
    Target& t = targets[lane];
    Mode m = mode;
    if (m == Mode::FlatMixed) m = std::array{Mode::FlatMemory, Mode::FlatLds, Mode::FlatScratch}[random.next() % 3];
    switch (m) {
      case Mode::Gv:
      case Mode::FlatMemory:
        t = {Where::Memory, pattern(round, lane, SingleStep::memory_base + 1000, 20000, bytes, random)};
        wave.set_v64(kAddress, lane, t.address - uint64_t(int64_t(i.offset)));
        break;
      case Mode::Gvs:
        t = {Where::Memory, pattern(round, lane, SingleStep::memory_base + 3200, 20000, bytes, random)};
        wave.v(kAddress, lane) = uint32_t(t.address - scalar - uint64_t(int64_t(i.offset)));
        break;
      case Mode::FlatLds:  // up to the end of LDS, where accesses are cut; 17 bits count
        t = {Where::Lds, pattern(round, lane, 0, wave.lds_bytes + 40, bytes, random)};
        wave.set_v64(
            kAddress, lane,
            uint64_t(wave.w->flat_shared_high) << 32 | uint32_t((t.address - uint32_t(i.offset)) + (random.next() << 17)));
        break;
      case Mode::FlatScratch:
        t = scratch_target(lane);
        wave.set_v64(kAddress, lane,
                     uint64_t(wave.w->flat_private_high) << 32 | uint32_t(t.address - uint64_t(int64_t(i.offset))));
        break;
      case Mode::Sv:
      case Mode::Svs:
        t = scratch_target(lane);
        wave.v(kAddress, lane) = uint32_t(t.address) - uint32_t(i.offset) - scalar32;
        break;
      default: t = {Where::Scratch, scalar32};
    }
  }
  if (mode == Mode::Gvs) i.saddr = kSaddr, i.saddr_valid = true, wave.set_s64(kSaddr, scalar);
  if (mode == Mode::Ss || mode == Mode::Svs) {
    i.saddr = kSaddr, i.saddr_valid = true;
    wave.s(kSaddr) = mode == Mode::Ss ? scalar32 - uint32_t(i.offset) : scalar32;
  }
  i.vaddr_valid = mode != Mode::Ss && mode != Mode::St;
  return targets;
}

using Expect = std::function<void(Model&, const std::vector<Target>&, const Instruction&)>;

void check(const char* operation, unsigned bytes, const Expect& expect, bool scratch_too = true,
           std::function<void(Instruction&)> edit = {}) {
  Words random(0xadd7e55 + bytes);
  for (const ModeName& m : kModes) {
    if (!scratch_too && std::string_view(m.family) == "scratch") continue;
    std::string name = std::string(m.family) + "_" + operation;
    for (unsigned round = 0; round < 60; round++) {
      SingleStep wave(round & 1);
      scramble(wave, random, round / 2);
      Instruction i;
      i.dst = round % 7 == 0 ? kAddress : 4;
      i.data = kData;
      if (edit) edit(i);
      auto targets = addresses(wave, random, m.mode, bytes, round, i);
      Model model(wave);
      expect(model, targets, i);
      wave.run(name.c_str(), i);
      ASSERT_EQ(wave.w->stop, wave::Stop::Run) << name << " faulted at 0x" << std::hex << wave.w->fault.address;
      ASSERT_TRUE(model.agrees(wave)) << name << " mode " << int(m.mode) << " round " << round << " offset " << i.offset;
    }
  }
}

template <class Each>
Expect each(Each function) {
  return [function](Model& m, const std::vector<Target>& t, const Instruction& i) {
    for (uint32_t lane = 0; lane < m.lanes; lane++)
      if (m.active(lane)) function(m, t[lane], lane, i);
  };
}

TEST(GlobalMemory, LoadsDwords) {
  for (auto [name, dwords] : {std::pair{"load_b32", 1u}, {"load_b64", 2u}, {"load_b96", 3u}, {"load_b128", 4u}})
    check(name, dwords * 4, each([dwords](Model& m, Target t, uint32_t lane, const Instruction& i) {
            for (unsigned n = 0; n < dwords; n++, t.address += 4) m.reg(i.dst + n, lane) = uint32_t(m.load(t, 4, lane));
          }));
}

TEST(GlobalMemory, StoresDwords) {
  for (auto [name, dwords] : {std::pair{"store_b32", 1u}, {"store_b64", 2u}, {"store_b96", 3u}, {"store_b128", 4u}})
    // Lane by lane: where lanes overlap (which the manual leaves open) the order shows.
    check(name, dwords * 4, [dwords](Model& m, const std::vector<Target>& t, const Instruction& i) {
      for (uint32_t lane = 0; lane < m.lanes; lane++)
        for (unsigned n = 0; n < dwords; n++)
          if (m.active(lane)) m.store({t[lane].where, t[lane].address + 4 * n}, 4, m.reg(i.data + n, lane), lane);
    });
}

TEST(GlobalMemory, LoadsBytesAndHalves) {
  struct Row {
    const char* name;
    unsigned bytes;
    bool sign;
    int half;  // -1: the whole register, 0 low, 1 high
  };
  for (Row r : {Row{"load_u8", 1, false, -1},
                {"load_i8", 1, true, -1},
                {"load_u16", 2, false, -1},
                {"load_i16", 2, true, -1},
                {"load_d16_u8", 1, false, 0},
                {"load_d16_i8", 1, true, 0},
                {"load_d16_b16", 2, false, 0},
                {"load_d16_hi_u8", 1, false, 1},
                {"load_d16_hi_i8", 1, true, 1},
                {"load_d16_hi_b16", 2, false, 1}})
    check(r.name, r.bytes, each([r](Model& m, const Target& t, uint32_t lane, const Instruction& i) {
            uint32_t x = uint32_t(m.load(t, r.bytes, lane)), &d = m.reg(i.dst, lane);
            if (r.sign) x = r.bytes == 1 ? uint32_t(int8_t(x)) : uint32_t(int16_t(x));
            d = r.half < 0 ? x : r.half ? (d & 0xffff) | x << 16 : (d & ~0xffffu) | (x & 0xffff);
          }));
}

TEST(GlobalMemory, StoresBytesAndHalves) {
  for (auto [name, bytes, shift] :
       {std::tuple{"store_b8", 1u, 0}, {"store_b16", 2u, 0}, {"store_d16_hi_b8", 1u, 16}, {"store_d16_hi_b16", 2u, 16}})
    check(name, bytes, each([bytes, shift](Model& m, const Target& t, uint32_t lane, const Instruction& i) {
            m.store(t, bytes, m.reg(i.data, lane) >> shift, lane);
          }));
}

// --- atomics: addresses aligned, memory and flat-to-LDS

template <class T>
using Operation = std::function<T(T old, T data, T compare)>;

template <class T>
void check_atomic(const char* name, const Operation<T>& operation) {
  Words random(0xa70);
  for (const char* family : {"global", "flat"})
    for (unsigned round = 0; round < 48; round++) {
      SingleStep wave(round & 1);
      scramble(wave, random, round / 2);
      bool lds = std::string_view(family) == "flat" && round % 3 == 0;
      Instruction i{.dst = 4, .address = kAddress, .data = kData, .offset = 16, .th = uint8_t(round / 4 & 1)};
      std::vector<Target> targets(wave.lanes());
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
        uint64_t place = random.next() % 24 * sizeof(T);
        targets[lane] = lds ? Target{Where::Lds, place} : Target{Where::Memory, SingleStep::memory_base + place};
        wave.set_v64(kAddress, lane, targets[lane].address - 16 + (lds ? uint64_t(wave.w->flat_shared_high) << 32 : 0));
        if (lds && place < 16) wave.v(kAddress + 1, lane) = wave.w->flat_shared_high;
        for (uint32_t n = 0; n < 4; n++) wave.v(kData + n, lane) = random.mixed();
      }
      for (auto* bytes : {&wave.memory, &wave.lds})
        for (uint32_t n = 0; n < 64; n++) {
          uint32_t x = random.mixed();
          if (random.next() % 4 == 0) x = wave.v(kData + sizeof(T) / 4, random.next() % wave.lanes());  // compares that hold
          std::memcpy(bytes->data() + n * 4, &x, 4);
        }
      Model model(wave);
      for (uint32_t lane = 0; lane < model.lanes; lane++) {
        if (!model.active(lane)) continue;
        T old = T(model.load(targets[lane], sizeof(T), lane));
        T data = sizeof(T) == 8 ? T(model.reg64(kData, lane)) : T(model.reg(kData, lane));
        T compare = sizeof(T) == 8 ? T(model.reg64(kData + 2, lane)) : T(model.reg(kData + 1, lane));
        model.store(targets[lane], sizeof(T), operation(old, data, compare), lane);
        if (!(i.th & 1)) continue;
        model.reg(4, lane) = uint32_t(old);
        if (sizeof(T) == 8) model.reg(5, lane) = uint32_t(uint64_t(old) >> 32);
      }
      std::string full = std::string(family) + "_" + name;
      wave.run(full.c_str(), i);
      ASSERT_EQ(wave.w->stop, wave::Stop::Run) << full;
      ASSERT_TRUE(model.agrees(wave)) << full << " round " << round;
    }
}

template <class T>
void check_integer_atomics(const char* b, const char* u, const char* s) {
  using S = std::make_signed_t<T>;
  auto run = [](const char* name, const char* suffix, auto f) {
    check_atomic<T>((std::string("atomic_") + name + suffix).c_str(), f);
  };
  run("swap", b, [](T, T d, T) { return d; });
  run("cmpswap", b, [](T o, T d, T c) { return o == c ? d : o; });
  run("add", u, [](T o, T d, T) { return T(o + d); });
  run("sub", u, [](T o, T d, T) { return T(o - d); });
  run("min", s, [](T o, T d, T) { return S(d) < S(o) ? d : o; });
  run("min", u, [](T o, T d, T) { return d < o ? d : o; });
  run("max", s, [](T o, T d, T) { return S(d) >= S(o) ? d : o; });
  run("max", u, [](T o, T d, T) { return d >= o ? d : o; });
  run("and", b, [](T o, T d, T) { return T(o & d); });
  run("or", b, [](T o, T d, T) { return T(o | d); });
  run("xor", b, [](T o, T d, T) { return T(o ^ d); });
  run("inc", u, [](T o, T d, T) { return o >= d ? T(0) : T(o + 1); });
  run("dec", u, [](T o, T d, T) { return o == 0 || o > d ? d : T(o - 1); });
}
TEST(GlobalMemory, IntegerAtomics32) {
  check_integer_atomics<uint32_t>("_b32", "_u32", "_i32");
  check_atomic<uint32_t>("atomic_sub_clamp_u32", [](uint32_t o, uint32_t d, uint32_t) { return o < d ? 0 : o - d; });
  check_atomic<uint32_t>("atomic_cond_sub_u32", [](uint32_t o, uint32_t d, uint32_t) { return o >= d ? o - d : o; });
}
TEST(GlobalMemory, IntegerAtomics64) { check_integer_atomics<uint64_t>("_b64", "_u64", "_i64"); }

bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }
TEST(GlobalMemory, FloatAtomics) {
  check_atomic<uint32_t>("atomic_add_f32", [](uint32_t o, uint32_t d, uint32_t) -> uint32_t {
    if (is_nan(o)) return o | 0x400000;
    if (is_nan(d)) return d | 0x400000;
    float sum = std::bit_cast<float>(o) + std::bit_cast<float>(d);
    return sum != sum ? 0xffc00000 : std::bit_cast<uint32_t>(sum);
  });
  auto choose = [](uint32_t o, uint32_t d, bool smaller) -> uint32_t {
    if (is_nan(o) && is_nan(d)) return d | 0x400000;
    if (is_nan(d)) return o;
    if (is_nan(o)) return d;
    float a = std::bit_cast<float>(o), b = std::bit_cast<float>(d);
    if (a == 0 && b == 0) return smaller ? o | d : o & d;
    return smaller == (b < a) ? d : o;
  };
  check_atomic<uint32_t>("atomic_min_num_f32", [=](uint32_t o, uint32_t d, uint32_t) { return choose(o, d, true); });
  check_atomic<uint32_t>("atomic_max_num_f32", [=](uint32_t o, uint32_t d, uint32_t) { return choose(o, d, false); });
}

// Memory atomics neither flush nor obey the wave's rounding (RDNA4 ISA 13.1, 13.2).
TEST(GlobalMemory, FloatAtomicsIgnoreTheMode) {
  SingleStep wave;
  wave.cell(mode_cell) = 0x0f;  // everything flushed, rounding toward zero
  wave.set_exec(7);
  uint32_t memory[] = {0x00000001, 0x3f800000, 0x00012345}, data[] = {0x00000002, 0x33800001, 0x00000000};
  for (uint32_t lane = 0; lane < 3; lane++) {
    wave.set_v64(kAddress, lane, SingleStep::memory_base + 4 * lane);
    wave.v(kData, lane) = data[lane];
  }
  std::memcpy(wave.memory.data(), memory, sizeof memory);
  wave.run("global_atomic_add_f32", {.address = kAddress, .data = kData});
  std::memcpy(memory, wave.memory.data(), sizeof memory);
  EXPECT_EQ(memory[0], 3u);
  EXPECT_EQ(memory[1], 0x3f800001u);  // just above the middle: up
  EXPECT_EQ(memory[2], 0x12345u);
}

TEST(GlobalMemory, PackedAdditions) {
  struct Row {
    const char* name;
    uint32_t memory, data, sum;
  };
  for (Row r : {Row{"global_atomic_pk_add_f16", 0x3c004000, 0x3c00c000, 0x40000000},
                {"global_atomic_pk_add_f16", 0x00010001, 0x00028001, 0x00030000},  // denormals stay; +0 from x - x
                {"global_atomic_pk_add_f16", 0x7bff7c00, 0x7bfffc00, 0x7c00fe00},  // overflow, inf - inf
                {"global_atomic_pk_add_f16", 0x7d017e55, 0x7d02fe66, 0x7f02fe66},  // the data's NaN first, quieted
                {"global_atomic_pk_add_f16", 0x3c016800, 0x10000001, 0x3c026800},  // half an ulp: to even; much less
                {"global_atomic_pk_add_f16", 0x3c003c00, 0x10001001, 0x3c003c01},  // half an ulp: to even; just above
                {"global_atomic_pk_add_f16", 0x80008000, 0x80000000, 0x80000000},  // -0 from two of them only
                {"global_atomic_pk_add_bf16", 0x3f804000, 0x3f80c000, 0x40000000},
                {"global_atomic_pk_add_bf16", 0x3f803f81, 0x3b803b80, 0x3f803f82},  // half an ulp: to even
                {"global_atomic_pk_add_bf16", 0x7f807f81, 0xff803f80, 0xffc07fc1}}) {
    SingleStep wave;
    wave.set_exec(2);
    wave.set_v64(kAddress, 1, SingleStep::memory_base);
    wave.v(kData, 1) = r.data;
    std::memcpy(wave.memory.data(), &r.memory, 4);
    wave.run(r.name, {.dst = 3, .address = kAddress, .data = kData, .th = 1});
    uint32_t now;
    std::memcpy(&now, wave.memory.data(), 4);
    EXPECT_EQ(now, r.sum) << r.name << std::hex << " 0x" << r.memory << " + 0x" << r.data << " = 0x" << now;
    EXPECT_EQ(wave.v(3, 1), r.memory);
    EXPECT_EQ(wave.v(3, 0), 0u);
  }
}

TEST(GlobalMemory, OrderedAdd) {
  for (bool matches : {true, false}) {
    SingleStep wave;
    wave.set_exec(1);
    wave.set_v64(kAddress, 0, SingleStep::memory_base + 8);
    wave.v(kData, 0) = matches ? 0xfff : 0xffe, wave.v(kData + 1, 0) = 100;
    uint32_t pair[] = {0xfff, 7};
    std::memcpy(wave.memory.data() + 8, pair, 8);
    wave.run("global_atomic_ordered_add_b64", {.dst = 3, .address = kAddress, .data = kData, .th = 1});
    std::memcpy(pair, wave.memory.data() + 8, 8);
    EXPECT_EQ(pair[0], matches ? 0u : 0xfffu);
    EXPECT_EQ(pair[1], matches ? 107u : 7u);
    EXPECT_EQ(wave.v(3, 0), 0xfffu);
    EXPECT_EQ(wave.v(4, 0), 7u);
  }
}

// --- the odd ones

TEST(GlobalMemory, AddressFromTheLane) {
  for (bool wave64 : {false, true}) {
    SingleStep wave(wave64);
    Words random(5);
    scramble(wave, random, 4);
    wave.set_s64(kSaddr, SingleStep::memory_base);
    Instruction i{.dst = 3, .data = kData, .saddr = kSaddr, .offset = 12, .saddr_valid = true};
    Model model(wave);
    for (uint32_t lane = 0; lane < model.lanes; lane++)
      if (model.active(lane))
        model.reg(3, lane) = uint32_t(model.load({Where::Memory, SingleStep::memory_base + 12 + 4 * lane}, 4, lane));
    wave.run("global_load_addtid_b32", i);
    EXPECT_TRUE(model.agrees(wave));
    for (uint32_t lane = 0; lane < model.lanes; lane++)
      if (model.active(lane))
        model.store({Where::Memory, SingleStep::memory_base + 12 + 4 * lane}, 4, model.reg(kData, lane), lane);
    wave.run("global_store_addtid_b32", i);
    EXPECT_TRUE(model.agrees(wave));
  }
}

TEST(GlobalMemory, Blocks) {
  for (unsigned round = 0; round < 16; round++) {
    SingleStep wave(round & 1);
    Words random(round);
    scramble(wave, random, 4);
    bool scratch = round & 2;
    uint32_t chosen = round < 4 ? ~0u : random.next();
    wave.s(M0) = chosen;
    for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
      uint64_t place = random.next() % 100;
      if (scratch)
        wave.v(kAddress, lane) = uint32_t(place);
      else
        wave.set_v64(kAddress, lane, SingleStep::memory_base + 8000 + lane * 200 + place);
    }
    Model model(wave);
    auto target = [&](uint32_t lane, uint32_t n) {
      return scratch ? Target{Where::Scratch, model.reg(kAddress, lane) + 8ull + 4 * n}
                     : Target{Where::Memory, model.reg64(kAddress, lane) + 8 + 4 * n};
    };
    // Stored from v0 on, loaded over the address registers.
    for (uint32_t n = 0; n < 32; n++)
      for (uint32_t lane = 0; lane < model.lanes; lane++)
        if (model.active(lane) && chosen >> n & 1) model.store(target(lane, n), 4, model.reg(n, lane), lane);
    wave.run(scratch ? "scratch_store_block" : "global_store_block", {.address = kAddress, .data = 0, .offset = 8});
    ASSERT_TRUE(model.agrees(wave)) << round;
    for (uint32_t lane = 0; lane < model.lanes; lane++) {
      if (!model.active(lane)) continue;
      uint32_t values[32];
      for (uint32_t n = 0; n < 32; n++) values[n] = uint32_t(model.load(target(lane, n), 4, lane));
      for (uint32_t n = 0; n < 32; n++)
        if (chosen >> n & 1) model.reg(30 + n, lane) = values[n];
    }
    wave.run(scratch ? "scratch_load_block" : "global_load_block", {.dst = 30, .address = kAddress, .offset = 8});
    ASSERT_TRUE(model.agrees(wave)) << round;
  }
}

// With 16 bits: element n of a lane is, among each eight lanes, its own of the eight that lane n has read, as dumped on a card
// (docs/errata.md). In a wave64 lanes 32-63 take the upper four.
TEST(GlobalMemory, TransposingLoadsOfHalves) {
  for (bool wave64 : {false, true}) {
    SingleStep wave(wave64);
    for (unsigned n = 0; n < 4096; n++) {
      const uint16_t x = uint16_t(n * 0x1235 + 7);
      std::memcpy(wave.memory.data() + 2 * n, &x, 2);
    }
    uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; lane++) {
      addresses[lane] = 16 * (lane * 37 % 101);
      wave.set_v64(kAddress, lane, SingleStep::memory_base + addresses[lane]);
    }
    for (uint32_t lane = 32; lane < wave.lanes(); lane++) wave.set_v64(kAddress, lane, ~uint64_t(0));  // not looked at
    wave.run("global_load_tr_b128", {.dst = kAddress, .address = kAddress});
    ASSERT_EQ(wave.w->stop, wave::Stop::Run);
    for (unsigned lane = 0; lane < 32; lane++)
      for (unsigned n = 0; n < 8; n++) {
        const unsigned to = wave64 && n >= 4 ? lane + 32 : lane, place = wave64 ? n % 4 : n;
        uint16_t expected;
        std::memcpy(&expected, wave.memory.data() + addresses[lane / 8 * 8 + n] + 2 * (lane % 8), 2);
        EXPECT_EQ(wave.v(kAddress + place / 2, to) >> 16 * (place % 2) & 0xffff, expected) << "lane " << lane << " element " << n;
      }
  }
}

// With 8 bits: a column-major 16x16 matrix, each lane pointing where the figure of RDNA4 ISA 11.6.2 puts it, arrives as WMMA's
// A-matrix: the places are the table of 7.12.2.
TEST(GlobalMemory, TransposingLoadsOfBytes) {
  // First lane of every group of four columns, rows 0-7 and rows 8-15 (the figure).
  constexpr unsigned upper[] = {0, 8, 16, 24}, lower[] = {4, 12, 20, 28};
  for (bool wave64 : {false, true}) {
    SingleStep wave(wave64);
    auto element = [](unsigned m, unsigned k) { return uint8_t(16 * m + k); };
    for (unsigned k = 0; k < 16; k++) {
      for (unsigned m = 0; m < 16; m++) wave.memory[64 + k * 16 + m] = element(m, k);
      wave.set_v64(kAddress, upper[k / 4] + k % 4, SingleStep::memory_base + 64 + k * 16);
      wave.set_v64(kAddress, lower[k / 4] + k % 4, SingleStep::memory_base + 64 + k * 16 + 8);
    }
    for (uint32_t lane = 32; lane < wave.lanes(); lane++) wave.set_v64(kAddress, lane, ~uint64_t(0));  // not looked at
    wave.run("global_load_tr_b64", {.dst = kAddress, .address = kAddress});
    ASSERT_EQ(wave.w->stop, wave::Stop::Run);
    for (unsigned m = 0; m < 16; m++)
      for (unsigned k = 0; k < 16; k++) {
        const unsigned k2 = k >> 2 & 1, k3 = k >> 3, lane = wave64 ? k2 * 32 + k3 * 16 + m : k3 * 16 + m;
        EXPECT_EQ(wave.v(kAddress + (wave64 ? 0 : k2), lane) >> k % 4 * 8 & 0xff, element(m, k))
            << "row " << m << " column " << k;
      }
  }
}

TEST(GlobalMemory, CachesAreNoWork) {
  for (const char* name : {"global_inv", "global_wb", "global_wbinv"}) {
    SingleStep wave;
    Words random(1);
    scramble(wave, random, 0);
    Model model(wave);
    wave.run(name, {});
    EXPECT_TRUE(model.agrees(wave));
    EXPECT_EQ(wave.w->stop, wave::Stop::Run);
  }
}

TEST(GlobalMemory, NoneIsMissing) {
  unsigned count = 0;
  for (const Opcode& row : opcodes())
    if (row.format == Format::VGLOBAL || row.format == Format::VFLAT || row.format == Format::VSCRATCH) {
      EXPECT_NE(find_semantics(row.name), nullptr) << row.name;
      count++;
    }
  EXPECT_EQ(count, 65u + 55u + 24u);  // RDNA4 ISA 15
}

}  // namespace
}  // namespace Atoll::rdna4::test
