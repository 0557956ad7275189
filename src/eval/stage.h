// Graphics waves in eval's requests: the values that a stage's wave starts with, by name (gpu/rdna4/graphics_state.h).
#pragma once
#include <span>
#include <string_view>

#include "eval/request.h"
#include "gpu/rdna4/graphics_state.h"

namespace Atoll::eval {

// True if an argument of that name ("persp_center_i", "vertices", "attr0.x") is one of the stage's values.
bool is_stage_value(std::string_view stage, std::string_view name);

// The state in which the stage's wave starts. An error names the stage, the value or what is wrong with it.
Expected<rdna4::GraphicsState> rdna4_stage(const Stage& stage, unsigned lanes, std::span<uint8_t> lds);

}  // namespace Atoll::eval
