#!/bin/bash
# glDrawTransformFeedback draws as many vertices as were captured (OpenGL 4.5, 13.3.3). llvmpipe of Mesa 22.3.6 draws as many as the captured
# bytes have strides of the vertex buffer that is bound then: right where that stride is what a captured vertex takes, half of them where it is
# twice that, and nothing where no array is enabled.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(libegl1=1.6.0-1 libglvnd0=1.6.0-1 libegl-mesa0=22.3.6-1+deb12u2 libgl1-mesa-dri=22.3.6-1+deb12u2
  libglapi-mesa=22.3.6-1+deb12u2 libgbm1=22.3.6-1+deb12u2 libllvm15=1:15.0.6-4+b1 libstdc++6=12.2.0-14+deb12u1 libdrm2=2.4.114-1+b1
  libdrm-amdgpu1=2.4.114-1+b1 libdrm-intel1=2.4.114-1+b1 libdrm-nouveau2=2.4.114-1+b1 libdrm-radeon1=2.4.114-1+b1 libpciaccess0=0.17-2
  libelf1=0.188-2.1 libsensors5=1:3.6.0-7.1 libzstd1=1.5.4+dfsg2-5+deb12u1 libexpat1=2.5.0-1+deb12u2 libffi8=3.4.4-1
  libedit2=3.1-20221030-2 libbsd0=0.11.7-2 libmd0=1.0.4-2 libz3-4=4.8.12-3.1 libxml2=2.9.14+dfsg-1.3~deb12u6 libicu72=72.1-3+deb12u1
  libx11-6=2:1.8.4-2+deb12u2 libx11-xcb1=2:1.8.4-2+deb12u2 libxau6=1:1.0.9-1 libxdmcp6=1:1.1.2-3 libxcb1=1.15-1 libxcb-dri2-0=1.15-1
  libxcb-dri3-0=1.15-1 libxcb-present0=1.15-1 libxcb-randr0=1.15-1 libxcb-sync1=1.15-1 libxcb-xfixes0=1.15-1 libxshmfence1=1.3-1
  libwayland-client0=1.21.0-1 libwayland-server0=1.21.0-1 tcc=0.9.27+git20200814.62c30a4a-1)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
apt() { apt-get -qq -o APT::Sandbox::User= "$@"; }
apt download "${packages[@]}" 2>/dev/null || { # a system without lists of packages: a copy of them here
  mkdir -p lists/partial cache/archives/partial
  own=(-o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache")
  apt "${own[@]}" update && apt "${own[@]}" download "${packages[@]}"
}
for package in *.deb; do dpkg-deb -x "$package" .; done
changed=0
check() { # WHAT SEEN EXPECTED
  printf '%s\n  seen      %s\n  expected  %s\n' "$1" "${2//$'\n'/$'\n            '}" "${3//$'\n'/$'\n            '}"
  [ "$2" = "$3" ] || changed=1
}
libraries=$folder/usr/lib/x86_64-linux-gnu && ln -s libEGL.so.1 "$libraries/libEGL.so"
export LD_LIBRARY_PATH=$libraries LIBGL_DRIVERS_PATH=$libraries/dri __EGL_VENDOR_LIBRARY_DIRS=$folder/usr/share/glvnd/egl_vendor.d
export LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe MESA_SHADER_CACHE_DISABLE=1

cat >gl.h <<'END'
int printf(const char*, ...);
void* eglGetProcAddress(const char*);
typedef unsigned U;
#define GL(name, ...) ((U(*)(U, ...))eglGetProcAddress(#name))(__VA_ARGS__)
#define EGL(type, name, ...) ((type(*)())eglGetProcAddress(#name))(__VA_ARGS__)
U made(void* create) { U name = 0; ((void (*)(int, U*))create)(1, &name); return name; }
#define MADE(name) made(eglGetProcAddress(#name))
void context(void) {  // an OpenGL 4.5 core context without a surface
  int wants[] = {0x3098, 4, 0x30FB, 5, 0x30FD, 1, 0x3038};
  void* display = EGL(void*, eglGetPlatformDisplayEXT, 0x31DD, (void*)0, (void*)0);
  EGL(U, eglInitialize, display, (void*)0, (void*)0), EGL(U, eglBindAPI, 0x30A2);
  void* made = EGL(void*, eglCreateContext, display, (void*)0, (void*)0, wants);
  EGL(U, eglMakeCurrent, display, (void*)0, (void*)0, made);
}
void program(const char* vertex, const char* fragment) {
  const char* texts[] = {vertex, fragment};
  U kinds[] = {0x8B31, 0x8B30}, whole = EGL(U, glCreateProgram, 0);
  for (int n = 0; n < 2; n++) {
    U shader = GL(glCreateShader, kinds[n]);
    EGL(void, glShaderSource, shader, 1, &texts[n], (void*)0), GL(glCompileShader, shader), GL(glAttachShader, whole, shader);
  }
  GL(glLinkProgram, whole), GL(glUseProgram, whole), GL(glBindVertexArray, MADE(glGenVertexArrays));
}
void target(U format, int width) {
  U texture = MADE(glGenTextures);
  GL(glBindTexture, 0xDE1, texture), GL(glTexStorage2D, 0xDE1, 1, format, width, 1);
  GL(glBindFramebuffer, 0x8D40, MADE(glGenFramebuffers)), GL(glFramebufferTexture2D, 0x8D40, 0x8CE0, 0xDE1, texture, 0);
  GL(glViewport, 0, 0, width, 1), GL(glDisable, 0xBD0);  // no dithering
}
END
run() { usr/bin/tcc -B"$libraries/tcc" -L"$libraries" -nostdinc -lEGL -run "$1" 2>&1 || true; }

cat >captured.c <<'END'
#include "gl.h"
static const char* vertex = "#version 450\nlayout(location = 0) in float value;\nlayout(xfb_buffer = 0, xfb_offset = 0) out float captured;\n"
                            "void main() { captured = value; gl_Position = vec4((float(gl_VertexID) + 0.5) / 8.0 - 1.0, 0, 0, 1); }";
static void points(const char* name, U objects, int by_capture) {
  U query = MADE(glGenQueries), passed = 0;
  GL(glBeginQuery, 0x8914, query);
  if (by_capture)
    GL(glDrawTransformFeedback, 0, objects);
  else
    GL(glDrawArrays, 0, 0, 8);
  GL(glEndQuery, 0x8914);
  EGL(void, glGetQueryObjectuiv, query, 0x8866, &passed);
  printf("%s: %u points\n", name, passed);
}
int main(void) {
  context();
  program(vertex, "#version 450\nout vec4 color;\nvoid main() { color = vec4(1); }");
  target(0x8814, 16);
  U object = MADE(glGenTransformFeedbacks);
  GL(glBindTransformFeedback, 0x8E22, object), GL(glBindBuffer, 0x8C8E, MADE(glGenBuffers));
  EGL(void, glBufferData, 0x8C8E, 1024L, (void*)0, 0x88E4), GL(glBindBufferBase, 0x8C8E, 0, 1);
  GL(glBeginTransformFeedback, 0), GL(glDrawArrays, 0, 0, 8), EGL(void, glEndTransformFeedback);
  GL(glBindTransformFeedback, 0x8E22, 0);  // 8 vertices of 4 bytes
  points("by number", object, 0), points("captured, no array", object, 1);
  GL(glBindBuffer, 0x8892, MADE(glGenBuffers));
  EGL(void, glBufferData, 0x8892, 1024L, (void*)0, 0x88E4), GL(glEnableVertexAttribArray, 0);
  for (int stride = 4; stride <= 16; stride *= 2) {
    EGL(void, glVertexAttribPointer, 0, 1, 0x1406, 0, stride, (void*)0);
    printf("stride %d, ", stride), points("captured", object, 1);
  }
  return 0;
}
END
seen=$(run captured.c)
row() { sed -n "$1p" <<<"$seen"; }
check "8 points that are captured, drawn by glDrawArrays" "$(row 1)" "by number: 8 points"
check "drawn by glDrawTransformFeedback (8 were right in all of these)" "$(row 2)" "captured, no array: 0 points"
check "the same" "$(row 3)" "stride 4, captured: 8 points"
check "the same" "$(row 4)" "stride 8, captured: 4 points"
check "the same" "$(row 5)" "stride 16, captured: 2 points"
exit $changed
