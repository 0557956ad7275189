// An array that begins as zeros and takes its memory where it is touched: of a large one the system gives the pages that are
// written, where a vector writes them all first. So an array that a process has once and uses little of costs it little.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace Atoll {

template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

public:
  explicit ZeroedArray(size_t size) : items_(static_cast<T*>(std::calloc(size, sizeof(T)))), size_(size) {
    if (!items_ && size) throw std::bad_alloc();
  }
  size_t size() const { return size_; }
  T& operator[](size_t n) { return items_.get()[n]; }
  const T& operator[](size_t n) const { return items_.get()[n]; }
  T* begin() { return items_.get(); }
  T* end() { return begin() + size_; }

private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> items_;
  size_t size_;
};

}  // namespace Atoll
