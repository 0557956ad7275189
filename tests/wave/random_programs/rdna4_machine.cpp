#include "isa/rdna4/exports.h"
#include "rdna4_programs.h"

namespace Atoll::rdna4::test {
namespace {

class Rdna4Machine : public Machine {
public:
  const wave::Isa& isa(unsigned lanes) const override { return rdna4::isa(lanes, {.vgprs = vgprs_}); }
  unsigned random_lanes(Random& r) const override { return r.chance(50) ? 32 : 64; }
  // Some waves have fewer registers than their programs name.
  void vary(Random& r, bool all_registers) override {
    vgprs_ = r.chance(70) ? kVgprCount : all_registers || r.chance(70) ? 112 : 10 + r.below(8);
  }
  uint32_t random_mode(Random& r) const override { return random_float_mode(r) | (r.chance(25) ? uint32_t(MODE_FP16_OVFL) : 0); }
  static uint32_t random_float_mode(Random& r) {
    switch (r.below(6)) {
      case 0:
      case 1: return MODE_DEFAULT;
      case 2: return 0xc0;  // f32 flushed
      case 3: return r.below(256);
      case 4: return r.below(16) * 0x10;
      default: return 0xf0 | r.below(16);
    }
  }
  RandomProgram generate(Random& random, unsigned lanes) const override { return test::generate(random, lanes); }
  size_t row_count() const override { return opcodes().size(); }
  size_t row_of(const wave::Step& step) const override {
    return size_t(static_cast<const Instruction*>(step.instruction)->opcode - opcodes().data());
  }
  std::string row_name(size_t row) const override { return test::row_name(row); }

private:
  uint32_t vgprs_ = kVgprCount;

  void fill_registers(wave::Wave& w, Random& random, uint32_t mode) const override {
    unsigned lanes = w.lanes;
    bool wide = lanes == 64;
    w.flat_shared_high = shared_high, w.flat_private_high = private_high;
    auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, scalar_cell(n)); };
    auto v = [&](uint32_t n, uint32_t l) -> uint32_t& { return wave::word_of(w, vgpr_cell(n, wide) + l * 4); };
    begin_exports(w);
    wave::word_of(w, mode_cell) = mode;
    wave::word_of(w, vgpr_count_cell) = vgprs_;
    wave::word_of(w, scc_cell) = random.next() & 1;
    for (uint32_t n = 0; n < DATA_SGPRS; n++) s(n) = random.word();
    s(VCC_LO) = random.next(), s(VCC_HI) = random.next(), s(M0) = random.below(4);
    s(SCRATCH_OFFSET) = random.below(16) * 4, s(SMALL_OFFSET) = random.below(16) * 4;
    s(BUFFER_BASE) = uint32_t(buffer_base), s(BUFFER_BASE + 1) = uint32_t(buffer_base >> 32);
    // V#: base, stride 0 or 16, records (bytes, or of 16 bytes), DST_SEL xyzw, a format; RDNA4 ISA 9.3.
    uint32_t stride = random.below(2) * 16;
    s(BUFFER_DESCRIPTOR) = uint32_t(buffer_base), s(BUFFER_DESCRIPTOR + 1) = uint32_t(buffer_base >> 32) | stride << 16;
    s(BUFFER_DESCRIPTOR + 2) = stride ? 0x200 : 0x2000;
    s(BUFFER_DESCRIPTOR + 3) = 4 | 5 << 3 | 6 << 6 | 7 << 9 | (20 + random.below(30)) << 12;
    for (uint32_t n = 0; n < 12; n++) s(IMAGE_DESCRIPTOR + n) = random.next();
    switch (random.below(4)) {
      case 0: s(EXEC_LO) = ~0u, s(EXEC_HI) = ~0u; break;
      case 1: s(EXEC_LO) = random.next(), s(EXEC_HI) = random.next(); break;
      case 2: s(EXEC_LO) = random.next() & random.next() & random.next(), s(EXEC_HI) = random.below(2) * random.next(); break;
      default: s(EXEC_LO) = ~0u << random.below(32), s(EXEC_HI) = ~0u >> random.below(32); break;
    }
    if (!wide) s(EXEC_HI) = 0;
    for (uint32_t n = 0; n < DATA_VGPRS; n++) {
      uint32_t kind = random.below(8), same = random.word();
      for (uint32_t l = 0; l < lanes; l++) v(n, l) = kind == 0 ? same : kind == 1 ? same + l : random.word();
    }
    for (uint32_t l = 0; l < lanes; l++) {
      v(ADDRESS + 1, l) = uint32_t(buffer_base >> 32), v(LANE_BASE, l) = l * 64;
      uint32_t aperture = random.below(3);
      v(FLAT_ADDRESS + 1, l) = aperture == 0 ? shared_high : aperture == 1 ? private_high : uint32_t(buffer_base >> 32);
    }
  }
  std::string register_name(uint32_t cell, unsigned lanes) const override {
    const bool wide = lanes == 64;
    if (cell >= export_values_begin(wide))
      return fmt::format("export source {} lane {}", (cell - export_values_begin(wide)) / (lanes * 4), cell / 4 % lanes);
    if (cell >= export_control_begin(wide)) return fmt::format("export control {}", (cell - export_control_begin(wide)) / 4);
    if (cell >= vgpr_base_cell) {
      uint32_t n = (cell - vgpr_base_cell) / 4;
      return fmt::format("v{} lane {}", n / lanes, n % lanes);
    }
    uint32_t n = (cell - wave::register_file_offset) / 4;
    if (cell == scc_cell) return "scc";
    if (cell == mode_cell) return "mode";
    switch (n) {
      case VCC_LO: return "vcc_lo";
      case VCC_HI: return "vcc_hi";
      case M0: return "m0";
      case EXEC_LO: return "exec_lo";
      case EXEC_HI: return "exec_hi";
      default: return n < 106 ? fmt::format("s{}", n) : fmt::format("scalar word {}", n);
    }
  }
};

}  // namespace
}  // namespace Atoll::rdna4::test

namespace Atoll::test {

std::unique_ptr<Machine> rdna4_machine() { return std::make_unique<rdna4::test::Rdna4Machine>(); }

}  // namespace Atoll::test
