// Memory for waves: the neutral part and the register file behind it, aligned as the engines want it.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "wave/wave.h"

namespace Atoll::wave {

inline constexpr size_t storage_alignment = 128;

// The pointer that was allocated stands before the bytes.
struct FreeStorage {
  void operator()(uint8_t* p) const { std::free(reinterpret_cast<void**>(p)[-1]); }
};
using StorageBytes = std::unique_ptr<uint8_t, FreeStorage>;

inline StorageBytes aligned_storage(void* allocated) {
  if (!allocated) throw std::bad_alloc();
  auto* p = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(allocated) / storage_alignment + 1) * storage_alignment);
  reinterpret_cast<void**>(p)[-1] = allocated;
  return StorageBytes(p);
}

// Aligned bytes that hold anything.
inline StorageBytes allocate_storage(size_t bytes) { return aligned_storage(std::malloc(bytes + 2 * storage_alignment)); }
// All zero. Most of a register file is never used: the system gives its pages when they are first written.
inline StorageBytes allocate_zeroes(size_t bytes) { return aligned_storage(std::calloc(bytes + 2 * storage_alignment, 1)); }

// One wave with a register file that ends at byte `end` from the wave's start. All is zero.
class Storage {
public:
  Storage() = default;  // holds none yet
  explicit Storage(size_t end) : bytes_(allocate_zeroes(end)) { reset(); }
  // The neutral part as new; the register file stays as it is.
  Wave& reset() { return *new (bytes_.get()) Wave; }
  explicit operator bool() const { return bool(bytes_); }
  Wave& operator*() const { return *reinterpret_cast<Wave*>(bytes_.get()); }
  Wave* operator->() const { return &**this; }

private:
  StorageBytes bytes_;
};

}  // namespace Atoll::wave
