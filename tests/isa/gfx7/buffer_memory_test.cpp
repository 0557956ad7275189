// MUBUF and MTBUF against a model that works out each lane's bytes by division, as the guide's words describe swizzling; formats
// against src/surface, which was written apart. On every engine.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "isa/gfx7/buffer_format.h"
#include "machine.h"
#include "surface/texel.h"

namespace Atoll::gfx7::test {
namespace {

// A V# as numbers.
struct Descriptor {
  uint64_t base = Machine::memory_base + 4096;
  uint32_t stride = 0, records = 0, index_stride = 8, element_bytes = 4;
  bool swizzled = false, add_lane = false;
  uint32_t data_format = 4, number_format = 7;
  uint32_t select[4] = {4, 5, 6, 7};

  std::array<uint32_t, 4> words() const {
    auto log2 = [](uint32_t x) { return uint32_t(std::countr_zero(x)); };
    uint32_t w3 = data_format << 15 | number_format << 12 | (log2(element_bytes) - 1) << 19 | (log2(index_stride) - 3) << 21 |
                  uint32_t(add_lane) << 23;
    for (int c = 0; c < 4; c++) w3 |= select[c] << 3 * c;
    return {uint32_t(base), uint32_t(base >> 32) | stride << 16 | uint32_t(swizzled) << 31, records, w3};
  }
};

struct Place {
  uint64_t address;
  uint64_t index, offset;  // what is checked
};
Place place_of(const Descriptor& d, uint64_t index, uint64_t offset, uint64_t scalar_offset) {
  if (!d.swizzled) return {d.base + scalar_offset + index * d.stride + offset, index, offset};
  uint64_t group = index / d.index_stride, in_group = index % d.index_stride;
  uint64_t element = offset / d.element_bytes, in_element = offset % d.element_bytes;
  return {d.base + scalar_offset + (group * d.stride + element * d.element_bytes) * d.index_stride + in_group * d.element_bytes +
              in_element,
          index, offset};
}
bool in_range(const Descriptor& d, const Place& p, uint64_t byte, uint64_t bytes, uint64_t scalar_offset) {
  if (d.stride == 0) return p.offset + byte + bytes + scalar_offset <= d.records;
  if (p.index >= d.records) return false;
  return !d.swizzled || p.offset + byte + bytes <= d.stride;
}

struct Case {
  Descriptor d;
  bool idxen = false, offen = false;
  uint32_t imm = 0, scalar_offset = 0;
  uint64_t exec = ~uint64_t(0);
  uint32_t index[64], offset[64];
};
Case random_case(Random& r) {
  Case c;
  c.d.stride = r.below(3) ? r.below(8) * 4 : 0;
  c.d.swizzled = c.d.stride && r.below(3) == 0;
  c.d.index_stride = 8u << r.below(4);
  c.d.element_bytes = 2u << r.below(4);
  if (c.d.swizzled) c.d.stride = 16u * (1 + r.below(3));  // whole elements
  c.d.records = c.d.stride ? r.below(100) : r.below(500);
  c.d.add_lane = r.below(4) == 0;
  c.idxen = r.below(2), c.offen = r.below(2);
  c.imm = r.below(3) ? r.below(40) * 4 : 0;
  c.scalar_offset = r.below(3) ? 0 : r.below(30) * 4;
  if (r.below(3) == 0) c.exec = r.next64();
  uint32_t form = r.below(4), step = 4u << r.below(3);
  for (uint32_t l = 0; l < 64; l++) {
    c.index[l] = form == 0 ? l : form == 1 ? 7 : r.below(100);
    c.offset[l] = form == 0 ? l * step : form == 1 ? 12 : form == 2 ? r.below(60) * 4 : r.below(250);
    // Below 0, from where the instruction's offset brings it back (or not, where that is out of range).
    if (r.below(16) == 0) c.offset[l] = 0u - r.below(c.d.stride && !c.d.swizzled ? c.imm / 4 + 1 : 40) * 4;
  }
  return c;
}

constexpr uint32_t data_vgpr = 16;
std::string operands(const Case& c, unsigned dwords) {
  unsigned registers = unsigned(c.idxen) + unsigned(c.offen);
  std::string data = dwords == 1 ? fmt::format("v{}", data_vgpr) : fmt::format("v[{}:{}]", data_vgpr, data_vgpr + dwords - 1);
  std::string address = registers == 0 ? "off" : registers == 1 ? "v8" : "v[8:9]";
  return fmt::format("{}, {}, s[4:7], s8{}{}{}", data, address, c.idxen ? " idxen" : "", c.offen ? " offen" : "",
                     c.imm ? fmt::format(" offset:{}", c.imm) : "");
}
void set(Machine& m, const Case& c, uint64_t seed) {
  Random r(seed);
  for (auto& b : m.memory) b = uint8_t(r.next());
  for (uint32_t n = 0; n < 40; n++)
    for (uint32_t l = 0; l < 64; l++) m.v(n, l) = r.next();
  for (uint32_t l = 0; l < 64; l++) {
    m.v(8, l) = c.idxen ? c.index[l] : c.offset[l];
    if (c.idxen && c.offen) m.v(9, l) = c.offset[l];
  }
  auto words = c.d.words();
  for (uint32_t n = 0; n < 4; n++) m.s(4 + n) = words[n];
  m.s(8) = c.scalar_offset;
  m.set_exec(c.exec);
}
Place place(const Case& c, uint32_t lane) {
  uint64_t index = (c.idxen ? c.index[lane] : 0) + (c.d.add_lane ? lane : 0);
  uint64_t offset = uint64_t(c.offen ? c.offset[lane] : 0) + c.imm;
  return place_of(c.d, index, c.d.swizzled ? offset : uint32_t(offset), c.scalar_offset);
}

// Registers and memory as a model leaves them.
struct Expected {
  std::vector<uint8_t> memory;
  std::vector<uint32_t> v;
  explicit Expected(Machine& m) : memory(m.memory) {
    for (uint32_t n = 0; n < 40; n++)
      for (uint32_t l = 0; l < 64; l++) v.push_back(m.v(n, l));
  }
  uint32_t& reg(uint32_t n, uint32_t l) { return v[n * 64 + l]; }
  uint8_t* at(uint64_t address) { return &memory.at(address - Machine::memory_base); }
};
testing::AssertionResult agrees(Expected& e, Machine& m) {
  for (uint32_t n = 0; n < 40; n++)
    for (uint32_t l = 0; l < 64; l++)
      if (m.v(n, l) != e.reg(n, l))
        return testing::AssertionFailure() << fmt::format("v{} lane {}: {:#x}, expected {:#x}", n, l, m.v(n, l), e.reg(n, l));
  for (size_t n = 0; n < e.memory.size(); n++)
    if (m.memory[n] != e.memory[n])
      return testing::AssertionFailure() << fmt::format("byte {:#x}: {:#x}, expected {:#x}", n, m.memory[n], e.memory[n]);
  return testing::AssertionSuccess();
}

struct Untyped {
  const char* name;
  unsigned dwords, bytes;  // bytes of the whole
  bool sign, store;
};
constexpr Untyped untyped[] = {{"buffer_load_dword", 1, 4, false, false},    {"buffer_load_dwordx2", 2, 8, false, false},
                               {"buffer_load_dwordx3", 3, 12, false, false}, {"buffer_load_dwordx4", 4, 16, false, false},
                               {"buffer_load_ubyte", 1, 1, false, false},    {"buffer_load_sbyte", 1, 1, true, false},
                               {"buffer_load_ushort", 1, 2, false, false},   {"buffer_load_sshort", 1, 2, true, false},
                               {"buffer_store_dword", 1, 4, false, true},    {"buffer_store_dwordx2", 2, 8, false, true},
                               {"buffer_store_dwordx3", 3, 12, false, true}, {"buffer_store_dwordx4", 4, 16, false, true},
                               {"buffer_store_byte", 1, 1, false, true},     {"buffer_store_short", 1, 2, false, true}};

TEST(Gcn2Buffers, LoadsAndStores) {
  Random r(7);
  uint64_t compiled = 0, called = 0;
  for (unsigned round = 0; round < 98; round++) {
    const Untyped& u = untyped[round % std::size(untyped)];
    Case c = random_case(r);
    // Lanes that store over each other: the order is open. Each gets a place of its own.
    if (u.store) {
      c.d.stride = 0, c.d.swizzled = false, c.idxen = false, c.offen = true;
      uint32_t spread = r.below(2) ? u.bytes : 16;
      uint32_t turn = r.below(64);
      for (uint32_t l = 0; l < 64; l++) c.offset[l] = (l ^ turn) * spread;
      if (u.dwords == 1 && r.below(3) == 0) {  // the private memory of shaders: swizzled, an index a lane
        c.d.stride = 64, c.d.swizzled = true, c.d.add_lane = true, c.d.records = 64, c.d.index_stride = 64, c.d.element_bytes = 4;
        for (uint32_t l = 0; l < 64; l++) c.offset[l] = r.below(2) ? 16 : r.below(12) * 4;
      } else {
        c.d.add_lane = false;
      }
    }
    std::string line = std::string(u.name) + " " + operands(c, u.dwords);
    uint64_t seed = r.next64();
    for (Way way : ways) {
      Machine m;
      set(m, c, seed);
      Expected e(m);
      for (uint32_t l = 0; l < 64; l++) {
        if (!(c.exec >> l & 1)) continue;
        Place p = place(c, l);
        unsigned unit = u.bytes < 4 ? u.bytes : 4;
        for (unsigned n = 0; n < u.dwords; n++) {
          // Every dword of an access stands 4 bytes after the one before, whatever the swizzle (the elements hold it whole).
          uint64_t at = p.address + 4 * n;
          bool inside = in_range(c.d, p, 4 * n, unit, c.scalar_offset);
          if (u.store) {
            if (inside) std::memcpy(e.at(at), &e.reg(data_vgpr + n, l), unit);
            continue;
          }
          uint32_t x = 0;
          if (inside) std::memcpy(&x, e.at(at), unit);
          if (u.sign) x = unit == 1 ? uint32_t(int32_t(int8_t(x))) : uint32_t(int32_t(int16_t(x)));
          e.reg(data_vgpr + n, l) = x;
        }
      }
      m.run({line}, way, [&](Machine& machine) { set(machine, c, seed); });
      ASSERT_EQ(m.w->stop, wave::Stop::End) << line << ": " << (m.w->fault.reason ? m.w->fault.reason : "fault");
      ASSERT_TRUE(agrees(e, m)) << name(way) << ": " << line << " round " << round
                                << fmt::format(" stride {} records {} swizzled {} index stride {} element {} add lane {}",
                                               c.d.stride, c.d.records, c.d.swizzled, c.d.index_stride, c.d.element_bytes,
                                               c.d.add_lane);
      if (way != Way::Interpreted) compiled += m.w->compiled, called += m.w->called;
    }
  }
  EXPECT_GT(compiled, called * 10) << "the JIT compiled next to nothing";
}

TEST(Gcn2Buffers, Address64HasNoBounds) {
  for (Way way : ways) {
    Machine m;
    m.run({"buffer_load_dwordx2 v[16:17], v[8:9], s[4:7], 4 addr64 offset:8"}, way, [](Machine& k) {
      for (size_t n = 0; n < k.memory.size(); n++) k.memory[n] = uint8_t(n * 7 + n / 256);
      k.set_exec(~uint64_t(0));
      k.s(4) = 0x100, k.s(5) = 0, k.s(6) = 0, k.s(7) = 0;
      for (uint32_t l = 0; l < 64; l++) k.v(8, l) = uint32_t(Machine::memory_base) + l * 36, k.v(9, l) = 0;
    });
    for (uint32_t l = 0; l < 64; l++) {
      uint32_t words[2];
      std::memcpy(words, &m.memory[l * 36 + 0x100 + 12], 8);
      ASSERT_EQ(m.v(16, l), words[0]) << name(way);
      ASSERT_EQ(m.v(17, l), words[1]);
    }
  }
}

// --- formats

struct SameFormat {
  unsigned data_format;
  surface::Layout layout;
};
constexpr SameFormat same_formats[] = {
    {1, surface::Layout::bits_8},         {2, surface::Layout::bits_16},          {3, surface::Layout::bits_8_8},
    {4, surface::Layout::bits_32},        {5, surface::Layout::bits_16_16},       {6, surface::Layout::bits_11_11_10},
    {7, surface::Layout::bits_10_11_11},  {8, surface::Layout::bits_2_10_10_10},  {9, surface::Layout::bits_10_10_10_2},
    {10, surface::Layout::bits_8_8_8_8},  {11, surface::Layout::bits_32_32},      {12, surface::Layout::bits_16_16_16_16},
    {13, surface::Layout::bits_32_32_32}, {14, surface::Layout::bits_32_32_32_32}};
constexpr surface::Number same_numbers[8] = {surface::Number::unorm,   surface::Number::snorm,   surface::Number::uscaled,
                                             surface::Number::sscaled, surface::Number::uint,    surface::Number::sint,
                                             surface::Number::unorm,   surface::Number::floating};

TEST(Gcn2Buffers, FormatsAreThoseOfSurfaces) {
  Random r(11);
  unsigned tried = 0;
  for (const SameFormat& f : same_formats)
    for (unsigned number = 0; number < 8; number++) {
      if (number == 6) continue;  // SNORM_OGL: below
      const amd::BufferFormat* format = buffer_format(f.data_format, number);
      auto other = surface::make_format(f.layout, same_numbers[number]);
      ASSERT_EQ(format != nullptr, bool(other)) << f.data_format << " " << number;
      if (!format) continue;
      ASSERT_EQ(format->bytes(), surface::row(f.layout).bytes);
      tried++;
      for (bool typed : {false, true}) {
        Case c;
        c.d.stride = format->bytes(), c.d.records = 60, c.d.data_format = f.data_format, c.d.number_format = number;
        uint32_t select[4] = {6, 5, 4, 1};
        if (!typed) std::copy_n(select, 4, c.d.select);
        if (typed) c.d.data_format = 0, c.d.number_format = 0;
        c.idxen = true;
        for (uint32_t l = 0; l < 64; l++) c.index[l] = l;
        std::string line = fmt::format("{}buffer_load_format_xyzw {}", typed ? "t" : "", operands(c, 4));
        if (typed)
          line = fmt::format("tbuffer_load_format_xyzw v[16:19], v8, s[4:7], s8 format:{} idxen", f.data_format | number << 4);
        uint64_t seed = r.next64();
        Machine m;
        m.run({line}, Way::Interpreted, [&](Machine& k) { set(k, c, seed); });
        ASSERT_EQ(m.w->stop, wave::Stop::End) << line;
        for (uint32_t l = 0; l < 64; l++) {
          surface::Colour texel{};
          if (l < 60) texel = surface::read_texel(*other, &m.memory[4096 + l * format->bytes()]);
          if (l < 60 && f.data_format == 9 && (number & 1) && number < 6) {  // alpha counts as unsigned
            auto other_number = surface::make_format(f.layout, same_numbers[number - 1]);
            texel[3] = surface::read_texel(*other_number, &m.memory[4096 + l * 4])[3];
          }
          if (l < 60)  // what the format has not, buffers read as 0
            for (unsigned n = format->components(); n < 4; n++) texel[n] = 0;
          uint32_t one = surface::is_integer(other->number) ? 1 : 0x3f800000;
          uint32_t expected[4] = {texel[0], texel[1], texel[2], texel[3]};
          if (!typed) expected[0] = texel[2], expected[2] = texel[0], expected[3] = one;
          for (unsigned n = 0; n < 4; n++) {
            float ours = std::bit_cast<float>(m.v(16 + n, l)), theirs = std::bit_cast<float>(expected[n]);
            bool both_nan = !surface::is_integer(other->number) && ours != ours && theirs != theirs;
            ASSERT_TRUE(both_nan || m.v(16 + n, l) == expected[n])
                << line << " lane " << l << " component " << n << std::hex << ": " << m.v(16 + n, l) << " " << expected[n];
          }
        }
        Machine compiled;
        compiled.run({line}, Way::Learnt, [&](Machine& k) { set(k, c, seed); });
        ASSERT_EQ(compiled.w->stop, wave::Stop::End) << line;
        const bool ratio_of_32_bits = number < 2 && format->bits[0] == 32;  // no code has these
        EXPECT_EQ(compiled.w->called, ratio_of_32_bits ? 1u : 0u)
            << line << " data format " << f.data_format << " number " << number;
        for (uint32_t l = 0; l < 64; l++)
          for (unsigned n = 0; n < 4; n++)
            ASSERT_EQ(compiled.v(16 + n, l), m.v(16 + n, l))
                << line << " lane " << l << " component " << n << " data format " << f.data_format << " number " << number;
      }
    }
  EXPECT_EQ(tried, 14u * 6 + 9);
}

// A format's fractions are rounded to the nearest, beside arithmetic of 64 bits that is not.
TEST(Gcn2Buffers, FormatsHaveNothingToDoWithTheModeOfDoubles) {
  for (Way way : ways) {
    Machine m;
    Descriptor d;
    d.records = 4096;
    m.run({"v_add_f64 v[20:21], v[22:23], v[22:23]", "tbuffer_load_format_x v8, v1, s[4:7], 0 offen format:[BUF_DATA_FORMAT_8]"},
          way, [&](Machine& k) {
            k.word(mode_cell) = 0xcc;  // f32: to the nearest, f64: toward 0
            auto words = d.words();
            for (unsigned n = 0; n < 4; n++) k.s(4 + n) = words[n];
            for (uint32_t l = 0; l < 64; l++) k.memory[4096 + l] = uint8_t(l * 4 + 1), k.v(1, l) = l;
            k.set_exec(~uint64_t(0));
          });
    ASSERT_EQ(m.w->stop, wave::Stop::End);
    for (uint32_t l = 0; l < 64; l++)
      EXPECT_EQ(std::bit_cast<float>(m.v(8, l)), float(l * 4 + 1) / 255.0f) << name(way) << " " << l;
  }
}

TEST(Gcn2Buffers, StoredFormatsComeBack) {
  Random r(12);
  for (const SameFormat& f : same_formats)
    for (unsigned number : {0u, 4u, 5u, 7u}) {
      const amd::BufferFormat* format = buffer_format(f.data_format, number);
      if (!format || (number == 0 && format->bits[0] == 32)) continue;  // more bits than a float has
      Case c;
      c.d.stride = format->bytes(), c.d.records = 64, c.d.data_format = f.data_format, c.d.number_format = number;
      c.idxen = true;
      for (uint32_t l = 0; l < 64; l++) c.index[l] = 63 - l;
      uint64_t seed = r.next64();
      std::vector<uint8_t> before;
      Machine m;
      // Loads all texels, stores them one after the other 4096 bytes on.
      m.run(
          {"buffer_load_format_xyzw " + operands(c, 4), "s_add_u32 s4, s4, 0x1000", "buffer_store_format_xyzw " + operands(c, 4)},
          Way::Interpreted, [&](Machine& k) {
            set(k, c, seed);
            for (size_t n = 0; n < 2048; n++)  // no NaNs
              k.memory[4096 + n] &= 0x3b;
            before = k.memory;
          });
      ASSERT_EQ(m.w->stop, wave::Stop::End);
      for (size_t n = 0; n < 64 * format->bytes(); n++)
        ASSERT_EQ(m.memory[8192 + n], before[4096 + n]) << f.data_format << " " << number;
    }
}

TEST(Gcn2Buffers, NullDescriptorReadsNothing) {
  for (Way way : ways) {
    Machine m;
    m.run({"buffer_load_format_xyzw v[16:19], v8, s[4:7], 0 idxen", "buffer_load_dword v20, v8, s[4:7], 0 idxen",
           "buffer_store_dword v20, v8, s[4:7], 0 idxen", "s_buffer_load_dwordx4 s[12:15], s[4:7], 0"},
          way, [](Machine& k) {
            k.set_exec(~uint64_t(0));
            for (uint32_t n = 4; n < 16; n++) k.s(n) = n >= 12;
            for (uint32_t l = 0; l < 64; l++)
              for (uint32_t n = 16; n <= 20; n++) k.v(n, l) = 77;
          });
    ASSERT_EQ(m.w->stop, wave::Stop::End) << name(way);
    for (uint32_t n = 16; n <= 20; n++) EXPECT_EQ(m.v(n, 5), 0u) << name(way);
    for (uint32_t n = 12; n < 16; n++) EXPECT_EQ(m.s(n), 0u) << name(way);
  }
}

TEST(Gcn2Buffers, Atomics) {
  struct Row {
    const char* name;
    unsigned dwords;
    std::function<uint64_t(uint64_t old, uint64_t data, uint64_t compare)> f;
  };
  auto s32 = [](uint64_t x) { return int32_t(uint32_t(x)); };
  const Row rows[] = {{"buffer_atomic_add", 1, [](uint64_t o, uint64_t d, uint64_t) { return o + d; }},
                      {"buffer_atomic_swap", 1, [](uint64_t, uint64_t d, uint64_t) { return d; }},
                      {"buffer_atomic_smin", 1, [&](uint64_t o, uint64_t d, uint64_t) { return s32(o) < s32(d) ? o : d; }},
                      {"buffer_atomic_umax", 1, [](uint64_t o, uint64_t d, uint64_t) { return o > d ? o : d; }},
                      {"buffer_atomic_inc", 1, [](uint64_t o, uint64_t d, uint64_t) { return o >= d ? 0 : o + 1; }},
                      {"buffer_atomic_cmpswap", 1, [](uint64_t o, uint64_t d, uint64_t c) { return o == c ? d : o; }},
                      {"buffer_atomic_xor_x2", 2, [](uint64_t o, uint64_t d, uint64_t) { return o ^ d; }},
                      {"buffer_atomic_cmpswap_x2", 2, [](uint64_t o, uint64_t d, uint64_t c) { return o == c ? d : o; }}};
  for (const Row& row : rows)
    for (Way way : ways) {
      bool compares = std::string(row.name).find("cmpswap") != std::string::npos;
      unsigned given = row.dwords * (compares ? 2 : 1);
      Case c;
      c.d.records = 63 * 8 + 4, c.offen = true;
      for (uint32_t l = 0; l < 64; l++) c.offset[l] = l * 8;
      std::string line = std::string(row.name) + " " + operands(c, given) + " glc";
      auto state = [&](Machine& k) {
        set(k, c, 5);
        for (uint32_t l = 0; l < 64; l += 2)  // every other comparison holds
          for (unsigned n = 0; compares && n < row.dwords; n++)
            std::memcpy(&k.v(data_vgpr + row.dwords + n, l), &k.memory[4096 + l * 8 + 4 * n], 4);
      };
      Machine m;
      state(m);
      Expected e(m);
      for (uint32_t l = 0; l < 64; l++) {
        auto word = [&](uint32_t n) { return uint64_t(e.reg(data_vgpr + n, l)); };
        bool wide = row.dwords == 2, inside = l * 8 + 4 * row.dwords <= c.d.records;
        uint64_t data = word(0) | (wide ? word(1) << 32 : 0), compare = wide ? word(2) | word(3) << 32 : word(1), old = 0;
        if (inside) {
          std::memcpy(&old, e.at(c.d.base + l * 8), 4 * row.dwords);
          uint64_t now = row.f(old, data, compare);
          std::memcpy(e.at(c.d.base + l * 8), &now, 4 * row.dwords);
        }
        e.reg(data_vgpr, l) = uint32_t(old);
        if (wide) e.reg(data_vgpr + 1, l) = uint32_t(old >> 32);
      }
      m.run({line}, way, state);
      ASSERT_EQ(m.w->stop, wave::Stop::End) << line;
      ASSERT_TRUE(agrees(e, m)) << name(way) << " " << line;
    }
}

TEST(Gcn2Buffers, LoadsToLds) {
  for (Way way : ways) {
    Machine m;
    m.run({"buffer_load_dword off, s[4:7], 0 offset:16 lds"}, way, [](Machine& k) {
      k.set_exec(~uint64_t(2));
      std::fill(k.lds.begin(), k.lds.end(), uint8_t(9));
      Descriptor d;
      d.stride = 4, d.records = 64, d.add_lane = true;
      auto words = d.words();
      for (uint32_t n = 0; n < 4; n++) k.s(4 + n) = words[n];
      k.s(M0) = 64;
      for (size_t n = 0; n < 512; n++) k.memory[4096 + n] = uint8_t(n * 3);
    });
    ASSERT_EQ(m.w->stop, wave::Stop::End) << name(way);
    for (size_t n = 0; n < 256; n++)
      ASSERT_EQ(m.lds[64 + 16 + n], n / 4 == 1 ? 9 : uint8_t((n + 16) * 3)) << name(way) << " " << n;
  }
}

// --- scalar loads

TEST(Gcn2Scalars, Offsets) {
  for (Way way : ways) {
    Machine m;
    m.run({"s_load_dword s8, s[4:5], 0x3", "s_load_dwordx2 s[10:11], s[4:5], s6", "s_load_dwordx4 s[4:7], s[4:5], 0x400"}, way,
          [](Machine& k) {
            for (uint32_t n = 0; n < k.memory.size() / 4; n++) std::memcpy(&k.memory[4 * n], &n, 4);
            k.s(4) = uint32_t(Machine::memory_base) + 2, k.s(5) = 0, k.s(6) = 0x42b;
          });
    ASSERT_EQ(m.w->stop, wave::Stop::End);
    EXPECT_EQ(m.s(8), 3u) << name(way);
    EXPECT_EQ(m.s(10), 0x428u / 4) << name(way);
    EXPECT_EQ(m.s(11), 0x428u / 4 + 1);
    for (uint32_t n = 0; n < 4; n++) EXPECT_EQ(m.s(4 + n), 0x400u + n) << name(way);
  }
}

TEST(Gcn2Scalars, BuffersEnd) {
  Random r(3);
  for (unsigned round = 0; round < 40; round++) {
    uint32_t stride = r.below(2) ? 0 : 4 + r.below(5) * 4, records = stride ? r.below(20) : r.below(100);
    uint32_t size = stride ? stride * records : records, offset = r.below(100);
    bool immediate = r.below(2);
    std::string line = immediate ? fmt::format("s_buffer_load_dwordx8 s[16:23], s[4:7], {:#x}", offset / 4)
                                 : "s_buffer_load_dwordx8 s[16:23], s[4:7], s9";
    for (Way way : ways) {
      Machine m;
      m.run({line}, way, [&](Machine& k) {
        for (uint32_t n = 0; n < k.memory.size() / 4; n++) std::memcpy(&k.memory[4 * n], &n, 4);
        k.s(4) = uint32_t(Machine::memory_base), k.s(5) = stride << 16, k.s(6) = records, k.s(7) = 0, k.s(9) = offset;
      });
      for (uint32_t n = 0; n < 8; n++) {
        uint32_t at = offset / 4 + n;
        ASSERT_EQ(m.s(16 + n), at * 4 + 4 <= size ? at : 0)
            << name(way) << " " << line << " stride " << stride << " records " << records;
      }
    }
  }
}

// OpenGL's older rule for signed numbers: c stands for (2c + 1) / (2^n - 1), so that there is no 0. Stores take the nearest c.
TEST(Gcn2Buffers, SignedNumbersByTheOldRule) {
  Descriptor d;
  d.records = 4096, d.data_format = 1, d.number_format = 6;
  for (Way way : ways) {
    Machine m;
    const float stored[] = {0,           1,      -1,       2,       -3,     0.5f,     -0.5f, 1 / 255.0f,
                            -1 / 255.0f, 0.004f, -0.0001f, 0.0001f, 1e-40f, INFINITY, NAN,   0.25f};
    m.run({"tbuffer_load_format_x v8, v1, s[4:7], 0 offen format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_SNORM_OGL]",
           "tbuffer_load_format_x v9, v2, s[4:7], 0 offen offset:256 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_SNORM_OGL]",
           "buffer_store_format_x v3, v1, s[4:7], 0 offen offset:512"},
          way, [&](Machine& k) {
            auto words = d.words();
            for (unsigned n = 0; n < 4; n++) k.s(4 + n) = words[n];
            uint8_t* at = &k.memory[4096];
            for (uint32_t l = 0; l < 64; l++) {
              at[l] = uint8_t(l * 4 + l / 32);
              int16_t x = int16_t(l * 1021 - 32768);
              std::memcpy(at + 256 + l * 2, &x, 2);
              k.v(1, l) = l, k.v(2, l) = l * 2, k.v(3, l) = std::bit_cast<uint32_t>(stored[l % 16]);
            }
            k.set_exec(~uint64_t(0));
          });
    ASSERT_EQ(m.w->stop, wave::Stop::End) << (m.w->fault.reason ? m.w->fault.reason : "");
    for (uint32_t l = 0; l < 64; l++) {
      const uint32_t byte = (l * 4 + l / 32) & 0xff;
      int c8 = int(byte) - (byte & 0x80 ? 256 : 0), c16 = int16_t(l * 1021 - 32768);
      EXPECT_EQ(std::bit_cast<float>(m.v(8, l)), float((2 * c8 + 1) / 255.0)) << name(way) << " " << c8;
      EXPECT_EQ(std::bit_cast<float>(m.v(9, l)), float((2 * c16 + 1) / 65535.0)) << name(way) << " " << c16;
      // The nearest of all 256, ties to the even one; nothing comes of a NaN.
      double x = stored[l % 16];
      int best = 0;
      for (int c = -128; c < 128 && !std::isnan(x); c++) {
        double now = std::abs((2 * c + 1) / 255.0 - x), then = std::abs((2 * best + 1) / 255.0 - x);
        if (std::isinf(x)) now = -c, then = -best;
        if (now < then || (now == then && c % 2 == 0)) best = c;
      }
      EXPECT_EQ(int8_t(m.memory[4096 + 512 + l]), best) << name(way) << " " << x;
    }
  }
}

}  // namespace
}  // namespace Atoll::gfx7::test
