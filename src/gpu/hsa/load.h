// A code object in a GPU's memory: segments mapped at their page layout, dynamic relocations applied
// (LLVM docs AMDGPUUsage, "Relocation Records" and "Loaded Code Object Path").
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "codeobject/code_object.h"
#include "memory/address_space.h"

namespace Atoll::hsa {

struct LoadedObject {
  uint64_t bias = 0;         // GPU address = bias + the object's own address
  uint64_t start = 0;        // GPU address of the reserved range,
  uint64_t bytes = 0;        // and its size, whole pages
  uint64_t file_offset = 0;  // of the pages in the space's memory file, as far as segments cover them,
  uint64_t file_bytes = 0;
  // Whole pages of what the file has of segments that may be executed, as far as they follow each other: GPU addresses.
  struct Range {
    uint64_t start, bytes;
    bool contains(uint64_t address) const { return address >= start && address - start < bytes; }
  };
  std::vector<Range> code = {};

  uint64_t address(uint64_t in_object) const { return bias + in_object; }
};

// Maps the object's segments, readable and writable as a GPU's page tables have them, at an address of its own with guard
// pages around, and applies its relocations. An error is a phrase with the file's name.
Expected<LoadedObject> load(const CodeObject& object, AddressSpace& space);
void unload(const LoadedObject& loaded, AddressSpace& space);

// The GPU address of a defined symbol.
std::optional<uint64_t> symbol_address(const CodeObject& object, const LoadedObject& loaded, std::string_view name);

}  // namespace Atoll::hsa
