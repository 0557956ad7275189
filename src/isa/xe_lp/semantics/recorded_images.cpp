// Compiled for the recorder alone.
#include "isa/xe_lp/semantics/recorded_images.h"

#include <algorithm>
#include <array>

#include "isa/xe_lp/semantics/operands.h"
#include "isa/xe_lp/texture_key.h"
#include "sampling/load_store.h"
#include "sampling/sample.h"
#include "wave/jit/byte_registers.h"
#include "wave/program.h"

namespace Atoll::xe_lp {
namespace {

using sampling::Form;
using wave::Recorder;
using wave::TextureUse;
using U32 = Recorder::U32;
using F32 = Recorder::F32;
using M = Recorder::M;
using S32 = Recorder::S32;

// Cells that are no registers: a parameter that the message does not have, which reads 0; offsets, which are made of others.
constexpr uint32_t no_cell = 0, offsets_cell = 4;
static_assert(offsets_cell < wave::register_file_offset);

// The recorder's words for src/sampling, which names lane registers by their cells: rows of `lanes` dwords here.
class PayloadWords {
public:
  using U32 = Recorder::U32;
  using U64 = Recorder::U64;
  using F32 = Recorder::F32;
  using F64 = Recorder::F64;
  using M = Recorder::M;
  using S32 = Recorder::S32;
  using Texture = Recorder::Texture;

  PayloadWords(Recorder& core, unsigned lanes) : core_(core), lanes_(lanes) {}
  void set_offsets(U32 offsets) { offsets_ = offsets; }

  U32 u32(uint32_t n) { return core_.u32(n); }
  F32 f32(float x) { return core_.f32(x); }
  F64 f64(double x) { return core_.f64(x); }
  M m(bool c) { return core_.m(c); }
  template <class T>
  auto splat(T value) {
    return core_.splat(value);
  }
  U32 lane_id() { return core_.lane_id(); }
  U32 lanes(uint32_t cell) {
    if (cell == no_cell) return core_.u32(0);
    if (cell == offsets_cell) return *offsets_;
    wave::Region row;
    row.cell = cell, row.lanes = uint8_t(lanes_);
    return core_.region(row);
  }
  U32 whole_lanes(uint32_t cell) { return lanes(cell); }
  template <class T>
  T constant_word(const uint32_t* words, unsigned log_size, T index) {
    return core_.constant_word(words, log_size, index);
  }
  S32 texture_word(Texture t, size_t byte) { return core_.texture_word(t, byte); }
  U32 texel_column(Texture t, U32 level, U32 place) { return core_.texel_column(t, level, place); }
  U32 texel_row(Texture t, U32 level, U32 place) { return core_.texel_row(t, level, place); }
  U32 texel_slice(Texture t, U32 level, U32 place) { return core_.texel_slice(t, level, place); }
  U32 texel(Texture t, U32 column, U32 row, int slice, unsigned bytes, unsigned byte) {
    return core_.texel(t, column, row, slice, bytes, byte);
  }
  U32 texel_offset(Texture t, U32 column, U32 row, int slice) { return core_.texel_offset(t, column, row, slice); }
  void set_texel(M condition, U32 offset, U32 value, unsigned bytes, unsigned byte) {
    core_.set_texel(condition, offset, value, bytes, byte);
  }

private:
  Recorder& core_;
  const unsigned lanes_;
  std::optional<U32> offsets_;
};

unsigned axes_of(surface::Dimension d) {
  switch (d) {
    case surface::Dimension::one:
    case surface::Dimension::one_array: return 1;
    case surface::Dimension::three: return 3;
    default: return 2;
  }
}
bool is_cube(surface::Dimension d) { return d == surface::Dimension::cube || d == surface::Dimension::cube_array; }
bool is_array(surface::Dimension d) { return d == surface::Dimension::one_array || d == surface::Dimension::two_array; }

// The form of texture that the step has met, if it was met in this use.
std::optional<Form> met_texture(const Recorder& core, TextureUse use) {
  const uint64_t bits = wave::met_form(*core.step);
  const Form form = Form::from(bits);
  if (bits == wave::many_forms || !form.valid || form.use != uint64_t(use)) return {};
  return form;
}

struct SamplerPlace {
  S32 low, high, offset;
};
Recorder::Texture texture_of(Recorder& core, const Form& form, uint8_t bti, bool typed_read, const SamplerPlace* sampler) {
  auto word = [&](size_t field, unsigned n) { return core.scalar(context_field(field) + n * 4); };
  std::array<S32, 12> words{};
  for (unsigned n = 0; n < 2; n++) {
    words[TEXTURE_BINDING_TABLE + n] = word(offsetof(ThreadContext, binding_table), n);
    words[TEXTURE_SURFACE_STATE_BASE + n] = word(offsetof(ThreadContext, surface_state_base), n);
    words[TEXTURE_DYNAMIC_STATE_BASE + n] = word(offsetof(ThreadContext, dynamic_state_base), n);
  }
  words[TEXTURE_ENTRY] = core.s32(bti), words[TEXTURE_TYPED_READ] = core.s32(typed_read);
  for (unsigned n = 8; n < 12; n++) words[n] = core.s32(0);
  if (sampler) {
    words[8 + SAMPLER_ADDRESS] = sampler->low, words[8 + SAMPLER_ADDRESS + 1] = sampler->high;
    words[8 + SAMPLER_OFFSET] = sampler->offset;
  }
  return core.texture(form.bits(), form.places(), words, TextureUse(form.use));
}

// The places of a message's parameters. Not valid if one of them lies in both payloads.
struct Parameters {
  std::string_view letters;
  std::array<uint32_t, 16> cells{};  // no_cell behind the payload's end
  bool valid = true;

  Parameters(const Instruction& i, const SamplerMessage& m) : letters(m.parameters) {
    const unsigned each = m.parameter_registers(), first = m.address_length, length = first + (i.extended_descriptor >> 6 & 31);
    for (unsigned n = 0; n < letters.size(); n++) {
      const unsigned at = m.header + n * each;
      if (at + each > length) break;
      valid &= at >= first || at + each <= first;
      const unsigned reg = at < first ? i.src[0].number + at : i.src[1].number + at - first;
      cells[n] = grf_cell + reg * kRegisterBytes;
    }
  }
  uint32_t cell(char letter) const {
    const size_t n = letters.find(letter);
    return n == letters.npos ? no_cell : cells[n];
  }
};

sampling::SampleRequest request_of(const SamplerMessage& m, const Parameters& p, surface::Dimension dimension, unsigned wanted) {
  constexpr std::string_view coordinates = "uvra", dx = "dfh", dy = "egi";
  sampling::SampleRequest r;
  r.lod_mode = m.lod_mode;
  r.wanted = wanted;
  const unsigned axes = axes_of(dimension);
  for (unsigned c = 0; c < axes; c++) {
    r.coordinates[c] = p.cell(coordinates[c]);
    if (m.lod_mode == wave::LodMode::derivatives) r.dx[c] = p.cell(dx[c]), r.dy[c] = p.cell(dy[c]);
  }
  if ((r.has_layer = is_array(dimension))) r.layer = p.cell(coordinates[axes]);
  if ((r.compares = m.compare)) r.reference = p.cell('c');
  if (m.has('l') || m.has('b')) r.lod = p.cell(m.has('l') ? 'l' : 'b');
  if ((r.has_lod_clamp = p.cell('m') != no_cell)) r.lod_clamp = p.cell('m');
  if ((r.has_offsets = p.cell('p') != no_cell || p.cell('q') != no_cell)) r.offsets = offsets_cell;
  if (m.operation == wave::ImageOperation::gather) r.gathers = 0, r.wanted = 15;
  return r;
}

wave::Region row_of_answer(const Instruction& i, unsigned n, unsigned registers, unsigned lanes) {
  wave::Region row;
  row.cell = grf_cell + (i.dst.number + n * registers) * kRegisterBytes, row.lanes = uint8_t(lanes);
  return row;
}

}  // namespace

template <class A>
bool record_sampler_message(A& e, const Instruction& i) {
  Recorder& core = e.core;
  SamplerMessage m;
  if (i.descriptor_in_register || i.extended_descriptor_in_register || !read_sampler_message(i.descriptor, m)) return false;
  const auto use = compiled_use(m);
  if (!use || i.lanes != m.lanes || i.dst.file != File::Grf) return false;
  const auto form = met_texture(core, *use);
  if (!form) return false;
  const bool gathers = m.operation == wave::ImageOperation::gather;
  const auto dimension = surface::Dimension(form->dimension);
  if (m.filters() ? !sampling::is_exact(*form, core.float_mode(), m.compare || gathers) : !sampling::is_exact(core.float_mode()))
    return false;
  // A direction chooses a cube's face.
  if (m.filters() && (is_cube(dimension) || (gathers && dimension == surface::Dimension::three))) return false;
  const Parameters p(i, m);
  const unsigned answers = std::min(4u, m.response_length / m.answer_registers());
  if (!p.valid || !answers) return false;

  PayloadWords words(core, m.lanes);
  const M on = e.enabled(i);
  // If the guard misses the message is called, and reads parameters that this form has no use for: earlier code must leave them in the
  // register file.
  for (uint32_t cell : p.cells) words.lanes(cell);
  const uint32_t header = grf_cell + i.src[0].number * kRegisterBytes;
  if (m.header)
    core.expect(core.scalar(header + 8), sampler_header::masks | sampler_header::gather_component | sampler_header::offsets, 0);
  std::array<U32, 4> colour{};
  if (m.filters()) {
    const size_t table = m.header ? offsetof(ThreadContext, dynamic_state_base) : offsetof(ThreadContext, sampler_states);
    SamplerPlace sampler{core.scalar(context_field(table)), core.scalar(context_field(table) + 4), core.s32(m.sampler * 16u)};
    if (m.header) sampler.offset = (core.scalar(header + 12) & ~31u) + core.s32(m.sampler * 16u);
    const sampling::SampleRequest request = request_of(m, p, dimension, (1u << answers) - 1);
    if (request.has_offsets) words.set_offsets((words.lanes(p.cell('p')) & 63u) | (words.lanes(p.cell('q')) & 63u) << 8);
    sampling::Sample<PayloadWords> sample(words, *form, texture_of(core, *form, m.bti, false, &sampler), request);
    sample.count_only(on);
    colour = sample.run();
  } else {
    sampling::TexelCoordinates<PayloadWords> at{words.lanes(p.cell('u')), {}, {}, {}};
    if (axes_of(dimension) > 1) at.y = words.lanes(p.cell('v'));
    if (dimension == surface::Dimension::one_array) at.slice = words.lanes(p.cell('v'));
    if (dimension == surface::Dimension::three || dimension == surface::Dimension::two_array || is_cube(dimension))
      at.slice = words.lanes(p.cell('r'));
    if (p.cell('l') != no_cell) at.level = words.lanes(p.cell('l'));
    sampling::TexelAccess<PayloadWords> access(words, *form, texture_of(core, *form, m.bti, false, nullptr), at);
    colour = access.load((1u << answers) - 1);
  }
  for (unsigned c = 0; c < answers; c++) core.set_region(row_of_answer(i, c, m.answer_registers(), m.lanes), on, colour[c]);
  return true;
}
template bool record_sampler_message(Executed<Recorder>&, const Instruction&);

template <class A>
bool record_typed_message(A& e, const Instruction& i, const DataMessage& m) {
  Recorder& core = e.core;
  const auto use = compiled_use(i, m);
  if (!use || i.extended_descriptor_in_register || (!m.write && i.dst.file != File::Grf)) return false;
  const auto form = met_texture(core, *use);
  if (!form || !sampling::is_exact(core.float_mode())) return false;
  const unsigned first = m.address_length, length = first + (i.extended_descriptor >> 6 & 31), data = m.write ? m.elements : 0;
  if (length < m.header + data + 1u) return false;
  PayloadWords words(core, 8);
  auto payload = [&](unsigned n) {
    return words.lanes(grf_cell + (n < first ? i.src[0].number + n : i.src[1].number + n - first) * kRegisterBytes);
  };
  std::array<U32, 3> coordinate = {core.u32(0), core.u32(0), core.u32(0)};
  for (unsigned n = 0; n < std::min(length - m.header - data, 3u); n++) coordinate[n] = payload(m.header + n);
  const M on = e.enabled(i);
  const auto dimension = surface::Dimension(form->dimension);
  sampling::TexelCoordinates<PayloadWords> at{coordinate[0], {}, {}, {}};
  if (axes_of(dimension) > 1) at.y = coordinate[1];
  if (dimension == surface::Dimension::one_array) at.slice = coordinate[1];
  if (dimension == surface::Dimension::three || dimension == surface::Dimension::two_array || is_cube(dimension))
    at.slice = coordinate[2];
  sampling::TexelAccess<PayloadWords> access(words, *form, texture_of(core, *form, m.bti, !m.write, nullptr), at);
  unsigned element = 0;
  if (m.write) {
    std::array<U32, 4> colour = {core.u32(0), core.u32(0), core.u32(0), core.u32(0)};
    for (unsigned c = 0; c < 4; c++)
      if (m.channels >> c & 1) colour[c] = payload(length - data + element++);
    access.store(on, colour);
    return true;
  }
  const std::array<U32, 4> colour = access.load(m.channels);
  for (unsigned c = 0; c < 4; c++)
    if (m.channels >> c & 1) core.set_region(row_of_answer(i, element++, 1, 8), on, colour[c]);
  return true;
}
template bool record_typed_message(Executed<Recorder>&, const Instruction&, const DataMessage&);

}  // namespace Atoll::xe_lp
