// Programs in GPU memory, made ready to run and kept: found by address and by what their waves have, compared with memory once a
// submission, since the CPU writes shaders without a word to the GPU. A program's end is nowhere written; it is found by following its
// branches.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/expected.h"
#include "gpu/amd/shader_programs.h"
#include "gpu/gfx12/shaders/like_blocks.h"
#include "gpu/gfx12/shaders/pixel_frame.h"
#include "gpu/gfx12/shaders/shader_context.h"
#include "memory/address_space.h"
#include "wave/executor.h"
#include "wave/program.h"

namespace Atoll::gfx12 {

// The key of a program: all that decides how the words at an address run.
struct ProgramKey {
  uint64_t address = 0;  // GPU address, a multiple of 4
  uint8_t lanes = 64;    // of a wave: 32 or 64
  uint16_t vgprs = 256;  // allocated to a lane (RDNA4 ISA 3.3.2.2: those beyond read as v0)
  bool exports = false;  // somebody takes what its waves export
  auto operator<=>(const ProgramKey&) const = default;
};

struct Shader : gpu::amd::FramedShader<PixelFrame> {
  ProgramKey key;
  bool leaves = false;     // it may go on in another program (s_setpc_b64 of prologs, of ray tracing's shaders)
  bool is_prolog = false;  // and does so always: it has no end of its own

  // Its facts as a pixel shader; found out at the first call, from any thread.
  const PixelProgram& pixel_program() const;
  Likeness likeness(std::span<const unsigned> varying) const;

  size_t bytes() const;

private:
  mutable std::once_flag pixel_once_;
  mutable PixelProgram pixel_program_;
  mutable std::mutex likeness_mutex_;
  mutable std::map<std::vector<unsigned>, Likeness> likeness_;  // by what varies
};

struct ProgramWords {
  uint64_t begin = 0;  // GPU address of the first
  std::vector<uint32_t> words;
  bool leaves = false, is_prolog = false;  // as in Shader
};
// The words of the program at `address` (a multiple of 4) up to its end, and if it jumps to places that it finds from its own, up to
// `called` words (and whole pages) before and behind it. An error if nothing is mapped there.
Expected<ProgramWords> read_program(const AddressSpace& space, uint64_t address, unsigned lanes, size_t called);

struct ShaderSource {
  using Key = ProgramKey;
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
};

}  // namespace Atoll::gfx12
