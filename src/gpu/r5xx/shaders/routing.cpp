#include "gpu/r5xx/shaders/routing.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace Atoll::r5xx {
namespace {

// One component of the packet that the rasteriser gets for a pixel (RS_COUNT, RS_IP): texture coordinates one after the other.
struct PacketComponent {
  RouteKind kind;
  uint16_t source = 0;
  bool flat = false, wraps = false;
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
using Wraps = SU_TEX_WRAP;
using TextureWraps =
    FieldList<Wraps::T0C0, Wraps::T0C1, Wraps::T0C2, Wraps::T0C3, Wraps::T1C0, Wraps::T1C1, Wraps::T1C2, Wraps::T1C3, Wraps::T2C0,
              Wraps::T2C1, Wraps::T2C2, Wraps::T2C3, Wraps::T3C0, Wraps::T3C1, Wraps::T3C2, Wraps::T3C3, Wraps::T4C0, Wraps::T4C1,
              Wraps::T4C2, Wraps::T4C3, Wraps::T5C0, Wraps::T5C1, Wraps::T5C2, Wraps::T5C3, Wraps::T6C0, Wraps::T6C1, Wraps::T6C2,
              Wraps::T6C3, Wraps::T7C0, Wraps::T7C1, Wraps::T7C2, Wraps::T7C3>;
using WrapsPs3 = SU_TEX_WRAP_PS3;
using ColourWraps = FieldList<WrapsPs3::T8C0, WrapsPs3::T8C1, WrapsPs3::T8C2, WrapsPs3::T8C3, WrapsPs3::T9C0, WrapsPs3::T9C1,
                              WrapsPs3::T9C2, WrapsPs3::T9C3>;
using FromVap = VAP_TEX_TO_COLOR_CNTL;
using VapFlatRgb = FieldList<FromVap::TEX_RGB_SHADE_FUNC_0, FromVap::TEX_RGB_SHADE_FUNC_1, FromVap::TEX_RGB_SHADE_FUNC_2,
                             FromVap::TEX_RGB_SHADE_FUNC_3, FromVap::TEX_RGB_SHADE_FUNC_4, FromVap::TEX_RGB_SHADE_FUNC_5,
                             FromVap::TEX_RGB_SHADE_FUNC_6, FromVap::TEX_RGB_SHADE_FUNC_7>;
using VapFlatAlpha = FieldList<FromVap::TEX_ALPHA_SHADE_FUNC_0, FromVap::TEX_ALPHA_SHADE_FUNC_1, FromVap::TEX_ALPHA_SHADE_FUNC_2,
                               FromVap::TEX_ALPHA_SHADE_FUNC_3, FromVap::TEX_ALPHA_SHADE_FUNC_4, FromVap::TEX_ALPHA_SHADE_FUNC_5,
                               FromVap::TEX_ALPHA_SHADE_FUNC_6, FromVap::TEX_ALPHA_SHADE_FUNC_7>;

// By either of the two units that know about it.
bool flat_texture(const RegisterFile& r, unsigned texture, unsigned component) {
  const auto of_vap = r.read<VAP_TEX_TO_COLOR_CNTL>();
  return TextureShadings::get(r.read<GA_COLOR_CONTROL_PS3>(), texture) == Shading::Flat_shading ||
         (component == 3 ? VapFlatAlpha::get(of_vap, texture) : VapFlatRgb::get(of_vap, texture));
}
bool is_texture(const RegisterFile& r, unsigned colour) {
  return colour == 2   ? r.get<VAP_CLIP_CNTL::COLOR2_IS_TEXTURE>()
         : colour == 3 ? r.get<VAP_CLIP_CNTL::COLOR3_IS_TEXTURE>()
                       : false;
}
uint32_t colour_shading(const RegisterFile& r, unsigned colour, bool alpha) {
  const auto control = r.read<GA_COLOR_CONTROL>();
  if (is_texture(r, colour)) {
    const auto textures = r.read<GA_COLOR_CONTROL_PS3>();
    const uint32_t shading = colour == 2 ? Textures::TEX8_SHADING_PS3::get(textures) : Textures::TEX9_SHADING_PS3::get(textures);
    return shading == Shading::Flat_shading ? Shading::Flat_shading : Shading::Gouraud_shading;
  }
  return alpha ? AlphaShadings::get(control, colour) : RgbShadings::get(control, colour);
}

std::vector<PacketComponent> texture_packet(Context& context, const VertexOutputs& outputs, DrawnKind kind) {
  const RegisterFile& r = context.registers;
  auto enable = r.read<GB_ENABLE>();
  const auto select = r.read<GB_SELECT>();
  bool stuffs = (kind == DrawnKind::points && GB_ENABLE::POINT_STUFF_ENABLE::get(enable)) ||
                (kind == DrawnKind::lines && GB_ENABLE::LINE_STUFF_ENABLE::get(enable)) ||
                (kind == DrawnKind::triangles && GB_ENABLE::TRIANGLE_STUFF_ENABLE::get(enable));
  std::vector<PacketComponent> packet;
  for (unsigned t = 0; t < 8; t++) {
    uint32_t source = TextureSources::get(enable, t);
    if (source != TextureSource::Replicate_VAP_source_texture_coordinates && stuffs) {
      constexpr RouteKind s[] = {RouteKind::point_s, RouteKind::line_s, RouteKind::triangle_s},
                          t_[] = {RouteKind::point_t, RouteKind::line_t, RouteKind::triangle_t};
      packet.push_back({s[size_t(kind)]});
      packet.push_back({t_[size_t(kind)]});
      if (source == TextureSource::Stuff_with_source_texture_coordinates_S_T_R) packet.push_back({RouteKind::zero});
      continue;
    }
    if (outputs.texture_attribute[t] == absent) continue;
    for (unsigned c = 0; c < outputs.texture_components[t]; c++) {
      if (GB_SELECT::FOG_STUFF_ENABLE::get(select) && GB_SELECT::FOG_STUFF_TEX::get(select) == t &&
          GB_SELECT::FOG_STUFF_COMP::get(select) == c) {
        packet.push_back({RouteKind::fog});
        continue;
      }
      packet.push_back({RouteKind::attribute, uint16_t(outputs.texture_attribute[t] * 4 + int(c)), flat_texture(r, t, c),
                        bool(TextureWraps::get(r.read<SU_TEX_WRAP>(), t * 4 + c))});
    }
  }
  return packet;
}

Fog fog_of(Context& context, const VertexOutputs& outputs, bool two_sided) {
  const RegisterFile& r = context.registers;
  Fog fog;
  fog.scale = r.as_float<GA_FOG_SCALE>(), fog.offset = r.as_float<GA_FOG_OFFSET>();
  const uint32_t select = r.get<GB_SELECT::FOG_SELECT>();
  if (select > GB_SELECT::FOG_SELECT::Select_Z) context.unknown(fmt::format("GB_SELECT.FOG_SELECT {}", select));
  fog.of_z = select == GB_SELECT::FOG_SELECT::Select_Z;
  if (select >= 4) {
    fog.source.kind = RouteKind::one;
    return fog;
  }
  const int front = outputs.colour_attribute[select];
  if (front == absent) return fog;
  const uint32_t shading = colour_shading(r, select, true);
  fog.source.kind = shading == Shading::Flat_shading       ? RouteKind::flat_attribute
                    : shading == Shading::Solid_fill_color ? RouteKind::solid
                                                           : RouteKind::attribute;
  const bool has_back = two_sided && select < 2 && outputs.colour_attribute[select + 2] != absent;
  fog.source.channel = 3;
  fog.source.source = uint16_t(front * 4 + 3);
  fog.source.back_source = uint16_t((has_back ? outputs.colour_attribute[select + 2] : front) * 4 + 3);
  return fog;
}

constexpr uint32_t constant_0 = RS_IP::TEX_PTR_S::K0_0_0, constant_1 = RS_IP::TEX_PTR_S::K1_1_0;

// The values that COL_FMT puts into red, green, blue, alpha: the colour's own component, 0 or 1.
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
           route.kind == RouteKind::line_t || route.kind == RouteKind::screen_x || route.kind == RouteKind::screen_y ||
           route.kind == RouteKind::triangle_s || route.kind == RouteKind::triangle_t || route.kind == RouteKind::fog;
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
  const float subpixels = r.get<GB_TILE_CONFIG::SUBPIXEL>() ? 16 : 12;
  // The accumulator along lines counts subpixels; the scale is a float without its two lowest bits.
  result.line_scale = subpixels * std::bit_cast<float>(r.get<GA_LINE_STIPPLE_CONFIG::STIPPLE_SCALE>()
                                                       << GA_LINE_STIPPLE_CONFIG::STIPPLE_SCALE::low);
  result.triangle_scale = {subpixels / float(1u << r.get<GA_TRIANGLE_STIPPLE::X_SHIFT>()),
                           subpixels / float(1u << r.get<GA_TRIANGLE_STIPPLE::Y_SHIFT>())};
  result.solid = {r.as_float<GA_FILL_R>(), r.as_float<GA_FILL_G>(), r.as_float<GA_FILL_B>(), r.as_float<GA_FILL_A>()};

  auto packet = texture_packet(context, outputs, kind);
  // Colours 2 and 3 are those of back faces unless the rasteriser takes more than two, or the GA takes them for textures.
  uint32_t colours = r.get<RS_COUNT::IC_COUNT>();
  const bool two_sided = kind == DrawnKind::triangles && colours <= 2;
  auto back_of = [&](uint32_t colour) {
    return two_sided && colour < 2 && !is_texture(r, colour + 2) ? outputs.colour_attribute[colour + 2] : absent;
  };
  result.fog = fog_of(context, outputs, two_sided);

  auto write_texture = [&](uint32_t ip, uint32_t pointer, uint32_t temporary, uint8_t channel, bool centroid) {
    Route route{.centroid = centroid, .temporary = uint8_t(temporary), .channel = channel};
    if (pointer == constant_1) {
      route.kind = RouteKind::one;
    } else if (pointer != constant_0) {
      if (pointer < packet.size()) {
        route.kind = packet[pointer].flat ? RouteKind::flat_attribute : packet[pointer].kind;
        route.source = route.back_source = packet[pointer].source;
        route.wraps = packet[pointer].wraps;
        result.fog.stuffed |= packet[pointer].kind == RouteKind::fog;
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
    int back = back_of(pointer) != absent ? back_of(pointer) : attribute;
    using Override = GA_COLOR_CONTROL_PS3;
    const uint32_t from = pointer == 0   ? r.get<Override::COLOR0_TEX_OVERRIDE>()
                          : pointer == 1 ? r.get<Override::COLOR1_TEX_OVERRIDE>()
                                         : 0;
    if (from > 10) context.unknown(fmt::format("GA_COLOR_CONTROL_PS3.COLOR{}_TEX_OVERRIDE {}", pointer, from));
    if (from > 0 && from <= 10)
      attribute = back = from <= 8 ? outputs.texture_attribute[from - 1] : outputs.colour_attribute[from - 7];
    for (uint8_t c = 0; c < 4; c++) {
      Route route{.centroid = centroid, .temporary = uint8_t(temporary), .channel = c};
      char channel = row ? row->channels[c] : "rgba"[c];
      if (channel == '1') route.kind = RouteKind::one;
      if (channel != '0' && channel != '1' && attribute != absent) {
        uint32_t shading = colour_shading(r, pointer, c == 3);
        route.kind = shading == Shading::Flat_shading       ? RouteKind::flat_attribute
                     : shading == Shading::Solid_fill_color ? RouteKind::solid
                                                            : RouteKind::attribute;
        if (is_texture(r, pointer)) route.wraps = ColourWraps::get(r.read<SU_TEX_WRAP_PS3>(), (pointer - 2) * 4 + c);
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
        result.routes.push_back({c == 0 ? red : c == 1 ? green : RouteKind::zero, false, uint8_t(temporary), c});
    };
    switch (RS_INST::COL_CN::get(instruction)) {
      case RS_INST::COL_CN::write: write_colour(RS_INST::COL_ID::get(instruction), temporary, false); break;
      case RS_INST::COL_CN::write_fbuffer: fill(RouteKind::screen_x, RouteKind::screen_y); break;
      case RS_INST::COL_CN::write_backface: fill(RouteKind::back_face, RouteKind::zero); break;
      default: break;
    }
    if (RS_INST::W_CN::get(instruction)) {
      write_texture(n, r.get<RS_COUNT::W_ADDR>(), 0, 0, false);
      result.routes.back().to_depth = true;
    }
  }
  return result;
}

}  // namespace Atoll::r5xx
