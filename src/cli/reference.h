// The reference of the command line, made from what CLI11 and the table of environment variables know: --help, man pages and the
// pages docs/command-line.md and docs/environment.md are four views of the same definitions.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace Atoll::cli {

// --help with each option's value as the reference writes it: `--engine auto|interpreter|jit`.
class HelpFormatter : public CLI::Formatter {
public:
  std::string make_option_opts(const CLI::Option* option) const override;
};

// The hidden verb `reference DIR [--man]`, which writes the pages, or the man pages, into a folder.
void add_reference(CLI::App& app);

}  // namespace Atoll::cli
