#include "isa/r500/vertex_isa.h"

#include <algorithm>

#include "base/host_level.h"
#include "isa/r500/cell_names.h"
#include "isa/r500/decoded_vs.h"
#include "isa/r500/vertex_text.h"
#include "wave/named_registers.h"
#include "wave/recorded.h"

namespace Atoll::r500::vs {

// clang-format off
ATOLL_IN_LEVELS(
  void run_vertex(void* interpreter, const wave::Step& step);
  void run_rare_vertex(void* interpreter, const wave::Step& step);)
// clang-format on
namespace recording {
void record_vertex(wave::Recorder& recorder, const wave::Step& step);
}

namespace {

// `flow` outlives it; its instructions are numbered from GPU address 0 on. Null: without flow control.
class Vertex : public wave::Isa, public wave::NamedRegisters {
public:
  explicit Vertex(const Flow* flow) : flow_(flow) {}
  const char* name() const override { return "r500-vs"; }
  wave::RegisterFile register_file() const override {
    return {register_file_bytes, active_cell, false, output_cell(0, 0), output_cell(kOutputs, 0)};
  }
  std::string register_name(uint32_t cell, uint32_t) const override { return cell_name(cell); }
  // As the pixel shader's: docs/errata.md.
  wave::FloatMode float_mode(const wave::Wave&) const override { return {.flush_in32 = true, .flush_out32 = true}; }
  std::string text(const wave::Step& step) const override {
    return step.instruction ? print(static_cast<const Decoded*>(step.instruction)->words) : std::string();
  }
  Expected<void> decode(std::span<const uint32_t> code, wave::Step& step,
                        std::vector<std::shared_ptr<void>>& keep) const override {
    if (code.size() < kWords) return fail("{} words are left; an instruction of r500-vs has {}", code.size(), kWords);
    auto decoded = std::make_shared<Decoded>();
    std::copy_n(code.begin(), kWords, decoded->words.begin());
    if (std::string_view why = objection(decoded->words); !why.empty()) return fail("{}", why);
    decoded->instruction = instruction_of(decoded->words);
    step.instruction = decoded.get();
    step.words = kWords;
    step.float_class = wave::FloatClass::F32;
    bool called = decoded->instruction.relative();
    if (flow_) {
      decoded->flow = flow_, decoded->number = uint32_t(step.pc / (kWords * 4));
      decoded->control = control_at(*flow_, decoded->number);
      called |= !is_simple(*flow_, decoded->control, decoded->number);
      if (!decoded->control.empty()) step.flow = called ? wave::Flow::Indirect : flow_kind(*decoded, step.target);
    }
    if (called) {
      step.interpret = ATOLL_AT_LEVEL(run_rare_vertex);
    } else {
      step.interpret = ATOLL_AT_LEVEL(run_vertex);
      step.record = ATOLL_RECORDED(record_vertex);
    }
    keep.push_back(std::move(decoded));
    return {};
  }

private:
  const Flow* flow_;
  static wave::Flow flow_kind(const Decoded& d, uint64_t& target) {
    if (d.control.is_last) return wave::Flow::End;
    auto to = [&](uint32_t n) { target = uint64_t(n) * kWords * 4; };
    if (d.control.begins) {
      const FlowOperation& o = d.flow->operations[*d.control.begins];
      if (o.kind != FlowKind::jump) return wave::Flow::Next;
      return to(o.target_or_count), wave::Flow::Branch;
    }
    if (!d.control.loop_ends) return wave::Flow::Next;
    return to(d.flow->operations[d.control.loops_end[0]].resume), wave::Flow::Conditional;
  }
};

}  // namespace

const wave::Isa& vertex_isa() {
  static const Vertex isa(nullptr);
  return isa;
}

VertexProgram::VertexProgram(std::span<const uint32_t> code, const Flow& flow, uint64_t length)
    : code_(code.begin(), code.end()),
      flow_(flow),
      length_(length),
      isa_(std::make_unique<Vertex>(&flow_)),
      program_(std::make_unique<wave::Program>(*isa_, 0, code_)) {}

Expected<std::unique_ptr<VertexProgram>> VertexProgram::make(std::span<const uint32_t> code, const Flow& flow) {
  auto length = length_of(flow, uint32_t(code.size() / kWords));
  if (!length) return std::unexpected(length.error());
  return std::unique_ptr<VertexProgram>(new VertexProgram(code, flow, *length));
}

}  // namespace Atoll::r500::vs
