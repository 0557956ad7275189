// Shared parts of the fuzzers that build something of their bytes: the bytes, taken from the front, and a watch that ends GPU
// code that does not end.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <thread>

namespace Atoll::fuzz {

class Bytes {
public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  // Zeros when they are used up.
  template <class T>
  T take() {
    T value{};
    const size_t from = std::min(at_, size_);
    std::memcpy(&value, data_ + from, std::min(sizeof value, size_ - from));
    at_ += sizeof value;
    return value;
  }
  uint8_t byte() { return take<uint8_t>(); }
  bool chance(unsigned of_256) { return byte() < of_256; }
  uint32_t below(uint32_t n) { return (n <= 256 ? byte() : take<uint32_t>()) % n; }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(uint32_t(list.size()))];
  }
  // A number as containers have them: mostly small, now and then at an edge or any.
  uint32_t number() {
    const uint8_t how = byte();
    if (how < 176) return byte();
    if (how < 208) return take<uint16_t>();
    if (how < 240) return one_of<uint32_t>({0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc, 0xfffffff8, 0x10000, 0x1000, 4064});
    return take<uint32_t>();
  }

private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

// Raises `stop` when what runs meanwhile takes longer.
class Deadline {
public:
  Deadline(std::atomic<int>& stop, std::chrono::milliseconds time)
      : thread_([this, &stop, time] {
          std::unique_lock lock(mutex_);
          if (!gone_.wait_for(lock, time, [this] { return done_; })) stop = 1;
        }) {}
  ~Deadline() {
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    gone_.notify_all();
    thread_.join();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

private:
  std::mutex mutex_;
  std::condition_variable gone_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace Atoll::fuzz
