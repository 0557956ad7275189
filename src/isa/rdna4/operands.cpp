#include "isa/rdna4/operands.h"

#include <bit>

namespace Atoll::rdna4 {

uint8_t selectable_halves(const Opcode& row) {
  if (row.op_sel != 0) return row.op_sel;
  if (row.has(Flag::ByteSel)) return row.source_count == 1 ? 3 : 0xc;
  uint8_t halves = 0;
  // V_CMP_CLASS_F16 finds its mask of classes in either half of a register (tests/isa/rdna4/card_digests_test.cpp), though a constant there
  // is one of 32 bits.
  bool is_comparison = row.format == Format::VOP3, of_halves = false;
  for (const OperandRow& o : row.rows()) {
    if (o.slot == Slot::Dst) is_comparison = false;
    if (o.slot == Slot::Src0) of_halves = o.type.half();
  }
  for (const OperandRow& o : row.rows()) {
    if (!o.type.half() && !(is_comparison && of_halves && o.slot == Slot::Src1)) continue;
    if (o.slot == Slot::Dst) {
      if (o.kind == Kind::Vgpr) halves |= 8;
    } else if (is_source(o.slot)) {
      halves |= uint8_t(1u << (unsigned(o.slot) - unsigned(Slot::Src0)));
    }
  }
  return halves;
}

namespace {

constexpr amd::RegisterName names[] = {
    {"vcc", VCC_LO, 2},
    {"vcc_lo", VCC_LO, 1},
    {"vcc_hi", VCC_HI, 1},
    {"exec", EXEC_LO, 2},
    {"exec_lo", EXEC_LO, 1},
    {"exec_hi", EXEC_HI, 1},
    {"m0", M0, 1},
    {"null", NULL_SGPR, 0},
    {"src_shared_base", SHARED_BASE, 0},
    {"src_shared_limit", SHARED_LIMIT, 0},
    {"src_private_base", PRIVATE_BASE, 0},
    {"src_private_limit", PRIVATE_LIMIT, 0},
    {"src_scc", SRC_SCC, 0},
    {"shared_base", SHARED_BASE, 0},
    {"shared_limit", SHARED_LIMIT, 0},
    {"private_base", PRIVATE_BASE, 0},
    {"private_limit", PRIVATE_LIMIT, 0},
    {"scc", SRC_SCC, 0},
    {"src_pops_exiting_wave_id", 239, 0, false},
    {"src_vccz", SRC_VCCZ, 0, false},
    {"src_execz", SRC_EXECZ, 0, false},
    {"pops_exiting_wave_id", 239, 0, false},
    {"vccz", SRC_VCCZ, 0, false},
    {"execz", SRC_EXECZ, 0, false},
};
constexpr amd::RegisterFileName files[] = {
    {.prefix = "v", .first = 0, .registers = 256, .vector = true, .halves = true},
    // The last two are VCC, under whose names they stand alone: tuples end there that Mesa's compiler makes (25.0.7 aco_ir.cpp,
    // init_program: sgpr_limit); LLVM makes none of them.
    {.prefix = "s", .first = 0, .registers = 108},
    {.prefix = "ttmp", .first = TTMP0, .registers = 16},
};

}  // namespace

const amd::RegisterNames registers{names, files};

bool has_fourth_address(const Opcode& row) {
  for (Flag extra : {Flag::Msaa, Flag::ImageOffset, Flag::ImageBias, Flag::ImageCompare, Flag::ImageGradient,
                     Flag::ImageGradient16, Flag::ImageLod, Flag::ImageLodClamp})
    if (row.has(extra)) return true;
  return false;
}

ImageShape image_shape(const Instruction& i) {
  // Coordinates and gradients for each DIM: 1D, 2D, 3D, cube, 1D array, 2D array, 2D MSAA, 2D MSAA array.
  static constexpr uint8_t coordinates[8] = {1, 2, 3, 3, 2, 3, 3, 4};
  static constexpr uint8_t gradients[8] = {2, 4, 6, 4, 2, 4, 4, 4};
  const Opcode& row = *i.opcode;
  unsigned dim = i.image_dimension & 7;
  ImageShape shape;
  if (row.has(Flag::Gather4) || row.has(Flag::Msaa)) {
    shape.data = 4;
  } else {
    shape.data = unsigned(std::popcount(i.dmask));
    if (shape.data == 0) shape.data = 1;
  }
  if (i.d16) shape.data = (shape.data + 1) / 2;
  if (i.tfe) ++shape.data;

  unsigned components = row.has(Flag::Query) && row.format == Format::VIMAGE ? 0 : coordinates[dim];
  if (row.has(Flag::Mip) || row.has(Flag::ImageLod) || row.has(Flag::ImageLodClamp)) ++components;
  if (row.format == Format::VSAMPLE && dim == 7 && !has_fourth_address(row)) components = 3;
  if (row.format == Format::VIMAGE && components > 4) components = 4;  // no mip levels in MSAA arrays
  shape.address = i.a16 ? (components + 1) / 2 : components;
  shape.address +=
      unsigned(row.has(Flag::ImageOffset)) + unsigned(row.has(Flag::ImageBias)) + unsigned(row.has(Flag::ImageCompare));
  if (row.has(Flag::ImageGradient)) shape.address += gradients[dim];
  if (row.has(Flag::ImageGradient16)) shape.address += (gradients[dim] / 2u + 1) / 2 * 2;
  return shape;
}

}  // namespace Atoll::rdna4
