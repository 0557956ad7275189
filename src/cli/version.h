// The text of `atoll --version`.
#pragma once
#include <string>

namespace Atoll::cli {

// "atoll 0.1.0", and a line each: the commit that was built, the LLVM of the code generator, the host level in use.
std::string version_text();

}  // namespace Atoll::cli
