// A Mesa beside the system's, for `run --mesa` and `atoll mesa`: what lies where in an unpacked root of packages, an install prefix or
// a build folder of meson, and which environment sends programs there.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expected.h"

namespace Atoll::cli {

struct MesaFolder {
  std::filesystem::path folder;
  std::string kind;     // "unpacked packages", "install prefix", "build folder"
  std::string version;  // "25.0.7"; "" if its files do not say
  std::vector<std::filesystem::path> libraries;
  // Variables that programs need beside LD_LIBRARY_PATH: names and values.
  std::vector<std::pair<std::string, std::string>> environment;
};

// Looks for Mesa's parts in the folder.
Expected<MesaFolder> look_at_mesa(const std::filesystem::path& folder);
// Sets the environment, for this process and those that it starts. `opencl`: Mesa's OpenCL as well, in place of other drivers' (on GPUs
// that have one of their own, programs are to find that beside this Mesa).
void use_mesa(const MesaFolder& mesa, bool opencl = true);

// The folder in which `atoll mesa --fetch` unpacks, one for each version, and the versions that are there.
std::filesystem::path fetched_mesas_place();
std::vector<std::filesystem::path> fetched_mesas();
// The folder that `--mesa` names: its path, or the beginning of a fetched one's version.
Expected<std::filesystem::path> find_mesa(const std::string& name);

// The folder of the system's own libraries that has a Mesa; empty: none.
std::filesystem::path system_mesa();
// True if the environment sends programs to a Mesa already (`meson devenv`, LD_LIBRARY_PATH).
bool mesa_of_environment();
// True if a version ("25.0.7-2") is this one or a later one; false for one without a number.
bool mesa_is(std::string_view version, unsigned least);
// The newest of the fetched ones that is this version or a later.
std::optional<MesaFolder> newest_fetched_mesa(unsigned least);

// "22.3.6", as the libraries in this folder say it; "" if they do not.
std::string mesa_version(const std::filesystem::path& libraries);

}  // namespace Atoll::cli
