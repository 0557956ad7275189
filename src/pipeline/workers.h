// The threads that share a draw, kept from draw to draw, and the storage that they keep. The thread that calls run()
// (a queue's thread, Atoll's own) is worker 0; the others only ever run work that is handed out here.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace Atoll::pipeline {

struct Storage;

class Workers {
public:
  // `count` workers, the caller of share() among them; 0: as many as the machine has processors.
  explicit Workers(unsigned count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned count() const { return count_; }

  // work(worker, part) for every part below `parts` (at most most_parts), each once, in any order and on any worker; returns when
  // all of them are done. One caller at a time.
  template <class Work>
  void share(unsigned parts, Work&& work) {
    share(parts, [](void* context, unsigned worker, unsigned part) { (*static_cast<Work*>(context))(worker, part); }, &work);
  }
  static constexpr unsigned most_parts = (1u << 20) - 1;

  Storage& storage() { return *storage_; }  // of the draw at hand (storage.h)

private:
  using Function = void (*)(void* context, unsigned worker, unsigned part);
  void share(unsigned parts, Function function, void* context);
  bool take_part(unsigned worker);  // false: none is left
  void serve(unsigned worker);

  unsigned count_;
  Function function_ = nullptr;
  void* context_ = nullptr;
  // Generation << 40 | parts << 20 | next part: whoever increments the last field owns that part of that very job.
  alignas(64) std::atomic<uint64_t> ticket_{0};
  alignas(64) std::atomic<uint32_t> done_{0};
  alignas(64) std::atomic<uint32_t> wake_{0};
  std::atomic<bool> end_{false};
  std::vector<std::thread> threads_;
  std::unique_ptr<Storage> storage_;
};

}  // namespace Atoll::pipeline
