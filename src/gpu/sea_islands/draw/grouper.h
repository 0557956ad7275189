// Primitives described by registers (VGT_DRAW_INITIATOR.MAJOR_MODE 1): what is drawn is a stream of 16-bit words, of which each group
// is one vertex. Sea Islands 3D/Compute Register Reference, VGT: VGT_GROUP_*, VGT_OUTPUT_PATH_CNTL; what it leaves open:
// docs/errata.md.
#pragma once
#include <array>

#include "gpu/sea_islands/draw/shader_stages.h"
#include "pipeline/draw.h"

namespace Atoll::sea_islands {

class Grouper {
public:
  // Takes the draw's indices for the stream; the draw's vertices are the groups' numbers from then on, its topology that of
  // VGT_GROUP_PRIM_TYPE. False: nothing is drawn (counted).
  bool prepare(RegisterContext& context, const StageSelection& stages, pipeline::Draw& draw);

  // The components of the groups `numbers`: those of vector 0 in v0 to v3, of vector 1 in v4 to v7. VGPRs from `vgprs` to 3 and of
  // components that are not enabled stay as they are, but v0, which is 0 then.
  void load(wave::Wave& wave, std::span<const uint32_t> numbers, unsigned vgprs) const;

private:
  struct Component {
    bool enabled = false;
    uint8_t conversion = 0, offset = 0;  // VGT_GROUP_CONV_SEL; words from where the vector begins
  };
  struct Vector {
    std::array<Component, 4> component;
    uint32_t stride = 0, shift = 0;  // words
    bool used() const;
  };
  template <class Control, class Format>
  static Vector vector_of(const RegisterFile& registers);
  uint32_t word(uint64_t at) const;
  uint32_t value(const Vector& vector, const Component& component, uint64_t at, uint32_t group) const;
  uint32_t primitives_before(uint32_t group) const;

  pipeline::Vertices stream_;
  std::array<Vector, 2> vector_;
  // Groups of a primitive, and by how many the next one begins later; no primitive ends before the draw does: 0.
  uint32_t corners_ = 0, step_ = 1;
};

}  // namespace Atoll::sea_islands
