// What image instructions read, write and filter, over formats, dimensions, swizzle modes, mip levels, wraps and filters. Samples are
// held against the neutral reference (surface/sampler.h) on a texture that the test makes itself; loads, stores and atomics against
// a model of a few lines. Each is run by the interpreter and in compiled code.
#include <bit>

#include "image_machine.h"
#include "image_numbers.h"
#include "surface/gfx12_mips.h"
#include "surface/number.h"
#include "surface/sampler.h"

namespace Atoll::rdna4::test {
namespace {

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
using enum surface::Layout;
using enum surface::Number;
constexpr FormatChoice sampled_formats[] = {{42, bits_8_8_8_8, unorm},
                                            {43, bits_8_8_8_8, snorm},
                                            {1, bits_8, unorm},
                                            {14, bits_8_8, unorm},
                                            {7, bits_16, unorm},
                                            {13, bits_16, floating},
                                            {29, bits_16_16, floating},
                                            {57, bits_16_16_16_16, floating},
                                            {22, bits_32, floating},
                                            {50, bits_32_32, floating},
                                            {63, bits_32_32_32_32, floating},
                                            {30, bits_11_11_10, floating},
                                            {36, bits_10_10_10_2, unorm},
                                            {68, bits_5_6_5, unorm},
                                            {69, bits_5_5_5_1, unorm},
                                            {71, bits_4_4_4_4, unorm},
                                            {67, bits_9_9_9_e5, floating},
                                            {66, bits_8_8_8_8, srgb},
                                            {109, bc1, unorm},
                                            {113, bc3, unorm},
                                            {115, bc4, unorm},
                                            {118, bc5, snorm},
                                            {121, bc7, unorm},
                                            {46, bits_8_8_8_8, uint},
                                            {56, bits_16_16_16_16, sint},
                                            {20, bits_32, uint}};
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

// `dim` as the instruction has it.
Image make_image(Machine& m, Random& r, unsigned dim, const FormatChoice& format, bool levels_too) {
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
  surface::Order order;
  for (size_t c = 0; c < 4; c++)
    order[c] = n.select[c] >= 4 ? surface::Select(n.select[c] - 4) : n.select[c] ? surface::Select::one : surface::Select::zero;
  d.format = *surface::make_format(format.layout, format.kind, order);
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
  t.width = (d.width + layout.block_width - 1) / layout.block_width;
  t.height = (d.height + layout.block_height - 1) / layout.block_height;
  t.volume = volume, t.slices = volume ? d.depth : d.first_layer + d.layers;
  t.levels = levels + r.below(2) * (samples ? 0 : 1);
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

void fill_memory(Machine& m, uint64_t seed) {
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

Call make_call(Random& r, const Opcode& row, unsigned dim, bool halves) {
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
uint32_t part_of(const Call& c, const Registers& registers, const std::string& what, unsigned lane, uint32_t otherwise = 0) {
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

bool is_sample(const Opcode& row) {
  const std::string_view name = row.name;
  return row.format == Format::VSAMPLE && name != "image_msaa_load";
}

TEST_F(ImageValues, SamplesAreTheReferences) {
  fill_memory(m, 1);
  std::map<std::string, unsigned> vectors;
  uint64_t opcode_number = 0;
  const uint64_t rounds = surface::test::seeds(12);
  for (const Opcode& row : opcodes()) {
    if (!is_sample(row)) continue;
    opcode_number++;
    const std::string mnemonic = row.name;
    const bool gather = mnemonic.starts_with("image_gather4"), row_of_texels = mnemonic == "image_gather4h",
               query = mnemonic == "image_get_lod";
    for (uint64_t round = 0; round < rounds; round++) {
      const uint64_t seed = opcode_number * 100000 + round;
      Random r(seed);
      constexpr unsigned gathered[] = {1, 3, 5};
      const unsigned dim = gather ? gathered[r.below(3)] : unsigned(round % 6);
      const FormatChoice& format = sampled_formats[r.below(unsigned(std::size(sampled_formats)))];
      Image image = make_image(m, r, dim, format, true);
      const Call c = make_call(r, row, dim, round % 3 == 2);
      Registers before;
      const auto resource = image.numbers.words();
      const auto sampler_words = random_sampler(r);
      std::copy(resource.begin(), resource.end(), before.s.begin() + resource_sgpr);
      std::copy(sampler_words.begin(), sampler_words.end(), before.s.begin() + sampler_sgpr);
      before.exec = r.below(3) ? ~uint64_t(0) : uint64_t(r.next()) << 32 | r.next() | 1;
      if (c.lanes == 32) before.exec = uint32_t(before.exec);
      for (auto& v : before.v)
        for (auto& word : v) word = c.a16 || has_part(mnemonic, "g16") ? r.next() & 0xbbffbbff : r.coordinate();
      if (r.below(2)) {  // pixels beside each other
        const float step = float(1 + r.below(1000)) * 0x1p-12f, s = float(r.below(4000)) * 0x1p-10f - 2;
        for (const AddressPart& p : c.address)
          if (p.half < 0 && p.what.starts_with("coordinate"))
            for (unsigned lane = 0; lane < 64; lane++)
              before.v[p.vgpr][lane] =
                  std::bit_cast<uint32_t>(p.what.back() == '0'   ? s + step * float(lane % 2 + lane / 4 % 4 * 2)
                                          : p.what.back() == '1' ? s * 0.7f + step * float(lane / 2 % 2 + lane / 16 * 2)
                                                                 : float(r.below(2000)) * 0.01f - 4);
      }
      // What the descriptors say, once more.
      surface::Texture* texture = image.texture.get();
      surface::TextureDescription d = image.description;
      const bool skip = sampler_words[0] >> 31, force = sampler_words[0] >> 20 & 1;
      if (!query && (skip ? format.kind == srgb : force && format.kind == unorm))
        if (auto other = surface::make_format(format.layout, skip ? unorm : srgb, d.format.order)) d.format = *other;
      const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
      auto remade = surface::Texture::make(d, m.space->host(begin), Machine::memory_bytes - (begin - m.memory.gpu_address));
      ASSERT_TRUE(remade);
      texture = &*remade;
      surface::Sampler s = image_sampler(sampler_words).sampler;
      const uint32_t one = surface::is_integer(d.format.number) ? 1 : 0x3f800000;
      const unsigned border = sampler_words[3] >> 30;
      s.border = {border == 2 ? one : 0, border == 2 ? one : 0, border == 2 ? one : 0, border ? one : 0};
      for (size_t n = 0; n < 4; n++) {
        if (d.format.order[n] == surface::Select::zero) s.border[n] = 0;
        if (d.format.order[n] == surface::Select::one) s.border[n] = one;
      }
      s.compare = has_part(mnemonic, "c"), s.flush_denormals = true;
      s.unnormalized |= c.unorm;
      s.lod_min = std::max(s.lod_min, 0.0f - float(d.first_level));
      std::map<std::string, surface::Lanes> lanes;
      for (const char* what : {"offset", "bias", "reference", "dx0", "dx1", "dx2", "dy0", "dy1", "dy2", "coordinate0",
                               "coordinate1", "coordinate2", "lod", "clamp"})
        for (unsigned lane = 0; lane < 64; lane++) lanes[what][lane] = part_of(c, before, what, lane);
      surface::SampleLanes call;
      call.lanes = c.lanes, call.active = before.exec;
      for (unsigned quad = 0; quad < c.lanes / 4; quad++)
        if (before.exec >> quad * 4 & 15) call.helpers |= uint64_t(15) << quad * 4;
      call.helpers &= ~before.exec;
      const Dimension names = dimensions[dim];
      call.s = lanes["coordinate0"].data();
      if (names.spatial > 1) call.t = lanes["coordinate1"].data();
      if (names.spatial > 2) call.r = lanes["coordinate2"].data();
      if (names.all > names.spatial) call.layer = lanes["coordinate" + std::to_string(names.spatial)].data();
      call.faces = dim == 3, call.face_base = 1;
      using surface::LodMode;
      call.lod_mode = has_part(mnemonic, "lz")  ? LodMode::zero
                      : has_part(mnemonic, "l") ? LodMode::level
                      : has_part(mnemonic, "b") ? LodMode::bias
                      : has_part(mnemonic, "d") ? LodMode::derivatives
                                                : LodMode::implicit;
      if (call.lod_mode == LodMode::level) call.lod = lanes["lod"].data();
      if (call.lod_mode == LodMode::bias) call.lod = lanes["bias"].data();
      if (has_part(mnemonic, "cl")) call.lod_clamp = lanes["clamp"].data();
      if (call.lod_mode == LodMode::derivatives)
        for (unsigned n = 0; n < names.spatial; n++)
          call.dx[n] = lanes["dx" + std::to_string(n)].data(), call.dy[n] = lanes["dy" + std::to_string(n)].data();
      if (s.compare) call.reference = lanes["reference"].data();
      if (has_part(mnemonic, "o")) call.offsets = lanes["offset"].data();
      call.gather_component = unsigned(std::countr_zero(c.dmask));
      call.gather_from_nearest = surface::is_integer(d.format.number);
      std::array<surface::Lanes, 4> result;
      std::array<unsigned, 4> order = {0, 1, 2, 3};
      unsigned components = 4;
      if (row_of_texels) {
        surface::Lanes none{}, two{};
        two.fill(2);
        std::array<surface::Lanes, 4> left, right;
        call.offsets = none.data();
        surface::gather(*texture, s, call, left);
        call.offsets = two.data();
        surface::gather(*texture, s, call, right);
        result = {left[3], left[2], right[3], right[2]};
      } else if (gather) {
        surface::gather(*texture, s, call, result);
      } else {
        query ? surface::query_lod(*texture, s, call, result) : surface::sample(*texture, s, call, result);
        components = 0;
        for (unsigned n = 0; n < 4; n++)
          if (c.dmask >> n & 1) order[components++] = n;
      }
      bool same;
      const Registers after = run(c, before, same);
      compare(
          c, before, after, components, surface::is_integer(d.format.number),
          [&](unsigned n, unsigned lane) { return result[order[n]][lane]; }, seed);
      if (HasFatalFailure()) return;
      ASSERT_TRUE(same) << "seed " << seed << ": " << mnemonic << " dim " << dim << " format " << format.number
                        << " in compiled code";
      vectors[mnemonic] += c.lanes;
      m.images.invalidate();
    }
  }
  EXPECT_EQ(vectors.size(), 57u);
  for (const auto& [mnemonic, count] : vectors) EXPECT_GE(count, rounds >= 12 ? 256u : 1u) << mnemonic;
  EXPECT_TRUE(m.reports.unknowns().empty()) << m.reports.unknowns()[0].what;
  EXPECT_GT(compiled * 10, (compiled + called) * 5) << compiled << " of " << compiled + called;
}

// "Sample ops flush denormals, and loads do not modify denormals" (10.4.3).
TEST_F(ImageValues, DenormalsOfSamplesAreZeros) {
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  ImageNumbers n;
  n.address = begin, n.width = 64, n.height = 1, n.format = 22;  // 32_FLOAT, linear
  constexpr uint32_t texels[] = {1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0x7f800000};
  for (unsigned x = 0; x < 64; x++) std::memcpy(m.space->host(begin + 4 * x), &texels[x % 8], 4);
  for (const Opcode& row : opcodes()) {
    const std::string mnemonic = row.name;
    if (mnemonic != "image_sample_lz" && mnemonic != "image_gather4_lz" && mnemonic != "image_load") continue;
    Random r(1);
    Call c = make_call(r, row, 1, false);
    while (c.dmask != 1 || c.unorm || c.tfe) c = make_call(r, row, 1, false);
    Registers before;
    const auto words = n.words();
    std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
    before.s[sampler_sgpr] = 2 | 2 << 3, before.s[sampler_sgpr + 1] = 0x1fff << 13;
    before.exec = c.lanes == 32 ? 0xffffffff : ~uint64_t(0);
    for (unsigned lane = 0; lane < 64; lane++) {
      const uint32_t x = c.sample ? std::bit_cast<uint32_t>((float(lane) + (mnemonic[6] == 'g' ? 0.0f : 0.5f)) / 64) : lane;
      for (const AddressPart& p : c.address) before.v[p.vgpr][lane] = p.what == "coordinate0" ? x : c.sample ? 0x3f000000 : 0;
    }
    bool same;
    const Registers after = run(c, before, same);
    EXPECT_TRUE(same) << mnemonic;
    for (unsigned lane = 0; lane < c.lanes; lane++) {
      const uint32_t texel = texels[lane % 8], flushed = texel & 0x7f800000 ? texel : texel & 0x80000000;
      EXPECT_EQ(after.v[mnemonic[6] == 'g' ? 5 : 4][lane], c.sample ? flushed : texel) << mnemonic << " lane " << lane;
    }
    m.images.invalidate();
  }
}

// GB_GR and BG_RG: two texels that share red and blue, from the lowest byte R G0 B G1 and G0 R G1 B.
TEST_F(ImageValues, PairsShareRedAndBlue) {
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  for (unsigned x = 0; x < 64; x++) {
    const uint32_t pair = x * 0x01050709u + 0x80402010u;
    std::memcpy(m.space->host(begin + 4 * x), &pair, 4);
  }
  const Opcode* row = nullptr;
  for (const Opcode& o : opcodes())
    if (std::string_view(o.name) == "image_load") row = &o;
  for (unsigned format = 82; format < 90; format++) {
    ImageNumbers n;
    n.address = begin, n.width = 64, n.height = 1, n.format = format;
    n.select[3] = 1;
    Random r(1);
    Call c = make_call(r, *row, 1, false);
    while (c.dmask != 15 || c.tfe) c = make_call(r, *row, 1, false);
    Registers before;
    const auto words = n.words();
    std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
    before.exec = c.lanes == 32 ? 0xffffffff : ~uint64_t(0);
    for (unsigned lane = 0; lane < 64; lane++)
      for (const AddressPart& p : c.address) before.v[p.vgpr][lane] = p.what == "coordinate0" ? lane : 0;
    bool same;
    const Registers after = run(c, before, same);
    EXPECT_TRUE(same);
    for (unsigned lane = 0; lane < c.lanes; lane++) {
      uint8_t pair[4];
      std::memcpy(pair, m.space->host(begin + lane / 2 * 4), 4);
      const bool red_first = format < 86, odd = lane & 1;
      const uint8_t red = pair[red_first ? 0 : 1], green = pair[(red_first ? 1 : 0) + 2 * odd], blue = pair[red_first ? 2 : 3];
      const auto kind = std::array{unorm, snorm, uint, srgb}[(format - 82) % 4];
      const uint32_t expected[] = {surface::decode_field(red, 8, kind), surface::decode_field(green, 8, kind),
                                   surface::decode_field(blue, 8, kind), kind == uint ? 1u : 0x3f800000u};
      for (unsigned k = 0; k < 4; k++)
        ASSERT_EQ(after.v[4 + k][lane], expected[k]) << "format " << format << " lane " << lane << " component " << k;
    }
    m.images.invalidate();
  }
}

// 1 and 1_REVERSED: eight texels in a byte, from its lowest or its highest bit on; two rows, linear.
TEST_F(ImageValues, EightTexelsInAByte) {
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  Random bytes(7);
  for (unsigned n = 0; n < 4096; n++) *m.space->host(begin + n) = uint8_t(bytes.next());
  for (const char* name : {"image_load", "image_sample_lz"}) {
    const Opcode* row = nullptr;
    for (const Opcode& o : opcodes())
      if (std::string_view(o.name) == name) row = &o;
    for (unsigned format : {73u, 74u}) {
      ImageNumbers n;
      n.address = begin, n.width = 61, n.height = 1, n.format = format;
      Random r(1);
      Call c = make_call(r, *row, 1, false);
      while (c.dmask != 15 || c.tfe || c.d16 || c.a16 || c.unorm) c = make_call(r, *row, 1, false);
      Registers before;
      const auto words = n.words();
      std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
      before.exec = c.lanes == 32 ? 0xffffffff : ~uint64_t(0);
      for (unsigned lane = 0; lane < 64; lane++)
        for (const AddressPart& p : c.address) {
          const uint32_t x = c.sample ? std::bit_cast<uint32_t>((float(lane) + 0.5f) / 61) : lane;
          before.v[p.vgpr][lane] = p.what == "coordinate0" ? x : 0;
        }
      bool same;
      const Registers after = run(c, before, same);
      EXPECT_TRUE(same);
      for (unsigned lane = 0; lane < std::min(c.lanes, 61u); lane++) {
        const unsigned bit = format == 73 ? lane % 8 : 7 - lane % 8;
        const bool set = *m.space->host(begin + lane / 8) >> bit & 1;
        ASSERT_EQ(after.v[4][lane], set ? 0x3f800000u : 0u) << name << " format " << format << " lane " << lane;
      }
      m.images.invalidate();
    }
  }
}

// 6E4: three floats of 10 bits and two bits of alpha, written and read again.
TEST_F(ImageValues, FloatsOfFourBitsOfExponent) {
  const uint64_t begin = (m.memory.gpu_address + 0x3ffff) & ~uint64_t(0x3ffff);
  const Opcode *load = nullptr, *store = nullptr;
  for (const Opcode& o : opcodes()) {
    if (std::string_view(o.name) == "image_load") load = &o;
    if (std::string_view(o.name) == "image_store") store = &o;
  }
  ImageNumbers n;
  n.address = begin, n.width = 64, n.height = 1, n.format = 227;
  const auto words = n.words();
  auto call = [&](const Opcode& row) {
    Random r(1);
    Call c = make_call(r, row, 1, false);
    while (c.dmask != 15 || c.tfe || c.d16 || c.lanes != 64) c = make_call(r, row, 1, false);
    return c;
  };
  Registers before;
  std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
  before.exec = ~uint64_t(0);
  auto place = [&](const Call& c) {
    for (unsigned lane = 0; lane < 64; lane++)
      for (const AddressPart& p : c.address) before.v[p.vgpr][lane] = p.what == "coordinate0" ? lane : 0;
  };
  const float values[][4] = {
      {1, 0.5f, 1016, 1}, {0, -3, 2000, 0.34f}, {0x1p-11f, 0x1p-12f, 0x1.8p-11f, 0}, {1.0078125f, 1.0234375f, 0x1p-5f, 2}};
  const uint32_t codes[] = {384u | 320u << 10 | 1023u << 20 | 3u << 30, 1023u << 20 | 1u << 30, 1u | 0u << 10 | 2u << 20,
                            384u | 386u << 10 | 64u << 20 | 3u << 30};
  bool same;
  const Call stores = call(*store);
  place(stores);
  for (unsigned lane = 0; lane < 64; lane++)
    for (unsigned c = 0; c < 4; c++) before.v[4 + c][lane] = std::bit_cast<uint32_t>(values[lane % 4][c]);
  run(stores, before, same);
  for (unsigned lane = 0; lane < 64; lane++) {
    uint32_t texel;
    std::memcpy(&texel, m.space->host(begin + 4 * lane), 4);
    ASSERT_EQ(texel, codes[lane % 4]) << "lane " << lane;
  }
  const Call loads = call(*load);
  place(loads);
  const Registers after = run(loads, before, same);
  EXPECT_TRUE(same);
  const float read[][4] = {{1, 0.5f, 1016, 1}, {0, 0, 1016, 1 / 3.0f}, {0x1p-11f, 0, 0x1p-10f, 0}, {1, 1.03125f, 0x1p-5f, 1}};
  for (unsigned lane = 0; lane < 64; lane++)
    for (unsigned c = 0; c < 4; c++)
      ASSERT_EQ(std::bit_cast<float>(after.v[4 + c][lane]), read[lane % 4][c]) << "lane " << lane << " component " << c;
}

// The level, place and sample that a lane names; null outside.
uint8_t* texel_of(const Image& image, const Call& c, const Registers& before, unsigned lane) {
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
void set_places(Random& r, const Image& image, const Call& c, Registers& before) {
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
          const uint8_t* texel = texel_of(image, c, before, lane);
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
        // What the memory will hold: texels of lanes in their order.
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

// What is no image, what does not fit its memory, and what nobody can decode.
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
