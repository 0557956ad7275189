// The state of the 3D pipeline after commands, against a model that keeps whole commands by name.
#include "gpu/dg1/state/graphics_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "batch.h"
#include "registers/lookup.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;

struct State : ::testing::Test {
  GraphicsState state;

  template <class Command, class Set>
  void send(Set&& set, uint32_t dwords = Command::dwords) {
    Batch words;
    words.add<Command>(set, dwords);
    const registers::Command* row = registers::find_command(registers::dg1_tables, words[0]);
    ASSERT_TRUE(row);
    ASSERT_EQ(row->match, Command::match);
    state.set(*row, words);
  }
};

TEST_F(State, FieldsAreThoseOfTheLastCommand) {
  using Raster = _3DSTATE_RASTER;
  EXPECT_EQ(state.dwords<Raster>(), 0u);
  EXPECT_EQ(state.get<Raster::Cull_Mode>(), 0u);
  send<Raster>([](uint32_t* w) { Raster::Cull_Mode::set(w, 3), Raster::Global_Depth_Offset_Constant::set(w, 0x40000000); });
  EXPECT_EQ(state.get<Raster::Cull_Mode>(), 3u);
  EXPECT_EQ(state.get<Raster::Global_Depth_Offset_Constant>(), 0x40000000u);
  EXPECT_EQ(state.dwords<Raster>(), Raster::dwords);
  send<Raster>([](uint32_t* w) { Raster::Cull_Mode::set(w, 2); });
  EXPECT_EQ(state.get<Raster::Cull_Mode>(), 2u);
  EXPECT_EQ(state.get<Raster::Global_Depth_Offset_Constant>(), 0u);
}

// Fields under a Modify Disable keep their values.
TEST_F(State, DepthBoundsAreSetInParts) {
  using B = _3DSTATE_DEPTH_BOUNDS;
  auto set = [](uint32_t enable, uint32_t least, uint32_t most, bool keep_enable, bool keep_values) {
    return [=](uint32_t* w) {
      B::Depth_Bounds_Test_Enable::set(w, enable), B::Depth_Bounds_Test_Min_Value::set(w, least);
      B::Depth_Bounds_Test_Max_Value::set(w, most), B::Depth_Bounds_Test_Enable_Modify_Disable::set(w, keep_enable);
      B::Depth_Bounds_Test_Value_Modify_Disable::set(w, keep_values);
    };
  };
  auto is = [&](uint32_t enable, uint32_t least, uint32_t most) {
    EXPECT_EQ(state.get<B::Depth_Bounds_Test_Enable>(), enable);
    EXPECT_EQ(state.get<B::Depth_Bounds_Test_Min_Value>(), least);
    EXPECT_EQ(state.get<B::Depth_Bounds_Test_Max_Value>(), most);
  };
  send<B>(set(1, 10, 20, false, false)), is(1, 10, 20);
  send<B>(set(0, 30, 40, true, false)), is(1, 30, 40);
  send<B>(set(0, 50, 60, false, true)), is(0, 30, 40);
  send<B>(set(1, 50, 60, true, true)), is(0, 30, 40);
  send<B>(set(1, 70, 80, false, false)), is(1, 70, 80);
}

// A count rises with a value that is another, by unit.
TEST_F(State, ChangesAreCounted) {
  using Sf = _3DSTATE_SF;
  auto width = [](uint32_t value) { return [value](uint32_t* w) { Sf::Line_Width::set(w, value); }; };
  send<Sf>(width(1));
  EXPECT_EQ(state.changes(), 1u);
  send<Sf>(width(1));
  EXPECT_EQ(state.changes(), 1u);
  send<Sf>(width(2));
  EXPECT_EQ(state.changes(Unit::SF), 2u);
  EXPECT_EQ(state.changes(Unit::WM), 0u);
  send<_3DSTATE_WM>([](uint32_t* w) { _3DSTATE_WM::Statistics_Enable::set(w, 1); });
  EXPECT_EQ(state.changes(Unit::WM), 1u);
  EXPECT_EQ(state.changes(Unit::SF), 2u);
  EXPECT_EQ(state.changes(), 3u);
}

// Address and size stay where Address Modify Enable is clear; the rest is the command's.
TEST_F(State, AddressesOfVertexBuffersThatStay) {
  using Buffers = _3DSTATE_VERTEX_BUFFERS;
  using B = Buffers::repeated;
  auto buffer = [&](bool modify, uint64_t address, uint32_t bytes, uint32_t pitch) {
    send<Buffers>(
        [&](uint32_t* w) {
          B::Vertex_Buffer_State_Vertex_Buffer_Index::set(w + 1, 3),
              B::Vertex_Buffer_State_Address_Modify_Enable::set(w + 1, modify);
          B::Vertex_Buffer_State_Buffer_Pitch::set(w + 1, pitch), B::Vertex_Buffer_State_Buffer_Size::set(w + 1, bytes);
          B::Vertex_Buffer_State_Buffer_Starting_Address::set(w + 1, address);
        },
        5);
  };
  auto is = [&](uint64_t address, uint32_t bytes, uint32_t pitch) {
    EXPECT_EQ(state.get<B::Vertex_Buffer_State_Buffer_Starting_Address>(3), address);
    EXPECT_EQ(state.get<B::Vertex_Buffer_State_Buffer_Size>(3), bytes);
    EXPECT_EQ(state.get<B::Vertex_Buffer_State_Buffer_Pitch>(3), pitch);
  };
  buffer(true, 0x1234567000, 100, 12), is(0x1234567000, 100, 12);
  buffer(false, 0x7777777000, 200, 16), is(0x1234567000, 100, 16);
  buffer(true, 0x7777777000, 200, 20), is(0x7777777000, 200, 20);
}

// 3DSTATE_VERTEX_BUFFERS replaces the buffers that it names, 3DSTATE_VERTEX_ELEMENTS all elements.
TEST_F(State, VertexBuffersByTheirNumbers) {
  using Buffers = _3DSTATE_VERTEX_BUFFERS;
  auto buffers = [&](std::vector<std::pair<uint32_t, uint32_t>> list) {
    send<Buffers>(
        [&](uint32_t* w) {
          for (size_t n = 0; n < list.size(); n++) w[1 + n * 4] = list[n].first << 26 | 1 << 14, w[4 + n * 4] = list[n].second;
        },
        uint32_t(1 + list.size() * 4));
  };
  auto size = [&](unsigned n) { return state.get<Buffers::repeated::Vertex_Buffer_State_Buffer_Size>(n); };
  buffers({{0, 100}, {32, 200}});
  EXPECT_EQ(size(0), 100u);
  EXPECT_EQ(size(32), 200u);
  buffers({{1, 300}});
  EXPECT_EQ(size(0), 100u);
  EXPECT_EQ(size(1), 300u);
  EXPECT_EQ(size(32), 200u);
  EXPECT_EQ(state.changes(Unit::VF), 2u);
  buffers({{1, 300}, {0, 100}});
  EXPECT_EQ(state.changes(Unit::VF), 2u);
  using Elements = _3DSTATE_VERTEX_ELEMENTS;
  auto elements = [&](uint32_t count) {
    send<Elements>(
        [&](uint32_t* w) {
          for (uint32_t n = 0; n < count; n++) w[1 + n * 2] = n + 5;
        },
        1 + count * 2);
  };
  elements(34);
  EXPECT_EQ(state.get<Elements::repeated::Element_Source_Element_Offset>(33), 38u);
  elements(2);
  EXPECT_EQ(state.dwords<Elements>(), 5u);
  EXPECT_EQ(state.get<Elements::repeated::Element_Source_Element_Offset>(1), 6u);
  EXPECT_EQ(state.get<Elements::repeated::Element_Source_Element_Offset>(33), 0u);
}

TEST_F(State, InstancingByElement) {
  using Instancing = _3DSTATE_VF_INSTANCING;
  for (uint32_t n : {3u, 7u})
    send<Instancing>(
        [&](uint32_t* w) { Instancing::Vertex_Element_Index::set(w, n), Instancing::Instance_Data_Step_Rate::set(w, n * 2); });
  EXPECT_EQ(state.get<Instancing::Instance_Data_Step_Rate>(3), 6u);
  EXPECT_EQ(state.get<Instancing::Instance_Data_Step_Rate>(7), 14u);
  EXPECT_EQ(state.get<Instancing::Instance_Data_Step_Rate>(0), 0u);
  EXPECT_EQ(state.dwords<Instancing>(0), 0u);
}

// 3DSTATE_CONSTANT_ALL is that of the stages that it names; a stage's own command takes its place, and the other way round.
TEST_F(State, ConstantsByStage) {
  using All = _3DSTATE_CONSTANT_ALL;
  auto all = [&](uint32_t stages, uint64_t pointer) {
    send<All>(
        [&](uint32_t* w) {
          All::Shader_Update_Enable::set(w, stages), All::Pointer_Buffer_Mask::set(w, 1);
          w[2] = uint32_t(pointer) | 4, w[3] = uint32_t(pointer >> 32);
        },
        4);
  };
  auto pointer = [&](Stage stage) { return state.get<All::repeated::Constant_Body_Pointer_To_Constant_Buffer>(stage, 0); };
  all(0x11, 0x1234'5600'0000);
  EXPECT_EQ(pointer(Stage::VS), 0x1234'5600'0000u);
  EXPECT_EQ(pointer(Stage::PS), 0x1234'5600'0000u);
  EXPECT_EQ(pointer(Stage::GS), 0u);
  all(0x10, 0x40);
  EXPECT_EQ(pointer(Stage::VS), 0x1234'5600'0000u);
  EXPECT_EQ(pointer(Stage::PS), 0x40u);
  EXPECT_EQ(state.changes(Unit::VS), 1u);
  EXPECT_EQ(state.changes(Unit::PS), 2u);
  send<_3DSTATE_CONSTANT_VS>([](uint32_t* w) { w[1] = 7; });
  EXPECT_EQ(state.dwords<All>(unsigned(Stage::VS)), 0u);
  EXPECT_EQ(state.dwords<All>(unsigned(Stage::PS)), 4u);
  EXPECT_EQ(state.get<_3DSTATE_CONSTANT_VS::Constant_Body_Read_Length_0>(), 7u);
  all(1, 0x80);
  EXPECT_EQ(state.dwords<_3DSTATE_CONSTANT_VS>(), 0u);
  EXPECT_EQ(pointer(Stage::VS), 0x80u);
}

// Each Modify Disable keeps its fields and no others: with all values of the five bits, from all ones to all zeros and back.
TEST_F(State, DepthAndStencilUnderModifyDisable) {
  using D = _3DSTATE_WM_DEPTH_STENCIL;
  for (uint32_t disabled = 0; disabled < 32; disabled++)
    for (uint32_t value : {0u, ~0u}) {
      send<D>([&](uint32_t* w) { w[1] = w[2] = w[3] = ~value; });
      send<D>([&](uint32_t* w) { w[0] |= disabled << 8, w[1] = w[2] = w[3] = value; });
      const bool now = value;
      auto check = [&](const char* name, uint32_t got, bool kept, uint32_t all) {
        EXPECT_EQ(got, now != kept ? all : 0) << name << ", disabled " << disabled;
      };
      const bool references = disabled & 1, tests = disabled & 2, writes = disabled & 4, stencil = disabled & 8,
                 depth = disabled & 16;
      check("reference", state.get<D::Stencil_Reference_Value>(), references, 255);
      check("backface reference", state.get<D::Backface_Stencil_Reference_Value>(), references, 255);
      check("test mask", state.get<D::Stencil_Test_Mask>(), tests, 255);
      check("backface test mask", state.get<D::Backface_Stencil_Test_Mask>(), tests, 255);
      check("write mask", state.get<D::Stencil_Write_Mask>(), writes, 255);
      check("backface write mask", state.get<D::Backface_Stencil_Write_Mask>(), writes, 255);
      check("stencil test", state.get<D::Stencil_Test_Enable>(), stencil, 1);
      check("stencil write", state.get<D::Stencil_Buffer_Write_Enable>(), stencil, 1);
      check("stencil function", state.get<D::Stencil_Test_Function>(), stencil, 7);
      check("backface fail", state.get<D::Backface_Stencil_Fail_Op>(), stencil, 7);
      check("depth test", state.get<D::Depth_Test_Enable>(), depth, 1);
      check("depth write", state.get<D::Depth_Buffer_Write_Enable>(), depth, 1);
      check("depth function", state.get<D::Depth_Test_Function>(), depth, 7);
    }
}

// Commands of every length that their first dword can say, in any order: nothing is written beyond its place, and the count is right.
TEST_F(State, AnyCommands) {
  std::mt19937 random(1);
  std::map<std::string, std::vector<uint32_t>> model;  // of commands that replace all that the same one set
  const auto rows = registers::dg1_tables.commands;
  const std::string_view others[] = {"3DSTATE_VERTEX_BUFFERS",
                                     "3DSTATE_VF_INSTANCING",
                                     "3DSTATE_SO_BUFFER",
                                     "3DSTATE_CONSTANT_ALL",
                                     "3DSTATE_WM_DEPTH_STENCIL",
                                     "3DSTATE_CONSTANT_VS",
                                     "3DSTATE_CONSTANT_HS",
                                     "3DSTATE_CONSTANT_DS",
                                     "3DSTATE_CONSTANT_GS",
                                     "3DSTATE_CONSTANT_PS",
                                     "3DSTATE_URB_VS",
                                     "3DSTATE_URB_HS",
                                     "3DSTATE_URB_DS",
                                     "3DSTATE_URB_GS",
                                     "3DSTATE_URB_ALLOC_VS",
                                     "3DSTATE_URB_ALLOC_HS",
                                     "3DSTATE_URB_ALLOC_DS",
                                     "3DSTATE_URB_ALLOC_GS",
                                     "3DSTATE_SO_BUFFER_INDEX_0",
                                     "3DSTATE_SO_BUFFER_INDEX_1",
                                     "3DSTATE_SO_BUFFER_INDEX_2",
                                     "3DSTATE_SO_BUFFER_INDEX_3"};
  unsigned compared = 0;
  for (unsigned n = 0; n < 20000; n++) {
    const registers::Command& row = rows[random() % rows.size()];
    const uint32_t mask = row.length_bits ? (1u << row.length_bits) - 1 : 0;
    const uint32_t length = random() % 4 ? row.dwords - std::min<uint32_t>(row.dwords, 2) : random() & mask;
    std::vector<uint32_t> words((row.length_bits ? (length & mask) + 2 : row.dwords));
    for (uint32_t& word : words) word = random();
    words[0] = (words[0] & ~row.mask & ~mask) | row.match | (row.length_bits ? length & mask : 0);
    const uint64_t before = state.changes();
    state.set(row, words);
    if (row.unit == "MI" || row.unit == "BLT") {
      EXPECT_EQ(state.changes(), before) << row.name;
      continue;
    }
    if (std::ranges::find(others, std::string_view(row.name)) != std::end(others)) continue;
    const bool repeats = row.repeat_bits;
    if (!repeats) words.resize(std::min<size_t>(words.size(), row.dwords));
    auto& kept = model[std::string(row.name)];
    EXPECT_EQ(state.changes() - before, kept != words) << row.name;
    kept = words, compared++;
    const uint64_t now = state.changes();
    state.set(row, words);
    EXPECT_EQ(state.changes(), now) << row.name << " again";
  }
  EXPECT_GT(compared, 8000u);
  const auto& sf = model["3DSTATE_SF"];
  EXPECT_EQ(state.get<_3DSTATE_SF::Line_Width>(), sf.size() > 1 ? sf[1] >> 12 & 0x3ffff : 0);
  const auto& list = model["3DSTATE_SO_DECL_LIST"];
  EXPECT_EQ(state.dwords<_3DSTATE_SO_DECL_LIST>(), list.size());
}

}  // namespace
}  // namespace Atoll::dg1
