// atoll decode of a recording: the command buffers of every submission, without executing them.
#pragma once
#include <string>

namespace Atoll::cli {

// Prints them. `gpu` is the one that the user named, or empty. False if something in the recording is unknown, wrong or missing;
// all that is said then. Ends the verb for a recording that cannot be read at all.
bool decode_recording(const char* verb, const std::string& file, const std::string& gpu, bool json);

}  // namespace Atoll::cli
