// Media block reads and writes: a rectangle of bytes of a surface of two dimensions, which the sub-group block functions of OpenCL on
// images are. PRM volume 2b, "Media Block" messages: header dwords 0 and 1 the first byte and row, 2 the width in bytes and the height,
// each less 1; a row takes a power of two of bytes in the registers. Outside of the surface the nearest texel is read, and nothing is
// written (cl_intel_subgroups, intel_sub_group_block_read of an image).
#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/semantics/send_called.h"
#include "isa/xe_lp/surface_format.h"
#include "isa/xe_lp/surface_state.h"
#include "surface/intel_tiling.h"

namespace Atoll::xe_lp {
namespace {

using wave::FaultKind;

// The fields of a RENDER_SURFACE_STATE that media blocks need.
struct Picture {
  uint64_t address = 0, pitch = 0;
  int64_t width = 0, height = 0;  // bytes, rows
  int64_t texel_bytes = 0;
  uint64_t first_row = 0;  // of the layer
  bool linear = true;
  surface::IntelTiling tiling = surface::IntelTiling::y;

  // Every other row is there (Vertical Line Stride), from row `begin` on; which one counts beyond the edges (Media Boundary Pixel Mode).
  int64_t stride = 1, begin = 0;
  uint32_t boundary = 0;

  // The row that is read for row y of the picture (BXT PRM volume 2c, RENDER_SURFACE_STATE).
  int64_t row(int64_t y) const {
    using Mode = SurfaceState::Media_Boundary_Pixel_Mode;
    const bool inside = y >= 0 && y < height;
    if (!inside && boundary == Mode::PROGRESSIVE_FRAME && stride > 1) return y < 0 ? 0 : height * stride - 1;
    if (!inside && boundary == Mode::INTERLACED_FRAME && stride == 1 && height > 1)
      return y < 0 ? y & 1 : height - 1 - ((height - 1 - y) & 1);
    return std::clamp<int64_t>(y, 0, height - 1) * stride + begin;
  }
  uint64_t place(int64_t x, int64_t frame_row) const {
    const uint64_t row = first_row + uint64_t(frame_row);
    if (linear) return address + row * pitch + uint64_t(x);
    return address + surface::address({.tiling = tiling, .pitch_bytes = uint32_t(pitch)}, uint64_t(x), row);
  }
};

// False: a fault.
bool read_picture(SendCall& c, const uint32_t* s, Picture& p) {
  using S = SurfaceState;
  const surface::Format* format = surface_format(S::Surface_Format::get(s));
  if (S::Surface_Type::get(s) != S::Surface_Type::SURFTYPE_2D || !format || surface::row(format->layout).block_width > 1)
    return c.fail("a media block of a surface that is not of texels in two dimensions");
  // (a single sample's auxiliary surface says only how memory is compressed, and nothing compresses it)
  const bool plain = !S::Number_of_Multisamples::get(s) && !S::X_Offset::get(s) && !S::Y_Offset::get(s) &&
                     !S::MIP_Count_LOD::get(s) && !S::Surface_Min_LOD::get(s) && !S::Tiled_Resource_Mode::get(s);
  if (!plain) return c.fail("a media block of samples, of a level, of an offset or of a tiled resource is not executed");
  const uint32_t tiling = S::Tile_Mode::get(s);
  p.texel_bytes = surface::row(format->layout).bytes;
  p.width = int64_t(S::Width::get(s) + 1) * p.texel_bytes, p.height = S::Height::get(s) + 1;
  p.pitch = S::Surface_Pitch::get(s) + 1;
  if (S::Vertical_Line_Stride::get(s)) p.stride = 2, p.begin = S::Vertical_Line_Stride_Offset::get(s);
  p.boundary = S::Media_Boundary_Pixel_Mode::get(s);
  p.first_row = uint64_t(S::Minimum_Array_Element::get(s)) * S::Surface_QPitch::get(s) * 4;
  p.address = S::Surface_Base_Address::get(s);
  p.linear = tiling == S::Tile_Mode::LINEAR;
  p.tiling = tiling == S::Tile_Mode::XMAJOR ? surface::IntelTiling::x : surface::IntelTiling::y;
  if (p.linear) return true;
  if (tiling == S::Tile_Mode::XMAJOR || tiling == S::Tile_Mode::YMAJOR)
    if (p.pitch % surface::tile_width(p.tiling) == 0) return true;
  return c.fail("a media block of a surface whose tiles are none");
}

}  // namespace

void run_media_block(SendCall& c, const DataMessage& m) {
  if (!m.header) return void(c.fail("a media block message without a header"));
  const uint32_t* header = c.payload(0);
  const int64_t left = int32_t(header[0]), top = int32_t(header[1]);
  const uint32_t width = (header[2] & 63) + 1, height = (header[2] >> 16 & 63) + 1,
                 row_bytes = std::max(4u, std::bit_ceil(width));
  const uint32_t registers = (height * row_bytes + kRegisterBytes - 1) / kRegisterBytes;
  const uint32_t room = m.write ? (c.descriptor >> 25 & 15) + (c.extended >> 6 & 31) - 1 : m.response_length;
  if (registers > room) return void(c.fail("a media block that is larger than its message"));
  const uint32_t* state = surface_state(c, m.bti);
  Picture p;
  if (!state || !read_picture(c, state, p) || (!m.write && !c.has_answer())) return;
  const FaultKind kind = m.write ? FaultKind::Store : FaultKind::Load;
  for (uint32_t r = 0; r < height; r++)
    for (uint32_t b = 0; b < width; b++) {
      const uint32_t at = r * row_bytes + b;
      int64_t x = left + b, y = top + r;
      const bool inside = x >= 0 && x < p.width && y >= 0 && y < p.height;
      if (m.write && !inside) continue;
      if (x < 0) x = (x % p.texel_bytes + p.texel_bytes) % p.texel_bytes;
      if (x >= p.width) x = p.width - p.texel_bytes + x % p.texel_bytes;
      uint8_t* memory = c.memory(p.place(x, p.row(y)), 1, kind);
      if (!memory) return;
      if (m.write) {
        if (!c.probing) *memory = reinterpret_cast<const uint8_t*>(c.payload(1 + at / kRegisterBytes))[at % kRegisterBytes];
      } else {
        reinterpret_cast<uint8_t*>(c.answer(at / kRegisterBytes))[at % kRegisterBytes] = *memory;
      }
    }
}

}  // namespace Atoll::xe_lp
