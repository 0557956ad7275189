// Registers, packets and enumerations by name and number, in the compiled tables (tables.h). Upper and lower case are the same.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "registers/tables.h"

namespace Atoll::registers {

// "sea_islands", "r5xx", "dg1", "gfx12"; null for another name.
const Family* find_family(std::string_view name);
std::span<const Family* const> all_families();

// One register of the family: an entry's `instance`, counted from 0; `alias` 0 or the number of one of its further addresses.
struct Instance {
  const Register* entry = nullptr;
  unsigned instance = 0, alias = 0;

  // With its index: CB_COLOR0_INFO.
  std::string name() const;
  // In bytes; nothing for a descriptor or instruction word.
  std::optional<uint32_t> address() const;
};

// All that a name stands for: CB_COLOR0_INFO, also CB_COLOR[0]_INFO; every instance of CB_COLOR[0-7]_INFO or CB_COLOR_INFO.
std::vector<Instance> find_by_name(const Family& family, std::string_view name);

// All views of the register at a byte address, the register proper first; empty if there is none.
std::vector<Instance> find_by_address(const Family& family, uint32_t address);

// Every instance at every address (aliases included) in the order of the tables.
class AllInstances {
public:
  struct End {};
  class Iterator {
  public:
    explicit Iterator(const Family& family) : at_{family.registers.data()}, end_(at_.entry + family.registers.size()) {}
    const Instance& operator*() const { return at_; }
    Iterator& operator++() {
      if (++at_.instance < at_.entry->count) return *this;
      at_.instance = 0;
      if (++at_.alias > at_.entry->aliases.size()) at_ = {at_.entry + 1};
      return *this;
    }
    bool operator==(End) const { return at_.entry == end_; }

  private:
    Instance at_;
    const Register* end_;
  };
  explicit AllInstances(const Family& family) : family_(family) {}
  Iterator begin() const { return Iterator(family_); }
  End end() const { return {}; }

private:
  const Family& family_;
};
inline AllInstances all_instances(const Family& family) { return AllInstances(family); }

// The names most like an unknown one, the nearest first.
std::vector<std::string> nearest_registers(const Family& family, std::string_view name, size_t count);
std::vector<std::string> nearest_enumerations(const Family& family, std::string_view name, size_t count);

// The addresses next to one where no register is.
std::vector<Instance> nearest_addresses(const Family& family, uint32_t address);

// A field's value out of the dwords of its register; bits beyond the words given are 0.
uint64_t field_value(const Field& field, std::span<const uint32_t> words);

// The name of a value, or an empty text.
std::string_view value_name(std::span<const NamedValue> values, uint64_t value);

// The name of a field's value, public ones included, or an empty text.
std::string_view value_name(const Field& field, uint64_t value);

// By number; null for an unknown one. `engine` is empty for the command processor's type-3 packets, "SDMA" for the copy engines'.
const Packet* find_packet(const Family& family, uint32_t opcode, std::string_view engine = {});

// The command that begins with the dword, on an engine ("render", "blitter"; empty: any). Null: there is none.
const Command* find_command(const Family& family, uint32_t first, std::string_view engine = {});

// By name or further name.
const Enumeration* find_enumeration(const Family& family, std::string_view name);

// The state of an enumeration's value; null if the family has none for it.
const EnumerationState* find_state(const Family& family, const Enumeration& enumeration, uint32_t value);

// "R", "W", "RW"
std::string_view access_name(Access access);

}  // namespace Atoll::registers
