// The places where loaders look: "Driver Discovery on Linux" of the Vulkan loader's LoaderDriverInterface.md; ocl-icd's manual, libOpenCL(7) ("OCL_ICD_VENDORS"), and
// the extension cl_khr_icd.
#include "cli/software_drivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <vector>

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

// By the names of their libraries: Mesa's lavapipe, SwiftShader; PoCL, Oclgrind, Intel's runtime for processors.
constexpr std::string_view software[] = {"libvulkan_lvp", "libvk_swiftshader", "libpocl", "liboclgrind", "libintelocl"};

bool is_software(std::string_view library) {
  const std::string_view name = library.substr(library.rfind('/') + 1);
  return std::any_of(std::begin(software), std::end(software), [&](auto one) { return name.starts_with(one); });
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

std::string variable(const char* name, const std::string& without) {
  const char* value = std::getenv(name);
  return value && *value ? value : without;
}

void add_parts(std::vector<fs::path>& to, const std::string& list) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ':');)
    if (!part.empty()) to.emplace_back(part);
}

std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> found;
  std::error_code error;
  for (auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// The library that a manifest of Vulkan's names; empty: it names none.
std::string vulkan_library(const fs::path& manifest) {
  auto json = nlohmann::json::parse(std::ifstream(manifest), nullptr, false);
  if (!json.is_object() || !json.contains("ICD") || !json["ICD"].is_object()) return {};
  auto& path = json["ICD"]["library_path"];
  return path.is_string() ? path.get<std::string>() : "";
}

std::string first_line(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

}  // namespace

void HiddenSoftware::hide_vulkan() {
  std::vector<fs::path> files, places;
  const std::string home = variable("HOME", "/root");
  add_parts(files, variable("VK_DRIVER_FILES", ""));  // of --mesa
  add_parts(places, variable("XDG_CONFIG_HOME", home + "/.config"));
  add_parts(places, variable("XDG_CONFIG_DIRS", "/etc/xdg"));
  add_parts(places, "/usr/local/etc:/etc");
  add_parts(places, variable("XDG_DATA_HOME", home + "/.local/share"));
  add_parts(places, variable("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
  if (files.empty())
    for (auto& place : places)
      for (auto& file : files_in(place / "vulkan/icd.d", ".json")) files.push_back(file);
  std::string kept;
  bool hidden = false;
  for (auto& file : files) {
    const bool hide = is_software(vulkan_library(file));
    hidden |= hide;
    if (!hide) kept += (kept.empty() ? "" : ":") + file.string();
  }
  if (!hidden) return;
  // A loader that is told nothing would look for itself.
  if (kept.empty()) kept = "/nonexistent/no-driver-but-those-in-software";
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) ::setenv(name, kept.c_str(), 1);
}

void HiddenSoftware::hide_opencl() {
  const fs::path place = variable("OCL_ICD_VENDORS", "/etc/OpenCL/vendors");
  std::vector<fs::path> kept;
  bool hidden = false;
  for (auto& file : files_in(place, ".icd")) {
    const bool hide = is_software(first_line(file));
    hidden |= hide;
    if (!hide) kept.push_back(file);
  }
  if (!hidden) return;
  if (kept.size() == 1) {
    ::setenv("OCL_ICD_VENDORS", kept[0].c_str(), 1);
    return;
  }
  std::string made = (fs::temp_directory_path() / "atoll-opencl-XXXXXX").string();
  if (!::mkdtemp(made.data())) {
    fmt::print(stderr,
               "atoll: run: {}: {}: OpenCL's drivers in software are not hidden: set TMPDIR to a folder that can be written\n",
               made, std::strerror(errno));
    return;
  }
  folder_ = made;
  for (auto& file : kept) {
    std::error_code error;
    fs::create_symlink(fs::absolute(file), folder_ / file.filename(), error);
    if (!error) continue;
    fmt::print(stderr, "atoll: run: {}: {}: OpenCL's drivers in software are not hidden\n", (folder_ / file.filename()).string(),
               error.message());
    return;
  }
  ::setenv("OCL_ICD_VENDORS", folder_.c_str(), 1);
}

HiddenSoftware::Chosen HiddenSoftware::chosen_by_user() {
  return {is_set("VK_DRIVER_FILES") || is_set("VK_ICD_FILENAMES"), is_set("OCL_ICD_VENDORS") || is_set("OCL_ICD_FILENAMES")};
}

HiddenSoftware::HiddenSoftware(const Chosen& chosen) {
  if (!chosen.vulkan) hide_vulkan();
  if (!chosen.opencl) hide_opencl();
}

HiddenSoftware::~HiddenSoftware() {
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

}  // namespace Atoll::cli
