// Matrix products, element by element: elements are taken out of the lanes, multiplied, and put back. RDNA4 ISA 7.12.2 (layouts),
// 7.12.3 (sparse). Products that need no NaN's bits go 16 lanes at once, and so do all dense products of f16 and bf16
// (matrix_lanes.cpp). The manual leaves this open; docs/errata.md says what is done here: products are accumulated by fused
// multiply-adds in the order of K, in f32 and rounded to nearest even whatever MODE says; f16 and bf16 results are rounded once,
// at the end.
#include <xmmintrin.h>

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/half.h"
#include "isa/rdna4/semantics/matrix_lanes.h"
#include "isa/rdna4/semantics/matrix_layout.h"
#include "isa/rdna4/semantics/whole.h"
#include "isa/rdna4/semantics/wmma.h"
#include "wave/interpreter/level.h"
#include "wave/nan.h"

namespace Atoll::rdna4 {
namespace {

uint32_t element(wave::Wave& wave, uint32_t vgpr, const Place& at, uint32_t bits) {
  uint32_t word = lane_of(wave, vgpr + at.vgpr, at.lane);
  return bits == 32 ? word : word >> at.position * bits & ((1u << bits) - 1);
}

// --- values
float from_fp8(uint32_t x) {  // 1-4-3, bias 7, no infinity (RDNA4 ISA 7.5)
  uint32_t magnitude = x & 0x7f, sign = (x & 0x80) << 24;
  if (magnitude == 0x7f) return std::bit_cast<float>(sign | 0x7fc00000u);
  float value = magnitude < 8 ? float(magnitude) * 0x1p-9f : std::bit_cast<float>((magnitude << 20) + ((127u - 7) << 23));
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
}
float float_of(Element type, uint32_t x) {
  switch (type) {
    case Element::F16: return float_from_half(uint16_t(x));
    case Element::Bf16: return std::bit_cast<float>(x << 16);
    case Element::Fp8: return from_fp8(x);
    case Element::Bf8: return float_from_half(uint16_t(x << 8));  // 1-5-2: the high byte of a half
    default: return std::bit_cast<float>(x);
  }
}
uint32_t bits_from(Element type, float value, bool overflow_to_largest) {
  uint32_t x = std::bit_cast<uint32_t>(value);
  if (type == Element::F16) {
    uint32_t half = half_from_float(value);
    if (overflow_to_largest && (half & 0x7fff) == 0x7c00 && (x & 0x7fffffff) != 0x7f800000) half -= 1;
    return half;
  }
  if (type != Element::Bf16) return x;
  if (value != value) return x >> 16 | 0x40;
  return (x + 0x7fff + (x >> 16 & 1)) >> 16;
}
int32_t integer_of(Element type, uint32_t x, bool is_signed) {
  int shift = 32 - int(bits_of(type));
  return is_signed ? int32_t(x << shift) >> shift : int32_t(x);
}

// --- products
constexpr uint32_t n16 = 16;
// The elements of a row of A that take part, in the order of K.
template <class T>
struct Row {
  uint32_t count = 0;
  std::array<uint32_t, 64> k;
  std::array<T, 64> value;
};
template <class T>
using Block = std::array<std::array<T, n16>, 64>;  // [k][column]

void accumulate(const Row<float>& row, const Block<float>& b, float* c) {
  for (uint32_t n = 0; n < row.count; n++)
    for (uint32_t column = 0; column < n16; column++) c[column] = __builtin_fmaf(row.value[n], b[row.k[n]][column], c[column]);
}
// Computes a result that is a NaN again, with the NaN that nan.h says.
float accumulate_by_rule(const Row<float>& row, const Block<float>& b, uint32_t column, float c) {
  for (uint32_t n = 0; n < row.count; n++) {
    float x = row.value[n], y = b[row.k[n]][column], r = std::fma(x, y, c);
    if (r != r) {
      float operand = x != x ? x : y != y ? y : c;
      r = operand != operand ? std::bit_cast<float>(std::bit_cast<uint32_t>(operand) | wave::quiet_bit32)
                             : std::bit_cast<float>(wave::default_nan32);
    }
    c = r;
  }
  return c;
}

struct NearestEven {  // MODE's rounding and flushing do not count here
  uint32_t saved = _mm_getcsr();
  NearestEven() { _mm_setcsr(0x1f80); }
  ~NearestEven() { _mm_setcsr(saved); }
};

Place place_of_b(const Product& p, uint32_t k, uint32_t column, bool wave64) {
  return (p.sparse ? place_of_sparse_b : place)(bits_of(p.b), p.k, k, column, wave64);
}
template <class T, class Read>
Row<T> row_of_a(wave::Wave& wave, const Instruction& i, const Product& p, uint32_t row, Read read) {
  bool wave64 = is_wave64(wave);
  uint32_t bits = bits_of(p.a), packed = p.sparse ? p.k / 2 : p.k;
  Row<T> out;
  auto add = [&](uint32_t k, T value) { out.k[out.count] = k, out.value[out.count++] = value; };
  if (!p.sparse) {
    for (uint32_t k = 0; k < packed; k++) add(k, read(i.src[0] - VGPR0, place(bits, packed, k, row, wave64), k));
    return out;
  }
  uint32_t set = i.op_sel * pairs_in_lane(bits, packed, wave64) * 4 % 32, seen[4] = {};
  for (uint32_t k = 0; k < packed; k += 2) {
    Place at = place(bits, packed, k, row, wave64);
    uint32_t word = lane_of(wave, i.src[2] - VGPR0, at.lane), pair = seen[at.lane / 16]++;
    Chosen to = chosen(word >> (set + pair * 4) & 15);
    T first = read(i.src[0] - VGPR0, at, k), second = read(i.src[0] - VGPR0, place(bits, packed, k + 1, row, wave64), k + 1);
    if (to.second < to.first) std::swap(to.first, to.second), std::swap(first, second);
    add(k * 2 + to.first, first), add(k * 2 + to.second, second);
  }
  return out;
}

uint32_t c_element(wave::Wave& wave, const Instruction& i, const Product& p, uint32_t row, uint32_t column) {
  uint32_t bits = bits_of(p.c);
  Place at = place_of_result(bits, row, column, is_wave64(wave));
  if (p.sparse) return element(wave, i.dst, at, bits);
  uint32_t operand = i.src[2];
  if (operand >= VGPR0) return element(wave, operand - VGPR0, at, bits);
  return scalar_value(wave, operand, i.literal);  // of f32 or integers: dense halves are not multiplied here
}

struct Result {
  std::array<std::array<uint32_t, n16>, n16> bits;
};
void put(wave::Wave& wave, const Instruction& i, const Product& p, const Result& d) {
  uint32_t bits = bits_of(p.c);
  bool wave64 = is_wave64(wave);
  for (uint32_t row = 0; row < n16; row++)
    for (uint32_t column = 0; column < n16; column++) {
      Place at = place_of_result(bits, row, column, wave64);
      uint32_t& word = lane_of(wave, i.dst + at.vgpr, at.lane);
      if (bits == 32)
        word = d.bits[row][column];
      else
        word = (word & ~(0xffffu << 16 * at.position)) | d.bits[row][column] << 16 * at.position;
    }
}

void multiply_floats(wave::Wave& wave, const Instruction& i, const Product& p) {
  NearestEven mode;
  bool wave64 = is_wave64(wave), largest = wave::word_of(wave, mode_cell) & MODE_FP16_OVFL;
  // NEG and NEG_HI invert the elements in the low and high halves of a dword; 8-bit elements have none (RDNA4 ISA 7.12).
  auto reader = [&](Element type, int source) {
    return [&wave, &i, type, source](uint32_t vgpr, const Place& at, uint32_t) {
      float x = float_of(type, element(wave, vgpr, at, bits_of(type)));
      bool negative = bits_of(type) == 16 && ((at.position ? i.neg_hi : i.neg) >> source & 1);
      return negative ? -x : x;
    };
  };
  Block<float> b;
  auto read_b = reader(p.b, 1);
  for (uint32_t k = 0; k < p.k; k++)
    for (uint32_t column = 0; column < n16; column++)
      b[k][column] = read_b(i.src[1] - VGPR0, place_of_b(p, k, column, wave64), k);
  Result d;
  for (uint32_t row = 0; row < n16; row++) {
    Row<float> a = row_of_a<float>(wave, i, p, row, reader(p.a, 0));
    std::array<float, n16> c, sum;
    for (uint32_t column = 0; column < n16; column++) {
      float x = float_of(p.c, c_element(wave, i, p, row, column));
      if (!p.sparse && (i.neg_hi >> 2 & 1)) x = std::fabs(x);  // SRC2: {NEG_HI, NEG} are {ABS, NEG}
      if (!p.sparse && (i.neg >> 2 & 1)) x = -x;
      c[column] = sum[column] = x;
    }
    accumulate(a, b, sum.data());
    for (uint32_t column = 0; column < n16; column++) {
      if (sum[column] != sum[column]) sum[column] = accumulate_by_rule(a, b, column, c[column]);
      d.bits[row][column] = bits_from(p.c, sum[column], largest);
    }
  }
  put(wave, i, p, d);
}

void multiply_integers(wave::Wave& wave, const Instruction& i, const Product& p) {
  bool wave64 = is_wave64(wave), a_signed = i.neg & 1, b_signed = i.neg >> 1 & 1;  // NEG says which are signed
  Block<int32_t> b;
  for (uint32_t k = 0; k < p.k; k++)
    for (uint32_t column = 0; column < n16; column++)
      b[k][column] = integer_of(p.b, element(wave, i.src[1] - VGPR0, place_of_b(p, k, column, wave64), bits_of(p.b)), b_signed);
  Result d;
  for (uint32_t row = 0; row < n16; row++) {
    auto a = row_of_a<int32_t>(wave, i, p, row, [&](uint32_t vgpr, const Place& at, uint32_t) {
      return integer_of(p.a, element(wave, vgpr, at, bits_of(p.a)), a_signed);
    });
    for (uint32_t column = 0; column < n16; column++) {
      int64_t sum = int32_t(c_element(wave, i, p, row, column));
      auto held = [&](int64_t x) { return !i.clamp ? x : x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x; };
      for (uint32_t n = 0; n < a.count; n++) {
        if (!p.sparse && a.k[n] == p.k / 2) sum = held(sum);  // between the halves of K: docs/errata.md
        sum += int64_t(a.value[n]) * b[a.k[n]][column];
      }
      d.bits[row][column] = uint32_t(held(sum));
    }
  }
  put(wave, i, p, d);
}

void multiply(wave::Wave& wave, const Instruction& i, const Product& p) {
  if (p.c == Element::Int32)
    multiply_integers(wave, i, p);
  else
    multiply_floats(wave, i, p);
}

}  // namespace

#define ATOLL_DEFINE_PRODUCT(name, a, b, c, k, sparse)                                          \
  void name(wave::Wave& wave, const Instruction& i) {                                           \
    static const auto in_lanes = ATOLL_AT_LEVEL(name##_in_lanes);                               \
    if (!in_lanes(wave, i)) multiply(wave, i, {Element::a, Element::b, Element::c, k, sparse}); \
  }
ATOLL_MATRIX_PRODUCTS(ATOLL_DEFINE_PRODUCT)
#undef ATOLL_DEFINE_PRODUCT

}  // namespace Atoll::rdna4
