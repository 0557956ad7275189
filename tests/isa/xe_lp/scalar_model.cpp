#include "scalar_model.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace Atoll::xe_lp::test {
namespace {

__extension__ typedef __int128 Wide;

unsigned size_of(Type t) {
  switch (t) {
    case Type::UB:
    case Type::B: return 1;
    case Type::UW:
    case Type::W:
    case Type::HF:
    case Type::UV:
    case Type::V: return 2;
    case Type::UQ:
    case Type::Q: return 8;
    default: return 4;
  }
}
bool has_sign(Type t) { return t == Type::B || t == Type::W || t == Type::D || t == Type::Q || t == Type::V; }
bool real_type(Type t) { return t == Type::F || t == Type::HF || t == Type::VF; }

// --- halves
double of_half(uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction ? NAN : INFINITY)
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return h & 0x8000 ? -size : size;
}
// Rounded once, to the nearest even.
uint16_t to_half(double x) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  x = std::fabs(x);
  if (std::isinf(x) || x >= 65520) return sign | 0x7c00;
  int exponent = 0;
  if (x != 0) std::frexp(x, &exponent);
  const int unit = std::max(exponent - 11, -24);
  const double scaled = std::ldexp(x, -unit);
  double whole = std::floor(scaled);
  if (scaled - whole > 0.5 || (scaled - whole == 0.5 && std::fmod(whole, 2) == 1)) whole++;
  const double rounded = std::ldexp(whole, unit);
  if (rounded < 0x1p-14) return uint16_t(sign | uint16_t(std::ldexp(rounded, 24)));
  std::frexp(rounded, &exponent);
  return uint16_t(sign | uint16_t((exponent + 14) << 10) | (uint16_t(std::ldexp(rounded, 11 - exponent)) & 1023));
}
float f32(uint32_t w) { return std::bit_cast<float>(w); }
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

// One lane of one source. Floats as the bits of an f32 (a half's value is exact there).
struct Value {
  Type type = Type::UD;
  uint64_t raw = 0;  // as it stands
  Wide integer = 0;  // with modifiers
  uint32_t real = 0;
};

uint8_t* place(Eu& eu, File file, unsigned byte) {
  switch (file) {
    case File::Grf: return &eu.grf[byte];
    case File::A: return &eu.a0[byte];
    case File::Acc: return &eu.acc[byte];
    case File::Mme: return &eu.acc[byte + 256];
    case File::F: return reinterpret_cast<uint8_t*>(eu.flags) + byte;
    case File::Ce: return reinterpret_cast<uint8_t*>(&eu.active) + byte;
    case File::Cr: return &eu.control[byte];
    default: return &eu.state[byte];
  }
}
unsigned first_byte(const Operand& o) { return o.number * (o.file == File::F ? 4u : 32u) + o.sub; }
unsigned address(Eu& eu, const Operand& o, unsigned element) {
  uint16_t a;
  std::memcpy(&a, &eu.a0[(o.number + element) * 2], 2);
  return unsigned(a + o.offset);
}
// Addresses are brought into the file and to their element.
unsigned inside(unsigned byte, unsigned size) { return byte & (4096 - (size == 8 ? 4 : size)); }

bool three_sources(Op op) { return op == Op::Mad || op == Op::Csel || op == Op::Bfe || op == Op::Bfi2 || op == Op::Dp4a; }
bool bitwise(Op op) { return op == Op::Not || op == Op::And || op == Op::Or || op == Op::Xor; }

Value read(Eu& eu, const Instruction& i, unsigned n, unsigned lane) {
  const Operand& o = i.src[n];
  Value v;
  v.type = o.type;
  const unsigned size = size_of(o.type);
  if (o.kind == Kind::Immediate) {
    v.raw = o.immediate;
    // The lane's place in the destination, in words, is the nibble's.
    const unsigned place = i.dst.type == Type::None ? lane : std::max(lane, lane * size_of(i.dst.type) * i.dst.horizontal / 2);
    if (o.type == Type::UV) v.raw = o.immediate >> place % 8 * 4 & 15;
    if (o.type == Type::V) {
      int nibble = int(o.immediate >> place % 8 * 4 & 15);
      v.raw = uint64_t(int64_t(nibble > 7 ? nibble - 16 : nibble));
    }
    if (o.type == Type::VF) {
      const unsigned b = o.immediate >> lane % 4 * 8 & 255;
      const float size_of_it = b & 127 ? std::ldexp(1.0f + float(b & 15) / 16, int(b >> 4 & 7) - 3) : 0.0f;
      v.raw = bits(b & 128 ? -size_of_it : size_of_it);
    }
  } else if (o.file != File::Null) {
    unsigned width = o.width, vertical = o.vertical, horizontal = o.horizontal;
    if (three_sources(i.op)) {
      if (n == 2)
        vertical = horizontal, horizontal = 0, width = 1;
      else
        width = horizontal && vertical > horizontal ? vertical / horizontal : 1;
    }
    const unsigned row = lane / width, column = lane % width;
    if (o.kind == Kind::Indirect) {
      const bool by_row = o.vertical == kVxH;
      unsigned byte = address(eu, o, by_row ? row : 0) + column * horizontal * size + (by_row ? 0 : row * vertical * size);
      std::memcpy(&v.raw, &eu.grf[inside(byte, size)], std::min(size, 4u));
      if (size == 8) std::memcpy(reinterpret_cast<uint8_t*>(&v.raw) + 4, &eu.grf[inside(byte + 4, 8)], 4);
    } else {
      std::memcpy(&v.raw, place(eu, o.file, first_byte(o) + (row * vertical + column * horizontal) * size), size);
    }
  }
  const unsigned count = 8 * size;
  const uint64_t mask = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
  v.raw &= mask;
  v.integer = Wide(v.raw);
  if (has_sign(o.type) && v.raw >> (count - 1)) v.integer -= Wide(1) << count;
  if (o.type == Type::HF) {
    const uint16_t h = uint16_t(v.raw);
    v.real = (h & 0x7c00) == 0x7c00 && (h & 0x3ff) ? uint32_t(h & 0x8000) << 16 | 0x7fc00000 | uint32_t(h & 0x3ff) << 13
                                                   : bits(float(of_half(h)));
  } else {
    v.real = real_type(o.type) ? uint32_t(v.raw) : bits(float(v.integer));
  }
  if (bitwise(i.op)) {
    if (o.modifiers & MOD_NEGATE) v.raw = ~v.raw, v.integer = ~v.integer;
    return v;
  }
  if (o.modifiers & MOD_ABSOLUTE) v.real &= 0x7fffffff, v.integer = v.integer < 0 ? -v.integer : v.integer;
  if (o.modifiers & MOD_NEGATE) v.real ^= 0x80000000, v.integer = -v.integer;
  return v;
}

// The first operand that is a NaN, quieted; else the default NaN (nan.h).
uint32_t with_nan(float result, std::initializer_list<uint32_t> operands) {
  if (!std::isnan(result)) return bits(result);
  for (uint32_t o : operands)
    if (std::isnan(f32(o))) return o | 0x400000;
  return 0xffc00000;
}

// --- results
struct Result {
  bool writes = true, real = false;
  uint32_t f = 0;    // a float's bits
  double exact = 0;  // of halves: not yet rounded to f32
  bool all_halves = false;
  Wide integer = 0;
  bool has_high = false;  // what the accumulator gets besides
  uint64_t accumulator = 0;
  bool truth = false;  // of comparisons
};

bool holds(Condition c, auto a, auto b) {
  switch (c) {
    case Condition::Eq: return a == b;
    case Condition::Ne: return a != b;
    case Condition::Gt: return a > b;
    case Condition::Ge: return a >= b;
    case Condition::Lt: return a < b;
    case Condition::Le: return a <= b;
    default: return false;
  }
}

uint64_t element_at(std::vector<uint8_t>& low, std::vector<uint8_t>& high, unsigned lane) {
  uint32_t l, h;
  std::memcpy(&l, &low[lane * 4], 4), std::memcpy(&h, &high[lane * 4], 4);
  return l | uint64_t(h) << 32;
}

Result compute(Eu& eu, const Instruction& i, unsigned lane, bool chosen) {
  Result r;
  Value s[3];
  const unsigned sources = i.op == Op::Movi ? 1 : sources_of(i);
  for (unsigned n = 0; n < sources; n++) s[n] = read(eu, i, n, lane);
  r.real = real_type(s[0].type) || (sources > 1 && real_type(s[1].type));
  r.all_halves = true;
  for (unsigned n = 0; n < sources; n++) r.all_halves &= s[n].type == Type::HF;
  const uint32_t a = s[0].real, b = s[1].real, c = s[2].real;
  const double da = double(f32(a)), db = double(f32(b)), dc = double(f32(c));
  auto real = [&](float x, double exact, std::initializer_list<uint32_t> operands) {
    r.f = with_nan(x, operands);
    r.exact = exact;
  };
  auto copy = [&](uint32_t x) { r.f = x, r.exact = double(f32(x)); };
  const uint32_t x = uint32_t(s[0].integer), y = uint32_t(s[1].integer), z = uint32_t(s[2].integer);
  const unsigned count = 8 * size_of(s[0].type), shift_mask = std::max(count, 8 * size_of(i.dst.type)) == 64 ? 63 : 31;
  switch (i.op) {
    case Op::Mov:
    case Op::Movi: copy(a), r.integer = s[0].integer; break;
    case Op::Sel: {
      bool first = chosen;
      if (i.condition != Condition::None)
        first = r.real ? holds(i.condition, f32(a), f32(b)) || (i.condition >= Condition::Gt && std::isnan(f32(b)))
                       : holds(i.condition, s[0].integer, s[1].integer);
      copy(first ? a : b), r.integer = first ? s[0].integer : s[1].integer;
      break;
    }
    case Op::Csel: {
      const bool first = r.real ? holds(i.condition, f32(c), 0.0f) : holds(i.condition, s[2].integer, Wide(0));
      copy(first ? a : b), r.integer = first ? s[0].integer : s[1].integer;
      break;
    }
    case Op::Add: real(f32(a) + f32(b), da + db, {a, b}), r.integer = s[0].integer + s[1].integer; break;
    case Op::Mul: real(f32(a) * f32(b), da * db, {a, b}), r.integer = s[0].integer * s[1].integer; break;
    case Op::Mad:
      real(std::fma(f32(b), f32(c), f32(a)), db * dc + da, {b, c, a});
      r.integer = s[1].integer * s[2].integer + s[0].integer;
      break;
    case Op::Mac: {
      const bool half = i.dst.type == Type::HF;
      uint32_t sum = 0;
      if (half) {
        uint16_t h;
        std::memcpy(&h, &eu.acc[lane * 2], 2);
        sum = (h & 0x7c00) == 0x7c00 && (h & 0x3ff) ? uint32_t(h & 0x8000) << 16 | 0x7fc00000 | uint32_t(h & 0x3ff) << 13
                                                    : bits(float(of_half(h)));
      } else {
        std::memcpy(&sum, &eu.acc[lane * 4], 4);
      }
      real(std::fma(f32(a), f32(b), f32(sum)), da * db + double(f32(sum)), {a, b, sum});
      r.integer = s[0].integer * s[1].integer + Wide(int64_t(element_at(eu.acc, eu.acc_high, lane)));
      break;
    }
    case Op::Frc: real(f32(a) - std::floor(f32(a)), da - std::floor(da), {a}); break;
    case Op::Rndu: real(std::ceil(f32(a)), std::ceil(da), {a}); break;
    case Op::Rndd: real(std::floor(f32(a)), std::floor(da), {a}); break;
    case Op::Rnde: real(std::nearbyint(f32(a)), std::nearbyint(da), {a}); break;
    case Op::Rndz: real(std::trunc(f32(a)), std::trunc(da), {a}); break;
    case Op::Avg: r.integer = (s[0].integer + s[1].integer + 1) >> 1; break;
    case Op::Not: r.integer = ~s[0].integer; break;
    case Op::And: r.integer = s[0].integer & s[1].integer; break;
    case Op::Or: r.integer = s[0].integer | s[1].integer; break;
    case Op::Xor: r.integer = s[0].integer ^ s[1].integer; break;
    case Op::Shl: r.integer = s[0].integer << (unsigned(s[1].integer) & shift_mask); break;
    case Op::Shr:
      r.integer = (shift_mask == 63 ? Wide(uint64_t(s[0].integer)) : Wide(x)) >> (unsigned(s[1].integer) & shift_mask);
      break;
    case Op::Asr:
      r.integer = (shift_mask == 63 ? Wide(int64_t(s[0].integer)) : Wide(int32_t(x))) >> (unsigned(s[1].integer) & shift_mask);
      break;
    case Op::Rol:
    case Op::Ror: {
      const unsigned n = unsigned(s[1].integer) & (count - 1), left = i.op == Op::Rol ? n : (count - n) & (count - 1);
      Wide v = 0;
      for (unsigned bit = 0; bit < count; bit++) v |= Wide(s[0].raw >> bit & 1) << (bit + left) % count;
      r.integer = v;
      break;
    }
    case Op::Lzd: r.integer = std::countl_zero(x); break;
    case Op::Fbh: {
      const uint32_t w = has_sign(s[0].type) && int32_t(uint32_t(s[0].integer)) < 0 ? ~x : x;
      r.integer = w ? Wide(std::countl_zero(w)) : Wide(uint32_t(~0u));
      break;
    }
    case Op::Fbl: r.integer = x ? Wide(std::countr_zero(x)) : Wide(uint32_t(~0u)); break;
    case Op::Cbit: r.integer = std::popcount(s[0].raw); break;
    case Op::Bfrev: {
      uint32_t v = 0;
      for (int bit = 0; bit < 32; bit++) v |= (x >> bit & 1) << (31 - bit);
      r.integer = v;
      break;
    }
    case Op::Bfi1: r.integer = uint32_t(((uint64_t(1) << (x & 31)) - 1) << (y & 31)); break;
    case Op::Bfe: {
      const unsigned width = x & 31, offset = y & 31;
      uint64_t data = has_sign(s[2].type) ? uint64_t(int64_t(int32_t(z))) : z;
      data >>= offset;
      uint64_t v = width ? data & ((uint64_t(1) << width) - 1) : 0;
      if (width && width + offset >= 32)
        v = data;
      else if (width && has_sign(s[2].type) && v >> (width - 1) & 1)
        v |= ~uint64_t(0) << width;
      r.integer = Wide(uint32_t(v));
      break;
    }
    case Op::Bfi2: r.integer = ((x ? y << std::countr_zero(x) : 0) & x) | (z & ~x); break;
    case Op::Dp4a: {
      Wide sum = s[0].integer;
      for (int n = 0; n < 4; n++) {
        auto byte = [&](const Value& v) {
          const uint8_t u = uint8_t(v.raw >> 8 * n);
          return has_sign(v.type) ? Wide(int8_t(u)) : Wide(u);
        };
        sum += byte(s[1]) * byte(s[2]);
      }
      r.integer = sum;
      break;
    }
    case Op::Addc:
    case Op::Subb:
      r.integer = uint32_t(i.op == Op::Addc ? x + y : x - y);
      r.has_high = true;
      r.accumulator = i.op == Op::Addc ? (uint64_t(x) + y) >> 32 : x < y;
      break;
    case Op::Mach: {
      // The product's part with the upper 16 bits of source 1.
      const Wide upper = size_of(s[1].type) < 4 ? Wide(0)
                         : has_sign(s[1].type)  ? Wide(int64_t(s[1].integer) >> 16)
                                                : Wide(uint64_t(s[1].integer) >> 16);
      const uint64_t sum = uint64_t(s[0].integer * upper) * 65536 + element_at(eu.acc, eu.acc_high, lane);
      r.integer = i.write_accumulator ? Wide(uint32_t(sum >> 32)) : Wide(uint32_t(sum));
      r.has_high = i.write_accumulator;
      r.accumulator = sum;
      break;
    }
    case Op::Cmp:
    case Op::Cmpn:
      r.truth = r.real ? holds(i.condition, f32(a), f32(b)) : holds(i.condition, s[0].integer, s[1].integer);
      if (r.real && i.condition == Condition::Un) r.truth = std::isnan(f32(a)) || std::isnan(f32(b));
      if (r.real && i.op == Op::Cmpn && std::isnan(f32(b))) r.truth = true;
      r.integer = r.truth ? Wide(-1) : Wide(0);
      break;
    case Op::Math: {
      const auto f = MathFunction(i.function);
      if (f == MathFunction::Inv || f == MathFunction::Sqt) {
        const float v = f32(a);
        const float out = f == MathFunction::Inv ? 1 / v : std::sqrt(v);
        copy(with_nan(out, {a}));
        r.all_halves = false;
        break;
      }
      const Wide n = s[0].integer, d = s[1].integer;
      const bool negative = has_sign(s[0].type);
      Wide quotient, remainder;
      // (operands are taken modulo 2^32, with the sign of source 0's type)
      auto number = [&](Wide v) { return negative ? Wide(int32_t(uint32_t(v))) : Wide(uint32_t(v)); };
      if (number(d) == 0) {
        quotient = remainder = negative ? (number(n) < 0 ? Wide(INT32_MIN) : Wide(INT32_MAX)) : Wide(UINT32_MAX);
      } else {
        quotient = number(n) / number(d), remainder = number(n) % number(d);
      }
      r.integer = f == MathFunction::Irem ? remainder : quotient;
      r.has_high = f == MathFunction::Idiv;
      r.accumulator = uint64_t(remainder);
      break;
    }
    default: break;
  }
  return r;
}

// Toward zero, clamped, NaN to 0.
Wide clamped(double x, Type t) {
  const unsigned count = 8 * size_of(t);
  const Wide least = has_sign(t) ? -(Wide(1) << (count - 1)) : 0;
  const Wide most = (Wide(1) << (has_sign(t) ? count - 1 : count)) - 1;
  if (std::isnan(x)) return 0;
  x = std::trunc(x);
  if (x <= double(least)) return least;
  if (x >= double(most)) return most;
  return Wide(x);
}

bool is_typed_zero(Wide v, Type t) {
  const unsigned count = 8 * size_of(t);
  return count == 64 ? uint64_t(v) == 0 : (uint64_t(v) & ((uint64_t(1) << count) - 1)) == 0;
}

}  // namespace

bool is_modelled(const Instruction& i) {
  for (const Operand& o : i.src)
    if (o.kind == Kind::Direct && (o.file == File::Ip || o.file == File::Tm)) return false;
  if (i.dst.file == File::F && i.condition != Condition::None) return false;  // which of the two is last
  if (i.op == Op::Math) {
    const auto f = MathFunction(i.function);
    return f == MathFunction::Inv || f == MathFunction::Sqt || (f >= MathFunction::Idiv && f <= MathFunction::Irem);
  }
  if (i.dst.file == File::F && i.condition != Condition::None) return false;  // which of the two is last
  return i.dst.file != File::Cr;
}

void step(Eu& eu, const Instruction& i) {
  if (i.op == Op::Nop) return;
  const unsigned base = (i.flag_half * 16u + i.channel) % 32;
  auto predicate = [&](unsigned lane) {
    if (!i.predicate) return true;
    const unsigned bit = base + lane;
    uint32_t f = eu.flags[i.flag];
    if (i.predicate == 2) f = eu.flags[0] | eu.flags[1];
    if (i.predicate == 3) f = eu.flags[0] & eu.flags[1];
    bool is = f >> bit & 1;
    if (i.predicate >= 4) {
      const unsigned group = 2u << (i.predicate - 4) / 2, first = bit / group * group;
      unsigned set = 0;
      for (unsigned n = 0; n < group; n++) set += f >> (first + n) & 1;
      is = i.predicate % 2 ? set == group : set > 0;
    }
    return is != i.predicate_inverted;
  };
  Result results[32];
  bool on[32];
  for (unsigned lane = 0; lane < i.lanes; lane++) {
    const bool chosen = predicate(lane);
    on[lane] = (i.no_mask || eu.active >> (i.channel + lane) & 1) && (chosen || i.op == Op::Sel);
    results[lane] = compute(eu, i, lane, chosen);
  }
  const Type t = i.dst.type;
  const unsigned size = size_of(t);
  unsigned to[32];  // of an indirect destination, before anything is written
  for (unsigned lane = 0; lane < i.lanes; lane++)
    to[lane] = i.dst.kind == Kind::Indirect ? address(eu, i.dst, 0) + lane * i.dst.horizontal * size
                                            : first_byte(i.dst) + lane * i.dst.horizontal * size;
  const Eu before = eu;
  for (unsigned lane = 0; lane < i.lanes; lane++) {
    if (!on[lane]) continue;
    Result& r = results[lane];
    const bool compares = i.op == Op::Cmp || i.op == Op::Cmpn,
               flags = i.condition != Condition::None && i.op != Op::Sel && i.op != Op::Csel;
    const bool copies = i.op == Op::Mov && t == i.src[0].type && !i.src[0].modifiers && !i.saturate && !flags &&
                        !i.write_accumulator && i.dst.file != File::Acc && i.dst.file != File::Mme;
    uint64_t out = 0, high = 0;
    bool truth = r.truth;
    if (copies) {
      Eu same = before;
      out = read(same, i, 0, lane).raw;
    } else if (compares) {
      out = r.truth ? ~uint64_t(0) : 0;
    } else {
      Wide integer = r.integer;
      bool real = r.real;
      uint32_t f = r.f;
      if (!real && real_type(t)) {
        // (rounded once, as the host converts 64 bits)
        const bool fits = integer >= Wide(INT64_MIN) && integer <= Wide(INT64_MAX);
        f = bits(fits ? float(int64_t(integer)) : float(uint64_t(integer)));
        real = true, r.exact = double(f32(f)), r.all_halves = false;
      }
      if (real) {
        uint16_t half = 0;
        if (t == Type::HF) {
          half = std::isnan(f32(f)) ? uint16_t(f >> 16 & 0x8000) | 0x7e00 | uint16_t(f >> 13 & 0x3ff)
                                    : to_half(r.all_halves ? r.exact : double(f32(f)));
          if (!std::isnan(f32(f))) f = bits(float(of_half(half)));
        }
        const float value = f32(f);
        const Wide converted = real_type(t) ? Wide(0) : clamped(double(value), t);
        switch (i.condition) {
          case Condition::Ov: truth = std::isinf(value); break;
          case Condition::Un: truth = std::isnan(value); break;
          default: truth = real_type(t) ? holds(i.condition, value, 0.0f) : holds(i.condition, converted, Wide(0));
        }
        if (i.saturate && real_type(t)) {
          f = !(value > 0) ? 0 : value < 1 ? f : 0x3f800000;
          half = std::isnan(f32(f)) ? half : to_half(double(f32(f)));
        }
        out = t == Type::F ? f : t == Type::HF ? half : uint64_t(converted);
        high = has_sign(t) && out >> 31 & 1 ? ~0u : 0;
      } else {
        const unsigned count = 8 * size;
        const Wide least = has_sign(t) ? -(Wide(1) << (count - 1)) : 0, most = (Wide(1) << (has_sign(t) ? count - 1 : count)) - 1;
        // Results of bits are numbers of the destination's type.
        const bool by_bits = bitwise(i.op) || i.op == Op::Rol || i.op == Op::Ror || i.op == Op::Addc || i.op == Op::Subb;
        if (by_bits) {
          const uint64_t low = uint64_t(integer) & (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1);
          integer = has_sign(t) && low >> (count - 1) ? Wide(low) - (Wide(1) << count) : Wide(low);
        }
        switch (i.condition) {
          case Condition::Eq: truth = is_typed_zero(integer, t); break;
          case Condition::Ne: truth = !is_typed_zero(integer, t); break;
          case Condition::Ov: truth = !by_bits && (integer < least || integer > most); break;
          default: truth = holds(i.condition, integer, Wide(0));
        }
        if (i.saturate && !by_bits) integer = integer < least ? least : integer > most ? most : integer;
        out = uint64_t(integer);
        high = by_bits ? 0 : uint64_t(integer) >> 32;
      }
    }
    if (i.dst.file != File::Null || i.dst.kind == Kind::Indirect) {
      if (i.dst.kind == Kind::Indirect) {
        std::memcpy(&eu.grf[inside(to[lane], size)], &out, std::min(size, 4u));
        if (size == 8) {
          const uint32_t upper = uint32_t(out >> 32);
          std::memcpy(&eu.grf[inside(to[lane] + 4, 8)], &upper, 4);
        }
      } else {
        std::memcpy(place(eu, i.dst.file, to[lane]), &out, size);
        const bool accumulates = (i.dst.file == File::Acc || i.dst.file == File::Mme) && (t == Type::D || t == Type::UD);
        if (accumulates && i.op != Op::Mach && !compares && i.op != Op::Math) {
          const uint32_t word = uint32_t(high);
          std::memcpy(&eu.acc_high[to[lane] + (i.dst.file == File::Mme ? 256 : 0)], &word, 4);
        }
      }
    }
    r.truth = truth;
    if (i.op == Op::Math && r.has_high) {  // the remainder
      const unsigned bytes = i.lanes * size * i.dst.horizontal;
      const uint32_t word = uint32_t(r.accumulator);
      if (i.dst.file != File::Null) std::memcpy(&eu.grf[to[lane] + (bytes > 32 ? bytes : 32)], &word, 4);
    } else if (r.has_high) {
      const uint32_t word = uint32_t(r.accumulator), upper = uint32_t(r.accumulator >> 32);
      std::memcpy(&eu.acc[lane * 4], &word, 4), std::memcpy(&eu.acc_high[lane * 4], &upper, 4);
    } else if (i.write_accumulator) {
      std::memcpy(&eu.acc[lane * size], &out, size);
      if (t == Type::D || t == Type::UD) {
        const uint32_t word = uint32_t(high);
        std::memcpy(&eu.acc_high[lane * 4], &word, 4);
      }
    }
  }
  if (i.condition != Condition::None && i.op != Op::Sel && i.op != Op::Csel)
    for (unsigned lane = 0; lane < i.lanes; lane++) {
      if (!on[lane]) continue;
      const uint32_t bit = 1u << (base + lane);
      eu.flags[i.flag] = (eu.flags[i.flag] & ~bit) | (results[lane].truth ? bit : 0);
    }
}

}  // namespace Atoll::xe_lp::test
