// A compute shader that never ends, in a context that asks for notice of a reset (KHR_robustness, EGL_EXT_create_context_robustness), beside
// a context that computes well: reset_program prints what glGetGraphicsResetStatus says of either before and after, as names.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include <cstdio>
#include <cstdlib>

namespace {

void need(bool condition, const char* what) {
  if (condition) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

// Ends only if the buffer has a number that it never has; what it does is seen, so no compiler may leave it out.
constexpr const char* source = R"(#version 430
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Words { uint limit, count; };
void main() {
  for (uint i = 0u; i < limit || limit == 0xffffffffu; ++i) atomicAdd(count, 1u);
}
)";

struct Context {
  EGLContext context;
  GLuint buffer = 0;

  Context(EGLDisplay display, EGLConfig config) {
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                             4,
                             EGL_CONTEXT_MINOR_VERSION,
                             3,
                             EGL_CONTEXT_OPENGL_ROBUST_ACCESS,
                             EGL_TRUE,
                             EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                             EGL_LOSE_CONTEXT_ON_RESET,
                             EGL_NONE};
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
    need(context != EGL_NO_CONTEXT, "eglCreateContext with notice of resets");
    use(display);
    const GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    need(linked, "the compute shader");
    glUseProgram(program);
    glGenBuffers(1, &buffer);
  }
  void use(EGLDisplay display) { need(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context), "eglMakeCurrent"); }
  void compute(GLuint limit) {
    const GLuint words[] = {limit, 0};
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof words, words, GL_STREAM_READ);
    glDispatchCompute(1, 1, 1);
    glFinish();
  }
  GLuint counted() {
    GLuint words[2] = {};
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof words, words);
    return words[1];
  }
};

const char* status() {
  switch (glGetGraphicsResetStatus()) {
    case GL_NO_ERROR: return "none";
    case GL_GUILTY_CONTEXT_RESET: return "guilty";
    case GL_INNOCENT_CONTEXT_RESET: return "innocent";
    case GL_UNKNOWN_CONTEXT_RESET: return "unknown";
    default: return "what no specification has";
  }
}

}  // namespace

int main() {
  auto get_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  need(get_display, "eglGetPlatformDisplayEXT");
  EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  need(eglInitialize(display, nullptr, nullptr) && eglBindAPI(EGL_OPENGL_API), "EGL without a surface");
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config;
  EGLint count = 0;
  need(eglChooseConfig(display, wanted, &config, 1, &count) && count == 1, "eglChooseConfig");
  Context hangs(display, config), works(display, config);
  std::printf("before: %s", status());
  hangs.use(display);
  std::printf(" %s\n", status());
  hangs.compute(7);
  std::printf("counted: %u\n", hangs.counted());
  hangs.compute(0xffffffffu);
  std::printf("after the hang: %s\n", status());
  works.use(display);
  std::printf("of the other: %s\n", status());
  works.compute(5);
  std::printf("counted: %u\n", works.counted());
}
