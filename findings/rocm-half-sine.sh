#!/bin/bash
# rocm-device-libs 5.2.3: sin of a half ends by choosing NaN where the argument is not infinite, and the sine where it is: the two are the
# wrong way round, and every finite argument gives NaN. The f32 sine is right.
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
linked=()
for one in opencl ocml ockl oclc_abi_version_500 oclc_daz_opt_off oclc_finite_only_off oclc_unsafe_math_off \
  oclc_correctly_rounded_sqrt_on oclc_wavefrontsize64_off oclc_isa_version_1036; do
  linked+=(-Xclang -mlink-builtin-bitcode -Xclang "$library/$one.bc")
done
compile() { # SOURCE CLANG-OPTION...: its code with the library's functions in it
  clang -target amdgcn-amd-amdhsa -mcpu=gfx1036 -nogpulib -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -O2 "${linked[@]}" \
    -S "${@:2}" "$1" -o -
}
# The result of a function of the library for constants, as LLVM works it out: a kernel stores it.
value() { # TYPE EXPRESSION
  printf '#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global %s* out) { *out = %s; }\n' "$1" "$2" >k.cl
  compile k.cl -emit-llvm | sed -n 's/^  store \([^,]*\), .*/\1/p'
}

check "sin((half)1.0)" "$(value half 'sin((half)1.0)')" "half 0xH7E00"
check "sin((half)0.5)" "$(value half 'sin((half)0.5)')" "half 0xH7E00"
check "sin(0.0f)" "$(value float 'sin(0.0f)')" "float 0.000000e+00"
echo '#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half* out, half x) { *out = sin(x); }' >k.cl
check "how its last choice reads" "$(compile k.cl -emit-llvm | grep -oE 'fcmp [a-z]+ half %[0-9]+, 0xH7C00|select i1 %[0-9]+, half 0xH7E00' | sed 's/%[0-9]*/x/')" \
  "fcmp one half x, 0xH7C00
select i1 x, half 0xH7E00"
exit $changed
