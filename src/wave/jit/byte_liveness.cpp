// Liveness in files of bytes, by dwords. Instructions look at the lanes that a word of the file has on (byte_file_lowering.cpp), and
// lanes that are off keep what they had; so what counts is whether a region reads anything before it has written it for those lanes.
#include <algorithm>
#include <map>

#include "wave/jit/liveness.h"

namespace Atoll::wave {
namespace {

// Lanes: those for which a word of the file, shifted to the right, has ones; or fewer.
struct Lanes {
  enum class Kind : uint8_t { None, Word, All } kind = Kind::None;
  uint64_t cell = 0;
  int version = 0;  // how often the word was written before
  int shift = 0;
  bool exact = false;  // no fewer
  bool same_word(const Lanes& b) const {
    return kind == Kind::Word && b.kind == Kind::Word && cell == b.cell && version == b.version;
  }
};

template <class F>
void for_dwords(const Region& r, uint32_t lane, F f) {
  for (uint64_t at = r.cell + uint64_t(element_of(r, lane)) * r.bytes, end = at + r.bytes; at < end; at = (at | 3) + 1)
    f(at & ~uint64_t(3));
}
const Region& region_of(const Node& x) { return *static_cast<const Region*>(x.extra); }

class Survey {
public:
  explicit Survey(const CodeRegion& r) : nodes_(r.nodes), lanes_(nodes_.size()), wanted_(nodes_.size()) {
    find_lanes();
    find_wanted();
  }
  // Dwords that the region reads as they were before it.
  std::set<uint64_t> exposed() const {
    std::set<uint64_t> out;
    std::map<uint64_t, Lanes> written;  // Word: the dword's own lane is `shift`
    std::map<uint64_t, int> versions;
    auto holds_all = [&](uint64_t at) {
      auto w = written.find(at);
      return w != written.end() && w->second.kind == Lanes::Kind::All;
    };
    for (size_t n = 0; n < nodes_.size(); n++) {
      const Node& x = nodes_[n];
      switch (x.op) {
        case Op::ReadScalar:
        case Op::ReadMask:
          if (!holds_all(x.imm)) out.insert(x.imm);
          break;
        case Op::WriteScalar:
        case Op::WriteMask: written[x.imm].kind = Lanes::Kind::All; break;
        case Op::ReadRegion: {
          const Lanes& by = wanted_[n];
          if (by.kind == Lanes::Kind::None) break;
          const Region& r = region_of(x);
          for (uint32_t l = 0; l < r.lanes; l++)
            for_dwords(r, l, [&](uint64_t at) {
              auto w = written.find(at);
              const bool own = w != written.end() && by.same_word(w->second) && w->second.shift == by.shift + int(l);
              if (!own && !holds_all(at)) out.insert(at);
            });
          break;
        }
        case Op::WriteRegion: {
          const Region& r = region_of(x);
          Lanes of = lanes_[size_t(x.b)];
          const bool word = of.kind == Lanes::Kind::Word && of.exact;
          if (r.bytes < 4 || r.cell % 4 || (of.kind != Lanes::Kind::All && !word)) break;
          for (uint32_t l = 0; l < r.lanes; l++)
            for_dwords(r, l, [&](uint64_t at) {
              if (holds_all(at)) return;
              Lanes& w = written[at] = of;
              w.shift += int(l);
            });
          break;
        }
        default: break;
      }
    }
    return out;
  }

private:
  const std::vector<Node>& nodes_;
  std::vector<Lanes> lanes_;   // by node: of words and masks, those lanes at most for which they are on
  std::vector<Lanes> wanted_;  // by node: lanes whose value something needs

  bool is_constant(int id) const { return id >= 0 && nodes_[size_t(id)].op == Op::Const; }

  void find_lanes() {
    std::map<uint64_t, int> versions;
    for (size_t n = 0; n < nodes_.size(); n++) {
      const Node& x = nodes_[n];
      auto of = [&](int id) { return id >= 0 ? lanes_[size_t(id)] : Lanes(); };
      Lanes& own = lanes_[n];
      switch (x.op) {
        case Op::Const:
          if (x.type == Type::M && x.imm) own.kind = Lanes::Kind::All, own.exact = true;
          break;
        case Op::ReadScalar: own = {Lanes::Kind::Word, x.imm, versions[x.imm], 0, true}; break;
        case Op::LShr:
          if (x.type == Type::S32 && is_constant(x.b)) own = of(x.a), own.shift += int(nodes_[size_t(x.b)].imm & 31);
          break;
        case Op::And:
          if (x.type == Type::S32 && is_constant(x.b)) {  // the lanes that there are
            own = of(x.a);
            const uint64_t all = x.lanes >= 32 ? ~0u : (1u << x.lanes) - 1;
            own.exact &= x.lanes && (nodes_[size_t(x.b)].imm & all) == all;
          } else if (x.type == Type::S32 || x.type == Type::M) {
            own = of(x.a).kind == Lanes::Kind::Word ? of(x.a) : of(x.b);
            own.exact = false;
            if (own.kind != Lanes::Kind::Word) own = {};
          }
          break;
        case Op::MaskOf: own = of(x.a); break;
        case Op::WriteScalar:
        case Op::WriteMask: versions[x.imm]++; break;
        case Op::WriteRegion:
          for (uint32_t l = 0; l < region_of(x).lanes; l++) for_dwords(region_of(x), l, [&](uint64_t at) { versions[at]++; });
          break;
        default: break;
      }
    }
  }

  void want(int id, Lanes by) {
    if (id < 0 || !is_lanes(nodes_[size_t(id)].type)) return;
    Lanes& now = wanted_[size_t(id)];
    if (by.kind == Lanes::Kind::None) return;
    if (now.kind == Lanes::Kind::None)
      now = by;
    else if (!now.same_word(by) || now.shift != by.shift)
      now = {.kind = Lanes::Kind::All};
  }
  void find_wanted() {
    const Lanes all{.kind = Lanes::Kind::All};
    for (size_t n = nodes_.size(); n-- > 0;) {
      const Node& x = nodes_[n];
      auto under = [&](int condition) {
        return condition >= 0 && lanes_[size_t(condition)].kind == Lanes::Kind::Word ? lanes_[size_t(condition)] : all;
      };
      switch (x.op) {
        case Op::WriteRegion: want(x.a, under(x.b)), want(x.b, all); break;
        case Op::Load: want(x.a, under(x.c)), want(x.b, under(x.c)), want(x.c, all); break;
        case Op::Store: want(x.a, under(x.d)), want(x.b, under(x.d)), want(x.c, under(x.d)), want(x.d, all); break;
        case Op::And:
          if (x.type == Type::M && wanted_[n].kind == Lanes::Kind::All) {  // the other one says nothing where this one is off
            want(x.a, under(x.b)), want(x.b, under(x.a));
            break;
          }
          [[fallthrough]];
        default:
          for (int operand : {x.a, x.b, x.c, x.d}) want(operand, is_lanes(x.type) ? wanted_[n] : all);
          break;
      }
    }
  }
};

}  // namespace

void find_dead_bytes(std::vector<CodeRegion>& regions, bool inspected) {
  std::map<uint64_t, size_t> at;
  for (size_t n = 0; n < regions.size(); n++) at[regions[n].pc] = n;
  auto looks_at_anything = [](const CodeRegion& r) { return r.kind == RegionKind::Called || !r.tail.empty(); };
  std::vector<std::set<uint64_t>> exposed;
  exposed.reserve(regions.size());
  for (const CodeRegion& r : regions) exposed.push_back(looks_at_anything(r) ? std::set<uint64_t>() : Survey(r).exposed());
  // What some way from the region's end on may read.
  auto after = [&](const CodeRegion& r) -> LiveLanes {
    const Step& last = *r.steps.back();
    if (looks_at_anything(r) || last.flow == Flow::Indirect) return std::nullopt;
    const bool may_end =
        last.flow == Flow::End || std::any_of(r.nodes.begin(), r.nodes.end(), [](const Node& x) { return x.op == Op::Stop; });
    if (may_end && inspected) return std::nullopt;
    LiveLanes live = std::set<uint64_t>{};
    // What changes the mode is read by whoever chooses the code to go on with, which reads what the code of this mode does.
    if (last.ends_region)
      for (const Node& x : r.nodes)
        if (x.op == Op::WriteRegion && x.step + 1 == r.steps.size())
          for (uint32_t l = 0; l < region_of(x).lanes; l++)
            for_dwords(region_of(x), l, [&](uint64_t cell) { live->insert(cell); });
    if (last.flow == Flow::End) return live;
    std::vector<uint64_t> ways;
    if (last.flow != Flow::Branch) ways.push_back(r.next_pc);
    if (last.flow == Flow::Branch || last.flow == Flow::Conditional) ways.push_back(last.target);
    for (uint64_t pc : ways) {
      auto next = at.find(pc);
      if (next == at.end() || !regions[next->second].live) return std::nullopt;
      live->insert(regions[next->second].live->begin(), regions[next->second].live->end());
    }
    return live;
  };
  for (size_t n = 0; n < regions.size(); n++) regions[n].live = exposed[n];
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = regions.size(); n-- > 0;) {
      LiveLanes now = after(regions[n]);
      if (now) now->insert(exposed[n].begin(), exposed[n].end());
      if (now != regions[n].live) regions[n].live = std::move(now), changed = true;
    }
  }
  for (CodeRegion& r : regions) {
    r.left = after(r);
    const LiveLanes& live = r.left;
    if (!live) continue;
    for (const Node& x : r.nodes)
      if (x.op == Op::WriteRegion)
        for (uint32_t l = 0; l < region_of(x).lanes; l++)
          for_dwords(region_of(x), l, [&](uint64_t cell) {
            if (!live->count(cell)) r.dead.insert(cell);
          });
  }
}

}  // namespace Atoll::wave
