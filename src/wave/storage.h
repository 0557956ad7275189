// Memory for waves: the neutral part and the register file behind it, aligned as the engines want it.
#pragma once
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "wave/wave.h"

namespace Atoll::wave {

inline constexpr size_t storage_alignment = 128;

struct FreeStorage {
  void operator()(uint8_t* p) const { std::free(p); }
};
using StorageBytes = std::unique_ptr<uint8_t, FreeStorage>;

// Aligned bytes that hold anything.
inline StorageBytes allocate_storage(size_t bytes) {
  bytes = (bytes + storage_alignment - 1) / storage_alignment * storage_alignment;
  auto* p = static_cast<uint8_t*>(std::aligned_alloc(storage_alignment, bytes ? bytes : storage_alignment));
  if (!p) throw std::bad_alloc();
  return StorageBytes(p);
}

// One wave with a register file that ends at byte `end` from the wave's start. All is zero.
class Storage {
public:
  Storage() = default;  // holds none yet
  explicit Storage(size_t end) : bytes_(allocate_storage(end)) {
    std::memset(bytes_.get(), 0, end);
    reset();
  }
  // The neutral part as new; the register file stays as it is.
  Wave& reset() { return *new (bytes_.get()) Wave; }
  explicit operator bool() const { return bool(bytes_); }
  Wave& operator*() const { return *reinterpret_cast<Wave*>(bytes_.get()); }
  Wave* operator->() const { return &**this; }

private:
  StorageBytes bytes_;
};

}  // namespace Atoll::wave
