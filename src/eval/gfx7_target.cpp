// Sea Islands' registers by the names of the assembler. Sea Islands register guide section 4 (SSRC0, SDST).
#include "eval/target.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/isa.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/registers.h"

namespace Atoll::eval {
namespace {

using namespace gfx7;

constexpr unsigned sgprs = 104, ttmps = 12, lanes_of_wave = 64;

struct Named {
  std::string_view name;
  uint32_t cell;
  unsigned bits;
};
constexpr Named named_registers[] = {
    {"vcc", scalar_cell(VCC_LO), 64},
    {"exec", scalar_cell(EXEC_LO), 64},
    {"scc", scc_cell, 1},
    {"m0", scalar_cell(M0), 32},
    {"mode", mode_cell, 32},
    {"vcc_lo", scalar_cell(VCC_LO), 32},
    {"vcc_hi", scalar_cell(VCC_HI), 32},
    {"exec_lo", scalar_cell(EXEC_LO), 32},
    {"exec_hi", scalar_cell(EXEC_HI), 32},
    {"flat_scratch_lo", scalar_cell(FLAT_SCRATCH_LO), 32},
    {"flat_scratch_hi", scalar_cell(FLAT_SCRATCH_LO + 1), 32},
};

class Gcn2Target : public Target {
public:
  std::span<const unsigned> wave_sizes() const override {
    static constexpr unsigned sizes[] = {lanes_of_wave};
    return sizes;
  }
  const wave::Isa& isa(unsigned, std::span<const uint32_t>) const override { return gfx7::isa(); }

  void initialise(wave::Wave& wave) const override {
    wave::word_of(wave, mode_cell) = MODE_DEFAULT;
    wave::word_of(wave, vgpr_count_cell) = kVgprCount;
    wave::word_of(wave, scalar_cell(EXEC_LO)) = wave::word_of(wave, scalar_cell(EXEC_HI)) = ~0u;
  }

  Expected<Register> find(std::string_view name, unsigned) const override {
    auto scalar = [](uint32_t cell, unsigned bits = 32) { return Register{{{cell}}, bits, false}; };
    unsigned n;
    if (numbered(name, "v", kVgprCount, n)) {
      Register r{{}, 32, true};
      for (unsigned l = 0; l < lanes_of_wave; l++) r.places.push_back({lane_cell(vgpr_cell(n), l)});
      return r;
    }
    if (numbered(name, "s", sgprs, n)) return scalar(scalar_cell(n));
    if (numbered(name, "ttmp", ttmps, n)) return scalar(scalar_cell(TTMP0 + n));
    for (const Named& r : named_registers)
      if (r.name == name) return scalar(r.cell, r.bits);
    return fail(
        "register '{}': there are v0-v{}, s0-s{}, ttmp0-ttmp{}, vcc, exec, flat_scratch (each also _lo and _hi), m0, scc, mode",
        name, kVgprCount - 1, sgprs - 1, ttmps - 1);
  }

  std::vector<std::string> names(unsigned) const override {
    std::vector<std::string> all;
    for (unsigned n = 0; n < kVgprCount; n++) all.push_back(fmt::format("v{}", n));
    for (unsigned n = 0; n < sgprs; n++) all.push_back(fmt::format("s{}", n));
    for (const char* name : {"vcc", "exec", "scc", "m0", "mode", "flat_scratch_lo", "flat_scratch_hi"}) all.push_back(name);
    for (unsigned n = 0; n < ttmps; n++) all.push_back(fmt::format("ttmp{}", n));
    return all;
  }

  Expected<std::vector<uint32_t>> assemble(std::string_view text, unsigned) const override {
    auto instruction = parse(text);
    if (!instruction) return std::unexpected(instruction.error());
    auto words = encode(*instruction);
    if (!words) return std::unexpected(words.error());
    return std::vector<uint32_t>(words->dwords.begin(), words->dwords.begin() + words->count);
  }
};

}  // namespace

const Target& gfx7_target() {
  static const Gcn2Target target;
  return target;
}

}  // namespace Atoll::eval
