// Code as the engines see it: one Step for every code word of a stretch of GPU memory, decoded when first reached.
// The ISA turns words into steps; a step is all that the engines know of an instruction.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "wave/float_mode.h"
#include "wave/wave.h"

namespace Atoll::wave {

struct Step;
class Recorder;
class WaitRule;

// Runs one instruction: the first argument is the interpreter of the host level in use.
using InterpretFunction = void (*)(void* interpreter, const Step& step);
// Records the instruction's nodes.
using RecordFunction = void (*)(Recorder& recorder, const Step& step);

// The way control leaves an instruction.
enum class Flow : uint8_t {
  Next,    // to the following instruction
  Goes,    // to `target`, which is reached from here only, as if it were the next one
  Branch,  // to `target`, or also to the next one (Conditional)
  Conditional,
  Indirect,  // to an address in a register
  Stop,      // ends or halts the wave; may resume at the next instruction (barriers)
  End,       // ends the wave: nothing follows
};

struct Step {
  // Until decoded: a function that decodes. Another thread may be decoding the step: call ready() before reading fields.
  mutable InterpretFunction interpret = nullptr;
  const void* instruction = nullptr;  // the ISA's decoded form
  RecordFunction record = nullptr;    // null: the JIT calls `interpret`
  uint64_t pc = 0;                    // GPU address
  uint64_t target = 0;                // of Branch, Conditional and Goes
  uint8_t words = 1;                  // code words (4 bytes) that the instruction takes
  Flow flow = Flow::Next;
  FloatClass float_class = FloatClass::None;
  bool ends_region = false;  // changes something that compiled code assumes (float mode, wave size)
  bool decoded = false;
  bool rejoins = false;  // lanes that left the flow may come back here (Isa::places_to_rejoin)
  bool vector = false;   // skipped if FloatMode::skip_vectors is set
  // Address forms seen by loads and stores of this step, OR-ed per 16 lanes: a hint for the JIT, written without order.
  mutable uint8_t address_forms = 0;
  // The form that its image instruction was asked to sample (sampled_texture.h), a hint as well.
  mutable uint64_t texture_form = 0;

  // `interpret`, and with it every field that decoding has filled by then.
  InterpretFunction ready() const { return std::atomic_ref(interpret).load(std::memory_order_acquire); }

  // The PC of the step that follows it.
  uint64_t next_pc() const { return flow == Flow::Goes ? target : pc + words * 4u; }
};
enum AddressForm : uint8_t { kConsecutive = 1, kEqual = 2, kOther = 4 };

// Notes the form that the wave's image instruction is to be compiled for: that of the texture these words name (environment.h).
void note_texture(const Wave& wave, const uint32_t* resource, const uint32_t* sampler, TextureUse use = TextureUse::sampled);
// The same for other specialisations: a number that only the instruction understands, without the bit `other_form`.
void note_form(const Wave& wave, uint64_t form);
// The form that the recorder makes code for; many_forms: it calls the interpreter.
inline uint64_t met_form(const Step& step) {
  const uint64_t met = std::atomic_ref(step.texture_form).load(std::memory_order_relaxed);
  return met == many_forms ? met : met & ~other_form;
}

// The engines' view of a register file.
struct RegisterFile {
  uint32_t bytes = 0;        // size after register_file_offset
  uint32_t active_cell = 0;  // the mask of active lanes
  bool whole_wave = false;   // registers are byte regions: the JIT never works on a part of the lanes
  // Cells of results (exports): read when a wave has ended, even if none of its other registers are
  // (Wave::inspected).
  uint32_t results_begin = 0, results_end = 0;
  // Cells with the addresses of a wave's pixels (e.pixels): written by the code that launches it, never by the program.
  uint32_t pixels_begin = 0, pixels_end = 0;
  uint32_t mode_cell = 0;  // in a file of bytes: the word with the float mode; 0: there is none
};

// An instruction set. One object per ISA and wave size; stateless, shared by all threads.
class Isa {
public:
  virtual ~Isa() = default;
  virtual const char* name() const = 0;
  virtual RegisterFile register_file() const = 0;
  // The code words at which lanes that left the flow may rejoin it, a bit each; empty: none.
  virtual std::vector<bool> places_to_rejoin(std::span<const uint32_t>) const { return {}; }
  // Fills `step` (its pc is set, and whether lanes rejoin) from the code words at that address; `keep` owns what step.instruction points to.
  // An error makes the step an "illegal instruction" fault, which is raised only when the step is reached.
  virtual Expected<void> decode(std::span<const uint32_t> code, Step& step, std::vector<std::shared_ptr<void>>& keep) const = 0;
  virtual std::string text(const Step& step) const = 0;
  // The rule of --check=waits for a wave's instructions (findings.h); null: there is none, the hardware waits by itself.
  virtual std::shared_ptr<WaitRule> wait_rule() const { return nullptr; }
  // The wave's floating-point mode, read from its registers.
  virtual FloatMode float_mode(const Wave& wave) const = 0;
};

// A contiguous stretch of code in GPU memory.
class Program {
public:
  // `host` stays readable as long as the program; `base` is its GPU address, 4-byte aligned.
  Program(const Isa& isa, uint64_t base, std::span<const uint32_t> code);
  const Isa& isa() const { return isa_; }
  const RegisterFile& register_file() const { return register_file_; }
  uint64_t base() const { return base_; }
  uint32_t words() const { return uint32_t(code_.size()); }
  bool contains(uint64_t pc) const { return pc >= base_ && pc - base_ < code_.size() * 4 && !(pc & 3); }
  // The step at `pc`, decoded or not; outside of the program: a step that faults.
  const Step* at(uint64_t pc) const { return contains(pc) ? &steps_[(pc - base_) / 4] : &outside_; }
  // The slot in which the instruction at `pc` finds its texture first (sampled_texture.h), the same wherever the program lies; programs differ.
  uint32_t texture_slot(uint64_t pc) const { return wave::texture_slot(pc - base_ + slots_from_); }
  uint32_t index(uint64_t pc) const { return uint32_t((pc - base_) / 4); }
  // Decodes the step now if that has not been done. Thread-safe.
  const Step& decoded(const Step& step) const;
  std::span<const uint32_t> code() const { return code_; }
  // Tells it from other programs of the same words in the notes that processes keep for each other (program_note.h): what its textures
  // are, say, where each kind of them has a program of its own. Set before it first runs.
  mutable std::string variant;
  // Reason for an illegal instruction at `step`, empty when it is legal.
  std::string decode_error(const Step& step) const;

private:
  const Isa& isa_;
  RegisterFile register_file_;
  uint64_t base_;
  std::span<const uint32_t> code_;
  uint64_t slots_from_;  // by the program's words
  mutable std::vector<Step> steps_;
  Step outside_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<void>> keep_;
  mutable std::vector<bool> rejoins_;
  mutable bool surveyed_ = false;  // rejoins_ is made
  mutable std::vector<std::pair<uint64_t, std::string>> errors_;
};

// Entries of the interpreter in use, set by the host level (interpreter/level.h).
InterpretFunction decode_then_run();
InterpretFunction raise_illegal();
InterpretFunction raise_fetch_fault();

}  // namespace Atoll::wave
