// Effects of loads, stores and atomics on texels, and sizes: held against a model of a few lines, by the interpreter and in
// compiled code.
#include <bit>
#include <map>

#include "image_cases.h"

namespace Atoll::rdna4::test {
namespace {

using enum surface::Layout;
using enum surface::Number;
constexpr FormatChoice stored_formats[] = {{42, bits_8_8_8_8, unorm},
                                           {43, bits_8_8_8_8, snorm},
                                           {46, bits_8_8_8_8, uint},
                                           {47, bits_8_8_8_8, sint},
                                           {1, bits_8, unorm},
                                           {6, bits_8, sint},
                                           {13, bits_16, floating},
                                           {12, bits_16, sint},
                                           {22, bits_32, floating},
                                           {20, bits_32, uint},
                                           {27, bits_16_16, uint},
                                           {50, bits_32_32, floating},
                                           {57, bits_16_16_16_16, floating},
                                           {55, bits_16_16_16_16, uint},
                                           {63, bits_32_32_32_32, floating},
                                           {62, bits_32_32_32_32, sint},
                                           {36, bits_10_10_10_2, unorm},
                                           {68, bits_5_6_5, unorm},
                                           {30, bits_11_11_10, floating}};
TEST_F(ImageValues, LoadsAndStoresReachTheTexels) {
  fill_memory(m, 2);
  std::map<std::string, unsigned> vectors;
  uint64_t opcode_number = 0;
  for (const Opcode& row : opcodes()) {
    const std::string mnemonic = row.name;
    const bool loads = mnemonic.starts_with("image_load"), stores = mnemonic.starts_with("image_store"),
               msaa = mnemonic == "image_msaa_load";
    if (!loads && !stores && !msaa) continue;
    opcode_number++;
    for (uint64_t round = 0; round < surface::test::seeds(32); round++) {
      const uint64_t seed = opcode_number * 100000 + round;
      Random r(seed);
      unsigned dim = msaa ? 6 + r.below(2) : unsigned(round % 8);
      if (has_part(mnemonic, "mip") && dim >= 6) dim = 5;
      const FormatChoice& format = loads && r.below(2) ? sampled_formats[r.below(unsigned(std::size(sampled_formats)))]
                                                       : stored_formats[r.below(unsigned(std::size(stored_formats)))];
      const surface::LayoutRow& layout = surface::row(format.layout);
      if (dim >= 6 && layout.block_width > 1) continue;
      Image image = make_image(m, r, dim, format, true);
      if (dim < 6 && r.below(3) == 0) image.numbers.min_lod = r.below(5 * 256);
      Call c = make_call(r, row, dim, round % 3 == 2);
      Registers before;
      const auto resource = image.numbers.words();
      std::copy(resource.begin(), resource.end(), before.s.begin() + resource_sgpr);
      before.exec = r.below(3) ? ~uint64_t(0) : uint64_t(r.next()) << 32 | r.next() | 1;
      if (c.lanes == 32) before.exec = uint32_t(before.exec);
      for (auto& v : before.v)
        for (auto& word : v)
          word = stores && r.below(2) ? std::bit_cast<uint32_t>(float(r.below(400)) / 200 - 0.5f) : r.next() & 0xbbffbbff;
      set_places(r, image, c, before);
      const bool packed = has_part(mnemonic, "pck"), integers = surface::is_integer(format.kind);
      const unsigned given = unsigned(std::popcount(c.dmask));
      bool same;
      if (!stores) {
        const Registers after = run(c, before, same);
        std::vector<unsigned> order;
        for (unsigned n = 0; n < 4; n++)
          if (c.dmask >> n & 1) order.push_back(n);
        auto expected = [&](unsigned n, unsigned lane) -> uint32_t {
          if (msaa) {
            const uint32_t sample = part_of(c, before, dim == 6 ? "coordinate2" : "coordinate3", lane) + n;
            Registers moved = before;
            for (const AddressPart& p : c.address)
              if (p.what == (dim == 6 ? "coordinate2" : "coordinate3")) {
                uint32_t& word = moved.v[p.vgpr][lane];
                if (c.a16 && sample > 0xffff) return surface::in_order(image.description.format, {0, 0, 0, 0})[order[0]];
                word = p.half < 0 ? sample : p.half ? (word & 0xffff) | sample << 16 : (word & 0xffff0000u) | sample;
              }
            if (sample < n) return surface::in_order(image.description.format, {0, 0, 0, 0})[order[0]];
            const uint8_t* texel = texel_of(image, c, moved, lane);
            return (texel ? surface::read_texel(image.description.format, texel)
                          : surface::in_order(image.description.format, {0, 0, 0, 0}))[order[0]];
          }
          // Below MIN_LOD's whole part, which counts from the image's first level, loads are out of range.
          const uint64_t level =
              image.description.first_level + uint64_t(has_part(mnemonic, "mip") ? part_of(c, before, "lod", lane) : 0);
          const bool hidden = level < image.numbers.min_lod / 256;
          const uint8_t* texel = hidden ? nullptr : texel_of(image, c, before, lane);
          if (packed) {
            uint32_t words[4] = {};
            if (texel) std::memcpy(words, texel, layout.bytes);
            if (has_part(mnemonic, "sgn") && layout.bytes == 1) words[0] = uint32_t(int32_t(int8_t(words[0])));
            if (has_part(mnemonic, "sgn") && layout.bytes == 2) words[0] = uint32_t(int32_t(int16_t(words[0])));
            return words[order[n]];
          }
          const uint32_t x = part_of(c, before, "coordinate0", lane),
                         y = dim != 0 && dim != 4 ? part_of(c, before, "coordinate1", lane) : 0;
          return (texel ? surface::read_texel(image.description.format, texel, x % 4, y % 4)
                        : surface::in_order(image.description.format, {0, 0, 0, 0}))[order[n]];
        };
        compare(c, before, after, msaa ? 4 : given, integers, expected, seed);
        if (HasFatalFailure()) return;
      } else {
        // The expected memory: texels of lanes in their order.
        std::vector<uint8_t> memory(m.memory.host_pointer, m.memory.host_pointer + Machine::memory_bytes), expected = memory;
        for (unsigned lane = 0; lane < c.lanes; lane++) {
          if (!(before.exec >> lane & 1)) continue;
          uint8_t* texel = texel_of(image, c, before, lane);
          if (!texel) continue;
          std::array<uint32_t, 4> data, colour;
          for (unsigned n = 0; n < given; n++) {
            const uint32_t word = before.v[4 + (c.d16 ? n / 2 : n)][lane];
            const uint16_t half = uint16_t(n % 2 ? word >> 16 : word);
            data[n] = !c.d16                ? word
                      : format.kind == sint ? uint32_t(int32_t(int16_t(half)))
                      : format.kind == uint ? half
                                            : std::bit_cast<uint32_t>(surface::from_half(half));
          }
          unsigned next = 0;
          for (unsigned n = 0; n < 4; n++) colour[n] = c.dmask >> n & 1 ? data[next++] : data[0];
          uint8_t* to = expected.data() + (texel - m.memory.host_pointer);
          if (packed)
            std::memcpy(to, colour.data(), layout.bytes);
          else
            surface::write_texel(image.description.format, to, colour);
        }
        for (bool jit : {false, true}) {
          std::memcpy(m.memory.host_pointer, memory.data(), memory.size());
          std::vector<uint32_t> code = c.words;
          code.push_back(s_endpgm);
          wave::Program program(isa(c.lanes), code_base, code);
          const wave::Wave like = m.wave_of(before, c.lanes);
          wave::Executor executor(program, jit ? wave::EngineChoice::Jit : wave::EngineChoice::Interpreter, like);
          m.run(executor, program, before, c.lanes);
          ASSERT_EQ(m.stopped, wave::Stop::End) << mnemonic << ": " << m.fault;
          ASSERT_EQ(std::memcmp(m.memory.host_pointer, expected.data(), expected.size()), 0)
              << "seed " << seed << ": " << mnemonic << " dim " << dim << " format " << format.number << (c.d16 ? " d16" : "")
              << " dmask " << c.dmask;
        }
      }
      vectors[mnemonic] += c.lanes;
      m.images.invalidate();
    }
  }
  EXPECT_EQ(vectors.size(), 11u);
  for (const auto& [mnemonic, count] : vectors) EXPECT_GE(count, 256u) << mnemonic;
  EXPECT_TRUE(m.reports.unknowns().empty()) << m.reports.unknowns()[0].what;
}

// Sizes by level: width, height or layers, depth or layers or faces, levels.
TEST_F(ImageValues, Sizes) {
  const Opcode* row = nullptr;
  for (const Opcode& o : opcodes())
    if (std::string_view(o.name) == "image_get_resinfo") row = &o;
  for (uint64_t seed = 0; seed < 288; seed++) {
    Random r(seed);
    const unsigned dim = seed % 6;
    Image image = make_image(m, r, dim, sampled_formats[0], true);
    Call c = make_call(r, *row, dim, seed % 2);
    Registers before;
    const auto resource = image.numbers.words();
    std::copy(resource.begin(), resource.end(), before.s.begin() + resource_sgpr);
    before.exec = 0xffffffff;
    for (unsigned lane = 0; lane < 64; lane++) before.v[20][lane] = lane % 9;
    bool same;
    const Registers after = run(c, before, same);
    const surface::TextureDescription& d = image.description;
    const unsigned levels = unsigned(d.levels.size()) - d.first_level;
    unsigned to = 4;
    for (unsigned n = 0; n < 4; n++) {
      if (!(c.dmask >> n & 1)) continue;
      for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned level = lane % 9;
        auto at = [&](unsigned size) { return std::max(1u, size >> (d.first_level + level)); };
        const unsigned height = dim == 4 ? d.layers : at(d.height), depth = dim >= 3 ? d.layers : at(d.depth);
        const unsigned expected = n == 3 ? levels : level >= levels ? 0 : n == 0 ? at(d.width) : n == 1 ? height : depth;
        ASSERT_EQ(after.v[to][lane], expected) << "seed " << seed << " dim " << dim << " component " << n << " level " << level;
      }
      to++;
    }
    m.images.invalidate();
  }
}

// One lane after the other, in their order.
TEST_F(ImageValues, AtomicsChangeTexels) {
  fill_memory(m, 3);
  std::map<std::string, unsigned> vectors;
  uint64_t opcode_number = 0;
  for (const Opcode& row : opcodes()) {
    const std::string mnemonic = row.name;
    if (!mnemonic.starts_with("image_atomic")) continue;
    opcode_number++;
    const bool swaps = mnemonic == "image_atomic_cmpswap", floats = mnemonic.ends_with("_flt"),
               halves = mnemonic.starts_with("image_atomic_pk");
    for (uint64_t round = 0; round < 16; round++) {
      const uint64_t seed = opcode_number * 1000 + round;
      Random r(seed);
      const bool wide = !floats && !halves && r.below(3) == 0;
      const unsigned dims[] = {0, 1, 2, 4, 5, 6, 7};
      const unsigned dim = dims[round % 7];
      const FormatChoice format = wide ? FormatChoice{48, bits_32_32, uint} : FormatChoice{20, bits_32, uint};
      Image image = make_image(m, r, dim, format, false);
      Call c = make_call(r, row, dim, round % 2);
      const unsigned words = (wide ? 2 : 1) * (swaps ? 2 : 1);
      c.dmask = (1u << words) - 1;
      const FieldRow* field = nullptr;
      for (const FieldRow& f : layout(row).fields)
        if (f.field == Field::dmask) field = &f;
      field->bits.put(c.words.data(), c.dmask);
      Registers before;
      const auto resource = image.numbers.words();
      std::copy(resource.begin(), resource.end(), before.s.begin() + resource_sgpr);
      before.exec = c.lanes == 32 ? 0xffffffff : ~uint64_t(0);
      // Small numbers, so that comparisons go both ways; floats that add up without rounding.
      auto value = [&]() -> uint32_t {
        if (floats) return std::bit_cast<uint32_t>(float(int(r.below(200)) - 100) / 4);
        if (halves) return mnemonic.ends_with("bf16") ? 0x3f80u | (0x4000u + r.below(2) * 0x40) << 16 : 0x3c00u | 0x4000u << 16;
        return r.below(2) ? r.below(6) : r.next();
      };
      for (auto& v : before.v)
        for (auto& word : v) word = value();
      set_places(r, image, c, before);
      for (unsigned lane = 0; lane < c.lanes; lane++)
        if (uint8_t* texel = texel_of(image, c, before, lane)) {
          const uint32_t old[2] = {value(), r.below(4)};
          std::memcpy(texel, old, wide ? 8 : 4);
        }
      std::map<uint8_t*, uint64_t> memory;
      std::vector<uint64_t> old(64, 0);
      auto as_float = [](uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); };
      for (unsigned lane = 0; lane < c.lanes; lane++) {
        uint8_t* texel = texel_of(image, c, before, lane);
        if (!texel) continue;
        if (!memory.count(texel)) std::memcpy(&(memory[texel] = 0), texel, wide ? 8 : 4);
        uint64_t& at = memory[texel];
        auto word = [&](unsigned n) { return uint64_t(before.v[4 + n][lane]); };
        const uint64_t data = wide ? word(0) | word(1) << 32 : word(0), most = wide ? ~uint64_t(0) : 0xffffffff;
        const uint64_t compare = wide ? word(2) | word(3) << 32 : word(1);
        auto signed_of = [&](uint64_t x) { return wide ? int64_t(x) : int64_t(int32_t(x)); };
        old[lane] = at;
        const std::string what = mnemonic.substr(13);
        if (what == "swap") at = data;
        if (what == "cmpswap" && at == compare) at = data;
        if (what == "add_uint") at = (at + data) & most;
        if (what == "sub_uint") at = (at - data) & most;
        if (what == "min_int") at = signed_of(data) < signed_of(at) ? data : at;
        if (what == "max_int") at = signed_of(data) > signed_of(at) ? data : at;
        if (what == "min_uint") at = std::min(at, data);
        if (what == "max_uint") at = std::max(at, data);
        if (what == "and") at &= data;
        if (what == "or") at |= data;
        if (what == "xor") at ^= data;
        if (what == "inc_uint") at = at >= data ? 0 : at + 1;
        if (what == "dec_uint") at = at == 0 || at > data ? data : at - 1;
        if (what == "add_flt") at = std::bit_cast<uint32_t>(as_float(at) + as_float(data));
        if (what == "min_flt") at = as_float(data) < as_float(at) ? data : at;
        if (what == "max_flt") at = as_float(data) > as_float(at) ? data : at;
        if (halves) {
          auto add = [&](unsigned shift) -> uint64_t {
            const uint16_t a = uint16_t(at >> shift), b = uint16_t(data >> shift);
            if (what == "pk_add_f16") return surface::to_half(surface::from_half(a) + surface::from_half(b));
            const float sum = as_float(uint32_t(a) << 16) + as_float(uint32_t(b) << 16);
            const uint32_t bits = std::bit_cast<uint32_t>(sum);
            return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
          };
          at = add(0) | add(16) << 16;
        }
      }
      bool same;
      const Registers after = run(c, before, same);
      ASSERT_TRUE(same) << "seed " << seed << ": " << mnemonic << " dim " << dim;
      for (unsigned lane = 0; lane < c.lanes; lane++) {
        ASSERT_EQ(after.v[4][lane], uint32_t(old[lane]))
            << "seed " << seed << ": " << mnemonic << " dim " << dim << " lane " << lane;
        if (wide) ASSERT_EQ(after.v[5][lane], uint32_t(old[lane] >> 32));
      }
      for (const auto& [texel, expected] : memory) {
        uint64_t now = 0;
        std::memcpy(&now, texel, wide ? 8 : 4);
        ASSERT_EQ(now, expected) << "seed " << seed << ": " << mnemonic << " dim " << dim;
      }
      vectors[mnemonic] += c.lanes;
      m.images.invalidate();
    }
  }
  EXPECT_EQ(vectors.size(), 18u);
  EXPECT_GT(compiled, called);  // several samples are called
  for (const auto& [mnemonic, count] : vectors) EXPECT_GE(count, 256u) << mnemonic;
}

// Resources that are no image, that do not fit their memory, and that nobody can decode.
TEST_F(ImageValues, HostileResources) {
  const Opcode *load = nullptr, *sample = nullptr;
  for (const Opcode& o : opcodes()) {
    if (std::string_view(o.name) == "image_load") load = &o;
    if (std::string_view(o.name) == "image_sample_lz") sample = &o;
  }
  for (const Opcode* row : {load, sample}) {
    Random r(1);
    Call c = make_call(r, *row, 1, false);
    c.lanes = 32;
    std::vector<uint32_t> code = c.words;
    code.push_back(s_endpgm);
    wave::Program program(isa(32), code_base, code);
    Registers before;
    before.exec = 0xffffffff;
    auto look = [&](const std::array<uint32_t, 8>& words, bool jit) {
      std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
      before.v[4].fill(55);
      const wave::Wave like = m.wave_of(before, 32);
      wave::Executor executor(program, jit ? wave::EngineChoice::Jit : wave::EngineChoice::Interpreter, like);
      return m.run(executor, program, before, 32);
    };
    for (bool jit : {false, true}) {
      EXPECT_EQ(look({}, jit).v[4][3], 0u);  // not bound
      ImageNumbers n;
      n.address = m.memory.gpu_address, n.width = n.height = 4;
      n.type = 0;  // a buffer's
      EXPECT_EQ(look(n.words(), jit).v[4][3], 55u);
      n.type = 9, n.mode = 20;
      EXPECT_EQ(look(n.words(), jit).v[4][3], 0u);
      EXPECT_EQ(m.stopped, wave::Stop::End);
      n.mode = 0, n.address = uint64_t(1) << 46;
      look(n.words(), jit);
      EXPECT_EQ(m.stopped, wave::Stop::End);  // beyond the address space: cannot be
      n.address = 0x1000;
      look(n.words(), jit);
      EXPECT_EQ(m.stopped, wave::Stop::Fault);
      EXPECT_EQ(m.fault, "an image of which not all memory is mapped");
    }
  }
  EXPECT_EQ(m.reports.unknowns().size(), 2u);
}

}  // namespace
}  // namespace Atoll::rdna4::test
