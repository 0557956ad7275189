#include "gpu/sea_islands/shaders/descriptors.h"

#include <algorithm>
#include <bit>

#include "gpu/sea_islands/state/tiling.h"
#include "registers/sea_islands.h"
#include "surface/banked_mips.h"

namespace Atoll::sea_islands {

namespace {

using surface::Order;
using surface::Select;

using gpu::amd::fixed_point;
using gpu::amd::select_of;

Expected<surface::Dimension> dimension_of(uint32_t type, unsigned layers) {
  using Type = SQ_IMG_RSRC_WORD3::TYPE;
  using surface::Dimension;
  switch (type) {
    case Type::SQ_RSRC_IMG_1D: return Dimension::one;
    case Type::SQ_RSRC_IMG_2D: return Dimension::two;
    case Type::SQ_RSRC_IMG_3D: return Dimension::three;
    case Type::SQ_RSRC_IMG_CUBE: return layers > 6 ? Dimension::cube_array : Dimension::cube;
    case Type::SQ_RSRC_IMG_1D_ARRAY: return Dimension::one_array;
    case Type::SQ_RSRC_IMG_2D_ARRAY: return Dimension::two_array;
    case Type::SQ_RSRC_IMG_2D_MSAA: return Dimension::two_multisampled;
    case Type::SQ_RSRC_IMG_2D_MSAA_ARRAY: return Dimension::two_multisampled_array;
    default: return fail("T# of type {}", type);
  }
}

}  // namespace

namespace {

using Type = SQ_IMG_RSRC_WORD3::TYPE;

// The fields of a T# that the surface's description does not keep.
struct Extent {
  unsigned depth, last_layer, last_level;
  bool volume, cube, multisampled;
};

// Dimension, size, layers, samples and the first level.
Expected<Extent> describe(const ImageResourceWords& w, uint32_t type, surface::TextureDescription& d) {
  unsigned base_level = SQ_IMG_RSRC_WORD3::BASE_LEVEL::get(w[3]), last_level = SQ_IMG_RSRC_WORD3::LAST_LEVEL::get(w[3]);
  unsigned first_layer = SQ_IMG_RSRC_WORD5::BASE_ARRAY::get(w[5]), last_layer = SQ_IMG_RSRC_WORD5::LAST_ARRAY::get(w[5]);
  unsigned depth = SQ_IMG_RSRC_WORD4::DEPTH::get(w[4]) + 1;
  bool one = type == Type::SQ_RSRC_IMG_1D || type == Type::SQ_RSRC_IMG_1D_ARRAY;
  bool volume = type == Type::SQ_RSRC_IMG_3D, cube = type == Type::SQ_RSRC_IMG_CUBE;
  bool array =
      type == Type::SQ_RSRC_IMG_1D_ARRAY || type == Type::SQ_RSRC_IMG_2D_ARRAY || type == Type::SQ_RSRC_IMG_2D_MSAA_ARRAY;
  bool multisampled = type == Type::SQ_RSRC_IMG_2D_MSAA || type == Type::SQ_RSRC_IMG_2D_MSAA_ARRAY;
  if (volume) first_layer = last_layer = 0;
  if (last_layer < first_layer) return fail("T#: LAST_ARRAY {} before BASE_ARRAY {}", last_layer, first_layer);
  d.width = SQ_IMG_RSRC_WORD2::WIDTH::get(w[2]) + 1;
  d.height = one ? 1 : SQ_IMG_RSRC_WORD2::HEIGHT::get(w[2]) + 1;
  d.depth = volume ? depth : 1;
  d.first_layer = first_layer;
  d.layers = array || cube ? last_layer - first_layer + 1 : 1;
  // For a cube that is no array, drivers leave LAST_ARRAY at the first face (Mesa 22.3.6
  // si_create_sampler_view_custom).
  if (cube) d.layers = std::max(6u, d.layers - d.layers % 6);
  auto dimension = dimension_of(type, d.layers);
  if (!dimension) return std::unexpected(dimension.error());
  d.dimension = *dimension;
  // For multisampled images, LAST_LEVEL is the logarithm of the samples.
  if (multisampled) {
    if (last_level > 4) return fail("T#: 2^{} samples", last_level);
    d.samples = 1u << last_level;
    base_level = last_level = 0;
  }
  if (base_level > last_level) return fail("T#: BASE_LEVEL {} beyond LAST_LEVEL {}", base_level, last_level);
  d.first_level = base_level;
  return Extent{depth, last_layer, last_level, volume, cube, multisampled};
}

// Bytes from a level's begin that the resource reaches.
uint64_t level_bytes(const surface::BankedLevel& level, unsigned slices) {
  unsigned thickness = surface::row(level.surface.tiling.arrangement).thickness;
  uint64_t padded = (slices + thickness - 1) / thickness * thickness;
  uint64_t bytes = level.bytes_per_slice * padded;
  // Macro tiles smaller than the pipes' interleave share it.
  const surface::BankedTiling& t = level.surface.tiling;
  if (!surface::row(t.arrangement).macro) return bytes;
  uint64_t whole = uint64_t(t.pipe_interleave_bytes) * surface::pipes(t.pipe_config) * t.banks;
  return (bytes + whole - 1) / whole * whole;
}

// Puts the levels where they are, and says how far they reach.
Expected<void> place_levels(const surface::BankedTexture& texture, const Extent& extent, ImageResource& r) {
  surface::TextureDescription& d = r.description;
  const surface::LayoutRow& layout = surface::row(d.format.layout);
  const bool linear = texture.tiling.arrangement == surface::Arrangement::linear;
  auto placed = surface::mip_levels(texture);
  if (!placed) return fail("T#: {}", placed.error().message);
  for (unsigned n = 0; n <= extent.last_level; n++) {
    surface::BankedLevel& level = (*placed)[n];
    surface::TextureLevel& to = d.levels.emplace_back();
    to.offset = level.offset;
    unsigned slices = extent.volume ? std::max(1u, extent.depth >> n) : d.first_layer + d.layers;
    if (linear) {
      // The pitch of a single level is as it is given.
      if (n == 0 && texture.levels == 1 && texture.pitch) {
        level.surface.pitch = texture.pitch;
        level.bytes_per_slice = uint64_t(texture.pitch) * level.surface.height * layout.bytes;
      }
      surface::LinearSurface rows{uint64_t(level.surface.pitch) * layout.bytes, level.bytes_per_slice};
      to.place = rows;
      unsigned height = std::max(1u, d.height >> n), width = std::max(1u, d.width >> n);
      uint64_t last_row = (height + layout.block_height - 1) / layout.block_height - 1;
      uint64_t columns = (width + layout.block_width - 1) / layout.block_width;
      if (n >= d.first_level)
        r.bytes = std::max(r.bytes,
                           level.offset + (slices - 1) * rows.slice_bytes + last_row * rows.pitch_bytes + columns * layout.bytes);
    } else {
      to.place = level.surface;
      if (n >= d.first_level) r.bytes = std::max(r.bytes, level.offset + level_bytes(level, slices));
    }
  }
  return {};
}

}  // namespace

Expected<ImageResource> image_resource(const ChipConfig& config, const ImageResourceWords& given, bool short_resource) {
  ImageResourceWords w = given;
  if (short_resource) std::fill(w.begin() + 4, w.end(), 0u);
  ImageResource r;
  const uint32_t type = Type::get(w[3]);
  r.type = ImageType(type);
  r.order = {select_of(SQ_IMG_RSRC_WORD3::DST_SEL_X::get(w[3])), select_of(SQ_IMG_RSRC_WORD3::DST_SEL_Y::get(w[3])),
             select_of(SQ_IMG_RSRC_WORD3::DST_SEL_Z::get(w[3])), select_of(SQ_IMG_RSRC_WORD3::DST_SEL_W::get(w[3]))};
  unsigned data_format = SQ_IMG_RSRC_WORD1::DATA_FORMAT::get(w[1]);
  if (data_format == SQ_IMG_RSRC_WORD1::DATA_FORMAT::IMG_DATA_FORMAT_INVALID) return r;
  r.bound = true;
  auto format = image_format(data_format, SQ_IMG_RSRC_WORD1::NUM_FORMAT::get(w[1]), r.order);
  if (!format) return std::unexpected(format.error());
  r.fragment_mask = fragment_mask(data_format);
  surface::TextureDescription& d = r.description;
  d.format = *format;
  auto extent = describe(w, type, d);
  if (!extent) return std::unexpected(extent.error());
  r.min_lod = float(SQ_IMG_RSRC_WORD1::MIN_LOD::get(w[1])) / 256 - float(d.first_level);
  r.min_lod_warning = float(SQ_IMG_RSRC_WORD6::MIN_LOD_WARN::get(w[6])) / 256 - float(d.first_level);

  const surface::LayoutRow& layout = surface::row(format->layout);
  auto tiling = tiling_of(config, SQ_IMG_RSRC_WORD3::TILING_INDEX::get(w[3]), layout.bytes, d.samples);
  if (!tiling) return std::unexpected(tiling.error());
  r.address = uint64_t(SQ_IMG_RSRC_WORD1::BASE_ADDRESS_HI::get(w[1])) << 40 | uint64_t(SQ_IMG_RSRC_WORD0::BASE_ADDRESS::get(w[0]))
                                                                                  << 8;
  r.address = surface_start(r.address, *tiling);

  surface::BankedTexture texture;
  texture.tiling = *tiling;
  texture.element_bytes = layout.bytes;
  texture.block_width = layout.block_width;
  texture.block_height = layout.block_height;
  texture.width = d.width;
  texture.height = d.height;
  texture.slices =
      extent->volume ? extent->depth : std::max(extent->last_layer + 1, extent->cube ? 6 * extent->depth : extent->depth);
  texture.volume = extent->volume;
  texture.samples = d.samples;
  unsigned pitch_texels = SQ_IMG_RSRC_WORD4::PITCH::get(w[4]) + 1;
  texture.pitch = short_resource ? 0 : (pitch_texels + layout.block_width - 1) / layout.block_width;
  // A chain of levels is padded to powers of two even where only the first is looked at.
  unsigned levels = extent->last_level + 1;
  texture.levels = SQ_IMG_RSRC_WORD3::POW2_PAD::get(w[3]) && !extent->multisampled ? std::max(levels, 2u) : levels;
  if (auto placed = place_levels(texture, *extent, r); !placed) return std::unexpected(placed.error());
  return r;
}

ImageSampler image_sampler(const SamplerWords& w) {
  ImageSampler s;
  surface::Sampler& to = s.sampler;
  to.wrap = {surface::Wrap(SQ_IMG_SAMP_WORD0::CLAMP_X::get(w[0])), surface::Wrap(SQ_IMG_SAMP_WORD0::CLAMP_Y::get(w[0])),
             surface::Wrap(SQ_IMG_SAMP_WORD0::CLAMP_Z::get(w[0]))};
  // Bit 0 of the filters: bilinear; bit 1: anisotropic (Mesa 22.3.6 amd/registers/gfx7.json, SQ_TEX_XY_FILTER_ANISO_*).
  uint32_t magnify = SQ_IMG_SAMP_WORD2::XY_MAG_FILTER::get(w[2]), minify = SQ_IMG_SAMP_WORD2::XY_MIN_FILTER::get(w[2]);
  to.mag_filter = magnify & 1 ? surface::Filter::linear : surface::Filter::nearest;
  to.min_filter = minify & 1 ? surface::Filter::linear : surface::Filter::nearest;
  if ((magnify | minify) & 2) to.max_anisotropy = 1u << std::min(SQ_IMG_SAMP_WORD0::MAX_ANISO_RATIO::get(w[0]), 4u);
  switch (SQ_IMG_SAMP_WORD2::Z_FILTER::get(w[2])) {
    case SQ_TEX_Z_FILTER::SQ_TEX_Z_FILTER_POINT: to.slice_filter = surface::SliceFilter::nearest; break;
    case SQ_TEX_Z_FILTER::SQ_TEX_Z_FILTER_LINEAR: to.slice_filter = surface::SliceFilter::linear; break;
    default: to.slice_filter = surface::SliceFilter::as_others;
  }
  switch (SQ_IMG_SAMP_WORD2::MIP_FILTER::get(w[2])) {
    case SQ_TEX_Z_FILTER::SQ_TEX_Z_FILTER_POINT: to.mip_filter = surface::MipFilter::nearest; break;
    case SQ_TEX_Z_FILTER::SQ_TEX_Z_FILTER_LINEAR: to.mip_filter = surface::MipFilter::linear; break;
    default: to.mip_filter = surface::MipFilter::none;
  }
  switch (SQ_IMG_SAMP_WORD0::FILTER_MODE::get(w[0])) {
    case 1: to.reduction = surface::Reduction::minimum; break;
    case 2: to.reduction = surface::Reduction::maximum; break;
    default: to.reduction = surface::Reduction::average;
  }
  to.lod_min = float(SQ_IMG_SAMP_WORD1::MIN_LOD::get(w[1])) / 256;
  to.lod_max = float(SQ_IMG_SAMP_WORD1::MAX_LOD::get(w[1])) / 256;
  to.lod_bias =
      fixed_point(SQ_IMG_SAMP_WORD2::LOD_BIAS::get(w[2]), 14, 8) + fixed_point(SQ_IMG_SAMP_WORD2::LOD_BIAS_SEC::get(w[2]), 6, 4);
  to.half_before_clamps = SQ_IMG_SAMP_WORD2::MIP_POINT_PRECLAMP::get(w[2]);
  to.comparison = surface::Comparison(SQ_IMG_SAMP_WORD0::DEPTH_COMPARE_FUNC::get(w[0]));
  to.unnormalized = SQ_IMG_SAMP_WORD0::FORCE_UNNORMALIZED::get(w[0]);
  to.seamless_cube = !SQ_IMG_SAMP_WORD0::DISABLE_CUBE_WRAP::get(w[0]);
  to.truncate_coordinates = SQ_IMG_SAMP_WORD0::TRUNC_COORD::get(w[0]);
  to.half_fractions = SQ_IMG_SAMP_WORD0::MC_COORD_TRUNC::get(w[0]);
  s.border = ImageSampler::Border(SQ_IMG_SAMP_WORD3::BORDER_COLOR_TYPE::get(w[3]));
  s.border_index = SQ_IMG_SAMP_WORD3::BORDER_COLOR_PTR::get(w[3]);
  return s;
}

Expected<ImageResource> Descriptors::resource(const ImageResourceWords& words, bool short_resource) const {
  return image_resource(config_, words, short_resource);
}

gpu::amd::Degamma Descriptors::degamma(const SamplerWords& words) const {
  return SQ_IMG_SAMP_WORD0::FORCE_DEGAMMA::get(words[0]) ? gpu::amd::Degamma::forced : gpu::amd::Degamma::as_it_is;
}

bool Descriptors::is_whole(const uint32_t* resource, bool, const uint32_t* sampler, gpu::Reports* reports) const {
  bool whole = true;
  auto left_out = [&](bool used, const char* what) {
    if (!used) return;
    whole = false;
    if (reports) reports->unknown(what);
  };
  left_out(SQ_IMG_RSRC_WORD2::INTERLACED::peek(resource[2]), "T# INTERLACED");
  return whole;
}

BufferResource buffer_resource(const std::array<uint32_t, 4>& w) {
  return {.address = uint64_t(SQ_BUF_RSRC_WORD1::BASE_ADDRESS_HI::get(w[1])) << 32 | SQ_BUF_RSRC_WORD0::BASE_ADDRESS::get(w[0]),
          .stride = SQ_BUF_RSRC_WORD1::STRIDE::get(w[1]),
          .records = SQ_BUF_RSRC_WORD2::NUM_RECORDS::get(w[2]),
          .data_format = SQ_BUF_RSRC_WORD3::DATA_FORMAT::get(w[3]),
          .number_format = SQ_BUF_RSRC_WORD3::NUM_FORMAT::get(w[3])};
}

}  // namespace Atoll::sea_islands
