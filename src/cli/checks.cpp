#include "cli/checks.h"

#include "cli/verbs.h"

namespace Atoll::cli {

void add_check_option(CLI::App& app, std::string& checks) {
  app.add_option("--check", checks,
                 "looks for mistakes of programs while the interpreter runs them. waits: results that are used before their wait")
      ->type_name("waits");
}

std::shared_ptr<gpu::Findings> findings_for(const char* verb, const std::string& checks, const std::string& engine) {
  if (checks.empty()) return nullptr;
  auto findings = gpu::parse_checks(checks);
  if (!findings) end_with(STATUS_CALL, verb, fmt::format("--check={}: {}", checks, findings.error().message));
  if (engine == "jit") end_with(STATUS_CALL, verb, "--check: compiled code is not watched: leave --engine jit out");
  return std::move(*findings);
}

bool tell_findings(const char* verb, const std::vector<gpu::Finding>& findings, const std::string& kernel) {
  for (const gpu::Finding& f : findings)
    complain(verb, fmt::format("{}: used before its wait: {}; {} time{}",
                               kernel.empty() ? fmt::format("program at {:#x}", f.program) : kernel, f.text, f.times,
                               f.times == 1 ? "" : "s"));
  return !findings.empty();
}

}  // namespace Atoll::cli
