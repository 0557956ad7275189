// Xe-LP: regions at the ends of the register files and beyond, which the decoder is to refuse.
#include <cstring>

#include "hostile_values.h"
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
    for (uint32_t n = 1 + r.below(6); n > 0; n--) code.add(words_of(instruction(r)));
    a.program = {code.words, code.starts};
    return a;
  }
  void arm(const Attack&, unsigned, Ground&) override {
    for (uint32_t c = 0; c < kChannels; c++) wave::word_of(machine_.wave(), resume_cell + c * 4) = 0;
  }

private:
  PlainMachine machine_{isa(), 32};

  // Of those that the decoder takes, or in one of eight what it refuses at its end.
  Instruction instruction(Random& r) {
    for (;;) {
      Instruction i = any(r);
      std::string_view why = objection(i);
      if (why.empty() || (why.find("beyond") != why.npos && r.chance(2))) return i;
    }
  }
  Operand operand(Random& r, Type type, bool destination) {
    Operand o;
    o.type = type;
    o.file = destination || r.chance(85) ? (r.chance(80)   ? File::Grf
                                            : r.chance(50) ? File::Accumulator
                                                           : File::Address)
                                         : File::Immediate;
    if (o.file == File::Immediate) {
      o.immediate = r.next();
      return o;
    }
    uint32_t size = bytes_in(o.file), bytes = bytes_of(type);
    o.byte = uint16_t((r.chance(50) ? r.below(size) : size - 1 - r.below(std::min(size, 256u))) / bytes * bytes);
    o.horizontal = uint8_t(destination ? 1u << r.below(3) : r.chance(20) ? 0 : 1u << r.below(3));
    if (destination) return o;
    o.width = uint8_t(1u << r.below(5));
    o.vertical = uint8_t(r.chance(20) ? 0 : 1u << r.below(6));
    o.modifiers = uint8_t(r.chance(20) ? r.below(4) : 0);
    return o;
  }
  Instruction any(Random& r) {
    Instruction i;
    std::memset(static_cast<void*>(&i), 0, sizeof i);
    i.op = Op(1 + r.below(uint32_t(Op::Mad)));
    i.lanes = uint8_t(1u << r.below(6));
    Type type = Type(r.below(uint32_t(Type::Count)));
    i.dst = operand(r, r.chance(80) ? type : Type(r.below(uint32_t(Type::Count))), true);
    for (uint32_t n = 0; n < row_of(i.op).sources; n++) i.src[n] = operand(r, type, false);
    if (i.op == Op::Cmp || (i.op == Op::Sel && r.chance(50))) i.condition = Condition(1 + r.below(6));
    if (r.chance(25) || (i.op == Op::Sel && i.condition == Condition::None)) i.predicate = Predicate(1 + r.below(2));
    i.flag = uint8_t(r.below(2)), i.condition_flag = uint8_t(r.below(2));
    i.no_mask = r.chance(15);
    return i;
  }
};

}  // namespace

std::unique_ptr<Attacker> xe_lp_attacker() { return std::make_unique<XeLpAttacker>(); }

}  // namespace Atoll::attacker
