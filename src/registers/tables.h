// The register tables as compiled in: what generate_tables.py writes from registers/FAMILY/*.json (registers/README.md).
// Constant data only, nothing is read or built at start; lookup.h finds its way in them.
#pragma once
#include <compare>
#include <cstdint>
#include <span>

#include "registers/accessors.h"
#include "registers/runs.h"

namespace Atoll::registers {

// A value, or all of first..last, by name.
struct NamedValue {
  uint32_t first, last;
  Text name;
};

// Bits low..high, counted from bit 0 of the register or of the whole descriptor.
struct Field {
  Text name;
  uint16_t low, high;
  bool has_default;
  uint64_t default_value;
  Run<NamedValue> values;  // sorted
  Text value_set;          // the name of a set that several fields share, or empty
  Text access, source;     // empty: the register's
  Text erratum;
  Run<NamedValue> public_values = {};  // what the manual leaves out of `values`, and its source
  Text public_source = {};
  bool is_address = false;  // of a command: its lowest bits, which are 0, are left out
};

enum class Access : uint8_t { Read, Write, ReadWrite };

// One entry of the manual: a register, or `count` alike ones whose names have an index between prefix and suffix.
struct Register {
  Text name;  // CB_COLOR[0-7]_INFO
  Text prefix, suffix, block;
  Text source;  // "manual", or the public source of what the manual lacks
  Text section, erratum;
  bool has_address, repeated;
  uint32_t address, stride;  // of the first, in bytes; the distance
  uint32_t first, count;     // the first index
  uint16_t bits;
  Access access;
  int view_of;  // the register at whose addresses this one is another view, or -1
  Run<Field> fields;
  Run<uint32_t> addresses;  // where address and stride do not tell
  Run<uint32_t> aliases;    // further addresses of the first
  Run<Text> indices;        // where the indices in the names are not first, first + 1, ...
};

// An address with the register there; several in a row where there are several views. Alias 0 is the address proper.
struct Place {
  uint32_t address;
  uint16_t register_number, instance, alias;
};

// A register's name in capitals, its index as [].
struct NameKey {
  Text key;
  uint16_t register_number;
};

// A dword of a type-3 packet behind its header; register_number: it has that register's fields (else -1).
struct PacketWord {
  Text name;
  int register_number;
  Run<Field> fields;
};

struct Packet {
  Text name;
  uint32_t opcode;
  Text engine, source;
  Run<PacketWord> words;
  access::RegisterSpace space;  // of the register that its word REG_OFFSET names; all 0: it names none
  // Sets::Row: the first word is such a number, and all behind it goes to the registers from there on. Sets::Pairs: each number is
  // followed by the value for its register.
  enum class Sets : uint8_t { No, Row, Pairs } sets;
};

// A command of Intel's command streamers, or a structure in memory that commands point to. Bits are counted over the whole.
struct Command {
  Text name;
  Text unit;             // of the pipeline, that it is listed with: "VF", "PS"
  uint32_t match, mask;  // of the first dword; both 0 of a structure
  Text engine, source;   // "render", "blitter"; empty: every engine has it
  uint16_t dwords;       // that it has, or has usually
  uint8_t length_bits;   // of the first dword, from bit 0: dwords - 2; 0: it always has `dwords`
  Run<Field> fields;
  uint16_t repeat_first, repeat_bits;  // what follows again and again to the end; 0 bits: nothing
  Run<Field> repeat;                   // bits counted from each repeat's first

  uint32_t dwords_of(uint32_t first) const { return length_bits ? (first & ((1u << length_bits) - 1)) + 2 : dwords; }
};

// The effect of an enumeration's values in this model (registers/FAMILY/enumeration_states.json).
struct EnumerationState {
  uint16_t enumeration;  // number in Family::enumerations
  bool whole;            // of all values that have no row of their own
  uint32_t value;
  Text state, why;  // "acts", "decode only", "not yet"; where and the test, or the reason
};

// The form of a family's command streams (pm4_header.h). SeaIslands: of GFX7 and all chips since, GFX12 among them.
enum class Pm4Dialect : uint8_t { None, R5xx, SeaIslands };

struct Alternative {
  Text when;
  Run<NamedValue> values;
};

// `bits` 0: as the manual has it, or unknown. `values` hold when `when` does (always, if empty), `alternatives` otherwise.
struct Enumeration {
  Text name;
  uint16_t bits;
  Text source, section;
  Run<NamedValue> values;
  Text when;
  Run<Alternative> alternatives;
  bool has_default;
  uint32_t default_value;
  Run<NamedValue> reserved, unnamed;
  Run<Text> aliases, errata;
};

// Public knowledge of a driver: the registers that one of its functions writes, and when.
struct DriverState {
  Text name, driver, function;
  Text packet;  // that writes them, if it is told
  enum class Moment : uint8_t {
    Start,  // with the start of every submission, before its first draw
    State,  // when the state changes
    Never,
  } moment;
  Run<uint32_t> registers;  // numbers in Family::registers
};

// The effect of a register's field in this model (registers/FAMILY/ledger.json and acts.json).
enum class FieldState : uint8_t {
  Acts,    // two values of it make a difference that can be read back
  Stored,  // can be read back itself; no more is to be seen of it on the chip by what the model models
  NotYet,  // the chip does what the model does not
};

struct ValueRange {
  uint32_t first, last;
};

// A field by its numbers in the tables. A register without fields counts as its field 0. Commands are numbered behind the registers,
// structures behind them.
struct FieldNumber {
  uint16_t register_number;
  uint8_t field;
  auto operator<=>(const FieldNumber&) const = default;
};

// Any of the fields has any of the values. If the register repeats as often as the row's own, the same repeat counts, else any.
struct LedgerCondition {
  Run<FieldNumber> fields;
  Run<ValueRange> values;
};

struct LedgerRow {
  uint16_t register_number;
  uint8_t field;  // 0 of a register without fields
  FieldState state;
  // When a value that is not harmless is found: at draws, at dispatches, when it is written, where the code that uses it sees more
  // than the field; No: never (Stored), or another test than the sweep shows that it acts (Acts).
  enum class Checked : uint8_t { Draw, Dispatch, Write, Use, No } checked;
  Text why;                   // Acts: the scene of the sweep, or the test, that shows it; NotYet: what a write would have to do
  Run<ValueRange> harmless;   // NotYet: values that change nothing on the chip either, besides that after a reset
  Run<LedgerCondition> when;  // NotYet: it only matters while all of them hold
};

struct Family {
  Text name;
  Pm4Dialect pm4;
  std::span<const Register> registers;
  std::span<const Place> places;    // by address
  std::span<const NameKey> names;   // by key
  std::span<const Packet> packets;  // by opcode
  std::span<const NamedValue> events;
  std::span<const Enumeration> enumerations;  // those of a manual first, then the value sets that fields share
  std::span<const DriverState> driver_states;
  std::span<const LedgerRow> ledger;  // by register and field; empty: the family has none
  std::span<const Command> commands;  // by `match`
  std::span<const Command> structures;
  std::span<const EnumerationState> enumeration_states;  // rows of values before that of the whole
};

extern const Family sea_islands_tables, r5xx_tables, dg1_tables, gfx12_tables;

// The arrays that a family's runs stand in.
struct Pools {
  const char* texts;
  const NamedValue* values;
  const Field* fields;
  const uint32_t* numbers;
  const Text* text_lists;
  const PacketWord* words;
  const Alternative* alternatives;
  const ValueRange* ranges;
  const FieldNumber* condition_fields;
  const LedgerCondition* conditions;
};
extern const Pools sea_islands_pools, r5xx_pools, dg1_pools, gfx12_pools;

template <>
const NamedValue* Run<NamedValue>::data() const;
template <>
const Field* Run<Field>::data() const;
template <>
const uint32_t* Run<uint32_t>::data() const;
template <>
const Text* Run<Text>::data() const;
template <>
const PacketWord* Run<PacketWord>::data() const;
template <>
const Alternative* Run<Alternative>::data() const;
template <>
const ValueRange* Run<ValueRange>::data() const;
template <>
const FieldNumber* Run<FieldNumber>::data() const;
template <>
const LedgerCondition* Run<LedgerCondition>::data() const;

}  // namespace Atoll::registers
