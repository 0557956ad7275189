#include "wave/jit/code_key.h"

#include <cstring>
#include <type_traits>

#include "wave/jit/own_image.h"
#include "wave/jit/plain_bytes.h"
#include "wave/lane_function.h"

namespace Atoll::wave {
namespace {

class KeyWriter {
public:
  template <class... T>
  void add(const T&... values) {
    (add_one(values), ...);
  }
  void add_symbol(const void* address) {
    const std::string symbol = symbol_of(address);
    key.lasting = key.lasting && is_lasting(symbol);
    add(symbol);
  }
  CodeKey key;

private:
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void add_one(T value) {
    key.text.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add_one(const std::string& text) {
    add_one(text.size());
    key.text += text;
  }
  void add_one(const Region& r) { add(r.cell, r.vertical, r.width, r.horizontal, r.bytes, r.sign_extend, r.lanes); }
  void add_one(const IndexedBytes& w) { add(w.cell, w.size, w.bytes, w.sign_extend, w.lanes); }
  void add_one(const std::set<uint64_t>& cells) {
    add_one(cells.size());
    for (uint64_t cell : cells) add_one(cell);
  }
  void add_one(const LiveLanes& lanes) {
    add(bool(lanes));
    if (lanes) add(*lanes);
  }
};

// A table that may become constants of the code (lowering of ConstantWord) counts with what is in it.
constexpr uint64_t log_words_in_code = 6;

// `base`: of the places that its number is one of.
void add_node(KeyWriter& key, const Node& x, uint64_t base) {
  key.add(x.op, x.type, x.a, x.b, x.c, x.d, x.imm - base, x.step, x.lanes);
  if (!x.extra) return;
  switch (x.op) {
    case Op::Load:
    case Op::Store:
    case Op::ScalarLoad: return key.add(plain_bytes(*static_cast<const MemoryAccess*>(x.extra)));
    case Op::ReadRegion:
    case Op::WriteRegion: return key.add(*static_cast<const Region*>(x.extra));
    case Op::ReadIndexed:
    case Op::WriteIndexed: return key.add(*static_cast<const IndexedBytes*>(x.extra));
    case Op::MoveLanes:
      for (int8_t from : static_cast<const LaneMap*>(x.extra)->from) key.add(from);
      return;
    case Op::Atomic: return key.add(plain_bytes(*static_cast<const AtomicCall*>(x.extra)));
    case Op::Texture: return key.add(plain_bytes(*static_cast<const TextureAccess*>(x.extra)));
    case Op::CallWhole: {
      const auto& call = *static_cast<const WholeCall*>(x.extra);
      const PlainInstruction plain = plain_instruction(call);
      key.add_symbol(reinterpret_cast<const void*>(call.run));
      key.add_symbol(plain.row);
      return key.add(plain.rest);
    }
    case Op::ConstantWord: {
      key.add_symbol(x.extra);
      if (x.imm <= log_words_in_code)
        for (uint64_t n = 0; n < 1ull << x.imm; n++) key.add(static_cast<const uint32_t*>(x.extra)[n]);
      return;
    }
    case Op::FSqrt: {
      const auto& function = *static_cast<const LaneFunction*>(x.extra);
      key.add_symbol(reinterpret_cast<const void*>(function.quick));
      return key.add_symbol(reinterpret_cast<const void*>(function.exact));
    }
    default: key.add_symbol(x.extra);  // no node of today's
  }
}

void add_plan(KeyWriter& key, const AccessPlan& plan) {
  key.add(plan.group_of.size());
  for (size_t n = 0; n < plan.group_of.size(); n++) key.add(plan.group_of[n], bool(plan.unwanted[n]));
  key.add(plan.groups.size());
  for (const GuardedGroup& g : plan.groups)
    key.add(g.space, g.form, g.even, g.rows, g.low, g.high, g.base, g.offset, g.condition, g.begin, g.end);
}

void add_region(KeyWriter& key, const Program& program, const CodeRegion& region, const AccessPlan& plan) {
  // Places count from the program's begin, wherever that lies, and a flag says if they are its own.
  auto add_place = [&](uint64_t pc) { key.add(pc - program.base(), program.contains(pc)); };
  add_place(region.pc), add_place(region.next_pc);
  key.add(region.self_loop, region.whole, region.float_class);
  key.add(region.steps.size());
  for (const Step* step : region.steps) {
    add_place(step->pc);
    key.add(step->words, step->flow, step->target != 0, step->ends_region);
    if (step->target) add_place(step->target);
  }
  key.add(region.tail.size());
  for (const Step* step : region.tail) add_place(step->pc), key.add(step->words);
  key.add(region.nodes.size());
  for (size_t n = 0; n < region.nodes.size(); n++) {
    const Node& x = region.nodes[n];
    const bool jumps = x.op == Op::Jump || x.op == Op::JumpIf;
    add_node(key, x, jumps ? program.base() : 0);
    key.add(bool(region.late[n]));
    if (jumps) key.add(program.contains(x.imm));
    if (x.op == Op::JumpTo) key.add(program.words(), program.base());  // (a place that turns out to be known may lie inside)
  }
  key.add(region.dead);
  if (program.register_file().whole_wave) key.add(region.live);  // (what is not read is not loaded)
  add_plan(key, plan);
}

}  // namespace

CodeKey code_key(const Program& program, const RegionSet& set, const CodeUnit& unit) {
  KeyWriter key;
  const Recorder& recorder = *set.recorder;
  const RegisterFile& file = program.register_file();
  const CompileOptions& options = unit.options;
  key.add(unit.kind, options.tier, options.exact, options.direct, unit.lanes, recorder.wave.lanes, recorder.wide,
          plain_bytes(recorder.mode));
  key.add(file.active_cell, file.whole_wave, file.mode_cell, file.bytes);
  const CodeRegion& entry = set.regions[unit.region];
  if (unit.kind == CodeUnit::Kind::region) {
    add_region(key, program, entry, unit.plans[0]);
    return std::move(key.key);
  }
  // Several regions in one function depend on what the others may read that follow them.
  const std::vector<size_t>& members = unit.kind == CodeUnit::Kind::loop ? entry.loop : unit.passage;
  key.add(members.size());
  for (size_t n = 0; n < members.size(); n++) {
    const CodeRegion& region = set.regions[members[n]];
    add_region(key, program, region, unit.plans[unit.kind == CodeUnit::Kind::loop ? n : members[n]]);
    key.add(region.left);
  }
  key.add(set.regions.size());
  for (const CodeRegion& region : set.regions) key.add(region.pc - program.base(), region.live);
  return std::move(key.key);
}

}  // namespace Atoll::wave
