// Buffer instructions against a model of bytes and lanes: addresses and bounds written once more from the manual's formulas.
#include "isa/rdna4/semantics/buffer_memory.h"

#include <functional>

#include "isa/rdna4/table.h"
#include "memory_model.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t kAddress = 40, kResource = 20, kSoffset = 30, kData = 8;

// The fields of a V# and of an instruction, from which both the registers and the expectation come.
struct Case {
  uint64_t base = SingleStep::memory_base + 4096;
  uint32_t stride = 0, stride_scale = 0, swizzle = 0, records = 0, format = 20, index_stride = 0, bounds = 3, type = 0;
  uint32_t select[4] = {4, 5, 6, 7};
  bool add_lane = false, offen = true, idxen = false;
  uint32_t ioffset = 0, soffset = 0;
  bool has_soffset = false;

  uint32_t bytes_a_record() const { return stride << (stride_scale == 0 ? 0 : stride_scale == 3 ? 5 : stride_scale + 1); }
  void put(SingleStep& wave) const {
    wave.s(kResource) = uint32_t(base);
    wave.s(kResource + 1) = uint32_t(base >> 32) | stride << 16 | swizzle << 30;
    wave.s(kResource + 2) = records;
    wave.s(kResource + 3) = select[0] | select[1] << 3 | select[2] << 6 | select[3] << 9 | format << 12 | stride_scale << 18 |
                            index_stride << 21 | uint32_t(add_lane) << 23 | bounds << 28 | type << 30;
    wave.s(kSoffset) = soffset;
  }
  Instruction instruction() const {
    Instruction i{.address = kAddress, .data = kData, .saddr = kResource, .offset = int32_t(ioffset)};
    i.soffset = has_soffset ? uint16_t(kSoffset) : uint16_t(NULL_SGPR);
    i.offen = offen, i.idxen = idxen;
    return i;
  }
  // RDNA4 ISA 9.4.2 and table 56 for one lane, with SOFFSET outside of the swizzle and the lane's number where there is no index, as cards have
  // it (docs/errata.md, "Swizzled buffers").
  struct Place {
    uint64_t address;
    uint64_t index, offset;
  };
  Place place(Model& m, uint32_t lane) const {
    uint64_t index = idxen ? m.reg(kAddress, lane) : add_lane ? lane : 0, voffset = offen ? m.reg(kAddress + idxen, lane) : 0;
    uint64_t s = has_soffset ? soffset : 0, stride_bytes = bytes_a_record();
    if (!swizzled()) {
      uint64_t records_part = bounds == 3 ? 0 : stride_bytes * index;
      const uint64_t offset = uint32_t(voffset + ioffset);
      return {base + s + offset + records_part, index, offset};
    }
    uint64_t element = swizzle == 3 ? 16 : 4, group = 8u << index_stride;
    uint64_t total = (voffset + ioffset) & 0xffffffff;
    return {
        base + s + (index / group * stride_bytes + total / element * element) * group + index % group * element + total % element,
        index, total};
  }
  bool swizzled() const { return swizzle && (idxen || add_lane); }
  bool inside(const Place& p, uint32_t byte, uint32_t bytes) const {
    uint64_t end = p.offset + byte + bytes, s = has_soffset ? soffset : 0;
    if (format == 0 && !add_lane) return false;
    if (bounds == 2) return records != 0;
    if (bounds == 1) return p.index < records;
    if (bounds == 0 || (swizzled() && stride)) return p.index < records && end <= bytes_a_record();
    return s <= records && end <= records - s;
  }
};

// Cases of every kind of buffer, with offsets on both sides of the bounds.
Case random_case(Words& random, unsigned round, unsigned bytes) {
  Case c;
  c.has_soffset = random.next() & 1;
  c.soffset = random.next() % 40 * 4;
  c.ioffset = random.next() % 50;
  c.bounds = round % 4;
  c.offen = random.next() % 4;
  c.idxen = random.next() & 1;
  c.add_lane = random.next() % 4 == 0;
  c.records = 200 + random.next() % 200;
  if (c.bounds != 3 || random.next() % 2) {
    c.stride = 16 + random.next() % 8 * 16;
    c.stride_scale = random.next() % 6 == 0 ? 1 : 0;
    if (c.bounds != 3) c.records = 20 + random.next() % 30;
    if (random.next() % 3 == 0 && bytes <= 16) c.swizzle = bytes > 4 ? 3 : random.next() & 1 ? 1 : 3;
    c.index_stride = random.next() % 4;
  }
  if (round % 16 == 15) c.records = 0;
  return c;
}
void set_addresses(SingleStep& wave, Words& random, const Case& c) {
  for (uint32_t lane = 0; lane < wave.lanes(); lane++) {
    uint32_t offset = random.next() % 3 == 0 ? random.next() % 400 : random.next() % 100 * 4, index = random.next() % 60;
    if (random.next() % 16 == 0 && c.bounds != 2) offset = 0xfffffff0;
    if (c.bounds == 2) offset %= 256, index %= 40;
    if (c.bounds == 1) offset %= 256;
    if (c.swizzle) offset &= ~15u;
    if (c.idxen) wave.v(kAddress, lane) = index;
    if (c.offen) wave.v(kAddress + c.idxen, lane) = offset;
  }
}

// The effect of the instruction on the model, given where each lane's access lands.
using Expect = std::function<void(Model&, const Case&, const std::vector<Case::Place>&, const Instruction&)>;
struct Options {
  bool aligned = false;   // to 8 bytes, for atomics
  bool in_place = false;  // the result goes where the data came from
  std::function<void(Case&, Words&)> edit = {};
  std::function<void(SingleStep&, Words&)> prepare = {};
};
void check(const std::string& name, unsigned bytes, const Options& options, const Expect& expect) {
  Words random(0xbff + bytes);
  for (unsigned round = 0; round < 96; round++) {
    SingleStep wave(round & 1);
    scramble(wave, random, round / 4);
    if (options.prepare) options.prepare(wave, random);
    Case c = random_case(random, round, bytes);
    if (options.edit) options.edit(c, random);
    if (options.aligned) c.ioffset &= ~7u, c.soffset &= ~7u;
    c.put(wave);
    set_addresses(wave, random, c);
    for (uint32_t lane = 0; lane < wave.lanes() && options.aligned; lane++) wave.v(kAddress + c.idxen, lane) &= ~7u;
    Instruction i = c.instruction();
    i.dst = options.in_place ? kData : round % 5 == 0 ? kAddress : 4;
    i.th = uint8_t(round / 3 & 1);
    Model model(wave);
    std::vector<Case::Place> places;
    for (uint32_t lane = 0; lane < model.lanes; lane++) {
      places.push_back(c.place(model, lane));
      // Accesses that pass the buffer's checks must lie in the memory of the test.
      for (unsigned n = 0; n < bytes; n += 4)
        if (model.active(lane) && c.inside(places.back(), n, std::min(4u, bytes - n))) {
          ASSERT_LT(places.back().address - SingleStep::memory_base, 65000u) << "round " << round;
        }
    }
    expect(model, c, places, i);
    wave.run(name.c_str(), i);
    ASSERT_EQ(wave.w->stop, wave::Stop::Run)
        << name << " round " << round << std::hex << " faulted at 0x" << wave.w->fault.address;
    ASSERT_TRUE(model.agrees(wave)) << name << " round " << round << " bounds " << c.bounds << " swizzle " << c.swizzle
                                    << " stride " << c.bytes_a_record() << " records " << c.records << " format " << c.format;
  }
}
template <class Each>
Expect each(Each function) {
  return [function](Model& m, const Case& c, const std::vector<Case::Place>& places, const Instruction& i) {
    for (uint32_t lane = 0; lane < m.lanes; lane++)
      if (m.active(lane)) function(m, c, places[lane], lane, i);
  };
}
Target memory(const Case::Place& p, uint32_t byte = 0) { return {Where::Memory, p.address + byte}; }

TEST(BufferMemory, Dwords) {
  for (auto [size, dwords] : {std::pair{"b32", 1u}, {"b64", 2u}, {"b96", 3u}, {"b128", 4u}}) {
    check(std::string("buffer_load_") + size, dwords * 4, {},
          each([dwords](Model& m, const Case& c, const Case::Place& p, uint32_t lane, const Instruction& i) {
            for (unsigned n = 0; n < dwords; n++)
              m.reg(i.dst + n, lane) = c.inside(p, 4 * n, 4) ? uint32_t(m.load(memory(p, 4 * n), 4, lane)) : 0;
          }));
    check(std::string("buffer_store_") + size, dwords * 4, {},
          [dwords](Model& m, const Case& c, const std::vector<Case::Place>& places, const Instruction& i) {
            for (uint32_t lane = 0; lane < m.lanes; lane++)
              for (unsigned n = 0; n < dwords; n++)
                if (m.active(lane) && c.inside(places[lane], 4 * n, 4))
                  m.store(memory(places[lane], 4 * n), 4, m.reg(i.data + n, lane), lane);
          });
  }
}

TEST(BufferMemory, BytesAndHalves) {
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
                {"d16_u8", 1, false, 0},
                {"d16_i8", 1, true, 0},
                {"d16_b16", 2, false, 0},
                {"d16_hi_u8", 1, false, 1},
                {"d16_hi_i8", 1, true, 1},
                {"d16_hi_b16", 2, false, 1}})
    check(std::string("buffer_load_") + r.name, r.bytes, {},
          each([r](Model& m, const Case& c, const Case::Place& p, uint32_t lane, const Instruction& i) {
            uint32_t x = c.inside(p, 0, r.bytes) ? uint32_t(m.load(memory(p), r.bytes, lane)) : 0, &d = m.reg(i.dst, lane);
            if (r.sign) x = r.bytes == 1 ? uint32_t(int8_t(x)) : uint32_t(int16_t(x));
            d = r.half < 0 ? x : r.half ? (d & 0xffff) | x << 16 : (d & ~0xffffu) | (x & 0xffff);
          }));
  for (auto [name, bytes, shift] : {std::tuple{"b8", 1u, 0}, {"b16", 2u, 0}, {"d16_hi_b8", 1u, 16}, {"d16_hi_b16", 2u, 16}})
    check(std::string("buffer_store_") + name, bytes, {},
          each([bytes, shift](Model& m, const Case& c, const Case::Place& p, uint32_t lane, const Instruction& i) {
            if (c.inside(p, 0, bytes)) m.store(memory(p), bytes, m.reg(i.data, lane) >> shift, lane);
          }));
}

// The operations themselves are tested with global memory; here that each mnemonic has its own, and the bounds.
TEST(BufferMemory, Atomics) {
  auto run = [](const std::string& name, unsigned bytes,
                std::function<uint64_t(uint64_t old, uint64_t data, uint64_t compare)> operation) {
    check("buffer_atomic_" + name, bytes,
          {.aligned = true,
           .in_place = true,
           .prepare =
               [](SingleStep& wave, Words& random) {
                 for (uint32_t lane = 0; lane < wave.lanes(); lane++)
                   for (uint32_t n = 0; n < 4; n++) wave.v(kData + n, lane) = random.next() & 0x3fff;
                 for (size_t n = 0; n < wave.memory.size(); n += 4) {
                   uint32_t x = random.next() & 0x3fff;
                   if (random.next() & 1) x = wave.v(kData + 2, random.next() % wave.lanes());
                   std::memcpy(&wave.memory[n], &x, 4);
                 }
               }},
          each([&, bytes](Model& m, const Case& c, const Case::Place& p, uint32_t lane, const Instruction& i) {
            bool wide = bytes == 8;
            uint64_t old = c.inside(p, 0, bytes) ? m.load(memory(p), bytes, lane) : 0;
            uint64_t data = wide ? m.reg64(kData, lane) : m.reg(kData, lane),
                     compare = wide ? m.reg64(kData + 2, lane) : m.reg(kData + 1, lane);
            if (c.inside(p, 0, bytes)) m.store(memory(p), bytes, operation(old, data, compare), lane);
            if (!(i.th & 1)) return;
            m.reg(i.dst, lane) = uint32_t(old);
            if (wide) m.reg(i.dst + 1, lane) = uint32_t(old >> 32);
          }));
  };
  struct Suffixes {
    const char *b, *u, *s;
    unsigned bytes;
  };
  for (Suffixes x : {Suffixes{"_b32", "_u32", "_i32", 4}, Suffixes{"_b64", "_u64", "_i64", 8}}) {
    using U = uint64_t;
    auto narrow = [x](U v) { return x.bytes == 4 ? U(uint32_t(v)) : v; };
    run(std::string("swap") + x.b, x.bytes, [](U, U d, U) { return d; });
    run(std::string("cmpswap") + x.b, x.bytes, [](U o, U d, U c) { return o == c ? d : o; });
    run(std::string("add") + x.u, x.bytes, [=](U o, U d, U) { return narrow(o + d); });
    run(std::string("sub") + x.u, x.bytes, [=](U o, U d, U) { return narrow(o - d); });
    run(std::string("min") + x.s, x.bytes, [=](U o, U d, U) {
      auto s = [&](U v) { return x.bytes == 4 ? int64_t(int32_t(v)) : int64_t(v); };
      return s(o) < s(d) ? o : d;
    });
    run(std::string("min") + x.u, x.bytes, [](U o, U d, U) { return std::min(o, d); });
    run(std::string("max") + x.u, x.bytes, [](U o, U d, U) { return std::max(o, d); });
    run(std::string("and") + x.b, x.bytes, [](U o, U d, U) { return o & d; });
    run(std::string("or") + x.b, x.bytes, [](U o, U d, U) { return o | d; });
    run(std::string("xor") + x.b, x.bytes, [](U o, U d, U) { return o ^ d; });
    run(std::string("inc") + x.u, x.bytes, [](U o, U d, U) { return o >= d ? 0 : o + 1; });
    run(std::string("dec") + x.u, x.bytes, [](U o, U d, U) { return !o || o > d ? d : o - 1; });
  }
  run("cond_sub_u32", 4, [](uint64_t o, uint64_t d, uint64_t) { return o >= d ? o - d : o; });
  run("sub_clamp_u32", 4, [](uint64_t o, uint64_t d, uint64_t) { return o >= d ? o - d : 0; });
}

// Every format, through the resource and through the instruction; conversions have a test of their own.
void check_formats(bool typed) {
  struct Row {
    const char* name;
    unsigned components;
    int packing;  // 0 a dword each, 1 halves, 2 the high half
  };
  for (Row r : {Row{"format_x", 1, 0},
                {"format_xy", 2, 0},
                {"format_xyz", 3, 0},
                {"format_xyzw", 4, 0},
                {"d16_format_x", 1, 1},
                {"d16_format_xy", 2, 1},
                {"d16_format_xyz", 3, 1},
                {"d16_format_xyzw", 4, 1},
                {"d16_hi_format_x", 1, 2}}) {
    if (typed && r.packing == 2) continue;
    Words random(r.components + 8 * unsigned(r.packing));
    for (unsigned number = 1; number < 64; number++)
      for (unsigned round = 0; round < 8; round++) {
        const BufferFormat& format = *buffer_format(number);
        SingleStep wave(round & 1);
        scramble(wave, random, round / 2);
        Case c = random_case(random, round, format.bytes());
        c.format = typed ? 1 + random.next() % 63 : number;  // the resource's is not looked at (but must not be 0)
        static constexpr uint32_t selections[] = {0, 1, 4, 5, 6, 7};
        for (auto& s : c.select) s = selections[random.next() % 6];
        c.put(wave);
        set_addresses(wave, random, c);
        Instruction i = c.instruction();
        i.format = typed ? uint8_t(number) : 0;
        i.dst = 4;
        Width width = r.packing ? Width::Bits16 : Width::Bits32;
        auto select = [&](unsigned k) { return typed ? 4 + k : c.select[k]; };
        Model model(wave);
        for (uint32_t lane = 0; lane < model.lanes; lane++) {
          if (!model.active(lane)) continue;
          Case::Place p = c.place(model, lane);
          bool in = c.inside(p, 0, format.bytes());
          uint32_t texel[4] = {}, x[4];
          for (unsigned n = 0; n < format.bytes() && in; n++)
            texel[n / 4] |= uint32_t(model.load(memory(p, n), 1, lane)) << n % 4 * 8;
          components_of_texel(format, width, texel, x);
          for (unsigned k = 0; k < r.components; k++) {
            uint32_t one = format.integer() ? 1 : r.packing ? 0x3c00 : 0x3f800000;
            uint32_t value = select(k) == 1 ? one : select(k) == 0 || !in ? 0 : x[select(k) - 4];
            uint32_t& d = model.reg(4 + (r.packing == 1 ? k / 2 : k), lane);
            if (r.packing == 0) d = value;
            if (r.packing == 1) d = k & 1 ? (d & 0xffff) | value << 16 : (d & ~0xffffu) | value;
            if (r.packing == 2) d = (d & 0xffff) | value << 16;
          }
        }
        std::string family = typed ? "tbuffer_" : "buffer_";
        wave.run((family + "load_" + r.name).c_str(), i);
        ASSERT_EQ(wave.w->stop, wave::Stop::Run);
        ASSERT_TRUE(model.agrees(wave)) << family << "load_" << r.name << " " << format.name << " round " << round;
        // Stores: each lane's texel at a place of its own.
        c.bounds = 3, c.stride = c.swizzle = 0, c.records = 64 * 16 + c.soffset + c.ioffset - 40, c.add_lane = false,
        c.offen = true;
        if (!c.has_soffset) c.records -= c.soffset;
        c.put(wave);
        for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(kAddress + c.idxen, lane) = lane * 16;
        i = c.instruction();
        i.format = typed ? uint8_t(number) : 0;
        model = Model(wave);
        for (uint32_t lane = 0; lane < model.lanes; lane++) {
          Case::Place p = c.place(model, lane);
          if (!model.active(lane) || !c.inside(p, 0, format.bytes())) continue;
          uint32_t given[4], x[4] = {}, texel[4];
          for (unsigned k = 0; k < 4; k++) {
            uint32_t word = model.reg(kData + (r.packing == 1 ? k / 2 : k), lane);
            given[k] = k >= r.components         ? given[0]
                       : r.packing == 0          ? word
                       : r.packing == 2 || k & 1 ? word >> 16
                                                 : word & 0xffff;
          }
          for (unsigned channel = 0; channel < 4; channel++)
            for (unsigned k = 0; k < 4; k++)
              if (select(k) == 4 + channel) {
                x[channel] = given[k];
                break;
              }
          texel_of_components(format, width, x, texel);
          for (unsigned n = 0; n < format.bytes(); n++) model.store(memory(p, n), 1, texel[n / 4] >> n % 4 * 8, lane);
        }
        wave.run((family + "store_" + r.name).c_str(), i);
        ASSERT_EQ(wave.w->stop, wave::Stop::Run);
        ASSERT_TRUE(model.agrees(wave)) << family << "store_" << r.name << " " << format.name << " round " << round;
      }
  }
}
TEST(BufferMemory, FormatsOfTheResource) { check_formats(false); }
TEST(BufferMemory, FormatsOfTheInstruction) { check_formats(true); }

TEST(BufferMemory, UnboundAndForeignResources) {
  Case c{.records = 1000};
  SingleStep wave;
  Words random(2);
  scramble(wave, random, 0);
  for (uint32_t lane = 0; lane < 32; lane++) wave.v(kAddress, lane) = 4 * lane;
  Instruction i = c.instruction();
  i.dst = 4;
  c.format = 0, c.put(wave);  // INVALID: reads 0, writes nothing
  Model model(wave);
  for (uint32_t lane = 0; lane < 32; lane++) model.reg(4, lane) = 0;
  wave.run("buffer_load_b32", i);
  wave.run("buffer_store_b32", i);
  EXPECT_TRUE(model.agrees(wave));
  c.format = 20, c.type = 2, c.put(wave);  // an image: nothing happens
  wave.v(4, 7) = model.reg(4, 7) = 99;
  wave.run("buffer_load_b32", i);
  wave.run("buffer_store_b32", i);
  EXPECT_TRUE(model.agrees(wave));
  c.type = 0, c.put(wave);
  i.format = 100;  // an image's format
  wave.run("tbuffer_load_format_x", i);
  EXPECT_EQ(wave.w->stop, wave::Stop::Fault);
  EXPECT_EQ(wave.w->fault.kind, wave::FaultKind::Illegal);
}

TEST(BufferMemory, NoneIsMissing) {
  unsigned count = 0;
  for (const Opcode& row : opcodes())
    if (row.format == Format::VBUFFER) {
      EXPECT_NE(find_semantics(row.name), nullptr) << row.name;
      count++;
    }
  EXPECT_EQ(count, 89u);  // RDNA4 ISA 15
}

}  // namespace
}  // namespace Atoll::rdna4::test
