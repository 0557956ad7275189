#pragma once
#include "wave/engine_choice.h"

namespace Atoll::gpu {

using Engine = wave::EngineChoice;
using wave::parse_engine;

}  // namespace Atoll::gpu
