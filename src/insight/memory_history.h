// The writers and readers of bytes of GPU memory, found by doing a recording again (docs/memory-history.md, `who`).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "gpu/device/device.h"
#include "trace/reader.h"

namespace Atoll::insight {

// A target of a draw: all of its memory, or a pixel of it.
struct TargetName {
  uint64_t draw = 0;    // as `replay` counts draws and dispatches
  unsigned number = 0;  // of a colour; 8: depth and stencil
  struct Pixel {
    int x, y;
  };
  std::optional<Pixel> pixel;
};

struct MemoryQuestion {
  static constexpr uint64_t most_bytes = 16 << 20;
  std::string file;
  uint64_t address = 0, bytes = 4;
  std::optional<TargetName> target;    // instead of an address
  std::optional<uint64_t> space;       // the address space; none: the first that has something there
  std::optional<uint64_t> submission;  // at the end of this one; none: of the last
  size_t most_events = 1 << 16;        // the last ones stay
  gpu::Options gpu;
};

enum class WriterKind : uint8_t {
  draw,
  clear,  // of tiles or areas, without primitives
  dispatch,
  packet,  // any other
  host,    // the program's CPU, before the submission
};
std::string_view name(WriterKind kind);

struct MemoryEvent {
  WriterKind kind = WriterKind::packet;
  uint64_t submission = 0, queue = 0;
  std::optional<uint64_t> draw;
  std::string packet;  // empty: none
  uint64_t packet_address = 0;
  std::string target;  // of the draw, which has the bytes: "colour 0", "depth"; empty: none
  bool read = false;   // it read them as well
  bool stored = false;
  uint64_t changed = 0;  // bytes; 0: it only read, or stored what was there
  struct Part {
    uint64_t address;  // on the GPU
    uint64_t bytes;
    std::vector<uint8_t> before, after;  // of the first ones
  };
  std::vector<Part> parts;
  uint64_t parts_left_out = 0;
};

struct MemoryHistory {
  struct Run {
    uint64_t address = 0, file_offset = 0, bytes = 0;  // on the GPU; in the memory file
  };
  // Bytes with one last writer.
  struct Last {
    uint64_t address, bytes;
    std::optional<size_t> event;  // none: nobody, or one that is left out
  };
  std::string gpu;
  uint64_t space = 0;
  uint64_t submissions = 0;           // that were done
  std::vector<Run> runs;              // what is looked at
  std::vector<uint8_t> holds;         // in the end, of all runs
  std::vector<MemoryEvent> events;    // that changed it, in order
  std::vector<MemoryEvent> accesses;  // that did not
  std::vector<Last> last;
  uint64_t last_left_out = 0;                           // runs behind the first ones
  uint64_t events_left_out = 0, accesses_left_out = 0;  // earlier ones
  uint64_t accesses_missed = 0;                         // packets of which not all accesses were seen
  bool unmapped = false;                                // in the end its memory had gone: what was before is told
  trace::Ending ending;
  bool read_to_end = false;
};

Expected<MemoryHistory> history_of(const MemoryQuestion& question);

// One JSON object (docs/memory-history.md has its form), and lines for people.
std::string json_of(const MemoryQuestion& question, const MemoryHistory& history);
std::string text_of(const MemoryQuestion& question, const MemoryHistory& history);

}  // namespace Atoll::insight
