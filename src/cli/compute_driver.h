// The questions of `doctor` to /dev/kfd on an emulated GPU: its version, and the GPU in its topology.
#pragma once

namespace Atoll::cli {

// Writes "gfx_target_version N, version A.B" on standard output; the exit status, with the reason on the next line.
int ask_compute_driver();

}  // namespace Atoll::cli
