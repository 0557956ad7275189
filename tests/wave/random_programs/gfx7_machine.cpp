// The Sea Islands wave that runs the random programs.
#include "gfx7_programs.h"
#include "isa/gfx7/registers.h"

namespace Atoll::gfx7::test {
namespace {

class Gcn2Machine : public Machine {
public:
  const wave::Isa& isa(unsigned) const override { return gfx7::isa(); }
  unsigned random_lanes(Random&) const override { return 64; }
  uint32_t random_mode(Random& r) const override {
    switch (r.below(6)) {
      case 0:
      case 1: return MODE_DEFAULT | MODE_DX10_CLAMP;
      case 2: return 0xf0;
      case 3: return r.below(1024);
      case 4: return r.below(16) * 0x10;
      default: return MODE_DEFAULT | r.below(16);
    }
  }
  RandomProgram generate(Random& random, unsigned) const override { return Generator(random).program(); }
  size_t row_count() const override { return opcodes().size(); }
  size_t row_of(const wave::Step& step) const override {
    return size_t(static_cast<const Instruction*>(step.instruction)->opcode - opcodes().data());
  }
  std::string row_name(size_t row) const override {
    const Opcode& opcode = opcodes()[row];
    return class_of(opcode) == ClassCount ? "" : fmt::format("{} ({})", opcode.name, format_name(opcode.format));
  }

private:
  void fill_registers(wave::Wave& w, Random& random, uint32_t mode) const override {
    auto s = [&](uint32_t n) -> uint32_t& { return wave::word_of(w, scalar_cell(n)); };
    wave::word_of(w, mode_cell) = mode;
    wave::word_of(w, status_cell) = random.below(4) << 20;  // COND_DBG_USER, COND_DBG_SYS
    w.flat_shared_high = shared_high, w.flat_private_high = private_high;
    wave::word_of(w, vgpr_count_cell) = kVgprCount;
    wave::word_of(w, scc_cell) = random.next() & 1;
    for (uint32_t n = 0; n < DATA_SGPRS; n++) s(n) = random.word();
    s(VCC_LO) = random.next(), s(VCC_HI) = random.next(), s(M0) = random.below(4);
    switch (random.below(4)) {
      case 0: s(EXEC_LO) = ~0u, s(EXEC_HI) = ~0u; break;
      case 1: s(EXEC_LO) = random.next(), s(EXEC_HI) = random.next(); break;
      case 2: s(EXEC_LO) = random.next() & random.next() & random.next(), s(EXEC_HI) = random.below(2) * random.next(); break;
      default: s(EXEC_LO) = ~0u << random.below(32), s(EXEC_HI) = ~0u >> random.below(32); break;
    }
    s(SMALL_OFFSET) = random.below(8) * 8;
    s(BUFFER_BASE) = uint32_t(buffer_base), s(BUFFER_BASE + 1) = uint32_t(buffer_base >> 32);
    // V#: base, stride, records (bytes, or of that stride), DST_SEL, NUM_FORMAT, DATA_FORMAT; sometimes ELEMENT_SIZE,
    // INDEX_STRIDE, ADD_TID_ENABLE and SWIZZLE_ENABLE (SQ_BUF_RSRC_WORD0-3).
    static constexpr uint32_t strides[] = {0, 0, 0, 4, 16, 16, 32, 64};
    uint32_t stride = strides[random.below(8)], d = BUFFER_DESCRIPTOR;
    s(d) = uint32_t(buffer_base), s(d + 1) = uint32_t(buffer_base >> 32) | stride << 16;
    s(d + 2) = stride ? 0x2000 / stride : 0x2000;
    BufferFormat f = random_format(random);
    s(d + 3) = f.number << 12 | f.data << 15;
    static constexpr uint32_t selections[] = {0, 1, 4, 5, 6, 7};
    bool plain = random.chance(60);
    for (uint32_t c = 0; c < 4; c++) s(d + 3) |= (plain ? 4 + c : selections[random.below(6)]) << 3 * c;
    if (random.chance(25)) s(d + 3) |= random.below(32) << 19;
    if (stride && random.chance(40)) s(d + 1) |= 1u << 31;
    for (uint32_t n = 0; n < 12; n++) s(IMAGE_DESCRIPTOR + n) = random.next();
    auto fill = [&](uint32_t cell) {
      uint32_t kind = random.below(8), same = random.word();
      for (uint32_t l = 0; l < 64; l++)
        wave::word_of(w, lane_cell(cell, l)) = kind == 0 ? same : kind == 1 ? same + l : random.word();
    };
    for (uint32_t n = 0; n < DATA_VGPRS; n++) fill(vgpr_cell(n));
    for (uint32_t l = 0; l < 64; l++) {
      wave::word_of(w, lane_cell(vgpr_cell(LANE_BASE), l)) = l * 64;
      uint32_t aperture = random.below(3);
      wave::word_of(w, lane_cell(vgpr_cell(FLAT_HIGH), l)) = aperture == 0   ? shared_high
                                                             : aperture == 1 ? private_high
                                                                             : uint32_t(buffer_base >> 32);
    }
    for (uint32_t a = 0; a < attribute_count; a += 8)
      for (uint32_t n = 0; n < 12; n++)
        for (uint32_t q = 0; q < 16; q++) wave::word_of(w, attribute_cell(a, n / 3, n % 3) + q * 4) = random.word();
  }
  std::string register_name(uint32_t cell, unsigned) const override {
    if (cell >= attributes_begin) return fmt::format("attribute word {}", (cell - attributes_begin) / 4);
    if (cell >= export_control_end)
      return fmt::format("export channel {} lane {}", (cell - export_control_end) / lanes_bytes, cell / 4 % 64);
    if (cell >= export_control_begin) return fmt::format("export control {}", (cell - export_control_begin) / 4);
    if (cell >= vgpr_cell(0))
      return fmt::format("v{} lane {}", (cell - vgpr_cell(0)) / lanes_bytes, (cell - vgpr_cell(0)) / 4 % 64);
    if (cell == scc_cell) return "scc";
    if (cell == mode_cell) return "mode";
    uint32_t n = (cell - scalar_cell(0)) / 4;
    switch (n) {
      case VCC_LO: return "vcc_lo";
      case VCC_HI: return "vcc_hi";
      case M0: return "m0";
      case EXEC_LO: return "exec_lo";
      case EXEC_HI: return "exec_hi";
      default: return n < 104 ? fmt::format("s{}", n) : fmt::format("scalar word {}", n);
    }
  }
};

}  // namespace
}  // namespace Atoll::gfx7::test

namespace Atoll::test {

std::unique_ptr<Machine> gfx7_machine() { return std::make_unique<gfx7::test::Gcn2Machine>(); }

}  // namespace Atoll::test
