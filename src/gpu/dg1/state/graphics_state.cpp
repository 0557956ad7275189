// The state that a command replaces. PRM volume 2a has each command's fields. State that a command does not name is kept: iris
// counts on that, and sends each command again only where its state changes (Mesa 22.3.6 iris_state.c:
// iris_upload_dirty_render_state).
#include "gpu/dg1/state/graphics_state.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/expected.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

constexpr unsigned vertex_elements = 64, stream_buffer_slots = 4, stages = 5;  // that the index fields can name

const registers::Family& family() { return registers::dg1_tables; }

template <class Command>
constexpr unsigned number_of = Command::register_id >> 8 & 0xffff;

struct StageConstants {
  unsigned number;
  Unit unit;
};
constexpr StageConstants stage_constants[stages] = {{number_of<_3DSTATE_CONSTANT_VS>, Unit::VS},
                                                    {number_of<_3DSTATE_CONSTANT_HS>, Unit::HS},
                                                    {number_of<_3DSTATE_CONSTANT_DS>, Unit::DS},
                                                    {number_of<_3DSTATE_CONSTANT_GS>, Unit::GS},
                                                    {number_of<_3DSTATE_CONSTANT_PS>, Unit::PS}};

// Two commands for the same: the one that came last counts.
constexpr std::pair<unsigned, unsigned> urb_sizes[] = {{number_of<_3DSTATE_URB_VS>, number_of<_3DSTATE_URB_ALLOC_VS>},
                                                       {number_of<_3DSTATE_URB_HS>, number_of<_3DSTATE_URB_ALLOC_HS>},
                                                       {number_of<_3DSTATE_URB_DS>, number_of<_3DSTATE_URB_ALLOC_DS>},
                                                       {number_of<_3DSTATE_URB_GS>, number_of<_3DSTATE_URB_ALLOC_GS>}};

// The buffers of stream output by commands of their own.
constexpr unsigned stream_buffer_commands[stream_buffer_slots] = {
    number_of<_3DSTATE_SO_BUFFER_INDEX_0>, number_of<_3DSTATE_SO_BUFFER_INDEX_1>, number_of<_3DSTATE_SO_BUFFER_INDEX_2>,
    number_of<_3DSTATE_SO_BUFFER_INDEX_3>};

unsigned slots_of(unsigned number) {
  switch (number) {
    case number_of<_3DSTATE_VF_INSTANCING>: return vertex_elements;
    case number_of<_3DSTATE_SO_BUFFER>: return stream_buffer_slots;
    case number_of<_3DSTATE_CONSTANT_ALL>: return stages;
    default: return 1;
  }
}

template <class... Fields>
constexpr auto bits_of() {
  std::array<uint32_t, _3DSTATE_WM_DEPTH_STENCIL::dwords> mask{};
  (Fields::set(mask.data(), ~uint64_t(0)), ...);
  return mask;
}

}  // namespace

GraphicsState::GraphicsState() {
  ATOLL_ASSERT(family().registers.empty());  // commands are numbered from 0
  uint32_t words = 0, slots = 0;
  for (const registers::Command& row : family().commands) {
    Entry& e = entries_.emplace_back();
    if (row.unit == "MI" || row.unit == "BLT") continue;
    e.slot_words = row.repeat_bits ? std::max<uint32_t>(row.dwords, (1u << row.length_bits) + 1) : row.dwords;
    e.slots = slots_of(unsigned(entries_.size() - 1));
    e.first = words, e.first_slot = slots;
    words += e.slots * e.slot_words, slots += e.slots;
    auto unit = std::ranges::find(unit_names, std::string_view(row.unit));
    ATOLL_ASSERT(unit != std::end(unit_names));
    e.unit = Unit(unit - std::begin(unit_names));
  }
  words_.resize(words), dwords_.resize(slots);
}

const uint32_t* GraphicsState::slot(unsigned number, unsigned n) const {
  const Entry& e = entries_[number];
  ATOLL_ASSERT(n < e.slots);
  return &words_[e.first + n * e.slot_words];
}

const uint32_t* GraphicsState::repeat(unsigned number, unsigned n, uint32_t first, uint32_t dwords, unsigned of) const {
  ATOLL_ASSERT(first + (of + 1) * dwords <= entries_[number].slot_words);
  return slot(number, n) + first + of * dwords;
}

uint32_t GraphicsState::dwords_of(unsigned number, unsigned n) const {
  ATOLL_ASSERT(n < entries_[number].slots);
  return dwords_[entries_[number].first_slot + n];
}

void GraphicsState::put(unsigned number, unsigned n, std::span<const uint32_t> words, Unit unit) {
  const Entry& e = entries_[number];
  if (n >= e.slots) return;
  words = words.first(std::min<size_t>(words.size(), e.slot_words));
  const std::span<uint32_t> kept = std::span(words_).subspan(e.first + n * e.slot_words, e.slot_words);
  uint32_t& came = dwords_[e.first_slot + n];
  const bool same = came == words.size() && std::ranges::equal(words, kept.first(words.size()));
  if (same) return;
  std::ranges::fill(std::ranges::copy(words, kept.begin()).out, kept.end(), 0);
  came = uint32_t(words.size());
  count(unit);
}

void GraphicsState::forget(unsigned number, unsigned n, Unit unit) {
  if (dwords_of(number, n)) put(number, n, {}, unit);
}

// Each buffer that is named replaces the one of its number, but for its address and size where those are not to be changed (Ivy Bridge
// PRM volume 2 part 1, VERTEX_BUFFER_STATE, Address Modify Enable; Mesa 22.3.6 iris_state.c always sets it).
void GraphicsState::put_vertex_buffers(std::span<const uint32_t> words) {
  using Buffers = _3DSTATE_VERTEX_BUFFERS;
  using Repeated = Buffers::repeated;
  const Entry& e = entries_[number_of<Buffers>];
  std::vector<uint32_t> all(words_.begin() + e.first, words_.begin() + e.first + e.slot_words);
  for (size_t at = Repeated::first_dword; at + Repeated::dwords <= words.size(); at += Repeated::dwords) {
    const unsigned index = Repeated::Vertex_Buffer_State_Vertex_Buffer_Index::peek(&words[at]);
    const bool whole = Repeated::Vertex_Buffer_State_Address_Modify_Enable::peek(&words[at]);
    std::copy_n(&words[at], whole ? Repeated::dwords : 1u, &all[Repeated::first_dword + index * Repeated::dwords]);
  }
  put(number_of<Buffers>, 0, all, e.unit);
}

// Fields under a Modify Disable keep their values: iris sends the command in two parts (iris_state.c, iris_bind_zsa_state's packet and
// that with the reference values).
void GraphicsState::put_depth_stencil(std::span<const uint32_t> words) {
  using D = _3DSTATE_WM_DEPTH_STENCIL;
  std::array<uint32_t, D::dwords> now{};
  std::ranges::copy(words.first(std::min<size_t>(words.size(), now.size())), now.begin());
  const uint32_t* old = slot(number_of<D>, 0);
  auto keep = [&](bool disabled, const auto& mask) {
    for (size_t n = 1; disabled && n < now.size(); n++) now[n] = (now[n] & ~mask[n]) | (old[n] & mask[n]);
  };
  constexpr auto depth = bits_of<D::Depth_Buffer_Write_Enable, D::Depth_Test_Enable, D::Depth_Test_Function>(),
                 write_mask = bits_of<D::Stencil_Write_Mask, D::Backface_Stencil_Write_Mask>(),
                 test_mask = bits_of<D::Stencil_Test_Mask, D::Backface_Stencil_Test_Mask>(),
                 reference = bits_of<D::Stencil_Reference_Value, D::Backface_Stencil_Reference_Value>(),
                 stencil = bits_of<D::Stencil_Buffer_Write_Enable, D::Stencil_Test_Enable, D::Double_Sided_Stencil_Enable,
                                   D::Stencil_Test_Function, D::Stencil_Fail_Op, D::Stencil_Pass_Depth_Fail_Op,
                                   D::Stencil_Pass_Depth_Pass_Op, D::Backface_Stencil_Test_Function, D::Backface_Stencil_Fail_Op,
                                   D::Backface_Stencil_Pass_Depth_Fail_Op, D::Backface_Stencil_Pass_Depth_Pass_Op>();
  keep(D::Depth_State_Modify_Disable::peek(words.data()), depth);
  keep(D::Stencil_State_Modify_Disable::peek(words.data()), stencil);
  keep(D::Stencil_Write_Mask_Modify_Disable::peek(words.data()), write_mask);
  keep(D::Stencil_Test_Mask_Modify_Disable::peek(words.data()), test_mask);
  keep(D::Stencil_Reference_Value_Modify_Disable::peek(words.data()), reference);
  now[0] = D::match;  // the Modify Disables are no state
  put(number_of<D>, 0, now, Unit::DEPTH);
}

void GraphicsState::put_depth_bounds(std::span<const uint32_t> words) {
  using B = _3DSTATE_DEPTH_BOUNDS;
  std::array<uint32_t, B::dwords> now{};
  std::ranges::copy(words.first(std::min<size_t>(words.size(), now.size())), now.begin());
  const uint32_t* old = slot(number_of<B>, 0);
  constexpr auto enable = bits_of<B::Depth_Bounds_Test_Enable>(),
                 values = bits_of<B::Depth_Bounds_Test_Min_Value, B::Depth_Bounds_Test_Max_Value>();
  for (size_t n = 1; n < now.size(); n++) {
    const uint32_t kept = (B::Depth_Bounds_Test_Enable_Modify_Disable::peek(words.data()) ? enable[n] : 0) |
                          (B::Depth_Bounds_Test_Value_Modify_Disable::peek(words.data()) ? values[n] : 0);
    now[n] = (now[n] & ~kept) | (old[n] & kept);
  }
  now[0] = B::match;
  put(number_of<B>, 0, now, Unit::DEPTH);
}

// One command for the stages that it names, each of which has its own.
void GraphicsState::put_constants(std::span<const uint32_t> words) {
  for (unsigned s = 0; s < stages; s++) {
    if (!(_3DSTATE_CONSTANT_ALL::Shader_Update_Enable::peek(words.data()) >> s & 1)) continue;
    put(number_of<_3DSTATE_CONSTANT_ALL>, s, words, stage_constants[s].unit);
    forget(stage_constants[s].number, 0, stage_constants[s].unit);
  }
}

void GraphicsState::set(const registers::Command& row, std::span<const uint32_t> words) {
  const auto number = unsigned(&row - family().commands.data());
  ATOLL_ASSERT(number < entries_.size());
  if (!entries_[number].slots || words.empty()) return;
  const Unit unit = entries_[number].unit;
  switch (number) {
    case number_of<_3DSTATE_VERTEX_BUFFERS>: return put_vertex_buffers(words);
    case number_of<_3DSTATE_WM_DEPTH_STENCIL>: return put_depth_stencil(words);
    case number_of<_3DSTATE_DEPTH_BOUNDS>: return put_depth_bounds(words);
    case number_of<_3DSTATE_CONSTANT_ALL>: return put_constants(words);
    case number_of<_3DSTATE_VF_INSTANCING>:
      if (words.size() < _3DSTATE_VF_INSTANCING::dwords) return;
      return put(number, _3DSTATE_VF_INSTANCING::Vertex_Element_Index::peek(words.data()), words, unit);
    case number_of<_3DSTATE_SO_BUFFER>:
      if (words.size() < _3DSTATE_SO_BUFFER::dwords) return;
      forget(stream_buffer_commands[_3DSTATE_SO_BUFFER::SO_Buffer_Index::peek(words.data())], 0, unit);
      return put(number, _3DSTATE_SO_BUFFER::SO_Buffer_Index::peek(words.data()), words, unit);
    default: break;
  }
  put(number, 0, words, unit);
  for (unsigned s = 0; s < stages; s++)
    if (stage_constants[s].number == number) forget(number_of<_3DSTATE_CONSTANT_ALL>, s, unit);
  for (unsigned n = 0; n < stream_buffer_slots; n++)
    if (stream_buffer_commands[n] == number) forget(number_of<_3DSTATE_SO_BUFFER>, n, unit);
  for (auto [one, other] : urb_sizes) {
    if (number == one) forget(other, 0, unit);
    if (number == other) forget(one, 0, unit);
  }
}

}  // namespace Atoll::dg1
