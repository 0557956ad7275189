// Every environment variable that Atoll reads, in one table: name, meaning, the values it may have. A value that is not allowed
// counts as not set, and is reported once (environment_problems). docs/environment.md is generated from the table.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll {

struct EnvironmentVariable {
  enum class Kind : uint8_t { text, choice, list, number, flag };
  // The setter of the variable: a user; Atoll itself, or somebody looking into it; the project's tests; or another program,
  // whose variable is read as well. Help shows the first kind only.
  enum class Audience : uint8_t { users, inside, tests, foreign };
  std::string_view name, meaning;
  Kind kind = Kind::text;
  std::string_view choices = {};      // of a choice or list: "interpreter|jit|auto"
  uint64_t least = 0, most = 0;       // of a number
  std::string_view without = {};      // the default: what holds when it is not set
  std::string_view after_colon = {};  // of a choice: what may follow it behind a colon
  Audience audience = Audience::users;
};

std::span<const EnvironmentVariable> environment_variables();

// The value of a variable of the table; empty or nothing where it is not set, or not to what it may be.
std::string_view environment_text(std::string_view name);
std::optional<uint64_t> environment_number(std::string_view name);
bool environment_flag(std::string_view name);  // set, and not to 0

// Why `value` cannot be the variable's, as a sentence that names what can; empty: it can.
std::string environment_problem(const EnvironmentVariable& variable, std::string_view value);
// The problems of all variables that are set, one sentence each.
std::vector<std::string> environment_problems();
// The same as warnings in the log, once a process: for libraries inside other people's programs.
void warn_about_environment();

// The values that a variable may have, in words; empty for any text.
std::string allowed_values(const EnvironmentVariable& variable);

// Name, values and meaning of the users' variables, a line each, as help shows them.
std::string environment_help();

}  // namespace Atoll
