// 1/255 in two parts, so that n / 255 is a product and an fma with one rounding.
#pragma once

namespace Atoll::sampling {

inline constexpr float reciprocal_255_high = 1.0f / 255, reciprocal_255_low = float(1.0 / 255 - double(reciprocal_255_high));

}  // namespace Atoll::sampling
