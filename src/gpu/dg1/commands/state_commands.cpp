// The bases that offsets count from, and the initial state of GPGPU_WALKER's threads (PRM volume 2a; volume 7, "GPGPU pipeline").
#include <cstring>

#include "gpu/dg1/commands/handlers.h"
#include "gpu/dg1/draw/stream_output.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

constexpr uint64_t max_descriptors = 64;
constexpr uint32_t least_scratch = 1024;

// Data that a MEDIA command loads from the dynamic state.
bool load_dynamic(Context& c, uint64_t offset, uint64_t bytes, std::vector<uint8_t>& to, const char* what) {
  to.resize(bytes);
  if (!c.within(c.budget.bytes(bytes))) return false;
  return c.load(c.bases.dynamic + offset, to.data(), to.size(), what);
}

}  // namespace

bool state_base_address(CommandStreamer& s, const Command& c) {
  using Base = STATE_BASE_ADDRESS;
  BaseAddresses& to = s.context().bases;
  auto set = [&](uint64_t& base, bool modify, uint64_t address) {
    if (modify) base = stripped(address);
  };
  set(to.general, Base::General_State_Base_Address_Modify_Enable::is_set(c.words),
      Base::General_State_Base_Address::get(c.words));
  set(to.surface, Base::Surface_State_Base_Address_Modify_Enable::is_set(c.words),
      Base::Surface_State_Base_Address::get(c.words));
  set(to.dynamic, Base::Dynamic_State_Base_Address_Modify_Enable::is_set(c.words),
      Base::Dynamic_State_Base_Address::get(c.words));
  set(to.indirect, Base::Indirect_Object_Base_Address_Modify_Enable::is_set(c.words),
      Base::Indirect_Object_Base_Address::get(c.words));
  set(to.instruction, Base::Instruction_Base_Address_Modify_Enable::is_set(c.words),
      Base::Instruction_Base_Address::get(c.words));
  set(to.bindless_surface, Base::Bindless_Surface_State_Base_Address_Modify_Enable::is_set(c.words),
      Base::Bindless_Surface_State_Base_Address::get(c.words));
  return true;
}

bool binding_table_pool_alloc(CommandStreamer& s, const Command& c) {
  using Pool = _3DSTATE_BINDING_TABLE_POOL_ALLOC;
  s.context().bases.binding_table_pool_enabled = Pool::Binding_Table_Pool_Enable::is_set(c.words);
  s.context().bases.binding_table_pool = stripped(Pool::Binding_Table_Pool_Base_Address::get(c.words));
  return true;
}

// 3DSTATE_SO_BUFFER, and those that have a buffer's number in their names.
bool so_buffer(CommandStreamer& s, const Command& c) {
  s.context().graphics.set(c.row, {c.words, c.dwords});
  const unsigned buffer = c.row.match == _3DSTATE_SO_BUFFER::match ? unsigned(_3DSTATE_SO_BUFFER::SO_Buffer_Index::get(c.words))
                                                                   : (c.row.match >> 16 & 3);
  return begin_stream_buffer(s.context(), buffer);
}

bool sampler_palette_load(CommandStreamer& s, const Command& c) {
  const unsigned palette = c.row.match == _3DSTATE_SAMPLER_PALETTE_LOAD1::match;
  s.context().environment->load_palette(palette, std::span(c.words, c.dwords).subspan(1));
  return true;
}

bool chroma_key(CommandStreamer& s, const Command& c) {
  using Key = _3DSTATE_CHROMA_KEY;
  s.context().environment->load_chroma_key(unsigned(Key::ChromaKey_Table_Index::get(c.words)),
                                           uint32_t(Key::ChromaKey_Low_Value::get(c.words)),
                                           uint32_t(Key::ChromaKey_High_Value::get(c.words)));
  return true;
}

bool media_vfe_state(CommandStreamer& s, const Command& c) {
  using Vfe = MEDIA_VFE_STATE;
  MediaState& media = s.context().media;
  media.scratch_offset = Vfe::Scratch_Space_Base_Pointer::get(c.words);
  const uint64_t scratch = Vfe::Per_Thread_Scratch_Space::get(c.words);
  // 1 KB is written as 0: that without a place means none.
  media.scratch_bytes = scratch || media.scratch_offset ? least_scratch << scratch : 0;
  return true;
}

// Whole rows of 64 bytes come, which is where the data begin as well: of a length that is none anv's threads read the row's rest (Mesa
// 25.0.7 src/intel/vulkan/genX_simple_shader.c, emit_simple_shader_dispatch: 48 bytes, of which threads have two registers).
bool media_curbe_load(CommandStreamer& s, const Command& c) {
  using Load = MEDIA_CURBE_LOAD;
  constexpr uint64_t row = 64;
  const uint64_t begin = Load::CURBE_Data_Start_Address::get(c.words), end = begin + Load::CURBE_Total_Data_Length::get(c.words);
  return load_dynamic(s.context(), begin, (end + row - 1) / row * row - begin, s.context().media.curbe, "read of constants");
}

bool media_interface_descriptor_load(CommandStreamer& s, const Command& c) {
  using Load = MEDIA_INTERFACE_DESCRIPTOR_LOAD;
  constexpr uint64_t bytes = structures::INTERFACE_DESCRIPTOR_DATA::dwords * 4;
  const uint64_t length = Load::Interface_Descriptor_Total_Length::get(c.words);
  if (length % bytes || length > max_descriptors * bytes)
    return s.context().lose(fmt::format("{} bytes of interface descriptors of {} bytes, of which there are {} at most", length,
                                        bytes, max_descriptors));
  std::vector<uint8_t> loaded;
  if (!load_dynamic(s.context(), Load::Interface_Descriptor_Data_Start_Address::get(c.words), length, loaded,
                    "read of interface descriptors"))
    return false;
  auto& descriptors = s.context().media.descriptors;
  descriptors.resize(loaded.size() / 4);
  if (length) std::memcpy(descriptors.data(), loaded.data(), loaded.size());
  return true;
}

}  // namespace Atoll::dg1
