// Xe-LP: every instruction that computes, with a0 of any value; regions at the ends of the register files and beyond, which the
// decoder is to refuse; and messages (xe_lp_messages.h).
#include <cstring>
#include <map>

#include "../random_programs/xe_lp_programs.h"
#include "gpu/dg1/threads/images.h"
#include "hostile_values.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/registers.h"
#include "plain_machine.h"
#include "xe_lp_messages.h"

namespace Atoll::attacker {
namespace {

using namespace xe_lp;

// Threads reach memory by its addresses in the window (memory/address_space.h, Sections).
class ThreadMachine : public PlainMachine {
public:
  ThreadMachine() : PlainMachine(xe_lp::isa(), kChannels) {}
  AddressSpace* space = nullptr;
  bool mapped(uint64_t window_address, uint64_t bytes, bool writable) const override {
    if (window_address >= space->window_bytes()) return false;
    auto gpu = space->gpu_address_of(space->base() + window_address);
    return gpu && *gpu >= 0 && space->contains(uint64_t(*gpu), bytes, writable);
  }
};

class XeLpAttacker : public Attacker {
public:
  const char* name() const override { return "xe-lp"; }
  Machine& machine() override { return machine_; }
  bool sectioned() const override { return true; }
  Attack make(Random& r) override {
    Attack a = attack_on_registers(r);
    Code code;
    if (r.chance(60)) {
      constexpr uint32_t sizes[] = {0, 1024, 1024, 4096, 65536, 1000};
      a.lds_bytes = sizes[r.below(6)];
      a.tame_runs = r.below(3);
      a.model = r.chance(35);
      add_work(code, r, a.model ? 0 : r.below(3));
      a.model ? add_message_of_model(code, r) : add_messages(code, r);
      add_work(code, r, a.model ? 0 : r.below(3));
      Instruction end;
      end.op = Op::Send, end.lanes = 8, end.no_mask = true, end.end_of_thread = true;
      end.function = uint8_t(Sfid::ThreadSpawner), end.descriptor = 0x02000010;
      end.dst.kind = end.src[0].kind = end.src[1].kind = Kind::Direct;
      end.src[0].file = File::Grf, end.src[0].number = 127;
      add_instruction(code, end);
    } else {
      add_work(code, r, 1 + r.below(6));
    }
    a.program = {code.words, code.starts};
    return a;
  }
  // Images are those of the chip, in the ground's memory.
  void prepare(Ground& ground, const Attack&, unsigned) override {
    auto& images = images_[&ground];
    if (!images) images = std::make_unique<dg1::Images>(ground.space());
    images->begin_submission(nullptr);
    machine_.space = &ground.space();
    machine_.images = [this, images = images.get()](wave::ImageAccess& access) {
      images->access(access, context_of(machine_.wave()).dynamic_state_base);
    };
    machine_.textures = [images = images.get()](const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                                wave::TextureUse use) { return images->sampled(resource, sampler, slot, use); };
    machine_.texture_slots = &images->texture_slots();
  }
  void arm(const Attack& a, unsigned run, Ground& ground) override {
    wave::Wave& w = machine_.wave();
    for (uint32_t c = 0; c < kChannels; c++) wave::word_of(w, resume_cell + c * 4) = 0;
    wave::word_of(w, control_cell) = 0x4c0;  // (roundings are random_programs' matter)
    Random r{a.state_seed * 3 + run};
    r.next64();
    arm_messages(w, ground.space(), a, r, run == a.tame_runs);
    const uint8_t *first = wave::bytes_of(w, address_cell + 4), *end = wave::bytes_of(w, grf_cell + register_file_bytes);
    before_.assign(first, end);
  }
  std::string judge(const Attack& a) override {
    return a.model ? judge_message(machine_.wave(), *machine_.space, a, before_) : std::string();
  }

private:
  ThreadMachine machine_;
  std::map<Ground*, std::unique_ptr<dg1::Images>> images_;
  std::vector<uint8_t> before_;  // registers behind the general ones and a0.0

  void add_work(Code& code, Random& r, uint32_t count) {
    for (; count > 0; count--) code.add(words(r));
  }

  // An instruction that the decoder takes, or one time in eight what it refuses at its end.
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
