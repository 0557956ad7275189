#include "pipeline/tiles/tile_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>

#include "pipeline/block_pixels.h"

namespace Atoll::pipeline {

namespace {

// Blocks of the target, from a tile's.
unsigned block_x(const TilePosition& tile, unsigned block) { return unsigned(tile.x) / block_size + block % block_row; }
unsigned block_y(const TilePosition& tile, unsigned block) { return unsigned(tile.y) / block_size + block / block_row; }

// Fills the blocks in memory: the tile as a whole where it can be, as targets know short ways for large areas only.
void fill_blocks(Target& target, const TilePosition& tile, uint64_t blocks, const OwnedChange& change) {
  if (blocks == ~uint64_t(0)) {
    target.fill_area({tile.x, tile.y, tile.x + tile_size, tile.y + tile_size}, tile.layer, change.view());
    return;
  }
  alignas(64) uint8_t texels[pixels_in_block * max_samples * max_texel_bytes];
  // Blocks that depend on nothing in memory, or that only leave its stencils, are all the same: made once.
  const bool keeps = change.keeps(), depths_alone = keeps && sets_depths_alone(change);
  if (depths_alone) std::fill_n(texels, pixels_in_block * change.samples * change.texel_bytes(), uint8_t(0));
  if (depths_alone || !keeps) change_block(texels, change.view(), depths_alone);
  for (uint64_t left = blocks; left; left &= left - 1) {
    const unsigned block = unsigned(std::countr_zero(left)), bx = block_x(tile, block), by = block_y(tile, block);
    if (depths_alone) {
      target.store_depths(bx, by, tile.layer, texels, change.samples);
      continue;
    }
    if (keeps) load_filled(target, bx, by, tile.layer, change, texels);
    target.store(bx, by, tile.layer, texels);
  }
}

void store(ColourBlocks& blocks, const TilePosition& tile) {
  if (const uint64_t filled = blocks.filled & ~(blocks.present | blocks.dirty))
    fill_blocks(*blocks.target, tile, filled, *blocks.fill);
  if (!blocks.dirty) return;
  for (uint64_t left = blocks.dirty; left; left &= left - 1) load_block(blocks, tile, unsigned(std::countr_zero(left)));
  blocks.target->before_stores(block_x(tile, 0), block_y(tile, 0), tile.layer, block_row, blocks.dirty);
  for (uint64_t left = blocks.dirty; left; left &= left - 1) {
    const unsigned block = unsigned(std::countr_zero(left));
    blocks.target->store(block_x(tile, block), block_y(tile, block), tile.layer, blocks.block(block));
  }
}

void store(DepthBlocks& blocks, const TilePosition& tile) {
  if (const uint64_t filled = blocks.filled & ~blocks.present) {
    if (!blocks.fill->texels.empty()) fill_blocks(*blocks.depth, tile, filled, blocks.fill->texels);
    if (!blocks.fill->stencils.empty()) fill_blocks(*blocks.stencil, tile, filled, blocks.fill->stencils);
  }
  alignas(64) uint16_t halves[pixels_in_block * max_samples];
  size_t count = size_t(pixels_in_block) * blocks.samples;
  for (uint64_t left = blocks.depth_dirty | blocks.stencil_dirty; left; left &= left - 1) {
    unsigned block = unsigned(std::countr_zero(left)), bx = block_x(tile, block), by = block_y(tile, block);
    uint32_t* depths = blocks.depths.data() + block * count;
    uint8_t* stencils = blocks.stencils.data() + block * count;
    bool word = blocks.depth && ((blocks.depth_dirty >> block & 1) || blocks.stencil_in_upper_byte);
    if (word && blocks.bits == 16) {
      for (size_t n = 0; n < count; n++) halves[n] = uint16_t(depths[n]);
      blocks.depth->store(bx, by, tile.layer, reinterpret_cast<const uint8_t*>(halves));
    } else if (word && (blocks.upper_absent >> block & 1)) {
      blocks.depth->store_depths(bx, by, tile.layer, reinterpret_cast<const uint8_t*>(depths), blocks.samples);
    } else if (word) {
      // (The word has its upper byte even where that is no stencil.)
      if (blocks.stencil_in_upper_byte)
        for (size_t n = 0; n < count; n++) depths[n] = (depths[n] & 0xffffff) | uint32_t(stencils[n]) << 24;
      blocks.depth->store(bx, by, tile.layer, reinterpret_cast<const uint8_t*>(depths));
    }
    if (blocks.stencil && (blocks.stencil_dirty >> block & 1)) blocks.stencil->store(bx, by, tile.layer, stencils);
  }
}

bool overlap(const MemoryRange& a, const MemoryRange& b) { return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes; }
bool overlap(const Target* target, const MemoryRange& range) {
  return target && std::ranges::any_of(target->memory(), [&](const MemoryRange& own) { return overlap(own, range); });
}
bool overlap(const Target* a, const Target* b) {
  if (!a || !b) return false;
  return a == b || std::ranges::any_of(b->memory(), [&](const MemoryRange& range) { return overlap(a, range); });
}

bool overlap(const CachedTarget& a, const CachedTarget& b) {
  return overlap(a.target, b.target) || overlap(a.target, b.stencil) || overlap(a.stencil, b.target) ||
         overlap(a.stencil, b.stencil);
}

}  // namespace

uint8_t* load_block(ColourBlocks& blocks, const TilePosition& tile, unsigned block) {
  uint8_t* texels = blocks.block(block);
  if (blocks.present >> block & 1) return texels;
  blocks.present |= uint64_t(1) << block;
  uint16_t written = blocks.dirty >> block & 1 ? blocks.written[block] : 0;
  if (written == 0xffff) return texels;  // nothing of what is in memory is left
  auto load = [&](uint8_t* to) {
    const unsigned bx = block_x(tile, block), by = block_y(tile, block);
    if (!(blocks.filled >> block & 1))
      return load_texels(*blocks.target, bx, by, tile.layer, blocks.samples, blocks.texel_bytes, to);
    load_filled(*blocks.target, bx, by, tile.layer, *blocks.fill, to);
    blocks.dirty |= uint64_t(1) << block;
  };
  if (!written) {
    load(texels);
    return texels;
  }
  // Some quads were written already (one sample a pixel only).
  alignas(64) uint8_t stored[pixels_in_block * max_texel_bytes];
  load(stored);
  size_t quad_bytes = 4 * blocks.texel_bytes;
  for (unsigned q = 0; q < quads_in_block; q++)
    if (!(written >> q & 1)) std::memcpy(texels + q * quad_bytes, stored + q * quad_bytes, quad_bytes);
  return texels;
}

void load_block(DepthBlocks& blocks, const TilePosition& tile, unsigned block) {
  if (blocks.present >> block & 1) return;
  blocks.present |= uint64_t(1) << block;
  unsigned bx = block_x(tile, block), by = block_y(tile, block);
  size_t count = size_t(pixels_in_block) * blocks.samples;
  uint32_t* depths = blocks.depths.data() + block * count;
  uint8_t* stencils = blocks.stencils.data() + block * count;
  const TargetFill none;
  const TargetFill& fill = blocks.filled >> block & 1 ? *blocks.fill : none;
  auto load = [&](void* to) {
    auto texels = static_cast<uint8_t*>(to);
    if (fill.texels.empty())
      return load_texels(*blocks.depth, bx, by, tile.layer, blocks.samples, blocks.bits == 16 ? 2 : 4, texels);
    load_filled(*blocks.depth, bx, by, tile.layer, fill.texels, texels);
    blocks.depth_dirty |= uint64_t(1) << block;
  };
  if (blocks.depth && blocks.bits == 24 && sets_depths_alone(fill.texels)) {
    // Memory is not read before it is written.
    for (unsigned s = 0; s < blocks.samples; s++)
      std::fill_n(depths + size_t(s) * pixels_in_block, pixels_in_block, WordChange(s, fill.texels)(0));
    blocks.depth_dirty |= uint64_t(1) << block;
    blocks.upper_absent |= uint64_t(1) << block;
  } else if (blocks.depth && blocks.bits == 24 && !fill.texels.empty() && !fill.texels.keeps()) {
    for (unsigned s = 0; s < blocks.samples; s++) {
      const uint32_t word = WordChange(s, fill.texels)(0);
      std::fill_n(depths + size_t(s) * pixels_in_block, pixels_in_block, blocks.stencil_in_upper_byte ? word & 0xffffff : word);
      if (blocks.stencil_in_upper_byte) std::fill_n(stencils + size_t(s) * pixels_in_block, pixels_in_block, uint8_t(word >> 24));
    }
    blocks.depth_dirty |= uint64_t(1) << block;
  } else if (blocks.depth && blocks.bits == 16) {
    alignas(64) uint16_t halves[pixels_in_block * max_samples];
    load(halves);
    for (size_t n = 0; n < count; n++) depths[n] = halves[n];
  } else if (blocks.depth) {
    load(depths);
    // The upper byte of a word of 24 bits of depth is kept as it is where it is no stencil.
    if (blocks.stencil_in_upper_byte) {
      for (size_t n = 0; n < count; n++) {
        stencils[n] = uint8_t(depths[n] >> 24);
        depths[n] &= 0xffffff;
      }
    }
  }
  if (!blocks.stencil) return;
  if (fill.stencils.empty()) return load_texels(*blocks.stencil, bx, by, tile.layer, blocks.samples, 1, stencils);
  load_filled(*blocks.stencil, bx, by, tile.layer, fill.stencils, stencils);
  blocks.stencil_dirty |= uint64_t(1) << block;
}

void load_stencils(DepthBlocks& blocks, const TilePosition& tile, unsigned block) {
  if (!blocks.stencil_in_upper_byte || !(blocks.upper_absent >> block & 1)) return;
  blocks.upper_absent &= ~(uint64_t(1) << block);
  alignas(64) uint32_t words[pixels_in_block * max_samples];
  load_texels(*blocks.depth, block_x(tile, block), block_y(tile, block), tile.layer, blocks.samples, 4,
              reinterpret_cast<uint8_t*>(words));
  const size_t count = size_t(pixels_in_block) * blocks.samples;
  for (size_t n = 0; n < count; n++) blocks.stencils[block * count + n] = uint8_t(words[n] >> 24);
}

// The tiles' memory: pieces of few sizes, given out one after the other and given back all at once.
class TileCache::Memory {
public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    for (Size& size : sizes_) free_unused(size, 0);
  }
  size_t used() const { return used_; }
  uint8_t* take(size_t bytes, size_t max) {
    auto size = std::ranges::find(sizes_, bytes, &Size::bytes);
    if (size == sizes_.end()) size = sizes_.insert(sizes_.end(), Size{bytes, {}, 0});
    if (size->taken == size->blocks.size()) {
      if (allocated_ + bytes > max)
        for (Size& s : sizes_) free_unused(s, s.taken);
      size->blocks.push_back(static_cast<uint8_t*>(::operator new(bytes, alignment)));
      allocated_ += bytes;
    }
    used_ += bytes;
    return size->blocks[size->taken++];
  }
  void give_back() {
    for (Size& size : sizes_) size.taken = 0;
    used_ = 0;
  }

private:
  static constexpr std::align_val_t alignment{64};
  struct Size {
    size_t bytes;
    std::vector<uint8_t*> blocks;
    size_t taken;
  };
  void free_unused(Size& size, size_t first) {
    for (size_t n = first; n < size.blocks.size(); n++) ::operator delete(size.blocks[n], alignment), allocated_ -= size.bytes;
    size.blocks.resize(first);
  }
  std::vector<Size> sizes_;
  size_t used_ = 0, allocated_ = 0;
};

TileCache::TileCache(size_t max_bytes) : max_bytes_(max_bytes), memory_(std::make_unique<Memory>()) {
  targets_.reserve(max_targets);  // they stay where they are
}
TileCache::~TileCache() = default;

unsigned TileCache::in_order(const DrawTargets& draw, std::array<const CachedTarget*, 9>& bound) {
  unsigned count = 0;
  for (const CachedTarget& colour : draw.colour)
    if (colour.target) bound[count++] = &colour;
  if (draw.has_depth) bound[count++] = &draw.depth;
  return count;
}

bool TileCache::has_room(const DrawTargets& draw) const {
  if (targets_.empty()) return true;
  std::array<const CachedTarget*, 9> bound;
  const unsigned count = in_order(draw, bound);
  size_t added = 0;
  for (unsigned n = 0; n < count; n++) {
    for (unsigned k = 0; k < n; k++)
      if (overlap(*bound[n], *bound[k])) return false;
    if (std::ranges::find(targets_, *bound[n]) != targets_.end()) continue;
    added++;
    for (const CachedTarget& kept : targets_)
      if (overlap(*bound[n], kept)) return false;
  }
  return targets_.size() + added <= max_targets;
}

const TileCache::Binding& TileCache::bind(const DrawTargets& draw) {
  std::array<const CachedTarget*, 9> bound;
  std::array<uint8_t, 9> number;
  const unsigned count = in_order(draw, bound);
  bound_ = {};
  for (unsigned n = 1; n < count; n++)
    for (unsigned k = 0; k < n; k++) bound_.overlapping |= overlap(*bound[n], *bound[k]);
  // (Two that overlap are two, even if they are alike.)
  for (unsigned n = 0; n < count; n++) {
    const auto same = bound_.overlapping ? targets_.end() : std::ranges::find(targets_, *bound[n]);
    number[n] = uint8_t(same - targets_.begin());
    if (same == targets_.end()) targets_.push_back(*bound[n]);
  }
  unsigned n = 0;
  for (unsigned c = 0; c < 8; c++)
    if (draw.colour[c].target) bound_.colour[c] = number[n++];
  if (draw.has_depth) bound_.depth = number[n];
  return bound_;
}

TileCache::Tile& TileCache::tile_at(const TilePosition& place) {
  auto slot_of = [&](const TilePosition& p) {
    uint64_t key = uint64_t(p.layer) << 32 | uint64_t(unsigned(p.y) / tile_size) << 16 | uint64_t(unsigned(p.x) / tile_size);
    size_t slot = size_t(key * 0x9e3779b97f4a7c15 >> 32) & (index_.size() - 1);
    while (index_[slot] && !(tiles_[index_[slot] - 1]->place == p)) slot = (slot + 1) & (index_.size() - 1);
    return slot;
  };
  if (index_.size() < 2 * (tiles_in_use_ + 1)) {
    index_.assign(std::max<size_t>(256, 2 * index_.size()), 0);
    for (size_t n = 0; n < tiles_in_use_; n++) {
      tiles_[n]->slot = slot_of(tiles_[n]->place);
      index_[tiles_[n]->slot] = uint32_t(n + 1);
    }
  }
  size_t slot = slot_of(place);
  if (index_[slot]) return *tiles_[index_[slot] - 1];
  if (tiles_in_use_ == tiles_.size()) tiles_.push_back(std::make_unique<Tile>());
  Tile& tile = *tiles_[tiles_in_use_++];
  index_[slot] = uint32_t(tiles_in_use_);
  tile.place = place, tile.slot = slot;
  for (Tile::Part& part : tile.part) part.texels = nullptr;
  return tile;
}

namespace {

// Bounds that no block's widen. (A tile's are those of all.)
template <class Part>
void forget_bounds(const CachedTarget& target, Part& part) {
  auto bounds = reinterpret_cast<int32_t*>(part.texels + target.texels() * 5);
  constexpr auto infinite = std::bit_cast<int32_t>(std::numeric_limits<float>::infinity());
  const bool is_float = target.depth_bits == 32;
  std::fill_n(bounds, blocks_in_tile, is_float ? infinite : INT32_MAX);
  std::fill_n(bounds + blocks_in_tile, blocks_in_tile, is_float ? infinite | INT32_MIN : 0);
}

}  // namespace

TileCache::Tile* TileCache::open(const TilePosition& place, const Binding& binding) {
  Tile& tile = tile_at(place);
  auto each = [&](auto call) {
    for (unsigned n : binding.colour)
      if (n != none && !tile.part[n].texels) call(n);
    if (binding.depth != none && !tile.part[binding.depth].texels) call(binding.depth);
  };
  size_t missing = 0;
  each([&](unsigned n) { missing += targets_[n].bytes(); });
  if (tiles_in_use_ > 1 && memory_->used() + missing > max_bytes_) return nullptr;
  each([&](unsigned n) {
    Tile::Part& part = tile.part[n];
    part.texels = memory_->take(targets_[n].bytes(), max_bytes_);
    part.present = part.dirty = part.stencil_dirty = part.bounded = part.filled = part.upper_absent = 0;
    part.tile_bounded = false;
    if (targets_[n].is_depth) forget_bounds(targets_[n], part);
  });
  return &tile;
}

namespace {

template <class Part>
ColourBlocks colour_of(const CachedTarget& target, Part& part, const OwnedChange& fill) {
  return {target.target,  target.texel_bytes,
          target.samples, size_t(pixels_in_block) * target.samples * target.texel_bytes,
          part.texels,    part.present,
          part.dirty,     part.written,
          part.filled,    &fill};
}
template <class Part>
DepthBlocks depth_of(const CachedTarget& target, const Part& part, const TargetFill& fill) {
  const size_t texels = target.texels();
  DepthBlocks blocks;
  blocks.depth = target.target, blocks.stencil = target.stencil;
  blocks.bits = target.depth_bits, blocks.samples = target.samples;
  blocks.stencil_in_upper_byte = target.stencil_in_upper_byte;
  blocks.depths = {reinterpret_cast<uint32_t*>(part.texels), texels};
  blocks.stencils = {part.texels + texels * 4, texels};
  auto bounds = reinterpret_cast<int32_t*>(part.texels + texels * 5);
  blocks.least = {bounds, blocks_in_tile}, blocks.most = {bounds + blocks_in_tile, blocks_in_tile};
  blocks.present = part.present, blocks.depth_dirty = part.dirty, blocks.stencil_dirty = part.stencil_dirty;
  blocks.bounded = part.bounded, blocks.tile_bounded = part.tile_bounded;
  blocks.tile_least = part.tile_least, blocks.tile_most = part.tile_most;
  blocks.filled = part.filled, blocks.fill = &fill;
  blocks.upper_absent = part.upper_absent;
  return blocks;
}

}  // namespace

ColourBlocks TileCache::colour(Tile& tile, const Binding& binding, unsigned n) const {
  const uint8_t number = binding.colour[n];
  return number == none ? ColourBlocks() : colour_of(targets_[number], tile.part[number], fills_[number].texels);
}
DepthBlocks TileCache::depth(Tile& tile, const Binding& binding) const {
  const uint8_t number = binding.depth;
  return number == none ? DepthBlocks() : depth_of(targets_[number], tile.part[number], fills_[number]);
}
void TileCache::put(Tile& tile, const Binding& binding, unsigned n, const ColourBlocks& blocks) const {
  if (binding.colour[n] == none) return;
  Tile::Part& part = tile.part[binding.colour[n]];
  part.present = blocks.present, part.dirty = blocks.dirty;
}
void TileCache::put(Tile& tile, const Binding& binding, const DepthBlocks& blocks) const {
  if (binding.depth == none) return;
  Tile::Part& part = tile.part[binding.depth];
  part.present = blocks.present, part.dirty = blocks.depth_dirty, part.stencil_dirty = blocks.stencil_dirty;
  part.upper_absent = blocks.upper_absent;
  part.bounded = blocks.bounded, part.tile_bounded = blocks.tile_bounded;
  part.tile_least = blocks.tile_least, part.tile_most = blocks.tile_most;
}

void TileCache::store(Tile& tile) const {
  for (unsigned n = 0; n < targets_.size(); n++) {
    const Tile::Part& part = tile.part[n];
    if (!part.texels || !(part.dirty | part.stencil_dirty | part.filled)) continue;
    if (targets_[n].is_depth) {
      DepthBlocks blocks = depth_of(targets_[n], part, fills_[n]);
      pipeline::store(blocks, tile.place);
    } else {
      ColourBlocks blocks = colour_of(targets_[n], tile.part[n], fills_[n].texels);
      pipeline::store(blocks, tile.place);
    }
  }
}

// One fill a target can be noted, and none that might fail later.
bool TileCache::can_note(unsigned number, const TargetFill& fill) const {
  const CachedTarget& target = targets_[number];
  auto fits = [&](const Target* of, size_t texel_bytes, const OwnedChange& change) {
    return change.empty() ||
           (of && of->is_all_there() && change.samples == target.samples && change.keep.size() == texel_bytes * target.samples);
  };
  const size_t texel_bytes = !target.is_depth ? target.texel_bytes : target.depth_bits == 16 ? 2 : 4;
  if (!fits(target.target, texel_bytes, fill.texels) || !fits(target.stencil, 1, fill.stencils)) return false;
  return fill == fills_[number] ||
         std::ranges::none_of(tiles(), [&](const auto& tile) { return tile->part[number].texels && tile->part[number].filled; });
}

namespace {

// The blocks of a tile of which all or some pixels lie in the area: a bit each.
struct BlocksInArea {
  uint64_t whole = 0, touched = 0;
  BlocksInArea(const TilePosition& tile, const Rectangle& area) {
    // Blocks of a row or column, from `first` on, that [begin, end) covers whole (all) or in part (some).
    auto covered = [](int first, int begin, int end, uint32_t& all, uint32_t& some) {
      all = some = 0;
      for (unsigned n = 0; n < block_row; n++) {
        const int at = first + int(n * block_size);
        if (begin < at + int(block_size) && end > at) some |= 1u << n;
        if (begin <= at && end >= at + int(block_size)) all |= 1u << n;
      }
    };
    uint32_t columns, some_columns, rows, some_rows;
    covered(tile.x, area.left, area.right, columns, some_columns);
    covered(tile.y, area.top, area.bottom, rows, some_rows);
    for (unsigned row = 0; row < block_row; row++) {
      if (rows >> row & 1) whole |= uint64_t(columns) << row * block_row;
      if (some_rows >> row & 1) touched |= uint64_t(some_columns) << row * block_row;
    }
  }
};

}  // namespace

void TileCache::note_fill(Tile& tile, unsigned number, const Rectangle& area) {
  constexpr int size = int(block_size);
  const CachedTarget& target = targets_[number];
  const TargetFill& fill = fills_[number];
  const OwnedChange& change = fill.texels;
  Tile::Part& part = tile.part[number];
  auto keeps_some = [](const Target* of, const OwnedChange& its) { return of && (its.empty() || its.keeps()); };
  const bool keeps = keeps_some(target.target, fill.texels) || keeps_some(target.stencil, fill.stencils);
  const auto depth = target.is_depth && !change.empty() ? depth_after(change, target.depth_bits) : std::nullopt;
  const auto bounds = reinterpret_cast<int32_t*>(part.texels + target.texels() * 5);  // of depth
  part.tile_bounded = false;
  const BlocksInArea inside(tile.place, area);
  uint64_t noted = inside.whole;
  if (keeps) noted &= ~(part.present | part.dirty | part.stencil_dirty | part.filled);
  for (uint64_t* state : {&part.present, &part.dirty, &part.stencil_dirty, &part.bounded, &part.upper_absent}) *state &= ~noted;
  part.filled |= noted;
  if (depth) {
    part.bounded |= noted;
    for (unsigned block = 0; block < blocks_in_tile; block++)
      if (noted >> block & 1) bounds[block] = bounds[block + blocks_in_tile] = *depth;
  }
  for (uint64_t left = inside.touched & ~noted; left; left &= left - 1) {
    const unsigned block = unsigned(std::countr_zero(left));
    const uint64_t bit = uint64_t(1) << block;
    const int x = tile.place.x + int(block % block_row) * size, y = tile.place.y + int(block / block_row) * size;
    const uint64_t pixels = pixels_inside(area, x, y);
    if (!target.is_depth) {
      ColourBlocks blocks = colour_of(target, part, change);
      uint8_t* texels = load_block(blocks, tile.place, block);
      change_pixels(texels, pixels, change.view());
      part.present = blocks.present, part.dirty = blocks.dirty | bit;
      continue;
    }
    DepthBlocks blocks = depth_of(target, part, fill);
    load_block(blocks, tile.place, block);
    const size_t first = size_t(block) * pixels_in_block * target.samples;
    // (If upper bytes are absent, a fill left them out, and it was this one.)
    const bool upper = target.stencil_in_upper_byte && !(blocks.upper_absent >> block & 1);
    for (unsigned sample = 0; sample < target.samples; sample++) {
      const size_t plane = first + size_t(sample) * pixels_in_block;
      auto each = [&](auto call) {
        for (uint64_t rest = pixels; rest; rest &= rest - 1) call(plane + unsigned(std::countr_zero(rest)));
      };
      if (!fill.stencils.empty())
        each([&, stencil = WordChange(sample, fill.stencils)](size_t at) {
          blocks.stencils[at] = uint8_t(stencil(blocks.stencils[at]));
        });
      if (change.empty()) continue;
      each([&, changed = WordChange(sample, change)](size_t at) {
        const uint32_t word = changed(blocks.depths[at] | (upper ? uint32_t(blocks.stencils[at]) << 24 : 0));
        blocks.depths[at] = upper ? word & 0xffffff : word;
        if (upper) blocks.stencils[at] = uint8_t(word >> 24);
      });
    }
    part.present = blocks.present, part.bounded = blocks.bounded & ~bit;
    part.dirty = blocks.depth_dirty | (change.empty() ? 0 : bit);
    part.stencil_dirty = blocks.stencil_dirty | (fill.stencils.empty() ? 0 : bit);
    part.upper_absent = blocks.upper_absent;
  }
}

bool TileCache::fill(const Binding& binding, const Rectangle& area, const TargetChanges& changes) {
  if (binding.overlapping || area.left < 0 || area.top < 0) return false;
  std::array<const TargetFill*, max_targets> fill{};
  auto wanted = [&](uint8_t number, const TargetFill& of) {
    if (of.texels.empty() && of.stencils.empty()) return true;
    if (number == none || !can_note(number, of)) return false;
    fill[number] = &of;
    return true;
  };
  for (unsigned n = 0; n < 8; n++)
    if (!wanted(binding.colour[n], changes.colour[n])) return false;
  if (!wanted(binding.depth, changes.depth)) return false;

  constexpr int side = int(tile_size);
  const int left = area.left / side * side, top = area.top / side * side;
  const size_t count = size_t((area.right - left + side - 1) / side) * size_t((area.bottom - top + side - 1) / side);
  size_t bytes = 0;
  for (const CachedTarget& target : targets_) bytes += target.bytes();
  if (count * bytes > max_bytes_) return false;
  std::vector<Tile*> opened;
  opened.reserve(count);
  for (int y = top; y < area.bottom; y += side)
    for (int x = left; x < area.right; x += side) {
      opened.push_back(open({x, y, 0}, binding));
      if (!opened.back()) return false;
    }
  for (unsigned n = 0; n < max_targets; n++) {
    if (!fill[n]) continue;
    fills_[n] = *fill[n];
    for (Tile* tile : opened) note_fill(*tile, n, area);
  }
  return true;
}

bool TileCache::lies_in(const MemoryRange& range) const {
  return std::ranges::any_of(
      targets_, [&](const CachedTarget& kept) { return overlap(kept.target, range) || overlap(kept.stencil, range); });
}

void TileCache::forget() {
  for (size_t n = 0; n < tiles_in_use_; n++) index_[tiles_[n]->slot] = 0;
  if (tiles_in_use_) memory_->give_back();
  tiles_in_use_ = 0;
  targets_.clear();
  bound_ = {};
}

void TileCache::write_back(WorkerPool& workers) {
  workers.share(unsigned(tiles_in_use_), [&](unsigned, unsigned n) { store(*tiles_[n]); });
  forget();
}

}  // namespace Atoll::pipeline
