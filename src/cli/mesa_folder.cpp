#include "cli/mesa_folder.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_library(const fs::path& file) {
  std::string name = file.filename().string();
  return name.starts_with("lib") && (name.ends_with(".so") || name.find(".so.") != name.npos);
}

bool has_drivers(const fs::path& folder) {
  for (auto& file : entries(folder)) {
    std::string name = file.filename().string();
    if (!is_library(file)) continue;
    if (name.starts_with("libgallium") || name.starts_with("libEGL_mesa.") || name.starts_with("libvulkan_")) return true;
  }
  for (auto& file : entries(folder / "dri"))
    if (file.filename().string().ends_with("_dri.so")) return true;
  return false;
}

// 25, 0, 7 and 2 of "25.0.7-2".
std::vector<unsigned> numbers_of(std::string_view version) {
  std::vector<unsigned> numbers;
  for (size_t at = 0; at < version.size();) {
    unsigned number = 0;
    auto [end, error] = std::from_chars(version.data() + at, version.data() + version.size(), number);
    if (error == std::errc()) numbers.push_back(number);
    at = std::max(size_t(end - version.data()), at + 1);
  }
  return numbers;
}

// The libraries' folders of a build, as `meson devenv` finds them.
void add_library_folders(const fs::path& folder, std::vector<fs::path>& to) {
  bool added = false;
  for (auto& entry : entries(folder)) {
    // (objects of a target lie in NAME.p)
    if (is_folder(entry) && entry.extension() != ".p" && !fs::is_symlink(entry)) add_library_folders(entry, to);
    if (!added && is_library(entry) && !is_folder(entry)) {
      to.push_back(folder);
      added = true;
    }
  }
}

nlohmann::json read_json(const fs::path& file) {
  auto bytes = read_file(file.string());
  return bytes ? nlohmann::json::parse(*bytes, nullptr, false) : nlohmann::json();
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  std::string inner = fs::weakly_canonical(file, error).string(), outer = fs::weakly_canonical(folder, error).string();
  return inner.starts_with(outer + "/");
}

// Selects, of the files that name drivers' libraries to a loader (glvnd's EGL vendors, Vulkan's ICDs), those of this Mesa: by its
// name alone, which LD_LIBRARY_PATH finds, or by a path in the folder.
std::string loader_files(const std::vector<fs::path>& files, const MesaFolder& mesa) {
  std::string list;
  for (auto& file : files) {
    if (file.extension() != ".json") continue;
    auto json = read_json(file);
    if (!json.is_object() || !json.contains("ICD") || !json["ICD"].is_object()) continue;
    std::string library = json["ICD"].value("library_path", "");
    std::error_code error;
    bool here = library.find('/') == library.npos ? std::any_of(mesa.libraries.begin(), mesa.libraries.end(),
                                                                [&](auto& folder) { return fs::exists(folder / library, error); })
                                                  : fs::exists(library, error) && lies_in(library, mesa.folder);
    if (here) list += (list.empty() ? "" : ":") + file.string();
  }
  return list;
}

void add(MesaFolder& mesa, const char* name, const std::string& value) {
  if (!value.empty()) mesa.environment.emplace_back(name, value);
}

void add_folder(MesaFolder& mesa, const char* name, const fs::path& folder) {
  if (is_folder(folder)) add(mesa, name, folder.string());
}

void add_vulkan(MesaFolder& mesa, const std::vector<fs::path>& files) {
  std::string list = loader_files(files, mesa);
  add(mesa, "VK_DRIVER_FILES", list);
  add(mesa, "VK_ICD_FILENAMES", list);  // what loaders before 1.3.207 read
}

// `top`: usr or the prefix; `etc`: where its configuration lies.
void add_installed(MesaFolder& mesa, const fs::path& top, const fs::path& etc) {
  const fs::path& libraries = mesa.libraries[0];
  add_folder(mesa, "LIBGL_DRIVERS_PATH", libraries / "dri");
  add_folder(mesa, "GBM_BACKENDS_PATH", libraries / "gbm");
  add_folder(mesa, "GALLIUM_PIPE_SEARCH_DIR", libraries / "gallium-pipe");
  add_folder(mesa, "DRIRC_CONFIGDIR", top / "share/drirc.d");
  add_folder(mesa, "OCL_ICD_VENDORS", etc / "OpenCL/vendors");
  add(mesa, "__EGL_VENDOR_LIBRARY_FILENAMES", loader_files(entries(top / "share/glvnd/egl_vendor.d"), mesa));
  add_vulkan(mesa, entries(top / "share/vulkan/icd.d"));
}

// Adds the paths that Mesa's meson.build files use, and the environment that they give to `meson devenv` (Mesa 25.0).
Expected<void> add_built(MesaFolder& mesa) {
  const fs::path& build = mesa.folder;
  fs::path dri = build / "src/gallium/targets/dri";
  std::error_code error;
  // Until 24.1 the drivers get the names that loaders look for when they are installed.
  if (fs::exists(dri / "libgallium_dri.so", error))
    return fail("{}: a build of a Mesa before 24.2 works only when it is installed: meson install, and name the prefix",
                build.string());
  add_folder(mesa, "LIBGL_DRIVERS_PATH", dri);
  add_folder(mesa, "GBM_BACKENDS_PATH", build / "src/gbm/backends/dri");
  add_folder(mesa, "GALLIUM_PIPE_SEARCH_DIR", build / "src/gallium/targets/pipe-loader");
  auto info = read_json(build / "meson-info/meson-info.json");
  if (info.is_object() && info.contains("directories") && info["directories"].is_object())
    add_folder(mesa, "DRIRC_CONFIGDIR", fs::path(info["directories"].value("source", "")) / "src/util");
  fs::path clover = build / "src/gallium/targets/opencl/libMesaOpenCL.so.1", rusticl = build / "src/gallium/targets/rusticl";
  if (fs::exists(clover, error)) add(mesa, "OCL_ICD_FILENAMES", clover.string());
  if (fs::exists(rusticl / "rusticl.icd", error)) add(mesa, "OCL_ICD_VENDORS", rusticl.string());
  add(mesa, "__EGL_VENDOR_LIBRARY_FILENAMES", loader_files(entries(build / "src/egl"), mesa));
  std::vector<fs::path> vulkan;
  for (const char* place : {"src/amd/vulkan", "src/intel/vulkan", "src/gallium/targets/lavapipe"})
    for (auto& file : entries(build / place))
      if (file.filename().string().find("_devenv_icd") != std::string::npos) vulkan.push_back(file);
  add_vulkan(mesa, vulkan);
  return {};
}

}  // namespace

Expected<MesaFolder> look_at_mesa(const fs::path& folder) {
  MesaFolder mesa;
  std::error_code error;
  mesa.folder = fs::canonical(folder, error);
  if (error || !is_folder(mesa.folder)) return fail("{}: no such folder", folder.string());
  if (is_folder(mesa.folder / "meson-info") && is_folder(mesa.folder / "src")) {
    mesa.kind = "build folder";
    for (const char* part : {"src", "subprojects"}) add_library_folders(mesa.folder / part, mesa.libraries);
    bool built = std::any_of(mesa.libraries.begin(), mesa.libraries.end(), has_drivers);
    if (!built) return fail("{}: a build folder without Mesa's drivers: ninja -C {}", folder.string(), folder.string());
    if (auto added = add_built(mesa); !added) return std::unexpected(added.error());
  } else {
    for (const char* top : {"usr", "."})
      for (const char* libraries : {"lib/x86_64-linux-gnu", "lib64", "lib"}) {
        fs::path place = (mesa.folder / top / libraries).lexically_normal();
        if (!mesa.libraries.empty() || !has_drivers(place)) continue;
        bool unpacked = std::string_view(top) == "usr";
        mesa.kind = unpacked ? "unpacked packages" : "install prefix";
        mesa.libraries = {place};
        add_installed(mesa, unpacked ? mesa.folder / "usr" : mesa.folder, mesa.folder / "etc");
      }
    if (mesa.libraries.empty())
      return fail(
          "{}: no Mesa: neither unpacked packages (usr/lib...), nor an install prefix (lib...), nor a build folder of meson",
          folder.string());
  }
  for (auto& libraries : mesa.libraries)
    if (mesa.version.empty()) mesa.version = mesa_version(libraries);
  return mesa;
}

void use_mesa(const MesaFolder& mesa, bool opencl) {
  std::string path;
  for (auto& folder : mesa.libraries) path += (path.empty() ? "" : ":") + folder.string();
  if (const char* before = std::getenv("LD_LIBRARY_PATH"); before && *before) path += std::string(":") + before;
  ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  for (auto& [name, value] : mesa.environment)
    if (opencl || !name.starts_with("OCL_")) ::setenv(name.c_str(), value.c_str(), 1);
}

fs::path fetched_mesas_place() {
  // XDG Base Directory Specification
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data && *data == '/') return fs::path(data) / "atoll/mesa";
  const char* home = std::getenv("HOME");
  return fs::path(home && *home ? home : "/root") / ".local/share/atoll/mesa";
}

std::vector<fs::path> fetched_mesas() {
  auto found = entries(fetched_mesas_place());
  std::erase_if(found, [](auto& folder) { return folder.filename().string().starts_with(".") || !is_folder(folder); });
  return found;
}

Expected<fs::path> find_mesa(const std::string& name) {
  if (name.find('/') != name.npos || is_folder(name)) return fs::path(name);
  auto found = fetched_mesas();
  std::erase_if(found, [&](auto& folder) { return !folder.filename().string().starts_with(name); });
  if (found.size() == 1) return found[0];
  if (found.empty()) return fail("{}: no such folder, and no fetched Mesa of that version: see `atoll mesa`", name);
  return fail("{}: {} and {} begin so", name, found[0].filename().string(), found[1].filename().string());
}

fs::path system_mesa() {
  for (const char* libraries : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"})
    if (!mesa_version(libraries).empty()) return libraries;
  return {};
}

bool mesa_of_environment() {
  for (const char* name : {"LIBGL_DRIVERS_PATH", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES"})
    if (const char* value = std::getenv(name); value && *value) return true;
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  std::istringstream folders(libraries ? libraries : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && has_drivers(folder)) return true;
  return false;
}

bool mesa_is(std::string_view version, unsigned least) {
  auto numbers = numbers_of(version);
  return !numbers.empty() && numbers[0] >= least;
}

std::optional<MesaFolder> newest_fetched_mesa(unsigned least) {
  std::optional<MesaFolder> newest;
  for (auto& folder : fetched_mesas()) {
    auto mesa = look_at_mesa(folder);
    if (!mesa || !mesa_is(mesa->version, least)) continue;
    if (!newest || numbers_of(newest->version) < numbers_of(mesa->version)) newest = std::move(*mesa);
  }
  return newest;
}

std::string mesa_version(const fs::path& libraries) {
  // Since 24.2 all drivers are in one library that has its version in its name.
  for (auto& file : entries(libraries)) {
    std::string name = file.filename().string();
    if (name.starts_with("libgallium-") && name.ends_with(".so")) return name.substr(11, name.size() - 14);
  }
  // Before, what GL_VERSION is made of.
  for (const char* driver : {"radeonsi_dri.so", "r300_dri.so", "iris_dri.so", "swrast_dri.so"})
    if (auto bytes = read_file((libraries / "dri" / driver).string())) {
      std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      constexpr std::string_view mark = "%s%u.%u%s Mesa ";
      if (size_t at = text.find(mark); at != text.npos) {
        text.remove_prefix(at + mark.size());
        return std::string(text.substr(0, text.find_first_of(std::string_view(" \0", 2))));
      }
    }
  return {};
}

}  // namespace Atoll::cli
