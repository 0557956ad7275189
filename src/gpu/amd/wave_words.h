// Registers of a wave of AMD's instruction sets, as the stages that start waves and take their results see them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "isa/amd/inline_constants.h"
#include "isa/amd/registers.h"
#include "wave/wave.h"

namespace Atoll::gpu::amd {

inline uint32_t* words_of(wave::Wave& wave, uint32_t cell) { return &wave::word_of(wave, cell); }
inline float* lanes_of(wave::Wave& wave, uint32_t cell) { return reinterpret_cast<float*>(wave::bytes_of(wave, cell)); }
// A mask of lanes in two words, of which waves of 32 lanes have the first.
inline uint64_t mask_of(wave::Wave& wave, uint32_t cell) {
  return wave::word_of(wave, cell) | (wave.lanes == 64 ? uint64_t(wave::word_of(wave, cell + 4)) << 32 : 0);
}
// The first `count` of 64 lanes.
inline uint64_t lanes_mask(size_t count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

inline void put_sgpr(wave::Wave& wave, unsigned n, uint32_t value) { wave::word_of(wave, Atoll::amd::scalar_cell(n)) = value; }
inline void put_exec(wave::Wave& wave, uint64_t exec) {
  wave::word_of(wave, Atoll::amd::scalar_cell(Atoll::amd::EXEC_LO)) = uint32_t(exec);
  wave::word_of(wave, Atoll::amd::scalar_cell(Atoll::amd::EXEC_LO + 1)) = uint32_t(exec >> 32);
}

}  // namespace Atoll::gpu::amd
