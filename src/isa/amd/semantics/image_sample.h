// A sample of an image as nodes, for the form of texture and sampler that its step has met (sampling/sample.h): what Sea Islands' MIMG
// and RDNA4's VSAMPLE share. Their address registers have the same order: offset, bias, reference, derivatives, coordinates, then a
// level or the least one (Southern Islands ISA 8.2.4; RDNA4 ISA 10.4).
#pragma once
#include <array>
#include <bit>
#include <optional>

#include "isa/amd/registers.h"
#include "sampling/sample.h"
#include "wave/program.h"

namespace Atoll::amd {

// The instruction's fields.
struct SampleInstruction {
  wave::LodMode lod_mode = wave::LodMode::zero;
  bool gathers = false, compares = false, has_offsets = false, clamps_lod = false;
  bool unnormalized = false;           // whatever the sampler says
  bool halves = false;                 // A16: coordinates, levels and biases
  bool half_derivatives = false;       // G16
  uint8_t mask = 15;                   // DMASK
  unsigned spatial = 2;                // coordinates that are filtered
  bool has_layer = false;              // one more behind them
  std::array<uint16_t, 12> scalars{};  // SGPRs of the resource and the sampler
  // Address registers that it may read, whatever texture it meets.
  unsigned registers = 0;
};

// The form that code can be made for. None: the instruction is called.
template <class A>
std::optional<sampling::Form> form_to_sample(A& e, bool exact_anyhow) {
  const uint64_t bits = wave::met_form(*e.core.step);
  const sampling::Form form = sampling::Form::from(bits);
  if (bits == wave::many_forms || !form.valid || !sampling::is_exact(form, e.core.float_mode(), exact_anyhow)) return {};
  return form;
}

// Leaves the nodes. `cell(n)` is the cell of the nth address register; `data` is what goes to the data registers, of which there are
// as many as the result says. 0: no code can be made.
template <class A, class Cell>
unsigned record_sample(A& e, const sampling::Form& form, const SampleInstruction& i, Cell cell,
                       std::array<typename A::U32, 4>& data) {
  auto& core = e.core;
  sampling::SampleRequest request;
  unsigned register_number = 0;
  auto next = [&] { return cell(register_number++); };
  request.lod_mode = i.lod_mode;
  request.wanted = i.mask & 15;
  if (i.gathers) {
    if (form.dimension == uint64_t(surface::Dimension::three)) return 0;
    const bool of_base_level = i.lod_mode == wave::LodMode::implicit || i.lod_mode == wave::LodMode::zero;
    if (form.hides_levels && of_base_level) return 0;  // nothing but zeros
    request.wanted = 15;
    request.gathers = i.mask & 15 ? std::countr_zero(unsigned(i.mask)) : 0;
    request.gathers_from_nearest = surface::is_integer(surface::Number(form.number));
  }
  if ((request.has_offsets = i.has_offsets)) request.offsets = next();
  // Floats of 16 bits stand in pairs; biases alone.
  using sampling::LanePlace;
  bool upper = false;
  auto next_float = [&](bool halves) -> LanePlace {
    if (!halves) return next();
    if (upper) register_number--;
    const LanePlace place(next(), upper ? LanePlace::upper_half : LanePlace::lower_half);
    upper = !upper;
    return place;
  };
  if (i.lod_mode == wave::LodMode::bias) request.lod = next_float(i.halves), upper = false;
  if ((request.compares = i.compares)) request.reference = next();
  if (i.lod_mode == wave::LodMode::derivatives) {
    for (unsigned c = 0; c < i.spatial; c++) request.dx[c] = next_float(i.half_derivatives);
    upper = false;
    for (unsigned c = 0; c < i.spatial; c++) request.dy[c] = next_float(i.half_derivatives);
    upper = false;
  }
  for (unsigned c = 0; c < i.spatial; c++) request.coordinates[c] = next_float(i.halves);
  request.has_layer = i.has_layer;
  request.face_base = 1;  // V_CUBESC_F32 and V_CUBETC_F32, over V_CUBEMA_F32, plus 1.5
  if (request.has_layer) request.layer = next_float(i.halves);
  if (i.lod_mode == wave::LodMode::level) request.lod = next_float(i.halves);
  if ((request.has_lod_clamp = i.clamps_lod)) request.lod_clamp = next_float(i.halves);
  // If the guard misses the step is called, and reads registers that this form has no use for (a bias without mip levels): earlier
  // code must leave them in the register file.
  const bool of_quads = i.lod_mode == wave::LodMode::implicit || i.lod_mode == wave::LodMode::bias;
  for (unsigned n = 0; n < i.registers; n++) {
    core.lanes(cell(n));
    if (of_quads) core.whole_lanes(cell(n));
  }
  std::array<typename A::S32, 12> words{};
  for (unsigned n = 0; n < 12; n++) {
    if (i.scalars[n] >= kScalarCount) return 0;
    words[n] = core.scalar(scalar_cell(i.scalars[n]));
  }
  // As form_of() has it of samplers that say so.
  sampling::Form used = form;
  if (i.unnormalized && !form.unnormalized) {
    if (form.dimension == uint64_t(surface::Dimension::cube) || form.dimension == uint64_t(surface::Dimension::cube_array))
      return 0;
    used.unnormalized = 1;
    auto clamped = [](uint64_t wrap) {
      const bool repeats = wrap == uint64_t(surface::Wrap::repeat) || wrap == uint64_t(surface::Wrap::mirror);
      return repeats ? uint64_t(surface::Wrap::clamp_to_edge) : wrap;
    };
    used.wrap_s = clamped(form.wrap_s);
    if (form.dimension != uint64_t(surface::Dimension::one) && form.dimension != uint64_t(surface::Dimension::one_array))
      used.wrap_t = clamped(form.wrap_t);
    if (form.dimension == uint64_t(surface::Dimension::three)) used.wrap_r = clamped(form.wrap_r);
  }
  sampling::Sample<typename A::Core> sample(core, used, core.texture(form.bits(), form.places(), words), request);
  const auto colour = sample.run();
  unsigned count = 0;
  for (unsigned c = 0; c < 4; c++)
    if (request.wanted >> c & 1) data[count++] = colour[c];
  return count;
}

}  // namespace Atoll::amd
