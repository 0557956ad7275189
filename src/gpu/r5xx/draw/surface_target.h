// Tiled surfaces in memory as the pipeline's blocks: R5xx Acceleration v1.3, 10.2, 10.10, 10.12; tiles: surface/r300_tiling.h.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory/address_space.h"
#include "pipeline/target.h"
#include "surface/r300_tiling.h"

namespace Atoll::r5xx {

// A surface in memory, `samples` of a pixel next to each other.
struct SurfacePlace {
  uint64_t address = 0;
  surface::R300Surface surface;
  unsigned samples = 1;
  unsigned width = 0, height = 0;  // pixels that may be touched
  unsigned left = 0, top = 0;      // where in the surface the picture's first pixel lies
  uint8_t swap = 0;                // byte order in memory (byte_swap.h)
  bool stencil_low = false;        // 24 bits of depth stand above 8 of stencil
  bool operator==(const SurfacePlace&) const = default;
};

// Blocks of a surface. Memory that is not mapped reads as 0, is not written, and is counted.
class SurfaceTarget : public pipeline::Target {
public:
  // `like`: of the same surface, whose tables will do; or null.
  SurfaceTarget(const SurfacePlace& place, const AddressSpace& space, const SurfaceTarget* like = nullptr);
  void load(unsigned x, unsigned y, unsigned layer, uint8_t* texels) override;
  void store(unsigned x, unsigned y, unsigned layer, const uint8_t* texels) override;
  void store_depths(unsigned x, unsigned y, unsigned layer, const uint8_t* texels, unsigned samples) override;
  void fill_area(const pipeline::Rectangle& area, unsigned layer, const pipeline::PixelChange& change) override;
  unsigned samples_there() const override { return place_.samples; }
  bool is_all_there() const override { return all_mapped_; }
  // The first address that was not mapped, if any.
  std::string fault() const;
  bool mapped() const { return all_mapped_; }  // all of it, and writable
  std::span<const pipeline::MemoryRange> memory() const override { return {&memory_, 1}; }
  pipeline::PixelPlace place_of(unsigned x, unsigned y, unsigned layer, unsigned sample) const override;
  const SurfacePlace& place() const { return given_; }

private:
  // The part of an address that a run of pixels, or a row, contributes: bits 10 to 6 of macro tiles are the exclusive or of both, all others the sum
  // (surface/r300_tiling.h).
  struct Part {
    uint64_t offset = 0;
    uint32_t swizzle = 0;
  };
  struct Parts {
    std::vector<Part> columns, rows;  // by run, by row; of pixels, whose samples stand next to each other
  };
  Part part_of(unsigned x, unsigned y) const;
  uint64_t run_at(unsigned run, unsigned y) const {
    const Part &column = parts_->columns[run], &row = parts_->rows[y];
    return place_.address + column.offset + row.offset + (column.swizzle ^ row.swizzle);
  }
  template <class Move>
  void each_pair(unsigned x, unsigned y, Move&& move) const;
  template <unsigned pair_bytes, bool store>
  bool move_whole(unsigned block_x, unsigned block_y, uint8_t* texels) const;
  template <bool store>
  bool move_whole(unsigned block_x, unsigned block_y, uint8_t* texels) const;
  void arrange(uint8_t* texels, unsigned pixels, bool store) const;
  bool in_strips(unsigned block_x, unsigned block_y) const;

  const SurfacePlace given_;
  SurfacePlace place_;
  pipeline::MemoryRange memory_;
  const AddressSpace& space_;
  unsigned run_ = 1;           // pixels of a row that stand next to each other in memory
  bool tiles_of_4x2_ = false;  // micro tiles of 32 bytes, two next to each other after each other
  std::shared_ptr<const Parts> parts_;
  bool all_mapped_ = false;
  std::atomic<uint64_t> unmapped_{0};
};

}  // namespace Atoll::r5xx
