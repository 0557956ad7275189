#include "gpu/r5xx/draw/cleared_tiles.h"

#include <algorithm>
#include <bit>

#include "pipeline/draws/fill.h"

namespace Atoll::r5xx {
namespace {

using pipeline::Rectangle;

// The value of a pixel, all samples of which are alike.
pipeline::OwnedChange to_value(uint64_t value, unsigned bytes, unsigned samples) {
  pipeline::OwnedChange change{std::vector<uint8_t>(size_t(bytes) * samples), {}, samples};
  for (unsigned n = 0; n < bytes * samples; n++) change.flip.push_back(uint8_t(value >> n % bytes * 8));
  return change;
}

Rectangle common(const Rectangle& a, const Rectangle& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}
bool is_empty(const Rectangle& r) { return r.left >= r.right || r.top >= r.bottom; }

// The surface as far as whole tiles of its mask go that the picture reaches into. Memory has all rows of a macro tile, and what drivers
// allocate for samples has; of others it may end with the micro tile.
SurfacePlace with_whole_tiles(SurfacePlace place, unsigned tile) {
  const auto& s = place.surface;
  unsigned rows = tile;
  if (!s.macro && place.samples == 1) {
    const auto micro = surface::r300_tile(s.element_bytes, s.micro, false);
    rows = s.micro == surface::R300MicroTile::linear || !micro ? 1 : std::min(tile, micro->height);
  }
  place.width = std::min((place.width + tile - 1) / tile * tile, s.pitch);
  place.height = (place.height + rows - 1) / rows * rows;
  return place;
}

// Clears the parts of tiles beyond the picture. None of it is cached or deferred at that point.
bool clear_beyond(DrawEngine& engine, pipeline::Workers& workers, const SurfacePlace& place, unsigned tile,
                  std::span<const Rectangle> tiles, const pipeline::OwnedChange& change) {
  const SurfacePlace whole = with_whole_tiles(place, tile);
  const int width = int(place.width), height = int(place.height);
  if (whole.width <= place.width && whole.height <= place.height) return true;
  const Rectangle right{width, 0, int(whole.width), int(whole.height)}, below{0, height, width, int(whole.height)};
  SurfaceTarget* target = nullptr;
  for (const Rectangle& all : tiles)
    for (const Rectangle& side : {common(all, right), common(all, below)}) {
      if (is_empty(side)) continue;
      if (!target) {
        target = &engine.target(whole);
        if (!target->mapped()) return true;
        if (!pipeline::write_back(workers, target->memory())) return false;
      }
      target->fill_area(side, 0, change.view());
    }
  return true;
}

// `targets` has the one of this number.
bool clear_tiles(Context& context, DrawEngine& engine, pipeline::Workers& workers, TileMask& mask, const TileMask::Place& where,
                 const SurfacePlace& place, uint64_t value, const pipeline::Targets& targets, unsigned number) {
  const std::vector<Rectangle> tiles = mask.take(where, place.width, place.height);
  if (tiles.empty()) return true;
  const auto change = to_value(value, place.surface.element_bytes, place.samples);
  if (!clear_beyond(engine, workers, place, where.tile, tiles, change)) return !context.lost();
  std::vector<Rectangle> inside;
  inside.reserve(tiles.size());
  for (const Rectangle& all : tiles) inside.push_back(common(all, {0, 0, int(place.width), int(place.height)}));
  // (The draw that failed has said so.)
  return pipeline::change_areas(targets, number, inside, change, workers) && !context.lost();
}

}  // namespace

bool clear_depth_tiles(Context& context, DrawEngine& engine, pipeline::Workers& workers, const DepthBuffer& buffer) {
  const RegisterFile& r = context.registers;
  const TileMask::Place where{.offset = r.whole<ZB_ZMASK_OFFSET>() >> 2,
                              .pitch = r.whole<ZB_ZMASK_PITCH>(),
                              .tile = r.get<GB_Z_PEQ_CONFIG::Z_PEQ_SIZE>() ? 8u : 4u};
  // Stencils, which are in the value's low bits, are above the depths to the pipeline. A buffer of 16 bits has the lower half.
  const uint32_t value = r.whole<ZB_DEPTHCLEARVALUE>();
  pipeline::Targets targets;
  targets.samples = buffer.place.samples;
  targets.depth = {&engine.target(buffer.place), buffer.bits, nullptr, buffer.bits == 24, buffer.code};
  return clear_tiles(context, engine, workers, context.depth_tiles, where, buffer.place,
                     buffer.bits == 24 ? std::rotr(value, 8) : value, targets, pipeline::depth_target);
}

bool clear_colour_tiles(Context& context, DrawEngine& engine, pipeline::Workers& workers, const ColourBuffer& buffer,
                        unsigned n) {
  const RegisterFile& r = context.registers;
  const TileMask::Place where{.offset = r.whole<RB3D_CMASK_OFFSET>(n) >> 2, .pitch = r.whole<RB3D_CMASK_PITCH>(n), .tile = 4};
  using C = RB3D_COLOR_CLEAR_VALUE;
  using Ar = RB3D_COLOR_CLEAR_VALUE_AR;
  using Gb = RB3D_COLOR_CLEAR_VALUE_GB;
  const unsigned bytes = buffer.place.surface.element_bytes;
  // As memory has it: of four components of 16 bits blue, green, red, alpha, of others a word.
  uint64_t value = FieldList<C::BLUE, C::GREEN, C::RED, C::ALPHA>::bits(r.read<C>());
  if (bytes == 8)
    value = FieldList<Gb::BLUE, Gb::GREEN>::bits(r.read<Gb>()) | uint64_t(FieldList<Ar::RED, Ar::ALPHA>::bits(r.read<Ar>()))
                                                                     << 32;
  if (bytes > 8) {
    context.unknown("RB3D_CCTL.CMASK_ENABLE with a target of 128 bits");
    return !context.lost();
  }
  pipeline::Targets targets;
  targets.samples = buffer.place.samples;
  targets.colour[n] = {&engine.target(buffer.place), buffer.format, bytes, false};
  return clear_tiles(context, engine, workers, context.colour_tiles, where, buffer.place, value, targets, n);
}

}  // namespace Atoll::r5xx
