// Image resources (T#) and samplers (S#) of GFX12. RDNA4 ISA 10.5 (table 60), 10.6 (table 61), 10.7 (table 62). The bits of SW_MODE
// and of what the manual leaves out, and what rows without a pitch of their own are padded to: Mesa 25.0.7
// src/amd/registers/gfx12-rsrc.json, src/amd/common/ac_descriptors.c.
#pragma once
#include <optional>

#include "gpu/amd/image_descriptors.h"

namespace Atoll::rdna4 {

using gpu::amd::ImageResource;
using gpu::amd::ImageResourceWords;
using gpu::amd::ImageSampler;
using gpu::amd::ImageType;
using gpu::amd::SamplerWords;

// A field of descriptors: a word, and bits in it.
template <unsigned Word, unsigned Low, unsigned Bits>
struct DescriptorField {
  static constexpr uint32_t mask = uint32_t((uint64_t(1) << Bits) - 1);
  static constexpr uint32_t get(const auto& words) { return words[Word] >> Low & mask; }
  static constexpr void put(auto& words, uint32_t value) { words[Word] = (words[Word] & ~(mask << Low)) | (value & mask) << Low; }
};
namespace image_resource_field {
using BaseAddressLow = DescriptorField<0, 0, 32>;
using BaseAddressHigh = DescriptorField<1, 0, 8>;
using MaxMip = DescriptorField<1, 12, 5>;
using Format = DescriptorField<1, 17, 8>;
using BaseLevel = DescriptorField<1, 25, 5>;
using WidthLow = DescriptorField<1, 30, 2>;
using WidthHigh = DescriptorField<2, 0, 14>;
using Height = DescriptorField<2, 14, 16>;
template <unsigned Component>
using Select = DescriptorField<3, 3 * Component, 3>;
using LastLevel = DescriptorField<3, 15, 5>;
using SwizzleMode = DescriptorField<3, 20, 5>;
using BorderSwizzle = DescriptorField<3, 25, 3>;
using Type = DescriptorField<3, 28, 4>;
using Depth = DescriptorField<4, 0, 14>;
using PitchHigh = DescriptorField<4, 14, 2>;
using BaseArray = DescriptorField<4, 16, 13>;
using Uav3d = DescriptorField<5, 4, 1>;
using MinLodWarning = DescriptorField<5, 5, 13>;
using CornerSamples = DescriptorField<5, 23, 1>;
using MinLodLow = DescriptorField<5, 26, 6>;
using MinLodHigh = DescriptorField<6, 0, 7>;
}  // namespace image_resource_field
namespace sampler_field {
template <unsigned Axis>
using Clamp = DescriptorField<0, 3 * Axis, 3>;
using MaxAnisotropy = DescriptorField<0, 9, 3>;
using Comparison = DescriptorField<0, 12, 3>;
using ForceUnnormalized = DescriptorField<0, 15, 1>;
using HalfFractions = DescriptorField<0, 19, 1>;
using ForceDegamma = DescriptorField<0, 20, 1>;
using TruncateCoordinates = DescriptorField<0, 27, 1>;
using DisableCubeWrap = DescriptorField<0, 28, 1>;
using FilterMode = DescriptorField<0, 29, 2>;
using SkipDegamma = DescriptorField<0, 31, 1>;
using MinLod = DescriptorField<1, 0, 13>;
using MaxLod = DescriptorField<1, 13, 13>;
using LodBias = DescriptorField<2, 0, 14>;
using LodBiasSecond = DescriptorField<2, 14, 6>;
using MagnifyFilter = DescriptorField<2, 20, 2>;
using MinifyFilter = DescriptorField<2, 22, 2>;
using SliceFilter = DescriptorField<2, 24, 2>;
using MipFilter = DescriptorField<2, 26, 2>;
using BorderIndex = DescriptorField<3, 18, 12>;
using BorderType = DescriptorField<3, 30, 2>;
}  // namespace sampler_field

// The format of a FORMAT value, with an order of components. An error names what src/surface has no format for.
Expected<surface::Format> image_format(unsigned format, surface::Order order);

// An error says what cannot be decoded; memory is not checked. `short_resource`: R128.
Expected<ImageResource> image_resource(const ImageResourceWords& words, bool short_resource);
ImageSampler image_sampler(const SamplerWords& words);

// The family's descriptors for gpu/amd/images.h.
const gpu::amd::ImageDescriptors& image_descriptors();

}  // namespace Atoll::rdna4
