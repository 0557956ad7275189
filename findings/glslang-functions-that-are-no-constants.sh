#!/bin/bash
# GLSL (4.50, 4.3.3) has every built-in function but texture lookups give a constant expression for constant arguments. glslang 12.0.0 takes
# length, cross, isnan and others for that, and refuses bitCount, floatBitsToInt, packHalf2x16, transpose, determinant, fma and asinh.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(glslang-tools=12.0.0-2 spirv-tools=2023.1-2)
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

constant() {
  printf '#version 450\nconst int x = %s;\nvoid main() {}\n' "$1" >x.comp
  if usr/bin/glslangValidator -V x.comp -o x.spv >said; then echo taken; else grep -o 'global const initializers must be constant' said; fi
}
for one in 'int(length(vec2(3, 4)))' 'int(cross(vec3(1), vec3(1)).x)' 'int(isnan(1.0))' 'int(outerProduct(vec2(1), vec2(1))[0].x)'; do
  check "$one" "$(constant "$one")" taken
done
for one in 'bitCount(5)' 'findMSB(5)' 'floatBitsToInt(1.0)' 'int(packHalf2x16(vec2(1)))' 'int(transpose(mat2(1))[0].x)' \
  'int(determinant(mat2(1)))' 'int(fma(1.0, 2.0, 3.0))' 'int(asinh(1.0))' 'int(ldexp(1.0, 2))'; do
  check "$one" "$(constant "$one")" "global const initializers must be constant"
done
exit $changed
