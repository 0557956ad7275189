#include "wave/jit/access_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/removable_check.h"
#include "wave/interpreter/level.h"

namespace Atoll::wave {
namespace {

// Numbers nodes so that two with one number have the same value in every lane (of masks and lane registers: as the registers
// stand at that place in the order of the program).
std::vector<int> number_values(const std::vector<Node>& nodes) {
  std::vector<int> number(nodes.size());
  std::map<std::tuple<Op, Type, int, int, int, uint64_t, int>, int> known;
  std::map<uint64_t, int> lanes, masks, scalars;  // by cell: what it holds now
  auto of = [&](int id) { return id < 0 ? -1 : number[size_t(id)]; };
  for (size_t n = 0; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    int own = int(n);
    auto read = [&](std::map<uint64_t, int>& cells) { number[n] = cells.try_emplace(x.imm, own).first->second; };
    switch (x.op) {
      case Op::ReadLanes: read(lanes); break;
      case Op::ReadMask: read(masks); break;
      case Op::ReadScalar: read(scalars); break;
      case Op::WriteLanes:
        number[n] = own;
        lanes[x.imm] = x.b < 0 ? of(x.a) : own;
        break;
      case Op::WriteWhole:
        number[n] = own;
        lanes[x.imm] = of(x.a);
        break;
      case Op::WriteMask:  // one or two words
        number[n] = own;
        for (uint64_t cell : {x.imm - 4, x.imm, x.imm + 4}) scalars.erase(cell), masks.erase(cell);
        masks[x.imm] = of(x.a);
        break;
      case Op::WriteScalar:
        number[n] = own;
        masks.erase(x.imm), masks.erase(x.imm - 4);
        scalars[x.imm] = of(x.a);
        break;
      case Op::WriteRegion:
        number[n] = own;
        lanes.clear(), masks.clear(), scalars.clear();
        break;
      case Op::ReadRegion:
      case Op::ReadWhole:
      case Op::ReadLane:
      case Op::ReadPixels:
      case Op::Texel:
      case Op::SharedWord:
      case Op::Load:
      case Op::ScalarLoad: number[n] = own; break;
      default:
        number[n] = x.type == Type::None || x.extra
                        ? own
                        : known.try_emplace({x.op, x.type, of(x.a), of(x.b), of(x.c), x.imm, x.lanes}, own).first->second;
    }
  }
  return number;
}

// Loads whose values do not surely reach a register at the region's end, memory or a jump.
std::vector<bool> find_unwanted_loads(const CodeRegion& region) {
  const std::vector<Node>& nodes = region.nodes;
  std::vector<bool> wanted(nodes.size(), false), unwanted(nodes.size(), false);
  std::set<uint64_t> written_later;          // lane registers and scalars, in all lanes
  std::set<uint64_t> unneeded(region.dead);  // of a file of bytes: dwords
  auto dwords = [&](const Node& x, auto f) {
    const auto& r = *static_cast<const Region*>(x.extra);
    for (uint32_t l = 0; l < r.lanes; l++)
      for (uint64_t at = r.cell + uint64_t(element_of(r, l)) * r.bytes, end = at + r.bytes; at < end; at = (at | 3) + 1)
        f(at & ~uint64_t(3));
  };
  auto constant = [&](int id) {
    if (id >= 0 && nodes[size_t(id)].op == Op::Splat) id = nodes[size_t(id)].a;
    return id >= 0 && nodes[size_t(id)].op == Op::Const;
  };
  auto absorbs = [&](const Node& x) {  // x & 0, x | ~0, x * 0, and choices that are none
    bool may = x.op == Op::And || x.op == Op::Or || x.op == Op::Mul || x.op == Op::Select;
    return may && (constant(x.a) || constant(x.b));
  };
  for (size_t n = nodes.size(); n-- > 0;) {
    const Node& x = nodes[n];
    bool used = wanted[n];
    switch (x.op) {
      case Op::WriteLanes:
        used = !region.dead.count(x.imm) && !written_later.count(x.imm);
        if (x.b < 0) written_later.insert(x.imm);
        break;
      case Op::WriteScalar:
        used = !written_later.count(x.imm);
        written_later.insert(x.imm);
        break;
      case Op::ReadLanes:
      case Op::ReadScalar:
        if (used) written_later.erase(x.imm), unneeded.erase(x.imm);
        break;
      case Op::WriteRegion:  // whose every byte is needed: of other loads a part may be left
        used = true;
        dwords(x, [&](uint64_t cell) { used &= !unneeded.count(cell); });
        dwords(x, [&](uint64_t cell) { unneeded.insert(cell); });
        break;
      case Op::ReadRegion:
        if (used) dwords(x, [&](uint64_t cell) { unneeded.erase(cell); });
        break;
      case Op::Load:
      case Op::ScalarLoad:
        unwanted[n] = !used;
        used = true;  // its address is needed
        break;
      default: used |= x.type == Type::None; break;
    }
    if (!used || absorbs(x)) continue;
    for (int operand : {x.a, x.b, x.c, x.d})
      if (operand >= 0) wanted[size_t(operand)] = true;
  }
  return unwanted;
}

// The form in which compiled code may make this access, 0 for none.
uint8_t form_in_line(const Node& node, uint8_t form, const Wave& like, int width) {
  const auto& access = *static_cast<const MemoryAccess*>(node.extra);
  if (!form) return 0;
  const bool anywhere =
      access.bytes != 4 || (form != kConsecutive && form != kEqual) || (form == kConsecutive && access.stride != 4);
  // (Hosts with narrower vectors have no gathers under masks: they would be branches, a lane each.)
  const bool gathers =
      width == 16 || (node.lanes == 8 && host_level() == Level::Avx512) || (width >= 32 && host_level() == Level::Avx512);
  if (anywhere && (node.op != Op::Load || !gathers || (access.bytes == 2 && access.offset & 1))) return 0;
  if (node.op == Op::Store && form == kEqual && access.space != Space::Scratch) return 0;
  // A flat address in the window is a global one as long as the apertures lie beyond it.
  if (access.space == Space::Flat)
    for (uint64_t high : {like.flat_shared_high, like.flat_private_high})
      if (high && high << 32 < like.window_bytes) return 0;
  bool global = access.space == Space::Global || access.space == Space::Flat;
  if (anywhere) return global || (access.space == Space::Lds && access.offset >= 0) ? kOther : 0;
  if (!global && access.offset < 0) return 0;
  if (access.space == Space::Scratch) return form == kEqual && !(access.offset & 3) ? form : 0;
  return form;
}

// True if an instruction's stores may be made one after the other, each of a chunk's lanes together: lanes do not overlap.
bool parts_stand_apart(const std::vector<Node>& nodes, size_t n, const AccessPlan& plan, int width) {
  auto access_of = [&](size_t node) -> const MemoryAccess& { return *static_cast<const MemoryAccess*>(nodes[node].extra); };
  const MemoryAccess& own = access_of(n);
  if (own.parts == 1) return true;
  for (size_t other = 0; other < nodes.size(); other++) {
    if (nodes[other].op != Op::Store || nodes[other].step != nodes[n].step || other == n) continue;
    if (plan.group_of[other] < 0 || plan.group_of[other] != plan.group_of[n]) return false;
    int64_t apart = int64_t(access_of(other).offset) - own.offset;
    bool row = plan.groups[size_t(plan.group_of[n])].space != Space::Scratch;
    if (row && std::abs(apart) < int64_t(width) * 4) return false;
  }
  return true;
}

}  // namespace

bool is_sum(const std::vector<Node>& nodes, int low, int high, int& base, int& offset) {
  if (low < 0 || high < 0) return false;
  const Node &l = nodes[size_t(low)], &h = nodes[size_t(high)];
  if (l.op != Op::Low || h.op != Op::High || l.a != h.a || l.a < 0) return false;
  const Node& sum = nodes[size_t(l.a)];
  if (sum.op != Op::Add || sum.type != Type::U64) return false;
  const Node &a = nodes[size_t(sum.a)], &b = nodes[size_t(sum.b)];
  if (a.op != Op::Splat || nodes[size_t(a.a)].type != Type::S64 || b.op != Op::Widen || nodes[size_t(b.a)].type != Type::U32)
    return false;
  base = a.a, offset = b.a;
  return true;
}

AccessPlan without_guards(const CodeRegion& region) {
  return {std::vector<int>(region.nodes.size(), -1), {}, find_unwanted_loads(region)};
}

AccessPlan plan_accesses(const CodeRegion& region, const Wave& like, int width, bool in_loop) {
  AccessPlan plan = without_guards(region);
  const std::vector<Node>& nodes = region.nodes;
  std::vector<int> number;
  std::map<std::tuple<Space, uint8_t, int, int, int, bool, int>, int> groups;
  for (size_t n = 0; n < nodes.size(); n++) {
    const Node& x = nodes[n];
    if (x.op != Op::Load && x.op != Op::Store) continue;
    uint8_t step_forms = region.steps[x.step]->address_forms;
    if (in_loop && step_forms) step_forms |= kOther;
    uint8_t form = form_in_line(x, step_forms, like, lanes_of(x, width));
    if (!form) continue;
    if (number.empty()) number = number_values(nodes);
    const auto& access = *static_cast<const MemoryAccess*>(x.extra);
    Space space = access.space == Space::Flat ? Space::Global : access.space;
    int high = space == Space::Global ? x.b : -1;
    // In LDS conditions are bounds (M0): what all active lanes fit serves every access through the register.
    int condition = space == Space::Lds && !x.lanes ? -1 : x.op == Op::Load ? x.c : x.d;
    auto of = [&](int id) { return id < 0 ? -1 : number[size_t(id)]; };
    const bool even = form == kOther && access.bytes == 2;
    // (where one dword is loaded at a time: lanes of several are gathered together)
    const bool rows = form == kOther && step_forms & kConsecutive && x.lanes && access.bytes == 4 && access.stride == 4;
    auto [at, fresh] =
        groups.try_emplace({space, form, of(x.a), of(high), of(condition), even, lanes_of(x, width)}, int(plan.groups.size()));
    int64_t begin = access.offset, end = begin + bytes_touched(space, AddressForm(form), lanes_of(x, width));
    if (fresh) {
      plan.groups.push_back({space, AddressForm(form), even, rows, x.a, high, -1, -1, condition, begin, end});
      GuardedGroup& g = plan.groups.back();
      if (!even) is_sum(nodes, x.a, high, g.base, g.offset);
    }
    GuardedGroup& group = plan.groups[size_t(at->second)];
    if (ATOLL_CHECK_REMOVED("jit.guard.key")) begin = group.begin, end = group.end;
    group.begin = std::min(group.begin, begin), group.end = std::max(group.end, end);
    plan.group_of[n] = at->second;
  }
  for (size_t n = 0; n < nodes.size(); n++)
    if (nodes[n].op == Op::Store && !parts_stand_apart(nodes, n, plan, lanes_of(nodes[n], width))) plan.group_of[n] = -1;
  return plan;
}

}  // namespace Atoll::wave
