#include "gpu/sea_islands/draw/stage_vertices.h"

#include <algorithm>
#include <cstring>

#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

std::array<uint32_t, 2> instance_step_rates(const RegisterFile& r) {
  return {std::max(1u, r.whole<VGT_INSTANCE_STEP_RATE_0>()), std::max(1u, r.whole<VGT_INSTANCE_STEP_RATE_1>())};
}

void load_vertices(wave::Wave& w, const VertexLoading& loading, const pipeline::VertexBatch& batch) {
  using namespace gfx7;
  size_t count = batch.number.size();
  uint32_t* v[4];
  for (unsigned n = 0; n < 4; n++) v[n] = words_of(w, vgpr_cell(n));
  if (loading.kind == VertexKind::domain) {
    const DomainPoints& points = *loading.domain;
    for (size_t n = 0; n < count; n++) {
      uint32_t at = batch.number[n];
      v[0][n] = std::bit_cast<uint32_t>(points.u[at]), v[1][n] = std::bit_cast<uint32_t>(points.v[at]);
      v[2][n] = points.relative_patch[at];
      if (loading.vgprs > 3) v[3][n] = points.patch[at];
    }
    return;
  }
  std::memcpy(v[0], batch.number.data(), count * 4);
  if (loading.kind == VertexKind::copy) return;
  if (loading.vgprs > 1)
    for (size_t n = 0; n < count; n++) v[1][n] = batch.instance[n] / loading.step_rate[0];
  if (loading.vgprs > 2 && !batch.primitive.empty())
    std::memcpy(v[2], batch.primitive.data(), count * 4);
  else if (loading.vgprs > 2)
    for (size_t n = 0; n < count; n++) v[2][n] = batch.instance[n] / loading.step_rate[1];
  if (loading.vgprs > 3) std::memcpy(v[3], batch.instance.data(), count * 4);
  if (loading.grouper) loading.grouper->load(w, batch.number, loading.vgprs);
}

}  // namespace Atoll::sea_islands
