#include "gpu/dg1/draw/push_constants.h"

#include <array>

#include "isa/xe_lp/executable.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

struct ConstantBuffer {
  uint64_t address = 0, registers = 0;
};
using ConstantBuffers = std::array<ConstantBuffer, 4>;

template <class Command>
ConstantBuffers of_stage(const GraphicsState& state) {
  return {{{state.get<typename Command::Constant_Body_Buffer_0>(), state.get<typename Command::Constant_Body_Read_Length_0>()},
           {state.get<typename Command::Constant_Body_Buffer_1>(), state.get<typename Command::Constant_Body_Read_Length_1>()},
           {state.get<typename Command::Constant_Body_Buffer_2>(), state.get<typename Command::Constant_Body_Read_Length_2>()},
           {state.get<typename Command::Constant_Body_Buffer_3>(), state.get<typename Command::Constant_Body_Read_Length_3>()}}};
}

ConstantBuffers find_buffers(const GraphicsState& state, Stage stage) {
  using All = _3DSTATE_CONSTANT_ALL;
  if (!state.dwords<All>(unsigned(stage))) {
    switch (stage) {
      case Stage::VS: return of_stage<_3DSTATE_CONSTANT_VS>(state);
      case Stage::HS: return of_stage<_3DSTATE_CONSTANT_HS>(state);
      case Stage::DS: return of_stage<_3DSTATE_CONSTANT_DS>(state);
      case Stage::GS: return of_stage<_3DSTATE_CONSTANT_GS>(state);
      case Stage::PS: return of_stage<_3DSTATE_CONSTANT_PS>(state);
    }
  }
  // A pointer follows for each buffer whose bit is set.
  ConstantBuffers buffers;
  const uint64_t mask = state.get<All::Pointer_Buffer_Mask>(unsigned(stage));
  for (unsigned n = 0, next = 0; n < buffers.size(); n++) {
    if (!(mask >> n & 1)) continue;
    buffers[n] = {state.get<All::repeated::Constant_Body_Pointer_To_Constant_Buffer>(stage, next),
                  state.get<All::repeated::Constant_Body_Constant_Buffer_Read_Length>(stage, next)};
    next++;
  }
  return buffers;
}

}  // namespace

bool read_push_constants(Context& c, Stage stage, std::vector<uint32_t>& words) {
  words.clear();
  for (const ConstantBuffer& buffer : find_buffers(c.graphics, stage)) {
    if (!buffer.registers) continue;
    if (buffer.registers > xe_lp::kRegisters)
      return c.lose(fmt::format("{} registers of push constants: a thread has {}", buffer.registers, xe_lp::kRegisters));
    const size_t bytes = buffer.registers * xe_lp::kRegisterBytes, at = words.size();
    words.resize(at + bytes / 4);
    if (!c.load(buffer.address, &words[at], bytes, "read of push constants")) return false;
  }
  return true;
}

}  // namespace Atoll::dg1
