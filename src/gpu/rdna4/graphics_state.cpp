#include "gpu/rdna4/graphics_state.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/rdna4/exports.h"
#include "isa/rdna4/registers.h"

namespace Atoll::rdna4 {
namespace {

struct Term {
  std::string_view name;
  uint8_t bit;  // of SPI_PS_INPUT_ENA
};
constexpr Term terms[pixel_term_count] = {
    {"persp_sample_i", 0},
    {"persp_sample_j", 0},
    {"persp_center_i", 1},
    {"persp_center_j", 1},
    {"persp_centroid_i", 2},
    {"persp_centroid_j", 2},
    {"persp_pull_i_over_w", 3},
    {"persp_pull_j_over_w", 3},
    {"persp_pull_one_over_w", 3},
    {"linear_sample_i", 4},
    {"linear_sample_j", 4},
    {"linear_center_i", 5},
    {"linear_center_j", 5},
    {"linear_centroid_i", 6},
    {"linear_centroid_j", 6},
    {"line_stipple", 7},
    {"pos_x", 8},
    {"pos_y", 9},
    {"pos_z", 10},
    {"pos_w", 11},
    {"front_face", 12},
    {"ancillary", 13},
    {"sample_coverage", 14},
    {"pos_fixed", 15},
};
constexpr uint32_t input_bits = 0xffff;

// STATUS (RDNA4 ISA 3.4.1). MUST_EXPORT and MUST_GS_ALLOC, which would change while the wave runs, are left out.
constexpr uint32_t STATUS_EXPORT_RDY = 1u << 8, STATUS_SKIP_EXPORT = 1u << 18, STATUS_LDS_PARAM_RDY = 1u << 25;

constexpr unsigned max_user_sgprs = 32, first_user_sgpr = 8;  // of geometry and hull waves
constexpr uint32_t primitive_bytes = 48;                      // of one attribute

uint64_t lanes_below(uint64_t count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

// Fields of SGPRs, with what does not fit.
class Fields {
public:
  uint32_t put(std::string_view name, uint64_t value, unsigned low, unsigned bits) {
    if (value >> bits && error_.empty()) error_ = fmt::format("{} {}: it has {} bits", name, value, bits);
    return uint32_t(value) << low;
  }
  const std::string& error() const { return error_; }

private:
  std::string error_;
};

Expected<void> add_vgpr(GraphicsState& state, uint32_t number, const LaneValues& values, unsigned lanes, std::string_view name) {
  if (values.empty()) return {};
  if (values.size() != 1 && values.size() != lanes)
    return fail("{}: {} values, the wave has {} lanes", name, values.size(), lanes);
  state.vgprs.push_back({number, values});
  return {};
}

Expected<void> fill(GraphicsState& state, const PixelStart& start, std::span<const uint32_t> user, unsigned lanes) {
  const uint32_t addr = start.input_addr ? start.input_addr : start.input_ena;
  if ((start.input_ena | addr) & ~input_bits) return fail("input_ena {:#x}, input_addr {:#x}: 16 bits", start.input_ena, addr);
  if (start.input_ena & ~addr)
    return fail("input_ena {:#x}: input_addr {:#x} has no place for bits {:#x}", start.input_ena, addr, start.input_ena & ~addr);
  if (start.lds_offset & 127 || start.lds_offset > 0xffff)
    return fail("lds_offset {:#x}: a multiple of 128 below 65536", start.lds_offset);
  uint32_t number = 0;
  for (unsigned t = 0; t < pixel_term_count; t++) {
    const bool enabled = start.input_ena >> terms[t].bit & 1;
    if (!enabled && !start.terms[t].empty()) return fail("{}: its bit {} of input_ena is not set", terms[t].name, terms[t].bit);
    if (enabled)
      if (auto done = add_vgpr(state, number, start.terms[t], lanes, terms[t].name); !done) return done;
    if (addr >> terms[t].bit & 1) number++;
  }
  std::copy(user.begin(), user.end(), state.sgprs.begin());
  state.sgpr_count = uint32_t(user.size());
  auto& s = state.sgprs;
  s[state.sgpr_count++] = uint32_t(start.bc_optimize) << 31 | (start.new_primitive >> 1 & 0x7fff) << 16 | start.lds_offset;
  if (start.wave_id) s[state.sgpr_count++] = *start.wave_id & 0xffff;
  if (start.provoking_vertex) s[state.sgpr_count++] = *start.provoking_vertex;
  state.exec = lanes_below(lanes);
  state.status = STATUS_LDS_PARAM_RDY;
  return {};
}

Expected<void> fill_group(GraphicsState& state, uint64_t address, std::span<const uint32_t> user, const Fields& fields,
                          std::span<const LaneValues> vgprs, unsigned lanes) {
  if (!fields.error().empty()) return fail("{}", fields.error());
  state.sgprs[0] = uint32_t(address), state.sgprs[1] = uint32_t(address >> 32);
  std::copy(user.begin(), user.end(), state.sgprs.begin() + first_user_sgpr);
  state.sgpr_count = first_user_sgpr + uint32_t(user.size());
  for (uint32_t n = 0; n < vgprs.size(); n++)
    if (auto done = add_vgpr(state, n, vgprs[n], lanes, fmt::format("v{}", n)); !done) return done;
  return {};
}

Expected<void> fill(GraphicsState& state, const GeometryStart& g, std::span<const uint32_t> user, unsigned lanes) {
  Fields f;
  auto& s = state.sgprs;
  s[3] = f.put("waves in the group", g.waves_in_group, 28, 4) | f.put("wave in the group", g.wave_in_group, 24, 4);
  const uint32_t ring = f.put("attribute ring", g.attribute_ring, 0, 15);
  if (g.mesh) {
    s[4] = f.put("group id y", g.group_id[1], 16, 16) | f.put("group id x", g.group_id[0], 0, 16);
    s[5] = f.put("group id z", g.group_id[2], 16, 16) | ring;
    state.exec = lanes_below(lanes);
  } else {
    s[2] = f.put("primitives of the group", g.group_primitives, 22, 9) | f.put("vertices of the group", g.group_vertices, 12, 9) |
           f.put("ordered wave id", g.ordered_wave_id, 0, 12);
    s[3] |= f.put("primitives", g.primitives, 8, 8) | f.put("vertices", g.vertices, 0, 8);
    s[4] = g.off_chip, s[5] = ring;
    state.exec = lanes_below(std::min<uint64_t>(std::max(g.primitives, g.vertices), lanes));
  }
  return fill_group(state, g.address, user, f, g.vgprs, lanes);
}

Expected<void> fill(GraphicsState& state, const HullStart& h, std::span<const uint32_t> user, unsigned lanes) {
  Fields f;
  auto& s = state.sgprs;
  s[2] = h.off_chip;
  s[3] = f.put("first wave", h.first_wave, 31, 1) | f.put("size of the group", h.group_size, 24, 7) |
         f.put("patches", h.patches, 16, 8) | f.put("control points", h.hull_vertices, 8, 8) |
         f.put("vertices", h.vertices, 0, 8);
  s[4] = f.put("factor ring", h.factor_ring, 0, 18);
  s[5] = f.put("wave in the group", h.wave_in_group, 0, 5);
  state.exec = lanes_below(std::min<uint64_t>(std::max(h.hull_vertices, h.vertices), lanes));
  return fill_group(state, h.address, user, f, h.vgprs, lanes);
}

uint32_t begins(const PixelStart& start, unsigned lanes) { return start.new_primitive & (lanes == 64 ? 0xfffeu : 0xfeu); }

uint64_t place_of(const PixelStart& start, const PixelParameter& p, unsigned lanes, unsigned primitive, unsigned part) {
  return start.lds_offset + (uint64_t(p.attribute) * primitives_of(start, lanes) + primitive) * primitive_bytes + part * 16 +
         p.channel * 4;
}

}  // namespace

std::string_view name_of(PixelTerm term) { return terms[size_t(term)].name; }
unsigned input_bit_of(PixelTerm term) { return terms[size_t(term)].bit; }

unsigned primitives_of(const PixelStart& start, unsigned lanes) { return unsigned(std::popcount(begins(start, lanes))) + 1; }

uint64_t parameter_bytes(const PixelStart& start, unsigned lanes) {
  uint64_t bytes = start.lds_offset;
  for (const PixelParameter& p : start.parameters)
    bytes = std::max(bytes, place_of(start, p, lanes, primitives_of(start, lanes), 0) - p.channel * 4);
  return bytes;
}

Expected<void> place_parameters(const PixelStart& start, unsigned lanes, std::span<uint8_t> lds) {
  for (const PixelParameter& p : start.parameters) {
    if (p.attribute >= attribute_count || p.channel > 3)
      return fail("attr{}.{}: there are attr0.x to attr32.w", p.attribute, p.channel);
    const unsigned count = primitives_of(start, lanes);
    if (p.primitives.size() != count)
      return fail("attr{}.{}: parameters of {} primitives, the wave's quads are of {}", p.attribute, "xyzw"[p.channel],
                  p.primitives.size(), count);
    for (unsigned primitive = 0; primitive < count; primitive++)
      for (unsigned part = 0; part < 3; part++) {
        const uint64_t at = place_of(start, p, lanes, primitive, part);
        if (at + 4 > lds.size()) return fail("attr{}.{}: LDS has {} bytes", p.attribute, "xyzw"[p.channel], lds.size());
        std::memcpy(&lds[at], &p.primitives[primitive][part], 4);
      }
  }
  return {};
}

Expected<GraphicsState> graphics_state(const GraphicsStart& start, std::span<const uint32_t> user_sgprs, unsigned lanes,
                                       std::optional<uint64_t> exec, bool skip_export) {
  if (user_sgprs.size() > max_user_sgprs) return fail("{} user SGPRs: at most {}", user_sgprs.size(), max_user_sgprs);
  GraphicsState state;
  if (auto done = std::visit([&](const auto& stage) { return fill(state, stage, user_sgprs, lanes); }, start); !done)
    return std::unexpected(done.error());
  state.status |= skip_export ? STATUS_SKIP_EXPORT : STATUS_EXPORT_RDY;
  if (exec) state.exec = *exec;
  state.exec &= lanes_below(lanes);
  return state;
}

void write_state(const GraphicsState& state, wave::Wave& wave) {
  for (uint32_t n = 0; n < state.sgpr_count; n++) wave::word_of(wave, scalar_cell(n)) = state.sgprs[n];
  for (const GraphicsState::Vgpr& v : state.vgprs)
    for (uint32_t lane = 0; lane < wave.lanes; lane++)
      wave::word_of(wave, vgpr_cell(v.number, wave.lanes == 64) + lane * 4) = v.values[v.values.size() == 1 ? 0 : lane];
  wave::word_of(wave, scalar_cell(EXEC_LO)) = uint32_t(state.exec);
  wave::word_of(wave, scalar_cell(EXEC_HI)) = uint32_t(state.exec >> 32);
  wave::word_of(wave, status_cell) = state.status;
  begin_exports(wave);
}

}  // namespace Atoll::rdna4
