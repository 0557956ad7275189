// Names of recordings: a recording is written as FILE.PID.part and gets its name when it is done. Nothing
// but an older recording is ever replaced.
#pragma once
#include <cstdint>
#include <string>

#include "base/expected.h"

namespace Atoll::trace {

// Does the file begin as a recording does? False as well when it cannot be read; never waits (for a pipe, say).
bool is_recording(const std::string& path);

// The absolute path of `file`, links followed. An error says why no recording can be put there: something else is there, or
// its folder cannot be written.
Expected<std::string> place_of_recording(const std::string& file);

// The name of a recording while it is written; `place` is its final name.
std::string part_name(const std::string& place, int process, unsigned attempt = 0);

// Gives a recording its name. A recording of that name is replaced if it was last written before `older_than` (nanoseconds
// of CLOCK_REALTIME; 0: never). An error leaves both as they are.
Expected<void> put_in_place(const std::string& part, const std::string& place, uint64_t older_than);

}  // namespace Atoll::trace
