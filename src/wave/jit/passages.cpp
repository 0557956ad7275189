#include "wave/jit/passages.h"

#include <algorithm>
#include <map>
#include <set>

namespace Atoll::wave {
namespace {

// As many nodes as the code generator gets through in a few hundred milliseconds.
constexpr size_t most_nodes = 6000;

// True if the region does nothing for which a passage would have to be left for sure.
bool may_be_part(const CodeRegion& region, const AccessPlan& plan, const FloatMode& mode) {
  if (region.kind != RegionKind::Compiled || !region.tail.empty() || region.self_loop || !runs_in_f32_mode(region, mode))
    return false;
  for (size_t n = 0; n < region.nodes.size(); n++) switch (region.nodes[n].op) {
      case Op::Load:
      case Op::Store:
        if (plan.group_of[n] < 0) return false;
        break;
      default:
        if (is_by_chunks(region.nodes[n].op)) return false;
    }
  return true;
}

}  // namespace

std::vector<uint64_t> ways_on(const CodeRegion& region) {
  const Node* last = region.nodes.empty() ? nullptr : &region.nodes.back();
  if (!last || last->op < Op::Jump) return {region.next_pc};
  if (last->op == Op::Jump) return {last->imm};
  if (last->op == Op::JumpIf) return {last->imm, region.next_pc};
  return {};
}

Passages find_passages(const RegionSet& set, std::span<const AccessPlan> plans) {
  const auto& regions = set.regions;
  std::map<uint64_t, size_t> at;
  for (size_t n = 0; n < regions.size(); n++) at[regions[n].pc] = n;
  // Entered are loops, at their beginning, and what nothing leads to, or what only the executor leads to.
  std::set<uint64_t> loops, follows, entries;
  for (const CodeRegion& r : regions) {
    const Node* last = r.nodes.empty() ? nullptr : &r.nodes.back();
    const bool called = r.kind == RegionKind::Called || !r.tail.empty();
    for (uint64_t pc : called ? std::vector<uint64_t>{r.next_pc, r.steps.back()->target} : ways_on(r)) {
      if (pc <= r.pc) loops.insert(pc);
      (called ? entries : follows).insert(pc);
    }
    if (last && last->op == Op::WaitBarrier) entries.insert(r.next_pc);
    if (last && last->op == Op::JumpTo) follows.insert(r.next_pc);  // in another mode
  }
  for (const CodeRegion& r : regions)
    if (!follows.count(r.pc) || loops.count(r.pc)) entries.insert(r.pc);

  std::vector<bool> may(regions.size());
  for (size_t n = 0; n < regions.size(); n++) may[n] = may_be_part(regions[n], plans[n], set.recorder->mode);
  Passages found;
  found.inside.resize(regions.size());
  std::vector<uint64_t> todo(entries.begin(), entries.end());
  while (!todo.empty()) {
    const auto entry = at.find(todo.back());
    todo.pop_back();
    if (entry == at.end()) continue;
    auto enter = [&](uint64_t pc) {
      if (entries.insert(pc).second) todo.push_back(pc);
    };
    if (!may[entry->second]) {
      for (uint64_t pc : ways_on(regions[entry->second])) enter(pc);
      continue;
    }
    std::set<uint64_t> members, seen{entry->first};
    size_t nodes = 0;
    // In the order of the program, so that all ways to a region are known before it.
    while (!seen.empty()) {
      const uint64_t pc = *seen.begin();
      seen.erase(seen.begin());
      const size_t n = at.at(pc);
      if (pc != entry->first && nodes + regions[n].nodes.size() > most_nodes) {
        enter(pc);
        continue;
      }
      members.insert(pc), nodes += regions[n].nodes.size();
      for (uint64_t next : ways_on(regions[n])) {
        const auto there = at.find(next);
        if (next > pc && there != at.end() && may[there->second] && !loops.count(next))
          seen.insert(next);
        else
          enter(next);
      }
    }
    if (members.size() < 2 || regions[entry->second].has_code) continue;
    Passage& passage = found.passages.emplace_back();
    for (uint64_t pc : members) {
      passage.push_back(at.at(pc));
      found.inside[at.at(pc)] = true;
    }
  }
  for (uint64_t pc : entries)
    if (const auto entered = at.find(pc); entered != at.end()) found.inside[entered->second] = false;
  return found;
}

}  // namespace Atoll::wave
