// Ranges that never overlap, in a std::map by their first address. A value has `bytes`, and an offset into what the range shows,
// which moves with the range's begin.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace Atoll {

// True if any range of the map holds a byte of [begin, begin + bytes).
template <class Value>
bool overlaps(const std::map<uint64_t, Value>& map, uint64_t begin, uint64_t bytes) {
  auto after = map.lower_bound(begin + bytes);
  return after != map.begin() && std::prev(after)->first + std::prev(after)->second.bytes > begin;
}

// Takes [begin, begin + bytes) out of the map; ranges that reach over its ends keep their parts outside. Calls removed(first
// address, bytes, value of the whole range) for every part that was there, from the lowest on.
template <class Value, class Removed>
void cut_range(std::map<uint64_t, Value>& map, uint64_t begin, uint64_t bytes, uint64_t Value::* offset, Removed removed) {
  uint64_t end = begin + bytes;
  auto at = map.upper_bound(begin);
  if (at != map.begin()) --at;
  while (at != map.end() && at->first < end) {
    uint64_t first = at->first, last = first + at->second.bytes;
    if (last <= begin) {
      ++at;
      continue;
    }
    Value whole = at->second;
    at = map.erase(at);
    if (first < begin) {
      Value front = whole;
      front.bytes = begin - first;
      map.emplace(first, std::move(front));
    }
    if (last > end) {
      Value back = whole;
      back.bytes = last - end;
      back.*offset += end - first;
      at = map.emplace(end, std::move(back)).first;
    }
    uint64_t from = std::max(first, begin);
    removed(from, std::min(last, end) - from, whole);
  }
}

}  // namespace Atoll
