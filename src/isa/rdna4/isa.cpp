#include "isa/rdna4/isa.h"

#include "isa/amd/cell_names.h"
#include "isa/amd/isa.h"
#include "isa/rdna4/decode.h"
#include "isa/rdna4/operands.h"
#include "isa/rdna4/print.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/semantics/bundle.h"
#include "isa/rdna4/semantics/semantics.h"
#include "isa/rdna4/wait_counters.h"
#include "wave/named_registers.h"

namespace Atoll::rdna4 {

using wave::FloatClass;
using wave::Step;

wave::FloatMode float_mode_of(uint32_t mode) {
  wave::FloatMode floats = amd::float_mode_of(mode);
  floats.clamp_halves = mode & MODE_FP16_OVFL;
  return floats;
}

namespace {

class Rdna4 : public wave::Isa, public wave::NamedRegisters {
public:
  explicit Rdna4(unsigned wave_size) : wave_size_(wave_size) {}
  const char* name() const override { return "gfx12"; }
  wave::RegisterFile register_file() const override {
    const bool wide = wave_size_ == 64;
    return {.bytes = register_file_bytes(wide),
            .active_cell = scalar_cell(EXEC_LO),
            .results_begin = export_values_begin(wide),
            .results_end = register_file_end(wide)};
  }
  std::string register_name(uint32_t cell, uint32_t words) const override {
    return cell_name(registers, cell, words, wave_size_ == 64);
  }
  wave::FloatMode float_mode(const wave::Wave& wave) const override {
    return float_mode_of(wave::word_of(const_cast<wave::Wave&>(wave), mode_cell));
  }
  std::shared_ptr<wave::WaitRule> wait_rule() const override { return wait_counters(wave_size_); }
  std::string text(const Step& step) const override {
    return step.instruction ? print(*static_cast<const Instruction*>(step.instruction), {wave_size_}) : std::string();
  }

  Expected<void> decode(std::span<const uint32_t> code, Step& step, std::vector<std::shared_ptr<void>>& keep) const override {
    auto decoded = std::make_shared<Decoded>();
    std::span bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size_bytes());
    if (const char* why = decode_into(bytes, {wave_size_}, *decoded)) return fail("{}", why);
    const Instruction& i = decoded->main;
    step.words = uint8_t(i.bytes / 4);
    step.instruction = &i;
    keep.push_back(decoded);
    if (i.dual_x) return bundle(decoded, step, keep);
    return fill(i, step);
  }

private:
  unsigned wave_size_;

  static Expected<void> fill(const Instruction& i, Step& step) {
    step.instruction = &i;
    return amd::describe(*i.opcode, i.immediate, find_semantics(i.opcode->name), step);
  }

  // VOPD: both halves read before either writes (RDNA4 ISA 7.8).
  static Expected<void> bundle(const std::shared_ptr<Decoded>& decoded, Step& step, std::vector<std::shared_ptr<void>>& keep) {
    auto both = std::make_shared<Bundle>();
    both->instruction = decoded->main;
    both->x = both->y = step;
    if (auto done = fill(decoded->x, both->x); !done) return done;
    if (auto done = fill(decoded->y, both->y); !done) return done;
    for (uint16_t source : decoded->y.src) both->overlaps |= source == VGPR0 + decoded->x.dst;
    step.instruction = both.get();
    step.float_class = both->x.float_class != FloatClass::None ? both->x.float_class : both->y.float_class;
    const SemanticEntry* semantics = find_semantics("vopd");
    step.interpret = semantics->interpret;
    step.record = both->x.record && both->y.record ? semantics->record : nullptr;
    keep.push_back(both);
    return {};
  }
};

}  // namespace

const wave::Isa& isa(unsigned wave_size) {
  static const Rdna4 wave32(32), wave64(64);
  return wave_size == 64 ? wave64 : wave32;
}

}  // namespace Atoll::rdna4
