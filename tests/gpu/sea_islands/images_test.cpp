// Image accesses of waves against memory: where texels are stored is compared with src/surface's addresses, worked out from the
// tile modes here; queries, ranges, atomics, fragment masks, border colours, and what is not there.
#include "gpu/amd/images.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "gpu/sea_islands/state/tiling.h"
#include "image_words.h"
#include "surface/banked_mips.h"

namespace Atoll::sea_islands::test {
namespace {

using Type = SQ_IMG_RSRC_WORD3::TYPE;
using wave::ImageAccess;
using wave::ImageOperation;

class SeaIslandsImages : public testing::Test {
protected:
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  gpu::Options options;
  std::atomic<int> stop{0};
  std::unique_ptr<Context> context = with("bonaire");
  std::unique_ptr<Context> with(const char* chip) {
    return std::make_unique<Context>(*gpu::find_chip(chip), gpu::QueueKind::graphics, *space, options, stop);
  }
  Buffer memory(uint64_t bytes) {
    Buffer b = *space->allocate(bytes, 4096);
    return b;
  }
  // Memory at a multiple of 64 KiB.
  Buffer aligned(uint64_t bytes) {
    Buffer b = memory(bytes + 0x10000);
    uint64_t address = (b.gpu_address + 0xffff) & ~uint64_t(0xffff);
    return {address, b.host_pointer + (address - b.gpu_address), bytes};
  }

  ImageResourceWords words;
  ImageAccess access(ImageOperation operation, const ImageNumbers& n) {
    words = n.words();
    ImageAccess a;
    a.operation = operation;
    a.active = ~uint64_t(0);
    a.resource = words.data();
    a.unnormalized = true;
    a.array = n.type == Type::SQ_RSRC_IMG_2D_ARRAY || n.type == Type::SQ_RSRC_IMG_1D_ARRAY || n.type == Type::SQ_RSRC_IMG_CUBE;
    for (auto& lanes : a.coordinate) lanes.fill(0);
    a.lod.fill(0);
    for (auto& lanes : a.data) lanes.fill(0xdead);
    return a;
  }
};

TEST_F(SeaIslandsImages, StoredWhereTheSurfaceSays) {
  struct Of {
    unsigned data_format, bytes;
  };
  // 8, 16, 32, 64 and 128 bits as integers.
  constexpr Of formats[] = {{1, 1}, {2, 2}, {4, 4}, {11, 8}, {14, 16}};
  unsigned surfaces = 0;
  for (const char* chip : {"bonaire", "hawaii", "kabini"}) {
    context = with(chip);
    for (unsigned mode = 0; mode < 32; mode++)
      for (const Of& of : formats)
        for (bool chain : {false, true}) {
          auto tiling = tiling_of(context->config, mode, of.bytes, 1);
          if (!tiling) continue;
          bool thick = surface::row(tiling->arrangement).thickness > 1;
          ImageNumbers n;
          n.type = thick ? Type::SQ_RSRC_IMG_3D : Type::SQ_RSRC_IMG_2D_ARRAY;
          n.data_format = of.data_format, n.number_format = 4, n.tile_mode = mode;
          n.width = 100, n.height = 70;
          n.depth = 8, n.last_layer = thick ? 0 : 7;
          n.last_level = chain ? 3 : 0, n.pow2_pad = chain;
          surface::BankedTexture texture;
          texture.tiling = *tiling;
          texture.element_bytes = of.bytes;
          texture.width = n.width, texture.height = n.height, texture.slices = 8, texture.volume = thick;
          texture.levels = chain ? 4 : 1;
          auto levels = surface::mip_levels(texture);
          if (!levels) continue;  // no such surface
          n.pitch = (*levels)[0].surface.pitch;
          const surface::BankedLevel& last = levels->back();
          Buffer b = aligned(last.offset + last.bytes_per_slice * last.slices + 0x10000);
          n.address = b.gpu_address;
          surfaces++;
          for (unsigned level = 0; level <= n.last_level; level++) {
            unsigned width = std::max(1u, n.width >> level), height = std::max(1u, n.height >> level);
            unsigned depth = thick ? std::max(1u, 8u >> level) : 8;
            ImageAccess a = access(ImageOperation::store, n);
            a.explicit_level = true;
            for (unsigned lane = 0; lane < 64; lane++) {
              a.coordinate[0][lane] = (lane * 37 + 11) % width, a.coordinate[1][lane] = (lane * 23 + level) % height;
              a.coordinate[2][lane] = lane % depth, a.lod[lane] = level;
              for (unsigned c = 0; c < 4; c++) a.data[c][lane] = (lane * 5 + c * 1000 + 17) & (of.bytes < 4 ? 0xff : ~0u);
            }
            ImageAccess stored = a;
            context->images->access(a, 0);
            ASSERT_EQ(a.fault, nullptr);
            ASSERT_TRUE(context->unknowns().empty()) << context->unknowns()[0].what;
            const surface::BankedLevel& l = (*levels)[level];
            // Lanes are stored in order: of several at one place the last remains.
            for (unsigned lane = 0; lane < 64; lane++) {
              bool again = false;
              for (unsigned later = lane + 1; later < 64; later++)
                again |= stored.coordinate[0][later] == stored.coordinate[0][lane] &&
                         stored.coordinate[1][later] == stored.coordinate[1][lane] &&
                         stored.coordinate[2][later] == stored.coordinate[2][lane];
              if (again) continue;
              uint64_t at = l.offset + surface::address(l.surface, {stored.coordinate[0][lane], stored.coordinate[1][lane],
                                                                    stored.coordinate[2][lane], 0});
              uint32_t value[4] = {};
              std::memcpy(value, b.host_pointer + at, of.bytes);
              for (unsigned c = 0; 4 * c < of.bytes; c++)
                ASSERT_EQ(value[c], stored.data[c][lane])
                    << chip << " mode " << mode << " bytes " << of.bytes << " level " << level;
            }
            ImageAccess back = access(ImageOperation::load, n);
            back.explicit_level = true, back.coordinate = stored.coordinate, back.lod = stored.lod;
            context->images->access(back, 0);
            for (unsigned lane = 40; lane < 64; lane++) {
              uint64_t at = l.offset + surface::address(l.surface, {stored.coordinate[0][lane], stored.coordinate[1][lane],
                                                                    stored.coordinate[2][lane], 0});
              uint32_t value[4] = {};
              std::memcpy(value, b.host_pointer + at, of.bytes);
              ASSERT_EQ(back.data[0][lane], value[0]) << chip << " mode " << mode;
            }
          }
        }
  }
  EXPECT_GT(surfaces, 300u);
}

TEST_F(SeaIslandsImages, OutOfRange) {
  Buffer b = memory(64 * 8 * 4);
  std::memset(b.host_pointer, 0x80, b.bytes);
  ImageNumbers n;
  n.address = b.gpu_address, n.width = 20, n.height = 8, n.pitch = 64, n.select[3] = 1;
  ImageAccess a = access(ImageOperation::load, n);
  for (uint32_t lane = 0; lane < 64; lane++) a.coordinate[0][lane] = lane - 2, a.coordinate[1][lane] = lane % 2 ? 7 : 3;
  a.coordinate[1][5] = 8, a.coordinate[1][6] = ~0u;
  context->images->access(a, 0);
  for (uint32_t lane = 0; lane < 64; lane++) {
    bool inside = lane >= 2 && lane < 22 && lane != 5 && lane != 6;
    EXPECT_EQ(a.data[0][lane], inside ? std::bit_cast<uint32_t>(128 / 255.0f) : 0) << lane;
    EXPECT_EQ(a.data[3][lane], 0x3f800000u);  // DST_SEL_W is the constant 1
  }
  a = access(ImageOperation::store, n);
  for (uint32_t lane = 0; lane < 64; lane++) a.coordinate[0][lane] = lane + 20, a.data[0][lane] = 0;
  context->images->access(a, 0);
  for (size_t byte = 0; byte < b.bytes; byte++) ASSERT_EQ(b.host_pointer[byte], 0x80);
}

TEST_F(SeaIslandsImages, ComponentsArePacked) {
  Buffer b = memory(4096);
  uint8_t texel[4] = {0, 51, 102, 255};
  for (size_t at = 0; at < b.bytes; at += 4) std::memcpy(b.host_pointer + at, texel, 4);
  ImageNumbers n;
  n.address = b.gpu_address, n.width = 16, n.height = 4, n.pitch = 64;
  for (unsigned mask = 1; mask < 16; mask++) {
    ImageAccess a = access(ImageOperation::load, n);
    a.components = uint8_t(mask);
    context->images->access(a, 0);
    unsigned to = 0;
    for (unsigned c = 0; c < 4; c++)
      if (mask >> c & 1) EXPECT_EQ(a.data[to++][9], std::bit_cast<uint32_t>(float(texel[c]) / 255)) << mask;
    for (; to < 4; to++) EXPECT_EQ(a.data[to][9], 0xdeadu);
  }
}

TEST_F(SeaIslandsImages, Sizes) {
  Buffer b = memory(1 << 20);
  auto size = [&](ImageNumbers n, uint32_t level) {
    n.address = b.gpu_address;
    ImageAccess a = access(ImageOperation::size, n);
    a.lod.fill(level);
    context->images->access(a, 0);
    EXPECT_TRUE(context->unknowns().empty());
    return std::array<uint32_t, 4>{a.data[0][3], a.data[1][3], a.data[2][3], a.data[3][3]};
  };
  using Words = std::array<uint32_t, 4>;
  ImageNumbers n;
  n.width = 64, n.height = 32, n.last_level = 4, n.pow2_pad = true;
  EXPECT_EQ(size(n, 0), (Words{64, 32, 1, 5}));
  EXPECT_EQ(size(n, 3), (Words{8, 4, 1, 5}));
  EXPECT_EQ(size(n, 5), (Words{0, 0, 0, 5}));
  n.base_level = 2;
  EXPECT_EQ(size(n, 0), (Words{16, 8, 1, 3}));
  n = {};
  n.width = 64, n.height = 32, n.type = Type::SQ_RSRC_IMG_2D_ARRAY, n.first_layer = 1, n.last_layer = 5, n.depth = 6;
  EXPECT_EQ(size(n, 0), (Words{64, 32, 5, 1}));
  n.type = Type::SQ_RSRC_IMG_1D_ARRAY, n.height = 1;
  EXPECT_EQ(size(n, 0), (Words{64, 5, 5, 1}));
  n = {};
  n.width = 64, n.height = 32, n.depth = 4, n.type = Type::SQ_RSRC_IMG_3D;
  EXPECT_EQ(size(n, 0), (Words{64, 32, 4, 1}));
}

TEST_F(SeaIslandsImages, Atomics) {
  Buffer b = memory(4096);
  ImageNumbers n;
  n.address = b.gpu_address, n.width = 32, n.height = 2, n.pitch = 64, n.data_format = 4, n.number_format = 4;
  for (uint32_t at = 0; at < b.bytes; at += 4) std::memcpy(b.host_pointer + at, &at, 4);
  ImageAccess a = access(ImageOperation::atomic, n);
  a.atomic = wave::ImageAtomic::add, a.components = 1, a.returns = true;
  for (uint32_t lane = 0; lane < 64; lane++) a.coordinate[0][lane] = lane / 2, a.data[0][lane] = 1000;  // pairs on one texel
  context->images->access(a, 0);
  for (uint32_t lane = 0; lane < 64; lane++) EXPECT_EQ(a.data[0][lane], lane / 2 * 4 + (lane % 2 ? 1000 : 0));
  uint32_t sum;
  std::memcpy(&sum, b.host_pointer + 7 * 4, 4);
  EXPECT_EQ(sum, 7 * 4 + 2000u);
  a = access(ImageOperation::atomic, n);
  a.atomic = wave::ImageAtomic::compare_swap, a.components = 3, a.returns = true;
  for (uint32_t lane = 0; lane < 64; lane++)
    a.coordinate[0][lane] = lane, a.coordinate[1][lane] = 1, a.data[0][lane] = 5, a.data[1][lane] = lane % 2 ? 0 : 256 + lane * 4;
  context->images->access(a, 0);
  for (uint32_t lane = 0; lane < 32; lane++) {
    EXPECT_EQ(a.data[0][lane], 256 + lane * 4);
    std::memcpy(&sum, b.host_pointer + 256 + lane * 4, 4);
    EXPECT_EQ(sum, lane % 2 ? 256 + lane * 4 : 5u);
  }
  for (uint32_t lane = 32; lane < 64; lane++) EXPECT_EQ(a.data[0][lane], 0u);  // out of range
  EXPECT_TRUE(context->unknowns().empty());
}

TEST_F(SeaIslandsImages, SamplesAndFragmentMasks) {
  Buffer b = aligned(1 << 18);
  ImageNumbers n;
  n.address = b.gpu_address, n.width = n.height = 64, n.type = Type::SQ_RSRC_IMG_2D_MSAA, n.last_level = 2, n.tile_mode = 14,
  n.data_format = 4, n.number_format = 4;
  for (uint32_t sample = 0; sample < 4; sample++) {
    ImageAccess a = access(ImageOperation::store, n);
    for (uint32_t lane = 0; lane < 64; lane++)
      a.coordinate[0][lane] = lane, a.coordinate[1][lane] = 9, a.coordinate[2][lane] = sample,
      a.data[0][lane] = sample * 100 + lane;
    context->images->access(a, 0);
    ASSERT_EQ(a.fault, nullptr);
  }
  for (uint32_t sample = 0; sample < 5; sample++) {
    ImageAccess a = access(ImageOperation::load, n);
    for (uint32_t lane = 0; lane < 64; lane++)
      a.coordinate[0][lane] = lane, a.coordinate[1][lane] = 9, a.coordinate[2][lane] = sample;
    context->images->access(a, 0);
    for (uint32_t lane = 0; lane < 64; lane++) EXPECT_EQ(a.data[0][lane], sample < 4 ? sample * 100 + lane : 0);
  }
  // The masks of untouched pixels, in memory (Mesa 22.3.6 si_blit.c fmask_expand_values) and as shaders see them.
  struct Mask {
    unsigned data_format, bytes;
    uint64_t packed, seen;
  };
  for (const Mask& mask : {Mask{47, 1, 0x02, 0x10}, Mask{49, 1, 0xe4, 0x3210}, Mask{48, 1, 0xa4, 0x2210},
                           Mask{54, 4, 0x76543210, 0x76543210}, Mask{56, 8, 0xfedcba9876543210, 0xfedcba9876543210}}) {
    Buffer f = memory(4096);
    ImageNumbers m;
    m.address = f.gpu_address, m.width = 16, m.height = 2, m.pitch = 64, m.data_format = mask.data_format, m.number_format = 4;
    std::memcpy(f.host_pointer + 3 * mask.bytes, &mask.packed, mask.bytes);
    ImageAccess a = access(ImageOperation::load, m);
    a.coordinate[0].fill(3);
    context->images->access(a, 0);
    EXPECT_EQ(a.data[0][0] | uint64_t(a.data[1][0]) << 32, mask.seen) << mask.data_format;
  }
  EXPECT_TRUE(context->unknowns().empty());
}

TEST_F(SeaIslandsImages, WhatIsNotThere) {
  ImageNumbers n;
  n.address = 0x40000000, n.width = 64, n.height = 64;
  ImageAccess a = access(ImageOperation::load, n);
  context->images->access(a, 0);
  EXPECT_NE(a.fault, nullptr);
  EXPECT_EQ(a.fault_address, 0x40000000u);
  // Half of it.
  Buffer b = memory(4096);
  n.address = b.gpu_address;
  a = access(ImageOperation::load, n);
  context->images->access(a, 0);
  EXPECT_NE(a.fault, nullptr);
  // Beyond all addresses.
  n.address = (uint64_t(1) << 48) - 256;
  a = access(ImageOperation::store, n);
  context->images->access(a, 0);
  EXPECT_TRUE(a.fault || !context->unknowns().empty());
  // A null descriptor.
  a = access(ImageOperation::load, n);
  words = {0, 0, 0, SQ_IMG_RSRC_WORD3::DST_SEL_W::of(1) | 9u << 28, 0, 0, 0, 0};
  context->images->access(a, 0);
  EXPECT_EQ(a.fault, nullptr);
  EXPECT_EQ(a.data[0][4], 0u);
  EXPECT_EQ(a.data[3][4], 0x3f800000u);
  // A format that is not supported reads 0 and is counted.
  size_t unknown = context->unknowns().size();
  n.address = b.gpu_address, n.data_format = 61, n.width = n.height = 4;
  a = access(ImageOperation::load, n);
  context->images->access(a, 0);
  EXPECT_EQ(a.data[0][4], 0u);
  EXPECT_EQ(context->unknowns().size(), unknown + 1);
}

// GB_GR and BG_RG: two texels that share red and blue, from the lowest byte R G0 B G1 and G0 R G1 B.
TEST_F(SeaIslandsImages, PairsShareRedAndBlue) {
  Buffer b = memory(4096);
  ImageNumbers n;
  const uint8_t pair[] = {10, 20, 30, 40};
  std::memcpy(b.host_pointer, pair, 4);
  for (unsigned format : {32u, 33u}) {
    n.address = b.gpu_address, n.data_format = format, n.number_format = 4, n.width = 2, n.height = 1;
    auto a = access(ImageOperation::load, n);
    a.active = 3;
    for (unsigned lane = 0; lane < 2; lane++) a.coordinate[0][lane] = lane, a.coordinate[1][lane] = 0;
    context->images->access(a, 0);
    EXPECT_EQ(a.fault, nullptr);
    for (unsigned lane = 0; lane < 2; lane++) {
      EXPECT_EQ(a.data[0][lane], format == 32 ? 10u : 20u);
      EXPECT_EQ(a.data[1][lane], (format == 32 ? 20u : 10u) + 20 * lane);
      EXPECT_EQ(a.data[2][lane], format == 32 ? 30u : 40u);
    }
  }
}

// 1 and 1_REVERSED: eight texels in a byte, from its lowest or its highest bit on.
TEST_F(SeaIslandsImages, EightTexelsInAByte) {
  Buffer b = memory(4096);
  ImageNumbers n;
  const uint8_t bytes[] = {0x35, 0xc1};
  std::memcpy(b.host_pointer, bytes, 2);
  for (unsigned format : {59u, 60u}) {
    n.address = b.gpu_address, n.data_format = format, n.number_format = 0, n.width = 13, n.height = 1;
    auto a = access(ImageOperation::load, n);
    a.active = 0xffff;
    for (unsigned lane = 0; lane < 16; lane++) a.coordinate[0][lane] = lane, a.coordinate[1][lane] = 0;
    context->images->access(a, 0);
    EXPECT_EQ(a.fault, nullptr);
    for (unsigned lane = 0; lane < 16; lane++) {
      const unsigned bit = format == 59 ? lane % 8 : 7 - lane % 8;
      EXPECT_EQ(a.data[0][lane], lane < 13 && bytes[lane / 8] >> bit & 1 ? 0x3f800000u : 0u) << format << " " << lane;
    }
  }
}

TEST_F(SeaIslandsImages, MemoryIsLookedAtAgainEachSubmission) {
  Buffer b = memory(4096);
  ImageNumbers n;
  n.address = b.gpu_address, n.width = 16, n.height = 16, n.pitch = 64;
  auto load = [&] {
    ImageAccess a = access(ImageOperation::load, n);
    context->images->access(a, 0);
    return a.fault == nullptr;
  };
  EXPECT_TRUE(load());
  space->free(b);
  context->images->invalidate();
  EXPECT_FALSE(load());
}

TEST_F(SeaIslandsImages, ManyDescriptors) {
  Buffer b = memory(1 << 16);
  std::memset(b.host_pointer, 0xff, b.bytes);
  for (int round = 0; round < 3; round++) {
    for (unsigned width = 1; width <= 2500; width++)
      for (unsigned height : {1u, 2u}) {
        ImageNumbers n;
        n.address = b.gpu_address, n.width = width, n.height = height, n.pitch = 2560;
        ImageAccess a = access(ImageOperation::load, n);
        a.coordinate[0].fill(width - 1), a.coordinate[1].fill(height - 1);
        context->images->access(a, 0);
        ASSERT_EQ(a.data[0][0], 0x3f800000u) << width;
        a.coordinate[0].fill(width);
        context->images->access(a, 0);
        ASSERT_EQ(a.data[0][0], 0u) << width;
      }
    context->images->invalidate();
  }
}

TEST_F(SeaIslandsImages, BorderColours) {
  Buffer b = memory(4096), table = memory(4096);
  float colour[4] = {0.125f, 0.25f, 0.5f, 0.75f};
  std::memcpy(table.host_pointer + 5 * 16, colour, 16);
  ImageNumbers n;
  n.address = b.gpu_address, n.width = 4, n.height = 4, n.pitch = 64;
  uint32_t select[4] = {6, 5, 4, 1};  // BGRX
  std::copy_n(select, 4, n.select);
  SamplerWords sampler = {SQ_IMG_SAMP_WORD0::CLAMP_X::of(6) | SQ_IMG_SAMP_WORD0::CLAMP_Y::of(6),
                          SQ_IMG_SAMP_WORD1::MAX_LOD::of(0xfff), 0,
                          SQ_IMG_SAMP_WORD3::BORDER_COLOR_TYPE::of(3) | SQ_IMG_SAMP_WORD3::BORDER_COLOR_PTR::of(5)};
  ImageAccess a = access(ImageOperation::sample, n);
  a.unnormalized = false;
  a.sampler = sampler.data();
  a.coordinate[0].fill(std::bit_cast<uint32_t>(2.5f));
  context->images->access(a, table.gpu_address);
  EXPECT_EQ(std::bit_cast<float>(a.data[0][0]), 0.125f);
  EXPECT_EQ(std::bit_cast<float>(a.data[1][0]), 0.25f);
  EXPECT_EQ(std::bit_cast<float>(a.data[2][0]), 0.5f);
  EXPECT_EQ(std::bit_cast<float>(a.data[3][0]), 1.0f);
  // A table that is not there is counted.
  context->images->access(a, 0x70000000);
  EXPECT_EQ(context->unknowns().size(), 1u);
}

// MIN_LOD_WARN: an instruction with LWE is told of lanes that sample a level below it, counted from the first that the image has.
TEST_F(SeaIslandsImages, LevelsBelowTheWarning) {
  Buffer b = aligned(0x10000);
  for (uint32_t warning : {0u, 0x80u, 0x100u, 0x280u, 0x400u})
    for (unsigned base : {0u, 1u})
      for (bool wanted : {false, true}) {
        ImageNumbers n;
        n.address = b.gpu_address, n.width = n.height = n.pitch = 64, n.base_level = base, n.last_level = 4, n.pow2_pad = true;
        SamplerWords sampler = {0, SQ_IMG_SAMP_WORD1::MAX_LOD::of(0xfff), SQ_IMG_SAMP_WORD2::MIP_FILTER::of(2), 0};
        ImageAccess a = access(ImageOperation::sample, n);
        words[6] = SQ_IMG_RSRC_WORD6::MIN_LOD_WARN::of(warning) | 0xfffff000;
        a.unnormalized = false, a.lwe = wanted;
        a.sampler = sampler.data();
        a.lod_mode = wave::LodMode::level;
        for (unsigned lane = 0; lane < 64; lane++) a.lod[lane] = std::bit_cast<uint32_t>(float(lane) / 16);
        context->images->access(a, 0);
        ASSERT_TRUE(context->unknowns().empty()) << context->unknowns()[0].what;
        for (unsigned lane = 0; lane < 64; lane++) {
          const float level = std::min(float(lane) / 16, float(4 - base));
          const bool warned = wanted && level + float(base) < float(warning) / 256;
          ASSERT_EQ(a.status[lane], warned ? 2 | uint32_t(level) << 16 : 0)
              << "MIN_LOD_WARN " << warning << ", from level " << base << ", lane " << lane;
        }
      }
}

// FORCE_DEGAMMA: what is unorm is read as the sRGB format of the same layout is, other numbers and layouts without one as ever.
TEST_F(SeaIslandsImages, ForcedDegamma) {
  Buffer b = memory(4096);
  for (unsigned n = 0; n < b.bytes; n++) b.host_pointer[n] = uint8_t(n * 37 + 11);
  struct Row {
    uint32_t data, number, as;
  };
  using Data = SQ_IMG_RSRC_WORD1::DATA_FORMAT;
  using Number = SQ_IMG_RSRC_WORD1::NUM_FORMAT;
  const Row rows[] = {
      {Data::IMG_DATA_FORMAT_8_8_8_8, Number::IMG_NUM_FORMAT_UNORM, Number::IMG_NUM_FORMAT_SRGB},
      {Data::IMG_DATA_FORMAT_8, Number::IMG_NUM_FORMAT_UNORM, Number::IMG_NUM_FORMAT_SRGB},
      {35 /* BC1 */, Number::IMG_NUM_FORMAT_UNORM, Number::IMG_NUM_FORMAT_SRGB},
      {Data::IMG_DATA_FORMAT_8_8_8_8, Number::IMG_NUM_FORMAT_SRGB, Number::IMG_NUM_FORMAT_SRGB},
      {Data::IMG_DATA_FORMAT_8_8_8_8, Number::IMG_NUM_FORMAT_SNORM, Number::IMG_NUM_FORMAT_SNORM},
      {Data::IMG_DATA_FORMAT_8_8_8_8, Number::IMG_NUM_FORMAT_UINT, Number::IMG_NUM_FORMAT_UINT},
      {Data::IMG_DATA_FORMAT_16_16, Number::IMG_NUM_FORMAT_UNORM, Number::IMG_NUM_FORMAT_UNORM},
  };
  for (const Row& row : rows) {
    auto sampled = [&](uint32_t number, bool degamma) {
      ImageNumbers n;
      n.address = b.gpu_address, n.width = 16, n.height = 8, n.pitch = 64, n.data_format = row.data, n.number_format = number;
      SamplerWords sampler = {SQ_IMG_SAMP_WORD0::FORCE_DEGAMMA::of(degamma), SQ_IMG_SAMP_WORD1::MAX_LOD::of(0xfff), 0, 0};
      ImageAccess a = access(ImageOperation::sample, n);
      a.unnormalized = false;
      a.sampler = sampler.data();
      for (unsigned lane = 0; lane < 64; lane++) {
        const unsigned x = lane % 16, y = lane / 16;
        a.coordinate[0][lane] = std::bit_cast<uint32_t>((float(x) + 0.5f) / 16);
        a.coordinate[1][lane] = std::bit_cast<uint32_t>((float(y) + 0.5f) / 8);
      }
      context->images->access(a, 0);
      return a.data;
    };
    EXPECT_EQ(sampled(row.number, true), sampled(row.as, false)) << row.data << ", " << row.number;
    EXPECT_EQ(sampled(row.number, true) == sampled(row.number, false), row.number == row.as) << row.data << ", " << row.number;
  }
  EXPECT_TRUE(context->unknowns().empty());
}

// s and t on a face and the face's number, as V_CUBE* make them; each face has a colour of its own.
TEST_F(SeaIslandsImages, Cubes) {
  Buffer b = aligned(1 << 18);
  ImageNumbers n;
  n.address = b.gpu_address, n.width = n.height = 32, n.pitch = 64, n.type = Type::SQ_RSRC_IMG_CUBE, n.last_layer = 11,
  n.depth = 2;
  n.data_format = 4, n.number_format = 7;
  for (uint32_t face = 0; face < 12; face++)
    for (uint32_t y = 0; y < 32; y++) {
      ImageAccess a = access(ImageOperation::store, n);
      a.active = 0xffffffff;
      for (uint32_t lane = 0; lane < 32; lane++) {
        a.coordinate[0][lane] = lane, a.coordinate[1][lane] = y, a.coordinate[2][lane] = face;
        a.data[0][lane] = std::bit_cast<uint32_t>(float(face * 100 + (lane >= 16)));
      }
      context->images->access(a, 0);
    }
  SamplerWords sampler = {0, SQ_IMG_SAMP_WORD1::MAX_LOD::of(0xfff), 0, 0};
  ImageAccess a = access(ImageOperation::sample, n);
  a.unnormalized = false, a.sampler = sampler.data(), a.lod_mode = wave::LodMode::zero;
  for (uint32_t lane = 0; lane < 64; lane++) {
    uint32_t face = lane % 6, cube = lane / 6 % 2;
    a.coordinate[0][lane] = std::bit_cast<uint32_t>(lane % 2 ? 1.75f : 1.25f);
    a.coordinate[1][lane] = std::bit_cast<uint32_t>(1.5f);
    a.coordinate[2][lane] = std::bit_cast<uint32_t>(float(face + 8 * cube));
  }
  context->images->access(a, 0);
  for (uint32_t lane = 0; lane < 64; lane++) {
    uint32_t face = lane % 6 + lane / 6 % 2 * 6;
    EXPECT_EQ(std::bit_cast<float>(a.data[0][lane]), float(face * 100 + lane % 2)) << lane;
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
