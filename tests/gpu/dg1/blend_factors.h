// The meaning of the manual's numbers of 3D_Color_Buffer_Blend_Factor (PRM volume 2b), for tests: a table apart from the
// product's.
#pragma once
#include <cstdint>

#include "pipeline/state.h"

namespace Atoll::dg1::test {

struct BlendFactorRow {
  uint32_t value;
  pipeline::BlendFactor factor;
};
// First those that need no second source.
inline constexpr BlendFactorRow blend_factors[] = {{1, pipeline::BlendFactor::one},
                                                   {2, pipeline::BlendFactor::source_colour},
                                                   {3, pipeline::BlendFactor::source_alpha},
                                                   {4, pipeline::BlendFactor::target_alpha},
                                                   {5, pipeline::BlendFactor::target_colour},
                                                   {6, pipeline::BlendFactor::source_alpha_saturate},
                                                   {7, pipeline::BlendFactor::constant_colour},
                                                   {8, pipeline::BlendFactor::constant_alpha},
                                                   {17, pipeline::BlendFactor::zero},
                                                   {18, pipeline::BlendFactor::one_minus_source_colour},
                                                   {19, pipeline::BlendFactor::one_minus_source_alpha},
                                                   {20, pipeline::BlendFactor::one_minus_target_alpha},
                                                   {21, pipeline::BlendFactor::one_minus_target_colour},
                                                   {23, pipeline::BlendFactor::one_minus_constant_colour},
                                                   {24, pipeline::BlendFactor::one_minus_constant_alpha},
                                                   {9, pipeline::BlendFactor::second_source_colour},
                                                   {10, pipeline::BlendFactor::second_source_alpha},
                                                   {25, pipeline::BlendFactor::one_minus_second_source_colour},
                                                   {26, pipeline::BlendFactor::one_minus_second_source_alpha}};
inline constexpr unsigned factors_of_one_source = 15;

}  // namespace Atoll::dg1::test
