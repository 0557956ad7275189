// A pixel stage that makes its outputs from the pixel and its primitive, each in a way of its own, so that they can be had again
// for any pixel apart.
#pragma once
#include "pipeline/oracle/fragments.h"
#include "random.h"

namespace Atoll::pipeline::test {

struct Shader {
  uint64_t seed = 0;
  bool constant = false;  // the same for all pixels
  uint8_t written = 0, halves = 0;
  bool has_second_source = false, has_depth = false, has_stencil = false, has_coverage = false;
  bool exact_numbers = true;        // floats are such that NaNs of blending have one form
  unsigned kill_percent = 0;        // of pixels
  unsigned special_percent = 0;     // of components: infinities, NaNs, denormals, numbers far out
  std::array<bool, 8> integers{};   // of outputs
  std::array<unsigned, 8> steps{};  // of outputs: values are multiples of 1 / steps and halves of those; 0: anything
  unsigned lanes = 64;              // a batch

  oracle::Outputs outputs(unsigned x, unsigned y, uint32_t primitive, bool front, unsigned sample) const;
};

// The form of NaN that x86 makes of invalid operations.
inline constexpr uint32_t usual_nan = 0xffc00000;
inline constexpr uint16_t usual_half_nan = 0xfe00;

class ShaderStage : public PixelStage {
public:
  explicit ShaderStage(const Shader& shader) : shader_(shader) {}
  unsigned batch_size() const override { return shader_.lanes; }
  uint8_t barycentrics() const override { return 0; }
  bool wants_depth() const override { return false; }
  bool shade(unsigned worker, const PixelBatch& batch, PixelResults& results) override;

private:
  const Shader& shader_;
  // By worker: halves of a wave, which stand until the next.
  struct Halves {
    alignas(64) uint32_t words[8][2][max_pixels];
  };
  std::array<Halves, 4> halves_;
};

}  // namespace Atoll::pipeline::test
