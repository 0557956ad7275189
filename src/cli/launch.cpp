// atoll launch: runs one compute kernel from a code object or an Intel device binary. Errors in the call alone end with status
// 2, refusals by the object or its metadata with 1; nothing runs before both have been looked at.
#include "gpu/dg1/launch/launch.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.h"
#include "cli/cache_report.h"
#include "cli/checks.h"
#include "cli/level_report.h"
#include "cli/progress_lines.h"
#include "cli/time_option.h"
#include "cli/verbs.h"
#include "codeobject/intel_object.h"
#include "gpu/chips/chip.h"
#include "gpu/chips/family_programs.h"
#include "gpu/hsa/dispatch.h"
#include "gpu/hsa/launch_arguments.h"
#include "gpu/hsa/printf.h"
#include "gpu/hsa/stop_timer.h"
#include "gpu/open/launch.h"

namespace Atoll::cli {
namespace {

using namespace Atoll::hsa;

constexpr const char* launch_verb = "launch";
constexpr const char* launch_argument_help = R"(ARG, in the order of the kernel's parameters:
  i8= u8= i16= u16= i32= u32= i64= u64= f16= f32= f64= VALUE   a scalar, decimal or 0x
  f32x4=1,2,3,4        a vector (any type; x2 x3 x4 x8 x16; x3 takes the room of four elements)
  in=FILE              a buffer with the file's bytes (4 GiB at most)
  out=FILE:BYTES       a zeroed buffer, written to FILE when the kernel ends
  inout=FILE[:OUT]     a buffer with the file's bytes, written back to OUT, or to FILE
  local=BYTES          a dynamic LDS block (a __local pointer parameter)
  struct=FILE          an aggregate by value
  image=FILE:FORMAT:WxH[xD]  image-out=FILE:FORMAT:WxH[xD]     an image
  sampler=ADDRESS:FILTER:normalized|unnormalized               a sampler
  null                 a null pointer)";

struct LaunchCall {
  std::string object, gpu, kernel, grid, group, checks, engine = "auto";
  std::vector<std::string> arguments;
  unsigned threads = 0;
  double timeout = 0;
  bool stats = false, deterministic = false;
  unsigned repeat = 1;
};

std::atomic<int> stop{0};
static_assert(std::atomic<int>::is_always_lock_free);

// The first SIGINT or SIGTERM asks the run to end; a second one has its usual effect.
void on_signal(int) {
  int running = 0;
  stop.compare_exchange_strong(running, stop_signal);
}

void watch_signals() {
  for (int signal : {SIGINT, SIGTERM}) {
    struct sigaction now = {}, action = {};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler == SIG_IGN) continue;  // as started by nohup and the like
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

template <class T>
T value_or_end(Expected<T> value, int status, const std::string& place = "") {
  if (!value) end_with(status, launch_verb, place.empty() ? value.error().message : place + ": " + value.error().message);
  return std::move(*value);
}

bool launches(const gpu::Chip& chip) { return chip.launches(); }

// The emulated GPU that the object runs on.
const gpu::Chip& choose_gpu(const CodeObject& object, const gpu::Chip* asked) {
  const gpu::Chip* own = gpu::find_chip_of_processor(object.processor);
  if (asked && asked->processors.contains(object.processor)) own = asked;
  if (!own)
    end_with(STATUS_FAILED, launch_verb,
             fmt::format("{}: made for {}, which Atoll cannot launch on: compile it with -mcpu=, one of {}", object.file,
                         object.processor, gpu::chip_names(launches)));
  if (asked && gpu::programs_of(*asked).container == gpu::Container::intel)
    end_with(
        STATUS_FAILED, launch_verb,
        fmt::format("{}: made for {}, but --gpu {} runs device binaries of Intel's compiler: ocloc compile -device dg1, or leave "
                    "--gpu out",
                    object.file, object.processor, asked->name));
  if (asked && asked != own)
    end_with(STATUS_FAILED, launch_verb,
             fmt::format("{}: made for {}, but --gpu asks for {}: compile it with -mcpu={} or leave --gpu out", object.file,
                         object.processor, asked->name, asked->name));
  return *own;
}

template <class Object>
const auto& choose_kernel(const Object& object, const std::string& name) {
  if (object.kernels.empty())
    end_with(STATUS_FAILED, launch_verb,
             fmt::format("{}: the object has no kernel: compile one with the kernel keyword", object.file));
  if (!name.empty()) {
    if (auto* kernel = object.find(name)) return *kernel;
    end_with(STATUS_FAILED, launch_verb, fmt::format("{}: no kernel '{}': it has {}", object.file, name, object.kernel_list()));
  }
  if (object.kernels.size() > 1)
    end_with(
        STATUS_FAILED, launch_verb,
        fmt::format("{}: {} kernels, choose one with --kernel: {}", object.file, object.kernels.size(), object.kernel_list()));
  return object.kernels[0];
}

// A run may take long: what will surely not be written is said before.
void check_outputs(const std::vector<LaunchOutput>& outputs) {
  for (auto& output : outputs) {
    if (output.file == "-") continue;
    auto parent = std::filesystem::path(output.file).parent_path();
    if (parent.empty()) parent = ".";
    std::error_code error;
    if (std::filesystem::is_directory(output.file, error))
      end_with(STATUS_FAILED, launch_verb, fmt::format("{}: is a folder: name a file", output.file));
    if (::access(parent.c_str(), F_OK) != 0)
      end_with(STATUS_FAILED, launch_verb,
               fmt::format("{}: the folder {} is not there: make it first", output.file, parent.string()));
  }
}

void print_stats(const RunResult& r) {
  auto share = [&](uint64_t n) { return r.instructions ? double(n) / double(r.instructions) : 0.0; };
  nlohmann::ordered_json line = {{"waves", r.waves},
                                 {"instructions", r.instructions},
                                 {"engine", r.engine},
                                 {"compile_seconds", r.compile_seconds},
                                 {"instructions_compiled", r.instructions_compiled},
                                 {"run_seconds", r.run_seconds},
                                 {"threads", r.threads},
                                 {"compiled", share(r.compiled)},
                                 {"called", share(r.called)},
                                 {"interpreted", share(r.interpreted)}};
  add_level(line);
  add_cache(line, file_caches());
  fmt::print("{}\n", line.dump());
}

// A run that was cut short may leave an entry half-written: that is no news then.
void print_text(const CodeObject& object, const Dispatch& dispatch, bool whole) {
  if (dispatch.printf_buffer.bytes == 0) return;
  auto printed = decode_printf(dispatch.printf_buffer.span(), object.printf_formats);
  std::fwrite(printed.text.data(), 1, printed.text.size(), stdout);
  std::fflush(stdout);
  if (whole && !printed.problem.empty()) complain(launch_verb, fmt::format("{}: {}", dispatch.kernel, printed.problem));
}

void check_stopped(const std::string& kernel, const LaunchCall& call) {
  switch (stop.load()) {
    case stop_timeout:
      end_with(STATUS_FAILED, launch_verb,
               fmt::format("{}: did not end within {} seconds (--timeout): no output was written", kernel, call.timeout));
    case stop_signal: end_with(STATUS_FAILED, launch_verb, fmt::format("{}: ended by a signal: no output was written", kernel));
    default: break;
  }
}

// Everything that follows from the call alone.
struct ReadCall {
  const gpu::Chip* gpu = nullptr;
  LaunchShape shape;
  Engine engine = Engine::Auto;
  std::vector<LaunchArgument> arguments;
  std::shared_ptr<gpu::Findings> findings;  // null: nothing is checked
};

ReadCall read_call(const LaunchCall& call) {
  ReadCall out;
  if (!call.gpu.empty()) {
    out.gpu = gpu::find_chip(call.gpu);
    if (!out.gpu)
      end_with(STATUS_CALL, launch_verb, fmt::format("--gpu {}: no such GPU: one of {}", call.gpu, gpu::chip_names()));
    if (!out.gpu->launches())
      end_with(STATUS_CALL, launch_verb,
               fmt::format("--gpu {}: it runs no code objects: one of {}", out.gpu->name, gpu::chip_names(launches)));
  }
  unsigned grid_dimensions = 1, group_dimensions = 1;
  out.shape.grid = value_or_end(parse_dimensions(call.grid, grid_dimensions), STATUS_CALL, "--grid");
  out.shape.group = value_or_end(parse_dimensions(call.group, group_dimensions), STATUS_CALL, "--group");
  out.shape.dimensions = std::max(grid_dimensions, group_dimensions);
  out.engine = gpu::parse_engine(call.engine).value_or(Engine::Auto);
  out.findings = findings_for(launch_verb, call.checks, call.engine);
  if (out.findings) out.engine = Engine::Interpreter;
  bool standard_input = call.object == "-";
  for (auto& text : call.arguments) {
    out.arguments.push_back(value_or_end(parse_launch_argument(text), STATUS_CALL));
    if (out.arguments.back().input != "-") continue;
    if (standard_input)
      end_with(STATUS_CALL, launch_verb, fmt::format("argument '{}': standard input can be read only once", text));
    standard_input = true;
  }
  return out;
}

// Writes a launch's results: messages, files, counters.
void finish(const LaunchCall& call, const ReadCall& read, const std::string& kernel, const RunResult& result,
            const std::vector<LaunchOutput>& outputs) {
  const bool found = read.findings && tell_findings(launch_verb, read.findings->take(), kernel);
  for (const std::string& what : result.unknown) complain(launch_verb, fmt::format("{}: not modelled: {}", kernel, what));
  if (result.fault) end_with(STATUS_FAILED, launch_verb, fmt::format("{}: {}", kernel, gpu::describe(*result.fault)));
  if (result.stopped) check_stopped(kernel, call);

  // Nothing half-written stays behind: from here on a signal waits.
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  if (stop.load() == stop_signal) check_stopped(kernel, call);
  for (auto& output : outputs)
    if (auto written = write_file(output.file, output.content()); !written)
      end_with(STATUS_FAILED, launch_verb, written.error().message);
  if (call.stats) print_stats(result);
  if (found) end(STATUS_FAILED);
}

RunOptions run_options(const LaunchCall& call, const ReadCall& read) {
  RunOptions options;
  options.engine = read.engine;
  options.threads = call.threads ? call.threads : std::max(1u, std::thread::hardware_concurrency());
  options.deterministic = call.deterministic;
  options.stop = &stop;
  options.repeat = call.repeat;
  options.findings = read.findings;
  return options;
}

// The text of progress lines on a terminal during a long launch.
std::string doing(const std::string& kernel, std::string_view gpu, const ReadCall& read) {
  const auto& grid = read.shape.grid;
  return fmt::format("{} on {}, {}x{}x{} work-items", kernel, gpu, grid[0], grid[1], grid[2]);
}

// Launches Intel's device binaries, which run on DG1.
void launch_intel(const LaunchCall& call, const ReadCall& read, std::span<const uint8_t> bytes, const std::string& name) {
  if (read.gpu && gpu::programs_of(*read.gpu).container != gpu::Container::intel)
    end_with(STATUS_FAILED, launch_verb,
             fmt::format("{}: made by Intel's compiler, which --gpu {} does not run: leave --gpu out", name, read.gpu->name));
  const intel::IntelObject object = value_or_end(intel::read_intel_object(bytes, name), STATUS_FAILED);
  const intel::IntelKernel& kernel = choose_kernel(object, call.kernel);
  const Target& target = dg1::launch_target();
  value_or_end(match_launch_arguments(target, kernel.signature, read.arguments), STATUS_FAILED);
  std::unique_ptr<AddressSpace> space = value_or_end(AddressSpace::create(), STATUS_FAILED);
  BoundArguments bound = value_or_end(bind_launch_arguments(target, kernel.signature, read.arguments, *space), STATUS_FAILED);
  check_outputs(bound.outputs);
  check_stopped(kernel.signature.name, call);
  RunResult result;
  dg1::PrintedByKernel printed;
  {
    StopTimer timer(stop, call.timeout,
                    end_of_process(launch_verb, kernel.signature.name, call.timeout, ": no output was written"),
                    max_compile_seconds);
    ProgressLines progress(launch_verb, [&] { return doing(kernel.signature.name, "dg1", read); });
    result = value_or_end(dg1::launch(object, kernel, read.shape, bound.values, *space, run_options(call, read), printed),
                          STATUS_FAILED);
  }
  std::fwrite(printed.text.data(), 1, printed.text.size(), stdout);
  std::fflush(stdout);
  if (!result.fault && !result.stopped && !printed.problem.empty())
    complain(launch_verb, fmt::format("{}: {}", kernel.signature.name, printed.problem));
  finish(call, read, kernel.signature.name, result, bound.outputs);
}

void launch(const LaunchCall& call) {
  ReadCall read = read_call(call);
  watch_signals();
  auto bytes = value_or_end(read_file(call.object), STATUS_FAILED);
  const std::string name = call.object == "-" ? "standard input" : call.object;
  if (intel::is_intel_object(bytes)) return launch_intel(call, read, bytes, name);
  CodeObject object = value_or_end(gpu::read_code_object_for(bytes, name, read.gpu), STATUS_FAILED);
  const gpu::Chip& gpu = choose_gpu(object, read.gpu);
  const Target target = gpu::hsa_target(gpu);
  const Kernel& kernel = choose_kernel(object, call.kernel);
  LaunchMatch match = value_or_end(match_launch_arguments(target, kernel, read.arguments), STATUS_FAILED);

  std::unique_ptr<AddressSpace> space = value_or_end(AddressSpace::create(), STATUS_FAILED);
  LoadedObject loaded = value_or_end(load(object, *space), STATUS_FAILED);
  BoundArguments bound = value_or_end(bind_launch_arguments(target, kernel, read.arguments, *space), STATUS_FAILED);
  Dispatch dispatch = value_or_end(
      prepare_dispatch(target, object, loaded, kernel, read.shape, bound.values, match.extra_lds_bytes, *space), STATUS_FAILED);
  check_outputs(bound.outputs);
  check_stopped(kernel.name, call);

  RunResult result;
  {
    StopTimer timer(stop, call.timeout, end_of_process(launch_verb, kernel.name, call.timeout, ": no output was written"),
                    max_compile_seconds);
    ProgressLines progress(launch_verb, [&] { return doing(kernel.name, gpu.name, read); });
    result = value_or_end(gpu::run_dispatch(gpu, dispatch, *space, run_options(call, read)), STATUS_FAILED);
  }
  print_text(object, dispatch, !result.fault && !result.stopped);
  finish(call, read, kernel.name, result, bound.outputs);
}

}  // namespace

void add_launch(CLI::App& app) {
  auto call = std::make_shared<LaunchCall>();
  auto* sub = app.add_subcommand("launch", "runs one compute kernel from a code object or a device binary");
  sub->footer(launch_argument_help);
  sub->add_option("OBJECT", call->object,
                  "the code object, or what ocloc writes for dg1 (zebin or patch tokens); - is standard input")
      ->required();
  sub->add_option("ARG", call->arguments, "the kernel's arguments");
  sub->add_option("--gpu", call->gpu, gpu::chip_names(launches) + "; if it is left out, the object's own flags choose")
      ->type_name("GPU");
  sub->add_option("--kernel", call->kernel, "the kernel's name, if the object has several")->type_name("NAME");
  sub->add_option("--grid", call->grid, "work-items, as OpenCL's global size")->required()->type_name("X[,Y[,Z]]");
  sub->add_option("--group", call->group, "work-items of a work-group")->required()->type_name("X[,Y[,Z]]");
  sub->add_option("--engine", call->engine, "how the kernel runs")
      ->transform(CLI::IsMember({"auto", "interpreter", "jit"}, CLI::ignore_case));
  add_check_option(*sub, call->checks);
  sub->add_option("--threads", call->threads, "host threads; if it is left out, as many as the machine has")
      ->check(CLI::Range(1, 1024));
  add_timeout_option(*sub, call->timeout, "ends the launch after so many seconds");
  sub->add_flag("--stats", call->stats, "prints counters as one JSON object when done");
  sub->add_flag("--deterministic", call->deterministic, "runs work-groups in order");
  sub->add_option("--repeat", call->repeat,
                  "runs the kernel N times on the same buffers, for timing: run_seconds is the median of all but the first")
      ->check(CLI::Range(1u, 100000u));
  sub->callback([call] { launch(*call); });
}

}  // namespace Atoll::cli
