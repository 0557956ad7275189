// Registers that show how far a draw's line patterns came.
#pragma once
#include "gpu/amd/register_file.h"
#include "pipeline/draw.h"

namespace Atoll::gpu::amd {

// Behind a draw of lines that go on from each other, PA_SC_LINE_STIPPLE_STATE and PA_SU_LINE_STIPPLE_VALUE show where they ended. `Registers`:
// register_names.h.
template <class Registers>
class LinesShown {
public:
  // Both outlive it.
  LinesShown(RegisterFile& registers, pipeline::Draw& draw)
      : registers_(registers),
        factor_(draw.rasterization.line_stipple_factor),
        stippled_(draw.rasterization.line_stipple),
        coordinate_(draw.rasterization.line_coordinate.has_value()) {
    end_.pattern = draw.rasterization.line_stipple_start;
    if (coordinate_) end_.coordinate = draw.rasterization.line_coordinate->start;
    draw.lines_end = &end_;
  }
  ~LinesShown() {
    using State = typename Registers::PA_SC_LINE_STIPPLE_STATE;
    if (stippled_)
      registers_.set(State::address(),
                     State::CURRENT_PTR::of(end_.pattern / factor_ % 16) | State::CURRENT_COUNT::of(end_.pattern % factor_));
    constexpr uint32_t end_of_packet = 2;
    const bool reset = registers_.get<typename Registers::PA_SU_LINE_STIPPLE_CNTL::LINE_STIPPLE_RESET>() == end_of_packet;
    if (coordinate_) registers_.set(Registers::PA_SU_LINE_STIPPLE_VALUE::address(), reset ? 0 : end_.coordinate);
  }
  LinesShown(const LinesShown&) = delete;
  LinesShown& operator=(const LinesShown&) = delete;

private:
  RegisterFile& registers_;
  const uint32_t factor_;
  const bool stippled_, coordinate_;
  pipeline::LineProgress end_;
};

}  // namespace Atoll::gpu::amd
