// Colour and depth buffers of a draw: CB_COLORn_* and DB_* registers as pipeline::Targets over GFX12's swizzle modes. Surfaces have no
// metadata that an access through memory would see: DCC is the memory controller's, which programs never see compressed, and HiZ and HiS
// (PA_SC_HIZ_*, PA_SC_HIS_*) only ever say what a test against the surface itself says; both are left alone. Mesa 25.0.7
// src/amd/common/ac_descriptors.c (ac_init_gfx12_cb_surface, ac_init_gfx12_ds_surface).
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "gpu/gfx12/state/register_context.h"
#include "pipeline/surface_target.h"

namespace Atoll::gfx12 {

// One level of a surface, in the slices that the view has.
class SurfaceBlocks : public pipeline::SurfaceTarget {
public:
  SurfaceBlocks(surface::Texture texture, unsigned width, unsigned height, unsigned level, uint64_t address, uint64_t bytes,
                const uint8_t* host);
  std::span<const pipeline::MemoryRange> memory() const override { return {&memory_, 1}; }

  unsigned pixels_across = 0, pixels_down = 0;  // of the level; `width` and `height` may be those of whole blocks
  const uint64_t address, bytes;                // GPU memory that it takes for granted

private:
  const pipeline::MemoryRange memory_;
};

// The surface that says at which rates pixels are shaded (PA_SC_VRS_RATE_*), a byte for each 8x8 of them. Null: it is not understood
// (counted), or the context is lost.
std::unique_ptr<SurfaceBlocks> rate_surface(RegisterContext& context);

struct ColourSurface {
  std::unique_ptr<SurfaceBlocks> blocks;
  uint64_t submission = 0;  // in which its memory was found to be there
};

struct DepthSurface {
  std::unique_ptr<SurfaceBlocks> depth, stencil;  // either may be null
  unsigned depth_bits = 0;
  uint64_t submission = 0;
};

// Surfaces by the registers that describe them. That their memory is mapped is checked once per submission: mappings do not
// change while it runs.
class TargetCache {
public:
  // Colour buffer `n`; null where none is bound, or it is not understood (counted). False: the context is lost.
  bool colour(RegisterContext& context, unsigned n, ColourSurface*& surface);
  bool depth(RegisterContext& context, DepthSurface*& surface);
  // Between draws: drops everything if it has grown too large.
  void trim(RegisterContext& context);

private:
  static constexpr size_t most = 64;  // of each kind
  std::map<std::vector<uint32_t>, ColourSurface> colours_;
  std::map<std::vector<uint32_t>, DepthSurface> depths_;
};

}  // namespace Atoll::gfx12
