// Transform feedback, and what draws count: primitives of each mode, buffers one by one and together, gaps, streams, pauses, overflow.
#include <cstring>

#include "../sheet.h"
#include "cases.h"

namespace gl_cases {
namespace {

constexpr const char* vertex =
    "#version 450\nout gl_PerVertex { vec4 gl_Position; };\nout vec4 a; out flat uint b; out vec3 c[2]; out Block { vec2 d; mat2 "
    "m; } block;\n"
    "void main() { float n = float(gl_VertexID) + 100.0 * float(gl_InstanceID); gl_Position = vec4(n, n + 0.25, 0.5, 1.0); a = "
    "vec4(n, -n, n * 2.0, 3.0); b = uint(gl_VertexID) * 7u; "
    "c[0] = vec3(n * 0.5); c[1] = vec3(n, 1.0, 2.0); block.d = vec2(n * n, n); block.m = mat2(n, 1.0, 2.0, -n); }";
constexpr const char* geometry =
    "#version 450\nlayout(points) in; layout(points, max_vertices = 6) out;\nlayout(stream = 0) out vec2 a; layout(stream = 1) "
    "out uint b; layout(stream = 3) out vec3 c;\n"
    "in flat uint from[]; void main() { uint k = from[0]; for (uint n = 0u; n < k % 3u; n++) { a = vec2(k, n); "
    "EmitStreamVertex(0); } b = k * 5u; EmitStreamVertex(1); "
    "if ((k & 1u) != 0u) { c = vec3(k, 1.0, 2.0); EmitStreamVertex(3); c = vec3(k, 7.0, 8.0); EmitStreamVertex(3); } }";

GLuint link(const std::vector<std::pair<GLenum, std::string>>& shaders, const std::vector<const char*>& names, GLenum mode) {
  const GLuint program = glCreateProgram();
  for (auto& [kind, text] : shaders) {
    const GLuint shader = glCreateShader(kind);
    const char* source = text.c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glDeleteShader(shader);
  }
  glTransformFeedbackVaryings(program, GLsizei(names.size()), names.data(), mode);
  glLinkProgram(program);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  return linked ? program : 0;
}

constexpr unsigned words = 1024;

struct Capture {
  std::vector<GLuint> buffers;
  GLuint queries[3] = {};
  explicit Capture(unsigned count, unsigned size = words) {
    for (unsigned n = 0; n < count; n++) {
      buffers.push_back(make_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, n, std::vector<uint32_t>(words, 0xeeeeeeee)));
      glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, n, buffers[n], 16, size * 4 - 16);
    }
    glGenQueries(3, queries);
    glBeginQuery(GL_PRIMITIVES_GENERATED, queries[0]);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, queries[1]);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB, queries[2]);
  }
  void end(const std::string& name) {
    glEndQuery(GL_PRIMITIVES_GENERATED);
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glEndQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB);
    std::vector<uint32_t> all;
    for (GLuint query : queries) {
      GLuint value = 0;
      glGetQueryObjectuiv(query, GL_QUERY_RESULT, &value);
      all.push_back(value);
    }
    all.pop_back();  // that of overflows counts what is drawn during a pause, or does not
    for (GLuint buffer : buffers) {
      auto more = words_of(buffer, words);
      all.insert(all.end(), more.begin(), more.end());
    }
    keep(name, exact, all);
    glDeleteQueries(3, queries);
    glDeleteBuffers(GLsizei(buffers.size()), buffers.data());
  }
};

void modes(bool discard) {
  const std::string tail = discard ? "" : ", drawn";
  if (discard) glEnable(GL_RASTERIZER_DISCARD);
  struct Variant {
    const char* name;
    std::vector<const char*> names;
    GLenum mode;
    unsigned buffers;
  };
  const Variant variants[] = {
      {"interleaved", {"a", "b", "c", "Block.d", "Block.m", "gl_Position"}, GL_INTERLEAVED_ATTRIBS, 1},
      {"separate", {"a", "b", "c[1]", "Block.m"}, GL_SEPARATE_ATTRIBS, 4},
      {"gaps and buffers",
       {"a", "gl_SkipComponents3", "b", "gl_NextBuffer", "gl_SkipComponents1", "c[0]", "gl_NextBuffer", "gl_NextBuffer",
        "Block.d"},
       GL_INTERLEAVED_ATTRIBS,
       4},
  };
  struct Draw {
    const char* name;
    GLenum mode, capture;
  };
  const Draw kinds[] = {{"points", GL_POINTS, GL_POINTS},
                        {"lines", GL_LINES, GL_LINES},
                        {"line strip", GL_LINE_STRIP, GL_LINES},
                        {"line loop", GL_LINE_LOOP, GL_LINES},
                        {"triangles", GL_TRIANGLES, GL_TRIANGLES},
                        {"triangle strip", GL_TRIANGLE_STRIP, GL_TRIANGLES},
                        {"triangle fan", GL_TRIANGLE_FAN, GL_TRIANGLES},
                        {"strip with adjacency", GL_TRIANGLE_STRIP_ADJACENCY, GL_TRIANGLES}};
  for (auto& v : variants) {
    const GLuint program = link({{GL_VERTEX_SHADER, vertex}}, v.names, v.mode);
    if (!program) judge(v.name, "no program");
    glUseProgram(program);
    for (auto& d : kinds)
      for (unsigned size : {words, 70u}) {
        Capture capture(v.buffers, size);
        glBeginTransformFeedback(d.capture);
        glDrawArraysInstanced(d.mode, 1, 9, 2);
        glPauseTransformFeedback();
        glDrawArrays(d.mode, 0, 6);
        glResumeTransformFeedback();
        glDrawArrays(d.mode, 20, 6);
        glEndTransformFeedback();
        capture.end(std::string("feedback of ") + d.name + ", " + v.name + (size == words ? "" : ", too small") + tail);
      }
    glUseProgram(0);
    glDeleteProgram(program);
  }
  if (discard) glDisable(GL_RASTERIZER_DISCARD);
}

void streams() {
  const GLuint program = link(
      {{GL_VERTEX_SHADER, "#version 450\nout flat uint from; void main() { from = uint(gl_VertexID); gl_Position = vec4(0.0); }"},
       {GL_GEOMETRY_SHADER, geometry}},
      {"a", "gl_NextBuffer", "b", "gl_NextBuffer", "c"}, GL_INTERLEAVED_ATTRIBS);
  if (!program) judge("streams", "no program");
  glUseProgram(program);
  for (unsigned count : {1u, 17u, 60u})
    for (unsigned size : {words, 40u}) {
      GLuint queries[8];
      glGenQueries(8, queries);
      Capture capture(3, size);
      for (GLuint n = 1; n < 4; n++)
        glBeginQueryIndexed(GL_PRIMITIVES_GENERATED, n, queries[n]),
            glBeginQueryIndexed(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, n, queries[4 + n]);
      glBeginTransformFeedback(GL_POINTS);
      glDrawArrays(GL_POINTS, 0, GLsizei(count));
      glEndTransformFeedback();
      std::vector<uint32_t> counts;
      for (GLuint n = 1; n < 4; n++) {
        glEndQueryIndexed(GL_PRIMITIVES_GENERATED, n), glEndQueryIndexed(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, n);
        for (GLuint q : {queries[n], queries[4 + n]}) {
          GLuint value = 0;
          glGetQueryObjectuiv(q, GL_QUERY_RESULT, &value);
          counts.push_back(value);
        }
      }
      const std::string name = "streams of " + std::to_string(count) + (size == words ? "" : ", too small");
      keep(name + ", counts", exact, counts);
      capture.end(name);
      glDeleteQueries(8, queries);
    }
  glUseProgram(0);
  glDeleteProgram(program);
}

// Draws whose count is what was captured.
void again() {
  const GLuint program = link({{GL_VERTEX_SHADER, vertex}}, {"a", "b"}, GL_INTERLEAVED_ATTRIBS);
  GLuint objects[2];
  glGenTransformFeedbacks(2, objects);
  glEnable(GL_RASTERIZER_DISCARD);
  glUseProgram(program);
  glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, objects[0]);
  GLuint first = make_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, std::vector<uint32_t>(words, 0));
  glBeginTransformFeedback(GL_TRIANGLES);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 7);
  glEndTransformFeedback();
  glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, objects[1]);
  {
    Capture capture(1);
    glBeginTransformFeedback(GL_POINTS);
    glDrawTransformFeedback(GL_POINTS, objects[0]);
    glDrawTransformFeedbackInstanced(GL_POINTS, objects[0], 2);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    GLuint written = 0;
    glGetQueryObjectuiv(capture.queries[1], GL_QUERY_RESULT, &written);
    judge("draws of what was captured", written == 45 ? "" : std::to_string(written) + " points");  // five triangles, three times
    glEndQuery(GL_PRIMITIVES_GENERATED);
    glEndQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB);
    glDeleteQueries(3, capture.queries);
    glDeleteBuffers(1, capture.buffers.data());
  }
  glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
  glDisable(GL_RASTERIZER_DISCARD);
  glDeleteTransformFeedbacks(2, objects);
  glDeleteBuffers(1, &first);
  glUseProgram(0);
  glDeleteProgram(program);
}

void overflows() {
  const GLuint program = link({{GL_VERTEX_SHADER, vertex}}, {"a"}, GL_INTERLEAVED_ATTRIBS);
  glUseProgram(program);
  for (unsigned points : {3u, 4u, 5u, 30u}) {
    const GLuint buffer = make_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, std::vector<uint32_t>(16, 0));
    GLuint query = 0, said = 0;
    glGenQueries(1, &query);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB, query);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, GLsizei(points));
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW_ARB);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &said);
    judge("overflow of " + std::to_string(points) + " where there is room for 4", said == (points > 4) ? ""
                                                                                  : said               ? "said"
                                                                                                       : "not said");
    glDeleteQueries(1, &query);
    glDeleteBuffers(1, &buffer);
  }
  glUseProgram(0);
  glDeleteProgram(program);
}

// Tessellated points, in an order that nobody says: sums.
void tessellated() {
  for (const char* spacing : {"equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"})
    for (const char* domain : {"triangles", "quads", "isolines"})
      for (const char* order : {"cw", "ccw"})
        for (const char* points : {"", ", point_mode"}) {
          const std::string evaluation =
              std::string("#version 450\nlayout(") + domain + ", " + spacing + ", " + order + points +
              ") in; out vec4 a; void main() { a = vec4(gl_TessCoord, float(gl_PrimitiveID)); gl_Position = vec4(0.0); }";
          const GLuint program = link({{GL_VERTEX_SHADER, "#version 450\nvoid main() { gl_Position = vec4(0.0); }"},
                                       {GL_TESS_CONTROL_SHADER,
                                        "#version 450\nlayout(vertices = 3) out; void main() { if (gl_InvocationID == 0) { float "
                                        "k = float(gl_PrimitiveID); "
                                        "gl_TessLevelOuter[0] = 1.0 + k * 1.3; gl_TessLevelOuter[1] = 3.4; gl_TessLevelOuter[2] "
                                        "= 2.0 + k * 0.7; gl_TessLevelOuter[3] = 1.6; gl_TessLevelInner[0] = "
                                        "1.2 + k; gl_TessLevelInner[1] = 2.7 + k * 0.5; } }"},
                                       {GL_TESS_EVALUATION_SHADER, evaluation}},
                                      {"a"}, GL_INTERLEAVED_ATTRIBS);
          glUseProgram(program);
          glPatchParameteri(GL_PATCH_VERTICES, 3);
          glEnable(GL_RASTERIZER_DISCARD);
          const GLuint buffer = make_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, 0, std::vector<uint32_t>(65536, 0));
          GLuint query = 0, count = 0;
          glGenQueries(1, &query);
          glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
          const bool lines = domain[0] == 'i';
          glBeginTransformFeedback(*points ? GL_POINTS : lines ? GL_LINES : GL_TRIANGLES);
          glDrawArrays(GL_PATCHES, 0, 18);
          glEndTransformFeedback();
          glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
          glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
          glDisable(GL_RASTERIZER_DISCARD);
          auto all = words_of(buffer, 65536);
          const unsigned corners = *points ? 1 : lines ? 2 : 3;
          double sums[3] = {}, area = 0;
          for (unsigned n = 0; n < count && (n + 1) * corners * 4 <= all.size(); n++) {
            float v[3][4] = {};
            std::memcpy(v, &all[n * corners * 4], corners * 16);
            for (unsigned c = 0; c < corners; c++)
              for (unsigned d = 0; d < 3; d++) sums[d] += double(v[c][d]) * (1 + double(v[c][3]));
            area += double((v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) - (v[1][1] - v[0][1]) * (v[2][0] - v[0][0]));
          }
          std::vector<uint32_t> result;
          for (float value : {float(count), float(sums[0]), float(sums[1]), float(sums[2]), float(area)}) {
            uint32_t word;
            std::memcpy(&word, &value, 4);
            result.push_back(word);
          }
          keep(std::string("tessellated ") + domain + " " + spacing + " " + order + points,
               {.floats = true, .relative = 1e-4, .absolute = 1e-3}, result);
          glDeleteQueries(1, &query);
          glDeleteBuffers(1, &buffer);
          glUseProgram(0);
          glDeleteProgram(program);
        }
}

}  // namespace

void feedback() {
  modes(true);
  modes(false);
  streams();
  again();
  overflows();
  tessellated();
}

}  // namespace gl_cases
