// What a context met that it does not model: reported once with its place, counted ever after (Statistics::unknown).
#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device/device.h"

namespace Atoll::r5xx {

class Unknowns {
public:
  // `what` is a short name ("packet 0x7f", "RB3D_COLORPITCH format 11"); where: of its first time.
  void add(std::string_view what, std::string_view where) {
    std::lock_guard lock(mutex_);
    for (auto& entry : entries_)
      if (entry.what == what) {
        entry.times++;
        return;
      }
    // A stream of random dwords may name thousands of registers: they are counted together from here on.
    if (entries_.size() >= most_entries) what = "more that is not modelled";
    if (entries_.size() > most_entries) {
      entries_.back().times++;
      return;
    }
    entries_.push_back({std::string(what), std::string(where), 1});
  }
  std::vector<gpu::Statistics::Unknown> entries() const {
    std::lock_guard lock(mutex_);
    return entries_;
  }
  bool empty() const {
    std::lock_guard lock(mutex_);
    return entries_.empty();
  }

private:
  static constexpr size_t most_entries = 200;
  mutable std::mutex mutex_;
  std::vector<gpu::Statistics::Unknown> entries_;
};

}  // namespace Atoll::r5xx
