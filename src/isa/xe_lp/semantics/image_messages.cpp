// Messages about texels that are called: typed ones of the data port, and the sampler's. The GPU family decodes surface and
// sampler states (wave::Environment::image).
#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/half.h"
#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/semantics/recorded_images.h"
#include "isa/xe_lp/semantics/send_called.h"
#include "isa/xe_lp/surface_format.h"
#include "isa/xe_lp/surface_state.h"
#include "isa/xe_lp/texture_key.h"
#include "wave/environment.h"
#include "wave/program.h"

namespace Atoll::xe_lp {
namespace {

using wave::FaultKind;
using wave::ImageAccess;
using wave::ImageAtomic;
using wave::ImageLanes;
using wave::ImageOperation;
using wave::LodMode;

// Both payloads together, in registers.
unsigned payload_length(const SendCall& c) { return (c.descriptor >> 25 & 15) + (c.extended >> 6 & 31); }

// Tells the step which texture it meets, for code that is made of it. `sampler`: an address of the window, from which `offset` counts.
void note_texture(SendCall& c, wave::TextureUse use, uint8_t bti, bool typed_read, uint64_t sampler, uint32_t offset) {
  const ThreadContext& context = context_of(c.wave);
  std::array<uint32_t, 8> words{};
  std::array<uint32_t, 4> sampler_words{};
  auto put = [](uint32_t* to, uint64_t address) { to[0] = uint32_t(address), to[1] = uint32_t(address >> 32); };
  put(&words[TEXTURE_BINDING_TABLE], context.binding_table);
  put(&words[TEXTURE_SURFACE_STATE_BASE], context.surface_state_base);
  put(&words[TEXTURE_DYNAMIC_STATE_BASE], context.dynamic_state_base);
  words[TEXTURE_ENTRY] = bti, words[TEXTURE_TYPED_READ] = typed_read;
  put(&sampler_words[SAMPLER_ADDRESS], sampler);
  sampler_words[SAMPLER_OFFSET] = offset;
  wave::note_texture(c.wave, words.data(), sampler_words.data(), use);
}

// False: a fault, which is noted.
bool carry_out(SendCall& c, ImageAccess& access, bool stores) {
  if (c.probing && stores) return true;
  c.wave.environment->image(c.wave, access);
  if (!access.fault) return true;
  c.fault = stores ? FaultKind::Store : FaultKind::Load;
  c.address = access.fault_address, c.reason = access.fault;
  return false;
}

// --- typed messages

void take_typed(const SendCall& c, ImageLanes& lanes, unsigned n) { std::memcpy(lanes.data(), c.payload(n), kRegisterBytes); }

bool atomic_of(const DataMessage& m, ImageAccess& access) {
  switch (IntegerAtomic(m.operation)) {
    case IntegerAtomic::And: access.atomic = ImageAtomic::bit_and; break;
    case IntegerAtomic::Or: access.atomic = ImageAtomic::bit_or; break;
    case IntegerAtomic::Xor: access.atomic = ImageAtomic::bit_xor; break;
    case IntegerAtomic::Move: access.atomic = ImageAtomic::swap; break;
    case IntegerAtomic::Increment:
    case IntegerAtomic::Add: access.atomic = ImageAtomic::add; break;
    case IntegerAtomic::Decrement:
    case IntegerAtomic::PreDecrement:
    case IntegerAtomic::Subtract: access.atomic = ImageAtomic::sub; break;
    case IntegerAtomic::SignedMaximum: access.atomic = ImageAtomic::smax; break;
    case IntegerAtomic::SignedMinimum: access.atomic = ImageAtomic::smin; break;
    case IntegerAtomic::UnsignedMaximum: access.atomic = ImageAtomic::umax; break;
    case IntegerAtomic::UnsignedMinimum: access.atomic = ImageAtomic::umin; break;
    case IntegerAtomic::CompareExchange: access.atomic = ImageAtomic::compare_swap; break;
    default: return false;
  }
  return true;
}

}  // namespace

void run_typed_message(SendCall& c, const DataMessage& m) {
  const bool atomic = m.access == DataAccess::TypedAtomic;
  ImageAccess access;
  access.operation = atomic ? ImageOperation::atomic : m.write ? ImageOperation::store : ImageOperation::load;
  access.lanes = 8;
  // The high slot group is the upper half of 16 lanes, and all lanes of an instruction of 8, which has its place by ChanOff.
  access.active = c.enabled >> (c.instruction.lanes > 8 ? m.first_lane : 0) & 0xff;
  access.components = atomic ? 1 : m.channels;
  access.returns = m.returns;
  if (!access.active) return;
  if (atomic && (m.element_bytes != 4 || !atomic_of(m, access))) return void(c.fail("a typed atomic that is not executed"));
  const unsigned data = atomic ? atomic_operands(m) : m.write ? m.elements : 0, length = payload_length(c);
  if (length < m.header + data + 1u) return void(c.fail("a typed message without coordinates"));
  access.coordinate_count = std::min(length - m.header - data, 3u);
  for (auto& lanes : access.coordinate) lanes.fill(0);  // (those that a surface has beyond the message's)
  for (unsigned n = 0; n < access.coordinate_count; n++) take_typed(c, access.coordinate[n], m.header + n);
  for (unsigned n = 0; n < data; n++) take_typed(c, access.data[n], length - data + n);
  if (atomic && data == 0) access.data[0].fill(1);
  if (access.atomic == ImageAtomic::compare_swap && atomic) std::swap(access.data[0], access.data[1]);  // comparand behind
  const uint32_t* state = surface_state(c, m.bti);
  if (!state) return;
  uint32_t words[SurfaceState::dwords];
  std::memcpy(words, state, sizeof words);
  if (access.operation == ImageOperation::load)
    SurfaceState::Surface_Format::set(words, typed_read_format(SurfaceState::Surface_Format::get(words)));
  if (const auto use = compiled_use(c.instruction, m)) note_texture(c, *use, m.bti, !m.write, 0, 0);
  access.resource = words;
  if (!carry_out(c, access, m.write || atomic) || !c.has_answer()) return;
  if (m.write && !m.returns) return;
  const bool before = atomic && IntegerAtomic(m.operation) == IntegerAtomic::PreDecrement;
  for (unsigned n = 0; n < (atomic ? 1u : m.elements); n++)
    for (unsigned lane = 0; lane < 8; lane++)
      if (access.active >> lane & 1) c.answer(n)[lane] = access.data[n][lane] - uint32_t(before);
}

// --- the sampler's

namespace {

// Parameter n of all lanes as 32-bit words.
void take(const SendCall& c, ImageLanes& to, unsigned first_register, unsigned lanes, bool halves, bool integer) {
  for (unsigned l = 0; l < lanes; l++) {
    if (!halves) {
      to[l] = c.payload(first_register + l / 8)[l % 8];
      continue;
    }
    uint16_t word;
    std::memcpy(&word, reinterpret_cast<const uint8_t*>(c.payload(first_register)) + l * 2, 2);
    to[l] = integer ? uint32_t(int32_t(int16_t(word))) : std::bit_cast<uint32_t>(float_from_half(word));
  }
}

void take_parameters(const SendCall& c, const SamplerMessage& m, ImageAccess& access) {
  const unsigned each = m.parameter_registers(), length = payload_length(c);
  bool offsets = false;
  std::array<ImageLanes, 2> offset{};
  for (unsigned n = 0; n < m.parameters.size(); n++) {
    const unsigned at = m.header + n * each;
    if (at + each > length) break;
    const char what = m.parameters[n];
    auto into = [&](ImageLanes& lanes) { take(c, lanes, at, access.lanes, m.halves, m.integers || what == 'p' || what == 'q'); };
    constexpr std::string_view coordinates = "uvra", derivatives = "defghi";
    if (size_t k = coordinates.find(what); k != coordinates.npos) {
      into(access.coordinate[k]);
      access.coordinate_count = std::max(access.coordinate_count, unsigned(k) + 1);
    } else if (size_t d = derivatives.find(what); d != derivatives.npos) {
      into((d % 2 ? access.dy : access.dx)[d / 2]);
    } else if (what == 'c') {
      into(access.reference);
    } else if (what == 'l' || what == 'b') {
      into(access.lod);
    } else if (what == 'm') {
      into(access.lod_clamp), access.clamp_lod = true;
    } else if (what == 'p' || what == 'q') {
      into(offset[what == 'q']), offsets = true;
    } else if (what == 's') {
      into(access.coordinate[3]);
      access.coordinate_count = 4;
    }
  }
  if (!offsets) return;
  access.offset = true;
  for (unsigned l = 0; l < access.lanes; l++) access.offsets[l] = (offset[0][l] & 63) | (offset[1][l] & 63) << 8;
}

// sampleinfo: how many samples, and in the last word the palette of their positions (IGC documentation/visa/instructions/INFO.md). A null
// surface has none.
void give_samples(const uint32_t* state, ImageAccess& access) {
  const bool is_there = SurfaceState::Surface_Type::get(state) != SurfaceState::Surface_Type::SURFTYPE_NULL;
  for (ImageLanes& lanes : access.data) lanes.fill(0);
  access.data[0].fill(is_there ? 1u << SurfaceState::Number_of_Multisamples::get(state) : 0);
  access.data[3].fill(is_there ? SurfaceState::Multisample_Position_Palette_Index::get(state) : 0);
}

// ld_mcs: for each sample of a pixel the number of the slice that has its colour, 4 bits each from bit 0 up (2 samples: 1 bit, 4: 2), in two
// words where there are 16. Surfaces are kept plain, so that each has its own (Mesa 22.3.6 brw_fs_visitor.cpp, emit_mcs_fetch; ld2dms and
// ld2dms_w give it back, and are told the sample as well). A null surface and one of a single sample have none.
void give_slices(const uint32_t* state, ImageAccess& access) {
  const bool is_there = SurfaceState::Surface_Type::get(state) != SurfaceState::Surface_Type::SURFTYPE_NULL;
  constexpr uint64_t identity[] = {0, 0x2, 0xe4, 0x7654'3210, 0xfedc'ba98'7654'3210};
  const uint32_t log2 = SurfaceState::Number_of_Multisamples::get(state);
  const uint64_t slices = is_there && log2 < std::size(identity) ? identity[log2] : 0;
  for (ImageLanes& lanes : access.data) lanes.fill(0);
  access.data[0].fill(uint32_t(slices)), access.data[1].fill(uint32_t(slices >> 32));
}

// The header's dword 2.
constexpr int32_t signed4(uint32_t x) { return int32_t(x << 28) >> 28; }

}  // namespace

void run_sampler_message(SendCall& c) {
  SamplerMessage m;
  if (!read_sampler_message(c.descriptor, m)) return void(c.fail("a message to the sampler that is not executed"));
  ImageAccess access;
  access.lanes = m.lanes;
  access.active = c.enabled & ((1u << access.lanes) - 1);
  if (!access.active) return;
  access.operation = m.operation, access.lod_mode = m.lod_mode, access.compare = m.compare;
  access.explicit_level = m.operation == ImageOperation::load && m.has('l');
  for (auto& lanes : access.coordinate) lanes.fill(0);
  access.lod.fill(0), access.reference.fill(0);
  for (unsigned n = 0; n < 3; n++) access.dx[n].fill(0), access.dy[n].fill(0);
  take_parameters(c, m, access);

  const ThreadContext& context = context_of(c.wave);
  uint64_t sampler = context.sampler_states;
  uint32_t masked = 0, offset = m.sampler * 16u;
  bool plain = true;
  if (m.header) {
    const uint32_t* h = c.payload(0);
    plain = is_plain_sampler_header(h[2]);
    masked = h[2] >> 12 & 15;
    access.gather_component = h[2] >> 16 & 3;
    access.tfe = h[2] & sampler_header::null_mask;
    if (h[2] & 0xfff) {
      const uint32_t offsets =
          (uint32_t(signed4(h[2] >> 8)) & 63) | (uint32_t(signed4(h[2] >> 4)) & 63) << 8 | (uint32_t(signed4(h[2])) & 63) << 16;
      if (!access.offset) access.offsets.fill(offsets);
      access.offset = true;
    }
    sampler = context.dynamic_state_base, offset += h[3] & ~31u;
  }

  const uint32_t* state = surface_state(c, m.bti);
  if (!state) return;
  if (const auto use = compiled_use(m)) {
    if (plain)
      note_texture(c, *use, m.bti, false, m.filters() ? sampler : 0, m.filters() ? offset : 0);
    else
      wave::note_form(c.wave, wave::many_forms);
  }
  uint32_t words[SurfaceState::dwords], sampler_words[dg1::structures::SAMPLER_STATE::dwords] = {};
  std::memcpy(words, state, sizeof words);
  if (m.filters()) {
    const uint8_t* from = c.window((sampler + offset) & ~uint64_t(15), 16, FaultKind::ScalarLoad);
    if (!from) return;
    std::memcpy(sampler_words, from, sizeof sampler_words);
  }
  access.resource = words, access.sampler = sampler_words;
  access.components = 15;
  access.array = SurfaceState::Surface_Array::is_set(words);
  access.status.fill(0);
  if (!carry_out(c, access, false) || !c.has_answer()) return;
  if (m.number == sampler_message_info) give_samples(words, access);
  if (m.number == sampler_message_mcs) give_slices(words, access);

  const surface::Format* format = surface_format(SurfaceState::Surface_Format::get(words));
  const bool integers = m.operation == ImageOperation::size || (format && is_integer(format->number));
  const unsigned each = m.answer_registers();
  unsigned to = 0;
  for (unsigned n = 0; n < 4; n++) {
    if (masked >> n & 1) continue;
    if (to + each > m.response_length) break;
    for (uint64_t rest = access.active; rest; rest &= rest - 1) {
      const unsigned l = unsigned(std::countr_zero(rest));
      const uint32_t x = access.data[n][l];
      if (!m.answer_halves) {
        c.answer(to + l / 8)[l % 8] = x;
        continue;
      }
      const uint16_t half = integers ? uint16_t(x) : half_from_float(std::bit_cast<float>(x));
      std::memcpy(reinterpret_cast<uint8_t*>(c.answer(to)) + l * 2, &half, 2);
    }
    to += each;
  }
  if (!access.tfe || to >= m.response_length) return;
  // A bit a lane, set where all its texels are there (Mesa 25.0.7 brw_nir_lower_sparse.c).
  uint32_t* mask = c.answer(to);
  std::fill_n(mask, kRegisterBytes / 4, 0u);
  for (uint64_t rest = access.active; rest; rest &= rest - 1) {
    const unsigned l = unsigned(std::countr_zero(rest));
    if (!access.status[l]) mask[0] |= 1u << l;
  }
}

}  // namespace Atoll::xe_lp
