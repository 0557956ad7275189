#include "gpu/r5xx/shaders/textures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "gpu/r5xx/shaders/texture_formats.h"
#include "isa/r500/texture_units.h"
#include "surface/r300_mips.h"

namespace Atoll::r5xx {
namespace {

using surface::Sampler;
using CoordinateType = TX_FORMAT1::TEX_COORD_TYPE;
using E = TX_ENABLE;
using Enables = FieldList<E::TEX_0_ENABLE, E::TEX_1_ENABLE, E::TEX_2_ENABLE, E::TEX_3_ENABLE, E::TEX_4_ENABLE, E::TEX_5_ENABLE,
                          E::TEX_6_ENABLE, E::TEX_7_ENABLE, E::TEX_8_ENABLE, E::TEX_9_ENABLE, E::TEX_10_ENABLE, E::TEX_11_ENABLE,
                          E::TEX_12_ENABLE, E::TEX_13_ENABLE, E::TEX_14_ENABLE, E::TEX_15_ENABLE>;

struct Size {
  unsigned width, height, depth;
};
Size size_of(const RegisterFile& r, unsigned n) {
  const auto format0 = r.read<TX_FORMAT0>(n);
  const auto format2 = r.read<TX_FORMAT2>(n);
  return {(TX_FORMAT0::TXWIDTH::get(format0) | TX_FORMAT2::TXWIDTH_11::get(format2) << 11) + 1,
          (TX_FORMAT0::TXHEIGHT::get(format0) | TX_FORMAT2::TXHEIGHT_11::get(format2) << 11) + 1,
          TX_FORMAT1::TEX_COORD_TYPE::get(r.read<TX_FORMAT1>(n)) == CoordinateType::_3D ? 1u << TX_FORMAT0::TXDEPTH::get(format0)
                                                                                        : 1u};
}
// Levels that there are: NUM_LEVELS counts without the base, and stops to mean anything at one texel.
unsigned level_count(const RegisterFile& r, unsigned n, const Size& size) {
  unsigned most = unsigned(std::bit_width(std::max({size.width, size.height, size.depth})));
  return std::min<unsigned>(TX_FORMAT0::NUM_LEVELS::get(r.read<TX_FORMAT0>(n)) + 1, most);
}

struct Described {
  surface::TextureDescription description;
  uint64_t bytes = 0;      // from the first level's start
  bool cut_tiles = false;  // the pitch holds no whole tiles
};
Expected<Described> describe(const RegisterFile& r, unsigned n, const surface::Format& format) {
  const auto format1 = r.read<TX_FORMAT1>(n);
  const auto format2 = r.read<TX_FORMAT2>(n);
  const auto offset = r.read<TX_OFFSET>(n);
  const surface::LayoutRow& layout = surface::row(format.layout);
  const Size size = size_of(r, n);
  const uint32_t type = TX_FORMAT1::TEX_COORD_TYPE::get(format1);
  const bool volume = type == CoordinateType::_3D, cube = type == CoordinateType::Cube;
  if (type == CoordinateType::Reserved) return fail("TX_FORMAT1.TEX_COORD_TYPE is reserved");
  if (TX_OFFSET::MICRO_TILE::get(offset) == TX_OFFSET::MICRO_TILE::Reserved) return fail("TX_OFFSET.MICRO_TILE is reserved");
  surface::R300Texture arrangement;
  arrangement.element_bytes = layout.bytes;
  arrangement.block_width = layout.block_width, arrangement.block_height = layout.block_height;
  arrangement.width = size.width, arrangement.height = size.height;
  arrangement.slices = volume ? size.depth : cube ? 6 : 1;
  arrangement.volume = volume;
  arrangement.micro = surface::R300MicroTile(TX_OFFSET::MICRO_TILE::get(offset));
  arrangement.macro = TX_OFFSET::MACRO_TILE::get(offset);
  arrangement.macro_ends_at_8 = TX_FILTER1::MACRO_SWITCH::get(r.read<TX_FILTER1>(n));
  if (TX_FORMAT0::TXPITCH_EN::get(r.read<TX_FORMAT0>(n)))
    arrangement.pitch = (TX_FORMAT2::TXPITCH::get(format2) + layout.block_width) / layout.block_width;
  // The unit's treatment of part of a tile is not published. It goes on (Mesa 22.3.6 forgets TXFORMAT_MSB of depth textures'
  // smaller levels, which halves the texel's size that the unit assumes and so the pitch): the tile counts as whole here.
  Described d;
  if (auto tile = surface::r300_tile(layout.bytes, arrangement.micro, arrangement.macro);
      tile && arrangement.pitch % tile->width) {
    d.cut_tiles = true;
    arrangement.pitch += tile->width - arrangement.pitch % tile->width;
  }
  arrangement.levels = level_count(r, n, size);
  auto levels = surface::mip_levels(arrangement);
  if (!levels) return std::unexpected(levels.error());

  auto& t = d.description;
  t.dimension = volume ? surface::Dimension::three : cube ? surface::Dimension::cube : surface::Dimension::two;
  t.format = format;
  t.width = size.width, t.height = size.height, t.depth = size.depth;
  t.layers = cube ? 6 : 1;
  for (const surface::R300Level& level : *levels) t.levels.push_back({level.offset, level.surface});
  const surface::R300Level& last = levels->back();
  d.bytes = last.offset + last.surface.slice_bytes * last.slices;
  return d;
}

float signed_fixed(uint32_t value, unsigned bits, unsigned fraction) {
  int32_t v = int32_t(value << (32 - bits)) >> (32 - bits);
  return std::ldexp(float(v), -int(fraction));
}

// By how much the shader unit's own copy of the size (US_FORMAT0), by which coordinates are scaled, is another than TX_FORMAT0's.
// Beyond 2048 texels it has no room and has another form; as a reset leaves it, it says nothing. A cube's coordinates are scaled on
// its faces, which no copy of a size is for.
std::array<float, 3> coordinate_scale(const RegisterFile& r, unsigned n) {
  const auto there = r.read<US_FORMAT0>(n);
  const auto large = r.read<TX_FORMAT2>(n);
  const uint32_t type = TX_FORMAT1::TEX_COORD_TYPE::get(r.read<TX_FORMAT1>(n));
  if (!there.key() || TX_FORMAT2::TXWIDTH_11::get(large) || TX_FORMAT2::TXHEIGHT_11::get(large) || type == CoordinateType::Cube)
    return {1, 1, 1};
  const Size size = size_of(r, n);
  const float depth = type == CoordinateType::_3D ? float(1u << US_FORMAT0::TXDEPTH::get(there)) : 1;
  return {float(US_FORMAT0::TXWIDTH::get(there) + 1) / float(size.width),
          float(US_FORMAT0::TXHEIGHT::get(there) + 1) / float(size.height), depth / float(size.depth)};
}

// Red, green and blue are V, Y and U, as the formats' names have them, and become a colour by ITU-R BT.601 for 16 to 235 of 255.
void yuv_to_rgb(const wave::ImageAccess& access, bool clamps, std::array<wave::ImageLanes, 4>& data) {
  for (unsigned l = 0; l < access.lanes; l++) {
    if (!(access.active >> l & 1)) continue;
    auto number = [&](unsigned c) { return std::bit_cast<float>(data[c][l]); };
    constexpr float black = 16.0f / 255, none = 128.0f / 255, gain = 255.0f / 219, chroma = 255.0f / 224;
    const float v = (number(0) - none) * chroma, y = (number(1) - black) * gain, u = (number(2) - none) * chroma;
    const float rgb[3] = {y + 1.402f * v, y - 0.344136f * u - 0.714136f * v, y + 1.772f * u};
    for (unsigned c = 0; c < 3; c++)
      data[c][l] = std::bit_cast<uint32_t>(clamps ? std::min(std::max(rgb[c], 0.0f), 1.0f) : rgb[c]);
  }
}

}  // namespace

Sampler sampler_of(Context& context, unsigned n, const TexelFormat& format) {
  const RegisterFile& r = context.registers;
  const auto filter0 = r.read<TX_FILTER0>(n);
  const auto filter1 = r.read<TX_FILTER1>(n);
  Sampler s;
  s.wrap = {surface::Wrap(TX_FILTER0::CLAMP_S::get(filter0)), surface::Wrap(TX_FILTER0::CLAMP_T::get(filter0)),
            surface::Wrap(TX_FILTER0::CLAMP_R::get(filter0))};
  // 3 is anisotropic (Mesa).
  constexpr uint32_t anisotropic = 3;
  auto filter = [&](uint32_t value) {
    return value == TX_FILTER0::MIN_FILTER::Point     ? surface::Filter::nearest
           : value == TX_FILTER0::MIN_FILTER::Filter4 ? surface::Filter::four_taps
                                                      : surface::Filter::linear;
  };
  const uint32_t min = TX_FILTER0::MIN_FILTER::get(filter0), mag = TX_FILTER0::MAG_FILTER::get(filter0);
  s.min_filter = filter(min), s.mag_filter = filter(mag);
  if (min == TX_FILTER0::MIN_FILTER::Filter4 || mag == TX_FILTER0::MIN_FILTER::Filter4) {
    s.four_taps = context.four_taps;
    const auto component = surface::Select(TX_FORMAT2::SEL_FILTER4::get(r.read<TX_FORMAT2>(n)));
    for (unsigned c = 0; c < 4; c++) s.four_taps_components |= uint8_t(unsigned(format.format.order[c] == component) << c);
  }
  s.mip_filter = surface::MipFilter(std::min(TX_FILTER0::MIP_FILTER::get(filter0), 2u));
  s.slice_filter = surface::SliceFilter(std::min(TX_FILTER0::VOL_FILTER::get(filter0), 2u));
  // Bits 23:21 of TX_FILTER0: the logarithm of the ratio. Under bit 30 of TX_FILTER1 its bits 28:23 give it in 64 steps.
  if (min == anisotropic || mag == anisotropic) {
    s.max_anisotropy = 1u << std::min(TX_FILTER0::Reserved::get(filter0), 4u);
    if (TX_FILTER1::Reserved______::get(filter1)) s.max_anisotropy = 1 + TX_FILTER1::Reserved____::get(filter1) * 15 / 63;
  }
  // One step less than the register says: Mesa adds one to every bias, and exact levels come out only so (docs/errata.md).
  s.lod_bias = signed_fixed(TX_FILTER1::LOD_BIAS::get(filter1), 10, 5) - 1.0f / 32;
  s.lod_min = float(TX_FILTER0::MAX_MIP_LEVEL::get(filter0));
  // The last level bounds the choice of the level, not that between minification and magnification.
  s.border = border_colour(format, r.whole<TX_BORDER_COLOR>(n));
  s.seamless_cube = false;
  // The precision of coordinates is not published; a point filter that takes the texel that a coordinate lies in is what APIs ask
  // for.
  s.truncate_coordinates = s.min_filter == surface::Filter::nearest && s.mag_filter == surface::Filter::nearest;
  s.half_fractions = TX_FILTER1::MC_COORD_TRUNCATE::get(filter1);
  static constexpr struct {
    float slope, cut;
  } performance[] = {{1, 0}, {4.0f / 3, 1.0f / 6}, {2, 0.5f}, {4, 1.5f}};
  s.mip_slope = performance[TX_FILTER1::TRI_PERF::get(filter1)].slope;
  s.mip_cut = performance[TX_FILTER1::TRI_PERF::get(filter1)].cut;
  using KeyMode = TX_FILTER1::CHROMA_KEY_MODE;
  if (const uint32_t mode = KeyMode::get(filter1); mode == 1 || mode == 2) {
    s.key = border_colour(format, r.whole<TX_CHROMA_KEY>(n));
    s.key_is_zero = mode == 2;
  } else if (mode) {
    context.unknown("TX_FILTER1.CHROMA_KEY_MODE 3");
  }
  if (TX_FILTER1::MC_ROUND::get(filter1)) s.step_rounding = 0.25f;
  const auto format1 = r.read<TX_FORMAT1>(n);
  s.turns_chroma = TX_FORMAT1::YUV_TO_RGB::get(format1) && TX_FORMAT1::SWAP_YUV::get(format1);
  return s;
}

std::shared_ptr<Textures::Kept> Textures::find(Context& context, unsigned n, const TexelFormat& format, Unit& unit) {
  const RegisterFile& r = context.registers;
  auto& kept = cache_->kept_;
  // From TX_FILTER1, only the macro switch and the swizzle of DXT count.
  std::array<uint32_t, 6> words = {r.read<TX_FORMAT0>(n).key(),
                                   r.read<TX_FORMAT1>(n).key(),
                                   r.read<TX_FORMAT2>(n).key(),
                                   r.read<TX_OFFSET>(n).key(),
                                   TX_FILTER1::MACRO_SWITCH::get(r.read<TX_FILTER1>(n)),
                                   TX_FILTER1::Reserved___::get(r.read<TX_FILTER1>(n))};
  for (auto entry = kept.begin(); entry != kept.end(); ++entry) {
    if ((*entry)->words != words) continue;
    kept.splice(kept.begin(), kept, entry);
    if (context.space.contains((*entry)->address, (*entry)->bytes)) return *entry;
    kept.pop_front();
    break;
  }
  auto described = describe(r, n, format.format);
  if (!described) {
    context.unknown(fmt::format("texture unit {}: {}", n, described.error().message));
    return unit.fault = "the texture unit's registers describe no texture", nullptr;
  }
  if (described->cut_tiles) context.unknown(fmt::format("TX_FORMAT2.TXPITCH of texture unit {}: no whole tiles", n));
  const uint64_t address = r.get<TX_OFFSET::TXOFFSET>(n) << TX_OFFSET::TXOFFSET::low;
  if (!context.space.contains(address, described->bytes)) {
    context.unknown(fmt::format("texture unit {}: {:#x} to {:#x} is not mapped", n, address, address + described->bytes));
    return unit.fault = "the texture lies in memory that is not mapped", nullptr;
  }
  auto texture = surface::Texture::make(described->description, context.space.host(address), described->bytes);
  if (!texture) {
    context.unknown(fmt::format("texture unit {}: {}", n, texture.error().message));
    return unit.fault = "the texture unit's registers describe no texture", nullptr;
  }
  kept.push_front(std::make_shared<Kept>(Kept{words, address, described->bytes, std::move(*texture)}));
  if (kept.size() > TextureCache::max_kept) kept.pop_back();
  return kept.front();
}

void Textures::bind(Context& context) {
  const RegisterFile& r = context.registers;
  const uint32_t enabled = Enables::bits(r.read<TX_ENABLE>());
  // Drops what compiled code found of the units as they were.
  if (slots_used_.exchange(false, std::memory_order_relaxed))
    for (auto& slot : slots_) slot.store(&wave::no_texture, std::memory_order_relaxed);
  for (uint32_t rest = std::exchange(bound_, enabled); rest; rest &= rest - 1) units_[unsigned(std::countr_zero(rest))] = {};
  memory_.clear();
  for (unsigned n = 0; n < units_.size(); n++) {
    Unit& unit = units_[n];
    if (enabled >> n & 1) {
      TexelFormat format = texel_format_of(r, n);
      if (format.unknown) context.unknown(format.unknown);
      unit.answers = format.readable;
      if (!unit.answers) continue;
      unit.texture = find(context, n, format, unit);
      if (unit.texture) memory_.push_back({context.space.host(unit.texture->address), unit.texture->bytes});
      unit.sampler = sampler_of(context, n, format);
      unit.scale = coordinate_scale(r, n);
      unit.projected = TX_FORMAT0::PROJECTED::get(r.read<TX_FORMAT0>(n));
      unit.yuv = uint8_t(TX_FORMAT1::YUV_TO_RGB::get(r.read<TX_FORMAT1>(n)));
      if (unit.yuv == 3) context.unknown("TX_FORMAT1.YUV_TO_RGB 3");
      if (!unit.texture || unit.is_called()) continue;
      if (!sampling::has_form(unit.texture->texture, unit.sampler)) continue;
      if (const sampling::Tables* tables = tables_of(*unit.texture))
        unit.form = sampling::form_of(unit.texture->texture, unit.sampler, *tables).bits();
    }
  }
}

bool Textures::may_kill() const {
  return std::ranges::any_of(units_, [](const Unit& unit) { return unit.sampler.key && !unit.sampler.key_is_zero; });
}

const sampling::Tables* Textures::tables_of(Kept& kept) {
  std::lock_guard lock(cache_->mutex_);
  if (!std::exchange(kept.has_tables, true)) kept.tables = sampling::Tables::make(kept.texture);
  return kept.tables.get();
}

const wave::SampledTexture* Textures::sampled(uint32_t word, uint32_t slot) {
  Unit& unit = units_[r500::unit_of(word)];
  if (!unit.texture || unit.is_called()) return nullptr;
  surface::Sampler sampler = unit.sampler;
  sampler.unnormalized = r500::is_unscaled(word);
  if (!sampling::has_form(unit.texture->texture, sampler)) return nullptr;
  std::lock_guard lock(mutex_);
  Kept& kept = *unit.texture;
  if (!tables_of(kept)) return nullptr;
  auto& sampled = unit.sampled[sampler.unnormalized];
  if (!sampled) {
    sampled = std::make_unique<wave::SampledTexture>();
    kept.tables->describe(kept.texture, sampler, wave::TextureUse::sampled, *sampled);
    sampled->resource[0] = word;
  }
  slots_used_.store(true, std::memory_order_relaxed);
  slots_[slot % wave::texture_slots].store(sampled.get(), std::memory_order_release);
  return sampled.get();
}

uint64_t Textures::image(wave::ImageAccess& access) const {
  if (access.operation != wave::ImageOperation::sample || access.unit >= units_.size()) {
    access.fault = "texture units look texels up, and there are 16 of them";
    return 0;
  }
  const Unit& unit = units_[access.unit];
  if (!unit.answers) {  // as TX_ENABLE has it: alpha is 1, the others 0
    for (unsigned c = 0; c < 4; c++) access.data[c].fill(c == 3 ? 0x3f800000u : 0u);
    return 0;
  }
  if (!unit.texture) {
    access.fault = unit.fault;
    return 0;
  }
  const surface::Texture& texture = unit.texture->texture;
  if (access.projected || unit.projected)
    for (unsigned c = 0; c < 3; c++)
      for (unsigned l = 0; l < access.lanes; l++)
        access.coordinate[c][l] = std::bit_cast<uint32_t>(std::bit_cast<float>(access.coordinate[c][l]) /
                                                          std::bit_cast<float>(access.coordinate[3][l]));
  surface::SampleLanes call;
  call.lanes = access.lanes, call.active = access.active;
  call.s = access.coordinate[0].data(), call.t = access.coordinate[1].data(), call.r = access.coordinate[2].data();
  call.lod = access.lod.data();
  switch (access.lod_mode) {
    case wave::LodMode::implicit: call.lod_mode = surface::LodMode::implicit; break;
    case wave::LodMode::bias: call.lod_mode = surface::LodMode::bias; break;
    case wave::LodMode::level: call.lod_mode = surface::LodMode::level; break;
    case wave::LodMode::zero: call.lod_mode = surface::LodMode::zero; break;
    case wave::LodMode::derivatives:
      call.lod_mode = surface::LodMode::derivatives;
      for (unsigned c = 0; c < 3; c++) call.dx[c] = access.dx[c].data(), call.dy[c] = access.dy[c].data();
      break;
  }
  if (!access.unnormalized && unit.scale != std::array<float, 3>{1, 1, 1}) {
    auto scaled = [&](wave::ImageLanes& lanes, float by) {
      for (unsigned l = 0; l < access.lanes; l++) lanes[l] = std::bit_cast<uint32_t>(std::bit_cast<float>(lanes[l]) * by);
    };
    for (unsigned c = 0; c < 3; c++) {
      scaled(access.coordinate[c], unit.scale[c]);
      if (access.lod_mode == wave::LodMode::derivatives) scaled(access.dx[c], unit.scale[c]), scaled(access.dy[c], unit.scale[c]);
    }
  }
  uint64_t meets_key = 0;
  call.meets_key = &meets_key;
  if (access.unnormalized) {
    Sampler in_texels = unit.sampler;
    in_texels.unnormalized = true;
    surface::sample(texture, in_texels, call, access.data);
  } else {
    surface::sample(texture, unit.sampler, call, access.data);
  }
  if (unit.yuv) yuv_to_rgb(access, unit.yuv == TX_FORMAT1::YUV_TO_RGB::Enable_YUV_to_RGB_conversion_with_clamp, access.data);
  return unit.sampler.key_is_zero ? 0 : meets_key;
}

}  // namespace Atoll::r5xx
