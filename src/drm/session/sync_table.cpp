#include "drm/session/sync_table.h"

#include <algorithm>

namespace Atoll::drm {
namespace {

constexpr uint32_t generation_mask = 0x0fffffff;  // as many bits as a position has for it

bool has_owner(const SharedSyncobj& object) {
  return std::any_of(std::begin(object.owners), std::end(object.owners), [](uint16_t count) { return count != 0; });
}

// Entries that nobody has any longer are noticed here. The lock is held.
uint32_t find_free(const Session& session) {
  SyncTable& table = session.sync_table();
  for (uint32_t i = 0; i < SyncTable::max_syncobjs; ++i)
    if (!table.syncobjs[i].used) return i;
  for (uint32_t i = 0; i < SyncTable::max_syncobjs; ++i) {
    SharedSyncobj& object = table.syncobjs[i];
    for (uint32_t slot = 0; slot < max_processes; ++slot)
      if (object.owners[slot] && !session.is_alive_slot(slot)) object.owners[slot] = 0;
    if (!has_owner(object) && !session.has_descriptor_of_syncobj(i)) return i;
  }
  return SyncTable::max_syncobjs;
}

}  // namespace

void SyncTable::forget(uint32_t process) {
  for (uint32_t i = 0; i < highest; ++i) syncobjs[i].owners[process] = 0;
}

std::optional<CellName> Session::make_cell() {
  Lock lock(*this);
  SyncTable& table = sync_table();
  for (bool dead_too : {false, true})
    for (uint32_t i = 0; i < SyncTable::max_cells; ++i) {
      const uint32_t index = (table.next_cell + i) % SyncTable::max_cells;
      FenceCell& cell = table.cells[index];
      if (cell.serial.load(std::memory_order_relaxed) && !cell.done.load(std::memory_order_acquire) &&
          !(dead_too && !is_alive(SharedFence{cell.process, cell.generation, 1})))
        continue;
      // (a serial number of before counts as done from here on)
      cell.serial.store(++table.last_serial, std::memory_order_release);
      cell.process = fence_of(0).process;
      cell.generation = fence_of(0).generation;
      cell.done.store(0, std::memory_order_release);
      table.next_cell = index + 1;
      return CellName{table.last_serial, index};
    }
  return {};
}

void Session::finish(const CellName& cell) {
  if (cell.serial) sync_table().cells[cell.index].done.store(1, std::memory_order_release);
}

bool Session::is_done(const CellName& cell) const {
  if (!cell.serial) return true;
  const FenceCell& found = sync_table().cells[cell.index % SyncTable::max_cells];
  // in this order: a cell that is given out anew gets its number first
  const bool done = found.done.load(std::memory_order_acquire);
  return found.serial.load(std::memory_order_acquire) != cell.serial || done;
}

bool Session::is_alive(const CellName& cell) const {
  Lock lock(*this);
  const FenceCell& found = sync_table().cells[cell.index % SyncTable::max_cells];
  return !is_done(cell) && is_alive(SharedFence{found.process, found.generation, 1});
}

CellName publish(const std::shared_ptr<Session>& session, const FencePtr& fence) {
  if (!fence || fence->done()) return {};
  if (auto* known = dynamic_cast<const CellFence*>(fence.get())) return known->cell();
  auto cell = session->make_cell();
  if (!cell) {
    wait_all(*session, {&fence, 1}, UINT64_MAX);
    return {};
  }
  when_done(session, fence, [session, cell = *cell] {
    session->finish(cell);
    session->notify();
  });
  return *cell;
}

Expected<std::shared_ptr<SharedLine>> SharedLine::make(std::shared_ptr<Session> session, const std::vector<Point>& points,
                                                       uint64_t reached) {
  std::shared_ptr<SharedLine> made;
  {
    Session::Lock lock(*session);
    SyncTable& table = session->sync_table();
    const uint32_t index = find_free(*session);
    if (index == SyncTable::max_syncobjs) return fail("{} sync objects are shared already", index);
    table.highest = std::max(table.highest, index + 1);
    SharedSyncobj& object = table.syncobjs[index];
    object.generation = (object.generation + 1) & generation_mask;
    object.count = 0;
    object.reached = reached;
    object.owners[session->fence_of(0).process] = 1;
    object.used = 1;
    made.reset(new SharedLine(session, index, object.generation));
  }
  for (auto& point : points) made->add_point(point.number, point.fence);
  return made;
}

std::shared_ptr<SharedLine> SharedLine::open(std::shared_ptr<Session> session, uint64_t position) {
  const uint32_t index = uint32_t(position), generation = uint32_t(position >> 32) & generation_mask;
  if (!is_syncobj(position) || index >= SyncTable::max_syncobjs) return nullptr;
  Session::Lock lock(*session);
  SharedSyncobj& object = session->sync_table().syncobjs[index];
  uint16_t& count = object.owners[session->fence_of(0).process];
  if (!object.used || object.generation != generation || count == UINT16_MAX) return nullptr;
  count++;
  return std::shared_ptr<SharedLine>(new SharedLine(session, index, generation));
}

SharedLine::~SharedLine() {
  Session::Lock lock(*session_);
  SharedSyncobj& object = entry();
  uint16_t& count = object.owners[session_->fence_of(0).process];
  if (count) count--;
  if (!has_owner(object) && !session_->has_descriptor_of_syncobj(index_)) object.used = 0;
}

void SharedLine::replace(const FencePtr& fence) {
  const CellName cell = publish(session_, fence);
  Session::Lock lock(*session_);
  SharedSyncobj& object = entry();
  object.reached = 0;
  object.points[0] = {0, cell};
  object.count = fence ? 1 : 0;
}

// Takes points off the line that are done, but for the last. The lock is held.
bool SharedLine::has_room(SharedSyncobj& object) const {
  uint32_t done = 0;
  while (done + 1 < object.count && session_->is_done(object.points[done].fence)) done++;
  if (done) {
    object.reached = std::max(object.reached, object.points[done - 1].number);
    std::copy(object.points + done, object.points + object.count, object.points);
    object.count -= done;
  }
  return object.count < max_points;
}

void SharedLine::add_point(uint64_t point, const FencePtr& fence) {
  const CellName cell = publish(session_, fence);
  for (;;) {
    FencePtr first;
    {
      Session::Lock lock(*session_);
      SharedSyncobj& object = entry();
      if (has_room(object)) {
        const uint64_t last = object.count ? object.points[object.count - 1].number : object.reached;
        object.points[object.count] = {std::max(point, last), cell};
        object.count++;
        return;
      }
      first = std::make_shared<CellFence>(session_, object.points[0].fence);
    }
    wait_all(*session_, {&first, 1}, UINT64_MAX);
    if (!first->done()) session_->finish(static_cast<const CellFence&>(*first).cell());  // its process is gone
  }
}

std::optional<FencePtr> SharedLine::find(uint64_t point) const {
  std::vector<FencePtr> all;
  {
    Session::Lock lock(*session_);
    const SharedSyncobj& object = entry();
    // (point 0 of a line is its last)
    if (object.count == 0 || (point != 0 && object.points[object.count - 1].number < point)) return {};
    for (uint32_t i = 0; i < object.count; ++i) {
      all.push_back(std::make_shared<CellFence>(session_, object.points[i].fence));
      if (point != 0 && object.points[i].number >= point) break;
    }
  }
  if (all.size() == 1) return all.front();
  return std::make_shared<FenceSet>(std::move(all));
}

uint64_t SharedLine::query(bool submitted) const {
  Session::Lock lock(*session_);
  const SharedSyncobj& object = entry();
  uint64_t reached = object.reached;
  for (uint32_t i = 0; i < object.count; ++i) {
    if (!submitted && !session_->is_done(object.points[i].fence)) break;
    reached = std::max(reached, object.points[i].number);
  }
  return reached;
}

}  // namespace Atoll::drm
