// Fields of Intel's commands and of the structures that they point to, as the generated headers name them: types that read dwords in
// memory, all of which the table says there are must be there.
//   using Surface = structures::RENDER_SURFACE_STATE;
//   if (Surface::Surface_Type::get(words) == Surface::Surface_Type::SURFTYPE_2D) ...
// Each field that code reads leaves its number in the program (FieldRead), as a register's does.
#pragma once
#include <span>
#include <type_traits>

#include "registers/accessors.h"

namespace Atoll::registers::access {

// The `Number`th field of `Owner`, a command or structure.
template <class Owner, unsigned Number, unsigned Low, unsigned Width>
struct CommandField : WideBits<Low, Width> {
  using owner = Owner;
  using Value = std::conditional_t<Width <= 32, uint32_t, uint64_t>;
  static constexpr unsigned number = Number;

  static constexpr Value get(const uint32_t* words) {
    note_read<Owner::register_id | Number>();
    return Value(WideBits<Low, Width>::get(words));
  }
  static constexpr Value get(std::span<const uint32_t> words) { return get(words.data()); }
  // A flag.
  static constexpr bool is_set(const uint32_t* words) { return get(words) != 0; }
  static constexpr bool is_set(std::span<const uint32_t> words) { return get(words) != 0; }
  // For code that only says that it does not do what the field asks for: leaves no number, since nothing acts on it.
  static constexpr Value peek(const uint32_t* words) { return Value(WideBits<Low, Width>::get(words)); }

  static constexpr void set(uint32_t* words, uint64_t value) { WideBits<Low, Width>::set(words, value); }
  static constexpr void set(std::span<uint32_t> words, uint64_t value) { set(words.data(), value); }

  // The field in dwords that code computes with in types of its own: `word(n)` is dword n of the whole, and the field lies in
  // one.
  template <class Load>
  static auto of(Load&& word) {
    static_assert(Low % 32 + Width <= 32);
    note_read<Owner::register_id | Number>();
    constexpr uint32_t mask = uint32_t((uint64_t(1) << Width) - 1);
    if constexpr (Low % 32 == 0 && Width == 32)
      return word(Low / 32);
    else if constexpr (Low % 32 == 0)
      return word(Low / 32) & mask;
    else if constexpr (Low % 32 + Width == 32)
      return word(Low / 32) >> (Low % 32);
    else
      return word(Low / 32) >> (Low % 32) & mask;
  }
};

// An address or an offset whose lowest bits the command has other fields for: get() has them as 0.
template <class Owner, unsigned Number, unsigned Low, unsigned Width>
struct CommandAddress : WideBits<Low, Width> {
  using owner = Owner;
  static constexpr unsigned number = Number;

  static constexpr uint64_t get(const uint32_t* words) {
    note_read<Owner::register_id | Number>();
    return peek(words);
  }
  static constexpr uint64_t get(std::span<const uint32_t> words) { return get(words.data()); }
  static constexpr uint64_t peek(const uint32_t* words) { return WideBits<Low, Width>::get(words) << Low % 32; }
  static constexpr void set(uint32_t* words, uint64_t value) { WideBits<Low, Width>::set(words, value >> Low % 32); }
  static constexpr void set(std::span<uint32_t> words, uint64_t value) { set(words.data(), value); }
};

// A field of what a command has again and again at its end: of the first dword of one of these.
template <class Owner, unsigned Number, unsigned Low, unsigned Width>
struct RepeatedField : CommandField<Owner, Number, Low, Width> {
  using repeat = typename Owner::repeated;
};
template <class Owner, unsigned Number, unsigned Low, unsigned Width>
struct RepeatedAddress : CommandAddress<Owner, Number, Low, Width> {
  using repeat = typename Owner::repeated;
};

}  // namespace Atoll::registers::access
