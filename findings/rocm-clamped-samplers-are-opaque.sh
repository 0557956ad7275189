#!/bin/bash
# rocm-device-libs 5.2.3: a sampler that stands in the source and clamps to the border (CLK_ADDRESS_CLAMP) has the border type 0,
# transparent black, up to gfx9, and 1, opaque black, from gfx10 on, in the last two bits of its four words. What a kernel reads outside
# an RGBA image has then an alpha of 1, where OpenCL C 2.0 ("Determining the border color") wants 0. The same source, another chip.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(clang-19=1:19.1.7-3~deb12u1 libclang-cpp19=1:19.1.7-3~deb12u1 libclang-common-19-dev=1:19.1.7-3~deb12u1
  libllvm19=1:19.1.7-3~deb12u1 libedit2=3.1-20221030-2 libbsd0=0.11.7-2 libxml2=2.9.14+dfsg-1.3~deb12u6
  libicu72=72.1-3+deb12u1 libz3-4=4.8.12-3.1 rocm-device-libs=5.2.3-2)
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
library=$folder/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
echo 'constant sampler_t clamped = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t a, global float4* out, int2 at) { *out = read_imagef(a, clamped, at); }' >k.cl
# The border type of the sampler's words in the code of a chip. WAVES64: on or off
border_type() { # CHIP ISA-VERSION WAVES64
  local linked=() one last
  for one in opencl ocml ockl oclc_abi_version_500 oclc_daz_opt_off oclc_finite_only_off oclc_unsafe_math_off \
    oclc_correctly_rounded_sqrt_on "oclc_wavefrontsize64_$3" "oclc_isa_version_$2"; do
    linked+=(-Xclang -mlink-builtin-bitcode -Xclang "$library/$one.bc")
  done
  last=$(clang -target amdgcn-amd-amdhsa -mcpu="$1" -nogpulib -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -O2 "${linked[@]}" \
    -S -emit-llvm k.cl -o - | grep -m1 'call .*image\.sample' | grep -oE '<4 x i32> <[^>]*>' | sed 's/.*i32 \(-\?[0-9]*\)>$/\1/')
  echo $((last >> 30 & 3))
}

check "gfx700's border type" "$(border_type gfx700 700 on)" 0
check "gfx900's border type" "$(border_type gfx900 900 on)" 0
check "gfx1010's border type" "$(border_type gfx1010 1010 off)" 1
check "gfx1036's border type" "$(border_type gfx1036 1036 off)" 1
exit $changed
