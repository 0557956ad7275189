// Waves of fewer pixels than the pipeline hands over at once: of each batch they are the quads in turn, of one feed whose words by quad move
// down as they go (slopes are the same for all quads of a primitive, and all are of one).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "pipeline/stages.h"

namespace Atoll::pixel {

class NarrowWaves {
public:
  // `pixels` of a wave: 8, 16 or 32. `targets`, `samples`: how many of the feed's are in use.
  NarrowWaves(pipeline::DirectWaves& waves, pipeline::QuadFeed& feed, unsigned pixels, unsigned targets, unsigned samples)
      : waves_(waves), feed_(feed), quads_(pixels / 4), targets_(targets), samples_(samples) {}

  // The next wave, of which something is drawn; its feed is filled. False: there is none.
  bool next() {
    for (;;) {
      while (batch_ && (first_ += quads_) < batch_->quads) {
        move_down();
        if (cover()) return true;
      }
      if (batch_) waves_.wrote(written_.data());
      batch_ = waves_.next(feed_);
      if (!batch_) return false;
      written_ = {}, first_ = 0;
      if (cover()) return true;
    }
  }
  // The wave that has ended: by target, the lanes that it has written.
  void wrote(const uint32_t* lanes) {
    for (size_t n = 0; n < written_.size(); n++) written_[n] |= uint64_t(lanes[n]) << 4 * first_;
  }

  const pipeline::PixelBatch& batch() const { return *batch_; }
  // The wave's quads of the batch.
  unsigned first() const { return first_; }
  unsigned quads() const { return std::min(quads_, batch_->quads - first_); }

private:
  pipeline::DirectWaves& waves_;
  pipeline::QuadFeed& feed_;
  const unsigned quads_, targets_, samples_;  // of a wave
  const pipeline::PixelBatch* batch_ = nullptr;
  unsigned first_ = 0;
  std::array<uint64_t, 8> written_{};

  // Whether anything of the wave is.
  bool cover() {
    feed_.covered = batch_->covered >> 4 * first_ & ((uint64_t(1) << 4 * quads_) - 1);
    return feed_.covered;
  }
  void move_down() {
    switch (quads_) {
      case 2: return move_down_by<2>();
      case 4: return move_down_by<4>();
      default: return move_down_by<8>();
    }
  }
  template <unsigned quads>
  void move_down_by() {
    auto move = [](auto& words) { std::memmove(words, words + quads, (pipeline::max_quads - quads) * sizeof words[0]); };
    for (auto& plane : feed_.first) move(plane);
    move(feed_.x), move(feed_.y);
    for (unsigned n = 0; n < targets_; n++) move(feed_.place[n]);
    for (unsigned s = 0; samples_ > 1 && s < samples_; s++) feed_.drawn[s] >>= 4 * quads;
  }
};

}  // namespace Atoll::pixel
