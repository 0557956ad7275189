#include "context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fcntl.h>
#include <gbm.h>

#include <algorithm>
#include <cstdio>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

namespace gears {

namespace {

std::string egl_error(const char* what) {
  char text[96];
  std::snprintf(text, sizeof text, "%s failed: EGL error 0x%04x", what, unsigned(eglGetError()));
  return text;
}

}  // namespace

std::string make_context(Platform platform, const std::string& device) {
  EGLDisplay display;
  if (platform == Platform::gbm) {
    int node = open(device.c_str(), O_RDWR | O_CLOEXEC);
    if (node < 0) return "cannot open " + device;
    gbm_device* gbm = gbm_create_device(node);
    if (!gbm) return device + " is no device that GBM knows";
    display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm, nullptr);
  } else {
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  }
  if (display == EGL_NO_DISPLAY) return egl_error("eglGetPlatformDisplay");
  if (!eglInitialize(display, nullptr, nullptr)) return egl_error("eglInitialize");
  if (!eglBindAPI(EGL_OPENGL_API)) return egl_error("eglBindAPI");
  EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, nullptr);
  if (context == EGL_NO_CONTEXT) return egl_error("eglCreateContext");
  if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return egl_error("eglMakeCurrent");
  return {};
}

std::string make_framebuffer(int width, int height) {
  GLuint framebuffer, buffers[2];
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glGenRenderbuffers(2, buffers);
  glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
  glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
  GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status == GL_FRAMEBUFFER_COMPLETE) return {};
  char text[64];
  std::snprintf(text, sizeof text, "the framebuffer is not complete: 0x%04x", status);
  return text;
}

std::vector<uint8_t> read_picture(int width, int height) {
  std::vector<uint8_t> picture(size_t(width) * height * 4);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, picture.data());
  size_t pitch = size_t(width) * 4;
  for (int top = 0, bottom = height - 1; top < bottom; top++, bottom--)
    std::swap_ranges(&picture[top * pitch], &picture[top * pitch] + pitch, &picture[bottom * pitch]);
  return picture;
}

}  // namespace gears
