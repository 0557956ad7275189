// The templates of PixelFrame: compiled for each host level and for the recorder.
#ifdef ATOLL_RECORDING
#include "wave/jit/byte_registers.h"
#else
#include "wave/environment.h"
#include "wave/interpreter/byte_registers.h"
#endif
// (the words before what is written in them)
#include "gpu/dg1/threads/pixel_frame.h"
#include "isa/xe_lp/pixel_message.h"
#include "isa/xe_lp/semantics/control.h"
#include "pixel/feed.h"
#include "pixel/frame_steps.h"

namespace Atoll::dg1 {

namespace {

using xe_lp::grf_cell;
using xe_lp::kRegisterBytes;

// Both barycentrics of 8 pixels, then of the next 8; of 32 pixels the inputs of the upper half stand behind those of the lower one
// (draw/pixel_payload.cpp).
template <class E>
void load_barycentrics(E& e, const PixelFrame& frame) {
  if (frame.fills || !frame.barycentrics) return;
  work_on(e, frame.width);
  constexpr unsigned sets = 6, half = 16;
  const unsigned halves = frame.width > half ? 2 : 1, lanes = frame.width / halves;
  unsigned next = 1 + halves;
  std::array<unsigned, 2> first{};
  for (unsigned h = 0; h < halves; h++) {
    first[h] = next;
    for (unsigned n = 0; n < sets; n++)
      if (frame.barycentrics >> n & 1) next += lanes / 8 * 2;
  }
  auto load = [&](unsigned from, unsigned to, pixel::Barycentrics<E> at) {
    unsigned place = 0;
    for (unsigned n = 0; n < sets; n++) {
      if (!(frame.barycentrics >> n & 1)) continue;
      for (unsigned h = 0; n >= from && n < to && h < halves; h++) {
        // Lane 16 of the upper half's is its first.
        const uint32_t cell = grf_cell + (first[h] + place) * kRegisterBytes - h * half * 2 * 4;
        auto pixels = halves == 1 ? e.m(true) : h ? e.lane_id() >= half : e.lane_id() < half;
        wave::Region r{.cell = cell, .lanes = frame.width, .vertical = 16, .width = 8, .horizontal = 1};
        e.set_region(r, pixels, as_u32(at.i));
        r.cell += kRegisterBytes;
        e.set_region(r, pixels, as_u32(at.j));
      }
      place += lanes / 8 * 2;
    }
  };
  if (frame.barycentrics & 7) load(0, 3, pixel::perspective(e, quad_feed_cell));
  if (frame.barycentrics >> 3) load(3, 6, pixel::linear(e, quad_feed_cell));
}

// Of what a message does besides: the thread's end, and channels that come back where it stands.
template <class E>
void end_message(E& core, const wave::Step& step) {
  const auto& i = *static_cast<const xe_lp::Instruction*>(step.instruction);
  if (i.rejoins) {
    xe_lp::Executed<E> e(core);
    xe_lp::rejoin(e, core.pc());
  }
  if (i.end_of_thread) core.stop(wave::Stop::End);
}

// As write_render_target() of draw/pixel_messages.cpp has it.
template <class E>
void write_pixels(E& core, const PixelFrame& frame, const wave::Step& step) {
  using Write = pixel::TargetWrite<E>;
  using Form = xe_lp::RenderTargetMessage::Form;
  const auto& i = *static_cast<const xe_lp::Instruction*>(step.instruction);
  xe_lp::RenderTargetMessage m;
  xe_lp::read_render_target_message(i.descriptor, i.extended_descriptor, m);
  if (m.null_target || !frame.targets[m.target].is_written) return;
  work_on(core, frame.width);
  const auto payload = xe_lp::payload_of(m, {});
  const unsigned split = i.descriptor >> 25 & 15;
  auto cell_of_register = [&](unsigned n) {
    return grf_cell + (n < split ? i.src[0].number + n : i.src[1].number + n - split) * kRegisterBytes;
  };
  auto colour = [&](int from) -> typename Write::Bits {
    auto component = [&](unsigned c) {
      if (m.form == Form::Replicated) return core.splat(core.scalar(cell_of_register(unsigned(from)) + c * 4));
      // (The message's first pixel takes the first word.)
      const uint32_t cell = cell_of_register(unsigned(from) + c * (m.pixels() / 8)) - m.first_pixel() * 4;
      return core.region({.cell = cell, .lanes = frame.width});
    };
    return {component(0), component(1), component(2), component(3)};
  };
  xe_lp::Executed<E> e(core);
  auto word = e.enabled_word(i) & uint32_t((uint64_t(1) << m.pixels()) - 1);
  if (m.first_pixel()) word = word << int(m.first_pixel());
  auto drawn = mask_of(core, word) & pixel::covered(core, quad_feed_cell);
  const typename Write::Bits source = colour(payload.colour), second = payload.second < 0 ? source : colour(payload.second);
  Write(core, quad_feed_cell, m.target, frame.targets[m.target].state).write(source, second, frame.samples, [&](unsigned s) {
    return frame.samples == 1 ? drawn : drawn & pixel::drawn(core, quad_feed_cell, s);
  });
  const uint32_t written = written_cell(m.target);
  core.set_mask(written, core.mask(written) | drawn);
}

// (Nothing is written apart.)
template <class E>
void write_nothing(E&, const PixelFrame&) {}

}  // namespace

ATOLL_FRAME_FUNCTIONS(load_barycentrics, write_pixels, write_nothing, PixelFrame)

#ifdef ATOLL_RECORDING
namespace recording {
extern const wave::RecordFunction message_sent;
const wave::RecordFunction message_sent = [](wave::Recorder& recorder, const wave::Step& step) { end_message(recorder, step); };
}  // namespace recording
#else
namespace ATOLL_LEVEL {
extern const wave::InterpretFunction message_sent;
const wave::InterpretFunction message_sent = [](void* interpreter, const wave::Step& step) {
  end_message(*static_cast<wave::ATOLL_LEVEL::Interpreter*>(interpreter), step);
};
}  // namespace ATOLL_LEVEL
#endif

}  // namespace Atoll::dg1
