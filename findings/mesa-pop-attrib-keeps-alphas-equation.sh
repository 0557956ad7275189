#!/bin/bash
# glPopAttrib of Mesa 22.3.6 does not bring the blend equation of alpha back where that of colours has not changed and both were the same when
# they were pushed: it compares the colours' alone (src/mesa/main/attrib.c). What is drawn afterwards subtracts alphas instead of adding them.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(libegl1=1.6.0-1 libopengl0=1.6.0-1 libegl-mesa0=22.3.6-1+deb12u2 libgl1-mesa-dri=22.3.6-1+deb12u2 libbsd0=0.11.7-2 libdrm-amdgpu1=2.4.114-1+b1
  libdrm-intel1=2.4.114-1+b1 libdrm-nouveau2=2.4.114-1+b1 libdrm-radeon1=2.4.114-1+b1 libdrm2=2.4.114-1+b1 libedit2=3.1-20221030-2 libelf1=0.188-2.1
  libffi8=3.4.4-1 libgbm1=22.3.6-1+deb12u2 libglapi-mesa=22.3.6-1+deb12u2 libglvnd0=1.6.0-1 libicu72=72.1-3+deb12u1 libllvm15=1:15.0.6-4+b1
  libmd0=1.0.4-2 libpciaccess0=0.17-2 libsensors5=1:3.6.0-7.1 libwayland-client0=1.21.0-1 libwayland-server0=1.21.0-1 libx11-xcb1=2:1.8.4-2+deb12u2
  libxau6=1:1.0.9-1 libxcb-dri2-0=1.15-1 libxcb-dri3-0=1.15-1 libxcb-present0=1.15-1 libxcb-randr0=1.15-1 libxcb-sync1=1.15-1 libxcb-xfixes0=1.15-1
  libxcb1=1.15-1 libxdmcp6=1:1.1.2-3 libxml2=2.9.14+dfsg-1.3~deb12u6 libxshmfence1=1.3-1 libz3-4=4.8.12-3.1)
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

cat >equations.py <<'END'
import ctypes, sys
egl, gl = ctypes.CDLL("libEGL.so.1"), ctypes.CDLL("libOpenGL.so.0")
egl.eglGetPlatformDisplay.restype = egl.eglCreateContext.restype = ctypes.c_void_p
display = ctypes.c_void_p(egl.eglGetPlatformDisplay(0x31dd, None, None))  # EGL_PLATFORM_SURFACELESS_MESA
egl.eglInitialize(display, None, None)
egl.eglBindAPI(0x30a2)  # EGL_OPENGL_API
context = ctypes.c_void_p(egl.eglCreateContext(display, None, None, None))
egl.eglMakeCurrent(display, None, None, context)
gl.glPushAttrib(0xfffff)  # GL_ALL_ATTRIB_BITS
gl.glBlendEquationSeparate(int(sys.argv[1], 16), int(sys.argv[2], 16))
gl.glPopAttrib()
found = [ctypes.c_int(), ctypes.c_int()]
gl.glGetIntegerv(0x8009, ctypes.byref(found[0]))  # GL_BLEND_EQUATION_RGB
gl.glGetIntegerv(0x883d, ctypes.byref(found[1]))  # GL_BLEND_EQUATION_ALPHA
print(*(hex(f.value) for f in found))
END
# 0x8006 adds, 0x8008 is the greater one, 0x800a subtracts; the first two were there before each push.
check "colours' and alpha's equation after push, (max, subtract), pop" "$(python3 equations.py 8008 800a)" "0x8006 0x8006"
check "after push, (add, subtract), pop" "$(python3 equations.py 8006 800a)" "0x8006 0x800a"
exit $changed
