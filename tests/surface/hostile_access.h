// Random accesses to a texture, however senseless, in memory with nothing mapped around it.
#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <string>

#include "memory/fault.h"
#include "surface/sampler.h"
#include "surface/texture.h"

namespace Atoll::surface::test {

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

// ATOLL_BOUNDS=n: so many seeds instead.
inline uint64_t seeds(uint64_t usual) {
  const char* asked = std::getenv("ATOLL_BOUNDS");
  return asked ? std::strtoull(asked, nullptr, 10) : usual;
}

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

struct Call {
  std::array<Lanes, 4> coordinate;
  Lanes lod, clamp, reference, offsets;
  std::array<Lanes, 3> dx, dy;
  explicit Call(Random& r) {
    auto fill = [&](Lanes& lanes) {
      for (auto& word : lanes) word = r.coordinate();
    };
    for (auto* group : {&dx, &dy})
      for (auto& lanes : *group) fill(lanes);
    for (auto& lanes : coordinate) fill(lanes);
    fill(lod), fill(clamp), fill(reference);
    for (auto& word : offsets) word = r.next();
  }
};

// Asks a sampler anything that is possible.
inline void sample_anything(Random& r, Sampler sampler, const Texture& texture) {
  sampler.compare = r.below(4) == 0;
  sampler.unnormalized |= r.below(4) == 0;
  Call c(r);
  SampleLanes call;
  call.active = r.below(3) ? ~uint64_t(0) : uint64_t(r.next()) << 32 | r.next();
  call.helpers = ~call.active;
  call.s = c.coordinate[0].data(), call.t = c.coordinate[1].data(), call.r = c.coordinate[2].data();
  call.layer = c.coordinate[3].data();
  call.faces = texture.cube() && r.below(3), call.face_base = call.faces ? 1 : 0;
  call.lod_mode = LodMode(r.below(5));
  call.lod = c.lod.data();
  if (r.below(2)) call.lod_clamp = c.clamp.data();
  for (size_t i = 0; i < 3; i++) call.dx[i] = c.dx[i].data(), call.dy[i] = c.dy[i].data();
  if (sampler.compare) call.reference = c.reference.data();
  if (r.below(3) == 0) call.offsets = c.offsets.data();
  call.gather_component = r.below(4), call.gather_from_nearest = r.below(2);
  std::array<Lanes, 4> result;
  if (r.below(4))
    sample(texture, sampler, call, result);
  else
    gather(texture, sampler, call, result);
}

inline void fetch_anything(Random& r, const Texture& texture) {
  Call c(r);
  auto size = texture.size(texture.description().first_level);
  TexelLanes call;
  call.active = ~uint64_t(0);
  for (unsigned l = 0; l < max_lanes; l++) {
    c.coordinate[0][l] = r.integer(size.width), c.coordinate[1][l] = r.integer(size.height);
    c.coordinate[2][l] = r.integer(texture.slices(texture.description().first_level));
    c.coordinate[3][l] = r.integer(texture.description().samples);
    c.lod[l] = r.integer(texture.last_level() + 1);
  }
  call.x = c.coordinate[0].data(), call.y = c.coordinate[1].data(), call.z = c.coordinate[2].data();
  if (r.below(2)) call.sample = c.coordinate[3].data();
  if (r.below(2)) call.level = c.lod.data();
  std::array<Lanes, 4> texels;
  for (auto& lanes : texels) lanes.fill(r.next());
  fetch(texture, call, texels);
  if (row(texture.format().layout).block_width == 1) store(texture, call, texels);
}

// Accesses of all kinds to the texture at the island's end and at its beginning. An empty text, or what left it.
inline std::string access_anything(Random& r, const TextureDescription& description, uint64_t bytes, const Island& island,
                                   const Sampler& sampler, unsigned& made) {
  for (bool at_end : {false, true}) {
    auto texture = Texture::make(description, at_end ? island.end() - bytes : island.begin(), bytes);
    if (!texture) continue;
    made++;
    FaultRecovery recovery;
    if (sigsetjmp(recovery.environment, 0) == 0) {
      recovery.activate();
      for (unsigned n = 0; n < 4; n++) {
        fetch_anything(r, *texture);
        if (description.samples == 1) sample_anything(r, sampler, *texture);
      }
      recovery.deactivate();
    } else {
      auto from = [&](const uint8_t* place) { return int64_t(recovery.last_fault().address) - int64_t(uintptr_t(place)); };
      return "an access " + std::to_string(from(island.end())) + " bytes from the end, " + std::to_string(from(island.begin())) +
             " from the beginning of memory, texture of " + std::to_string(bytes) + " bytes";
    }
  }
  return {};
}

}  // namespace Atoll::surface::test
