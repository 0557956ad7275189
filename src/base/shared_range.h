// The numbers from 0 on below a count, given out in their order to several threads, some at a time: the counter's cache line goes from
// processor to processor with each giving, which takes longer than a short work-group.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

namespace Atoll {

class SharedRange {
public:
  // One thread's share: begin to end, without the end; empty: nothing is left.
  struct Stretch {
    uint64_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
  };

  // `takers`: threads that take numbers.
  SharedRange(uint64_t count, uint64_t takers) : count_(count), takers_(std::max<uint64_t>(takers, 1)) {}

  // The next number, out of a thread's own stretch as long as it lasts; false: there is none.
  bool take(Stretch& own, uint64_t& number) {
    if (own.empty()) own = next_stretch();
    if (own.empty()) return false;
    number = own.begin++;
    return true;
  }

  uint64_t count() const { return count_; }
  uint64_t takers() const { return takers_; }
  // The numbers that nobody has taken yet.
  uint64_t left() const {
    const uint64_t given = next_.load(std::memory_order_relaxed);
    return given < count_ ? count_ - given : 0;
  }

private:
  static constexpr uint64_t longest = 16, shares = 16;  // of what is left each thread is given a sixteenth of its part

  Stretch next_stretch() {
    const uint64_t given = next_.load(std::memory_order_relaxed);
    if (given >= count_) return {};
    const uint64_t length = std::clamp<uint64_t>((count_ - given) / (takers_ * shares), 1, longest);
    const uint64_t begin = next_.fetch_add(length, std::memory_order_relaxed);
    if (begin >= count_) return {};
    return {begin, std::min(begin + length, count_)};
  }

  const uint64_t count_, takers_;
  alignas(64) std::atomic<uint64_t> next_{0};
};

}  // namespace Atoll
