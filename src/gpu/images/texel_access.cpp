#include "gpu/images/texel_access.h"

#include "wave/interpreter/atomics.h"

namespace Atoll::gpu::images {

using surface::Lanes;
using wave::ImageAccess;
using wave::ImageOperation;

static_assert(surface::max_lanes == wave::image_lanes);
static_assert(int(surface::LodMode::derivatives) == int(wave::LodMode::derivatives) &&
              int(surface::LodMode::level) == int(wave::LodMode::level) &&
              int(surface::LodMode::bias) == int(wave::LodMode::bias));

namespace {
const uint32_t* lanes_of(const ImageAccess& access, int n) {
  return n >= 0 && n < int(access.coordinate.size()) ? access.coordinate[size_t(n)].data() : nullptr;
}
}  // namespace

void give(ImageAccess& access, const std::array<Lanes, 4>& colour) {
  unsigned to = 0;
  for (unsigned c = 0; c < 4; c++)
    if (access.components >> c & 1) access.data[to++] = colour[c];
}

surface::TexelLanes texel_lanes(const ImageAccess& access, const Coordinates& at) {
  surface::TexelLanes call;
  call.lanes = access.lanes;
  call.active = access.active;
  call.x = lanes_of(access, 0);
  call.y = lanes_of(access, at.y);
  call.z = lanes_of(access, at.z >= 0 ? at.z : at.slice);
  call.sample = lanes_of(access, at.sample);
  call.level = access.explicit_level ? access.lod.data() : nullptr;
  return call;
}

uint8_t* texel_of_lane(const surface::Texture& texture, const surface::TexelLanes& call, unsigned lane, uint32_t more_samples) {
  auto word = [lane](const uint32_t* lanes) { return lanes ? lanes[lane] : 0; };
  const uint32_t level = word(call.level);
  if (level > texture.last_level()) return nullptr;
  return texture.texel_or_null(texture.description().first_level + level, word(call.x), word(call.y), word(call.z),
                               word(call.sample) + more_samples);
}

void load(const surface::Texture& texture, const Coordinates& at, uint64_t hidden, ImageAccess& access) {
  surface::TexelLanes call = texel_lanes(access, at);
  call.outside = surface::in_order(texture.format(), {0, 0, 0, 0});
  call.active &= ~hidden;
  std::array<Lanes, 4> colour;
  surface::fetch(texture, call, colour);
  for (uint64_t rest = hidden; rest; rest &= rest - 1)
    for (size_t c = 0; c < 4; c++) colour[c][size_t(std::countr_zero(rest))] = call.outside[c];
  give(access, colour);
}

std::array<Lanes, 4> colour_given(const ImageAccess& access) {
  std::array<Lanes, 4> colour;
  unsigned from = 0;
  for (unsigned c = 0; c < 4; c++) {
    if (access.components >> c & 1)
      colour[c] = access.data[from++];
    else if (access.fills_with_first)
      colour[c] = access.data[0];
    else
      colour[c].fill(0);
  }
  return colour;
}

void change(const surface::Texture& texture, const Coordinates& at, unsigned dwords, ImageAccess& access) {
  const bool wide = dwords == 2;
  const bool compares = access.atomic == wave::ImageAtomic::compare_swap || access.atomic == wave::ImageAtomic::fcmpswap;
  const surface::TexelLanes call = texel_lanes(access, at);
  const wave::AtomicOp op = wave::atomic_operation(access.atomic, wide);
  for_active(access, [&](unsigned lane) {
    auto word = [&](unsigned n) { return uint64_t(access.data[n][lane]); };
    const uint64_t data = word(0) | (wide ? word(1) << 32 : 0);
    const uint64_t compare = !compares ? 0 : wide ? word(2) | word(3) << 32 : word(1);
    uint8_t* texel = texel_of_lane(texture, call, lane);
    const bool aligned = !(reinterpret_cast<uintptr_t>(texel) & (4 * dwords - 1));
    const uint64_t old = texel && aligned ? wave::atomic_update(op, 4 * dwords, texel, data, compare) : 0;
    access.data[0][lane] = uint32_t(old);
    if (wide) access.data[1][lane] = uint32_t(old >> 32);
  });
}

surface::SampleLanes sample_lanes(const ImageAccess& access, const Coordinates& at, unsigned axes) {
  surface::SampleLanes call;
  call.lanes = access.lanes;
  call.active = access.active;
  call.s = access.coordinate[0].data();
  call.t = lanes_of(access, at.y);
  call.r = lanes_of(access, at.z);
  call.layer = lanes_of(access, at.slice);
  call.lod_mode = surface::LodMode(access.lod_mode);
  if (access.lod_mode == wave::LodMode::bias || access.lod_mode == wave::LodMode::level) call.lod = access.lod.data();
  if (access.clamp_lod) call.lod_clamp = access.lod_clamp.data();
  if (access.lod_mode == wave::LodMode::derivatives)
    for (unsigned c = 0; c < axes; c++) call.dx[c] = access.dx[c].data(), call.dy[c] = access.dy[c].data();
  if (access.compare) call.reference = access.reference.data();
  if (access.offset) call.offsets = access.offsets.data();
  call.gather_component = access.gather_component;
  return call;
}

void sample(const surface::Texture& texture, const surface::Sampler& sampler, const surface::SampleLanes& call,
            ImageAccess& access) {
  std::array<Lanes, 4> result;
  if (access.operation == ImageOperation::gather) {
    surface::gather(texture, sampler, call, result);
    for (size_t c = 0; c < 4; c++) access.data[c] = result[c];
    return;
  }
  if (access.operation == ImageOperation::query_lod)
    surface::query_lod(texture, sampler, call, result);
  else
    surface::sample(texture, sampler, call, result);
  give(access, result);
}

}  // namespace Atoll::gpu::images
