#!/bin/bash
# V_FMA_MIX_F32 reads each source as f32 or, where op_sel_hi says so, as f16. LLVM 19 writes 1.5 as the literal 0x3e00, which is a half's
# 1.5, also where op_sel_hi is 0 and the hardware reads all 32 bits as a float: 2.2e-41. Of numbers that the instruction set has as
# constants (2.0) there is no literal, and the trap does not show.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(llvm-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1 libedit2=3.1-20221030-2 libbsd0=0.11.7-2
  libxml2=2.9.14+dfsg-1.3~deb12u6 libicu72=72.1-3+deb12u1 libz3-4=4.8.12-3.1)
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

# The words that a line of text becomes, and the text that words become, both for one chip.
words() { llvm-mc --triple=amdgcn --mcpu="$1" --show-encoding <<<"$2" | sed -n 's/.*encoding: \[\(.*\)\]/\1/p'; }
text() { llvm-mc --triple=amdgcn --mcpu="$1" ${3:-} --show-encoding <<<"$2" | sed -n 's/^[[:space:]]*\(.*[^ ]\) *; encoding.*/\1/p'; }
PATH=$folder/usr/lib/llvm-19/bin:$PATH

check "v_fma_mix_f32 with 1.5: literal" "$(words gfx1201 'v_fma_mix_f32 v0, v1, v2, 1.5' | cut -d, -f9-12)" 0x00,0x3e,0x00,0x00
check "v_fma_f32 with 1.5: literal" "$(words gfx1201 'v_fma_f32 v0, v1, v2, 1.5' | cut -d, -f9-12)" 0x00,0x00,0xc0,0x3f
mixed=$(words gfx1201 'v_fma_mix_f32 v0, v1, v2, 1.5')
check "op_sel_hi (bits 14, 59 and 60): no source is a half"   "$(($(cut -d, -f2 <<<"$mixed") >> 6 & 1)) $(($(cut -d, -f8 <<<"$mixed") >> 3 & 3))" "0 0"
check "v_fma_mix_f32 with 0x3fc00000, the float's bits"   "$(llvm-mc --triple=amdgcn --mcpu=gfx1201 <<<'v_fma_mix_f32 v0, v1, v2, 0x3fc00000' 2>&1 | grep -o 'invalid operand for instruction')"   "invalid operand for instruction"
exit $changed
