#!/bin/bash
# A block of RGTC1 (BC4) has two ends and the four or six values between them in fifths or sevenths (OpenGL 4.5, 8.7 and C.1). llvmpipe of
# Mesa 22.3.6 mixes them as with weights of 256ths, which are cut as the sum is: of 0 and 255 the fifths, which bytes have exactly (51, 102, 153,
# 204), are each one less, and between 1 and 0 there is nothing. What glGetTexImage gives is the same. Signed ones are cut likewise.
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

cat >ramp.c <<'END'
#include "gl.h"
static const char* vertex = "#version 450\nvoid main() { gl_Position = vec4(gl_VertexID % 2 * 4 - 1, gl_VertexID / 2 * 4 - 1, 0, 1); }";
static float pixels[4 * 8], image[16];
// Texel n has the code n modulo 8, three bits each. A shader's texels, then glGetTexImage's; in units of the ends.
static void ramp(const char* name, U format, int first, int second, float units) {
  unsigned char block[8] = {(unsigned char)first, (unsigned char)second};
  unsigned long long codes = 0;
  for (int n = 0; n < 16; n++) codes |= (unsigned long long)(n % 8) << (3 * n);
  for (int n = 0; n < 6; n++) block[2 + n] = (unsigned char)(codes >> (8 * n));
  U texture = MADE(glGenTextures);
  GL(glBindTexture, 0xDE1, texture);
  EGL(void, glCompressedTexImage2D, 0xDE1, 0, format, 4, 4, 0, 8, block);
  GL(glTexParameteri, 0xDE1, 0x2801, 0x2600), GL(glTexParameteri, 0xDE1, 0x2800, 0x2600);
  GL(glDrawArrays, 4, 0, 3);
  EGL(void, glReadPixels, 0, 0, 8, 1, 0x1908, 0x1406, pixels);
  EGL(void, glGetTexImage, 0xDE1, 0, 0x1903, 0x1406, image);
  printf("%s:", name);
  for (int n = 0; n < 8; n++) printf(" %.2f", pixels[4 * n] * units);
  int same = 1;
  for (int n = 0; n < 8; n++) same &= pixels[4 * n] == image[n];
  printf(same ? ", read back the same\n" : ", read back otherwise\n");
}
int main(void) {
  context();
  program(vertex, "#version 450\nuniform sampler2D s; out vec4 color;\n"
                  "void main() { int n = int(gl_FragCoord.x); color = texelFetch(s, ivec2(n % 4, n / 4), 0); }");
  target(0x8814, 8);
  ramp("0, 255", 0x8DBB, 0, 255, 255), ramp("255, 0", 0x8DBB, 255, 0, 255), ramp("1, 0", 0x8DBB, 1, 0, 255);
  ramp("2, -2 signed", 0x8DBC, 2, -2, 127);
  return 0;
}
END
seen=$(run ramp.c)
row() { sed -n "$1p" <<<"$seen"; }
check "the ends, fifths of 255 (51, 102, 153, 204), 0 and 1" "$(row 1)" \
  "0, 255: 0.00 255.00 50.00 101.00 152.00 203.00 0.00 255.00, read back the same"
check "the ends, sevenths of 255 (218.57, 182.14, 145.71, 109.29, 72.86, 36.43)" "$(row 2)" \
  "255, 0: 255.00 0.00 219.00 183.00 146.00 110.00 73.00 37.00, read back the same"
check "the ends, sevenths of 1 (0.86, 0.71, 0.57, 0.43, 0.29, 0.14)" "$(row 3)" \
  "1, 0: 1.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00, read back the same"
check "the ends, sevenths of 4 (1.43, 0.86, 0.29, -0.29, -0.86, -1.43)" "$(row 4)" \
  "2, -2 signed: 2.00 -2.00 1.00 0.00 0.00 -1.00 -1.00 -2.00, read back the same"
exit $changed
