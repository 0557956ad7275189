// Random descriptors and coordinates, however senseless: no access leaves the bytes that the descriptor was checked for. The image
// stands once at the end and once at the beginning of mapped memory, with nothing around it.
#include <gtest/gtest.h>

#include "gpu/rdna4/image_descriptors.h"
#include "image_numbers.h"
#include "surface/hostile_access.h"

namespace Atoll::rdna4::test {
namespace {

using surface::test::Island, surface::test::Random;

std::array<uint32_t, 8> random_words(Random& r) {
  ImageNumbers n;
  n.type = 8 + r.below(8);
  n.format = r.below(3) ? 1 + r.below(63) : 64 + r.below(60);
  n.mode = r.below(9);
  unsigned limit = 1u << r.below(10);
  n.width = 1 + r.below(limit), n.height = n.type == 11 && r.below(4) ? n.width : 1 + r.below(limit);
  n.depth = r.below(r.below(3) ? 4 : 40);
  n.base_array = r.below(3) ? 0 : r.below(8);
  if (n.type == 11) n.depth = n.base_array + 6 * (1 + r.below(2)) - 1;
  n.base_level = r.below(3) ? 0 : r.below(4), n.last_level = n.base_level + r.below(r.below(2) ? 1 : 6);
  n.max_mip = n.type >= 14 ? r.below(4) : n.last_level + r.below(3);
  n.uav3d = r.below(4) == 0, n.min_lod = r.below(2) ? 0 : r.below(2048);
  if (r.below(3) == 0) n.address = uint64_t(r.below(1024)) << 8;
  for (auto& s : n.select) s = r.below(8);
  const std::array<uint32_t, 8> sane = n.words();
  if (r.below(8)) return sane;
  std::array<uint32_t, 8> w;
  for (auto& word : w) word = r.next();
  for (size_t i = 1; i < 7; i++)  // some words as they come
    if (r.below(3)) w[i] = sane[i];
  return w;
}

TEST(ImageBoundsGfx12, NoAccessLeavesWhatTheDescriptorNames) {
  Island island;
  unsigned made = 0, refused = 0;
  for (uint64_t seed = 0; seed < surface::test::seeds(8000); seed++) {
    Random r(seed);
    auto resource = image_resource(random_words(r), r.below(8) == 0);
    if (!resource || !resource->bound || !resource->is_image || resource->bytes > Island::bytes) {
      refused++;
      continue;
    }
    std::array<uint32_t, 4> words;
    for (auto& word : words) word = r.next();
    surface::Sampler sampler = image_sampler(words).sampler;
    std::string left = surface::test::access_anything(r, resource->description, resource->bytes, island, sampler, made);
    ASSERT_EQ(left, "") << "seed " << seed << ", type " << int(resource->type);
  }
  EXPECT_GT(made, 5000u) << refused << " refused";
}

// Whatever the words are: an image, none, or an error.
TEST(ImageBoundsGfx12, AnyWordsAreDecoded) {
  Random r(1);
  for (unsigned n = 0; n < 200000; n++) {
    std::array<uint32_t, 8> w;
    for (auto& word : w) word = r.below(4) ? r.next() : r.next() & r.next();
    (void)image_resource(w, r.below(4) == 0);
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
