#!/bin/bash
# LLVM 19's assembler takes v_nop_e64, the form of eight bytes, and its disassembler calls that form v_nop, which is the name of the
# form of four: what it prints assembles to an instruction that is half as long, and every branch across it is off.
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

check "v_nop_e64 on gfx1201" "$(words gfx1201 v_nop_e64)" 0x00,0x00,0x80,0xd5,0x00,0x00,0x00,0x00
back=$(text gfx1201 0x00,0x00,0x80,0xd5,0x00,0x00,0x00,0x00 --disassemble)
check "these words as text" "$back" v_nop
check "that text as words" "$(words gfx1201 "$back")" 0x00,0x00,0x00,0x7e
check "the same of v_clrexcp_e64 on bonaire" "$(text bonaire v_clrexcp_e64)" v_clrexcp
exit $changed
