#include "gpu/sea_islands/draw/targets.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "gpu/sea_islands/draw/colour_format.h"
#include "gpu/sea_islands/state/tiling.h"
#include "registers/sea_islands.h"
#include "surface/number.h"

namespace Atoll::sea_islands {

using surface::Layout;
using surface::Number;
using Info = CB_COLOR_INFO;

namespace {

// The key of a surface: the registers that describe it.
template <class... Described>
std::vector<uint32_t> key_of(const RegisterFile& r, auto... n) {
  return {r.read<Described>(n...).key()...};
}

// Is the surface's memory still mapped? False: the context is lost.
bool still_there(RegisterContext& context, const TiledBlocks* blocks) {
  if (!blocks) return true;
  for (const TiledBlocks::Range& r : blocks->ranges)
    if (!context.memory(r.address, r.bytes, true, r.what)) return false;
  return true;
}

}  // namespace

void TargetCache::trim(RegisterContext& context) {
  if (colours_.size() > most || depths_.size() > most) context.write_back_targets();  // what is kept names surfaces
  if (colours_.size() > most) colours_.clear();
  if (depths_.size() > most) depths_.clear();
}

void ColourSurface::expand_fmask() const {
  if (!fmask) return;
  const auto own = PlainFmask::own(blocks->samples);
  for (uint64_t n = 0; n < fmask_bytes; n++) fmask[n] = own[n % own.size()];
}

bool TargetCache::colour(RegisterContext& context, unsigned n, ColourSurface*& result) {
  const RegisterFile& r = context.registers;
  result = nullptr;
  const auto info = r.read<Info>(n);
  const auto attrib = r.read<CB_COLOR_ATTRIB>(n);
  if (Info::FORMAT::get(info) == Info::FORMAT::COLOR_INVALID) return true;
  const bool degamma = r.get<CB_COLOR_CONTROL::DEGAMMA_ENABLE>();
  std::vector<uint32_t> key =
      key_of<CB_COLOR_BASE, CB_COLOR_PITCH, CB_COLOR_SLICE, CB_COLOR_VIEW, CB_COLOR_INFO, CB_COLOR_ATTRIB, CB_COLOR_CMASK,
             CB_COLOR_CLEAR_WORD0, CB_COLOR_CLEAR_WORD1, CB_COLOR_FMASK, CB_COLOR_FMASK_SLICE>(r, n);
  key.push_back(degamma);
  uint64_t submission = context.statistics.submissions;
  auto [place, is_new] = colours_.try_emplace(key);
  if (!is_new) {
    result = place->second.get();
    if (!result || result->submission == submission) return true;
    result->submission = submission;
    return still_there(context, result->blocks.get());
  }
  auto format = colour_format(info);
  if (!format) {
    context.unknown(format.error().message);
    return true;
  }
  // Formats of 8 bits a component alone (the manual's text of DEGAMMA_ENABLE).
  using Components = Info::FORMAT;
  const uint32_t components = Components::get(info);
  if (degamma && format->number == Number::unorm &&
      (components == Components::COLOR_8 || components == Components::COLOR_8_8 || components == Components::COLOR_8_8_8_8))
    format->number = Number::srgb;
  Plane plane;
  plane.what = "colour buffer";
  plane.base = uint64_t(r.whole<CB_COLOR_BASE>(n)) << 8;
  plane.format = *format;
  plane.texel_bytes = surface::row(format->layout).bytes;
  plane.samples = 1u << CB_COLOR_ATTRIB::NUM_FRAGMENTS::get(attrib);
  plane.pitch = (r.get<CB_COLOR_PITCH::TILE_MAX>(n) + 1) * 8;
  plane.slice_elements = (r.get<CB_COLOR_SLICE::TILE_MAX>(n) + 1) * 64;
  const auto view = r.read<CB_COLOR_VIEW>(n);
  plane.first_layer = CB_COLOR_VIEW::SLICE_START::get(view);
  plane.last_layer = std::max(plane.first_layer, CB_COLOR_VIEW::SLICE_MAX::get(view));
  auto tiling = tiling_of(context.config, CB_COLOR_ATTRIB::TILE_MODE_INDEX::get(attrib), plane.texel_bytes, plane.samples);
  if (Info::LINEAR_GENERAL::get(info)) tiling = surface::BankedTiling{};
  if (!tiling) {
    context.unknown(tiling.error().message);
    return true;
  }
  plane.base = surface_start(plane.base, *tiling);
  plane.tiling = *tiling;
  plane.swapped_bytes = (1u << Info::ENDIAN::get(info)) - 1;
  auto blocks = make_blocks(context, plane);
  if (!blocks) return !context.lost();
  if (Info::FAST_CLEAR::get(info)) {
    uint32_t words[4] = {r.whole<CB_COLOR_CLEAR_WORD0>(n), r.whole<CB_COLOR_CLEAR_WORD1>(n), 0, 0};
    std::memcpy(blocks->clear_texel.data(), words, sizeof words);
    uint64_t cmask = uint64_t(r.whole<CB_COLOR_CMASK>(n)) << 8;
    if (!attach_metadata(context, *blocks, Meta::cmask, cmask, Info::CMASK_IS_LINEAR::get(info), "CMASK")) return false;
  }
  auto made = std::make_unique<ColourSurface>();
  made->format = *format, made->submission = submission;
  if (Info::COMPRESSION::get(info) && plane.samples > 1) {
    unsigned fmask_texel = plane.samples == 8 ? 4 : 1;
    auto fmask_tiling = tiling_of(context.config, CB_COLOR_ATTRIB::FMASK_TILE_MODE_INDEX::get(attrib), fmask_texel, 1);
    uint64_t address = uint64_t(r.whole<CB_COLOR_FMASK>(n)) << 8;
    if (fmask_tiling) address = surface_start(address, *fmask_tiling);
    uint64_t elements = (uint64_t(r.get<CB_COLOR_FMASK_SLICE::TILE_MAX>(n)) + 1) * 64;
    made->fmask_bytes = elements * fmask_texel * (plane.last_layer + 1);
    made->fmask = context.memory(address, made->fmask_bytes, true, "FMASK");
    if (!made->fmask) return false;
    blocks->add_range({address, made->fmask_bytes, "FMASK"}, made->fmask);
    if (fmask_tiling && Info::FMASK_COMPRESSION_DISABLE::get(info)) {
      const unsigned pitch = (r.get<CB_COLOR_PITCH::FMASK_TILE_MAX>(n) + 1) * 8;
      PlainFmask plain{{*fmask_tiling, fmask_texel, pitch, unsigned(elements / pitch), 1}, made->fmask, made->fmask_bytes};
      if (auto ok = surface::check(plain.surface); ok)
        blocks->plain_fmask = plain;
      else
        context.unknown(fmt::format("FMASK: {}", ok.error().message));
    }
  }
  blocks->learn_tile();
  made->blocks = std::move(blocks);
  place->second = std::move(made);
  result = place->second.get();
  return true;
}

bool TargetCache::depth(RegisterContext& context, DepthSurface*& result) {
  const RegisterFile& r = context.registers;
  result = nullptr;
  const auto z_info = r.read<DB_Z_INFO>();
  const auto s_info = r.read<DB_STENCIL_INFO>();
  bool has_depth = DB_Z_INFO::FORMAT::get(z_info) != DB_Z_INFO::FORMAT::Z_INVALID;
  bool has_stencil = DB_STENCIL_INFO::FORMAT::get(s_info) == DB_STENCIL_INFO::FORMAT::STENCIL_8;
  if (!has_depth && !has_stencil) return true;
  std::vector<uint32_t> key = key_of<DB_Z_INFO, DB_STENCIL_INFO, DB_DEPTH_INFO, DB_DEPTH_SIZE, DB_DEPTH_SLICE, DB_DEPTH_VIEW,
                                     DB_Z_READ_BASE, DB_Z_WRITE_BASE, DB_STENCIL_READ_BASE, DB_STENCIL_WRITE_BASE,
                                     DB_HTILE_DATA_BASE, DB_HTILE_SURFACE, DB_DEPTH_CLEAR, DB_STENCIL_CLEAR>(r);
  uint64_t submission = context.statistics.submissions;
  auto [place, is_new] = depths_.try_emplace(key);
  if (!is_new) {
    result = place->second.get();
    if (!result || result->submission == submission) return true;
    result->submission = submission;
    return still_there(context, result->depth.get()) && still_there(context, result->stencil.get());
  }
  const auto depth_info = r.read<DB_DEPTH_INFO>();
  const auto view = r.read<DB_DEPTH_VIEW>();
  Plane plane;
  plane.pitch = (r.get<DB_DEPTH_SIZE::PITCH_TILE_MAX>() + 1) * 8;
  plane.slice_elements = (r.get<DB_DEPTH_SLICE::SLICE_TILE_MAX>() + 1) * 64;
  plane.first_layer = DB_DEPTH_VIEW::SLICE_START::get(view);
  plane.last_layer = std::max(plane.first_layer, DB_DEPTH_VIEW::SLICE_MAX::get(view));
  plane.samples = 1u << DB_Z_INFO::NUM_SAMPLES::get(z_info);
  bool has_htile = has_depth && DB_Z_INFO::TILE_SURFACE_ENABLE::get(z_info);
  bool stencil_in_htile = has_stencil && !DB_STENCIL_INFO::TILE_STENCIL_DISABLE::get(s_info);
  uint64_t htile = uint64_t(r.whole<DB_HTILE_DATA_BASE>()) << 8;
  bool htile_linear = r.get<DB_HTILE_SURFACE::LINEAR>();
  auto made = std::make_unique<DepthSurface>();
  made->submission = submission;
  auto make = [&](bool stencil) -> bool {
    plane.what = stencil ? "stencil buffer" : "depth buffer";
    auto tiling = depth_tiling_of(context.config, depth_info,
                                  stencil ? DB_STENCIL_INFO::TILE_SPLIT::get(s_info) : DB_Z_INFO::TILE_SPLIT::get(z_info),
                                  plane.texel_bytes);
    if (!tiling) {
      context.unknown(tiling.error().message);
      return true;
    }
    plane.tiling = *tiling;
    auto blocks = make_blocks(context, plane);
    if (!blocks) return !context.lost();
    if (has_htile) {
      blocks->stencil_in_htile = stencil_in_htile;
      if (!attach_metadata(context, *blocks, stencil ? Meta::htile_stencil : Meta::htile_depth, htile, htile_linear, "HTILE"))
        return false;
    }
    float clear = r.as_float<DB_DEPTH_CLEAR>();
    uint32_t word = stencil                 ? r.get<DB_STENCIL_CLEAR::CLEAR>()
                    : made->depth_bits < 32 ? surface::to_unorm(clear, made->depth_bits)
                                            : std::bit_cast<uint32_t>(clear);
    std::memcpy(blocks->clear_texel.data(), &word, sizeof word);
    blocks->learn_tile();
    made->reads_elsewhere |= blocks->read_from.has_value();
    (stencil ? made->stencil : made->depth) = std::move(blocks);
    return true;
  };
  if (has_depth) {
    static constexpr unsigned bits[] = {0, 16, 24, 32};
    made->depth_bits = bits[DB_Z_INFO::FORMAT::get(z_info)];
    plane.texel_bytes = made->depth_bits == 16 ? 2 : 4;
    plane.format.layout = made->depth_bits == 16 ? Layout::bits_16 : made->depth_bits == 24 ? Layout::bits_24_8 : Layout::bits_32;
    plane.format.number = made->depth_bits == 16   ? Number::unorm
                          : made->depth_bits == 24 ? Number::depth_stencil
                                                   : Number::floating;
    plane.base = uint64_t(r.whole<DB_Z_WRITE_BASE>()) << 8, plane.read_base = uint64_t(r.whole<DB_Z_READ_BASE>()) << 8;
    if (!make(false)) return false;
  }
  if (has_stencil) {
    plane.texel_bytes = 1;
    plane.format.layout = Layout::bits_8, plane.format.number = Number::uint;
    plane.base = uint64_t(r.whole<DB_STENCIL_WRITE_BASE>()) << 8;
    plane.read_base = uint64_t(r.whole<DB_STENCIL_READ_BASE>()) << 8;
    if (!make(true)) return false;
  }
  place->second = std::move(made);
  result = place->second.get();
  return true;
}

}  // namespace Atoll::sea_islands
