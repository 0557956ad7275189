// A GPU as a kernel driver sees it: registers to write, queues to hand command buffers to. gpu/<family> implements it, drm/,
// trace/ and tests drive it; it knows no ioctl.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "gpu/device/budget.h"
#include "gpu/device/checks.h"
#include "gpu/device/engine.h"
#include "gpu/device/fault.h"
#include "memory/address_space.h"
#include "wave/counters.h"

namespace Atoll::pipeline {
struct PixelWatch;
}

namespace Atoll::gpu {

struct PacketPlace;  // reports.h
struct Uses;         // uses.h

enum class QueueKind : uint8_t { graphics, compute, copy };

struct CommandBuffer {
  uint64_t address = 0;  // GPU address, bytes
  uint32_t dwords = 0;
  bool constant_engine = false;  // for the constant engine of Sea Islands, beside the next one
};

// Counts of a queue so far, and what it met that is not modelled.
struct Statistics : wave::Counters {
  uint64_t submissions = 0, packets = 0, draws = 0, dispatches = 0;
  uint64_t instructions = 0;
  uint64_t vertices = 0, primitives = 0, pixels = 0;
  std::map<std::string_view, uint64_t> pixel_paths;  // pixels by the path that they took to their targets (pipeline::PixelPath)
  double seconds = 0, compile_seconds = 0;
  uint64_t instructions_compiled = 0;  // that went through the code generator, all tiers
  struct Unknown {
    std::string what;   // "packet 0x7f", "register 0x28cb4", "CB format 31"
    std::string where;  // of the first time: buffer address and offset
    uint64_t times = 0;
  };
  std::vector<Unknown> unknown;
};

// Executes commands one after the other with one state, like a ring of the hardware. Several queues of a device may run at
// once, each on a thread of its own; a queue that waits for memory (WAIT_REG_MEM) keeps its thread, and only that.
class Queue {
public:
  virtual ~Queue() = default;
  // Executes the buffers to their end on the calling thread, which is Atoll's own. An error: the context is lost, with the report
  // (packet and its address; for shaders also instruction, lane and address).
  virtual Expected<void> run(std::span<const CommandBuffer> buffers) = 0;
  virtual Statistics statistics() const = 0;
  // The fault by which a program lost the context, if one did.
  virtual std::optional<Fault> fault() const { return {}; }
  // Called between two run()s when there is no work for a while: idle threads end, and are started again with the next work.
  virtual void rest() {}
  // Waits until background compilation is done: for measurements.
  virtual void wait_for_compilation() {}
};

// All families obey all options, with the exceptions named here.
struct Options {
  Engine engine = Engine::Auto;
  unsigned threads = 0;  // 0: one for each processor
  bool strict = false;   // anything that is not modelled ends the context
  // One thread, and clocks that count how often they are read (no program of R5xx can read one): the same results every time.
  bool deterministic = false;
  // A queue counts as hanging if nothing moves for longer: no packet begins, no wave or tile ends, memory that it waits for does
  // not change (amdgpu's 10 seconds are too few for a GPU in software). 0: never.
  double max_still_seconds = 120;
  Limits limits{};  // of one submission
  // A trap that no handler takes ends the context (as HSA's runtime has it), else it is nothing. Means nothing on R5xx, whose
  // instruction sets have no trap.
  bool trap_faults = false;
  std::string shaders = {};  // folder that the programs of draws and dispatches are written into; empty: none (DG1 writes none)
  std::function<void()> shaders_unwritten = {};  // called once, on any thread, when one of them cannot be written
  // Findings of `--check`; null: nothing is looked for. With them all programs go through the interpreter.
  std::shared_ptr<Findings> findings = nullptr;
  // The pixel that draws report on (pipeline/pixel_watch.h); it outlives the device. With it only one queue runs at a time.
  pipeline::PixelWatch* pixel_watch = nullptr;
  // Called on a queue's thread as each packet begins, in its order.
  std::function<void(const PacketPlace& place)> before_packet = {};
  // Told of the programs and structures that draws and dispatches use (uses.h); it outlives the device.
  const Uses* uses = nullptr;
};

// A draw's render target, for pictures of a replay.
struct Picture {
  std::string name;  // "draw 3 colour 0"
  unsigned width = 0, height = 0;
  std::vector<uint8_t> rgba;  // 8 bits a component, rows from the top
};

// The targets of the draw that has just ended, with their contents at that time.
class DrawnInto {
public:
  virtual std::vector<Picture> pictures() = 0;

protected:
  ~DrawnInto() = default;
};
struct DrawnIntoNothing final : DrawnInto {
  std::vector<Picture> pictures() override { return {}; }
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;  // of `atoll gpus`
  // `space` outlives the queue.
  virtual Expected<std::unique_ptr<Queue>> make_queue(QueueKind kind, AddressSpace& space) = 0;
  // Starts what queues need besides a thread of their own: the watchdog's. An error: it could not be started. run() sees to it as
  // well.
  virtual Expected<void> start_watchdog() { return {}; }
  // MMIO, by byte address. Writing a ring's write pointer executes the ring's contents.
  virtual uint32_t read_register(uint32_t address) = 0;
  virtual void write_register(uint32_t address, uint32_t value) = 0;
  // The address space that MMIO rings work in (physical addresses on R5xx).
  virtual void attach(AddressSpace& space) = 0;
  virtual std::string report() const = 0;  // why the context of the MMIO rings was lost; empty while it lives
  // If set, called after every draw (and clear, and dispatch) on the thread that executes it, with its targets, which are valid
  // during the call: several queues may draw at once. Set before any queue runs.
  std::function<void(uint64_t draw, DrawnInto& into)> after_draw;
  // Another thread sets this to end running work soon, with an error.
  std::atomic<int> stop{0};
};

}  // namespace Atoll::gpu
