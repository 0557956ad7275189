// The primitives that the primitive stage works on at once, and the environment of their waves.
#pragma once
#include <atomic>
#include <vector>

#include "gpu/gfx12/draw/primitive_stage.h"

namespace Atoll::gfx12 {

inline constexpr unsigned most_geometry_waves = 15;  // of a group: 4 bits of s3

// Kept by the queue's thread from draw to draw, so that draws allocate nothing.
struct PrimitiveStage::Round {
  pipeline::Segment segment;      // vertices by slots
  std::vector<uint32_t> numbers;  // of vertices of whole primitives
  std::vector<uint32_t> corners;  // their slots
  // For tessellated patches: the tessellated groups, their points by slots, and where the control points of a subgroup's are.
  std::vector<TessellatedPatches> patches;
  std::vector<float> u, v;
  std::vector<uint32_t> relative_patch, patch, off_chip;
  SubgroupList list;
  pipeline::GivenDraw* into = nullptr;
  pipeline::Counters* counters = nullptr;
  pipeline::GivenVertices given;
  std::vector<pipeline::Assembled> primitives;
  std::vector<pipeline::PrimitiveValues> values;
  std::vector<Left> left;  // by subgroup
  std::atomic<bool> fine{true};
  uint32_t first_ordered = 0;  // the number of the first subgroup's waves
  std::vector<float> own;      // of primitives: AttributeRing::attributes() times four floats each
};

// Takes what the first wave of a group asks for.
class PrimitiveStage::Environment : public QueueEnvironment {
public:
  static constexpr uint32_t no_request = ~0u;
  explicit Environment(DrawContext& context) : QueueEnvironment(context) {}
  uint64_t message(wave::Wave& wave, uint32_t message, uint32_t m0) override {
    if ((message & 0xff) != MSG_GS_ALLOC_REQ) return QueueEnvironment::message(wave, message, m0);
    if (request == no_request) request = m0 & ~(1u << 31);
    return 0;
  }
  unsigned vertices() const { return request == no_request ? 0 : request & 0x7ff; }
  unsigned primitives() const { return request == no_request ? 0 : request >> 12 & 0x7ff; }
  uint32_t request = no_request;  // vertices [10:0], primitives [22:12] (Mesa ac_nir_lower_ngg.c, alloc_vertices_and_primitives)
};

}  // namespace Atoll::gfx12
