#!/bin/bash
# clang 19 has no 16-bit instructions for bonaire (GFX7) and computes halves as floats. A product that the source stores in a half
# variable before it is added is not rounded there: even with -ffp-contract=off the two become one v_mac_f32, rounded to half once, so
# a kernel's results differ from those on GPUs that have halves, and from what the source says.
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

cat >k.cl <<'END'
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half* out, half a, half b, half c) {
  half product = a * b;
  out[0] = product + c;
}
END
check "conversions to half on bonaire (product and sum have one each in the source)" \
  "$(compile bonaire k.cl -ffp-contract=off | grep -c v_cvt_f16_f32 || true)" 1
check "what makes the sum" "$(compile bonaire k.cl -ffp-contract=off | grep -oE 'v_(mac|mad|fma|mul|add)_f32' | sort -u)" v_mac_f32
check "on gfx1036" "$(compile gfx1036 k.cl -ffp-contract=off | grep -oE 'v_(mac|mad|fma|mul|add)_f16' | sort -u | paste -sd' ')" "v_add_f16 v_mul_f16"
exit $changed
