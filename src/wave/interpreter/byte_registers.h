// Words for register files of bytes and for masks as numbers (Xe-LP), beside those of interpreter.h; wave/jit/byte_registers.h has
// the same for the recorder.
//   region64(core, Region) -> U64, set_region64(core, Region, M, U64): elements of 8 bytes
//   indexed(core, IndexedBytes, U32 byte) -> U32, set_indexed(core, IndexedBytes, M, U32 byte, U32): a place for each lane, which is
//     brought inside of the window and to the element's alignment, whatever `byte` is; of lanes that name the same the last wins
//   work_on(core, lanes): how many lanes the following values have (a region's, if they come from one)
//   mask_of(core, S32) -> M, word_of(core, M) -> S32: lane l is bit l
#pragma once
#include "wave/byte_registers.h"
#include "wave/interpreter/interpreter.h"

namespace Atoll::wave::ATOLL_LEVEL {

inline U64 region64(Interpreter& e, const Region& r) {
  U64 out = Interpreter::u64(0);
  for (unsigned l = 0; l < r.lanes; l++)
    std::memcpy(reinterpret_cast<uint64_t*>(&out.v) + l, e.base + r.cell + element_of(r, l) * 8, 8);
  return out;
}
inline void set_region64(Interpreter& e, const Region& r, M condition, const U64& value) {
  for (unsigned l = 0; l < r.lanes; l++)
    if (condition.bits >> l & 1)
      std::memcpy(e.base + r.cell + element_of(r, l) * 8, reinterpret_cast<const uint64_t*>(&value.v) + l, 8);
}
inline U32 indexed(Interpreter& e, const IndexedBytes& f, const U32& byte) {
  U32 out = Interpreter::u32(0);
  for (unsigned l = 0; l < f.lanes; l++) {
    uint32_t x = 0;
    std::memcpy(&x, e.base + f.cell + place_in(f, byte.v[l]), f.bytes);
    if (f.sign_extend && f.bytes < 4) x = uint32_t(int32_t(x << (32 - 8 * f.bytes)) >> (32 - 8 * f.bytes));
    out.v[l] = x;
  }
  return out;
}
inline void set_indexed(Interpreter& e, const IndexedBytes& f, M condition, const U32& byte, const U32& value) {
  for (unsigned l = 0; l < f.lanes; l++) {
    if (!(condition.bits >> l & 1)) continue;
    uint32_t x = value.v[l];
    std::memcpy(e.base + f.cell + place_in(f, byte.v[l]), &x, f.bytes);
  }
}
// Sets the number of lanes of the values that follow: for the recorder.
inline void work_on(Interpreter&, unsigned) {}
inline M mask_of(Interpreter&, S32 word) { return {word.v}; }
inline S32 word_of(Interpreter&, M mask) { return {mask.bits}; }

}  // namespace Atoll::wave::ATOLL_LEVEL
