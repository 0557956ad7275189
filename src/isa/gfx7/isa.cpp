#include "isa/gfx7/isa.h"

#include <string_view>

#include "isa/gfx7/cell_names.h"
#include "isa/gfx7/decode.h"
#include "isa/gfx7/print.h"
#include "isa/gfx7/registers.h"
#include "isa/gfx7/semantics/semantics.h"
#include "wave/named_registers.h"

namespace Atoll::gfx7 {

using wave::Flow;
using wave::Step;

// MODE bits 3:0 round f32 and f64, 7:4 allow denormals in and out of each (FP_ROUND, FP_DENORM).
wave::FloatMode float_mode_of(uint32_t mode) {
  return {.round32 = wave::Rounding(mode & 3),
          .round64 = wave::Rounding(mode >> 2 & 3),
          .flush_in32 = !(mode >> 4 & 1),
          .flush_out32 = !(mode >> 5 & 1),
          .flush_in64 = !(mode >> 6 & 1),
          .flush_out64 = !(mode >> 7 & 1),
          .skip_vectors = bool(mode & MODE_VSKIP)};
}

namespace {

// Flat accesses to private memory look at FLAT_SCRATCH where they are called from compiled code, which writes registers at a
// region's end.
bool writes_flat_scratch(const Instruction& i) {
  for (const OperandRow& o : i.opcode->rows()) {
    bool scalar = (o.slot == Slot::Dst && o.kind == Kind::Sgpr) || o.slot == Slot::Sdst;
    if (scalar && (*slot_of(i, o.slot) & ~1) == FLAT_SCRATCH_LO) return true;
  }
  return false;
}

bool is_vector(Format format) {
  switch (format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
    case Format::SOPP:
    case Format::SMRD: return false;
    default: return true;
  }
}

class SeaIslands : public wave::Isa, public wave::NamedRegisters {
public:
  const char* name() const override { return "gfx7"; }
  wave::RegisterFile register_file() const override {
    return {register_file_bytes, scalar_cell(EXEC_LO), false, export_cell(MRT0, 0), attributes_begin};
  }
  std::string register_name(uint32_t cell, uint32_t words) const override { return cell_name(cell, words); }
  wave::FloatMode float_mode(const wave::Wave& wave) const override {
    return float_mode_of(wave::word_of(const_cast<wave::Wave&>(wave), mode_cell));
  }
  std::string text(const Step& step) const override {
    return step.instruction ? print(*static_cast<const Instruction*>(step.instruction)) : std::string();
  }

  Expected<void> decode(std::span<const uint32_t> code, Step& step, std::vector<std::shared_ptr<void>>& keep) const override {
    auto decoded = std::make_shared<Instruction>();
    std::span bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size_bytes());
    if (const char* why = decode_into(bytes, *decoded, Unused::ignored)) return fail("{}", why);
    const Opcode& row = *decoded->opcode;
    step.words = uint8_t(decoded->bytes / 4);
    step.instruction = decoded.get();
    step.flow = row.flow;
    step.float_class = row.float_class;
    step.ends_region = row.has(Flag::WritesMode) || writes_flat_scratch(*decoded);
    step.vector = is_vector(row.format);
    if (step.flow == Flow::Branch || step.flow == Flow::Conditional)
      step.target = step.pc + 4 + uint64_t(int64_t(int16_t(decoded->simm16))) * 4;
    keep.push_back(decoded);
    const SemanticEntry* semantics = find_semantics(row.name);
    if (!semantics) return fail("{} has no semantics yet", row.name);
    if (decoded->gds) semantics = find_semantics(any_on_gds);
    step.interpret = semantics->interpret;
    step.record = semantics->record;
    return {};
  }
};

}  // namespace

const wave::Isa& isa() {
  static const SeaIslands instance;
  return instance;
}

}  // namespace Atoll::gfx7
