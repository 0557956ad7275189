// atoll: a GPU in software, on the command line. The verbs, and how their errors become exit statuses.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/environment.h"
#include "base/host_level.h"
#include "cli/reference.h"
#include "cli/verbs.h"
#include "cli/version.h"

namespace {

using namespace Atoll::cli;

struct Verb {
  const char* name;
  void (*add)(CLI::App&);
};

constexpr Verb verbs[] = {
    {"gpus", add_gpus},
    {"run", add_run},
    {"doctor", add_doctor},
    {"mesa", add_mesa},
    {"cache", add_cache},
    {"launch", add_launch},
    {"asm", add_asm},
    {"disasm", add_disasm},
    {"eval", add_eval},
    {"decode", add_decode},
    {"reg", add_reg},
    {"enum", add_enum},
    {"replay", add_replay},
    {"registers-used", add_registers_used},
    {"diff", add_diff},
    {"bisect", add_bisect},
    {"who", add_who},
    {"why", add_why},
    {"fidelity", add_fidelity},
    {"help", add_help},
    {"reference", add_reference},
    {"share-screen", add_share_screen},
};

const Verb* verb_of(int argc, char** argv) {
  for (auto& verb : verbs)
    if (argc > 1 && std::strcmp(argv[1], verb.name) == 0) return &verb;
  return nullptr;
}

bool asks_for_help(const char* argument) { return std::strcmp(argument, "--help") == 0 || std::strcmp(argument, "-h") == 0; }

}  // namespace

int main(int argc, char** argv) try {
  prepare_process();
  CLI::App app("Atoll: a GPU in software", "atoll");
  app.set_version_flag("--version", version_text, "says which Atoll this is: version, commit, LLVM, host level");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  for (auto& v : verbs) v.add(app);
  const Verb* verb = verb_of(argc, argv);
  if (!verb && argc > 1 && argv[1][0] != '-') {
    say(fmt::format("atoll: no verb '{}': see atoll --help", argv[1]));
    return STATUS_CALL;
  }
  if (verb && !(argc > 2 && asks_for_help(argv[2])))
    for (auto& problem : Atoll::environment_problems()) {
      complain(verb->name, problem);
      return STATUS_CALL;
    }
  if (auto problem = Atoll::host_level_problem(); verb && verb->add != add_doctor && verb->add != add_help && !problem.empty()) {
    complain(verb->name, problem);
    return STATUS_FAILED;
  }
  // LLVM's -mcpu has one dash.
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (verb && (verb->add == add_asm || verb->add == add_disasm || verb->add == add_eval || verb->add == add_fidelity))
    for (auto& argument : arguments)
      if (argument.starts_with("-mcpu")) argument.insert(0, "-");
  if (verb && verb->add == add_run) take_program(arguments);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  std::string place = verb ? std::string(verb->name) + ": " : "";
  int status = STATUS_DONE;
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::RuntimeError& error) {
    status = error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);  // --help, --version
    } else {
      say(fmt::format("atoll: {}{}: see atoll {}--help", place, error.what(), verb ? std::string(verb->name) + " " : ""));
      status = STATUS_CALL;
    }
  } catch (const std::bad_alloc&) {
    say(fmt::format("atoll: {}there is not enough memory: give it more (ulimit -v), or less to do", place));
    return STATUS_FAILED;
  } catch (const std::system_error& error) {  // as fmt::print throws where it cannot write
    say(fmt::format("atoll: {}{}: {}", place, std::ferror(stdout) ? "cannot write standard output" : error.what(),
                    error.code().message()));
    return STATUS_FAILED;
  } catch (const std::exception& error) {
    say(fmt::format("atoll: {}{}", place, error.what()));
    return STATUS_FAILED;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    say(fmt::format("atoll: {}cannot write standard output: {}", place, std::strerror(errno ? errno : EIO)));
    if (status == STATUS_DONE) status = STATUS_FAILED;
  }
  return status;
} catch (const std::exception& error) {  // before a verb is known
  std::fprintf(stderr, "atoll: %s\n", error.what());
  return STATUS_FAILED;
}
