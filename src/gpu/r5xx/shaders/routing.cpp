#include "gpu/r5xx/shaders/routing.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace Atoll::r5xx {
namespace {

// One component of the packet that the rasteriser gets for a pixel (RS_COUNT, RS_IP): texture coordinates one after the other.
struct PacketComponent {
  RouteKind kind;
  uint16_t source;
  bool flat;
};

using Textures = GA_COLOR_CONTROL_PS3;
using Colours = GA_COLOR_CONTROL;
using TextureShadings =
    FieldList<Textures::TEX0_SHADING_PS3, Textures::TEX1_SHADING_PS3, Textures::TEX2_SHADING_PS3, Textures::TEX3_SHADING_PS3,
              Textures::TEX4_SHADING_PS3, Textures::TEX5_SHADING_PS3, Textures::TEX6_SHADING_PS3, Textures::TEX7_SHADING_PS3>;
using RgbShadings = FieldList<Colours::RGB0_SHADING, Colours::RGB1_SHADING, Colours::RGB2_SHADING, Colours::RGB3_SHADING>;
using AlphaShadings =
    FieldList<Colours::ALPHA0_SHADING, Colours::ALPHA1_SHADING, Colours::ALPHA2_SHADING, Colours::ALPHA3_SHADING>;
using TextureSources = FieldList<GB_ENABLE::TEX0_SOURCE, GB_ENABLE::TEX1_SOURCE, GB_ENABLE::TEX2_SOURCE, GB_ENABLE::TEX3_SOURCE,
                                 GB_ENABLE::TEX4_SOURCE, GB_ENABLE::TEX5_SOURCE, GB_ENABLE::TEX6_SOURCE, GB_ENABLE::TEX7_SOURCE>;
using ColoursPresent = FieldList<VAP_OUT_VTX_FMT_0::VTX_COLOR_0_PRESENT, VAP_OUT_VTX_FMT_0::VTX_COLOR_1_PRESENT,
                                 VAP_OUT_VTX_FMT_0::VTX_COLOR_2_PRESENT, VAP_OUT_VTX_FMT_0::VTX_COLOR_3_PRESENT>;
using ComponentCounts =
    FieldList<VAP_OUT_VTX_FMT_1::TEX_0_COMP_CNT, VAP_OUT_VTX_FMT_1::TEX_1_COMP_CNT, VAP_OUT_VTX_FMT_1::TEX_2_COMP_CNT,
              VAP_OUT_VTX_FMT_1::TEX_3_COMP_CNT, VAP_OUT_VTX_FMT_1::TEX_4_COMP_CNT, VAP_OUT_VTX_FMT_1::TEX_5_COMP_CNT,
              VAP_OUT_VTX_FMT_1::TEX_6_COMP_CNT, VAP_OUT_VTX_FMT_1::TEX_7_COMP_CNT>;

bool flat_texture(const RegisterFile& r, unsigned texture) {
  return TextureShadings::get(r.read<GA_COLOR_CONTROL_PS3>(), texture) == Shading::Flat_shading;
}
uint32_t colour_shading(const RegisterFile& r, unsigned colour, bool alpha) {
  const auto control = r.read<GA_COLOR_CONTROL>();
  return alpha ? AlphaShadings::get(control, colour) : RgbShadings::get(control, colour);
}

std::vector<PacketComponent> texture_packet(Context& context, const VertexOutputs& outputs, DrawnKind kind) {
  const RegisterFile& r = context.registers;
  auto enable = r.read<GB_ENABLE>();
  bool stuffs = (kind == DrawnKind::points && GB_ENABLE::POINT_STUFF_ENABLE::get(enable)) ||
                (kind == DrawnKind::lines && GB_ENABLE::LINE_STUFF_ENABLE::get(enable));
  if (kind == DrawnKind::triangles && GB_ENABLE::TRIANGLE_STUFF_ENABLE::peek(enable))
    context.unknown("GB_ENABLE.TRIANGLE_STUFF_ENABLE");
  if (kind == DrawnKind::lines && stuffs && GA_LINE_STIPPLE_CONFIG::STIPPLE_SCALE::peek(r.read<GA_LINE_STIPPLE_CONFIG>()))
    context.unknown("GB_ENABLE.LINE_STUFF_ENABLE: a coordinate along stippled lines");
  std::vector<PacketComponent> packet;
  for (unsigned t = 0; t < 8; t++) {
    uint32_t source = TextureSources::get(enable, t);
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

VertexOutputs vertex_outputs_of(const RegisterFile& r) {
  VertexOutputs o;
  const auto format0 = r.read<VAP_OUT_VTX_FMT_0>();
  const auto format1 = r.read<VAP_OUT_VTX_FMT_1>();
  bool bypass = r.get<VAP_CNTL_STATUS::PVS_BYPASS>();
  // The vertex shader's outputs stand one after the other; the input memory has a place for each kind.
  int next = 0;
  auto place = [&](int fixed) { return bypass ? fixed : next++; };
  if (VAP_OUT_VTX_FMT_0::VTX_POS_PRESENT::get(format0)) o.position = place(0);
  if (VAP_OUT_VTX_FMT_0::VTX_PT_SIZE_PRESENT::get(format0)) o.point_size = place(1);
  for (unsigned c = 0; c < 4; c++)
    if (ColoursPresent::get(format0, c)) {
      o.colour[c] = place(2 + int(c));
      o.colour_attribute[c] = int(o.attributes++);
    }
  for (unsigned t = 0; t < 8; t++) {
    uint32_t components = ComponentCounts::get(format1, t);
    if (components == 0) continue;
    o.texture[t] = place(6 + int(t));
    o.texture_components[t] = uint8_t(components > 4 ? 4 : components);
    o.texture_attribute[t] = int(o.attributes++);
  }
  return o;
}

Routing routing_of(Context& context, const VertexOutputs& outputs, DrawnKind kind) {
  const RegisterFile& r = context.registers;
  Routing result;
  // S0, T0 are the lower left corner's, S1, T1 the upper right one's; y grows downwards.
  result.point_s = {r.as_float<GA_POINT_S0>(), r.as_float<GA_POINT_S1>()};
  result.point_t = {r.as_float<GA_POINT_T1>(), r.as_float<GA_POINT_T0>()};
  result.line_s = {r.as_float<GA_LINE_S0>(), r.as_float<GA_LINE_S1>()};
  result.perspective = !r.get<GB_SELECT::W_SELECT>();
  if (GB_SELECT::FOG_STUFF_ENABLE::peek(r.read<GB_SELECT>())) context.unknown("GB_SELECT.FOG_STUFF_ENABLE");

  auto packet = texture_packet(context, outputs, kind);
  // Colours 2 and 3 are those of back faces unless the rasteriser takes more than two, or the GA takes them for textures.
  uint32_t colours = r.get<RS_COUNT::IC_COUNT>();
  bool two_sided = kind == DrawnKind::triangles && colours <= 2 && !r.get<VAP_CLIP_CNTL::COLOR2_IS_TEXTURE>();

  auto write_texture = [&](uint32_t ip, uint32_t pointer, uint32_t temporary, uint8_t channel, bool centroid) {
    Route route{.centroid = centroid, .temporary = uint8_t(temporary), .channel = channel};
    if (pointer == constant_1) {
      route.kind = RouteKind::one;
    } else if (pointer != constant_0) {
      if (pointer < packet.size()) {
        route.kind = packet[pointer].flat ? RouteKind::flat_attribute : packet[pointer].kind;
        route.source = route.back_source = packet[pointer].source;
      } else {
        context.unknown(fmt::format("RS_IP_{}: component {} is beyond the vertex's {}", ip, pointer, packet.size()));
      }
    }
    result.routes.push_back(route);
  };
  auto write_colour = [&](uint32_t ip, uint32_t temporary, bool centroid) {
    const auto word = r.read<RS_IP>(ip);
    const auto pointer = RS_IP::COL_PTR::get(word);
    const auto format = RS_IP::COL_FMT::get(word);
    const ColourFormat* row = nullptr;
    for (auto& f : colour_formats)
      if (f.format == format) row = &f;
    if (!row) context.unknown(fmt::format("RS_IP_{}.COL_FMT {}", ip, format));
    int attribute = pointer < 4 ? outputs.colour_attribute[pointer] : absent;
    int back = two_sided && pointer < 2 && outputs.colour_attribute[pointer + 2] != absent ? outputs.colour_attribute[pointer + 2]
                                                                                           : attribute;
    for (uint8_t c = 0; c < 4; c++) {
      Route route{.centroid = centroid, .temporary = uint8_t(temporary), .channel = c};
      char channel = row ? row->channels[c] : "rgba"[c];
      if (channel == '1') route.kind = RouteKind::one;
      if (channel != '0' && channel != '1' && attribute != absent) {
        uint32_t shading = colour_shading(r, pointer, c == 3);
        if (shading == Shading::Solid_fill_color) context.unknown("GA_COLOR_CONTROL: solid fill colour");
        route.kind = shading == Shading::Flat_shading ? RouteKind::flat_attribute : RouteKind::attribute;
        route.source = uint16_t(attribute * 4 + c);
        route.back_source = uint16_t(back * 4 + c);
      }
      result.routes.push_back(route);
    }
  };

  for (uint32_t n = 0; n <= r.get<RS_INST_COUNT::INST_COUNT>(); n++) {
    auto instruction = r.read<RS_INST>(n);
    bool centroid = RS_INST::TEX_ADJ::get(instruction);
    if (RS_INST::TEX_CN::get(instruction)) {
      const uint32_t ip = RS_INST::TEX_ID::get(instruction);
      const auto word = r.read<RS_IP>(ip);
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
    if (RS_INST::W_CN::peek(instruction)) context.unknown("RS_INST.W_CN");
  }
  return result;
}

}  // namespace Atoll::r5xx
