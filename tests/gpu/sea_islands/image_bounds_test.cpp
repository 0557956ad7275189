// Random descriptors and coordinates, however senseless: no access leaves the bytes that the descriptor was checked for. The
// image stands once at the end and once at the beginning of mapped memory, with nothing around it.
#include <gtest/gtest.h>

#include "gpu/amd/images.h"
#include "gpu/chips/rows.h"
#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/shaders/descriptors.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "gpu/sea_islands/state/tiling.h"
#include "heap_bytes.h"
#include "image_words.h"
#include "surface/banked_mips.h"
#include "surface/hostile_access.h"
#include "surface/tile_metadata.h"

namespace Atoll::sea_islands::test {
namespace {

using surface::test::Island, surface::test::Random;

ImageResourceWords random_words(Random& r) {
  ImageResourceWords w;
  for (auto& word : w) word = r.next();
  ImageNumbers n;
  n.type = 8 + r.below(8);
  n.data_format = r.below(58), n.number_format = r.below(10);
  n.tile_mode = r.below(32);
  unsigned limit = 1u << r.below(9);
  n.width = 1 + r.below(limit), n.height = n.type == 11 && r.below(4) ? n.width : 1 + r.below(limit);
  n.depth = 1 + r.below(r.below(3) ? 4 : 40);
  n.pitch = r.below(2) ? 0 : (n.width + r.below(64) + 7) & ~7u;
  n.first_layer = r.below(3) ? 0 : r.below(8), n.last_layer = n.first_layer + r.below(14);
  n.base_level = r.below(3) ? 0 : r.below(4), n.last_level = n.base_level + r.below(r.below(2) ? 1 : 6);
  for (auto& s : n.select) s = r.below(8);
  n.pow2_pad = r.below(2);
  ImageResourceWords sane = n.words();
  if (r.below(8)) return sane;
  for (size_t i = 1; i < 6; i++)  // some words as they come
    if (r.below(3)) w[i] = sane[i];
  return w;
}

TEST(ImageBounds, NoAccessLeavesWhatTheDescriptorNames) {
  Island island;
  unsigned made = 0, refused = 0;
  for (uint64_t seed = 0; seed < surface::test::seeds(6000); seed++) {
    Random r(seed);
    constexpr const gpu::Chip* chips[] = {&gpu::chip("bonaire"), &gpu::chip("hawaii"), &gpu::chip("kaveri"),
                                          &gpu::chip("kabini")};
    const gpu::Chip& chip = *chips[r.below(uint32_t(std::size(chips)))];
    auto words = random_words(r);
    auto resource = image_resource(config_of(chip), words, r.below(8) == 0);
    if (!resource || !resource->bound || resource->bytes > Island::bytes) {
      refused++;
      continue;
    }
    surface::Sampler sampler = image_sampler({r.next(), r.next(), r.next(), r.next()}).sampler;
    std::string left = surface::test::access_anything(r, resource->description, resource->bytes, island, sampler, made);
    ASSERT_EQ(left, "") << "seed " << seed << " on " << chip.name << ", type " << int(resource->type);
  }
  EXPECT_GT(made, 3000u) << refused << " refused";
}

// The bits of every tile lie in what is asked of memory for them.
TEST(ImageBounds, TileMetadataLieInTheirSlices) {
  for (uint64_t seed = 0; seed < 4000; seed++) {
    Random r(seed);
    surface::TileMetadata m;
    m.pipe_config = surface::PipeConfig(r.below(surface::pipe_config_count));
    m.pipe_interleave_bytes = 256u << r.below(2);
    m.depth = r.below(2), m.linear = r.below(2);
    m.pitch = 8 * (1 + r.below(1u << r.below(9))), m.height = 8 * (1 + r.below(1u << r.below(9)));
    ASSERT_TRUE(surface::check(m));
    unsigned slices = 1 + r.below(4);
    uint64_t bits = surface::size(m).slice_bytes * slices * 8;
    for (unsigned n = 0; n < 200; n++) {
      unsigned x = r.below(3) ? r.below(m.pitch) : m.pitch - 1, y = r.below(3) ? r.below(m.height) : m.height - 1;
      unsigned slice = r.below(2) ? slices - 1 : r.below(slices);
      ASSERT_LE(surface::first_bit(m, x, y, slice) + (m.depth ? 32 : 4), bits)
          << "seed " << seed << ": pipes " << int(m.pipe_config) << (m.depth ? " depth" : " colour")
          << (m.linear ? " linear" : "") << ", " << m.pitch << " x " << m.height << ", element " << x << ", " << y << " of slice "
          << slice << " of " << slices;
    }
  }
}

// A shader may name as many images as it likes in one submission: what is kept of them has a bound.
TEST(ImageBounds, KeptDescriptorsHaveABound) {
  auto space = *AddressSpace::create();
  Buffer memory = *space->allocate(1 << 20, 4096);
  gpu::Options options;
  std::atomic<int> stop{0};
  Context context(*gpu::find_chip("bonaire"), gpu::QueueKind::graphics, *space, options, stop);
  uint32_t expected = 0x40302010;
  auto look = [&](uint32_t n) {
    ImageNumbers numbers;
    numbers.address = memory.gpu_address + (n % 64) * 4096;
    numbers.width = 1 + n % 300, numbers.height = 1 + n / 300;
    numbers.pitch = 320;
    std::memcpy(memory.host_pointer + (n % 64) * 4096, &expected, 4);
    ImageResourceWords words = numbers.words();
    wave::ImageAccess a;
    a.operation = wave::ImageOperation::load, a.packed = true;
    a.active = 1, a.resource = words.data();
    for (auto& lanes : a.coordinate) lanes.fill(0);
    context.images->access(a, 0);
    EXPECT_EQ(a.fault, nullptr);
    EXPECT_EQ(a.data[0][0], expected) << n;
  };
  for (uint32_t n = 0; n < 40000; n++) look(n);
  size_t some = heap_bytes();
  for (uint32_t n = 40000; n < 120000; n++) look(n);
  EXPECT_LT(heap_bytes(), some + (size_t(4) << 20));
  for (uint32_t n = 0; n < 100; n++) look(n);
}

// Nor do reports of what is not understood, whatever numbers stand in them.
TEST(ImageBounds, ReportsHaveABound) {
  auto space = *AddressSpace::create();
  gpu::Options options;
  std::atomic<int> stop{0};
  Context context(*gpu::find_chip("bonaire"), gpu::QueueKind::graphics, *space, options, stop);
  for (unsigned n = 0; n < 5000; n++) context.unknown("number " + std::to_string(n));
  context.unknown("number 0");
  EXPECT_LE(context.unknowns().size(), 1001u);
  uint64_t times = 0;
  for (auto& u : context.unknowns()) times += u.times;
  EXPECT_EQ(times, 5001u);
  EXPECT_EQ(context.unknowns()[0].times, 2u);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
