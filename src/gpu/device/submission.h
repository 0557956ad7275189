// A queue's work round the commands of a submission, in any family: it is counted and timed, has a budget, and is watched while
// it runs.
#pragma once
#include <chrono>

#include "gpu/device/queue_state.h"
#include "gpu/device/watch.h"

namespace Atoll::gpu {

// `execute()` executes the commands. An error: the context is lost, by them or before, with the report.
template <class Execute>
Expected<void> run_submission(QueueState& queue, Watch& watch, Watch::Queue& watched, Execute execute) {
  if (queue.lost()) return fail("the context is lost: {}", queue.report());
  queue.statistics.submissions++;
  const auto begin = std::chrono::steady_clock::now();
  {
    const Watched watching(watch, watched);
    if (!watching.begun()) return std::unexpected(watching.begun().error());
    queue.budget.begin();
    execute();
  }
  queue.statistics.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (queue.lost()) return fail("{}", queue.report());
  return {};
}

}  // namespace Atoll::gpu
