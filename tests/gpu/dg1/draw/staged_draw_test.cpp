// Stages behind the vertex shader and stream output, on small programs and both engines: what reaches stream output's buffers against
// models written apart (strips and their orders: OpenGL 4.6 10.1; domains' points: the tessellator's own, which has tests of its own).
#include "gpu/dg1/draw/staged_draw.h"

#include <bit>
#include <map>

#include "gpu/dg1/draw/stream_output.h"
#include "pipeline/front/tessellator.h"
#include "stage_machine.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;
using namespace Atoll::dg1::commands;
using pipeline::Topology;
using Words = std::vector<uint32_t>;

constexpr uint64_t output_at = 0x40000;  // in the machine's data
constexpr uint32_t written = 0x5200, needed = 0x5240, offsets = 0x5280;

// Component c of slot e of vertex `number` of `instance`, without a program.
uint32_t element(uint32_t number, uint32_t instance, unsigned e, unsigned c) {
  return std::bit_cast<uint32_t>(float(number * 64 + instance * 4096 + e * 4 + c));
}

pipeline::ProvokingVertex first_vertex(const dg1::GraphicsState&, Topology) { return pipeline::ProvokingVertex::first; }
pipeline::ProvokingVertex last_vertex(const dg1::GraphicsState&, Topology) { return pipeline::ProvokingVertex::last; }

class StagedDrawTest : public testing::TestWithParam<wave::EngineChoice> {
protected:
  StageMachine m{GetParam()};
  pipeline::Counters counters;

  StagedDrawTest() {
    m.context->workers = std::make_unique<pipeline::Workers>(2);
    buffer(0, 0x80000);
    declarations(0, {{0, 15}, {1, 15}});
    stream_output();
  }
  static dg1::VertexSource source() {
    return {2, [](std::span<const uint32_t> numbers, std::span<const uint32_t> instances, uint32_t* out, uint8_t*, std::string&) {
              for (size_t n = 0; n < numbers.size(); n++)
                for (unsigned e = 0; e < 2; e++)
                  for (unsigned c = 0; c < 4; c++) *out++ = element(numbers[n], instances[n], e, c);
              return true;
            }};
  }
  void stream_output(bool trailing = false, uint32_t pitch = 32) {
    m.set<_3DSTATE_STREAMOUT>([&](uint32_t* w) {
      using S = _3DSTATE_STREAMOUT;
      S::SO_Function_Enable::set(w, 1), S::SO_Statistics_Enable::set(w, 1), S::Rendering_Disable::set(w, 1);
      S::Reorder_Mode::set(w, trailing), S::Buffer_0_Surface_Pitch::set(w, pitch), S::Buffer_1_Surface_Pitch::set(w, pitch);
    });
  }
  void buffer(unsigned n, uint32_t bytes) {
    auto fields = [&](uint32_t* w) {
      using B = _3DSTATE_SO_BUFFER;
      B::SO_Buffer_Index::set(w, n), B::SO_Buffer_Enable::set(w, 1), B::Stream_Offset_Write_Enable::set(w, 1);
      B::Surface_Base_Address::set(w, StageMachine::data_at + output_at + n * 0x40000), B::Surface_Size::set(w, bytes / 4 - 1);
    };
    m.set<_3DSTATE_SO_BUFFER>(fields);
    ASSERT_TRUE(dg1::begin_stream_buffer(*m.context, n));
  }
  // {slot, mask} of one stream, the others none, into the buffer of the stream's number.
  void declarations(unsigned stream, std::vector<std::pair<unsigned, unsigned>> list, unsigned streams = 1) {
    m.set<_3DSTATE_SO_DECL_LIST>(
        [&](uint32_t* w) {
          for (unsigned s = stream; s < stream + streams; s++) {
            w[1] |= 1u << s << 4 * s, w[2] |= uint32_t(list.size()) << 8 * s;
            for (size_t n = 0; n < list.size(); n++)
              w[3 + n * 2 + s / 2] |= (list[n].second | list[n].first << 4 | s << 12) << 16 * (s % 2);
          }
        },
        uint32_t(3 + list.size() * 2));
  }
  bool run(pipeline::Draw& draw, dg1::ProvokingOf provoking = last_vertex) {
    bool good = false;
    m.run([&] { good = dg1::run_staged_draw(*m.context, source(), {}, provoking, draw, counters); });
    return good;
  }
  std::string report() const { return m.context->report(); }
  // The contents of a stream's buffer, 8 dwords a vertex.
  std::vector<Words> output(unsigned stream = 0) {
    std::vector<Words> vertices;
    const uint32_t bytes = m.context->registers.read(offsets + stream * 4);
    for (uint32_t at = 0; at < bytes; at += 32) {
      const uint32_t* from = &m.data<uint32_t>(output_at + stream * 0x40000 + at);
      vertices.emplace_back(from, from + 8);
    }
    return vertices;
  }
  void restart_output() {
    for (unsigned n = 0; n < 4; n++) m.context->registers.write(offsets + n * 4, 0);
    for (unsigned n = 0; n < 8; n++) m.context->registers.write64(written + n % 4 * 8 + n / 4 * 0x40, 0);
    counters = {};
  }
};

Words vertex(uint32_t number, uint32_t instance) {
  Words words;
  for (unsigned e = 0; e < 2; e++)
    for (unsigned c = 0; c < 4; c++) words.push_back(element(number, instance, e, c));
  return words;
}

// The vertices of a strip's primitives, by the tables of OpenGL 4.6 10.1; `trailing`: an odd triangle begins with its second vertex.
Words primitives(Topology topology, const Words& s, bool trailing) {
  Words out;
  const auto n = unsigned(s.size());
  auto add = [&](std::initializer_list<unsigned> list) {
    for (unsigned i : list) out.push_back(s[i]);
  };
  switch (topology) {
    case Topology::points:
      for (unsigned i = 0; i < n; i++) add({i});
      break;
    case Topology::lines:
      for (unsigned i = 0; i + 1 < n; i += 2) add({i, i + 1});
      break;
    case Topology::line_strip:
    case Topology::line_loop:
      for (unsigned i = 0; i + 1 < n; i++) add({i, i + 1});
      if (topology == Topology::line_loop && n > 1) add({n - 1, 0});
      break;
    case Topology::triangles:
      for (unsigned i = 0; i + 2 < n; i += 3) add({i, i + 1, i + 2});
      break;
    case Topology::triangle_strip:
      for (unsigned i = 0; i + 2 < n; i++) {
        if (i % 2 == 0)
          add({i, i + 1, i + 2});
        else if (trailing)
          add({i + 1, i, i + 2});
        else
          add({i, i + 2, i + 1});
      }
      break;
    case Topology::triangle_fan:
      for (unsigned i = 1; i + 1 < n; i++) add({0, i, i + 1});
      break;
    case Topology::quads:
      for (unsigned i = 0; i + 3 < n; i += 4) add({i, i + 1, i + 2, i, i + 2, i + 3});
      break;
    default: break;
  }
  return out;
}
unsigned corners_of(Topology t) {
  switch (t) {
    case Topology::points: return 1;
    case Topology::lines:
    case Topology::line_strip:
    case Topology::line_loop: return 2;
    default: return 3;
  }
}

// Every topology without stages, with and without indices and restarts, both orders, whichever vertex provokes.
TEST_P(StagedDrawTest, PrimitivesOfVerticesAlone) {
  const Topology all[] = {Topology::points,    Topology::lines,          Topology::line_strip,   Topology::line_loop,
                          Topology::triangles, Topology::triangle_strip, Topology::triangle_fan, Topology::quads};
  for (Topology topology : all)
    for (unsigned form = 0; form < 8; form++) {
      const bool trailing = form & 1, indexed = form & 2, last = form & 4;
      restart_output();
      stream_output(trailing);
      const std::vector<uint16_t> indices = {5, 3, 9, 9, 2, 11, 0xffff, 4, 6, 1, 8, 0xffff, 0xffff, 7, 0, 10, 12, 13, 14, 15, 3};
      pipeline::Draw draw;
      draw.assembly = {.topology = topology,
                       .provoking = last ? pipeline::ProvokingVertex::last : pipeline::ProvokingVertex::first,
                       .restart = true,
                       .restart_index = 0xffff};
      draw.vertices = {.count = 17, .instances = 2};
      std::vector<Words> strips{{}};
      if (indexed) {
        draw.vertices = {.count = uint32_t(indices.size()),
                         .instances = 2,
                         .indices = reinterpret_cast<const uint8_t*>(indices.data()),
                         .index_bytes = 2,
                         .index_limit = indices.size()};
        for (uint16_t i : indices)
          if (i == 0xffff)
            strips.emplace_back();
          else
            strips.back().push_back(i);
      } else {
        for (uint32_t n = 0; n < 17; n++) strips.back().push_back(n);
      }
      ASSERT_TRUE(run(draw, last ? last_vertex : first_vertex)) << report();
      std::vector<Words> expected;
      for (uint32_t instance = 0; instance < 2; instance++)
        for (const Words& strip : strips)
          for (uint32_t number : primitives(topology, strip, trailing)) expected.push_back(vertex(number, instance));
      EXPECT_EQ(output(), expected) << "topology " << int(topology) << ", form " << form;
      EXPECT_EQ(m.context->registers.read64(written), expected.size() / corners_of(topology)) << int(topology);
    }
}

// A primitive without room is not written, nor a part of it; holes and masks; what is needed is counted all the same. An offset goes on
// from draw to draw, and from memory.
TEST_P(StagedDrawTest, RoomHolesAndOffsets) {
  m.set<_3DSTATE_SO_DECL_LIST>(
      [](uint32_t* w) {
        const uint32_t list[] = {0 << 4 | 5, 1u << 11 | 3, 1 << 4 | 8};  // x, z of slot 0; two dwords that stay; w of slot 1
        w[1] = 1, w[2] = 3;
        for (unsigned n = 0; n < 3; n++) w[3 + n * 2] = list[n];
      },
      9);
  stream_output(false, 20);
  auto open = [&](uint32_t offset) {
    m.set<_3DSTATE_SO_BUFFER_INDEX_0>([&](uint32_t* w) {
      using B = _3DSTATE_SO_BUFFER_INDEX_0;
      B::SO_Buffer_Index_State_Body_SO_Buffer_Enable::set(w, 1),
          B::SO_Buffer_Index_State_Body_Stream_Offset_Write_Enable::set(w, 1);
      B::SO_Buffer_Index_State_Body_Stream_Output_Buffer_Offset_Address_Enable::set(w, 1);
      B::SO_Buffer_Index_State_Body_Stream_Output_Buffer_Offset_Address::set(w, StageMachine::data_at + 0x100);
      B::SO_Buffer_Index_State_Body_Surface_Base_Address::set(w, StageMachine::data_at + output_at);
      B::SO_Buffer_Index_State_Body_Surface_Size::set(w, 250 / 4 - 1),
          B::SO_Buffer_Index_State_Body_Stream_Offset::set(w, offset);
    });
    ASSERT_TRUE(dg1::begin_stream_buffer(*m.context, 0));
  };
  for (unsigned n = 0; n < 100; n++) m.data<uint32_t>(output_at + n * 4) = 0x77777777;
  open(0);
  pipeline::Draw draw;
  draw.assembly.topology = Topology::triangles;
  draw.vertices = {.count = 9};
  ASSERT_TRUE(run(draw)) << report();  // 180 of 248 bytes
  EXPECT_EQ(m.data<uint32_t>(0x100), 180u);
  draw.assembly.topology = Topology::triangles, draw.vertices = {.count = 6};
  open(~0u);
  ASSERT_TRUE(run(draw)) << report();  // one of two
  EXPECT_EQ(m.data<uint32_t>(0x100), 240u);
  EXPECT_EQ(m.context->registers.read(offsets), 240u);
  EXPECT_EQ(m.context->registers.read64(written), 4u);
  EXPECT_EQ(m.context->registers.read64(needed), 5u);
  for (unsigned n = 0; n < 20; n++) {
    const uint32_t number = n < 9 ? n : n - 9;
    const uint32_t row[5] = {element(number, 0, 0, 0), element(number, 0, 0, 2), 0x77777777, 0x77777777,
                             element(number, 0, 1, 3)};
    for (unsigned c = 0; c < 5; c++)
      ASSERT_EQ(m.data<uint32_t>(output_at + n * 20 + c * 4), n < 12 ? row[c] : 0x77777777) << n << " " << c;
  }
}

// Entries of many rows are shaded a part at a time: the vertices are the same, slots that the element's own do not reach are 0.
TEST_P(StagedDrawTest, LargeEntries) {
  constexpr uint32_t count = 6000, rows = 190;
  m.set<_3DSTATE_URB_VS>([](uint32_t* w) { _3DSTATE_URB_VS::VS_URB_Entry_Allocation_Size::set(w, rows - 1); });
  declarations(0, {{0, 15}, {1, 7}, {63, 1}});
  pipeline::Draw draw;
  draw.assembly.topology = Topology::triangle_strip;
  draw.vertices = {.count = count};
  ASSERT_TRUE(run(draw)) << report();
  Words strip;
  for (uint32_t n = 0; n < count; n++) strip.push_back(n);
  const Words order = primitives(Topology::triangle_strip, strip, false);
  const std::vector<Words> found = output();
  ASSERT_EQ(found.size(), std::min<size_t>(order.size(), 0x80000 / 32 / 3 * 3));
  for (size_t n = 0; n < found.size(); n++) {
    Words expected = vertex(order[n], 0);
    expected[7] = 0;
    ASSERT_EQ(found[n], expected) << n;
  }
}

// --- geometry shaders

struct Geometry {
  unsigned emitted = 5, cuts = 0, instances = 1, streams = 1;
  bool dynamic = false;  // as many as the primitive's number says: that modulo 4, and 2 more
  uint32_t topology = _3DSTATE_GS::Output_Topology::TRISTRIP;
};

// Emits vertices whose header is {primitive, vertex, instance, 7} and whose position is that of the input's vertex (v % corners).
class GeometryTest : public StagedDrawTest {
protected:
  void geometry_shader(const Geometry& g, unsigned corners) {
    const unsigned handles = 3, data = handles + (g.instances > 1 ? 1 : corners), base = g.dynamic ? 4 : 2;
    std::vector<std::string> lines = {"shr (8|M0) r90.0<1>:ud r1.0<8;8,1>:ud 27:ud"};
    for (unsigned v = 0; v < g.emitted; v++) {
      unsigned position = data + v % corners * 8 + 4;
      if (g.instances > 1) {
        lines.push_back(fmt::format("mov (8|M0) r91.0<1>:ud r3.{}<0;1,0>:ud", v % corners));
        lines.push_back(urb_read(92, 91, 4, 1));
        position = 92;
      }
      lines.push_back("mov (8|M0) r100.0<1>:ud r2.0<8;8,1>:ud");
      lines.push_back(fmt::format("mov (8|M0) r101.0<1>:ud {}:ud", v));
      lines.push_back("mov (8|M0) r102.0<1>:ud r90.0<8;8,1>:ud"), lines.push_back("mov (8|M0) r103.0<1>:ud 7:ud");
      for (unsigned c = 0; c < 4; c++)
        lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud", 104 + c, position + c));
      lines.push_back(urb_write(1, 100, 8, base + v * 2));
    }
    lines.push_back(fmt::format("mov (8|M0) r110.0<1>:ud 0x{:x}:ud", g.cuts));
    lines.push_back(urb_write(1, 110, 1, base - 2, !g.dynamic));
    if (g.dynamic) {
      lines.push_back("and (8|M0) r111.0<1>:ud r2.0<8;8,1>:ud 3:ud"),
          lines.push_back("add (8|M0) r111.0<1>:ud r111.0<8;8,1>:ud 2:ud");
      lines.push_back(urb_write(1, 111, 1, 0, true));
    }
    const uint64_t kernel = m.kernel(lines);
    m.set<_3DSTATE_GS>([&](uint32_t* w) {
      using G = _3DSTATE_GS;
      G::Kernel_Start_Pointer::set(w, kernel), G::Enable::set(w, 1), G::Dispatch_Mode::set(w, G::Dispatch_Mode::SIMD8);
      G::Include_Primitive_ID::set(w, 1), G::Include_Vertex_Handles::set(w, 1), G::Output_Topology::set(w, g.topology);
      G::Vertex_URB_Entry_Read_Length::set(w, g.instances > 1 ? 0 : 1), G::Instance_Control::set(w, g.instances - 1);
      G::Dispatch_GRF_Start_Register_For_URB_Data::set(w, data & 15),
          G::Dispatch_GRF_Start_Register_For_URB_Data_5_4::set(w, data >> 4);
      G::Output_Vertex_Size::set(w, 1), G::Control_Data_Header_Size::set(w, 1), G::Static_Output::set(w, !g.dynamic);
      G::Static_Output_Vertex_Count::set(w, g.emitted), G::Reorder_Mode::set(w, G::Reorder_Mode::TRAILING);
      G::Control_Data_Format::set(w, g.streams > 1 ? G::Control_Data_Format::SID : G::Control_Data_Format::CUT);
    });
    m.set<_3DSTATE_URB_GS>([](uint32_t* w) { _3DSTATE_URB_GS::GS_URB_Entry_Allocation_Size::set(w, 3); });
  }
  // The expected contents of the streams, for input primitives of `corners` vertices.
  std::vector<Words> expected(const Geometry& g, const Words& inputs, unsigned corners, uint32_t instances, unsigned stream,
                              Topology t, bool trailing) {
    std::vector<Words> out;
    for (uint32_t instance = 0; instance < instances; instance++)
      for (uint32_t p = 0; p < inputs.size() / corners; p++)
        for (uint32_t invocation = 0; invocation < g.instances; invocation++) {
          std::vector<Words> strips{{}};
          for (unsigned v = 0; v < (g.dynamic ? p % 4 + 2 : g.emitted); v++) {
            if (g.streams > 1 && (g.cuts >> v * 2 & 3) != stream) continue;
            strips.back().push_back(v);
            if (g.streams == 1 && (g.cuts >> v & 1)) strips.emplace_back();
          }
          for (const Words& strip : strips)
            for (uint32_t v : primitives(t, strip, trailing)) {
              Words words = {p, v, invocation, 7};
              for (unsigned c = 0; c < 4; c++) words.push_back(element(inputs[p * corners + v % corners], instance, 1, c));
              out.push_back(words);
            }
        }
    return out;
  }
};

TEST_P(GeometryTest, StripsAndCuts) {
  const std::pair<uint32_t, Topology> outputs[] = {{_3DSTATE_GS::Output_Topology::POINTLIST, Topology::points},
                                                   {_3DSTATE_GS::Output_Topology::LINESTRIP, Topology::line_strip},
                                                   {_3DSTATE_GS::Output_Topology::TRISTRIP, Topology::triangle_strip}};
  for (auto [value, topology] : outputs)
    for (unsigned form = 0; form < 6; form++) {
      restart_output();
      const bool trailing = form & 1;
      stream_output(trailing);
      const Geometry g{.emitted = 5,
                       .cuts = form < 2   ? 0u
                               : form < 4 ? 0x4u
                                          : 0x15u,
                       .dynamic = form % 3 == 1,
                       .topology = value};
      geometry_shader(g, 3);
      pipeline::Draw draw;
      draw.assembly.topology = Topology::triangle_strip;
      draw.vertices = {.count = 21, .instances = 2};
      Words strip;
      for (uint32_t n = 0; n < 21; n++) strip.push_back(n);
      const Words inputs = primitives(Topology::triangle_strip, strip, true);
      ASSERT_TRUE(run(draw)) << report();
      const auto all = expected(g, inputs, 3, 2, 0, topology, trailing);
      EXPECT_EQ(output(), all) << "topology " << value << ", form " << form;
      EXPECT_EQ(counters.geometry_invocations, 38u);
      EXPECT_EQ(counters.geometry_primitives, all.size() / corners_of(topology));
    }
}

TEST_P(GeometryTest, InstancesOfAPrimitive) {
  for (unsigned instances : {2u, 8u, 11u}) {
    restart_output();
    const Geometry g{.emitted = 3, .instances = instances};
    geometry_shader(g, 3);
    pipeline::Draw draw;
    draw.assembly.topology = Topology::triangles;
    draw.vertices = {.count = 30};
    Words inputs;
    for (uint32_t n = 0; n < 30; n++) inputs.push_back(n);
    ASSERT_TRUE(run(draw)) << report();
    EXPECT_EQ(output(), expected(g, inputs, 3, 1, 0, Topology::triangle_strip, false)) << instances;
  }
}

TEST_P(GeometryTest, Streams) {
  buffer(1, 0x20000), buffer(2, 0x8000), buffer(3, 0x8000);
  declarations(0, {{0, 15}, {1, 15}}, 2);
  const Geometry g{
      .emitted = 6, .cuts = 0x145, .streams = 4, .topology = _3DSTATE_GS::Output_Topology::POINTLIST};  // 1 1 0 1 1 0 (0)
  geometry_shader(g, 2);
  pipeline::Draw draw;
  draw.assembly.topology = Topology::lines;
  draw.vertices = {.count = 24};
  Words inputs;
  for (uint32_t n = 0; n < 24; n++) inputs.push_back(n);
  ASSERT_TRUE(run(draw)) << report();
  for (unsigned stream = 0; stream < 2; stream++) {
    EXPECT_EQ(output(stream), expected(g, inputs, 2, 1, stream, Topology::points, false)) << stream;
    EXPECT_EQ(m.context->registers.read64(written + stream * 8), output(stream).size());
  }
}

// The vertices of triangles with their neighbours come in the API's order; a program that says it emitted more than its entry holds
// leaves what is there.
TEST_P(GeometryTest, AdjacencyAndWildCounts) {
  const Geometry g{.emitted = 6, .topology = _3DSTATE_GS::Output_Topology::POINTLIST};
  geometry_shader(g, 6);
  pipeline::Draw draw;
  draw.assembly.topology = Topology::triangles_adjacency;
  draw.vertices = {.count = 12};
  ASSERT_TRUE(run(draw)) << report();
  Words inputs;
  for (uint32_t n = 0; n < 12; n++) inputs.push_back(n);
  EXPECT_EQ(output(), expected(g, inputs, 6, 1, 0, Topology::points, false));
  restart_output();
  const uint64_t kernel = m.kernel({"mov (8|M0) r100.0<1>:ud 0xfffffff0:ud", urb_write(1, 100, 1, 0, true)});
  m.set<_3DSTATE_GS>([&](uint32_t* w) {
    using G = _3DSTATE_GS;
    G::Kernel_Start_Pointer::set(w, kernel), G::Enable::set(w, 1), G::Dispatch_Mode::set(w, G::Dispatch_Mode::SIMD8);
    G::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 2), G::Output_Topology::set(w, G::Output_Topology::POINTLIST);
  });
  draw.assembly = {.topology = Topology::points}, draw.vertices = {.count = 5};
  ASSERT_TRUE(run(draw)) << report();
  EXPECT_EQ(output().size(), 5u * (4 * 4 - 2));  // slots of an entry of four rows, but for the count's two
}

// --- tessellation

class TessellationTest : public StagedDrawTest {
protected:
  // Three instances: each copies the position's x of its vertex to slot 2 + instance; the first writes factors that depend on the patch.
  void hull_shader(bool barrier, bool single) {
    std::vector<std::string> lines = {"(W) shr (1|M0) r10.0<1>:ud r0.2<0;1,0>:ud 16:ud",
                                      "(W) and (1|M0) r10.0<1>:ud r10.0<0;1,0>:ud 127:ud"};
    if (single) {
      lines.insert(lines.end(), {"(W) mov (8|M0) r70.0<1>:ud r0.0<0;1,0>:ud", "(W) mov (8|M0) r71.0<1>:ud r0.1<0;1,0>:ud"});
      for (unsigned c = 0; c < 3; c++) lines.push_back(fmt::format("(W) mov (8|M0) r{}.0<1>:ud r1.{}<0;1,0>:ud", 72 + c, c));
    } else {
      for (unsigned r = 0; r < 5; r++) lines.push_back(fmt::format("(W) mov (8|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud", 70 + r, 1 + r));
    }
    // r70 outputs, r71 patches' numbers, r72 to r74 vertices
    lines.push_back("mov (8|M0) r20.0<1>:ud r72.0<8;8,1>:ud");
    for (unsigned n = 1; n < 3; n++) {
      lines.push_back(fmt::format("cmp (8|M0) (eq)f0.0 null<1>:ud r10.0<0;1,0>:ud {}:ud", n));
      lines.push_back(fmt::format("(f0.0) mov (8|M0) r20.0<1>:ud r{}.0<8;8,1>:ud", 72 + n));
    }
    lines.push_back(urb_read(30, 20, 4, 1));
    lines.push_back("mov (8|M0) r40.0<1>:ud r70.0<8;8,1>:ud"), lines.push_back("mov (8|M0) r41.0<1>:ud r10.0<0;1,0>:ud");
    lines.push_back(urb_write(40, 30, 4, 2, false, 1 << 17, 2));
    if (barrier) {
      lines.insert(lines.end(), {"(W) send.gtwy (1|M0) null r3 null 0x0 0x02000004", "(W) sync.bar null"});
      lines.push_back(urb_read(30, 70, 4, 4));  // what the last one has written
    }
    lines.push_back("cmp (8|M0) (eq)f0.0 null<1>:ud r10.0<0;1,0>:ud 0:ud");
    lines.push_back(urb_write(70, 30, 4, 5)), lines.back() = "(f0.0) " + lines.back();
    // inner, outer 2, 1, 0 in dwords 4 to 7: patch & 3, and 1 to 4 more
    lines.push_back("and (8|M0) r50.0<1>:ud r71.0<8;8,1>:ud 3:ud");
    for (unsigned n = 0; n < 4; n++) {
      lines.push_back(fmt::format("add (8|M0) r{}.0<1>:ud r50.0<8;8,1>:ud {}:ud", 60 + n, n + 1));
      lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:f r{}.0<8;8,1>:ud", 60 + n, 60 + n));
    }
    lines.push_back("(f0.0) " + urb_write(70, 60, 4, 1));
    lines.push_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
    const uint64_t kernel = m.kernel(lines);
    m.set<_3DSTATE_HS>([&](uint32_t* w) {
      using H = _3DSTATE_HS;
      H::Kernel_Start_Pointer::set(w, kernel), H::Enable::set(w, 1), H::Instance_Count::set(w, 2);
      H::Dispatch_Mode::set(w, single ? H::Dispatch_Mode::SINGLE_PATCH : H::Dispatch_Mode::_8_PATCH);
      H::Include_Primitive_ID::set(w, 1), H::Include_Vertex_Handles::set(w, 1),
          H::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 6);
    });
    m.set<_3DSTATE_URB_HS>([](uint32_t* w) { _3DSTATE_URB_HS::HS_URB_Entry_Allocation_Size::set(w, 1); });
  }
  void domain_shader(uint32_t output, uint32_t partitioning) {
    std::vector<std::string> lines;
    for (unsigned c = 0; c < 3; c++) lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud", 20 + c, 1 + c));
    lines.push_back("mov (8|M0) r23.0<1>:ud r0.1<0;1,0>:ud");
    for (unsigned c = 0; c < 4; c++)
      lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:ud r{}.{}<0;1,0>:ud", 24 + c, 6 + c / 2, c % 2 * 4));
    lines.push_back(urb_write(4, 20, 8, 0, true));
    const uint64_t kernel = m.kernel(lines);
    m.set<_3DSTATE_DS>([&](uint32_t* w) {
      using D = _3DSTATE_DS;
      D::Kernel_Start_Pointer::set(w, kernel), D::Enable::set(w, 1),
          D::Dispatch_Mode::set(w, D::Dispatch_Mode::SIMD8_SINGLE_PATCH);
      D::Patch_URB_Entry_Read_Length::set(w, 3), D::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 5);
      D::Compute_W_Coordinate_Enable::set(w, 1);
    });
    m.set<_3DSTATE_TE>([&](uint32_t* w) {
      using T = _3DSTATE_TE;
      T::TE_Enable::set(w, 1), T::TE_Domain::set(w, T::TE_Domain::TRI), T::Output_Topology::set(w, output);
      T::Partitioning::set(w, partitioning);
      T::Maximum_Tessellation_Factor_Odd::set(w, std::bit_cast<uint32_t>(63.0f));
      T::Maximum_Tessellation_Factor_Not_Odd::set(w, std::bit_cast<uint32_t>(64.0f));
    });
  }
  std::vector<Words> expected(uint32_t patches, uint32_t instances, pipeline::TessellatorOutput output,
                              pipeline::Partitioning partitioning, bool barrier) {
    std::vector<Words> out;
    for (uint32_t instance = 0; instance < instances; instance++)
      for (uint32_t p = 0; p < patches; p++) {
        const float base = float(p & 3);
        pipeline::Tessellation t;
        pipeline::tessellate({pipeline::Domain::triangles, partitioning, output}, {{base + 4, base + 3, base + 2}, {base + 1}},
                             t);
        for (uint32_t corner : t.corner) {
          const float w = 1 - t.u[corner] - t.v[corner];
          Words words = {std::bit_cast<uint32_t>(t.u[corner]), std::bit_cast<uint32_t>(t.v[corner]), std::bit_cast<uint32_t>(w),
                         p};
          for (unsigned c = 0; c < 3; c++) words.push_back(element(p * 3 + c, instance, 1, 0));
          words.push_back(element(p * 3 + (barrier ? 2 : 0), instance, 1, 0));
          out.push_back(words);
        }
      }
    return out;
  }
};

TEST_P(TessellationTest, PatchesBecomeTheirDomains) {
  using Out = _3DSTATE_TE::Output_Topology;
  using In = _3DSTATE_TE::Partitioning;
  const std::tuple<uint32_t, pipeline::TessellatorOutput, Topology> outputs[] = {
      {Out::POINT, pipeline::TessellatorOutput::points, Topology::points},
      {Out::TRI_CW, pipeline::TessellatorOutput::clockwise, Topology::triangles},
      {Out::TRI_CCW, pipeline::TessellatorOutput::counterclockwise, Topology::triangles}};
  const std::pair<uint32_t, pipeline::Partitioning> partitionings[] = {
      {In::INTEGER, pipeline::Partitioning::integer},
      {In::ODD_FRACTIONAL, pipeline::Partitioning::fractional_odd},
      {In::EVEN_FRACTIONAL, pipeline::Partitioning::fractional_even}};
  for (unsigned form = 0; form < 9; form++) {
    restart_output();
    const auto& [output_value, output_kind, topology] = outputs[form % 3];
    const auto& [partitioning_value, partitioning] = partitionings[form / 3];
    const bool barrier = form & 1, single = form % 4 == 2;
    hull_shader(barrier, single), domain_shader(output_value, partitioning_value);
    pipeline::Draw draw;
    draw.assembly.topology = Topology::patches, draw.assembly.patch_vertices = 3;
    draw.vertices = {.count = 3 * 11, .instances = 2};
    ASSERT_TRUE(run(draw)) << report();
    const auto all = expected(11, 2, output_kind, partitioning, barrier);
    const auto got = output();
    ASSERT_EQ(got.size(), all.size()) << form;
    for (size_t n = 0; n < all.size(); n++) ASSERT_EQ(got[n], all[n]) << "form " << form << ", vertex " << n;
    EXPECT_EQ(counters.hull_invocations, 22u);
  }
}

// Stages without those that they need, and modes that are not there, are named.
TEST_P(TessellationTest, WildStateLosesTheContext) {
  auto lost = [&](const char* says, Topology topology, auto set) {
    StageMachine machine{GetParam()};
    machine.context->workers = std::make_unique<pipeline::Workers>(1);
    set(machine);
    pipeline::Draw draw;
    draw.assembly.topology = topology, draw.assembly.patch_vertices = 3;
    draw.vertices = {.count = 3};
    pipeline::Counters none;
    bool good = true;
    machine.run([&] { good = dg1::run_staged_draw(*machine.context, source(), {}, last_vertex, draw, none); });
    EXPECT_FALSE(good) << says;
    EXPECT_NE(machine.context->report().find(says), std::string::npos) << machine.context->report();
  };
  lost("3DSTATE_HS.Enable", Topology::patches,
       [](StageMachine& x) { x.set<_3DSTATE_DS>([](uint32_t* w) { _3DSTATE_DS::Enable::set(w, 1); }); });
  lost("3DSTATE_VF_TOPOLOGY", Topology::patches,
       [](StageMachine& x) { x.set<_3DSTATE_GS>([](uint32_t* w) { _3DSTATE_GS::Enable::set(w, 1); }); });
  lost("3DSTATE_GS.Dispatch Mode", Topology::triangles,
       [](StageMachine& x) { x.set<_3DSTATE_GS>([](uint32_t* w) { _3DSTATE_GS::Enable::set(w, 1); }); });
  lost("quads", Topology::quads,
       [](StageMachine& x) { x.set<_3DSTATE_GS>([](uint32_t* w) { _3DSTATE_GS::Enable::set(w, 1); }); });
  lost("stream output", Topology::points, [](StageMachine& x) {
    x.set<_3DSTATE_STREAMOUT>([](uint32_t* w) {
      _3DSTATE_STREAMOUT::SO_Function_Enable::set(w, 1), _3DSTATE_STREAMOUT::Rendering_Disable::set(w, 1);
      _3DSTATE_STREAMOUT::Buffer_0_Surface_Pitch::set(w, 16);
    });
    x.set<_3DSTATE_SO_DECL_LIST>([](uint32_t* w) { w[1] = 1, w[2] = 1, w[3] = 15; }, 5);
    x.set<_3DSTATE_SO_BUFFER>([](uint32_t* w) {
      _3DSTATE_SO_BUFFER::SO_Buffer_Enable::set(w, 1), _3DSTATE_SO_BUFFER::Surface_Base_Address::set(w, 0x7000000000);
      _3DSTATE_SO_BUFFER::Surface_Size::set(w, 1000);
    });
  });
}

// Without vertex handles in a hull shader's payload constants may stand where these would.
TEST_P(TessellationTest, WithoutVertexHandles) {
  hull_shader(false, false);
  domain_shader(_3DSTATE_TE::Output_Topology::TRI_CW, _3DSTATE_TE::Partitioning::INTEGER);
  std::vector<std::string> lines;
  for (unsigned n = 0; n < 4; n++) lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:ud r3.{}<0;1,0>:ud", 60 + n, n));
  lines.push_back(urb_write(1, 60, 4, 1));
  lines.push_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
  const uint64_t kernel = m.kernel(lines);
  m.set<_3DSTATE_HS>([&](uint32_t* w) {
    using H = _3DSTATE_HS;
    H::Kernel_Start_Pointer::set(w, kernel), H::Enable::set(w, 1), H::Dispatch_Mode::set(w, H::Dispatch_Mode::_8_PATCH);
    H::Include_Primitive_ID::set(w, 1), H::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 3);
  });
  for (unsigned n = 0; n < 4; n++) m.data<float>(n * 4) = float(n ? 2 : 1);  // inside 1, edges 2
  m.set<_3DSTATE_CONSTANT_HS>([](uint32_t* w) {
    using C = _3DSTATE_CONSTANT_HS;
    C::Constant_Body_Read_Length_3::set(w, 1), C::Constant_Body_Buffer_3::set(w, StageMachine::data_at);
  });
  pipeline::Draw draw;
  draw.assembly = {.topology = Topology::patches, .patch_vertices = 3};
  draw.vertices = {.count = 27};
  ASSERT_TRUE(run(draw)) << report();
  pipeline::Tessellation t;
  pipeline::tessellate({pipeline::Domain::triangles, pipeline::Partitioning::integer, pipeline::TessellatorOutput::clockwise},
                       {{2, 2, 2}, {1}}, t);
  std::vector<Words> expected;
  for (uint32_t patch = 0; patch < 9; patch++)
    for (uint32_t corner : t.corner)
      expected.push_back({std::bit_cast<uint32_t>(t.u[corner]), std::bit_cast<uint32_t>(t.v[corner]),
                          std::bit_cast<uint32_t>(1 - t.u[corner] - t.v[corner]), patch, 0, 0, 0, 0});
  EXPECT_EQ(output(), expected);
}

auto name_of(const testing::TestParamInfo<wave::EngineChoice>& info) {
  return info.param == wave::EngineChoice::Jit ? "jit" : "interpreter";
}
const auto engines = testing::Values(wave::EngineChoice::Interpreter, wave::EngineChoice::Jit);
INSTANTIATE_TEST_SUITE_P(Engines, StagedDrawTest, engines, name_of);
INSTANTIATE_TEST_SUITE_P(Engines, GeometryTest, engines, name_of);
INSTANTIATE_TEST_SUITE_P(Engines, TessellationTest, engines, name_of);

}  // namespace
