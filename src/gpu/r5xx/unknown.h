// What a context met that it does not model: reported once with its place, counted ever after (Statistics::unknown).
#pragma once
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/device/device.h"

namespace Atoll::r5xx {

class Unknowns {
public:
  // `what` is a short name ("packet 0x7f", "RB3D_COLORPITCH format 11"); `where` answers its place the first time.
  template <class Where>
  void add(const std::string& what, Where&& where) {
    std::lock_guard lock(mutex_);
    if (auto known = places_.find(what); known != places_.end()) {
      entries_[known->second].times++;
      return;
    }
    // A stream of random dwords may name thousands of registers: they are counted together from here on.
    if (entries_.size() > most_entries) {
      entries_.back().times++;
      return;
    }
    bool more = entries_.size() == most_entries;
    if (!more) places_.emplace(what, entries_.size());
    entries_.push_back({more ? "more that is not modelled" : what, where(), 1});
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
  std::unordered_map<std::string, size_t> places_;  // in entries_
};

}  // namespace Atoll::r5xx
