// Objects that a thread makes and ends again and again, of a size that the C library's allocator looks for: their memory stays with the
// thread that ends them, for the next one of the kind.
#pragma once
#include <cstddef>
#include <new>

namespace Atoll {

// class Large : public Recycled<Large>. (Not for classes that are made in arrays, or that others derive from.)
template <class T>
class Recycled {
public:
  static void* operator new(size_t bytes) {
    Free& free = free_;
    if (bytes != sizeof(T) || !free.first) return ::operator new(bytes, std::align_val_t(alignof(T)));
    free.count--;
    Block* block = free.first;
    free.first = block->next;
    return block;
  }
  static void operator delete(void* memory, size_t bytes) {
    Free& free = free_;
    if (bytes != sizeof(T) || free.count == max_kept) return ::operator delete(memory, std::align_val_t(alignof(T)));
    free.count++;
    free.first = new (memory) Block{free.first};
  }

private:
  friend T;
  Recycled() = default;
#if __has_feature(address_sanitizer)
  static constexpr size_t max_kept = 0;  // it is to see what is used after its end
#else
  static constexpr size_t max_kept = 256;
#endif
  struct Block {
    Block* next;
  };
  struct Free {
    Block* first = nullptr;
    size_t count = 0;
    ~Free() {
      while (Block* block = first) {
        first = block->next;
        ::operator delete(block, std::align_val_t(alignof(T)));
      }
    }
  };
  static thread_local Free free_;
};

template <class T>
thread_local typename Recycled<T>::Free Recycled<T>::free_;

}  // namespace Atoll
