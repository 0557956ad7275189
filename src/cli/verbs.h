// The verbs of the atoll binary: one file and one add_… function each; main.cpp has the table.
#pragma once
#include <fmt/core.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace Atoll::gpu {
struct Chip;
}

namespace Atoll::cli {

// How `gpus` names launch.
inline constexpr std::string_view code_object_launches = "launch: HSA code objects of clang (OpenCL C, HIP, C++)";
inline constexpr std::string_view intel_launches = "launch: device binaries of ocloc (OpenCL C)";

// The verbs and drivers that work on a GPU today, with something between them; empty: none.
std::string driven_by(const gpu::Chip& chip, std::string_view between);

// Exit statuses (docs/command-line.md)
enum Status : int { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_CALL = 2, STATUS_MISSING = 3 };

// Each adds its subcommand to the app. The subcommand's callback does the work; to end with another status than 0 it calls end().
void add_asm(CLI::App& app);
void add_cache(CLI::App& app);
void add_decode(CLI::App& app);
void add_bisect(CLI::App& app);
void add_diff(CLI::App& app);
void add_disasm(CLI::App& app);
void add_doctor(CLI::App& app);
void add_enum(CLI::App& app);
void add_eval(CLI::App& app);
void add_fidelity(CLI::App& app);
void add_gpus(CLI::App& app);
void add_help(CLI::App& app);
void add_launch(CLI::App& app);
void add_mesa(CLI::App& app);
void add_reg(CLI::App& app);
void add_registers_used(CLI::App& app);
void add_replay(CLI::App& app);
void add_run(CLI::App& app);
void add_share_screen(CLI::App& app);
void add_who(CLI::App& app);
void add_why(CLI::App& app);

// Takes the program and its arguments, which are not ours to parse, off the arguments of `atoll run …`.
void take_program(std::vector<std::string>& arguments);

// Ends the verb with a status, from within its callback.
[[noreturn]] void end(int status);

// Prints "atoll: VERB: message" on standard error and ends the verb with the status.
[[noreturn]] void end_with(int status, const char* verb, const std::string& message);

// The same line without ending.
void complain(const char* verb, const std::string& message);

// A line on standard error, which may be closed or full.
void say(const std::string& line);

// Called before anything else: standard descriptors that are closed stay so, and a file that grows beyond `ulimit -f` is an error
// like any other. default_signals(): those that a program which a verb starts is to have as they were before.
void prepare_process();
sigset_t default_signals();

}  // namespace Atoll::cli
