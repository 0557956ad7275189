// Liveness in files of bytes, by dwords. Instructions look at the lanes that a word of the file has on (byte_file_lowering.cpp), and
// lanes that are off keep what they had; so what counts is whether anything is read before it has been written for those lanes. A word
// whose lanes only went off since (an "if") has none on for which what was written then is not there.
#include <algorithm>
#include <map>
#include <optional>

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
  bool operator==(const Lanes&) const = default;
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
  explicit Survey(const CodeRegion& r)
      : nodes_(r.nodes),
        // The interpreter may go through it, which reads whatever its instructions name.
        may_be_left_(std::ranges::any_of(nodes_, [](const Node& x) { return x.op == Op::Texture || x.op == Op::Expect; })),
        lanes_(nodes_.size()),
        wanted_(nodes_.size()) {
    find_lanes();
    find_wanted();
    find_exposed();
  }
  // For which lanes a dword is read: a word's lane (`shift`), or anybody's (All).
  using Needs = std::map<uint64_t, Lanes>;
  static void need(Needs& needs, uint64_t cell, Lanes by) {
    auto [now, fresh] = needs.try_emplace(cell, by);
    if (!fresh && !(now->second.same_word(by) && now->second.shift == by.shift)) now->second = {.kind = Lanes::Kind::All};
  }
  // Dwords that the region reads as they were before it, by the lanes of words as they are where it begins.
  const Needs& exposed() const { return exposed_; }
  // The same of those that are read behind it, by words as they are there.
  void pass(const Needs& behind, Needs& before) const {
    for (const auto& [cell, by] : behind) {
      const auto w = written_.find(cell);
      if (w != written_.end()) {
        if (w->second.kind == Lanes::Kind::All) continue;
        if (w->second.cell == by.cell && w->second.shift == by.shift && by.kind == Lanes::Kind::Word &&
            w->second.version == version_of(by.cell))
          continue;
      }
      need(before, cell, at_begin(by, version_of(by.cell)));
    }
  }

private:
  const std::vector<Node>& nodes_;
  const bool may_be_left_;
  std::vector<Lanes> lanes_;   // by node: of words and masks, those lanes at most for which they are on
  std::vector<Lanes> wanted_;  // by node: lanes whose value something needs

  std::map<uint64_t, Lanes> written_;  // dwords, for which lanes; Word: the dword's own lane is `shift`
  std::map<uint64_t, int> versions_;   // of words where the region ends
  std::map<uint64_t, int> grows_at_;  // the first version of a word that may have lanes on which were off where the region begins
  Needs exposed_;

  bool is_constant(int id) const { return id >= 0 && nodes_[size_t(id)].op == Op::Const; }
  int version_of(uint64_t cell) const {
    auto found = versions_.find(cell);
    return found == versions_.end() ? 0 : found->second;
  }
  Lanes at_begin(Lanes by, int version) const {
    const auto grows = grows_at_.find(by.cell);
    if (by.kind != Lanes::Kind::Word || (grows != grows_at_.end() && version >= grows->second)) return {.kind = Lanes::Kind::All};
    return {Lanes::Kind::Word, by.cell, 0, by.shift, false};
  }

  void find_exposed() {
    auto holds_all = [&](uint64_t at) {
      auto w = written_.find(at);
      return w != written_.end() && w->second.kind == Lanes::Kind::All;
    };
    for (const Node& x : nodes_) {
      switch (x.op) {
        case Op::ReadScalar:
        case Op::ReadMask:
          if (!holds_all(x.imm)) need(exposed_, x.imm, {.kind = Lanes::Kind::All});
          break;
        case Op::WriteScalar:
        case Op::WriteMask: {
          const int before = versions_[x.imm]++;
          const Lanes& of = lanes_[size_t(x.a)];
          const bool fewer = x.op == Op::WriteScalar && of.kind == Lanes::Kind::Word && of.cell == x.imm &&
                             of.version == before && of.shift == 0;
          if (!fewer) grows_at_.try_emplace(x.imm, before + 1);
          for (auto& [cell, w] : written_)
            if (fewer && w.kind == Lanes::Kind::Word && w.cell == x.imm && w.version == before) w.version = before + 1;
          written_[x.imm] = {.kind = Lanes::Kind::All};
          break;
        }
        case Op::ReadRegion: {
          const Lanes by = may_be_left_ ? Lanes{.kind = Lanes::Kind::All} : wanted_[size_t(&x - nodes_.data())];
          if (by.kind == Lanes::Kind::None) break;
          const Region& r = region_of(x);
          for (uint32_t l = 0; l < r.lanes; l++)
            for_dwords(r, l, [&](uint64_t at) {
              Lanes own = by;
              own.shift += int(l);
              auto w = written_.find(at);
              if (w != written_.end() && own.same_word(w->second) && w->second.shift == own.shift) return;
              if (!holds_all(at)) need(exposed_, at, at_begin(own, own.version));
            });
          break;
        }
        case Op::WriteRegion: {
          const Region& r = region_of(x);
          for (uint32_t l = 0; l < r.lanes; l++)
            for_dwords(r, l, [&](uint64_t at) { grows_at_.try_emplace(at, ++versions_[at]); });
          Lanes of = lanes_[size_t(x.b)];
          const bool word = of.kind == Lanes::Kind::Word && of.exact;
          if (r.bytes < 4 || r.cell % 4 || (of.kind != Lanes::Kind::All && !word)) break;
          for (uint32_t l = 0; l < r.lanes; l++)
            for_dwords(r, l, [&](uint64_t at) {
              if (holds_all(at)) return;
              Lanes& w = written_[at] = of;
              w.shift += int(l);
            });
          break;
        }
        default: break;
      }
    }
  }

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
        case Op::WritePixels: want(x.a, under(x.b)), want(x.c, under(x.b)), want(x.b, all); break;
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
  std::vector<Survey> surveys(regions.begin(), regions.end());
  using Needs = std::optional<Survey::Needs>;
  std::vector<Needs> live;
  live.reserve(regions.size());
  for (size_t n = 0; n < regions.size(); n++)
    live.push_back(looks_at_anything(regions[n]) ? Survey::Needs() : surveys[n].exposed());
  // The bytes that some way from the region's end on may read.
  auto after = [&](const CodeRegion& r) -> Needs {
    const Step& last = *r.steps.back();
    if (looks_at_anything(r) || last.flow == Flow::Indirect) return std::nullopt;
    const bool may_end =
        last.flow == Flow::End || std::any_of(r.nodes.begin(), r.nodes.end(), [](const Node& x) { return x.op == Op::Stop; });
    if (may_end && inspected) return std::nullopt;
    Needs needs = Survey::Needs{};
    // A change of the mode is read by whoever chooses the code to go on with, which reads what the code of this mode does.
    if (last.ends_region)
      for (const Node& x : r.nodes)
        if (x.op == Op::WriteRegion && x.step + 1 == r.steps.size())
          for (uint32_t l = 0; l < region_of(x).lanes; l++)
            for_dwords(region_of(x), l, [&](uint64_t cell) { Survey::need(*needs, cell, {.kind = Lanes::Kind::All}); });
    if (last.flow == Flow::End) return needs;
    std::vector<uint64_t> ways;
    if (last.flow != Flow::Branch) ways.push_back(r.next_pc);
    if (last.flow == Flow::Branch || last.flow == Flow::Conditional) ways.push_back(last.target);
    for (uint64_t pc : ways) {
      auto next = at.find(pc);
      if (next == at.end() || !live[next->second]) return std::nullopt;
      for (const auto& [cell, by] : *live[next->second]) Survey::need(*needs, cell, by);
    }
    return needs;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = regions.size(); n-- > 0;) {
      if (!live[n]) continue;
      const Needs behind = after(regions[n]);
      Needs now;
      if (behind) {
        now = surveys[n].exposed();
        surveys[n].pass(*behind, *now);
        for (const auto& [cell, by] : *live[n]) Survey::need(*now, cell, by);  // (never less than before: it comes to an end)
      }
      if (now != live[n]) live[n] = std::move(now), changed = true;
    }
  }
  auto cells_of = [](const Needs& needs) {
    LiveLanes cells;
    if (needs) {
      cells.emplace();
      for (const auto& [cell, by] : *needs) cells->insert(cells->end(), cell);
    }
    return cells;
  };
  for (size_t n = 0; n < regions.size(); n++) regions[n].live = cells_of(live[n]);
  for (CodeRegion& r : regions) {
    r.left = cells_of(after(r));
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
