#!/bin/bash
# glReadPixels and glGetTexImage of Mesa 25.0.7 can have a compute shader gather the pixels (MESA_COMPUTE_PBO=1; radeonsi does without being asked,
# once it has made the shader beside its other work). Of a layer that is attached to the framebuffer glReadPixels then gives layer 0's pixels,
# whichever it is. Without that shader they are right.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(libegl1=1.6.0-1 libglvnd0=1.6.0-1 libllvm15=1:15.0.6-4+b1 libstdc++6=12.2.0-14+deb12u1 libpciaccess0=0.17-2
  libelf1=0.188-2.1 libsensors5=1:3.6.0-7.1 libzstd1=1.5.4+dfsg2-5+deb12u1 libexpat1=2.5.0-1+deb12u2 libffi8=3.4.4-1
  libedit2=3.1-20221030-2 libbsd0=0.11.7-2 libmd0=1.0.4-2 libz3-4=4.8.12-3.1 libxml2=2.9.14+dfsg-1.3~deb12u6 libicu72=72.1-3+deb12u1
  libx11-6=2:1.8.4-2+deb12u2 libx11-xcb1=2:1.8.4-2+deb12u2 libxau6=1:1.0.9-1 libxdmcp6=1:1.1.2-3 libxcb1=1.15-1 libxcb-dri2-0=1.15-1
  libxcb-dri3-0=1.15-1 libxcb-present0=1.15-1 libxcb-randr0=1.15-1 libxcb-sync1=1.15-1 libxcb-xfixes0=1.15-1 libxshmfence1=1.3-1
  libwayland-client0=1.21.0-1 libwayland-server0=1.21.0-1 tcc=0.9.27+git20200814.62c30a4a-1)
mesa=(libegl-mesa0 libgl1-mesa-dri mesa-libgallium libgbm1) drm=(libdrm2 libdrm-amdgpu1 libdrm-intel1 libdrm-nouveau2 libdrm-radeon1)
mesa=("${mesa[@]/%/=25.0.7-2~bpo12+1}" "${drm[@]/%/=2.4.123-1~bpo12+1}")
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
apt() { apt-get -qq -o APT::Sandbox::User= "$@"; }
mkdir -p lists/partial cache/archives/partial sources
own=(-o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" -o Dir::State::status=/dev/null)
apt download "${packages[@]}" 2>/dev/null || { apt "${own[@]}" update && apt "${own[@]}" download "${packages[@]}"; } # (without lists: a copy here)
# The backports stand beside the release on the system's own mirror.
mirror=$(apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(REPO_URI)' 'Identifier: Packages' | sed -n 's/^main bookworm //p' | head -1)
[ "$mirror" ] || { echo "apt has no source of bookworm" && exit 1; }
printf 'Types: deb\nURIs: %s\nSuites: bookworm-backports\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$mirror" >sources/mesa.sources
own+=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$folder/sources")
apt "${own[@]}" update && apt "${own[@]}" download "${mesa[@]}"
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

cat >layers.c <<'END'
#include "gl.h"
static unsigned char pixels[64 * 64];
int main(void) {
  context();
  U texture = MADE(glGenTextures);
  GL(glBindTexture, 0x8C1A, texture);  // a 2D array of three layers
  EGL(void, glTexStorage3D, 0x8C1A, 1, 0x88F0, 64, 64, 3);  // DEPTH24_STENCIL8
  GL(glBindFramebuffer, 0x8D40, MADE(glGenFramebuffers));
  for (int turn = 0; turn < 2; turn++)
    for (int layer = 0; layer < 3; layer++) {
      EGL(void, glFramebufferTextureLayer, 0x8D40, 0x821A, texture, 0, layer);
      if (!turn) GL(glClearStencil, 10 + layer), GL(glClear, 0x400);
      if (!turn) continue;
      EGL(void, glReadPixels, 0, 0, 64, 64, 0x1901, 0x1401, pixels);
      printf(" %d", pixels[2000]);
    }
  printf("\n");
  return 0;
}
END
check "the stencil of layers 0, 1, 2, which are cleared to 10, 11, 12" "$(run layers.c)" " 10 11 12"
export MESA_COMPUTE_PBO=1
check "the same by a compute shader" "$(run layers.c)" " 10 10 10"
exit $changed
