// The results of runs as an atoll_result.
#pragma once
#include <string>

#include "api/failure.h"
#include "gpu/hsa/run.h"

namespace Atoll::api {

// Looks at the caller's struct before anything runs; null is good.
Result<void> check_result(atoll_result* result);
// Fills it, if there is one. `printed` stays where it is.
Result<void> write_result(const hsa::RunResult& run, const std::string& printed, atoll_result* result);
// Seconds as a caller may give them: not negative, a number.
Result<double> seconds_of(double seconds);
// The outcome of a run that came to an end of its own: nothing, or FAULT, TIMEOUT or STOPPED. `stop`: the value of its
// flag.
Result<void> outcome(const std::string& kernel, const hsa::RunResult& run, int stop, double seconds);

}  // namespace Atoll::api
