// A GPU that draws random pipeline states from registers, packets and small shaders, without a driver.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/device/device.h"
#include "pipeline/random_states/random.h"
#include "registers/tables.h"

namespace Atoll::random_states {

using pipeline::test::mixed;
using pipeline::test::Random;

class RandomGpu {
public:
  virtual ~RandomGpu() = default;
  // Draws state `seed` into memory that holds what the seed says: the same on every such GPU.
  virtual Expected<void> draw(uint64_t seed) = 0;
  // The contents of the colour, depth and stencil buffers.
  struct Range {
    std::string name;
    std::span<const uint8_t> bytes;
  };
  virtual std::vector<Range> targets() const = 0;
  // The state that was drawn: registers with their fields, shaders.
  virtual std::string text() const = 0;
  virtual uint64_t samples_passed() const = 0;
  virtual gpu::Statistics statistics() const = 0;  // of all states so far
};

std::unique_ptr<RandomGpu> make_sea_islands(const gpu::Options& options);
std::unique_ptr<RandomGpu> make_gfx1200(const gpu::Options& options);
std::unique_ptr<RandomGpu> make_gfx1201(const gpu::Options& options);
std::unique_ptr<RandomGpu> make_r5xx(const gpu::Options& options);
std::unique_ptr<RandomGpu> make_dg1(const gpu::Options& options);

// Bytes of a target before the draws. Floats are numbers of moderate size.
enum class Content { bytes, floats, halves };
void fill(Random& r, std::span<uint8_t> bytes, Content content);

// The packets with their registers and fields.
std::string stream_text(const registers::Family& family, std::span<const uint32_t> stream);

}  // namespace Atoll::random_states
