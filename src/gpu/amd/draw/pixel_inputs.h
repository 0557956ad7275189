// The registers that a pixel shader's waves start with, for the families that name them in SPI_PS_INPUT_ENA, SPI_PS_INPUT_ADDR and
// SPI_BARYC_CNTL (`R`: register_names.h). Sea Islands 3D/Compute Register Reference, chapter SPI; Mesa 25.0.7
// src/amd/registers/gfx12.json; the order of the VGPRs: Mesa 22.3.6 src/amd/common/ac_shader_args.h and
// src/gallium/drivers/radeonsi/si_shader_llvm_ps.c, RDNA4 ISA 3.5.4.1.
#pragma once
#include <array>
#include <vector>

#include "gpu/amd/register_file.h"
#include "gpu/amd/wave_words.h"
#include "isa/amd/registers.h"
#include "pipeline/draw.h"
#include "pipeline/stages.h"

namespace Atoll::gpu::amd {

// Inputs in the order of their VGPRs: the bits of SPI_PS_INPUT_ENA and SPI_PS_INPUT_ADDR.
enum PixelInput : unsigned {
  PERSP_SAMPLE,
  PERSP_CENTER,
  PERSP_CENTROID,
  PERSP_PULL_MODEL,
  LINEAR_SAMPLE,
  LINEAR_CENTER,
  LINEAR_CENTROID,
  LINE_STIPPLE_TEX,
  POS_X,
  POS_Y,
  POS_Z,
  POS_W,
  FRONT_FACE,
  ANCILLARY,
  SAMPLE_COVERAGE,
  POS_FIXED_PT,
  kPixelInputs,
};
inline constexpr unsigned input_vgprs[kPixelInputs] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
// Barycentrics of one place, by perspective and without it.
inline constexpr uint32_t barycentric_inputs = 1u << PERSP_SAMPLE | 1u << PERSP_CENTER | 1u << PERSP_CENTROID |
                                               1u << LINEAR_SAMPLE | 1u << LINEAR_CENTER | 1u << LINEAR_CENTROID;

template <class Register>
using PixelInputFields = registers::access::FieldList<
    typename Register::PERSP_SAMPLE_ENA, typename Register::PERSP_CENTER_ENA, typename Register::PERSP_CENTROID_ENA,
    typename Register::PERSP_PULL_MODEL_ENA, typename Register::LINEAR_SAMPLE_ENA, typename Register::LINEAR_CENTER_ENA,
    typename Register::LINEAR_CENTROID_ENA, typename Register::LINE_STIPPLE_TEX_ENA, typename Register::POS_X_FLOAT_ENA,
    typename Register::POS_Y_FLOAT_ENA, typename Register::POS_Z_FLOAT_ENA, typename Register::POS_W_FLOAT_ENA,
    typename Register::FRONT_FACE_ENA, typename Register::ANCILLARY_ENA, typename Register::SAMPLE_COVERAGE_ENA,
    typename Register::POS_FIXED_PT_ENA>;

struct PixelInputs {
  uint32_t enabled = 0;         // by number
  int vgpr_of[kPixelInputs];    // the first VGPR of an input; -1: not loaded
  unsigned vgprs = 0;           // that inputs take, loaded or not
  unsigned set_of[7] = {};      // the pipeline's barycentric set behind input bit n
  uint8_t barycentrics = 0;     // these sets, a bit each
  bool no_perspective = false;  // PERSP_CORR_DIS
  bool wants_depth = false;
  bool position_is_corner = false, front_face_all_bits = false;
  enum class Place { centre, centroid, sample } place = Place::centre;  // of the position that the program gets
  uint32_t coverage_seen = 1;                                           // the samples whose coverage a wave starts with
  uint32_t detail_to_exposed = 0;                                       // how more samples become those that are seen
  std::array<std::array<pipeline::SamplePosition, 16>, 4> samples;      // by pixel of a quad

  uint32_t facing_word(bool front) const;
  // The coverage of more samples than the program sees.
  uint32_t exposed(uint32_t coverage) const;
  // The VGPRs with barycentrics.
  std::vector<unsigned> varying_vgprs() const;
};

// The samples that a field with the logarithm of their number means.
constexpr uint32_t mask_of_samples(uint32_t log) { return log < 4 ? (1u << (1u << log)) - 1 : 0xffffu; }

template <class R>
void find_pixel_inputs(const RegisterFile& r, const pipeline::Rasterization& raster, PixelInputs& s) {
  using Baryc = typename R::SPI_BARYC_CNTL;
  using Enabled = typename R::SPI_PS_INPUT_ENA;
  using Addressed = typename R::SPI_PS_INPUT_ADDR;
  const uint32_t addressed = PixelInputFields<Addressed>::bits(r.read<Addressed>());
  s.enabled = PixelInputFields<Enabled>::bits(r.read<Enabled>()) & addressed;
  s.vgprs = 0;
  for (unsigned n = 0; n < kPixelInputs; n++) {
    s.vgpr_of[n] = -1;
    if (!(addressed >> n & 1)) continue;
    if (s.enabled >> n & 1) s.vgpr_of[n] = int(s.vgprs);
    s.vgprs += input_vgprs[n];
  }
  const auto baryc = r.read<Baryc>();
  s.set_of[PERSP_SAMPLE] = pipeline::PERSPECTIVE_SAMPLE;
  s.set_of[PERSP_CENTER] = Baryc::PERSP_CENTER_CNTL::get(baryc) ? pipeline::PERSPECTIVE_CENTROID : pipeline::PERSPECTIVE_CENTRE;
  s.set_of[PERSP_CENTROID] =
      Baryc::PERSP_CENTROID_CNTL::get(baryc) ? pipeline::PERSPECTIVE_CENTRE : pipeline::PERSPECTIVE_CENTROID;
  s.set_of[PERSP_PULL_MODEL] = pipeline::PERSPECTIVE_CENTRE;
  s.set_of[LINEAR_SAMPLE] = pipeline::LINEAR_SAMPLE;
  s.set_of[LINEAR_CENTER] = Baryc::LINEAR_CENTER_CNTL::get(baryc) ? pipeline::LINEAR_CENTROID : pipeline::LINEAR_CENTRE;
  s.set_of[LINEAR_CENTROID] = Baryc::LINEAR_CENTROID_CNTL::get(baryc) ? pipeline::LINEAR_CENTRE : pipeline::LINEAR_CENTROID;
  // (The values of the pull model, which a program interpolates itself, stay as they are.)
  constexpr unsigned linear = pipeline::LINEAR_SAMPLE - pipeline::PERSPECTIVE_SAMPLE;
  s.no_perspective = r.get<typename R::PA_SU_SC_MODE_CNTL::PERSP_CORR_DIS>();
  if (s.no_perspective)
    for (unsigned n : {PERSP_SAMPLE, PERSP_CENTER, PERSP_CENTROID}) s.set_of[n] += linear;
  s.barycentrics = 0;
  for (unsigned n = PERSP_SAMPLE; n <= LINEAR_CENTROID; n++)
    if (s.enabled >> n & 1) s.barycentrics |= uint8_t(1u << s.set_of[n]);
  s.wants_depth = s.enabled & (1u << PERSP_PULL_MODEL | 1u << POS_Z | 1u << POS_W);
  s.position_is_corner = Baryc::POS_FLOAT_ULC::get(baryc);
  const bool wants_place = s.enabled & (1u << POS_X | 1u << POS_Y) && !s.position_is_corner;
  const uint32_t location = wants_place ? Baryc::POS_FLOAT_LOCATION::get(baryc) : 0;
  s.place = location == 1                            ? PixelInputs::Place::centroid
            : location == 2 && raster.sample_shading ? PixelInputs::Place::sample
                                                     : PixelInputs::Place::centre;
  s.front_face_all_bits = Baryc::FRONT_FACE_ALL_BITS::get(baryc);
  s.coverage_seen = mask_of_samples(r.get<typename R::PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES>());
  s.detail_to_exposed = r.get<typename R::PA_SC_AA_CONFIG::DETAIL_TO_EXPOSED_MODE>();
  s.samples.fill(raster.sample_positions);
  for (unsigned n = 0; raster.other_pixels && n < 3; n++) s.samples[n + 1] = (*raster.other_pixels)[n].positions;
}

// Loads one VGPR of an input, if the program wants it: `value(lane)`, a word or a float. `wide`: a wave of 64 lanes.
template <class Value>
void load_pixel_input(wave::Wave& w, const PixelInputs& s, const pipeline::PixelBatch& batch, bool wide, PixelInput input,
                      unsigned part, Value value) {
  if (s.vgpr_of[input] < 0) return;
  auto* to =
      reinterpret_cast<decltype(value(0u))*>(wave::bytes_of(w, Atoll::amd::vgpr_cell(unsigned(s.vgpr_of[input]) + part, wide)));
  for (unsigned l = 0, lanes = batch.quads * 4; l < lanes; l++) to[l] = value(l);
}
// Loads all of them but ANCILLARY and SAMPLE_COVERAGE, which families pack otherwise.
void load_pixel_inputs(wave::Wave& w, const PixelInputs& s, const pipeline::PixelBatch& batch, bool wide);

}  // namespace Atoll::gpu::amd
