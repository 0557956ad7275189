// Programs in GPU memory, made ready to run and kept: found by address, compared with memory once a submission, since the CPU
// writes shaders without a word to the GPU. A program's end is nowhere written; it is found by following its branches.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/expected.h"
#include "gpu/amd/shader_programs.h"
#include "gpu/sea_islands/shaders/pixel_frame.h"
#include "gpu/sea_islands/shaders/shader_context.h"
#include "memory/address_space.h"
#include "wave/executor.h"
#include "wave/program.h"

namespace Atoll::sea_islands {

struct Shader : gpu::amd::FramedShader<PixelFrame> {
  std::vector<uint8_t> attributes_read;  // by V_INTERP_*: attribute * 4 + channel, each once
  bool is_prolog = false;                // it goes on to another program (prolog_end)

  // Its colour exports as a pixel shader; found out at the first call, from any thread.
  const ColourExports& colour_exports() const;

  // effects.h; found out at the first call, from any thread.
  bool only_reads() const;
  bool same_in_blocks(std::span<const unsigned> varying) const;
  uint32_t covered_exports() const;

  size_t bytes() const;

private:
  mutable std::once_flag exports_once_, covered_once_;
  mutable ColourExports exports_;
  mutable std::once_flag effects_once_;
  mutable bool only_reads_ = false;
  mutable uint32_t covered_exports_ = 0;
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

struct ShaderSource {
  using Key = std::pair<uint64_t, bool>;  // GPU address; for waves that run it privileged, as a trap handler
  using Less = std::less<>;
  using Program = Shader;
  AddressSpace& space;
  wave::EngineChoice engine;
  std::shared_ptr<wave::Findings> findings;

  Expected<std::shared_ptr<Shader>> make(const Key& key) const;
  bool is_current(const Shader& shader) const { return shader.matches_memory(space); }
};

class ShaderCache : public gpu::amd::ShaderCache<ShaderSource> {
public:
  using gpu::amd::ShaderCache<ShaderSource>::ShaderCache;

  // The program that begins at `address` (a multiple of 4). An error if nothing is mapped there. Any thread.
  Expected<std::shared_ptr<Shader>> find(uint64_t address, bool privileged = false) {
    return ProgramCache::find(ShaderSource::Key(address, privileged));
  }
};

// After Stop::Elsewhere: runs the wave in the programs to which it went (its trap handler), until it is back in `home`, with
// wave.stop Run, or has ended. `last` keeps the program it is in. False: the context is lost.
bool run_elsewhere(ShaderContext& context, const Shader& home, wave::Wave& wave, std::shared_ptr<Shader>& last,
                   const char* stage);
// For a moment: what a wave or a queue waits for may come.
void pause_waiting(unsigned round);

}  // namespace Atoll::sea_islands
