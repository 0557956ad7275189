// The addresses of a level's elements (texels, or blocks of a compressed format), for every tiling.
#pragma once
#include <cstdint>
#include <variant>

#include "surface/banked_tiling.h"
#include "surface/gfx12_tiling.h"
#include "surface/intel_standard_tiling.h"
#include "surface/intel_tiling.h"
#include "surface/r300_tiling.h"

namespace Atoll::surface {

// Rows after each other. Bytes from row to row of elements, and from slice to slice.
struct LinearSurface {
  uint64_t pitch_bytes = 0, slice_bytes = 0;
};

struct PagedLevel;
// Not the elements of a level, but the numbers of the pages that they lie in, a byte each: for textures that say of each page whether it is
// there (a sparse texture's residency). `of` has blocks of 1 << block_shift x 1 << block_row_shift texels as elements.
struct PageNumbers {
  const PagedLevel* of = nullptr;  // it stands as long as this does
  unsigned element_bytes = 4, block_shift = 0, block_row_shift = 0;
  unsigned page_shift = 16;
  uint32_t samples = 1;
};

using LevelPlace =
    std::variant<LinearSurface, BankedSurface, R300Surface, IntelSurface, Gfx12Surface, IntelStandardSurface, PageNumbers>;

// A level and where it begins from the first page's start, in bytes.
struct PagedLevel {
  LevelPlace place;
  uint64_t offset = 0;
};

// Bytes from the level's start.
uint64_t address_of(const LinearSurface& surface, unsigned element_bytes, const ElementPlace& place);
uint64_t address_of(const BankedSurface& surface, unsigned element_bytes, const ElementPlace& place);
uint64_t address_of(const R300Surface& surface, unsigned element_bytes, const ElementPlace& place);
uint64_t address_of(const IntelSurface& surface, unsigned element_bytes, const ElementPlace& place);
uint64_t address_of(const IntelStandardSurface& surface, unsigned element_bytes, const ElementPlace& place);
uint64_t address_of(const Gfx12Surface& surface, unsigned element_bytes, const ElementPlace& place);
uint64_t address_of(const PageNumbers& surface, unsigned element_bytes, const ElementPlace& place);
inline uint64_t address_of(const LevelPlace& level, unsigned element_bytes, const ElementPlace& place) {
  return std::visit([&](const auto& surface) { return address_of(surface, element_bytes, place); }, level);
}

// An address is the sum of what column, row and slice add, but for the bits that are the exclusive or of the three: of banked
// surfaces pipe and bank, of R300's macro tiles the number of the 64 bytes, of GFX12's blocks those of the surface's start.
struct SwizzledBits {
  unsigned low = 0, count = 0;
};
SwizzledBits swizzled_bits(const LinearSurface& surface);
SwizzledBits swizzled_bits(const BankedSurface& surface);
SwizzledBits swizzled_bits(const R300Surface& surface);
SwizzledBits swizzled_bits(const IntelSurface& surface);
SwizzledBits swizzled_bits(const IntelStandardSurface& surface);
SwizzledBits swizzled_bits(const Gfx12Surface& surface);
SwizzledBits swizzled_bits(const PageNumbers& surface);
inline SwizzledBits swizzled_bits(const LevelPlace& level) {
  return std::visit([](const auto& surface) { return swizzled_bits(surface); }, level);
}

// An address without its swizzled bits, and these alone.
struct SplitAddress {
  uint64_t offset = 0;
  uint32_t swizzle = 0;
};
inline SplitAddress split(uint64_t address, SwizzledBits bits) {
  const uint64_t low = (uint64_t(1) << bits.low) - 1;
  return {(address & low) | (address >> bits.count & ~low), uint32_t(address >> bits.low & ((uint64_t(1) << bits.count) - 1))};
}

}  // namespace Atoll::surface
