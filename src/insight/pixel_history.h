// The history of a pixel in a frame of a recording: each draw, clear, copy, dispatch and write of the program's that touched it,
// in their order, found by doing the recording again (docs/pixel-history.md, `why`).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "gpu/device/device.h"
#include "insight/draw_uses.h"
#include "pipeline/pixel_watch.h"
#include "trace/edit.h"
#include "trace/reader.h"

namespace Atoll::insight {

inline constexpr unsigned depth_target = 8;  // PixelEvent::number of depth and stencil

struct PixelQuestion {
  std::string file;
  std::optional<uint64_t> frame;       // counted from 0; none: the last
  std::optional<uint64_t> submission;  // up to the end of this one, whatever its frame
  int x = 0, y = 0;
  unsigned layer = 0, sample = 0;
  std::optional<uint64_t> target;  // an address of the colour target; none: the one that is drawn into last
  size_t most_events = 1 << 16;    // of a frame, into whatever target
  gpu::Options gpu;
};

enum class Verdict : uint8_t { not_covered, killed, overwritten, drawn };
std::string_view name(Verdict verdict);

enum class EventKind : uint8_t {
  draw,
  clear,     // of tiles or areas, without primitives
  dispatch,  // of compute
  packet,    // any other: a copy, a fill, a write
  host,      // the program's CPU, between submissions
};
std::string_view name(EventKind kind);

struct PixelFragment {
  pipeline::Fragment fragment;
  Verdict verdict = Verdict::killed;
};

struct PixelEvent {
  EventKind kind = EventKind::draw;
  Verdict verdict = Verdict::drawn;
  pipeline::FragmentEnd end = pipeline::FragmentEnd::drawn;  // why, of the fragment that counts
  uint64_t submission = 0, queue = 0;
  std::optional<uint64_t> draw;  // its number, as `replay` and `registers-used` count draws and dispatches
  std::string packet;            // its name; empty: none
  uint64_t packet_address = 0;
  // The target's contents; unknown where the bytes of memory are not the texel's.
  pipeline::WatchedTexel before, after;
  pipeline::WatchedDepth depth_before, depth_after;
  std::string colour;       // the target's place among the draw's: "colour 0"; empty: depth and stencil alone
  unsigned number = 0;      // of that target
  bool rectangle = false;   // a rectangle of equal pixels: a clear or fill as drivers draw it
  uint64_t primitives = 0;  // of the draw
  uint64_t more = 0;        // fragments that are left out
  std::vector<PixelFragment> fragments;
  std::shared_ptr<const pipeline::StageProgram> program;
  std::shared_ptr<const DrawUses> uses;  // of a draw or dispatch
};

// A draw into the target that did not touch the pixel.
struct MissedDraw {
  uint64_t draw = 0;                          // its number
  std::optional<pipeline::Rectangle> extent;  // of its primitives' shapes; none: they lie outside of the target
  std::shared_ptr<const DrawUses> uses;
};

struct PixelTarget {
  uint64_t address = 0;  // on the GPU
  surface::Format format;
  unsigned texel_bytes = 0, width = 0, height = 0, samples = 1;
  uint64_t writes = 0;  // events in the frame that may have changed the pixel
};

struct PixelHistory {
  std::string gpu;
  uint64_t frame = 0, frames = 0;  // how many there were up to where the walk ended
  PixelTarget target;
  std::vector<PixelTarget> targets;  // all colour targets of the frame that have the pixel
  std::vector<PixelEvent> events;
  pipeline::WatchedTexel colour;   // in the end; unknown where events are left out
  std::optional<size_t> made_by;   // the event that wrote it last
  uint64_t draws_elsewhere = 0;    // draws of the frame that did not touch it
  std::vector<MissedDraw> missed;  // of these those into the target
  uint64_t events_left_out = 0;    // later events of the frame, into whatever target: more than were asked for
  uint64_t bindings_left_out = 0;  // how often a target was drawn into that was one too many to look at
  trace::Ending ending;            // of the recording; valid where it was read to its end
  bool read_to_end = false;
};

Expected<PixelHistory> history_of(const PixelQuestion& question);

// The pixel of a history, in replays that leave some work out (trace/edit.h).
class PixelReader {
public:
  static Expected<std::unique_ptr<PixelReader>> open(const PixelQuestion& question);
  ~PixelReader();
  const PixelHistory& history() const { return history_; }
  PixelHistory take_history() { return std::move(history_); }
  struct Found {
    pipeline::WatchedTexel texel;  // unknown where the bytes in memory are not the texel's
    size_t lost = 0;               // contexts that were lost
  };
  // It holds this behind a submission.
  Expected<Found> read(uint64_t submission, const trace::Edit& edit, const trace::ProgramWrites& writes);

private:
  explicit PixelReader(const PixelQuestion& question);
  struct Surfaces;
  const PixelQuestion question_;
  PixelHistory history_;
  std::unique_ptr<Surfaces> surfaces_;
  size_t chosen_ = 0;
};

// The texel in its format's components: floats' bits, or integers.
std::array<uint32_t, 4> components_of(const PixelTarget& target, const pipeline::WatchedTexel& texel);

// Verdicts of its events, from the last event to the first: what a later one replaced is overwritten.
void judge(PixelHistory& history);

// One JSON object (docs/pixel-history.md has its form), and lines for people.
std::string json_of(const PixelQuestion& question, const PixelHistory& history);
std::string text_of(const PixelQuestion& question, const PixelHistory& history);

}  // namespace Atoll::insight
