// Partially resident images: pages of an image that are not mapped, or that stand for memory that there is not, read as zeros, store nothing and tell so in the status word; on both
// engines. Expectations come from a copy of the image with zeros where pages are missing. RDNA4 ISA 10.1.1, 10.10.
#include <bit>
#include <cmath>
#include <set>

#include "image_machine.h"
#include "image_numbers.h"
#include "isa/rdna4/parse.h"
#include "surface/gfx12_mips.h"
#include "surface/sampler.h"

namespace Atoll::rdna4::test {
namespace {

using surface::test::Random;

constexpr uint64_t place = uint64_t(1) << 33;
constexpr unsigned width = 256, height = 200, lanes = 32;

class PartialImages : public testing::TestWithParam<std::tuple<wave::EngineChoice, bool>> {
protected:
  wave::EngineChoice engine() const { return std::get<0>(GetParam()); }
  bool absent() const { return std::get<1>(GetParam()); }  // missing pages are mapped (AddressSpace::map)
  Machine m;
  ImageNumbers numbers;
  std::set<uint64_t> there;  // pages, by their number in the image
  std::vector<uint8_t> copy;
  std::unique_ptr<surface::Texture> model;
  Registers before;
  Random r{11};

  // Maps some of the image's pages and fills them.
  void make(unsigned format, surface::Layout layout, surface::Number kind, unsigned mode) {
    numbers.address = place, numbers.format = format, numbers.mode = mode;
    numbers.width = width, numbers.height = height, numbers.max_mip = numbers.last_level = 3;
    numbers.min_lod_warning = absent() ? 0 : 256;  // level 1.0
    surface::TextureDescription d;
    d.width = width, d.height = height, d.format = *surface::make_format(layout, kind);
    surface::Gfx12Texture t;
    const surface::LayoutRow& row = surface::row(layout);
    t.swizzle = surface::Gfx12Swizzle(mode), t.element_bytes = row.bytes;
    t.width = (width + row.block_width - 1) / row.block_width, t.height = (height + row.block_height - 1) / row.block_height;
    t.slices = 1, t.levels = 4;
    d.levels = surface::mip_levels(t)->levels;
    copy.assign(size_t(1) << 21, 0);
    for (uint64_t page = 0; page < copy.size() / 4096; page++) {
      if (r.below(3) == 0) {
        if (!absent()) continue;
        ASSERT_TRUE(m.space->map(place + page * 4096, copy.size() + page * 4096, 4096, true, true));
        std::memset(m.space->host(place + page * 4096), 0x55, 4096);  // (which is not to be seen)
        continue;
      }
      there.insert(page);
      ASSERT_TRUE(m.space->map(place + page * 4096, page * 4096, 4096));
      for (unsigned n = 0; n < 4096; n += 4) {
        const uint32_t word = r.next() & 0xbbffbbff;
        std::memcpy(m.space->host(place + page * 4096 + n), &word, 4);
        std::memcpy(&copy[page * 4096 + n], &word, 4);
      }
    }
    auto texture = surface::Texture::make(d, copy.data(), copy.size());
    ASSERT_TRUE(texture) << texture.error().message;
    model = std::make_unique<surface::Texture>(std::move(*texture));
    const auto words = numbers.words();
    std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
    before.exec = 0xffffffff;
    for (auto& v : before.v)
      for (auto& word : v) word = r.next();
  }
  bool is_there(const uint8_t* texel) const { return there.count(uint64_t(texel - copy.data()) / 4096) != 0; }
  bool is_there(unsigned level, unsigned x, unsigned y) const { return is_there(model->texel_or_null(level, x, y, 0, 0)); }

  Registers run(const std::string& line) {
    auto parsed = parse(line, {lanes});
    EXPECT_TRUE(parsed) << line << ": " << parsed.error().message;
    if (!parsed) return {};
    auto words = encode(parsed->main, {lanes});
    std::vector<uint32_t> code(words->dwords.begin(), words->dwords.begin() + words->count);
    code.push_back(s_endpgm);
    wave::Program program(isa(lanes), code_base, code);
    wave::Wave like = m.wave_of(before, lanes);
    like.inspected = true;
    if (engine() == wave::EngineChoice::Jit) {  // which is to have met something
      wave::Executor reference(program, wave::EngineChoice::Interpreter, like);
      m.run(reference, program, before, lanes);
    }
    wave::Executor executor(program, engine(), like, {.first_tier = wave::Tier::Full});
    const Registers after = m.run(executor, program, before, lanes);
    EXPECT_EQ(m.stopped, wave::Stop::End) << line << ": " << m.fault;
    return after;
  }
  std::string resource() const { return fmt::format("s[{}:{}]", resource_sgpr, resource_sgpr + 7); }
  std::string sampler() const { return fmt::format("s[{}:{}]", sampler_sgpr, sampler_sgpr + 3); }
};

TEST_P(PartialImages, Loads) {
  for (unsigned mode : {1u, 2u, 3u}) {
    unsigned all = 0;
    make(42, surface::Layout::bits_8_8_8_8, surface::Number::unorm, mode);
    for (unsigned round = 0; round < 20; round++) {
      const unsigned level = round % 3;
      for (unsigned lane = 0; lane < lanes; lane++)
        before.v[20][lane] = r.below((width >> level) + 2), before.v[21][lane] = r.below((height >> level) + 2),
        before.v[22][lane] = level;
      const Registers after = run("image_load_mip v[4:8], [v20, v21, v22], " + resource() + " dmask:0xf dim:SQ_RSRC_IMG_2D tfe");
      if (HasFailure()) return;
      auto texel_of = [&](unsigned lane) { return model->texel_or_null(level, before.v[20][lane], before.v[21][lane], 0, 0); };
      unsigned failed = 0;
      for (unsigned lane = 0; lane < lanes; lane++) failed += texel_of(lane) && !is_there(texel_of(lane));
      for (unsigned lane = 0; lane < lanes; lane++) {
        const uint8_t* texel = texel_of(lane);
        const surface::Colour colour = texel ? surface::read_texel(model->format(), texel) : surface::Colour{};
        for (unsigned c = 0; c < 4; c++) ASSERT_EQ(after.v[4 + c][lane], colour[c]) << "mode " << mode << " lane " << lane;
        const bool fails = texel && !is_there(texel);
        ASSERT_EQ(after.v[8][lane], fails    ? 1 | level << 16
                                    : failed ? 0u
                                             : before.v[8][lane])
            << "mode " << mode << " round " << round << " lane " << lane << " of " << failed;
      }
      all += failed;
    }
    EXPECT_GT(all, 0u);
    ASSERT_TRUE(m.space->unmap(place, copy.size()));
    there.clear();
    m.images.invalidate();
  }
}

// Without TFE nothing tells of it, and without MIN_LOD_WARN nothing may be missing.
TEST_P(PartialImages, OnlyWhatIsPartiallyResidentMayHaveHoles) {
  if (absent()) return;
  make(42, surface::Layout::bits_8_8_8_8, surface::Number::unorm, 2);
  for (unsigned lane = 0; lane < lanes; lane++) before.v[20][lane] = lane * 8, before.v[21][lane] = lane * 6;
  const std::string load = "image_load v[4:7], [v20, v21], " + resource() + " dmask:0xf dim:SQ_RSRC_IMG_2D";
  EXPECT_EQ(run(load).v[8], before.v[8]);
  numbers.min_lod_warning = 0;
  const auto words = numbers.words();
  std::copy(words.begin(), words.end(), before.s.begin() + resource_sgpr);
  auto parsed = parse(load, {lanes});
  auto encoded = encode(parsed->main, {lanes});
  std::vector<uint32_t> code(encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
  code.push_back(s_endpgm);
  wave::Program program(isa(lanes), code_base, code);
  wave::Executor executor(program, engine(), m.wave_of(before, lanes), {.first_tier = wave::Tier::Full});
  m.run(executor, program, before, lanes);
  EXPECT_EQ(m.stopped, wave::Stop::Fault);
}

TEST_P(PartialImages, StoresAndAtomics) {
  if (absent()) return;  // (what is written there is gone with the next submission: drm/core/virtual_memory.h)
  make(20, surface::Layout::bits_32, surface::Number::uint, 2);
  for (unsigned lane = 0; lane < lanes; lane++) before.v[20][lane] = lane * 8, before.v[21][lane] = lane * 6;
  run("image_store v4, [v20, v21], " + resource() + " dmask:0x1 dim:SQ_RSRC_IMG_2D");
  auto at = [&](unsigned lane) { return model->texel_or_null(0, before.v[20][lane], before.v[21][lane], 0, 0) - copy.data(); };
  auto memory = [&](unsigned lane) {
    uint32_t word;
    std::memcpy(&word, m.space->host(place + uint64_t(at(lane))), 4);
    return word;
  };
  unsigned failed = 0;
  for (unsigned lane = 0; lane < lanes; lane++)
    if (is_there(0, before.v[20][lane], before.v[21][lane]))
      EXPECT_EQ(memory(lane), before.v[4][lane]);
    else
      failed++;
  EXPECT_GT(failed, 0u);
  Registers loaded = run("image_load v[4:5], [v20, v21], " + resource() + " dmask:0x1 dim:SQ_RSRC_IMG_2D tfe");
  for (unsigned lane = 0; lane < lanes; lane++)
    if (!is_there(0, before.v[20][lane], before.v[21][lane])) EXPECT_EQ(loaded.v[4][lane], 0u) << "a store to nothing is read";
  if (engine() == wave::EngineChoice::Jit) return;  // (whose first run changes memory too)
  Registers after =
      run("image_atomic_add_uint v[4:5], [v20, v21], " + resource() + " dmask:0x1 dim:SQ_RSRC_IMG_2D th:TH_ATOMIC_RETURN tfe");
  for (unsigned lane = 0; lane < lanes; lane++) {
    const bool fails = !is_there(0, before.v[20][lane], before.v[21][lane]);
    EXPECT_EQ(after.v[5][lane], fails ? 1u : 0u);
    EXPECT_EQ(after.v[4][lane], fails ? 0u : before.v[4][lane]);
    if (!fails) EXPECT_EQ(memory(lane), 2 * before.v[4][lane]);
  }
}

// All four texels of these filters count.
TEST_P(PartialImages, FiltersFailWhereATexelIsMissing) {
  struct Case {
    unsigned format;
    surface::Layout layout;
    surface::Number kind;
  };
  for (const Case& c :
       {Case{42, surface::Layout::bits_8_8_8_8, surface::Number::unorm}, Case{1, surface::Layout::bits_8, surface::Number::unorm},
        Case{57, surface::Layout::bits_16_16_16_16, surface::Number::floating},
        Case{109, surface::Layout::bc1, surface::Number::unorm}, Case{113, surface::Layout::bc3, surface::Number::unorm},
        Case{46, surface::Layout::bits_8_8_8_8, surface::Number::uint}}) {
    make(c.format, c.layout, c.kind, 2);
    const bool integers = c.kind == surface::Number::uint;
    std::array<uint32_t, 4> s{};
    for (unsigned axis = 0; axis < 3; axis++) put_bits(s, 3 * axis + 2, 3 * axis, 2);
    put_bits(s, 57, 45, 0x1fff);
    put_bits(s, 85, 84, 1), put_bits(s, 87, 86, 1), put_bits(s, 91, 90, 1);  // linear, the nearest level
    std::copy(s.begin(), s.end(), before.s.begin() + sampler_sgpr);
    unsigned failed = 0;
    for (unsigned round = 0; round < 12; round++) {
      const unsigned level = round % 3;
      const float w = float(width >> level), h = float(height >> level);
      std::array<unsigned, lanes> x{}, y{};
      for (unsigned lane = 0; lane < lanes; lane++) {
        x[lane] = r.below((width >> level) - 1), y[lane] = r.below((height >> level) - 1);
        before.v[20][lane] = std::bit_cast<uint32_t>((float(x[lane]) + 0.75f) / w);
        before.v[21][lane] = std::bit_cast<uint32_t>((float(y[lane]) + 0.75f) / h);
        before.v[22][lane] = std::bit_cast<uint32_t>(float(level));
      }
      const bool warns = round & 1 && !absent();
      const Registers after = run("image_sample_l v[4:8], [v20, v21, v22], " + resource() + ", " + sampler() +
                                  " dmask:0xf dim:SQ_RSRC_IMG_2D tfe" + (warns ? " lwe" : ""));
      if (HasFailure()) return;
      surface::Sampler sampler;
      sampler.wrap.fill(surface::Wrap::clamp_to_edge);
      sampler.mip_filter = surface::MipFilter::nearest;
      surface::SampleLanes call;
      call.lanes = lanes, call.active = before.exec, call.lod_mode = surface::LodMode::level;
      call.s = before.v[20].data(), call.t = before.v[21].data(), call.lod = before.v[22].data();
      std::array<surface::Lanes, 4> colour;
      surface::sample(*model, sampler, call, colour);
      bool any = false;
      std::array<uint32_t, lanes> status{};
      for (unsigned lane = 0; lane < lanes; lane++) {
        bool fails = false;
        for (unsigned n = 0; n < (integers ? 1u : 4u); n++) fails |= !is_there(level, x[lane] + (n & 1), y[lane] + (n >> 1));
        failed += fails;
        status[lane] = fails ? 1 | level << 16 : warns && level < 1 ? 2 | level << 16 : 0;
        any |= status[lane] != 0;
      }
      for (unsigned lane = 0; lane < lanes; lane++) {
        for (unsigned n = 0; n < 4; n++)
          ASSERT_EQ(after.v[4 + n][lane], colour[n][lane]) << "format " << c.format << " lane " << lane << " component " << n;
        ASSERT_EQ(after.v[8][lane], any ? status[lane] : before.v[8][lane])
            << "format " << c.format << " lane " << lane << " at " << x[lane] << " " << y[lane] << " level " << level;
      }
    }
    EXPECT_GT(failed, 0u);
    ASSERT_TRUE(m.space->unmap(place, copy.size()));
    there.clear();
    m.images.invalidate();
  }
}

TEST_P(PartialImages, Gathers) {
  make(42, surface::Layout::bits_8_8_8_8, surface::Number::unorm, 2);
  for (unsigned axis = 0; axis < 3; axis++) before.s[sampler_sgpr] |= 2u << 3 * axis;
  unsigned failed = 0;
  for (unsigned round = 0; round < 4; round++) {
    std::array<unsigned, lanes> x{}, y{};
    for (unsigned lane = 0; lane < lanes; lane++) {
      x[lane] = r.below(width - 1), y[lane] = r.below(height - 1);
      before.v[20][lane] = std::bit_cast<uint32_t>((float(x[lane]) + 1) / width);
      before.v[21][lane] = std::bit_cast<uint32_t>((float(y[lane]) + 1) / height);
    }
    const Registers after =
        run("image_gather4_lz v[4:8], [v20, v21], " + resource() + ", " + sampler() + " dmask:0x2 dim:SQ_RSRC_IMG_2D tfe");
    if (HasFailure()) return;
    constexpr unsigned right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
    for (unsigned lane = 0; lane < lanes; lane++) {
      bool fails = false;
      for (unsigned n = 0; n < 4; n++) {
        const uint8_t* texel = model->texel_or_null(0, x[lane] + right[n], y[lane] + below[n], 0, 0);
        fails |= !is_there(texel);
        ASSERT_EQ(after.v[4 + n][lane], surface::read_texel(model->format(), texel)[1]) << "lane " << lane << " texel " << n;
      }
      failed += fails;
      ASSERT_EQ(after.v[8][lane], fails ? 1u : 0u) << "lane " << lane;
    }
  }
  EXPECT_GT(failed, 0u);
}

INSTANTIATE_TEST_SUITE_P(Engines, PartialImages,
                         testing::Combine(testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                                          testing::Bool()),
                         [](auto& p) {
                           return std::string(std::get<0>(p.param) == wave::EngineChoice::Jit ? "jit" : "interpreter") +
                                  (std::get<1>(p.param) ? "_absent" : "");
                         });

}  // namespace
}  // namespace Atoll::rdna4::test
