// Comparisons: the flag gets the outcome, a destination all ones or zeros.
#pragma once
#include "isa/xe_lp/semantics/results.h"

namespace Atoll::xe_lp {

template <class A>
void compare(A& e, const Instruction& i) {
  using U32 = typename A::U32;
  using U64 = typename A::U64;
  auto on = e.enabled(i);
  auto truth = e.core.m(false);
  if (sources_are_floats(i)) {
    auto a = e.real(i, 0), b = e.real(i, 1);
    truth = compared(e, i.condition, a, b);
    if (i.op == Op::Cmpn) truth = truth | isnan(b);
  } else if (const Type a = i.src[0].type, b = i.src[1].type; is_signed(a) == is_signed(b) && a != Type::V && b != Type::V &&
                                                              bytes_of(a) <= 4 && bytes_of(b) <= 4 && !i.src[0].modifiers &&
                                                              !i.src[1].modifiers) {
    truth = compared(e, i.condition, e.template integer<U32>(i, 0), e.template integer<U32>(i, 1), !is_signed(a));
  } else {
    const bool is_unsigned = all_unsigned(i);
    truth = compared(e, i.condition, e.template integer<U64>(i, 0), e.template integer<U64>(i, 1), is_unsigned);
  }
  if (i.dst.file != File::Null) {
    if (bytes_of(i.dst.type) == 8)
      e.put64(i, on, select(truth, e.core.u64(~uint64_t(0)), e.core.u64(0)));
    else
      e.put(i, on, select(truth, e.core.u32(~0u), e.core.u32(0)));
  }
  e.set_flag(i, on, truth);
}

}  // namespace Atoll::xe_lp
