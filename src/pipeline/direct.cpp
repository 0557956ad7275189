// Waves that write their pixels themselves (src/pixel): what they are fed, and what the tile's blocks know of it afterwards.
#include <algorithm>
#include <bit>

#include "pipeline/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

constexpr unsigned texel_bytes = 4, quad_bytes = 4 * texel_bytes;

inline const Plane& plane_of(const Primitive& p, unsigned plane) {
  switch (plane) {
    case QuadFeed::ONE_OVER_W: return p.one_over_w;
    case QuadFeed::PERSPECTIVE_I: return p.perspective[0];
    case QuadFeed::PERSPECTIVE_J: return p.perspective[1];
    case QuadFeed::LINEAR_I: return p.linear[0];
    default: return p.linear[1];
  }
}

// As interpolation.cpp has them: a quad's first pixel in doubles, the others a float's slope away.
inline f32x4 slope(const Plane& plane) {
  float x = float(plane.x), y = float(plane.y);
  return f32x4{0, x, y, x + y};
}

void begin_block(ColourBlocks& blocks, unsigned block) {
  if (!(blocks.dirty >> block & 1)) blocks.written[block] = 0, blocks.dirty |= uint64_t(1) << block;
}

// Notes which quads of blocks that are not loaded are whole now. Blocks that the shader took pixels from are loaded, for what is left
// of them. `place`: of quads, as in Tile.
void note_written(Tile& tile, unsigned n, const uint16_t* place, unsigned quads, uint64_t lanes) {
  ColourBlocks& blocks = tile.colour[n];
  uint64_t wanted = 0;  // blocks to be loaded
  for (unsigned q = 0; q < quads; q++) {
    const unsigned block = place[q] / quads_in_block, quad = place[q] % quads_in_block;
    const bool known = blocks.present >> block & 1 || blocks.written[block] >> quad & 1;
    if (!known && (lanes >> 4 * q & 0xf) != 0xf) wanted |= uint64_t(1) << block;
  }
  alignas(64) uint32_t fresh[max_quads][4];
  auto texels = [&](unsigned q) { return blocks.block(place[q] / quads_in_block) + place[q] % quads_in_block * quad_bytes; };
  if (wanted)
    for (unsigned q = 0; q < quads; q++) std::memcpy(fresh[q], texels(q), quad_bytes);
  for (uint64_t left = wanted; left; left &= left - 1) tile.present_colour(n, unsigned(std::countr_zero(left)));
  for (unsigned q = 0; q < quads; q++) {
    const unsigned block = place[q] / quads_in_block, pixels = unsigned(lanes >> 4 * q) & 0xf;
    if (wanted >> block & 1) {
      for (unsigned lane = 0; lane < 4; lane++)
        if (pixels >> lane & 1) std::memcpy(texels(q) + lane * texel_bytes, &fresh[q][lane], texel_bytes);
    } else if (!(blocks.present >> block & 1) && pixels == 0xf) {
      blocks.written[block] |= uint16_t(1u << place[q] % quads_in_block);
    }
  }
}

class Waves : public DirectWaves {
public:
  explicit Waves(Tile& tile)
      : tile_(tile),
        at_x_(tile.constants->sample_dx[0]),
        at_y_(tile.constants->sample_dy[0]),
        begin_(tile.perspective ? QuadFeed::ONE_OVER_W : QuadFeed::LINEAR_I),
        end_(tile.linear ? QuadFeed::kPlanes : QuadFeed::LINEAR_I) {}

protected:
  Tile& tile_;
  const double at_x_, at_y_;
  const unsigned begin_, end_;  // planes

  template <class Function>
  void each_target(Function function) const {
    for (unsigned n = 0; n < tile_.colours; n++)
      if (tile_.path[n].kind != ColourPath::Kind::none) function(n);
  }
  void feed_constants(QuadFeed& feed) const {
    each_target([&](unsigned n) { std::memcpy(feed.constant[n], tile_.path[n].constant, sizeof feed.constant[n]); });
  }
};

// Blocks that their primitives cover whole.
class WholeBlocks final : public Waves {
public:
  using Waves::Waves;

  const PixelBatch* next(QuadFeed& feed) override {
    if (at_ == tile_.whole_block_count) return nullptr;
    const auto [primitive, block] = tile_.whole_blocks[at_++];
    const Primitive& p = *primitive;
    PixelBatch& batch = tile_.batch;
    if (at_ == 1) feed_constants(feed);
    batch.primitive[0] = p.attributes;
    constexpr i32x16 quad_x = {0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6};
    constexpr i32x16 quad_y = {0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6};
    const i32x16 x = quad_x + (tile_.x + int(block % block_row * block_size)),
                 y = quad_y + (tile_.y + int(block / block_row * block_size));
    store(feed.x, x);
    store(feed.y, y);
    const f64x16 dx = __builtin_convertvector(x, f64x16) + (at_x_ - p.x), dy = __builtin_convertvector(y, f64x16) + (at_y_ - p.y);
    for (unsigned n = begin_; n < end_; n++) {
      const Plane& plane = plane_of(p, n);
      store(feed.first[n], __builtin_convertvector(f64x16(plane.at + plane.y * dy + plane.x * dx), f32x16));
      if (tile_.fed == &p) continue;
      f32x4 s = slope(plane);
      f32x16 four = __builtin_shufflevector(s, s, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
      for (unsigned lane = 0; lane < max_pixels; lane += 16) store(feed.slope[n] + lane, four);
    }
    tile_.fed = &p;
    block_ = block;
    each_target([&](unsigned n) {
      ColourBlocks& blocks = tile_.colour[n];
      begin_block(blocks, block);
      if (tile_.path[n].reads_target) tile_.present_colour(n, block);
      constexpr u32x16 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
      store(feed.place[n], u32x16(number * quad_bytes + uint32_t(block * blocks.block_bytes)));
    });
    return &batch;
  }
  void wrote(const uint64_t* written) override {
    each_target([&](unsigned n) {
      if (written[n] == ~uint64_t(0)) {
        if (!(tile_.colour[n].present >> block_ & 1)) tile_.colour[n].written[block_] = 0xffff;
        return;
      }
      uint16_t place[quads_in_block];
      for (unsigned q = 0; q < quads_in_block; q++) place[q] = uint16_t(block_ * quads_in_block + q);
      note_written(tile_, n, place, quads_in_block, written[n]);
    });
  }

private:
  unsigned at_ = 0, block_ = 0;
};

// The wave at hand.
class PackedWave final : public Waves {
public:
  using Waves::Waves;

  const PixelBatch* next(QuadFeed& feed) override {
    if (done_) return nullptr;
    done_ = true;
    PixelBatch& batch = tile_.batch;
    feed_constants(feed);
    tile_.fed = nullptr;
    batch.one_primitive = true;
    for (unsigned q = 0; q < batch.quads; q++) {
      const Primitive& p = *tile_.primitive[q];
      batch.primitive[q] = p.attributes;
      batch.one_primitive &= &p == tile_.primitive[0];
      feed.x[q] = batch.x[4 * q], feed.y[q] = batch.y[4 * q];
      const double dx = double(feed.x[q]) + (at_x_ - p.x), dy = double(feed.y[q]) + (at_y_ - p.y);
      for (unsigned n = begin_; n < end_; n++) {
        const Plane& plane = plane_of(p, n);
        feed.first[n][q] = float(plane.at + plane.y * dy + plane.x * dx);
        store(feed.slope[n] + 4 * q, slope(plane));
      }
    }
    each_target([&](unsigned n) { place(feed.place[n], n); });
    return &batch;
  }
  void wrote(const uint64_t* written) override {
    each_target([&](unsigned n) { note_written(tile_, n, tile_.place, tile_.batch.quads, written[n]); });
  }

private:
  bool done_ = false;

  // Where the quads lie in a target, whose blocks are loaded where something of them will be left.
  void place(uint32_t* to, unsigned n) {
    const PixelBatch& batch = tile_.batch;
    ColourBlocks& blocks = tile_.colour[n];
    for (unsigned q = 0; q < batch.quads; q++) {
      const unsigned block = tile_.place[q] / quads_in_block, quad = tile_.place[q] % quads_in_block;
      const bool whole = (batch.covered >> 4 * q & 0xf) == 0xf;
      begin_block(blocks, block);
      if (tile_.path[n].reads_target || (!whole && !(blocks.written[block] >> quad & 1))) tile_.present_colour(n, block);
      to[q] = uint32_t(block * blocks.block_bytes + quad * quad_bytes);
    }
    for (unsigned q = batch.quads; q < max_quads; q++) to[q] = to[0];
  }
};

}  // namespace

bool fits_direct(const Tile& tile) {
  return tile.direct.any && (tile.runs == 1 || (tile.runs == 2 && tile.run_begin[1] == max_quads / 2));
}

bool shade_direct(Tile& tile) {
  tile.batch.sample = 0;
  PackedWave wave(tile);
  return tile.constants->draw->pixel_stage->shade_direct(tile.worker, false, wave, tile.texels);
}

bool put_whole_block(Tile& tile, const Primitive& primitive, unsigned block) {
  if (tile.batch.quads && tile.primitive[0] != &primitive && !(flush_whole_blocks(tile) && flush(tile))) return false;
  if (tile.whole_block_count == tile.whole_blocks.size() && !flush_whole_blocks(tile)) return false;
  tile.whole_blocks[tile.whole_block_count++] = {&primitive, block};
  return true;
}

bool flush_whole_blocks(Tile& tile) {
  if (!tile.whole_block_count) return true;
  PixelBatch& batch = tile.batch;
  // The wave that is being packed stays as it is.
  const unsigned quads = batch.quads;
  const uint64_t covered = batch.covered;
  batch.quads = max_quads, batch.covered = ~uint64_t(0), batch.one_primitive = true, batch.sample = 0;
  WholeBlocks waves(tile);
  const bool good = tile.constants->draw->pixel_stage->shade_direct(tile.worker, true, waves, tile.texels);
  tile.pixel_invocations += uint64_t(tile.whole_block_count) * max_pixels;
  batch.quads = quads, batch.covered = covered;
  tile.whole_block_count = 0;
  return good;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
