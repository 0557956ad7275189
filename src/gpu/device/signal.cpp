#include "gpu/device/signal.h"

#include <utility>

namespace Atoll::gpu {
namespace {

thread_local BeforeSignals* standing = nullptr;

}  // namespace

BeforeSignals::BeforeSignals(std::function<void()> before) : before_(std::move(before)), outer_(std::exchange(standing, this)) {}
BeforeSignals::~BeforeSignals() { standing = outer_; }

void about_to_signal() {
  if (standing) standing->before_();
}

}  // namespace Atoll::gpu
