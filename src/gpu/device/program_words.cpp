#include "gpu/device/program_words.h"

#include <cstring>

#include "memory/fault.h"

namespace Atoll::gpu {
namespace {

// Runs `access`, which owns nothing; false: what it touches was unmapped meanwhile.
template <class Access>
bool guarded(Access access) {
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0)) return false;
  recovery.activate();
  access();
  recovery.deactivate();
  return true;
}

}  // namespace

bool copy_words(const AddressSpace& space, uint64_t address, std::span<uint32_t> to) {
  if (to.empty()) return true;
  if (!space.contains(address, to.size_bytes())) return false;
  const uint8_t* from = space.host(address);
  return guarded([&] { std::memcpy(to.data(), from, to.size_bytes()); });
}

bool holds_words(const AddressSpace& space, uint64_t address, std::span<const uint32_t> words) {
  if (words.empty()) return true;
  if (!space.contains(address, words.size_bytes())) return false;
  const uint8_t* there = space.host(address);
  volatile bool same = false;  // (a fault leaves by longjmp)
  return guarded([&] { same = std::memcmp(there, words.data(), words.size_bytes()) == 0; }) && same;
}

uint64_t prepend_words(const AddressSpace& space, uint64_t address, uint64_t most, std::vector<uint32_t>& words) {
  uint64_t begin = address;
  while (begin > page_bytes && address - begin < most) {
    const uint64_t page = round_down(begin - 1, page_bytes);
    if (!space.contains(page, page_bytes)) break;
    begin = page;
  }
  std::vector<uint32_t> before((address - begin) / 4);
  if (!copy_words(space, begin, before)) return address;
  words.insert(words.begin(), before.begin(), before.end());
  return begin;
}

}  // namespace Atoll::gpu
