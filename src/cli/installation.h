// Atoll's own files around the running binary (base/installed_places.h).
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace Atoll::cli {

// A library that is opened, not linked with: libatoll_drm.so, libatoll_jit.so. Nothing where it is missing.
std::optional<std::filesystem::path> find_private_library(const std::string& name);

// A file or folder of share/atoll.
std::optional<std::filesystem::path> find_data(const std::string& name);

// An example by its name alone: `gears`.
std::optional<std::filesystem::path> find_example(const std::string& name);

}  // namespace Atoll::cli
