// DS and FLAT against a model of LDS and memory, on every engine; the bound of M0.
#include <fmt/format.h>

#include <bit>

#include "machine.h"

namespace Atoll::gfx7::test {
namespace {

// LDS bytes `bytes` at `address`; null out of bounds.
uint8_t* at(std::vector<uint8_t>& lds, uint64_t address, unsigned bytes, uint32_t m0) {
  address &= 0xffffffff;
  return address < m0 && address + bytes <= lds.size() ? &lds[address] : nullptr;
}
void set(Machine& k, uint64_t seed, uint32_t m0, uint32_t step) {
  Random r(seed);
  for (auto& b : k.lds) b = uint8_t(r.next());
  for (uint32_t n = 0; n < 32; n++)
    for (uint32_t l = 0; l < 64; l++) k.v(n, l) = r.next();
  for (uint32_t l = 0; l < 64; l++) k.v(1, l) = (l ^ 5) * step;
  k.s(M0) = m0;
  k.set_exec(seed & 1 ? ~uint64_t(0) : r.next64());
}

struct Row {
  const char* text;
  bool store;
  unsigned dwords, bytes;  // at a place
  unsigned places;
  unsigned unit;  // of two offsets
  bool sign = false;
};
constexpr Row rows[] = {{"ds_read_b32 v[D], v1", false, 1, 4, 1, 1},        {"ds_read_b64 v[D], v1", false, 2, 8, 1, 1},
                        {"ds_read_b96 v[D], v1", false, 3, 12, 1, 1},       {"ds_read_b128 v[D], v1", false, 4, 16, 1, 1},
                        {"ds_read_u8 v[D], v1", false, 1, 1, 1, 1},         {"ds_read_i16 v[D], v1", false, 1, 2, 1, 1, true},
                        {"ds_read2_b32 v[D], v1", false, 1, 4, 2, 4},       {"ds_read2_b64 v[D], v1", false, 2, 8, 2, 8},
                        {"ds_read2st64_b32 v[D], v1", false, 1, 4, 2, 256}, {"ds_write_b32 v1, v[D]", true, 1, 4, 1, 1},
                        {"ds_write_b64 v1, v[D]", true, 2, 8, 1, 1},        {"ds_write_b128 v1, v[D]", true, 4, 16, 1, 1},
                        {"ds_write_b16 v1, v[D]", true, 1, 2, 1, 1},        {"ds_write2_b32 v1, v[D]", true, 1, 4, 2, 4},
                        {"ds_write2st64_b64 v1, v[D]", true, 2, 8, 2, 512}};

TEST(Gcn2Lds, LoadsAndStores) {
  Random r(4);
  for (unsigned round = 0; round < 60; round++) {
    const Row& row = rows[round % std::size(rows)];
    uint32_t offset0 = r.below(12), offset1 = r.below(12) + 12, m0 = r.below(3) ? ~0u : r.below(2000);
    if (row.places == 1) offset0 = r.below(80) * 4;
    uint32_t step = row.store ? 64 : 4u << r.below(4);
    if (row.store && row.places == 2) offset0 = 0, offset1 = row.unit > 8 ? 3 : 1, step = row.unit > 8 ? 8 : 64;
    unsigned registers = row.dwords * (row.store ? 1 : row.places);
    std::string data = registers == 1 ? "v8" : fmt::format("v[8:{}]", 7 + registers),
                second = row.dwords == 1 ? "v12" : fmt::format("v[12:{}]", 11 + row.dwords);
    std::string line = row.text;
    line.replace(line.find("v[D]"), 4, data + (row.store && row.places == 2 ? ", " + second : ""));
    line += row.places == 1 ? fmt::format(" offset:{}", offset0) : fmt::format(" offset0:{} offset1:{}", offset0, offset1);
    uint64_t seed = r.next64();
    for (Way way : ways) {
      Machine m;
      set(m, seed, m0, step);
      std::vector<uint8_t> lds = m.lds;
      std::vector<uint32_t> expected;
      for (uint32_t n = 8; n < 16; n++)
        for (uint32_t l = 0; l < 64; l++) expected.push_back(m.v(n, l));
      for (unsigned place = 0; place < row.places; place++)
        for (uint32_t l = 0; l < 64; l++) {
          if (!(m.exec() >> l & 1)) continue;
          uint32_t address = m.v(1, l) + (place ? offset1 : offset0) * row.unit;
          for (unsigned n = 0; n < row.dwords; n++) {
            unsigned bytes = row.bytes < 4 ? row.bytes : 4;
            // The start of an access is what M0 bounds.
            uint8_t* p = address < m0 ? at(lds, address + 4 * n, bytes, ~0u) : nullptr;
            if (row.store) {
              if (p) std::memcpy(p, &m.v(8 + place * 4 + n, l), bytes);
            } else {
              uint32_t x = 0;
              if (p) std::memcpy(&x, p, bytes);
              if (row.sign) x = uint32_t(int32_t(int16_t(x)));
              expected[(place * row.dwords + n) * 64 + l] = x;
            }
          }
        }
      m.run({line}, way, [&](Machine& k) { set(k, seed, m0, step); });
      ASSERT_EQ(m.w->stop, wave::Stop::End) << line << (m.w->fault.reason ? m.w->fault.reason : "");
      for (uint32_t n = 0; n < 8; n++)
        for (uint32_t l = 0; l < 64; l++)
          ASSERT_EQ(m.v(8 + n, l), expected[n * 64 + l])
              << name(way) << " " << line << " lane " << l << " register " << n << " m0 " << m0;
      ASSERT_TRUE(m.lds == lds) << name(way) << " " << line;
    }
  }
}

TEST(Gcn2Lds, Atomics) {
  struct Atomic {
    const char* text;
    unsigned dwords;
    std::function<uint64_t(uint64_t old, uint64_t a, uint64_t b)> f;
  };
  const Atomic atomics[] = {
      {"ds_add_rtn_u32 v8, v1, v16", 1, [](uint64_t o, uint64_t a, uint64_t) { return o + a; }},
      {"ds_rsub_rtn_u32 v8, v1, v16", 1, [](uint64_t o, uint64_t a, uint64_t) { return a - o; }},
      {"ds_cmpst_rtn_b32 v8, v1, v16, v20", 1, [](uint64_t o, uint64_t a, uint64_t b) { return o == a ? b : o; }},
      {"ds_mskor_rtn_b32 v8, v1, v16, v20", 1, [](uint64_t o, uint64_t a, uint64_t b) { return (o & ~a) | b; }},
      {"ds_wrap_rtn_b32 v8, v1, v16, v20", 1, [](uint64_t o, uint64_t a, uint64_t b) { return o >= a ? o - a : o + b; }},
      {"ds_wrxchg_rtn_b64 v[8:9], v1, v[16:17]", 2, [](uint64_t, uint64_t a, uint64_t) { return a; }},
      {"ds_min_rtn_i64 v[8:9], v1, v[16:17]", 2,
       [](uint64_t o, uint64_t a, uint64_t) { return int64_t(o) < int64_t(a) ? o : a; }},
      {"ds_cmpst_rtn_f64 v[8:9], v1, v[16:17], v[20:21]", 2,
       [](uint64_t o, uint64_t a, uint64_t b) { return std::bit_cast<double>(o) == std::bit_cast<double>(a) ? b : o; }}};
  for (const Atomic& a : atomics)
    for (Way way : ways) {
      auto state = [&](Machine& k) {
        set(k, 21, ~0u, 16);
        for (uint32_t l = 0; l < 64; l += 2)
          for (unsigned n = 0; n < a.dwords; n++) std::memcpy(&k.v(16 + n, l), &k.lds[(l ^ 5) * 16 + 4 * n], 4);
      };
      Machine m;
      state(m);
      std::vector<uint8_t> lds = m.lds;
      uint64_t old[64] = {};
      for (uint32_t l = 0; l < 64; l++) {
        auto value = [&](uint32_t n) { return m.v(n, l) | (a.dwords == 2 ? uint64_t(m.v(n + 1, l)) << 32 : 0); };
        std::memcpy(&old[l], &lds[(l ^ 5) * 16], 4 * a.dwords);
        uint64_t now = a.f(old[l], value(16), value(20));
        std::memcpy(&lds[(l ^ 5) * 16], &now, 4 * a.dwords);
      }
      m.run({a.text}, way, state);
      ASSERT_EQ(m.w->stop, wave::Stop::End) << a.text;
      ASSERT_TRUE(m.lds == lds) << name(way) << " " << a.text;
      for (uint32_t l = 0; l < 64; l++) {
        ASSERT_EQ(m.v(8, l), uint32_t(old[l])) << a.text;
        if (a.dwords == 2) ASSERT_EQ(m.v(9, l), uint32_t(old[l] >> 32)) << a.text;
      }
    }
}

TEST(Gcn2Lds, TwoPlacesAppendAndSwizzle) {
  for (Way way : ways) {
    Machine m;
    m.run({"ds_add_src2_u32 v1 offset:4", "ds_append v8 offset:1024", "ds_swizzle_b32 v9, v2 offset:swizzle(SWAP,1)",
           "ds_swizzle_b32 v10, v2 offset:swizzle(QUAD_PERM,3,3,0,1)"},
          way, [](Machine& k) {
            set(k, 3, ~0u, 32);
            k.set_exec(~uint64_t(1));  // not lane 0
            for (uint32_t n = 0; n < 1024; n++) std::memcpy(&k.lds[4 * n], &n, 4);
            for (uint32_t l = 0; l < 64; l++) k.v(1, l) = l * 32, k.v(2, l) = l + 100;
            k.s(M0) = 2048;
          });
    ASSERT_EQ(m.w->stop, wave::Stop::End);
    for (uint32_t l = 1; l < 64; l++) {
      uint32_t x;
      std::memcpy(&x, &m.lds[l * 32], 4);
      // Four dwords (16 bytes) on; M0 ends LDS after 64 lanes. (The dword of the append is at 2048 + 1024.)
      EXPECT_EQ(x, l * 8 + (l * 8 + 4)) << name(way) << " " << l;
      EXPECT_EQ(m.v(8, l), (2048u + 1024) / 4);
      EXPECT_EQ(m.v(9, l), l == 1 ? 0 : 100 + (l ^ 1));
      static constexpr uint32_t quad[] = {3, 3, 0, 1};
      uint32_t from = (l & ~3u) | quad[l & 3];
      EXPECT_EQ(m.v(10, l), from == 0 ? 0 : 100 + from);
    }
    uint32_t count;
    std::memcpy(&count, &m.lds[2048 + 1024], 4);
    EXPECT_EQ(count, (2048u + 1024) / 4 + 63);
  }
}

TEST(Gcn2Flat, MemoryAndLds) {
  for (Way way : ways) {
    Machine m;
    m.run({"flat_load_dwordx2 v[8:9], v[2:3]", "flat_store_short v[4:5], v8", "flat_atomic_add v10, v[6:7], v9 glc"}, way,
          [](Machine& k) {
            k.set_exec(~uint64_t(0));
            for (uint32_t n = 0; n < k.memory.size() / 4; n++) std::memcpy(&k.memory[4 * n], &n, 4);
            for (uint32_t n = 0; n < 1024; n++) std::memcpy(&k.lds[4 * n], &n, 4);
            for (uint32_t l = 0; l < 64; l++) {
              k.v(2, l) = l & 1 ? l * 16 : uint32_t(Machine::memory_base) + l * 64, k.v(3, l) = l & 1 ? k.w->flat_shared_high : 0;
              k.v(4, l) = uint32_t(Machine::memory_base) + 0x8000 + l * 8, k.v(5, l) = 0;
              k.v(6, l) = uint32_t(Machine::memory_base) + 0x9000 + l * 4, k.v(7, l) = 0;
            }
          });
    ASSERT_EQ(m.w->stop, wave::Stop::End) << (m.w->fault.reason ? m.w->fault.reason : "");
    for (uint32_t l = 0; l < 64; l++) {
      uint32_t first = l & 1 ? l * 4 : l * 16, x, sum;
      ASSERT_EQ(m.v(8, l), first) << name(way);
      ASSERT_EQ(m.v(9, l), first + 1);
      std::memcpy(&x, &m.memory[0x8000 + l * 8], 4);
      EXPECT_EQ(x, ((0x8000u + l * 8) / 4 & 0xffff0000) | first);
      std::memcpy(&sum, &m.memory[0x9000 + l * 4], 4);
      EXPECT_EQ(m.v(10, l), 0x2400 + l);
      EXPECT_EQ(sum, 0x2400 + l + first + 1);
    }
  }
}

}  // namespace
}  // namespace Atoll::gfx7::test
