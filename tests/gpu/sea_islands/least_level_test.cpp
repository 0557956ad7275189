// MIN_LOD of a T#, from its whole part on: what loads, gathers, stores, atomics and queries do below it, held against a model of a few
// lines. Vulkan 1.3, "Integer Texel Coordinate Operations" and "Texel Gathering": values fetched below minLodInteger, which counts from
// the image's first level, are zeros (docs/errata.md, SQ_IMG_RSRC_WORD1.MIN_LOD).
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "gpu/amd/images.h"
#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "image_words.h"

namespace Atoll::sea_islands::test {
namespace {

using Type = SQ_IMG_RSRC_WORD3::TYPE;
using wave::ImageAccess;
using wave::ImageOperation;
using wave::LodMode;

constexpr unsigned levels = 5, side = 16;

class LeastLevel : public testing::Test {
protected:
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  gpu::Options options;
  std::atomic<int> stop{0};
  Context context{*gpu::find_chip("bonaire"), gpu::QueueKind::graphics, *space, options, stop};
  Buffer memory = *space->allocate(0x40000, 0x1000);
  ImageResourceWords words{};
  SamplerWords sampler{0, SQ_IMG_SAMP_WORD1::MAX_LOD::of(0xfff), SQ_IMG_SAMP_WORD2::MIP_FILTER::of(1), 0};

  // An image of 32-bit integers or 8_8_8_8, all of whose texels are the same in a level.
  ImageNumbers image(uint32_t type, unsigned base, unsigned min_lod, bool integers) {
    ImageNumbers n;
    n.address = memory.gpu_address, n.type = type;
    n.width = side, n.height = type == Type::SQ_RSRC_IMG_1D || type == Type::SQ_RSRC_IMG_1D_ARRAY ? 1 : side, n.pitch = 64;
    n.data_format = integers ? 4 : 10, n.number_format = integers ? 4 : 0;
    n.depth = type == Type::SQ_RSRC_IMG_3D ? side : 6;
    n.last_layer = type == Type::SQ_RSRC_IMG_1D_ARRAY || type == Type::SQ_RSRC_IMG_2D_ARRAY ? 5 : 0;
    n.base_level = base, n.last_level = levels - 1, n.pow2_pad = true, n.min_lod = min_lod;
    n.select[3] = integers ? 7 : 1;
    return n;
  }
  ImageAccess access(ImageOperation operation, const ImageNumbers& n) {
    words = n.words();
    ImageAccess a;
    a.operation = operation;
    a.active = ~uint64_t(0);
    a.resource = words.data(), a.sampler = sampler.data();
    a.unnormalized = operation != ImageOperation::gather && operation != ImageOperation::query_lod;
    a.array = n.last_layer > 0;
    a.components = operation == ImageOperation::gather ? 1 : 15;
    for (auto& lanes : a.coordinate) lanes.fill(0);
    a.lod.fill(0);
    for (auto& lanes : a.data) lanes.fill(0xdead);
    return a;
  }
  void run(ImageAccess& a) {
    context.images->access(a, 0);
    ASSERT_EQ(a.fault, nullptr);
    ASSERT_TRUE(context.unknowns().empty()) << context.unknowns()[0].what;
  }
  // Every texel of a level is the level's number and one.
  void paint(ImageNumbers n) {
    n.base_level = 0, n.min_lod = 0;
    const unsigned slices = n.type == Type::SQ_RSRC_IMG_3D ? side : n.last_layer + 1;
    for (unsigned level = 0; level < levels; level++)
      for (unsigned z = 0; z < slices; z++)
        for (unsigned y = 0; y < n.height; y += 4) {
          ImageAccess a = access(ImageOperation::store, n);
          a.explicit_level = true;
          for (unsigned lane = 0; lane < 64; lane++) {
            a.coordinate[0][lane] = lane % 16, a.lod[lane] = level;
            const bool row_of_layers = n.type == Type::SQ_RSRC_IMG_1D_ARRAY;
            a.coordinate[1][lane] = row_of_layers ? z : y + lane / 16;
            a.coordinate[2][lane] = z;
            for (auto& lanes : a.data) lanes[lane] = value(n, level);
          }
          run(a);
        }
  }
  static uint32_t value(const ImageNumbers& n, unsigned level) {
    return n.number_format == 4 ? level + 1 : std::bit_cast<uint32_t>(float(level + 1) / 255);
  }
  static constexpr uint32_t types[] = {Type::SQ_RSRC_IMG_1D, Type::SQ_RSRC_IMG_2D, Type::SQ_RSRC_IMG_3D,
                                       Type::SQ_RSRC_IMG_1D_ARRAY, Type::SQ_RSRC_IMG_2D_ARRAY};
};

TEST_F(LeastLevel, LoadsAndGathersBelowItGiveZeros) {
  size_t cases = 0;
  for (uint32_t type : types)
    for (bool integers : {true, false}) {
      paint(image(type, 0, 0, integers));
      for (unsigned base : {0u, 1u, 3u})
        for (unsigned min_lod = 0; min_lod < 256 * levels; min_lod += min_lod % 256 == 128   ? 127
                                                                      : min_lod % 256 == 255 ? 1
                                                                                             : 64) {
          const ImageNumbers n = image(type, base, min_lod, integers);
          SCOPED_TRACE(testing::Message() << "type " << type << " base level " << base << " MIN_LOD " << min_lod << "/256");
          const uint32_t one = integers ? 1 : 0x3f800000;
          const uint32_t alpha_of_none = integers ? 0 : one;
          auto texel = [&](unsigned level) {  // counted from the base level
            const unsigned absolute = base + level;
            return absolute < levels && absolute >= min_lod / 256 ? value(n, absolute) : 0;
          };
          // Levels by lane, and the base level without one; packed or not.
          for (bool mip : {false, true})
            for (bool packed : {false, true}) {
              ImageAccess a = access(ImageOperation::load, n);
              a.explicit_level = mip, a.packed = packed;
              for (unsigned lane = 0; lane < 64; lane++) a.lod[lane] = lane % 8;
              a.lod[63] = ~0u;
              run(a);
              for (unsigned lane = 0; lane < 64; lane++, cases++) {
                const uint32_t wanted = texel(mip ? lane == 63 ? 100 : lane % 8 : 0);
                const uint32_t word = integers || !wanted ? wanted
                                                          : uint32_t(std::bit_cast<float>(wanted) * 255 + 0.5f) *
                                                                0x010101;  // (alpha is not stored)
                ASSERT_EQ(a.data[0][lane], packed ? word : wanted) << "lane " << lane << " mip " << mip;
                if (!packed && !integers) ASSERT_EQ(a.data[3][lane], alpha_of_none) << "lane " << lane;
              }
            }
          // The base level's four texels, or those of the level that is named.
          if (type == Type::SQ_RSRC_IMG_3D) continue;
          for (LodMode mode : {LodMode::implicit, LodMode::zero}) {
            ImageAccess a = access(ImageOperation::gather, n);
            a.lod_mode = mode;
            for (auto& lanes : a.coordinate) lanes.fill(std::bit_cast<uint32_t>(0.5f));
            run(a);
            for (unsigned t = 0; t < 4; t++, cases++)
              ASSERT_EQ(a.data[t][0], texel(0)) << "gather " << int(mode) << ", texel " << t;
          }
          ImageAccess a = access(ImageOperation::size, n);
          run(a);
          ASSERT_EQ(a.data[0][0], side >> base) << "sizes know nothing of it";
          ASSERT_EQ(a.data[3][0], levels - base);
          cases++;
        }
    }
  RecordProperty("cases", int(cases));
}

// Storage images have no least level (Vulkan 1.3, VkImageViewMinLodCreateInfoEXT: of sampling operations), and RADV's have MIN_LOD set
// all the same (Mesa radv_image.c, radv_image_view_init()).
TEST_F(LeastLevel, StoresAndAtomicsReachAllLevels) {
  for (unsigned min_lod : {0u, 255u, 256u, 700u, 1279u}) {
    for (unsigned level = 0; level < levels; level++) {
      const ImageNumbers n = image(Type::SQ_RSRC_IMG_2D, 0, min_lod, true);
      paint(n);
      ImageAccess stored = access(ImageOperation::store, n);
      stored.explicit_level = true, stored.active = 1, stored.lod[0] = level, stored.data[0][0] = 500 + level;
      run(stored);
      ImageAccess plain = access(ImageOperation::load, image(Type::SQ_RSRC_IMG_2D, 0, 0, true));
      plain.explicit_level = true, plain.lod[0] = level;
      run(plain);
      ASSERT_EQ(plain.data[0][0], 500 + level) << "MIN_LOD " << min_lod;
    }
    const ImageNumbers n = image(Type::SQ_RSRC_IMG_2D, 0, min_lod, true);
    paint(n);
    ImageAccess changed = access(ImageOperation::atomic, n);
    changed.active = 1, changed.components = 1, changed.atomic = wave::ImageAtomic::add, changed.data[0][0] = 41;
    run(changed);
    ASSERT_EQ(changed.data[0][0], 1u) << "MIN_LOD " << min_lod;
    ImageAccess plain = access(ImageOperation::load, image(Type::SQ_RSRC_IMG_2D, 0, 0, true));
    run(plain);
    ASSERT_EQ(plain.data[0][0], 42u) << "MIN_LOD " << min_lod;
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
