// atoll help: what --help says, as a verb.
#include "cli/verbs.h"

namespace Atoll::cli {
namespace {

constexpr const char* help_verb = "help";

void print_help(CLI::App& app, const std::string& name) {
  if (name.empty()) {
    // (help() of an application whose verb is this one would say that verb's)
    fmt::print("{}", app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    return;
  }
  for (auto* verb : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    if (verb->get_name() == name) {
      fmt::print("{}", verb->help(app.get_name()));
      return;
    }
  end_with(STATUS_CALL, help_verb, fmt::format("no verb '{}': see atoll help", name));
}

}  // namespace

void add_help(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  auto* sub = app.add_subcommand(help_verb, "says what a verb takes, or lists the verbs");
  sub->add_option("VERB", *name, "the verb; if it is left out, all are listed");
  sub->callback([&app, name] { print_help(app, *name); });
}

}  // namespace Atoll::cli
