// How much of the heap is in use, bytes: for tests that what is made and forgotten takes no memory.
#pragma once
#include <malloc.h>

#include <cstddef>

#include "sanitizer.h"

#ifdef ATOLL_ADDRESS_SANITIZER
#include <sanitizer/allocator_interface.h>
#endif

namespace Atoll {

inline size_t heap_bytes() {
#ifdef ATOLL_ADDRESS_SANITIZER
  return __sanitizer_get_current_allocated_bytes();  // mallinfo2 knows nothing of its heap
#else
  auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

}  // namespace Atoll
