// The resolve of a multisampled colour buffer: pixels of a draw take the mean of their samples, whatever its shader says
// (R5xx Acceleration v1.3, 10.2, RB3D_AARESOLVE_CTL).
#pragma once
#include <vector>

#include "gpu/r5xx/draw/targets.h"
#include "pipeline/stages.h"

namespace Atoll::r5xx {

class ResolveStage : public pipeline::PixelStage {
public:
  // `source`: the multisampled buffer. `gamma`: colours (never alpha) have their mean taken in linear light, of gamma 2.2.
  ResolveStage(const ColourBuffer& source, SurfaceTarget& target, bool average_alpha, bool gamma, unsigned workers);
  unsigned batch_size() const override { return 32; }
  uint8_t barycentrics() const override { return 0; }
  bool shade(unsigned worker, const pipeline::PixelBatch& batch, pipeline::PixelResults& results) override;

private:
  // The block of the source that a worker read last.
  struct Block {
    int x = -1, y = -1;
    std::vector<uint8_t> texels;
  };
  const ColourBuffer& source_;
  SurfaceTarget& target_;
  bool average_alpha_, gamma_;
  std::vector<Block> blocks_;
};

}  // namespace Atoll::r5xx
