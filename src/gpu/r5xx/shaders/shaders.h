// Shader programs in the engines' form, kept by their code: the pixel shader's (US_CODE_*) and the vertex shader's (VAP_PVS_*).
// A program is compiled once, however often the same words are loaded again.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "gpu/r5xx/shaders/pixel_frame.h"
#include "gpu/r5xx/state.h"
#include "isa/r500/vertex_isa.h"
#include "wave/executor.h"
#include "wave/program.h"

namespace Atoll::r5xx {

using TextureForms = std::array<uint64_t, 16>;

struct Shader {
  std::vector<uint32_t> key;  // what identifies the program: its code words and the registers that delimit it
  std::vector<uint32_t> code;
  wave::Wave like;  // what all its waves have in common (wave::Executor)
  std::unique_ptr<wave::Program> pixel;
  std::unique_ptr<r500::vs::VertexProgram> vertex;
  const wave::Program* program = nullptr;  // one of the two
  std::unique_ptr<wave::Executor> executor;
  uint64_t first_pc = 0;
  unsigned temporaries = 0;                  // registers that have to be zeroed before a wave starts
  unsigned constants = 0;                    // constants that it can read
  uint8_t outputs = 0;                       // of pixel programs: bit n, output n is written somewhere
  uint16_t units = 0;                        // of pixel programs: bit n, texture unit n is looked into somewhere
  pixel::FramedPrograms<PixelFrame> framed;  // of pixel programs: for the states of the pipeline that they met last
  bool is_written = false;                   // to a file (shader_files.h)
  // What it samples (sampling::Form by unit, 0 of those that it does not use), as far as it has met any, and its likes that sample
  // something else: compiled code is specialised by it.
  std::optional<TextureForms> forms;
  std::vector<std::shared_ptr<Shader>> others;
};

class ShaderCache {
public:
  explicit ShaderCache(wave::EngineChoice engine) : engine_(engine) {}

  // The pixel program that US_CODE_ADDR, US_CODE_OFFSET and US_CODE_RANGE name. An error: they name none.
  Expected<std::shared_ptr<Shader>> pixel(const RegisterFile& registers, const PixelMemory& memory);
  // The same program where its units have textures of these forms.
  Expected<std::shared_ptr<Shader>> sampling(const std::shared_ptr<Shader>& pixel, TextureForms forms);
  // The vertex program that VAP_PVS_CODE_CNTL_0 and the flow control registers name.
  Expected<std::shared_ptr<Shader>> vertex(const RegisterFile& registers, const VertexMemory& memory);

  wave::EngineChoice engine() const { return engine_; }

  // Of all programs so far: seconds in the code generator, instructions that went through it.
  double compile_seconds() const;
  uint64_t instructions_compiled() const;
  // Waits for compilations under way.
  void wait_for_compilation();

private:
  static constexpr size_t max_programs = 256, max_forms = 16;  // (of a program)
  using List = std::list<std::shared_ptr<Shader>>;             // the last used first
  static std::shared_ptr<Shader> find(List& programs, std::span<const uint32_t> head, std::span<const uint32_t> words);
  Expected<void> make_executor(Shader& program) const;
  Expected<std::shared_ptr<Shader>> keep(List& programs, std::shared_ptr<Shader> program);
  void for_all(const std::function<void(Shader&)>& function) const;

  wave::EngineChoice engine_;
  List pixel_, vertex_;
  double forgotten_compile_seconds_ = 0;
  uint64_t forgotten_instructions_compiled_ = 0;
};

}  // namespace Atoll::r5xx
