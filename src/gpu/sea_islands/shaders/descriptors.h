// The resources that shaders name: image resources (T#), samplers (S#) and buffer resources (V#), decoded into what src/surface
// and the wave's memory take. Sea Islands 3D/Compute Register Reference 5 (SQ_BUF_RSRC_WORD0-3), 6 (SQ_IMG_RSRC_WORD0-7) and 7
// (SQ_IMG_SAMP_WORD0-3); block compressed formats, which the guide calls reserved, and the meaning of PITCH, POW2_PAD, DEPTH and
// LAST_LEVEL of multisampled images: Mesa 22.3.6 si_state.c (si_make_texture_descriptor), amd/registers/gfx7.json.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "gpu/sea_islands/state/chip_config.h"
#include "surface/sampler.h"
#include "surface/texture.h"

namespace Atoll::sea_islands {

inline constexpr unsigned image_resource_words = 8;
using ImageResourceWords = std::array<uint32_t, image_resource_words>;
using SamplerWords = std::array<uint32_t, 4>;

// DATA_FORMAT, NUM_FORMAT and DST_SEL of a T#. An error names what src/surface has no format for.
Expected<surface::Format> image_format(unsigned data_format, unsigned number_format, surface::Order order);

// An FMASK holds for each sample of a pixel the number of its fragment, `bits` wide, from bit 0 up. Shaders see
// four bits for each (Mesa 22.3.6 ac_nir_to_llvm.c, adjust_sample_index). 0 samples: not an FMASK format.
struct FragmentMask {
  uint8_t samples = 0, bits = 0;
};
FragmentMask fragment_mask(unsigned data_format);

struct ImageResource {
  uint32_t type = 0;       // TYPE: SQ_RSRC_IMG_1D to SQ_RSRC_IMG_2D_MSAA_ARRAY
  bool bound = false;      // false: a null descriptor (no data format): reads give DST_SEL's constants and 0
  surface::Order order{};  // DST_SEL
  FragmentMask fragment_mask;
  float min_lod = 0;  // MIN_LOD, counted from the base level
  uint64_t address = 0, bytes = 0;
  surface::TextureDescription description;
};
// `short_resource`: only the first four words are used (R128). An error says what cannot be decoded; memory is not checked.
Expected<ImageResource> image_resource(const ChipConfig& config, const ImageResourceWords& words, bool short_resource);

// An S#. The border colour is not filled in: `border` says where it comes from.
struct ImageSampler {
  surface::Sampler sampler;
  enum class Border : uint8_t { transparent_black, opaque_black, opaque_white, table } border = Border::transparent_black;
  uint32_t border_index = 0;  // of the table at TA_BC_BASE_ADDR, 16 bytes each
};
ImageSampler image_sampler(const SamplerWords& words);

struct BufferResource {
  uint64_t address = 0;
  uint32_t stride = 0, records = 0;
  unsigned data_format = 0, number_format = 0;
  uint64_t bytes() const { return stride ? uint64_t(stride) * records : records; }
};
BufferResource buffer_resource(const std::array<uint32_t, 4>& words);

}  // namespace Atoll::sea_islands
