// Words of programs in GPU memory. Copies are run and decoded, since another thread may write or unmap the memory at any
// time: a mapping that goes while it is read makes the reading fail.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/expected.h"
#include "memory/address_space.h"

namespace Atoll::gpu {

// Copies the words from `address` on (a multiple of 4). False: not all of them are mapped, or not any more.
bool copy_words(const AddressSpace& space, uint64_t address, std::span<uint32_t> to);
// True if these words stand there.
bool holds_words(const AddressSpace& space, uint64_t address, std::span<const uint32_t> words);

// Puts the words before `address` in front of a program that begins there and jumps to places which only run time tells: `most` bytes of
// them and whole pages, fewer where fewer are mapped. Returns the address of the first word.
uint64_t prepend_words(const AddressSpace& space, uint64_t address, uint64_t most, std::vector<uint32_t>& words);

// The program at `address` (a multiple of 4), `most` words at most: `length`(words) says how many of those it is given belong to it,
// all of them if its end is not among them. It is given what is mapped, in steps that double. `what` names it in an error: nothing
// is mapped there.
template <class Length>
Expected<std::vector<uint32_t>> read_words(const AddressSpace& space, uint64_t address, size_t most, const char* what,
                                           Length&& length) {
  auto not_mapped = [&] { return fail("{} at 0x{:x}, where nothing is mapped", what, address); };
  std::vector<uint32_t> words;
  uint64_t bytes = std::min<uint64_t>(page_bytes - address % page_bytes, most * 4);
  if (!space.contains(address, bytes)) return not_mapped();
  for (;;) {
    const size_t known = words.size();
    words.resize(bytes / 4);
    if (!copy_words(space, address + known * 4, std::span(words).subspan(known))) return not_mapped();
    const size_t own = length(std::span<const uint32_t>(words));
    uint64_t more = std::max(bytes / page_bytes, uint64_t(1)) * page_bytes;
    while (more && !space.contains(address, bytes + more)) more = more / 2 / page_bytes * page_bytes;
    if (own < words.size() || bytes >= most * 4 || !more) {
      words.resize(std::min(own, words.size()));
      return words;
    }
    bytes += more;
  }
}

}  // namespace Atoll::gpu
