// The words of wave/interpreter/byte_registers.h for the recorder.
#pragma once
#include "wave/jit/recorder.h"

namespace Atoll::wave {

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
