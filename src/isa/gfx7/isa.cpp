#include "isa/gfx7/isa.h"

#include "isa/amd/isa.h"
#include "isa/gfx7/cell_names.h"
#include "isa/gfx7/decode.h"
#include "isa/gfx7/print.h"
#include "isa/gfx7/registers.h"
#include "isa/gfx7/semantics/semantics.h"
#include "isa/gfx7/wait_counters.h"
#include "wave/named_registers.h"

namespace Atoll::gfx7 {

using wave::Step;

wave::FloatMode float_mode_of(uint32_t mode) {
  wave::FloatMode floats = amd::float_mode_of(mode);
  floats.skip_vectors = bool(mode & MODE_VSKIP);
  return floats;
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
  std::shared_ptr<wave::WaitRule> wait_rule() const override { return wait_counters(); }
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
    step.vector = !amd::is_scalar(row.format);
    keep.push_back(decoded);
    // With GDS set, whatever the instruction, the GDS is meant.
    const SemanticEntry* semantics = find_semantics(row.name);
    if (semantics && decoded->gds) semantics = find_semantics(any_on_gds);
    if (auto done = amd::describe(row, int16_t(decoded->simm16), semantics, step); !done) return done;
    step.ends_region |= writes_flat_scratch(*decoded);
    return {};
  }
};

}  // namespace

const wave::Isa& isa() {
  static const SeaIslands instance;
  return instance;
}

}  // namespace Atoll::gfx7
