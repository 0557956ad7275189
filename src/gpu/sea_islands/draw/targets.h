// Colour and depth buffers of a draw: CB_COLORn_* and DB_* registers as pipeline::Targets, metadata included: a tile
// that CMASK or HTILE calls cleared reads as the clear value, whatever its memory holds, and is written out whole when it is
// touched. Nothing is ever stored compressed. Sea Islands 3D/Compute Register Reference, chapters CB and DB.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "gpu/sea_islands/draw/tiled_blocks.h"
#include "surface/format.h"

namespace Atoll::sea_islands {

struct ColourSurface {
  std::unique_ptr<TiledBlocks> blocks;  // null: not bound, or not understood
  surface::Format format;
  uint64_t submission = 0;  // in which its memory was found to be there
  // FMASK, which says for each sample which fragment it is; here always its own. Null: none.
  uint8_t* fmask = nullptr;
  uint64_t fmask_bytes = 0;

  // Writes those numbers into FMASK, for shaders that are about to read it.
  void expand_fmask() const;
};

struct DepthSurface {
  std::unique_ptr<TiledBlocks> depth, stencil;  // either may be null
  unsigned depth_bits = 0;
  bool reads_elsewhere =
      false;  // a plane is loaded from other memory than it is stored in: no draw sees what one before it stored
  uint64_t submission = 0;
};

// Surfaces by the registers that describe them. That their memory is mapped is checked once per submission: mappings do not
// change while it runs.
class TargetCache {
public:
  // Colour buffer `n`; null where none is bound, or its format is unknown (counted). False: the context is lost.
  bool colour(RegisterContext& context, unsigned n, ColourSurface*& surface);
  bool depth(RegisterContext& context, DepthSurface*& surface);
  // Between draws: drops everything if it has grown too large.
  void trim(RegisterContext& context);
  // Drops everything. Nothing that was drawn is kept by the pipeline.
  void forget() { colours_.clear(), depths_.clear(); }

private:
  static constexpr size_t most = 64;  // of each kind
  std::map<std::vector<uint32_t>, std::unique_ptr<ColourSurface>> colours_;
  std::map<std::vector<uint32_t>, std::unique_ptr<DepthSurface>> depths_;
};

}  // namespace Atoll::sea_islands
