// RDNA4's registers by the names of the assembler. RDNA4 ISA 3.3-3.5.
#include "eval/stage.h"
#include "eval/target.h"
#include "isa/rdna4/exports.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/watched.h"

namespace Atoll::eval {
namespace {

using namespace rdna4;

constexpr unsigned sgprs = 106, ttmps = 16;
// The upper halves of the flat apertures, beyond every address that a window has; gpu/rdna4 has the same for launches.
constexpr uint32_t shared_aperture_high = 0x00010000, private_aperture_high = 0x00020000;

ExportValue value_of(Export e) {
  return {export_target_text(e.target), e.enabled, e.done, e.row, e.lanes, e.order, std::move(e.values)};
}

class Rdna4Target : public Target {
public:
  std::span<const unsigned> wave_sizes() const override {
    static constexpr unsigned sizes[] = {32, 64};
    return sizes;
  }
  const wave::Isa& isa(unsigned lanes, std::span<const uint32_t> words) const override {
    return rdna4::isa(lanes, {}, reads_exceptions(words) ? Exceptions::watched : Exceptions::unseen);
  }

  void initialise(wave::Wave& wave) const override {
    wave.flat_shared_high = shared_aperture_high, wave.flat_private_high = private_aperture_high;
    wave::word_of(wave, mode_cell) = MODE_DEFAULT;
    wave::word_of(wave, vgpr_count_cell) = kVgprCount;
    wave::word_of(wave, scalar_cell(EXEC_LO)) = ~0u;
    if (wave.lanes == 64) wave::word_of(wave, scalar_cell(EXEC_HI)) = ~0u;
    begin_exports(wave);
  }
  Expected<void> begin_stage(wave::Wave& wave, const Stage& stage) const override {
    auto state = rdna4_stage(stage, wave.lanes, {wave.lds, wave.lds_bytes});
    if (!state) return std::unexpected(state.error());
    write_state(*state, wave);
    return {};
  }
  bool has_stages() const override { return true; }
  bool is_stage_value(std::string_view stage, std::string_view name) const override { return eval::is_stage_value(stage, name); }
  ExportValue row(const wave::Wave& wave, const wave::RowExport& row) const override {
    return value_of(row_export(row, wave.lanes));
  }
  std::vector<ExportValue> exports(wave::Wave& wave) const override {
    std::vector<ExportValue> list;
    for (Export& e : exports_of(wave)) list.push_back(value_of(std::move(e)));
    return list;
  }

  Expected<Register> find(std::string_view name, unsigned lanes) const override {
    auto scalar = [](uint32_t cell, unsigned bits = 32) { return Register{{{cell}}, bits, false}; };
    unsigned n;
    if (numbered(name, "v", kVgprCount, n)) {
      Register r{{}, 32, true};
      for (unsigned l = 0; l < lanes; l++) r.places.push_back({vgpr_cell(n, lanes == 64) + l * 4});
      return r;
    }
    if (numbered(name, "s", sgprs, n)) return scalar(scalar_cell(n));
    if (numbered(name, "ttmp", ttmps, n)) return scalar(scalar_cell(TTMP0 + n));
    if (name == "vcc") return scalar(scalar_cell(VCC_LO), lanes);
    if (name == "exec") return scalar(scalar_cell(EXEC_LO), lanes);
    if (name == "vcc_lo") return scalar(scalar_cell(VCC_LO));
    if (name == "vcc_hi") return scalar(scalar_cell(VCC_HI));
    if (name == "exec_lo") return scalar(scalar_cell(EXEC_LO));
    if (name == "exec_hi") return scalar(scalar_cell(EXEC_HI));
    if (name == "m0") return scalar(scalar_cell(M0));
    if (name == "scc") return scalar(scc_cell, 1);
    if (name == "mode") return scalar(mode_cell);
    return fail("register '{}': there are v0-v{}, s0-s{}, ttmp0-ttmp{}, vcc, exec (also _lo and _hi), m0, scc, mode", name,
                kVgprCount - 1, sgprs - 1, ttmps - 1);
  }

  std::vector<std::string> names(unsigned lanes) const override {
    std::vector<std::string> all;
    for (unsigned n = 0; n < kVgprCount; n++) all.push_back(fmt::format("v{}", n));
    for (unsigned n = 0; n < sgprs; n++) all.push_back(fmt::format("s{}", n));
    all.push_back("vcc");
    if (lanes == 32) all.push_back("vcc_hi");
    for (const char* name : {"exec", "scc", "m0", "mode"}) all.push_back(name);
    for (unsigned n = 0; n < ttmps; n++) all.push_back(fmt::format("ttmp{}", n));
    return all;
  }

  Expected<std::vector<uint32_t>> assemble(std::string_view text, unsigned lanes) const override {
    auto instruction = parse(text, {lanes});
    if (!instruction) return std::unexpected(instruction.error());
    auto words = encode(instruction->main, {lanes});
    if (!words) return std::unexpected(words.error());
    return std::vector<uint32_t>(words->dwords.begin(), words->dwords.begin() + words->count);
  }
};

}  // namespace

const Target& rdna4_target() {
  static const Rdna4Target target;
  return target;
}

}  // namespace Atoll::eval
