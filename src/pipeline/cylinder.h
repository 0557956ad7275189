// Attributes on a cylinder, where 0 and 1 are the same place (R5xx SU_TEX_WRAP, Sea Islands SPI_PS_INPUT_CNTL.CYL_WRAP).
#pragma once

namespace Atoll::pipeline {

// The way from one vertex's value to another's that is no longer than half the way round.
inline float shorter_distance(float distance) {
  return distance > 0.5f ? distance - 1 : distance < -0.5f ? distance + 1 : distance;
}

}  // namespace Atoll::pipeline
