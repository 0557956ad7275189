#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/registers.h"
#include "wave/named_registers.h"
#include "xe_lp_programs.h"

namespace Atoll::xe_lp::test {
namespace {

class EuMachine : public Machine {
public:
  const wave::Isa& isa(unsigned) const override { return xe_lp::isa(); }
  unsigned random_lanes(Random&) const override { return kChannels; }
  // cr0: denormals kept mostly, now and then another rounding.
  uint32_t random_mode(Random& r) const override {
    if (r.chance(60)) return 0x4c0;
    return (r.below(2) << 7) | (r.below(2) << 10) | (r.chance(50) ? r.below(4) << 4 : 0);
  }
  RandomProgram generate(Random& r, unsigned) const override { return random_program(r); }
  std::vector<uint32_t> nop() const override { return {0x60, 0, 0, 0}; }
  size_t row_count() const override { return 128; }
  size_t row_of(const wave::Step& step) const override { return size_t(static_cast<const Instruction*>(step.instruction)->op); }
  std::string row_name(size_t row) const override {
    const Opcode* opcode = find_opcode(unsigned(row));
    return opcode && opcode->op != Op::Illegal ? std::string(opcode->name) : std::string();
  }

private:
  void fill_registers(wave::Wave& w, Random& r, uint32_t mode) const override {
    for (uint32_t cell = grf_cell; cell < resume_cell; cell += 4) wave::word_of(w, cell) = r.word();
    for (uint32_t n = 0; n < 16; n += 2) wave::word_of(w, address_cell + n * 2) = r.below(0x1000) | r.below(0x1000) << 16;
    for (uint32_t n = 0; n < 2; n++) wave::word_of(w, flag_cell(n)) = r.next() & (r.chance(50) ? r.next() : ~0u);
    wave::word_of(w, active_cell) = r.chance(60) ? ~0u : r.chance(50) ? 0xffff : r.next();
    wave::word_of(w, control_cell) = mode;
    for (uint32_t n = 0; n < 16; n++) wave::word_of(w, state_cell + n * 4) = r.next();
    context_of(w) = {};
    lose_surfaces(w);
    context_of(w).instruction_base = code_base;
  }
  std::string register_name(uint32_t cell, unsigned) const override {
    const auto* named = dynamic_cast<const wave::NamedRegisters*>(&xe_lp::isa());
    std::string name = named ? named->register_name(cell, 1) : std::string();
    return name.empty() ? fmt::format("register file {:#x}", cell - grf_cell) : name;
  }
};

}  // namespace
}  // namespace Atoll::xe_lp::test

namespace Atoll::test {

std::unique_ptr<Machine> xe_lp_machine() { return std::make_unique<xe_lp::test::EuMachine>(); }

}  // namespace Atoll::test
