#include "wave/jit/code_key.h"

#include <llvm/Support/BLAKE3.h>

#include <type_traits>

namespace Atoll::wave {
namespace {

class Digest {
public:
  template <class... T>
  void add(const T&... values) {
    (add_one(values), ...);
  }
  CodeKey finish() { return blake_.final<32>(); }

private:
  llvm::BLAKE3 blake_;

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>)
  void add_one(T value) {
    blake_.update(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(&value), sizeof value));
  }
  void add_one(const FloatMode& m) {
    add(m.round32, m.round64, m.flush_in32, m.flush_out32, m.flush_in64, m.flush_out64, m.clamp_halves, m.skip_vectors, m.vgprs);
  }
  void add_one(const MemoryAccess& a) { add(a.space, a.bytes, a.sign_extend, a.stride, a.offset, a.part, a.parts); }
  void add_one(const AtomicCall& c) {
    add(c.access.op, c.access.space, c.access.bytes, c.access.offset, c.access.second_offset, c.mode, c.given, c.results);
    for (unsigned r = 0; r < c.results; r++) add(c.result[r]);
  }
  void add_one(const WholeCall& c) {
    add(reinterpret_cast<const void*>(c.run), c.bytes);
    blake_.update(llvm::ArrayRef(static_cast<const uint8_t*>(c.instruction.get()), c.bytes));
  }
  void add_one(const Region& r) { add(r.cell, r.vertical, r.width, r.horizontal, r.bytes, r.sign_extend, r.lanes); }
  void add_one(const TextureAccess& t) {
    add(t.form, t.slot, t.use, t.places.digit_bits, t.places.exclusive);
    for (uint8_t digits : t.places.digits) add(digits);
    for (int word : t.words) add(word);
  }
};

void add_node(Digest& digest, const Node& x) {
  digest.add(x.op, x.type, x.a, x.b, x.c, x.d, x.imm, x.step, x.lanes);
  if (!x.extra) return;
  switch (x.op) {
    case Op::Load:
    case Op::Store:
    case Op::ScalarLoad: return digest.add(*static_cast<const MemoryAccess*>(x.extra));
    case Op::ReadRegion:
    case Op::WriteRegion: return digest.add(*static_cast<const Region*>(x.extra));
    case Op::MoveLanes:
      for (int8_t from : static_cast<const LaneMap*>(x.extra)->from) digest.add(from);
      return;
    case Op::Atomic: return digest.add(*static_cast<const AtomicCall*>(x.extra));
    case Op::CallWhole: return digest.add(*static_cast<const WholeCall*>(x.extra));
    case Op::Texture: return digest.add(*static_cast<const TextureAccess*>(x.extra));
    default: return digest.add(x.extra);  // a table that outlives all code, or what belongs to this set alone
  }
}

}  // namespace

CodeKey code_key(const Program& program, const RegionSet& set, const CodeRegion& region, const AccessPlan& plan,
                 const CompileOptions& options, int width) {
  Digest digest;
  const Recorder& recorder = *set.recorder;
  const RegisterFile& file = program.register_file();
  digest.add(options.tier, options.exact, options.direct, width, recorder.wave.lanes, recorder.wide, recorder.mode);
  digest.add(file.active_cell, file.whole_wave);
  // The place where code goes on is an index into the program's words, and a flag says if they are its own.
  digest.add(program.base(), region.pc, region.next_pc, program.contains(region.next_pc), region.self_loop, region.whole,
             region.float_class);
  digest.add(region.steps.size());
  for (const Step* step : region.steps) digest.add(step->pc, step->words, step->flow, step->target);
  digest.add(region.tail.size());
  for (const Step* step : region.tail) digest.add(step->pc, step->words);
  digest.add(region.nodes.size());
  for (size_t n = 0; n < region.nodes.size(); n++) {
    const Node& x = region.nodes[n];
    add_node(digest, x);
    digest.add(bool(region.late[n]), plan.group_of[n], bool(plan.unwanted[n]));
    if (x.op == Op::Jump || x.op == Op::JumpIf) digest.add(program.contains(x.imm));
  }
  digest.add(region.dead.size());
  for (uint64_t cell : region.dead) digest.add(cell);
  if (file.whole_wave) {  // (what is not read is not loaded)
    digest.add(bool(region.live), region.live ? region.live->size() : 0);
    if (region.live)
      for (uint64_t cell : *region.live) digest.add(cell);
  }
  digest.add(plan.groups.size());
  for (const GuardedGroup& g : plan.groups)
    digest.add(g.space, g.form, g.even, g.rows, g.low, g.high, g.base, g.offset, g.condition, g.begin, g.end);
  return digest.finish();
}

}  // namespace Atoll::wave
