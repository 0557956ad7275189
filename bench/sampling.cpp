// Texture sampling: texels a second (lanes sampled) by format, filter and tiling, as pixel waves ask for it: 64 lanes, 4x4 quads.
#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>
#include <vector>

#include "surface/banked_mips.h"
#include "surface/r300_mips.h"
#include "surface/sampler.h"

namespace {

using namespace Atoll::surface;

struct Subject {
  std::vector<uint8_t> bytes;
  Texture texture;
};

enum class Tiling { linear, banked, r300 };

Subject subject(Format format, unsigned size, unsigned levels, Tiling tiling) {
  TextureDescription d = {.format = format, .width = size, .height = size};
  const LayoutRow& layout = row(format.layout);
  uint64_t end = 0;
  if (tiling == Tiling::banked) {
    BankedTexture t = {.tiling = {},
                       .element_bytes = layout.bytes,
                       .block_width = layout.block_width,
                       .block_height = layout.block_height,
                       .width = size,
                       .height = size,
                       .levels = levels};
    t.tiling = {.arrangement = Arrangement::macro_2d_thin,
                .order = MicroOrder::thin,
                .pipe_config = PipeConfig::p4_16x16,
                .banks = 8,
                .bank_height = 2};
    auto placed = mip_levels(t);
    if (!placed) std::abort();
    for (auto& level : *placed) {
      d.levels.push_back({level.offset, level.surface});
      end = std::max(end, level.offset + level.bytes_per_slice);
    }
  } else if (tiling == Tiling::r300) {
    auto placed = mip_levels({.element_bytes = layout.bytes,
                              .block_width = layout.block_width,
                              .block_height = layout.block_height,
                              .width = size,
                              .height = size,
                              .micro = R300MicroTile::tiled,
                              .macro = true,
                              .levels = levels});
    if (!placed) std::abort();
    for (auto& level : *placed) {
      d.levels.push_back({level.offset, level.surface});
      end = std::max(end, level.offset + level.surface.slice_bytes);
    }
  } else {
    for (unsigned n = 0; n < levels; n++) {
      unsigned blocks = (std::max(1u, size >> n) + layout.block_width - 1) / layout.block_width;
      uint64_t pitch = (uint64_t(blocks) * layout.bytes + 255) / 256 * 256;
      d.levels.push_back({end, LinearSurface{pitch, pitch * blocks}});
      end += pitch * blocks;
    }
  }
  std::vector<uint8_t> bytes(end + 65536);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = uint8_t(i * 2654435761u >> 13) & 0x7b;  // no NaNs
  auto made = Texture::make(d, bytes.data(), bytes.size());
  if (!made) std::abort();
  return {std::move(bytes), std::move(*made)};
}

// Squares of 8x8 pixels that walk over the texture, `step` texels a pixel, a little turned.
void run(benchmark::State& state, const Subject& subject, const Sampler& sampler, float step, LodMode mode = LodMode::implicit) {
  Lanes s[64], t[64];
  float size = float(subject.texture.size(0).width);
  for (unsigned n = 0; n < 64; n++)
    for (unsigned lane = 0; lane < 64; lane++) {
      unsigned quad = lane / 4, x = quad % 4 * 2 + lane % 2, y = quad / 4 * 2 + lane / 2 % 2;
      float px = float(n % 8 * 8 + x) * step, py = float(n / 8 * 8 + y) * step;
      s[n][lane] = std::bit_cast<uint32_t>((px * 0.98f + py * 0.17f + 3.3f) / size);
      t[n][lane] = std::bit_cast<uint32_t>((py * 0.98f - px * 0.17f + 5.1f) / size);
    }
  std::array<Lanes, 4> result;
  unsigned n = 0;
  for (auto _ : state) {
    SampleLanes call = {.lanes = 64, .active = ~uint64_t(0), .s = s[n % 64].data(), .t = t[n % 64].data()};
    call.lod_mode = mode;
    sample(subject.texture, sampler, call, result);
    benchmark::DoNotOptimize(result);
    n++;
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * 64);
}

Sampler bilinear() { return {}; }
Sampler nearest() {
  Sampler s;
  s.min_filter = s.mag_filter = Filter::nearest;
  return s;
}
Sampler trilinear() {
  Sampler s;
  s.mip_filter = MipFilter::linear;
  return s;
}
Sampler clamped() {
  Sampler s;
  s.wrap = {Wrap::clamp_to_edge, Wrap::clamp_to_edge, Wrap::clamp_to_edge};
  return s;
}
Sampler bordered() {
  Sampler s;
  s.wrap = {Wrap::clamp_to_border, Wrap::clamp_to_border, Wrap::clamp_to_border};
  return s;
}
Sampler anisotropic() {
  Sampler s = trilinear();
  s.max_anisotropy = 8;
  return s;
}

constexpr Format rgba8 = {Layout::bits_8_8_8_8, Number::unorm};
constexpr Format bgra8 = {Layout::bits_8_8_8_8, Number::unorm, bgra_order};

#define SAMPLING(name, format, tiling, sampler, step, mode)           \
  void name(benchmark::State& state) {                                \
    static const Subject s = subject(format, 256, 9, Tiling::tiling); \
    run(state, s, sampler, step, LodMode::mode);                      \
  }                                                                   \
  BENCHMARK(name)

SAMPLING(nearest_rgba8_linear, rgba8, linear, nearest(), 0.9f, zero);
SAMPLING(nearest_rgba8_banked, rgba8, banked, nearest(), 0.9f, zero);
SAMPLING(nearest_rgba8_r300, rgba8, r300, nearest(), 0.9f, zero);
SAMPLING(bilinear_rgba8_linear, rgba8, linear, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_bgra8_banked, bgra8, banked, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_bgra8_r300, bgra8, r300, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_clamped, rgba8, banked, clamped(), 0.9f, implicit);
SAMPLING(bilinear_bordered, rgba8, banked, bordered(), 0.9f, implicit);
SAMPLING(trilinear_rgba8, rgba8, banked, trilinear(), 2.7f, implicit);
SAMPLING(anisotropic_rgba8, rgba8, banked, anisotropic(), 2.7f, implicit);
SAMPLING(bilinear_srgb8, (Format{Layout::bits_8_8_8_8, Number::srgb}), banked, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_rgba32f, (Format{Layout::bits_32_32_32_32, Number::floating}), banked, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_rgba16f, (Format{Layout::bits_16_16_16_16, Number::floating}), banked, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_565, (Format{Layout::bits_5_6_5, Number::unorm}), r300, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_r8, (Format{Layout::bits_8, Number::unorm}), banked, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_bc1, (Format{Layout::bc1, Number::unorm}), banked, bilinear(), 0.9f, implicit);
SAMPLING(bilinear_bc3, (Format{Layout::bc3, Number::unorm}), banked, bilinear(), 0.9f, implicit);

void fetch_rgba8(benchmark::State& state) {
  static const Subject s = subject(rgba8, 256, 1, Tiling::banked);
  Lanes x, y;
  for (unsigned lane = 0; lane < 64; lane++) x[lane] = 40 + lane % 8, y[lane] = 80 + lane / 8;
  std::array<Lanes, 4> result;
  for (auto _ : state) {
    fetch(s.texture, {.lanes = 64, .active = ~uint64_t(0), .x = x.data(), .y = y.data()}, result);
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * 64);
}
BENCHMARK(fetch_rgba8);

void store_rgba8(benchmark::State& state) {
  static const Subject s = subject(rgba8, 256, 1, Tiling::banked);
  Lanes x, y;
  std::array<Lanes, 4> data;
  for (unsigned lane = 0; lane < 64; lane++) {
    x[lane] = 40 + lane % 8, y[lane] = 80 + lane / 8;
    for (auto& component : data) component[lane] = std::bit_cast<uint32_t>(float(lane) / 63);
  }
  for (auto _ : state) {
    store(s.texture, {.lanes = 64, .active = ~uint64_t(0), .x = x.data(), .y = y.data()}, data);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * 64);
}
BENCHMARK(store_rgba8);

// Making a texture from a descriptor: what a cache of them saves.
void make(benchmark::State& state) {
  static const Subject s = subject(rgba8, unsigned(1024), 11, Tiling::banked);
  for (auto _ : state)
    benchmark::DoNotOptimize(Texture::make(s.texture.description(), const_cast<uint8_t*>(s.bytes.data()), s.bytes.size()));
}
BENCHMARK(make);

}  // namespace

BENCHMARK_MAIN();
