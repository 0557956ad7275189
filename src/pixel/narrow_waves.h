// Waves of fewer pixels than the pipeline hands over at once: all waves of a batch share one payload, and each begins at a pixel of
// its own. Code may go from one to the next by itself (Frame::repeats).
#pragma once
#include <bit>
#include <cstdint>

#include "pipeline/stages.h"

namespace Atoll::pixel {

class NarrowWaves {
public:
  // `pixels` of a wave: 8, 16 or 32. `written`: by target, the batch's lanes that its waves have written, which they add to.
  NarrowWaves(pipeline::DirectWaves& waves, pipeline::QuadPayload& payload, unsigned pixels, uint64_t* written)
      : waves_(waves), payload_(payload), pixels_(pixels), written_(written) {}

  // Goes to the next batch, fills its payload, and finds its first wave with something to draw. False: there is none.
  bool next_batch() {
    for (;;) {
      if (batch_) waves_.wrote(written_);
      batch_ = waves_.next(payload_);
      if (!batch_) return false;
      for (unsigned n = 0; n < 8; n++) written_[n] = 0;
      payload_.covered = batch_->covered;
      if (find_wave(0)) return true;
    }
  }
  // Goes to the next wave, of this batch or the one after it. `of_batch`: the batch's other waves have run already.
  bool next(bool of_batch) {
    return (!of_batch && first_ + pixels_ < pipeline::max_pixels && find_wave(first_ + pixels_)) || next_batch();
  }

  const pipeline::PixelBatch& batch() const { return *batch_; }
  // The wave's first pixel, those of its pixels that are drawn, and its quads of the batch.
  unsigned first() const { return first_; }
  uint32_t drawn() const { return uint32_t(batch_->covered >> first_ & ((uint64_t(1) << pixels_) - 1)); }
  // The number of the batch's waves with something to draw.
  unsigned waves_of_batch() const {
    unsigned count = 0;
    for (unsigned first = 0; first < pipeline::max_pixels; first += pixels_)
      count += (batch_->covered >> first & ((uint64_t(1) << pixels_) - 1)) != 0;
    return count;
  }

private:
  pipeline::DirectWaves& waves_;
  pipeline::QuadPayload& payload_;
  const unsigned pixels_;
  uint64_t* const written_;
  const pipeline::PixelBatch* batch_ = nullptr;
  unsigned first_ = 0;

  // The first wave from pixel `from` on with something to draw.
  bool find_wave(unsigned from) {
    const uint64_t rest = batch_->covered >> from;
    if (!rest) return false;
    first_ = from + unsigned(std::countr_zero(rest)) / pixels_ * pixels_;
    return true;
  }
};

}  // namespace Atoll::pixel
