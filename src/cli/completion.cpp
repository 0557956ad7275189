// The scripts by which shells complete a call. Bash: "Programmable Completion" of its manual; zsh: zshcompsys(1), _arguments; fish:
// complete(1). The folders below a prefix where each shell looks for them: bash-completion's README (FAQ), Debian's zsh README,
// fish's manual ("Where to put completions").
#include "cli/completion.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "gpu/chips/chip.h"

namespace Atoll::cli {
namespace {

// The words that an option's value or an argument can be completed to.
struct Candidates {
  enum Kind { Nothing, Words, Files, Folders } kind = Nothing;
  std::string words;  // separated by spaces
};

std::string spaced(std::string text) {
  std::erase(text, ',');
  return text;
}

std::string isa_names() {
  std::set<std::string> names;
  for (auto& chip : gpu::chips())
    for (auto isa : chip.isas) {
      names.emplace(isa);
      const std::string others = spaced(gpu::names_of_isa(isa));
      for (size_t at = 0; at < others.size();) {
        const size_t end = std::min(others.find(' ', at), others.size());
        names.insert(others.substr(at, end - at));
        at = end + 1;
      }
    }
  std::string text;
  for (auto& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string gpu_names(std::string_view verb) {
  using Wanted = bool (*)(const gpu::Chip&);
  Wanted wanted = nullptr;
  if (verb == "run") wanted = [](const gpu::Chip& chip) { return chip.runs(); };
  if (verb == "launch") wanted = [](const gpu::Chip& chip) { return chip.launches(); };
  return spaced(gpu::chip_names(wanted));
}

bool is_choice(const std::string& value) { return value.find('|') != value.npos && value.find_first_of("[=:, ") == value.npos; }

Candidates candidates(const VerbText& verb, const OptionText& option, const std::vector<VerbText>& verbs) {
  const std::string& value = option.positional ? option.names : option.value;
  if (option.names.find("--gpu") != option.names.npos) return {Candidates::Words, gpu_names(verb.name)};
  if (option.names.find("--isa") != option.names.npos) return {Candidates::Words, isa_names()};
  if (option.names == "--check") return {Candidates::Words, option.value};
  if (option.positional && value == "VERB") {
    std::string names;
    for (auto& one : verbs) names += (names.empty() ? "" : " ") + one.name;
    return {Candidates::Words, names};
  }
  if (is_choice(value)) {
    std::string words = value;
    std::replace(words.begin(), words.end(), '|', ' ');
    return {Candidates::Words, words};
  }
  if (value == "DIR") return {Candidates::Folders, ""};
  for (std::string_view name : {"FILE", "TRACE", "OBJECT", "OUT"})
    if (value.starts_with(name)) return {Candidates::Files, ""};
  // arguments of launch name files as well
  if (verb.name == "launch" && option.positional) return {Candidates::Files, ""};
  return {};
}

bool starts_program(const VerbText& verb) {
  return std::any_of(verb.arguments.begin(), verb.arguments.end(), [](auto& one) { return one.names == "APP"; });
}

// "--isa, --mcpu": the names one by one.
std::vector<std::string> names_of(const OptionText& option) {
  std::vector<std::string> names;
  std::string rest = spaced(option.names);
  for (size_t at = 0; at < rest.size();) {
    const size_t end = std::min(rest.find(' ', at), rest.size());
    names.push_back(rest.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

// As a single-quoted word of a shell.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string joined_words(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (auto& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// ---- bash

std::string bash_candidates(const Candidates& found) {
  switch (found.kind) {
    case Candidates::Words: return fmt::format("COMPREPLY=($(compgen -W {} -- \"$current\"))", shell_word(found.words));
    case Candidates::Files: return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")";
    case Candidates::Folders: return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")";
    case Candidates::Nothing: break;
  }
  return "COMPREPLY=()";
}

std::string bash_verb(const VerbText& verb, const std::vector<VerbText>& verbs) {
  std::vector<std::string> all = {"--help"}, with_value;
  std::string cases;
  for (auto& option : verb.options) {
    auto names = names_of(option);
    all.insert(all.end(), names.begin(), names.end());
    if (option.value.empty()) continue;
    with_value.insert(with_value.end(), names.begin(), names.end());
    cases +=
        fmt::format("        {}) {}; return ;;\n", joined_words(names, " | "), bash_candidates(candidates(verb, option, verbs)));
  }
  std::string text = fmt::format("    {})\n", verb.name);
  if (starts_program(verb))
    text += fmt::format(
        "      for ((i = 2; i < COMP_CWORD; i++)); do\n"
        "        case ${{COMP_WORDS[i]}} in\n"
        "          --) program=$((i + 1)); break ;;\n"
        "          {}) [[ ${{COMP_WORDS[i + 1]}} == = ]] && ((i++)); ((i++)) ;;\n"
        "          -*) ;;\n"
        "          *) program=$i; break ;;\n"
        "        esac\n"
        "      done\n"
        "      if ((program && program <= COMP_CWORD)); then _atoll_program \"$program\"; return; fi\n",
        joined_words(with_value, " | "));
  if (!cases.empty()) text += "      case $previous in\n" + cases + "      esac\n";
  std::string others = "COMPREPLY=()";
  if (starts_program(verb))
    others = "COMPREPLY=($(compgen -c -- \"$current\"))";
  else if (!verb.arguments.empty())
    others = bash_candidates(candidates(verb, verb.arguments.front(), verbs));
  text += fmt::format("      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W {} -- \"$current\")); else {}; fi ;;\n",
                      shell_word(joined_words(all, " ")), others);
  return text;
}

std::string bash_script(const std::vector<VerbText>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (auto& verb : verbs) names.push_back(verb.name);
  std::string text = fmt::format(
      "# Completion of atoll(1) in bash; made by `atoll reference --completions`.\n"
      "# The program that `atoll run` starts, and its arguments, as if it stood alone.\n"
      "_atoll_program() {{\n"
      "  if declare -F _command_offset >/dev/null; then _command_offset \"$1\"; return; fi\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  if (($1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- \"$current\")); else COMPREPLY=($(compgen -f -- "
      "\"$current\")); fi\n"
      "}}\n"
      "_atoll() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} i program=0\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W {} -- \"$current\")); return; fi\n"
      "  # --option=value comes as three words\n"
      "  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD - 2]}}; fi\n"
      "  case ${{COMP_WORDS[1]}} in\n",
      shell_word(joined_words(names, " ") + " --help --version"));
  for (auto& verb : verbs) text += bash_verb(verb, verbs);
  return text + "  esac\n}\ncomplete -F _atoll atoll\n";
}

// ---- zsh

// A text for the brackets and between the colons of a specification of _arguments.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (char c : text) out += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out;
}

std::string zsh_action(const Candidates& found) {
  switch (found.kind) {
    case Candidates::Words: return "(" + found.words + ")";
    case Candidates::Files: return "_files";
    case Candidates::Folders: return "_files -/";
    case Candidates::Nothing: break;
  }
  return " ";
}

std::string zsh_verb(const VerbText& verb, const std::vector<VerbText>& verbs) {
  std::string text = fmt::format("    {})\n      _arguments -S '(- *)--help[says what the verb takes]'", verb.name);
  for (auto& option : verb.options)
    for (auto& name : names_of(option)) {
      std::string one = (option.repeats ? "*" : "") + name;
      if (!option.value.empty()) one += name.starts_with("--") ? "=" : "+";
      one += "[" + zsh_text(option.meaning) + "]";
      if (!option.value.empty()) one += ":" + zsh_text(option.value) + ":" + zsh_action(candidates(verb, option, verbs));
      text += " \\\n        " + shell_word(one);
    }
  if (starts_program(verb)) return text + " \\\n        '(-)1:program:_command_names -e' '*::argument:_normal' ;;\n";
  for (auto& argument : verb.arguments)
    text += " \\\n        " + shell_word(fmt::format("{}:{}:{}", argument.repeats ? "*" : "", zsh_text(argument.names),
                                                     zsh_action(candidates(verb, argument, verbs))));
  return text + " ;;\n";
}

std::string zsh_script(const std::vector<VerbText>& verbs) {
  std::string text =
      "#compdef atoll\n# Completion of atoll(1) in zsh; made by `atoll reference --completions`.\n"
      "_atoll() {\n  if ((CURRENT == 2)); then\n    local -a verbs=(\n";
  for (auto& verb : verbs) text += "      " + shell_word(verb.name + ":" + zsh_text(verb.description)) + "\n";
  text +=
      "    )\n    _describe verb verbs\n    _arguments '--help[lists the verbs]' '--version[says which Atoll this is]'\n    "
      "return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n";
  for (auto& verb : verbs) text += zsh_verb(verb, verbs);
  return text + "  esac\n}\n_atoll \"$@\"\n";
}

// ---- fish

std::string fish_candidates(const Candidates& found) {
  switch (found.kind) {
    case Candidates::Words: return " -x -a " + shell_word(found.words);
    case Candidates::Files: return " -r -F";
    case Candidates::Folders: return " -x -a '(__fish_complete_directories)'";
    case Candidates::Nothing: break;
  }
  return " -x";
}

// A single-quoted word of fish, in which a backslash is itself only before other characters than it and the quote.
std::string fish_word(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "'";
}

// The words of a call of `run` from its program on: `__atoll_program`; whether they have begun: `__atoll_has_program`.
std::string fish_program(const VerbText& verb) {
  std::string with_value;
  for (auto& option : verb.options)
    if (!option.value.empty())
      for (auto& name : names_of(option)) with_value += " " + name;
  return fmt::format(
      "function __atoll_program\n"
      "  set -l words (commandline -opc)\n"
      "  set -e words[1..2]\n"
      "  while set -q words[1]\n"
      "    switch $words[1]\n"
      "      case{}\n"
      "        set -e words[1]\n"
      "        set -q words[1]; and set -e words[1]\n"
      "      case --\n"
      "        set -e words[1]\n"
      "        break\n"
      "      case '-*'\n"
      "        set -e words[1]\n"
      "      case '*'\n"
      "        break\n"
      "    end\n"
      "  end\n"
      "  string escape -- $words\n"
      "end\n"
      "function __atoll_has_program\n"
      "  count (__atoll_program) >/dev/null; or contains -- -- (commandline -opc)\n"
      "end\n"
      "function __atoll_complete_program\n"
      "  string match -q -- '-*' (commandline -ct); and not __atoll_has_program; and return\n"
      "  complete -C (string join ' ' -- (__atoll_program) (commandline -ct))\n"
      "end\n",
      with_value);
}

std::string fish_verb(const VerbText& verb, const std::vector<VerbText>& verbs) {
  const std::string program = starts_program(verb) ? "; and not __atoll_has_program" : "";
  const std::string head = fmt::format("complete -c atoll -n '__fish_seen_subcommand_from {}{}'", verb.name, program);
  std::string text =
      fmt::format("complete -c atoll -n __fish_use_subcommand -a {} -d {}\n", verb.name, fish_word(verb.description));
  for (auto& option : verb.options) {
    text += head;
    for (auto& name : names_of(option)) text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty()) text += fish_candidates(candidates(verb, option, verbs));
    text += " -d " + fish_word(option.meaning) + "\n";
  }
  if (starts_program(verb))
    return fish_program(verb) + text +
           fmt::format("complete -c atoll -n '__fish_seen_subcommand_from {}' -a '(__atoll_complete_program)'\n", verb.name);
  if (!verb.arguments.empty()) {
    auto found = candidates(verb, verb.arguments.front(), verbs);
    if (found.kind == Candidates::Files) text += head + " -F\n";
    if (found.kind == Candidates::Words) text += head + " -a " + shell_word(found.words) + "\n";
  }
  return text;
}

std::string fish_script(const std::vector<VerbText>& verbs) {
  std::string text =
      "# Completion of atoll(1) in fish; made by `atoll reference --completions`.\n"
      "complete -c atoll -f\n"
      "complete -c atoll -l help -d 'says what there is'\n"
      "complete -c atoll -n __fish_use_subcommand -l version -d 'says which Atoll this is'\n";
  for (auto& verb : verbs) text += fish_verb(verb, verbs);
  return text;
}

}  // namespace

std::vector<CompletionFile> completion_files(const std::vector<VerbText>& verbs) {
  return {{"bash-completion/completions/atoll", bash_script(verbs)},
          {"zsh/vendor-completions/_atoll", zsh_script(verbs)},
          {"fish/vendor_completions.d/atoll.fish", fish_script(verbs)}};
}

}  // namespace Atoll::cli
