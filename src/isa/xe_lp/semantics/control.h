// Branches. A channel is on while the thread's instruction pointer is its own; one that leaves the flow notes where it goes on
// (resume_cell), and is on again when the thread comes there: at the places that branches.h finds, before anything else.
#pragma once
#include "isa/xe_lp/semantics/operands.h"

namespace Atoll::xe_lp {

inline constexpr wave::Region all_resume{resume_cell, 4, false, kChannels, 0, 0, 0};

// Channels whose place this is are on again.
template <class A>
void rejoin(A& e, uint64_t place) {
  work_on(e.core, kChannels);
  auto back = region32(e.core, all_resume) == key_of(place);
  set_region32(e.core, all_resume, back, e.core.u32(0));
  e.core.set_scalar(active_cell, e.core.scalar(active_cell) | word_of(e.core, back));
}

// A branch's channels as bits of words. Those outside of its ExecSize go where the thread goes.
template <class A>
struct Branch {
  using S32 = typename A::S32;
  using S64 = typename A::Core::S64;
  A& e;
  const Instruction& i;
  S32 active, inside, chosen;  // channels that are on; the instruction's; of these, those that its predicate names
  Branch(A& a, const Instruction& instruction)
      : e(a), i(instruction), active(e.core.scalar(active_cell)), inside(moved(e.active_word(i))), chosen(inside) {
    work_on(e.core, kChannels);
    if (i.predicate) chosen = inside & moved(e.predicate_word(i) & e.lanes_mask(i));
  }
  S32 moved(S32 lanes) { return i.channel ? lanes << int(i.channel) : lanes; }
  uint64_t target(int n) const { return e.core.pc() + i.src[n].immediate; }
  void wait(S32 channels, uint64_t place) {
    set_region32(e.core, all_resume, mask_of(e.core, channels), e.core.u32(key_of(place)));
  }
  auto none(S32 channels) { return (channels & e.lanes_mask(i) << i.channel) == 0u; }

  // Channels leave for a place; where none is left, the thread goes on elsewhere.
  void leave(S32 leaving, uint64_t place, uint64_t otherwise) {
    wait(leaving, place);
    S32 left = active & ~leaving;
    e.core.set_scalar(active_cell, left);
    e.core.jump_if(none(left), otherwise);
  }
  // If any are to go, they go at once, and the others wait. Gives whether any go.
  auto part(S32 going, uint64_t place) {
    auto any = going != 0u;
    S32 waiting = select(any, inside & ~going, 0u);
    wait(waiting, place);
    if (i.no_mask) set_region32(e.core, all_resume, mask_of(e.core, going), e.core.u32(0));
    e.core.set_scalar(active_cell, (active | going) & ~waiting);
    return any;
  }

  // Addresses that registers hold count from the instruction base, or are differences to this instruction's.
  S64 base() {
    constexpr size_t field = offsetof(ThreadContext, instruction_base);
    return join(e.core.scalar(context_field(field)), e.core.scalar(context_field(field + 4)));
  }
  S64 absolute(S32 offset) { return base() + join(offset, high(e.core.s64(e.core.pc()) - base())); }
  S64 relative(S32 offset) { return e.core.s64(e.core.pc()) + sign_widen(offset); }
  S32 source(int n = 0) { return e.core.scalar(cell_of(i.src[0].file) + byte_of(i.src[0]) + uint32_t(n) * 4); }
  // Jumps to an address that is not known before if a condition is met; else goes on.
  template <class C>
  void jump_to_if(C condition, S64 address) {
    e.core.jump_to(select(condition, address, e.core.s64(e.core.next_pc())));
  }

  void call() {
    const uint32_t to = cell_of(i.dst.file) + byte_of(i.dst);
    auto any = part(chosen, e.core.next_pc());
    if (i.dst.file != File::Null) {
      S32 back = e.core.s32(uint32_t(e.core.next_pc())) - low(base());
      e.core.set_scalar(to, select(any, back, e.core.scalar(to)));
      e.core.set_scalar(to + 4, select(any, chosen, e.core.scalar(to + 4)));
    }
    if (i.src[0].kind == Kind::Label && i.op == Op::Call) return e.core.jump_if(any, target(0));
    if (i.src[0].kind == Kind::Label) return jump_to_if(any, absolute(e.core.s32(uint32_t(i.src[0].immediate))));
    jump_to_if(any, i.op == Op::Call ? relative(source()) : absolute(source()));
  }
  void ret() {
    S64 to = absolute(source());
    set_region32(e.core, all_resume, mask_of(e.core, chosen), e.core.splat(low(to) | 1u));
    S32 left = active & ~chosen;
    e.core.set_scalar(active_cell, left);
    jump_to_if(none(left), to);
  }
  void jmpi() {
    auto taken = (e.predicate_word(i) & 1u) != 0u;
    if (i.src[0].kind != Kind::Label) return jump_to_if(taken, relative(source()));
    if (!i.predicate) return e.core.jump(target(0));
    e.core.jump_if(taken, target(0));
  }
  void execute() {
    switch (i.op) {
      case Op::If: return leave(inside & ~chosen, target(0), target(0));
      case Op::Else:
        wait(inside, target(1));
        e.core.set_scalar(active_cell, active & ~inside);
        rejoin(e, e.core.next_pc());  // those that failed the if
        return e.core.jump_if(none(e.core.scalar(active_cell)), target(0));
      case Op::Endif:
      case Op::Join: return e.core.jump_if(none(active), target(0));
      case Op::Break:
      case Op::Cont:
      case Op::Halt: return leave(chosen, target(1), target(0));
      case Op::Brc:
        if (i.src[0].kind == Kind::Label) return leave(chosen, target(1), target(0));
        return branch_by_register(1, 0);
      case Op::While: return e.core.jump_if(part(chosen, e.core.next_pc()), target(0));
      case Op::Goto: {
        if (!i.branch_control) return leave(chosen, target(1), target(0));
        auto any = part(chosen, target(0));
        if (target(0) == e.core.next_pc()) return e.core.jump_if(any, target(1));
        return jump_to_if(e.core.s1(true), select(any, e.core.s64(target(1)), e.core.s64(target(0))));
      }
      case Op::Brd:
        if (i.src[0].kind != Kind::Label) return branch_by_register(0, 0);
        if (int64_t(i.src[0].immediate) > 0) return leave(chosen, target(0), target(0));
        return e.core.jump_if(part(chosen, e.core.next_pc()), target(0));
      case Op::Call:
      case Op::Calla: return call();
      case Op::Ret: return ret();
      default: return jmpi();
    }
  }
  // brd, brc: channels leave for one address; where none is left, the thread goes to another.
  void branch_by_register(int place, int otherwise) {
    set_region32(e.core, all_resume, mask_of(e.core, chosen), e.core.splat(low(relative(source(place))) | 1u));
    S32 left = active & ~chosen;
    e.core.set_scalar(active_cell, left);
    jump_to_if(none(left), relative(source(otherwise)));
  }
};

template <class A>
void control(A& e, const Instruction& i) {
  Branch<A>(e, i).execute();
}

}  // namespace Atoll::xe_lp
