#include "gpu/gfx12/draw/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpu/amd/draw/colour_format.h"
#include "gpu/gfx12/state/draw_registers.h"
#include "surface/gfx12_mips.h"

namespace Atoll::gfx12 {

using surface::Layout;
using surface::Number;

namespace {

// The key of a surface: the registers that describe it.
template <class... Described>
std::vector<uint32_t> key_of(const RegisterFile& r, auto... n) {
  return {r.read<Described>(n...).key()...};
}

// Is the surface's memory still mapped? False: the context is lost.
bool still_there(RegisterContext& context, const SurfaceBlocks* blocks, const char* what) {
  return !blocks || context.memory(blocks->address, blocks->bytes, true, what);
}

// The common part of colour and depth planes.
struct Plane {
  const char* what;
  uint64_t address;
  uint32_t swizzle_mode;
  surface::Format format;
  unsigned width, height;  // of level 0
  unsigned slices, levels, level, first_slice, last_slice, samples;
  bool volume = false;
};

constexpr uint64_t surface_start(uint32_t low, uint32_t high) { return uint64_t(high) << 40 | uint64_t(low) << 8; }

// Null: it cannot be made (counted), or the context is lost.
std::unique_ptr<SurfaceBlocks> make_blocks(RegisterContext& context, const Plane& p) {
  auto unknown = [&](const std::string& why) {
    context.unknown(fmt::format("{}: {}", p.what, why));
    return nullptr;
  };
  if (p.swizzle_mode >= surface::gfx12_swizzle_count) return unknown(fmt::format("SW_MODE {}", p.swizzle_mode));
  if (p.level >= p.levels) return unknown(fmt::format("level {} of {}", p.level, p.levels));
  surface::Gfx12Texture layout;
  layout.swizzle = surface::Gfx12Swizzle(p.swizzle_mode);
  layout.element_bytes = surface::row(p.format.layout).bytes;
  layout.width = p.width, layout.height = p.height;
  layout.slices = std::max(p.slices, p.last_slice + 1);
  layout.volume = p.volume, layout.samples = p.samples, layout.levels = p.levels;
  uint64_t address = p.address;
  const bool linear = layout.swizzle == surface::Gfx12Swizzle::linear;
  if (!linear) {
    const uint64_t inside = (uint64_t(1) << surface::block_bits(layout.swizzle)) - 1;
    layout.start_bits = uint32_t(address & inside), address &= ~inside;
  }
  auto placed = surface::mip_levels(layout);
  if (!placed) return unknown(placed.error().message);
  const surface::TextureLevel level = placed->levels[p.level];
  const unsigned across = std::max(1u, p.width >> p.level), down = std::max(1u, p.height >> p.level);
  // Pixels up to the end of whole blocks have their memory as well, but for levels that share a block with others.
  unsigned width = across, height = down;
  if (const auto* tiled = std::get_if<surface::Gfx12Surface>(&level.place); tiled && !tiled->first_x && !tiled->first_y) {
    const surface::Gfx12Block block = surface::block_of(layout.swizzle, layout.element_bytes, p.samples);
    const bool shares = p.levels > 1 && level.offset == 0;
    auto whole = [](unsigned pixels) {
      return (pixels + pipeline::block_size - 1) / pipeline::block_size * pipeline::block_size;
    };
    if (!shares && block.width >= pipeline::block_size && block.height >= pipeline::block_size)
      width = whole(across), height = whole(down);
  }
  surface::TextureDescription description;
  description.dimension =
      p.samples > 1 ? surface::Dimension::two_multisampled_array : surface::Dimension::two_array;  // volumes slice by slice
  description.format = p.format;
  description.width = width << p.level, description.height = height << p.level;
  description.first_layer = p.first_slice, description.layers = p.last_slice - p.first_slice + 1;
  description.samples = p.samples;
  description.levels.resize(p.level + 1);
  description.levels[p.level] = level;
  description.first_level = p.level;
  const uint64_t bytes = surface::end_of(level, layout.element_bytes, width, height, p.last_slice + 1);
  uint8_t* memory = context.memory(address, bytes, true, p.what);
  if (!memory) return nullptr;
  auto texture = surface::Texture::make(std::move(description), memory, bytes);
  if (!texture) return unknown(texture.error().message);
  auto blocks = std::make_unique<SurfaceBlocks>(std::move(*texture), width, height, p.level, address, bytes, memory);
  blocks->pixels_across = across, blocks->pixels_down = down;
  blocks->find_runs();
  return blocks;
}

}  // namespace

SurfaceBlocks::SurfaceBlocks(surface::Texture texture, unsigned width, unsigned height, unsigned level, uint64_t address,
                             uint64_t bytes, const uint8_t* host)
    : SurfaceTarget(std::move(texture), width, height, level), address(address), bytes(bytes), memory_{host, bytes} {}

std::unique_ptr<SurfaceBlocks> rate_surface(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  const auto size = r.read<PA_SC_VRS_RATE_SIZE_XY>();
  return make_blocks(context,
                     {.what = "surface of shading rates",
                      .address = surface_start(r.whole<PA_SC_VRS_RATE_BASE>(), r.get<PA_SC_VRS_RATE_BASE_EXT::BASE_256B>()),
                      .swizzle_mode = r.get<PA_SC_VRS_INFO::RATE_SW_MODE>(),
                      .format = {Layout::bits_8, Number::uint},
                      .width = PA_SC_VRS_RATE_SIZE_XY::X_MAX::get(size) + 1,
                      .height = PA_SC_VRS_RATE_SIZE_XY::Y_MAX::get(size) + 1,
                      .slices = 1,
                      .levels = 1,
                      .level = 0,
                      .first_slice = 0,
                      .last_slice = 0,
                      .samples = 1});
}

void TargetCache::trim(RegisterContext& context) {
  if (colours_.size() > most || depths_.size() > most) context.write_back_targets();  // what is kept names surfaces
  if (colours_.size() > most) colours_.clear();
  if (depths_.size() > most) depths_.clear();
}

bool TargetCache::colour(RegisterContext& context, unsigned n, ColourSurface*& result) {
  const RegisterFile& r = context.registers;
  constexpr const char* what = "colour buffer";
  result = nullptr;
  const auto info = r.read<CB_COLOR_INFO>(n);
  if (CB_COLOR_INFO::FORMAT::get(info) == CB_COLOR_INFO::FORMAT::COLOR_INVALID) return true;
  const auto key = key_of<CB_COLOR_BASE, CB_COLOR_BASE_EXT, CB_COLOR_VIEW, CB_COLOR_VIEW2, CB_COLOR_INFO, CB_COLOR_ATTRIB,
                          CB_COLOR_ATTRIB2, CB_COLOR_ATTRIB3>(r, n);
  const uint64_t submission = context.statistics.submissions;
  auto [place, is_new] = colours_.try_emplace(key);
  ColourSurface& found = place->second;
  if (!is_new) {
    if (found.blocks) result = &found;
    if (!result || found.submission == submission) return true;
    found.submission = submission;
    return still_there(context, found.blocks.get(), what);
  }
  auto format = gpu::amd::colour_format<DrawRegisters>(info);
  if (!format) {
    context.unknown(format.error().message);
    return true;
  }
  const auto view = r.read<CB_COLOR_VIEW>(n);
  const auto size = r.read<CB_COLOR_ATTRIB2>(n);
  const auto attrib = r.read<CB_COLOR_ATTRIB3>(n);
  Plane plane{};
  plane.what = what;
  plane.address = surface_start(r.whole<CB_COLOR_BASE>(n), r.get<CB_COLOR_BASE_EXT::BASE_256B>(n));
  plane.swizzle_mode = CB_COLOR_ATTRIB3::COLOR_SW_MODE::get(attrib);
  plane.format = *format;
  plane.width = CB_COLOR_ATTRIB2::MIP0_WIDTH::get(size) + 1, plane.height = CB_COLOR_ATTRIB2::MIP0_HEIGHT::get(size) + 1;
  plane.slices = CB_COLOR_ATTRIB3::MIP0_DEPTH::get(attrib) + 1;
  plane.levels = CB_COLOR_ATTRIB3::MAX_MIP::get(attrib) + 1;
  plane.level = r.get<CB_COLOR_VIEW2::MIP_LEVEL>(n);
  plane.first_slice = CB_COLOR_VIEW::SLICE_START::get(view);
  plane.last_slice = std::max(plane.first_slice, CB_COLOR_VIEW::SLICE_MAX::get(view));
  plane.samples = 1u << r.get<CB_COLOR_ATTRIB::NUM_FRAGMENTS>(n);
  constexpr uint32_t volume = 2;  // RESOURCE_TYPE: 0 and 1 have as many dimensions more (Mesa addrinterface.h, AddrResourceType)
  plane.volume = CB_COLOR_ATTRIB3::RESOURCE_TYPE::get(attrib) == volume;
  found.submission = submission;
  found.blocks = make_blocks(context, plane);
  if (found.blocks) result = &found;
  return !context.lost();
}

bool TargetCache::depth(RegisterContext& context, DepthSurface*& result) {
  const RegisterFile& r = context.registers;
  result = nullptr;
  const auto z_info = r.read<DB_Z_INFO>();
  const auto s_info = r.read<DB_STENCIL_INFO>();
  const bool has_depth = DB_Z_INFO::FORMAT::get(z_info) != DB_Z_INFO::FORMAT::Z_INVALID;
  const bool has_stencil = DB_STENCIL_INFO::FORMAT::get(s_info) == DB_STENCIL_INFO::FORMAT::STENCIL_8;
  if (!has_depth && !has_stencil) return true;
  const auto key = key_of<DB_Z_INFO, DB_STENCIL_INFO, DB_DEPTH_SIZE_XY, DB_DEPTH_VIEW, DB_DEPTH_VIEW1, DB_Z_READ_BASE,
                          DB_Z_READ_BASE_HI, DB_Z_WRITE_BASE, DB_Z_WRITE_BASE_HI, DB_STENCIL_READ_BASE, DB_STENCIL_READ_BASE_HI,
                          DB_STENCIL_WRITE_BASE, DB_STENCIL_WRITE_BASE_HI>(r);
  const uint64_t submission = context.statistics.submissions;
  auto [place, is_new] = depths_.try_emplace(key);
  DepthSurface& found = place->second;
  if (!is_new) {
    result = &found;
    if (found.submission == submission) return true;
    found.submission = submission;
    return still_there(context, found.depth.get(), "depth buffer") && still_there(context, found.stencil.get(), "stencil buffer");
  }
  const auto view = r.read<DB_DEPTH_VIEW>();
  const auto size = r.read<DB_DEPTH_SIZE_XY>();
  Plane plane{};
  plane.width = DB_DEPTH_SIZE_XY::X_MAX::get(size) + 1, plane.height = DB_DEPTH_SIZE_XY::Y_MAX::get(size) + 1;
  plane.first_slice = DB_DEPTH_VIEW::SLICE_START::get(view);
  plane.last_slice = std::max(plane.first_slice, DB_DEPTH_VIEW::SLICE_MAX::get(view));
  plane.slices = plane.last_slice + 1;
  plane.levels = DB_Z_INFO::MAXMIP::get(z_info) + 1;
  plane.level = r.get<DB_DEPTH_VIEW1::MIPID>();
  plane.samples = 1u << DB_Z_INFO::NUM_SAMPLES::get(z_info);
  found.submission = submission;
  if (has_depth) {
    static constexpr unsigned bits[] = {0, 16, 24, 32};
    found.depth_bits = bits[DB_Z_INFO::FORMAT::get(z_info)];
    plane.what = "depth buffer";
    plane.format.layout = found.depth_bits == 16 ? Layout::bits_16 : found.depth_bits == 24 ? Layout::bits_24_8 : Layout::bits_32;
    plane.format.number = found.depth_bits == 16   ? Number::unorm
                          : found.depth_bits == 24 ? Number::depth_stencil
                                                   : Number::floating;
    plane.swizzle_mode = DB_Z_INFO::SW_MODE::get(z_info);
    plane.address = surface_start(r.whole<DB_Z_WRITE_BASE>(), r.get<DB_Z_WRITE_BASE_HI::BASE_HI>());
    if (surface_start(r.whole<DB_Z_READ_BASE>(), r.get<DB_Z_READ_BASE_HI::BASE_HI>()) != plane.address)
      context.unknown("DB_Z_READ_BASE: not where depth is written");
    found.depth = make_blocks(context, plane);
    if (context.lost()) return false;
  }
  if (has_stencil) {
    plane.what = "stencil buffer";
    plane.format.layout = Layout::bits_8, plane.format.number = Number::uint;
    plane.swizzle_mode = DB_STENCIL_INFO::SW_MODE::get(s_info);
    plane.address = surface_start(r.whole<DB_STENCIL_WRITE_BASE>(), r.get<DB_STENCIL_WRITE_BASE_HI::BASE_HI>());
    if (surface_start(r.whole<DB_STENCIL_READ_BASE>(), r.get<DB_STENCIL_READ_BASE_HI::BASE_HI>()) != plane.address)
      context.unknown("DB_STENCIL_READ_BASE: not where stencil is written");
    found.stencil = make_blocks(context, plane);
    if (context.lost()) return false;
  }
  result = &found;
  return true;
}

}  // namespace Atoll::gfx12
