// Attributes of primitives that stand in a wave's registers, by quad. Large primitives fill many waves, and quads of a primitive follow
// each other.
#pragma once
#include "pipeline/stages.h"

namespace Atoll::pixel {

// True if two primitives of a segment are the same to their pixels, as far as attributes go. (Their number decides the provoking
// vertex, the kind, the facing and the distances; sides and corners of one that is filled as lines or points have other vertices.
// Asked for every quad.)
inline bool same_attributes(const pipeline::PrimitiveAttributes& x, const pipeline::PrimitiveAttributes& y) {
  return x.a == y.a && x.b == y.b && x.c == y.c && x.own == y.own && x.primitive == y.primitive;
}

// The primitive whose attributes all quads of a worker's wave have from the wave before.
class StandingPrimitive {
public:
  // True if they are the batch's. If not, they are from now on: they have to be put there.
  bool is_of(const pipeline::PixelBatch& batch) {
    const pipeline::PrimitiveAttributes& first = batch.primitive[0];
    if (batch.one_primitive && valid_ && segment_ == batch.segment && same_attributes(first, primitive_)) return true;
    valid_ = batch.one_primitive, primitive_ = first, segment_ = batch.segment;
    return false;
  }
  // Called when other attributes may have been put there.
  void forget() { valid_ = false; }

private:
  bool valid_ = false;
  uint32_t segment_ = 0;
  pipeline::PrimitiveAttributes primitive_;
};

// Calls put(primitive, first, end) for quads `first` to `end` - 1 of each primitive of the batch. A primitive of all quads is put
// into all quads that a wave may have.
template <class Put>
void each_primitive(const pipeline::PixelBatch& batch, Put put) {
  for (unsigned first = 0, end; first < batch.quads; first = end) {
    const pipeline::PrimitiveAttributes& p = batch.primitive[first];
    for (end = batch.one_primitive ? pipeline::max_quads : first + 1;
         end < batch.quads && same_attributes(batch.primitive[end], p);)
      end++;
    put(p, first, end);
  }
}

}  // namespace Atoll::pixel
