#!/bin/bash
# spirv-as 2023.1 (SPIRV-Tools) rounds literals of 32-bit floats to the nearest, those of 16-bit floats toward zero: 65520 is 65504 and no
# infinity, 5.9e-8, next to the least denormal (5.96e-8), is 0, and a tie never goes up.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(spirv-tools=2023.1-2)
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

word() { # TYPE LITERAL
  printf 'OpCapability Shader\nOpCapability Float16\nOpMemoryModel Logical GLSL450\n%%float = OpTypeFloat 32\n%%half = OpTypeFloat 16\n%%x = OpConstant %%%s %s\n' \
    "$1" "$2" | usr/bin/spirv-as - -o x.spv
  od -An -tx4 -j $(($(stat -c %s x.spv) - 4)) x.spv | tr -d ' '
}
check "half 1.00146484375, halfway between 0x3c01 and 0x3c02" "$(word half 1.00146484375)" 00003c01
check "half 1.0009, nearest 0x3c01" "$(word half 1.0009)" 00003c00
check "half 5.9e-8, nearest 0x0001" "$(word half 5.9e-8)" 00000000
check "half 65535, nearest infinity" "$(word half 65535)" 00007bff
check "float 16777219, a tie: to even, up" "$(word float 16777219)" 4b800002
check "float 1.4e-45, the least denormal" "$(word float 1.4e-45)" 00000001
exit $changed
