// The words of wave/interpreter/byte_registers.h for the recorder.
#pragma once
#include "wave/jit/recorder.h"

namespace Atoll::wave {

inline Value<Type::U32> quads_from(Recorder& r, uint32_t cell, Value<Type::S32> first, unsigned) {
  return r.put<Type::U32>(Op::ReadQuads, first.id, -1, -1, cell);
}
inline Value<Type::U32> pixels_from(Recorder& r, const PixelWords& which, Value<Type::S32> first, unsigned) {
  return r.put<Type::U32>(Op::ReadPixels, first.id, -1, -1, which.packed());
}
inline void set_pixels_from(Recorder& r, Value<Type::M> condition, const PixelWords& which, Value<Type::S32> first, unsigned,
                            Value<Type::U32> value) {
  r.effect(Op::WritePixels, value.id, condition.id, -1, which.packed());
  r.nodes.back().d = first.id;
}
inline void set_pixels_from(Recorder& r, Value<Type::M> condition, const PixelWords& which, Value<Type::S32> first, unsigned,
                            Value<Type::U32> value, Value<Type::U32> next_word) {
  r.effect(Op::WritePixels, value.id, condition.id, next_word.id, which.packed());
  r.nodes.back().d = first.id;
}
inline Value<Type::U32> region32(Recorder& r, const Region& region) { return r.region(region); }
inline void set_region32(Recorder& r, const Region& region, Value<Type::M> condition, Value<Type::U32> value) {
  r.set_region(region, condition, value);
}
inline Value<Type::U64> region64(Recorder& r, const Region& region) {
  return r.put<Type::U64>(Op::ReadRegion, -1, -1, -1, 0, &r.regions.emplace_back(region));
}
inline void set_region64(Recorder& r, const Region& region, Value<Type::M> condition, Value<Type::U64> value) {
  r.effect(Op::WriteRegion, value.id, condition.id, -1, 0, &r.regions.emplace_back(region));
}
inline Value<Type::U32> indexed(Recorder& r, const IndexedBytes& window, Value<Type::U32> byte) {
  r.call_instead();
  return r.put<Type::U32>(Op::ReadIndexed, byte.id, -1, -1, 0, &r.windows.emplace_back(window));
}
inline void set_indexed(Recorder& r, const IndexedBytes& window, Value<Type::M> condition, Value<Type::U32> byte,
                        Value<Type::U32> value) {
  r.call_instead();
  r.effect(Op::WriteIndexed, value.id, condition.id, byte.id, 0, &r.windows.emplace_back(window));
}
// (LLVM has no vectors of one for everything, and pads those of two)
inline void work_on(Recorder& r, unsigned lanes) { r.lane_count = uint8_t(lanes < 4 ? 4 : lanes); }
inline Value<Type::M> mask_of(Recorder& r, Value<Type::S32> word) { return r.put<Type::M>(Op::MaskOf, word.id); }
inline Value<Type::S32> word_of(Recorder& r, Value<Type::M> mask) { return r.put<Type::S32>(Op::WordOf, mask.id); }

}  // namespace Atoll::wave
