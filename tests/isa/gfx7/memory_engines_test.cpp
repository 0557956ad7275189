// Programs of random memory instructions, the same bits interpreted and compiled: loads and stores under bounds after each other,
// with addresses in a row, equal and scattered, so that the guesses of compiled code hold and fail. The tests of single
// instructions say what the bits must be.
#include <fmt/format.h>

#include "machine.h"

namespace Atoll::gfx7::test {
namespace {

// v40: lane * 4, v41: lane * 16, v42: 64, v43: scattered multiples of 16, v44: lane; V#s at s[8:11] (raw), s[12:15] (records of
// 16 bytes), s[16:19] (swizzled, an index a lane); s20: a scalar offset.
void set(Machine& k, uint64_t seed, uint64_t exec) {
  Random r(seed);
  for (auto& b : k.memory) b = uint8_t(r.next());
  for (auto& b : k.lds) b = uint8_t(r.next());
  for (uint32_t n = 0; n < 36; n++)
    for (uint32_t l = 0; l < 64; l++) k.v(n, l) = r.next();
  for (uint32_t n = 24; n < 64; n++) k.s(n) = r.next();
  for (uint32_t l = 0; l < 64; l++) {
    k.v(40, l) = l * 4, k.v(41, l) = l * 16, k.v(42, l) = 64, k.v(43, l) = (l * 29 + 5) % 64 * 16, k.v(44, l) = l;
  }
  uint32_t base = uint32_t(Machine::memory_base);
  uint32_t limits[3] = {r.below(2) ? 4096u : r.below(900), r.below(2) ? 64u : r.below(64), 64};
  uint32_t words[12] = {base + 4096,  0,
                        limits[0],    0x24fac,
                        base + 8192,  16u << 16,
                        limits[1],    0x24fac,
                        base + 16384, 64u << 16 | 1u << 31,
                        limits[2],    0x24fac | 1u << 19 | 3u << 21 | 1u << 23};
  for (uint32_t n = 0; n < 12; n++) k.s(8 + n) = words[n];
  k.s(20) = 16;
  k.s(M0) = r.below(3) ? ~0u : 1500;
  k.set_exec(exec);
}

std::string random_instruction(Random& r) {
  static constexpr struct {
    const char* name;
    unsigned dwords;
  } sizes[] = {{"dword", 1}, {"dwordx2", 2}, {"dwordx3", 3}, {"dwordx4", 4}};
  unsigned data = r.below(30);
  auto size = sizes[r.below(4)];
  bool store = r.below(2);
  auto registers = [&](unsigned first, unsigned n) {
    return n == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + n - 1);
  };
  auto buffer = [&](unsigned address, const char* resource, const char* flags, bool wide) {
    auto s = wide ? size : sizes[0];
    return fmt::format("buffer_{}_{} {}, v{}, {}, {} {} offset:{}", store ? "store" : "load", s.name, registers(data, s.dwords),
                       address, resource, r.below(2) ? "s20" : "0", flags, r.below(4) * 16);
  };
  switch (r.below(12)) {
    case 0: return buffer(41, "s[8:11]", "offen", true);
    case 1: return buffer(43, "s[8:11]", "offen", true);
    case 2: return buffer(40, "s[8:11]", "offen", r.below(2));
    case 3: store = false; return buffer(42, "s[8:11]", "offen", false);
    case 4: return buffer(44, "s[12:15]", "idxen", true);
    case 5: return buffer(42, "s[16:19]", "offen", false);
    case 6:
      return fmt::format("buffer_load_{} v{}, v{}, s[8:11], 0 offen", r.below(2) ? "ubyte" : "sshort", data,
                         r.below(2) ? 40 : 43);
    case 7: return fmt::format("buffer_store_short v{}, v40, s[8:11], 0 offen", data);
    case 8: {
      bool wide = r.below(2);
      std::string value = registers(data, wide ? 2 : 1), address = fmt::format("v{}", 40 + r.below(4) % 3);
      if (store && r.below(2))  // lanes over each other, lane by lane (docs/decisions.md)
        return fmt::format("ds_write2_b{} {}, {}, {} offset0:{} offset1:{}", wide ? 64 : 32, address, value,
                           registers(data + 2, wide ? 2 : 1), r.below(12), r.below(12));
      return fmt::format("ds_{}_b{} {} offset:{}", store ? "write" : "read", wide ? 64 : 32,
                         store ? address + ", " + value : value + ", " + address, r.below(4) * 8);
    }
    case 9:
      return fmt::format("s_buffer_load_dwordx2 s[{}:{}], s[8:11], {:#x}", 24 + data / 2 * 2, 25 + data / 2 * 2, r.below(256));
    case 10: return fmt::format("v_add_i32 v{}, vcc, s{}, v{}", data, 24 + r.below(30), r.below(36));
    default: return fmt::format("v_xor_b32 v{}, v{}, v{}", data, r.below(36), r.below(36));
  }
}

TEST(Gcn2MemoryEngines, SameBits) {
  Random r(2026);
  uint64_t compiled = 0, called = 0;
  for (unsigned round = 0; round < 60; round++) {
    std::vector<std::string> lines;
    for (unsigned n = 2 + r.below(12); n; n--) lines.push_back(random_instruction(r));
    uint64_t seed = r.next64(), exec = round % 3 ? ~uint64_t(0) : r.next64();
    std::string listing;
    for (auto& line : lines) listing += line + "\n";
    Machine reference;
    reference.run(lines, Way::Interpreted, [&](Machine& k) { set(k, seed, exec); });
    if (HasFailure()) return;
    ASSERT_EQ(reference.w->stop, wave::Stop::End) << listing << std::hex << reference.w->fault.address;
    for (Way way : {Way::Compiled, Way::Learnt}) {
      Machine m;
      unsigned runs = 0;
      // Other lanes and bounds while it learns, in every fourth round, so that the guesses are wrong later.
      m.run(lines, way, [&](Machine& k) {
        bool last = way == Way::Compiled || ++runs == 41;  // 40 runs, and once before them
        bool other = round % 4 == 2 && !last;
        set(k, other ? seed + 1 : seed, other ? ~exec | 1 : exec);
      });
      ASSERT_EQ(m.w->stop, wave::Stop::End) << listing;
      for (uint32_t n = 0; n < 36; n++)
        for (uint32_t l = 0; l < 64; l++)
          ASSERT_EQ(m.v(n, l), reference.v(n, l)) << name(way) << " round " << round << " v" << n << " lane " << l << "\n"
                                                  << listing;
      for (uint32_t n = 24; n < 64; n++) ASSERT_EQ(m.s(n), reference.s(n)) << name(way) << " s" << n << "\n" << listing;
      ASSERT_TRUE(m.memory == reference.memory) << name(way) << " round " << round << "\n" << listing;
      ASSERT_TRUE(m.lds == reference.lds) << name(way) << " round " << round << "\n" << listing;
      compiled += m.w->compiled, called += m.w->called;
    }
  }
  EXPECT_GT(compiled, called * 10);
}

}  // namespace
}  // namespace Atoll::gfx7::test
