// A message to the sampler, read from its descriptor. PRM volume 2b, "Sampler message descriptor", "SIMD payload" of the
// sampler's messages; Mesa 22.3.6 brw_lower_logical_sends.cpp (order of parameters), brw_eu_defines.h.
#pragma once
#include <cstdint>
#include <string_view>

#include "wave/image_access.h"

namespace Atoll::xe_lp {

// `parameters` in their order, a letter each: u v r a coordinates and array index, c the reference, l b m level, bias and least level, d to i
// the derivatives of u, v and r in x and y, p q offsets of gathers, s the sample, . what has no effect here.
struct SamplerMessage {
  wave::ImageOperation operation = wave::ImageOperation::sample;
  wave::LodMode lod_mode = wave::LodMode::zero;
  bool compare = false, integers = false;
  std::string_view parameters;  // without any: not executed
  uint8_t number = 0;           // the message's
  uint8_t lanes = 8;
  bool header = false;
  bool halves = false, answer_halves = false;  // parameters, and what comes back, of 16 bits
  uint8_t sampler = 0, bti = 0;                // SAMPLER_STATE, from the table's or the header's first on; binding table index
  uint8_t address_length = 0, response_length = 0;  // registers: of the first payload, of the answer

  bool has(char parameter) const { return parameters.find(parameter) != parameters.npos; }
  // True if a SAMPLER_STATE counts.
  bool filters() const { return operation != wave::ImageOperation::load && operation != wave::ImageOperation::size; }
  unsigned parameter_registers() const { return halves ? 1 : lanes / 8u; }
  unsigned answer_registers() const { return answer_halves ? 1 : lanes / 8u; }
};
inline constexpr uint8_t sampler_message_info = 0x0b, sampler_message_mcs = 0x1d;

// False: one that is not executed.
bool read_sampler_message(uint32_t descriptor, SamplerMessage& message);

// The header's dword 2: channels that do not come back, the component of gathers, offsets of u, v and r of 4 bits each; whether a register
// behind the channels says which lanes' texels are all there (Pixel Null Mask Enable: Mesa 25.0.7 brw_lower_logical_sends.cpp).
namespace sampler_header {
inline constexpr uint32_t masks = 0xf000, gather_component = 0x30000, offsets = 0xfff, null_mask = 1u << 23;
}

}  // namespace Atoll::xe_lp
