#include "isa/rdna4/restrictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {
namespace {

// The scalar values that an instruction reads, each once: as LLVM counts them, s4 and s[4:5] are two.
using ScalarValue = std::pair<unsigned, unsigned>;  // an operand, and how many registers it has
void collect_scalars(const Instruction& i, unsigned wave, std::vector<ScalarValue>& scalars) {
  auto add = [&](unsigned operand, unsigned count) {
    const ScalarValue value(operand, count);
    if (std::find(scalars.begin(), scalars.end(), value) == scalars.end()) scalars.push_back(value);
  };
  const unsigned of_mask = wave / 32;
  for (const OperandRow& row : i.opcode->rows()) {
    if (!is_source(row.slot) || amd::source_index(row.slot) >= i.opcode->source_count) continue;
    const unsigned source = i.src[amd::source_index(row.slot)];
    if (source < 128 && source != NULL_SGPR)
      add(source, row.kind == Kind::Mask || row.kind == Kind::ImpliedVcc ? of_mask : row.type.dwords());
    else if (source == LITERAL || special_source(source))
      add(source, 1);
  }
  // VCC that is read without being named is whatever of it is named.
  const bool named = std::ranges::any_of(scalars, [](const ScalarValue& value) { return value.first == VCC_LO; });
  if (i.opcode->has(Flag::ReadsVcc) && !named) add(VCC_LO, of_mask);
}

std::string vopd_problem(const Instruction& i, unsigned wave) {
  const Instruction &x = *i.dual_x, &y = *i.dual_y;
  bool moves = x.opcode == y.opcode && std::string_view(x.opcode->name) == "v_mov_b32";
  for (unsigned n = 0; n < 3 && !moves; ++n) {
    auto source = [&](const Instruction& half) -> unsigned {
      if (n == 2 && half.opcode->has(Flag::Accumulates)) return VGPR0 + half.dst;
      return n < half.opcode->source_count ? half.src[n] : unsigned(NULL_SGPR);
    };
    unsigned a = source(x), b = source(y), banks = n == 2 ? 2 : 4;
    // The same VGPR is read once (RDNA4 ISA 7.8; LLVM from version 22 on: GCNVOPDUtils.cpp, AllowSameVGPR).
    if (a >= VGPR0 && b >= VGPR0 && a != b && a % banks == b % banks)
      return fmt::format("the two sources {} of a VOPD must be the same VGPR or in different banks (number modulo {})", n, banks);
  }
  std::vector<ScalarValue> scalars;
  collect_scalars(x, wave, scalars);
  collect_scalars(y, wave, scalars);
  return scalars.size() > 2 ? "a VOPD may read at most two scalar values" : "";
}

}  // namespace

std::string combination_problem(const Instruction& i, unsigned wave) {
  if (i.dual_x != nullptr) return vopd_problem(i, wave);
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
  std::vector<ScalarValue> scalars;
  collect_scalars(i, wave, scalars);
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
