#!/bin/bash
# Functions of LLVM 19's code generator make static objects when they are first called, and the C library destroys what was made last
# first. So a handler that a program registers for its end after LLVM was loaded (to stop a thread that compiles, say) runs when a part
# of what that thread uses is gone: the table of library functions' names, the set of value types. Seen here with llc alone, whose
# registrations of destructors a preloaded library counts; nothing is compiled while they run.
# Ends with 0 while that is so, with 1 when it has changed.
set -euo pipefail
packages=(llvm-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1 clang-19=1:19.1.7-3~deb12u1 libclang-cpp19=1:19.1.7-3~deb12u1
  lld-19=1:19.1.7-3~deb12u1 libedit2=3.1-20221030-2 libbsd0=0.11.7-2 libxml2=2.9.14+dfsg-1.3~deb12u6 libicu72=72.1-3+deb12u1
  libz3-4=4.8.12-3.1)
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
export LD_LIBRARY_PATH=$folder/usr/lib/x86_64-linux-gnu PATH=$folder/usr/lib/llvm-19/bin:$PATH

# Stands in front of the C library's __cxa_atexit (Itanium C++ ABI 3.3.6.3): which functions of libLLVM register a destructor after
# main() has begun, and which of those objects are destroyed before a handler that is registered when main() begins.
cat >watch.c <<'C'
typedef struct { const char *file; void *base; const char *name; void *address; } Info;  /* dladdr(3) */
int dladdr(const void *, Info *);
void *dlsym(void *, const char *);
int printf(const char *, ...);
int fflush(void *);
char *strstr(const char *, const char *);
int on_exit(void (*)(int, void *), void *);
typedef void (*Destructor)(void *);
static struct { Destructor destructor; void *object; const char *name; } late[256];
static int running, count, destroyed;
static void destroy(void *data) {
  long n = (long)data;
  destroyed++;
  late[n].destructor(late[n].object);
}
static void handler(int status, void *data) {
  for (int n = 0; n < count; n++) printf("%s\n", late[n].name);
  printf("all %s\n", count && destroyed == count ? "destroyed before the handler" : "there in the handler");
  fflush(0);
}
int __cxa_atexit(Destructor destructor, void *object, void *library) {
  int (*real)(Destructor, void *, void *) = dlsym((void *)-1L, "__cxa_atexit");
  Info of, by = {0};
  if (!running || count == 256 || !library || !dladdr(library, &of) || !strstr(of.file, "libLLVM")) return real(destructor, object, library);
  dladdr(__builtin_return_address(0), &by);
  late[count].destructor = destructor, late[count].object = object, late[count].name = by.name ? by.name : "?";
  return real(destroy, (void *)(long)count++, library);
}
static int (*real_main)(int, char **, char **);
static int begin(int arguments, char **values, char **environment) {
  on_exit(handler, 0);
  running = 1;
  return real_main(arguments, values, environment);
}
int __libc_start_main(int (*m)(int, char **, char **), int a, char **v, void (*i)(void), void (*f)(void), void (*r)(void), void *s) {
  int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
      dlsym((void *)-1L, "__libc_start_main");
  real_main = m;
  return real(begin, a, v, i, f, r, s);
}
C
clang-19 -O1 -fPIC -ffreestanding -nostdlib -shared -fuse-ld=lld -Wno-everything watch.c -o watch.so
cat >vectors.ll <<'LL'
define <8 x float> @f(<8 x float> %a, <8 x float> %b) {
  %less = fcmp olt <8 x float> %a, %b
  %r = select <8 x i1> %less, <8 x float> %a, <8 x float> %b
  ret <8 x float> %r
}
LL
seen=$(LD_PRELOAD=$folder/watch.so llc -mtriple=x86_64-linux-gnu -mattr=+avx512f -o vectors.s vectors.ll)
check "a destructor for SDNode::getValueTypeList's objects is registered on the way" \
  "$(grep -c '^_ZN4llvm6SDNode16getValueTypeList' <<<"$seen" | sed 's/[1-9][0-9]*/yes/')" yes
check "and those objects are, when a handler runs that main() registered at its beginning" "$(tail -1 <<<"$seen")" "all destroyed before the handler"
exit $changed
