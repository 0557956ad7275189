// VIMAGE and VSAMPLE: images through a T# and, for samples, an S#. The instruction's registers become a wave::ImageAccess, which the
// GPU answers (Environment::image); samples, loads, stores and atomics have code of their own where their textures have a form. RDNA4 ISA 10, 16.17, 16.18.
#pragma once
#include "isa/amd/semantics/image_load_store.h"
#include "isa/amd/semantics/image_sample.h"
#include "isa/rdna4/adaptor.h"
#include "isa/rdna4/semantics/image_forms.h"

namespace Atoll::rdna4 {

// Carries the instruction out; a fault's reason and address, if any, stand in it (image_whole.cpp).
struct ImageFault {
  const char* reason = nullptr;
  uint64_t address = 0;
  bool store = false, atomic = false;
};
ImageFault run_image(wave::Wave& wave, const Instruction& i);

// Textures that the instruction's dimension is not made for are called.
inline bool is_made_for(const Instruction& i, const sampling::Form& form) {
  return form.dimension < dimension_of_texture.size() && dimension_of_texture[form.dimension] == i.image_dimension;
}

// Components that come from a texture, as those of 32 bits. With 16 (D16) two stand in a register, and one alone leaves the upper
// half.
template <class A>
void set_data(A& e, const Instruction& i, const sampling::Form& form, const std::array<typename A::U32, 4>& data,
              unsigned count) {
  if (!i.d16) {
    for (unsigned c = 0; c < count; c++) e.set_vgpr((i.data + c) & 255, data[c]);
    return;
  }
  const bool integers = surface::is_integer(surface::Number(form.number));
  auto half = [&](unsigned c) { return integers ? data[c] & 0xffffu : cvt_f16_f32(as_f32(data[c])); };
  for (unsigned c = 0; c < count; c += 2) {
    const unsigned to = (i.data + c / 2) & 255;
    e.set_vgpr(to, c + 1 < count ? half(c) | half(c + 1) << 16 : half(c) | (e.vgpr(to) & 0xffff0000u));
  }
}

// Leaves the nodes of a sample of the form that the step has met, if there is just one such and code for it.
template <class A>
bool record_sample(A& e, const Instruction& i) {
  const ImageForm what = image_form(*i.opcode);
  if (compiled_use(i, what) != wave::TextureUse::sampled) return false;
  const bool gathers = what.operation == wave::ImageOperation::gather;
  const auto form = amd::form_to_sample(e, what.compare || gathers);
  if (!form || !is_made_for(i, *form)) return false;
  const ImageCoordinates n = image_coordinates(i.image_dimension);
  amd::SampleInstruction sample{.lod_mode = what.lod_mode,
                                .gathers = gathers,
                                .compares = what.compare,
                                .has_offsets = what.offset,
                                .clamps_lod = what.clamp,
                                .unnormalized = i.unorm != 0,
                                .halves = i.a16 != 0,
                                .half_derivatives = what.derivatives16,
                                .mask = uint8_t(i.dmask),
                                .spatial = n.spatial,
                                .has_layer = n.all > n.spatial,
                                .registers = image_shape(i).address};
  for (unsigned w = 0; w < 12; w++) sample.scalars[w] = uint16_t(w < 8 ? i.saddr + w : i.sampler + w - 8);
  std::array<typename A::U32, 4> data;
  const unsigned count =
      amd::record_sample(e, *form, sample, [&](unsigned r) { return vgpr_cell(image_address_vgpr(i, r), e.wave64()); }, data);
  set_data(e, i, *form, data, count);
  return count > 0;
}

// The same of a load, a store or an atomic.
template <class A>
bool record_texel(A& e, const Instruction& i) {
  const ImageForm what = image_form(*i.opcode);
  const auto use = compiled_use(i, what);
  if (use != wave::TextureUse::loaded && use != wave::TextureUse::stored) return false;
  const auto form = amd::form_to_access(e, *use);
  if (!form || !is_made_for(i, *form)) return false;
  const auto dimension = surface::Dimension(form->dimension);
  const bool one = dimension == surface::Dimension::one || dimension == surface::Dimension::one_array;
  const unsigned all = image_coordinates(i.image_dimension).all;
  amd::TexelInstruction texel{.halves = i.a16 != 0,
                              .mask = uint8_t(i.dmask),
                              .packed = what.packed,
                              .with_sign = what.sign_extend,
                              .fills_with_first = true,
                              .registers = image_shape(i).address};
  if (!one) texel.y = 1;
  if (all > 1u + !one) texel.slice = all - 1;
  if (what.mip) texel.level = all;
  for (unsigned w = 0; w < 8; w++) texel.scalars[w] = uint16_t(i.saddr + w);
  auto cell = [&](unsigned r) { return vgpr_cell(image_address_vgpr(i, r), e.wave64()); };
  if (what.operation == wave::ImageOperation::atomic)
    return amd::record_atomic(
        e, *form, texel, what.atomic, (i.th & 1) != 0, cell, [&](unsigned n) { return e.vgpr((i.data + n) & 255); },
        [&](unsigned n) { return vgpr_cell((i.data + n) & 255, e.wave64()); });
  if (use == wave::TextureUse::stored) {
    const auto number = surface::Number(form->number);
    return amd::record_store(e, *form, texel, cell, [&](unsigned c) {
      if (!i.d16) return e.vgpr((i.data + c) & 255);
      auto both = e.vgpr((i.data + c / 2) & 255), half = c & 1 ? both >> 16 : both & 0xffffu;
      if (number == surface::Number::sint) return ashr(half << 16, 16);
      return number == surface::Number::uint ? half : as_u32(cvt_f32_f16(half));
    });
  }
  std::array<typename A::U32, 4> data;
  const bool size = what.operation == wave::ImageOperation::size;
  const unsigned count = size ? amd::record_size(e, *form, texel, cell, data) : amd::record_load(e, *form, texel, cell, data);
  set_data(e, i, *form, data, count);
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
#define ATOLL_IMAGES(X) \
  X(image_load) X(image_load_mip) X(image_load_pck) X(image_load_pck_sgn) X(image_load_mip_pck) X(image_load_mip_pck_sgn) \
  X(image_store) X(image_store_mip) X(image_store_pck) X(image_store_mip_pck) X(image_get_resinfo) \
  X(image_atomic_swap) X(image_atomic_cmpswap) X(image_atomic_add_uint) X(image_atomic_sub_uint) X(image_atomic_min_int) \
  X(image_atomic_min_uint) X(image_atomic_max_int) X(image_atomic_max_uint) X(image_atomic_and) X(image_atomic_or) \
  X(image_atomic_xor) X(image_atomic_inc_uint) X(image_atomic_dec_uint) X(image_atomic_add_flt) X(image_atomic_min_flt) \
  X(image_atomic_max_flt) X(image_atomic_pk_add_f16) X(image_atomic_pk_add_bf16) X(image_msaa_load) X(image_get_lod) \
  X(image_sample) X(image_sample_d) X(image_sample_l) X(image_sample_b) X(image_sample_lz) X(image_sample_c) \
  X(image_sample_c_d) X(image_sample_c_l) X(image_sample_c_b) X(image_sample_c_lz) X(image_sample_o) X(image_sample_d_o) \
  X(image_sample_l_o) X(image_sample_b_o) X(image_sample_lz_o) X(image_sample_c_o) X(image_sample_c_d_o) \
  X(image_sample_c_l_o) X(image_sample_c_b_o) X(image_sample_c_lz_o) X(image_sample_d_g16) X(image_sample_c_d_g16) \
  X(image_sample_d_o_g16) X(image_sample_c_d_o_g16) X(image_sample_cl) X(image_sample_d_cl) X(image_sample_b_cl) \
  X(image_sample_c_cl) X(image_sample_c_d_cl) X(image_sample_c_b_cl) X(image_sample_cl_o) X(image_sample_d_cl_o) \
  X(image_sample_b_cl_o) X(image_sample_c_cl_o) X(image_sample_c_d_cl_o) X(image_sample_c_b_cl_o) X(image_sample_c_d_cl_g16) \
  X(image_sample_d_cl_o_g16) X(image_sample_c_d_cl_o_g16) X(image_sample_d_cl_g16) \
  X(image_gather4) X(image_gather4_l) X(image_gather4_b) X(image_gather4_lz) X(image_gather4_c) X(image_gather4_c_lz) \
  X(image_gather4_o) X(image_gather4_lz_o) X(image_gather4_c_lz_o) X(image_gather4_cl) X(image_gather4_b_cl) \
  X(image_gather4_c_cl) X(image_gather4_c_l) X(image_gather4_c_b) X(image_gather4_c_b_cl) X(image_gather4h)
// clang-format on
#define ATOLL_LIST_IMAGE(name) ATOLL_SCALAR_AS(name, image)
#define ATOLL_IMAGE(SCALAR, LANES, WHOLE) ATOLL_IMAGES(ATOLL_LIST_IMAGE)

}  // namespace Atoll::rdna4
