// Sync objects that were given to other processes, and the fences at their points, in the memory that a session's processes share (Linux
// drivers/gpu/drm/drm_syncobj.c). A fence is a cell, which its process sets; of one that died nothing is waited for.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "drm/session/fence.h"
#include "drm/session/session.h"

namespace Atoll::drm {

struct FenceCell {
  std::atomic<uint64_t> serial;  // of the fence that it is, or was; 0: of none yet
  std::atomic<uint32_t> done;
  uint32_t process, generation;  // whose it is: slot
};

inline constexpr uint32_t max_points = 64;

struct SharedSyncobj {
  struct Point {
    uint64_t number;
    CellName fence;
  };
  uint32_t generation;  // counts how often the entry was given out
  uint8_t used;
  uint32_t count;                  // of points
  uint64_t reached;                // points that were taken off the line, being done
  uint16_t owners[max_processes];  // how many objects of that process stand for it
  Point points[max_points];
};

struct SyncTable {
  static constexpr uint32_t max_cells = 16384, max_syncobjs = 4096;
  uint64_t last_serial;
  uint32_t next_cell;
  uint32_t highest;  // entries above were never used
  FenceCell cells[max_cells];
  SharedSyncobj syncobjs[max_syncobjs];

  // Nothing is that process's any longer. The session's lock is held, here and below.
  void forget(uint32_t process);
};

// A cell of the table, of this process or another one.
class CellFence : public Fence {
public:
  CellFence(std::shared_ptr<Session> session, CellName cell) : session_(std::move(session)), cell_(cell) {}
  const CellName& cell() const { return cell_; }
  bool done() const override { return session_->is_done(cell_); }
  bool abandoned() const override { return !session_->is_alive(cell_); }
  uint64_t interval() const override { return 100'000'000; }

private:
  std::shared_ptr<Session> session_;
  CellName cell_;
};

// The cell by which other processes see the fence. (Where there is no room for one, it waits until the fence is done.)
CellName publish(const std::shared_ptr<Session>& session, const FencePtr& fence);

// An entry of the table that this process uses. The functions are those of Syncobj.
class SharedLine {
public:
  struct Point {
    uint64_t number;
    FencePtr fence;
  };
  // A new entry; an error when there is no room.
  static Expected<std::shared_ptr<SharedLine>> make(std::shared_ptr<Session> session, const std::vector<Point>& points,
                                                    uint64_t reached);
  // The entry that a descriptor's position names, which keeps it alive meanwhile; null when it is none.
  static std::shared_ptr<SharedLine> open(std::shared_ptr<Session> session, uint64_t position);
  ~SharedLine();
  SharedLine(const SharedLine&) = delete;
  SharedLine& operator=(const SharedLine&) = delete;

  Expected<int> make_descriptor() const { return session_->export_syncobj(index_, generation_); }
  void replace(const FencePtr& fence);
  // Waits while the line is full of points that are not done.
  void add_point(uint64_t point, const FencePtr& fence);
  std::optional<FencePtr> find(uint64_t point) const;
  uint64_t query(bool submitted) const;

private:
  SharedLine(std::shared_ptr<Session> session, uint32_t index, uint32_t generation)
      : session_(std::move(session)), index_(index), generation_(generation) {}
  SharedSyncobj& entry() const { return session_->sync_table().syncobjs[index_]; }
  bool has_room(SharedSyncobj& object) const;

  std::shared_ptr<Session> session_;
  uint32_t index_, generation_;
};

}  // namespace Atoll::drm
