// Reads a command buffer for a command processor. It executes a copy, made piece by piece as the reader gets there: each
// dword is read from memory once, so that nobody can change a packet between its check and its execution, and a buffer takes a
// piece of memory however long it claims to be. Like a chip that fetches ahead, a reader does not see what a
// packet writes into the packet's own piece; it does see what is written to later pieces.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace Atoll::gpu {

class CommandReader {
public:
  // Dwords of a piece: a packet of PM4 has 2^14 + 1 at most, the buffers of today's drivers fit in one piece.
  static constexpr uint64_t block_dwords = 1 << 15;

  CommandReader(uint64_t address, uint64_t dwords) : address_(address), end_(dwords) {}
  // Dwords that have been read already, as from a ring.
  CommandReader(uint64_t address, std::vector<uint32_t> words)
      : address_(address), end_(words.size()), words_(std::move(words)) {}

  uint64_t address() const { return address_ + at_ * 4; }  // of the next dword, bytes
  uint64_t left() const { return end_ - at_; }             // dwords
  void skip(uint64_t dwords) { at_ += std::min(dwords, left()); }
  // Goes back by dwords that peek() gave last.
  void back(uint64_t dwords) { at_ -= dwords; }

  // The next `dwords`, at most `left()` and a piece, good until the next call. `read`(address, to, bytes) brings them; where it
  // returns false the span is empty.
  template <class Read>
  std::span<const uint32_t> peek(uint64_t dwords, Read&& read) {
    if (at_ + dwords > first_ + words_.size() && !fetch(read)) return {};
    return std::span<const uint32_t>(words_).subspan(at_ - first_, dwords);
  }

private:
  // A piece from `at_` on. Dwords of it that were read before stay as they were read.
  template <class Read>
  bool fetch(Read&& read) {
    uint64_t old_end = first_ + words_.size(), kept = old_end > at_ ? old_end - at_ : 0;
    words_.erase(words_.begin(), words_.end() - ptrdiff_t(kept));
    first_ = at_;
    uint64_t fresh = std::min(block_dwords, end_ - at_) - kept;
    words_.resize(kept + fresh);
    if (read(address_ + (at_ + kept) * 4, words_.data() + kept, fresh * 4)) return true;
    words_.resize(kept);
    return false;
  }

  uint64_t address_, end_;  // of the whole buffer
  uint64_t at_ = 0;         // dwords from its begin
  std::vector<uint32_t> words_;
  uint64_t first_ = 0;  // place of words_[0]
};

}  // namespace Atoll::gpu
