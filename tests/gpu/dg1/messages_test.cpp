// Messages that no compiler's kernel of the other tests sends: atomics of 16 bits, media blocks on tiled surfaces, the sampler's halves.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "base/half.h"
#include "machine.h"
#include "registers/dg1.h"
#include "surface/intel_tiling.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;

class Messages : public testing::TestWithParam<wave::EngineChoice> {
protected:
  Machine m{GetParam(), true};
};

// One lane after the other, what it finds and what it leaves.
struct Model {
  const char* name;
  unsigned operation;
  uint16_t (*result)(uint16_t old, uint16_t data, uint16_t second);
};
constexpr uint16_t first_word = 0x8005;
const Model integer_models[] = {
    {"and", 1, [](uint16_t o, uint16_t d, uint16_t) { return uint16_t(o & d); }},
    {"or", 2, [](uint16_t o, uint16_t d, uint16_t) { return uint16_t(o | d); }},
    {"xor", 3, [](uint16_t o, uint16_t d, uint16_t) { return uint16_t(o ^ d); }},
    {"move", 4, [](uint16_t, uint16_t d, uint16_t) { return d; }},
    {"increment", 5, [](uint16_t o, uint16_t, uint16_t) { return uint16_t(o + 1); }},
    {"decrement", 6, [](uint16_t o, uint16_t, uint16_t) { return uint16_t(o - 1); }},
    {"add", 7, [](uint16_t o, uint16_t d, uint16_t) { return uint16_t(o + d); }},
    {"subtract", 8, [](uint16_t o, uint16_t d, uint16_t) { return uint16_t(o - d); }},
    {"reverse subtract", 9, [](uint16_t o, uint16_t d, uint16_t) { return uint16_t(d - o); }},
    {"signed maximum", 10, [](uint16_t o, uint16_t d, uint16_t) { return int16_t(o) > int16_t(d) ? o : d; }},
    {"signed minimum", 11, [](uint16_t o, uint16_t d, uint16_t) { return int16_t(o) < int16_t(d) ? o : d; }},
    {"unsigned maximum", 12, [](uint16_t o, uint16_t d, uint16_t) { return o > d ? o : d; }},
    {"unsigned minimum", 13, [](uint16_t o, uint16_t d, uint16_t) { return o < d ? o : d; }},
    {"compare and exchange", 14, [](uint16_t o, uint16_t d, uint16_t s) { return o == d ? s : o; }},
};
float real(uint16_t half) { return float_from_half(half); }
const Model float_models[] = {
    {"maximum", 1, [](uint16_t o, uint16_t d, uint16_t) { return real(d) > real(o) ? d : o; }},
    {"minimum", 2, [](uint16_t o, uint16_t d, uint16_t) { return real(d) < real(o) ? d : o; }},
    {"compare and exchange", 3, [](uint16_t o, uint16_t d, uint16_t s) { return real(o) == real(d) ? s : o; }},
    {"add", 4, [](uint16_t o, uint16_t d, uint16_t) { return half_from_float(real(o) + real(d)); }},
    {"subtract", 5, [](uint16_t o, uint16_t d, uint16_t) { return half_from_float(real(o) - real(d)); }},
};

// Eight lanes on two words that share a dword, the upper one in the odd lanes; what each finds comes back.
void try_model(Machine& m, const Model& model, bool floats, bool a64) {
  uint16_t memory[2] = {floats ? uint16_t(0x3c00) : first_word, floats ? uint16_t(0xc200) : uint16_t(0x7ffe)};
  std::vector<uint8_t> registers(32 * 8);
  auto put = [&](unsigned r, unsigned lane, uint32_t x) { std::memcpy(&registers[r * 32 + lane * 4], &x, 4); };
  uint16_t data[8], second[8];
  const uint64_t word = m.output + 64;
  for (unsigned lane = 0; lane < 8; lane++) {
    data[lane] = floats ? half_from_float(float(lane) - 2.5f) : uint16_t(0x7ff9 + 3 * lane * lane);
    second[lane] = uint16_t(floats ? 0x4000 + lane : 0x1111 * lane);
    if (lane == 3) data[lane] = memory[1];
    const uint64_t address = word + lane % 2 * 2;
    if (a64)
      std::memcpy(&registers[lane * 8], &address, 8);  // r1 and r2
    else
      put(0, lane, uint32_t(64 + lane % 2 * 2));
    put(2, lane, data[lane] | 0xabcd0000u), put(3, lane, second[lane] | 0xabcd0000u);  // r3 and r4
    put(4, lane, lane);
  }
  std::memcpy(m.space->host(word), memory, 4);
  m.groups.simd = 8, m.groups.cross_thread = registers;
  const bool two = floats ? model.operation == 3 : model.operation == 14;
  const bool none = !floats && (model.operation == 5 || model.operation == 6);
  const unsigned type = floats ? (a64 ? 0x1e : 0x1c)
                        : a64  ? 0x13
                               : 0x03,
                 addresses = a64 ? 2 : 1,
                 operands = none  ? 0
                            : two ? 2
                                  : 1;
  const uint32_t rest = 1 << 13 | (a64 ? 0u : 1u << 12) | model.operation << 8 | (a64 ? 255 : 1);
  auto result = m.run({send("dc1", 8, "r20", 1, operands ? 3 : -1, operands, descriptor(addresses, 1, false, type, rest)),
                       "shl (8|M0) r10.0<1>:ud r5.0<8;8,1>:ud 2:ud",
                       send("dc1", 8, "null", 10, 20, 1, descriptor(1, 0, false, 9, 0xe00 | 2 << 12 | 1))});
  ASSERT_FALSE(result.fault) << model.name << ": " << text_of(result);
  for (unsigned lane = 0; lane < 8; lane++) {
    uint16_t& at = memory[lane % 2];
    EXPECT_EQ(m.word(m.output + lane * 4) & 0xffff, at) << model.name << " lane " << lane;
    at = model.result(at, data[lane], second[lane]);
  }
  uint16_t left[2];
  std::memcpy(left, m.space->host(word), 4);
  EXPECT_EQ(left[0], memory[0]) << model.name;
  EXPECT_EQ(left[1], memory[1]) << model.name;
}

TEST_P(Messages, AtomicsOf16Bits) {
  for (bool a64 : {false, true}) {
    for (const Model& model : integer_models) {
      SCOPED_TRACE(a64 ? "a64" : "surface");
      try_model(m, model, false, a64);
    }
    for (const Model& model : float_models) try_model(m, model, true, a64);
  }
}

// A block of 24 bytes and 5 rows from each corner of a surface of 40 x 12 bytes, partly outside, to a buffer; and back.
TEST_P(Messages, MediaBlocks) {
  constexpr int64_t width = 40, height = 12;
  for (uint32_t tiling : {0u, 2u, 3u})
    for (int64_t left : {0, 9, 30, -7})
      for (int64_t top : {0, 5, 10, -3}) {
        const uint32_t pitch = tiling == 0 ? 64 : 512;
        auto place = [&](int64_t x, int64_t y) -> uint64_t {
          if (tiling == 0) return uint64_t(y) * pitch + uint64_t(x);
          const auto kind = tiling == 2 ? surface::IntelTiling::x : surface::IntelTiling::y;
          return surface::address({.tiling = kind, .pitch_bytes = pitch}, uint64_t(x), uint64_t(y));
        };
        auto byte = [](int64_t x, int64_t y) { return uint8_t(x + 41 * y); };
        uint8_t* image = m.space->host(m.input);
        std::memset(image, 0xee, 16384);
        for (int64_t y = 0; y < height; y++)
          for (int64_t x = 0; x < width; x++) image[place(x, y)] = byte(x, y);
        uint32_t state[16] = {};  // 10 x 12 texels of 4 bytes
        state[0] = 1u << 29 | dg1::SURFACE_FORMAT::R8G8B8A8_UNORM << 18 | tiling << 12;
        state[2] = uint32_t(height - 1) << 16 | (width / 4 - 1), state[3] = pitch - 1;
        state[8] = uint32_t(m.input), state[9] = uint32_t(m.input >> 32);
        std::memcpy(m.space->host(m.states), state, sizeof state);
        std::vector<uint8_t> header(32);
        const uint32_t words[3] = {uint32_t(left), uint32_t(top), 4 << 16 | 23};
        std::memcpy(header.data(), words, sizeof words);
        m.groups.simd = 8, m.groups.cross_thread = header;
        auto result = m.run(
            {send("dc1", 8, "r10", 1, -1, 0, descriptor(1, 5, true, 4, 0), "(W) "),
             // oword block writes of 8 owords: 4 registers, then one more
             "(W) mov (1|M0) r3.2<1>:ud 0:ud", send("dc0", 8, "null", 3, 10, 4, descriptor(1, 0, true, 8, 4 << 8 | 1), "(W) "),
             "(W) mov (1|M0) r3.2<1>:ud 8:ud", send("dc0", 8, "null", 3, 14, 1, descriptor(1, 0, true, 8, 2 << 8 | 1), "(W) "),
             // the same bytes back, 1 added to each dword
             "(W) add (8|M0) r10.0<1>:ud r10.0<8;8,1>:ud 1:ud", "(W) add (8|M0) r11.0<1>:ud r11.0<8;8,1>:ud 1:ud",
             "(W) add (8|M0) r12.0<1>:ud r12.0<8;8,1>:ud 1:ud", "(W) add (8|M0) r13.0<1>:ud r13.0<8;8,1>:ud 1:ud",
             "(W) add (8|M0) r14.0<1>:ud r14.0<8;8,1>:ud 1:ud",
             send("dc1", 8, "null", 1, 10, 5, descriptor(1, 0, true, 10, 0), "(W) ")});
        ASSERT_FALSE(result.fault) << text_of(result);
        for (int64_t r = 0; r < 5; r++)
          for (int64_t b = 0; b < 24; b++) {
            const int64_t x = left + b, y = top + r;
            const int64_t texel = std::min<int64_t>(std::max<int64_t>(int64_t(std::floor(double(x) / 4)), 0), width / 4 - 1);
            const uint8_t expected = byte(texel * 4 + ((x % 4) + 4) % 4, std::min<int64_t>(std::max<int64_t>(y, 0), height - 1));
            ASSERT_EQ(*m.space->host(m.output + uint64_t(r) * 32 + uint64_t(b)), expected) << tiling << " " << x << "," << y;
          }
        for (int64_t y = 0; y < height; y++)
          for (int64_t x = 0; x < width; x++) {
            const int64_t b = x - left, r = y - top;
            if (b < 0 || b >= 24 || r < 0 || r >= 5) {
              ASSERT_EQ(image[place(x, y)], byte(x, y)) << "outside of the block " << x << "," << y;
              continue;
            }
            uint32_t word;
            std::memcpy(&word, m.space->host(m.output + uint64_t(r) * 32 + uint64_t(b) / 4 * 4), 4);
            ASSERT_EQ(image[place(x, y)], uint8_t((word + 1) >> b % 4 * 8)) << x << "," << y;
          }
      }
}

TEST_P(Messages, MediaBlocksThatAreNone) {
  uint32_t state[16] = {};
  state[0] = 1u << 29 | dg1::SURFACE_FORMAT::R8G8B8A8_UNORM << 18, state[2] = 3 << 16 | 3, state[3] = 63;
  state[8] = uint32_t(m.input), state[9] = uint32_t(m.input >> 32);
  std::vector<uint8_t> header(32);
  const uint32_t words[3] = {0, 0, 4 << 16 | 31};
  std::memcpy(header.data(), words, sizeof words);
  m.groups.simd = 8, m.groups.cross_thread = header;
  auto why = [&](uint32_t d) {
    std::memcpy(m.space->host(m.states), state, sizeof state);
    auto result = m.run({send("dc1", 8, "r10", 1, -1, 0, d, "(W) ")});
    return result.fault ? result.fault->other : std::string();
  };
  EXPECT_EQ(why(descriptor(1, 5, true, 4, 0)), "");
  EXPECT_EQ(why(descriptor(1, 4, true, 4, 0)), "a media block that is larger than its message");
  EXPECT_EQ(why(descriptor(1, 5, false, 4, 0)), "a media block message without a header");
  state[4] = 1 << 3;
  EXPECT_NE(why(descriptor(1, 5, true, 4, 0)).find("samples"), std::string::npos);
  state[4] = 0, state[0] = 2u << 29;
  EXPECT_NE(why(descriptor(1, 5, true, 4, 0)).find("not of texels in two dimensions"), std::string::npos);
}

// The surface behind an auxiliary surface is kept plain: with every mode that a single sample may have, typed messages, the
// sampler's, media blocks and untyped ones find the same bytes as without. 3, 6 and 7 are no modes of Gen12 (Intel's
// media-driver, mhw_state_heap_hwcmd_g12_X.h, AUXILIARY_SURFACE_MODE).
TEST_P(Messages, AuxiliaryModesOfPlainSurfaces) {
  struct Kind {
    const char* name;
    uint32_t type, tiling;
    std::vector<std::string> lines;
  };
  const uint32_t simd8 = 1 << 17;
  // r1 to r4: x, y, layer and level; each kind of message writes or reads the texels of eight lanes, and leaves them in r10
  const Kind kinds[] = {
      {"typed write",
       1,
       3,
       {send("dc1", 8, "null", 1, 5, 1, descriptor(2, 0, false, 0x0d, 0xe << 8 | 1 << 12)),
        "mov (8|M0) r10.0<1>:ud r5.0<8;8,1>:ud"}},
      {"typed read", 1, 3, {send("dc1", 8, "r10", 1, -1, 0, descriptor(2, 1, false, 0x05, 0xe << 8 | 1 << 12))}},
      {"typed read of layers", 2, 3, {send("dc1", 8, "r10", 1, -1, 0, descriptor(3, 1, false, 0x05, 0xe << 8 | 1 << 12))}},
      {"typed atomic", 1, 3, {send("dc1", 8, "r10", 1, 5, 1, descriptor(2, 1, false, 0x06, 1 << 13 | 7 << 8))}},
      {"ld_lz", 1, 3, {send("smpl", 8, "r10", 1, -1, 0, 2u << 25 | 1u << 20 | 0x1au << 12 | simd8)}},
      {"sample_lz", 1, 2, {send("smpl", 8, "r10", 1, -1, 0, 2u << 25 | 1u << 20 | 0x18u << 12 | simd8)}},
      {"media block", 1, 3, {send("dc1", 8, "r10", 6, -1, 0, descriptor(1, 1, true, 4, 0), "(W) ")}},
      {"untyped read",
       4,
       0,
       {"shl (8|M0) r7.0<1>:ud r1.0<8;8,1>:ud 2:ud",
        send("dc1", 8, "r10", 7, -1, 0, descriptor(1, 1, false, 1, 0xe << 8 | 2 << 12))}},
  };
  std::vector<uint8_t> registers(32 * 8);
  for (uint32_t l = 0; l < 8; l++) {
    const uint32_t values[] = {l, l % 4, 0, 0, 0x1000 * l + 7};
    for (size_t n = 0; n < 5; n++) std::memcpy(&registers[n * 32 + l * 4], &values[n], 4);
  }
  const uint32_t block[3] = {0, 0, 7 << 16 | 3};  // 4 bytes of 8 rows
  std::memcpy(&registers[5 * 32], block, sizeof block);
  m.groups.simd = 8, m.groups.cross_thread = registers;
  m.groups.context.sampler_states = m.groups.context.dynamic_state_base = m.states + 0x900;
  size_t tried = 0;
  for (const Kind& kind : kinds) {
    std::array<uint32_t, 8> plain{};
    std::array<uint32_t, 1024> plain_memory{};
    for (uint32_t mode = 0; mode < 8; mode++) {
      SCOPED_TRACE(std::string(kind.name) + ", mode " + std::to_string(mode));
      for (uint32_t n = 0; n < 1024; n++) m.put(m.input + n * 4, (n + 1) * 0x01010101);
      uint32_t words[16] = {};
      words[0] = kind.type << 29 | dg1::SURFACE_FORMAT::R32_UINT << 18 | kind.tiling << 12;
      words[2] = 7 << 16 | 7, words[3] = kind.type == 4 ? 3 : 511, words[6] = mode;
      words[7] = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
      words[8] = uint32_t(m.input), words[9] = uint32_t(m.input >> 32);
      std::memcpy(m.space->host(m.states), words, sizeof words);
      std::memset(m.space->host(m.output), 0, 64);
      auto lines = kind.lines;
      lines.emplace_back("(W) mov (8|M0) r3.0<1>:ud 0:ud");
      lines.push_back(send("dc0", 8, "null", 3, 10, 1, descriptor(1, 0, true, 8, 2 << 8 | 1), "(W) "));
      const auto result = m.run(lines);
      const bool looks = kind.type != 4 && std::string_view(kind.name) != "media block";  // at the mode
      if (looks && (mode == 3 || mode >= 6)) {
        ASSERT_TRUE(result.fault);
        EXPECT_NE(result.fault->other.find("auxiliary surface mode " + std::to_string(mode)), std::string::npos)
            << text_of(result);
        continue;
      }
      ASSERT_FALSE(result.fault) << text_of(result);
      std::array<uint32_t, 8> found{};
      std::array<uint32_t, 1024> memory{};
      std::memcpy(found.data(), m.space->host(m.output), 32);
      std::memcpy(memory.data(), m.space->host(m.input), sizeof memory);
      if (mode == 0) {
        plain = found, plain_memory = memory;
        EXPECT_NE(found, (std::array<uint32_t, 8>{}));
      }
      EXPECT_EQ(found, plain);
      EXPECT_EQ(memory, plain_memory);
      tried++;
    }
  }
  EXPECT_EQ(tried, 6u * 5 + 2 * 8);
}

// An image whose texels are the coordinates that the sampler was given.
TEST_P(Messages, HalvesOfTheSampler) {
  for (unsigned lanes : {8u, 16u}) {
    std::vector<uint8_t> registers(32 * 3);
    for (unsigned l = 0; l < lanes; l++) {
      const int16_t u = int16_t(l % 5), v = int16_t(l / 5), level = 0;  // ld: u, v, level as words
      std::memcpy(&registers[l * 2], &u, 2), std::memcpy(&registers[32 + l * 2], &v, 2),
          std::memcpy(&registers[64 + l * 2], &level, 2);
    }
    for (uint32_t n = 0; n < 64; n++) {  // R16G16_FLOAT, 16 texels a row
      const uint16_t x = half_from_float(float(n % 16) + 0.25f), y = half_from_float(float(n / 16) * 2);
      m.put(m.input + n * 4, x | uint32_t(y) << 16);
    }
    uint32_t state[16] = {};
    state[0] = 1u << 29 | dg1::SURFACE_FORMAT::R16G16_FLOAT << 18;
    state[2] = 3 << 16 | 15, state[3] = 63, state[7] = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
    state[8] = uint32_t(m.input), state[9] = uint32_t(m.input >> 32);
    std::memcpy(m.space->host(m.states), state, sizeof state);
    m.groups.simd = lanes, m.groups.cross_thread = registers;
    // SIMD8H and SIMD16H (5 and 6), message ld, halves back: four registers
    const uint32_t mode = lanes == 8 ? 5 : 6,
                   d = 3u << 25 | 4u << 20 | 7u << 12 | (mode & 3) << 17 | (mode >> 2) << 29 | 1u << 30;
    auto result = m.run({send("smpl", lanes, "r10", 1, -1, 0, d), "(W) mov (1|M0) r3.2<1>:ud 0:ud",
                         send("dc0", 8, "null", 3, 10, 2, descriptor(1, 0, true, 8, 3 << 8 | 1), "(W) ")});
    ASSERT_FALSE(result.fault) << text_of(result);
    for (unsigned l = 0; l < lanes; l++) {
      uint16_t x, y;
      std::memcpy(&x, m.space->host(m.output + l * 2), 2), std::memcpy(&y, m.space->host(m.output + 32 + l * 2), 2);
      EXPECT_EQ(real(x), float(l % 5) + 0.25f) << lanes << " " << l;
      EXPECT_EQ(real(y), float(l / 5) * 2) << lanes << " " << l;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Messages, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit));

}  // namespace
