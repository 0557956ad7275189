// LDS instructions against a model of bytes and lanes.
#include "isa/rdna4/semantics/lds.h"

#include <cmath>
#include <functional>

#include "isa/rdna4/table.h"
#include "memory_model.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t kAddress = 40, kData = 8, kData1 = 12;

// Random byte addresses, beyond the end of LDS at times, in the address register.
void set_addresses(SingleStep& wave, Words& random, unsigned round, unsigned bytes, uint32_t subtract) {
  for (uint32_t lane = 0; lane < wave.lanes(); lane++)
    wave.v(kAddress, lane) = uint32_t(pattern(round, lane, subtract, wave.lds_bytes + 20, bytes, random)) - subtract;
}

using Expect = std::function<void(Model&, uint32_t lane, const Instruction&)>;
Target at(Model& m, uint32_t lane, uint32_t offset) { return {Where::Lds, uint32_t(m.reg(kAddress, lane) + offset)}; }

// `subtract`: what the smallest offset adds, so that addresses can be anywhere.
void check(const std::string& name, unsigned bytes, const Expect& expect, bool aligned = false,
           std::function<void(SingleStep&, Words&)> prepare = {}) {
  Words random(0x1d5);
  for (unsigned round = 0; round < 60; round++) {
    SingleStep wave(round & 1);
    scramble(wave, random, round / 2);
    if (prepare) prepare(wave, random);
    Instruction i{.dst = uint16_t(round % 7 == 0 ? kAddress : 3), .address = kAddress, .data = kData, .data1 = kData1};
    i.offset0 = uint8_t(random.next()), i.offset1 = uint8_t(random.next() % 4);
    if (aligned) i.offset0 &= uint8_t(~(bytes - 1));
    i.offset = i.offset1 << 8 | i.offset0;
    set_addresses(wave, random, round, bytes, 0);
    for (uint32_t lane = 0; lane < wave.lanes() && aligned; lane++) wave.v(kAddress, lane) &= ~(bytes - 1);
    // Addresses that wrap at 32 bits land in LDS again.
    if (round % 5 == 4) wave.v(kAddress, 3) = 0u - uint32_t(i.offset & ~15);
    Model model(wave), before = model;
    for (uint32_t lane = 0; lane < model.lanes; lane++)
      if (model.active(lane)) expect(model, lane, i);
    wave.run(name.c_str(), i);
    ASSERT_EQ(wave.w->stop, wave::Stop::Run) << name << ": " << (wave.w->fault.reason ? wave.w->fault.reason : "");
    ASSERT_TRUE(model.agrees(wave)) << name << " round " << round << " offset " << i.offset;
  }
}

TEST(Lds, LoadsDwords) {
  for (auto [size, dwords] : {std::pair{"b32", 1u}, {"b64", 2u}, {"b96", 3u}, {"b128", 4u}})
    check(std::string("ds_load_") + size, dwords * 4, [dwords](Model& m, uint32_t lane, const Instruction& i) {
      uint32_t x[4];
      for (unsigned n = 0; n < dwords; n++) x[n] = uint32_t(m.load(at(m, lane, uint32_t(i.offset) + 4 * n), 4, lane));
      for (unsigned n = 0; n < dwords; n++) m.reg(i.dst + n, lane) = x[n];
    });
}

TEST(Lds, StoresOneDword) {
  check("ds_store_b32", 4, [](Model& m, uint32_t lane, const Instruction& i) {
    m.store(at(m, lane, uint32_t(i.offset)), 4, m.reg(kData, lane), lane);
  });
}

// Lanes apart from each other, so that the order of the dwords does not matter; the last ones run over the end.
TEST(Lds, StoresSeveralDwords) {
  for (auto [size, dwords] : {std::pair{"b64", 2u}, {"b96", 3u}, {"b128", 4u}})
    for (unsigned round = 0; round < 24; round++) {
      SingleStep wave(round & 1);
      Words random(round);
      scramble(wave, random, round / 2);
      uint32_t offset = random.next() % 64, start = wave.lds_bytes - offset - wave.lanes() * 16 + random.next() % 20;
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(kAddress, lane) = start + 16 * (round % 3 ? lane : lane ^ 5);
      Model model(wave);
      for (uint32_t lane = 0; lane < model.lanes; lane++)
        for (unsigned n = 0; n < dwords; n++)
          if (model.active(lane)) model.store(at(model, lane, offset + 4 * n), 4, model.reg(kData + n, lane), lane);
      wave.run((std::string("ds_store_") + size).c_str(), {.address = kAddress, .data = kData, .offset = int32_t(offset)});
      ASSERT_TRUE(model.agrees(wave)) << size << " round " << round;
    }
}

TEST(Lds, BytesAndHalves) {
  struct Row {
    const char* name;
    unsigned bytes;
    bool sign;
    int half;  // -1: the whole register, 0 low, 1 high
  };
  for (Row r : {Row{"u8", 1, false, -1},
                {"i8", 1, true, -1},
                {"u16", 2, false, -1},
                {"i16", 2, true, -1},
                {"u8_d16", 1, false, 0},
                {"i8_d16", 1, true, 0},
                {"u16_d16", 2, false, 0},
                {"u8_d16_hi", 1, false, 1},
                {"i8_d16_hi", 1, true, 1},
                {"u16_d16_hi", 2, false, 1}})
    check(std::string("ds_load_") + r.name, r.bytes, [r](Model& m, uint32_t lane, const Instruction& i) {
      uint32_t x = uint32_t(m.load(at(m, lane, uint32_t(i.offset)), r.bytes, lane)), &d = m.reg(i.dst, lane);
      if (r.sign) x = r.bytes == 1 ? uint32_t(int8_t(x)) : uint32_t(int16_t(x));
      d = r.half < 0 ? x : r.half ? (d & 0xffff) | x << 16 : (d & ~0xffffu) | (x & 0xffff);
    });
  for (auto [name, bytes, shift] : {std::tuple{"b8", 1u, 0}, {"b16", 2u, 0}, {"b8_d16_hi", 1u, 16}, {"b16_d16_hi", 2u, 16}})
    check(std::string("ds_store_") + name, bytes, [bytes, shift](Model& m, uint32_t lane, const Instruction& i) {
      m.store(at(m, lane, uint32_t(i.offset)), bytes, m.reg(kData, lane) >> shift, lane);
    });
}

TEST(Lds, TwoAddresses) {
  struct Row {
    const char* name;
    unsigned unit, dwords;
  };
  for (Row r : {Row{"2addr_b32", 4, 1}, {"2addr_b64", 8, 2}, {"2addr_stride64_b32", 256, 1}, {"2addr_stride64_b64", 512, 2}}) {
    check(std::string("ds_load_") + r.name, 4, [r](Model& m, uint32_t lane, const Instruction& i) {
      uint32_t x[4];
      for (unsigned n = 0; n < r.dwords; n++) {
        x[n] = uint32_t(m.load(at(m, lane, i.offset0 * r.unit + 4 * n), 4, lane));
        x[r.dwords + n] = uint32_t(m.load(at(m, lane, i.offset1 * r.unit + 4 * n), 4, lane));
      }
      for (unsigned n = 0; n < 2 * r.dwords; n++) m.reg(i.dst + n, lane) = x[n];
    });
    for (unsigned round = 0; round < 20; round++) {
      SingleStep wave(round & 1);
      Words random(round);
      scramble(wave, random, round / 2);
      Instruction i{.address = kAddress,
                    .data = kData,
                    .data1 = kData1,
                    .offset0 = uint8_t(round),
                    .offset1 = uint8_t(round + (r.unit < 100 ? 64 : 1))};
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(kAddress, lane) = lane * 4 * r.dwords;
      Model model(wave);
      for (uint32_t lane = 0; lane < model.lanes; lane++)
        for (unsigned n = 0; n < r.dwords && model.active(lane); n++)
          model.store(at(model, lane, i.offset0 * r.unit + 4 * n), 4, model.reg(kData + n, lane), lane);
      for (uint32_t lane = 0; lane < model.lanes; lane++)
        for (unsigned n = 0; n < r.dwords && model.active(lane); n++)
          model.store(at(model, lane, i.offset1 * r.unit + 4 * n), 4, model.reg(kData1 + n, lane), lane);
      wave.run((std::string("ds_store_") + r.name).c_str(), i);
      ASSERT_TRUE(model.agrees(wave)) << r.name << " round " << round;
    }
  }
}

TEST(Lds, ExchangesAtTwoAddresses) {
  struct Row {
    const char* name;
    unsigned unit, dwords;
  };
  for (Row r : {Row{"ds_storexchg_2addr_rtn_b32", 4, 1},
                {"ds_storexchg_2addr_rtn_b64", 8, 2},
                {"ds_storexchg_2addr_stride64_rtn_b32", 256, 1},
                {"ds_storexchg_2addr_stride64_rtn_b64", 512, 2}})
    for (unsigned round = 0; round < 12; round++) {
      SingleStep wave(round & 1);
      Words random(round);
      scramble(wave, random, round / 2);
      bool same = round >= 8;  // both at one address: the old value twice, DATA1 stays
      Instruction i{.dst = kAddress,
                    .address = kAddress,
                    .data = kData,
                    .data1 = kData1,
                    .offset0 = 1,
                    .offset1 = uint8_t(same           ? 1
                                       : r.unit < 100 ? 129
                                                      : 3)};
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(kAddress, lane) = lane * 4 * r.dwords;
      Model model(wave);
      for (uint32_t lane = 0; lane < model.lanes; lane++) {
        if (!model.active(lane)) continue;
        Target first = at(model, lane, i.offset0 * r.unit), second = at(model, lane, i.offset1 * r.unit);
        uint32_t old[4];
        for (unsigned n = 0; n < r.dwords; n++)
          old[n] = uint32_t(model.load({Where::Lds, first.address + 4 * n}, 4, lane)),
          old[r.dwords + n] = uint32_t(model.load({Where::Lds, second.address + 4 * n}, 4, lane));
        for (unsigned n = 0; n < r.dwords; n++)
          model.store({Where::Lds, first.address + 4 * n}, 4, model.reg(kData + n, lane), lane);
        for (unsigned n = 0; n < r.dwords; n++)
          model.store({Where::Lds, second.address + 4 * n}, 4, model.reg(kData1 + n, lane), lane);
        for (unsigned n = 0; n < 2 * r.dwords; n++) model.reg(i.dst + n, lane) = old[n];
      }
      wave.run(r.name, i);
      ASSERT_TRUE(model.agrees(wave)) << r.name << " round " << round;
    }
}

TEST(Lds, AddressFromTheLane) {
  for (bool wave64 : {false, true}) {
    SingleStep wave(wave64);
    Words random(9);
    scramble(wave, random, 4);
    wave.s(M0) = 0xabcd0040;  // only 16 bits count
    Instruction i{.dst = 3, .data = kData, .offset = 0x104};
    Model model(wave);
    for (uint32_t lane = 0; lane < model.lanes; lane++)
      if (model.active(lane)) model.reg(3, lane) = uint32_t(model.load({Where::Lds, 0x144 + 4 * lane}, 4, lane));
    wave.run("ds_load_addtid_b32", i);
    EXPECT_TRUE(model.agrees(wave));
    for (uint32_t lane = 0; lane < model.lanes; lane++)
      if (model.active(lane)) model.store({Where::Lds, 0x144 + 4 * lane}, 4, model.reg(kData, lane), lane);
    wave.run("ds_store_addtid_b32", i);
    EXPECT_TRUE(model.agrees(wave));
  }
}

// --- atomics

void values(SingleStep& wave, Words& random) {
  for (uint32_t lane = 0; lane < wave.lanes(); lane++)
    for (uint32_t n : {kData, kData + 1, kData1, kData1 + 1}) wave.v(n, lane) = random.mixed();
  for (size_t n = 0; n < wave.lds.size(); n += 4) {
    uint32_t x = random.next() % 4 ? random.mixed() : wave.v(kData1 + n / 4 % 2, random.next() % wave.lanes());
    std::memcpy(wave.lds.data() + n, &x, 4);
  }
}

template <class T>
using Operation = std::function<T(T old, T data, T data1)>;
template <class T>
void check_atomic(const std::string& name, const std::string& suffix, const Operation<T>& operation,
                  bool only_returning = false) {
  for (bool returns : {false, true}) {
    if (!returns && only_returning) continue;
    check(
        "ds_" + name + (returns ? "_rtn" : "") + suffix, sizeof(T),
        [&](Model& m, uint32_t lane, const Instruction& i) {
          Target t = at(m, lane, uint32_t(i.offset));
          T old = T(m.load(t, sizeof(T), lane));
          bool wide = sizeof(T) == 8;
          m.store(t, sizeof(T),
                  operation(old, wide ? T(m.reg64(kData, lane)) : T(m.reg(kData, lane)),
                            wide ? T(m.reg64(kData1, lane)) : T(m.reg(kData1, lane))),
                  lane);
          if (!returns) return;
          m.reg(i.dst, lane) = uint32_t(old);
          if (wide) m.reg(i.dst + 1, lane) = uint32_t(uint64_t(old) >> 32);
        },
        true, values);
  }
}

template <class T>
void check_integers(const char* b, const char* u, const char* s) {
  using S = std::make_signed_t<T>;
  auto run = [](const char* name, const char* suffix, Operation<T> f) { check_atomic<T>(name, suffix, f); };
  run("add", u, [](T o, T d, T) { return T(o + d); });
  run("sub", u, [](T o, T d, T) { return T(o - d); });
  run("rsub", u, [](T o, T d, T) { return T(d - o); });
  run("inc", u, [](T o, T d, T) { return o >= d ? T(0) : T(o + 1); });
  run("dec", u, [](T o, T d, T) { return o == 0 || o > d ? d : T(o - 1); });
  run("min", s, [](T o, T d, T) { return S(d) < S(o) ? d : o; });
  run("max", s, [](T o, T d, T) { return S(d) >= S(o) ? d : o; });
  run("min", u, [](T o, T d, T) { return d < o ? d : o; });
  run("max", u, [](T o, T d, T) { return d >= o ? d : o; });
  run("and", b, [](T o, T d, T) { return T(o & d); });
  run("or", b, [](T o, T d, T) { return T(o | d); });
  run("xor", b, [](T o, T d, T) { return T(o ^ d); });
  run("mskor", b, [](T o, T d, T d1) { return T((o & ~d) | d1); });
  run("cmpstore", b, [](T o, T d, T d1) { return o == d1 ? d : o; });
  check_atomic<T>("storexchg", b, [](T, T d, T) { return d; }, true);
}
TEST(Lds, IntegerAtomics32) {
  check_integers<uint32_t>("_b32", "_u32", "_i32");
  check_atomic<uint32_t>("cond_sub", "_u32", [](uint32_t o, uint32_t d, uint32_t) { return o >= d ? o - d : o; });
  check_atomic<uint32_t>("sub_clamp", "_u32", [](uint32_t o, uint32_t d, uint32_t) { return o < d ? 0 : o - d; });
}
TEST(Lds, IntegerAtomics64) { check_integers<uint64_t>("_b64", "_u64", "_i64"); }

TEST(Lds, FloatMinimaAndMaxima) {
  auto choose = []<class T, class F>(T o, T d, bool smaller, F) -> T {
    F a = std::bit_cast<F>(o), b = std::bit_cast<F>(d);
    constexpr T quiet = sizeof(T) == 4 ? T(1) << 22 : T(1) << 51;
    if (std::isnan(a) && std::isnan(b)) return d | quiet;
    if (std::isnan(b)) return o;
    if (std::isnan(a)) return d;
    if (a == 0 && b == 0) return smaller ? o | d : o & d;
    return smaller == (b < a) ? d : o;
  };
  check_atomic<uint32_t>("min_num", "_f32", [=](uint32_t o, uint32_t d, uint32_t) { return choose(o, d, true, 0.0f); });
  check_atomic<uint32_t>("max_num", "_f32", [=](uint32_t o, uint32_t d, uint32_t) { return choose(o, d, false, 0.0f); });
  check_atomic<uint64_t>("min_num", "_f64", [=](uint64_t o, uint64_t d, uint64_t) { return choose(o, d, true, 0.0); });
  check_atomic<uint64_t>("max_num", "_f64", [=](uint64_t o, uint64_t d, uint64_t) { return choose(o, d, false, 0.0); });
}

// One lane: memory, data, the MODE, and what must be there afterwards (RDNA4 ISA 13.1-13.3).
TEST(Lds, FloatAdditionsObeyTheMode) {
  constexpr uint32_t keep = 0xf0, flush_in = 0xf0 & ~0x50u, flush_out = 0xf0 & ~0xa0u, toward_zero = 0xff;
  struct Row {
    const char* name;
    uint32_t memory, data, mode, expected;
  };
  for (Row r : {Row{"add_f32", 0x3f800000, 0x40000000, keep, 0x40400000},
                {"add_f32", 0x3f800000, 0x33800001, toward_zero, 0x3f800001},  // always to nearest
                {"add_f32", 0x00000001, 0x00000002, keep, 0x00000003},
                {"add_f32", 0x00000001, 0x00000002, flush_in, 0x00000000},
                {"add_f32", 0x80000001, 0x80000002, flush_in, 0x80000000},
                {"add_f32", 0x00800001, 0x80800000, flush_in, 0x00000001},  // the result alone is denormal
                {"add_f32", 0x00800001, 0x80800000, flush_out, 0x00000000},
                {"add_f32", 0x80800001, 0x00800000, flush_out, 0x80000000},
                {"add_f32", 0x007fffff, 0x00000001, flush_out, 0x00800000},
                {"add_f32", 0x7fa00001, 0x7fc00002, keep, 0x7fe00001},  // memory's NaN, quieted
                {"add_f32", 0x3f800000, 0xff800002, keep, 0xffc00002},
                {"add_f32", 0x7f800000, 0xff800000, keep, 0xffc00000},
                {"min_num_f32", 0x00000005, 0x80000007, flush_in, 0x80000000},
                {"max_num_f32", 0x80000005, 0x80800000, flush_in, 0x80000000},
                {"min_num_f32", 0x00000005, 0x00000007, flush_out, 0x00000005},  // minima look at inputs only
                {"pk_add_f16", 0x00010400, 0x00028001, keep, 0x000303ff},
                {"pk_add_f16", 0x00010400, 0x00028001, flush_in, 0x00000400},
                {"pk_add_f16", 0x00010401, 0x00028400, flush_out, 0x00000000},
                {"pk_add_bf16", 0x00010080, 0x00028001, keep, 0x0003007f},
                {"pk_add_bf16", 0x00010080, 0x00028001, flush_in, 0x00000080}})
    for (bool returns : {false, true}) {
      SingleStep wave;
      wave.cell(mode_cell) = r.mode;
      wave.set_exec(1);
      wave.v(kAddress, 0) = 16, wave.v(kData, 0) = r.data;
      std::memcpy(wave.lds.data() + 16, &r.memory, 4);
      std::string name = r.name;
      if (returns) name.insert(name.rfind('_'), "_rtn");
      wave.run(("ds_" + name).c_str(), {.dst = 3, .address = kAddress, .data = kData});
      uint32_t now;
      std::memcpy(&now, wave.lds.data() + 16, 4);
      EXPECT_EQ(now, r.expected) << name << std::hex << " 0x" << r.memory << ", 0x" << r.data << " MODE 0x" << r.mode
                                 << " gave 0x" << now;
      EXPECT_EQ(wave.v(3, 0), returns ? r.memory : 0u);
    }
  // A flat address in LDS does not flush.
  SingleStep wave;
  wave.cell(mode_cell) = 0;
  wave.set_exec(1);
  wave.set_v64(kAddress, 0, uint64_t(wave.w->flat_shared_high) << 32 | 16);
  wave.v(kData, 0) = 2, wave.lds[16] = 1;
  wave.run("flat_atomic_add_f32", {.address = kAddress, .data = kData});
  EXPECT_EQ(wave.lds[16], 3);
}

TEST(Lds, ConditionalExchange) {
  SingleStep wave;
  Words random(3);
  scramble(wave, random, 4);
  for (uint32_t lane = 0; lane < 32; lane++) wave.v(kAddress, lane) = 0x10000 + lane * 8 + lane % 8;  // cut to 16 bits, aligned
  Model model(wave);
  for (uint32_t lane = 0; lane < 32; lane++) {
    if (!model.active(lane)) continue;
    for (uint32_t n = 0; n < 2; n++) {
      Target t{Where::Lds, ((model.reg(kAddress, lane) + 0x120) & 0xfff8) + 4 * n};
      uint32_t data = model.reg(kData + n, lane);
      model.reg(3 + n, lane) = uint32_t(model.load(t, 4, lane));
      if (data >> 31) model.store(t, 4, data & 0x7fffffff, lane);
    }
  }
  wave.run("ds_condxchg32_rtn_b64", {.dst = 3, .address = kAddress, .data = kData, .offset = 0x120});
  EXPECT_TRUE(model.agrees(wave));
}

TEST(Lds, MisalignedAtomicsFault) {
  SingleStep wave;
  wave.set_exec(0xf0);
  for (uint32_t lane = 0; lane < 32; lane++) wave.v(kAddress, lane) = lane == 6 ? 10 : 8;
  wave.run("ds_add_u32", {.address = kAddress, .data = kData, .offset = 4});
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.kind, wave::FaultKind::Atomic);
  EXPECT_EQ(wave.w->fault.lane, 6);
  EXPECT_EQ(wave.w->fault.address, 14u);
}

TEST(Lds, CountsOfLanes) {
  for (bool wave64 : {false, true})
    for (const char* name : {"ds_append", "ds_consume"}) {
      SingleStep wave(wave64);
      Words random(4);
      scramble(wave, random, 4);
      Model model(wave);
      uint32_t lanes = uint32_t(std::popcount(model.exec)), old = uint32_t(model.load({Where::Lds, 0x24}, 4, 0));
      for (uint32_t lane = 0; lane < model.lanes; lane++)
        if (model.active(lane)) model.reg(3, lane) = old;
      model.store({Where::Lds, 0x24}, 4, std::string_view(name) == "ds_append" ? old + lanes : old - lanes, 0);
      wave.run(name, {.dst = 3, .offset = 0x26});  // aligned down
      EXPECT_TRUE(model.agrees(wave)) << name;
      // Beyond the end: zero, and nothing is written.
      for (uint32_t lane = 0; lane < model.lanes; lane++)
        if (model.active(lane)) model.reg(3, lane) = 0;
      wave.run(name, {.dst = 3, .offset = 0x8000});
      EXPECT_TRUE(model.agrees(wave)) << name;
      model.exec = 0, wave.set_exec(0);
      wave.run(name, {.dst = 3, .offset = 0x24});
      EXPECT_TRUE(model.agrees(wave)) << name;
    }
}

TEST(Lds, NoneIsMissing) {
  unsigned count = 0;
  for (const Opcode& row : opcodes()) {
    std::string_view name = row.name;
    if (row.format != Format::VDS || name.find("permute") != name.npos || name.find("swizzle") != name.npos) continue;
    EXPECT_NE(find_semantics(name), nullptr) << name;
    count++;
  }
  EXPECT_EQ(count, 123u - 4u);  // RDNA4 ISA 15; the lane permutes are tested elsewhere
}

}  // namespace
}  // namespace Atoll::rdna4::test
