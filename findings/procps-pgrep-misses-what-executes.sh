#!/bin/bash
# pgrep -f 4.0.2 (procps) does not always find a process that is always there: one that executes a program again and again, as daemons do
# once when they start, has no command line for a moment (Linux gives it the new memory before the arguments), and is taken for no match.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(procps=2:4.0.2-3 libproc2-0=2:4.0.2-3)
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
export LD_LIBRARY_PATH=$folder/usr/lib/x86_64-linux-gnu:$folder/lib/x86_64-linux-gnu

# The same process all the time, as its number shows.
echo 'exec sh ./executes_again' >executes_again
mkfifo nobody
echo 'read line <nobody' >stays
ask() { # PROGRAM: until it is not found, or so often
  sh "./$1" >/dev/null 2>&1 &
  local process=$! found=always
  sleep 0.5
  for ((n = 0; n < 500; n++)); do
    usr/bin/pgrep -f "^sh [.]/$1" >/dev/null || { found="not always" && break; }
  done
  kill "$process" && echo "there, and found $found"
}
check "pgrep -f, a process that stays as it is" "$(ask stays)" "there, and found always"
check "pgrep -f, a process that executes itself again" "$(ask executes_again)" "there, and found not always"
exit $changed
