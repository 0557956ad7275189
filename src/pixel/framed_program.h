// A pixel shader with a prolog and an epilog: one more step before its first instruction, which sets the wave's initial registers
// from its payload, and one after each instruction that ends it or sends pixels, which writes its results to the targets. Both are
// made of engine operations (payload.h, target_write.h) by the GPU's family, for its registers and one state of the pipeline. So the
// engines see one program, and it becomes one compiled function if the shader alone would.
//
// If pixels are tested after the shader has run, or blended with denormals, a second pass writes the results: the wave ends, and runs
// once more from a step behind the program that does nothing else (write()), to the nearest even and with denormals.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/host_level.h"
#include "pipeline/stages.h"
#include "wave/executor.h"
#include "wave/program.h"
#include "wave/recorded.h"

namespace Atoll::pixel {

// The prolog and epilog of a program. Functions get `state` through the step (frame_steps.h).
struct Frame {
  wave::InterpretFunction begin = nullptr, end = nullptr, write = nullptr;
  wave::RecordFunction record_begin = nullptr, record_end = nullptr, record_write = nullptr;
  std::shared_ptr<const void> state = nullptr;
  // True for steps that `end` follows (on a GPU whose messages write pixels: each message). Null: those that end the wave.
  bool (*writes)(const wave::Step& step) = nullptr;
  // Does such a step's own work, before `end`, in place of what it does in the plain program. Null: the same.
  wave::InterpretFunction sent = nullptr;
  wave::RecordFunction record_sent = nullptr;
  // Steps that do something else than in the plain program, where it is the same, and quicker. Null: there are none.
  bool (*replaces)(const void* state, const wave::Step& step) = nullptr;
  wave::InterpretFunction replaced = nullptr;
  wave::RecordFunction record_replaced = nullptr;
  uint32_t payload = 0;        // the cell of the wave's QuadPayload, behind all registers of the ISA
  uint32_t bytes = 0;          // of the payload and the family's own part of it
  bool one_primitive = false;  // for waves all of whose quads are of one
  bool second_pass = false;    // `write` follows when the wave has ended; `end`, if there is one, prepares the results that the
                               // pipeline's tests need
  // The wave is one of several among the pixels that are fed: what ends the program goes to `write` (and leaves the jump there to
  // `sent`), which jumps back to `begin` where another follows. It never does both.
  bool repeats = false;
};

// In the file that makes frames: the functions that ATOLL_FRAME_FUNCTIONS (frame_steps.h) has made, and a frame with those of the host
// level in use.
#define ATOLL_DECLARE_FRAME_FUNCTIONS                                       \
  ATOLL_IN_LEVELS(extern const wave::InterpretFunction frame_functions[3];) \
  namespace recording {                                                     \
  extern const wave::RecordFunction frame_functions[3];                     \
  }                                                                         \
  static pixel::Frame frame_of_host_level() {                               \
    const auto& functions = ATOLL_AT_LEVEL(frame_functions);                \
    return {.begin = functions[0],                                          \
            .end = functions[1],                                            \
            .write = functions[2],                                          \
            .record_begin = ATOLL_RECORDED(frame_functions[0]),             \
            .record_end = ATOLL_RECORDED(frame_functions[1]),               \
            .record_write = ATOLL_RECORDED(frame_functions[2])};            \
  }

// Step::instruction of a framed step.
struct FramedStep {
  const void* state = nullptr;
  uint64_t entry = 0;  // of the first step: where the program begins; of one that is replaced: what follows it
  bool goes = false;   // there
  bool ends = false;   // nothing follows
  wave::Step last;     // for steps that end the program, send or are replaced: the original step; for others their flow and
                       // target
};

class FramedIsa : public wave::Isa {
public:
  FramedIsa(const wave::Program& plain, uint64_t entry, const Frame& frame) : plain_(plain), entry_(entry), frame_(frame) {}
  // The word behind the program's is no instruction; the first step comes after it.
  uint64_t begin() const { return plain_.base() + (plain_.words() + 1) * 4u; }
  // The second pass follows it, or what repeats the program, and behind that the end.
  uint64_t write() const { return begin() + 4; }
  uint64_t end() const { return begin() + 8; }
  const char* name() const override { return plain_.isa().name(); }
  wave::RegisterFile register_file() const override;
  std::vector<bool> places_to_rejoin(std::span<const uint32_t> code) const override;
  Expected<void> decode(std::span<const uint32_t> code, wave::Step& step,
                        std::vector<std::shared_ptr<void>>& keep) const override;
  std::string text(const wave::Step& step) const override;
  wave::FloatMode float_mode(const wave::Wave& wave) const override { return plain_.isa().float_mode(wave); }

private:
  const wave::Program& plain_;
  const uint64_t entry_;
  const Frame frame_;
};

struct FramedProgram {
  // `entry`: the GPU address of the program's first instruction, to which nothing jumps.
  FramedProgram(const wave::Program& plain, uint64_t entry, const Frame& frame, wave::EngineChoice engine,
                const wave::Wave& like);
  // The PC at which its waves start: behind the program's own words.
  uint64_t begin() const { return isa.begin(); }
  // The PC of the second pass.
  uint64_t write() const { return isa.write(); }

  // True if its waves were so many that code for the most common of them alone pays off: about a million pixels.
  bool has_run_long() const { return executor.series_waves() > 16384; }

  const bool second_pass;
  wave::Wave like;
  std::vector<uint32_t> words;
  FramedIsa isa;
  wave::Program program;
  wave::Executor executor;
};

// The framed programs of one program, for the states that it met last: of each state those for waves of any quads, for blocks that a
// primitive covers whole, and for waves in which a pixel comes twice (pipeline::DirectKind).
template <class State>
class FramedPrograms {
  struct Entry;

public:
  // The programs for one state. It holds the lock: while it lives, nobody else looks for programs.
  class Found {
  public:
    // The program for `kind` if waves can run it now. Code that is made in the background is requested, unless `found_only`; until there is some, the
    // result is null. `make()` makes the program.
    template <class Make>
    std::shared_ptr<FramedProgram> ready(pipeline::DirectKind kind, wave::EngineChoice engine, const wave::FloatMode& mode,
                                         bool found_only, Make make) {
      std::shared_ptr<FramedProgram>& program = entry_.programs[size_t(kind)];
      if (!program) program = make();
      if (engine != wave::EngineChoice::Auto) return program;
      wave::Executor& executor = program->executor;
      const bool has_begin = executor.has_or_finds_code(program->begin(), mode);
      const bool has_write =
          !program->second_pass || executor.has_code(program->write(), mode) || executor.find_code(program->write(), mode);
      if (!has_begin && !found_only) executor.compile_soon(program->begin(), mode);
      if (!has_write && !found_only) executor.compile_besides(program->write(), mode);
      return has_begin && has_write ? program : nullptr;
    }

  private:
    friend FramedPrograms;
    Found(std::unique_lock<std::mutex> lock, Entry& entry) : lock_(std::move(lock)), entry_(entry) {}
    std::unique_lock<std::mutex> lock_;
    Entry& entry_;
  };
  Found find(const State& state) {
    std::unique_lock lock(mutex_);
    auto entry = std::ranges::find_if(entries_, [&](const Entry& e) { return e.state == state; });
    if (entry == entries_.end()) {
      if (entries_.size() < max_states) {
        entry = entries_.insert(entries_.end(), Entry{state});
      } else {
        entry = std::ranges::min_element(entries_, {}, &Entry::last_use);
        drop(*entry);
        *entry = Entry{state};
      }
    }
    entry->last_use = ++uses_;
    return Found(std::move(lock), *entry);
  }
  // True if some waves had to go by the pipeline though there was a framed program for others.
  bool has_misses() const { return lacks_.load(std::memory_order_relaxed); }
  void count_miss() {
    if (!has_misses()) lacks_.store(true, std::memory_order_relaxed);
  }
  void wait_for_compilation() {
    for (auto& program : programs()) program->executor.wait_for_compilation();
  }
  // The sums of Executor's values over all programs made so far.
  double compile_seconds() const {
    double sum = dropped_compile_seconds_.load();
    for (auto& program : programs()) sum += program->executor.compile_seconds();
    return sum;
  }
  uint64_t instructions_compiled() const {
    uint64_t sum = dropped_instructions_.load();
    for (auto& program : programs()) sum += program->executor.instructions_compiled();
    return sum;
  }
  // The memory that they take, approximately.
  size_t bytes() const {
    constexpr size_t per_word = sizeof(wave::Step) + 256, per_compiled = 2048;
    size_t sum = 0;
    for (auto& program : programs())
      sum += program->words.size() * per_word + program->executor.instructions_compiled() * per_compiled;
    return sum;
  }

private:
  static constexpr size_t max_states = 16;
  struct Entry {
    State state;
    std::array<std::shared_ptr<FramedProgram>, 3> programs = {};
    uint64_t last_use = 0;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  uint64_t uses_ = 0;
  std::atomic<bool> lacks_{false};
  std::atomic<double> dropped_compile_seconds_{0};
  std::atomic<uint64_t> dropped_instructions_{0};

  void drop(const Entry& entry) {
    for (auto& program : entry.programs)
      if (program) {
        dropped_compile_seconds_ = dropped_compile_seconds_ + program->executor.compile_seconds();
        dropped_instructions_ += program->executor.instructions_compiled();
      }
  }
  std::vector<std::shared_ptr<FramedProgram>> programs() const {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<FramedProgram>> all;
    for (const Entry& entry : entries_)
      for (auto& program : entry.programs)
        if (program) all.push_back(program);
    return all;
  }
};

}  // namespace Atoll::pixel
