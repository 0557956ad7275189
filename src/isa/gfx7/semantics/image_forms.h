// The forms of MIMG's opcodes, and the registers of their addresses. Sea Islands register guide section 4 (SQ_MIMG_0); order of
// address registers: Southern Islands ISA 8.2.4 ("Image addressing").
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "isa/gfx7/instruction.h"
#include "wave/image_access.h"
#include "wave/sampled_texture.h"

namespace Atoll::gfx7 {

// The form of an opcode of MIMG.
struct ImageForm {
  bool exists = false;
  wave::ImageOperation operation = wave::ImageOperation::load;
  wave::LodMode lod_mode = wave::LodMode::zero;
  wave::ImageAtomic atomic = wave::ImageAtomic::add;
  bool mip = false, packed = false, sign_extend = false;  // load and store
  bool compare = false, offset = false, clamp = false, coarse = false;
};

inline constexpr auto image_forms = [] {
  std::array<ImageForm, 128> f{};
  for (unsigned op : {0u, 1u, 2u, 3u, 4u, 5u})
    f[op] = {.exists = true, .mip = op == 1 || op >= 4, .packed = op >= 2, .sign_extend = op == 3 || op == 5};
  for (unsigned op : {8u, 9u, 10u, 11u})
    f[op] = {.exists = true, .operation = wave::ImageOperation::store, .mip = (op & 1) != 0, .packed = op >= 10};
  f[14] = {.exists = true, .operation = wave::ImageOperation::size};
  constexpr wave::ImageAtomic atomics[] = {
      wave::ImageAtomic::swap, wave::ImageAtomic::compare_swap, wave::ImageAtomic::add,      wave::ImageAtomic::sub,
      wave::ImageAtomic::add,  wave::ImageAtomic::smin,         wave::ImageAtomic::umin,     wave::ImageAtomic::smax,
      wave::ImageAtomic::umax, wave::ImageAtomic::bit_and,      wave::ImageAtomic::bit_or,   wave::ImageAtomic::bit_xor,
      wave::ImageAtomic::inc,  wave::ImageAtomic::dec,          wave::ImageAtomic::fcmpswap, wave::ImageAtomic::fmin,
      wave::ImageAtomic::fmax};
  for (unsigned op = 15; op <= 31; op++)
    if (op != 19) f[op] = {.exists = true, .operation = wave::ImageOperation::atomic, .atomic = atomics[op - 15]};
  // Samples and gathers: bits 2:0 say where the level comes from, bit 3 compares, bit 4 has offsets.
  constexpr wave::LodMode modes[8] = {wave::LodMode::implicit,    wave::LodMode::implicit, wave::LodMode::derivatives,
                                      wave::LodMode::derivatives, wave::LodMode::level,    wave::LodMode::bias,
                                      wave::LodMode::bias,        wave::LodMode::zero};
  for (unsigned op = 32; op < 96; op++) {
    unsigned level = op & 7;
    bool gather = op >= 64, derivatives = level == 2 || level == 3;
    if (gather && derivatives) continue;
    f[op] = {.exists = true,
             .operation = gather ? wave::ImageOperation::gather : wave::ImageOperation::sample,
             .lod_mode = modes[level],
             .compare = (op & 8) != 0,
             .offset = (op & 16) != 0,
             .clamp = level == 1 || level == 3 || level == 6};
  }
  f[96] = {.exists = true, .operation = wave::ImageOperation::query_lod, .lod_mode = wave::LodMode::implicit};
  for (unsigned op = 104; op < 112; op++)
    f[op] = {.exists = true,
             .operation = wave::ImageOperation::sample,
             .lod_mode = wave::LodMode::derivatives,
             .compare = (op & 2) != 0,
             .offset = (op & 4) != 0,
             .clamp = (op & 1) != 0,
             .coarse = true};
  return f;
}();

// How many coordinates an image takes: TYPE of SQ_IMG_RSRC_WORD3 (8-15: 1D, 2D, 3D, cube, 1D array, 2D array, 2D MSAA, 2D MSAA
// array); the slice of an array only where the instruction declares one (DA), a sample where the image has some.
struct ImageCoordinates {
  unsigned spatial, all;
};
constexpr ImageCoordinates image_coordinates(uint32_t type, bool array) {
  switch (type) {
    case 8:
    case 12: return {1, array ? 2u : 1u};
    case 10: return {3, 3};
    case 11: return {2, 3};
    case 14:
    case 15: return {2, array ? 4u : 3u};
    default: return {2, array ? 3u : 2u};
  }
}

// The instruction's use of its texture, if the JIT may have code for it, given a texture that it knows (sampling/sample.h,
// sampling/load_store.h).
inline std::optional<wave::TextureUse> compiled_use(const Instruction& i) {
  const ImageForm& form = image_forms[i.opcode->opcode & 127];
  if (!form.exists || i.tfe || i.lwe || i.r128) return {};
  switch (form.operation) {
    case wave::ImageOperation::sample:
    case wave::ImageOperation::gather: return i.unorm ? std::optional<wave::TextureUse>() : wave::TextureUse::sampled;
    case wave::ImageOperation::size:
    case wave::ImageOperation::load: return i.dmask ? std::optional(wave::TextureUse::loaded) : std::nullopt;
    case wave::ImageOperation::atomic:
    case wave::ImageOperation::store: return i.dmask ? std::optional(wave::TextureUse::stored) : std::nullopt;
    default: return {};
  }
}

}  // namespace Atoll::gfx7
