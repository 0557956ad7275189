#include "gpu/r5xx/routing.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "registers/r5xx.h"

namespace Atoll::r5xx {
namespace {

// One component of the packet that the rasteriser gets for a pixel (RS_COUNT, RS_IP): texture coordinates one after the other.
struct PacketComponent {
  RouteKind kind;
  uint16_t source;
  bool flat;
};

bool flat_texture(const Registers& r, unsigned texture) {
  return (r[GA_COLOR_CONTROL_PS3::address()] >> texture * 2 & 3) == Shading::Flat_shading;
}
uint32_t colour_shading(const Registers& r, unsigned colour, bool alpha) {
  return r[GA_COLOR_CONTROL::address()] >> (colour * 4 + (alpha ? 2 : 0)) & 3;
}

std::vector<PacketComponent> texture_packet(const Registers& r, const VertexOutputs& outputs, DrawnKind kind, Routing& routing) {
  uint32_t enable = r[GB_ENABLE::address()];
  bool stuffs = (kind == DrawnKind::points && GB_ENABLE::POINT_STUFF_ENABLE::get(enable)) ||
                (kind == DrawnKind::lines && GB_ENABLE::LINE_STUFF_ENABLE::get(enable));
  if (kind == DrawnKind::triangles && GB_ENABLE::TRIANGLE_STUFF_ENABLE::get(enable))
    routing.unknown.push_back("GB_ENABLE.TRIANGLE_STUFF_ENABLE");
  if (kind == DrawnKind::lines && stuffs && r.get<GA_LINE_STIPPLE_CONFIG, GA_LINE_STIPPLE_CONFIG::STIPPLE_SCALE>())
    routing.unknown.push_back("GB_ENABLE.LINE_STUFF_ENABLE: a coordinate along stippled lines");
  std::vector<PacketComponent> packet;
  for (unsigned t = 0; t < 8; t++) {
    uint32_t source = enable >> (16 + t * 2) & 3;
    if (source != TextureSource::Replicate_VAP_source_texture_coordinates && stuffs) {
      packet.push_back({kind == DrawnKind::points ? RouteKind::point_s : RouteKind::line_s, 0, false});
      packet.push_back({kind == DrawnKind::points ? RouteKind::point_t : RouteKind::zero, 0, false});
      if (source == TextureSource::Stuff_with_source_texture_coordinates_S_T_R) packet.push_back({RouteKind::zero, 0, false});
      continue;
    }
    if (outputs.texture_attribute[t] == absent) continue;
    for (unsigned c = 0; c < outputs.texture_components[t]; c++)
      packet.push_back({RouteKind::attribute, uint16_t(outputs.texture_attribute[t] * 4 + int(c)), flat_texture(r, t)});
  }
  return packet;
}

constexpr uint32_t constant_0 = RS_IP::TEX_PTR_S::K0_0_0, constant_1 = RS_IP::TEX_PTR_S::K1_1_0;

// What COL_FMT puts into red, green, blue, alpha: the colour's own component, 0 or 1.
struct ColourFormat {
  uint8_t format;
  char channels[5];
};
constexpr ColourFormat colour_formats[] = {{0, "rgba"}, {1, "rgb0"}, {2, "rgb1"}, {4, "000a"}, {5, "0000"},
                                           {6, "0001"}, {8, "111a"}, {9, "1110"}, {10, "1111"}};

}  // namespace

bool Routing::of_attributes_alone() const {
  return std::ranges::none_of(routes, [](const Route& route) {
    return route.kind == RouteKind::point_s || route.kind == RouteKind::point_t || route.kind == RouteKind::line_s ||
           route.kind == RouteKind::screen_x || route.kind == RouteKind::screen_y;
  });
}

VertexOutputs vertex_outputs(const Registers& r) {
  VertexOutputs o;
  uint32_t format0 = r[VAP_OUT_VTX_FMT_0::address()], format1 = r[VAP_OUT_VTX_FMT_1::address()];
  bool bypass = r.get<VAP_CNTL_STATUS, VAP_CNTL_STATUS::PVS_BYPASS>();
  // The vertex shader's outputs stand one after the other; the input memory has a place for each kind.
  int next = 0;
  auto place = [&](int fixed) { return bypass ? fixed : next++; };
  if (VAP_OUT_VTX_FMT_0::VTX_POS_PRESENT::get(format0)) o.position = place(0);
  if (VAP_OUT_VTX_FMT_0::VTX_PT_SIZE_PRESENT::get(format0)) o.point_size = place(1);
  for (unsigned c = 0; c < 4; c++)
    if (format0 >> (VAP_OUT_VTX_FMT_0::VTX_COLOR_0_PRESENT::low + c) & 1) {
      o.colour[c] = place(2 + int(c));
      o.colour_attribute[c] = int(o.attributes++);
    }
  for (unsigned t = 0; t < 8; t++) {
    uint32_t components = format1 >> t * 3 & 7;
    if (components == 0) continue;
    o.texture[t] = place(6 + int(t));
    o.texture_components[t] = uint8_t(components > 4 ? 4 : components);
    o.texture_attribute[t] = int(o.attributes++);
  }
  return o;
}

Routing routing(const Registers& r, const VertexOutputs& outputs, DrawnKind kind) {
  Routing result;
  auto as_float = [&](uint32_t address) { return std::bit_cast<float>(r[address]); };
  // S0, T0 are the lower left corner's, S1, T1 the upper right one's; y grows downwards.
  result.point_s = {as_float(GA_POINT_S0::address()), as_float(GA_POINT_S1::address())};
  result.point_t = {as_float(GA_POINT_T1::address()), as_float(GA_POINT_T0::address())};
  result.line_s = {as_float(GA_LINE_S0::address()), as_float(GA_LINE_S1::address())};
  result.perspective = !r.get<GB_SELECT, GB_SELECT::W_SELECT>();
  if (r.get<GB_SELECT, GB_SELECT::FOG_STUFF_ENABLE>()) result.unknown.push_back("GB_SELECT.FOG_STUFF_ENABLE");

  auto packet = texture_packet(r, outputs, kind, result);
  // Colours 2 and 3 are those of back faces unless the rasteriser takes more than two, or the GA takes them for textures.
  uint32_t colours = r.get<RS_COUNT, RS_COUNT::IC_COUNT>();
  bool two_sided = kind == DrawnKind::triangles && colours <= 2 && !r.get<VAP_CLIP_CNTL, VAP_CLIP_CNTL::COLOR2_IS_TEXTURE>();

  auto write_texture = [&](uint32_t ip, uint32_t pointer, uint32_t temporary, uint8_t channel, bool centroid) {
    Route route{.centroid = centroid, .temporary = uint8_t(temporary), .channel = channel};
    if (pointer == constant_1) {
      route.kind = RouteKind::one;
    } else if (pointer != constant_0) {
      if (pointer < packet.size()) {
        route.kind = packet[pointer].flat ? RouteKind::flat_attribute : packet[pointer].kind;
        route.source = route.back_source = packet[pointer].source;
      } else {
        result.unknown.push_back(fmt::format("RS_IP_{}: component {} is beyond the vertex's {}", ip, pointer, packet.size()));
      }
    }
    result.routes.push_back(route);
  };
  auto write_colour = [&](uint32_t ip, uint32_t temporary, bool centroid) {
    uint32_t word = r[RS_IP::address(ip)], pointer = RS_IP::COL_PTR::get(word), format = RS_IP::COL_FMT::get(word);
    const ColourFormat* row = nullptr;
    for (auto& f : colour_formats)
      if (f.format == format) row = &f;
    if (!row) result.unknown.push_back(fmt::format("RS_IP_{}.COL_FMT {}", ip, format));
    int attribute = pointer < 4 ? outputs.colour_attribute[pointer] : absent;
    int back = two_sided && pointer < 2 && outputs.colour_attribute[pointer + 2] != absent ? outputs.colour_attribute[pointer + 2]
                                                                                           : attribute;
    for (uint8_t c = 0; c < 4; c++) {
      Route route{.centroid = centroid, .temporary = uint8_t(temporary), .channel = c};
      char channel = row ? row->channels[c] : "rgba"[c];
      if (channel == '1') route.kind = RouteKind::one;
      if (channel != '0' && channel != '1' && attribute != absent) {
        uint32_t shading = colour_shading(r, pointer, c == 3);
        if (shading == Shading::Solid_fill_color) result.unknown.push_back("GA_COLOR_CONTROL: solid fill colour");
        route.kind = shading == Shading::Flat_shading ? RouteKind::flat_attribute : RouteKind::attribute;
        route.source = uint16_t(attribute * 4 + c);
        route.back_source = uint16_t(back * 4 + c);
      }
      result.routes.push_back(route);
    }
  };

  for (uint32_t n = 0; n <= r.get<RS_INST_COUNT, RS_INST_COUNT::INST_COUNT>(); n++) {
    uint32_t instruction = r[RS_INST::address(n)];
    bool centroid = RS_INST::TEX_ADJ::get(instruction);
    if (RS_INST::TEX_CN::get(instruction)) {
      uint32_t ip = RS_INST::TEX_ID::get(instruction), word = r[RS_IP::address(ip)];
      uint32_t temporary = RS_INST::TEX_ADDR::get(instruction);
      write_texture(ip, RS_IP::TEX_PTR_S::get(word), temporary, 0, centroid);
      write_texture(ip, RS_IP::TEX_PTR_T::get(word), temporary, 1, centroid);
      write_texture(ip, RS_IP::TEX_PTR_R::get(word), temporary, 2, centroid);
      write_texture(ip, RS_IP::TEX_PTR_Q::get(word), temporary, 3, centroid);
      result.uses_centroid |= centroid;
    }
    uint32_t temporary = RS_INST::COL_ADDR::get(instruction);
    auto fill = [&](RouteKind red, RouteKind green) {
      for (uint8_t c = 0; c < 4; c++)
        result.routes.push_back({c == 0 ? red : c == 1 ? green : RouteKind::zero, false, uint8_t(temporary), c, 0, 0});
    };
    switch (RS_INST::COL_CN::get(instruction)) {
      case RS_INST::COL_CN::write: write_colour(RS_INST::COL_ID::get(instruction), temporary, false); break;
      case RS_INST::COL_CN::write_fbuffer: fill(RouteKind::screen_x, RouteKind::screen_y); break;
      case RS_INST::COL_CN::write_backface: fill(RouteKind::back_face, RouteKind::zero); break;
      default: break;
    }
    if (RS_INST::W_CN::get(instruction)) result.unknown.push_back("RS_INST.W_CN");
  }
  return result;
}

}  // namespace Atoll::r5xx
