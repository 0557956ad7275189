// The building blocks of the generated headers (registers/sea_islands.h, registers/r5xx.h, registers/dg1.h). A register is a type with
// its addresses, a field a type inside it with get, set and the names of its values:
//   Word<CB_COLOR_INFO> info = registers.read<CB_COLOR_INFO>(i);  // gpu/amd/register_file.h
//   if (CB_COLOR_INFO::FORMAT::get(info) == CB_COLOR_INFO::FORMAT::COLOR_8) ...
//   uint32_t built = CB_COLOR_INFO::FORMAT::of(10) | CB_COLOR_INFO::LINEAR_GENERAL::of(1);
//   built = CB_COLOR_INFO::ENDIAN::set(built, CB_COLOR_INFO::ENDIAN::ENDIAN_NONE);
// A register's word has no bits to look at but through its fields, and each field that code reads leaves its number in the program
// (FieldRead): fields_read() in ledger.h lists them, so that what is said to act is what the model looks at.
// Addresses are byte addresses, as the manuals give them; packets count in dwords.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

namespace Atoll::registers::access {

// `Width` bits of a dword from bit `Low` up.
template <unsigned Low, unsigned Width>
struct Bits {
  static_assert(Width > 0 && Low + Width <= 32);
  static constexpr unsigned low = Low, width = Width;
  static constexpr uint32_t mask = (Width == 32 ? ~0u : (1u << Width % 32) - 1) << Low;  // in place
  static constexpr uint32_t get(uint32_t word) { return (word & mask) >> Low; }
  // The field's value in its place; bits beyond its width are dropped.
  static constexpr uint32_t of(uint32_t value) { return value << Low & mask; }
  // `word` with this field replaced.
  static constexpr uint32_t set(uint32_t word, uint32_t value) { return (word & ~mask) | of(value); }
};

// A field of a descriptor of several dwords, from bit `Low` of the whole up; it may cross a dword's end.
template <unsigned Low, unsigned Width>
struct WideBits {
  static_assert(Width > 0 && Width <= 64);
  static constexpr unsigned low = Low, width = Width;
  static constexpr uint64_t get(const uint32_t* words) {
    uint64_t value = 0;
    for (unsigned done = 0; done < Width;) {
      unsigned at = Low + done, taken = 32 - at % 32 < Width - done ? 32 - at % 32 : Width - done;
      uint64_t part = words[at / 32] >> at % 32 & (taken == 32 ? ~0u : (1u << taken % 32) - 1);
      value |= part << done;
      done += taken;
    }
    return value;
  }
  static constexpr void set(uint32_t* words, uint64_t value) {
    for (unsigned done = 0; done < Width;) {
      unsigned at = Low + done, taken = 32 - at % 32 < Width - done ? 32 - at % 32 : Width - done;
      uint32_t mask = (taken == 32 ? ~0u : (1u << taken % 32) - 1) << at % 32;
      words[at / 32] = (words[at / 32] & ~mask) | (static_cast<uint32_t>(value >> done) << at % 32 & mask);
      done += taken;
    }
  }
};

// One entry for each field of a register that any code in the program reads: its register's id and its place among the fields; the
// linker gathers them, fields_read() in ledger.h reads them. They cost nothing when the program runs.
template <uint32_t Id>
struct FieldRead {
  [[gnu::section("atoll_fields"), gnu::used, gnu::retain]] static inline const uint32_t id = Id;
};
template <uint32_t Id>
constexpr void note_read() {
  if !consteval {
    (void)&FieldRead<Id>::id;
  }
}

// The contents of a register. Its fields read it.
template <class Register>
class Word {
public:
  explicit constexpr Word(uint32_t bits) : bits_(bits) {}
  bool operator==(const Word&) const = default;
  // All bits, of a register that is one number: it has no fields or one.
  constexpr uint32_t whole() const {
    static_assert(Register::field_count <= 1, "a register of several fields is read field by field");
    note_read<Register::register_id>();
    return bits_;
  }
  constexpr float as_float() const { return std::bit_cast<float>(whole()); }
  // All bits, to tell whether two words are equal (keys of caches): nothing may be read from them.
  constexpr uint32_t key() const { return bits_; }

private:
  template <class, unsigned, unsigned, unsigned>
  friend struct Field;
  template <class, class...>
  friend struct FieldList;
  uint32_t bits_;
};

// A field of a register, the `Number`th that the data gives it.
template <class Register, unsigned Number, unsigned Low, unsigned Width>
struct Field : Bits<Low, Width> {
  using register_type = Register;
  static constexpr unsigned number = Number;
  static constexpr uint32_t get(uint32_t word) {
    note_read<Register::register_id | Number>();
    return Bits<Low, Width>::get(word);
  }
  static constexpr uint32_t get(Word<Register> word) { return get(word.bits_); }
  // For code that only says that it does not do what the field asks for: leaves no number, since nothing acts on it.
  static constexpr uint32_t peek(Word<Register> word) { return Bits<Low, Width>::get(word.bits_); }
  // And of words that are no register's contents, as a table of the chip has them.
  static constexpr uint32_t peek(uint32_t word) { return Bits<Low, Width>::get(word); }
};

// Fields of which there are several of a kind, by number: those of one register,
//   using Sources = FieldList<GB_ENABLE::TEX0_SOURCE, GB_ENABLE::TEX1_SOURCE>;
//   uint32_t source = Sources::get(word, 1);
// or one of each of several registers (VGT_STRMOUT_BUFFER_SIZE_0 to _3). All of them count as read.
template <class First, class... Rest>
struct FieldList {
  using register_type = typename First::register_type;
  static constexpr unsigned count = 1 + sizeof...(Rest);

  // Field n; beyond the last 0.
  static constexpr uint32_t get(Word<register_type> word, unsigned n) {
    note_read<register_type::register_id | First::number>();
    (note_read<register_type::register_id | Rest::number>(), ...);
    constexpr uint8_t low[] = {First::low, Rest::low...};
    constexpr uint32_t mask[] = {First::mask >> First::low, (Rest::mask >> Rest::low)...};
    return n < count ? word.bits_ >> low[n] & mask[n] : 0;
  }
  // The value of the list's field n, each of which stands in a register of its own.
  template <class File>
  static uint32_t get(const File& registers, unsigned n) {
    constexpr uint32_t (*reads[])(const File&) = {[](const File& r) { return r.template get<First>(); },
                                                  [](const File& r) { return r.template get<Rest>(); }...};
    return reads[n](registers);
  }
  // As Field::peek().
  template <class File>
  static uint32_t peek(const File& registers, unsigned n) {
    constexpr uint32_t (*reads[])(const File&) = {
        [](const File& r) { return First::peek(r.template read<typename First::register_type>()); },
        [](const File& r) { return Rest::peek(r.template read<typename Rest::register_type>()); }...};
    return reads[n](registers);
  }
  static constexpr uint32_t address(unsigned n) {
    constexpr uint32_t addresses[] = {First::register_type::address(), Rest::register_type::address()...};
    return addresses[n];
  }
  // All of them one above the other, the first lowest: of fields of one bit, bit n is the n-th of the list.
  static constexpr uint32_t bits(Word<register_type> word) {
    uint32_t value = First::get(word);
    unsigned above = First::width;
    ((value |= Rest::get(word) << above, above += Rest::width), ...);
    return value;
  }
};

// The same of a descriptor of several dwords.
template <class Register, unsigned Number, unsigned Low, unsigned Width>
struct WideField : WideBits<Low, Width> {
  using register_type = Register;
  static constexpr uint64_t get(const uint32_t* words) {
    note_read<Register::register_id | Number>();
    return WideBits<Low, Width>::get(words);
  }
};

template <uint32_t Address>
struct Single {
  static constexpr unsigned count = 1;
  static constexpr uint32_t address() { return Address; }
};

// Indices are those of the names.
template <uint32_t Address, uint32_t Stride, unsigned First, unsigned Count>
struct Repeated {
  static constexpr unsigned first = First, count = Count;
  static constexpr uint32_t stride = Stride;
  static constexpr uint32_t address(unsigned index) { return Address + (index - First) * Stride; }
};

// Without a rule; indices from 0.
template <uint32_t... Addresses>
struct Irregular {
  static constexpr unsigned count = sizeof...(Addresses);
  static constexpr uint32_t address(unsigned index) {
    constexpr uint32_t addresses[] = {Addresses...};
    return addresses[index];
  }
};

// A descriptor or an instruction word.
struct InMemory {};

// Registers that a packet reaches, byte addresses: it counts dwords from the first.
struct RegisterSpace {
  uint32_t first, end;
};

}  // namespace Atoll::registers::access
