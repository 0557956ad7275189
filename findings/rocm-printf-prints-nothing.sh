#!/bin/bash
# rocm-device-libs 5.2.3 has a printf of its own in opencl.bc, which is weak, does nothing and returns. clang 19 makes the real one (calls that send
# the text to the host) of calls to a printf without a body: a kernel that is linked with the library as its compiler does prints nothing, and
# nothing is said. Without that function in the file it prints.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(clang-19=1:19.1.7-3~deb12u1 libclang-cpp19=1:19.1.7-3~deb12u1 libclang-common-19-dev=1:19.1.7-3~deb12u1
  libllvm19=1:19.1.7-3~deb12u1 libedit2=3.1-20221030-2 libbsd0=0.11.7-2 libxml2=2.9.14+dfsg-1.3~deb12u6
  libicu72=72.1-3+deb12u1 libz3-4=4.8.12-3.1 rocm-device-libs=5.2.3-2 llvm-19=1:19.1.7-3~deb12u1)
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

echo 'kernel void k(int n) { printf("%d of them\n", n); }' >k.cl
check "printf in the library" "$(llvm-nm "$library/opencl.bc" | awk '$3 == "printf" { print $2 }')" W
formats() { compile k.cl | grep -c '^amdhsa.printf:' || true; }
check "formats for the host in a kernel that prints" "$(formats)" 0
llvm-extract --delete --func=printf "$library/opencl.bc" -o "$library/without.bc" && mv "$library/without.bc" "$library/opencl.bc"
check "the same without that function" "$(formats)" 1
exit $changed
