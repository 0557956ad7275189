#include <bit>
#include <cstring>

#include "isa/rdna4/semantics/image.h"
#include "isa/rdna4/semantics/whole.h"
#include "surface/number.h"
#include "wave/environment.h"
#include "wave/program.h"

namespace Atoll::rdna4 {
namespace {

using wave::ImageAccess;
using wave::ImageLanes;
using wave::ImageOperation;
using wave::LodMode;

// The address's components one after the other. Those of 16 bits stand in pairs, each pair in a register.
struct Addresses {
  wave::Wave& wave;
  const Instruction& i;
  unsigned register_number = 0;
  bool upper = false;  // the other half of the register before is next

  ImageLanes take_register() {
    ImageLanes lanes;
    const unsigned vgpr = image_address_vgpr(i, register_number++);
    for (unsigned lane = 0; lane < wave.lanes; lane++) lanes[lane] = lane_of(wave, vgpr, lane);
    for (unsigned lane = wave.lanes; lane < lanes.size(); lane++) lanes[lane] = 0;
    return lanes;
  }
  void take(ImageLanes& lanes) { lanes = take_register(); }
  void take_half(ImageLanes& lanes, bool is_float) {
    if (upper) register_number--;
    lanes = take_register();
    for (uint32_t& lane : lanes) {
      const uint16_t half = uint16_t(upper ? lane >> 16 : lane);
      lane = is_float ? std::bit_cast<uint32_t>(surface::from_half(half)) : half;
    }
    upper = !upper;
  }
  void end_pair() { upper = false; }
};

void write_lanes(wave::Wave& wave, uint32_t vgpr, const ImageLanes& lanes, uint64_t active) {
  for (uint64_t rest = active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    lane_of(wave, vgpr & 255, lane) = lanes[lane];
  }
}

void read_addresses(const ImageForm& form, Addresses from, ImageAccess& access) {
  const Instruction& i = from.i;
  const bool halves = i.a16, floats = i.opcode->format == Format::VSAMPLE && form.operation != ImageOperation::load_samples;
  auto body = [&](ImageLanes& lanes) { halves ? from.take_half(lanes, floats) : from.take(lanes); };
  const ImageCoordinates n = image_coordinates(i.image_dimension);
  if (form.operation == ImageOperation::size) return body(access.lod);
  if (form.offset) from.take(access.offsets);
  if (form.lod_mode == LodMode::bias) {  // a register of its own, half or not
    body(access.lod);
    from.end_pair();
  }
  if (form.compare) from.take(access.reference);
  if (form.lod_mode == LodMode::derivatives) {
    access.derivative_count = n.spatial;
    for (auto* of : {&access.dx, &access.dy}) {
      for (unsigned c = 0; c < n.spatial; c++) form.derivatives16 ? from.take_half((*of)[c], true) : from.take((*of)[c]);
      from.end_pair();
    }
  }
  access.coordinate_count = n.all;
  for (unsigned c = 0; c < n.all; c++) body(access.coordinate[c]);
  if (form.lod_mode == LodMode::level || form.mip) body(access.lod);
  if (form.clamp) body(access.lod_clamp);
}

// Registers of data: one a component, or one for two of 16 bits, of which the last may stand alone and leaves the upper half.
unsigned data_registers(const Instruction& i, unsigned components) { return i.d16 ? (components + 1) / 2 : components; }

void read_data(wave::Wave& wave, const Instruction& i, unsigned components, ImageAccess& access) {
  for (unsigned c = 0; c < components; c++)
    for (unsigned lane = 0; lane < wave.lanes; lane++) {
      const uint32_t word = lane_of(wave, (i.data + (i.d16 ? c / 2 : c)) & 255, lane);
      access.data[c][lane] = !i.d16 ? word : c & 1 ? word >> 16 : word & 0xffff;
    }
}

void write_data(wave::Wave& wave, const Instruction& i, unsigned components, ImageAccess& access) {
  if (!i.d16) {
    for (unsigned c = 0; c < components; c++) write_lanes(wave, i.data + c, access.data[c], access.active);
    return;
  }
  for (unsigned c = 0; c < components; c += 2)
    for (uint64_t rest = access.active; rest; rest &= rest - 1) {
      const unsigned lane = unsigned(std::countr_zero(rest));
      uint32_t& word = lane_of(wave, (i.data + c / 2) & 255, lane);
      const uint32_t above = c + 1 < components ? access.data[c + 1][lane] << 16 : word & 0xffff0000u;
      word = above | (access.data[c][lane] & 0xffff);
    }
}

// Four texels of a row: those of two footprints, of which the second stands two texels further.
void gather_row(wave::Wave& wave, ImageAccess& access) {
  ImageAccess second = access;
  second.offset = true;
  if (!access.offset) second.offsets.fill(0);
  for (uint32_t& word : second.offsets) word = (word & ~63u) | ((word + 2) & 63);
  wave.environment->image(wave, access);
  if (access.fault) return;
  wave.environment->image(wave, second);
  access.fault = second.fault, access.fault_address = second.fault_address;
  const ImageLanes left = access.data[3], right = access.data[2];
  access.data = {left, right, second.data[3], second.data[2]};
}

}  // namespace

ImageFault run_image(wave::Wave& wave, const Instruction& i) {
  const ImageForm form = image_form(*i.opcode);
  const bool store = form.operation == ImageOperation::store, atomic = form.operation == ImageOperation::atomic;
  const bool one_component = form.operation == ImageOperation::gather || form.operation == ImageOperation::load_samples;
  ImageAccess access;
  access.operation = form.operation;
  access.lod_mode = form.lod_mode;
  access.atomic = form.atomic;
  access.lanes = wave.lanes;
  access.active = exec_of(wave);
  if (!access.active) return {};
  const bool status = (i.tfe || i.lwe) && !store;
  unsigned components = one_component ? 4 : unsigned(std::popcount(unsigned(i.dmask & 15)));
  // Without a component nothing is fetched, and a register becomes 0 (table 58).
  if (!i.dmask) {
    if (store || (atomic && !(i.th & 1))) return {};
    write_lanes(wave, i.data, ImageLanes{}, access.active);
    return {};
  }
  // The scalars, copied: a short resource may stand at the end of the file.
  std::array<uint32_t, 8> resource{};
  std::array<uint32_t, 4> sampler{};
  for (unsigned n = 0; n < (i.r128 ? 4u : 8u); n++) resource[n] = register_of(wave, i.saddr + n);
  if (i.opcode->format == Format::VSAMPLE && i.sampler != NULL_SGPR)
    for (unsigned n = 0; n < 4; n++) sampler[n] = register_of(wave, i.sampler + n);
  access.resource = resource.data();
  access.sampler = sampler.data();
  access.short_resource = i.r128 != 0;
  access.dimension = int8_t(i.image_dimension & 7);
  access.components = uint8_t(i.dmask);
  access.unnormalized = i.unorm != 0;
  access.compare = form.compare;
  access.offset = form.offset;
  access.clamp_lod = form.clamp;
  access.explicit_level = form.mip;
  access.packed = form.packed;
  access.sign_extend = form.sign_extend;
  access.returns = (i.th & 1) != 0;
  access.halves = i.d16 != 0;
  access.fills_with_first = true;
  access.tfe = i.tfe != 0;
  access.lwe = i.lwe != 0;
  if (one_component) access.gather_component = unsigned(std::countr_zero(unsigned(i.dmask)));
  read_addresses(form, {wave, i}, access);
  if (store || atomic) read_data(wave, i, components, access);

  if (const auto use = compiled_use(i, form)) {
    static constexpr uint32_t no_sampler[4] = {};
    wave::note_texture(wave, access.resource, *use == wave::TextureUse::sampled ? access.sampler : no_sampler, *use);
  }
  form.row_of_texels ? gather_row(wave, access) : wave.environment->image(wave, access);
  if (access.fault) return {access.fault, access.fault_address, store, atomic};
  // A resource of another kind: nothing comes back (9.6).
  if (access.ignored || store || (atomic && !access.returns)) return {};
  unsigned results = components;
  if (atomic && form.atomic == wave::ImageAtomic::compare_swap) results /= 2;
  write_data(wave, i, results, access);
  // Status is written if a lane has some.
  if (!status) return {};
  uint32_t any = 0;
  for (uint64_t rest = access.active; rest; rest &= rest - 1) any |= access.status[size_t(std::countr_zero(rest))];
  if (any & 2) wave::word_of(wave, trap_status_cell) |= EXCP_LOD_CLAMPED;
  if (any) write_lanes(wave, i.data + data_registers(i, components), access.status, access.active);
  return {};
}

}  // namespace Atoll::rdna4
