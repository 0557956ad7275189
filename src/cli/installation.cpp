#include "cli/installation.h"

#include <dlfcn.h>
#include <unistd.h>

#include "base/host_level.h"
#include "base/installed_places.h"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

template <size_t n>
std::optional<fs::path> find_in(const fs::path& folder, const char* const (&places)[n], const std::string& name) {
  for (const char* place : places) {
    std::error_code error;
    fs::path file = fs::canonical(folder.string() + place + name, error);
    if (!error) return file;
  }
  return {};
}

// The folder of libatoll.so, as it was loaded.
fs::path library_folder() {
  Dl_info here{};
  if (!::dladdr(reinterpret_cast<void*>(&host_level_problem), &here) || !here.dli_fname) return {};
  return fs::path(here.dli_fname).parent_path();
}

}  // namespace

std::optional<fs::path> find_private_library(const std::string& name) {
  return find_in(library_folder(), places_of_private_libraries, name);
}

std::optional<fs::path> find_data(const std::string& name) {
  if (auto shim = find_private_library("libatoll_drm.so"))
    if (auto file = find_in(shim->parent_path(), places_of_data, name)) return file;
  return find_in(library_folder(), places_of_data, name);
}

std::optional<fs::path> find_example(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  auto file = find_in(self.parent_path(), places_of_examples, name);
  return file && fs::is_regular_file(*file, error) && ::access(file->c_str(), X_OK) == 0 ? file : std::nullopt;
}

}  // namespace Atoll::cli
