// Draws with vertex shaders of many instructions whose outputs are not all read, so that radeonsi compiles optimised variants on
// its low-priority thread (Mesa 22.3 si_state_shaders.cpp: kill_outputs), and ends at once. Its output stays buffered until then.
#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::string vertex_shader(int number) {
  std::string text =
      "#version 410\n"
      "layout(location = 0) in vec2 p;\n"
      "layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; layout(location = 2) out vec4 c;\n"
      "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };\n"
      "uniform float seed;\n"
      "void main() { vec4 v = vec4(p, seed, " +
      std::to_string(number) + ".5);\n";
  for (int i = 0; i < 150; ++i) {
    std::string n = std::to_string(i);
    text += "v = sin(v.yzwx * " + n + ".25 + cos(v.zxyw)) + sqrt(abs(v)) * pow(abs(v.x), " + n + ".5);\n";
    text += "if (v.x > " + n + ".0) v += inversesqrt(abs(v.zwxy) + 1.0);\n";
  }
  return text +
         "gl_Position = vec4(p, 0, 1); gl_PointSize = v.x; gl_ClipDistance[0] = 1 + abs(v.y); gl_ClipDistance[1] = 1;\n"
         "a = v; b = sin(v); c = cos(v * v); }";
}

unsigned link(GLenum stage, const std::string& text) {
  const char* one = text.c_str();
  unsigned program = glCreateShaderProgramv(stage, 1, &one);
  int linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (!linked) std::printf("a shader does not link\n");
  return program;
}

void draw() {
  for (int i = 0; i < 2; ++i) {
    unsigned pipeline;
    glGenProgramPipelines(1, &pipeline);
    glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, link(GL_VERTEX_SHADER, vertex_shader(i)));
    glUseProgramStages(
        pipeline, GL_FRAGMENT_SHADER_BIT,
        link(GL_FRAGMENT_SHADER, "#version 410\nlayout(location = 0) in vec4 a; out vec4 o; void main() { o = a; }"));
    glBindProgramPipeline(pipeline);
    glDrawArrays(GL_TRIANGLES, 0, 3);
  }
  unsigned char pixel[4];
  glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
  std::printf("drawn\n");
}

}  // namespace

int main(int argc, char** argv) {
  EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr);
  if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API)) return 2;
  const int wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
  EGLContext context = eglCreateContext(display, nullptr, nullptr, wanted);
  if (!context || !eglMakeCurrent(display, nullptr, nullptr, context)) return 3;
  std::printf("%s\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
  unsigned frame, target, vertices, points;
  glGenFramebuffers(1, &frame);
  glBindFramebuffer(GL_FRAMEBUFFER, frame);
  glGenRenderbuffers(1, &target);
  glBindRenderbuffer(GL_RENDERBUFFER, target);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 16, 16);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target);
  glViewport(0, 0, 16, 16);
  glGenVertexArrays(1, &vertices);
  glBindVertexArray(vertices);
  constexpr float places[] = {-1, -1, 1, -1, -1, 1};
  glGenBuffers(1, &points);
  glBindBuffer(GL_ARRAY_BUFFER, points);
  glBufferData(GL_ARRAY_BUFFER, sizeof places, places, GL_STATIC_DRAW);
  glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(0);
  draw();
  if (argc == 1) return 0;
  std::fflush(stdout);
  pid_t child = ::fork();
  if (child == 0) {
    if (argv[1] == std::string("fork")) draw();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::printf("child: status %d, signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
}
