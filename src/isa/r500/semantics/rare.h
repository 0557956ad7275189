// Instructions as plain functions on the wave, for what the words of wave/engine.h do not say (R5xx Acceleration v1.3, 10.10):
// pairs with relative addresses (ADDRn_REL), mdh and mdv, WRITE_INACTIVE; texture instructions.
#pragma once
#include "isa/r500/registers.h"

namespace Atoll::r500 {

// The pair as it is to be executed now, with what it needs in the wave. finish() comes after it has run.
struct RarePair {
  RarePair(wave::Wave& wave, const Pair& given);
  void finish();
  Pair pair;

private:
  wave::Wave& wave_;
  uint64_t active_;
};
// True if a pair has to go through RarePair.
bool is_rare(const Pair& pair);

// A texture instruction (texture.cpp): a reason for a fault, or null.
const char* texture(wave::Wave& wave, const Words& words);

}  // namespace Atoll::r500
