// Thread groups on small hand-written programs: payloads, masks, and every kind of data message against a scalar model, on both
// engines, in spaces with and without sections.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <tuple>

#include "machine.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;

class Threads : public testing::TestWithParam<std::tuple<wave::EngineChoice, bool>> {
protected:
  Machine machine{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

// c[i] = a[i] + 1 through surfaces, the last thread with some channels only; reads beyond the surface give 0.
TEST_P(Threads, SurfacesAreBounded) {
  Machine& m = machine;
  for (uint32_t n = 0; n < 1024; n++) m.put(m.input + n * 4, n * 3 + 7);
  std::vector<uint8_t> ids(5 * 32);
  for (uint16_t n = 0; n < 80; n++) std::memcpy(&ids[n / 16 * 32u + n % 16 * 2u], &n, 2);
  m.groups.simd = 16, m.groups.threads = {5, 1, 1}, m.groups.end = {4, 1, 1}, m.groups.right_mask = 0x00ff;
  m.groups.per_thread = ids, m.groups.per_thread_bytes = 32;
  auto result = m.run({"mov (16|M0) r10.0<1>:ud r1.0<8;8,1>:uw", "mul (16|M0) r12.0<1>:ud r0.1<0;1,0>:ud 80:uw",
                       "add (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud r12.0<8;8,1>:ud", "shl (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud 2:ud",
                       "send.dc1 (16|M0) r20 r10 null 0x0 0x04205E00", "add (16|M0) r20.0<1>:ud r20.0<8;8,1>:ud 1:ud",
                       "send.dc1 (16|M0) null r10 r20 0x80 0x04025E01"});
  ASSERT_FALSE(result.fault) << text_of(result);
  for (uint32_t n = 0; n < 320; n++) {
    uint32_t expected = n % 80 >= 72 ? 0 : (n * 4 + 4 <= 1000 ? n * 3 + 7 : 0) + 1;
    ASSERT_EQ(m.word(m.output + n * 4), expected) << n;
  }
  EXPECT_EQ(result.counters.waves, 20u);
}

// Bytes in reverse through shared local memory, 64-bit addresses and atomics, across a barrier.
TEST_P(Threads, LocalMemoryAddressesAndAtomics) {
  Machine& m = machine;
  std::vector<uint8_t> ids(4 * 32);
  for (uint16_t n = 0; n < 64; n++) std::memcpy(&ids[n * 2u], &n, 2);
  std::vector<uint8_t> shared(32);
  const uint64_t input = m.input;
  std::memcpy(shared.data(), &input, 8), std::memcpy(shared.data() + 8, &m.output, 8);
  m.groups.simd = 16, m.groups.threads = {4, 1, 1};
  m.groups.per_thread = ids, m.groups.per_thread_bytes = 32, m.groups.cross_thread = shared;
  m.groups.slm_bytes = 1024, m.groups.barrier = true;
  for (uint32_t n = 0; n < 64; n++) m.put(m.input + n * 4, n * n);
  const uint32_t one_dword = 0xe00 | 1 << 12, slm = 254;
  auto result = m.run(
      {"mov (16|M0) r10.0<1>:ud r1.0<8;8,1>:uw", "shl (16|M0) r12.0<1>:ud r10.0<8;8,1>:ud 2:ud",
       // r20: 64-bit addresses of input[id], pairs of dwords
       "mov (8|M0) r20.1<2>:ud r2.1<0;1,0>:ud", "mov (8|M0) r22.1<2>:ud r2.1<0;1,0>:ud",
       "add (8|M0) r20.0<2>:ud r12.0<8;8,1>:ud r2.0<0;1,0>:ud", "add (8|M0) r22.0<2>:ud r13.0<8;8,1>:ud r2.0<0;1,0>:ud",
       send("dc1", 16, "r30", 20, -1, 0, descriptor(4, 2, false, 0x11, one_dword | 255)),
       send("dc1", 16, "null", 12, 30, 2, descriptor(2, 0, false, 9, one_dword | slm)),
       "(W) send.gtwy (1|M0) null r3 null 0x0 0x02000004", "(W) sync.bar null", "xor (16|M0) r14.0<1>:ud r12.0<8;8,1>:ud 252:ud",
       send("dc1", 16, "r32", 14, -1, 0, descriptor(2, 2, false, 1, one_dword | slm)),
       send("dc1", 16, "null", 12, 32, 2, descriptor(2, 0, false, 9, one_dword | 1)),
       // an atomic add of the number to output[100], with return to output[128 + id]
       "mov (16|M0) r40.0<1>:ud 400:ud", send("dc1", 16, "r50", 40, 10, 2, descriptor(2, 2, false, 2, 1 << 13 | 7 << 8 | 1)),
       "add (16|M0) r42.0<1>:ud r12.0<8;8,1>:ud 512:ud",
       send("dc1", 16, "null", 42, 50, 2, descriptor(2, 0, false, 9, one_dword | 1)),
       // bytes: output byte 1024 + id
       "add (16|M0) r44.0<1>:ud r10.0<8;8,1>:ud 1024:ud",
       send("dc0", 16, "null", 44, 10, 2, descriptor(2, 0, false, 0xc, 1 << 8 | 1))});
  ASSERT_FALSE(result.fault) << text_of(result);
  std::vector<bool> seen(2017);
  for (uint32_t n = 0; n < 64; n++) {
    EXPECT_EQ(m.word(m.output + n * 4), (n ^ 63) * (n ^ 63)) << n;
    EXPECT_LE(m.word(m.output + 512 + n * 4), 2016u);
    EXPECT_EQ(*m.space->host(m.output + 1024 + n), n);
  }
  EXPECT_EQ(m.word(m.output + 400), 2016u);
}

// Blocks in both directions, a multiple of 16 bytes and any dword, surfaces and addresses.
TEST_P(Threads, Blocks) {
  Machine& m = machine;
  for (uint32_t n = 0; n < 256; n++) m.put(m.input + n * 4, n + 1000);
  std::vector<uint8_t> shared(32);
  const uint64_t to = m.output + 256;
  std::memcpy(shared.data(), &to, 8);
  m.groups.cross_thread = shared;
  auto result = m.run({"(W) mov (8|M0) r10.0<1>:ud 0:ud", "(W) mov (1|M0) r10.2<1>:ud 20:ud",
                       send("dc0", 8, "r20", 10, -1, 0, descriptor(1, 2, true, 1, 3 << 8 | 0), "(W) "),  // 4 owords from byte 20
                       "(W) mov (1|M0) r10.2<1>:ud 2:ud",
                       send("dc0", 8, "null", 10, 20, 2, descriptor(1, 0, true, 8, 3 << 8 | 1), "(W) "),  // to oword 2
                       send("dc1", 8, "null", 1, 20, 2, descriptor(1, 0, true, 0x15, 3 << 8 | 255), "(W) "),
                       send("dc0", 8, "r30", 10, -1, 0, descriptor(1, 4, true, 0, 4 << 8 | 0), "(W) "),  // 8 owords from oword 2
                       "(W) mov (1|M0) r10.2<1>:ud 32:ud",
                       send("dc0", 8, "null", 10, 30, 4, descriptor(1, 0, true, 8, 4 << 8 | 1), "(W) ")});
  ASSERT_FALSE(result.fault) << text_of(result);
  for (uint32_t n = 0; n < 16; n++) {
    EXPECT_EQ(m.word(m.output + 32 + n * 4), 1005 + n);
    EXPECT_EQ(m.word(m.output + 256 + n * 4), 1005 + n);
  }
  for (uint32_t n = 0; n < 32; n++) EXPECT_EQ(m.word(m.output + 512 + n * 4), 1008 + n);
}

TEST_P(Threads, AddressesOutsideFault) {
  Machine& m = machine;
  std::vector<uint8_t> shared(32);
  const uint64_t wild = 0x7654321000;
  std::memcpy(shared.data(), &wild, 8);
  m.groups.cross_thread = shared;
  auto result = m.run({"mov (8|M0) r20.1<2>:ud r1.1<0;1,0>:ud", "mov (8|M0) r20.0<2>:ud r1.0<0;1,0>:ud",
                       send("dc1", 8, "r30", 20, -1, 0, descriptor(2, 1, false, 0x11, 0xe00 | 2 << 12 | 255))});
  const gpu::Fault fault = result.fault.value_or(gpu::Fault{});
  EXPECT_EQ(fault.kind, gpu::FaultKind::Load) << text_of(result);
  EXPECT_EQ(fault.address, wild) << text_of(result);
  EXPECT_EQ(fault.lane, 0);
}

// An entry of the binding table that cannot be read is named; lanes that do not ask for it fault nowhere.
TEST_P(Threads, SurfacesThatCannotBeRead) {
  Machine& m = machine;
  const std::string read = send("dc1", 8, "r30", 20, -1, 0, descriptor(1, 1, false, 1, 0xe00 | 2 << 12 | 5));
  m.put(m.states + 0x800 + 5 * 4, 0x40000000);
  auto result = m.run({"mov (8|M0) r20.0<1>:ud 64:ud", read});
  const gpu::Fault fault = result.fault.value_or(gpu::Fault{});
  EXPECT_EQ(fault.address, m.states + 0x800 + 5 * 4) << text_of(result);
  EXPECT_NE(fault.other.find("entry 5 of the binding table"), std::string::npos) << text_of(result);
  result =
      m.run({"mov (8|M0) r20.0<1>:ud 64:ud", "cmp (8|M0) (ne)f0.0 null<1>:ud r20.0<8;8,1>:ud r20.0<8;8,1>:ud", "(f0.0) " + read});
  EXPECT_FALSE(result.fault) << text_of(result);
}

// Every thread begins with registers that are 0, flags and accumulators among them, whatever the one before has left, and with the mode
// that was dispatched; and each thread of each group runs once. (So many that compiled code takes over.)
TEST_P(Threads, BeginAnew) {
  Machine& m = machine;
  constexpr uint32_t threads = 3, columns = 32, rows = 30;
  std::vector<uint8_t> ids(threads * 32);
  for (uint32_t n = 0; n < threads; n++) std::memcpy(&ids[n * 32], &n, 4);
  m.groups.simd = 8, m.groups.threads = {threads, 1, 1}, m.groups.end = {columns, rows, 1};
  m.groups.per_thread = ids, m.groups.per_thread_bytes = 32;
  // r60: what registers held; r20: where that and one more go, by an atomic addition
  auto result = m.run(
      {"(W) mov (8|M0) r60.0<1>:ud r100.0<8;8,1>:ud", "(W) or (8|M0) r60.0<1>:ud r60.0<8;8,1>:ud acc0.0<8;8,1>:ud",
       "(W) or (8|M0) r60.0<1>:ud r60.0<8;8,1>:ud f0.0<0;1,0>:ud", "(W) or (8|M0) r60.0<1>:ud r60.0<8;8,1>:ud cr0.0<0;1,0>:ud",
       "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw", "(W) mov (8|M0) r100.0<1>:ud 30000:ud",
       "(W) mov (8|M0) acc0.0<1>:ud 50000:ud", "(W) mov (1|M0) f0.0<1>:ud 0xff00:ud",
       "(W) mul (1|M0) r40.0<1>:d r0.6<0;1,0>:d 32:w", "(W) add (1|M0) r40.0<1>:d r40.0<0;1,0>:d r0.1<0;1,0>:d",
       "(W) mul (1|M0) r40.0<1>:d r40.0<0;1,0>:d 3:w", "(W) add (1|M0) r40.0<1>:d r40.0<0;1,0>:d r1.0<0;1,0>:d",
       "(W) shl (8|M0) r20.0<1>:d r40.0<0;1,0>:d 2:w", "(W) add (8|M0) r61.0<1>:d r60.0<8;8,1>:d 1:w",
       send("dc1", 1, "null", 20, 61, 1, descriptor(1, 0, false, 2, 1 << 12 | 7 << 8 | 1))});
  ASSERT_FALSE(result.fault) << text_of(result);
  for (uint32_t n = 0; n < threads * columns * rows; n++) ASSERT_EQ(m.word(m.output + n * 4), 1u) << n;
  EXPECT_EQ(result.counters.waves, threads * columns * rows);
}

INSTANTIATE_TEST_SUITE_P(Engines, Threads,
                         testing::Combine(testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                                          testing::Bool()));

// Random descriptors on random registers, surface states and tables: both engines leave the same memory, or both fault, and nothing
// outside of the GPU's memory is touched.
TEST(HostileMessages, BothEnginesAgree) {
  uint64_t seed = 99;
  auto random = [&] { return seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17, uint32_t(seed >> 20); };
  unsigned ended = 0, faulted = 0;
  for (unsigned round = 0; round < 80; round++) {
    std::vector<std::string> lines;
    const unsigned count = 1 + random() % 2;
    while (lines.size() < count) {
      static constexpr const char* functions[] = {"dc1", "dc0", "smpl", "dc1"};
      const unsigned lanes = random() % 4 ? 16 : 8, which = random() % 4;
      uint32_t d = descriptor(1 + random() % 5, random() % 5, random() % 4 == 0, random() % 32, random() & 0x3fff);
      if (random() % 8) d = (d & ~0xffu) | (random() % 4 ? random() % 8 : 252 + random() % 4);
      if (which % 3 == 0 && random() % 2) d = (d & ~(31u << 14)) | (random() % 2 ? 1u : 9u) << 14;
      std::string line = send(functions[which], lanes, fmt::format("r{}", 60 + random() % 20).c_str(), 2 + random() % 40,
                              int(2 + random() % 40), random() % 5, d, random() % 3 ? "" : "(W) ");
      if (xe_lp::assemble(std::vector<std::string>{line})) lines.push_back(line);
    }
    const auto sends = lines;
    lines.emplace_back("(W) mov (8|M0) r120.0<1>:ud 0:ud");
    for (unsigned r = 0; r < 24; r++) {
      lines.push_back(fmt::format("(W) mov (1|M0) r120.2<1>:ud {}:ud", 128 + r * 2));
      lines.push_back(send("dc0", 8, "null", 120, int(60 + r), 1, descriptor(1, 0, true, 8, 2 << 8 | 1), "(W) "));
    }
    std::vector<uint8_t> registers(80 * 32);
    const uint64_t state = seed;
    std::vector<uint8_t> memory[2];
    bool faults[2] = {};
    for (int e = 0; e < 2; e++) {
      seed = state;
      Machine m(e ? wave::EngineChoice::Jit : wave::EngineChoice::Interpreter, round % 2);
      for (size_t n = 0; n < registers.size(); n += 4) {
        uint32_t w = random() % 3 ? random() % 2000 : random();
        if (n % 8 == 0 && random() % 3) {  // an address
          const uint64_t at = (random() % 2 ? m.input : m.output) + random() % 6000;
          std::memcpy(&registers[n], &at, 8);
          n += 4;
          continue;
        }
        std::memcpy(&registers[n], &w, 4);
      }
      // Tables of random surface states, some of which are nearly right.
      for (unsigned n = 2; n < 8; n++)
        for (unsigned word = 0; word < 16; word++) {
          uint32_t w = random() % 2 ? random() : 0;
          if (word == 0 && random() % 2) w = (random() % 8) << 29 | (random() % 0x1c9) << 18 | (random() % 4) << 12;
          if (word == 2 && random() % 2) w = random() % 32 << 16 | random() % 32;
          if (word == 3 && random() % 2) w = 511;
          if (word == 7) w = random() % 2 ? 0x09770000 : random();
          if (word == 8 && random() % 2) w = uint32_t(m.input);
          if (word == 9 && random() % 2) w = uint32_t(m.input >> 32);
          m.put(m.states + n * 64 + word * 4, w);
        }
      for (unsigned n = 2; n < 8; n++) m.put(m.states + 0x800 + n * 4, random() % 4 ? n * 64 : random());
      m.groups.context.dynamic_state_base = m.groups.context.sampler_states = m.states + 0x400;
      for (uint32_t n = 0; n < 256; n++) m.put(m.input + n * 4, random());
      m.groups.simd = 16, m.groups.cross_thread = registers, m.groups.slm_bytes = 2048;
      auto result = m.run(lines);
      faults[e] = result.fault.has_value();
      for (uint64_t at : {m.input, m.output}) memory[e].insert(memory[e].end(), m.space->host(at), m.space->host(at) + 4 * page);
    }
    std::string all;
    for (auto& line : sends) all += line + "\n";
    ASSERT_EQ(faults[0], faults[1]) << all;
    if (faults[0]) {
      faulted++;
      continue;
    }
    ended++;
    ASSERT_TRUE(memory[0] == memory[1]) << all;
  }
  EXPECT_GT(ended, 5u);
  EXPECT_GT(faulted, 5u);
}

}  // namespace
