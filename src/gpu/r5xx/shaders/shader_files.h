// Programs of draws, written to files where gpu::Options::shaders asks for them (gpu/device/program_files.h).
#pragma once
#include "gpu/r5xx/context.h"
#include "gpu/r5xx/shaders/shaders.h"

namespace Atoll::r5xx {

// `stage`: "vs" or "ps". Once for each program. Words are those of code memory from its start on; registers that say where the
// program begins, and the vertex shader's flow control, stand in comments of the text.
void write_program(Context& context, Shader& shader, const char* stage);

}  // namespace Atoll::r5xx
