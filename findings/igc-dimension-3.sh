#!/bin/bash
# OpenCL has get_local_size, get_num_groups and get_global_size of a dimension beyond the grid's give 1, get_global_offset and the ids 0. Intel's
# IGC 1.0.12504 takes what dimension 3 gives for undefined: of a kernel that stores nothing else no store is left, with no warning.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(intel-opencl-icd=22.43.24595.41-1 libigc1=1.0.12504.6-1+deb12u1 libigdfcl1=1.0.12504.6-1+deb12u1
  libigdgmm12=22.3.3+ds1-1 libopencl-clang14=14.0.0-4 libllvmspirvlib14=14.0.0-5 libclang-cpp14=1:14.0.6-12
  libllvm14=1:14.0.6-12 libedit2=3.1-20221030-2 libbsd0=0.11.7-2 libxml2=2.9.14+dfsg-1.3~deb12u6
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

ln -s libiga64.so.1 usr/lib/x86_64-linux-gnu/libiga64.so # ocloc asks for the name that is in libigc-dev alone
instructions() { # BODY OCLOC-OPTION...: what a kernel becomes on the DG1
  rm -rf k.cl listing *.bin
  printf 'kernel void k(global ulong* out) { %s }\n' "$1" >k.cl
  usr/bin/ocloc compile -file k.cl -device dg1 -output k "${@:2}" >/dev/null
  usr/bin/ocloc disasm -file k_*.bin -device dg1 -dump listing >/dev/null
  sed -n 's/^ *\((W)\)* *//; /^[a-z]/s/ *{.*//p' listing/*k_*.asm
}

empty=$(instructions '')
check "a kernel without a statement ends its thread" "$(grep -oE 'send.ts' <<<"$empty")" send.ts
check "out[0] = 1 adds instructions" "$([ "$(instructions 'out[0] = 1;')" = "$empty" ] || echo yes)" yes
check "out[0] = get_local_size(2) does" "$([ "$(instructions 'out[0] = get_local_size(2);')" = "$empty" ] || echo yes)" yes
for one in get_local_size get_num_groups get_global_size get_global_offset get_group_id get_global_id; do
  check "out[0] = $one(3)" "$([ "$(instructions "out[0] = $one(3);")" = "$empty" ] && echo "as without it")" "as without it"
done
exit $changed
