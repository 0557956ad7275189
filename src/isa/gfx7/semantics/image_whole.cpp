#include <bit>
#include <cstring>

#include "isa/gfx7/semantics/image.h"
#include "isa/gfx7/semantics/image_forms.h"
#include "isa/gfx7/semantics/whole.h"
#include "wave/environment.h"
#include "wave/program.h"

namespace Atoll::gfx7 {
namespace {

using wave::ImageAccess;
using wave::ImageAtomic;
using wave::ImageOperation;
using wave::LodMode;

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
  const ImageForm& form = image_forms[i.opcode->opcode & 127];
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
  ImageCoordinates n = image_coordinates(resource[3] >> 28, access.array);
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

  if (const auto use = compiled_use(i)) {
    static constexpr uint32_t no_sampler[4] = {};
    wave::note_texture(wave, access.resource, *use == wave::TextureUse::sampled ? access.sampler : no_sampler, *use);
  }
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
