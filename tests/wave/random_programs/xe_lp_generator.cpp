#include <array>

#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/print.h"
#include "isa/xe_lp/program.h"
#include "xe_lp_programs.h"

namespace Atoll::xe_lp::test {
namespace {

constexpr Type float_types[] = {Type::F, Type::F, Type::HF};
constexpr Type integer_types[] = {Type::D, Type::UD, Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB, Type::Q, Type::UQ};

template <size_t N, class T>
T one_of(Random& r, const T (&all)[N]) {
  return all[r.below(N)];
}

bool takes_integers(Op op) {
  switch (op) {
    case Op::Lzd:
    case Op::Fbh:
    case Op::Fbl:
    case Op::Cbit:
    case Op::Bfrev:
    case Op::Bfe:
    case Op::Bfi1:
    case Op::Bfi2:
    case Op::Mach:
    case Op::Addc:
    case Op::Subb:
    case Op::Dp4a:
    case Op::Avg: return true;
    default: return is_logic(op) || is_shift(op);
  }
}
bool takes_floats(Op op) { return op == Op::Frc || op == Op::Rndu || op == Op::Rndd || op == Op::Rnde || op == Op::Rndz; }

}  // namespace

Type InstructionMaker::type_for(const Instruction& i, bool floats, bool) {
  if (has_three_sources(i) && !floats) {
    constexpr Type types[] = {Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB};
    return i.op == Op::Dp4a || i.op == Op::Bfe || i.op == Op::Bfi2 ? types[r.below(2)] : one_of(r, types);
  }
  return floats ? one_of(r, float_types) : one_of(r, integer_types);
}

// A register and a byte in it.
void InstructionMaker::place(Operand& o, unsigned bytes, unsigned unit) {
  const unsigned size = o.file == File::Grf ? registers * kRegisterBytes : bytes_in(o.file);
  const unsigned byte = (r.chance(60) ? r.below(size) / kRegisterBytes * kRegisterBytes : r.below(size)) / unit * unit;
  o.number = uint8_t(byte / bytes_between(o.file)), o.sub = uint8_t(byte % bytes_between(o.file));
  if (!row_of(o.file).scaled) o.number = o.sub = 0;
  (void)bytes;
}

Operand InstructionMaker::source(const Instruction& i, unsigned n, Type type, bool last) {
  const bool three = has_three_sources(i), math = i.op == Op::Math;
  Operand o;
  o.type = type;
  const unsigned bytes = bytes_of(type);
  if (three ? n != 1 && r.chance(10) : last && r.chance(14)) {
    o.kind = Kind::Immediate;
    if (three) {
      o.type = is_float(type) ? Type::HF : r.chance(50) ? Type::W : Type::UW;
      o.immediate = o.type == Type::W ? uint64_t(int64_t(int16_t(r.word()))) : uint16_t(r.word());
      return o;
    }
    if (bytes == 1 || r.chance(8)) o.type = is_float(type) ? Type::VF : r.chance(50) ? Type::V : Type::UV;
    const uint32_t word = r.word();
    switch (o.type) {
      case Type::W: o.immediate = uint64_t(int64_t(int16_t(word))); break;
      case Type::UW:
      case Type::HF: o.immediate = uint16_t(word); break;
      case Type::D: o.immediate = uint64_t(int64_t(int32_t(word))); break;
      case Type::Q:
      case Type::UQ: o.immediate = r.next64(); break;
      default: o.immediate = word;
    }
    return o;
  }
  constexpr File others[] = {File::Acc, File::Acc, File::A,  File::F,   File::Ce,  File::Sr,
                             File::Cr,  File::Ip,  File::Tm, File::Mme, File::Null};
  o.kind = !three && !math && r.chance(6) ? Kind::Indirect : Kind::Direct;
  o.file = o.kind == Kind::Indirect || r.chance(90) ? File::Grf : one_of(r, others);
  if (is_macro(i)) o.mme = kNoMme;
  constexpr uint8_t verticals[] = {0, 1, 2, 4, 8, 16, 32}, verticals_of_three[] = {0, 1, 4, 8};
  o.width = uint8_t(1u << r.below(5)), o.vertical = one_of(r, verticals),
  o.horizontal = uint8_t(r.chance(20) ? 0 : 1u << r.below(3));
  switch (r.below(5)) {
    case 0: o.vertical = 0, o.width = 1, o.horizontal = 0; break;
    case 1: o.vertical = 8, o.width = 8, o.horizontal = 1; break;
    case 2: o.vertical = o.width, o.horizontal = 1; break;
    default: break;
  }
  if (three) o.width = 0, o.vertical = n < 2 ? one_of(r, verticals_of_three) : 0;
  if (i.op == Op::Math && is_macro(i)) o.vertical = 8, o.width = 8, o.horizontal = 1;
  if (o.kind == Kind::Indirect) {
    o.number = uint8_t(r.below(16)), o.offset = int16_t(int(r.below(1024)) - 512);
    if (r.chance(40)) o.vertical = kVxH;
  } else if (o.file != File::Null) {
    place(o, bytes, is_macro(i) ? kRegisterBytes : bytes);
  }
  const Opcode& row = *find_opcode(unsigned(i.op));
  if (row.traits & SOURCE_MODIFIERS && r.chance(30)) o.modifiers = uint8_t(r.below(4));
  if (is_logic(i.op)) o.modifiers &= MOD_NEGATE;
  return o;
}

Operand InstructionMaker::destination(const Instruction& i, Type type) {
  const bool three = has_three_sources(i), math = i.op == Op::Math;
  Operand o;
  o.type = type;
  o.kind = !three && !math && r.chance(5) ? Kind::Indirect : Kind::Direct;
  constexpr File others[] = {File::Acc, File::Acc, File::Acc, File::Null, File::A, File::F, File::Mme};
  o.file = o.kind == Kind::Indirect || r.chance(88) ? File::Grf : one_of(r, others);
  if (is_macro(i)) o.mme = kNoMme;
  o.horizontal = uint8_t(r.chance(65) ? 1 : 1u << r.below(three ? 2 : 3));
  if (o.kind == Kind::Indirect)
    o.number = uint8_t(r.below(16)), o.offset = int16_t(int(r.below(1024)) - 512);
  else if (o.file != File::Null)
    place(o, bytes_of(type), is_macro(i) ? kRegisterBytes : three ? 8 : bytes_of(type));
  return o;
}

void InstructionMaker::modify(Instruction& i) {
  const Opcode& row = *find_opcode(unsigned(i.op));
  constexpr uint8_t sizes[] = {1, 2, 4, 8, 8, 8, 16, 16, 16, 32, 32};
  i.lanes = one_of(r, sizes);
  if (i.lanes < 32 && r.chance(30)) i.channel = uint8_t(r.below((32 - i.lanes) / 4 + 1) * 4);
  i.flag = uint8_t(r.below(2));
  i.flag_half = uint8_t(r.chance(25));
  if (row.traits & PREDICATE && r.chance(30)) {
    i.predicate = uint8_t(r.chance(70) ? 1 : 2 + r.below(12));
    i.predicate_inverted = r.chance(40);
  }
  constexpr Condition conditions[] = {Condition::Eq, Condition::Ne, Condition::Gt, Condition::Ge,
                                      Condition::Lt, Condition::Le, Condition::Ov, Condition::Un};
  const bool needs = i.op == Op::Cmp || i.op == Op::Cmpn || i.op == Op::Csel || (i.op == Op::Sel && !i.predicate);
  if (needs || (row.traits & CONDITION && i.op != Op::Sel && r.chance(25))) i.condition = one_of(r, conditions);
  i.saturate = row.traits & SATURATE && r.chance(25);
  i.no_mask = r.chance(20);
  i.write_accumulator = i.op == Op::Addc || i.op == Op::Subb ? r.chance(90) : i.op == Op::Mach ? r.chance(50) : r.chance(4);
}

bool InstructionMaker::make(Op op, Instruction& i) {
  i = {};
  i.op = op;
  if (op == Op::Nop) return true;
  if (op == Op::Math) {
    do i.function = uint8_t(1 + r.below(15));
    while (math_names[i.function].empty());
  }
  modify(i);
  bool floats = takes_floats(op) || (!takes_integers(op) && r.chance(55));
  if (op == Op::Math) {
    const auto f = MathFunction(i.function);
    floats = f < MathFunction::Idiv || f > MathFunction::Irem;
    if (is_macro(i)) i.condition = Condition::Eq, i.predicate = 0;
  }
  Type type = op == Op::Math && !floats ? (r.chance(50) ? Type::D : Type::UD) : type_for(i, floats, false);
  const bool other = op != Op::Math && !takes_integers(op) && !has_three_sources(i) && r.chance(25);
  i.dst = destination(i, other ? type_for(i, !floats, true) : r.chance(60) ? type : type_for(i, floats, true));
  if (op == Op::Ror || op == Op::Rol || op == Op::Math) i.dst.type = type;
  const unsigned sources = sources_of(i);
  for (unsigned n = 0; n < sources; n++)
    i.src[n] = source(i, n, op == Op::Math || r.chance(60) ? type : type_for(i, floats, false), n + 1 == sources);
  if (op == Op::Movi) {
    i.src[1] = {};
    i.src[1].kind = Kind::Direct, i.src[1].file = File::Null, i.src[1].type = Type::UB, i.src[1].width = 1;
  }
  return objection(i).empty() && encode_native(i).has_value();
}

Instruction InstructionMaker::any() {
  static const std::vector<Op> ops = [] {
    std::vector<Op> all;
    for (unsigned n = 0; n < 128; n++)
      if (const Opcode* row = find_opcode(n))
        if (row->format != Format::Branch && row->format != Format::Send && row->format != Format::Sync && row->op != Op::Illegal)
          all.push_back(row->op);
    return all;
  }();
  Instruction i;
  const Op op = ops[r.below(uint32_t(ops.size()))];
  while (!make(op, i)) {
  }
  return i;
}

namespace {

// Text, so that labels are the assembler's matter.
struct Program {
  Random& r;
  InstructionMaker maker{r};
  std::vector<std::string> lines{};
  int labels = 0;
  std::string exit{};
  unsigned lanes = 32;

  std::string label() { return fmt::format("L{}", labels++); }
  void put(const std::string& line) { lines.push_back(line); }
  void mark(const std::string& name) { lines.push_back(name + ":"); }
  std::string flag() { return fmt::format("f{}.0", r.below(2)); }
  std::string predicate() {
    switch (r.below(8)) {
      case 0: return "";
      case 1: return fmt::format("({}.any4h) ", flag());
      case 2: return fmt::format("(~{}.all2h) ", flag());
      default: return fmt::format("({}{}) ", r.chance(50) ? "~" : "", flag());
    }
  }
  std::string size() { return fmt::format("({}|M0)", lanes); }
  // A flag that tells channels apart.
  void decide() {
    put(fmt::format("cmp (32|M0) ({}){} null<1>:uw r{}.0<16;16,1>:uw r{}.0<16;16,1>:uw", condition_names[1 + r.below(6)], flag(),
                    r.below(40), r.below(40)));
  }
  void straight(uint32_t most) {
    for (uint32_t n = r.below(most + 1); n > 0; n--) put(print(maker.any()));
  }
  void block(int depth, const std::string& loop_end, const std::string& loop_out) {
    straight(4);
    for (uint32_t n = depth > 2 ? 0 : r.below(3); n > 0; n--) {
      piece(depth, loop_end, loop_out);
      straight(4);
    }
  }
  void piece(int depth, const std::string& loop_end, const std::string& loop_out) {
    if (r.chance(70)) decide();
    switch (r.below(loop_end.empty() ? 7 : 9)) {
      case 0: {  // if, else, endif
        std::string other = label(), end = label(), next = label();
        const bool two = r.chance(60);
        put(fmt::format("{}if {} {} {}", predicate(), size(), two ? other : end, end));
        block(depth + 1, loop_end.empty() ? "" : end, loop_out);
        if (two) {
          put(fmt::format("else {} {} {}", size(), end, end));
          mark(other);
          block(depth + 1, loop_end.empty() ? "" : end, loop_out);
        }
        mark(end);
        put(fmt::format("endif {} {}", size(), next));
        mark(next);
        break;
      }
      case 1: loop(depth, false); break;
      case 2: loop(depth, true); break;
      case 3: {  // goto forward, with a join
        std::string end = label(), next = label();
        put(fmt::format("{}goto {} {} {}", predicate(), size(), end, end));
        block(depth + 1, loop_end.empty() ? "" : end, loop_out);
        mark(end);
        put(fmt::format("join {} {}", size(), next));
        mark(next);
        break;
      }
      case 4: {  // jmpi, brd, brc forward
        std::string end = label();
        const uint32_t kind = r.below(3);
        if (kind == 0) put(fmt::format("(W&{}.any32h) jmpi (1|M0) {}", flag(), end));
        if (kind == 1) put(fmt::format("{}brd {} {}", predicate(), size(), end));
        if (kind == 2) put(fmt::format("{}brc {} {} {}", predicate(), size(), end, end));
        straight(3);
        mark(end);
        put(print(maker.any()));
        break;
      }
      case 5: {  // a function behind what jumps over it
        std::string function = label(), over = label();
        put(fmt::format("(W) jmpi (1|M0) {}", over));
        mark(function);
        block(3, "", "");
        if (r.chance(40)) put(fmt::format("({}) ret {} r{}.0", flag(), size(), 110 + depth));
        straight(2);
        put(fmt::format("ret {} r{}.0", size(), 110 + depth));
        mark(over);
        for (uint32_t n = 1 + r.below(2); n > 0; n--)
          put(fmt::format("{}{} {} r{}.0 {}", predicate(), r.chance(70) ? "call" : "calla", size(), 110 + depth, function));
        break;
      }
      case 6: {  // the rest of the program without some channels
        std::string end = label();
        put(fmt::format("({}.all4h) halt {} {} {}", flag(), size(), end, exit));
        mark(end);
        put(print(maker.any()));
        break;
      }
      case 7: put(fmt::format("{}break {} {} {}", predicate(), size(), loop_end, loop_out)); break;
      default: put(fmt::format("{}cont {} {} {}", predicate(), size(), loop_end, loop_out)); break;
    }
  }
  // Each channel counts for itself, from a number of its own.
  void loop(int depth, bool with_goto) {
    std::string top = label(), end = label(), out = label();
    const unsigned counter = 100 + unsigned(depth) * 2;
    put(fmt::format("(W) and (32|M0) r{}.0<1>:w r{}.0<16;16,1>:w 3:w", counter, r.below(40)));
    mark(top);
    block(depth + 1, with_goto ? "" : end, with_goto ? "" : end);
    if (!with_goto) mark(end);  // (cont comes back here)
    put(fmt::format("add ({}|M0) (gt)f1.0 r{}.0<1>:w r{}.0<16;16,1>:w -1:w", lanes, counter, counter));
    if (with_goto) {
      put(fmt::format("(f1.0) goto.b {} {} {}", size(), out, top));
      mark(out);
      put(fmt::format("join {} {}", size(), end));
      mark(end);
    } else {
      put(fmt::format("(f1.0) while {} {}", size(), top));
    }
  }
};

}  // namespace

RandomProgram random_program(Random& r) {
  Program p{r};
  constexpr unsigned sizes[] = {32, 32, 16, 8};
  p.lanes = one_of(r, sizes);
  p.exit = p.label();
  p.block(0, "", "");
  p.mark(p.exit);  // of halt: those that left come back
  // Some registers into memory: of a wave that nobody inspects they alone tell. (A64 oword block write: 8 owords from a header's address.)
  for (uint32_t n = 0; n < 4; n++) {
    p.put(fmt::format("(W) mov (1|M0) r126.0<1>:uq 0x{:x}:uq", buffer_base + n * 0x80));
    p.put(fmt::format("(W) send.dc1 (8|M0) null r126 r{} 0x100 0x020D44FF", r.below(100)));
  }
  p.put("sync.nop null");
  p.put("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
  RandomProgram program;
  auto words = assemble(p.lines);
  if (!words) {
    fmt::print(stderr, "{}\n", words.error().message);
    std::abort();
  }
  program.words = std::move(*words);
  for (uint32_t at = 0; at < program.words.size(); at += 4) program.starts.push_back(at);
  return program;
}

}  // namespace Atoll::xe_lp::test
