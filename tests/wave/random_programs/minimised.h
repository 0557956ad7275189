// A program with as many instructions as possible turned into ones that do nothing, so that branches keep their distance.
#pragma once
#include <algorithm>

#include "machine.h"

namespace Atoll::test {

// `fails`: whether a program still shows what is looked for.
template <class Fails>
RandomProgram minimised(RandomProgram program, const std::vector<uint32_t>& nop, Fails fails) {
  auto without = [&nop](RandomProgram from, size_t first, size_t count) {
    for (size_t n = first; n < std::min(first + count, from.starts.size()); n++) {
      uint32_t end = n + 1 < from.starts.size() ? from.starts[n + 1] : uint32_t(from.words.size());
      for (uint32_t w = from.starts[n]; w < end; w++) from.words[w] = nop[(w - from.starts[n]) % nop.size()];
    }
    return from;
  };
  for (size_t count = std::max<size_t>(1, program.starts.size() / 2); count; count /= 2)
    for (bool again = true; again;) {
      again = false;
      for (size_t first = 0; first < program.starts.size(); first += count) {
        RandomProgram candidate = without(program, first, count);
        if (candidate.words == program.words) continue;
        if (fails(candidate)) program = candidate, again = true;
      }
    }
  return program;
}

}  // namespace Atoll::test
