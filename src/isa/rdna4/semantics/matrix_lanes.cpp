#include "isa/rdna4/semantics/matrix_lanes.h"

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstring>

#include "isa/rdna4/semantics/matrix_halves.h"
#include "isa/rdna4/semantics/matrix_halves_512.h"
#include "isa/rdna4/semantics/matrix_halves_exact.h"
#include "isa/rdna4/semantics/matrix_layout.h"
#include "isa/rdna4/semantics/matrix_vectors.h"
#include "isa/rdna4/semantics/whole.h"

namespace Atoll::rdna4::ATOLL_LEVEL {
namespace {

constexpr uint32_t n16 = 16;
#ifdef __AVX512F__
constexpr uint32_t rows_at_once = 16;  // whose sums stay in registers
#else
constexpr uint32_t rows_at_once = 4;
#endif

template <bool Wave64>
[[gnu::always_inline]] inline uint32_t* lanes_of(wave::Wave& wave, uint32_t vgpr, uint32_t lane) {
  return &amd::lane_of(wave, vgpr, lane, Wave64);
}

// --- elements to numbers and back
template <Element E>
[[gnu::always_inline]] inline Words bits_from(Floats value) {  // no NaN
  Words x = std::bit_cast<Words>(value);
  if constexpr (E == Element::F16) return to_halves(value);
  if constexpr (E == Element::Bf16) return (x + 0x7fff + (x >> 16 & 1)) >> 16;
  return x;
}

template <Element E, bool Wave64>
[[gnu::always_inline]] inline Words c_words(wave::Wave& wave, const Instruction& i, uint32_t operand, uint32_t row,
                                            uint32_t& position) {
  const Place from = place_of_result(bits_of(E), row, 0, Wave64);
  position = from.position;
  if (operand >= VGPR0) return at<Words>(lanes_of<Wave64>(wave, operand - VGPR0 + from.vgpr, from.lane));
  position = 0;
  if (is_inline_float(operand) && E == Element::F16) return inline_f16[operand - FLOAT_HALF];
  if (is_inline_float(operand) && E == Element::Bf16) return inline_bf16[operand - FLOAT_HALF];
  return scalar_value(wave, operand, i.literal);
}
struct NearestEven {  // MODE's rounding and flushing do not count here. Mostly they are none, and so MXCSR holds none
  const bool other;
  uint32_t saved = 0;
  explicit NearestEven(wave::Wave& wave) : other((wave::word_of(wave, mode_cell) & 0xff) != 0xf0) {
    if (!other) [[likely]]
      return;
    saved = _mm_getcsr();
    _mm_setcsr(0x1f80);
  }
  ~NearestEven() {
    if (other) [[unlikely]]
      _mm_setcsr(saved);
  }
};

// --- halves, in the card's way
template <Element E>
constexpr DotResult dot_result = E == Element::F16    ? DotResult::f16
                                 : E == Element::Bf16 ? DotResult::bf16
                                                      : DotResult::f32;
template <Element E, bool Wave64>
[[gnu::always_inline]] inline void load_pairs(wave::Wave& wave, const Instruction& i, uint32_t source, uint32_t (*to)[n16]) {
  // NEG and NEG_HI invert the elements in the low and high halves of dwords
  const uint32_t negated = (i.neg >> source & 1u) << 15 | (i.neg_hi >> source & 1u) << 31;
#pragma clang loop unroll(full)
  for (uint32_t k = 0; k < n16; k += 2) {
    const Place from = place(bits_of(E), n16, k, 0, Wave64);
    put(to[k / 2], at<Words>(lanes_of<Wave64>(wave, i.src[source] - VGPR0 + from.vgpr, from.lane)) ^ negated);
  }
}
// Products of any elements, with any values.
template <Element A, Element C>
[[gnu::noinline]] void multiply_pairs(PairMatrices& pairs, bool largest_for_infinity) {
  HalfMatrices m;
  for (uint32_t k = 0; k < n16; k++) {
    put(m.a[k], at<Words>(pairs.a[k / 2]) >> k % 2 * 16 & 0xffff);
    put(m.b[k], at<Words>(pairs.b[k / 2]) >> k % 2 * 16 & 0xffff);
    put(m.c[k], at<Words>(pairs.c[k]));
  }
  constexpr bool bf16 = A == Element::Bf16;
  if (!multiply_numbers<bf16, dot_result<C>>(m)) [[unlikely]]
    multiply_any<bf16, dot_result<C>>(m, largest_for_infinity);
  std::memcpy(pairs.c, m.c, sizeof m.c);
}
template <Element A, Element C, bool Wave64>
bool multiply_halves(wave::Wave& wave, const Instruction& i) {
  const NearestEven mode(wave);
  PairMatrices m;
  load_pairs<A, Wave64>(wave, i, 0, m.a);
  load_pairs<A, Wave64>(wave, i, 1, m.b);
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < n16; row++) {
    uint32_t position;
    Words x = c_words<C, Wave64>(wave, i, i.src[2], row, position);
    if constexpr (C != Element::F32) x = position ? x >> 16 : x & 0xffff;
    if constexpr (C == Element::F16) x = std::bit_cast<Words>(from_halves(x));
    if constexpr (C == Element::Bf16) x <<= 16;
    // SRC2: {NEG_HI, NEG} are {ABS, NEG}
    if ((i.neg | i.neg_hi) & 4) [[unlikely]]
      x = (x & (i.neg_hi & 4 ? 0x7fffffffu : ~0u)) ^ uint32_t(i.neg & 4) << 29;
    put(m.c[row], x);
  }
  constexpr bool bf16 = A == Element::Bf16;
  const bool largest_for_infinity = C == Element::F16 && wave::word_of(wave, mode_cell) & MODE_FP16_OVFL;
  if (C != Element::F32 || !(multiply_exact<bf16>(m) || multiply_common<bf16>(m))) multiply_pairs<A, C>(m, largest_for_infinity);
  constexpr uint32_t bits = bits_of(C);
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < n16; row += 32 / bits) {
    const Place to = place_of_result(bits, row, 0, Wave64);
    Words x = bits_from<C>(at<Floats>(m.c[row]));
    if constexpr (bits == 16) x |= bits_from<C>(at<Floats>(m.c[row + 1])) << 16;
    put(lanes_of<Wave64>(wave, i.dst + to.vgpr, to.lane), x);
  }
  return true;
}

#ifdef __FMA__
[[gnu::always_inline]] inline Floats from_fp8(Words x) {  // 1-4-3, bias 7, no infinity (RDNA4 ISA 7.5)
  Words magnitude = x & 0x7f, sign = (x & 0x80) << 24, normal = (magnitude << 20) + ((127u - 7) << 23);
  Words small = std::bit_cast<Words>(__builtin_convertvector(std::bit_cast<Ints>(magnitude), Floats) * 0x1p-9f);
  Words value = magnitude < 8 ? small : normal;
  value = magnitude == 0x7f ? Words(0x7fc00000) : value;
  return std::bit_cast<Floats>(value | sign);
}
// The elements at `position` of dwords.
template <Element E>
[[gnu::always_inline]] inline Floats floats_of(Words x, uint32_t position) {
  if constexpr (E == Element::F16) return from_halves(position ? x >> 16 : x & 0xffff);
  if constexpr (E == Element::Bf16) return std::bit_cast<Floats>(position ? x & 0xffff0000u : x << 16);
  if constexpr (E == Element::Fp8) return from_fp8(x >> 8 * position & 0xff);
  if constexpr (E == Element::Bf8) return from_halves((x >> 8 * position & 0xff) << 8);  // 1-5-2: the high byte of a half
  return std::bit_cast<Floats>(x);
}
template <Element E>
[[gnu::always_inline]] inline Ints ints_of(Words x, uint32_t position, bool is_signed) {
  constexpr int above = 32 - int(bits_of(E));
  Words top = x << (above - int(position * bits_of(E)));
  return is_signed ? std::bit_cast<Ints>(top) >> above : std::bit_cast<Ints>(top >> above);
}
// --- the parts of a product
template <Element E, bool Wave64>
[[gnu::always_inline]] inline Floats c_floats(wave::Wave& wave, const Instruction& i, uint32_t operand, uint32_t row) {
  uint32_t position;
  Words x = c_words<E, Wave64>(wave, i, operand, row, position);
  return floats_of<E>(x, position);
}

// The sums as the destination's lanes; false where one is a NaN.
template <Element E, bool Wave64>
[[gnu::always_inline]] inline bool put_result(wave::Wave& wave, const Instruction& i, const Floats* sum) {
  Ints nans = 0;
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < n16; row += 2) nans |= (sum[row] != sum[row]) | (sum[row + 1] != sum[row + 1]);
  if (__builtin_reduce_or(nans)) [[unlikely]]
    return false;
  constexpr uint32_t bits = bits_of(E);
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < n16; row += 32 / bits) {
    const Place to = place_of_result(bits, row, 0, Wave64);
    Words x = bits_from<E>(sum[row]);
    if constexpr (bits == 16) x |= bits_from<E>(sum[row + 1]) << 16;
    put(lanes_of<Wave64>(wave, i.dst + to.vgpr, to.lane), x);
  }
  return true;
}

template <Element A, Element B, uint32_t K, bool Wave64>
bool multiply_bytes(wave::Wave& wave, const Instruction& i) {
  const NearestEven mode(wave);
  alignas(64) float a[K * n16];  // element k of row n at [k * n16 + n]
#pragma clang loop unroll(full)
  for (uint32_t k = 0; k < K; k++) {
    const Place from = place(bits_of(A), K, k, 0, Wave64);
    put(a + k * n16, floats_of<A>(at<Words>(lanes_of<Wave64>(wave, i.src[0] - VGPR0 + from.vgpr, from.lane)), from.position));
  }
  Floats sum[n16];
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < n16; row++) sum[row] = c_floats<Element::F32, Wave64>(wave, i, i.src[2], row);
  if ((i.neg | i.neg_hi) & 4) [[unlikely]]  // SRC2: {NEG_HI, NEG} are {ABS, NEG}
    for (Floats& x : sum)
      x = std::bit_cast<Floats>((std::bit_cast<Words>(x) & (i.neg_hi & 4 ? 0x7fffffffu : ~0u)) ^ uint32_t(i.neg & 4) << 29);
  asm volatile("" : : "r"(&a) : "memory");  // its numbers are operands in memory
#pragma clang loop unroll(full)
  for (uint32_t first = 0; first < n16; first += rows_at_once)
#pragma clang loop unroll(full)
    for (uint32_t k = 0; k < K; k++) {
      const Place from = place(bits_of(B), K, k, 0, Wave64);
      Floats b = floats_of<B>(at<Words>(lanes_of<Wave64>(wave, i.src[1] - VGPR0 + from.vgpr, from.lane)), from.position);
#pragma clang loop unroll(full)
      for (uint32_t row = first; row < first + rows_at_once; row++)
        sum[row] = __builtin_elementwise_fma(Floats(a[k * n16 + row]), b, sum[row]);
    }
  return put_result<Element::F32, Wave64>(wave, i, sum);
}

// --- sparse rows: which k a row's elements have differs from row to row, and the zeros between them are left out
template <class T>
struct Entries {
  uint32_t count = 0;
  uint8_t k[n16 * 2];
  T value[n16 * 2];
};
template <Element E, uint32_t Depth, bool SparseB, bool Wave64>
constexpr Place place_in_columns(uint32_t k) {
  return (SparseB ? place_of_sparse_b : place)(bits_of(E), Depth, k, 0, Wave64);
}
template <Element E, uint32_t Packed, bool Wave64, class T>
void expand_row(wave::Wave& wave, const Instruction& i, uint32_t row, const T* values, Entries<T>& out) {
  const uint32_t set = i.op_sel * pairs_in_lane(bits_of(E), Packed, Wave64) * 4 % 32;
  uint32_t count = 0, seen[4] = {};
  auto add = [&](uint32_t in_group, uint32_t k, T value) {
    out.k[count] = uint8_t(k * 2 + in_group), out.value[count++] = value;
  };
  for (uint32_t k = 0; k < Packed; k += 2) {
    const uint32_t lane = place(bits_of(E), Packed, k, row, Wave64).lane;
    const uint32_t word = *lanes_of<Wave64>(wave, i.src[2] - VGPR0, lane);
    const Chosen to = chosen(word >> (set + seen[lane / 16]++ * 4) & 15);
    const T first = values[k * n16 + row], second = values[(k + 1) * n16 + row];
    const bool turned = to.second < to.first;
    add(turned ? to.second : to.first, k, turned ? second : first);
    add(turned ? to.first : to.second, k, turned ? first : second);
  }
  out.count = count;
}

template <Element A, Element B, Element C, uint32_t K, bool Wave64>
bool multiply_sparse_floats(wave::Wave& wave, const Instruction& i) {
  constexpr uint32_t packed = K / 2;
  const NearestEven mode(wave);
  alignas(64) float a[packed * n16], b[K * n16];
  auto load = [&]<Element E, uint32_t Depth>(uint32_t source, float* to) {
    constexpr bool of_b = Depth == K;
    for (uint32_t k = 0; k < Depth; k++) {
      const Place from = place_in_columns<E, Depth, of_b, Wave64>(k);
      Floats x = floats_of<E>(at<Words>(lanes_of<Wave64>(wave, i.src[source] - VGPR0 + from.vgpr, from.lane)), from.position);
      const bool negative = bits_of(E) == 16 && (from.position ? i.neg_hi : i.neg) >> source & 1;
      put(to + k * n16, negative ? -x : x);
    }
  };
  load.template operator()<A, packed>(0, a);
  load.template operator()<B, K>(1, b);
  Floats sum[n16];
  for (uint32_t row = 0; row < n16; row++) {
    Entries<float> entries;
    expand_row<A, packed, Wave64>(wave, i, row, a, entries);
    Floats c = c_floats<C, Wave64>(wave, i, i.dst + VGPR0, row);
    for (uint32_t n = 0; n < entries.count; n++)
      c = __builtin_elementwise_fma(Floats(entries.value[n]), at<Floats>(b + entries.k[n] * n16), c);
    sum[row] = c;
  }
  return put_result<C, Wave64>(wave, i, sum);
}

// --- integers: sums of 32 bits that cannot overflow, of the lower and the upper half of K, to which C is added. With CLAMP each of the two
// sums saturates: captured on gfx1201 for dense products (docs/errata.md).
inline Ints saturated_sum(Ints a, Ints b) {
  const Ints sum = std::bit_cast<Ints>(std::bit_cast<Words>(a) + std::bit_cast<Words>(b));
  return ((a ^ sum) & (b ^ sum)) < 0 ? (a < 0 ? Ints(INT32_MIN) : Ints(INT32_MAX)) : sum;
}
template <bool Wave64>
void put_integers(wave::Wave& wave, const Instruction& i, uint32_t c_operand, const Ints (*sum)[2]) {
  for (uint32_t row = 0; row < n16; row++) {
    uint32_t position;
    Ints c = std::bit_cast<Ints>(c_words<Element::Int32, Wave64>(wave, i, c_operand, row, position));
    Ints d = std::bit_cast<Ints>(std::bit_cast<Words>(c) + std::bit_cast<Words>(sum[row][0]) + std::bit_cast<Words>(sum[row][1]));
    if (i.clamp) d = saturated_sum(saturated_sum(c, sum[row][0]), sum[row][1]);
    const Place to = place_of_result(32, row, 0, Wave64);
    put(lanes_of<Wave64>(wave, i.dst + to.vgpr, to.lane), d);
  }
}
template <Element A, Element B, uint32_t K, bool Sparse, bool Wave64>
bool multiply_integers(wave::Wave& wave, const Instruction& i) {
  constexpr uint32_t packed = Sparse ? K / 2 : K;
  alignas(64) int32_t a[packed * n16], b[K * n16];
  auto load = [&]<Element E, uint32_t Depth>(uint32_t source, int32_t* to) {
    constexpr bool of_sparse_b = Sparse && Depth == K;
    for (uint32_t k = 0; k < Depth; k++) {  // NEG says which are signed
      const Place from = place_in_columns<E, Depth, of_sparse_b, Wave64>(k);
      put(to + k * n16, ints_of<E>(at<Words>(lanes_of<Wave64>(wave, i.src[source] - VGPR0 + from.vgpr, from.lane)), from.position,
                                   i.neg >> source & 1));
    }
  };
  load.template operator()<A, packed>(0, a);
  load.template operator()<B, K>(1, b);
  Ints sum[n16][2];
  for (uint32_t row = 0; row < n16; row++) {
    Ints s = 0, upper = 0;
    if constexpr (Sparse) {
      Entries<int32_t> entries;
      expand_row<A, packed, Wave64>(wave, i, row, a, entries);
      for (uint32_t n = 0; n < entries.count; n++) s += Ints(entries.value[n]) * at<Ints>(b + entries.k[n] * n16);
    } else {
      for (uint32_t k = 0; k < K / 2; k++) s += Ints(a[k * n16 + row]) * at<Ints>(b + k * n16);
      for (uint32_t k = K / 2; k < K; k++) upper += Ints(a[k * n16 + row]) * at<Ints>(b + k * n16);
    }
    sum[row][0] = s, sum[row][1] = upper;
  }
  put_integers<Wave64>(wave, i, Sparse ? i.dst + uint32_t(VGPR0) : i.src[2], sum);
  return true;
}

template <Element A, Element B, Element C, uint32_t K, bool Sparse, bool Wave64>
bool multiply_other(wave::Wave& wave, const Instruction& i) {
  if constexpr (C == Element::Int32)
    return multiply_integers<A, B, K, Sparse, Wave64>(wave, i);
  else if constexpr (!Sparse)
    return multiply_bytes<A, B, K, Wave64>(wave, i);
  else {
    if (C == Element::F16 && wave::word_of(wave, mode_cell) & MODE_FP16_OVFL) [[unlikely]]
      return false;
    return multiply_sparse_floats<A, B, C, K, Wave64>(wave, i);
  }
}
#else
template <Element A, Element B, Element C, uint32_t K, bool Sparse, bool Wave64>
bool multiply_other(wave::Wave&, const Instruction&) {
  return false;
}
#endif

template <Element A, Element B, Element C, uint32_t K, bool Sparse, bool Wave64>
bool multiply(wave::Wave& wave, const Instruction& i) {
  if constexpr (!Sparse && bits_of(A) == 16)
    return multiply_halves<A, C, Wave64>(wave, i);
  else
    return multiply_other<A, B, C, K, Sparse, Wave64>(wave, i);
}

}  // namespace

#define ATOLL_DEFINE_IN_LANES(name, a, b, c, k, sparse)                                               \
  bool name##_in_lanes(wave::Wave& wave, const Instruction& i) {                                      \
    return is_wave64(wave) ? multiply<Element::a, Element::b, Element::c, k, sparse, true>(wave, i)   \
                           : multiply<Element::a, Element::b, Element::c, k, sparse, false>(wave, i); \
  }
ATOLL_MATRIX_PRODUCTS(ATOLL_DEFINE_IN_LANES)
#undef ATOLL_DEFINE_IN_LANES

}  // namespace Atoll::rdna4::ATOLL_LEVEL
