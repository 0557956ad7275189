// The opcodes of VIMAGE and VSAMPLE, and the registers of their addresses. RDNA4 ISA 10.1 to 10.4, 16.17, 16.18.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "isa/rdna4/instruction.h"
#include "isa/rdna4/operands.h"
#include "wave/image_access.h"
#include "wave/sampled_texture.h"

namespace Atoll::rdna4 {

struct ImageForm {
  wave::ImageOperation operation = wave::ImageOperation::load;
  wave::LodMode lod_mode = wave::LodMode::zero;
  wave::ImageAtomic atomic = wave::ImageAtomic::add;
  bool mip = false, packed = false, sign_extend = false;  // load and store
  bool compare = false, offset = false, clamp = false;
  bool derivatives16 = false;  // G16
  bool row_of_texels = false;  // GATHER4H
  bool samples() const { return operation == wave::ImageOperation::sample || operation == wave::ImageOperation::gather; }
};

constexpr wave::ImageAtomic image_atomic(unsigned opcode) {
  using enum wave::ImageAtomic;
  constexpr wave::ImageAtomic from_10[] = {swap, compare_swap, add,    sub,     smin, umin, smax,
                                           umax, bit_and,      bit_or, bit_xor, inc,  dec};
  constexpr wave::ImageAtomic from_131[] = {fadd, fmin, fmax, packed_add_f16, packed_add_bf16};
  if (opcode >= 131 && opcode < 136) return from_131[opcode - 131];
  return from_10[opcode >= 10 && opcode < 23 ? opcode - 10 : 0];
}

inline ImageForm image_form(const Opcode& row) {
  using enum wave::ImageOperation;
  ImageForm f;
  f.mip = row.has(Flag::Mip);
  const unsigned opcode = row.opcode;
  if (row.format == Format::VIMAGE) {
    f.packed = (opcode >= 2 && opcode <= 5) || opcode == 8 || opcode == 9;
    f.sign_extend = opcode == 3 || opcode == 5;
    if (row.has(Flag::Store)) f.operation = store;
    if (row.has(Flag::Query)) f.operation = size, f.mip = false;
    if (row.has(Flag::Atomic)) f.operation = atomic, f.atomic = image_atomic(opcode);
    return f;
  }
  f.compare = row.has(Flag::ImageCompare);
  f.offset = row.has(Flag::ImageOffset);
  f.clamp = row.has(Flag::ImageLodClamp);
  f.derivatives16 = row.has(Flag::ImageGradient16);
  f.row_of_texels = opcode == 144;
  f.operation = row.has(Flag::Msaa) ? load_samples : row.has(Flag::Query) ? query_lod : row.has(Flag::Gather4) ? gather : sample;
  constexpr unsigned of_level_0[] = {31, 36, 41, 46, 50, 52, 54, 55};  // _LZ
  f.lod_mode = row.has(Flag::ImageGradient) || f.derivatives16                 ? wave::LodMode::derivatives
               : row.has(Flag::ImageLod)                                       ? wave::LodMode::level
               : row.has(Flag::ImageBias)                                      ? wave::LodMode::bias
               : std::ranges::find(of_level_0, opcode) != std::end(of_level_0) ? wave::LodMode::zero
                                                                               : wave::LodMode::implicit;
  return f;
}

// For each DIM, the number of coordinates that have derivatives, and of all (a slice or face, a sample).
struct ImageCoordinates {
  unsigned spatial, all;
};
constexpr ImageCoordinates image_coordinates(unsigned dimension) {
  constexpr ImageCoordinates rows[8] = {{1, 1}, {2, 2}, {3, 3}, {2, 3}, {1, 2}, {2, 3}, {2, 3}, {2, 4}};
  return rows[dimension & 7];
}

// The VGPR of the nth address component: each of the first ones has a field, the last field begins a row of registers (10.4.1).
inline unsigned image_address_vgpr(const Instruction& i, unsigned n) {
  const unsigned last = i.opcode->format == Format::VSAMPLE ? 3 : 4;
  return (n < last ? i.image_address[n] : i.image_address[last] + n - last) & 255;
}

// The instruction's use of its texture, if the JIT may have code for it, given one that it knows (sampling/sample.h,
// sampling/load_store.h). (Status, which TFE and LWE ask for, is written where there is some: never of what the JIT knows.)
inline std::optional<wave::TextureUse> compiled_use(const Instruction& i, const ImageForm& form) {
  if (form.row_of_texels || i.r128 || !i.dmask || i.image_dimension >= 6) return {};
  switch (form.operation) {
    case wave::ImageOperation::sample:
    case wave::ImageOperation::gather: return wave::TextureUse::sampled;
    case wave::ImageOperation::size: return i.d16 ? std::nullopt : std::optional(wave::TextureUse::loaded);
    case wave::ImageOperation::load: return form.packed && i.d16 ? std::nullopt : std::optional(wave::TextureUse::loaded);
    case wave::ImageOperation::atomic: return i.d16 ? std::nullopt : std::optional(wave::TextureUse::stored);
    case wave::ImageOperation::store: return form.packed && i.d16 ? std::nullopt : std::optional(wave::TextureUse::stored);
    default: return {};
  }
}
// DIM by surface::Dimension, as far as there is code for such textures.
inline constexpr std::array<uint8_t, 7> dimension_of_texture = {0, 1, 2, 3, 4, 5, 3};

}  // namespace Atoll::rdna4
