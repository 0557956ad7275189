#include "gpu/gfx12/draw/attribute_ring.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "memory/memory_file.h"

namespace Atoll::gfx12 {
namespace {

constexpr uint32_t most_units = 1u << 15;  // that s5 can name

// One for so many units of a ring, whichever it is. A part has all that it reaches into: a ring of several queues is cut into parts of
// different sizes at once.
constexpr uint32_t units_of_lock = 32;
struct alignas(64) Lock {
  std::mutex mutex;
};
[[clang::no_destroy]] std::array<Lock, most_units / units_of_lock> locks;

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
  const uint32_t needed = (vertices + 31) / 32 * attributes, units = uint32_t(bytes / unit);
  if (needed > units)
    return context.lose(fmt::format("{}: {} bytes of attributes in a subgroup, their ring has {}", context.place(),
                                    uint64_t(needed) * unit, bytes));
  part_units_ = std::min(uint32_t(round_up(needed, units_of_lock)), units);
  parts_ = units / part_units_;
  memory_ = context.memory(address, bytes, true, "the attribute ring");
  if (!memory_) return false;
  // Queues begin at different parts; under determinism, where one runs at a time, at the first, as in every replay.
  static std::atomic<uint32_t> queues{0};
  static thread_local const uint32_t queue = queues.fetch_add(1, std::memory_order_relaxed);
  first_part_ = context.options.deterministic ? 0 : queue * 8;
  return true;
}

AttributeRing::Part::Part(const AttributeRing& ring, unsigned worker) : ring_(ring) {
  if (!ring.attributes_) return;
  offset_ = (ring.first_part_ + worker) % ring.parts_ * ring.part_units_;
  // (In rising order, as all do.)
  for (uint32_t n = offset_ / units_of_lock; n * units_of_lock < offset_ + ring.part_units_; n++) locks[n].mutex.lock();
}

AttributeRing::Part::~Part() {
  if (!ring_.attributes_) return;
  for (uint32_t n = offset_ / units_of_lock; n * units_of_lock < offset_ + ring_.part_units_; n++) locks[n].mutex.unlock();
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
