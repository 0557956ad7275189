// An ordinary OpenGL program that draws one triangle and reads a pixel of it, without a window: what a process costs besides its work
// (bench/process).
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>

#include <cstdio>

int main() {
  constexpr int size = 256;
  EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_RED_SIZE, 8, EGL_NONE};
  const EGLint surface_size[] = {EGL_WIDTH, size, EGL_HEIGHT, size, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint configs = 0;
  if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API) ||
      !eglChooseConfig(display, wanted, &config, 1, &configs) || configs == 0)
    return std::fprintf(stderr, "one_triangle: no OpenGL\n"), 1;
  EGLSurface surface = eglCreatePbufferSurface(display, config, surface_size);
  if (!eglMakeCurrent(display, surface, surface, eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr)))
    return std::fprintf(stderr, "one_triangle: no context\n"), 1;
  glViewport(0, 0, size, size);
  glClear(GL_COLOR_BUFFER_BIT);
  glBegin(GL_TRIANGLES);
  glColor3f(0, 1, 0);
  glVertex2f(-0.8f, -0.8f), glVertex2f(0.8f, -0.8f), glVertex2f(0, 0.8f);
  glEnd();
  unsigned char pixel[4] = {};
  glReadPixels(size / 2, size / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
  eglTerminate(display);
  return pixel[1] == 255 ? 0 : 2;
}
