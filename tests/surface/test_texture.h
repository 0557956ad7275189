// Textures of tests: linear levels in a buffer, filled texel by texel.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <memory>
#include <vector>

#include "surface/sampler.h"

namespace Atoll::surface {

struct TestTexture {
  std::vector<uint8_t> bytes;
  std::unique_ptr<Texture> texture;
  TextureDescription description;
};

using Fill = std::function<std::array<float, 4>(unsigned level, unsigned x, unsigned y, unsigned z)>;

// Uncompressed; `levels` levels after each other, each padded a little so that pitches are no accident.
inline TestTexture make_texture(TextureDescription d, unsigned levels, const Fill& fill) {
  TestTexture t;
  unsigned texel = row(d.format.layout).bytes;
  uint64_t offset = 64;
  bool volume = d.dimension == Dimension::three;
  for (unsigned n = 0; n < levels; n++) {
    unsigned width = std::max(1u, d.width >> n), height = std::max(1u, d.height >> n), depth = std::max(1u, d.depth >> n);
    LinearSurface place = {.pitch_bytes = (width + 3) * uint64_t(texel)};
    place.slice_bytes = place.pitch_bytes * (height + 1);
    d.levels.push_back({offset, place});
    unsigned slices = volume ? depth : d.first_layer + d.layers;
    uint64_t end = offset + place.slice_bytes * slices;
    t.bytes.resize(end, 0xab);
    for (unsigned z = 0; z < slices; z++)
      for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
          auto value = fill(n, x, y, z);
          Colour colour;
          for (int c = 0; c < 4; c++)
            colour[c] = is_integer(d.format.number) ? uint32_t(int64_t(value[c])) : std::bit_cast<uint32_t>(value[c]);
          write_texel(d.format, &t.bytes[offset + z * place.slice_bytes + y * place.pitch_bytes + x * texel], colour);
        }
    offset = end;
  }
  t.description = d;
  auto made = Texture::make(d, t.bytes.data(), t.bytes.size());
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  if (made) t.texture = std::make_unique<Texture>(std::move(*made));
  return t;
}

// Lanes filled from floats.
struct FloatLanes {
  Lanes words{};
  FloatLanes() = default;
  FloatLanes(std::initializer_list<float> values) {
    unsigned i = 0;
    for (float v : values) words[i++] = std::bit_cast<uint32_t>(v);
  }
  operator const uint32_t*() const { return words.data(); }
  void set(unsigned lane, float value) { words[lane] = std::bit_cast<uint32_t>(value); }
};

inline std::array<float, 4> colour_at(const std::array<Lanes, 4>& result, unsigned lane) {
  std::array<float, 4> c;
  for (int i = 0; i < 4; i++) c[i] = std::bit_cast<float>(result[i][lane]);
  return c;
}

constexpr Format rgba32f = {Layout::bits_32_32_32_32, Number::floating};
constexpr Format rgba8 = {Layout::bits_8_8_8_8, Number::unorm};

}  // namespace Atoll::surface
