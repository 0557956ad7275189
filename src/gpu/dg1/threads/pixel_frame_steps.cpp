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
#include "pixel/frame_steps.h"
#include "pixel/payload.h"

namespace Atoll::dg1 {

namespace {

using xe_lp::grf_cell;
using xe_lp::kRegisterBytes;

// The engine for one of the batch's threads, or some of its pixels.
template <class E>
struct Fed {
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using M = typename E::M;
  using S32 = typename E::S32;
  using S64 = typename E::S64;
  E& e;
  const unsigned lanes_of_thread;
  const S32 first;
  // (From the thread's pixel `from` on.)
  Fed(E& engine, unsigned lanes_of_all, unsigned from = 0)
      : e(engine), lanes_of_thread(lanes_of_all), first(e.scalar(first_pixel_cell) + from) {}

  U32 u32(uint32_t n) { return e.u32(n); }
  F32 f32(float x) { return e.f32(x); }
  M m(bool c) { return e.m(c); }
  S32 scalar(uint32_t cell) { return e.scalar(cell); }
  U32 splat(S32 s) { return e.splat(s); }
  U32 lane_id() { return e.lane_id(); }
  U32 constant_word(const uint32_t* words, unsigned log_size, U32 index) { return e.constant_word(words, log_size, index); }
  U32 lanes(uint32_t cell) { return e.lanes(cell); }  // (slopes: the same for each quad of the primitive)
  U32 quads(uint32_t cell) { return quads_from(e, cell, first, lanes_of_thread); }
  U32 pixels(const wave::PixelWords& which) { return pixels_from(e, which, first, lanes_of_thread); }
  template <class... Words>
  void set_pixels(M condition, const wave::PixelWords& which, const Words&... words) {
    set_pixels_from(e, condition, which, first, lanes_of_thread, words...);
  }
  // The thread's bits of 64 that say something of the batch's pixels.
  S32 bits(uint32_t cell) {
    const S32 own = low(join(e.scalar(cell), e.scalar(cell + 4)) >> (widen(first) & 63ull));
    return own & uint32_t((uint64_t(1) << lanes_of_thread) - 1);
  }
  M mask(uint32_t cell) { return mask_of(e, bits(cell)); }
};

// Gives the registers that threads write, and may read before that, their initial values, so that no thread sees what the one
// before it left. (A register that nothing reads costs nothing.)
template <class E>
void begin_registers(E& e, const PixelFrame& frame) {
  for (unsigned n = 0; n < 2; n++) e.set_scalar(xe_lp::flag_cell(n), e.s32(0));
  work_on(e, xe_lp::kChannels);
  auto clear = [&](uint32_t cell, uint8_t lanes) { set_region32(e, {.cell = cell, .lanes = lanes}, e.m(true), e.u32(0)); };
  clear(xe_lp::resume_cell, xe_lp::kChannels);
  for (unsigned n = 0; n < 8; n += 4) {
    clear(xe_lp::accumulator_cell + n * kRegisterBytes, xe_lp::kChannels);
    clear(xe_lp::accumulator_high_cell + n * kRegisterBytes, xe_lp::kChannels);
  }
  work_on(e, 8);
  clear(xe_lp::address_cell, 8);
  for (unsigned n = 0; n < xe_lp::kRegisters; n++)
    if (frame.cleared[n]) clear(grf_cell + n * kRegisterBytes, 8);
  for (unsigned n = 0; n < xe_lp::kRegisters; n++)
    for (unsigned dword = 0; frame.kept[n] && dword < kRegisterBytes; dword += 4)
      e.set_scalar(grf_cell + n * kRegisterBytes + dword, e.scalar(kept_cell(n) + dword));
}

// As HalfWriter::places() of draw/pixel_payload.cpp has them.
template <class E>
void load_places(E& e, const PixelFrame& frame) {
  constexpr unsigned half = 16;
  const unsigned halves = frame.width > half ? 2 : 1, lanes = frame.width / halves;
  auto drawn = Fed<E>(e, frame.width).bits(quad_payload_cell + offsetof(pipeline::QuadPayload, covered));
  work_on(e, lanes);
  Fed<E> fed(e, lanes);
  for (unsigned h = 0; h < halves; h++) {
    const uint32_t cell = grf_cell + (1 + h) * kRegisterBytes;
    auto of_half = [&](size_t words) { return fed.quads(quad_payload_cell + uint32_t(words) + h * half); };
    auto place = (of_half(offsetof(pipeline::QuadPayload, x)) & 0xffffu) | of_half(offsetof(pipeline::QuadPayload, y)) << 16;
    e.set_scalar(cell, e.s32(frame.coarse ? one_by_one : 0));
    e.set_scalar(cell + 4, e.scalar(quad_payload_cell + offsetof(pipeline::QuadPayload, facing)));
    for (unsigned q = lanes / 4; q < 4; q++) e.set_scalar(cell + 8 + q * 4, e.s32(0));
    set_region32(e, {.cell = cell + 8, .lanes = uint8_t(lanes), .vertical = 1, .width = 4, .horizontal = 0}, e.m(true), place);
    e.set_scalar(cell + 24, e.s32(0));
    auto own = (h ? drawn >> int(half) : drawn) & uint32_t((1u << lanes) - 1);
    e.set_scalar(cell + 28, own | own << 16);
  }
}

// Both barycentrics of 8 pixels, then of the next 8; of 32 pixels the inputs of the upper half stand behind those of the lower one
// (draw/pixel_payload.cpp).
template <class E>
void load_barycentrics(E& e, const PixelFrame& frame) {
  if (!frame.barycentrics) return;
  work_on(e, frame.width);
  Fed<E> fed(e, frame.width);
  constexpr unsigned sets = 6, half = 16;
  const unsigned halves = frame.width > half ? 2 : 1, lanes = frame.width / halves;
  unsigned next = 1 + halves;
  std::array<unsigned, 2> first{};
  for (unsigned h = 0; h < halves; h++) {
    first[h] = next;
    for (unsigned n = 0; n < sets; n++)
      if (frame.barycentrics >> n & 1) next += lanes / 8 * 2;
  }
  auto load = [&](unsigned from, unsigned to, pixel::Barycentrics<Fed<E>> at) {
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
  if (frame.barycentrics & 7) load(0, 3, pixel::perspective(fed, quad_payload_cell));
  if (frame.barycentrics >> 3) load(3, 6, pixel::linear(fed, quad_payload_cell));
}

template <class E>
void load_inputs(E& e, const PixelFrame& frame) {
  if (frame.fills) return;
  begin_registers(e, frame);
  load_places(e, frame);
  load_barycentrics(e, frame);
}

// The other effects of a message: the thread's end, and channels that rejoin at it.
template <class E>
void end_message(E& core, const wave::Step& step) {
  const auto& i = *static_cast<const xe_lp::Instruction*>(step.instruction);
  if (i.rejoins) {
    xe_lp::Executed<E> e(core);
    xe_lp::rejoin(e, core.pc());
  }
  if (!i.end_of_thread) return;
  if (step.flow == wave::Flow::Branch)  // to what begins the next thread
    core.jump(step.target);
  else
    core.stop(wave::Stop::End);
}

// As write_render_target() of draw/pixel_messages.cpp has it.
template <class E>
void write_pixels(E& core, const PixelFrame& frame, const wave::Step& step) {
  using Write = pixel::TargetWrite<Fed<E>>;
  using Form = xe_lp::RenderTargetMessage::Form;
  const auto& i = *static_cast<const xe_lp::Instruction*>(step.instruction);
  xe_lp::RenderTargetMessage m;
  xe_lp::read_render_target_message(i.descriptor, i.extended_descriptor, m);
  if (m.null_target || !frame.targets[m.target].is_written) return;
  work_on(core, m.pixels());
  const auto payload = xe_lp::payload_of(m, {});
  const unsigned split = i.descriptor >> 25 & 15;
  auto cell_of_register = [&](unsigned n) {
    return grf_cell + (n < split ? i.src[0].number + n : i.src[1].number + n - split) * kRegisterBytes;
  };
  auto colour = [&](int from) -> typename Write::Bits {
    auto component = [&](unsigned c) {
      if (m.form == Form::Replicated) return core.splat(core.scalar(cell_of_register(unsigned(from)) + c * 4));
      return region32(core, {.cell = cell_of_register(unsigned(from) + c * (m.pixels() / 8)), .lanes = uint8_t(m.pixels())});
    };
    return {component(0), component(1), component(2), component(3)};
  };
  xe_lp::Executed<E> e(core);
  Fed<E> fed(core, m.pixels(), m.first_pixel());
  auto word = e.enabled_word(i) & fed.bits(quad_payload_cell + offsetof(pipeline::QuadPayload, covered));
  auto drawn = mask_of(core, word);
  const typename Write::Bits source = colour(payload.colour), second = payload.second < 0 ? source : colour(payload.second);
  Write(fed, quad_payload_cell, m.target, frame.targets[m.target].state).write(source, second, frame.samples, [&](unsigned s) {
    return frame.samples == 1 ? drawn : drawn & pixel::drawn(fed, quad_payload_cell, s);
  });
  const uint32_t written = written_cell(m.target);
  auto all = join(core.scalar(written), core.scalar(written + 4)) | widen(word) << (widen(fed.first) & 63ull);
  core.set_scalar(written, low(all));
  core.set_scalar(written + 4, high(all));
}

// Behind a thread: the batch's next one of which anything is drawn.
template <class E>
void go_on(E& e, const PixelFrame& frame, const wave::Step& step) {
  if (step.flow == wave::Flow::End) return;
  const uint32_t covered = quad_payload_cell + offsetof(pipeline::QuadPayload, covered);
  const uint32_t all_lanes = uint32_t((uint64_t(1) << frame.width) - 1);
  auto of_batch = join(e.scalar(covered), e.scalar(covered + 4));
  auto next = e.scalar(first_pixel_cell) + frame.width;  // (of the last one 64)
  auto rest = select(next < 64u, of_batch >> (widen(next) & 63ull), e.s64(0));
  next = next + (low(ctz(rest)) & 63u & ~uint32_t(frame.width - 1u));
  auto drawn = low(of_batch >> (widen(next) & 63ull)) & all_lanes, running = drawn;
  if (frame.every_lane) {
    running = (running | running >> 1) & 0x55555555u;
    running = ((running | running >> 2) & 0x11111111u) * 15u;
  }
  e.set_scalar(first_pixel_cell, next);
  e.set_scalar(xe_lp::active_cell, running);
  e.set_scalar(xe_lp::state_cell + 8, drawn);
  e.set_scalar(xe_lp::state_cell + 12, running);
  e.jump_if((rest != 0ull) & (e.scalar(goes_on_cell) != 0u), step.target);
}

}  // namespace

ATOLL_FRAME_FUNCTIONS(load_inputs, write_pixels, go_on, PixelFrame)

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
