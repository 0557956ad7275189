#include "gpu/dg1/draw/stream_output.h"

#include <algorithm>
#include <bit>

namespace Atoll::dg1 {

using namespace commands;

namespace {

constexpr uint32_t from_memory = ~0u;

template <class C>
StreamBuffer of_command(const GraphicsState& s, unsigned n = 0) {
  StreamBuffer b;
  b.enabled = s.get<typename C::SO_Buffer_Enable>(n);
  b.offset_in_memory = s.get<typename C::Stream_Output_Buffer_Offset_Address_Enable>(n);
  b.sets_offset = s.get<typename C::Stream_Offset_Write_Enable>(n);
  b.address = s.get<typename C::Surface_Base_Address>(n);
  b.bytes = (uint64_t(s.get<typename C::Surface_Size>(n)) + 1) * 4;
  b.offset_address = s.get<typename C::Stream_Output_Buffer_Offset_Address>(n);
  b.offset = uint32_t(s.get<typename C::Stream_Offset>(n));
  return b;
}
// The names that the fields of a buffer's own command have.
template <class C>
struct Named {
  using SO_Buffer_Enable = typename C::SO_Buffer_Index_State_Body_SO_Buffer_Enable;
  using Stream_Output_Buffer_Offset_Address_Enable =
      typename C::SO_Buffer_Index_State_Body_Stream_Output_Buffer_Offset_Address_Enable;
  using Stream_Offset_Write_Enable = typename C::SO_Buffer_Index_State_Body_Stream_Offset_Write_Enable;
  using Surface_Base_Address = typename C::SO_Buffer_Index_State_Body_Surface_Base_Address;
  using Surface_Size = typename C::SO_Buffer_Index_State_Body_Surface_Size;
  using Stream_Output_Buffer_Offset_Address = typename C::SO_Buffer_Index_State_Body_Stream_Output_Buffer_Offset_Address;
  using Stream_Offset = typename C::SO_Buffer_Index_State_Body_Stream_Offset;
};

}  // namespace

StreamBuffer find_stream_buffer(const GraphicsState& s, unsigned n) {
  if (s.dwords<_3DSTATE_SO_BUFFER>(n)) return of_command<_3DSTATE_SO_BUFFER>(s, n);
  switch (n) {
    case 0: return of_command<Named<_3DSTATE_SO_BUFFER_INDEX_0>>(s);
    case 1: return of_command<Named<_3DSTATE_SO_BUFFER_INDEX_1>>(s);
    case 2: return of_command<Named<_3DSTATE_SO_BUFFER_INDEX_2>>(s);
    default: return of_command<Named<_3DSTATE_SO_BUFFER_INDEX_3>>(s);
  }
}

bool begin_stream_buffer(Context& c, unsigned n) {
  const StreamBuffer b = find_stream_buffer(c.graphics, n);
  if (!b.sets_offset) return true;
  uint32_t offset = b.offset;
  if (offset == from_memory && !c.load(b.offset_address, &offset, 4, "read of a stream output's offset")) return false;
  c.registers.write(mmio::so_write_offset + n * 4, offset);
  return true;
}

void StreamOutput::find(Context& c) {
  context_ = &c;
  const GraphicsState& s = c.graphics;
  using SO = _3DSTATE_STREAMOUT;
  using List = _3DSTATE_SO_DECL_LIST;
  enabled_ = s.get<SO::SO_Function_Enable>();
  rendering_disabled_ = s.get<SO::Rendering_Disable>() && s.get<SO::Force_Rendering>() != SO::Force_Rendering::Force_on;
  rendered_stream_ = unsigned(s.get<SO::Render_Stream_Select>());
  trailing_ = s.get<SO::Reorder_Mode>() == SO::Reorder_Mode::TRAILING;
  if (!enabled_) return;
  counts_ = s.get<SO::SO_Statistics_Enable>();
  const uint64_t pitches[] = {s.get<SO::Buffer_0_Surface_Pitch>(), s.get<SO::Buffer_1_Surface_Pitch>(),
                              s.get<SO::Buffer_2_Surface_Pitch>(), s.get<SO::Buffer_3_Surface_Pitch>()};
  for (unsigned n = 0; n < stream_buffers; n++) {
    static_cast<StreamBuffer&>(buffers_[n]) = find_stream_buffer(s, n);
    buffers_[n].pitch = uint32_t(pitches[n]);
    buffers_[n].at = c.registers.read(mmio::so_write_offset + n * 4) & ~3u;
  }
  selected_ = {uint8_t(s.get<List::Stream_to_Buffer_Selects_0>()), uint8_t(s.get<List::Stream_to_Buffer_Selects_1>()),
               uint8_t(s.get<List::Stream_to_Buffer_Selects_2>()), uint8_t(s.get<List::Stream_to_Buffer_Selects_3>())};
  const uint32_t came = s.dwords<List>(), most = came > List::dwords ? (came - List::dwords) / List::repeated::dwords : 0;
  auto stream = [&](unsigned n, uint64_t entries, const uint64_t offset, auto read) {
    declarations_[n].clear();
    for (unsigned e = 0; e < std::min<uint64_t>(entries, most); e++) {
      Declaration d = read(e);
      d.slot = uint8_t(d.slot + offset * 2);
      declarations_[n].push_back(d);
    }
  };
  using R = List::repeated;
  stream(0, s.get<List::Num_Entries_0>(), s.get<SO::Stream_0_Vertex_Read_Offset>(), [&](unsigned e) {
    return Declaration{
        uint8_t(s.get<R::Entry_Stream_0_Decl_Register_Index>(e)), uint8_t(s.get<R::Entry_Stream_0_Decl_Component_Mask>(e)),
        uint8_t(s.get<R::Entry_Stream_0_Decl_Output_Buffer_Slot>(e)), bool(s.get<R::Entry_Stream_0_Decl_Hole_Flag>(e))};
  });
  stream(1, s.get<List::Num_Entries_1>(), s.get<SO::Stream_1_Vertex_Read_Offset>(), [&](unsigned e) {
    return Declaration{
        uint8_t(s.get<R::Entry_Stream_1_Decl_Register_Index>(e)), uint8_t(s.get<R::Entry_Stream_1_Decl_Component_Mask>(e)),
        uint8_t(s.get<R::Entry_Stream_1_Decl_Output_Buffer_Slot>(e)), bool(s.get<R::Entry_Stream_1_Decl_Hole_Flag>(e))};
  });
  stream(2, s.get<List::Num_Entries_2>(), s.get<SO::Stream_2_Vertex_Read_Offset>(), [&](unsigned e) {
    return Declaration{
        uint8_t(s.get<R::Entry_Stream_2_Decl_Register_Index>(e)), uint8_t(s.get<R::Entry_Stream_2_Decl_Component_Mask>(e)),
        uint8_t(s.get<R::Entry_Stream_2_Decl_Output_Buffer_Slot>(e)), bool(s.get<R::Entry_Stream_2_Decl_Hole_Flag>(e))};
  });
  stream(3, s.get<List::Num_Entries_3>(), s.get<SO::Stream_3_Vertex_Read_Offset>(), [&](unsigned e) {
    return Declaration{
        uint8_t(s.get<R::Entry_Stream_3_Decl_Register_Index>(e)), uint8_t(s.get<R::Entry_Stream_3_Decl_Component_Mask>(e)),
        uint8_t(s.get<R::Entry_Stream_3_Decl_Output_Buffer_Slot>(e)), bool(s.get<R::Entry_Stream_3_Decl_Hole_Flag>(e))};
  });
}

// All of a primitive is written, or nothing where one of the stream's buffers has no room for it.
bool StreamOutput::write(unsigned stream, std::span<const uint32_t* const> vertices, unsigned slots) {
  needed_[stream]++;
  for (unsigned n = 0; n < stream_buffers; n++) {
    const Buffer& b = buffers_[n];
    if ((selected_[stream] >> n & 1) && b.enabled && b.at + uint64_t(b.pitch) * vertices.size() > b.bytes) return true;
  }
  for (const uint32_t* vertex : vertices) {
    std::array<uint64_t, stream_buffers> at;
    for (unsigned n = 0; n < stream_buffers; n++) at[n] = buffers_[n].at;
    for (const Declaration& d : declarations_[stream]) {
      Buffer& b = buffers_[d.buffer];
      uint32_t words[4];
      unsigned count = 0;
      for (unsigned c = 0; c < 4; c++)
        if (d.mask >> c & 1) words[count++] = d.slot < slots ? vertex[d.slot * 4 + c] : 0;
      const uint64_t place = at[d.buffer], bytes = count * 4u;
      at[d.buffer] += bytes;
      // (A declaration may reach beyond its pitch, and so beyond the buffer.)
      if (d.hole || !bytes || !b.enabled || !(selected_[stream] >> d.buffer & 1) || place + bytes > b.bytes) continue;
      if (!context_->store(b.address + place, words, bytes, "stream output")) return false;
    }
    for (unsigned n = 0; n < stream_buffers; n++)
      if ((selected_[stream] >> n & 1) && buffers_[n].enabled) buffers_[n].at += buffers_[n].pitch;
  }
  written_[stream]++;
  return true;
}

bool StreamOutput::end() {
  if (!enabled_) return true;
  Registers& r = context_->registers;
  for (unsigned n = 0; n < streams; n++) {
    if (!counts_) break;
    r.write64(mmio::so_primitives_written + n * 8, r.read64(mmio::so_primitives_written + n * 8) + written_[n]);
    r.write64(mmio::so_storage_needed + n * 8, r.read64(mmio::so_storage_needed + n * 8) + needed_[n]);
  }
  for (unsigned n = 0; n < stream_buffers; n++) {
    const Buffer& b = buffers_[n];
    if (!b.enabled) continue;
    const auto offset = uint32_t(b.at);
    r.write(mmio::so_write_offset + n * 4, offset);
    if (b.offset_in_memory && !context_->store(b.offset_address, &offset, 4, "a stream output's offset")) return false;
  }
  return true;
}

}  // namespace Atoll::dg1
