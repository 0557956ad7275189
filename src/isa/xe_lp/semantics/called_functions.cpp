#include "isa/xe_lp/semantics/called_functions.h"

#include "isa/xe_lp/semantics/math.h"
#include "wave/four_functions.h"

namespace Atoll::xe_lp {
namespace {

template <MathFunction function>
struct Steps {
  static constexpr const char* name = function == MathFunction::Rsqt  ? "reciprocal_root"
                                      : function == MathFunction::Exp ? "exponential"
                                      : function == MathFunction::Log ? "logarithm"
                                      : function == MathFunction::Sin ? "sine"
                                                                      : "cosine";
  template <class A>
  static typename A::F32 of(A& e, typename A::F32 x) {
    const bool flushes = e.core.float_mode().flush_in32;
    auto steps = [&](typename A::F32 operand) { return function_steps(e, function, operand, flushes, !flushes); };
    constexpr bool sine = function == MathFunction::Sin;
    if constexpr (!sine && function != MathFunction::Cos) return steps(x);
    // Zeros are no seldom operands, of channels that are off among others. (A denormal that is flushed equals zero.)
    const auto none = x == 0.0f;
    const auto of_zero = sine ? as_f32(as_u32(x) & 0x80000000u) : e.core.f32(1);
    return select(none, of_zero, steps(select(none, e.core.f32(1), x)));
  }
};

}  // namespace

const wave::LaneFunctions* called_functions(MathFunction function) {
  switch (function) {
    case MathFunction::Rsqt: return &wave::lane_functions<Steps<MathFunction::Rsqt>>;
    case MathFunction::Exp: return &wave::lane_functions<Steps<MathFunction::Exp>>;
    case MathFunction::Log: return &wave::lane_functions<Steps<MathFunction::Log>>;
    case MathFunction::Sin: return &wave::lane_functions<Steps<MathFunction::Sin>>;
    case MathFunction::Cos: return &wave::lane_functions<Steps<MathFunction::Cos>>;
    default: return nullptr;
  }
}

}  // namespace Atoll::xe_lp
