#include "isa/gfx7/operands.h"

#include <bit>

namespace Atoll::gfx7 {
namespace {

constexpr amd::RegisterName names[] = {
    {"flat_scratch", 104, 2},
    {"flat_scratch_lo", 104, 1},
    {"flat_scratch_hi", 105, 1},
    {"vcc", 106, 2},
    {"vcc_lo", 106, 1},
    {"vcc_hi", 107, 1},
    {"tba", 108, 2},
    {"tba_lo", 108, 1},
    {"tba_hi", 109, 1},
    {"tma", 110, 2},
    {"tma_lo", 110, 1},
    {"tma_hi", 111, 1},
    {"m0", 124, 1},
    {"exec", 126, 2},
    {"exec_lo", 126, 1},
    {"exec_hi", 127, 1},
    {"src_vccz", 251, 0},
    {"src_execz", 252, 0},
    {"src_scc", 253, 0},
    {"src_lds_direct", 254, 0},
    {"vccz", 251, 0},
    {"execz", 252, 0},
    {"scc", 253, 0},
    {"lds_direct", 254, 0},
    {"src_flat_scratch_lo", 104, 1},
    {"src_flat_scratch_hi", 105, 1},
};

constexpr amd::RegisterFileName files[] = {
    {.prefix = "v", .first = 0, .registers = 256, .vector = true},
    {.prefix = "s", .first = 0, .registers = 104},
    {.prefix = "ttmp", .first = TTMP0, .registers = 12},
};

}  // namespace

const amd::RegisterNames registers{names, files};

bool takes_lds_direct(const Opcode& row) {
  if (!is_vector_alu(row.format) || row.has(Flag::Reversed)) return false;
  for (const OperandRow& o : row.rows())
    if (o.slot == Slot::Src0)
      return o.type.bits <= 32 && (o.kind == Kind::VectorSource || o.kind == Kind::VgprOrDirect || o.kind == Kind::ScalarSource);
  return false;
}

unsigned image_data_dwords(const Instruction& i) {
  unsigned components = unsigned(std::popcount(unsigned(i.dmask)));
  if (components == 0) components = 1;
  if (i.opcode->has(Flag::Gather4)) components = 4;
  return components + unsigned(i.tfe);
}

}  // namespace Atoll::gfx7
