// The ring in memory into which geometry waves store what pixels interpolate: 16 bytes an attribute of a vertex, 32 vertices side by side,
// then the next attribute of these; the shaders address it as a swizzled buffer with an index stride of 32. SPI_ATTRIBUTE_RING_*: Mesa
// 25.0.7 src/amd/registers/gfx12.json, ac_cmdbuf.c (ac_emit_cp_gfx11_ge_rings); the buffer: ac_descriptors.c,
// ac_build_attr_ring_descriptor.
#pragma once
#include <cstdint>

#include "gpu/gfx12/draw/draw_context.h"

namespace Atoll::gfx12 {

class AttributeRing {
public:
  // For groups of at most `vertices`, with so many attributes each. False: the context is lost.
  bool prepare(DrawContext& context, unsigned attributes, unsigned vertices);
  unsigned attributes() const { return attributes_; }

  // A part of the ring that is nobody else's while it stands: of a group of waves, from its start until its attributes are taken. Queues
  // that run at once may have the same ring (radeonsi has one for all contexts).
  class Part {
  public:
    Part(const AttributeRing& ring, unsigned worker);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    uint32_t offset() const { return offset_; }  // in units of 512 bytes, as s5 has it
    // The attributes of `count` vertices, `attributes()` times four floats each.
    void take(unsigned count, float* attributes) const;

  private:
    const AttributeRing& ring_;
    uint32_t offset_ = 0;
  };

private:
  static constexpr uint32_t unit = 512;  // bytes: one attribute of 32 vertices
  unsigned attributes_ = 0;
  uint8_t* memory_ = nullptr;
  uint32_t part_units_ = 0, parts_ = 1, first_part_ = 0;
};

}  // namespace Atoll::gfx12
