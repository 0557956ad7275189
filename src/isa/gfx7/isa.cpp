#include "isa/gfx7/isa.h"

#include <string_view>

#include "isa/gfx7/cell_names.h"
#include "isa/gfx7/decode.h"
#include "isa/gfx7/print.h"
#include "isa/gfx7/registers.h"
#include "isa/gfx7/semantics/semantics.h"
#include "wave/named_registers.h"

namespace Atoll::gfx7 {

using wave::FloatClass;
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

// The half of MODE that the arithmetic obeys is that of the first float type in the mnemonic: its result's.
FloatClass float_class_of(std::string_view name) {
  if (name.starts_with("v_cvt_pkrtz")) return FloatClass::None;  // made of integer operations
  size_t f32 = name.find("f32"), f64 = std::min(name.find("f64"), name.find("f16"));
  if (f32 == f64) return FloatClass::None;  // neither
  return f32 < f64 ? FloatClass::F32 : FloatClass::F64;
}

Flow flow_of(std::string_view name) {
  for (std::string_view stacked : {"s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join"})
    if (name == stacked) return Flow::Indirect;
  if (name.starts_with("s_cbranch")) return Flow::Conditional;
  if (name == "s_branch") return Flow::Branch;
  if (name == "s_setpc_b64" || name == "s_swappc_b64" || name == "s_rfe_b64" || name == "s_trap") return Flow::Indirect;
  // They may have to be executed again.
  for (std::string_view waits : {"ds_gws_barrier", "ds_gws_sema_p", "ds_ordered_count"})
    if (name == waits) return Flow::Indirect;
  if (name == "s_endpgm") return Flow::End;
  for (std::string_view stops : {"s_barrier", "s_sleep", "s_sethalt", "s_sendmsghalt"})
    if (name.starts_with(stops)) return Flow::Stop;
  return Flow::Next;
}

// Flat accesses to private memory look at FLAT_SCRATCH where they are called from compiled code, which writes registers at a
// region's end.
bool writes_flat_scratch(std::string_view name, const Instruction& i) {
  auto is = [](uint32_t operand) { return operand == FLAT_SCRATCH_LO || operand == FLAT_SCRATCH_LO + 1u; };
  bool scalar = name.starts_with("s_") || name.starts_with("v_readlane") || name.starts_with("v_readfirstlane");
  return (scalar && is(i.dst)) || is(i.sdst);
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
    std::string_view name = decoded->opcode->name;
    step.words = uint8_t(decoded->bytes / 4);
    step.instruction = decoded.get();
    step.flow = flow_of(name);
    step.float_class = float_class_of(name);
    step.ends_region = name.starts_with("s_setreg") || name == "s_setvskip" || writes_flat_scratch(name, *decoded);
    step.vector = is_vector(decoded->opcode->format);
    if (step.flow == Flow::Branch || step.flow == Flow::Conditional)
      step.target = step.pc + 4 + uint64_t(int64_t(int16_t(decoded->simm16))) * 4;
    keep.push_back(decoded);
    const SemanticEntry* semantics = find_semantics(name);
    if (!semantics) return fail("{} has no semantics yet", name);
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
