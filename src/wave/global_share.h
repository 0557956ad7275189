// Resources that all waves of a GPU share besides memory: a small on-chip memory, counters at which waves of different work-groups wait
// for each other, and the order in which waves were launched. AMD: GDS, GWS and ordered count.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <mutex>

namespace Atoll::wave {

// One instruction of one wave, or one packet, at a time: under `mutex`.
struct GlobalShare {
  static constexpr uint32_t bytes = 65536;
  static constexpr uint32_t resources = 64;

  struct Resource {
    uint32_t counter = 0;
    uint32_t waiting = 0;  // waves that wait for the counter to be more than 0
    uint32_t round = 0;    // barriers completed
  };
  std::mutex mutex;
  // Aligned, and longer than it is, so that whole vectors may be read at its end.
  alignas(128) std::array<uint8_t, bytes + 128> memory{};
  std::array<Resource, resources> resource{};
};

// The part of it that a queue may use: offsets count from `base`.
struct GlobalPart {
  GlobalShare* share = nullptr;
  uint32_t base = 0, bytes = 0;  // of the memory
  uint32_t first_resource = 0, resources = 0;
};

// The order of waves that were launched one after the other, and which of them have had their turn. A wave is known by its
// number modulo `ids`. Turns are kept apart by `unit` (0 to 63): whoever goes first releases the unit to the next wave, or is
// done with all units.
class WaveOrder {
public:
  // The first wave has id `first` (below `ids`).
  WaveOrder(uint32_t first, uint32_t ids) : ids_(ids), next_(first), lowest_(first) { at_.fill(first); }

  // True if so many more waves could be told apart from those that are not done yet.
  bool has_room(uint32_t waves) {
    std::lock_guard lock(mutex_);
    return next_ + waves - lowest_ <= ids_;
  }
  // The number of the next wave; its id is the number modulo `ids`.
  uint64_t launch() {
    std::lock_guard lock(mutex_);
    waves_.push_back({});
    return next_++;
  }
  uint32_t id_of(uint64_t number) const { return uint32_t(number % ids_); }
  uint32_t next_id() const { return id_of(next_); }

  enum class Turn : uint8_t { Now, Later, Past, Unknown };
  // `number`: of the wave that has the id.
  Turn turn(unsigned unit, uint32_t id, uint64_t& number) {
    std::lock_guard lock(mutex_);
    number = lowest_ + (id + ids_ - lowest_ % ids_) % ids_;
    if (id >= ids_ || number >= next_) return Turn::Unknown;
    if (has_released(number, unit)) return Turn::Past;
    uint64_t& at = at_[unit];
    while (at < number && has_released(at, unit)) at++;
    return at == number ? Turn::Now : Turn::Later;
  }
  void release(unsigned unit, uint64_t number) {
    std::lock_guard lock(mutex_);
    if (number >= lowest_) waves_[number - lowest_].released |= uint64_t(1) << unit;
  }
  void finish(uint64_t number) {
    std::lock_guard lock(mutex_);
    if (number < lowest_) return;
    waves_[number - lowest_].done = true;
    for (; !waves_.empty() && waves_.front().done; lowest_++) waves_.pop_front();
  }

private:
  struct Entry {
    uint64_t released = 0;  // a bit for each unit
    bool done = false;
  };
  const uint64_t ids_;
  std::mutex mutex_;
  uint64_t next_, lowest_;   // numbers: of the next wave, of the first one that is not done
  std::deque<Entry> waves_;  // from lowest_ on
  std::array<uint64_t, 64> at_;

  bool has_released(uint64_t number, unsigned unit) const {
    if (number < lowest_) return true;
    const Entry& e = waves_[number - lowest_];
    return e.done || (e.released >> unit & 1);
  }
};

}  // namespace Atoll::wave
