// Shader programs in the engines' form, kept by their code: the pixel shader's (US_CODE_*) and the vertex shader's (VAP_PVS_*).
// A program is compiled once, however often the same words are loaded again.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/expected.h"
#include "gpu/device/program_cache.h"
#include "gpu/r5xx/shaders/pixel_frame.h"
#include "gpu/r5xx/state.h"
#include "isa/r500/vertex_isa.h"
#include "wave/executor.h"
#include "wave/program.h"

namespace Atoll::r5xx {

using TextureForms = std::array<uint64_t, 16>;

struct Shader : gpu::CachedProgram {
  std::shared_ptr<const r500::vs::VertexProgram> vertex;  // null: a pixel program
  uint64_t first_pc = 0;
  uint32_t last = 0;                         // of pixel programs: the last instruction
  bool zero_rule = false;                    // of pixel programs: 0 times anything is 0
  unsigned temporaries = 0;                  // registers that have to be zeroed before a wave starts
  unsigned constants = 0;                    // constants that it can read
  uint8_t outputs = 0;                       // of pixel programs: bit n, output n is written somewhere
  bool kills = false;                        // of pixel programs: pixels may be killed somewhere
  uint16_t units = 0;                        // of pixel programs: bit n, texture unit n is looked into somewhere
  pixel::FramedPrograms<PixelFrame> framed;  // of pixel programs: for the states of the pipeline that they met last
  bool is_written = false;                   // to a file (shader_files.h)
  // The textures that it samples (sampling::Form by unit, 0 for those that it does not use), once it has met any, and the same
  // program for other textures: compiled code is specialised by them.
  std::optional<TextureForms> forms;
  std::vector<std::shared_ptr<Shader>> others;

  // An error: the engine makes no code.
  Expected<void> prepare(wave::EngineChoice engine) { return make_executor(engine); }
  // Its own, those of the programs that are framed, and of its likes.
  double compile_seconds() const;
  uint64_t instructions_compiled() const;
  void wait_for_compilation();
  size_t bytes() const;
};

// The key of a program: the registers that delimit it, and its words.
struct ShaderWords {
  std::span<const uint32_t> head, words;
  explicit operator std::vector<uint32_t>() const;
};

struct ShaderSource {
  using Key = std::vector<uint32_t>;
  // By size, then by words. (Most draws' programs are kept already: no key is made for them.)
  struct Less {
    using is_transparent = void;
    bool operator()(const ShaderWords& a, const ShaderWords& b) const;
    bool operator()(const Key& a, const Key& b) const { return (*this)(ShaderWords{a, {}}, ShaderWords{b, {}}); }
    bool operator()(const ShaderWords& a, const Key& b) const { return (*this)(a, split(b, a)); }
    bool operator()(const Key& a, const ShaderWords& b) const { return (*this)(split(a, b), b); }

  private:
    static ShaderWords split(const Key& key, const ShaderWords& like) {
      const size_t head = std::min(key.size(), like.head.size());
      return {std::span(key).first(head), std::span(key).subspan(head)};
    }
  };
  using Program = Shader;
  wave::EngineChoice engine;

  // The program that find() is about to be asked for, were it not kept.
  template <class Make>
  struct Query : ShaderWords {
    Make make;
  };
  template <class Make>
  Expected<std::shared_ptr<Shader>> make(const Query<Make>& query) const {
    auto shader = query.make();
    if (shader)
      if (auto made = (*shader)->prepare(engine); !made) return std::unexpected(made.error());
    return shader;
  }
  bool is_current(const Shader&) const { return true; }  // its key is all of it
};

class ShaderCache : public gpu::ProgramCache<ShaderSource> {
public:
  explicit ShaderCache(wave::EngineChoice engine) : ProgramCache({engine}, {.programs = 512}) {}

  // The pixel program that US_CODE_ADDR, US_CODE_OFFSET and US_CODE_RANGE name. An error: they name none.
  Expected<std::shared_ptr<Shader>> pixel(const RegisterFile& registers, const PixelMemory& memory);
  // The same program where its units have textures of these forms.
  Expected<std::shared_ptr<Shader>> sampling(const std::shared_ptr<Shader>& pixel, TextureForms forms);
  // The vertex program that VAP_PVS_CODE_CNTL_0 and the flow control registers name.
  Expected<std::shared_ptr<Shader>> vertex(const RegisterFile& registers, const VertexMemory& memory);

  wave::EngineChoice engine() const { return source().engine; }

private:
  static constexpr size_t max_forms = 16;  // of a program
};

}  // namespace Atoll::r5xx
