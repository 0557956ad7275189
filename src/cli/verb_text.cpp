#include "cli/verb_text.h"

#include <fmt/core.h>

#include <algorithm>

namespace Atoll::cli {

// CLI11 says "NAME:{a,b}" or "NAME:INT in [1 - 9]": the name, what the option may be, or both.
ValueText value_text(const CLI::Option& option) {
  if (option.get_type_size() == 0) return {};
  std::string type = option.get_type_name(), limits;
  size_t colon = type.find(':');
  std::string check = colon == type.npos ? "" : type.substr(colon + 1);
  type.resize(std::min(colon, type.size()));
  if (check.starts_with('{') && check.ends_with('}')) {
    type = check.substr(1, check.size() - 2);
    for (auto& c : type)
      if (c == ',') c = '|';
  } else if (size_t open = check.rfind('['); open != check.npos && check.ends_with(']')) {
    limits = check.substr(open + 1, check.size() - open - 2);
    if (size_t dash = limits.find(" - "); dash != limits.npos) limits.replace(dash, 3, " to ");
  } else if (!check.empty() && check.find(' ') == check.npos) {
    type = check;
  }
  if (type == "TEXT" || type == "UINT" || type == "INT" || type == "FLOAT") type = type == "TEXT" ? "TEXT" : "N";
  return {type, limits};
}

namespace {

std::string joined_names(const CLI::Option& option) {
  std::string text;
  for (auto& name : option.get_snames()) text += (text.empty() ? "-" : ", -") + name;
  for (auto& name : option.get_lnames()) text += (text.empty() ? "--" : ", --") + name;
  return text;
}

VerbText text_of(const CLI::App& app) {
  VerbText text;
  text.name = app.get_name(), text.description = app.get_description(), text.footer = app.get_footer();
  for (auto* option : app.get_options()) {
    if (option->get_group().empty() || option == app.get_help_ptr()) continue;
    auto [value, limits] = value_text(*option);
    OptionText one;
    one.value = value, one.meaning = option->get_description(), one.limits = limits;
    one.positional = option->get_positional();
    one.required = option->get_required();
    one.repeats = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
    one.names = one.positional ? option->get_name(true) : joined_names(*option);
    (one.positional ? text.arguments : text.options).push_back(std::move(one));
  }
  return text;
}

}  // namespace

std::vector<VerbText> verb_texts(const CLI::App& app) {
  std::vector<VerbText> texts;
  for (auto* sub : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    texts.push_back(text_of(*sub));
  return texts;
}

}  // namespace Atoll::cli
