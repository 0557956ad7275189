// Output merge: what is left of a wave's pixels after alpha test and late depth and stencil tests goes into the targets, quad
// after quad in the order of the primitives (Vulkan 1.3 chapters 27 and 28; alpha test: OpenGL 4.6 compatibility 17.3.4).
#include <algorithm>
#include <bit>

#include "base/half.h"
#include "pipeline/pixels/pixel_work.h"
#include "pipeline/tiles/watched_tile.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

bool alpha_passes(Compare compare, float alpha, float reference) {
  switch (compare) {
    case Compare::never: return false;
    case Compare::less: return alpha < reference;
    case Compare::equal: return alpha == reference;
    case Compare::less_equal: return alpha <= reference;
    case Compare::greater: return alpha > reference;
    case Compare::not_equal: return alpha != reference;
    case Compare::greater_equal: return alpha >= reference;
    case Compare::always: break;
  }
  return true;
}

// Alpha's share of the samples. Pixels that round otherwise than halves take others of them, so that also a share of whole
// samples differs from pixel to pixel of a quad.
uint32_t alpha_coverage(float alpha, const ColourOutput& output, unsigned samples, unsigned lane) {
  unsigned counted = output.alpha_samples ? std::min(output.alpha_samples, samples) : samples;
  unsigned rounding = output.alpha_rounding[lane & 3];
  float clamped = alpha > 0 ? std::min(alpha, 1.0f) : 0;
  unsigned count = unsigned(clamped * float(counted) + float(rounding) / 8);
  uint32_t mask = (1u << count) - 1;
  unsigned turn = output.alpha_in_order ? 0 : (rounding / 2 + 2) % 4 * counted / 4;
  mask = ((mask << turn) | (mask >> (counted - turn))) & ((1u << counted) - 1);
  for (; counted < samples; counted *= 2) mask |= mask << counted;
  return mask;
}

// 16 depths that the shader gave, clamped to the viewport's range.
f32x16 exported_depths(const Primitive& primitive, const float* depths) {
  f32x16 z = load<f32x16>(depths);
  z = z > primitive.depth_low ? z : f32x16{} + primitive.depth_low;
  return z < primitive.depth_high ? z : f32x16{} + primitive.depth_high;
}

// Late tests of quads `first` to `last` at one sample; `lanes` and the result are bits of the wave.
uint64_t late_tests(Tile& tile, unsigned first, unsigned last, unsigned sample, uint64_t lanes) {
  const PixelResults& results = tile.results;
  uint64_t passed = 0;
  for (unsigned q = first; q < last;) {
    // Quads that follow each other in the same row of a block are tested at once.
    const Primitive& primitive = *tile.primitive[q];
    unsigned row = tile.place[q] / 4, end = q;
    uint32_t pixels = 0;
    alignas(64) float exported[16] = {};
    alignas(16) uint8_t references[16] = {}, op_values[16] = {};
    for (; end < last && tile.primitive[end] == &primitive && tile.place[end] / 4 == row; end++) {
      unsigned to = tile.place[end] % 4 * 4;
      pixels |= uint32_t(lanes >> 4 * end & 0xf) << to;
      if (results.has_depth) std::memcpy(exported + to, &results.depth[4 * end], 16);
      if (results.has_stencil)
        for (unsigned lane = 0; lane < 4; lane++) references[to + lane] = uint8_t(results.stencil[4 * end + lane]);
      if (results.has_stencil_op)
        for (unsigned lane = 0; lane < 4; lane++) op_values[to + lane] = uint8_t(results.stencil_op[4 * end + lane]);
    }
    if (pixels) {
      f32x16 z;
      if (results.has_depth) {
        z = exported_depths(primitive, exported);
      } else {
        z = depth_of_row(tile, primitive, row / 4, row % 4, sample);
      }
      uint32_t good = test_row(tile, primitive, row / 4, row % 4, sample, pixels, z, results.has_stencil ? references : nullptr,
                               results.has_stencil_op ? op_values : nullptr);
      for (unsigned n = q; n < end; n++) passed |= uint64_t(good >> tile.place[n] % 4 * 4 & 0xf) << 4 * n;
    }
    q = end;
  }
  return passed;
}

// The sample of a pixel, of those that are drawn, that is copied into its colour.
unsigned copied_sample(const DepthStencil& state, uint32_t drawn, unsigned samples) {
  unsigned from = state.copied_sample % samples;
  if (!state.copy_first_drawn || !drawn) return from;
  uint32_t later = drawn >> from << from;
  return unsigned(std::countr_zero(later ? later : drawn));
}

// Output 0 of quads `first` to `last` with depth and stencil as they are in the tile; drawn[s]: lanes that are drawn at sample s.
void put_depths(Tile& tile, unsigned first, unsigned last, const uint64_t* drawn) {
  const DepthStencil& state = tile.constants->draw->depth_stencil;
  DepthBlocks& blocks = tile.depth;
  auto& colour = tile.results.colour[0];
  bool has_stencil = blocks.stencil || blocks.stencil_in_upper_byte;
  for (unsigned lane = first * 4; lane < last * 4; lane++) {
    uint32_t samples = 0;
    for (unsigned s = 0; s < blocks.samples; s++) samples |= uint32_t(drawn[s] >> lane & 1) << s;
    if (!samples) continue;
    unsigned place = tile.place[lane / 4], block = place / quads_in_block, sample = copied_sample(state, samples, blocks.samples);
    tile.present_depth(block);
    size_t at = (size_t(block) * blocks.samples + sample) * pixels_in_block + place % quads_in_block * 4 + lane % 4;
    if (state.copy_depth && blocks.depth) {
      uint32_t word = blocks.depths[at];
      if (blocks.bits < 32)  // (above 24 bits another byte is kept)
        word = std::bit_cast<uint32_t>(surface::from_unorm(word & ((1u << blocks.bits) - 1), blocks.bits));
      colour[0][lane] = word;
    }
    if (state.copy_stencil && has_stencil) {
      tile.present_stencil(block);
      colour[1][lane] = blocks.stencils[at];
    }
  }
}

// 16 halves, in the low or high parts of words.
f32x16 expand(const u32x16& words, unsigned shift) {
#if defined(__AVX512F__)
  return f32x16(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(__m512i(words >> shift))));
#else
  return floats_from_halves<f32x16>(u32x16(words >> shift & 0xffff));
#endif
}

}  // namespace

void expand_halves(PixelResults& results, uint64_t lanes) {
  for (unsigned n = 0; n < results.halves.size(); n++) {
    const auto* halves = results.halves[n];
    if (!halves || !(results.outputs >> n & 1)) continue;
    for (unsigned lane = 0; lane < max_pixels; lane += 16) {
      if (!(lanes >> lane & 0xffff)) continue;
      for (unsigned pair = 0; pair < 2; pair++) {
        u32x16 words = load<u32x16>(&halves[pair][lane]);
        store(&results.colour[n][2 * pair][lane], expand(words, 0));
        store(&results.colour[n][2 * pair + 1][lane], expand(words, 16));
      }
    }
  }
}

void cover_samples(const Tile& tile, const ShadedPixels& pixels, uint64_t* covered) {
  const DrawConstants& constants = *tile.constants;
  const PixelResults& results = pixels.results;
  uint64_t lanes = pixels.covered & ~results.killed;
  const unsigned samples = constants.samples;
  const ColourOutput& output = constants.draw->colour;
  auto alpha_of = [&](unsigned lane) { return std::bit_cast<float>(results.colour[0][3][lane]); };
  const uint64_t with_alpha = results.outputs & 1 ? ~results.unwritten[0] : 0;
  if (output.alpha_test)
    for (uint64_t left = lanes & with_alpha; left; left &= left - 1) {
      unsigned lane = unsigned(std::countr_zero(left));
      if (!alpha_passes(output.alpha_compare, alpha_of(lane), output.alpha_reference)) lanes &= ~(uint64_t(1) << lane);
    }
  bool alpha_to_coverage = output.alpha_to_coverage && (with_alpha || results.has_alpha);
  if (samples == 1 && !results.has_coverage && !alpha_to_coverage) {
    covered[0] = lanes;
  } else {
    std::fill_n(covered, samples, 0);
    for (uint64_t left = lanes; left; left &= left - 1) {
      unsigned lane = unsigned(std::countr_zero(left));
      uint32_t coverage = pixels.coverage[lane];
      if (results.has_coverage) coverage &= results.coverage[lane];
      if (constants.places > samples) coverage = coverage != 0;
      if (alpha_to_coverage && (results.has_alpha || with_alpha >> lane & 1))
        coverage &= alpha_coverage(results.has_alpha ? results.alpha[lane] : alpha_of(lane), output, samples, lane);
      for (; coverage; coverage &= coverage - 1) {
        unsigned s = unsigned(std::countr_zero(coverage));
        if (s < samples) covered[s] |= uint64_t(1) << lane;
      }
    }
  }
}

namespace {

// The lanes of `tested` whose colours are written when `passed` of them have passed all tests.
uint64_t coloured(const Tile& tile, uint64_t tested, uint64_t passed) {
  const DepthStencil& state = tile.constants->draw->depth_stencil;
  return (state.no_colour_where_passed ? 0 : passed) | (state.colour_where_failed ? tested & ~passed : 0);
}

}  // namespace

uint64_t drawn_at(Tile& tile, unsigned first, unsigned last, unsigned sample, uint64_t lanes) {
  if (!lanes || tile.early) return lanes;
  const uint64_t before = lanes;
  if (tile.depth_stencil) lanes = late_tests(tile, first, last, sample, lanes);
  if (tile.counts) tile.samples_passed += unsigned(std::popcount(lanes));
  return coloured(tile, before, lanes);
}

uint64_t drawn_at(Tile& tile, const Primitive& primitive, unsigned block, unsigned sample, uint64_t lanes) {
  if (!lanes || tile.early) return lanes;
  const PixelResults& results = tile.results;
  const uint64_t before = lanes;
  if (tile.depth_stencil && !results.has_depth && !results.has_stencil && !results.has_stencil_op) {
    lanes = test_block(tile, primitive, block, sample, lanes);
  } else if (tile.depth_stencil) {
    uint64_t passed = 0;
    for (unsigned row = 0; row < 4; row++) {
      const uint32_t pixels = uint32_t(lanes >> 16 * row & 0xffff);
      if (!pixels) continue;
      const f32x16 z = results.has_depth ? exported_depths(primitive, &results.depth[16 * row])
                                         : depth_of_row(tile, primitive, block, row, sample);
      alignas(16) uint8_t references[16], op_values[16];
      for (unsigned lane = 0; lane < 16; lane++) references[lane] = uint8_t(results.stencil[16 * row + lane]);
      for (unsigned lane = 0; lane < 16; lane++) op_values[lane] = uint8_t(results.stencil_op[16 * row + lane]);
      passed |= uint64_t(test_row(tile, primitive, block, row, sample, pixels, z, results.has_stencil ? references : nullptr,
                                  results.has_stencil_op ? op_values : nullptr))
                << 16 * row;
    }
    lanes = passed;
  }
  if (tile.counts) tile.samples_passed += unsigned(std::popcount(lanes));
  return coloured(tile, before, lanes);
}

void merge(Tile& tile, uint32_t samples_now) {
  const DrawConstants& constants = *tile.constants;
  PixelBatch& batch = tile.batch;
  PixelResults& results = tile.results;
  const uint64_t lanes = batch.covered & ~results.killed;
  const bool watched = tile.watch && watches_any(tile, samples_now);
  if (watched) {
    expand_halves(results, batch.covered);
    watch_shaded(tile);
  }
  if (!lanes) return;
  if (!watched) expand_halves(results, lanes);
  const Rasterization& raster = constants.draw->rasterization;
  if ((raster.smooth_lines || raster.round_points) && !constants.samples_differ) soften(tile);

  uint64_t covered[16];
  const unsigned samples = constants.samples;
  cover_samples(tile, {results, batch.covered, batch.coverage.data()}, covered);
  if (watched) watch_left(tile, covered);
  if (constants.draw->colour.alpha_to_one && (results.outputs & 1)) results.colour[0][3].fill(std::bit_cast<uint32_t>(1.0f));

  tile.run_begin[tile.runs] = uint8_t(batch.quads);
  for (unsigned run = 0; run < tile.runs; run++) {
    unsigned first = tile.run_begin[run], last = tile.run_begin[run + 1];
    uint64_t of_run = (last == max_quads ? ~uint64_t(0) : (uint64_t(1) << 4 * last) - 1) & ~((uint64_t(1) << 4 * first) - 1);
    // The covered pixels that are drawn at a sample.
    auto tested = [&](unsigned s) -> uint64_t {
      const uint64_t before = samples_now >> s & 1 ? covered[s] & of_run : 0, left = drawn_at(tile, first, last, s, before);
      if (watched) watch_late(tile, s, before, left);
      return left;
    };
    uint64_t drawn[16];  // where depths are copied, which is after all samples' tests
    if (tile.copies) {
      for (unsigned s = 0; s < samples; s++) drawn[s] = tested(s);
      put_depths(tile, first, last, drawn);
    }
    for (unsigned s = 0; s < samples; s++) {
      uint64_t pixels = tile.copies ? drawn[s] : tested(s);
      if (!pixels) continue;
      for (unsigned n = 0; n < tile.colours; n++) {
        const ColourPath& path = tile.path[n];
        if (path.kind == ColourPath::Kind::none || !(results.outputs >> n & 1)) continue;
        // (float and uint32_t arrays of the same bits)
        auto source = reinterpret_cast<const float(*)[max_pixels]>(results.colour[n].data());
        auto second = results.has_second_source && n == 0 ? reinterpret_cast<const float(*)[max_pixels]>(results.colour[1].data())
                                                          : nullptr;
        if (const uint64_t written = pixels & ~results.unwritten[n])
          write_colours(tile, n, first, last, s, written, source, second);
      }
    }
  }
  if (watched) watch_written(tile);
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
