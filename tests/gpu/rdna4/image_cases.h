// One image instruction with an image and a sampler of random numbers, and what it needs to be run by both engines: for the tests of what
// image instructions read, write and filter.
#pragma once
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/rdna4/image_descriptors.h"
#include "image_machine.h"
#include "image_numbers.h"
#include "surface/gfx12_mips.h"
#include "surface/number.h"
#include "surface/texture.h"

namespace Atoll::rdna4::test {

using surface::test::Random;

// A texture and the words that name it, made from the same numbers.
struct Image {
  ImageNumbers numbers;
  surface::TextureDescription description;
  std::unique_ptr<surface::Texture> texture;
};

struct FormatChoice {
  unsigned number;
  surface::Layout layout;
  surface::Number kind;
};

using surface::Layout, surface::Number;
// Kinds of every sort that samplers filter.
inline constexpr FormatChoice sampled_formats[] = {{42, Layout::bits_8_8_8_8, Number::unorm},
                                                   {43, Layout::bits_8_8_8_8, Number::snorm},
                                                   {1, Layout::bits_8, Number::unorm},
                                                   {14, Layout::bits_8_8, Number::unorm},
                                                   {7, Layout::bits_16, Number::unorm},
                                                   {13, Layout::bits_16, Number::floating},
                                                   {29, Layout::bits_16_16, Number::floating},
                                                   {57, Layout::bits_16_16_16_16, Number::floating},
                                                   {22, Layout::bits_32, Number::floating},
                                                   {75, Layout::bits_32, Number::floats_clamped},
                                                   {50, Layout::bits_32_32, Number::floating},
                                                   {63, Layout::bits_32_32_32_32, Number::floating},
                                                   {30, Layout::bits_11_11_10, Number::floating},
                                                   {36, Layout::bits_10_10_10_2, Number::unorm},
                                                   {68, Layout::bits_5_6_5, Number::unorm},
                                                   {69, Layout::bits_5_5_5_1, Number::unorm},
                                                   {71, Layout::bits_4_4_4_4, Number::unorm},
                                                   {67, Layout::bits_9_9_9_e5, Number::floating},
                                                   {66, Layout::bits_8_8_8_8, Number::srgb},
                                                   {109, Layout::bc1, Number::unorm},
                                                   {113, Layout::bc3, Number::unorm},
                                                   {115, Layout::bc4, Number::unorm},
                                                   {118, Layout::bc5, Number::snorm},
                                                   {121, Layout::bc7, Number::unorm},
                                                   {46, Layout::bits_8_8_8_8, Number::uint},
                                                   {56, Layout::bits_16_16_16_16, Number::sint},
                                                   {20, Layout::bits_32, Number::uint}};

// `dim` as the instruction has it.
inline Image make_image(Machine& m, Random& r, unsigned dim, const FormatChoice& format, bool levels_too) {
  Image image;
  ImageNumbers& n = image.numbers;
  surface::TextureDescription& d = image.description;
  constexpr unsigned types[] = {8, 9, 10, 11, 12, 13, 14, 15};
  n.type = types[dim], n.format = format.number;
  const bool volume = dim == 2, cube = dim == 3, array = dim == 4 || dim == 5 || dim == 7, samples = dim >= 6;
  const surface::LayoutRow& layout = surface::row(format.layout);
  do n.mode = volume ? (r.below(2) ? 5 + r.below(3) : 2 + r.below(3)) : samples ? 1 + r.below(4) : r.below(5);
  while (layout.bytes == 12 && n.mode);
  const unsigned limit = 1u << r.below(volume ? 6 : 8);
  d.width = 1 + r.below(limit), d.height = dim == 0 || dim == 4 ? 1 : 1 + r.below(limit);
  if (cube) d.height = d.width;
  if (volume) d.depth = 1 + r.below(12);
  if (array) d.first_layer = r.below(3), d.layers = 1 + r.below(4);
  if (cube) d.first_layer = 6 * r.below(2), d.layers = 6 * (1 + r.below(2));
  if (samples) d.samples = 1u << r.below(4);
  const unsigned levels = samples || !levels_too ? 1 : 1 + r.below(5);
  d.first_level = levels > 2 ? r.below(2) : 0;
  if (r.below(2))
    for (auto& s : n.select) s = r.below(3) ? 4 + r.below(4) : r.below(2);
  n.border_swizzle = r.below(2) ? r.below(6) : 0;
  surface::Order order;
  for (size_t c = 0; c < 4; c++)
    order[c] = n.select[c] >= 4 ? surface::Select(n.select[c] - 4) : n.select[c] ? surface::Select::one : surface::Select::zero;
  d.format = *image_format(format.number, order);
  EXPECT_EQ(d.format.layout, format.layout);
  EXPECT_EQ(d.format.number, format.kind);
  d.dimension = std::array{surface::Dimension::one,
                           surface::Dimension::two,
                           surface::Dimension::three,
                           d.layers > 6 ? surface::Dimension::cube_array : surface::Dimension::cube,
                           surface::Dimension::one_array,
                           surface::Dimension::two_array,
                           surface::Dimension::two_multisampled,
                           surface::Dimension::two_multisampled_array}[dim];
  surface::Gfx12Texture t;
  t.swizzle = surface::Gfx12Swizzle(n.mode);
  t.element_bytes = layout.bytes, t.samples = d.samples;
  auto size_in_blocks = [&] {
    t.width = (d.width + layout.block_width - 1) / layout.block_width;
    t.height = (d.height + layout.block_height - 1) / layout.block_height;
  };
  size_in_blocks();
  t.volume = volume, t.slices = volume ? d.depth : d.first_layer + d.layers;
  t.levels = levels + r.below(2) * (samples ? 0 : 1);
  while (surface::mip_levels(t)->slice_bytes * t.slices > Machine::memory_bytes - 0x80000 && d.width * d.height > 1) {
    d.width = (d.width + 1) / 2, d.height = (d.height + 1) / 2;
    size_in_blocks();
  }
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  n.address = begin;
  if (n.mode > 1 && r.below(3) == 0) n.address |= uint64_t(r.below(16)) << 8;
  t.start_bits = uint32_t(n.address - begin);
  d.levels = surface::mip_levels(t)->levels;
  n.max_mip = samples ? unsigned(std::countr_zero(d.samples)) : t.levels - 1;
  d.levels.resize(levels);
  n.base_level = d.first_level, n.last_level = samples ? n.max_mip : levels - 1;
  n.width = d.width, n.height = d.height;
  n.depth = volume ? d.depth - 1 : array || cube ? d.first_layer + d.layers - 1 : 0;
  n.base_array = array || cube ? d.first_layer : 0;
  auto texture = surface::Texture::make(d, m.space->host(begin), Machine::memory_bytes - (begin - m.memory.gpu_address));
  EXPECT_TRUE(texture) << texture.error().message;
  image.texture = std::make_unique<surface::Texture>(std::move(*texture));
  return image;
}

inline void fill_memory(Machine& m, uint64_t seed) {
  Random r(seed);
  for (uint64_t n = 0; n < Machine::memory_bytes; n += 4) {
    // Halves and floats that are no NaN, whatever the format makes of them.
    const uint32_t word = r.next() & 0xbbffbbff;
    std::memcpy(m.memory.host_pointer + n, &word, 4);
  }
}

// How an instruction is written in a vector.
struct Call {
  const Opcode* row;
  std::string mnemonic;
  bool sample = false, a16 = false, d16 = false, tfe = false, unorm = false;
  unsigned dim = 1, dmask = 15, lanes = 32;
  std::vector<AddressPart> address;
  std::vector<uint32_t> words;
};

inline Call make_call(Random& r, const Opcode& row, unsigned dim, bool halves) {
  Call c;
  c.row = &row, c.mnemonic = row.name;
  c.sample = row.format == Format::VSAMPLE;
  c.dim = dim, c.lanes = r.below(2) ? 32 : 64;
  const bool packed = has_part(c.mnemonic, "pck"),
             gather = c.mnemonic.starts_with("image_gather4") || c.mnemonic == "image_msaa_load",
             atomic = c.mnemonic.starts_with("image_atomic"),
             query = c.mnemonic == "image_get_lod" || c.mnemonic == "image_get_resinfo";
  c.a16 = halves && r.below(3) == 0;
  c.d16 = halves && r.below(3) == 0 && !packed && !atomic && !query;
  c.tfe = r.below(8) == 0 && !atomic && !c.mnemonic.starts_with("image_store");
  c.unorm = c.sample && r.below(5) == 0 && c.mnemonic != "image_msaa_load";
  c.dmask = gather ? 1u << r.below(4) : 1 + r.below(15);
  std::array<unsigned, 5> vaddr = {20, 23, 27, c.sample ? 30u : 31u, 0};
  c.address = address_of(c.mnemonic, c.sample, dim, c.a16, vaddr);
  const bool fourth = has_part(c.mnemonic, "o") || has_part(c.mnemonic, "b") || has_part(c.mnemonic, "c") ||
                      has_part(c.mnemonic, "d") || has_part(c.mnemonic, "l") || has_part(c.mnemonic, "cl") ||
                      c.mnemonic == "image_msaa_load";
  c.words = words_of(row, {{Field::dmask, c.dmask},
                           {Field::dim, dim},
                           {Field::a16, c.a16},
                           {Field::d16, c.d16},
                           {Field::tfe, c.tfe},
                           {Field::unrm, c.unorm},
                           {Field::vdata, 4},
                           {Field::rsrc, resource_sgpr},
                           {Field::samp, c.sample && c.mnemonic != "image_msaa_load" ? sampler_sgpr : 0},
                           {Field::th, atomic},
                           {Field::vaddr0, vaddr[0]},
                           {Field::vaddr1, vaddr[1]},
                           {Field::vaddr2, vaddr[2]},
                           {Field::vaddr3, !c.sample || fourth ? vaddr[3] : 0}});
  return c;
}

// The part of a lane's address, as 32 bits.
inline uint32_t part_of(const Call& c, const Registers& registers, const std::string& what, unsigned lane,
                        uint32_t otherwise = 0) {
  for (const AddressPart& p : c.address) {
    if (p.what != what) continue;
    const uint32_t word = registers.v[p.vgpr][lane];
    if (p.half < 0) return word;
    const uint16_t half = uint16_t(p.half ? word >> 16 : word);
    return c.sample && c.mnemonic != "image_msaa_load" ? std::bit_cast<uint32_t>(surface::from_half(half)) : half;
  }
  return otherwise;
}

class ImageValues : public testing::Test {
protected:
  Machine m;
  uint64_t compiled = 0, called = 0;

  // Runs the instruction by both engines. `same`: that both left the same registers.
  Registers run(const Call& c, const Registers& before, bool& same) {
    std::vector<uint32_t> code = c.words;
    code.push_back(s_endpgm);
    wave::Program program(isa(c.lanes), code_base, code);
    wave::Wave like = m.wave_of(before, c.lanes);
    like.inspected = true;
    const bool atomic = c.mnemonic.starts_with("image_atomic");
    std::vector<uint8_t> memory_before, memory_after;
    if (atomic) memory_before.assign(m.memory.host_pointer, m.memory.host_pointer + Machine::memory_bytes);
    wave::Executor reference(program, wave::EngineChoice::Interpreter, like);
    const Registers after = m.run(reference, program, before, c.lanes);
    EXPECT_EQ(m.stopped, wave::Stop::End) << c.mnemonic << ": " << m.fault << program.decode_error(*program.at(code_base));
    if (atomic) {
      memory_after.assign(m.memory.host_pointer, m.memory.host_pointer + Machine::memory_bytes);
      std::memcpy(m.memory.host_pointer, memory_before.data(), Machine::memory_bytes);
    }
    wave::Executor executor(program, wave::EngineChoice::Jit, like, {.first_tier = wave::Tier::Full});
    const Registers again = m.run(executor, program, before, c.lanes);
    (m.called ? called : compiled)++;
    same = again.v == after.v;
    if (atomic) same = same && !std::memcmp(m.memory.host_pointer, memory_after.data(), Machine::memory_bytes);
    return after;
  }
  // Compares data registers with what is expected of components, packed by D16.
  void compare(const Call& c, const Registers& before, const Registers& after, unsigned components, bool integers,
               const std::function<uint32_t(unsigned c, unsigned lane)>& expected, uint64_t seed) {
    for (unsigned lane = 0; lane < c.lanes; lane++)
      for (unsigned n = 0; n < components; n++) {
        uint32_t want = expected(n, lane), got = after.v[4 + (c.d16 ? n / 2 : n)][lane];
        if (!(before.exec >> lane & 1)) {
          ASSERT_EQ(after.v[4 + n][lane], before.v[4 + n][lane]);
          continue;
        }
        if (c.d16) {
          got = n % 2 ? got >> 16 : got & 0xffff;
          want = integers ? want & 0xffff : surface::to_half(std::bit_cast<float>(want));
        }
        ASSERT_EQ(got, want) << "seed " << seed << ": " << c.mnemonic << " dim " << c.dim << (c.a16 ? " a16" : "")
                             << (c.d16 ? " d16" : "") << " dmask " << c.dmask << " component " << n << " lane " << lane;
      }
  }
};

// The level, place and sample that a lane names; null outside.
inline uint8_t* texel_of(const Image& image, const Call& c, const Registers& before, unsigned lane) {
  auto part = [&](const std::string& what) { return part_of(c, before, what, lane); };
  const surface::TextureDescription& d = image.description;
  const uint64_t level = uint64_t(d.first_level) + (has_part(c.mnemonic, "mip") ? part("lod") : 0);
  if (level >= d.levels.size()) return nullptr;
  const bool y_there = c.dim != 0 && c.dim != 4;
  const uint32_t x = part("coordinate0"), y = y_there ? part("coordinate1") : 0;
  const bool third = c.dim == 2 || c.dim == 3 || c.dim == 5 || c.dim == 7;
  const uint32_t z = c.dim == 4 ? part("coordinate1") : third ? part("coordinate2") : 0;
  const uint32_t sample = c.dim == 6 ? part("coordinate2") : c.dim == 7 ? part("coordinate3") : 0;
  const surface::Texture::Size size = image.texture->size(unsigned(level));
  if (x >= size.width || y >= size.height || z >= image.texture->slices(unsigned(level)) || sample >= d.samples) return nullptr;
  return image.texture->texel(unsigned(level), x, y, z, sample);
}

// Coordinates of lanes: most inside, each lane at a place of its own.
inline void set_places(Random& r, const Image& image, const Call& c, Registers& before) {
  const surface::Texture::Size size = image.texture->size(image.description.first_level);
  const unsigned slices = image.texture->slices(image.description.first_level);
  for (const AddressPart& p : c.address)
    for (unsigned lane = 0; lane < 64; lane++) {
      uint32_t most = size.width;
      if (p.what == "coordinate1") most = c.dim == 4 ? slices : size.height;
      if (p.what == "coordinate2") most = c.dim == 6 ? image.description.samples : slices;
      if (p.what == "coordinate3") most = image.description.samples;
      if (p.what == "lod") most = unsigned(image.description.levels.size());
      uint32_t value = r.below(8) ? r.below(most) : r.integer(most);
      uint32_t& word = before.v[p.vgpr][lane];
      word = p.half < 0 ? value : p.half ? (word & 0xffff) | value << 16 : (word & 0xffff0000u) | (value & 0xffff);
    }
}

}  // namespace Atoll::rdna4::test
