#include "poison.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace Atoll::attacker {
namespace {

// The start of a word depends on the address alone, so that poison may begin anywhere.
uint8_t poison_at(const uint8_t* p, uint32_t pattern) { return uint8_t(pattern >> 8 * (reinterpret_cast<uintptr_t>(p) & 3)); }
size_t bytes_to_word(const uint8_t* p, size_t bytes) { return std::min<size_t>(-reinterpret_cast<uintptr_t>(p) & 7, bytes); }

void put(uint8_t* p, size_t bytes, uint32_t pattern) {
  uint64_t wide = uint64_t(pattern) << 32 | pattern;
  size_t n = 0, head = bytes_to_word(p, bytes);
  for (; n < head; n++) p[n] = poison_at(p + n, pattern);
  for (; n + 8 <= bytes; n += 8) std::memcpy(p + n, &wide, 8);
  for (; n < bytes; n++) p[n] = poison_at(p + n, pattern);
}
bool is_whole(const uint8_t* p, size_t bytes, uint32_t pattern) {
  uint64_t wide = uint64_t(pattern) << 32 | pattern, wrong = 0;
  size_t n = 0, head = bytes_to_word(p, bytes);
  for (; n < head; n++) wrong |= p[n] ^ poison_at(p + n, pattern);
  for (; n + 8 <= bytes; n += 8) {
    uint64_t x;
    std::memcpy(&x, p + n, 8);
    wrong |= x ^ wide;
  }
  for (; n < bytes; n++) wrong |= p[n] ^ poison_at(p + n, pattern);
  return wrong == 0;
}
// The first byte that is none; the bytes are poison again.
std::optional<size_t> mend(uint8_t* p, size_t bytes, uint32_t pattern) {
  if (is_whole(p, bytes, pattern)) return {};
  size_t n = 0;
  while (p[n] == poison_at(p + n, pattern)) n++;
  put(p, bytes, pattern);
  return n;
}

uint8_t* reserve(uint64_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ATOLL_ASSERT(at != MAP_FAILED);
  return static_cast<uint8_t*>(at);
}
uint8_t* make_edge(uint8_t* where, int flags, uint32_t pattern) {
  void* at = ::mmap(where, edge_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  ATOLL_ASSERT(at == where);
  put(where, edge_bytes, pattern);
  return where;
}

}  // namespace

Fenced::Fenced(size_t most, size_t reach, uint64_t around, uint32_t pattern) : most_(round_up(most, 4096)), pattern_(pattern) {
  constexpr size_t before = 65536;
  mapped_ = before + most_ + round_up(reach, 4096);
  reserved_ = around + mapped_ + around;
  reservation_ = reserve(reserved_);
  first_ = reservation_ + around;
  data_ = first_ + before;
  ATOLL_ASSERT(::mprotect(first_, mapped_, PROT_READ | PROT_WRITE) == 0);
  put(first_, mapped_, pattern_);
}
Fenced::~Fenced() { ::munmap(reservation_, reserved_); }

void Fenced::resize(size_t bytes) {
  ATOLL_ASSERT(bytes <= most_);
  if (bytes < bytes_) put(data_ + bytes, bytes_ - bytes, pattern_);
  bytes_ = bytes;
}

std::optional<int64_t> Fenced::damage() {
  if (auto n = mend(first_, size_t(data_ - first_), pattern_)) return int64_t(*n) - (data_ - first_);
  if (auto n = mend(data_ + bytes_, size_t(first_ + mapped_ - (data_ + bytes_)), pattern_)) return int64_t(*n + bytes_);
  return {};
}

Ground::~Ground() {
  for (uint8_t* edge : {below_, above_}) ::munmap(edge, edge_bytes);
}

Ground::Ground(uint32_t pattern, size_t wave_bytes, bool sectioned)
    : pattern_(pattern),
      wave_(wave_bytes, 65536, uint64_t(8) << 30, pattern),
      lds_(max_lds, 131072, uint64_t(8) << 30, pattern),
      // 64 lanes' bytes lie side by side: an offset of 2^32 leads to 2^38.
      scratch_(max_scratch * 64, 524288, uint64_t(1) << 39, pattern),
      share_(sizeof(wave::GlobalShare), 65536, uint64_t(8) << 30, pattern) {
  // New mappings go below the lowest hole's end: what stands in the way of the address space leaves the place for its edge.
  constexpr uint64_t blocked = uint64_t(64) << 20;
  uint8_t* hole = reserve(space_bytes + 2 * space_reserve + 2 * blocked);
  ::munmap(hole, space_bytes + 2 * space_reserve + blocked);
  auto space = sectioned ? AddressSpace::create_sectioned(nullptr, space_bytes) : AddressSpace::create(nullptr, space_bytes);
  ATOLL_ASSERT(space && (*space)->window_bytes() == space_bytes);
  uint8_t* blocker = hole + space_bytes + 2 * space_reserve + blocked;
  ::munmap(blocker, blocked);
  above_ = make_edge((*space)->base() + space_bytes + space_reserve, MAP_FIXED_NOREPLACE, pattern);
  below_ = make_edge((*space)->base() - space_reserve - edge_bytes, MAP_FIXED_NOREPLACE, pattern);
  space_ = std::move(*space);
  for (const Window& w : windows) {
    auto offset = space_->memory().allocate(w.bytes);
    ATOLL_ASSERT(offset && space_->map(w.address, *offset, w.bytes));
  }
  wave_.resize(wave_bytes);
  share_.resize(sizeof(wave::GlobalShare));
  new (share_.data()) wave::GlobalShare;
}

Places Ground::places(uint32_t lds_bytes, uint32_t scratch_bytes, uint32_t shared_base, uint32_t shared_bytes) {
  lds_.resize(lds_bytes);
  scratch_.resize(size_t(scratch_bytes) * 64);
  auto* share = reinterpret_cast<wave::GlobalShare*>(share_.data());
  // Only its own part of the global share belongs to anybody.
  put(share->memory.data(), share->memory.size(), pattern_);
  shared_base_ = shared_base, shared_bytes_ = shared_bytes;
  return {.space = space_.get(),
          .windows = {std::begin(windows), std::end(windows)},
          .wave = wave_.data(),
          .lds = lds_.data(),
          .scratch = scratch_.data(),
          .lds_bytes = lds_bytes,
          .scratch_bytes = scratch_bytes,
          .share = share,
          .shared_base = shared_base,
          .shared_bytes = shared_bytes};
}

std::string Ground::damage() {
  std::string text;
  auto look = [&](Fenced& of, const char* name) {
    if (auto at = of.damage()) text += fmt::format("  poison overwritten at {:+#x} of {} of {:#x} bytes\n", *at, name, of.size());
  };
  look(wave_, "the wave's registers"), look(lds_, "LDS"), look(scratch_, "private memory"), look(share_, "the global share");
  auto& memory = reinterpret_cast<wave::GlobalShare*>(share_.data())->memory;
  uint32_t end = shared_base_ + shared_bytes_;
  if (auto at = mend(memory.data(), shared_base_, pattern_))
    text += fmt::format("  poison overwritten in the global share at {:#x}, before the queue's part\n", *at);
  if (auto at = mend(memory.data() + end, memory.size() - end, pattern_))
    text += fmt::format("  poison overwritten in the global share at {:#x}, behind the queue's part\n", end + *at);
  for (uint8_t* edge : {below_, above_})
    if (auto at = mend(edge, edge_bytes, pattern_))
      text += fmt::format("  poison overwritten at {:+#x} of the window's base\n", edge + *at - space_->base());
  return text;
}

}  // namespace Atoll::attacker
