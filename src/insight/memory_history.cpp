#include "insight/memory_history.h"

#include <algorithm>
#include <array>
#include <climits>
#include <deque>

#include "gpu/device/reports.h"
#include "insight/watched_bytes.h"
#include "memory/access_trap.h"
#include "pipeline/pixel_watch.h"
#include "trace/player.h"
#include "trace/submitted_streams.h"

namespace Atoll::insight {
namespace {

constexpr unsigned depth_place = 8;
constexpr size_t most_parts = 64, most_part_bytes = 64, most_last = 1 << 16;

std::string target_text(unsigned number) {
  return number == depth_place ? std::string("depth") : fmt::format("colour {}", number);
}

// The place of the watched bytes.
struct Place {
  uint64_t space = 0;
  std::vector<MemoryHistory::Run> runs;
  uint64_t known_in = 0;  // the last submission in which it was so
};

bool is_whole(const std::vector<MemoryHistory::Run>& runs, uint64_t bytes) {
  uint64_t sum = 0;
  for (const auto& run : runs) sum += run.bytes;
  return sum == bytes;
}

// The mapped parts of a range, exactly.
std::vector<MemoryHistory::Run> runs_of(const AddressSpace& space, uint64_t address, uint64_t bytes) {
  std::vector<MemoryHistory::Run> runs;
  for (const AddressSpace::Part& part : space.mapped_parts(address, bytes)) {
    const uint64_t begin = std::max(part.gpu_address, address), end = std::min(part.gpu_address + part.bytes, address + bytes);
    const uint64_t offset = part.file_offset + (begin - part.gpu_address);
    if (begin >= end) continue;
    if (!runs.empty() && runs.back().address + runs.back().bytes == begin &&
        runs.back().file_offset + runs.back().bytes == offset)
      runs.back().bytes += end - begin;
    else
      runs.push_back({begin, offset, end - begin});
  }
  return runs;
}

// The places at which pages of the memory file are mapped that hold any byte of a run.
std::vector<AddressSpace::Part> pages_of(const AddressSpace& space, const MemoryHistory::Run& run) {
  const uint64_t begin = round_down(run.file_offset, page_bytes), end = round_up(run.file_offset + run.bytes, page_bytes);
  std::vector<AddressSpace::Part> pages;
  for (const AddressSpace::Part& part : space.mapped_parts(0, space.size())) {
    const uint64_t first = std::max(begin, part.file_offset), last = std::min(end, part.file_offset + part.bytes);
    if (first < last) pages.push_back({part.gpu_address + (first - part.file_offset), last - first, first, part.writable});
  }
  return pages;
}

class NoDevice : public trace::LookingDevice {
public:
  using LookingDevice::LookingDevice;
  void submission(gpu::QueueKind, AddressSpace&, std::span<const gpu::CommandBuffer>) override {}
};

// The address in the last submission in which something is mapped there.
Expected<Place> find_address(const MemoryQuestion& question) {
  std::optional<Place> found;
  trace::Cursor* at = nullptr;
  trace::PlayOptions options;
  options.executes = false;
  options.open = [](std::string_view name, const gpu::Options&) -> Expected<std::unique_ptr<gpu::Device>> {
    return std::make_unique<NoDevice>(std::string(name));
  };
  options.before_submission = [&](uint64_t submission, uint64_t, gpu::QueueKind) {
    for (uint64_t n = question.space.value_or(0); at->space(n) && (!question.space || n == *question.space); n++) {
      auto runs = runs_of(*at->space(n), question.address, question.bytes);
      if (!is_whole(runs, question.bytes)) continue;
      found = Place{n, std::move(runs), submission};
      break;
    }
  };
  auto cursor = trace::Cursor::open(question.file, std::move(options));
  if (!cursor) return std::unexpected(cursor.error());
  at = cursor->get();
  for (;;) {
    auto more = at->next();
    if (!more) return std::unexpected(more.error());
    if (!*more || (question.submission && at->result().submissions > *question.submission)) break;
  }
  if (found) return std::move(*found);
  if (!at->result().submissions && !at->ending().whole()) return fail("{} {}", question.file, at->ending().text());
  return fail(
      "{}: {:#x}+{} is not mapped as a whole {} while a submission runs: `atoll decode` shows addresses, and draw:N:colour0 is a "
      "draw's target",
      question.file, question.address, question.bytes,
      question.space ? fmt::format("in address space {}", *question.space) : std::string("in any address space"));
}

// The target of a draw.
Expected<Place> find_target(const MemoryQuestion& question) {
  const TargetName& wanted = *question.target;
  pipeline::PixelWatch watch;
  watch.x = wanted.pixel ? wanted.pixel->x : INT_MAX, watch.y = wanted.pixel ? wanted.pixel->y : INT_MAX;
  watch.active = true;
  std::vector<pipeline::WatchedTarget> targets;
  watch.ended = [&](const pipeline::WatchedDraw& draw) { targets = draw.targets; };
  trace::PlayOptions options;
  options.gpu = question.gpu;
  options.gpu.deterministic = true;
  options.gpu.pixel_watch = &watch;
  trace::Cursor* at = nullptr;
  std::optional<Expected<Place>> found;
  options.drawn = [&](uint64_t draw) {
    if (draw == wanted.draw) {
      const auto target = std::ranges::find(targets, wanted.number, &pipeline::WatchedTarget::number);
      if (target == targets.end()) {
        found = fail("{}: draw {} has no {}{}", question.file, draw, target_text(wanted.number),
                     targets.empty()
                         ? ", nor any other target: dispatches are counted with draws, `replay --png` names those that have one"
                         : "");
      } else if (wanted.pixel && !target->inside) {
        found = fail("{}: draw {}'s {} has {}x{} pixels", question.file, draw, target_text(wanted.number), target->width,
                     target->height);
      } else {
        std::vector<pipeline::MemoryRange> ranges = wanted.pixel ? target->place.bytes : std::vector{target->surface};
        if (wanted.pixel && target->place.texel) ranges = {{target->place.texel, target->texel_bytes}};
        Place place;
        place.known_in = at->result().submissions;
        for (const pipeline::MemoryRange& range : ranges)
          if (const auto begin = range.begin ? at->find(range.begin) : std::nullopt) {
            place.space = begin->space;
            for (const auto& run : runs_of(*at->space(begin->space), begin->gpu_address, range.bytes)) place.runs.push_back(run);
          }
        found = place.runs.empty() ? Expected<Place>(fail("{}: draw {}'s {} is in no memory of the recording", question.file,
                                                          draw, target_text(wanted.number)))
                                   : Expected<Place>(std::move(place));
      }
    }
    targets.clear();
  };
  auto cursor = trace::Cursor::open(question.file, std::move(options));
  if (!cursor) return std::unexpected(cursor.error());
  at = cursor->get();
  while (!found) {
    auto more = at->next();
    if (!more) return std::unexpected(more.error());
    if (!*more) return fail("{}: there is no draw {}: it has {}", question.file, wanted.draw, at->draws());
  }
  return std::move(*found);
}

class MemoryWalk {
public:
  MemoryWalk(const MemoryQuestion& question, Place place) : question_(question), place_(std::move(place)) {
    // (No pixel is inside of any target.)
    watch_.x = watch_.y = INT_MAX;
    watch_.active = true;
    watch_.begun = [this](const pipeline::WatchedDraw& draw) {
      drew_ = true, change_ = draw.change;
      for (const pipeline::WatchedTarget& target : draw.targets)
        if (const auto at = target.surface.begin ? cursor_->find(target.surface.begin) : std::nullopt)
          targets_.push_back({target.number, at->gpu_address, at->gpu_address + target.surface.bytes});
    };
    for (const auto& run : place_.runs) writers_.emplace_back(run.bytes);
  }

  Expected<MemoryHistory> run() {
    trap_ = AccessTrap::make();
    trace::PlayOptions options;
    options.gpu = question_.gpu;
    options.gpu.deterministic = true;
    options.gpu.pixel_watch = &watch_;
    options.gpu.before_packet = [this](const gpu::PacketPlace& place) {
      look(WriterKind::packet);
      packet_ = place.packet_digits ? fmt::format("{} {:#0{}x}", place.packet, place.packet_number, place.packet_digits + 2)
                                    : std::string(place.packet);
      packet_address_ = place.packet_address;
    };
    options.drawn = [this](uint64_t draw) {
      look(!drew_ ? WriterKind::dispatch : change_ ? WriterKind::clear : WriterKind::draw, draw);
      drew_ = change_ = false;
      targets_.clear();
    };
    options.before_submission = [this](uint64_t submission, uint64_t queue, gpu::QueueKind) {
      begin_submission(submission, queue);
    };
    options.after_submission = [this](uint64_t) {
      look(WriterKind::packet);
      if (trap_) trap_->watch({});
    };
    auto cursor = trace::Cursor::open(question_.file, std::move(options));
    if (!cursor) return std::unexpected(cursor.error());
    cursor_ = cursor->get();
    bool more = true;
    while (more && !(question_.submission && cursor_->result().submissions > *question_.submission)) {
      auto next = cursor_->next();
      if (!next) return std::unexpected(next.error());
      more = *next;
    }
    if (question_.submission && cursor_->result().submissions <= *question_.submission)
      return fail("{}: there is no submission {}: it has {}, counted from 0", question_.file, *question_.submission,
                  cursor_->result().submissions);
    if (!more) {
      packet_.clear(), packet_address_ = 0;
      submission_ = cursor_->result().submissions;
      look(WriterKind::host);
    }
    return finish(!more);
  }

private:
  struct BoundTarget {
    unsigned number;
    uint64_t begin, end;
  };
  const MemoryQuestion& question_;
  const Place place_;
  trace::Cursor* cursor_ = nullptr;
  pipeline::PixelWatch watch_;
  std::unique_ptr<AccessTrap> trap_;
  WatchedBytes bytes_;
  bool looked_at_ = false;  // bytes_ has them
  bool gone_ = false;       // the memory is somebody else's now
  std::deque<MemoryEvent> events_, accesses_;
  uint64_t first_event_ = 0;  // the number of events_[0]
  uint64_t accesses_left_out_ = 0, missed_ = 0;
  std::vector<std::vector<uint64_t>> writers_;  // by run and byte: the number of the event that wrote it, from 1
  uint64_t submission_ = 0, queue_ = 0;
  std::string packet_;
  uint64_t packet_address_ = 0;
  bool drew_ = false, change_ = false;
  std::vector<BoundTarget> targets_;  // of the draw at hand

  bool is_mapped() const {
    const AddressSpace* space = cursor_->space(place_.space);
    return space && std::ranges::all_of(place_.runs, [&](const MemoryHistory::Run& run) {
             const auto now = runs_of(*space, run.address, run.bytes);
             return now.size() == 1 && now[0].file_offset == run.file_offset && now[0].bytes == run.bytes;
           });
  }

  void begin_submission(uint64_t submission, uint64_t queue) {
    submission_ = submission, queue_ = queue;
    packet_.clear(), packet_address_ = 0;
    targets_.clear();
    drew_ = change_ = false;
    if (gone_) return;
    if (!is_mapped()) {
      gone_ = submission > place_.known_in;
      if (!gone_) forget();
      return;
    }
    if (!looked_at_) {
      bytes_ = {};
      looked_at_ = true;
      for (const auto& run : place_.runs) looked_at_ &= bytes_.add(*cursor_->memory(), run.file_offset, run.bytes, true);
      if (!looked_at_) bytes_ = {};
    }
    look(WriterKind::host);
    close_pages();
  }

  // Drops the history so far: it is another buffer's.
  void forget() {
    looked_at_ = false, bytes_ = {};
    events_.clear(), accesses_.clear();
    first_event_ = accesses_left_out_ = missed_ = 0;
    for (auto& run : writers_) std::ranges::fill(run, 0);
  }

  void close_pages() {
    if (!trap_ || !looked_at_) return;
    std::vector<AccessTrap::Page> pages;
    for (uint64_t n = 0; const AddressSpace* space = cursor_->space(n); n++)
      for (const auto& run : place_.runs)
        for (const AddressSpace::Part& part : pages_of(*space, run))
          for (uint64_t at = 0; at < part.bytes; at += page_bytes) {
            const uint64_t page = part.file_offset + at;
            pages.push_back({.host = space->host(part.gpu_address + at),
                             .writable = part.writable,
                             .begin = unsigned(std::max(run.file_offset, page) - page),
                             .end = unsigned(std::min(run.file_offset + run.bytes, page + page_bytes) - page)});
          }
    trap_->watch(std::move(pages));
  }

  void look(WriterKind kind, std::optional<uint64_t> draw = {}) {
    if (!looked_at_ || gone_) return;
    const AccessTrap::Seen seen = trap_ && kind != WriterKind::host ? trap_->take() : AccessTrap::Seen();
    missed_ += seen.missed;
    MemoryEvent event;
    bytes_.look([&](uint64_t offset, std::span<const uint8_t> before, std::span<const uint8_t> after) {
      for (size_t n = 0; n < place_.runs.size(); n++) {
        const auto& run = place_.runs[n];
        if (offset < run.file_offset || offset >= run.file_offset + run.bytes) continue;
        const uint64_t at = offset - run.file_offset;
        for (size_t k = 0; k < before.size(); k++) {
          if (before[k] == after[k]) continue;
          event.changed++;
          writers_[n][at + k] = first_event_ + events_.size() + 1;
        }
        if (event.parts.size() == most_parts) {
          event.parts_left_out++;
          return;
        }
        const size_t shown = std::min(before.size(), most_part_bytes);
        event.parts.push_back({run.address + at,
                               before.size(),
                               {before.begin(), before.begin() + ptrdiff_t(shown)},
                               {after.begin(), after.begin() + ptrdiff_t(shown)}});
        return;
      }
    });
    if (!event.changed && !seen.read && !seen.written) return;
    event.kind = kind, event.draw = draw;
    event.submission = submission_, event.queue = queue_;
    event.read = seen.read, event.stored = seen.written || event.changed;
    if (kind != WriterKind::host) event.packet = packet_, event.packet_address = packet_address_;
    for (const BoundTarget& target : targets_)
      if (event.target.empty() && std::ranges::any_of(place_.runs, [&](const auto& run) {
            return run.address < target.end && run.address + run.bytes > target.begin;
          }))
        event.target = target_text(target.number);
    auto& to = event.changed ? events_ : accesses_;
    to.push_back(std::move(event));
    if (to.size() <= question_.most_events) return;
    to.pop_front();
    (&to == &events_ ? first_event_ : accesses_left_out_)++;
  }

  MemoryHistory finish(bool read_to_end) {
    MemoryHistory history;
    history.gpu = cursor_->result().gpu;
    history.space = place_.space;
    history.submissions = cursor_->result().submissions;
    history.runs = place_.runs;
    history.unmapped = gone_;
    history.read_to_end = read_to_end;
    if (read_to_end) history.ending = cursor_->ending();
    history.events_left_out = first_event_, history.accesses_left_out = accesses_left_out_, history.accesses_missed = missed_;
    for (size_t n = 0; n < place_.runs.size(); n++) {
      const auto& run = place_.runs[n];
      std::vector<uint8_t> holds(run.bytes);
      if (looked_at_) bytes_.read_last(run.file_offset, holds.data(), holds.size());
      history.holds.insert(history.holds.end(), holds.begin(), holds.end());
      for (size_t k = 0; k < run.bytes; k++) {
        const uint64_t number = writers_[n][k];
        const std::optional<size_t> event =
            number > first_event_ ? std::optional<size_t>(number - 1 - first_event_) : std::nullopt;
        if (k && history.last.back().event == event)
          history.last.back().bytes++;
        else if (history.last.size() == most_last)
          history.last_left_out++, k = run.bytes;
        else
          history.last.push_back({run.address + k, 1, event});
      }
    }
    history.events.assign(std::make_move_iterator(events_.begin()), std::make_move_iterator(events_.end()));
    history.accesses.assign(std::make_move_iterator(accesses_.begin()), std::make_move_iterator(accesses_.end()));
    return history;
  }
};

}  // namespace

std::string_view name(WriterKind kind) {
  constexpr std::array<std::string_view, 5> names = {"draw", "clear", "dispatch", "packet", "host"};
  return names[size_t(kind)];
}

Expected<MemoryHistory> history_of(const MemoryQuestion& question) {
  if (!question.target) {
    if (!question.bytes || question.bytes > MemoryQuestion::most_bytes)
      return fail("{} bytes: from 1 to {} are looked at", question.bytes, MemoryQuestion::most_bytes);
    if (question.address > UINT64_MAX - question.bytes)
      return fail("{:#x}+{} goes beyond 64 bits", question.address, question.bytes);
  }
  auto place = question.target ? find_target(question) : find_address(question);
  if (!place) return std::unexpected(place.error());
  uint64_t bytes = 0;
  for (const auto& run : place->runs) bytes += run.bytes;
  if (bytes > MemoryQuestion::most_bytes)
    return fail("the target has {} bytes, {} are looked at: name a pixel of it (draw:N:colour0:X,Y), or its address {:#x}+BYTES",
                bytes, MemoryQuestion::most_bytes, place->runs[0].address);
  return MemoryWalk(question, std::move(*place)).run();
}

}  // namespace Atoll::insight
