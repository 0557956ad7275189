#include "isa/r500/semantics/flow.h"

#include "isa/r500/spelling.h"

namespace Atoll::r500 {
namespace {

enum FlowOp : uint8_t { FC_JUMP, FC_LOOP, FC_ENDLOOP, FC_REP, FC_ENDREP, FC_BREAKLOOP, FC_BREAKREP, FC_CONTINUE };
enum AddressOp : uint8_t { A_NONE, A_POP, A_PUSH };
enum BranchOp : uint8_t { B_NONE, B_DECR, B_INCR };

class Flow {
public:
  Flow(wave::Wave& wave, const Words& words, uint32_t number) : wave_(wave), words_(words), number_(number) {}

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
        jumps = (jumps && active()) || (constant & 255) == 0;
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

  uint32_t& at(uint32_t cell) { return wave::word_of(wave_, cell); }
  uint32_t& of_pixel(uint32_t cell, uint32_t pixel) { return at(cell + pixel * 4); }
  uint64_t active() { return mask_in(wave_, active_cell); }
  void activate(uint32_t pixel) { set_mask_in(wave_, active_cell, active() | bit(pixel)); }
  void deactivate(uint32_t pixel) { set_mask_in(wave_, active_cell, active() & ~bit(pixel)); }
  static uint64_t bit(uint32_t pixel) { return uint64_t(1) << pixel; }
  uint32_t& depth() { return at(loop_depth_cell); }

  uint64_t wants() {
    uint32_t sel = field<US_CMN_INST::RGB_PRED_SEL>.get(words_);
    uint64_t predicate = ~uint64_t(0);
    if (sel != PREDICATE_NONE) predicate = mask_in(wave_, predicate_cell(sel == PREDICATE_OWN ? 0 : sel - PREDICATE_R));
    if (field<US_CMN_INST::RGB_PRED_INV>.get(words_)) predicate = ~predicate;
    const uint32_t boolean = at(boolean_constants_cell) >> field<US_FC_ADDR::BOOL_ADDR>.get(words_) & 1;
    uint64_t result = mask_in(wave_, alu_result_cell), wanting = 0;
    for (uint32_t pixel = 0; pixel < wave_.lanes; pixel++) {
      uint32_t index = uint32_t(result >> pixel & 1) << 2 | uint32_t(predicate >> pixel & 1) << 1 | boolean;
      wanting |= uint64_t(field<US_FC_INST::JUMP_FUNC>.get(words_) >> index & 1) << pixel;
    }
    return wanting;
  }
  bool decision(uint64_t wanting) {
    uint64_t deciding = active();
    if (field<US_FC_INST::IGNORE_UNCOVERED>.get(words_)) deciding &= ~mask_in(wave_, uncovered_cell);
    return field<US_FC_INST::JUMP_ANY>.get(words_) ? (deciding & wanting) != 0 : (deciding & ~wanting) == 0;
  }

  // Branch counters stand one higher, 0 for a pixel that is not inactive in a branch.
  void swap_branch() {
    const uint64_t before = active();
    for (uint32_t pixel = 0; pixel < wave_.lanes; pixel++) {
      uint32_t& counter = of_pixel(branch_cell, pixel);
      if (before >> pixel & 1)
        counter = 1, deactivate(pixel);
      else if (counter == 1)
        counter = 0, activate(pixel);
    }
  }
  void branch(BranchOp op, uint64_t deactivated) {
    if (op == B_NONE) return;
    const uint32_t pop = field<US_FC_INST::B_POP_CNT>.get(words_);
    const uint64_t before = active();
    for (uint32_t pixel = 0; pixel < wave_.lanes; pixel++) {
      uint32_t& counter = of_pixel(branch_cell, pixel);
      if (counter && op == B_INCR) counter++;
      if (counter && op == B_DECR) {
        bool resumes = counter - 1 < pop;
        counter = resumes ? 0 : counter - pop;
        if (resumes) activate(pixel);
      }
      if (op == B_INCR && before & deactivated & bit(pixel)) counter = 1, deactivate(pixel);
    }
  }

  // Pixels that left the innermost loop, or its round: their word is the depth of the loop.
  void suspend(uint32_t cell, uint64_t wanting) {
    for (uint32_t pixel = 0; pixel < wave_.lanes; pixel++)
      if (active() & wanting & bit(pixel)) of_pixel(cell, pixel) = depth(), deactivate(pixel);
  }
  void resume(uint32_t cell, uint32_t loop) {
    for (uint32_t pixel = 0; pixel < wave_.lanes; pixel++)
      if (loop && of_pixel(cell, pixel) == loop) of_pixel(cell, pixel) = 0, activate(pixel);
  }
  // Whether somebody goes on in the loop's round: active, or inactive in a branch that began in the loop. (Of a break also those
  // that wait for the next round.)
  bool anyone_left() {
    if (active()) return true;
    const bool breaking = FlowOp(field<US_FC_INST::OP>.get(words_)) != FC_CONTINUE;
    for (uint32_t pixel = 0; pixel < wave_.lanes; pixel++) {
      uint32_t counter = of_pixel(branch_cell, pixel);
      if (counter && counter - 1 < field<US_FC_INST::B_POP_CNT>.get(words_)) return true;
      if (breaking && of_pixel(continue_cell, pixel) == depth()) return true;
    }
    return false;
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

}  // namespace Atoll::r500
