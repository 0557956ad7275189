#!/bin/bash
# On Sea Islands any pair of scalar registers may be the mask of V_CNDMASK_B32, EXEC among them. LLVM 19's assembler takes it and encodes
# it, and what it prints of it is a text with a comment in the middle that names the register invalid.
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

check "with s[2:3]" "$(text bonaire 'v_cndmask_b32_e64 v0, v1, v2, s[2:3]')" "v_cndmask_b32_e64 v0, v1, v2, s[2:3]"
check "with exec" "$(text bonaire 'v_cndmask_b32_e64 v0, v1, v2, exec')" \
  "v_cndmask_b32_e64 v0, v1, v2, exec/*Invalid register, operand has 'SReg_1_XEXEC' register class*/"
check "words with exec (126)" "$(words bonaire 'v_cndmask_b32_e64 v0, v1, v2, exec')" 0x00,0x00,0x00,0xd2,0x01,0x05,0xfa,0x01
exit $changed
