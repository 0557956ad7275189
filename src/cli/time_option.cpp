#include "cli/time_option.h"

#include <fmt/format.h>

#include <cstdlib>

namespace Atoll::cli {

// CLI11's own ranges let a NaN through, which is neither below nor above anything.
CLI::Option* add_timeout_option(CLI::App& verb, double& seconds, const std::string& meaning) {
  auto check = [](std::string& text) -> std::string {
    char* end = nullptr;
    const double given = std::strtod(text.c_str(), &end);
    return end != text.c_str() && *end == 0 && given > 0 && given <= 1e9 ? "" : text + " is not a number of seconds above 0";
  };
  return verb.add_option("--timeout", seconds, meaning)->check(CLI::Validator(check, "SECONDS"));
}

std::function<void()> end_of_process(const char* verb, std::string what, double seconds, std::string loss) {
  return [verb, what, seconds, loss] {
    complain(verb,
             fmt::format("{}: did not end within {} seconds (--timeout), nor did its compilation within {} more{}; --engine "
                         "interpreter does without compiling",
                         what, seconds, max_compile_seconds, loss));
    std::_Exit(STATUS_FAILED);
  };
}

}  // namespace Atoll::cli
