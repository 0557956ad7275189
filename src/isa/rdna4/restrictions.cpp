#include "isa/rdna4/restrictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

// The scalar registers and literals that an instruction reads, each once.
void collect_scalars(const Instruction& i, std::vector<unsigned>& scalars) {
  auto add = [&](unsigned operand) {
    if (std::find(scalars.begin(), scalars.end(), operand) == scalars.end()) scalars.push_back(operand);
  };
  for (unsigned n = 0; n < i.opcode->source_count; ++n) {
    unsigned source = i.src[n];
    if (source == LITERAL || (source < 128 && source != NULL_SGPR) || special_source(source)) add(source);
  }
  if (i.opcode->has(Flag::ReadsVcc)) add(VCC_LO);
}

std::string vopd_problem(const Instruction& i) {
  const Instruction &x = *i.dual_x, &y = *i.dual_y;
  bool moves = x.opcode == y.opcode && std::string_view(x.opcode->name) == "v_mov_b32";
  for (unsigned n = 0; n < 3 && !moves; ++n) {
    auto source = [&](const Instruction& half) -> unsigned {
      if (n == 2 && half.opcode->has(Flag::Accumulates)) return VGPR0 + half.dst;
      return n < half.opcode->source_count ? half.src[n] : unsigned(NULL_SGPR);
    };
    unsigned a = source(x), b = source(y), banks = n == 2 ? 2 : 4;
    if (a >= VGPR0 && b >= VGPR0 && a % banks == b % banks)
      return fmt::format("the two sources {} of a VOPD must be in different VGPR banks (number modulo {})", n, banks);
  }
  std::vector<unsigned> scalars;
  collect_scalars(x, scalars);
  collect_scalars(y, scalars);
  return scalars.size() > 2 ? "a VOPD may read at most two scalar values" : "";
}

}  // namespace

std::string combination_problem(const Instruction& i) {
  if (i.dual_x != nullptr) return vopd_problem(i);
  const Opcode& row = *i.opcode;
  switch (row.format) {
    case Format::SOP1: {
      if (row.has(Flag::Barrier) && i.src[0] != M0 && (i.src[0] < INTEGER_0 || i.src[0] > INTEGER_MINUS_16))
        return fmt::format("{} takes a barrier's number or m0", row.name);
      return {};
    }
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOPC:
    case Format::VOP3:
    case Format::VOP3P: break;
    default: return {};
  }
  std::vector<unsigned> scalars;
  collect_scalars(i, scalars);
  unsigned limit = row.has(Flag::OneScalar) ? 1 : 2;
  if (scalars.size() > limit) return fmt::format("{} may read at most {} scalar value{}", row.name, limit, limit == 1 ? "" : "s");
  if (i.dpp != Dpp::None && row.format == Format::VOP3P && !row.has(Flag::Packed)) {
    bool mix = row.has(Flag::Mix);
    for (unsigned n = 1; n < (mix ? 2u : row.source_count); ++n)
      if (i.src[n] < VGPR0) return fmt::format("source {} of {} must be a VGPR with DPP", n, row.name);
  }
  return {};
}

}  // namespace Atoll::rdna4
