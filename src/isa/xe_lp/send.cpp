// The messages that the engines run, and how control leaves them.
#include "isa/xe_lp/data_message.h"
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/pixel_message.h"
#include "isa/xe_lp/urb_message.h"
#include "wave/program.h"

namespace Atoll::xe_lp {
namespace {

constexpr unsigned barrier_message = 4;

// True if `count` registers exist from the operand's on.
bool has_registers(const Operand& o, unsigned count) { return o.file == File::Null || o.number + count <= kRegisters; }

}  // namespace

std::string_view objection_to_send(const Instruction& i) {
  const auto function = Sfid(i.function);
  if (i.src[0].file != File::Grf || (i.src[1].file != File::Grf && i.src[1].file != File::Null))
    return "a payload that is not in general registers";
  if (i.dst.file != File::Grf && i.dst.file != File::Null) return "an answer that does not go to general registers";
  if (!i.descriptor_in_register) {
    if (!has_registers(i.src[0], i.descriptor >> 25 & 15) || !has_registers(i.dst, i.descriptor >> 20 & 31))
      return "a message reaches beyond the register file";
  }
  if (!i.extended_descriptor_in_register && !has_registers(i.src[1], i.extended_descriptor >> 6 & 31))
    return "a message reaches beyond the register file";
  switch (function) {
    case Sfid::DataPort0:
    case Sfid::DataPort1:
    case Sfid::ConstantPort: {
      if (i.descriptor_in_register) return "";
      DataMessage message;
      const char* why = read_data_message(function, i.descriptor, message);
      return why ? why : "";
    }
    case Sfid::Sampler: return "";
    case Sfid::Gateway:
      if (i.descriptor_in_register || (i.descriptor & 7) != barrier_message)
        return "messages to the gateway other than signal barrier are not executed";
      return "";
    case Sfid::ThreadSpawner:
      return i.end_of_thread ? "" : "messages to the thread spawner but the end of thread are not executed";
    case Sfid::RenderTarget: {
      if (i.descriptor_in_register || i.extended_descriptor_in_register) return "";
      RenderTargetMessage message;
      const char* why = read_render_target_message(i.descriptor, i.extended_descriptor, message);
      return why ? why : "";
    }
    case Sfid::Urb: {
      if (i.descriptor_in_register) return "";
      UrbMessage message;
      const char* why = read_urb_message(i.descriptor, message);
      return why ? why : "";
    }
    case Sfid::PixelInterpolator: {
      if (i.descriptor_in_register) return "";
      InterpolatorMessage message;
      const char* why = read_interpolator_message(i.descriptor, message);
      return why ? why : "";
    }
    case Sfid::DataPort2: return "send.dc2: messages to data port 2 are not executed";
    case Sfid::Vme:
    case Sfid::Cre: return "motion estimation is not executed";
    default: return "a message to a shared function that Xe-LP does not have";
  }
}

void describe_send(const Instruction& i, wave::Step& step) {
  if (i.end_of_thread) step.flow = wave::Flow::End;
}

}  // namespace Atoll::xe_lp
