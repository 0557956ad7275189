#include "cli/program_file.h"

#include <elf.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "cli/installation.h"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> obstacle_at(const std::string& file, int depth) {
  std::ifstream in(file, std::ios::binary);
  std::string head(4096, '\0');
  in.read(head.data(), std::streamsize(head.size()));
  head.resize(size_t(in.gcount()));
  struct stat status{};
  if (::stat(file.c_str(), &status) == 0) {
    bool other_user = (status.st_mode & S_ISUID) && status.st_uid != ::geteuid();
    bool other_group = (status.st_mode & S_ISGID) && status.st_gid != ::getegid();
    if (other_user || other_group)
      return fmt::format("{} is setuid or setgid: the system preloads nothing into it; run a copy", file);
  }
  if (head.starts_with("#!") && depth < 4) {
    size_t begin = head.find_first_not_of(" \t", 2), end = head.find_first_of(" \t\n", begin);
    if (begin == head.npos) return {};
    return obstacle_at(head.substr(begin, end - begin), depth + 1);
  }
  if (head.size() < sizeof(Elf64_Ehdr) || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) {
    if (depth == 0 && !head.starts_with("#!"))
      return fmt::format("{} is neither a program nor a script with an interpreter", file);
    return {};
  }
  Elf64_Ehdr header;
  std::memcpy(&header, head.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
    return fmt::format("{} is not a 64-bit x86 program: the emulated GPU's library is 64-bit only", file);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    in.clear();
    in.seekg(std::streamoff(header.e_phoff + uint64_t(i) * header.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment)) return fmt::format("{} is truncated", file);
    if (segment.p_type == PT_INTERP) return {};
  }
  return fmt::format("{} is linked statically: nothing can be preloaded into it", file);
}

}  // namespace

ProgramFile find_program(const std::string& name) {
  auto runnable = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != name.npos) {
    std::error_code error;
    if (!fs::exists(name, error)) return {"", "no such program", false};
    if (!runnable(name)) return {"", "is not executable"};
    return {name, ""};
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    size_t colon = rest.find(':');
    fs::path folder = rest.substr(0, colon);
    if (folder.empty()) folder = ".";
    if (runnable(folder / name)) return {(folder / name).string(), ""};
    if (colon == rest.npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (auto example = find_example(name)) return {example->string(), ""};
  return {"", "no such program in PATH", false};
}

std::optional<std::string> obstacle(const std::string& file) { return obstacle_at(file, 0); }

}  // namespace Atoll::cli
