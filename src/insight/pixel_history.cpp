#include "insight/pixel_history.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "gpu/device/reports.h"
#include "insight/watched_bytes.h"
#include "surface/texel.h"
#include "trace/player.h"

namespace Atoll::insight {
namespace {

using pipeline::FragmentEnd;
using pipeline::WatchedDepth;
using pipeline::WatchedTexel;

constexpr size_t max_surfaces = 256, max_fragments = 1 << 17;

// A surface that draws of the recording had as a target, with the pixel in it.
struct Surface {
  PixelTarget target;
  uint64_t end = 0;         // of its GPU addresses
  uint64_t begin_file = 0;  // its first byte, in the memory file
  bool is_depth = false;
  WatchedBytes bytes;  // that decide about the pixel
  struct Range {
    uint64_t offset, bytes;  // in the memory file
  };
  std::vector<Range> ranges;      // where they are
  bool looked_at = false;         // `bytes` has them
  std::optional<uint64_t> texel;  // where it stands as it is, in the memory file
  bool known = false;             // the values below are
  WatchedTexel last;
  WatchedDepth last_depth;
};

// Events of all surfaces, until it is known which is asked for.
struct Noted {
  size_t surface;
  size_t depth_surface = ~size_t(0);  // bound with it
  uint64_t frame, order;
  PixelEvent event;
  bool touches_colour = false, touches = false;
};

class Walk {
public:
  // `surfaces`: of a walk before, so that what happens to them is seen before the first draw into them, and by other views.
  explicit Walk(const PixelQuestion& question, std::vector<std::unique_ptr<Surface>> surfaces = {})
      : question_(question), surfaces_(std::move(surfaces)) {
    for (const auto& s : surfaces_) s->known = s->looked_at = false, s->bytes = {}, s->last = {}, s->last_depth = {};
    watch_.x = question.x, watch_.y = question.y, watch_.layer = question.layer, watch_.sample = question.sample;
    watch_.active = true;
    watch_.begun = [this](const pipeline::WatchedDraw& draw) { begin_draw(draw); };
    watch_.ended = [this](const pipeline::WatchedDraw& draw) { end_draw(draw); };
  }

  std::vector<std::unique_ptr<Surface>> take_surfaces() { return std::move(surfaces_); }

  Expected<PixelHistory> run() {
    collects_ = true;
    std::unique_ptr<trace::Cursor> cursor;  // beyond the answer, which needs its memory
    if (auto walked = walk({}, cursor); !walked) return std::unexpected(walked.error());
    Expected<PixelHistory> history = choose();
    if (history) {
      history->gpu = cursor_->result().gpu;
      if (read_to_end_) history->ending = cursor_->ending();
    }
    cursor_ = nullptr;
    return history;
  }

  // A surface's texel as it is in the end, where the replay is done with these options.
  Expected<PixelReader::Found> texel_in(size_t surface, trace::PlayOptions options) {
    std::unique_ptr<trace::Cursor> cursor;
    if (auto walked = walk(std::move(options), cursor); !walked) return std::unexpected(walked.error());
    cursor_ = nullptr;
    const Surface& s = *surfaces_[surface];
    return PixelReader::Found{s.known ? s.last : WatchedTexel(), cursor->result().lost.size()};
  }
  size_t chosen() const { return chosen_; }  // surface of the answer

private:
  const PixelQuestion& question_;
  pipeline::PixelWatch watch_;
  UseCollector collector_;
  trace::Cursor* cursor_ = nullptr;
  std::vector<std::unique_ptr<Surface>> surfaces_;
  std::vector<Noted> noted_;
  bool read_to_end_ = false, collects_ = false;  // what draws use, for the answer
  size_t chosen_ = 0;
  uint64_t frame_ = 0, submission_ = 0, queue_ = 0, order_ = 0;
  std::string packet_;
  uint64_t packet_address_ = 0;
  // Draws since the last end_work(): they are of its number.
  std::vector<size_t> unnumbered_;
  bool drew_ = false;
  size_t fragments_ = 0;                   // that are kept, of all events
  std::map<uint64_t, uint64_t> left_out_;  // events that there was no room for, by frame
  uint64_t bindings_left_out_ = 0;         // of targets, after max_surfaces of them
  // Frames (docs/pixel-history.md): by the largest colour targets.
  surface::Format main_format_;
  uint64_t largest_ = 0, main_file_ = ~uint64_t(0), main_submission_ = ~uint64_t(0);
  std::map<uint64_t, uint64_t> frame_of_submission_, draws_of_frame_;
  // Draws into a surface that did not touch the pixel, by frame and surface.
  std::map<std::pair<uint64_t, size_t>, std::vector<MissedDraw>> untouched_;
  std::vector<size_t> missed_here_;  // surfaces, of the draw at hand
  std::optional<pipeline::Rectangle> extent_here_;
  uint64_t largest_width_ = 0, largest_height_ = 0;

  Expected<void> walk(trace::PlayOptions options, std::unique_ptr<trace::Cursor>& cursor) {
    options.gpu = question_.gpu;
    options.gpu.deterministic = true;
    options.gpu.pixel_watch = &watch_;
    if (collects_) options.gpu.uses = &collector_.uses();
    options.gpu.before_packet = [this](const gpu::PacketPlace& place) { begin_packet(place); };
    options.drawn = [this](uint64_t draw) { end_work(draw); };
    options.before_submission = [this](uint64_t submission, uint64_t queue, gpu::QueueKind) {
      begin_submission(submission, queue);
    };
    options.after_submission = [this](uint64_t) { look(EventKind::packet); };
    auto opened = trace::Cursor::open(question_.file, std::move(options));
    if (!opened) return std::unexpected(opened.error());
    cursor = std::move(*opened);
    cursor_ = cursor.get();
    bool more = true;
    while (more && !is_past()) {
      auto next = cursor_->next();
      if (!next) return std::unexpected(next.error());
      more = *next;
    }
    read_to_end_ = !more;
    return {};
  }

  bool is_past() const {
    if (question_.submission) return cursor_->result().submissions > *question_.submission;
    return question_.frame && frame_ > *question_.frame;
  }

  // --- what moves

  void begin_submission(uint64_t submission, uint64_t queue) {
    forget_earlier_frames();
    submission_ = submission, queue_ = queue;
    packet_.clear(), packet_address_ = 0;
    look(EventKind::host);
    for (const auto& s : surfaces_)
      if (!s->looked_at && look_at(*s) && s->texel && !s->is_depth &&
          s->bytes.read(*s->texel, s->last.data.data(), s->target.texel_bytes))
        s->last.bytes = s->target.texel_bytes, s->known = true;
    frame_of_submission_[submission] = frame_;
  }
  void begin_packet(const gpu::PacketPlace& place) {
    look(EventKind::packet);
    packet_ = place.packet_digits ? fmt::format("{} {:#0{}x}", place.packet, place.packet_number, place.packet_digits + 2)
                                  : std::string(place.packet);
    packet_address_ = place.packet_address;
  }
  // A draw, clear or dispatch has ended that has a number.
  void end_work(uint64_t draw) {
    look(drew_ ? EventKind::draw : EventKind::dispatch, draw);
    const auto uses = std::make_shared<const DrawUses>(collector_.take());
    // (A packet may fill something first that has no number.)
    for (size_t n : unnumbered_)
      if (noted_[n].event.packet_address == packet_address_) noted_[n].event.draw = draw, noted_[n].event.uses = uses;
    unnumbered_.clear();
    for (size_t n : missed_here_) untouched_[{frame_, n}].push_back({draw, extent_here_, uses});
    missed_here_.clear();
    draws_of_frame_[frame_] += drew_;
    drew_ = false;
  }

  // Something else than a draw may have changed surfaces' bytes.
  void look(EventKind kind, std::optional<uint64_t> draw = {}) {
    for (size_t n = 0; n < surfaces_.size(); n++) {
      Surface& s = *surfaces_[n];
      if (!s.bytes.changed()) continue;
      PixelEvent event = here(kind);
      event.draw = draw;
      event.number = s.is_depth ? depth_target : 0;
      event.before = s.last, event.depth_before = s.last_depth;
      s.known = false;
      if (s.texel && !s.is_depth && s.bytes.read(*s.texel, s.last.data.data(), s.target.texel_bytes)) {
        s.last.bytes = s.target.texel_bytes;
        s.known = true;
        event.after = s.last;
      } else {
        s.last = {}, s.last_depth = {};
      }
      note(n, std::move(event), true);
    }
  }

  PixelEvent here(EventKind kind) const {
    PixelEvent event;
    event.kind = kind;
    event.submission = submission_, event.queue = queue_;
    if (kind != EventKind::host) event.packet = packet_, event.packet_address = packet_address_;
    return event;
  }

  // Drops notes of frames before the one that the answer is about: there is room for those of one.
  void forget_earlier_frames() {
    const uint64_t first = question_.submission ? frame_ : asked_frame();
    std::erase_if(untouched_, [&](const auto& entry) { return entry.first.first < first; });
    if (noted_.empty() || noted_.front().frame >= first) return;
    unnumbered_.clear();
    std::erase_if(noted_, [&](const Noted& noted) {
      if (noted.frame >= first) return false;
      fragments_ -= noted.event.fragments.size();
      return true;
    });
  }

  Noted* note(size_t surface, PixelEvent event, bool touches) {
    if (noted_.size() >= question_.most_events) {
      left_out_[frame_]++;
      fragments_ -= event.fragments.size();
      return nullptr;
    }
    Noted& noted = noted_.emplace_back();
    noted.surface = surface, noted.frame = frame_, noted.order = order_++;
    noted.touches = touches;
    noted.event = std::move(event);
    return &noted;
  }

  // --- draws

  // The surface of a target; nothing if the pixel is not in it, or it is in no memory.
  std::optional<size_t> surface_of(const pipeline::WatchedTarget& target) {
    if (!target.inside || target.place.bytes.empty()) return {};
    const pipeline::MemoryRange& first = target.place.bytes[0];
    const uint8_t* begin = target.surface.begin ? target.surface.begin : first.begin;
    const auto place = cursor_->find(begin);
    if (!place) return {};
    const bool is_depth = target.number == depth_target;
    for (size_t n = 0; n < surfaces_.size(); n++) {
      Surface& s = *surfaces_[n];
      if (s.begin_file == place->file_offset && s.is_depth == is_depth && s.target.format == target.format &&
          s.target.width == target.width && s.target.height == target.height)
        return n;
    }
    if (surfaces_.size() >= max_surfaces) {
      bindings_left_out_++;
      return {};
    }
    auto made = std::make_unique<Surface>();
    made->begin_file = place->file_offset, made->is_depth = is_depth;
    made->target = {.address = place->gpu_address,
                    .format = target.format,
                    .texel_bytes = target.texel_bytes,
                    .width = target.width,
                    .height = target.height,
                    .samples = target.samples};
    made->end = place->gpu_address + std::max<uint64_t>(1, target.surface.bytes);
    surfaces_.push_back(std::move(made));
    return surfaces_.size() - 1;
  }

  // The pixel's bytes as they stand now.
  void look_at(Surface& s, const pipeline::WatchedTarget& target) {
    s.texel.reset(), s.ranges.clear();
    if (const auto at = target.place.texel ? cursor_->find(target.place.texel) : std::nullopt) s.texel = at->file_offset;
    for (const pipeline::MemoryRange& range : target.place.bytes)
      if (const auto at = cursor_->find(range.begin))
        s.ranges.push_back({at->file_offset, std::min(range.bytes, page_bytes - at->file_offset % page_bytes)});
    look_at(s);
  }
  // False: not all of them are there yet.
  bool look_at(Surface& s) {
    s.bytes = {};
    bool all = cursor_->memory() && !s.ranges.empty();
    for (const Surface::Range& range : s.ranges) all = all && s.bytes.add(*cursor_->memory(), range.offset, range.bytes);
    if (!all) s.bytes = {};
    return s.looked_at = all;
  }

  void begin_draw(const pipeline::WatchedDraw& draw) {
    for (const pipeline::WatchedTarget& target : draw.targets) {
      largest_width_ = std::max<uint64_t>(largest_width_, target.width);
      largest_height_ = std::max<uint64_t>(largest_height_, target.height);
    }
    for (const pipeline::WatchedTarget& target : draw.targets)
      if (target.number != depth_target) {
        begin_frame(draw, target);
        break;
      }
    for (const pipeline::WatchedTarget& target : draw.targets) {
      const auto n = surface_of(target);
      if (!n) continue;
      Surface& s = *surfaces_[*n];
      const bool same = s.is_depth ? s.last_depth == target.depth_before : s.last == target.before;
      // An event before did something whose result was not to be seen in memory then.
      if (!s.known) {
        for (size_t k = noted_.size(); k-- > 0;)
          if (noted_[k].surface == *n && noted_[k].event.kind != EventKind::draw) {
            noted_[k].event.after = target.before, noted_[k].event.depth_after = target.depth_before;
            break;
          }
      } else if (!same) {
        // Not its bytes, but what they mean: the value of cleared tiles.
        PixelEvent event = here(EventKind::clear);
        event.number = target.number;
        event.before = s.last, event.depth_before = s.last_depth;
        event.after = target.before, event.depth_after = target.depth_before;
        note(*n, std::move(event), true);
      }
      s.known = true, s.last = target.before, s.last_depth = target.depth_before;
    }
  }

  void begin_frame(const pipeline::WatchedDraw& draw, const pipeline::WatchedTarget& target) {
    const uint64_t area = uint64_t(target.width) * target.height;
    if (area < largest_ || (area == largest_ && target.format != main_format_)) return;
    const pipeline::MemoryRange& range = target.surface;
    const auto place = range.begin ? cursor_->find(range.begin) : std::nullopt;
    const uint64_t file = place ? place->file_offset : 0;
    if (area == largest_ && main_submission_ != ~uint64_t(0) && submission_ != main_submission_ &&
        (file != main_file_ || draw.rectangle || draw.change))
      frame_++;
    largest_ = area, main_format_ = target.format, main_file_ = file, main_submission_ = submission_;
    frame_of_submission_[submission_] = frame_;
  }

  void end_draw(const pipeline::WatchedDraw& draw) {
    drew_ |= !draw.change;
    std::shared_ptr<const pipeline::StageProgram> program;
    if (!draw.program.lines.empty()) program = std::make_shared<const pipeline::StageProgram>(draw.program);
    std::optional<size_t> depth_surface;
    for (const pipeline::WatchedTarget& target : draw.targets)
      if (target.number == depth_target) depth_surface = surface_of(target);
    for (const pipeline::WatchedTarget& target : draw.targets) {
      const auto n = surface_of(target);
      if (!n) continue;
      Surface& s = *surfaces_[*n];
      look_at(s, target);
      s.known = true, s.last = target.after, s.last_depth = target.depth_after;
      const bool changed = target.before != target.after || target.depth_before != target.depth_after;
      if (draw.fragments.empty() && draw.not_covered.empty() && !changed) {
        missed_here_.push_back(*n), extent_here_ = draw.extent;
        continue;
      }
      PixelEvent event = here(draw.change ? EventKind::clear : EventKind::draw);
      event.number = target.number;
      event.colour = target.number == depth_target ? "" : fmt::format("colour {}", target.number);
      event.before = target.before, event.after = target.after;
      event.depth_before = target.depth_before, event.depth_after = target.depth_after;
      for (const pipeline::WatchedTarget& other : draw.targets)
        if (other.number == depth_target && other.inside)
          event.depth_before = other.depth_before, event.depth_after = other.depth_after;
      event.rectangle = draw.rectangle, event.primitives = draw.primitives, event.more = draw.more;
      for (const auto* list : {&draw.fragments, &draw.not_covered})
        for (const pipeline::Fragment& f : *list) {
          if (fragments_ < max_fragments)
            fragments_++, event.fragments.push_back({f, Verdict::killed});
          else
            event.more++;
        }
      event.program = program;
      if (Noted* noted = note(*n, std::move(event), true)) {
        if (depth_surface) noted->depth_surface = *depth_surface;
        unnumbered_.push_back(noted_.size() - 1);
      }
    }
  }

  // --- the answer

  static bool may_write(const PixelEvent& event) {
    if (event.kind != EventKind::draw || event.fragments.empty()) return true;
    return std::ranges::any_of(event.fragments, [&](const PixelFragment& f) { return f.fragment.written >> event.number & 1; });
  }

  uint64_t asked_frame() const {
    if (!question_.submission && !question_.frame) {
      // (A single draw behind the last frame copies the picture to where the program reads it.)
      for (auto frame = draws_of_frame_.rbegin(); frame != draws_of_frame_.rend(); frame++)
        if (frame->second > 1) return frame->first;
    }
    if (!question_.submission) return question_.frame.value_or(frame_);
    const auto found = frame_of_submission_.find(*question_.submission);
    return found == frame_of_submission_.end() ? frame_ : found->second;
  }
  bool is_asked(const Noted& noted, uint64_t frame) const {
    return noted.frame == frame && (!question_.submission || noted.event.submission <= *question_.submission);
  }

  Expected<PixelHistory> choose() {
    PixelHistory history;
    history.frames = draws_of_frame_.empty() && noted_.empty() ? 0 : frame_ + 1;
    history.read_to_end = read_to_end_;
    history.bindings_left_out = bindings_left_out_;
    if (question_.submission && *question_.submission >= cursor_->result().submissions)
      return fail("{}: submission {} of {} that it has, counted from 0", question_.file, *question_.submission,
                  cursor_->result().submissions);
    const uint64_t frame = history.frame = asked_frame();
    if (frame > frame_ || !history.frames)
      return fail("{}: frame {} of {} that it has, counted from 0: --submission names any point", question_.file, frame,
                  history.frames);
    std::vector<uint64_t> writes(surfaces_.size()), draws(surfaces_.size()), last(surfaces_.size());
    for (const Noted& noted : noted_) {
      if (!is_asked(noted, frame)) continue;
      draws[noted.surface] += noted.event.kind == EventKind::draw;
      if (may_write(noted.event)) writes[noted.surface]++, last[noted.surface] = noted.order + 1;
    }
    for (const auto& [at, numbers] : untouched_)
      if (at.first == frame) draws[at.second] += numbers.size();
    // By pixels, then draws (where a program reads its picture, drivers draw it once into another surface), then who was written last.
    const auto rank = [&](size_t n) {
      const PixelTarget& t = surfaces_[n]->target;
      return std::tuple(question_.target ? 0 : uint64_t(t.width) * t.height, question_.target ? 0 : draws[n], last[n]);
    };
    std::optional<size_t> chosen;
    for (size_t n = 0; n < surfaces_.size(); n++) {
      Surface& s = *surfaces_[n];
      s.target.writes = writes[n];
      if (s.is_depth) continue;
      const bool used = writes[n] || draws[n];
      if (used) history.targets.push_back(s.target);
      const bool asked = question_.target ? *question_.target >= s.target.address && *question_.target < s.end : used;
      if (asked && (!chosen || rank(n) >= rank(*chosen))) chosen = n;
    }
    if (!chosen && question_.target)
      return fail("{}: no colour target with pixel {},{} is at {:#x} in frame {}", question_.file, question_.x, question_.y,
                  *question_.target, frame);
    if (!chosen)
      return fail("{}: no colour target of frame {} has pixel {},{}: the largest has {}x{} pixels", question_.file, frame,
                  question_.x, question_.y, largest_width_, largest_height_);
    if (const auto left_out = left_out_.find(frame); left_out != left_out_.end()) history.events_left_out = left_out->second;
    fill(history, chosen_ = *chosen, frame);
    return history;
  }

  void fill(PixelHistory& history, size_t chosen, uint64_t frame) {
    history.target = surfaces_[chosen]->target;
    // Depth and stencil that draws into it go by.
    std::vector<size_t> depths;
    for (const Noted& noted : noted_)
      if (is_asked(noted, frame) && noted.surface == chosen && noted.depth_surface != ~size_t(0))
        depths.push_back(noted.depth_surface);
    for (Noted& noted : noted_) {
      if (!is_asked(noted, frame)) continue;
      const bool depth_alone = surfaces_[noted.surface]->is_depth && std::ranges::find(depths, noted.surface) != depths.end();
      if (noted.surface != chosen && !depth_alone) continue;
      // (Of a draw that has both, the colours' event tells of depth as well.)
      if (depth_alone && noted.event.kind == EventKind::draw && std::ranges::any_of(noted_, [&](const Noted& other) {
            return other.surface == chosen && other.depth_surface == noted.surface &&
                   other.event.submission == noted.event.submission && other.event.draw == noted.event.draw &&
                   other.event.kind == EventKind::draw;
          }))
        continue;
      history.events.push_back(std::move(noted.event));
    }
    judge(history);
    for (const auto& [at, numbers] : untouched_)
      if (at.first == frame && at.second == chosen) history.missed = numbers;
    const auto drawn = draws_of_frame_.find(frame);
    const uint64_t all = drawn == draws_of_frame_.end() ? 0 : drawn->second;
    const uint64_t listed =
        uint64_t(std::ranges::count_if(history.events, [](const PixelEvent& e) { return e.kind == EventKind::draw; }));
    history.draws_elsewhere = all - std::min(all, listed);
    for (const PixelEvent& event : history.events)
      if (event.number != depth_target && event.after.bytes) history.colour = event.after;
    if (history.events_left_out) history.colour = {}, history.made_by.reset();  // one of those may have made it
  }
};

}  // namespace

struct PixelReader::Surfaces {
  std::vector<std::unique_ptr<Surface>> all;
};

PixelReader::PixelReader(const PixelQuestion& question) : question_(question), surfaces_(std::make_unique<Surfaces>()) {}
PixelReader::~PixelReader() = default;

Expected<PixelHistory> history_of(const PixelQuestion& question) {
  auto reader = PixelReader::open(question);
  if (!reader) return std::unexpected(reader.error());
  return (*reader)->take_history();
}

Expected<std::unique_ptr<PixelReader>> PixelReader::open(const PixelQuestion& question) {
  if (question.x < 0 || question.y < 0) return fail("pixel {},{}: both are counted from 0", question.x, question.y);
  std::unique_ptr<PixelReader> reader(new PixelReader(question));
  for (int pass = 0; pass < 2; pass++) {
    Walk walk(question, std::move(reader->surfaces_->all));
    auto history = walk.run();
    if (!history) return std::unexpected(history.error());
    reader->history_ = std::move(*history), reader->chosen_ = walk.chosen();
    reader->surfaces_->all = walk.take_surfaces();
  }
  return reader;
}

Expected<PixelReader::Found> PixelReader::read(uint64_t submission, const trace::Edit& edit, const trace::ProgramWrites& writes) {
  PixelQuestion question = question_;
  question.frame.reset(), question.submission = submission;
  trace::PlayOptions options;
  options.edit = &edit, options.program_writes = &writes;
  Walk walk(question, std::move(surfaces_->all));
  auto found = walk.texel_in(chosen_, std::move(options));
  surfaces_->all = walk.take_surfaces();
  return found;
}

}  // namespace Atoll::insight
