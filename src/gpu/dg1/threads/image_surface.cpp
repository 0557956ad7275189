// Surface and sampler states as src/surface has them. Mip levels of 2D surfaces: PRM volume 5, "Memory Layout" (level 1 stands below
// level 0, the others below each other to the right of it); Mesa 22.3.6 isl.c (isl_calc_phys_slice0_extent_sa_gfx4_2d). Linear surfaces
// of one dimension have a layout of their own: levels beside each other in multiples of 64 texels, whatever the state's alignments and
// pitch say, and QPitch counts texels (isl.c, get_image_offset_sa_gfx9_1d and isl_surf_choose_dim_layout; isl_gfx9.c,
// isl_gfx9_choose_image_alignment_el; isl_genX_helpers.h, isl_get_qpitch). Tiled ones lie as one row of two dimensions does.
#include <algorithm>
#include <bit>

#include "gpu/dg1/threads/images.h"
#include "isa/xe_lp/surface_format.h"
#include "isa/xe_lp/surface_state.h"
#include "registers/dg1.h"
#include "registers/lookup.h"

namespace Atoll::dg1 {
namespace {

using surface::Dimension;

constexpr uint32_t reserved_tiling = 1;
constexpr uint32_t one_dimensional_alignment = 64;  // texels

uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

// Shader Channel Select on top of what the format has.
surface::Order selected(const SurfaceWords& w, const surface::Order& order) {
  const uint32_t select[] = {SurfaceState::Shader_Channel_Select_Red::get(w), SurfaceState::Shader_Channel_Select_Green::get(w),
                             SurfaceState::Shader_Channel_Select_Blue::get(w), SurfaceState::Shader_Channel_Select_Alpha::get(w)};
  surface::Order out;
  for (unsigned c = 0; c < 4; c++) {
    if (select[c] >= ChannelSelect::RED)
      out[c] = order[select[c] - ChannelSelect::RED];
    else
      out[c] = select[c] == ChannelSelect::ONE ? surface::Select::one : surface::Select::zero;
  }
  return out;
}

// Moves a border's red, green, blue and alpha to the format's components; those that it lacks are 0 and the fourth 1 here, too.
// Drivers give one border colour for all formats, (1, 1, 1, 1) being white (Mesa 22.3.6 src/intel/vulkan/anv_device.c,
// border_colors), and Vulkan 1.3 replaces texels by it before "Conversion to RGBA".
surface::Order border_order(const surface::Format& format) {
  surface::Order order;
  const unsigned fields = surface::row(format.layout).fields;
  for (unsigned c = 0; c < 4; c++) {
    const surface::Select from = format.order[c];
    const bool lacking = from <= surface::Select::field_3 && unsigned(from) >= fields;
    order[c] = lacking ? (from == surface::Select::field_3 ? surface::Select::one : surface::Select::zero)
               : from > surface::Select::field_3 ? from
                                                 : surface::Select(c);
  }
  return order;
}

Expected<void> describe_buffer(const SurfaceWords& w, ImageSurface& s) {
  surface::TextureDescription& d = s.description;
  const uint64_t entries = xe_lp::buffer_entries(w.data());
  const uint32_t bytes = surface::row(d.format.layout).bytes, stride = SurfaceState::Surface_Pitch::get(w) + 1;
  if (stride != bytes) return fail("a texel buffer of {} bytes an entry with a format of {}", stride, bytes);
  s.bytes = entries * bytes;
  if (entries <= buffer_row) {
    d.dimension = Dimension::one;
    d.width = unsigned(entries);
    d.levels.push_back({0, surface::LinearSurface{s.bytes, 0}});
    return {};
  }
  // Sizes of textures have fewer bits than a buffer's entries.
  s.entries = entries;
  d.dimension = Dimension::two;
  d.width = buffer_row, d.height = unsigned((entries + buffer_row - 1) / buffer_row);
  d.levels.push_back({0, surface::LinearSurface{uint64_t(buffer_row) * bytes, 0}});
  return {};
}

// An element in memory: a texel, or a block of them.
struct Blocks {
  uint32_t block_width, block_height, bytes;
};
Blocks blocks_of(const ImageSurface& s) {
  if (s.astc) return {s.astc->size.width, s.astc->size.height, s.astc->bytes};
  const surface::LayoutRow& row = surface::row(s.description.format.layout);
  return {row.block_width, row.block_height, row.bytes};
}

// Places of levels in one 2D picture of elements.
struct LevelPlace {
  uint32_t x = 0, y = 0;
};
std::vector<LevelPlace> places_of_levels(const surface::TextureDescription& d, unsigned levels, uint32_t halign, uint32_t valign,
                                         const Blocks& layout) {
  std::vector<LevelPlace> places(levels);
  auto columns = [&](unsigned n) { return round_up(std::max(1u, d.width >> n), layout.block_width) / layout.block_width; };
  auto rows = [&](unsigned n) { return round_up(std::max(1u, d.height >> n), layout.block_height) / layout.block_height; };
  for (unsigned n = 1; n < levels; n++) {
    if (n == 1)
      places[n] = {0, round_up(rows(0), valign)};
    else if (n == 2)
      places[n] = {round_up(columns(1), halign), places[1].y};
    else
      places[n] = {places[2].x, places[n - 1].y + round_up(rows(n - 1), valign)};
  }
  return places;
}

std::vector<LevelPlace> places_in_a_line(const surface::TextureDescription& d, unsigned levels) {
  std::vector<LevelPlace> places(levels);
  for (unsigned n = 1; n < levels; n++)
    places[n].x = places[n - 1].x + round_up(std::max(1u, d.width >> (n - 1)), one_dimensional_alignment);
  return places;
}

// Surfaces are kept plain: nothing is compressed, and what would write "has the clear colour" into a CCS or an MCS (fast clears, which the 3D
// pipeline draws) fills instead. So auxiliary surfaces mean nothing to any message, whether compression is on (CCS_E, MCS_LCE) or off
// (CCS_D): of several samples each has a slice of its own, which ld_mcs says of all (isa/xe_lp/semantics/image_messages.cpp). Nor does an
// append counter (APPEND), which no message here counts.
Expected<void> check_auxiliary_surface(const SurfaceWords& w) {
  const uint32_t mode = SurfaceState::Auxiliary_Surface_Mode::get(w);
  switch (mode) {
    case AuxiliaryMode::AUX_NONE:
    case AuxiliaryMode::AUX_CCS_D:
    case AuxiliaryMode::AUX_APPEND:
    case AuxiliaryMode::AUX_MCS_LCE:
    case AuxiliaryMode::AUX_CCS_E: return {};
    default: return fail("auxiliary surface mode {}, which is reserved", mode);
  }
}

// Planes of luma and chroma are of one level and two dimensions; the field of auxiliary surfaces is one of theirs.
Expected<void> check_planes(const SurfaceWords& w) {
  if (SurfaceState::Surface_Type::get(w) != SurfaceType::SURFTYPE_2D || SurfaceState::Surface_Array::get(w) ||
      SurfaceState::Minimum_Array_Element::get(w) || SurfaceState::MIP_Count_LOD::get(w) ||
      SurfaceState::Surface_Min_LOD::get(w) || SurfaceState::Number_of_Multisamples::get(w) ||
      SurfaceState::Tiled_Resource_Mode::get(w) || SurfaceState::Vertical_Line_Stride::get(w))
    return fail("planes of luma and chroma (PLANAR_420) of more than one picture of two dimensions");
  if (SurfaceState::Separate_UV_Plane_Enable::get(w)) return fail("planes of U and V apart (Separate UV Plane Enable)");
  if (SurfaceState::Half_Pitch_for_Chroma::get(w)) return fail("a plane of chroma with half the pitch (Half Pitch for Chroma)");
  if (SurfaceState::YUV_Interpolation_Enable::get(w)) return fail("chroma between its samples (YUV Interpolation Enable)");
  return {};
}

// The plane of chroma has the pitch and tiles of luma's and begins so many columns and rows behind it.
void place_chroma(const SurfaceWords& w, ImageSurface& s) {
  const uint32_t column_bytes = SurfaceState::X_Offset_for_U_or_UV_Plane::get(w) * s.astc->bytes,
                 row = SurfaceState::Y_Offset_for_U_or_UV_Plane::get(w);
  const uint64_t pitch = SurfaceState::Surface_Pitch::get(w) + 1, rows = (s.description.height + 1) / 2,
                 row_bytes = uint64_t(s.description.width + 1) / 2 * 2 * s.astc->bytes;
  surface::TextureLevel& chroma = s.astc->chroma = s.description.levels.front();
  if (auto* tiles = std::get_if<surface::IntelSurface>(&chroma.place)) {
    tiles->x_bytes += column_bytes, tiles->y_rows += row;
    s.bytes = std::max(s.bytes, surface::tiled_bytes(tiles->tiling, pitch, tiles->x_bytes + row_bytes, tiles->y_rows + rows));
  } else {
    chroma.offset += row * pitch + column_bytes;
    s.bytes = std::max(s.bytes, chroma.offset + (rows - 1) * pitch + row_bytes);
  }
}

// Faces that are the border's colour, in the order of layers: right, left, and so on.
uint8_t missing_faces(const SurfaceWords& w) {
  return uint8_t(
      !SurfaceState::Cube_Face_Enable_Positive_X::get(w) | !SurfaceState::Cube_Face_Enable_Negative_X::get(w) << 1 |
      !SurfaceState::Cube_Face_Enable_Positive_Y::get(w) << 2 | !SurfaceState::Cube_Face_Enable_Negative_Y::get(w) << 3 |
      !SurfaceState::Cube_Face_Enable_Positive_Z::get(w) << 4 | !SurfaceState::Cube_Face_Enable_Negative_Z::get(w) << 5);
}

// Levels of standard tiles (Yf, Ys). They begin with a tile each, from the mip tail's first on all with the same (Mesa 25.0.7 isl.c,
// get_image_offset_sa_gfx4_2d; isl_gfx12.c: alignments are those of tiles). QPitch is from slice to slice of tiles.
Expected<void> describe_standard_levels(const SurfaceWords& w, const Blocks& layout, unsigned levels, uint32_t first_slice,
                                        bool interleaved, ImageSurface& s) {
  using Mode = SurfaceState::Tiled_Resource_Mode;
  surface::TextureDescription& d = s.description;
  const uint32_t mode = Mode::get(w), tiling = SurfaceState::Tile_Mode::get(w);
  if ((mode != Mode::TILEYF && mode != Mode::TILEYS) || tiling != TileMode::YMAJOR)
    return fail("a tiled resource of mode {} in tiles of mode {}", mode, tiling);
  if (s.type == SurfaceType::SURFTYPE_1D) return fail("a tiled resource of one dimension");
  if (SurfaceState::X_Offset::get(w) || SurfaceState::Y_Offset::get(w))
    return fail("an offset inside of the first tile of a tiled resource");
  surface::IntelStandardSurface tiles{
      .tile = mode == Mode::TILEYF ? surface::IntelStandardTile::yf : surface::IntelStandardTile::ys,
      .volume = s.type == SurfaceType::SURFTYPE_3D,
      .element_bytes = layout.bytes,
      .samples = d.samples,
      .interleaved = interleaved,
      .pitch_bytes = SurfaceState::Surface_Pitch::get(w) + 1,
      .slice_rows = SurfaceState::Surface_QPitch::get(w) * 4};
  if (!std::has_single_bit(layout.bytes)) return fail("elements of {} bytes in a tiled resource", layout.bytes);
  const surface::IntelStandardExtent tile = surface::extent_of(tiles);
  const unsigned tail = SurfaceState::Mip_Tail_Start_LOD::get(w);
  const auto places = places_of_levels(d, levels, tile.width, tile.height, layout);
  const uint64_t row_bytes = uint64_t(tiles.pitch_bytes / (tile.width * layout.bytes)) << surface::tile_bits(tiles.tile);
  for (unsigned n = 0; n < levels; n++) {
    const LevelPlace& place = places[std::min(n, tail)];
    tiles.first_x = place.x, tiles.first_y = place.y, tiles.first_z = first_slice;
    if (n >= tail && d.samples == 1) {
      const auto in_tail = surface::tail_place(tiles, n - tail);
      if (!in_tail) return fail("level {} of a mip tail that begins with level {}", n, tail);
      tiles.first_x += in_tail->x, tiles.first_y += in_tail->y, tiles.first_z += in_tail->z;
    }
    surface::TextureLevel& level = d.levels.emplace_back();
    level.place = tiles;
    if (n < d.first_level) continue;
    const uint64_t rows = uint64_t(round_up(std::max(1u, d.height >> n), layout.block_height) / layout.block_height);
    const uint64_t slices = d.dimension == Dimension::three ? std::max(1u, d.depth >> n) : d.first_layer + d.layers;
    const uint64_t down = surface::sample_grid(tiles).down;
    const uint64_t above = (tiles.first_z + slices - 1) / tile.depth * tiles.slice_rows;
    const uint64_t all = above + tiles.first_y + (down > 1 ? (rows + 1) / 2 * 2 * down : rows);
    s.bytes = std::max(s.bytes, (all + tile.height - 1) / tile.height * row_bytes);
  }
  return {};
}

Expected<void> describe_image(const SurfaceWords& w, View view, ImageSurface& s) {
  surface::TextureDescription& d = s.description;
  const Blocks layout = blocks_of(s);
  const bool array = SurfaceState::Surface_Array::get(w);
  const uint32_t depth = SurfaceState::Depth::get(w) + 1,
                 levels = SurfaceState::MIP_Count_LOD::get(w) + 1 + SurfaceState::Surface_Min_LOD::get(w);
  d.width = SurfaceState::Width::get(w) + 1, d.height = SurfaceState::Height::get(w) + 1;
  d.samples = 1u << SurfaceState::Number_of_Multisamples::get(w);
  d.first_level = SurfaceState::Surface_Min_LOD::get(w);
  switch (s.type) {
    case SurfaceType::SURFTYPE_1D:
      d.dimension = array ? Dimension::one_array : Dimension::one, d.height = 1;
      // (of what is no array it says where the one layer is: Mesa 22.3.6 isl_surface_state.c calls no view of one layer an array)
      d.first_layer = SurfaceState::Minimum_Array_Element::get(w);
      if (array) d.layers = depth;
      break;
    case SurfaceType::SURFTYPE_2D:
      d.dimension = d.samples > 1 ? (array ? Dimension::two_multisampled_array : Dimension::two_multisampled)
                    : array       ? Dimension::two_array
                                  : Dimension::two;
      d.first_layer = SurfaceState::Minimum_Array_Element::get(w);
      if (array) d.layers = depth;
      break;
    case SurfaceType::SURFTYPE_3D:
      d.dimension = Dimension::three, d.depth = depth;
      if (view != View::layers) {
        // (From a slice on, as Mesa's copies of compressed blocks read them: 25.0.7 isl_surface_state.c, MinimumArrayElement.)
        const uint32_t first = SurfaceState::Minimum_Array_Element::get(w), there = std::max(1u, depth >> d.first_level);
        if (first) d.depth = std::max(1u, there - std::min(there, first)) << d.first_level;
        break;
      }
      d.dimension = Dimension::two_array, d.depth = 1;
      d.first_layer = SurfaceState::Minimum_Array_Element::get(w), d.layers = SurfaceState::Render_Target_View_Extent::get(w) + 1;
      break;
    case SurfaceType::SURFTYPE_CUBE:
      d.dimension = array || depth > 1 ? Dimension::cube_array : Dimension::cube;
      d.first_layer = SurfaceState::Minimum_Array_Element::get(w), d.layers = depth * 6;
      break;
    default: return fail("surface type {}", s.type);
  }
  using Storage = SurfaceState::Multisampled_Surface_Storage_Format;
  const bool interleaved = d.samples > 1 && Storage::get(w) == Storage::MSFMT_DEPTH_STENCIL;
  const uint32_t tiling = SurfaceState::Tile_Mode::get(w);
  if (tiling == reserved_tiling) return fail("tile mode {}", tiling);
  if (d.samples > 1 && tiling == TileMode::LINEAR) return fail("a surface of {} samples that is not tiled", d.samples);
  const uint32_t first_slice = d.dimension == Dimension::three ? SurfaceState::Minimum_Array_Element::get(w) : 0;
  const bool planar = s.astc && s.astc->planar;
  if (auto usable = planar ? Expected<void>() : check_auxiliary_surface(w); !usable) return usable;
  if (levels > 15) return fail("{} levels", levels);
  if (SurfaceState::Tiled_Resource_Mode::get(w)) return describe_standard_levels(w, layout, levels, first_slice, interleaved, s);
  // In steps of four texels: where the surface begins in its first tile.
  const uint32_t offset_x = SurfaceState::X_Offset::get(w) * 4, offset_y = SurfaceState::Y_Offset::get(w) * 4;
  if ((offset_x || offset_y) && tiling == TileMode::LINEAR) return fail("an offset inside of the first tile of a linear surface");
  const uint32_t halign = 2u << SurfaceState::Surface_Horizontal_Alignment::get(w),
                 valign = 2u << SurfaceState::Surface_Vertical_Alignment::get(w);
  const uint64_t pitch = SurfaceState::Surface_Pitch::get(w) + 1,
                 slice_rows = uint64_t(SurfaceState::Surface_QPitch::get(w)) * 4;  // of blocks (isl_surface_state.c, get_qpitch)
  // Every other row, from the second on if so (of two dimensions, no array: BXT PRM volume 2c, Vertical Line Stride).
  const bool field = s.type == SurfaceType::SURFTYPE_2D && !array && SurfaceState::Vertical_Line_Stride::get(w);
  if (field && tiling != TileMode::LINEAR) return fail("every other row of a tiled surface (Vertical Line Stride)");
  const bool line = s.type == SurfaceType::SURFTYPE_1D && tiling == TileMode::LINEAR;
  const auto places = line ? places_in_a_line(d, levels) : places_of_levels(d, levels, halign, valign, layout);
  const unsigned slices = d.first_layer + d.layers;
  for (unsigned n = 0; n < levels; n++) {
    surface::TextureLevel& level = d.levels.emplace_back();
    const uint64_t rows = round_up(std::max(1u, d.height >> n), layout.block_height) / layout.block_height;
    const uint64_t columns = round_up(std::max(1u, d.width >> n), layout.block_width) / layout.block_width;
    const uint64_t last =
        d.dimension == Dimension::three ? std::max(1u, d.depth >> n) : uint64_t(slices) * (interleaved ? 1 : d.samples);
    if (tiling != TileMode::LINEAR) {
      surface::IntelSurface tiles{tiling == TileMode::XMAJOR ? surface::IntelTiling::x : surface::IntelTiling::y,
                                  uint32_t(pitch),
                                  (places[n].x + offset_x) * layout.bytes,
                                  uint32_t(places[n].y + offset_y + first_slice * slice_rows),
                                  last > 1 ? uint32_t(slice_rows) : 0,
                                  d.samples,
                                  interleaved};
      level.place = tiles;
      if (n < d.first_level) continue;
      const surface::SampleGrid grid = surface::sample_grid(tiles);
      auto places_of = [](uint64_t texels, uint64_t each) { return each > 1 ? (texels + 1) / 2 * 2 * each : texels; };
      const uint64_t all = tiles.y_rows + (last - 1) * tiles.slice_rows + places_of(rows, grid.down);
      s.bytes = std::max(s.bytes, surface::tiled_bytes(tiles.tiling, pitch,
                                                       tiles.x_bytes + places_of(columns, grid.across) * layout.bytes, all));
      continue;
    }
    level.offset = places[n].y * pitch + uint64_t(places[n].x) * layout.bytes;
    const uint64_t slice_bytes = line ? uint64_t(SurfaceState::Surface_QPitch::get(w)) * 4 * layout.bytes : slice_rows * pitch;
    const uint64_t row_bytes = line ? slice_bytes : field ? 2 * pitch : pitch;
    if (field && SurfaceState::Vertical_Line_Stride_Offset::get(w)) level.offset += pitch;
    level.offset += first_slice * slice_bytes;
    level.place = surface::LinearSurface{row_bytes, slice_bytes};
    if (n < d.first_level) continue;
    if (pitch < columns * layout.bytes && rows > 1) return fail("{} bytes a row for {} texels", pitch, d.width);
    s.bytes = std::max(
        s.bytes, level.offset + (last - 1) * slice_bytes + (rows - 1) * (field ? row_bytes : pitch) + columns * layout.bytes);
  }
  if (planar) place_chroma(w, s);
  return {};
}

}  // namespace

SurfaceWords without_srgb(SurfaceWords words) {
  // By name: "R8G8B8A8_UNORM_SRGB" and "R8G8B8A8_UNORM".
  static const auto plain = [] {
    std::array<uint16_t, 1 << 10> all{};  // (the field has 10 bits)
    const registers::Enumeration& formats = *registers::find_enumeration(registers::dg1_tables, "SURFACE_FORMAT");
    for (size_t n = 0; n < all.size(); n++) all[n] = uint16_t(n);
    for (const registers::NamedValue& v : formats.values) {
      const std::string_view format = v.name;
      constexpr std::string_view suffix = "_SRGB";
      if (!format.ends_with(suffix)) continue;
      for (const registers::NamedValue& other : formats.values)
        if (other.name == format.substr(0, format.size() - suffix.size())) all[v.first] = uint16_t(other.first);
    }
    return all;
  }();
  SurfaceState::Surface_Format::set(words, plain[SurfaceState::Surface_Format::get(words)]);
  return words;
}

Expected<ImageSurface> image_surface(const SurfaceWords& w, View view) {
  ImageSurface s;
  s.type = SurfaceState::Surface_Type::get(w);
  if (s.type == SurfaceType::SURFTYPE_NULL) return s;
  const uint32_t code = SurfaceState::Surface_Format::get(w);
  s.astc = converted_blocks(code);
  const surface::Format* format = s.astc ? &s.astc->texels() : xe_lp::surface_format(code);
  if (!format) {
    const char* why = xe_lp::why_no_surface_format(code);
    return fail("SURFACE_FORMAT {}", why ? why : fmt::format("{:#x}: there is none of this number", code));
  }
  if (s.astc && s.astc->planar)
    if (auto usable = check_planes(w); !usable) return std::unexpected(usable.error());
  s.bound = true;
  s.description.format = *format;
  s.description.format.order = selected(w, format->order);
  s.channels = format->order;
  s.border = *format, s.border.order = selected(w, border_order(*format));
  s.address = SurfaceState::Surface_Base_Address::get(w) & 0xffff'ffff'ffff;
  auto described = s.type == SurfaceType::SURFTYPE_BUFFER ? describe_buffer(w, s) : describe_image(w, view, s);
  if (!described) return std::unexpected(described.error());
  if (s.astc) s.astc->take_levels(s.description);
  s.least_level = float(SurfaceState::Resource_Min_LOD::get(w)) / 256;
  s.base_level = float(SurfaceState::Base_Mip_Level::get(w)) / 2;
  if (s.type == SurfaceType::SURFTYPE_CUBE) s.missing_faces = missing_faces(w);
  return s;
}

namespace {

// Coordinates are rounded or truncated by filter and axis. Drivers have all of a filter's rounded but where it is the nearest one (Mesa 22.3.6
// iris_state.c, anv's genX_state.c), for which compiled code has a form.
void find_rounding(const SamplerWords& w, surface::Sampler& s) {
  surface::Sampler::Truncated truncated{};
  truncated.magnified = uint8_t(!SamplerState::U_Address_Mag_Filter_Rounding_Enable::get(w) |
                                !SamplerState::V_Address_Mag_Filter_Rounding_Enable::get(w) << 1 |
                                !SamplerState::R_Address_Mag_Filter_Rounding_Enable::get(w) << 2);
  truncated.minified = uint8_t(!SamplerState::U_Address_Min_Filter_Rounding_Enable::get(w) |
                               !SamplerState::V_Address_Min_Filter_Rounding_Enable::get(w) << 1 |
                               !SamplerState::R_Address_Min_Filter_Rounding_Enable::get(w) << 2);
  constexpr uint8_t none = 0, all = 7;
  const bool near_up = s.mag_filter == surface::Filter::nearest, near_down = s.min_filter == surface::Filter::nearest;
  if (truncated == surface::Sampler::Truncated{none, none}) return;
  if (truncated == surface::Sampler::Truncated{all, all}) {
    s.truncate_coordinates = true;
  } else if (truncated == surface::Sampler::Truncated{near_up ? all : none, near_down ? all : none} && near_up != near_down) {
    s.truncate_nearest = true;
  } else {
    s.truncated = truncated;
  }
}

}  // namespace

surface::Sampler image_sampler(const SamplerWords& w, uint32_t& border) {
  surface::Sampler s;
  auto wrap = [&](uint32_t mode) {
    switch (mode) {
      case AddressMode::WRAP: return surface::Wrap::repeat;
      case AddressMode::MIRROR: return surface::Wrap::mirror;
      case AddressMode::CLAMP_BORDER: return surface::Wrap::clamp_to_border;
      case AddressMode::MIRROR_ONCE: return surface::Wrap::mirror_once_to_edge;
      case AddressMode::HALF_BORDER: return surface::Wrap::clamp_half_border;
      case AddressMode::MIRROR_101: return surface::Wrap::mirror_once_skips_edge;
      default: return surface::Wrap::clamp_to_edge;
    }
  };
  s.wrap = {wrap(SamplerState::TCX_Address_Control_Mode::get(w)), wrap(SamplerState::TCY_Address_Control_Mode::get(w)),
            wrap(SamplerState::TCZ_Address_Control_Mode::get(w))};
  const uint32_t mag = SamplerState::Mag_Mode_Filter::get(w), min = SamplerState::Min_Mode_Filter::get(w);
  s.mag_filter = mag == MapFilter::NEAREST ? surface::Filter::nearest : surface::Filter::linear;
  s.min_filter = min == MapFilter::NEAREST ? surface::Filter::nearest : surface::Filter::linear;
  if (mag == MapFilter::ANISOTROPIC || min == MapFilter::ANISOTROPIC)
    s.max_anisotropy = (SamplerState::Maximum_Anisotropy::get(w) + 1) * 2;
  const uint32_t mip = SamplerState::Mip_Mode_Filter::get(w);
  s.mip_filter = mip == MipFilter::NEAREST  ? surface::MipFilter::nearest
                 : mip == MipFilter::LINEAR ? surface::MipFilter::linear
                                            : surface::MipFilter::none;
  s.lod_bias = float(int32_t(SamplerState::Texture_LOD_Bias::get(w) << 19) >> 19) / 256;
  s.lod_min = float(SamplerState::Min_LOD::get(w)) / 256, s.lod_max = float(SamplerState::Max_LOD::get(w)) / 256;
  if (SamplerState::Reduction_Type_Enable::get(w)) {
    constexpr surface::Reduction reductions[] = {surface::Reduction::average, surface::Reduction::average,
                                                 surface::Reduction::minimum, surface::Reduction::maximum};
    s.reduction = reductions[SamplerState::Reduction_Type::get(w)];
  }
  // The shadow function says which texels do not pass (Mesa 22.3.6 vulkan/genX_state.c, vk_to_intel_shadow_compare_op).
  constexpr surface::Comparison comparisons[] = {surface::Comparison::never,      surface::Comparison::always,
                                                 surface::Comparison::less_equal, surface::Comparison::not_equal,
                                                 surface::Comparison::less,       surface::Comparison::greater_equal,
                                                 surface::Comparison::equal,      surface::Comparison::greater};
  s.comparison = comparisons[SamplerState::Shadow_Function::get(w)];
  s.unnormalized = SamplerState::Non_normalized_Coordinate_Enable::get(w);
  s.seamless_cube =
      SamplerState::TCX_Address_Control_Mode::get(w) == AddressMode::CUBE || SamplerState::Cube_Surface_Control_Mode::get(w);
  find_rounding(w, s);
  // (BXT PRM volume 2c, SAMPLER_STATE, of these three and of Base Mip Level.)
  using PreClamp = SamplerState::LOD_PreClamp_Mode;
  const bool one_way = s.mag_filter == s.min_filter && s.mip_filter == surface::MipFilter::none;
  s.compares_unclamped = PreClamp::get(w) != PreClamp::OGL && !one_way;
  s.magnified_has_levels = !s.compares_unclamped || SamplerState::LOD_Clamp_Magnification_Mode::get(w) ==
                                                        SamplerState::LOD_Clamp_Magnification_Mode::MIPFILTER;
  border = uint32_t(SamplerState::Border_Color_Pointer::get(w));
  return s;
}

}  // namespace Atoll::dg1
