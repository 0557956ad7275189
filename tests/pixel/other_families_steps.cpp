// The templates of other_families.h: compiled for each host level and for the recorder.
#include "other_families.h"
#include "pixel/frame_steps.h"
#include "pixel/payload.h"

namespace Atoll::pixel::test {

namespace {

// --- Xe-LP
template <class E>
void xe_begin(E& e, const OtherFrame& frame) {
  Barycentrics<E> at = perspective(e, xe_feed_cell);
  wave::Region r{.cell = xe_register_cell(2), .lanes = frame.lanes, .vertical = 16, .width = 8, .horizontal = 1};
  e.set_region(r, e.m(true), as_u32(at.i));
  r.cell += xe_lp::kRegisterBytes;
  e.set_region(r, e.m(true), as_u32(at.j));
}
template <class E>
void xe_write(E& e, const OtherFrame& frame, const wave::Step& step) {
  const XeMessage& message = *static_cast<const XeMessage*>(step.instruction);
  auto channel = [&](uint32_t c) {
    // (lane `first` takes the register's first word)
    const uint32_t cell = xe_register_cell(message.payload + c * ((message.lanes + 7u) / 8)) - message.first * 4u;
    return e.region({.cell = cell, .lanes = frame.lanes});
  };
  auto lane = e.lane_id();
  auto lanes = covered(e, xe_feed_cell) & e.mask(xe_lp::active_cell) & (lane >= uint32_t(message.first)) &
               (lane < uint32_t(message.first + message.lanes));
  TargetWrite<E> to(e, xe_feed_cell, message.target, frame.target[message.target]);
  const typename TargetWrite<E>::Bits colour = {channel(0), channel(1), channel(2), channel(3)};
  to.write(colour, colour, 1, [&](unsigned) { return lanes; });
  const uint32_t written = xe_written_cell(message.target);
  e.set_mask(written, e.mask(written) | lanes);
}

// --- GFX12
template <class E>
void gfx12_begin(E& e, const OtherFrame&) {
  Barycentrics<E> at = perspective(e, gfx12_feed_cell);
  e.set_whole_lanes(rdna4::vgpr_cell(0, true), as_u32(at.i));
  e.set_whole_lanes(rdna4::vgpr_cell(1, true), as_u32(at.j));
}
template <class E>
void gfx12_end(E& e, const OtherFrame& frame) {
  auto half = [&](unsigned c) {
    auto pair = e.lanes(rdna4::export_cell(0, c / 2, true));
    return as_u32(cvt_f32_f16(c % 2 ? pair >> 16 : pair & 0xffff));
  };
  TargetWrite<E> to(e, gfx12_feed_cell, 0, frame.target[0]);
  const typename TargetWrite<E>::Bits colour = {half(0), half(1), half(2), half(3)};
  to.write(colour, colour, 1, [&](unsigned) { return covered(e, gfx12_feed_cell) & e.mask(rdna4::export_mask_cell(0, true)); });
}

// --- instructions
template <class E>
struct Words {
  E& core;
  explicit Words(E& e) : core(e) {}
};
template <class A>
void xe_message(A& a, const XeMessage& message) {
  if (message.ends) a.core.stop(wave::Stop::End);
}
}  // namespace

#ifdef ATOLL_RECORDING
namespace recording {
using wave::Recorder;
template <auto Semantic, class Instruction>
void record(Recorder& recorder, const wave::Step& step) {
  Words<Recorder> words(recorder);
  Semantic(words, *static_cast<const Instruction*>(step.instruction));
}
using pixel::recording::record_framed;
const OtherRecorders other_functions = {
    &record_framed<&xe_begin<Recorder>, OtherFrame>, &record_framed<&xe_write<Recorder>, OtherFrame>,
    &record<&xe_message<Words<Recorder>>, XeMessage>, &record_framed<&gfx12_begin<Recorder>, OtherFrame>,
    &record_framed<&gfx12_end<Recorder>, OtherFrame>};
}  // namespace recording
#else
namespace ATOLL_LEVEL {
using pixel::ATOLL_LEVEL::run_framed;
using wave::ATOLL_LEVEL::Interpreter;
using wave::ATOLL_LEVEL::run_lanes;
using wave::ATOLL_LEVEL::run_scalar;
using Adaptor = Words<Interpreter>;

const OtherFunctions other_functions = {
    &run_framed<&xe_begin<Interpreter>, OtherFrame>, &run_framed<&xe_write<Interpreter>, OtherFrame>,
    &run_scalar<&xe_message<Adaptor>, Adaptor, XeMessage>, &run_framed<&gfx12_begin<Interpreter>, OtherFrame>,
    &run_framed<&gfx12_end<Interpreter>, OtherFrame>};
}  // namespace ATOLL_LEVEL
#endif

}  // namespace Atoll::pixel::test
