// Fields of Intel's commands and of the structures that they point to, as the generated headers name them: types that read a command's
// dwords, all of which the table says it has must be there.
#pragma once
#include "registers/accessors.h"

namespace Atoll::registers::access {

template <unsigned Low, unsigned Width>
struct CommandField : WideBits<Low, Width> {
  // A flag.
  static constexpr bool is_set(const uint32_t* words) { return WideBits<Low, Width>::get(words) != 0; }
};

// An address or an offset whose lowest bits the command has other fields for: get() has them as 0.
template <unsigned Low, unsigned Width>
struct CommandAddress : WideBits<Low, Width> {
  static constexpr uint64_t get(const uint32_t* words) { return WideBits<Low, Width>::get(words) << Low % 32; }
  static constexpr void set(uint32_t* words, uint64_t value) { WideBits<Low, Width>::set(words, value >> Low % 32); }
};

}  // namespace Atoll::registers::access
