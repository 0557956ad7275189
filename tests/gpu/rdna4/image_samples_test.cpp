// Results of samples and gathers, over formats, dimensions, swizzle modes, mip levels, wraps and filters: held against the
// neutral reference (surface/sampler.h) on a texture that the test makes itself, by the interpreter and in compiled code.
#include <bit>
#include <map>
#include <optional>
#include <vector>

#include "image_cases.h"
#include "surface/sampler.h"

namespace Atoll::rdna4::test {
namespace {

using enum surface::Number;

bool is_sample(const Opcode& row) {
  const std::string_view name = row.name;
  return row.format == Format::VSAMPLE && name != "image_msaa_load";
}

// BC_SWIZZLE's names (Mesa 25.0.7 gfx12-rsrc.json) say which of the colour's components stands for each of the texel, DST_SEL which of
// these a shader's is.
surface::Colour border_seen(const surface::Colour& colour, const ImageNumbers& numbers, uint32_t one) {
  constexpr std::string_view names[] = {"XYZW", "XWYZ", "WZYX", "WXYZ", "ZYXW", "YXWZ"};
  surface::Colour seen;
  for (size_t n = 0; n < 4; n++) {
    const unsigned select = numbers.select[n];
    seen[n] = select < 2 ? select * one : colour[std::string_view("XYZW").find(names[numbers.border_swizzle][select - 4])];
  }
  return seen;
}

class ImageSamples : public ImageValues {
protected:
  std::map<std::string, unsigned> vectors;  // lanes by mnemonic

  // `halves`: 16-bit operands and results are tried.
  void expect_reference(Random& r, const Opcode& row, unsigned dim, const FormatChoice& format, bool halves,
                        const std::optional<std::array<uint32_t, 4>>& sampler, uint64_t seed) {
    const std::string mnemonic = row.name;
    const bool gather = mnemonic.starts_with("image_gather4"), row_of_texels = mnemonic == "image_gather4h",
               query = mnemonic == "image_get_lod";
    Image image = make_image(m, r, dim, format, true);
    if (r.below(4) == 0) image.numbers.min_lod = r.below(4 * 256);
    const Call c = make_call(r, row, dim, halves);
    Registers before;
    const auto resource = image.numbers.words();
    auto sampler_words = sampler ? *sampler : random_sampler(r);
    if (!sampler && r.below(16) == 0) sampler_words[3] = 3u << 30 | r.below(4096) << 18;  // a colour of the table
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
    // The meaning of the descriptors, once more.
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
    surface::Colour border_colour = {border == 2 ? one : 0, border == 2 ? one : 0, border == 2 ? one : 0, border ? one : 0};
    if (border == 3)
      std::memcpy(border_colour.data(), m.space->host(m.border_colours + (sampler_words[3] >> 18 & 0xfff) * 16), 16);
    s.border = border_seen(border_colour, image.numbers, one);
    s.compare = has_part(mnemonic, "c"), s.flush_denormals = true;
    s.unnormalized |= c.unorm;
    s.lod_min = std::max(s.lod_min, float(image.numbers.min_lod) / 256 - float(d.first_level));
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
    if (gather && (call.lod_mode == LodMode::implicit || call.lod_mode == LodMode::zero) &&
        d.first_level < image.numbers.min_lod / 256) {  // the base level's texels are out of range
      const surface::Colour outside = surface::in_order(d.format, {0, 0, 0, 0});
      for (auto& lane : result) lane.fill(s.compare ? 0 : outside[call.gather_component]);
    } else if (row_of_texels) {
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
};

TEST_F(ImageSamples, AreTheReferences) {
  fill_memory(m, 1);
  uint64_t opcode_number = 0;
  const uint64_t rounds = surface::test::seeds(12);
  for (const Opcode& row : opcodes()) {
    if (!is_sample(row)) continue;
    opcode_number++;
    const bool gather = std::string_view(row.name).starts_with("image_gather4");
    for (uint64_t round = 0; round < rounds; round++) {
      const uint64_t seed = opcode_number * 100000 + round;
      Random r(seed);
      constexpr unsigned gathered[] = {1, 3, 5};
      const unsigned dim = gather ? gathered[r.below(3)] : unsigned(round % 6);
      const FormatChoice& format = sampled_formats[r.below(unsigned(std::size(sampled_formats)))];
      expect_reference(r, row, dim, format, round % 3 == 2, {}, seed);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(vectors.size(), 57u);
  for (const auto& [mnemonic, count] : vectors) EXPECT_GE(count, rounds >= 12 ? 256u : 1u) << mnemonic;
  EXPECT_TRUE(m.reports.unknowns().empty()) << m.reports.unknowns()[0].what;
  EXPECT_GT(compiled * 4, (compiled + called) * 3) << compiled << " of " << compiled + called;
}

// Every format with every dimension; with ATOLL_BOUNDS=16 with every wrap and filter as well.
TEST_F(ImageSamples, OfEveryFormat) {
  fill_memory(m, 2);
  std::vector<const Opcode*> samples;
  for (const Opcode& row : opcodes())
    for (const char* name : {"image_sample", "image_sample_lz", "image_sample_l", "image_sample_b"})
      if (std::string_view(row.name) == name) samples.push_back(&row);
  unsigned formats = 0;
  uint64_t number = 0;
  for (unsigned n = 0; n < 256; n++) {
    const auto format = image_format(n, surface::natural_order);
    if (!format) continue;
    formats++;
    const unsigned bytes = surface::row(format->layout).bytes;
    for (unsigned dim = 0; dim < 6; dim++) {
      if (dim == 2 && bytes == 12) continue;  // (volumes are tiled, and such texels never are)
      number++;
      for (uint64_t round = 0; round < surface::test::seeds(1); round++) {
        const uint64_t seed = number * 1000 + round;
        Random r(seed);
        const unsigned way = unsigned(number * 5 + round) % 16, wrap = way / 2, filter = way % 2;
        auto sampler = random_sampler(r);
        for (unsigned axis = 0; axis < 3; axis++) put_bits(sampler, 3 * axis + 2, 3 * axis, wrap);
        put_bits(sampler, 85, 84, filter), put_bits(sampler, 87, 86, filter);
        expect_reference(r, *samples[r.below(unsigned(samples.size()))], dim, {n, format->layout, format->number}, false, sampler,
                         seed);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(formats, 90u);
  EXPECT_TRUE(m.reports.unknowns().empty()) << m.reports.unknowns()[0].what;
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

}  // namespace
}  // namespace Atoll::rdna4::test
