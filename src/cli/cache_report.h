// The part of --stats about code on disk: how often it was found, was not there, and was there but not taken (damaged, somebody else's).
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "base/file_cache.h"

namespace Atoll::cli {

// Nothing is said where there was nothing to look for.
void add_cache(nlohmann::ordered_json& statistics, const FileCache::Counts& counts);

}  // namespace Atoll::cli
