// A scene of three rectangles over each other with one fault planted in it, for tests of `atoll why` and `diff`: planted_faults FAULT prints
// the middle pixel as OpenGL reads it. The effect of each draw there follows from the scene: red, then green from a texture and
// nearer, then half of blue over both. `shader` and `geometry` draw the green by programs of their own with one operation that is
// wrong; `program` and `stages` are these scenes without it. `extra` has one more draw, beside the middle.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "../../examples/gears/context.h"

namespace {

constexpr int size = 64;

constexpr const char* faults[] = {"none",  "blend",      "depth",   "vertex", "texture", "cull",     "scissor", "mask",
                                  "alpha", "descriptor", "program", "shader", "stages",  "geometry", "extra"};

void rectangle(float half, float z, float shift, bool turned) {
  const float left = shift - half, right = shift + half;
  glBegin(GL_TRIANGLES);
  const float corners[6][2] = {{left, -half}, {right, -half}, {right, half}, {left, -half}, {right, half}, {left, half}};
  for (int n = 0; n < 6; n++) {
    const float* c = corners[turned ? 5 - n : n];
    glTexCoord2f(0.5f, 0.5f);
    glVertex3f(c[0], c[1], z);
  }
  glEnd();
}

GLuint stage(GLenum kind, const char* text) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  return shader;
}

// The programs that the green is drawn by: a pixel shader alone, or a geometry shader between two others.
constexpr const char* good_pixels =
    "uniform sampler2D image; uniform vec4 factor;"
    "void main() { gl_FragColor = texture2D(image, gl_TexCoord[0].xy) * factor; }";
constexpr const char* wrong_pixels =
    "uniform sampler2D image; uniform vec4 factor;"
    "void main() { gl_FragColor = texture2D(image, gl_TexCoord[0].xy) - factor; }";
constexpr const char* vertices = "#version 150 compatibility\nvoid main() { gl_Position = gl_Vertex; }";
constexpr const char* green_pixels = "#version 150 compatibility\nvoid main() { gl_FragColor = vec4(0, 1, 0, 1); }";

bool use_program(const std::string& fault) {
  const GLuint program = glCreateProgram();
  if (fault == "program" || fault == "shader") {
    glAttachShader(program, stage(GL_FRAGMENT_SHADER, fault == "shader" ? wrong_pixels : good_pixels));
  } else {
    const std::string triangles = std::string(
                                      "#version 150 compatibility\n"
                                      "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;"
                                      "void main() { for (int n = 0; n < 3; n++) { gl_Position = gl_in[n].gl_Position") +
                                  (fault == "geometry" ? " + vec4(2, 0, 0, 0)" : "") + "; EmitVertex(); } EndPrimitive(); }";
    glAttachShader(program, stage(GL_VERTEX_SHADER, vertices));
    glAttachShader(program, stage(GL_GEOMETRY_SHADER, triangles.c_str()));
    glAttachShader(program, stage(GL_FRAGMENT_SHADER, green_pixels));
  }
  glLinkProgram(program);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  char why[400] = "";
  glGetProgramInfoLog(program, sizeof why, nullptr, why);
  if (!linked) std::fprintf(stderr, "planted_faults: %s\n", why);
  glUseProgram(program);
  if (const GLint factor = glGetUniformLocation(program, "factor"); factor >= 0) glUniform4f(factor, 0, 1, 0, 1);
  return linked;
}

}  // namespace

int main(int argc, char** argv) {
  bool known = false;
  for (const char* name : faults) known |= argc == 2 && !std::strcmp(argv[1], name);
  if (!known) {
    std::fprintf(stderr, "usage: planted_faults FAULT, one of:");
    for (const char* name : faults) std::fprintf(stderr, " %s", name);
    std::fprintf(stderr, "\n");
    return argc == 2 && !std::strcmp(argv[1], "--help") ? 0 : 2;
  }
  const std::string fault = argv[1];
  std::string error = gears::make_context(gears::Platform::surfaceless, "");
  if (error.empty()) error = gears::make_framebuffer(size, size);
  if (!error.empty()) {
    std::fprintf(stderr, "planted_faults: %s\n", error.c_str());
    return 1;
  }
  glViewport(0, 0, size, size);
  glClearColor(0, 0, 0.25f, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);

  glColor4f(1, 0, 0, 1);
  rectangle(1, 0.5f, 0, false);
  glFlush();

  const uint8_t green[4] = {0, uint8_t(fault == "texture" ? 0 : 255), 0, 255};
  std::vector<uint8_t> texels;
  for (int n = 0; n < 16 * 16; n++) texels.insert(texels.end(), green, green + 4);
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
  glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
  glEnable(GL_TEXTURE_2D);
  if (fault == "depth") glDepthFunc(GL_GREATER);
  if (fault == "cull") glEnable(GL_CULL_FACE);
  if (fault == "scissor") glEnable(GL_SCISSOR_TEST), glScissor(0, 0, 8, 8);
  if (fault == "mask") glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
  if (fault == "alpha") glEnable(GL_ALPHA_TEST), glAlphaFunc(GL_LESS, 0.5f);
  if (fault == "descriptor") glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_G, GL_ZERO);
  for (const char* by_program : {"program", "shader", "stages", "geometry"})
    if (fault == by_program && !use_program(fault)) return 1;
  rectangle(0.5f, 0, fault == "vertex" ? 2.0f : 0, fault == "cull");
  glUseProgram(0);
  glDisable(GL_TEXTURE_2D), glDisable(GL_CULL_FACE), glDisable(GL_SCISSOR_TEST), glDisable(GL_ALPHA_TEST);
  glDepthFunc(GL_LESS);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);

  if (fault == "extra") {
    glColor4f(1, 1, 1, 1);
    rectangle(0.125f, 0, 0.75f, false);
  }

  glEnable(GL_BLEND);
  if (fault == "blend")
    glBlendFunc(GL_ONE, GL_ZERO);
  else
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  glColor4f(0, 0, 1, 0.5f);
  rectangle(0.5f, -0.5f, 0, false);
  glFinish();

  const std::vector<uint8_t> picture = gears::read_picture(size, size);
  const uint8_t* middle = picture.data() + (size_t(size / 2) * size + size / 2) * 4;
  std::printf("%d %d %d %d\n", middle[0], middle[1], middle[2], middle[3]);
  return glGetError() == GL_NO_ERROR ? 0 : 1;
}
