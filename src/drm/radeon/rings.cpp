#include "drm/radeon/rings.h"

#include <algorithm>

namespace Atoll::drm::radeon {

void Rings::add_running(std::vector<FencePtr>& fences) const {
  std::lock_guard lock(mutex_);
  for (auto& [kind, ring] : rings_)
    for (auto& fence : ring->running()) fences.push_back(fence);
}

Ring& Rings::ring(File& file, gpu::QueueKind kind) {
  constexpr const char* names[] = {"graphics", "compute", "copy"};
  auto memory = file.memory();
  std::lock_guard lock(mutex_);
  auto& ring = rings_[kind];
  if (!ring) ring = std::make_unique<Ring>(file.process(), kind, std::move(memory), names[size_t(kind)], nullptr);
  return *ring;
}

CommandPlace Rings::command_place(File& file, uint64_t bytes) {
  constexpr uint64_t usual = 64 << 10;
  // below what programs may map (radeon.h, RADEON_VA_IB_OFFSET to RADEON_VA_RESERVED_SIZE)
  constexpr uint64_t first_address = 1 << 20, max_places = ((8 << 20) - first_address) / usual;
  bool physical = !file.process().chip().has_page_tables;
  auto memory = file.memory();
  // Page tables hold the buffer as well, so who has the place has a pointer of its own to it.
  auto give = [](CommandPlace& place) -> CommandPlace {
    BufferPtr given(place.buffer.get(), [buffer = place.buffer](Buffer*) {});
    place.given = given;
    return {std::move(given), place.address, {}};
  };
  std::lock_guard lock(places_mutex_);
  for (;;) {
    std::vector<FencePtr> busy;
    if (bytes <= usual)
      for (auto& place : places_) {
        // somebody holds it until its submission is queued, the submission's fence after that
        if (!place.given.expired()) continue;
        if (place.buffer->uses().empty()) return give(place);
      }
    if (physical || places_.size() < max_places) break;
    if (bytes > usual) return {};
    for (auto& place : places_)
      for (auto& fence : place.buffer->uses()) busy.push_back(fence);
    if (!busy.empty()) wait_any(file.session(), busy, UINT64_MAX);
  }
  Session::Request request;
  request.asked_bytes = bytes;
  request.bytes = round_up(std::max(bytes, usual), page_bytes);
  request.begin = physical ? uint64_t(512) << 20 : uint64_t(4) << 30;
  request.end = physical ? (uint64_t(1) << 32) - page_bytes : memory_bytes;
  auto index = file.session().allocate(request);
  if (!index) return {};
  CommandPlace place{file.process().adopt(*index), file.session().allocation(*index).offset, {}};
  if (!physical) {
    place.address = first_address + places_.size() * usual;
    if (!memory || memory->map(place.buffer, place.address, 0, request.bytes, false, {})) return {};
  }
  if (bytes > usual) return place;
  places_.push_back(std::move(place));
  return give(places_.back());
}

}  // namespace Atoll::drm::radeon
