// RDNA4's functions of one float (and the conversions from and to floats of 32 and 16 bits), each with what it has to give, written apart
// from the semantics: where the result is known to the bit, those bits; else what it must lie near, in double and in the host's 64-bit
// significands. RDNA4 ISA 7.2.4, 7.3, 7.6, 7.10, 16.3, 16.8, 16.12; docs/errata.md F3, F4, F8, F9, F14 and C3.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace Atoll::rdna4::accuracy {

// Rounding is to the nearest even throughout; denormals by MODE[7:4].
struct Mode {
  bool flush_in32 = false, flush_out32 = false, flush_in16 = false, flush_out16 = false;
};
constexpr Mode mode_of(uint32_t bits) { return {!(bits & 0x10), !(bits & 0x20), !(bits & 0x40), !(bits & 0x80)}; }

// Integer16 and F16: the low half of a register.
enum class Operand : uint8_t { F16, F32, F64, Integer16, Integer32 };

struct Tally {
  uint64_t known = 0, wrong = 0;  // known to the bit; of them, not as they have to be
  uint32_t first_wrong = 0;
  uint64_t expected = 0, got = 0;
  uint64_t measured = 0;                 // the others
  double worst = 0, worst_absolute = 0;  // errors, the first in units in the last place of the true result
  uint32_t worst_operand = 0;
};

struct Function {
  const char* name;
  bool scalar;  // from and to SGPRs
  Operand input, result;
  // Adds what `count` results are worth to `tally`, of the operands first, first + step, ...
  void (*check)(const Mode& mode, uint32_t first, uint32_t step, const uint64_t* results, size_t count, Tally& tally);
  double bound;  // of errors, in units in the last place; 0: all results are known to the bit
};

std::span<const Function> functions();
const Function* find(const char* name);

// A finite half or float as a number.
double number_of(Operand format, uint32_t bits);
// The unit in the last place of a float or half near `x` (of the least normal number, for all below it).
double unit_of(Operand format, double x);

}  // namespace Atoll::rdna4::accuracy
