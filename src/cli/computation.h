// One kernel through whatever OpenCL the machine has, which is opened at run time.
#pragma once

namespace Atoll::cli {

// Prints the names of the devices that there are on standard output and computes on the first one of Intel's. 0: the values are right;
// 1: they are not, or there is no such device (said on standard error); 3: OpenCL's loader is missing.
int compute_values();

}  // namespace Atoll::cli
