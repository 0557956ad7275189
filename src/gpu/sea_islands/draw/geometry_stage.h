// Geometry shaders: ES waves leave vertices in the ESGS ring, GS waves take primitives from there, leave vertices in the GSVS
// ring, and tell by messages when one is complete and when a strip ends. The results are places in the GSVS ring, on which the
// copy shader then runs as VS. Sea Islands 3D/Compute Register Reference: VGT_ESGS_RING_*, VGT_GSVS_RING_*, VGT_GS_*; layouts of
// the rings: Mesa 22.3.6 src/gallium/drivers/radeonsi/si_shader_llvm_gs.c. Both rings may be in the LDS of a subgroup of waves instead
// (VGT_GS_MODE.ONCHIP); their layout there: AMD's LLPC, lgc/patch/PatchCopyShader.cpp and PatchInOutImportExport.cpp.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "gpu/sea_islands/draw/draw_context.h"
#include "gpu/sea_islands/draw/stage_vertices.h"
#include "wave/storage.h"

namespace Atoll::sea_islands {

inline constexpr uint32_t strip_end = ~0u;  // between places in the GSVS ring

// Splits a stream's strips into points, lines or triangles; `topology`: points, line_strip or triangle_strip.
uint64_t primitives_in(std::span<const uint32_t> emitted, pipeline::Topology topology);

class GeometryStage {
public:
  // The vertices that the shader emitted into each stream: places in the GSVS ring (dwords), strip_end after every strip.
  using Emitted = std::array<std::vector<uint32_t>, 4>;
  using Consumer = std::function<bool(const Emitted&)>;

  // False: the context is lost.
  bool prepare(DrawContext& context, const StageSelection& stages);
  // Runs ES and GS over the primitives, in their order, in as many parts as the rings ask for; `consume` gets what each part
  // emitted and ends it all by returning false.
  bool run(const StagePrimitives& primitives, const Consumer& consume);
  uint64_t invocations() const { return invocations_; }
  // The LDS that the waves of a subgroup share, with that of the copy shader; empty if the rings are in memory.
  std::span<uint8_t> lds() const { return {lds_.get(), lds_bytes_}; }

  // The messages of one GS wave.
  struct GsMessages {
    struct Event {
      uint64_t lanes;
      uint8_t operation, stream;
    };
    std::vector<Event> events;
    size_t count = 0;  // its invocations
    // So far, by stream: vertices of each lane, at most `max_vertices`, and lanes with a strip that is not ended.
    std::array<std::array<uint16_t, 64>, 4> vertices{};
    std::array<uint64_t, 4> open{};

    void begin(size_t invocations);
    // Messages that change nothing any more are not kept: a shader may send them for ever.
    void add(Event event, uint32_t max_vertices);
  };

private:
  class Environment;
  bool run_es(const StagePrimitives& primitives, std::span<const uint32_t> vertices);
  // `wave`: of the part; what it says goes to `messages`.
  bool run_gs(size_t wave, GsMessages& messages, std::span<const uint32_t> offsets, const StagePrimitives& primitives,
              size_t first, size_t count, unsigned worker);
  bool run_part(const StagePrimitives& primitives, size_t first, size_t count, std::span<const uint32_t> vertices,
                std::span<const uint32_t> offsets, const Consumer& consume);
  uint32_t ring_place(size_t wave, uint32_t lane, unsigned stream, uint32_t vertex) const;
  bool run_waves(size_t count, const std::function<bool(unsigned worker, unsigned wave)>& wave) const;
  void give_lds(wave::Wave& wave) const;

  DrawContext* context_ = nullptr;
  WaveSetup es_, gs_;
  StageSelection stages_;
  bool offchip_ = false;                // ES takes the offset of the hull shader's outputs
  uint32_t es_item_ = 0, gs_item_ = 0;  // dwords of a vertex in the ESGS ring, of an invocation in the GSVS ring
  uint32_t vertex_item_[4] = {}, stream_offset_[4] = {};  // dwords of a stream's vertex; where it begins in an invocation's part
  uint32_t max_vertices_ = 0;                             // that an invocation emits
  unsigned instances_ = 1;                                // invocations for each primitive
  uint32_t es_waves_ = 1, gs_waves_ = 1;                  // that the rings have room for
  bool onchip_ = false;                                   // the rings are in LDS
  uint32_t most_vertices_ = 0, most_primitives_ = 0;      // of a part
  bool without_gs_ = false, without_cuts_ = false;        // ES alone runs; strips end with their invocation only
  wave::StorageBytes lds_;
  uint32_t lds_bytes_ = 0;
  std::vector<GsMessages> messages_;
  std::vector<uint32_t> place_;  // of vertices in the ESGS ring, by their place in the list
  uint64_t invocations_ = 0;
};

}  // namespace Atoll::sea_islands
