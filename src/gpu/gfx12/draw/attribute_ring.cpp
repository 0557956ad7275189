#include "gpu/gfx12/draw/attribute_ring.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace Atoll::gfx12 {
namespace {

constexpr uint32_t most_units = 1u << 15;  // that s5 can name

// Of all rings: which one a part has follows from where it stands.
std::mutex& mutex_of(const uint8_t* part) {
  struct alignas(64) Line {
    std::mutex mutex;
  };
  [[clang::no_destroy]] static std::array<Line, 64> mutexes;
  return mutexes[reinterpret_cast<uintptr_t>(part) / 512 * 0x9e3779b97f4a7c15 >> 58].mutex;
}

}  // namespace

bool AttributeRing::prepare(DrawContext& context, unsigned attributes, unsigned vertices) {
  attributes_ = attributes;
  memory_ = nullptr, part_units_ = 0, parts_ = 1;
  if (!attributes) return true;
  const RegisterFile& r = context.registers;
  const uint64_t address = uint64_t(r.whole<SPI_ATTRIBUTE_RING_BASE>()) << 16;
  const uint64_t engine_bytes = (uint64_t(r.get<SPI_ATTRIBUTE_RING_SIZE::MEM_SIZE>()) + 1) << 16;
  const uint64_t bytes =
      std::min<uint64_t>(engine_bytes * std::max(1u, context.chip.shader_engines), uint64_t(most_units) * unit);
  part_units_ = (vertices + 31) / 32 * attributes;
  if (uint64_t(part_units_) * unit > bytes)
    return context.lose(fmt::format("{}: {} bytes of attributes in a subgroup, their ring has {}", context.place(),
                                    uint64_t(part_units_) * unit, bytes));
  parts_ = uint32_t(bytes / unit / part_units_);
  memory_ = context.memory(address, bytes, true, "the attribute ring");
  if (!memory_) return false;
  // Queues begin at different parts.
  static std::atomic<uint32_t> queues{0};
  static thread_local const uint32_t queue = queues.fetch_add(1, std::memory_order_relaxed);
  first_part_ = queue * 8;
  return true;
}

AttributeRing::Part::Part(const AttributeRing& ring, unsigned worker) : ring_(ring) {
  if (!ring.attributes_) return;
  offset_ = (ring.first_part_ + worker) % ring.parts_ * ring.part_units_;
  lock_ = std::unique_lock(mutex_of(ring.memory_ + size_t(offset_) * unit));
}

void AttributeRing::Part::take(unsigned count, float* attributes) const {
  const unsigned each = ring_.attributes_;
  const uint8_t* rows = ring_.memory_ + size_t(offset_) * unit;
  for (unsigned first = 0; first < count; first += 32, rows += size_t(each) * unit) {
    const unsigned here = std::min(32u, count - first);
    for (unsigned a = 0; a < each; a++)
      for (unsigned n = 0; n < here; n++)
        std::memcpy(attributes + (size_t(first + n) * each + a) * 4, rows + a * unit + n * 16, 16);
  }
}

}  // namespace Atoll::gfx12
