#!/bin/bash
# glPopAttrib of Mesa 22.3.6 does not bring the blend equation of alpha back where that of colours has not changed and both were the same when
# they were pushed: it compares the colours' alone (src/mesa/main/attrib.c). What is drawn afterwards subtracts alphas instead of adding them.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(libegl1=1.6.0-1 libegl-mesa0=22.3.6-1+deb12u2 libgl1-mesa-dri=22.3.6-1+deb12u2 libbsd0=0.11.7-2 libdrm-amdgpu1=2.4.114-1+b1
  libdrm-intel1=2.4.114-1+b1 libdrm-nouveau2=2.4.114-1+b1 libdrm-radeon1=2.4.114-1+b1 libdrm2=2.4.114-1+b1 libedit2=3.1-20221030-2 libelf1=0.188-2.1
  libffi8=3.4.4-1 libgbm1=22.3.6-1+deb12u2 libglapi-mesa=22.3.6-1+deb12u2 libglvnd0=1.6.0-1 libicu72=72.1-3+deb12u1 libllvm15=1:15.0.6-4+b1
  libmd0=1.0.4-2 libpciaccess0=0.17-2 libsensors5=1:3.6.0-7.1 libwayland-client0=1.21.0-1 libwayland-server0=1.21.0-1 libx11-xcb1=2:1.8.4-2+deb12u2
  libxau6=1:1.0.9-1 libxcb-dri2-0=1.15-1 libxcb-dri3-0=1.15-1 libxcb-present0=1.15-1 libxcb-randr0=1.15-1 libxcb-sync1=1.15-1 libxcb-xfixes0=1.15-1
  libxcb1=1.15-1 libxdmcp6=1:1.1.2-3 libxml2=2.9.14+dfsg-1.3~deb12u6 libxshmfence1=1.3-1 libz3-4=4.8.12-3.1
  tcc=0.9.27+git20200814.62c30a4a-1)
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
export LD_LIBRARY_PATH=$folder/usr/lib/x86_64-linux-gnu
export __EGL_VENDOR_LIBRARY_FILENAMES=$folder/usr/share/glvnd/egl_vendor.d/50_mesa.json
export LIBGL_DRIVERS_PATH=$folder/usr/lib/x86_64-linux-gnu/dri LIBGL_ALWAYS_SOFTWARE=1 EGL_LOG_LEVEL=fatal

cat >equations.c <<'END'
int printf(const char*, ...);
long strtol(const char*, char**, int);
void* eglGetProcAddress(const char*);
#define CALL(type, name, ...) ((type(*)())eglGetProcAddress(#name))(__VA_ARGS__)
int main(int count, char** words) {
  void* display = CALL(void*, eglGetPlatformDisplayEXT, 0x31dd, (void*)0, (void*)0);  // EGL_PLATFORM_SURFACELESS_MESA
  CALL(int, eglInitialize, display, (void*)0, (void*)0), CALL(int, eglBindAPI, 0x30a2);  // EGL_OPENGL_API
  void* context = CALL(void*, eglCreateContext, display, (void*)0, (void*)0, (void*)0);
  CALL(int, eglMakeCurrent, display, (void*)0, (void*)0, context);
  CALL(void, glPushAttrib, 0xfffff);  // GL_ALL_ATTRIB_BITS
  CALL(void, glBlendEquationSeparate, (int)strtol(words[1], 0, 16), (int)strtol(words[2], 0, 16));
  CALL(void, glPopAttrib);
  int found[2] = {0, 0};
  CALL(void, glGetIntegerv, 0x8009, &found[0]), CALL(void, glGetIntegerv, 0x883d, &found[1]);  // GL_BLEND_EQUATION_RGB, _ALPHA
  printf("0x%x 0x%x\n", found[0], found[1]);
  return 0;
}
END
libraries=$folder/usr/lib/x86_64-linux-gnu && ln -s libEGL.so.1 "$libraries/libEGL.so"
equations() { usr/bin/tcc -B"$libraries/tcc" -L"$libraries" -nostdinc -lEGL -run equations.c "$@" 2>&1 || true; }
# 0x8006 adds, 0x8008 is the greater one, 0x800a subtracts; the first two were there before each push.
check "colours' and alpha's equation after push, (max, subtract), pop" "$(equations 8008 800a)" "0x8006 0x8006"
check "after push, (add, subtract), pop" "$(equations 8006 800a)" "0x8006 0x800a"
exit $changed
