#include "gpu/dg1/draw/pixel_payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/dg1/threads/pixel_frame.h"
#include "pipeline/cylinder.h"
#include "pixel/inner_coverage.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

using PS = _3DSTATE_PS;
using Extra = _3DSTATE_PS_EXTRA;
using pipeline::PixelBatch;
using pipeline::PrimitiveAttributes;

constexpr unsigned half_lanes = 16;

struct Widths {
  bool simd8, simd16, simd32;
};
Widths widths_of(const GraphicsState& state) {
  return {state.get<PS::_8_Pixel_Dispatch_Enable>() != 0, state.get<PS::_16_Pixel_Dispatch_Enable>() != 0,
          state.get<PS::_32_Pixel_Dispatch_Enable>() != 0};
}

// One place of 4 bits for y, 4 for x in 3DSTATE_SAMPLE_PATTERN.
template <class X, class Y>
std::array<uint8_t, 2> place_of(const GraphicsState& state) {
  return {uint8_t(state.get<X>()), uint8_t(state.get<Y>())};
}

void find_samples(const GraphicsState& state, PixelPayload& payload) {
  using P = _3DSTATE_SAMPLE_PATTERN;
#define ATOLL_PLACE(of, n) \
  payload.samples[n] = place_of<P::_##of##x_Sample##n##_X_Offset, P::_##of##x_Sample##n##_Y_Offset>(state)
  switch (state.get<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>()) {
    case 0: ATOLL_PLACE(1, 0); return;
    case 1: ATOLL_PLACE(2, 0), ATOLL_PLACE(2, 1); return;
    case 2: ATOLL_PLACE(4, 0), ATOLL_PLACE(4, 1), ATOLL_PLACE(4, 2), ATOLL_PLACE(4, 3); return;
    case 3:
      ATOLL_PLACE(8, 0), ATOLL_PLACE(8, 1), ATOLL_PLACE(8, 2), ATOLL_PLACE(8, 3);
      ATOLL_PLACE(8, 4), ATOLL_PLACE(8, 5), ATOLL_PLACE(8, 6), ATOLL_PLACE(8, 7);
      return;
    default:
      ATOLL_PLACE(16, 0), ATOLL_PLACE(16, 1), ATOLL_PLACE(16, 2), ATOLL_PLACE(16, 3);
      ATOLL_PLACE(16, 4), ATOLL_PLACE(16, 5), ATOLL_PLACE(16, 6), ATOLL_PLACE(16, 7);
      ATOLL_PLACE(16, 8), ATOLL_PLACE(16, 9), ATOLL_PLACE(16, 10), ATOLL_PLACE(16, 11);
      ATOLL_PLACE(16, 12), ATOLL_PLACE(16, 13), ATOLL_PLACE(16, 14), ATOLL_PLACE(16, 15);
  }
#undef ATOLL_PLACE
}

// The registers before constants, if `payload` starts them where the hardware lets it.
unsigned fixed_registers(const PixelPayload& p) {
  const unsigned halves = p.width > half_lanes ? 2 : 1, lanes = p.width / halves / 8;
  const unsigned each = unsigned(std::popcount(p.barycentrics)) * 2 * lanes + (p.depth ? lanes : 0) + (p.w ? lanes : 0) +
                        (p.offsets != PixelPayload::Offsets::none) + (p.coverage ? lanes : 0) + p.requested_sizes;
  return 1 + halves + halves * each + p.depth_plane + p.perspective_planes + p.linear_planes + p.sample_places;
}

}  // namespace

uint32_t PixelPayload::contiguous_bytes() const {
  const unsigned fixed = fixed_registers(*this);
  return (setup <= fixed ? std::max(fixed, registers()) : fixed) * xe_lp::kRegisterBytes;
}

namespace {

// Component c of an attribute at a vertex; what lies beyond the vertex's attributes is 0.
struct Values {
  const AttributeMap& map;
  uint32_t bits(const float* vertex, unsigned attribute, unsigned c) const {
    uint32_t word = 0;
    if (vertex && attribute < map.vertex_attributes) std::memcpy(&word, vertex + attribute * 4 + c, 4);
    return word;
  }
  float real(const float* vertex, unsigned attribute, unsigned c) const {
    return std::bit_cast<float>(bits(vertex, attribute, c));
  }
};

uint32_t override_of(PixelInput::Value value, unsigned c, uint32_t primitive) {
  constexpr uint32_t one = 0x3f800000;
  switch (value) {
    case PixelInput::Value::CONST_0000: return 0;
    case PixelInput::Value::CONST_0001_FLOAT: return c == 3 ? one : 0;
    case PixelInput::Value::CONST_1111_FLOAT: return one;
    case PixelInput::Value::PRIM_ID: return primitive;
  }
  return 0;
}

}  // namespace

// Mesa 22.3.6 genxml, brw_compiler.h (brw_wm_state_simd_width_for_ksp): the narrowest one is the first kernel's, or the only one; 32 are
// the second's, 16 the third's.
int kernel_of_width(const GraphicsState& state, unsigned width) {
  const auto [simd8, simd16, simd32] = widths_of(state);
  switch (width) {
    case 8: return simd8 ? 0 : -1;
    case 16: return !simd16 ? -1 : simd8 || simd32 ? 2 : 0;
    case 32: return !simd32 ? -1 : simd8 || simd16 ? 1 : 0;
    default: return -1;
  }
}

std::optional<uint64_t> kernel_start(const GraphicsState& state, unsigned width) {
  switch (kernel_of_width(state, width)) {
    case 0: return state.get<PS::Kernel_Start_Pointer_0>();
    case 1: return state.get<PS::Kernel_Start_Pointer_1>();
    case 2: return state.get<PS::Kernel_Start_Pointer_2>();
    default: return {};
  }
}

unsigned widest_threads(const GraphicsState& state) {
  const auto [simd8, simd16, simd32] = widths_of(state);
  return simd32 ? 32 : simd16 ? 16 : simd8 ? 8 : 0;
}

bool find_payload(const GraphicsState& state, const AttributeMap& attributes, unsigned width, std::vector<uint32_t> constants,
                  PixelPayload& p, std::string& problem) {
  p = {};
  p.width = width;
  p.barycentrics = uint8_t(state.get<_3DSTATE_WM::Barycentric_Interpolation_Mode>());
  p.depth = state.get<Extra::Pixel_Shader_Uses_Source_Depth>(), p.w = state.get<Extra::Pixel_Shader_Uses_Source_W>();
  p.depth_plane = state.get<Extra::Pixel_Shader_Requires_Source_Depth_and_or_W_Plane_Coefficients>();
  p.perspective_planes = state.get<Extra::Pixel_Shader_Requires_Perspective_Bary_Plane_Coefficients>();
  p.linear_planes = state.get<Extra::Pixel_Shader_Requires_Non_Perspective_Bary_Plane_Coefficients>();
  p.sample_places = state.get<Extra::Pixel_Shader_Requires_Subpixel_Sample_Offsets>();
  p.requested_sizes = state.get<Extra::Pixel_Shader_Requires_Requested_Coarse_Pixel_Shading_Size>();
  // (DEPTH_COVERAGE: what early tests leave, which is all that a batch has where they are early. OpenGL asks for them with it:
  // ARB_post_depth_coverage, Mesa 22.3.6 iris_state.c, ICMS_DEPTH_COVERAGE.)
  const uint64_t coverage = state.get<Extra::Input_Coverage_Mask_State>();
  p.coverage = coverage != Extra::Input_Coverage_Mask_State::NONE;
  p.inner_coverage = coverage == Extra::Input_Coverage_Mask_State::INNER_CONSERVATIVE;
  p.own_coverage = coverage == Extra::Input_Coverage_Mask_State::NORMAL;
  const uint32_t zw = uint32_t(state.get<_3DSTATE_WM::Position_ZW_Interpolation_Mode>());
  p.zw_at_centroid = (p.depth || p.w) && zw == _3DSTATE_WM::Position_ZW_Interpolation_Mode::INTERP_CENTROID;
  switch (state.get<PS::Position_XY_Offset_Select>()) {
    case PS::Position_XY_Offset_Select::POSOFFSET_NONE: break;
    case PS::Position_XY_Offset_Select::POSOFFSET_CENTROID: p.offsets = PixelPayload::Offsets::centroid; break;
    case PS::Position_XY_Offset_Select::POSOFFSET_SAMPLE: p.offsets = PixelPayload::Offsets::sample; break;
    default: problem = "3DSTATE_PS.Position XY Offset Select 1 does not exist"; return false;
  }
  find_samples(state, p);
  switch (kernel_of_width(state, width)) {
    case 0: p.setup = unsigned(state.get<PS::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_0>()); break;
    case 1: p.setup = unsigned(state.get<PS::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_1>()); break;
    default: p.setup = unsigned(state.get<PS::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_2>()); break;
  }
  p.constants = std::move(constants);
  if (state.get<Extra::Attribute_Enable>()) p.planes = unsigned(attributes.inputs.size()) * 2;
  // (A shader that reads none of its first inputs may have its constants in their place.)
  if (fixed_registers(p) > PixelPayload::most_registers || p.registers() > PixelPayload::most_registers) {
    problem =
        fmt::format("a pixel thread's payload of {} registers, with constants and attributes from register {} on: there are {}",
                    std::max(fixed_registers(p), p.registers()), p.setup, PixelPayload::most_registers);
    return false;
  }
  return true;
}

void make_planes(const AttributeMap& map, const PrimitiveAttributes& p, std::span<uint32_t> words) {
  const Values values{map};
  constexpr uint32_t one = 0x3f800000, minus_one = 0xbf800000;
  const bool point = p.kind == pipeline::PrimitiveKind::point;
  uint32_t* to = words.data();
  for (const PixelInput& input : map.inputs) {
    const unsigned attribute = p.front ? input.front : input.back;
    if (!(input.overridden | input.wrapped) && !input.constant && !input.x_is_w && !(point && input.point_sprite) &&
        attribute < map.vertex_attributes && p.a && p.b && p.c) {
      const float *a = p.a + 4 * attribute, *b = p.b + 4 * attribute, *third = p.c + 4 * attribute;
      for (unsigned c = 0; c < 4; c++, to += 4) {
        to[0] = std::bit_cast<uint32_t>(b[c] - a[c]), to[1] = std::bit_cast<uint32_t>(third[c] - a[c]);
        to[2] = 0, to[3] = std::bit_cast<uint32_t>(a[c]);
      }
      continue;
    }
    for (unsigned c = 0; c < 4; c++, to += 4) {
      const unsigned from = c == 0 && input.x_is_w ? 3 : c;
      to[0] = to[1] = to[2] = 0;
      if (input.overridden >> c & 1) {
        to[3] = override_of(input.value, c, p.primitive);
      } else if (point && input.point_sprite) {
        // s grows to the right, t downwards, or upwards from the lower edge; then 0 and 1.
        const bool upwards = c == 1 && map.sprite_origin_lower_left;
        if (c == 0) to[0] = one;
        if (c == 1) to[1] = upwards ? minus_one : one;
        to[3] = upwards || c == 3 ? one : 0;
      } else if (input.constant) {
        to[3] = values.bits(p.provoking, attribute, from);
      } else {
        const float a = values.real(p.a, attribute, from);
        const float to_b = values.real(p.b, attribute, from) - a, to_c = values.real(p.c, attribute, from) - a;
        const bool wrapped = input.wrapped >> c & 1;
        to[0] = std::bit_cast<uint32_t>(wrapped ? pipeline::shorter_distance(to_b) : to_b);
        to[1] = std::bit_cast<uint32_t>(wrapped ? pipeline::shorter_distance(to_c) : to_c);
        to[3] = values.bits(p.a, attribute, from);
      }
    }
  }
}

uint32_t ThreadPixels::drawn() const { return uint32_t(batch.covered >> 4 * first) & uint32_t((uint64_t(1) << 4 * quads) - 1); }

uint32_t ThreadPixels::running() const {
  const uint32_t lanes = drawn();
  if (!every_lane) return lanes;
  uint32_t any = (lanes | lanes >> 1) & 0x55555555u;
  any = (any | any >> 2) & 0x11111111u;
  return any * 15;
}

namespace {

// A quad's place; which pixels are drawn.
uint32_t place_of_quad(int32_t x, int32_t y) { return (uint32_t(x) & 0xffff) | uint32_t(y) << 16; }
uint32_t drawn_twice(uint32_t drawn, unsigned lanes) {
  drawn &= (1u << lanes) - 1;
  return drawn | drawn << 16;
}

// Inputs of 8 pixels, or of 16 that stand in the registers as two times 8 do.
struct HalfWriter {
  const PixelPayload& payload;
  const ThreadPixels& pixels;
  const unsigned lane, lanes;  // of the thread; how many there are, 8 or 16
  uint32_t* to;                // the next register

  // The number of these lanes that the batch has.
  unsigned there() const {
    const unsigned all = pixels.quads * 4;
    return all <= lane ? 0 : std::min(all - lane, lanes);
  }
  unsigned in_batch() const { return pixels.first * 4 + lane; }

  // A dword a pixel.
  template <class T>
  void words(const T* from, unsigned first, unsigned count) {
    static_assert(sizeof(T) == 4);
    const unsigned have = there() > first ? std::min(there() - first, count) : 0;
    std::memcpy(to, from + in_batch() + first, have * 4);
    std::memset(to + have, 0, (count - have) * 4);
    to += count;
  }

  void places(uint32_t* r) {
    std::memset(r, 0, xe_lp::kRegisterBytes);
    if (!there()) return;
    const PixelBatch& batch = pixels.batch;
    const PrimitiveAttributes& p = batch.primitive[batch.one_primitive ? 0 : pixels.first];
    r[0] = payload.coarse ? uint32_t(batch.coarse.width | batch.coarse.height << 8) : batch.sample * 0x1111u;
    r[1] = facing_and_layer(p);
    for (unsigned q = 0; q < there() / 4; q++) {
      const unsigned at = in_batch() + 4 * q;
      r[2 + q] = place_of_quad(batch.x[at], batch.y[at]);
    }
    r[7] = drawn_twice(pixels.drawn() >> lane, lanes);
  }

  void inputs() {
    const PixelBatch& batch = pixels.batch;
    for (unsigned n = 0; n < payload_sets.size(); n++) {
      if (!(payload.barycentrics >> n & 1)) continue;
      const auto& set = batch.barycentric[payload_sets[n]];
      for (unsigned first = 0; first < lanes; first += 8)
        for (unsigned b = 0; b < 2; b++) words(set[b].data(), first, 8);
    }
    if (payload.depth && payload.zw_at_centroid) {
      for (unsigned l = 0; l < lanes; l++) to[l] = l < there() ? std::bit_cast<uint32_t>(at_centroid(batch.z.data(), l)) : 0;
      to += lanes;
    } else if (payload.depth) {
      words(batch.z.data(), 0, lanes);
    }
    if (payload.w) {
      for (unsigned l = 0; l < lanes; l++) {
        const float one_over_w = l >= there()             ? 1
                                 : payload.zw_at_centroid ? at_centroid(batch.one_over_w.data(), l)
                                                          : batch.one_over_w[in_batch() + l];
        to[l] = l < there() ? std::bit_cast<uint32_t>(1.0f / one_over_w) : 0;
      }
      to += lanes;
    }
    if (payload.offsets != PixelPayload::Offsets::none) offsets();
    if (payload.inner_coverage) {
      for (unsigned l = 0; l < lanes; l++)
        to[l] = l < there() && pixel::lies_inside(batch, in_batch() + l) ? batch.coverage[in_batch() + l] : 0;
      to += lanes;
    } else if (payload.own_coverage) {
      // (What early tests have left is part of it.)
      for (unsigned l = 0; l < lanes; l++) {
        const uint32_t coverage = l < there() ? batch.coverage[in_batch() + l] : 0;
        to[l] = (coverage | coverage >> 16) & 0xffff;
      }
      to += lanes;
    } else if (payload.coverage) {
      words(batch.coverage.data(), 0, lanes);
    }
    if (payload.requested_sizes) requested_sizes();
  }

  // Intel's shader compiler has the register between coverage and planes, a float a quad from either 16 bytes on (IGC,
  // PixelShaderCodeGen.cpp, AllocatePSPayload and GetCPSRequestedSizeX). Sizes that CPS_STATE has are those that there are.
  void requested_sizes() {
    std::memset(to, 0, xe_lp::kRegisterBytes);
    for (unsigned q = 0; q < there() / 4; q++) {
      to[q] = std::bit_cast<uint32_t>(float(pixels.batch.coarse.width));
      to[4 + q] = std::bit_cast<uint32_t>(float(pixels.batch.coarse.height));
    }
    to += register_words;
  }

  // A value that is linear on the screen, moved from the pixel's centre to its centroid by the differences in its quad.
  float at_centroid(const float* value, unsigned l) const {
    const PixelBatch& batch = pixels.batch;
    const unsigned at = in_batch() + l, quad = at & ~3u;
    return value[at] + (value[quad + 1] - value[quad]) * (batch.centroid[0][at] - 0.5f) +
           (value[quad + 2] - value[quad]) * (batch.centroid[1][at] - 0.5f);
  }

  void offsets() {
    const PixelBatch& batch = pixels.batch;
    uint8_t bytes[xe_lp::kRegisterBytes] = {};
    for (unsigned l = 0; l < there(); l++)
      for (unsigned axis = 0; axis < 2; axis++)
        bytes[2 * l + axis] = payload.offsets == PixelPayload::Offsets::sample
                                  ? payload.samples[batch.sample][axis]
                                  : uint8_t(int(batch.centroid[axis][in_batch() + l] * 16));
    std::memcpy(to, bytes, sizeof bytes);
    to += register_words;
  }
};

// The registers behind what pixels have each (Mesa 25.0.7 brw_fs_thread_payload.cpp, setup_fs_payload_gfx9: their order; brw_fs_nir.cpp,
// emit_pixel_interpolater_alu_at_offset and _at_sample: what stands in them). A plane has its differences down and across and its
// value at a place, which is the middle of the thread's first pixel; the place of barycentrics' planes counts for 1/w as well.
struct PlaneWriter {
  const PixelPayload& payload;
  const ThreadPixels& pixels;
  uint32_t* to;

  void planes() {
    const PixelBatch& batch = pixels.batch;
    const unsigned at = pixels.first * 4;
    const bool there = pixels.quads > 0;
    auto w = [&](unsigned n) { return batch.one_over_w[n]; };
    const float width = batch.coarse.width, height = batch.coarse.height;
    if (payload.depth_plane) {
      float words[register_words] = {};
      if (there) {
        put(words, 0, [&](unsigned n) { return batch.z[n]; }), put(words, 4, w);
        // (Mesa 22.3.6 brw_fs_visitor.cpp, emit_interpolation_setup_gfx6: shaders of coarse pixels add half a size to where they are, once
        // rounded down, and half a size again to the difference from this place: so it lies as much further that the depth comes out as
        // that at their middles.)
        words[2] = float(batch.x[at] + batch.coarse.width / 2) + width / 2;
        words[6] = float(batch.y[at] + batch.coarse.height / 2) + height / 2;
      }
      next(words);
    }
    auto barycentrics = [&](auto value) {
      float words[register_words] = {};
      if (there) {
        put(words, 0, [&](unsigned n) { return value(n, 0); }), put(words, 4, [&](unsigned n) { return value(n, 1); });
        words[2] = float(batch.x[at] + batch.coarse.width / 2) + 0.5f,
        words[6] = float(batch.y[at] + batch.coarse.height / 2) + 0.5f;
      }
      next(words);
    };
    if (payload.perspective_planes)
      barycentrics([&](unsigned n, unsigned b) { return batch.barycentric[pipeline::PERSPECTIVE_CENTRE][b][n] * w(n); });
    if (payload.linear_planes)
      barycentrics([&](unsigned n, unsigned b) { return batch.barycentric[pipeline::LINEAR_CENTRE][b][n]; });
    if (payload.sample_places) {
      uint8_t bytes[xe_lp::kRegisterBytes] = {};
      for (unsigned n = 0; n < payload.samples.size(); n++)
        for (unsigned axis = 0; axis < 2; axis++) bytes[axis * 16 + n] = payload.samples[n][axis];
      next(bytes);
    }
  }

private:
  // Down, across, and 3 dwords further the value.
  template <class Value>
  void put(float* words, unsigned first, Value value) const {
    const unsigned at = pixels.first * 4;
    words[first] = (value(at + 2) - value(at)) / float(pixels.batch.coarse.height);
    words[first + 1] = (value(at + 1) - value(at)) / float(pixels.batch.coarse.width);
    words[first + 3] = value(at);
  }
  void next(const void* register_bytes) {
    std::memcpy(to, register_bytes, xe_lp::kRegisterBytes);
    to += register_words;
  }
};

}  // namespace

uint32_t facing_and_layer(const PrimitiveAttributes& p) {
  return (p.front ? 0 : 1u << 15) | (p.layer & 0x7ff) << 16 | (p.viewport & 15) << 27;
}

void fill_setup(const PixelPayload& payload, std::span<const uint32_t> planes, uint32_t* registers) {
  uint32_t* setup = registers + payload.setup * register_words;
  if (!payload.constants.empty()) std::memcpy(setup, payload.constants.data(), payload.constants.size() * 4);
  if (payload.planes)
    std::memcpy(setup + payload.constants.size(), planes.data(), payload.planes * size_t(xe_lp::kRegisterBytes));
}

void fill_payload(const PixelPayload& payload, const ThreadPixels& pixels, std::span<const uint32_t> planes,
                  uint32_t* registers) {
  const unsigned halves = payload.width > half_lanes ? 2 : 1, lanes = payload.width / halves;
  uint32_t* next = registers + (1 + halves) * register_words;
  for (unsigned half = 0; half < halves; half++) {
    HalfWriter writer{payload, pixels, half * half_lanes, lanes, next};
    writer.places(registers + (1 + half) * register_words);
    writer.inputs();
    next = writer.to;
  }
  PlaneWriter{payload, pixels, next}.planes();
  fill_setup(payload, planes, registers);
}

}  // namespace Atoll::dg1
