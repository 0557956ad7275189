// Every topology at every length up to its fourth primitive and beyond, without indices, with them and with counts in a buffer, strips
// begun anew anywhere: pictures beside those of the same primitives as lists, and, where the driver has them, what transform feedback
// and geometry shaders are given and what queries count beside the specification's lists.
// topology_queries RENDERER: prints each case that is wrong and their number.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "../../examples/gears/context.h"
#include "../pipeline/topology_lists.h"
#include "sheet.h"

namespace {

using namespace Atoll::pipeline;

constexpr int side = 1024, tile = 32, tiles = side / tile, half = tiles * tiles / 2;

struct Mode {
  GLenum mode;
  Topology topology;
  const char* name;
};
const Mode modes[] = {
    {GL_POINTS, Topology::points, "points"},
    {GL_LINES, Topology::lines, "lines"},
    {GL_LINE_STRIP, Topology::line_strip, "line strip"},
    {GL_LINE_LOOP, Topology::line_loop, "line loop"},
    {GL_TRIANGLES, Topology::triangles, "triangles"},
    {GL_TRIANGLE_STRIP, Topology::triangle_strip, "triangle strip"},
    {GL_TRIANGLE_FAN, Topology::triangle_fan, "triangle fan"},
    {GL_QUADS, Topology::quads, "quads"},
    {GL_QUAD_STRIP, Topology::quad_strip, "quad strip"},
    {GL_POLYGON, Topology::polygon, "polygon"},
    {GL_LINES_ADJACENCY, Topology::lines_adjacency, "lines with adjacency"},
    {GL_LINE_STRIP_ADJACENCY, Topology::line_strip_adjacency, "line strip with adjacency"},
    {GL_TRIANGLES_ADJACENCY, Topology::triangles_adjacency, "triangles with adjacency"},
    {GL_TRIANGLE_STRIP_ADJACENCY, Topology::triangle_strip_adjacency, "triangle strip with adjacency"},
};

enum class Way { immediate, arrays, elements16, elements32, arrays_indirect, elements_indirect };
const char* const way_names[] = {"immediate",      "arrays",   "16-bit indices",
                                 "32-bit indices", "indirect", "indirect, 16-bit indices"};

struct Case {
  const Mode* mode;
  Way way;
  std::vector<uint32_t> indices;  // Atoll::pipeline::restart begins anew
  bool first;                     // the provoking vertex
};

unsigned wrong = 0, checked = 0;
bool restarts, provokes, indirect, modern, quads_follow;

void tell(const Case& c, const char* stage, const std::string& what) {
  wrong++;
  std::printf("%s, %s, %s provoking, %s:", c.mode->name, way_names[int(c.way)], c.first ? "first" : "last", stage);
  for (uint32_t index : c.indices) index == restart ? std::printf(" |") : std::printf(" %u", index);
  std::printf(": %s\n", what.c_str());
}

bool is_filled_by_more(Topology t) { return t == Topology::quads || t == Topology::quad_strip || t == Topology::polygon; }

// Vertices at places where no primitive that is to be convex is not; their colours are small enough to be added up.
struct Vertex {
  float x, y;
  uint8_t colour[4];
};
std::vector<Vertex> vertices_for(Topology topology) {
  std::vector<Vertex> all(72);
  for (unsigned n = 0; n < all.size(); n++) {
    const float turn = topology == Topology::quads || topology == Topology::polygon ? float(n) * 0.098f : float(n) * 2.4f;
    all[n] = {
        0.9f * std::cos(turn), 0.9f * std::sin(turn), {uint8_t(n * 7 % 32 + 1), uint8_t(n * 5 % 32 + 1), uint8_t(n % 32 + 1), 1}};
    if (topology == Topology::quad_strip) all[n].x = float(n / 2) / 32 * 1.8f - 0.9f, all[n].y = n % 2 ? 0.8f : -0.8f;
  }
  return all;
}

// Buffers of client memory are not for indirect draws; all ways use buffer objects.
struct Buffers {
  GLuint vertices = 0, indices = 0, commands = 0;
  void make() {
    GLuint names[3];
    glGenBuffers(3, names);
    vertices = names[0], indices = names[1], commands = names[2];
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
    if (indirect) glBindBuffer(GL_DRAW_INDIRECT_BUFFER, commands);
  }
};

void submit(const Case& c, const std::vector<Vertex>& vertices) {
  const GLsizei count = GLsizei(c.indices.size());
  const bool wide = c.way == Way::elements32;
  if (c.way == Way::elements16 || c.way == Way::elements32 || c.way == Way::elements_indirect) {
    std::vector<uint32_t> words(size_t(count) + 1);
    for (size_t n = 0; n < size_t(count); n++) {
      if (wide) words[n] = c.indices[n] == restart ? ~0u : c.indices[n];
      if (!wide) reinterpret_cast<uint16_t*>(words.data())[n] = uint16_t(c.indices[n]);
    }
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, GLsizeiptr(words.size() * 4), words.data(), GL_STREAM_DRAW);
    if (restarts) glEnable(GL_PRIMITIVE_RESTART), glPrimitiveRestartIndex(wide ? ~0u : restart);
  }
  const uint32_t command[] = {uint32_t(count), 1, c.way == Way::arrays_indirect && count ? c.indices[0] : 0, 0, 0};
  if (c.way == Way::arrays_indirect || c.way == Way::elements_indirect)
    glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof command, command, GL_STREAM_DRAW);
  switch (c.way) {
    case Way::immediate:
      glBegin(c.mode->mode);
      for (uint32_t index : c.indices) {
        if (index == restart) {
          glEnd(), glBegin(c.mode->mode);
          continue;
        }
        const Vertex& v = vertices[index];
        glColor4ub(v.colour[0], v.colour[1], v.colour[2], v.colour[3]), glVertex2f(v.x, v.y);
      }
      glEnd();
      break;
    case Way::arrays: glDrawArrays(c.mode->mode, count ? GLint(c.indices[0]) : 0, count); break;
    case Way::elements16:
    case Way::elements32: glDrawElements(c.mode->mode, count, wide ? GL_UNSIGNED_INT : GL_UNSIGNED_SHORT, nullptr); break;
    case Way::arrays_indirect: glDrawArraysIndirect(c.mode->mode, nullptr); break;
    case Way::elements_indirect: glDrawElementsIndirect(c.mode->mode, GL_UNSIGNED_SHORT, nullptr); break;
  }
  if (restarts) glDisable(GL_PRIMITIVE_RESTART);
}

// The same primitives one by one, each in its provoking vertex's colour.
void draw_list(const Case& c, const std::vector<Vertex>& vertices) {
  const bool quads = c.mode->topology == Topology::quads || c.mode->topology == Topology::quad_strip;
  const auto primitives = list(c.mode->topology, c.indices, c.first && (!quads || quads_follow));
  if (primitives.empty()) return;
  const size_t corners = primitives[0].corners.size();
  glBegin(corners == 1 ? GL_POINTS : corners == 2 ? GL_LINES : GL_TRIANGLES);
  for (const Listed& p : primitives)
    for (const std::vector<uint32_t>& piece : pieces(p))
      for (uint32_t corner : piece) {
        const uint8_t* colour = vertices[p.provoking].colour;
        glColor4ub(colour[0], colour[1], colour[2], colour[3]), glVertex2f(vertices[corner].x, vertices[corner].y);
      }
  glEnd();
}

// In the lower half of the framebuffer as the case says, in the upper half as lists.
void compare_pictures(const std::vector<Case>& cases) {
  glUseProgram(0);
  glShadeModel(GL_FLAT);
  glEnable(GL_BLEND), glBlendFunc(GL_ONE, GL_ONE);
  glEnableClientState(GL_VERTEX_ARRAY), glEnableClientState(GL_COLOR_ARRAY);
  const Mode* mode = nullptr;
  std::vector<Vertex> vertices;
  for (size_t begin = 0; begin < cases.size(); begin += half) {
    const size_t end = std::min(cases.size(), begin + half);
    glClear(GL_COLOR_BUFFER_BIT);
    for (size_t at = begin; at < end; at++) {
      const Case& c = cases[at];
      if (c.mode != mode) {
        mode = c.mode, vertices = vertices_for(mode->topology);
        glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(vertices.size() * sizeof(Vertex)), vertices.data(), GL_STATIC_DRAW);
        glVertexPointer(2, GL_FLOAT, sizeof(Vertex), nullptr);
        glColorPointer(4, GL_UNSIGNED_BYTE, sizeof(Vertex), reinterpret_cast<void*>(8));
      }
      const int n = int(at - begin), x = n % tiles * tile, y = n / tiles * tile;
      if (provokes) glProvokingVertex(c.first ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
      glViewport(x, y, tile, tile);
      submit(c, vertices);
      glViewport(x, y + side / 2, tile, tile);
      draw_list(c, vertices);
    }
    std::vector<uint32_t> pixels(size_t(side) * side);
    glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    for (size_t at = begin; at < end; at++) {
      const int n = int(at - begin);
      unsigned differ = 0;
      for (int i = 0; i < tile * tile; i++) {
        const size_t place = size_t((n / tiles * tile + i / tile) * side + n % tiles * tile + i % tile);
        differ += pixels[place] != pixels[place + size_t(side) * side / 2];
      }
      checked++;
      if (differ) tell(cases[at], "picture", std::to_string(differ) + " pixels differ");
    }
  }
  glDisableClientState(GL_VERTEX_ARRAY), glDisableClientState(GL_COLOR_ARRAY);
}

GLuint capturing_program(const std::vector<std::pair<GLenum, std::string>>& shaders, std::vector<const char*> captured) {
  GLuint program = sheet::make_program(shaders);
  if (!program) return 0;
  glTransformFeedbackVaryings(program, GLsizei(captured.size()), captured.data(), GL_INTERLEAVED_ATTRIBS);
  glLinkProgram(program);
  return program;
}

const char* const capturing_vertices = R"(#version 430 compatibility
flat out int id;
void main() { id = gl_VertexID; gl_Position = vec4(0, 0, 0, 1); }
)";
GLuint with_geometry(const char* input, unsigned vertices) {
  std::string text =
      std::string("#version 430 compatibility\nlayout(") + input + ") in;\nlayout(points, max_vertices = 1) out;\n";
  text += "flat in int id[];\nflat out int number;\nflat out int given[6];\nvoid main() {\n  number = gl_PrimitiveIDIn;\n";
  for (unsigned n = 0; n < 6; n++)
    text +=
        "  given[" + std::to_string(n) + "] = " + (n < vertices ? "id[" + std::to_string(n) + "]" : std::string("-1")) + ";\n";
  text += "  gl_Position = vec4(0, 0, 0, 1);\n  EmitVertex();\n}\n";
  return capturing_program({{GL_VERTEX_SHADER, capturing_vertices}, {GL_GEOMETRY_SHADER, text}}, {"number", "given"});
}

struct Captures {
  static constexpr GLenum counted[] = {GL_PRIMITIVES_GENERATED, GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
                                       GL_VERTICES_SUBMITTED_ARB, GL_PRIMITIVES_SUBMITTED_ARB, GL_GEOMETRY_SHADER_INVOCATIONS};
  static constexpr size_t counters = std::size(counted), words = 1024, batch = 256;
  GLuint output = 0, plain = 0, geometry[7] = {};
  std::vector<GLuint> queries;

  bool make() {
    glGenBuffers(1, &output);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, output);
    queries.resize(batch * counters);
    glGenQueries(GLsizei(queries.size()), queries.data());
    plain = capturing_program({{GL_VERTEX_SHADER, capturing_vertices}}, {"id"});
    geometry[1] = with_geometry("points", 1), geometry[2] = with_geometry("lines", 2),
    geometry[3] = with_geometry("triangles", 3);
    geometry[4] = with_geometry("lines_adjacency", 4), geometry[6] = with_geometry("triangles_adjacency", 6);
    return plain && geometry[1] && geometry[2] && geometry[3] && geometry[4] && geometry[6];
  }

  static std::vector<uint32_t> whole_of(const Case& c) {
    const auto one = listed(c.mode->topology, Strip(8, 0), 0, 1, true);
    return one.whole;
  }

  void run(const std::vector<Case>& cases, bool stages) {
    glEnable(GL_RASTERIZER_DISCARD);
    std::vector<Vertex> none;
    for (size_t begin = 0; begin < cases.size(); begin += batch) {
      const size_t end = std::min(cases.size(), begin + batch);
      std::vector<int32_t> data(batch * words, -2);
      glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, GLsizeiptr(data.size() * 4), data.data(), GL_STREAM_READ);
      for (size_t at = begin; at < end; at++) {
        const Case& c = cases[at];
        const size_t corners = listed(c.mode->topology, Strip(8, 0), 0, 1, true).corners.size();
        glProvokingVertex(c.first ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
        glUseProgram(stages ? geometry[whole_of(c).size()] : plain);
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, output, GLintptr((at - begin) * words * 4), words * 4);
        for (size_t q = 0; q < counters; q++) glBeginQuery(counted[q], queries[(at - begin) * counters + q]);
        glBeginTransformFeedback(stages || corners == 1 ? GL_POINTS : corners == 2 ? GL_LINES : GL_TRIANGLES);
        submit(c, none);
        glEndTransformFeedback();
        for (size_t q = 0; q < counters; q++) glEndQuery(counted[q]);
      }
      glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, output);
      glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, GLsizeiptr(data.size() * 4), data.data());
      for (size_t at = begin; at < end; at++) check(cases[at], stages, data.data() + (at - begin) * words, at - begin);
    }
    glDisable(GL_RASTERIZER_DISCARD);
  }

  void check(const Case& c, bool stages, const int32_t* got, size_t slot) {
    checked++;
    const char* stage = stages ? "geometry shader" : "transform feedback";
    const auto primitives = list(c.mode->topology, c.indices, c.first);
    std::string faults;
    auto fault = [&](const std::string& what) { faults += (faults.empty() ? "" : "; ") + what; };
    for (size_t n = 0; n <= primitives.size(); n++) {
      if (n == primitives.size()) {
        if (*got != -2) fault("more is captured");
        break;
      }
      const Listed& p = primitives[n];
      const std::vector<uint32_t>& expected = stages ? p.whole : p.corners;
      if (stages && *got++ != int32_t(n)) fault("primitive " + std::to_string(n) + " has number " + std::to_string(got[-1]));
      std::vector<uint32_t> given(got, got + expected.size());
      got += stages ? 6 : expected.size();
      const bool turns = p.corners.size() == 3;
      const size_t by = expected.size() / 3;
      if (turns ? turned(given, by) != turned(expected, by) : given != expected) {
        std::string text;
        for (uint32_t id : given) text += " " + std::to_string(int(id));
        fault("primitive " + std::to_string(n) + " is of" + text);
      }
    }
    const uint64_t all = c.indices.size() - size_t(std::count(c.indices.begin(), c.indices.end(), restart)),
                   n = primitives.size();
    // (PRIMITIVES_SUBMITTED and VERTICES_SUBMITTED may count what is not complete: ARB_pipeline_statistics_query)
    const uint64_t least[] = {n, n, n ? 1u : 0u, n, stages ? n : 0}, most[] = {n, n, all, n, stages ? n : 0};
    for (size_t q = 0; q < counters; q++) {
      GLuint64 value = 0;
      glGetQueryObjectui64v(queries[slot * counters + q], GL_QUERY_RESULT, &value);
      static const char* const names[] = {"generated", "written", "vertices submitted", "submitted", "invocations"};
      if (value < least[q] || value > most[q])
        fault(std::string(names[q]) + " " + std::to_string(value) + ", expected " + std::to_string(most[q]));
    }
    if (!faults.empty()) tell(c, stage, faults);
  }
};

std::vector<Case> cases_of(const Mode& mode, bool pictures) {
  std::vector<Case> all;
  size_t longest = 1;
  while (count_of(mode.topology, longest) < 4 && !(mode.topology == Topology::polygon && longest == 6)) longest++;
  longest += 2;
  std::mt19937 random(unsigned(mode.mode) + 1);
  for (bool first : {false, true}) {
    if (first && !provokes) continue;
    for (size_t length = 0; length <= longest; length++)
      for (Way way :
           {Way::immediate, Way::arrays, Way::elements16, Way::elements32, Way::arrays_indirect, Way::elements_indirect}) {
        if (way == Way::immediate && !pictures) continue;
        // (Mesa makes lists of such fans, which then begin with the centre; llvmpipe shows it as well)
        if (way == Way::immediate && first && mode.topology == Topology::triangle_fan) continue;
        if ((way == Way::arrays_indirect || way == Way::elements_indirect) && !indirect) continue;
        const bool numbered = way == Way::arrays || way == Way::arrays_indirect;
        // Polygons are convex where their vertices are in order.
        const bool in_order = numbered || is_filled_by_more(mode.topology);
        std::vector<uint32_t> plain(length);
        for (size_t n = 0; n < length; n++) plain[n] = uint32_t(in_order ? n + 3 : 3 * n % 64 + 1);
        all.push_back({&mode, way, plain, first});
        if (numbered || (way != Way::immediate && !restarts)) continue;
        auto add = [&](auto is_restart) {
          std::vector<uint32_t> indices = plain;
          for (size_t n = 0; n < length; n++)
            if (is_restart(n)) indices[n] = restart;
          all.push_back({&mode, way, indices, first});
        };
        for (size_t place = 0; place < length; place++) add([&](size_t n) { return n == place; });
        for (int round = 0; length && round < 6; round++) add([&](size_t) { return random() % 4 == 0; });
      }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: topology_queries RENDERER\n");
    return 2;
  }
  std::string error = gears::make_context(gears::Platform::surfaceless, "");
  if (error.empty()) error = gears::make_framebuffer(side, side);
  const char* renderer = error.empty() ? reinterpret_cast<const char*>(glGetString(GL_RENDERER)) : "";
  if (!error.empty() || !std::strstr(renderer, argv[1])) {
    std::fprintf(stderr, "topology_queries: %s, and not %s: %s\n", renderer, argv[1], error.c_str());
    return 1;
  }
  const int version = std::atoi(reinterpret_cast<const char*>(glGetString(GL_VERSION)));
  const char* extensions = reinterpret_cast<const char*>(glGetString(GL_EXTENSIONS));
  modern = version >= 4, indirect = modern, provokes = modern;
  restarts = modern || std::strstr(extensions, "GL_NV_primitive_restart");
  GLboolean follow = GL_FALSE;
  if (provokes) glGetBooleanv(GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION, &follow);
  quads_follow = follow;
  Buffers buffers;
  buffers.make();
  glDisable(GL_CULL_FACE), glDisable(GL_DEPTH_TEST), glDisable(GL_DITHER), glDisable(GL_LIGHTING);
  for (const Mode& mode : modes) {
    const bool adjacency = mode.mode >= GL_LINES_ADJACENCY;
    if (!adjacency || modern) compare_pictures(cases_of(mode, true));
  }
  if (modern) {
    Captures captures;
    if (!captures.make()) return 1;
    for (const Mode& mode : modes) {
      if (is_filled_by_more(mode.topology)) continue;
      // (Mesa refuses to capture lines with adjacency as lines)
      const bool refused = mode.topology == Topology::lines_adjacency || mode.topology == Topology::line_strip_adjacency;
      if (!refused) captures.run(cases_of(mode, false), false);
      captures.run(cases_of(mode, false), true);
    }
  }
  std::printf("%s: %u cases, %u wrong%s%s\n", renderer, checked, wrong, restarts ? "" : ", none with restarts",
              modern ? "" : ", pictures alone");
  if (GLenum fault = glGetError()) return std::fprintf(stderr, "topology_queries: OpenGL's error %#x\n", fault), 1;
  return wrong != 0;
}
