// ELF64 little-endian shared objects: what a loader needs (System V ABI, chapters 4 and 5), read with every offset checked.
// Symbols and relocations come from the dynamic segment, so that objects without section headers load as well.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace Atoll {

// Numbers of the ELF specification and LLVM's BinaryFormat/ELF.h
enum : uint16_t { ELF_RELOCATABLE = 1, ELF_EXECUTABLE = 2, ELF_SHARED = 3, ELF_CORE = 4 };
enum : uint16_t { MACHINE_INTELGT = 205, MACHINE_AMDGPU = 224 };
enum : uint32_t { SEGMENT_LOAD = 1, SEGMENT_DYNAMIC = 2, SEGMENT_NOTE = 4 };
enum : uint32_t { SEGMENT_EXECUTABLE = 1, SEGMENT_WRITABLE = 2, SEGMENT_READABLE = 4 };
enum : uint8_t { SYMBOL_UNTYPED = 0, SYMBOL_OBJECT = 1, SYMBOL_FUNCTION = 2 };

struct ElfSegment {
  uint32_t type = 0, flags = 0;
  uint64_t offset = 0, address = 0, file_bytes = 0, memory_bytes = 0, alignment = 0;
};

struct ElfSymbol {
  std::string_view name;
  uint64_t address = 0, bytes = 0;
  uint8_t type = 0;
  bool defined = false, weak = false;
};

struct ElfRelocation {
  uint64_t address = 0;
  uint32_t type = 0, symbol = 0;  // symbol: index into dynamic_symbols
  int64_t addend = 0;
};

struct ElfNote {
  std::string_view owner;
  uint32_t type = 0;
  std::span<const uint8_t> description;
};

// Views into the bytes it was read from.
struct Elf {
  std::span<const uint8_t> bytes;
  uint16_t type = 0, machine = 0;
  uint8_t os_abi = 0, abi_version = 0;
  uint32_t flags = 0;
  std::vector<ElfSegment> segments;
  std::vector<ElfSymbol> dynamic_symbols;  // with the null symbol at 0
  std::vector<ElfSymbol> static_symbols;   // of .symtab, where the object is not stripped
  std::vector<ElfRelocation> relocations;
  std::vector<ElfNote> notes;

  // The file's bytes at [address, address + bytes) of a loaded segment; nothing where they are not all in the file.
  std::optional<std::span<const uint8_t>> at(uint64_t address, uint64_t bytes) const;
};

// The identification and header alone, so that an object of another kind can be named before its inside is looked at.
// An error is a phrase without the file's name: what is wrong, where, and what to do.
Expected<Elf> read_elf_header(std::span<const uint8_t> bytes);
// The rest, into what read_elf_header() gave.
Expected<void> read_elf_contents(Elf& elf);

// "x86-64", "AArch64", …; "machine 0x123" for those without a name here.
std::string machine_name(uint16_t machine);

}  // namespace Atoll
