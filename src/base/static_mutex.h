// A mutex of static storage duration that the child of a fork finds free, whoever held it: fork() waits until nobody does
// (pthread_atfork(3)). For what is held for moments, and never together with another of its kind.
#pragma once
#include <mutex>

namespace Atoll {

class StaticMutex {
public:
  StaticMutex();
  StaticMutex(const StaticMutex&) = delete;
  StaticMutex& operator=(const StaticMutex&) = delete;
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

private:
  friend struct StaticMutexes;
  std::mutex mutex_;
  StaticMutex* next_ = nullptr;
};

}  // namespace Atoll
