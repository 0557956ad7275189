#include "base/static_mutex.h"

#include <pthread.h>

namespace Atoll {

struct StaticMutexes {
  std::mutex mutex;
  StaticMutex* first = nullptr;
  bool watched = false;

  static StaticMutexes& all() {
    [[clang::no_destroy]] static StaticMutexes made;
    return made;
  }
  void add(StaticMutex& one) {
    const std::lock_guard lock(mutex);
    if (!watched) watched = ::pthread_atfork([] { all().take(); }, [] { all().give_back(); }, [] { all().give_back(); }) == 0;
    one.next_ = first;
    first = &one;
  }
  void take() {
    mutex.lock();
    for (StaticMutex* one = first; one; one = one->next_) one->lock();
  }
  void give_back() {
    for (StaticMutex* one = first; one; one = one->next_) one->unlock();
    mutex.unlock();
  }
};

StaticMutex::StaticMutex() { StaticMutexes::all().add(*this); }

}  // namespace Atoll
