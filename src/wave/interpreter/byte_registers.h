// Words for register files of bytes and for masks as numbers (Xe-LP), beside those of interpreter.h; wave/jit/byte_registers.h has
// the same for the recorder.
//   quads_from(core, cell, S32 first, lanes) -> U32, pixels_from(core, PixelWords, S32 first, lanes) -> U32, set_pixels_from(core, M,
//     PixelWords, S32 first, lanes, U32[, U32]): core.quads(), core.pixels() and core.set_pixels() of a wave of `lanes` lanes whose quads
//     begin with pixel `first` of what is fed (wave/fed_pixels.h)
//   region32(core, Region) -> U32, set_region32(core, Region, M, U32): core.region() and core.set_region(), of which rows of dwords and
//     dwords that all lanes have are read and written at once
//   region64(core, Region) -> U64, set_region64(core, Region, M, U64): elements of 8 bytes
//   indexed(core, IndexedBytes, U32 byte) -> U32, set_indexed(core, IndexedBytes, M, U32 byte, U32): a place for each lane, which is
//     brought inside of the window and to the element's alignment, whatever `byte` is; of lanes that name the same the last wins
//   work_on(core, lanes): how many lanes the following values have (a region's, if they come from one)
//   mask_of(core, S32) -> M, word_of(core, M) -> S32: lane l is bit l
#pragma once
#include "wave/byte_registers.h"
#include "wave/fed_pixels.h"
#include "wave/interpreter/interpreter.h"

namespace Atoll::wave::ATOLL_LEVEL {

// Lanes 0 to `lanes` - 1 of dwords in a row; the others 0.
inline U32 dwords_in_row(const uint8_t* from, unsigned lanes) {
  U32 out = Interpreter::u32(0);
  switch (lanes) {
    case 8: std::memcpy(&out.v, from, 32); break;
    case 16: std::memcpy(&out.v, from, 64); break;
    case 32: std::memcpy(&out.v, from, 128); break;
    default: std::memcpy(&out.v, from, lanes * 4ul);
  }
  return out;
}
inline void put_dwords_in_row(uint8_t* to, unsigned lanes, const U32& value) {
  switch (lanes) {
    case 8: std::memcpy(to, &value.v, 32); break;
    case 16: std::memcpy(to, &value.v, 64); break;
    case 32: std::memcpy(to, &value.v, 128); break;
    default: std::memcpy(to, &value.v, lanes * 4ul);
  }
}
// True if lane l has element l; true if all lanes have the first.
constexpr bool is_row(const Region& r) {
  if (!r.width || r.lanes == 1) return true;
  if (r.width == 1) return r.vertical == 1;
  return r.horizontal == 1 && (r.lanes <= r.width || r.vertical == r.width);
}
constexpr bool is_single(const Region& r) {
  if (!r.width) return r.lanes == 1;
  return (r.width == 1 || !r.horizontal) && (r.lanes <= r.width || !r.vertical);
}
constexpr uint32_t first_lanes(unsigned lanes) { return lanes >= 32 ? ~0u : (1u << lanes) - 1; }

inline U32 quads_from(Interpreter& e, uint32_t cell, S32 first, unsigned lanes) {
  return e.quads(cell + first_fed(first.v, lanes));
}
// (Of lanes that the wave does not have nobody may look at the places.)
inline U32 pixels_from(Interpreter& e, PixelWords which, S32 first, unsigned lanes) {
  which.cell += first_fed(first.v, lanes);
  const unsigned step = which.texel_bytes, bytes = step < 4 ? step : 4;
  U32 out = Interpreter::u32(0);
  for (unsigned q = 0; q < lanes / 4; q++) {
    const uint8_t* from = e.pixels_of(which, int(q));
    for (unsigned l = 0; l < 4; l++) {
      uint32_t word = 0;
      std::memcpy(&word, from + l * step, bytes);
      out.v[q * 4 + l] = word;
    }
  }
  return out;
}
inline void set_pixels_from(Interpreter& e, M condition, PixelWords which, S32 first, unsigned lanes, const U32& value) {
  which.cell += first_fed(first.v, lanes);
  e.set_pixels(M{condition.bits & first_lanes(lanes)}, which, value);
}
inline void set_pixels_from(Interpreter& e, M condition, PixelWords which, S32 first, unsigned lanes, const U32& value,
                            const U32& next_word) {
  which.cell += first_fed(first.v, lanes);
  e.set_pixels(M{condition.bits & first_lanes(lanes)}, which, value, next_word);
}

inline U32 region32(Interpreter& e, const Region& r) {
  if (r.bytes == 4 && is_row(r)) return dwords_in_row(e.base + r.cell, r.lanes);
  if (r.bytes != 4 || !is_single(r)) return e.region(r);
  return select(M{first_lanes(r.lanes)}, Interpreter::u32(e.at<uint32_t>(r.cell)), Interpreter::u32(0));
}
inline void set_region32(Interpreter& e, const Region& r, M condition, const U32& value) {
  if (r.bytes != 4 || !is_row(r)) return e.set_region(r, condition, value);
  uint8_t* const to = e.base + r.cell;
  const uint32_t lanes = first_lanes(r.lanes);
  const bool all = (condition.bits & lanes) == lanes;
  put_dwords_in_row(to, r.lanes, all ? value : select(condition, value, dwords_in_row(to, r.lanes)));
}
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
