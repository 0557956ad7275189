// A library with an object that is made late: built once under a name like LLVM's, once under another.
#include <cstdio>

namespace {

struct Object {
  ~Object() { std::puts("object"); }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void make_object() { static Object object; }
