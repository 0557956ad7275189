// Sync objects: a fence that may be replaced, or a line of numbered points (Linux drivers/gpu/drm/drm_syncobj.c).
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "drm/session/sync_table.h"

namespace Atoll::drm {

class Syncobj {
public:
  // Replaces everything that was there; null empties it.
  void replace(FencePtr fence);
  // Another point on the line. Points that do not increase count as the last one.
  void add_point(uint64_t point, FencePtr fence);
  // The fence as that point, or as all there is where `point` is 0.
  void signal(uint64_t point, FencePtr fence);
  // The fence that `point` stands for: the object's own (point 0), or that of the first point that is not smaller, with all before it.
  // Nothing if that has not been submitted yet.
  std::optional<FencePtr> find(uint64_t point) const;
  // The last point that is done together with all before it, or the last one there is.
  uint64_t query(bool submitted) const;

  // From now on it is an entry of the session's table, which other processes see as well.
  Expected<std::shared_ptr<SharedLine>> share(const std::shared_ptr<Session>& session);
  // One that another process has shared, or this one.
  explicit Syncobj(std::shared_ptr<SharedLine> shared) : shared_(std::move(shared)) {}
  Syncobj() = default;

private:
  using Point = SharedLine::Point;
  // Its entry of the table, and the lock is given up (what the entry does may wait); or null, and the lock stays: whoever shares it
  // meanwhile takes along what is done under the lock.
  SharedLine* shared(std::unique_lock<std::mutex>& lock) const;

  mutable std::mutex mutex_;
  std::shared_ptr<SharedLine> shared_;  // in place of what follows, and for good
  std::vector<Point> points_;           // a binary object has one, numbered 0
  uint64_t reached_ = 0;                // points that were taken off the line, being done
};

// A point that a submission signals when it is done.
struct SyncobjPoint {
  std::shared_ptr<Syncobj> object;
  uint64_t point;
};

}  // namespace Atoll::drm
