// Programs in GPU memory, made ready to run and kept: found by address, compared with memory once a submission, since the CPU
// writes shaders without a word to the GPU. A program's end is nowhere written; it is found by following its branches.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/expected.h"
#include "gpu/sea_islands/shaders/pixel_frame.h"
#include "gpu/sea_islands/shaders/shader_context.h"
#include "memory/address_space.h"
#include "wave/executor.h"
#include "wave/program.h"

namespace Atoll::sea_islands {

struct Shader {
  uint64_t address = 0;         // GPU address of the first instruction
  uint64_t begin = 0;           // of the first word
  std::vector<uint32_t> words;  // a copy
  wave::Wave like;              // what all its waves have in common
  std::unique_ptr<wave::Program> program;
  std::unique_ptr<wave::Executor> executor;
  std::vector<uint8_t> attributes_read;      // by V_INTERP_*: attribute * 4 + channel, each once
  bool is_prolog = false;                    // it goes on to another program (prolog_end)
  pixel::FramedPrograms<PixelFrame> framed;  // for the states of the pipeline that it met last as a pixel shader
  uint64_t checked = 0;                      // the submission at which it was last compared with memory
  uint64_t used = 0;                         // when it was last found: the larger, the later

  // What it exports as a pixel shader; found out at the first call, from any thread.
  const ColourExports& colour_exports() const;

  // effects.h; found out at the first call, from any thread.
  bool only_reads() const;
  bool same_in_blocks(std::span<const unsigned> varying) const;

  // Memory that it takes, machine code and what belongs to it included: about.
  size_t bytes() const;

private:
  mutable std::once_flag exports_once_;
  mutable ColourExports exports_;
  mutable std::once_flag effects_once_;
  mutable bool only_reads_ = false;
  mutable std::mutex same_mutex_;
  mutable std::map<std::vector<unsigned>, bool> same_in_blocks_;
};

struct ProgramWords {
  uint64_t begin = 0;  // GPU address of the first
  std::vector<uint32_t> words;
};
// The words of the program at `address` (a multiple of 4) up to its end, and if it jumps to where a register says, up to `called`
// words (and whole pages) before and behind it. An error if nothing is mapped there.
Expected<ProgramWords> read_program(const AddressSpace& space, uint64_t address, size_t called);

// How a prolog goes on to its program, which stands anywhere: prologs load a vertex shader's inputs (Mesa radv_cmd_buffer.c,
// emit_prolog_inputs; ACO's select_vs_prolog).
struct PrologEnd {
  unsigned sgpr = 0;               // the first of two user SGPRs
  std::optional<uint32_t> offset;  // they hold the address of the program's address, less so many bytes; none: the program's
};
// Nothing for programs that end otherwise than by s_setpc_b64 to what user SGPRs say.
std::optional<PrologEnd> prolog_end(std::span<const uint32_t> words);

// What is kept of programs: those not used for longest go first.
struct ShaderLimits {
  size_t programs = 1000;
  size_t bytes = size_t(256) << 20;
};

class ShaderCache {
public:
  // `engine` of gpu::Options: auto, interpreter, jit.
  ShaderCache(AddressSpace& space, wave::EngineChoice engine, ShaderLimits limits = {},
              std::shared_ptr<wave::Findings> findings = nullptr)
      : space_(space), engine_(engine), limits_(limits), findings_(std::move(findings)) {}

  wave::EngineChoice engine() const { return engine_; }
  // Whether programs are watched (gpu::Options::findings): each instruction of theirs, and nothing beside them, runs then.
  bool watches() const { return findings_ != nullptr; }

  // Every program is compared with memory again before it next runs. At a submission's start and where caches are invalidated.
  void invalidate();
  uint64_t invalidations() const { return submission_.load(std::memory_order_relaxed); }

  // The program that begins at `address` (a multiple of 4). An error if nothing is mapped there. Any thread.
  // `privileged`: for waves that run it so, as a trap handler.
  Expected<std::shared_ptr<Shader>> find(uint64_t address, bool privileged = false);

  // Of all programs so far: seconds in the code generator, instructions that went through it.
  double compile_seconds() const;
  uint64_t instructions_compiled() const;
  // Waits for compilations under way.
  void wait_for_compilation();
  size_t programs() const;  // kept

private:
  using Shaders = std::map<std::pair<uint64_t, bool>, std::shared_ptr<Shader>>;  // by address, privileged
  using Dropped = std::vector<std::shared_ptr<Shader>>;

  AddressSpace& space_;
  const wave::EngineChoice engine_;
  const ShaderLimits limits_;
  const std::shared_ptr<wave::Findings> findings_;
  mutable std::mutex mutex_;
  std::atomic<uint64_t> submission_{1};
  uint64_t uses_ = 0;
  double dropped_compile_seconds_ = 0;
  uint64_t dropped_instructions_ = 0;
  Shaders shaders_;

  // Into `dropped`, which is to be destroyed without the lock: a program's end waits for its compilation. Whoever runs it still
  // holds it.
  void drop(Shaders::iterator which, Dropped& dropped);
  void make_room(Dropped& dropped);
};

// After Stop::Elsewhere: runs the wave in the programs to which it went (its trap handler), until it is back in `home`, with
// wave.stop Run, or has ended. `last` keeps the program it is in. False: the context is lost.
bool run_elsewhere(ShaderContext& context, const Shader& home, wave::Wave& wave, std::shared_ptr<Shader>& last,
                   const char* stage);
// For a moment: what a wave or a queue waits for may come.
void pause_waiting(unsigned round);

}  // namespace Atoll::sea_islands
