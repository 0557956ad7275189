#pragma once
#include "wave/findings.h"

namespace Atoll::gpu {

using wave::Finding;
using wave::Findings;
using wave::parse_checks;

}  // namespace Atoll::gpu
