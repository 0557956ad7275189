// The smallest part of a set that still has a property, found by asking: A. Zeller, R. Hildebrandt, "Simplifying and Isolating
// Failure-Inducing Input", IEEE Transactions on Software Engineering 28 (2002) 2, the minimizing algorithm ddmin.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/expected.h"

namespace Atoll::insight {

// `keeps`(part) -> Expected<bool>: the part, in order, has the property, as `all` has. The answer has it, and loses it with any one of
// its members left out.
template <class Keeps>
Expected<std::vector<size_t>> smallest_part(std::vector<size_t> all, Keeps keeps) {
  size_t pieces = 2;
  while (!all.empty()) {
    pieces = std::min(pieces, all.size());
    bool smaller = false;
    // Each piece alone, then all but each; of two pieces these are the same, and of one piece the second is the empty set.
    for (const bool complement : {false, true}) {
      if (complement ? pieces == 2 : pieces == 1) continue;
      for (size_t n = 0; n < pieces && !smaller; n++) {
        const size_t begin = all.size() * n / pieces, end = all.size() * (n + 1) / pieces;
        std::vector<size_t> part;
        for (size_t k = 0; k < all.size(); k++)
          if ((k >= begin && k < end) != complement) part.push_back(all[k]);
        auto kept = keeps(part);
        if (!kept) return std::unexpected(kept.error());
        if (!*kept) continue;
        all = std::move(part), smaller = true;
        pieces = complement ? std::max<size_t>(pieces - 1, 2) : 2;
      }
      if (smaller) break;
    }
    if (smaller) continue;
    if (pieces >= all.size()) break;
    pieces *= 2;
  }
  return all;
}

}  // namespace Atoll::insight
