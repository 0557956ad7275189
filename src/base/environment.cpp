#include "base/environment.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <mutex>

#include "base/expected.h"
#include "base/host_features.h"
#include "base/log.h"

namespace Atoll {
namespace {

using Kind = EnvironmentVariable::Kind;
using Audience = EnvironmentVariable::Audience;

// The names of base/host_features.h, with bars between them.
constexpr auto feature_choices = [] {
  std::array<char, 256> text{};
  size_t at = 0;
  for (auto& feature : host_features) {
    if (at) text[at++] = '|';
    for (const char* c = feature.name; *c; c++) text[at++] = *c;
  }
  return text;
}();

constexpr EnvironmentVariable variables[] = {
    {.name = "ATOLL_GPU", .meaning = "the GPU that libatoll_drm.so shows to a program", .without = "none is shown"},
    {.name = "ATOLL_ENGINE",
     .meaning = "how shaders run",
     .kind = Kind::choice,
     .choices = "auto|interpreter|jit",
     .without = "auto"},
    {.name = "ATOLL_THREADS",
     .meaning = "host threads that share a GPU's work; 0: as many as the machine has processors",
     .kind = Kind::number,
     .most = 1024,
     .without = "0"},
    {.name = "ATOLL_LEVEL",
     .meaning = "the best host instruction set that the engines and the pipeline may use",
     .kind = Kind::choice,
     .choices = "baseline|avx2|avx512",
     .without = "the best of this machine"},
    {.name = "ATOLL_LOG",
     .meaning = "what is logged on standard error, of all topics or of those after the colon",
     .kind = Kind::choice,
     .choices = "error|warn|info|trace",
     .without = "warn",
     .after_colon = "TOPIC,..."},
    {.name = "ATOLL_CACHE",
     .meaning = "the folder for compiled code that other processes of the user may use; 0 or off: none is kept",
     .without = "none is kept"},
    {.name = "ATOLL_RECORD", .meaning = "the file to which everything that the GPU is given is recorded", .without = "none"},
    {.name = "ATOLL_SHADERS",
     .meaning = "the folder to which every shader that the GPU is given is written, as words and as text",
     .without = "none"},
    {.name = "ATOLL_REGISTERS_USED",
     .meaning = "the folder to which each process writes which registers its driver wrote, as PID.json",
     .without = "none"},
    {.name = "ATOLL_STRICT",
     .meaning = "anything that is not modelled ends the context instead of being counted",
     .kind = Kind::flag,
     .without = "0"},
    {.name = "ATOLL_CHECK",
     .meaning =
         "what programs of the GPU are checked for while the interpreter runs them: waits, uses of results before their wait",
     .kind = Kind::choice,
     .choices = "waits",
     .without = "nothing is checked"},
    {.name = "ATOLL_DETERMINISTIC",
     .meaning = "everything runs on one thread in one order, and the clocks that shaders read count the reads",
     .kind = Kind::flag,
     .without = "0; 1 while a recording is written"},
    {.name = "ATOLL_STILL_SECONDS",
     .meaning =
         "how long a submission may stand still, with nothing that it does coming to an end, before its context is lost as "
         "hanging; 0: for ever",
     .kind = Kind::number,
     .most = 86400,
     .without = "120"},
    {.name = "ATOLL_UAPI",
     .meaning = "the kernel driver that the Sea Islands chips appear to have",
     .kind = Kind::choice,
     .choices = "amdgpu|radeon",
     .without = "amdgpu"},

    {.name = "ATOLL_DEVICES",
     .meaning = "the folder of the device files of several GPUs; set by `atoll run --gpu A,B`, with their names in ATOLL_GPU",
     .without = "those of the GPU that ATOLL_GPU names",
     .audience = Audience::inside},

    {.name = "ATOLL_SESSION",
     .meaning = "the memory file that a program's processes share, as a path below /proc; set by `atoll run`",
     .without = "each process has its own",
     .audience = Audience::inside},
    {.name = "ATOLL_QUIET",
     .meaning = "libatoll_drm.so does not complain about a GPU that it cannot show",
     .kind = Kind::flag,
     .without = "0",
     .audience = Audience::inside},
    {.name = "ATOLL_DUMP_REGIONS",
     .meaning = "prints the JIT's regions, their nodes and the guards of their accesses, on standard error",
     .kind = Kind::flag,
     .without = "0",
     .audience = Audience::inside},
    {.name = "ATOLL_DUMP_IR",
     .meaning = "prints the LLVM code that the JIT makes, on standard error",
     .kind = Kind::flag,
     .without = "0",
     .audience = Audience::inside},
    {.name = "ATOLL_REMOVE_CHECK",
     .meaning = "removes one check of the sandbox, by name; only in builds with ATOLL_REMOVABLE_CHECKS=ON, for "
                "tests/wave/attacker/prove_checks",
     .without = "none",
     .audience = Audience::inside},

    {.name = "ATOLL_HOST_LACKS",
     .meaning = "features of the processor that are taken for hidden when the host level is chosen",
     .kind = Kind::list,
     .choices = feature_choices.data(),
     .without = "none",
     .audience = Audience::tests},
    {.name = "ATOLL_MANUALS",
     .meaning = "the folder of the manuals, with which the register data and the instruction vectors are compared",
     .without = "../shared/manuals; where that is not there, those tests are skipped",
     .audience = Audience::tests},
    {.name = "ATOLL_RECORDINGS",
     .meaning = "the folder of recorded command streams, which have to decode without an unknown name",
     .without = "../shared/findings/data; where that is not there, those tests are skipped",
     .audience = Audience::tests},
    {.name = "ATOLL_TEST_MESA",
     .meaning =
         "the Mesa beside the system's that tests compare (pictures_of_another_mesa, compute_of_another_mesa), as `atoll run "
         "--mesa` takes it",
     .without = "what `atoll mesa --fetch` gets into the build folder; where it cannot, those tests are skipped",
     .audience = Audience::tests},
    {.name = "ATOLL_GIVEN_KERNELS",
     .meaning = "a folder of further kernels for tests/oracle/kernel_suite",
     .without = "only the project's own kernels",
     .audience = Audience::tests},
    {.name = "ATOLL_KERNEL_SAMPLE",
     .meaning = "how many combinations of kernel, GPU and options ./test takes from the kernel suite",
     .kind = Kind::number,
     .least = 1,
     .most = 1'000'000,
     .without = "600",
     .audience = Audience::tests},
    {.name = "ATOLL_BOUNDS",
     .meaning = "how many random instructions or descriptors each bounds test tries",
     .kind = Kind::number,
     .least = 1,
     .most = 1'000'000'000,
     .without = "the test's own number",
     .audience = Audience::tests},
    {.name = "ATOLL_ALL_OPERANDS",
     .meaning = "compares elementary functions with their former bits for all 2^32 operands (elementary_test)",
     .without = "for every 9973rd block of them",
     .audience = Audience::tests},
    {.name = "ATOLL_COUNT",
     .meaning =
         "random words of each form in isa_xe_lp_iga_test, of each row of the table in isa_rdna4_disassembler_oracle_test and "
         "isa_rdna4_assembler_oracle_test, kernels in gpu_dg1_hostile_pixels_test",
     .without = "40000; 80; 40; 40",
     .audience = Audience::tests},
    {.name = "ATOLL_IGA",
     .meaning = "the Intel Graphics Assembler's library, libiga64, for isa_xe_lp_iga_test",
     .without = "the system's; where there is none, the test is skipped",
     .audience = Audience::tests},
    {.name = "ATOLL_SEED",
     .meaning = "seed of the random words in isa_gfx7_oracle_test, isa_xe_lp_iga_test, gpu_dg1_hostile_pixels_test and RDNA4's "
                "oracle tests",
     .without = "the same words every time",
     .audience = Audience::tests},
    {.name = "ATOLL_PIGLIT",
     .meaning = "the folder of piglit's programs and profiles for tests/conformance/run",
     .without = "/usr/lib/x86_64-linux-gnu/piglit",
     .audience = Audience::tests},
    {.name = "ATOLL_SHARDS",
     .meaning = "how many parts tests/conformance/run --shard auto has in an indexed Job of Kubernetes, which does not say it",
     .kind = Kind::number,
     .least = 1,
     .most = 1'000'000,
     .without = "Slurm and GitLab say it themselves",
     .audience = Audience::tests},
    {.name = "ATOLL_LEDGER_ONLY",
     .meaning = "a part of the names of the fields that gpu_ledger_test tries",
     .without = "all fields",
     .audience = Audience::tests},
    {.name = "ATOLL_WRITE_LEDGER",
     .meaning = "set: gpu_ledger_test writes the list of fields that act anew, in registers/*/acts.json",
     .without = "it compares with the list",
     .audience = Audience::tests},
    {.name = "ATOLL_LINT_BASE",
     .meaning = "the commit since which tests/style/lint looks for changed files",
     .without = "where the branch left origin/main, else the commit before",
     .audience = Audience::tests},
    {.name = "ATOLL_VULKAN_DRIVERS",
     .meaning = "the folder of the lvp_icd, radeon_icd and intel_icd files for tests/pictures/vulkan_on",
     .without = "/usr/share/vulkan/icd.d",
     .audience = Audience::tests},

    {.name = "AMDGPU_GPU_ID",
     .meaning = "Mesa's name for the same as ATOLL_GPU, read where that is not set",
     .without = "none",
     .audience = Audience::foreign},
    {.name = "RADEON_GPU_ID",
     .meaning = "likewise, where neither of the two is set",
     .without = "none",
     .audience = Audience::foreign},
    {.name = "LD_PRELOAD",
     .meaning = "`atoll run` puts libatoll_drm.so in front of what it names",
     .without = "libatoll_drm.so alone",
     .audience = Audience::foreign},
    {.name = "ASAN_OPTIONS",
     .meaning = "`atoll run` appends verify_asan_link_order=0, since AddressSanitizer's shared runtime insists on being first",
     .without = "that option alone",
     .audience = Audience::foreign},
};

const EnvironmentVariable& variable_of(std::string_view name) {
  for (auto& variable : variables)
    if (variable.name == name) return variable;
  broken_promise("a variable of the table", __FILE__, __LINE__);
}

// The variable's value; empty if it is not set.
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

}  // namespace

std::span<const EnvironmentVariable> environment_variables() { return variables; }

std::string allowed_values(const EnvironmentVariable& variable) {
  switch (variable.kind) {
    case Kind::text: return "";
    case Kind::flag: return "0 or 1";
    case Kind::number: return fmt::format("a number from {} to {}", variable.least, variable.most);
    case Kind::list: return fmt::format("some of {}, with commas between them", variable.choices);
    case Kind::choice: break;
  }
  return fmt::format("{}{}", variable.choices, variable.after_colon.empty() ? "" : fmt::format("[:{}]", variable.after_colon));
}

std::string environment_problem(const EnvironmentVariable& variable, std::string_view value) {
  if (value.empty()) return {};
  bool good = true;
  if (variable.kind == Kind::choice) good = is_choice(variable, value);
  if (variable.kind == Kind::list)
    for (std::string_view rest = value; good;) {
      const size_t comma = rest.find(',');
      good = is_choice(variable, rest.substr(0, comma));
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
  if (variable.kind == Kind::number) {
    auto number = number_of(value);
    good = number && *number >= variable.least && *number <= variable.most;
  }
  if (good) return {};
  return fmt::format("{}={} is not {}; without it: {}", variable.name, value, allowed_values(variable), variable.without);
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
    if (variable.audience != Audience::users) continue;
    std::string values = allowed_values(variable);
    text += fmt::format("  {:<20} {}{}{}\n", variable.name, variable.meaning, values.empty() ? "" : ": ", values);
  }
  return text;
}

}  // namespace Atoll
