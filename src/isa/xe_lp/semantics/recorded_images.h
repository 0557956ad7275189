// Messages about texels in the words of the recorder, for the form of texture that their step has met (wave/program.h): those that are
// compiled. recorded_images.cpp; all others are called (image_messages.cpp).
#pragma once
#include <optional>

#include "isa/xe_lp/data_message.h"
#include "isa/xe_lp/instruction.h"
#include "isa/xe_lp/sampler_message.h"
#include "wave/sampled_texture.h"

namespace Atoll::xe_lp {

// A message's use of its texture, if there may be code for it. Headers are checked when the message is executed.
constexpr std::optional<wave::TextureUse> compiled_use(const SamplerMessage& m) {
  if (m.halves || m.answer_halves || m.bti == BTI_BINDLESS) return {};
  switch (m.operation) {
    case wave::ImageOperation::sample:
    case wave::ImageOperation::gather: return wave::TextureUse::sampled;
    case wave::ImageOperation::load: return wave::TextureUse::loaded;
    default: return {};
  }
}
constexpr std::optional<wave::TextureUse> compiled_use(const Instruction& i, const DataMessage& m) {
  if (m.access != DataAccess::Typed || m.bti == BTI_BINDLESS || i.lanes != 8 || (m.write && m.returns)) return {};
  return m.write ? wave::TextureUse::stored : wave::TextureUse::loaded;
}
// True if there is code for a header's dword 2: nothing in it counts.
constexpr bool is_plain_sampler_header(uint32_t dword) {
  return !(dword &
           (sampler_header::masks | sampler_header::gather_component | sampler_header::offsets | sampler_header::null_mask));
}

// False: the message is called. Defined for the recorder alone.
template <class A>
bool record_sampler_message(A& e, const Instruction& i);
template <class A>
bool record_typed_message(A& e, const Instruction& i, const DataMessage& m);

}  // namespace Atoll::xe_lp
