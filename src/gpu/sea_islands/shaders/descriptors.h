// The resources that shaders name: image resources (T#), samplers (S#) and buffer resources (V#), decoded into what src/surface
// and the wave's memory take. Sea Islands 3D/Compute Register Reference 5 (SQ_BUF_RSRC_WORD0-3), 6 (SQ_IMG_RSRC_WORD0-7) and 7
// (SQ_IMG_SAMP_WORD0-3); block compressed formats, which the guide calls reserved, and the meaning of PITCH, POW2_PAD, DEPTH and
// LAST_LEVEL of multisampled images: Mesa 22.3.6 si_state.c (si_make_texture_descriptor), amd/registers/gfx7.json.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "gpu/amd/image_descriptors.h"
#include "gpu/sea_islands/state/chip_config.h"

namespace Atoll::sea_islands {

using gpu::amd::FragmentMask;
using gpu::amd::ImageResource;
using gpu::amd::ImageResourceWords;
using gpu::amd::ImageSampler;
using gpu::amd::ImageType;
using gpu::amd::SamplerWords;

// DATA_FORMAT, NUM_FORMAT and DST_SEL of a T#. An error names what src/surface has no format for.
Expected<surface::Format> image_format(unsigned data_format, unsigned number_format, surface::Order order);

// None of samples: not an FMASK format.
FragmentMask fragment_mask(unsigned data_format);

// `short_resource`: only the first four words are used (R128). An error says what cannot be decoded; memory is not checked.
Expected<ImageResource> image_resource(const ChipConfig& config, const ImageResourceWords& words, bool short_resource);

ImageSampler image_sampler(const SamplerWords& words);

// A chip's descriptors for gpu/amd/images.h.
class Descriptors final : public gpu::amd::ImageDescriptors {
public:
  explicit Descriptors(const ChipConfig& config) : config_(config) {}
  Expected<ImageResource> resource(const ImageResourceWords& words, bool short_resource) const override;
  ImageSampler sampler(const SamplerWords& words) const override { return image_sampler(words); }
  gpu::amd::Degamma degamma(const SamplerWords& words) const override;
  unsigned resource_words() const override { return 7; }  // the last has no meaning
  bool is_whole(const uint32_t* resource, bool short_resource, const uint32_t* sampler, gpu::Reports* reports) const override;

private:
  const ChipConfig& config_;
};

struct BufferResource {
  uint64_t address = 0;
  uint32_t stride = 0, records = 0;
  unsigned data_format = 0, number_format = 0;
  uint64_t bytes() const { return stride ? uint64_t(stride) * records : records; }
};
BufferResource buffer_resource(const std::array<uint32_t, 4>& words);

}  // namespace Atoll::sea_islands
