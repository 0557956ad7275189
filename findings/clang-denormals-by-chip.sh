#!/bin/bash
# One kernel, one compiler, no option: for gfx1201 clang 19 has the hardware keep denormals of f32, for bonaire it has it flush them, in a
# field of the kernel descriptor that only a listing shows. Denormals of f64 and f16 are kept on both.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(clang-19=1:19.1.7-3~deb12u1 libclang-cpp19=1:19.1.7-3~deb12u1 libclang-common-19-dev=1:19.1.7-3~deb12u1
  libllvm19=1:19.1.7-3~deb12u1 libedit2=3.1-20221030-2 libbsd0=0.11.7-2 libxml2=2.9.14+dfsg-1.3~deb12u6
  libicu72=72.1-3+deb12u1 libz3-4=4.8.12-3.1)
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

PATH=$folder/usr/lib/llvm-19/bin:$PATH
compile() { # CHIP SOURCE CLANG-OPTION...
  clang -target amdgcn-amd-amdhsa -mcpu="$1" -nogpulib -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -O2 -S "${@:3}" "$2" -o -
}

echo 'kernel void k(global float* out, float a) { out[0] = a * 1.5f; }' >k.cl
field() { compile "$1" k.cl "${@:3}" | sed -n "s/.*\.amdhsa_float_denorm_mode_$2 //p"; }
check "f32 on bonaire (0: flush)" "$(field bonaire 32)" 0
check "f32 on gfx1201 (3: keep)" "$(field gfx1201 32)" 3
check "f16 and f64 on bonaire" "$(field bonaire 16_64)" 3
check "f32 on bonaire with -fdenormal-fp-math-f32=ieee" "$(field bonaire 32 -Xclang -fdenormal-fp-math-f32=ieee)" 3
exit $changed
