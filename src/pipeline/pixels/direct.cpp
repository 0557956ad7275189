// Waves that write their pixels themselves (src/pixel): their payload, and what the tile's blocks know of it afterwards.
#include <algorithm>
#include <bit>
#include <cmath>

#include "pipeline/pixels/pixel_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

inline const Plane& plane_of(const Primitive& p, unsigned plane) {
  switch (plane) {
    case QuadPayload::ONE_OVER_W: return p.one_over_w;
    case QuadPayload::PERSPECTIVE_I: return p.perspective[0];
    case QuadPayload::PERSPECTIVE_J: return p.perspective[1];
    case QuadPayload::LINEAR_I: return p.linear[0];
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
// of them. `place`: of quads, as in Tile; `of`: their blocks.
void note_written(Tile& tile, unsigned n, const uint16_t* place, unsigned quads, uint64_t lanes, uint64_t of) {
  ColourBlocks& blocks = tile.colour[n];
  if (!(of & ~blocks.present)) return;
  const unsigned texel_bytes = blocks.texel_bytes, quad_bytes = 4 * texel_bytes;
  uint64_t wanted = 0;  // blocks to be loaded
  for (unsigned q = 0; q < quads; q++) {
    const unsigned block = place[q] / quads_in_block, quad = place[q] % quads_in_block;
    const bool known = blocks.present >> block & 1 || blocks.written[block] >> quad & 1;
    const unsigned pixels = unsigned(lanes >> 4 * q) & 0xf;
    if (!known && pixels && pixels != 0xf) wanted |= uint64_t(1) << block;
  }
  alignas(64) uint8_t fresh[max_quads][4][16];
  auto texels = [&](unsigned q) { return blocks.block(place[q] / quads_in_block) + place[q] % quads_in_block * quad_bytes; };
  if (wanted)
    for (unsigned q = 0; q < quads; q++)
      for (unsigned lane = 0; lane < 4; lane++) std::memcpy(fresh[q][lane], texels(q) + lane * texel_bytes, texel_bytes);
  for (uint64_t left = wanted; left; left &= left - 1) tile.present_colour(n, unsigned(std::countr_zero(left)));
  for (unsigned q = 0; q < quads; q++) {
    const unsigned block = place[q] / quads_in_block, pixels = unsigned(lanes >> 4 * q) & 0xf;
    if (wanted >> block & 1) {
      for (unsigned lane = 0; lane < 4; lane++)
        if (pixels >> lane & 1) std::memcpy(texels(q) + lane * texel_bytes, fresh[q][lane], texel_bytes);
    } else if (!(blocks.present >> block & 1) && pixels == 0xf) {
      blocks.written[block] |= uint16_t(1u << place[q] % quads_in_block);
      if (blocks.written[block] == 0xffff) blocks.present |= uint64_t(1) << block;  // nothing of what is in memory is left
    }
  }
}

// True if a triangle's interpolated attributes are those of its vertices in every bit, everywhere: infinities and NaNs become
// others, a zero may lose its sign.
bool is_uniform(const Primitive& p, unsigned floats) {
  const PrimitiveAttributes& of = p.attributes;
  if (of.kind != PrimitiveKind::triangle || p.one_over_w.x != 0 || p.one_over_w.y != 0 || !std::isnormal(float(p.one_over_w.at)))
    return false;
  for (unsigned n = 0; n < floats; n++)
    if (!(of.a[n] == of.b[n] && of.a[n] == of.c[n]) || !std::isfinite(of.a[n]) || (of.a[n] == 0 && std::signbit(of.a[n])))
      return false;
  return true;
}

// The pipeline's own floats, with denormals, between two of a wave's.
class PlainFloats {
public:
  PlainFloats() : before_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~PlainFloats() { _mm_setcsr(before_); }
  PlainFloats(const PlainFloats&) = delete;
  PlainFloats& operator=(const PlainFloats&) = delete;

private:
  const unsigned before_;
};

class Waves : public DirectWaves {
public:
  explicit Waves(Tile& tile)
      : tile_(tile),
        samples_(tile.constants->samples),
        at_x_(tile.constants->samples_differ ? tile.constants->centre : tile.constants->sample_dx[0]),
        at_y_(tile.constants->samples_differ ? tile.constants->centre : tile.constants->sample_dy[0]),
        begin_(tile.perspective ? QuadPayload::ONE_OVER_W : QuadPayload::LINEAR_I),
        end_(tile.linear ? QuadPayload::kPlanes : QuadPayload::LINEAR_I) {}

  PixelResults& results() override {
    PixelResults& results = tile_.results;
    results.killed = 0, results.outputs = 0;
    results.unwritten.fill(0);
    results.halves.fill(nullptr);
    results.has_second_source = results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
    results.has_alpha = false;
    return results;
  }

protected:
  Tile& tile_;
  const unsigned samples_;
  const double at_x_, at_y_;
  const unsigned begin_, end_;  // planes
  uint64_t drawn_[16];          // of the wave, where the writing is a second pass

  template <class Function>
  void each_target(Function function) const {
    for (unsigned n = 0; n < tile_.colours; n++)
      if (tile_.path[n].kind != ColourPath::Kind::none) function(n);
  }
  void fill_constants(QuadPayload& payload) const {
    each_target([&](unsigned n) { std::memcpy(payload.constant[n], tile_.path[n].constant, sizeof payload.constant[n]); });
  }
  // Planes of quads that are all of one primitive.
  void fill_quads(QuadPayload& payload, const Primitive& p, const QuadPixels& at) {
    const f64x16 dx = __builtin_convertvector(at.x, f64x16) + (at_x_ - p.x),
                 dy = __builtin_convertvector(at.y, f64x16) + (at_y_ - p.y);
    for (unsigned n = begin_; n < end_; n++) {
      const Plane& plane = plane_of(p, n);
      store(payload.first[n], __builtin_convertvector(f64x16(plane.at + plane.y * dy + plane.x * dx), f32x16));
      if (tile_.slopes_of == &p) continue;
      f32x4 s = slope(plane);
      f32x16 four = __builtin_shufflevector(s, s, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
      for (unsigned lane = 0; lane < max_pixels; lane += 16) store(payload.slope[n] + lane, four);
    }
    tile_.slopes_of = &p;
  }
  // Fills in the quads' positions in the targets. Blocks of which something will be left are loaded first: all but `lanes`. `of`: their
  // blocks.
  void place_quads(QuadPayload& payload, const uint16_t* place, unsigned quads, uint64_t lanes, uint64_t of) {
    each_target([&](unsigned n) {
      ColourBlocks& blocks = tile_.colour[n];
      const uint32_t quad_bytes = 4 * blocks.texel_bytes;
      constexpr u32x16 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
      const u32x16 places = __builtin_convertvector(load<u16x16>(place), u32x16);
      const u32x16 to = places / quads_in_block * uint32_t(blocks.block_bytes) + places % quads_in_block * quad_bytes;
      store(payload.place[n], u32x16(number < quads ? to : u32x16{} + to[0]));
      if (lanes == tile_.batch.covered && !(of & ~blocks.present)) {
        blocks.dirty |= of;
        return;
      }
      for (unsigned q = 0; q < quads; q++) {
        const unsigned block = place[q] / quads_in_block, quad = place[q] % quads_in_block;
        const uint64_t pixels = lanes >> 4 * q & 0xf;
        if (!pixels) continue;
        begin_block(blocks, block);
        const bool whole = pixels == 0xf && samples_ == 1;
        if (tile_.path[n].reads_target || (!whole && !(blocks.written[block] >> quad & 1))) tile_.present_colour(n, block);
      }
    });
  }
};

// Blocks that their primitives cover whole.
class WholeBlocks final : public Waves {
public:
  using Waves::Waves;

  const PixelBatch* next(QuadPayload& payload) override {
    while (at_ < tile_.whole_block_count && repeats()) at_++;
    if (at_ == tile_.whole_block_count) return nullptr;
    const auto [primitive, block] = tile_.whole_blocks[at_++];
    const Primitive& p = *primitive;
    PixelBatch& batch = tile_.batch;
    if (at_ == 1) fill_constants(payload);
    queued_ = block < blocks_in_tile ? nullptr : &tile_.queued[block - blocks_in_tile];
    if (queued_) return next_queued(payload, p);
    batch.quads = max_quads, batch.covered = ~uint64_t(0);
    batch.primitive[0] = p.attributes;
    constexpr i32x16 quad_x = {0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6};
    constexpr i32x16 quad_y = {0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6};
    const i32x16 x = quad_x + (tile_.x + int(block % block_row * block_size)),
                 y = quad_y + (tile_.y + int(block / block_row * block_size));
    store(payload.x, x);
    store(payload.y, y);
    fill_quads(payload, p, {x, y});
    block_ = block;
    tested_ = false;
    if (!tile_.direct.second_pass) {
      place(payload, ~uint64_t(0));
      for (unsigned s = 0; samples_ > 1 && s < samples_; s++) payload.drawn[s] = ~uint64_t(0);
    }
    return &batch;
  }
  bool part(QuadPayload& payload) override {
    if (tested_) return false;
    tested_ = true;
    PlainFloats scope;
    alignas(64) uint32_t coverage[max_pixels];
    if (samples_ > 1 || tile_.results.has_coverage) std::ranges::fill(coverage, (1u << samples_) - 1);
    expand_halves(tile_.results, ~uint64_t(0));
    cover_samples(tile_, {tile_.results, ~uint64_t(0), coverage}, drawn_);
    uint64_t any = 0, all = ~uint64_t(0);
    for (unsigned s = 0; s < samples_; s++) {
      payload.drawn[s] = drawn_at(tile_, *tile_.whole_blocks[at_ - 1].primitive, block_, s, drawn_[s]);
      any |= payload.drawn[s], all &= payload.drawn[s];
    }
    if (any) place(payload, all);
    return any;
  }
  void wrote(const uint64_t* written) override {
    if (samples_ > 1) return;
    if (queued_) {
      repeated_ = nullptr;
      each_target([&](unsigned n) { note_written(tile_, n, queued_->place, queued_->quads, written[n], queued_->blocks); });
      return;
    }
    repeated_ = tile_.direct.uniform && !reads_any_ ? tile_.whole_blocks[at_ - 1].primitive : nullptr;
    if (repeated_ && !is_uniform(*repeated_, tile_.constants->attribute_floats)) repeated_ = nullptr;
    each_target([&](unsigned n) {
      if (written[n] != ~uint64_t(0)) repeated_ = nullptr;
      if (written[n] == ~uint64_t(0)) {
        tile_.colour[n].present |= uint64_t(1) << block_;
        return;
      }
      uint16_t place[quads_in_block];
      for (unsigned q = 0; q < quads_in_block; q++) place[q] = uint16_t(block_ * quads_in_block + q);
      note_written(tile_, n, place, quads_in_block, written[n], uint64_t(1) << block_);
    });
  }

private:
  unsigned at_ = 0, block_ = 0;
  const Tile::QueuedWave* queued_ = nullptr;  // the wave at hand, if it is no block
  bool tested_ = false;
  const Primitive* repeated_ = nullptr;  // whose other blocks are as block_ is
  const bool reads_any_ = [this] {
    bool any = false;
    each_target([&](unsigned n) { any |= tile_.path[n].reads_target; });
    return any;
  }();

  // The next block, if its colours are those of the last wave.
  bool repeats() {
    const auto [primitive, block] = tile_.whole_blocks[at_];
    if (primitive != repeated_ || block >= blocks_in_tile) return false;
    each_target([&](unsigned n) {
      ColourBlocks& blocks = tile_.colour[n];
      begin_block(blocks, block);
      std::memcpy(blocks.block(block), blocks.block(block_), blocks.block_bytes);
      blocks.present |= uint64_t(1) << block;
    });
    return true;
  }

  const PixelBatch* next_queued(QuadPayload& payload, const Primitive& p) {
    PixelBatch& batch = tile_.batch;
    batch.quads = queued_->quads, batch.covered = queued_->covered;
    batch.primitive[0] = p.attributes;
    const QuadPixels at = pixels_of(tile_, queued_->place);
    store(payload.x, at.x);
    store(payload.y, at.y);
    fill_quads(payload, p, at);
    place_quads(payload, queued_->place, batch.quads, batch.covered, queued_->blocks);
    return &batch;
  }

  void place(QuadPayload& payload, uint64_t lanes) {
    each_target([&](unsigned n) {
      ColourBlocks& blocks = tile_.colour[n];
      begin_block(blocks, block_);
      if (tile_.path[n].reads_target || samples_ > 1 ||
          (tile_.direct.second_pass && lanes != ~uint64_t(0) && blocks.written[block_] != 0xffff))
        tile_.present_colour(n, block_);
      constexpr u32x16 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
      store(payload.place[n], u32x16(number * (4 * blocks.texel_bytes) + uint32_t(block_ * blocks.block_bytes)));
    });
  }
};

// The wave at hand.
class PackedWave final : public Waves {
public:
  PackedWave(Tile& tile, DirectKind kind)
      : Waves(tile), second_pass_(tile.direct.second_pass || kind == DirectKind::overlapping) {}

  const PixelBatch* next(QuadPayload& payload) override {
    if (done_) return nullptr;
    done_ = true;
    PixelBatch& batch = tile_.batch;
    fill_constants(payload);
    if (tile_.direct.interpolated)
      interpolate(tile_, batch.sample);
    else
      fill_planes(payload);
    tested_ = false;
    if (second_pass_) return &batch;
    place_quads(payload, tile_.place, batch.quads, batch.covered, tile_.blocks);
    for (unsigned s = 0; samples_ > 1 && s < samples_; s++) payload.drawn[s] = covered_at(s);
    return &batch;
  }
  bool part(QuadPayload& payload) override {
    PlainFloats scope;
    if (!tested_) {
      tested_ = true, run_ = 0;
      expand_halves(tile_.results, tile_.batch.covered);
      cover_samples(tile_, {tile_.results, tile_.batch.covered, tile_.batch.coverage.data()}, drawn_);
      tile_.run_begin[tile_.runs] = uint8_t(tile_.batch.quads);
    }
    for (; run_ < tile_.runs;) {
      const unsigned first = tile_.run_begin[run_], last = tile_.run_begin[++run_];
      const uint64_t of_run =
          (last == max_quads ? ~uint64_t(0) : (uint64_t(1) << 4 * last) - 1) & ~((uint64_t(1) << 4 * first) - 1);
      uint64_t any = 0;
      for (unsigned s = 0; s < samples_; s++) any |= payload.drawn[s] = drawn_at(tile_, first, last, s, drawn_[s] & of_run);
      if (!any) continue;
      place_quads(payload, tile_.place, tile_.batch.quads, any, tile_.blocks);
      return true;
    }
    return false;
  }
  void wrote(const uint64_t* written) override {
    if (samples_ == 1)
      each_target([&](unsigned n) { note_written(tile_, n, tile_.place, tile_.batch.quads, written[n], tile_.blocks); });
  }

private:
  const bool second_pass_;
  bool done_ = false, tested_ = false;
  unsigned run_ = 0;

  void fill_planes(QuadPayload& payload) {
    PixelBatch& batch = tile_.batch;
    const QuadPixels at = pixels_of(tile_);
    store(payload.x, at.x);
    store(payload.y, at.y);
    const unsigned quads = batch.quads;
    batch.one_primitive =
        std::all_of(tile_.primitive + 1, tile_.primitive + quads, [&](auto p) { return p == tile_.primitive[0]; });
    if (batch.one_primitive) {
      const Primitive& p = *tile_.primitive[0];
      batch.primitive[0] = p.attributes;
      return fill_quads(payload, p, at);
    }
    tile_.slopes_of = nullptr;
    for (unsigned q = 0; q < quads; q++) {
      const Primitive& p = *tile_.primitive[q];
      batch.primitive[q] = p.attributes;
      const double dx = double(payload.x[q]) + (at_x_ - p.x), dy = double(payload.y[q]) + (at_y_ - p.y);
      for (unsigned n = begin_; n < end_; n++) {
        const Plane& plane = plane_of(p, n);
        payload.first[n][q] = float(plane.at + plane.y * dy + plane.x * dx);
        store(payload.slope[n] + 4 * q, slope(plane));
      }
    }
  }
  // Lanes that a sample is covered of.
  uint64_t covered_at(unsigned sample) const {
    uint64_t lanes = 0;
    for (unsigned row = 0; row < 4; row++)
      lanes |= uint64_t(sign_bits(i32x16(load<u32x16>(&tile_.batch.coverage[16 * row]) << (31 - sample)))) << 16 * row;
    return lanes & tile_.batch.covered;
  }
};

}  // namespace

std::optional<DirectKind> direct_kind(const Tile& tile) {
  if (tile.direct.any && (tile.direct.second_pass || is_once(tile))) return DirectKind::any;
  return tile.direct.overlapping ? std::optional(DirectKind::overlapping) : std::nullopt;
}

bool shade_direct(Tile& tile, DirectKind kind) {
  PackedWave wave(tile, kind);
  return tile.constants->draw->pixel_stage->shade_direct(tile.worker, kind, wave, tile.texels);
}

bool queue_wave(Tile& tile) {
  if ((tile.whole_block_count == tile.whole_blocks.size() || tile.queued_count == tile.queued.size()) &&
      !flush_whole_blocks(tile))
    return false;
  PixelBatch& batch = tile.batch;
  Tile::QueuedWave& wave = tile.queued[tile.queued_count];
  wave.covered = batch.covered, wave.blocks = tile.blocks, wave.quads = batch.quads;
  std::memcpy(wave.place, tile.place, sizeof wave.place);
  tile.whole_blocks[tile.whole_block_count++] = {tile.primitive[0], blocks_in_tile + tile.queued_count++};
  tile.count_pixels(PixelPath::direct, unsigned(std::popcount(batch.covered)));
  batch.quads = 0;
  tile.runs = 0;
  return true;
}

bool put_whole_block(Tile& tile, const Primitive& primitive, unsigned block) {
  if (tile.batch.quads && tile.primitive[0] != &primitive && !((tile.queues_waves || flush_whole_blocks(tile)) && flush(tile)))
    return false;
  if (tile.whole_block_count == tile.whole_blocks.size() && !flush_whole_blocks(tile)) return false;
  tile.whole_blocks[tile.whole_block_count++] = {&primitive, block};
  tile.count_pixels(PixelPath::direct, max_pixels);
  return true;
}

bool flush_whole_blocks(Tile& tile) {
  if (!tile.whole_block_count) return true;
  PixelBatch& batch = tile.batch;
  // The wave that is being packed stays as it is.
  const unsigned quads = batch.quads;
  const uint64_t covered = batch.covered;
  batch.one_primitive = true, batch.sample = 0;
  WholeBlocks waves(tile);
  const bool good = tile.constants->draw->pixel_stage->shade_direct(tile.worker, DirectKind::blocks, waves, tile.texels);
  batch.quads = quads, batch.covered = covered;
  tile.whole_block_count = tile.queued_count = 0;
  return good;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
