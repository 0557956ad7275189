// Where recordings stand: a recording is written beside its place, as FILE.PID.part, and gets its name when it is done. Nothing
// but an older recording is ever replaced.
#pragma once
#include <cstdint>
#include <string>

#include "base/expected.h"

namespace Atoll::trace {

// Does the file begin as a recording does? False as well when it cannot be read; never waits (for a pipe, say).
bool is_recording(const std::string& path);

// The absolute path of `file`, links followed. An error says why no recording can be put there: something else stands there, or
// its folder takes no files.
Expected<std::string> place_of_recording(const std::string& file);

// What a recording on its way to `place` is called.
std::string part_name(const std::string& place, int process, unsigned attempt = 0);

// Gives a recording its name. A recording that stands there is replaced if it was last written before `older_than` (nanoseconds
// of CLOCK_REALTIME; 0: never). An error leaves both as they are.
Expected<void> put_in_place(const std::string& part, const std::string& place, uint64_t older_than);

}  // namespace Atoll::trace
