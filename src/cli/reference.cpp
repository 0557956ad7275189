// atoll reference: docs/command-line.md, docs/environment.md and the man pages (groff_man(7)), from the verbs' own definitions.
#include "cli/reference.h"

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/files.h"
#include "cli/completion.h"
#include "cli/verb_text.h"
#include "cli/verbs.h"
#include "gpu/chips/chip.h"

namespace Atoll::cli {
namespace {

constexpr const char* reference_verb = "reference";
using Audience = EnvironmentVariable::Audience;

struct Example {
  std::string_view verb, command, meaning;
};

constexpr Example examples[] = {
    {"gpus", "atoll gpus", "one line for each GPU: its names, and what can drive it"},
    {"run", "atoll run --gpu bonaire --display none -- gears gears.png",
     "an OpenGL program without windows, of ours, on the emulated Bonaire"},
    {"run", "atoll run --gpu bonaire --frames 50 --screenshot desktop.png -- glxgears",
     "glxgears on a desktop of its own; a picture of it after 50 frames, and the end"},
    {"run", "atoll run --gpu r580 --display none --record app.rec -- gears gears.png",
     "records everything that the program's driver gives to the GPU"},
    {"run", "atoll run --registers-used page.html --frames 30 -- glxgears",
     "a page, renewed while it runs, of the registers that Mesa writes"},
    {"mesa", "atoll mesa --fetch", "a newer Mesa beside the system's, and the folder that it lies in"},
    {"run", "atoll run --mesa ~/mesa/build --gpu r580 -- ./app", "with the drivers of a Mesa that you built"},
    {"doctor", "atoll doctor", "what is missing on this machine, and a triangle on each GPU"},
    {"cache", "atoll cache", "the folder that ATOLL_CACHE names, and how much code it holds"},
    {"launch", "atoll launch saxpy.co --grid 1024 --group 64 --stats in=x.bin out=y.bin:4096 f32=2 u32=1024",
     "a kernel with two buffers and two numbers (docs/kernels.md compiles it); counters when it is done"},
    {"asm", "echo 'v_add_f32 v0, v1, v2' | atoll asm --isa gfx1201 --batch", "its bytes: 01050006"},
    {"disasm", "echo s_endpgm | atoll asm --isa gfx7 | atoll disasm --isa gfx7", "raw words as text"},
    {"disasm", "atoll disasm --kernel saxpy saxpy.co", "one kernel of a code object, which names its own instruction set"},
    {"eval", "atoll eval --isa gfx1201 'v_log_f32 v0, v1' v1=0xff800000", "what the instruction does: v0 = 0xffc00000"},
    {"eval", "atoll eval --isa gfx1201 'v_add_f32 v0, v1, v2' v1=1.5 v2=-0.25 --as f32", "in floats: v0 = 0x3fa00000  1.25"},
    {"decode", "echo '00001381 00000000' | atoll decode --gpu r580 --hex",
     "a command stream, packet by packet, registers and fields by name"},
    {"decode", "atoll decode app.rec", "the command buffers of every submission of a recording"},
    {"reg", "atoll reg --gpu bonaire CB_COLOR0_INFO 0x28828", "the fields of a value, by name"},
    {"reg", "atoll reg --gpu r580 0x4e04", "the register at a byte address"},
    {"reg", "atoll reg --gpu bonaire 'CB_BLEND*'", "registers by a pattern"},
    {"reg", "atoll reg --gpu bonaire --search stencil,op", "where words occur: registers, fields, values"},
    {"enum", "atoll enum --gpu bonaire BlendOp", "the values of an enumeration"},
    {"replay", "atoll replay app.rec --png pictures --draws 3..7", "the render targets after each of five draws, without Mesa"},
    {"registers-used", "atoll registers-used app.rec --html page.html", "which registers a recorded driver wrote, as a page"},
    {"diff", "atoll diff good.rec bad.rec", "where two recordings of one program differ first, and what to ask `why`"},
    {"bisect", "atoll bisect app.rec --pixel 400,300 -o small.rec",
     "the draws that the pixel's colour needs, and a recording that has no others"},
    {"who", "atoll who app.rec draw:40:colour0:400,300",
     "who wrote the pixel's bytes in that draw's target, in order, and who read them"},
    {"why", "atoll why app.rec --pixel 400,300",
     "what drew the pixel in the last frame, and which fragments were killed by which test"},
    {"fidelity", "atoll fidelity --isa gfx1201", "each instruction and how exact it is"},
    {"fidelity", "atoll fidelity --gpu bonaire CB_COLOR3_INFO", "each field of a register"},
    {"help", "atoll help run", "the same as atoll run --help"},
};

struct StatusText {
  int status;
  std::string_view meaning;
};

constexpr StatusText statuses[] = {
    {STATUS_DONE, "done"},
    {STATUS_FAILED, "the input was read, but something in it failed: a bad instruction, a GPU fault, a difference"},
    {STATUS_CALL, "the call itself was wrong"},
    {STATUS_MISSING, "a tool or driver that the verb needs is missing; the message names the package"},
};

// A paragraph of every page. `atoll run` differs in its exit statuses.
constexpr std::string_view errors_text =
    "An error is one line on standard error: the verb, what is wrong and where, and what to do. No file is left half written.\n"
    "`-` in place of a file is standard input or output.";
constexpr std::string_view run_statuses_text =
    "`atoll run` passes the program's status on (128 + N if signal N ended it). Its own are 124 (`--timeout`), 125 (Atoll\n"
    "failed), 126 (the program cannot run on an emulated GPU) and 127 (no such program).";

std::string synopsis(const VerbText& text) {
  std::string line = "atoll " + text.name + " [OPTIONS]";
  if (text.name == "run") line += " [--]";
  for (auto& option : text.options)
    if (option.required) line += " " + option.names + " " + option.value;
  for (auto& argument : text.arguments) {
    std::string name = argument.names + (argument.repeats ? "..." : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  return line;
}

std::string meaning_of(const OptionText& option) {
  return option.meaning + (option.limits.empty() ? "" : fmt::format(" ({})", option.limits));
}

// ---- Markdown

std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string markdown_verb(const VerbText& text) {
  std::string page = fmt::format("\n## atoll {}\n{}.\n\n    {}\n", text.name, sentence(text.description), synopsis(text));
  if (!text.arguments.empty() || !text.options.empty()) page += "\n| | |\n|---|---|\n";
  for (auto* list : {&text.arguments, &text.options})
    for (auto& option : *list)
      page +=
          fmt::format("| `{}{}{}` | {}{} |\n", cell(option.names), option.value.empty() || option.positional ? "" : " ",
                      option.positional ? "" : cell(option.value), option.required ? "required: " : "", cell(meaning_of(option)));
  if (!text.footer.empty()) page += fmt::format("\n```text\n{}{}```\n", text.footer, text.footer.ends_with('\n') ? "" : "\n");
  page += "\n```\n";
  for (auto& example : examples)
    if (example.verb == text.name) page += fmt::format("$ {}    # {}\n", example.command, example.meaning);
  return page + "```\n";
}

std::string command_line_page(const CLI::App& app) {
  std::string page =
      "# The command line\n"
      "<!-- Generated by `atoll reference docs` from src/cli; the test `reference` compares. Edit the verbs, not this page. "
      "-->\n\n"
      "One program, `atoll`, one verb for each job. The same text is in `atoll VERB --help` and, after `cmake --install`, in\n"
      "`man atoll` and `man atoll-VERB`. Environment variables: [environment.md](environment.md).\n\n"
      "| verb | what it does |\n|---|---|\n";
  auto texts = verb_texts(app);
  for (auto& text : texts) page += fmt::format("| [`{}`](#atoll-{}) | {} |\n", text.name, text.name, cell(text.description));
  page += fmt::format("\n{}\n\n| exit status | |\n|---|---|\n", errors_text);
  for (auto& status : statuses) page += fmt::format("| {} | {} |\n", status.status, status.meaning);
  page += fmt::format("\n{}\n", run_statuses_text);
  for (auto& text : texts) page += markdown_verb(text);
  return page;
}

std::string environment_page() {
  std::string page =
      "# Environment variables\n"
      "<!-- Generated by `atoll reference docs` from src/base/environment.cpp; the test `reference` compares. -->\n\n"
      "A value that a variable cannot have counts as not set. A program on an emulated GPU is told so once and goes on; a verb "
      "of\n"
      "`atoll` ends with status 2.\n";
  struct Part {
    Audience audience;
    std::string_view title;
  };
  for (auto& [audience, title] :
       {Part{Audience::users, "For users"}, Part{Audience::inside, "Set by Atoll, or for looking inside"},
        Part{Audience::tests, "For the tests"}, Part{Audience::foreign, "Other programs' variables"}}) {
    page += fmt::format("\n## {}\n| variable | values | meaning | default |\n|---|---|---|---|\n", title);
    for (auto& variable : environment_variables()) {
      if (variable.audience != audience) continue;
      std::string values = allowed_values(variable);
      page += fmt::format("| `{}` | {} | {} | {} |\n", variable.name, values.empty() ? "any text" : cell(values),
                          cell(variable.meaning), variable.without);
    }
  }
  return page;
}

// ---- man pages

// Text for groff: no control characters at the beginning of a line, hyphens and backslashes as they are.
std::string roff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '`' || c == '\'')
      out += "\\(aq";
    else
      out += c;
  }
  return out;
}

std::string roff_head(std::string_view name, std::string_view description) {
  std::string title(name);
  for (auto& c : title) c = char(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"Atoll\" \"Atoll: a GPU in software\"\n.SH NAME\n{} \\- {}\n", roff(title), roff(name),
                     roff(description));
}

std::string roff_example(const Example& example) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(example.command), roff(example.meaning));
}

std::string roff_statuses() {
  std::string page = ".SH EXIT STATUS\n";
  for (auto& status : statuses) page += fmt::format(".TP\n.B {}\n{}\n", status.status, roff(status.meaning));
  return page;
}

std::string man_verb(const VerbText& text, std::string_view see_also) {
  std::string page = roff_head("atoll-" + text.name, text.description);
  page += fmt::format(".SH SYNOPSIS\n.B {}\n", roff(synopsis(text)));
  if (!text.arguments.empty() || !text.options.empty()) page += ".SH OPTIONS\n";
  for (auto* list : {&text.arguments, &text.options})
    for (auto& option : *list)
      page +=
          fmt::format(".TP\n.B {}{}{}\n{}{}\n", roff(option.names), option.value.empty() || option.positional ? "" : " ",
                      option.positional ? "" : roff(option.value), option.required ? "Required: " : "", roff(meaning_of(option)));
  if (!text.footer.empty())
    page += fmt::format(".SH NOTES\n.nf\n{}{}.fi\n", roff(text.footer), text.footer.ends_with('\n') ? "" : "\n");
  if (text.name == "run") page += fmt::format(".SH EXIT STATUS\n{}\n", roff(run_statuses_text));
  page += ".SH EXAMPLES\n";
  for (auto& example : examples)
    if (example.verb == text.name) page += roff_example(example);
  return page + fmt::format(".SH SEE ALSO\n{}\n", see_also);
}

// Family by family: the chips, and what drives them.
std::string man_gpus() {
  struct Row {
    std::string_view family;
    std::string names, driven_by;
  };
  std::vector<Row> rows;
  for (auto& chip : gpu::chips()) {
    if (rows.empty() || rows.back().family != chip.family_name) rows.push_back({chip.family_name, "", driven_by(chip, "; ")});
    rows.back().names += (rows.back().names.empty() ? "" : ", ") + std::string(chip.name);
  }
  std::string page;
  for (auto& row : rows) page += fmt::format(".TP\n.B {}\n{}: {}\n", roff(row.names), roff(row.family), roff(row.driven_by));
  return page;
}

std::string man_page(const std::vector<VerbText>& texts) {
  std::string page = roff_head("atoll", "a GPU in software");
  page += ".SH SYNOPSIS\n.B atoll\n.I VERB\n[OPTIONS]\n.SH DESCRIPTION\n" +
          roff("Unmodified drivers, compilers and programs run on an emulated GPU. The other verbs look inside.") + "\n.PP\n" +
          roff(errors_text) + "\n.SH GPUS\n" + man_gpus() + ".SH VERBS\n";
  for (auto& text : texts) page += fmt::format(".TP\n.BR atoll\\-{} (1)\n{}\n", roff(text.name), roff(text.description));
  page += roff_statuses() + ".PP\n" + roff(run_statuses_text) + "\n.SH ENVIRONMENT\n";
  for (auto& variable : environment_variables()) {
    if (variable.audience != Audience::users) continue;
    std::string values = allowed_values(variable);
    page += fmt::format(".TP\n.B {}\n{}{}; default: {}\n", roff(variable.name), roff(variable.meaning),
                        values.empty() ? "" : ": " + roff(values), roff(variable.without));
  }
  page += ".SH EXAMPLES\n";
  for (auto& example : examples) page += roff_example(example);
  return page;
}

// ----

void write(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
  auto written = write_file((folder / name).string(), {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  if (!written) end_with(STATUS_FAILED, reference_verb, written.error().message);
}

void write_completions(const CLI::App& app, const std::filesystem::path& folder) {
  for (auto& file : completion_files(verb_texts(app))) {
    std::error_code error;
    std::filesystem::create_directories((folder / file.name).parent_path(), error);
    write(folder, file.name, file.text);
  }
}

void write_pages(const CLI::App& app, const std::string& folder, bool man) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!man) {
    write(folder, "command-line.md", command_line_page(app));
    write(folder, "environment.md", environment_page());
    return;
  }
  auto texts = verb_texts(app);
  write(folder, "atoll.1", man_page(texts));
  for (auto& text : texts) write(folder, "atoll-" + text.name + ".1", man_verb(text, ".BR atoll (1)"));
}

}  // namespace

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  auto [value, limits] = value_text(*option);
  std::string text = value.empty() || option->get_positional() ? "" : " " + value;
  if (option->get_positional() && option->get_expected_max() >= CLI::detail::expected_max_vector_size) text += "...";
  if (!limits.empty()) text += fmt::format(" ({})", limits);
  if (option->get_required()) text += " (required)";
  return text;
}

void add_reference(CLI::App& app) {
  struct Call {
    std::string folder;
    bool man = false, completions = false;
  };
  auto call = std::make_shared<Call>();
  auto* sub = app.add_subcommand(reference_verb, "writes the reference of the command line and of the environment into a folder");
  sub->group("");
  sub->add_option("DIR", call->folder, "the folder")->required();
  sub->add_flag("--man", call->man, "man pages");
  sub->add_flag("--completions", call->completions, "what shells complete calls by, each where its shell looks below share/");
  sub->callback([call, &app] {
    if (call->completions)
      write_completions(app, call->folder);
    else
      write_pages(app, call->folder, call->man);
  });
}

}  // namespace Atoll::cli
