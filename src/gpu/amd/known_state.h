// State that was found from registers for one draw. The next draws use it as well until something that it was found from
// changes.
#pragma once
#include <memory>
#include <utility>

namespace Atoll::gpu::amd {

// `Origin`: all that a State depends on, as numbers that change with it.
template <class State, class Origin>
class KnownState {
public:
  // Null: none is known that comes from `now`.
  std::shared_ptr<const State> of(const Origin& now) const { return state_ && from_ == now ? state_ : nullptr; }
  void keep(std::shared_ptr<const State> state, const Origin& from) { state_ = std::move(state), from_ = from; }
  void forget() { state_ = nullptr; }

private:
  std::shared_ptr<const State> state_;
  Origin from_;
};

}  // namespace Atoll::gpu::amd
