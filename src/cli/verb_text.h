// The verbs' texts as plain structures, from the options that CLI11 knows: help, pages, man pages and the shells' completions are made
// from these.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace Atoll::cli {

struct OptionText {
  std::string names;  // "-o", "--isa, --mcpu", or what a positional argument is called
  std::string value;  // "FILE", "auto|jit"; empty: the option takes none
  std::string meaning, limits;
  bool positional = false, required = false, repeats = false;
};

struct VerbText {
  std::string name, description, footer;
  std::vector<OptionText> arguments, options;
};

struct ValueText {
  std::string value, limits;
};

// The value that an option takes, and its limits, apart from CLI11's own way to write them.
ValueText value_text(const CLI::Option& option);

// All verbs but the hidden ones, in the order of --help.
std::vector<VerbText> verb_texts(const CLI::App& app);

}  // namespace Atoll::cli
