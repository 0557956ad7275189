// Values that a queue's commands write to say that what came before them is done: programs poll them, and go on before the
// submission has ended. Whoever has to do something by then stands between.
#pragma once
#include <functional>

namespace Atoll::gpu {

// While it stands, `before` is called on this thread, which runs a queue, ahead of each such write.
class BeforeSignals {
public:
  explicit BeforeSignals(std::function<void()> before);
  ~BeforeSignals();
  BeforeSignals(const BeforeSignals&) = delete;
  BeforeSignals& operator=(const BeforeSignals&) = delete;

private:
  friend void about_to_signal();
  const std::function<void()> before_;
  BeforeSignals* const outer_;
};

// A family's commands say it where they write such values.
void about_to_signal();

}  // namespace Atoll::gpu
