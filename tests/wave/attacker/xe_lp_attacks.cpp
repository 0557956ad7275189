// Xe-LP: every instruction that computes, with a0 of any value; regions at the ends of the register files and beyond, which the
// decoder is to refuse.
#include <cstring>

#include "../random_programs/xe_lp_programs.h"
#include "hostile_values.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/registers.h"
#include "plain_machine.h"

namespace Atoll::attacker {
namespace {

using namespace xe_lp;

class XeLpAttacker : public Attacker {
public:
  const char* name() const override { return "xe-lp"; }
  Machine& machine() override { return machine_; }
  Attack make(Random& r) override {
    Attack a = attack_on_registers(r);
    Code code;
    for (uint32_t n = 1 + r.below(6); n > 0; n--) code.add(words(r));
    a.program = {code.words, code.starts};
    return a;
  }
  void arm(const Attack&, unsigned, Ground&) override {
    for (uint32_t c = 0; c < kChannels; c++) wave::word_of(machine_.wave(), resume_cell + c * 4) = 0;
    wave::word_of(machine_.wave(), control_cell) = 0x4c0;  // (roundings are random_programs' matter)
  }

private:
  PlainMachine machine_{isa(), 32};

  // Of those that the decoder takes, or in one of eight what it refuses at its end.
  std::vector<uint32_t> words(Random& r) {
    for (;;) {
      // (of any kind, anywhere in the files; or of those of old that most often stand at their ends)
      Instruction i = r.chance(60) ? Atoll::xe_lp::test::InstructionMaker{r, 128}.any() : any(r);
      std::string_view why = objection(i);
      if (!why.empty() && !(why.find("beyond") != why.npos && r.chance(2))) continue;
      auto native = encode_native(i);
      if (!native) continue;
      std::vector<uint32_t> words(4);
      std::memcpy(words.data(), native->half, 16);
      return words;
    }
  }
  static constexpr Type types[] = {Type::UD, Type::D, Type::UW, Type::W, Type::F};
  static Type type_of(Random& r) { return types[r.below(std::size(types))]; }
  Operand operand(Random& r, const Instruction& i, Type type, bool destination) {
    bool three = has_three_sources(i);
    Operand o;
    o.type = type;
    o.kind = destination || r.chance(85) ? Kind::Direct : Kind::Immediate;
    o.file = r.chance(80) ? File::Grf : r.chance(50) ? File::Acc : File::A;
    if (o.kind == Kind::Immediate) {
      o.immediate = three || bytes_of(type) == 2 ? r.next() & 0x7fff : r.next();
      return o;
    }
    uint32_t size = bytes_in(o.file), bytes = bytes_of(type), unit = destination && three ? 8 : bytes;
    uint32_t byte = (r.chance(50) ? r.below(size) : size - 1 - r.below(std::min(size, 256u))) / unit * unit;
    o.number = uint8_t(byte / kRegisterBytes), o.sub = uint8_t(byte % kRegisterBytes);
    o.horizontal = uint8_t(destination ? 1u << r.below(three ? 2 : 3) : r.chance(20) ? 0 : 1u << r.below(3));
    if (destination) return o;
    constexpr uint8_t verticals[] = {0, 1, 4, 8};
    o.width = uint8_t(1u << r.below(5));
    o.vertical = three ? verticals[r.below(4)] : uint8_t(r.chance(20) ? 0 : 1u << r.below(6));
    o.modifiers = uint8_t(r.chance(20) ? r.below(4) : 0);
    return o;
  }
  Instruction any(Random& r) {
    constexpr Op ops[] = {Op::Mov, Op::Sel, Op::Not, Op::And, Op::Or,  Op::Xor, Op::Shl,
                          Op::Shr, Op::Asr, Op::Cmp, Op::Add, Op::Mul, Op::Mad};
    Instruction i;
    i.op = ops[r.below(std::size(ops))];
    i.lanes = uint8_t(1u << r.below(6));
    Type type = type_of(r);
    i.dst = operand(r, i, r.chance(80) ? type : type_of(r), true);
    for (unsigned n = 0; n < sources_of(i); n++) i.src[n] = operand(r, i, type, false);
    if (i.op == Op::Cmp || (i.op == Op::Sel && r.chance(50))) i.condition = Condition(1 + r.below(6));
    if (r.chance(25) || (i.op == Op::Sel && i.condition == Condition::None)) i.predicate = 1, i.predicate_inverted = r.chance(50);
    i.flag = uint8_t(r.below(2));
    i.no_mask = r.chance(15);
    return i;
  }
};

}  // namespace

std::unique_ptr<Attacker> xe_lp_attacker() { return std::make_unique<XeLpAttacker>(); }

}  // namespace Atoll::attacker
