#include "wave/jit/node_text.h"

#include <fmt/format.h>

#include <bit>

#include "wave/lane_function.h"
#include "wave/named_registers.h"

namespace Atoll::wave {
namespace {

const char* name_of(Space space) {
  switch (space) {
    case Space::Global: return "global";
    case Space::Lds: return "lds";
    case Space::Scratch: return "scratch";
    case Space::Flat: return "flat";
  }
  return "?";
}

const char* name_of(AtomicSlot slot) {
  static constexpr const char* names[] = {"address", "high address", "data", "high data", "compare", "high compare", "lanes"};
  return slot < kAtomicSlots ? names[slot] : "?";
}

const char* name_of(Stop stop) {
  switch (stop) {
    case Stop::Run: return "run";
    case Stop::End: return "end";
    case Stop::Barrier: return "barrier";
    case Stop::Yield: return "yield";
    case Stop::Wait: return "wait";
    case Stop::Elsewhere: return "elsewhere";
    case Stop::Interrupted: return "interrupted";
    case Stop::Fault: return "fault";
  }
  return "?";
}

const char* name_of(FloatClass c) {
  switch (c) {
    case FloatClass::None: return "";
    case FloatClass::F32: return ", floats as f32's mode says";
    case FloatClass::F64: return ", floats as f64's and f16's mode says";
    case FloatClass::Nearest: return ", floats to nearest even";
  }
  return "?";
}

std::string register_text(const Isa& isa, uint64_t cell, uint32_t words) {
  const auto* names = dynamic_cast<const NamedRegisters*>(&isa);
  std::string name = names ? names->register_name(uint32_t(cell), words) : std::string();
  return name.empty() ? fmt::format("cell[{}]", cell) : name;
}

std::string region_text(const Isa& isa, const Region& r) {
  return fmt::format("{}<{};{},{}>:{}{} of {}", register_text(isa, r.cell, 1), r.vertical, r.width, r.horizontal,
                     r.sign_extend ? "s" : "u", r.bytes * 8, r.lanes);
}

std::string constant_text(const Node& x) {
  auto whole = [&] { return x.imm < 1000 ? fmt::format("{}", x.imm) : fmt::format("{:#x}", x.imm); };
  switch (x.type) {
    case Type::S1:
    case Type::M: return x.imm ? "true" : "false";
    case Type::SF32:
    case Type::F32: {
      float f = std::bit_cast<float>(uint32_t(x.imm));
      return f == f ? fmt::format("{}", f) : fmt::format("{:#x}", x.imm);
    }
    case Type::SF64:
    case Type::F64: {
      double f = std::bit_cast<double>(x.imm);
      return f == f ? fmt::format("{}", f) : fmt::format("{:#x}", x.imm);
    }
    default: return whole();
  }
}

// [%4:%5 + 16] x4, signed where that matters.
std::string access_text(const Node& x, bool two_words) {
  const auto& access = *static_cast<const MemoryAccess*>(x.extra);
  std::string place = two_words ? fmt::format("%{}:%{}", x.a, x.b) : fmt::format("%{}", x.a);
  if (access.offset) place += fmt::format(" {} {}", access.offset < 0 ? '-' : '+', std::abs(int64_t(access.offset)));
  return fmt::format("[{}] x{}{}{}", place, access.bytes, access.sign_extend ? "s" : "",
                     access.parts > 1 ? fmt::format(" part {} of {}", access.part, access.parts) : "");
}

std::string condition_text(int node) { return node < 0 ? "" : fmt::format(" if %{}", node); }

}  // namespace

const char* name_of(Type type) {
  switch (type) {
    case Type::None: return "none";
    case Type::S1: return "s1";
    case Type::S32: return "s32";
    case Type::S64: return "s64";
    case Type::SF32: return "sf32";
    case Type::SF64: return "sf64";
    case Type::Texture: return "texture";
    case Type::M: return "m";
    case Type::U32: return "u32";
    case Type::U64: return "u64";
    case Type::F32: return "f32";
    case Type::F64: return "f64";
  }
  return "?";
}

const char* name_of(Op op) {
  switch (op) {
    case Op::Const: return "const";
    case Op::Splat: return "splat";
    case Op::LaneId: return "lane_id";
    case Op::ReadScalar:
    case Op::ReadLanes:
    case Op::ReadQuads:
    case Op::ReadFirstQuad:
    case Op::ReadMask:
    case Op::ReadRegion: return "read";
    case Op::ReadIndexed: return "read_indexed";
    case Op::WriteIndexed: return "write_indexed";
    case Op::MaskOf: return "mask_of";
    case Op::WordOf: return "word_of";
    case Op::ReadWhole: return "read_whole";
    case Op::WriteWhole: return "write_whole";
    case Op::ConstantWord: return "constant_word";
    case Op::BeginSeldom: return "begin_seldom";
    case Op::Seldom: return "seldom";
    case Op::ReadPixels: return "read_pixels";
    case Op::WritePixels: return "write_pixels";
    case Op::WriteTexel: return "write_texel";
    case Op::WriteScalar:
    case Op::WriteLanes:
    case Op::WriteMask:
    case Op::WriteRegion: return "write";
    case Op::Add:
    case Op::FAdd: return "add";
    case Op::Sub:
    case Op::FSub: return "sub";
    case Op::Mul:
    case Op::FMul: return "mul";
    case Op::FDiv: return "div";
    case Op::Fma: return "fma";
    case Op::And: return "and";
    case Op::Or: return "or";
    case Op::Xor: return "xor";
    case Op::Not: return "not";
    case Op::Shl: return "shl";
    case Op::LShr: return "lshr";
    case Op::AShr: return "ashr";
    case Op::MulHighU: return "mul_high_u";
    case Op::MulHighS: return "mul_high_s";
    case Op::Popcount: return "popcount";
    case Op::Clz: return "clz";
    case Op::Ctz: return "ctz";
    case Op::Bitreverse: return "bitreverse";
    case Op::Fshr: return "fshr";
    case Op::Eq: return "eq";
    case Op::Ne: return "ne";
    case Op::ULt: return "ult";
    case Op::ULe: return "ule";
    case Op::SLt: return "slt";
    case Op::SLe: return "sle";
    case Op::FEq: return "feq";
    case Op::FNe: return "fne";
    case Op::FLt: return "flt";
    case Op::FLe: return "fle";
    case Op::IsNan: return "isnan";
    case Op::Select: return "select";
    case Op::Widen: return "widen";
    case Op::SignWiden: return "sign_widen";
    case Op::Low: return "low";
    case Op::High: return "high";
    case Op::Join: return "join";
    case Op::Bitcast: return "bitcast";
    case Op::FSqrt: return "sqrt";
    case Op::FAbs: return "abs";
    case Op::FNeg: return "neg";
    case Op::Floor: return "floor";
    case Op::Ceil: return "ceil";
    case Op::Trunc: return "trunc";
    case Op::RoundEven: return "rndne";
    case Op::CvtFromU: return "from_u";
    case Op::CvtFromS: return "from_s";
    case Op::CvtFloat: return "from_float";
    case Op::CvtToU: return "to_u";
    case Op::CvtToS: return "to_s";
    case Op::CvtF32F16: return "from_half";
    case Op::CvtF16F32: return "to_half";
    case Op::FmaUp: return "fma_up";
    case Op::CvtToSUp: return "to_s_up";
    case Op::FloorProduct: return "floor_product";
    case Op::CvtFromSDown: return "from_s_down";
    case Op::CvtToSNearest: return "to_s_nearest";
    case Op::Saturate: return "saturate";
    case Op::CvtF16F32TowardZero: return "to_half_toward_zero";
    case Op::CvtToSInside: return "to_s_inside";
    case Op::QuadLane: return "quad_lane";
    case Op::Texture: return "find";
    case Op::TextureWord: return "word";
    case Op::TexelColumn: return "column";
    case Op::TexelRow: return "row";
    case Op::TexelSlice: return "slice";
    case Op::TexelOffset: return "texel_offset";
    case Op::Texel: return "texel";
    case Op::SharedWord: return "shared_word";
    case Op::MoveLanes: return "move_lanes";
    case Op::PickLanes: return "pick_lanes";
    case Op::ReadLane: return "read_lane";
    case Op::WriteLane: return "write_lane";
    case Op::KeepLanes: return "keep";
    case Op::Atomic: return "atomic";
    case Op::CallWhole: return "call";
    case Op::Expect: return "expect";
    case Op::ScalarLoad:
    case Op::Load: return "load";
    case Op::Store: return "store";
    case Op::SignalBarrier: return "signal_barrier";
    case Op::WaitBarrier: return "wait_barrier";
    case Op::Jump:
    case Op::JumpIf:
    case Op::JumpTo: return "jump";
    case Op::Stop: return "stop";
  }
  return "?";
}

static std::string pixels_text(const PixelWords& which) {
  return fmt::format("word {} of {} bytes of target {} at {:#x}+{}", which.word, which.texel_bytes, which.target, which.cell,
                     which.offset);
}

// The first pixel of a wave that is one of several among the pixels that are fed.
static std::string first_text(int first) { return first < 0 ? "" : fmt::format(" from pixel %{}", first); }

std::string text_of(const std::vector<Node>& nodes, size_t n, const Isa& isa, const Wave& like) {
  const Node& x = nodes[n];
  uint32_t mask_words = like.lanes > 32 ? 2 : 1;
  std::string result = x.type == Type::None ? "" : fmt::format("%{} = {}", n, name_of(x.type));
  if (x.op == Op::Const) return fmt::format("{} {}", result, constant_text(x));
  if (x.type != Type::None) result += ".";
  result += x.op == Op::FSqrt && x.extra ? static_cast<const LaneFunction*>(x.extra)->name : name_of(x.op);
  switch (x.op) {
    case Op::ReadScalar: return fmt::format("{} {}", result, register_text(isa, x.imm, 1));
    case Op::ReadLanes:
    case Op::ReadWhole: return fmt::format("{} {}", result, register_text(isa, x.imm, like.lanes));
    case Op::ReadFirstQuad: return fmt::format("{} {} of all quads", result, register_text(isa, x.imm, 1));
    case Op::ReadQuads: return fmt::format("{} {} by quad{}", result, register_text(isa, x.imm, like.lanes / 4), first_text(x.a));
    case Op::WriteWhole: return fmt::format("{} {}, %{}", result, register_text(isa, x.imm, like.lanes), x.a);
    case Op::ConstantWord: return fmt::format("{} of {}, %{}", result, 1u << x.imm, x.a);
    case Op::ReadPixels: return fmt::format("{} {}{}", result, pixels_text(PixelWords::from(x.imm)), first_text(x.a));
    case Op::WritePixels:
      return fmt::format("{} {}{}, %{}{}{}", result, pixels_text(PixelWords::from(x.imm)), first_text(x.d), x.a,
                         x.c < 0 ? "" : fmt::format(", %{}", x.c), condition_text(x.b));
    case Op::ReadMask: return fmt::format("{} {}", result, register_text(isa, x.imm, mask_words));
    case Op::ReadRegion: return fmt::format("{} {}", result, region_text(isa, *static_cast<const Region*>(x.extra)));
    case Op::WriteScalar: return fmt::format("{} {}, %{}", result, register_text(isa, x.imm, 1), x.a);
    case Op::WriteLanes:
      return fmt::format("{} {}, %{}{}", result, register_text(isa, x.imm, like.lanes), x.a, condition_text(x.b));
    case Op::WriteMask: return fmt::format("{} {}, %{}", result, register_text(isa, x.imm, mask_words), x.a);
    case Op::WriteRegion:
      return fmt::format("{} {}, %{}{}", result, region_text(isa, *static_cast<const Region*>(x.extra)), x.a,
                         condition_text(x.b));
    case Op::ReadIndexed:
    case Op::WriteIndexed: {
      const auto& f = *static_cast<const IndexedBytes*>(x.extra);
      const int byte = x.op == Op::ReadIndexed ? x.a : x.c;
      std::string place = fmt::format("{} + %{} ({} of {} bytes)", register_text(isa, f.cell, 1), byte, f.bytes, f.size);
      return x.op == Op::ReadIndexed ? fmt::format("{} {}", result, place)
                                     : fmt::format("{} {}, %{}{}", result, place, x.a, condition_text(x.b));
    }
    case Op::ReadLane: return fmt::format("{} %{} of {}", result, x.a, register_text(isa, x.imm, like.lanes));
    case Op::WriteLane: return fmt::format("{} %{} of {}, %{}", result, x.a, register_text(isa, x.imm, like.lanes), x.b);
    case Op::MoveLanes: {
      result += fmt::format(" %{} from", x.a);
      for (int from : static_cast<const LaneMap*>(x.extra)->from) result += from < 0 ? " -" : fmt::format(" {}", from);
      return result;
    }
    case Op::KeepLanes: return fmt::format("{} {}, %{}", result, name_of(AtomicSlot(x.imm)), x.a);
    case Op::Atomic: {
      const auto& call = *static_cast<const AtomicCall*>(x.extra);
      result += fmt::format(" {} {} x{}", name_of(call.access.space), int(call.access.op), call.access.bytes);
      if (call.access.offset) result += fmt::format(" + {}", call.access.offset);
      if (call.access.op == AtomicOp::SwapAtTwo) result += fmt::format(" and + {}", call.access.second_offset);
      for (unsigned r = 0; r < call.results; r++) result += fmt::format(", {}", register_text(isa, call.result[r], like.lanes));
      return result;
    }
    case Op::CallWhole: return result + " on all registers";
    case Op::Texture: {
      const auto& access = *static_cast<const TextureAccess*>(x.extra);
      return fmt::format("{} form {:#x}, resource %{}, sampler %{}", result, access.form, access.words[0], access.words[8]);
    }
    case Op::QuadLane:
    case Op::TextureWord: return fmt::format("{} {} of %{}", result, x.imm, x.a);
    case Op::TexelOffset:
      return fmt::format("{} %{} [%{}, %{}{}]", result, x.a, x.b, x.c, x.d < 0 ? "" : fmt::format(", %{}", x.d));
    case Op::WriteTexel:
      return fmt::format("{} [%{}] + {} of {}, %{}{}", result, x.c, x.imm & 255, x.imm >> 8, x.a, condition_text(x.b));
    case Op::Texel:
      return fmt::format("{} %{} [%{}, %{}{}] + {} of {}", result, x.a, x.b, x.c, x.d < 0 ? "" : fmt::format(", %{}", x.d),
                         x.imm & 255, x.imm >> 8);
    case Op::Expect: return fmt::format("{} %{} & {:#x} is {:#x}", result, x.a, uint32_t(x.imm >> 32), uint32_t(x.imm));
    case Op::ScalarLoad: return fmt::format("{} {}{}", result, access_text(x, false), condition_text(x.b));
    case Op::Load:
    case Op::Store: {
      Space space = static_cast<const MemoryAccess*>(x.extra)->space;
      bool two_words = space == Space::Global || space == Space::Flat;
      bool store = x.op == Op::Store;
      return fmt::format("{} {} {}{}{}", result, name_of(space), access_text(x, two_words),
                         store ? fmt::format(", %{}", x.c) : "", condition_text(store ? x.d : x.c));
    }
    case Op::Jump: return fmt::format("{} {:#x}", result, x.imm);
    case Op::JumpIf: return fmt::format("{} {:#x} if %{}", result, x.imm, x.a);
    case Op::JumpTo: return fmt::format("{} to %{}", result, x.a);
    case Op::Stop: return fmt::format("{} {}", result, name_of(Stop(x.imm)));
    default: break;
  }
  const char* separator = " ";
  for (int operand : {x.a, x.b, x.c, x.d}) {
    if (operand < 0) continue;
    result += fmt::format("{}%{}", separator, operand);
    separator = ", ";
  }
  return result;
}

std::string text_of(const CodeRegion& region, const Program& program, const Wave& like, const AccessPlan* plan) {
  const Isa& isa = program.isa();
  std::string text =
      fmt::format("region {:#x} to {:#x}{}{}{}", region.pc, region.next_pc, region.kind == RegionKind::Called ? ", called" : "",
                  region.self_loop ? ", loops"
                  : region.whole   ? ", on all lanes at once"
                                   : "",
                  name_of(region.float_class));
  if (!region.loop.empty()) text += fmt::format(", entry of a loop of {} regions", region.loop.size());
  text += "\n";
  size_t n = 0;
  for (size_t s = 0; s < region.steps.size(); s++) {
    const Step& step = *region.steps[s];
    text += fmt::format("  {:#x} {}", step.pc, isa.text(step));
    if (region.nodes.size() > n && region.nodes[n].step == s && region.late[n]) text += "  {after all lanes}";
    text += "\n";
    for (; n < region.nodes.size() && region.nodes[n].step == s; n++) {
      text += "    " + text_of(region.nodes, n, isa, like);
      if (plan && n < plan->group_of.size() && plan->group_of[n] >= 0) text += fmt::format(" {{guard {}}}", plan->group_of[n]);
      if (plan && n < plan->unwanted.size() && plan->unwanted[n]) text += " {unwanted}";
      text += "\n";
    }
  }
  for (const Step* step : region.tail) text += fmt::format("  {:#x} {}  {{called}}\n", step->pc, isa.text(*step));
  if (!plan) return text;
  for (size_t g = 0; g < plan->groups.size(); g++) {
    const GuardedGroup& group = plan->groups[g];
    text += fmt::format("  guard {}: {}, {} at %{}{}{}, bytes {} to {}\n", g, name_of(group.space),
                        group.form == kConsecutive ? "row"
                        : group.form == kOther     ? group.even   ? "each lane, even,"
                                                     : group.rows ? "each lane, or row,"
                                                                  : "each lane"
                                                   : "all lanes",
                        group.low, group.high < 0 ? "" : fmt::format(":%{}", group.high), condition_text(group.condition),
                        group.begin, group.end);
  }
  return text;
}

}  // namespace Atoll::wave
