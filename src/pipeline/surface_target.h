// A render target over a level of a texture, in whatever tiling: blocks of 8x8 pixels are moved by the runs of texels that lie next
// to each other in memory, alike in all blocks. A family adds what its metadata say of blocks, by deriving from it.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "pipeline/target.h"
#include "surface/texture.h"
#include "surface/tile_parts.h"

namespace Atoll::pipeline {

class SurfaceTarget : public Target {
public:
  // `width`, `height`: pixels that exist; up to whole tiles where the texture has them. Layers are the level's slices.
  SurfaceTarget(surface::Texture texture, unsigned width, unsigned height, unsigned level = 0);

  // Finds the runs of texels that blocks are moved by. Without, and in blocks that are not whole, texels are moved one by one.
  void find_runs();

  void load(unsigned x, unsigned y, unsigned layer, uint8_t* texels) override;
  void store(unsigned x, unsigned y, unsigned layer, const uint8_t* texels) override;
  void store_depths(unsigned x, unsigned y, unsigned layer, const uint8_t* texels, unsigned samples) override;
  void fill_area(const Rectangle& area, unsigned layer, const PixelChange& change) override;
  unsigned samples_there() const override { return samples; }
  bool is_all_there() const override { return true; }  // a texture's memory is
  PixelPlace place_of(unsigned x, unsigned y, unsigned layer, unsigned sample) const override;

  const surface::Texture texture;
  const unsigned level;
  const unsigned width, height, layers, samples, texel_bytes;

protected:
  unsigned blocks_across() const { return (width + block_size - 1) / block_size; }
  unsigned blocks_down() const { return (height + block_size - 1) / block_size; }
  bool is_inside(unsigned bx, unsigned by, unsigned layer) const {
    return layer < layers && bx * block_size < width && by * block_size < height;
  }
  bool moves_by_runs(unsigned bx, unsigned by) const { return parts_ && bx < parts_->columns() && by < parts_->rows(); }

  // The steps of the functions above, which leave metadata to the family. A block is inside where texels are changed.
  void move_out(unsigned bx, unsigned by, unsigned layer, uint8_t* texels) const;
  void move_in(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) const;
  // True if store_depths() and fill_area() may work in memory; false: by load() and store().
  bool keeps_upper_bytes(unsigned bx, unsigned by, unsigned layer) const;
  void move_depths_in(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) const;
  // fill_area() with what the family knows of a block: `reads_elsewhere(bx, by)` where its texels are not those in memory,
  // `changed(bx, by)` behind each that was changed in memory.
  template <class ReadsElsewhere, class Changed>
  void fill_blocks(const Rectangle& area, unsigned layer, const PixelChange& change, ReadsElsewhere reads_elsewhere,
                   Changed changed);
  // texel(number in the block, where it stands in `in`; null outside of the surface)
  template <class Texel>
  void each_texel(const surface::Texture& in, unsigned bx, unsigned by, unsigned layer, Texel texel) const;
  void copy_texel(uint8_t* to, const uint8_t* from) const;

private:
  std::optional<surface::TileParts> parts_;
  std::vector<surface::TileParts::Place> runs_;  // of a block's texels, in the pipeline's order
  unsigned run_bytes_ = 0;
  bool crossed_ = false;  // of each four runs of 8 bytes the second and the third change places

  // The change of a sample's runs.
  struct RunChange {
    alignas(32) uint8_t keep[32], flip[32];
  };
  bool find_change(const PixelChange& change, std::array<RunChange, max_samples>& of_sample) const;
  void change_in_memory(unsigned bx, unsigned by, unsigned layer, const std::array<RunChange, max_samples>& of_sample,
                        bool keeps) const;
  void find_parts(unsigned bx, unsigned by, unsigned layer, uint8_t** part) const;
  template <class Copy>
  void copy_runs(Copy copy_with) const;
};

template <class Texel>
void SurfaceTarget::each_texel(const surface::Texture& in, unsigned bx, unsigned by, unsigned layer, Texel texel) const {
  const surface::Texture::Level& at = in.level(level);
  for (unsigned n = 0; n < samples * pixels_in_block; n++) {
    const unsigned pixel = n % pixels_in_block, sample = n / pixels_in_block;
    const unsigned x = bx * block_size + x_in_block(pixel), y = by * block_size + y_in_block(pixel);
    if (x >= width || y >= height)
      texel(n, nullptr);
    else if (at.separable)
      texel(n, at.at(at.x[x], at.y[y], at.z[layer]));
    else
      texel(n, in.texel(level, x, y, layer, sample));
  }
}

template <class ReadsElsewhere, class Changed>
void SurfaceTarget::fill_blocks(const Rectangle& area, unsigned layer, const PixelChange& change, ReadsElsewhere reads_elsewhere,
                                Changed changed) {
  constexpr int size = block_size;
  const bool keeps = change.keeps();
  std::array<RunChange, max_samples> of_sample;
  if (layer >= layers || !find_change(change, of_sample)) return Target::fill_area(area, layer, change);
  const Rectangle inside{std::max(area.left, 0), std::max(area.top, 0), std::min(area.right, int(width)),
                         std::min(area.bottom, int(height))};
  for (int y = inside.top / size * size; y < inside.bottom; y += size)
    for (int x = inside.left / size * size; x < inside.right; x += size) {
      const unsigned bx = unsigned(x / size), by = unsigned(y / size);
      const Rectangle here{std::max(x, inside.left), std::max(y, inside.top), std::min(x + size, inside.right),
                           std::min(y + size, inside.bottom)};
      if (here != Rectangle{x, y, x + size, y + size} || !moves_by_runs(bx, by) || (keeps && reads_elsewhere(bx, by))) {
        Target::fill_area(here, layer, change);
        continue;
      }
      change_in_memory(bx, by, layer, of_sample, keeps);
      changed(bx, by);
    }
}

}  // namespace Atoll::pipeline
