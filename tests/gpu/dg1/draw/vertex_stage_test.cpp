// The vertex stage on small programs: payload, push constants, what leaves the URB, on both engines, against what the manual's payload and
// VUE say, written out here once more.
#include "gpu/dg1/draw/vertex_stage.h"

#include <bit>
#include <cmath>
#include <random>

#include "gpu/dg1/draw/vue.h"
#include "stage_machine.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;
using namespace Atoll::dg1::commands;
using Vertices = std::vector<pipeline::Vertex>;

struct Shaded {
  bool good = false;
  Vertices vertices;
  std::vector<uint32_t> attributes;
};

class VertexStageTest : public testing::TestWithParam<wave::EngineChoice> {
protected:
  StageMachine m{GetParam()};
  std::mt19937 random{11};
  uint32_t below(uint32_t n) { return random() % n; }

  // Element e's component c of vertex `number` in `instance`.
  static uint32_t element(uint32_t number, uint32_t instance, unsigned e, unsigned c) {
    return std::bit_cast<uint32_t>(float(number * 100 + instance * 10000 + e * 4 + c) / 8 + 1);
  }
  static dg1::VertexSource source(unsigned elements) {
    return {elements, [elements](std::span<const uint32_t> numbers, std::span<const uint32_t> instances, uint32_t* out,
                                 uint8_t* edges, std::string&) {
              for (size_t n = 0; n < numbers.size(); n++) {
                edges[n] = numbers[n] % 3 != 0;
                for (unsigned e = 0; e < elements; e++)
                  for (unsigned c = 0; c < 4; c++) *out++ = element(numbers[n], instances[n], e, c);
              }
              return true;
            }};
  }
  void vertex_shader(uint64_t kernel, unsigned pairs, unsigned start = 2, unsigned offset = 0, unsigned entry = 3) {
    m.set<_3DSTATE_VS>([&](uint32_t* w) {
      using V = _3DSTATE_VS;
      V::Kernel_Start_Pointer::set(w, kernel), V::Enable::set(w, 1), V::SIMD8_Dispatch_Enable::set(w, 1);
      V::Dispatch_GRF_Start_Register_For_URB_Data::set(w, start), V::Vertex_URB_Entry_Read_Length::set(w, pairs);
      V::Vertex_URB_Entry_Read_Offset::set(w, offset), V::Maximum_Number_of_Threads::set(w, 545);
    });
    m.set<_3DSTATE_URB_VS>([&](uint32_t* w) { _3DSTATE_URB_VS::VS_URB_Entry_Allocation_Size::set(w, entry); });
  }
  Shaded shade(unsigned elements, const dg1::AttributeMap& map, std::vector<uint32_t> numbers, uint32_t instance = 0) {
    Shaded result;
    auto stage = dg1::make_vertex_stage(*m.context, source(elements), map, 2);
    if (!stage) return result;
    EXPECT_EQ(stage->attribute_count(), map.vertex_attributes);
    result.vertices.resize(numbers.size());
    result.attributes.resize(numbers.size() * map.vertex_attributes * 4 + 1);
    const std::vector<uint32_t> instances(numbers.size(), instance);
    m.run([&] {
      result.good =
          stage->shade(1, {numbers, instances}, result.vertices.data(), reinterpret_cast<float*>(result.attributes.data()));
    });
    return result;
  }
  std::string report() const { return m.context->report(); }
};

std::vector<uint32_t> counted(uint32_t count) {
  std::vector<uint32_t> numbers(count);
  for (uint32_t n = 0; n < count; n++) numbers[n] = n * 3 + 1;
  return numbers;
}
float f(uint32_t bits) { return std::bit_cast<float>(bits); }

// Programs that move registers of their payload into slots of the VUE, any into any: elements from any pair on, constants before them.
TEST_P(VertexStageTest, PayloadsAreAsTheManualHasThem) {
  const unsigned rounds = GetParam() == wave::EngineChoice::Jit ? 12 : 60;  // (each is a program to compile)
  for (unsigned round = 0; round < rounds; round++) {
    const unsigned elements = 1 + below(9), offset = below(3), pairs = below(5), start = 2 + below(4);
    const unsigned lengths[4] = {below(3), below(2), below(3), below(2)};
    unsigned constants = 0;
    for (unsigned l : lengths) constants += l;
    for (unsigned n = 0; n < 256; n++) m.data<uint32_t>(n * 4) = 0x40000000 + (n + round) * 0x1000;
    if (round & 1) {
      // Only those that are there, one behind the other.
      std::vector<std::pair<uint64_t, unsigned>> list;
      for (unsigned n = 0; n < 4; n++)
        if (lengths[n]) list.emplace_back(StageMachine::data_at + n * 256, lengths[n]);
      m.set<_3DSTATE_CONSTANT_ALL>(
          [&](uint32_t* w) {
            _3DSTATE_CONSTANT_ALL::Shader_Update_Enable::set(w, 1);
            _3DSTATE_CONSTANT_ALL::Pointer_Buffer_Mask::set(w, (1u << list.size()) - 1);
            for (size_t n = 0; n < list.size(); n++) {
              const uint64_t body = list[n].first | list[n].second;
              w[2 + 2 * n] = uint32_t(body), w[3 + 2 * n] = uint32_t(body >> 32);
            }
          },
          uint32_t(2 + 2 * list.size()));
    } else {
      m.set<_3DSTATE_CONSTANT_VS>([&](uint32_t* w) {
        using C = _3DSTATE_CONSTANT_VS;
        C::Constant_Body_Read_Length_0::set(w, lengths[0]), C::Constant_Body_Read_Length_1::set(w, lengths[1]);
        C::Constant_Body_Read_Length_2::set(w, lengths[2]), C::Constant_Body_Read_Length_3::set(w, lengths[3]);
        C::Constant_Body_Buffer_0::set(w, StageMachine::data_at), C::Constant_Body_Buffer_1::set(w, StageMachine::data_at + 256);
        C::Constant_Body_Buffer_2::set(w, StageMachine::data_at + 512),
            C::Constant_Body_Buffer_3::set(w, StageMachine::data_at + 768);
      });
    }
    const unsigned registers = start + constants + pairs * 8;
    // Slots 0 to 7, two a message; a third of them stay as the fetcher left them.
    struct Move {
      unsigned slot, reg[8], sub[8];
    };
    std::vector<Move> moves;
    std::vector<std::string> lines;
    for (unsigned slot = 0; slot < 8; slot += 2) {
      if (below(3) == 0 && slot != 6) continue;
      Move move{slot, {}, {}};
      for (unsigned n = 0; n < 8; n++) {
        move.reg[n] = start + below(std::max(registers - start, 1u)), move.sub[n] = below(8);
        const bool constant = move.reg[n] < start + constants;
        lines.push_back(constant ? fmt::format("mov (8|M0) r{}.0<1>:ud r{}.{}<0;1,0>:ud", 100 + n, move.reg[n], move.sub[n])
                                 : fmt::format("mov (8|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud", 100 + n, move.reg[n]));
      }
      lines.push_back(urb_write(1, 100, 8, slot, slot == 6));
      moves.push_back(move);
    }
    vertex_shader(m.kernel(lines), pairs, start, offset, 2 + below(2));
    dg1::AttributeMap map;
    map.read_offset = 1, map.vertex_attributes = 6;
    const std::vector<uint32_t> numbers = counted(1 + below(70));
    const uint32_t instance = below(3);
    const Shaded shaded = shade(elements, map, numbers, instance);
    ASSERT_TRUE(shaded.good) << report();
    for (unsigned n = 0; n < numbers.size(); n++) {
      uint32_t vue[8][4] = {};
      for (unsigned slot = 0; slot < 8; slot++)
        for (unsigned c = 0; c < 4 && slot < elements; c++) vue[slot][c] = element(numbers[n], instance, slot, c);
      for (const Move& move : moves)
        for (unsigned c = 0; c < 8; c++) {
          uint32_t value = 0;
          const unsigned reg = move.reg[c] - start;
          if (reg < constants) {
            unsigned buffer = 0, at = reg;
            while (at >= lengths[buffer]) at -= lengths[buffer++];
            value = m.data<uint32_t>(buffer * 256 + at * 32 + move.sub[c] * 4);
          } else if (reg < constants + pairs * 8) {
            const unsigned e = offset * 2 + (reg - constants) / 4;
            value = e < elements ? element(numbers[n], instance, e, (reg - constants) % 4) : 0;
          }
          vue[move.slot + c / 4][c % 4] = value;
        }
      for (unsigned c = 0; c < 4; c++)
        ASSERT_EQ(std::bit_cast<uint32_t>(shaded.vertices[n].position[c]), vue[1][c]) << "round " << round << ", vertex " << n;
      for (unsigned a = 0; a < 6; a++)
        for (unsigned c = 0; c < 4; c++)
          ASSERT_EQ(shaded.attributes[(n * 6 + a) * 4 + c], vue[2 + a][c])
              << "round " << round << ", vertex " << n << ", slot " << 2 + a;
      EXPECT_EQ(shaded.vertices[n].edge, numbers[n] % 3 != 0);
    }
  }
}

// The header's layer, viewport and point size, and distances, count where the state says so; the forced bits of CLIP before the stage's.
TEST_P(VertexStageTest, HeadersCountWhereTheStateSaysSo) {
  vertex_shader(m.kernel({"mov (8|M0) r100.0<1>:ud 9:ud", "mov (8|M0) r101.0<1>:ud 5:ud", "mov (8|M0) r102.0<1>:ud 3:ud",
                          "mov (8|M0) r103.0<1>:f 0x40400000:f", "mov (8|M0) r104.0<1>:f r2.0<8;8,1>:f",
                          "mov (8|M0) r105.0<1>:f r3.0<8;8,1>:f", "mov (8|M0) r106.0<1>:f r4.0<8;8,1>:f",
                          "mov (8|M0) r107.0<1>:f r5.0<8;8,1>:f", urb_write(1, 100, 8, 0), urb_write(1, 2, 8, 2, true)}),
                2);
  for (unsigned round = 0; round < 64; round++) {
    const uint32_t force_zero = below(2), most = below(6), from_state = below(2), forced_clip = below(2), forced_cull = below(2);
    const uint32_t stage_clip = below(256), stage_cull = below(256), clip = below(256), cull = below(256);
    m.set<_3DSTATE_CLIP>([&](uint32_t* w) {
      using C = _3DSTATE_CLIP;
      C::Force_Zero_RTA_Index_Enable::set(w, force_zero), C::Maximum_VP_Index::set(w, most);
      C::Force_User_Clip_Distance_Clip_Test_Enable_Bitmask::set(w, forced_clip);
      C::Force_User_Clip_Distance_Cull_Test_Enable_Bitmask::set(w, forced_cull);
      C::User_Clip_Distance_Clip_Test_Enable_Bitmask::set(w, clip), C::User_Clip_Distance_Cull_Test_Enable_Bitmask::set(w, cull);
    });
    m.set<_3DSTATE_SF>([&](uint32_t* w) { _3DSTATE_SF::Point_Width_Source::set(w, from_state); });
    m.set<_3DSTATE_VS>([&](uint32_t* w) {
      using V = _3DSTATE_VS;
      V::Enable::set(w, 1), V::SIMD8_Dispatch_Enable::set(w, 1), V::Vertex_URB_Entry_Read_Length::set(w, 1);
      V::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 2);
      V::User_Clip_Distance_Clip_Test_Enable_Bitmask::set(w, stage_clip);
      V::User_Clip_Distance_Cull_Test_Enable_Bitmask::set(w, stage_cull);
    });
    const auto bits = dg1::find_distances(m.context->graphics);
    EXPECT_EQ(bits.clip, forced_clip ? clip : stage_clip);
    EXPECT_EQ(bits.cull, forced_cull ? cull : stage_cull);
    const Shaded shaded = shade(2, {}, counted(9));
    ASSERT_TRUE(shaded.good) << report();
    for (unsigned n = 0; n < 9; n++) {
      const pipeline::Vertex& v = shaded.vertices[n];
      EXPECT_EQ(v.layer, force_zero ? 0u : 5u);
      EXPECT_EQ(v.viewport, most >= 3 ? 3u : 0u);
      EXPECT_EQ(v.point_size, from_state ? 1.0f : 3.0f);
      for (unsigned c = 0; c < 8; c++) {
        // The program copied elements 0 and 1 to slots 2 and 3.
        const bool wanted = ((bits.clip | bits.cull) & (c < 4 ? 0x0f : 0xf0)) != 0;
        EXPECT_EQ(v.clip_distance[c], wanted ? f(element(n * 3 + 1, 0, c / 4, c % 4)) : 0) << c;
      }
    }
  }
}

// Without a program the elements are the vertex: header, position, attributes.
TEST_P(VertexStageTest, ElementsAreVerticesWithoutAProgram) {
  dg1::AttributeMap map;
  map.read_offset = 1, map.vertex_attributes = 4;
  const Shaded shaded = shade(5, map, counted(65), 7);
  ASSERT_TRUE(shaded.good) << report();
  for (unsigned n = 0; n < 65; n++) {
    const uint32_t number = n * 3 + 1;
    for (unsigned c = 0; c < 4; c++) EXPECT_EQ(shaded.vertices[n].position[c], f(element(number, 7, 1, c)));
    EXPECT_EQ(shaded.vertices[n].layer, element(number, 7, 0, 1));
    for (unsigned a = 0; a < 4; a++)
      for (unsigned c = 0; c < 4; c++)
        EXPECT_EQ(shaded.attributes[(n * 4 + a) * 4 + c], a < 3 ? element(number, 7, 2 + a, c) : 0) << n << " " << a;
  }
  EXPECT_EQ(m.context->statistics.waves, 0u);
}

// The size that came last counts, of either command for it.
TEST_P(VertexStageTest, SizesOfEntries) {
  const auto& state = m.context->graphics;
  EXPECT_EQ(dg1::urb_entry_rows(state, dg1::Stage::VS), 1u);
  m.set<_3DSTATE_URB_VS>([](uint32_t* w) { _3DSTATE_URB_VS::VS_URB_Entry_Allocation_Size::set(w, 3); });
  EXPECT_EQ(dg1::urb_entry_rows(state, dg1::Stage::VS), 4u);
  m.set<_3DSTATE_URB_ALLOC_VS>([](uint32_t* w) { _3DSTATE_URB_ALLOC_VS::VS_URB_Entry_Allocation_Size::set(w, 8); });
  EXPECT_EQ(dg1::urb_entry_rows(state, dg1::Stage::VS), 9u);
  m.set<_3DSTATE_URB_VS>([](uint32_t* w) { _3DSTATE_URB_VS::VS_URB_Entry_Allocation_Size::set(w, 1); });
  EXPECT_EQ(dg1::urb_entry_rows(state, dg1::Stage::VS), 2u);
  m.set<_3DSTATE_URB_ALLOC_GS>([](uint32_t* w) { _3DSTATE_URB_ALLOC_GS::GS_URB_Entry_Allocation_Size::set(w, 100); });
  EXPECT_EQ(dg1::urb_entry_rows(state, dg1::Stage::GS), 101u);
  EXPECT_EQ(dg1::urb_entry_rows(state, dg1::Stage::DS), 1u);
}

// Impossible state is named, with the command; the process lives.
TEST_P(VertexStageTest, WildStateLosesTheContext) {
  const uint64_t good = m.kernel({urb_write(1, 2, 8, 0, true)});
  struct Case {
    const char* says;
    std::function<void(StageMachine&)> set;
  };
  auto shader = [good](StageMachine& machine, auto fields) {
    machine.set<_3DSTATE_VS>([&](uint32_t* w) {
      using V = _3DSTATE_VS;
      V::Kernel_Start_Pointer::set(w, good), V::Enable::set(w, 1), V::SIMD8_Dispatch_Enable::set(w, 1);
      V::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 2);
      fields(w);
    });
  };
  const Case cases[] = {
      {"SIMD8 Dispatch Enable", [&](auto& x) { shader(x, [](uint32_t* w) { _3DSTATE_VS::SIMD8_Dispatch_Enable::set(w, 0); }); }},
      {"Vertex URB Entry Read Length",
       [&](auto& x) { shader(x, [](uint32_t* w) { _3DSTATE_VS::Vertex_URB_Entry_Read_Length::set(w, 63); }); }},
      {"3DSTATE_VS", [&](auto& x) { shader(x, [](uint32_t* w) { _3DSTATE_VS::Kernel_Start_Pointer::set(w, 0x80000000); }); }},
      {"Scratch Space Base Pointer",
       [&](auto& x) { shader(x, [](uint32_t* w) { _3DSTATE_VS::Scratch_Space_Base_Pointer::set(w, uint64_t(1) << 40); }); }},
      {"push constants",
       [&](auto& x) {
         shader(x, [](uint32_t*) {});
         x.template set<_3DSTATE_CONSTANT_VS>([](uint32_t* w) {
           _3DSTATE_CONSTANT_VS::Constant_Body_Read_Length_0::set(w, 1),
               _3DSTATE_CONSTANT_VS::Constant_Body_Buffer_0::set(w, 0x7000000000);
         });
       }},
      {"registers of push constants",
       [&](auto& x) {
         shader(x, [](uint32_t*) {});
         x.template set<_3DSTATE_CONSTANT_VS>(
             [](uint32_t* w) { _3DSTATE_CONSTANT_VS::Constant_Body_Read_Length_2::set(w, 0xffff); });
       }},
  };
  for (const Case& one : cases) {
    StageMachine machine{GetParam()};
    const uint64_t same = machine.kernel({urb_write(1, 2, 8, 0, true)});
    ASSERT_EQ(same, good);
    one.set(machine);
    EXPECT_FALSE(dg1::make_vertex_stage(*machine.context, source(2), {}, 1)) << one.says;
    EXPECT_NE(machine.context->report().find(one.says), std::string::npos) << machine.context->report();
  }
}

// Replicas of primitives: positions stand in the slots from 1 on, distances behind them (Mesa 22.3.6 brw_vue_map.c), layers and viewports
// have each replica's offset.
TEST_P(VertexStageTest, Replicas) {
  for (unsigned count = 1; count <= 4; count++) {
    m.set<_3DSTATE_PRIMITIVE_REPLICATION>([&](uint32_t* w) {
      w[1] = (count - 1) | ((1u << count) - 1) << 16;
      w[2] = 0x4321, w[4] = 0x7a50;
    });
    m.set<_3DSTATE_CLIP>([](uint32_t* w) {
      _3DSTATE_CLIP::Maximum_VP_Index::set(w, 15), _3DSTATE_CLIP::Force_User_Clip_Distance_Clip_Test_Enable_Bitmask::set(w, 1);
      _3DSTATE_CLIP::User_Clip_Distance_Clip_Test_Enable_Bitmask::set(w, 0xff);
    });
    const unsigned elements = 9;
    dg1::AttributeMap map;
    map.read_offset = 1, map.vertex_attributes = 2;
    for (unsigned replica = 0; replica < count; replica++) {
      auto stage = dg1::make_vertex_stage(*m.context, source(elements), map, 2, replica);
      ASSERT_TRUE(stage) << report();
      const std::vector<uint32_t> numbers = counted(9), instances(9, 0);
      Vertices vertices(9);
      std::vector<float> attributes(9 * 2 * 4);
      bool good = false;
      m.run([&] { good = stage->shade(1, {numbers, instances}, vertices.data(), attributes.data()); });
      ASSERT_TRUE(good) << report();
      for (unsigned n = 0; n < 9; n++) {
        auto slot = [&](unsigned s, unsigned c) { return element(numbers[n], 0, s, c); };
        for (unsigned c = 0; c < 4; c++) {
          EXPECT_EQ(std::bit_cast<uint32_t>(vertices[n].position[c]), slot(1 + replica, c)) << count << " " << replica;
          EXPECT_EQ(std::bit_cast<uint32_t>(vertices[n].clip_distance[c]), slot(1 + count, c)) << count << " " << replica;
          EXPECT_EQ(std::bit_cast<uint32_t>(vertices[n].clip_distance[4 + c]), slot(2 + count, c)) << count << " " << replica;
        }
        EXPECT_EQ(vertices[n].layer, slot(0, 1) + (count > 1 ? 0x7a50u >> 4 * replica & 15 : 0));
        EXPECT_EQ(vertices[n].viewport, count > 1 ? 0x4321u >> 4 * replica & 15 : 0);
      }
    }
  }
}

// A program's wild handle, and offsets beyond its entry: those keep nothing, and other vertices stay as they are.
TEST_P(VertexStageTest, ProgramsReachTheirEntriesAlone) {
  vertex_shader(m.kernel({"mov (8|M0) r100.0<1>:ud 0xffffff:ud", urb_write(1, 2, 8, 0), urb_write(1, 2, 8, 15),
                          "mov (8|M0) r50.0<1>:ud r1.0<8;8,1>:ud", "mov (8|M0) r51.0<1>:ud r100.0<8;8,1>:ud",
                          urb_write(50, 2, 8, 2047, false, 1 << 17, 2), urb_write(1, 2, 8, 4, true)}),
                1);
  dg1::AttributeMap map;
  map.read_offset = 1, map.vertex_attributes = 14;
  const Shaded shaded = shade(2, map, counted(64));
  ASSERT_TRUE(shaded.good) << report();
  for (unsigned n = 0; n < 64; n++)
    for (unsigned a = 0; a < 14; a++) {
      const unsigned slot = 2 + a;
      const uint32_t expected = slot == 4 || slot == 5 || slot == 15 ? element(n * 3 + 1, 0, slot == 5 ? 1 : 0, 2) : 0;
      EXPECT_EQ(shaded.attributes[(n * 14 + a) * 4 + 2], expected) << n << ", slot " << slot;
    }
  vertex_shader(m.kernel({"mov (8|M0) r1.0<1>:ud 0x1234:ud", urb_write(1, 2, 8, 0, true)}), 1);
  const Shaded wild = shade(2, map, counted(9));
  EXPECT_FALSE(wild.good);
  EXPECT_NE(report().find("3DSTATE_VS"), std::string::npos) << report();
  EXPECT_NE(report().find("send.urb: a handle that names no entry"), std::string::npos) << report();
}

// Floating Point Mode: 0 times infinity is no number, or 0 in the alternate mode (Ivy Bridge PRM volume 4 part 3, 2.3.2).
TEST_P(VertexStageTest, FloatsAreOfTheStagesMode) {
  const uint64_t kernel = m.kernel({"mov (8|M0) r100.0<1>:ud 0x7f800000:ud", "mul (8|M0) r101.0<1>:f r100.0<8;8,1>:f 0x0:f",
                                    "mul (8|M0) r102.0<1>:f r100.0<8;8,1>:f 0x40000000:f",
                                    "mov (8|M0) r103.0<1>:ud cr0.0<0;1,0>:ud", urb_write(1, 100, 4, 2, true)});
  dg1::AttributeMap map;
  map.read_offset = 1, map.vertex_attributes = 2;
  for (const bool alternate : {false, true, false}) {
    vertex_shader(kernel, 1);
    m.set<_3DSTATE_VS>([&](uint32_t* w) {
      using V = _3DSTATE_VS;
      V::Kernel_Start_Pointer::set(w, kernel), V::Enable::set(w, 1), V::SIMD8_Dispatch_Enable::set(w, 1);
      V::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 2), V::Vertex_URB_Entry_Read_Length::set(w, 1);
      V::Floating_Point_Mode::set(w, alternate ? V::Floating_Point_Mode::Alternate : V::Floating_Point_Mode::IEEE_754);
    });
    const Shaded shaded = shade(2, map, counted(9));
    ASSERT_TRUE(shaded.good) << report();
    for (unsigned n = 0; n < 9; n++) {
      const uint32_t* slot = &shaded.attributes[n * 2 * 4];
      EXPECT_EQ(std::isnan(f(slot[1])), !alternate);
      if (alternate) EXPECT_EQ(slot[1], 0u);
      EXPECT_EQ(slot[2], alternate ? 0x7f7fffffu : 0x7f800000u);
      EXPECT_EQ(slot[3] & 1, unsigned(alternate));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, VertexStageTest, testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit),
                         [](const auto& info) { return info.param == wave::EngineChoice::Jit ? "jit" : "interpreter"; });

}  // namespace
