#!/bin/bash
# A scissor lets whole pixels through (OpenGL 4.5, 17.3.2), however many samples they have. llvmpipe of Mesa 22.3.6 cuts targets of several
# samples at other places: a box of one pixel lets 9 of the samples of four pixels pass, which are counted and drawn. A box of 8x8 in the corner
# is right, as are targets of one sample.
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

cat >boxes.c <<'END'
#include "gl.h"
static const char* vertex = "#version 450\nvoid main() { gl_Position = vec4(gl_VertexID % 2 * 4 - 1, gl_VertexID / 2 * 4 - 1, 0, 1); }";
static float pixels[4 * 16 * 16];
static U made_target(U binding, int samples) {
  U buffer = MADE(glGenRenderbuffers), name = MADE(glGenFramebuffers);
  GL(glBindRenderbuffer, 0x8D41, buffer);
  EGL(void, glRenderbufferStorageMultisample, 0x8D41, samples, 0x8058, 16, 16);
  GL(glBindFramebuffer, binding, name);
  EGL(void, glFramebufferRenderbuffer, binding, 0x8CE0, 0x8D41, buffer);
  return name;
}
// White over all of a black target of 16x16, within a box: samples that passed, pixels that are not black, their sum once resolved.
static void box(int samples, int x, int y, int width, int height) {
  U query = MADE(glGenQueries), count = 0;
  made_target(0x8D40, samples);
  GL(glViewport, 0, 0, 16, 16), GL(glDisable, 0xC11), GL(glClear, 0x4000), GL(glEnable, 0xC11);
  EGL(void, glScissor, x, y, width, height);
  EGL(void, glBeginQuery, 0x8914, query), GL(glDrawArrays, 4, 0, 3), GL(glEndQuery, 0x8914);
  EGL(void, glGetQueryObjectuiv, query, 0x8866, &count);
  GL(glDisable, 0xC11);
  U resolved = made_target(0x8CA9, 0);
  EGL(void, glBlitFramebuffer, 0, 0, 16, 16, 0, 0, 16, 16, 0x4000, 0x2600);
  GL(glBindFramebuffer, 0x8CA8, resolved);
  EGL(void, glReadPixels, 0, 0, 16, 16, 0x1908, 0x1406, pixels);
  float sum = 0;
  int touched = 0;
  for (int n = 0; n < 256; n++) sum += pixels[4 * n], touched += pixels[4 * n] > 0;
  printf("%d samples, a box of %d pixels: %u samples, %d pixels, sum %.1f\n", samples ? samples : 1, width * height, count, touched, sum);
}
int main(void) {
  context();
  program(vertex, "#version 450\nout vec4 color;\nvoid main() { color = vec4(1); }");
  for (int samples = 0; samples <= 4; samples += 4) box(samples, 1, 1, 1, 1), box(samples, 3, 2, 5, 7), box(samples, 0, 0, 8, 8);
  return 0;
}
END
seen=$(run boxes.c)
row() { sed -n "$1p" <<<"$seen"; }
check "at 1,1" "$(row 1)" "1 samples, a box of 1 pixels: 1 samples, 1 pixels, sum 1.0"
check "at 3,2" "$(row 2)" "1 samples, a box of 35 pixels: 35 samples, 35 pixels, sum 35.0"
check "at 0,0" "$(row 3)" "1 samples, a box of 64 pixels: 64 samples, 64 pixels, sum 64.0"
check "at 1,1 (4 samples, 1 pixel, a sum of 1 were right)" "$(row 4)" "4 samples, a box of 1 pixels: 9 samples, 4 pixels, sum 2.3"
check "at 3,2 (140 samples, 35 pixels, a sum of 35)" "$(row 5)" "4 samples, a box of 35 pixels: 165 samples, 48 pixels, sum 41.3"
check "at 0,0" "$(row 6)" "4 samples, a box of 64 pixels: 256 samples, 64 pixels, sum 64.0"
exit $changed
