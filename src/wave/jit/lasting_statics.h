// Static objects of a loaded library that outlive exit().
#pragma once
#include <cstddef>

namespace Atoll::wave {

// From now on the destructors that the library around `address` registers for its static objects (through __cxa_atexit, Itanium C++
// ABI 3.3.6.3) come to nothing. Functions of LLVM make static objects when they are first called, which exit() would destroy while
// another thread is still in them: SDNode::getValueTypeList's set of types, TargetLibraryInfoImpl::getLibFunc's map of names (LLVM
// 19.1.7). An exit handler of our own, which stops that thread, runs after theirs if it was registered before.
// Returns how many relocations were changed: 0 where the library registers nothing, or there is none. A driver that shares the library
// leaves such objects behind as well, when the process ends.
size_t keep_static_objects(const void* address);

}  // namespace Atoll::wave
