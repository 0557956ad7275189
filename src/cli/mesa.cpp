// atoll mesa: the Mesas that GPUs can be driven by, and a newer one of the distribution unpacked beside the system's. apt works on
// sources, lists and a cache of its own, so that nothing of the system's changes, and needs no root.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "cli/mesa_folder.h"
#include "cli/verbs.h"
#include "gpu/chips/chip.h"
#include "gpu/chips/family_programs.h"

extern char** environ;

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* mesa_verb = "mesa";

// The packages into which Debian splits Mesa, with the libdrm that it was built with; not all of them in every release.
constexpr std::string_view packages[] = {
    "libdrm2",         "libdrm-common",   "libdrm-amdgpu1",      "libdrm-radeon1", "libdrm-intel1",
    "libdrm-nouveau2", "libgbm1",         "libglapi-mesa",       "libegl-mesa0",   "libglx-mesa0",
    "libgl1-mesa-dri", "mesa-libgallium", "mesa-vulkan-drivers", "mesa-opencl-icd"};

struct Output {
  int status = 0;
  std::string text;  // standard output and error
};

Output run_tool(std::vector<std::string> command, const fs::path& folder) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) end_with(STATUS_FAILED, mesa_verb, fmt::format("pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (auto& one : command) arguments.push_back(one.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  int why = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (why != 0) {
    ::close(ends[0]);
    end_with(STATUS_MISSING, mesa_verb,
             fmt::format("{}: {}: --fetch needs a Debian system; --mesa DIR of run takes a Mesa that you built", command[0],
                         std::strerror(why)));
  }
  Output output;
  char part[4096];
  for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) output.text.append(part, size_t(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(process, &status, 0);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) found.push_back(line);
  return found;
}

// apt's own words for what went wrong; what it says next follows from that.
std::string complaint(const Output& output) {
  for (auto& line : lines(output.text))
    if (line.starts_with("E: ") || line.starts_with("W: ")) return line.substr(3);
  return fmt::format("status {}", output.status);
}

std::string release_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VERSION_CODENAME=")) return line.substr(17);
  end_with(STATUS_MISSING, mesa_verb, "/etc/os-release names no VERSION_CODENAME: --fetch needs a Debian system");
}

// A folder that is gone when the verb ends, however it ends but by a signal.
struct Workshop {
  fs::path folder;
  explicit Workshop(const fs::path& place) {
    std::error_code error;
    fs::create_directories(place, error);
    std::string name = (place / ".new-XXXXXX").string();
    if (error || !::mkdtemp(name.data()))
      end_with(STATUS_FAILED, mesa_verb, fmt::format("{}: {}", place.string(), error ? error.message() : std::strerror(errno)));
    folder = name;
  }
  ~Workshop() {
    std::error_code error;
    fs::remove_all(folder, error);
  }
};

// apt with nothing of the system's but its configuration of networks and keys.
struct Apt {
  fs::path folder;

  std::vector<std::string> command(const char* program, std::vector<std::string> arguments) const {
    auto at = [&](const char* place) { return (folder / place).string(); };
    std::vector<std::string> all = {program, "-q"};
    for (const std::string& option :
         {"Dir::Etc::sourcelist=/dev/null", "Dir::Etc::preferences=/dev/null", "Dir::Etc::preferencesparts=/dev/null",
          "APT::Sandbox::User=root", "APT::Get::List-Cleanup=0"})
      all.insert(all.end(), {"-o", option});
    for (const std::string& option :
         {"Dir::Etc::sourceparts=" + at("sources"), "Dir::State=" + at("state"), "Dir::State::lists=" + at("lists"),
          "Dir::State::status=" + at("status"), "Dir::Cache=" + at("cache")})
      all.insert(all.end(), {"-o", option});
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  Output get(std::vector<std::string> arguments) const {
    return run_tool(command("apt-get", std::move(arguments)), folder / "packages");
  }
  Output ask(std::vector<std::string> arguments) const {
    return run_tool(command("apt-cache", std::move(arguments)), folder / "packages");
  }
};

// The servers that the system has its own packages from, where the suite should lie as well.
std::vector<std::string> servers(const std::string& release, const std::string& suite) {
  auto output =
      run_tool({"apt-get", "indextargets", "--format", "$(RELEASE) $(COMPONENT) $(REPO_URI)", "Identifier: Packages"}, "/");
  std::vector<std::string> found;
  for (auto& wanted : {suite, release})
    for (auto& line : lines(output.text)) {
      std::istringstream words(line);
      std::string name, component, uri;
      words >> name >> component >> uri;
      if (name == wanted && component == "main" && std::find(found.begin(), found.end(), uri) == found.end())
        found.push_back(uri);
    }
  return found;
}

void write(const fs::path& file, const std::string& text) {
  std::vector<uint8_t> bytes(text.begin(), text.end());
  if (auto written = write_file(file.string(), bytes); !written) end_with(STATUS_FAILED, mesa_verb, written.error().message);
}

// The packages that the suite has on this server; empty, and why, if it has no Mesa there.
std::vector<std::string> offered(const Apt& apt, const std::string& uri, const std::string& suite, std::string& why) {
  constexpr const char* keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  std::string source = fmt::format("Types: deb\nURIs: {}\nSuites: {}\nComponents: main\n", uri, suite);
  if (fs::exists(keys)) source += fmt::format("Signed-By: {}\n", keys);
  write(apt.folder / "sources/mesa.sources", source);
  auto update = apt.get({"update"});
  std::vector<std::string> found;
  for (auto& name : lines(apt.ask({"pkgnames"}).text))
    if (std::find(std::begin(packages), std::end(packages), name) != std::end(packages)) found.push_back(name);
  std::sort(found.begin(), found.end());
  if (std::find(found.begin(), found.end(), "libgl1-mesa-dri") == found.end()) {
    why = update.status != 0 || update.text.find("\nE: ") != std::string::npos || update.text.find("\nW: ") != std::string::npos
              ? complaint(update)
              : fmt::format("{} has no Mesa", suite);
    found.clear();
  }
  return found;
}

void fetch(const fs::path& place) {
  std::string release = release_name(), suite = release + "-backports";
  Workshop workshop(place);
  for (const char* folder : {"sources", "state", "lists/partial", "cache/archives/partial", "packages", "root"})
    fs::create_directories(workshop.folder / folder);
  write(workshop.folder / "status", "");
  Apt apt{workshop.folder};
  std::string why = fmt::format("apt knows no source of {}", release);
  std::vector<std::string> wanted;
  for (auto& uri : servers(release, suite))
    if (wanted = offered(apt, uri, suite, why); !wanted.empty()) break;
  if (wanted.empty()) end_with(STATUS_MISSING, mesa_verb, fmt::format("no packages of {}: {}", suite, why));
  std::vector<std::string> download = {"download"};
  for (auto& name : wanted) download.push_back(name);
  if (auto output = apt.get(download); output.status != 0)
    end_with(STATUS_MISSING, mesa_verb, fmt::format("no packages of {}: {}", suite, complaint(output)));
  std::string version;
  for (auto& file : fs::directory_iterator(workshop.folder / "packages")) {
    if (file.path().filename().string().starts_with("libgl1-mesa-dri_")) {
      version = run_tool({"dpkg-deb", "-f", file.path().string(), "Version"}, "/").text;
      version = version.substr(0, version.find('\n'));
    }
    auto output = run_tool({"dpkg-deb", "-x", file.path().string(), (workshop.folder / "root").string()}, "/");
    if (output.status != 0) end_with(STATUS_FAILED, mesa_verb, fmt::format("{}: {}", file.path().string(), output.text));
  }
  if (auto mesa = look_at_mesa(workshop.folder / "root"); !mesa) end_with(STATUS_FAILED, mesa_verb, mesa.error().message);
  // (an epoch's colon would part paths)
  std::replace(version.begin(), version.end(), ':', '_');
  fs::path folder = place / version;
  std::error_code error;
  fs::rename(workshop.folder / "root", folder, error);
  // There already: the same packages, which programs may be using.
  if (error && !fs::exists(folder)) end_with(STATUS_FAILED, mesa_verb, fmt::format("{}: {}", folder.string(), error.message()));
  fmt::print("{}\n", folder.string());
}

void print(const std::string& name, const std::string& kind, const fs::path& folder, bool json) {
  if (json) {
    const nlohmann::ordered_json line = {{"version", name}, {"kind", kind}, {"folder", folder.string()}};
    fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{:<20} {:<18} {}\n", name, kind, folder.string());
}

// Lists the versions from this one on.
void list(unsigned least, bool json) {
  if (const fs::path libraries = system_mesa(); !libraries.empty())
    if (std::string version = mesa_version(libraries); mesa_is(version, least)) print(version, "the system's", libraries, json);
  for (auto& folder : fetched_mesas())
    if (auto mesa = look_at_mesa(folder); mesa && (least == 0 || mesa_is(mesa->version, least)))
      print(folder.filename().string(), mesa->kind, folder, json);
}

// The first Mesa that drives the GPU; 0: any, or no GPU is named.
unsigned least_for(const std::string& gpu) {
  if (gpu.empty()) return 0;
  const gpu::Chip* chip = gpu::find_chip(gpu);
  if (!chip) end_with(STATUS_CALL, mesa_verb, fmt::format("no GPU '{}': choose one of {}", gpu, gpu::chip_names()));
  return gpu::programs_of(*chip).mesa;
}

}  // namespace

void add_mesa(CLI::App& app) {
  auto* sub = app.add_subcommand("mesa", "lists the Mesas that GPUs can be driven by, and gets a newer one");
  auto* wants_fetch = sub->add_flag("--fetch")->description(
      "unpacks the Mesa of the distribution's backports beside the system's, through apt, and says "
      "where; nothing installed is touched");
  auto* wants_list = sub->add_flag("--list")->description(
      "the system's and the fetched ones: version, what it is, place (the same as no option)");
  auto place = std::make_shared<std::string>();
  auto* into = sub->add_option("--into", *place, "where --fetch unpacks, in a folder named after the version")->type_name("DIR");
  into->needs(wants_fetch);
  wants_list->excludes(wants_fetch);
  auto* json = sub->add_flag("--json")->description("the list as one JSON object per line: version, kind, folder");
  json->excludes(wants_fetch);
  auto gpu = std::make_shared<std::string>();
  sub->add_option("--gpu", *gpu, "lists those alone that are new enough to drive this GPU")
      ->type_name("GPU")
      ->excludes(wants_fetch);
  sub->footer("What is listed, and any other folder with a Mesa, is for atoll run --mesa.");
  sub->callback([wants_fetch, place, json, gpu] {
    if (wants_fetch->count() > 0)
      fetch(fs::absolute(place->empty() ? fetched_mesas_place() : fs::path(*place)));
    else
      list(least_for(*gpu), json->count() > 0);
  });
}

}  // namespace Atoll::cli
