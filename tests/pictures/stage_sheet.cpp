// A sheet of squares, one a way in which OpenGL 4.5 makes geometry: geometry shaders, tessellation, both, and what they read and
// write. Two drivers' sheets are compared by compare_pictures. stage_sheet [--list] [--only N] PNG
#include "sheet.h"

namespace {

struct Way {
  const char* name;
  GLenum mode;
  int vertices;
  const char* geometry;    // declarations and body of main() behind one another, or null
  const char* control;     // of tessellation; null: levels are set by the API, or there is no tessellation
  const char* evaluation;  // or null
  int instances = 1;
  int patch = 0;
  const char* fragment = nullptr;
};

constexpr const char* through =
    "#define COPY(i) gl_Position = gl_in[i].gl_Position; shade = paint[i]; EmitVertex();\n"
    "in vec4 paint[];\nout vec4 shade;\n";

const Way ways[] = {
    {"triangles", GL_TRIANGLES, 12,
     "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { COPY(0) COPY(1) COPY(2) }",
     nullptr, nullptr},
    {"strip", GL_TRIANGLE_STRIP, 12,
     "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { COPY(0) COPY(1) COPY(2) }",
     nullptr, nullptr},
    {"fan", GL_TRIANGLE_FAN, 9,
     "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { COPY(0) COPY(1) COPY(2) }",
     nullptr, nullptr},
    {"points to squares", GL_POINTS, 40,
     "layout(points) in; layout(triangle_strip, max_vertices = 4) out;\n"
     "void main() { for (int i = 0; i < 4; i++) { gl_Position = gl_in[0].gl_Position + vec4(0.2 * float(i & 1), 0.15 * float(i "
     ">> 1), 0, 0);\n"
     "  shade = paint[0] * (1.0 - 0.2 * float(i)); EmitVertex(); } }",
     nullptr, nullptr},
    {"lines to triangles", GL_LINE_STRIP, 17,
     "layout(lines) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { COPY(0) COPY(1) gl_Position = vec4(0, 0, 0, 1); shade = vec4(1); EmitVertex(); }",
     nullptr, nullptr},
    {"several strips", GL_POINTS, 8,
     "layout(points) in; layout(triangle_strip, max_vertices = 12) out;\n"
     "void main() { for (int s = 0; s < 3; s++) { for (int i = 0; i < 4; i++) {\n"
     "  gl_Position = gl_in[0].gl_Position + vec4(0.1 * float(i & 1) + 0.15 * float(s), 0.2 * float(i >> 1), 0, 0);\n"
     "  shade = paint[0] * (0.5 + 0.25 * float(s)); EmitVertex(); } EndPrimitive(); } }",
     nullptr, nullptr},
    {"as many as it likes", GL_POINTS, 24,
     "layout(points) in; layout(triangle_strip, max_vertices = 15) out;\n"
     "void main() { int n = gl_PrimitiveIDIn % 5; for (int i = 0; i < 3 * n; i++) {\n"
     "  float a = 2.1 * float(i); gl_Position = gl_in[0].gl_Position + vec4(0.2 * cos(a), 0.2 * sin(a), 0, 0);\n"
     "  shade = paint[0]; EmitVertex(); if (i % 3 == 2) EndPrimitive(); } }",
     nullptr, nullptr},
    {"invocations", GL_POINTS, 6,
     "layout(points, invocations = 5) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { float a = 1.2566 * float(gl_InvocationID); for (int i = 0; i < 3; i++) {\n"
     "  gl_Position = gl_in[0].gl_Position + 0.3 * vec4(i > 0 ? cos(a + 0.8 * float(i)) : 0.0, i > 0 ? sin(a + 0.8 * float(i)) : "
     "0.0, 0, 0);\n"
     "  shade = vec4(paint[0].rgb * (0.4 + 0.15 * float(gl_InvocationID)), 1); EmitVertex(); } }",
     nullptr, nullptr},
    {"lines with adjacency", GL_LINES_ADJACENCY, 32,
     "layout(lines_adjacency) in; layout(triangle_strip, max_vertices = 4) out;\n"
     "void main() { COPY(0) COPY(1) COPY(3) COPY(2) }",
     nullptr, nullptr},
    {"line strip with adjacency", GL_LINE_STRIP_ADJACENCY, 20,
     "layout(lines_adjacency) in; layout(triangle_strip, max_vertices = 4) out;\n"
     "void main() { if (gl_PrimitiveIDIn % 3 == 0) { COPY(0) COPY(1) COPY(3) COPY(2) } }",
     nullptr, nullptr},
    {"triangles with adjacency", GL_TRIANGLES_ADJACENCY, 24,
     "layout(triangles_adjacency) in; layout(triangle_strip, max_vertices = 9) out;\n"
     "void main() { COPY(0) COPY(1) COPY(2) EndPrimitive(); COPY(2) COPY(3) COPY(4) EndPrimitive(); COPY(4) COPY(5) COPY(0) }",
     nullptr, nullptr},
    {"strip with adjacency", GL_TRIANGLE_STRIP_ADJACENCY, 16,
     "layout(triangles_adjacency) in; layout(triangle_strip, max_vertices = 6) out;\n"
     "void main() { COPY(0) COPY(2) COPY(4) EndPrimitive(); for (int i = 1; i < 6; i += 2) {\n"
     "  gl_Position = mix(gl_in[i].gl_Position, gl_in[0].gl_Position, 0.5); shade = paint[i] * 0.6; EmitVertex(); } }",
     nullptr, nullptr},
    {"strip of five with adjacency", GL_TRIANGLE_STRIP_ADJACENCY, 14,
     "layout(triangles_adjacency) in; layout(line_strip, max_vertices = 7) out;\n"
     "void main() { for (int i = 0; i < 7; i++) { COPY(i % 6) } }",
     nullptr, nullptr},
    {"lines come out", GL_TRIANGLES, 12,
     "layout(triangles) in; layout(line_strip, max_vertices = 4) out;\n"
     "void main() { COPY(0) COPY(1) COPY(2) COPY(0) }",
     nullptr, nullptr},
    {"points come out", GL_TRIANGLES, 24,
     "layout(triangles) in; layout(points, max_vertices = 4) out;\n"
     "void main() { COPY(0) COPY(1) COPY(2) gl_Position = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / "
     "3.0;\n"
     "  shade = vec4(1); EmitVertex(); }",
     nullptr, nullptr},
    {"instances", GL_TRIANGLES, 6,
     "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { COPY(0) COPY(1) COPY(2) }",
     nullptr, nullptr, 3},
    {"primitive and clip distance", GL_TRIANGLES, 12,
     "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { for (int i = 0; i < 3; i++) { gl_PrimitiveID = 40 * gl_PrimitiveIDIn; gl_ClipDistance[0] = "
     "gl_in[i].gl_Position.x + 0.6;\n"
     "  COPY(i) } }",
     nullptr, nullptr, 1, 0, "shade * 0.5 + vec4(float(gl_PrimitiveID) / 255.0)"},
    {"many vertices", GL_POINTS, 3,
     "layout(points) in; layout(triangle_strip, max_vertices = 200) out;\n"
     "void main() { for (int i = 0; i < 200; i++) { float t = float(i) / 199.0, r = (i & 1) == 0 ? 0.9 : 0.6;\n"
     "  gl_Position = vec4(gl_in[0].gl_Position.xy * 0.4 + r * 0.6 * vec2(cos(6.3 * t), sin(6.3 * t)), 0, 1);\n"
     "  shade = mix(paint[0], vec4(t, 1.0 - t, 0.5, 1), 0.7); EmitVertex(); } }",
     nullptr, nullptr},
    {"viewports", GL_TRIANGLES, 12,
     "layout(triangles, invocations = 2) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { for (int i = 0; i < 3; i++) { gl_ViewportIndex = gl_InvocationID; gl_Position = gl_in[i].gl_Position; \n"
     "  shade = gl_InvocationID == 0 ? paint[i] : paint[i].bgra; EmitVertex(); } }",
     nullptr, nullptr},
    {"doubles and integers", GL_POINTS, 16,
     "layout(points) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { double d = double(gl_PrimitiveIDIn) / 16.0lf; uint u = uint(gl_PrimitiveIDIn) * 2654435761u; for (int i = 0; "
     "i < 3; i++) {\n"
     "  gl_Position = gl_in[0].gl_Position + vec4(0.2 * float(i & 1), 0.2 * float(i >> 1), 0, 0);\n"
     "  shade = vec4(float(d * d), unpackUnorm4x8(u).xy, 1); EmitVertex(); } }",
     nullptr, nullptr},
    {"patches of triangles", GL_PATCHES, 12, nullptr,
     "layout(vertices = 3) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 1.0; gl_TessLevelOuter[1] = 3.0; gl_TessLevelOuter[2] = 5.0; "
     "gl_TessLevelInner[0] = 4.0; }",
     "layout(triangles, equal_spacing, ccw) in;\n"
     "void main() { MIX3 shade.rgb *= 0.5 + 0.5 * fract(gl_TessCoord * 2.5); }",
     1, 3},
    {"fractional odd", GL_PATCHES, 12, nullptr,
     "layout(vertices = 3) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 2.3; gl_TessLevelOuter[1] = 3.7; gl_TessLevelOuter[2] = 6.1; "
     "gl_TessLevelInner[0] = 4.4; }",
     "layout(triangles, fractional_odd_spacing, cw) in;\n"
     "void main() { MIX3 gl_Position.xy += 0.05 * sin(gl_TessCoord.xy * 20.0); }",
     1, 3},
    {"fractional even", GL_PATCHES, 12, nullptr,
     "layout(vertices = 3) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 7.3; gl_TessLevelOuter[1] = 2.2; gl_TessLevelOuter[2] = 1.4; "
     "gl_TessLevelInner[0] = 6.9; }",
     "layout(triangles, fractional_even_spacing, ccw) in;\n"
     "void main() { MIX3 gl_Position.xy += 0.05 * sin(gl_TessCoord.yx * 20.0); }",
     1, 3},
    {"quads", GL_PATCHES, 16, nullptr,
     "layout(vertices = 4) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 2.0; gl_TessLevelOuter[1] = 5.0; gl_TessLevelOuter[2] = 3.0; "
     "gl_TessLevelOuter[3] = 4.0;\n"
     "  gl_TessLevelInner[0] = 6.0; gl_TessLevelInner[1] = 3.0; }",
     "layout(quads, equal_spacing, ccw) in;\n"
     "void main() { MIX4 shade.rg *= 0.5 + 0.5 * fract(gl_TessCoord.xy * 2.5); }",
     1, 4},
    {"quads, fractional odd", GL_PATCHES, 16, nullptr,
     "layout(vertices = 4) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 2.4; gl_TessLevelOuter[1] = 5.5; gl_TessLevelOuter[2] = 3.3; "
     "gl_TessLevelOuter[3] = 4.1;\n"
     "  gl_TessLevelInner[0] = 6.2; gl_TessLevelInner[1] = 1.0; }",
     "layout(quads, fractional_odd_spacing, cw) in;\n"
     "void main() { MIX4 gl_Position.xy += 0.04 * sin(gl_TessCoord.xy * 17.0); }",
     1, 4},
    {"isolines", GL_PATCHES, 8, nullptr,
     "layout(vertices = 4) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 9.0; gl_TessLevelOuter[1] = 6.0; }",
     "layout(isolines, equal_spacing) in;\n"
     "void main() { MIX4 gl_Position.y += 0.2 * sin(gl_TessCoord.x * 6.3); }",
     1, 4},
    {"points of a tessellator", GL_PATCHES, 8, nullptr,
     "layout(vertices = 4) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 7.0; gl_TessLevelOuter[1] = 6.0; gl_TessLevelOuter[2] = 5.0; "
     "gl_TessLevelOuter[3] = 8.0;\n"
     "  gl_TessLevelInner[0] = 6.0; gl_TessLevelInner[1] = 7.0; }",
     "layout(quads, equal_spacing, point_mode) in;\n"
     "void main() { MIX4 }",
     1, 4},
    {"levels by the API", GL_PATCHES, 12, nullptr, nullptr,
     "layout(triangles, equal_spacing, ccw) in;\n"
     "void main() { MIX3 gl_Position.xy += 0.08 * sin(gl_TessCoord.xy * 20.0); }",
     1, 3},
    {"levels by the vertex", GL_PATCHES, 48, nullptr,
     "layout(vertices = 3) out; patch out vec4 whole;\n"
     "void main() { HAND_ON barrier(); if (gl_InvocationID == 0) { float far = length(gl_in[0].gl_Position.xy);\n"
     "  whole = control[1] * 0.5 + gl_out[2].gl_Position * 0.2 + 0.3;\n"
     "  gl_TessLevelOuter[0] = 1.0 + 6.0 * far; gl_TessLevelOuter[1] = 1.0 + 5.0 * far; gl_TessLevelOuter[2] = 2.0; "
     "gl_TessLevelInner[0] = 1.0 + 8.0 * far; } }",
     "layout(triangles, fractional_odd_spacing, ccw) in; patch in vec4 whole;\n"
     "void main() { MIX3 shade = vec4(whole.rgb * (0.5 + 0.5 * gl_TessCoord), 1); }",
     1, 3},
    {"culled patches", GL_PATCHES, 24, nullptr,
     "layout(vertices = 3) out;\n"
     "void main() { HAND_ON float level = gl_PrimitiveID % 2 == 0 ? 3.0 : 0.0;\n"
     "  gl_TessLevelOuter[0] = level; gl_TessLevelOuter[1] = 2.0; gl_TessLevelOuter[2] = 2.0; gl_TessLevelInner[0] = 2.0; }",
     "layout(triangles, equal_spacing, ccw) in;\n"
     "void main() { MIX3 shade.b = float(gl_PrimitiveID) / 8.0; }",
     1, 3},
    {"many patches", GL_PATCHES, 900, nullptr,
     "layout(vertices = 3) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 2.0; gl_TessLevelOuter[1] = 2.0; gl_TessLevelOuter[2] = 2.0; "
     "gl_TessLevelInner[0] = 2.0; }",
     "layout(triangles, equal_spacing, ccw) in;\n"
     "void main() { MIX3 }",
     2, 3},
    {"more control points out", GL_PATCHES, 8, nullptr,
     "layout(vertices = 7) out;\n"
     "void main() { float a = 6.2831853 * float(gl_InvocationID) / 7.0; gl_out[gl_InvocationID].gl_Position = 0.25 * "
     "gl_in[gl_InvocationID % 2].gl_Position\n"
     "    + vec4(0.6 * cos(a), 0.6 * sin(a), 0, 0.75); control[gl_InvocationID] = paint[gl_InvocationID % 2];\n"
     "  gl_TessLevelOuter[0] = 7.0; gl_TessLevelOuter[1] = 1.0; gl_TessLevelOuter[2] = 7.0; gl_TessLevelOuter[3] = 1.0; "
     "gl_TessLevelInner[0] = 7.0; gl_TessLevelInner[1] = 2.0; }",
     "layout(quads, equal_spacing, ccw) in;\n"
     "void main() { int i = int(gl_TessCoord.x * 6.99); gl_Position = mix(vec4(0, 0, 0, 1), gl_in[i].gl_Position, "
     "gl_TessCoord.y); shade = control[i]; }",
     1, 2},
    {"tessellation and geometry", GL_PATCHES, 12,
     "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
     "void main() { vec4 c = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0; for (int i = 0; i < 3; "
     "i++) {\n"
     "  gl_Position = mix(c, gl_in[i].gl_Position, 0.8); shade = paint[i]; EmitVertex(); } }",
     "layout(vertices = 3) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 4.0; gl_TessLevelOuter[1] = 3.0; gl_TessLevelOuter[2] = 5.0; "
     "gl_TessLevelInner[0] = 5.0; }",
     "layout(triangles, equal_spacing, ccw) in;\n"
     "void main() { MIX3 }",
     1, 3},
    {"isolines and geometry", GL_PATCHES, 8,
     "layout(lines) in; layout(triangle_strip, max_vertices = 4) out;\n"
     "void main() { for (int i = 0; i < 4; i++) { gl_Position = gl_in[i >> 1].gl_Position + vec4(0, 0.06 * float(i & 1), 0, 0); "
     "shade = paint[i >> 1]; EmitVertex(); } }",
     "layout(vertices = 4) out;\n"
     "void main() { HAND_ON gl_TessLevelOuter[0] = 5.0; gl_TessLevelOuter[1] = 6.0; }",
     "layout(isolines, fractional_even_spacing) in;\n"
     "void main() { MIX4 gl_Position.y += 0.2 * sin(gl_TessCoord.x * 6.3); }",
     1, 4},
    {"primitive's number without a geometry shader", GL_TRIANGLE_STRIP, 12, nullptr, nullptr, nullptr, 2, 0,
     "vec4(vec3(float(gl_PrimitiveID) / 10.0), 1) * 0.7 + shade * 0.3"},
};

// Vertices in a ring that winds inwards, so that neighbours make small primitives.
constexpr const char* vertex_shader =
    "#version 450\nout vec4 paint;\nuniform int count;\n"
    "void main() {\n"
    "  float t = float(gl_VertexID) / float(count), a = float(gl_VertexID) * 2.4 + 0.4 * float(gl_InstanceID), r = 0.9 - 0.6 * t "
    "- 0.1 * float(gl_InstanceID);\n"
    "  gl_Position = vec4(r * cos(a), r * sin(a), 0.3 * t, 1);\n"
    "  paint = vec4(0.5 + 0.5 * cos(a), 0.5 + 0.5 * sin(a * 1.3), t, 1);\n"
    "}\n";

bool draw(const Way& way) {
  bool tessellated = way.evaluation;
  std::vector<std::pair<GLenum, std::string>> shaders;
  std::string vertex = vertex_shader;
  bool plain = !tessellated && !way.geometry;
  if (plain) vertex.insert(vertex.find('\n') + 1, "#define paint shade\n");
  shaders.emplace_back(GL_VERTEX_SHADER, vertex);
  if (way.control)
    shaders.emplace_back(
        GL_TESS_CONTROL_SHADER,
        std::string("#version 450\n#define HAND_ON gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; "
                    "control[gl_InvocationID] = paint[gl_InvocationID];\nin vec4 paint[];\nout vec4 control[];\n") +
            way.control);
  if (tessellated) {
    const char* in = way.control ? "control" : "paint";
    const char* out = way.geometry ? "#define shade paint\nout vec4 paint;\n" : "out vec4 shade;\n";
    std::string source = "#version 450\n";
    if (way.geometry && !way.control) return false;
    source += out;
    source += std::string("in vec4 ") + in + "[];\n";
    source +=
        std::string("#define OF(i, w) gl_Position += gl_in[i].gl_Position * (w); shade += ") + in + "[i] * (w);\n" +
        "#define MIX3 gl_Position = vec4(0); shade = vec4(0); OF(0, gl_TessCoord.x) OF(1, gl_TessCoord.y) OF(2, gl_TessCoord.z)\n"
        "#define MIX4 gl_Position = vec4(0); shade = vec4(0); OF(0, (1.0 - gl_TessCoord.x) * (1.0 - gl_TessCoord.y)) "
        "OF(1, gl_TessCoord.x * (1.0 - gl_TessCoord.y)) OF(2, (1.0 - gl_TessCoord.x) * gl_TessCoord.y) OF(3, gl_TessCoord.x * "
        "gl_TessCoord.y)\n" +
        way.evaluation;
    shaders.emplace_back(GL_TESS_EVALUATION_SHADER, source);
  }
  if (way.geometry) shaders.emplace_back(GL_GEOMETRY_SHADER, std::string("#version 450\n") + through + way.geometry);
  shaders.emplace_back(GL_FRAGMENT_SHADER,
                       std::string("#version 450\nin vec4 shade;\nout vec4 colour;\nvoid main() { colour = ") +
                           (way.fragment ? way.fragment : "shade") + "; }\n");
  GLuint program = sheet::make_program(shaders);
  if (!program) return false;
  glUseProgram(program);
  glUniform1i(glGetUniformLocation(program, "count"), way.vertices);
  const float outer[4] = {3, 4, 5, 6}, inner[2] = {4, 3};
  glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, outer);
  glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, inner);
  if (way.patch) glPatchParameteri(GL_PATCH_VERTICES, way.patch);
  bool clips = way.geometry && std::string(way.geometry).find("gl_ClipDistance") != std::string::npos;
  if (clips) glEnable(GL_CLIP_DISTANCE0);
  GLint viewport[4];
  glGetIntegerv(GL_VIEWPORT, viewport);
  glViewportIndexedf(1, float(viewport[0] + viewport[2] / 2), float(viewport[1]), float(viewport[2] / 2), float(viewport[3] / 2));
  glDrawArraysInstanced(way.mode, 0, way.vertices, way.instances);
  glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
  if (clips) glDisable(GL_CLIP_DISTANCE0);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<sheet::Square> squares;
  for (const Way& way : ways) squares.push_back({way.name, [&way] { return draw(way); }});
  return sheet::run("stage_sheet", argc, argv, squares, [] {
    GLuint array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    return true;
  });
}
