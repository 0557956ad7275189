// The colours, depths and masks that pixel shaders export, for the families that describe them in SPI_SHADER_COL_FORMAT, DB_SHADER_CONTROL
// and CB_SHADER_MASK (`R`: register_names.h). Sea Islands 3D/Compute Register Reference, SPI_SHADER_*_FORMAT; Mesa 25.0.7
// src/amd/registers/gfx12.json.
#pragma once
#include <algorithm>
#include <bit>

#include "gpu/amd/draw/field_lists.h"
#include "gpu/amd/draw/pixel_inputs.h"
#include "gpu/amd/register_file.h"
#include "pipeline/stages.h"

namespace Atoll::gpu::amd {

struct PixelExports {
  uint32_t export_format[8] = {};  // SPI_SHADER_EX_FORMAT, of the program's colour exports
  bool depth_exported = false, stencil_exported = false, stencil_op_exported = false, mask_exported = false;
  uint32_t coverage_exported = 1;  // the samples whose coverage a wave exports
  static constexpr uint8_t no_target = 0xff;
  uint8_t target_of[8] = {};  // of the program's colour exports, in their order
  bool dual_source = false;   // the first two are both sources of target 0

  // Late tests take values of the program's.
  bool is_tested_late() const { return depth_exported || stencil_exported || stencil_op_exported || mask_exported; }
  // A mask that a program has exported. If fewer samples are exported than the targets have, they stand for those in turn.
  uint32_t coverage_of(uint32_t mask) const {
    mask &= coverage_exported;
    for (unsigned n = unsigned(std::popcount(coverage_exported)); n < 16; n *= 2) mask |= mask << n;
    return mask;
  }
};

template <class R>
bool takes_second_source(registers::access::Word<typename R::CB_BLEND_CONTROL> blend) {
  using Blend = typename R::CB_BLEND_CONTROL;
  auto second = [](uint32_t factor) {
    using Op = typename Blend::COLOR_SRCBLEND;
    return factor >= Op::BLEND_SRC1_COLOR && factor <= Op::BLEND_INV_SRC1_ALPHA;
  };
  return Blend::ENABLE::get(blend) && (second(Blend::COLOR_SRCBLEND::get(blend)) || second(Blend::COLOR_DESTBLEND::get(blend)) ||
                                       (Blend::SEPARATE_ALPHA_BLEND::get(blend) && (second(Blend::ALPHA_SRCBLEND::get(blend)) ||
                                                                                    second(Blend::ALPHA_DESTBLEND::get(blend)))));
}

// `exports_both`: the program exports two sources, whatever blending takes.
template <class R>
void find_pixel_exports(const RegisterFile& r, bool exports_both, PixelExports& s) {
  using Control = typename R::DB_SHADER_CONTROL;
  const auto formats = r.read<typename R::SPI_SHADER_COL_FORMAT>();
  for (unsigned n = 0; n < 8; n++) s.export_format[n] = ExportFormats<R>::get(formats, n);
  s.depth_exported = r.get<typename Control::Z_EXPORT_ENABLE>();
  s.stencil_exported = r.get<typename Control::STENCIL_TEST_VAL_EXPORT_ENABLE>();
  s.stencil_op_exported = r.get<typename Control::STENCIL_OP_VAL_EXPORT_ENABLE>();
  s.mask_exported = r.get<typename Control::MASK_EXPORT_ENABLE>();
  s.coverage_exported = mask_of_samples(r.get<typename R::DB_EQAA::MASK_EXPORT_NUM_SAMPLES>());
  s.dual_source = exports_both || takes_second_source<R>(r.read<typename R::CB_BLEND_CONTROL>(0));
  // Exports are numbered without holes: the n-th is for the n-th target that CB_SHADER_MASK says the program writes (Mesa 22.3.6 and
  // 25.0.7 si_state_shaders.cpp, si_get_spi_shader_col_format: holes are removed there, and left in the mask).
  unsigned number = 0;
  std::ranges::fill(s.target_of, PixelExports::no_target);
  const auto outputs = r.read<typename R::CB_SHADER_MASK>();
  for (uint8_t target = 0; target < 8; target++)
    if (OutputEnables<R>::get(outputs, target)) s.target_of[number++] = target;
  if (s.dual_source) s.target_of[0] = 0, s.target_of[1] = 1;  // both are target 0's
}

// The arrangement of an export's four components in its dwords.
enum class ExportShape : uint8_t { dwords, halves, unorm16, snorm16, uint16, sint16 };

// `Format`: a family's SPI_SHADER_EX_FORMAT.
template <class Format>
constexpr ExportShape shape_of(uint32_t format) {
  switch (format) {
    case Format::SPI_SHADER_FP16_ABGR: return ExportShape::halves;
    case Format::SPI_SHADER_UNORM16_ABGR: return ExportShape::unorm16;
    case Format::SPI_SHADER_SNORM16_ABGR: return ExportShape::snorm16;
    case Format::SPI_SHADER_UINT16_ABGR: return ExportShape::uint16;
    case Format::SPI_SHADER_SINT16_ABGR: return ExportShape::sint16;
    default: return ExportShape::dwords;
  }
}

// The components of an export with two of them in a dword (`low`: the first two), as PixelResults has them.
void unpack_components(ExportShape shape, const uint32_t* low, const uint32_t* high, unsigned lanes,
                       std::array<std::array<uint32_t, pipeline::max_pixels>, 4>& colour);

}  // namespace Atoll::gpu::amd
