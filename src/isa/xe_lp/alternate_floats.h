// The alternate mode of f32, of early shader models: no infinities, NaNs and denormals go into arithmetic or come out of it. Units of
// floats take +-infinity for +-fmax, denormals for zeros and NaNs for +0; what would be infinite is +-fmax; log, sqt and rsqt take how
// large their operand is, and give a NaN's NaN. It is f32's alone, not for conversions to and from halves; raw moves copy what they find
// (Ivy Bridge PRM volume 4 part 3: "ALT mode" among its terms, 2.3.2 Alternative Floating Point Mode, cr0.0 bit 0, the tables of add,
// mul, frc, the roundings and of each function of math; DG1 PRM volume 2b, MathFC). The terms' list decides about operands that
// the tables leave undefined. The sampler's and the render cache's clamps are not modelled.
#pragma once
#include "wave/float_mode.h"

namespace Atoll::xe_lp {

// Xe-LP's halves have no clamp of their own: in its modes the bit is that of f32.
inline bool has_alternate_floats(const wave::FloatMode& mode) { return mode.clamp_halves; }
inline bool set_alternate_floats(wave::FloatMode& mode) { return mode.clamp_halves = true; }

}  // namespace Atoll::xe_lp
