// What a loaded library has of its own is never destroyed.
#pragma once
#include <cstddef>

namespace Atoll::wave {

// From now on the destructors that the library around `address` registers for its static objects (through __cxa_atexit, Itanium C++
// ABI 3.3.6.3) come to nothing. Functions of LLVM make static objects when they are first called, which exit() would destroy while
// another thread is still in them: SDNode::getValueTypeList's set of types, TargetLibraryInfoImpl::getLibFunc's map of names (LLVM
// 19.1.7). An exit handler of our own, which stops that thread, runs after theirs if it was registered before.
// The number of places that were changed: 0 where the library registers nothing, or is none.
size_t keep_static_objects(const void* address);

}  // namespace Atoll::wave
