#!/bin/bash
# Where LLVM 19 has names for the parts of an immediate (the counters of s_waitcnt, a message of s_sendmsg, a mask of ds_swizzle_b32) it
# prints the names alone: bits that no name covers are left out, and the text assembles to another immediate. An unnamed number, as in
# s_nop, keeps them.
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

for one in 's_waitcnt 162|s_waitcnt vmcnt(2) expcnt(2) lgkmcnt(0)|0xa2,0x00,0x8c,0xbf|0x22,0x00,0x8c,0xbf' \
  's_sendmsg 8979|s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_CUT, 3)|0x13,0x23,0x90,0xbf|0x13,0x03,0x90,0xbf' \
  'ds_swizzle_b32 v0, v1 offset:1056|ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,"00000")|0x20,0x04,0xd4,0xd8,0x01,0x00,0x00,0x00|0x00,0x00,0xd4,0xd8,0x01,0x00,0x00,0x00'; do
  IFS='|' read -r given printed before after <<<"$one"
  check "$given" "$(words bonaire "$given")" "$before"
  check "as printed" "$(text bonaire "$given")" "$printed"
  check "that text again" "$(words bonaire "$printed")" "$after"
done
exit $changed
