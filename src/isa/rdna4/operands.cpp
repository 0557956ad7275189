#include "isa/rdna4/operands.h"

#include <fmt/format.h>

#include <bit>

namespace Atoll::rdna4 {

uint8_t selectable_halves(const Opcode& row) {
  if (row.op_sel != 0) return row.op_sel;
  if (row.has(Flag::ByteSel)) return row.source_count == 1 ? 3 : 0xc;
  uint8_t halves = 0;
  for (const OperandRow& o : row.rows()) {
    if (!o.type.half()) continue;
    if (o.slot == Slot::Dst) {
      if (o.kind == Kind::Vgpr) halves |= 8;
    } else if (is_source(o.slot)) {
      halves |= uint8_t(1u << (unsigned(o.slot) - unsigned(Slot::Src0)));
    }
  }
  return halves;
}

const char* scalar_register_problem(unsigned operand, unsigned count) {
  if (operand > EXEC_HI) return "not a scalar register";
  if (operand == NULL_SGPR) return nullptr;
  if (count <= 1) return nullptr;
  unsigned align = count == 2 ? 2 : 4;
  if (operand < VCC_LO) {
    if (operand % align != 0) return "a tuple of scalar registers must begin at a multiple of its size (at most 4)";
    if (operand + count > VCC_LO) return "the tuple reaches past s105";
    return nullptr;
  }
  if (operand >= TTMP0 && operand < NULL_SGPR) {
    if ((operand - TTMP0) % align != 0) return "a tuple of scalar registers must begin at a multiple of its size (at most 4)";
    if (operand + count > NULL_SGPR) return "the tuple reaches past ttmp15";
    return nullptr;
  }
  if (count == 2 && (operand == VCC_LO || operand == EXEC_LO)) return nullptr;
  return "this register cannot begin a tuple";
}

namespace {

struct Special {
  uint16_t operand;
  const char* name;
};
constexpr Special specials[] = {
    {SHARED_BASE, "src_shared_base"},   {SHARED_LIMIT, "src_shared_limit"},
    {PRIVATE_BASE, "src_private_base"}, {PRIVATE_LIMIT, "src_private_limit"},
    {239, "src_pops_exiting_wave_id"},  {SRC_VCCZ, "src_vccz"},
    {SRC_EXECZ, "src_execz"},           {SRC_SCC, "src_scc"},
};

}  // namespace

int special_source_number(std::string_view name) {
  for (const Special& special : specials)
    if (name == special.name || name == std::string_view(special.name).substr(4)) return special.operand;
  return -1;
}

std::string scalar_name(unsigned operand, unsigned count) {
  for (const Special& special : specials)
    if (operand == special.operand) return special.name;
  switch (operand) {
    case VCC_LO: return count > 1 ? "vcc" : "vcc_lo";
    case VCC_HI: return "vcc_hi";
    case NULL_SGPR: return "null";
    case M0: return "m0";
    case EXEC_LO: return count > 1 ? "exec" : "exec_lo";
    case EXEC_HI: return "exec_hi";
    default: break;
  }
  const char* file = operand < VCC_LO ? "s" : "ttmp";
  unsigned first = operand < VCC_LO ? operand : operand - TTMP0;
  return count > 1 ? fmt::format("{}[{}:{}]", file, first, first + count - 1) : fmt::format("{}{}", file, first);
}

std::string vector_name(unsigned vgpr, unsigned count) {
  return count > 1 ? fmt::format("v[{}:{}]", vgpr, vgpr + count - 1) : fmt::format("v{}", vgpr);
}

bool has_fourth_address(const Opcode& row) {
  for (Flag extra : {Flag::Msaa, Flag::ImageOffset, Flag::ImageBias, Flag::ImageCompare, Flag::ImageGradient, Flag::ImageGradient16,
                     Flag::ImageLod, Flag::ImageLodClamp})
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
