// MIMG: images through a T# and, for samples, an S#. The instruction's registers become a wave::ImageAccess, which the GPU
// answers (Environment::image); of most of them the JIT calls that. Sea Islands register guide section 4 (SQ_MIMG_0, SQ_MIMG_1), order of
// address registers: Southern Islands ISA 8.2.4 ("Image addressing").
#pragma once
#include "isa/amd/semantics/image_load_store.h"
#include "isa/amd/semantics/image_sample.h"
#include "isa/gfx7/adaptor.h"
#include "isa/gfx7/semantics/image_forms.h"
#include "wave/image_access.h"

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
  if (compiled_use(i) != wave::TextureUse::sampled) return false;
  const ImageForm& what = image_forms[i.opcode->opcode & 127];
  const bool gathers = what.operation == wave::ImageOperation::gather;
  const auto form = amd::form_to_sample(e, what.compare || gathers);
  if (!form) return false;
  // As run_image() finds them.
  constexpr uint32_t types[] = {8, 9, 10, 11, 12, 13, 11};  // of surface::Dimension
  const ImageCoordinates n = image_coordinates(types[form->dimension], i.da != 0);
  amd::SampleInstruction sample{.lod_mode = what.lod_mode,
                                .gathers = gathers,
                                .compares = what.compare,
                                .has_offsets = what.offset,
                                .clamps_lod = what.clamp,
                                .mask = uint8_t(i.dmask),
                                .spatial = n.spatial,
                                .has_layer = n.all > n.spatial};
  for (uint32_t type : types) {
    const ImageCoordinates any = image_coordinates(type, i.da != 0);
    sample.registers = std::max(sample.registers, any.all + (what.lod_mode == wave::LodMode::derivatives ? 2 * any.spatial : 0));
  }
  sample.registers += what.offset + what.compare + what.clamp;
  sample.registers += what.lod_mode == wave::LodMode::bias || what.lod_mode == wave::LodMode::level;
  for (unsigned w = 0; w < 12; w++) sample.scalars[w] = uint16_t(w < 8 ? i.resource + w : i.sampler + w - 8);
  std::array<typename A::U32, 4> data;
  const unsigned count = amd::record_sample(e, *form, sample, [&](unsigned r) { return vgpr_cell((i.address + r) & 255); }, data);
  for (unsigned c = 0; c < count; c++) e.set_vgpr((i.data + c) & 255, data[c]);
  return count > 0;
}

// The same of a load, a store or an atomic.
template <class A>
bool record_texel(A& e, const Instruction& i) {
  const auto use = compiled_use(i);
  if (use != wave::TextureUse::loaded && use != wave::TextureUse::stored) return false;
  const auto form = amd::form_to_access(e, *use);
  if (!form) return false;
  const ImageForm& what = image_forms[i.opcode->opcode & 127];
  const auto dimension = surface::Dimension(form->dimension);
  const bool one = dimension == surface::Dimension::one || dimension == surface::Dimension::one_array;
  // As run_image() finds them.
  constexpr uint32_t types[] = {8, 9, 10, 11, 12, 13, 11};  // of surface::Dimension
  const ImageCoordinates n = image_coordinates(types[form->dimension], i.da != 0);
  amd::TexelInstruction texel{.mask = uint8_t(i.dmask), .packed = what.packed, .with_sign = what.sign_extend};
  if (!one) texel.y = 1;
  if (n.all > 1u + !one) texel.slice = n.all - 1;
  if (what.mip) texel.level = n.all;
  texel.registers = image_coordinates(15, i.da != 0).all + what.mip;
  for (unsigned w = 0; w < 8; w++) texel.scalars[w] = uint16_t(i.resource + w);
  auto cell = [&](unsigned r) { return vgpr_cell((i.address + r) & 255); };
  if (what.operation == wave::ImageOperation::atomic)
    return amd::record_atomic(
        e, *form, texel, what.atomic, i.glc, cell, [&](unsigned n) { return e.vgpr((i.data + n) & 255); },
        [&](unsigned n) { return vgpr_cell((i.data + n) & 255); });
  if (use == wave::TextureUse::stored)
    return amd::record_store(e, *form, texel, cell, [&](unsigned c) { return e.vgpr((i.data + c) & 255); });
  std::array<typename A::U32, 4> data;
  const bool size = what.operation == wave::ImageOperation::size;
  const unsigned count = size ? amd::record_size(e, *form, texel, cell, data) : amd::record_load(e, *form, texel, cell, data);
  for (unsigned c = 0; c < count; c++) e.set_vgpr((i.data + c) & 255, data[c]);
  return count > 0;
}

template <class A>
void image(A& e, const Instruction& i) {
  if constexpr (A::Core::recording) {
    if (!record_sample(e, i) && !record_texel(e, i)) e.core.call_instead();
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

// Instructions that the hardware makes for itself and no program may contain.
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
