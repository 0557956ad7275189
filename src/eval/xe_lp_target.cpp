// The registers of an Xe-LP EU thread: r0-r127 as eight dwords, a0, acc0 to acc7, cr0 and sr0 likewise, f0 and f1. All 32 channels run.
#include "eval/target.h"
#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/program.h"
#include "isa/xe_lp/registers.h"

namespace Atoll::eval {
namespace {

using namespace xe_lp;

class XeLpTarget : public Target {
public:
  std::span<const unsigned> wave_sizes() const override {
    static constexpr unsigned sizes[] = {kChannels};
    return sizes;
  }
  const wave::Isa& isa(unsigned, std::span<const uint32_t>) const override { return xe_lp::isa(); }
  void initialise(wave::Wave& wave) const override {
    wave::word_of(wave, active_cell) = ~0u;
    wave::word_of(wave, control_cell) = 0x4c0;  // as compilers have it: denormals are kept
    context_of(wave) = {};
    lose_surfaces(wave);
  }

  Expected<Register> find(std::string_view name, unsigned) const override {
    unsigned n;
    auto dwords = [](uint32_t cell) {
      Register r{{}, 32, true};
      for (uint32_t d = 0; d < kRegisterBytes / 4; d++) r.places.push_back({cell + d * 4});
      return r;
    };
    if (numbered(name, "r", kRegisters, n)) return dwords(grf_cell + n * kRegisterBytes);
    if (name == "a0") return dwords(address_cell);
    if (numbered(name, "acc", 8, n)) return dwords(accumulator_cell + n * kRegisterBytes);
    if (name == "cr0") return dwords(control_cell);
    if (name == "sr0") return dwords(state_cell);
    if (numbered(name, "f", 2, n)) return Register{{{flag_cell(n)}}, 32, false};
    return fail("register '{}': there are r0-r{}, a0, acc0-acc7, cr0, sr0, f0 and f1", name, kRegisters - 1);
  }

  std::vector<std::string> names(unsigned) const override {
    std::vector<std::string> all;
    all.reserve(kRegisters + 13);
    for (unsigned n = 0; n < kRegisters; n++) all.push_back(fmt::format("r{}", n));
    for (const char* name : {"a0", "acc0", "acc1", "acc2", "acc3", "acc4", "acc5", "acc6", "acc7", "cr0", "sr0", "f0", "f1"})
      all.push_back(name);
    return all;
  }

  Expected<std::vector<uint32_t>> assemble(std::string_view text, unsigned) const override {
    std::string line(text);
    return xe_lp::assemble({&line, 1});
  }
  Expected<std::vector<uint32_t>> assemble_all(std::span<const std::string> lines, unsigned) const override {
    return xe_lp::assemble(lines);
  }
};

}  // namespace

const Target& xe_lp_target() {
  static const XeLpTarget target;
  return target;
}

}  // namespace Atoll::eval
