#include "wave/jit/liveness.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace Atoll::wave {
namespace {

bool writes_active(const Node& x, uint32_t active_cell) {
  return (x.op == Op::WriteMask || x.op == Op::WriteScalar) && (x.imm == active_cell || x.imm == active_cell + 4);
}

// Lanes whatever the active mask is.
bool reads_inactive(const Node& x) { return x.op == Op::ReadWhole || x.op == Op::ReadLane; }

// Two ways to find out, each of which may call a register live that is not; a register is live if both say so.
//
// Overwritten: going backwards, a write ends a register's life. A write under another active mask leaves lanes as they were, so
// where the mask changes everything counts as live.
LiveLanes before_by_overwriting(const CodeRegion& r, LiveLanes live, uint32_t active_cell) {
  for (size_t n = r.nodes.size(); n-- > 0;) {
    const Node& x = r.nodes[n];
    if (writes_active(x, active_cell)) live = std::nullopt;
    if (!live) continue;
    if ((x.op == Op::WriteLanes && x.b < 0) || x.op == Op::WriteWhole) live->erase(x.imm);
    if (x.op == Op::ReadLanes || reads_inactive(x) || (x.op == Op::WriteLanes && x.b >= 0)) live->insert(x.imm);
  }
  // A write ends no life of the inactive lanes.
  if (live)
    for (const Node& x : r.nodes)
      if (reads_inactive(x)) live->insert(x.imm);
  // Reads before an active-mask write were lost with the set: then everything stays live.
  return live;
}

// Never read: a write ends no life, but what a stretch under one mask reads after its own write it does not read from outside.
LiveLanes before_by_reading(const CodeRegion& r, LiveLanes live, uint32_t active_cell) {
  if (!live) return live;
  std::set<uint64_t> written;
  for (const Node& x : r.nodes) {
    if (writes_active(x, active_cell)) written.clear();
    if ((x.op == Op::ReadLanes || (x.op == Op::WriteLanes && x.b >= 0)) && !written.count(x.imm)) live->insert(x.imm);
    if (reads_inactive(x)) live->insert(x.imm);  // lanes that the region has not written
    if (x.op == Op::WriteLanes || x.op == Op::WriteWhole) written.insert(x.imm);
  }
  return live;
}

LiveLanes both(const LiveLanes& a, const LiveLanes& b) {
  if (!a || !b) return a ? a : b;
  LiveLanes common = std::set<uint64_t>{};
  std::set_intersection(a->begin(), a->end(), b->begin(), b->end(), std::inserter(*common, common->begin()));
  return common;
}

}  // namespace

void find_dead_registers(std::vector<CodeRegion>& regions, const RegisterFile& file, bool inspected) {
  const uint32_t active_cell = file.active_cell;
  LiveLanes at_end;
  if (!inspected) {
    at_end.emplace();
    for (const CodeRegion& r : regions)
      for (const Node& x : r.nodes)
        if ((x.op == Op::WriteLanes || x.op == Op::WriteWhole) && x.imm >= file.results_begin && x.imm < file.results_end)
          at_end->insert(x.imm);
  }
  std::map<uint64_t, size_t> at;
  for (size_t n = 0; n < regions.size(); n++) at[regions[n].pc] = n;
  auto looks_at_anything = [](const CodeRegion& r) {
    return r.kind == RegionKind::Called || !r.tail.empty() ||
           std::any_of(r.nodes.begin(), r.nodes.end(), [](const Node& x) { return x.op == Op::CallWhole; });
  };
  auto after = [&](const CodeRegion& r, const std::vector<LiveLanes>& before) -> LiveLanes {
    if (looks_at_anything(r)) return std::nullopt;
    const Step& last = *r.steps.back();
    if (last.flow == Flow::End) return at_end;
    if (last.flow == Flow::Indirect) return std::nullopt;
    bool may_end = std::any_of(r.nodes.begin(), r.nodes.end(), [](const Node& x) { return x.op == Op::Stop; });
    if (may_end && inspected) return std::nullopt;
    std::vector<uint64_t> ways;
    if (last.flow != Flow::Branch) ways.push_back(r.next_pc);
    if (last.flow == Flow::Branch || last.flow == Flow::Conditional) ways.push_back(last.target);
    LiveLanes live = may_end ? at_end : LiveLanes{std::set<uint64_t>{}};
    for (uint64_t pc : ways) {
      auto next = at.find(pc);
      if (next == at.end() || !before[next->second]) return std::nullopt;
      live->insert(before[next->second]->begin(), before[next->second]->end());
    }
    return live;
  };
  auto solve = [&](auto before_region) {
    std::vector<LiveLanes> before(regions.size(), std::set<uint64_t>{});
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t n = regions.size(); n-- > 0;) {
        LiveLanes now =
            looks_at_anything(regions[n]) ? LiveLanes{} : before_region(regions[n], after(regions[n], before), active_cell);
        if (now != before[n]) before[n] = std::move(now), changed = true;
      }
    }
    return before;
  };
  std::vector<LiveLanes> by_overwriting = solve(before_by_overwriting), by_reading = solve(before_by_reading);
  for (size_t n = 0; n < regions.size(); n++) {
    CodeRegion& r = regions[n];
    r.live = both(by_overwriting[n], by_reading[n]);
    if (looks_at_anything(r)) continue;
    // A region that changes the mask itself wrote under another one than what follows.
    bool mask_changes = std::any_of(r.nodes.begin(), r.nodes.end(), [&](const Node& x) { return writes_active(x, active_cell); });
    LiveLanes live = both(mask_changes ? LiveLanes{} : after(r, by_overwriting), after(r, by_reading));
    if (!live) continue;
    for (const Node& x : r.nodes)
      if ((x.op == Op::WriteLanes || x.op == Op::WriteWhole) && !live->count(x.imm)) r.dead.insert(x.imm);
    // (its lanes are read where the region has written it)
    for (const Node& x : r.nodes)
      if (x.op == Op::ReadLane) r.dead.erase(x.imm);
  }
}

}  // namespace Atoll::wave
