#include "wave/jit/loops.h"

#include <algorithm>
#include <functional>
#include <map>

#include "wave/interpreter/level.h"

namespace Atoll::wave {
namespace {

constexpr size_t max_nodes = 4000;    // of one loop on 32 lanes: beyond that the code generator takes too long
constexpr size_t nodes_of_load = 16;  // what a gather of all lanes comes to

bool may_be_part(const CodeRegion& r, const FloatMode& mode) {
  if (!runs_in_f32_mode(r, mode) || r.kind != RegionKind::Compiled || !r.tail.empty() || r.steps.empty()) return false;
  Flow flow = r.steps.back()->flow;
  if (flow != Flow::Next && flow != Flow::Branch && flow != Flow::Conditional) return false;
  return std::all_of(r.nodes.begin(), r.nodes.end(), [](const Node& x) {
    switch (x.op) {
      // (Lanes stand anywhere: without gathers each would be a branch.)
      case Op::Load: return host_level() == Level::Avx512 && static_cast<const MemoryAccess*>(x.extra)->space != Space::Scratch;
      case Op::ScalarLoad: return host_level() == Level::Avx512;
      case Op::SharedWord:
      case Op::Store:
      case Op::ReadRegion:
      case Op::Texture:
      case Op::Expect:
      case Op::ReadWhole:
      case Op::ReadLane:
      case Op::WriteLane:
      case Op::KeepLanes:
      case Op::Atomic:
      case Op::CallWhole:
      case Op::WriteRegion:
      case Op::ReadPixels:
      case Op::WritePixels:
      case Op::WriteTexel:
      case Op::WriteWhole:
      case Op::SignalBarrier:
      case Op::WaitBarrier:
      case Op::JumpTo:
      case Op::Stop: return false;
      default: return true;
    }
  });
}

// The addresses at which a region goes on, as far as it says so.
std::vector<uint64_t> branches_of(const CodeRegion& r) {
  std::vector<uint64_t> ways;
  const Step& last = r.tail.empty() ? *r.steps.back() : *r.tail.back();
  if (last.flow != Flow::Branch && last.flow != Flow::End && last.flow != Flow::Indirect) ways.push_back(r.next_pc);
  if (last.flow == Flow::Branch || last.flow == Flow::Conditional) ways.push_back(last.target);
  return ways;
}

// Strongly connected components (Tarjan) among the nodes that may be part.
std::vector<std::vector<size_t>> components(const std::vector<std::vector<size_t>>& next, const std::vector<bool>& part) {
  std::vector<std::vector<size_t>> found;
  std::vector<size_t> number(next.size(), 0), low(next.size(), 0), stack;
  std::vector<bool> on_stack(next.size(), false);
  size_t count = 0;
  std::function<void(size_t)> visit = [&](size_t n) {
    number[n] = low[n] = ++count;
    stack.push_back(n), on_stack[n] = true;
    for (size_t to : next[n]) {
      if (!part[to]) continue;
      if (!number[to])
        visit(to), low[n] = std::min(low[n], low[to]);
      else if (on_stack[to])
        low[n] = std::min(low[n], number[to]);
    }
    if (low[n] != number[n]) return;
    auto& members = found.emplace_back();
    for (size_t m = next.size(); m != n;) {
      m = stack.back();
      stack.pop_back(), on_stack[m] = false;
      members.push_back(m);
    }
  };
  for (size_t n = 0; n < next.size(); n++)
    if (part[n] && !number[n]) visit(n);
  return found;
}

}  // namespace

void find_loops(std::vector<CodeRegion>& regions, uint64_t entry, uint32_t lanes, const FloatMode& mode) {
  std::map<uint64_t, size_t> at;
  for (size_t n = 0; n < regions.size(); n++) at[regions[n].pc] = n;
  std::vector<std::vector<size_t>> next(regions.size());
  std::vector<bool> part(regions.size());
  for (size_t n = 0; n < regions.size(); n++) {
    part[n] = may_be_part(regions[n], mode);
    for (uint64_t pc : branches_of(regions[n]))
      if (auto to = at.find(pc); to != at.end()) next[n].push_back(to->second);
  }
  for (std::vector<size_t>& members : components(next, part)) {
    size_t first = members[0], nodes = 0;
    bool loops = members.size() > 1 || std::count(next[first].begin(), next[first].end(), first);
    if (!loops || (members.size() == 1 && regions[first].self_loop)) continue;
    for (size_t m : members)
      for (const Node& x : regions[m].nodes) nodes += x.op == Op::Load ? nodes_of_load : 1;
    if (nodes * lanes > max_nodes * 32) continue;
    std::sort(members.begin(), members.end(), [&](size_t a, size_t b) { return regions[a].pc < regions[b].pc; });
    auto inside = [&](size_t n) { return std::count(members.begin(), members.end(), n) > 0; };
    for (size_t m : members) {
      bool entered = regions[m].pc == entry;
      for (size_t n = 0; n < regions.size() && !entered; n++)
        entered = !inside(n) && std::count(next[n].begin(), next[n].end(), m);
      if (!entered) continue;
      regions[m].loop = members;
      std::iter_swap(regions[m].loop.begin(), std::find(regions[m].loop.begin(), regions[m].loop.end(), m));
    }
  }
}

}  // namespace Atoll::wave
