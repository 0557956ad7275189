// The oracle's targets: colour, depth and stencil buffers as plain arrays, samples of a pixel side by side.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Atoll::pipeline::oracle {

struct Buffer {
  unsigned width = 0, height = 0, bytes = 0, samples = 1;  // bytes of a texel; 0: no such buffer
  std::vector<uint8_t> texels;

  Buffer() = default;
  Buffer(unsigned width, unsigned height, unsigned bytes, unsigned samples)
      : width(width), height(height), bytes(bytes), samples(samples), texels(size_t(width) * height * bytes * samples) {}
  uint8_t* at(unsigned x, unsigned y, unsigned sample) {
    return texels.data() + ((size_t(y) * width + x) * samples + sample) * bytes;
  }
};

struct Buffers {
  Buffer colour[8], depth, stencil;
};

}  // namespace Atoll::pipeline::oracle
