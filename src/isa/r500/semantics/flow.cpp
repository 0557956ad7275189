#include "isa/r500/semantics/flow.h"

#include <cstring>

#include "isa/r500/spelling.h"

namespace Atoll::r500::ATOLL_LEVEL {
namespace {

enum FlowOp : uint8_t { FC_JUMP, FC_LOOP, FC_ENDLOOP, FC_REP, FC_ENDREP, FC_BREAKLOOP, FC_BREAKREP, FC_CONTINUE };
enum AddressOp : uint8_t { A_NONE, A_POP, A_PUSH };
enum BranchOp : uint8_t { B_NONE, B_DECR, B_INCR };

// Words of 16 pixels, and what a comparison makes of them.
typedef uint32_t Words16 __attribute__((ext_vector_type(16)));
typedef bool Bools16 __attribute__((ext_vector_type(16)));
using Truths16 = decltype(Words16() == Words16());
constexpr uint32_t kAtOnce = 16;

uint64_t bits_of(Truths16 truths) { return __builtin_bit_cast(uint16_t, __builtin_convertvector(truths, Bools16)); }
Words16 chosen(Truths16 truths, Words16 yes, Words16 no) { return truths ? yes : no; }

class Flow {
public:
  Flow(wave::Wave& wave, const Words& words, uint32_t number)
      : wave_(wave), words_(words), number_(number), lanes_(wave.lanes), active_(mask_in(wave, active_cell)) {}
  ~Flow() { set_mask_in(wave_, active_cell, active_); }

  FlowResult run() {
    if (field<US_FC_INST::B_ELSE>.get(words_)) swap_branch();
    const FlowOp op = FlowOp(field<US_FC_INST::OP>.get(words_));
    if (op == FC_ENDLOOP || op == FC_ENDREP) resume(continue_cell, depth());
    const uint64_t wanting = wants();
    bool jumps = decision(wanting);
    uint32_t constant = at(integer_constant_cell(field<US_FC_ADDR::INT_ADDR>.get(words_)));
    switch (op) {
      case FC_JUMP: break;
      case FC_LOOP:
      case FC_REP:
        // Mesa's loops jump to their ENDLOOP, which would end another loop, and do not say JUMP_ANY: nobody does not jump.
        jumps = (jumps && active_) || (constant & 255) == 0;
        if (!jumps && !enter(constant, op == FC_LOOP)) return {"loops nest more than 8 deep"};
        break;
      case FC_ENDLOOP:
      case FC_ENDREP:
        jumps &= next_round(constant, op == FC_ENDLOOP);
        if (!jumps) leave(op == FC_ENDLOOP);
        break;
      case FC_BREAKLOOP:
      case FC_BREAKREP:
      case FC_CONTINUE:
        if (depth() == 0) return {"a break or continue outside of loops"};
        suspend(op == FC_CONTINUE ? continue_cell : break_cell, wanting);
        jumps = !anyone_left();
        break;
    }
    branch(BranchOp((jumps ? field<US_FC_INST::B_OP1> : field<US_FC_INST::B_OP0>).get(words_)), jumps ? ~wanting : wanting);
    if (jumps && (op == FC_BREAKLOOP || op == FC_BREAKREP)) leave(op == FC_BREAKLOOP);
    if (!jumps) return {};
    return target();
  }

private:
  wave::Wave& wave_;
  const Words& words_;
  uint32_t number_;
  const uint32_t lanes_;
  uint64_t active_;

  uint32_t& at(uint32_t cell) { return wave::word_of(wave_, cell); }
  uint32_t* of_pixels(uint32_t cell) { return &at(cell); }
  uint32_t& depth() { return at(loop_depth_cell); }
  // The pixels for which `is`(words) holds; it may change the words.
  template <class Is>
  uint64_t where(uint32_t cell, Is is) {
    uint32_t* words = of_pixels(cell);
    uint64_t found = 0;
    for (uint32_t pixel = 0; pixel < lanes_; pixel += kAtOnce) {
      Words16 some, before;
      std::memcpy(&some, words + pixel, sizeof some);
      before = some;
      found |= bits_of(is(some)) << pixel;
      if (bits_of(some != before)) std::memcpy(words + pixel, &some, sizeof some);
    }
    return found;
  }
  // Gives the pixels of `which` this word.
  void set(uint32_t cell, uint64_t which, uint32_t word) {
    uint32_t* words = of_pixels(cell);
    for (uint32_t pixel = 0; pixel < lanes_; pixel += kAtOnce) {
      const uint16_t some = uint16_t(which >> pixel);
      if (!some) continue;
      Words16 now;
      std::memcpy(&now, words + pixel, sizeof now);
      now = chosen(__builtin_convertvector(__builtin_bit_cast(Bools16, some), Truths16) != 0, Words16(word), now);
      std::memcpy(words + pixel, &now, sizeof now);
    }
  }

  // JUMP_FUNC has a bit for every three of the pixel's ALU result, its predicate bit and the boolean constant.
  uint64_t wants() {
    uint32_t sel = field<US_CMN_INST::RGB_PRED_SEL>.get(words_);
    uint64_t predicate = ~uint64_t(0);
    if (sel != PREDICATE_NONE) predicate = mask_in(wave_, predicate_cell(sel == PREDICATE_OWN ? 0 : sel - PREDICATE_R));
    if (field<US_CMN_INST::RGB_PRED_INV>.get(words_)) predicate = ~predicate;
    const uint32_t boolean = at(boolean_constants_cell) >> field<US_FC_ADDR::BOOL_ADDR>.get(words_) & 1;
    const uint64_t result = mask_in(wave_, alu_result_cell);
    uint64_t wanting = 0;
    for (uint32_t index = boolean; index < 8; index += 2)
      if (field<US_FC_INST::JUMP_FUNC>.get(words_) >> index & 1)
        wanting |= (index & 4 ? result : ~result) & (index & 2 ? predicate : ~predicate);
    return wanting & all_pixels(wave_);
  }
  bool decision(uint64_t wanting) {
    uint64_t deciding = active_;
    if (field<US_FC_INST::IGNORE_UNCOVERED>.get(words_)) deciding &= ~mask_in(wave_, uncovered_cell);
    return field<US_FC_INST::JUMP_ANY>.get(words_) ? (deciding & wanting) != 0 : (deciding & ~wanting) == 0;
  }

  // Branch counters stand one higher, 0 for a pixel that is not inactive in a branch.
  void swap_branch() {
    const uint64_t before = active_;
    const uint64_t waiting = where(branch_cell, [](Words16 counter) { return counter == 1; }) & ~before;
    set(branch_cell, before, 1);
    set(branch_cell, waiting, 0);
    active_ = waiting;
  }
  void branch(BranchOp op, uint64_t deactivated) {
    const uint32_t pop = field<US_FC_INST::B_POP_CNT>.get(words_);
    if (op == B_INCR) {
      where(branch_cell, [](Words16& counter) {
        counter = chosen(counter != 0, counter + 1, counter);
        return counter != 0;
      });
      set(branch_cell, active_ & deactivated, 1);
      active_ &= ~deactivated;
    }
    if (op == B_DECR)
      active_ |= where(branch_cell, [&](Words16& counter) {
        const Truths16 waits = counter != 0, resumes = waits & (counter - 1 < pop);
        counter = chosen(waits & ~resumes, counter - pop, Words16(0));
        return resumes;
      });
  }

  // Pixels that left the innermost loop, or its round: their word is the depth of the loop.
  void suspend(uint32_t cell, uint64_t wanting) {
    set(cell, active_ & wanting, depth());
    active_ &= ~wanting;
  }
  void resume(uint32_t cell, uint32_t loop) {
    if (!loop) return;
    active_ |= where(cell, [&](Words16& word) {
      const Truths16 is = word == loop;
      word = chosen(is, Words16(0), word);
      return is;
    });
  }
  // True if a pixel goes on in the loop's round: active, or inactive in a branch that began in the loop. (For a break, pixels that
  // wait for the next round count as well.)
  bool anyone_left() {
    if (active_) return true;
    const uint32_t pop = field<US_FC_INST::B_POP_CNT>.get(words_), loop = depth();
    if (where(branch_cell, [&](Words16 counter) { return (counter != 0) & (counter - 1 < pop); })) return true;
    const bool breaking = FlowOp(field<US_FC_INST::OP>.get(words_)) != FC_CONTINUE;
    return breaking && where(continue_cell, [&](Words16 word) { return word == loop; });
  }

  bool enter(uint32_t constant, bool with_register) {
    if (depth() >= kLoops) return false;
    at(loop_counter_cell(depth())) = constant & 255;
    at(saved_loop_register_cell(depth())) = at(loop_register_cell);
    if (with_register) at(loop_register_cell) = constant >> 8 & 255;
    depth()++;
    return true;
  }
  bool next_round(uint32_t constant, bool with_register) {
    if (depth() == 0) return false;
    if (with_register) at(loop_register_cell) += uint32_t(int32_t(int8_t(constant >> 16)));
    return --at(loop_counter_cell(depth() - 1)) != 0;
  }
  void leave(bool with_register) {
    if (depth() == 0) return;
    resume(break_cell, depth());
    depth()--;
    if (with_register) at(loop_register_cell) = at(saved_loop_register_cell(depth()));
  }

  FlowResult target() {
    uint32_t address = field<US_FC_ADDR::JUMP_ADDR>.get(words_);
    if (!field<US_FC_ADDR::JUMP_GLOBAL>.get(words_)) address = (address + at(code_offset_cell)) % 512;
    uint32_t& calls = at(call_depth_cell);
    switch (AddressOp(field<US_FC_INST::A_OP>.get(words_))) {
      case A_NONE: break;
      case A_POP:
        if (calls == 0) return {"a return without a call"};
        address = at(call_cell(--calls));
        break;
      case A_PUSH:
        if (calls >= kCalls) return {"calls nest more than 8 deep"};
        at(call_cell(calls++)) = number_ + 1;  // what follows the call, not the call again
        break;
    }
    return {nullptr, address};
  }
};

}  // namespace

FlowResult flow(wave::Wave& wave, const Words& words, uint32_t number) { return Flow(wave, words, number).run(); }

}  // namespace Atoll::r500::ATOLL_LEVEL
