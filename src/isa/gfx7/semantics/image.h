// MIMG: images through a T# and, for samples, an S#. The instruction's registers become a wave::ImageAccess, which the GPU
// answers (Environment::image); of most of them the JIT calls that. Sea Islands register guide section 4 (SQ_MIMG_0, SQ_MIMG_1), order of
// address registers: Southern Islands ISA 8.2.4 ("Image addressing").
#pragma once
#include "isa/gfx7/adaptor.h"
#include "isa/gfx7/semantics/image_forms.h"
#include "sampling/sample.h"
#include "wave/image_access.h"
#include "wave/program.h"

namespace Atoll::gfx7 {

// Carries the instruction out; a fault's reason and address, if any, stand in `access` (image_whole.cpp).
struct ImageFault {
  const char* reason = nullptr;
  uint64_t address = 0;
  bool store = false, atomic = false;
};
ImageFault run_image(wave::Wave& wave, const Instruction& i);

// Leaves the nodes of a sample of the form that the step has met, if there is just one such and code for it.
template <class A>
bool record_sample(A& e, const Instruction& i) {
  auto& core = e.core;
  const uint64_t bits = wave::met_form(*core.step);
  const sampling::Form form = sampling::Form::from(bits);
  if (bits == wave::many_forms || !form.valid || !is_compiled_sample(i)) return false;
  const ImageForm& what = image_forms[i.opcode->opcode & 127];
  const bool gathers = what.operation == wave::ImageOperation::gather;
  if (!sampling::is_exact(form, core.float_mode(), what.compare || gathers)) return false;
  // As run_image() finds them.
  constexpr uint32_t types[] = {8, 9, 10, 11, 12, 13, 11};  // of surface::Dimension
  const ImageCoordinates n = image_coordinates(types[form.dimension], i.da != 0);
  sampling::SampleRequest request;
  unsigned vgpr = i.address;
  auto next = [&] { return vgpr_cell(vgpr++ & 255); };
  request.lod_mode = what.lod_mode;
  request.wanted = i.dmask & 15;
  if (gathers) {
    if (form.dimension == uint64_t(surface::Dimension::three)) return false;
    request.wanted = 15;
    request.gathers = i.dmask & 15 ? std::countr_zero(unsigned(i.dmask)) : 0;
    request.gathers_from_nearest = surface::is_integer(surface::Number(form.number));
  }
  if ((request.has_offsets = what.offset)) request.offsets = next();
  if (what.lod_mode == wave::LodMode::bias) request.lod = next();
  if ((request.compares = what.compare)) request.reference = next();
  if (what.lod_mode == wave::LodMode::derivatives) {
    for (unsigned c = 0; c < n.spatial; c++) request.dx[c] = next();
    for (unsigned c = 0; c < n.spatial; c++) request.dy[c] = next();
  }
  for (unsigned c = 0; c < n.spatial; c++) request.coordinates[c] = next();
  request.has_layer = n.all > n.spatial;
  request.face_base = 1;  // V_CUBESC_F32 and V_CUBETC_F32, over V_CUBEMA_F32, plus 1.5
  if (request.has_layer) request.layer = next();
  if (what.lod_mode == wave::LodMode::level) request.lod = next();
  if ((request.has_lod_clamp = what.clamp)) request.lod_clamp = next();
  // Where another texture is met the step is called, and reads what this form has no use for (a bias without mip levels): whatever
  // comes before is to leave it in the registers.
  unsigned most = 0;
  for (uint32_t type : types) {
    const ImageCoordinates any = image_coordinates(type, i.da != 0);
    most = std::max(most, any.all + (what.lod_mode == wave::LodMode::derivatives ? 2 * any.spatial : 0));
  }
  most += what.offset + what.compare + what.clamp;
  most += what.lod_mode == wave::LodMode::bias || what.lod_mode == wave::LodMode::level;
  const bool of_quads = what.lod_mode == wave::LodMode::implicit || what.lod_mode == wave::LodMode::bias;
  for (unsigned n = 0; n < most; n++) {
    core.lanes(vgpr_cell((i.address + n) & 255));
    if (of_quads) core.whole_lanes(vgpr_cell((i.address + n) & 255));
  }
  std::array<typename A::S32, 12> words{};
  for (unsigned n = 0; n < 12; n++) {
    unsigned sgpr = n < 8 ? i.resource + n : i.sampler + n - 8;
    if (sgpr >= kScalarCount) return false;
    words[n] = core.scalar(scalar_cell(sgpr));
  }
  sampling::Sample<typename A::Core> sample(core, form, core.texture(bits, form.places(), words), request);
  auto colour = sample.run();
  unsigned to = 0;
  for (unsigned c = 0; c < 4; c++)
    if (request.wanted >> c & 1) e.set_vgpr((i.data + to++) & 255, colour[c]);
  return true;
}

template <class A>
void image(A& e, const Instruction& i) {
  if constexpr (A::Core::recording) {
    if (!record_sample(e, i)) e.core.call_instead();
  } else {
    ImageFault fault = run_image(e.core.wave, i);
    if (!fault.reason) return;
    auto kind = fault.atomic ? wave::FaultKind::Atomic : fault.store ? wave::FaultKind::Store : wave::FaultKind::Load;
    e.core.fault(kind, fault.address, 0, -1, fault.reason);
  }
}

// clang-format off: a list
#define ATOLL_IMAGE_SAMPLES(X, family, suffix) \
  X(family##suffix) X(family##_cl##suffix) X(family##_l##suffix) X(family##_b##suffix) X(family##_b_cl##suffix) \
  X(family##_lz##suffix) X(family##_c##suffix) X(family##_c_cl##suffix) X(family##_c_l##suffix) X(family##_c_b##suffix) \
  X(family##_c_b_cl##suffix) X(family##_c_lz##suffix)
// clang-format on
#define ATOLL_IMAGE_DERIVATIVES(X, suffix) \
  X(image_sample_d##suffix)                \
  X(image_sample_d_cl##suffix)             \
  X(image_sample_c_d##suffix)              \
  X(image_sample_c_d_cl##suffix)           \
  X(image_sample_cd##suffix) X(image_sample_cd_cl##suffix) X(image_sample_c_cd##suffix) X(image_sample_c_cd_cl##suffix)
// clang-format off: a list
#define ATOLL_IMAGES(X) \
  X(image_load) X(image_load_mip) X(image_load_pck) X(image_load_pck_sgn) X(image_load_mip_pck) X(image_load_mip_pck_sgn) \
  X(image_store) X(image_store_mip) X(image_store_pck) X(image_store_mip_pck) X(image_get_resinfo) X(image_get_lod) \
  X(image_atomic_swap) X(image_atomic_cmpswap) X(image_atomic_add) X(image_atomic_sub) X(image_atomic_smin) \
  X(image_atomic_umin) X(image_atomic_smax) X(image_atomic_umax) X(image_atomic_and) X(image_atomic_or) X(image_atomic_xor) \
  X(image_atomic_inc) X(image_atomic_dec) X(image_atomic_fcmpswap) X(image_atomic_fmin) X(image_atomic_fmax) \
  ATOLL_IMAGE_SAMPLES(X, image_sample, ) ATOLL_IMAGE_SAMPLES(X, image_sample, _o) ATOLL_IMAGE_SAMPLES(X, image_gather4, ) \
  ATOLL_IMAGE_SAMPLES(X, image_gather4, _o) ATOLL_IMAGE_DERIVATIVES(X, ) ATOLL_IMAGE_DERIVATIVES(X, _o)
// clang-format on

// What the hardware makes for itself and no program may hold.
#define ATOLL_IMAGE_INTERNAL(X) X(image_rsrc256) X(image_sampler)
#define ATOLL_DEFINE(name)                                  \
  template <class A>                                        \
  void name(A& e, const Instruction&) {                     \
    e.core.illegal(#name " is for the hardware's own use"); \
  }
ATOLL_IMAGE_INTERNAL(ATOLL_DEFINE)
#undef ATOLL_DEFINE

#define ATOLL_LIST_IMAGE(name) ATOLL_SCALAR_AS(name, image)
#define ATOLL_IMAGE(SCALAR, LANES, WHOLE) ATOLL_IMAGES(ATOLL_LIST_IMAGE) ATOLL_IMAGE_INTERNAL(SCALAR)

}  // namespace Atoll::gfx7
