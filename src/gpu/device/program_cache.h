// Programs made ready to run, and kept with all that was compiled of them: each is found again by its key, and those not used for
// longest go first. One cache for all families: a family's Source says what a key is, how a program is made, and whether it is still
// what the GPU would run.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/expected.h"
#include "gpu/device/program_words.h"
#include "memory/address_space.h"
#include "wave/executor.h"
#include "wave/program.h"

namespace Atoll::gpu {

struct ProgramLimits {
  size_t programs = 1000;
  size_t bytes = size_t(256) << 20;
};

// The common part of every family's programs.
struct CachedProgram {
  std::vector<uint32_t> words;  // a copy
  wave::Wave like;              // what all its waves have in common
  // The executor's, whose end waits for compilations that read it: so it stands before the executor, and in no struct that is derived
  // from this one.
  std::shared_ptr<const wave::Program> program;
  std::unique_ptr<wave::Executor> executor;

  // A family whose programs have more code than this hides these three and bytes() with its own.
  double compile_seconds() const { return executor->compile_seconds(); }
  uint64_t instructions_compiled() const { return executor->instructions_compiled(); }
  void wait_for_compilation() const { executor->wait_for_compilation(); }

  // Makes the program's executor. An error: it makes no code, and nothing else is to run the program.
  Expected<void> make_executor(wave::EngineChoice engine, std::shared_ptr<wave::Findings> findings = nullptr) {
    executor = std::make_unique<wave::Executor>(*program, engine, like, wave::ExecutorOptions{.findings = std::move(findings)});
    if (engine == wave::EngineChoice::Jit && !executor->error().empty()) return fail("{}", executor->error());
    return {};
  }
  // Memory that the program takes, about: for each word its step and places in the tables of code; for what was compiled the code and
  // the regions that it points into; `decoded` for the instructions.
  size_t bytes(size_t decoded) const {
    constexpr size_t per_word = sizeof(uint32_t) + sizeof(wave::Step) + 2 * sizeof(void*) + 1, per_compiled = 2048;
    return words.size() * per_word + executor->instructions_compiled() * per_compiled + decoded;
  }
};

// A program that the GPU reads from memory. The CPU writes those without a word to the GPU.
struct ProgramInMemory : CachedProgram {
  uint64_t address = 0;  // GPU address of the first instruction
  uint64_t begin = 0;    // of the first word

  bool matches_memory(const AddressSpace& space) const { return holds_words(space, begin, words); }
};

// A Source has:
//   Key, Program; Less, by which keys are sorted (transparent, where find() is given something else)
//   Expected<std::shared_ptr<Program>> make(const Query& query), where no program is kept for `query`
//   bool is_current(const Program& program), asked once after each invalidate(): whether make() would make the same
// A Program has compile_seconds(), instructions_compiled(), wait_for_compilation(), and bytes(), the memory that it takes.
template <class Source>
class ProgramCache {
public:
  using Key = typename Source::Key;
  using Program = typename Source::Program;

  explicit ProgramCache(Source source, ProgramLimits limits = {}) : source_(std::move(source)), limits_(limits) {}

  // Every program is compared with what the GPU would run before it is next found. At a submission's start and where caches are
  // invalidated.
  void invalidate() {
    std::lock_guard lock(mutex_);
    invalidations_.fetch_add(1, std::memory_order_relaxed);
  }
  uint64_t invalidations() const { return invalidations_.load(std::memory_order_relaxed); }

  // Called with each program that is found, on the thread that looks for it. Set before any is looked for.
  std::function<void(const Program& program)> found;

  // The program for `query`, of which a Key can be made. An error: there is none, as the source says. Any thread.
  template <class Query>
  Expected<std::shared_ptr<Program>> find(const Query& query) {
    auto program = find_kept(query);
    if (found && program) found(**program);
    return program;
  }

  size_t programs() const {  // kept
    std::lock_guard lock(mutex_);
    return programs_.size();
  }
  // Totals of all programs so far: seconds in the code generator, instructions that went through it.
  double compile_seconds() const {
    std::lock_guard lock(mutex_);
    double seconds = dropped_compile_seconds_;
    for (auto& [key, entry] : programs_) seconds += entry.program->compile_seconds();
    return seconds;
  }
  uint64_t instructions_compiled() const {
    std::lock_guard lock(mutex_);
    uint64_t instructions = dropped_instructions_;
    for (auto& [key, entry] : programs_) instructions += entry.program->instructions_compiled();
    return instructions;
  }
  // Waits for compilations under way.
  void wait_for_compilation() {
    std::vector<std::shared_ptr<Program>> all;
    {
      std::lock_guard lock(mutex_);
      for (auto& [key, entry] : programs_) all.push_back(entry.program);
    }
    for (auto& program : all) program->wait_for_compilation();
  }

protected:
  const Source& source() const { return source_; }

private:
  struct Entry {
    std::shared_ptr<Program> program;
    uint64_t checked = 0;  // of invalidations_, when it was last compared
    uint64_t used = 0;     // when it was last found: the larger, the later
  };
  using Programs = std::map<Key, Entry, typename Source::Less>;
  using Dropped = std::vector<std::shared_ptr<Program>>;

  Source source_;
  const ProgramLimits limits_;
  mutable std::mutex mutex_;
  std::atomic<uint64_t> invalidations_{1};
  uint64_t uses_ = 0;
  double dropped_compile_seconds_ = 0;
  uint64_t dropped_instructions_ = 0;
  Programs programs_;

  template <class Query>
  Expected<std::shared_ptr<Program>> find_kept(const Query& query) {
    Dropped dropped;
    std::lock_guard lock(mutex_);
    if (auto kept = programs_.find(query); kept != programs_.end()) {
      Entry& entry = kept->second;
      entry.used = ++uses_;
      if (entry.checked == invalidations_) return entry.program;
      if (source_.is_current(*entry.program)) {
        entry.checked = invalidations_;
        return entry.program;
      }
      drop(kept, dropped);
    }
    Expected<std::shared_ptr<Program>> made = source_.make(query);
    if (!made) return made;
    make_room(dropped);
    programs_.emplace(Key(query), Entry{*made, invalidations_, ++uses_});
    return made;
  }
  // Into `dropped`, which is destroyed without the lock: a program's end waits for its compilation. Whoever runs it still holds it.
  void drop(typename Programs::iterator which, Dropped& dropped) {
    dropped_compile_seconds_ += which->second.program->compile_seconds();
    dropped_instructions_ += which->second.program->instructions_compiled();
    dropped.push_back(std::move(which->second.program));
    programs_.erase(which);
  }
  // For one more.
  void make_room(Dropped& dropped) {
    size_t bytes = 0;
    for (auto& [key, entry] : programs_) bytes += entry.program->bytes();
    while (!programs_.empty() && (programs_.size() >= limits_.programs || bytes > limits_.bytes)) {
      auto oldest = std::ranges::min_element(programs_, {}, [](const auto& entry) { return entry.second.used; });
      bytes -= std::min(bytes, oldest->second.program->bytes());
      drop(oldest, dropped);
    }
  }
};

}  // namespace Atoll::gpu
