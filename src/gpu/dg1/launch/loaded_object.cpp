#include "gpu/dg1/launch/loaded_object.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace Atoll::dg1 {
namespace {

// An EU reads ahead of what it runs.
constexpr uint64_t bytes_behind_code = 256;

}  // namespace

Expected<LoadedSections> load_sections(const intel::IntelObject& object, const intel::IntelKernel& kernel, OwnedBuffers& memory) {
  LoadedSections loaded;
  for (const intel::Section& s : object.sections) {
    auto buffer = memory.allocate(s.bytes.size() + (s.is_code ? bytes_behind_code : 0), 64);
    if (!buffer) return std::unexpected(buffer.error());
    std::ranges::copy(s.bytes, buffer->host_pointer);
    loaded.sections.push_back(*buffer);
  }
  auto address_of = [&](const std::string& name) -> std::optional<uint64_t> {
    auto found = std::ranges::find(object.symbols, name, &intel::Symbol::name);
    if (found == object.symbols.end()) return {};
    return loaded.sections[found->section].gpu_address + found->offset;
  };
  for (size_t n = 0; n < object.sections.size(); n++)
    for (const intel::Relocation& r : object.sections[n].relocations) {
      uint8_t* place = loaded.sections[n].host_pointer + r.offset;
      if (r.kind == intel::RelocationKind::PerThreadOffset) {
        std::memcpy(place, &kernel.cross_thread_bytes, 4);
        continue;
      }
      auto address = address_of(r.symbol);
      if (!address)
        return fail("{}: {} uses '{}', which no section defines: link it into the program", object.file, object.sections[n].name,
                    r.symbol);
      const uint32_t halves[2] = {uint32_t(*address), uint32_t(*address >> 32)};
      switch (r.kind) {
        case intel::RelocationKind::Low32: std::memcpy(place, &halves[0], 4); break;
        case intel::RelocationKind::High32: std::memcpy(place, &halves[1], 4); break;
        default: {
          uint64_t there;
          std::memcpy(&there, place, 8);
          there += *address;
          std::memcpy(place, &there, 8);
        }
      }
    }
  return loaded;
}

}  // namespace Atoll::dg1
