#include "isa/amd/covered_exports.h"

#include <bitset>
#include <unordered_map>
#include <vector>

namespace Atoll::amd {
namespace {

// Sea Islands register guide section 4 (SOP1, SOP2), RDNA4 ISA 16.1 and 16.3; names of both, each of which lacks some.
struct RuleOfName {
  const char* name;
  MaskRule rule;
};
constexpr RuleOfName rules_of_names[] = {
    {"s_mov_b32", MaskRule::copy},
    {"s_mov_b64", MaskRule::copy},
    {"s_wqm_b32", MaskRule::copy},
    {"s_wqm_b64", MaskRule::copy},
    {"s_or_b32", MaskRule::either},
    {"s_or_b64", MaskRule::either},
    {"s_and_b32", MaskRule::both},
    {"s_and_b64", MaskRule::both},
    {"s_cselect_b32", MaskRule::both},
    {"s_cselect_b64", MaskRule::both},
    {"s_orn2_b32", MaskRule::first},
    {"s_orn2_b64", MaskRule::first},
    {"s_or_not1_b32", MaskRule::first},
    {"s_or_not1_b64", MaskRule::first},
    {"s_cmov_b32", MaskRule::keeps_both},
    {"s_cmov_b64", MaskRule::keeps_both},
    {"s_and_saveexec_b32", MaskRule::save_both},
    {"s_and_saveexec_b64", MaskRule::save_both},
    {"s_or_saveexec_b32", MaskRule::save_either},
    {"s_or_saveexec_b64", MaskRule::save_either},
    {"s_orn2_saveexec_b64", MaskRule::save_first},
    {"s_or_not1_saveexec_b32", MaskRule::save_first},
    {"s_or_not1_saveexec_b64", MaskRule::save_first},
    {"s_or_not0_saveexec_b32", MaskRule::save_own},
    {"s_or_not0_saveexec_b64", MaskRule::save_own},
    {"s_xor_saveexec_b32", MaskRule::save},
    {"s_xor_saveexec_b64", MaskRule::save},
    {"s_andn2_saveexec_b64", MaskRule::save},
    {"s_and_not0_saveexec_b32", MaskRule::save},
    {"s_and_not0_saveexec_b64", MaskRule::save},
    {"s_and_not1_saveexec_b32", MaskRule::save},
    {"s_and_not1_saveexec_b64", MaskRule::save},
    {"s_nand_saveexec_b32", MaskRule::save},
    {"s_nand_saveexec_b64", MaskRule::save},
    {"s_nor_saveexec_b32", MaskRule::save},
    {"s_nor_saveexec_b64", MaskRule::save},
    {"s_xnor_saveexec_b32", MaskRule::save},
    {"s_xnor_saveexec_b64", MaskRule::save},
    {"s_movreld_b32", MaskRule::anywhere},
    {"s_movreld_b64", MaskRule::anywhere},
    {"s_movrelsd_2_b32", MaskRule::anywhere},
};

constexpr unsigned scalar_registers = 128;  // operand numbers of scalar registers
constexpr size_t most_steps = 1 << 14;

// Facts that are known before an instruction.
struct Known {
  // Registers that have, as one half of a mask, the lanes of that half of the first EXEC.
  std::bitset<scalar_registers> half[2];
  uint32_t exported = 0;  // targets that all lanes of the first EXEC have exported to

  bool operator==(const Known&) const = default;
  // Keeps the facts that are known on another path as well.
  Known& operator&=(const Known& other) {
    half[0] &= other.half[0], half[1] &= other.half[1], exported &= other.exported;
    return *this;
  }
};

class Followed {
public:
  Followed(const wave::Program& program, unsigned lanes, ReadMaskStep read) : program_(program), lanes_(lanes), read_(read) {}

  uint32_t exports(uint64_t entry) {
    Known first;
    first.half[0][EXEC_LO] = first.half[1][EXEC_HI] = true;
    reach(entry, first);
    uint32_t exported = ~0u;
    bool ends = false;
    while (!changed_.empty()) {
      const uint64_t pc = changed_.back();
      changed_.pop_back();
      if (known_.size() > most_steps) return 0;
      const Known before = known_.at(pc);
      Known known = before;
      if (!program_.contains(pc)) return 0;
      const wave::Step& step = program_.decoded(*program_.at(pc));
      if (!step.instruction || step.flow == wave::Flow::Indirect || !take(step, known)) return 0;
      if (step.flow == wave::Flow::End) {
        exported &= known.exported, ends = true;
        continue;
      }
      if (step.flow != wave::Flow::Branch) reach(step.next_pc(), known);
      if (step.flow == wave::Flow::Branch || step.flow == wave::Flow::Conditional) reach(step.target, known);
    }
    return ends ? exported : 0;
  }

private:
  const wave::Program& program_;
  const unsigned lanes_;
  const ReadMaskStep read_;
  std::unordered_map<uint64_t, Known> known_;
  std::vector<uint64_t> changed_;

  void reach(uint64_t pc, const Known& known) {
    const auto [at, is_new] = known_.try_emplace(pc, known);
    Known& there = at->second;
    const Known before = there;
    there &= known;
    if (is_new || !(there == before)) changed_.push_back(pc);
  }

  bool has_exec(const Known& known) const { return known.half[0][EXEC_LO] && (lanes_ <= 32 || known.half[1][EXEC_HI]); }

  // False: it is none that is known of, or pixels may be killed.
  bool take(const wave::Step& step, Known& known) const {
    MaskStep i;
    if (!read_(step, i)) return false;
    const bool all = has_exec(known);
    if (i.is_last && !all) return false;
    if (i.target >= 0 && i.target < 32 && all) known.exported |= 1u << i.target;
    const Known before = known;
    const bool saves = i.rule >= MaskRule::save && i.rule <= MaskRule::save_own;
    for (const MaskStep::Range& range : i.writes) forget(known, range);
    if (i.writes_exec || saves) forget(known, {EXEC_LO, 2});
    if (i.rule == MaskRule::anywhere) known.half[0].reset(), known.half[1].reset();
    if (i.rule == MaskRule::unknown || i.rule == MaskRule::anywhere) return true;
    // A copy of EXEC that is saved to EXEC is lost, and pairs that begin at odd registers are no pairs.
    if (saves && i.dst + i.dwords > EXEC_LO) return true;
    if (i.dwords == 2 &&
        ((i.dst | (i.src[0] < scalar_registers ? i.src[0] : 0) | (i.src[1] < scalar_registers ? i.src[1] : 0)) & 1))
      return true;
    for (unsigned h = 0; h < 2; h++)
      for (unsigned n = 0; n < i.dwords; n++) {
        const bool first = has(before.half[h], i.src[0], n), second = has(before.half[h], i.src[1], n);
        const bool own = has(before.half[h], i.dst, n), exec = has(before.half[h], EXEC_LO, n);
        set(known.half[h], i.dst + n, saves ? exec : made(i.rule, first, second, own));
        if (saves) set(known.half[h], EXEC_LO + n, left_in_exec(i.rule, exec, first));
      }
    return true;
  }

  static bool made(MaskRule rule, bool first, bool second, bool own) {
    switch (rule) {
      case MaskRule::copy:
      case MaskRule::first: return first;
      case MaskRule::either: return first || second;
      case MaskRule::both: return first && second;
      case MaskRule::keeps_both: return first && own;
      default: return false;
    }
  }
  static bool left_in_exec(MaskRule rule, bool exec, bool source) {
    switch (rule) {
      case MaskRule::save_both: return exec && source;
      case MaskRule::save_either: return exec || source;
      case MaskRule::save_first: return source;
      case MaskRule::save_own: return exec;
      default: return false;
    }
  }

  // A source's dword; of constants, minus one is all lanes.
  static bool has(const std::bitset<scalar_registers>& half, unsigned source, unsigned n) {
    return source == INTEGER_MINUS_1 || (source + n < scalar_registers && half[source + n]);
  }
  // Registers behind VCC are no places to keep masks in, except EXEC.
  static void set(std::bitset<scalar_registers>& half, unsigned number, bool value) {
    if (number <= VCC_HI || number == EXEC_LO || number == EXEC_HI) half[number] = value;
  }
  // (Several, whole pairs of them.)
  static void forget(Known& known, const MaskStep::Range& range) {
    const bool pairs = range.count > 1;
    const unsigned first = pairs ? range.first & ~1u : range.first,
                   end = range.first + range.count + (pairs ? range.first & 1u : 0);
    for (unsigned n = first; n < end && n < scalar_registers; n++) known.half[0][n] = known.half[1][n] = false;
  }
};

}  // namespace

MaskRules::MaskRules(const Table& table) : first_(table.rows.data()), rules_(table.rows.size(), MaskRule::unknown) {
  for (const RuleOfName& rule : rules_of_names)
    for (const Opcode* row = table.find(rule.name); row; row = table.next_of_name(*row)) rules_[size_t(row - first_)] = rule.rule;
}

uint32_t covered_exports(const wave::Program& program, uint64_t entry, unsigned lanes, ReadMaskStep read) {
  return Followed(program, lanes, read).exports(entry);
}

}  // namespace Atoll::amd
