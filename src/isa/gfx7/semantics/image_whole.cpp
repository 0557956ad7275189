#include <array>
#include <bit>
#include <cstring>

#include "isa/gfx7/semantics/image.h"
#include "isa/gfx7/semantics/whole.h"
#include "wave/environment.h"

namespace Atoll::gfx7 {
namespace {

using wave::ImageAccess;
using wave::ImageAtomic;
using wave::ImageOperation;
using wave::LodMode;

// What an opcode of MIMG says.
struct Form {
  bool exists = false;
  ImageOperation operation = ImageOperation::load;
  LodMode lod_mode = LodMode::zero;
  ImageAtomic atomic = ImageAtomic::add;
  bool mip = false, packed = false, sign_extend = false;  // load and store
  bool compare = false, offset = false, clamp = false, coarse = false;
};

constexpr auto forms = [] {
  std::array<Form, 128> f{};
  for (unsigned op : {0u, 1u, 2u, 3u, 4u, 5u})
    f[op] = {.exists = true, .mip = op == 1 || op >= 4, .packed = op >= 2, .sign_extend = op == 3 || op == 5};
  for (unsigned op : {8u, 9u, 10u, 11u})
    f[op] = {.exists = true, .operation = ImageOperation::store, .mip = (op & 1) != 0, .packed = op >= 10};
  f[14] = {.exists = true, .operation = ImageOperation::size};
  constexpr ImageAtomic atomics[] = {ImageAtomic::swap, ImageAtomic::compare_swap, ImageAtomic::add,      ImageAtomic::sub,
                                     ImageAtomic::add,  ImageAtomic::smin,         ImageAtomic::umin,     ImageAtomic::smax,
                                     ImageAtomic::umax, ImageAtomic::bit_and,      ImageAtomic::bit_or,   ImageAtomic::bit_xor,
                                     ImageAtomic::inc,  ImageAtomic::dec,          ImageAtomic::fcmpswap, ImageAtomic::fmin,
                                     ImageAtomic::fmax};
  for (unsigned op = 15; op <= 31; op++)
    if (op != 19) f[op] = {.exists = true, .operation = ImageOperation::atomic, .atomic = atomics[op - 15]};
  // Samples and gathers: bits 2:0 say where the level comes from, bit 3 compares, bit 4 has offsets.
  constexpr LodMode modes[8] = {LodMode::implicit, LodMode::implicit, LodMode::derivatives, LodMode::derivatives,
                                LodMode::level,    LodMode::bias,     LodMode::bias,        LodMode::zero};
  for (unsigned op = 32; op < 96; op++) {
    unsigned level = op & 7;
    bool gather = op >= 64, derivatives = level == 2 || level == 3;
    if (gather && derivatives) continue;
    f[op] = {.exists = true,
             .operation = gather ? ImageOperation::gather : ImageOperation::sample,
             .lod_mode = modes[level],
             .compare = (op & 8) != 0,
             .offset = (op & 16) != 0,
             .clamp = level == 1 || level == 3 || level == 6};
  }
  f[96] = {.exists = true, .operation = ImageOperation::query_lod, .lod_mode = LodMode::implicit};
  for (unsigned op = 104; op < 112; op++)
    f[op] = {.exists = true,
             .operation = ImageOperation::sample,
             .lod_mode = LodMode::derivatives,
             .compare = (op & 2) != 0,
             .offset = (op & 4) != 0,
             .clamp = (op & 1) != 0,
             .coarse = true};
  return f;
}();

// How many coordinates an image takes: TYPE of SQ_IMG_RSRC_WORD3 (8-15: 1D, 2D, 3D, cube, 1D array, 2D array, 2D MSAA, 2D MSAA
// array); the slice of an array only where the instruction declares one (DA), a sample where the image has some.
struct Coordinates {
  unsigned spatial, all;
};
Coordinates coordinates_of(uint32_t resource_word3, bool array) {
  switch (resource_word3 >> 28) {
    case 8:
    case 12: return {1, array ? 2u : 1u};
    case 10: return {3, 3};
    case 11: return {2, 3};
    case 14:
    case 15: return {2, array ? 4u : 3u};
    default: return {2, array ? 3u : 2u};
  }
}

struct Addresses {
  wave::Wave& wave;
  unsigned vgpr;
  void take(wave::ImageLanes& lanes) { std::memcpy(lanes.data(), &lane_of(wave, vgpr++ & 255, 0), sizeof lanes); }
};

// EXEC, and inside LANES a mask of the lanes.
void write_lanes(wave::Wave& wave, uint32_t vgpr, const wave::ImageLanes& lanes, uint64_t active) {
  for (uint64_t rest = active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    lane_of(wave, vgpr & 255, lane) = lanes[lane];
  }
}

}  // namespace

ImageFault run_image(wave::Wave& wave, const Instruction& i) {
  const Form& form = forms[i.opcode->opcode & 127];
  if (!form.exists) return {.reason = "an image instruction without meaning"};
  ImageAccess access;
  access.operation = form.operation;
  access.lod_mode = form.lod_mode;
  access.atomic = form.atomic;
  access.active = exec_of(wave);
  if (!access.active) return {};
  const uint32_t* resource = &wave::word_of(wave, scalar_cell(i.resource));
  access.resource = resource;
  access.sampler = &wave::word_of(wave, scalar_cell(i.sampler));
  access.short_resource = i.r128 != 0;
  access.components = uint8_t(i.dmask);
  access.array = i.da != 0;
  access.unnormalized = i.unorm != 0;
  access.compare = form.compare;
  access.offset = form.offset;
  access.clamp_lod = form.clamp;
  access.coarse_derivatives = form.coarse;
  access.explicit_level = form.mip;
  access.packed = form.packed;
  access.sign_extend = form.sign_extend;
  access.returns = i.glc != 0;
  access.tfe = i.tfe != 0;
  access.lwe = i.lwe != 0;
  if (form.operation == ImageOperation::gather) access.gather_component = i.dmask ? unsigned(std::countr_zero(i.dmask)) : 0;

  Addresses address{wave, i.address};
  Coordinates n = coordinates_of(resource[3], access.array);
  if (form.operation == ImageOperation::size) {
    address.take(access.lod);
  } else {
    if (form.offset) address.take(access.offsets);
    if (form.lod_mode == LodMode::bias) address.take(access.lod);
    if (form.compare) address.take(access.reference);
    if (form.lod_mode == LodMode::derivatives) {
      for (unsigned c = 0; c < n.spatial; c++) address.take(access.dx[c]);
      for (unsigned c = 0; c < n.spatial; c++) address.take(access.dy[c]);
    }
    access.coordinate_count = n.all;
    for (unsigned c = 0; c < n.all; c++) address.take(access.coordinate[c]);
    if (form.lod_mode == LodMode::level || form.mip) address.take(access.lod);
    if (form.clamp) address.take(access.lod_clamp);
  }

  unsigned components = unsigned(std::popcount(unsigned(i.dmask & 15)));
  bool store = form.operation == ImageOperation::store, atomic = form.operation == ImageOperation::atomic;
  if (form.operation == ImageOperation::gather) components = 4;
  if (store || atomic)
    for (unsigned c = 0; c < components; c++)
      std::memcpy(access.data[c].data(), &lane_of(wave, (i.data + c) & 255, 0), sizeof access.data[c]);

  wave.environment->image(wave, access);
  if (access.fault) return {access.fault, access.fault_address, store, atomic};

  if (store || (atomic && !access.returns)) return {};
  unsigned results = components;
  if (atomic && (form.atomic == ImageAtomic::compare_swap || form.atomic == ImageAtomic::fcmpswap)) results /= 2;
  for (unsigned c = 0; c < results; c++) write_lanes(wave, i.data + c, access.data[c], access.active);
  if (access.tfe || access.lwe) write_lanes(wave, i.data + components, access.status, access.active);
  return {};
}

}  // namespace Atoll::gfx7
