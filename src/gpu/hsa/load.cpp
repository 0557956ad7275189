#include "gpu/hsa/load.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace Atoll::hsa {
namespace {

// LLVM docs AMDGPUUsage, "Relocation Records"
enum : uint32_t {
  R_NONE = 0,
  R_ABS32_LO = 1,
  R_ABS32_HI = 2,
  R_ABS64 = 3,
  R_REL32 = 4,
  R_REL64 = 5,
  R_ABS32 = 6,
  R_REL32_LO = 10,
  R_REL32_HI = 11,
  R_RELATIVE64 = 13
};

Expected<void> relocate(const CodeObject& object, const LoadedObject& loaded, AddressSpace& space, const ElfRelocation& r) {
  if (r.type == R_NONE) return {};
  uint64_t symbol = 0;
  if (r.type != R_RELATIVE64) {
    const ElfSymbol& s = object.elf.dynamic_symbols.empty() ? ElfSymbol{} : object.elf.dynamic_symbols[r.symbol];
    if (r.symbol != 0 && !s.defined && !s.weak)
      return fail("{}: symbol '{}' is used at {:#x} but defined nowhere: link the library that has it", object.file, s.name,
                  r.address);
    if (s.defined) symbol = loaded.address(s.address);
  }
  uint64_t place = loaded.address(r.address), value = symbol + uint64_t(r.addend);
  int bytes = 4;
  switch (r.type) {
    case R_RELATIVE64:
      value = loaded.address(uint64_t(r.addend));
      bytes = 8;
      break;
    case R_ABS64: bytes = 8; break;
    case R_REL64:
      value -= place;
      bytes = 8;
      break;
    case R_ABS32:
    case R_ABS32_LO: break;
    case R_ABS32_HI: value >>= 32; break;
    case R_REL32:
    case R_REL32_LO: value -= place; break;
    case R_REL32_HI: value = (value - place) >> 32; break;
    default:
      return fail("{}: relocation type {} at {:#x} is not one that a linked object has: link it again with ld.lld -shared",
                  object.file, r.type, r.address);
  }
  if (place < loaded.start || place - loaded.start > loaded.bytes || !space.contains(place, uint64_t(bytes)))
    return fail("{}: a relocation at {:#x} lies outside the object's segments: build the object again", object.file, r.address);
  std::memcpy(space.host(place), &value, size_t(bytes));
  return {};
}

// Runs of pages that ranges cover: start → end.
using Runs = std::map<uint64_t, uint64_t>;
void add(Runs& pages, uint64_t address, uint64_t bytes) {
  uint64_t& end = pages[round_down(address, page_bytes)];
  end = std::max(end, round_up(address + bytes, page_bytes));
}
Runs joined(const Runs& pages) {
  Runs runs;
  for (auto [start, end] : pages) {
    if (!runs.empty() && start <= runs.rbegin()->second)
      runs.rbegin()->second = std::max(runs.rbegin()->second, end);
    else
      runs.emplace(start, end);
  }
  return runs;
}
// The pages of segments, in the object's own addresses.
Runs page_runs(const Elf& elf) {
  Runs pages;
  for (auto& s : elf.segments)
    if (s.type == SEGMENT_LOAD && s.memory_bytes) add(pages, s.address, s.memory_bytes);
  return joined(pages);
}
// The bytes of executable segments that the file has.
Runs code_runs(const Elf& elf) {
  Runs pages;
  for (auto& s : elf.segments)
    if (s.type == SEGMENT_LOAD && s.flags & SEGMENT_EXECUTABLE && s.file_bytes && s.file_bytes <= s.memory_bytes)
      add(pages, s.address, s.file_bytes);
  return joined(pages);
}

}  // namespace

Expected<LoadedObject> load(const CodeObject& object, AddressSpace& space) {
  auto runs = page_runs(object.elf);
  if (runs.empty()) return fail("{}: no loadable segments: link it with ld.lld -shared", object.file);
  uint64_t alignment = page_bytes, low = runs.begin()->first, total = 0;
  for (auto& s : object.elf.segments)
    if (s.type == SEGMENT_LOAD) alignment = std::max(alignment, s.alignment);
  for (auto [start, end] : runs) total += end - start;
  low = round_down(low, alignment);

  auto prefix = [&](const Error& error) { return fail("{}: {}", object.file, error.message); };
  LoadedObject loaded;
  loaded.bytes = runs.rbegin()->second - low;
  auto start = space.reserve(loaded.bytes, alignment);
  if (!start) return prefix(start.error());
  loaded.start = *start;
  loaded.bias = *start - low;
  auto file_offset = space.memory().allocate(total);
  if (!file_offset) {
    space.release(loaded.start);
    return prefix(file_offset.error());
  }
  loaded.file_offset = *file_offset;
  loaded.file_bytes = total;
  uint64_t at = loaded.file_offset;
  for (auto [first, end] : runs) {
    if (auto mapped = space.map(loaded.address(first), at, end - first); !mapped) {
      unload(loaded, space);
      return prefix(mapped.error());
    }
    at += end - first;
  }
  for (auto& s : object.elf.segments)
    if (s.type == SEGMENT_LOAD && s.file_bytes)
      std::memcpy(space.host(loaded.address(s.address)), object.elf.bytes.data() + s.offset, size_t(s.file_bytes));
  for (auto [first, end] : code_runs(object.elf)) loaded.code.push_back({loaded.address(first), end - first});
  for (auto& relocation : object.elf.relocations)
    if (auto applied = relocate(object, loaded, space, relocation); !applied) {
      unload(loaded, space);
      return std::unexpected(applied.error());
    }
  return loaded;
}

void unload(const LoadedObject& loaded, AddressSpace& space) {
  space.release(loaded.start);
  space.memory().release(loaded.file_offset, loaded.file_bytes);
}

std::optional<uint64_t> symbol_address(const CodeObject& object, const LoadedObject& loaded, std::string_view name) {
  for (auto* table : {&object.elf.dynamic_symbols, &object.elf.static_symbols})
    for (auto& s : *table)
      if (s.defined && s.name == name) return loaded.address(s.address);
  return {};
}

}  // namespace Atoll::hsa
