// Inputs of vertex shaders: attributes, indices and commands in memory; queries.
#include <EGL/egl.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "picture.h"

namespace gl_cases {
namespace {

// Each invocation of the vertex shader leaves its numbers at the next place, or at the place of its index.
constexpr const char* recorder =
    "#version 450\n#extension GL_ARB_shader_draw_parameters : require\nlayout(std430, binding = 1) buffer R { uint used; uvec4 "
    "results[]; };\n"
    "layout(location = 0) in vec4 a; layout(location = 1) in vec4 b; layout(location = 2) in vec4 c;\n"
    "void main() { uint n = uint(gl_VertexID) * 2u + uint(gl_InstanceID) * 128u + uint(gl_DrawIDARB) * 512u; n &= 2046u; "
    "atomicAdd(results[n].x, 1u); "
    "results[n].yzw = uvec3(gl_BaseVertexARB, gl_BaseInstanceARB, floatBitsToUint(a.x)); results[n + 1u] = "
    "floatBitsToUint(vec4(b.xy, c.xy)); gl_Position = vec4(0.0); }";

void commands() {
  struct Call {
    const char* name;
    std::function<void()> draw;
  };
  const std::vector<uint32_t> arguments = {0, 7, 2, 3,          1, 5,          1, 9, 0, 4, 3, 0,          2, 0xeeeeeeee,
                                           6, 2, 1, 0xfffffffe, 3, 0xeeeeeeee, 3, 1, 4, 2, 0, 0xeeeeeeee, 2};
  const Call calls[] = {
      {"glDrawArrays", [] { glDrawArrays(GL_POINTS, 3, 9); }},
      {"glDrawArraysInstancedBaseInstance", [] { glDrawArraysInstancedBaseInstance(GL_POINTS, 2, 5, 3, 4); }},
      {"glDrawElementsInstancedBaseVertexBaseInstance bytes",
       [] {
         glDrawElementsInstancedBaseVertexBaseInstance(GL_POINTS, 10, GL_UNSIGNED_BYTE, reinterpret_cast<void*>(4), 2, 5, 1);
       }},
      {"glDrawElementsBaseVertex shorts",
       [] { glDrawElementsBaseVertex(GL_POINTS, 10, GL_UNSIGNED_SHORT, reinterpret_cast<void*>(32), -2); }},
      {"glDrawElementsBaseVertex words",
       [] { glDrawElementsBaseVertex(GL_POINTS, 10, GL_UNSIGNED_INT, reinterpret_cast<void*>(64), 7); }},
      {"glDrawArraysIndirect", [] { glDrawArraysIndirect(GL_POINTS, reinterpret_cast<void*>(4)); }},
      {"glMultiDrawArraysIndirect", [] { glMultiDrawArraysIndirect(GL_POINTS, reinterpret_cast<void*>(4), 2, 16); }},
      {"glMultiDrawElementsIndirect",
       [] { glMultiDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_INT, reinterpret_cast<void*>(56), 2, 24); }},
      {"glMultiDrawElementsIndirectCount",
       [] {
         auto draw = reinterpret_cast<PFNGLMULTIDRAWELEMENTSINDIRECTCOUNTARBPROC>(
             eglGetProcAddress("glMultiDrawElementsIndirectCountARB"));
         draw(GL_POINTS, GL_UNSIGNED_SHORT, reinterpret_cast<void*>(56), 104, 2, 24);
       }},
      {"glMultiDrawArrays",
       [] {
         const GLint first[] = {2, 9, 4};
         const GLsizei count[] = {3, 0, 5};
         glMultiDrawArrays(GL_POINTS, first, count, 3);
       }},
      {"glMultiDrawElementsBaseVertex",
       [] {
         const GLsizei count[] = {3, 4};
         const void* const at[] = {reinterpret_cast<void*>(64), reinterpret_cast<void*>(80)};
         const GLint base[] = {3, -1};
         glMultiDrawElementsBaseVertex(GL_POINTS, count, GL_UNSIGNED_INT, at, 2, base);
       }},
  };
  std::vector<uint32_t> indices(64);
  auto* bytes = reinterpret_cast<uint8_t*>(indices.data());
  for (unsigned n = 0; n < 32; n++) bytes[n] = uint8_t(n * 5 % 23 + 2);
  for (unsigned n = 0; n < 16; n++) {
    const auto value = uint16_t(n * 7 % 29 + 2);
    std::memcpy(bytes + 32 + 2 * n, &value, 2);
  }
  for (unsigned n = 16; n < 64; n++) indices[n] = n * 11 % 31 + 2;
  Program program(recorder, "#version 450\nvoid main() {}");
  if (!program.id) judge("draws from memory", "no program");
  std::vector<uint32_t> data(2048);
  for (unsigned n = 0; n < data.size(); n++) {
    const float value = float(n) * 0.5f;
    std::memcpy(&data[n], &value, 4);
  }
  const GLuint vertices = make_buffer(GL_SHADER_STORAGE_BUFFER, 3, data),
               elements = make_buffer(GL_SHADER_STORAGE_BUFFER, 3, indices),
               memory = make_buffer(GL_SHADER_STORAGE_BUFFER, 3, arguments);
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, memory);
  glBindBuffer(GL_PARAMETER_BUFFER_ARB, memory);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, elements);
  glBindVertexBuffer(0, vertices, 4, 4);
  glBindVertexBuffer(1, vertices, 8, 12);
  glBindVertexBuffer(2, vertices, 0, 20);
  for (GLuint n = 0; n < 3; n++)
    glEnableVertexAttribArray(n), glVertexAttribFormat(n, n ? 2 : 1, GL_FLOAT, GL_FALSE, 4 * n), glVertexAttribBinding(n, n);
  glVertexBindingDivisor(1, 1);
  glVertexBindingDivisor(2, 2);
  glEnable(GL_RASTERIZER_DISCARD);
  for (auto& c : calls)
    for (bool restart : {false, true}) {
      if (restart && std::strstr(c.name, "glMultiDrawElementsBaseVertex")) continue;  // (llvmpipe numbers all draws 0 then)
      const GLuint results = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(4 * 2049, 0));
      if (restart) glEnable(GL_PRIMITIVE_RESTART), glPrimitiveRestartIndex(13);
      c.draw();
      glDisable(GL_PRIMITIVE_RESTART);
      keep(std::string(c.name) + (restart ? ", restarted by 13" : ""), exact, words_of(results, 4 * 2049));
      glDeleteBuffers(1, &results);
    }
  glDisable(GL_RASTERIZER_DISCARD);
  glVertexBindingDivisor(1, 0);
  glVertexBindingDivisor(2, 0);
  for (GLuint n = 0; n < 3; n++) glDisableVertexAttribArray(n);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
  for (GLuint each : {vertices, elements, memory}) glDeleteBuffers(1, &each);
}

void attributes() {
  struct Type {
    const char* name;
    GLenum type;
    int bytes;  // of a component; of all where it is packed
    bool packed, integer;
  };
  constexpr Type types[] = {{"byte", GL_BYTE, 1, false, true},
                            {"unsigned byte", GL_UNSIGNED_BYTE, 1, false, true},
                            {"short", GL_SHORT, 2, false, true},
                            {"unsigned short", GL_UNSIGNED_SHORT, 2, false, true},
                            {"int", GL_INT, 4, false, true},
                            {"unsigned int", GL_UNSIGNED_INT, 4, false, true},
                            {"half", GL_HALF_FLOAT, 2, false, false},
                            {"float", GL_FLOAT, 4, false, false},
                            {"fixed", GL_FIXED, 4, false, false},
                            {"2_10_10_10", GL_INT_2_10_10_10_REV, 4, true, false},
                            {"unsigned 2_10_10_10", GL_UNSIGNED_INT_2_10_10_10_REV, 4, true, false},
                            {"10f_11f_11f", GL_UNSIGNED_INT_10F_11F_11F_REV, 4, true, false}};
  Random random{11};
  std::vector<uint32_t> data(512);
  for (auto& word : data) word = random.word() & 0xbfffbfff;
  for (auto& t : types)
    for (int size = t.packed ? (t.type == GL_UNSIGNED_INT_10F_11F_11F_REV ? 3 : 4) : 1;
         size <= (t.type == GL_UNSIGNED_INT_10F_11F_11F_REV ? 3 : 4); size++)
      for (int kind = 0; kind < 4; kind++) {  // as they are, normalized, integers, in the other order
        if (kind == 2 && !t.integer) continue;
        if (kind == 1 &&
            (t.type == GL_HALF_FLOAT || t.type == GL_FLOAT || t.type == GL_FIXED || t.type == GL_UNSIGNED_INT_10F_11F_11F_REV))
          continue;
        if (kind == 3 && (size != 4 || (t.type != GL_UNSIGNED_BYTE && t.type != GL_INT_2_10_10_10_REV &&
                                        t.type != GL_UNSIGNED_INT_2_10_10_10_REV)))
          continue;
        const bool is_signed = t.type == GL_BYTE || t.type == GL_SHORT || t.type == GL_INT;
        const char* vec = kind != 2 ? "vec4" : is_signed ? "ivec4" : "uvec4";
        Program program(
            std::string("#version 450\nlayout(std430, binding = 1) buffer R { uvec4 results[]; };\nlayout(location = 0) in ") +
                vec + " a;\nvoid main() { results[gl_VertexID] = " + (kind == 2 ? "uvec4(a)" : "floatBitsToUint(a)") +
                "; gl_Position = vec4(0.0); }",
            "#version 450\nvoid main() {}");
        const GLuint vertices = make_buffer(GL_SHADER_STORAGE_BUFFER, 3, data),
                     results = make_buffer(GL_SHADER_STORAGE_BUFFER, 1, std::vector<uint32_t>(4 * 32, 0));
        const int stride = ((t.packed ? 4 : size * t.bytes) + 7) & ~3;
        glBindVertexBuffer(0, vertices, 4, stride);
        glEnableVertexAttribArray(0);
        if (kind == 2)
          glVertexAttribIFormat(0, size, t.type, 0);
        else
          glVertexAttribFormat(0, kind == 3 ? GL_BGRA : size, t.type, kind & 1, 0);
        glVertexAttribBinding(0, 0);
        glEnable(GL_RASTERIZER_DISCARD);
        glDrawArrays(GL_POINTS, 0, 32);
        glDisable(GL_RASTERIZER_DISCARD);
        constexpr const char* kinds[] = {"", " normalized", " as integers", " BGRA"};
        const std::string name = std::to_string(size) + " of " + t.name + kinds[kind];
        const auto words = words_of(results, 4 * 32);
        if (t.type == GL_FIXED) {  // (llvmpipe divides by 65535)
          std::string detail;
          for (int n = 0; n < 32 * size; n++) {
            float found;
            std::memcpy(&found, &words[size_t(n / size * 4 + n % size)], 4);
            const double wanted = double(int32_t(data[size_t(1 + n / size * (stride / 4) + n % size)])) / 65536;
            if (std::abs(double(found) - wanted) > std::abs(wanted) * 2e-7)
              detail = std::to_string(found) + " where " + std::to_string(wanted) + " is asked";
          }
          judge(name, detail);
        } else {
          // (llvmpipe's quotients by 2^32 - 1 are as good as its reciprocals.)
          keep(name,
               kind == 2 ? exact
                         : Bound{.floats = true,
                                 .relative = t.type == GL_UNSIGNED_INT && kind == 1 ? 2e-5 : 2e-7,
                                 .absolute = 1e-7,
                                 .share = 0},
               words);
        }
        glDisableVertexAttribArray(0);
        glDeleteBuffers(1, &vertices);
        glDeleteBuffers(1, &results);
      }
}

int corners_of(GLenum mode) {
  return mode == GL_LINES                 ? 2
         : mode == GL_TRIANGLES           ? 3
         : mode == GL_LINES_ADJACENCY     ? 4
         : mode == GL_TRIANGLES_ADJACENCY ? 6
                                          : 1;
}

void queries() {
  constexpr GLenum kinds[] = {GL_SAMPLES_PASSED,
                              GL_ANY_SAMPLES_PASSED,
                              GL_VERTICES_SUBMITTED_ARB,
                              GL_PRIMITIVES_SUBMITTED_ARB,
                              GL_VERTEX_SHADER_INVOCATIONS_ARB,
                              GL_CLIPPING_INPUT_PRIMITIVES_ARB,
                              GL_PRIMITIVES_GENERATED};
  constexpr GLenum modes[] = {GL_POINTS,         GL_LINES,        GL_LINE_STRIP,      GL_TRIANGLES,
                              GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINES_ADJACENCY, GL_TRIANGLES_ADJACENCY};
  Picture picture(GL_RGBA8, 32, 32);
  Program program(
      "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexID % 5, gl_VertexID % 3) * 0.4 - 0.8, 0.5, 1.0); }",
      "#version 450\nout vec4 colour; void main() { colour = vec4(1.0); }");
  for (GLenum mode : modes) {
    GLuint ids[7];
    glGenQueries(7, ids);
    for (unsigned n = 0; n < 7; n++)
      if (kinds[n] != GL_ANY_SAMPLES_PASSED) glBeginQuery(kinds[n], ids[n]);
    glDrawArraysInstanced(mode, 0, 11, 2);
    for (unsigned n = 0; n < 7; n++)
      if (kinds[n] != GL_ANY_SAMPLES_PASSED) glEndQuery(kinds[n]);
    std::vector<uint32_t> values;
    for (unsigned n = 0; n < 7; n++) {
      GLuint value = 0;
      if (kinds[n] != GL_ANY_SAMPLES_PASSED) glGetQueryObjectuiv(ids[n], GL_QUERY_RESULT, &value);
      // How many vertices are shaded again is the chip's own.
      if (kinds[n] == GL_VERTEX_SHADER_INVOCATIONS_ARB) value = value > 0;
      if (kinds[n] == GL_SAMPLES_PASSED) value = value > 0;
      if (kinds[n] == GL_VERTICES_SUBMITTED_ARB && 11 % corners_of(mode)) value = value > 0;  // or those of no primitive
      values.push_back(value);
    }
    keep("counts of mode " + std::to_string(mode), exact, values);
    glDeleteQueries(7, ids);
  }
  // Drawn only where another draw was seen.
  for (bool seen : {false, true})
    for (GLenum mode : {GL_QUERY_WAIT, GL_QUERY_WAIT_INVERTED, GL_QUERY_BY_REGION_WAIT}) {
      glClear(GL_COLOR_BUFFER_BIT);
      GLuint id = 0;
      glGenQueries(1, &id);
      glBeginQuery(GL_ANY_SAMPLES_PASSED, id);
      if (seen) glDrawArrays(GL_TRIANGLES, 0, 9);
      glEndQuery(GL_ANY_SAMPLES_PASSED);
      glClear(GL_COLOR_BUFFER_BIT);
      glBeginConditionalRender(id, mode);
      glDrawArrays(GL_TRIANGLES, 0, 9);
      glEndConditionalRender();
      const auto words = picture.read();
      bool drawn = false;
      for (size_t n = 0; n < words.size(); n += 4) drawn = drawn || words[n] == 0x3f800000;
      judge(std::string("conditional draw ") + std::to_string(mode) + (seen ? " seen" : " not seen"),
            drawn == (seen != (mode == GL_QUERY_WAIT_INVERTED)) ? ""
            : drawn                                             ? "drawn"
                                                                : "not drawn");
      glDeleteQueries(1, &id);
    }
}

}  // namespace

void draws() {
  commands();
  attributes();
  queries();
}

}  // namespace gl_cases
