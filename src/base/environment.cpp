#include "base/environment.h"

#include <charconv>
#include <cstdlib>
#include <mutex>

#include "base/expected.h"
#include "base/log.h"

namespace Atoll {
namespace {

using Kind = EnvironmentVariable::Kind;

constexpr EnvironmentVariable variables[] = {
    {.name = "ATOLL_GPU", .meaning = "the GPU that a program is shown (libatoll_drm.so)", .without = "none is shown"},
    {.name = "ATOLL_ENGINE",
     .meaning = "how shaders run",
     .kind = Kind::choice,
     .choices = "auto|interpreter|jit",
     .without = "auto"},
    {.name = "ATOLL_THREADS",
     .meaning = "host threads that share a GPU's work; 0: as many as the machine has",
     .kind = Kind::number,
     .most = 1024,
     .without = "0"},
    {.name = "ATOLL_LEVEL",
     .meaning = "the host's instructions that the interpreter and the pipeline may use",
     .kind = Kind::choice,
     .choices = "baseline|avx2|avx512",
     .without = "the best of this machine"},
    {.name = "ATOLL_LOG",
     .meaning = "what is said on standard error, of all topics or of those behind a colon",
     .kind = Kind::choice,
     .choices = "error|warn|info|trace",
     .without = "warn",
     .after_colon = "TOPIC,..."},
    {.name = "ATOLL_RECORD", .meaning = "the file into which what the GPU is given is written", .without = "none"},
    {.name = "ATOLL_SHADERS", .meaning = "the folder into which programs that the GPU is given are written", .without = "none"},
    {.name = "ATOLL_REGISTERS_USED",
     .meaning = "the folder into which each process writes which registers its driver wrote, as PID.json",
     .without = "none"},
    {.name = "ATOLL_STRICT", .meaning = "what is unknown ends the context", .kind = Kind::flag, .without = "0"},
    {.name = "ATOLL_DETERMINISTIC", .meaning = "everything in one order", .kind = Kind::flag, .without = "0"},
    {.name = "ATOLL_UAPI",
     .meaning = "the kernel driver that Sea Islands chips show",
     .kind = Kind::choice,
     .choices = "amdgpu|radeon",
     .without = "amdgpu"},
    {.name = "ATOLL_SESSION", .meaning = "the memory that a program's processes share", .inner = true},
    {.name = "ATOLL_QUIET",
     .meaning = "libatoll_drm.so says nothing of a GPU that it cannot show",
     .kind = Kind::flag,
     .inner = true},
    {.name = "ATOLL_DUMP_REGIONS", .meaning = "prints how the JIT cuts code", .kind = Kind::flag, .inner = true},
    {.name = "ATOLL_DUMP_IR", .meaning = "prints the JIT's LLVM code", .kind = Kind::flag, .inner = true},
};

const EnvironmentVariable& variable_of(std::string_view name) {
  for (auto& variable : variables)
    if (variable.name == name) return variable;
  broken_promise("a variable of the table", __FILE__, __LINE__);
}

// What is set, and not to nothing.
std::string_view raw(const EnvironmentVariable& variable) {
  const char* value = std::getenv(std::string(variable.name).c_str());
  return value ? value : "";
}

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

bool is_choice(const EnvironmentVariable& variable, std::string_view value) {
  if (!variable.after_colon.empty()) value = value.substr(0, value.find(':'));
  for (std::string_view rest = variable.choices;;) {
    size_t bar = rest.find('|');
    if (rest.substr(0, bar) == value) return true;
    if (bar == rest.npos) return false;
    rest.remove_prefix(bar + 1);
  }
}

// What it may be, in words.
std::string allowed(const EnvironmentVariable& variable) {
  switch (variable.kind) {
    case Kind::text: return "";
    case Kind::flag: return "0 or 1";
    case Kind::number: return fmt::format("a number from {} to {}", variable.least, variable.most);
    case Kind::choice: break;
  }
  return fmt::format("{}{}", variable.choices, variable.after_colon.empty() ? "" : fmt::format("[:{}]", variable.after_colon));
}

}  // namespace

std::span<const EnvironmentVariable> environment_variables() { return variables; }

std::string environment_problem(const EnvironmentVariable& variable, std::string_view value) {
  if (value.empty()) return {};
  bool good = true;
  if (variable.kind == Kind::choice) good = is_choice(variable, value);
  if (variable.kind == Kind::number) {
    auto number = number_of(value);
    good = number && *number >= variable.least && *number <= variable.most;
  }
  if (good) return {};
  return fmt::format("{}={} is not {}; without it: {}", variable.name, value, allowed(variable), variable.without);
}

std::string_view environment_text(std::string_view name) {
  auto& variable = variable_of(name);
  std::string_view value = raw(variable);
  return environment_problem(variable, value).empty() ? value : "";
}

std::optional<uint64_t> environment_number(std::string_view name) {
  std::string_view value = environment_text(name);
  return value.empty() ? std::nullopt : number_of(value);
}

bool environment_flag(std::string_view name) {
  std::string_view value = environment_text(name);
  return !value.empty() && value != "0";
}

std::vector<std::string> environment_problems() {
  std::vector<std::string> problems;
  for (auto& variable : variables)
    if (auto problem = environment_problem(variable, raw(variable)); !problem.empty()) problems.push_back(std::move(problem));
  return problems;
}

void warn_about_environment() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (auto& problem : environment_problems()) log(LogLevel::warn, "environment", "{}", problem);
  });
}

std::string environment_help() {
  std::string text;
  for (auto& variable : variables) {
    if (variable.inner) continue;
    std::string values = allowed(variable);
    text += fmt::format("  {:<20} {}{}{}\n", variable.name, variable.meaning, values.empty() ? "" : ": ", values);
  }
  return text;
}

}  // namespace Atoll
