// A draw: registers become a pipeline::Draw, the stages' programs are found, the pipeline runs. Besides ordinary draws: clears in
// which the Z unit fills half of a colour buffer (ZB_BW_CNTL.ZB_CB_CLEAR), and the resolve of multisampled buffers
// (RB3D_AARESOLVE_CTL). R5xx Acceleration v1.3, 10.2, 10.11, 10.12.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "gpu/r5xx/context.h"
#include "gpu/r5xx/draw/draw_state.h"
#include "gpu/r5xx/draw/targets.h"
#include "gpu/r5xx/draw/vertex_stage.h"
#include "gpu/r5xx/shaders/shaders.h"
#include "gpu/r5xx/shaders/textures.h"
#include "gpu/r5xx/shaders/waves.h"
#include "pipeline/workers.h"

namespace Atoll::r5xx {

// The draws of one queue, with the state kept from one to the next.
class DrawEngine final : public gpu::DrawnInto {
public:
  explicit DrawEngine(Context& context);
  ~DrawEngine() {
    if (workers_) workers_->abandon();
  }
  DrawEngine(const DrawEngine&) = delete;
  DrawEngine& operator=(const DrawEngine&) = delete;

  // False: the context is lost.
  bool draw(const DrawCall& call);
  // Draws the pixels of deferred draws (pipeline/tiles/scene.h) and stores the cached blocks of targets (pipeline/tiles/tile_cache.h).
  // False: the context is lost.
  bool write_back();
  // The render targets of the last draw.
  std::vector<gpu::Picture> pictures() override;
  void rest() {
    if (workers_) workers_->rest();
  }
  // A target, which stays alive until write_back().
  SurfaceTarget& target(const SurfacePlace& place);
  // State that the stages keep, by worker.
  std::vector<KeptVertices>& kept_vertices() { return kept_vertices_; }
  KeptWaves& pixel_waves() { return pixel_waves_; }
  const ShaderCache& shaders() const { return shaders_; }
  ShaderCache& shaders() { return shaders_; }

private:
  Context& c_;
  ShaderCache shaders_;
  const std::shared_ptr<TextureCache> texture_cache_ = std::make_shared<TextureCache>();
  std::vector<std::shared_ptr<Textures>> textures_;  // of draws that wait, and those that are free
  size_t next_textures_ = 0;
  std::shared_ptr<Textures> free_textures();
  std::unique_ptr<pipeline::Workers> workers_;  // made for the first draw
  std::vector<KeptVertices> kept_vertices_;
  KeptWaves pixel_waves_;
  // The current targets, and those from before the last write_back(), kept for their tables.
  std::vector<std::unique_ptr<SurfaceTarget>> targets_, spent_;
  KnownDrawState known_state_;
  std::array<ColourBuffer, 4> last_buffers_{};
  uint64_t draws_ = 0;
};

}  // namespace Atoll::r5xx
