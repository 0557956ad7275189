#!/bin/bash
# GFX12's 16-bit shifts take either half of each operand, by op_sel bits of the 64-bit form, and compilers other than LLVM use it (Mesa's
# do). LLVM 19 prints such words without op_sel and gives no warning: its text means the low halves. v_add_nc_u16 keeps its op_sel.
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

low=0x04,0x00,0x38,0xd7,0x81,0x02,0x02,0x00 high=0x04,0x50,0x38,0xd7,0x81,0x02,0x02,0x00
check "words that shift the low half" "$(text gfx1201 $low --disassemble)" "v_lshlrev_b16 v4, 1, v1"
check "words that shift the high half into the high half" "$(text gfx1201 $high --disassemble)" "v_lshlrev_b16 v4, 1, v1"
check "what that text assembles to" "$(words gfx1201 "$(text gfx1201 $high --disassemble)")" $low
check "a sum with op_sel" "$(text gfx1201 0x00,0x08,0x03,0xd7,0x01,0x05,0x02,0x00 --disassemble)" "v_add_nc_u16 v0, v1, v2 op_sel:[1,0,0]"
exit $changed
