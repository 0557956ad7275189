// The setup backend: which slots of vertices reach the pixel stage, and as which of its inputs. PRM volume 2a, 3DSTATE_SBE,
// 3DSTATE_SBE_SWIZ.
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/dg1/state/graphics_state.h"

namespace Atoll::dg1 {

// An input of the pixel stage. Its numbers are those of pipeline attributes, which are a vertex's slots of four dwords from the read
// offset on, raw bits.
struct PixelInput {
  uint8_t front = 0, back = 0;  // attributes; they differ where the slot behind is that of back faces (two-sided colours)
  bool constant = false;        // Constant Interpolation: the provoking vertex's
  bool point_sprite = false;    // of points: their coordinates
  uint8_t overridden = 0;       // bit c: component c is `value`
  enum class Value : uint8_t { CONST_0000, CONST_0001_FLOAT, CONST_1111_FLOAT, PRIM_ID } value{};
  uint8_t wrapped = 0;  // bit c: component c goes the short way round from vertex to vertex, as on a cylinder
  bool x_is_w = false;  // the attribute's fourth component comes in place of its first
  bool operator==(const PixelInput&) const = default;
};

struct AttributeMap {
  unsigned read_offset = 0;        // in pairs of slots: attribute n is slot 2 * read_offset + n of a vertex
  unsigned vertex_attributes = 0;  // how many slots are read
  std::vector<PixelInput> inputs;  // Number of SF Output Attributes of them
  bool sprite_origin_lower_left = false;
};
AttributeMap find_attributes(const GraphicsState& state);

}  // namespace Atoll::dg1
