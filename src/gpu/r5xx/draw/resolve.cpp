#include "gpu/r5xx/draw/resolve.h"

#include <bit>
#include <cmath>

#include "surface/texel.h"

namespace Atoll::r5xx {

namespace {
// 0 for negative numbers.
float raised(float x, double exponent) { return x > 0 ? float(std::pow(double(x), exponent)) : 0; }
}  // namespace

ResolveStage::ResolveStage(const ColourBuffer& source, SurfaceTarget& target, bool average_alpha, bool gamma, unsigned workers)
    : source_(source), target_(target), average_alpha_(average_alpha), gamma_(gamma), blocks_(workers) {
  const size_t texels = size_t(pipeline::block_size) * pipeline::block_size * source.place.samples;
  for (auto& block : blocks_) block.texels.resize(texels * source.place.surface.element_bytes);
}

bool ResolveStage::shade(unsigned worker, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
  Block& block = blocks_[worker];
  const unsigned bytes = source_.place.surface.element_bytes, samples = source_.place.samples;
  constexpr int size = int(pipeline::block_size);
  results.killed = 0;
  results.outputs = 1;
  results.has_second_source = results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
  for (unsigned lane = 0; lane < batch.quads * 4; lane++) {
    if (!(batch.covered >> lane & 1)) continue;
    const int x = batch.x[lane], y = batch.y[lane];
    if (x / size != block.x || y / size != block.y) {
      block.x = x / size, block.y = y / size;
      target_.load(unsigned(block.x), unsigned(block.y), 0, block.texels.data());
    }
    float sum[4] = {}, first_alpha = 0;
    for (unsigned s = 0; s < samples; s++) {
      const size_t at =
          (size_t(s) * pipeline::pixels_in_block + pipeline::number_in_block(unsigned(x % size), unsigned(y % size))) * bytes;
      surface::Colour colour = surface::read_texel(source_.format, block.texels.data() + at);
      for (unsigned c = 0; c < 4; c++) {
        const auto value = std::bit_cast<float>(colour[c]);
        sum[c] += gamma_ && c < 3 ? raised(value, 2.2) : value;
      }
      if (s == 0) first_alpha = std::bit_cast<float>(colour[3]);
    }
    for (unsigned c = 0; c < 4; c++) {
      float value = c == 3 && !average_alpha_ ? first_alpha : sum[c] / float(samples);
      if (gamma_ && c < 3) value = raised(value, 1 / 2.2);
      results.colour[0][c][lane] = std::bit_cast<uint32_t>(value);
    }
  }
  return true;
}

}  // namespace Atoll::r5xx
