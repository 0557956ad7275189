// Random descriptors and coordinates, however senseless: no access leaves the bytes that the descriptor was checked for. The
// image stands once at the end and once at the beginning of mapped memory, with nothing around it.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <bit>

#include "gpu/sea_islands/chips.h"
#include "gpu/sea_islands/draw/tiling.h"
#include "gpu/sea_islands/shaders/descriptors.h"
#include "gpu/sea_islands/shaders/images.h"
#include "image_words.h"
#include "memory/fault.h"
#include "surface/banked_mips.h"
#include "surface/tile_metadata.h"

namespace Atoll::sea_islands::test {
namespace {

class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint32_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return uint32_t((z ^ z >> 31) >> 32);
  }
  uint32_t below(uint32_t n) { return next() % n; }
  // A float's bits: ordinary coordinates, edges, huge ones, infinities, NaNs, anything.
  uint32_t coordinate() {
    static constexpr float edges[] = {0, 1, -1, 0.5f, 1.5f, 2, 3e38f, -3e38f, 1e-40f, 16777216, -16777216, 4294967296.0f};
    switch (below(8)) {
      case 0: return next();
      case 1: return std::bit_cast<uint32_t>(edges[below(std::size(edges))]);
      case 2: return 0x7f800000u | (below(2) << 31);
      case 3: return 0x7fc00000u | below(2) << 31;
      case 4: return std::bit_cast<uint32_t>(float(int32_t(next())) * 0x1p-20f);
      default: return std::bit_cast<uint32_t>(float(below(1 << 16)) * 0x1p-15f - 0.5f);
    }
  }
  uint32_t integer(uint32_t near) {
    switch (below(6)) {
      case 0: return next();
      case 1: return ~0u - below(4);
      case 2: return near - 2 + below(4);
      default: return below(near + 1);
    }
  }

private:
  uint64_t state_;
};

// Memory with nothing mapped on both sides.
class Island {
public:
  static constexpr size_t bytes = size_t(32) << 20;
  Island() {
    all_ =
        static_cast<uint8_t*>(mmap(nullptr, bytes + 2 * around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    EXPECT_NE(all_, MAP_FAILED);
    EXPECT_EQ(mprotect(begin(), bytes, PROT_READ | PROT_WRITE), 0);
  }
  ~Island() { munmap(all_, bytes + 2 * around); }
  uint8_t* begin() const { return all_ + around; }
  uint8_t* end() const { return begin() + bytes; }

private:
  static constexpr size_t around = size_t(8) << 30;
  uint8_t* all_ = nullptr;
};

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

struct Call {
  std::array<surface::Lanes, 4> coordinate;
  surface::Lanes lod, clamp, reference, offsets;
  std::array<surface::Lanes, 3> dx, dy;
  explicit Call(Random& r) {
    auto fill = [&](surface::Lanes& lanes) {
      for (auto& word : lanes) word = r.coordinate();
    };
    for (auto* group : {&dx, &dy})
      for (auto& lanes : *group) fill(lanes);
    for (auto& lanes : coordinate) fill(lanes);
    fill(lod), fill(clamp), fill(reference);
    for (auto& word : offsets) word = r.next();
  }
};

void sample_anything(Random& r, const surface::Texture& texture) {
  surface::Sampler sampler = image_sampler({r.next(), r.next(), r.next(), r.next()}).sampler;
  sampler.compare = r.below(4) == 0;
  sampler.unnormalized |= r.below(4) == 0;
  Call c(r);
  surface::SampleLanes call;
  call.active = r.below(3) ? ~uint64_t(0) : uint64_t(r.next()) << 32 | r.next();
  call.helpers = ~call.active;
  call.s = c.coordinate[0].data(), call.t = c.coordinate[1].data(), call.r = c.coordinate[2].data();
  call.layer = c.coordinate[3].data();
  call.faces = texture.cube() && r.below(3), call.face_base = call.faces ? 1 : 0;
  call.lod_mode = surface::LodMode(r.below(5));
  call.lod = c.lod.data();
  if (r.below(2)) call.lod_clamp = c.clamp.data();
  for (size_t i = 0; i < 3; i++) call.dx[i] = c.dx[i].data(), call.dy[i] = c.dy[i].data();
  if (sampler.compare) call.reference = c.reference.data();
  if (r.below(3) == 0) call.offsets = c.offsets.data();
  call.gather_component = r.below(4), call.gather_from_nearest = r.below(2);
  std::array<surface::Lanes, 4> result;
  if (r.below(4))
    surface::sample(texture, sampler, call, result);
  else
    surface::gather(texture, sampler, call, result);
}

void fetch_anything(Random& r, const surface::Texture& texture) {
  Call c(r);
  auto size = texture.size(texture.description().first_level);
  surface::TexelLanes call;
  call.active = ~uint64_t(0);
  for (unsigned l = 0; l < surface::most_lanes; l++) {
    c.coordinate[0][l] = r.integer(size.width), c.coordinate[1][l] = r.integer(size.height);
    c.coordinate[2][l] = r.integer(texture.slices(texture.description().first_level));
    c.coordinate[3][l] = r.integer(texture.description().samples);
    c.lod[l] = r.integer(texture.last_level() + 1);
  }
  call.x = c.coordinate[0].data(), call.y = c.coordinate[1].data(), call.z = c.coordinate[2].data();
  if (r.below(2)) call.sample = c.coordinate[3].data();
  if (r.below(2)) call.level = c.lod.data();
  std::array<surface::Lanes, 4> texels;
  for (auto& lanes : texels) lanes.fill(r.next());
  surface::fetch(texture, call, texels);
  if (surface::row(texture.format().layout).block_width == 1) surface::store(texture, call, texels);
}

TEST(ImageBounds, NoAccessLeavesWhatTheDescriptorNames) {
  Island island;
  unsigned made = 0, refused = 0;
  for (uint64_t seed = 0; seed < 6000; seed++) {
    Random r(seed);
    const Chip& chip = chips()[r.below(uint32_t(chips().size()))];
    auto words = random_words(r);
    auto resource = image_resource(chip, words, r.below(8) == 0);
    if (!resource || !resource->bound || resource->bytes > Island::bytes) {
      refused++;
      continue;
    }
    for (bool at_end : {false, true}) {
      uint8_t* base = at_end ? island.end() - resource->bytes : island.begin();
      auto texture = surface::Texture::make(resource->description, base, resource->bytes);
      if (!texture) continue;
      made++;
      FaultRecovery recovery;
      if (sigsetjmp(recovery.environment, 0) == 0) {
        recovery.activate();
        for (unsigned n = 0; n < 4; n++) {
          fetch_anything(r, *texture);
          if (resource->description.samples == 1) sample_anything(r, *texture);
        }
        recovery.deactivate();
      } else {
        int64_t from_end = int64_t(recovery.last_fault().address) - int64_t(uintptr_t(island.end()));
        int64_t from_begin = int64_t(recovery.last_fault().address) - int64_t(uintptr_t(island.begin()));
        FAIL() << "seed " << seed << " on " << chip.name << ": an access " << from_end << " bytes from the end, " << from_begin
               << " from the beginning of memory; type " << resource->type << ", " << resource->bytes << " bytes";
      }
    }
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
  Context context(*find_chip("bonaire"), gpu::QueueKind::graphics, *space, options, stop);
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
  auto heap = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  for (uint32_t n = 0; n < 40000; n++) look(n);
  size_t some = heap();
  for (uint32_t n = 40000; n < 120000; n++) look(n);
  EXPECT_LT(heap(), some + (size_t(4) << 20));
  for (uint32_t n = 0; n < 100; n++) look(n);
}

// Nor do reports of what is not understood, whatever numbers stand in them.
TEST(ImageBounds, ReportsHaveABound) {
  auto space = *AddressSpace::create();
  gpu::Options options;
  std::atomic<int> stop{0};
  Context context(*find_chip("bonaire"), gpu::QueueKind::graphics, *space, options, stop);
  for (unsigned n = 0; n < 5000; n++) context.unknown("number " + std::to_string(n));
  context.unknown("number 0");
  EXPECT_LE(context.statistics.unknown.size(), 1001u);
  uint64_t times = 0;
  for (auto& u : context.statistics.unknown) times += u.times;
  EXPECT_EQ(times, 5001u);
  EXPECT_EQ(context.statistics.unknown[0].times, 2u);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
