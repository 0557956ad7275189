// The R5xx vertex shader as the engines see it. Its flow control is in registers (vertex_flow.h), so that an instruction set
// belongs to a program; a wave has 32 vertices (registers_vs.h).
#pragma once
#include <memory>
#include <vector>

#include "isa/r500/vertex_flow.h"
#include "wave/program.h"

namespace Atoll::r500::vs {

// Code without flow control, which runs past its last word (for `eval`).
const wave::Isa& vertex_isa();

// The code memory of a draw with what the registers say of it: a program for the engines. Waves start at start() and stop with
// Stop::End.
class VertexProgram {
public:
  // `code`: PVS code memory from instruction 0 on, as many words as were loaded; copied. An error: flow control leads out of it
  // or does not end.
  static Expected<std::unique_ptr<VertexProgram>> make(std::span<const uint32_t> code, const Flow& flow);
  const wave::Program& program() const { return *program_; }
  uint64_t start() const { return uint64_t(flow_.first) * 16; }
  const Flow& flow() const { return flow_; }
  std::span<const uint32_t> code() const { return code_; }
  uint64_t length() const { return length_; }  // instructions from start to end

private:
  VertexProgram(std::span<const uint32_t> code, const Flow& flow, uint64_t length);
  std::vector<uint32_t> code_;
  Flow flow_;
  uint64_t length_;
  std::unique_ptr<const wave::Isa> isa_;
  std::unique_ptr<wave::Program> program_;
};

}  // namespace Atoll::r500::vs
