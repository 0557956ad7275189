// atoll replay: does a recording again without the driver, compares what it leaves in memory with what was left then, and shows
// the render targets.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/cache_report.h"
#include "cli/checks.h"
#include "cli/level_report.h"
#include "cli/png_file.h"
#include "cli/progress_lines.h"
#include "cli/recordings.h"
#include "cli/time_option.h"
#include "cli/verbs.h"
#include "gpu/chips/chip.h"
#include "gpu/chips/family_programs.h"
#include "gpu/hsa/run.h"
#include "gpu/hsa/stop_timer.h"
#include "trace/player.h"

namespace Atoll::cli {
namespace {

constexpr const char* replay_verb = "replay";

struct ReplayCall {
  std::string trace, png_folder, draws, shaders, checks, engine = "auto";
  unsigned threads = 0;
  double timeout = 0;  // seconds; 0: none
  bool stats = false, strict = false;
};

// "3..7", "3.." or "3".
bool parse_draws(const std::string& text, uint64_t& first, uint64_t& last) {
  auto number = [](std::string_view t, uint64_t& value) {
    if (t.empty()) return true;
    auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
    return error == std::errc() && end == t.data() + t.size();
  };
  size_t dots = text.find("..");
  if (dots == std::string::npos) {
    if (text.empty() || !number(text, first)) return false;
    last = first;
    return true;
  }
  return number(std::string_view(text).substr(0, dots), first) && number(std::string_view(text).substr(dots + 2), last) &&
         first <= last;
}

void replay(const ReplayCall& call) {
  trace::PlayOptions options;
  options.gpu.engine = gpu::parse_engine(call.engine).value_or(options.gpu.engine);  // the option took no other
  options.gpu.threads = call.threads;
  options.gpu.strict = call.strict;
  options.gpu.deterministic = true;
  options.gpu.shaders = call.shaders;
  std::atomic<bool> shaders_unwritten = false;  // said where it happened
  options.gpu.shaders_unwritten = [&] { shaders_unwritten = true; };
  std::optional<hsa::StopTimer> timer;
  bool out_of_time = false;
  std::atomic<uint64_t> submissions = 0;
  options.after_open = [&](gpu::Device& device) {
    if (const gpu::Chip* chip = gpu::find_chip(device.name()); !call.shaders.empty() && chip && !gpu::programs_of(*chip).written)
      end_with(STATUS_CALL, replay_verb,
               fmt::format("{}: --shaders: programs of the {} are not written yet", call.trace, chip->name));
    timer.emplace(device.stop, call.timeout, end_of_process(replay_verb, call.trace, call.timeout), max_compile_seconds);
  };
  options.before_submission = [&](uint64_t, uint64_t, gpu::QueueKind) { submissions++; };
  options.before_close = [&](gpu::Device& device) {
    timer.reset();
    out_of_time = device.stop == hsa::stop_timeout;
  };
  options.gpu.findings = findings_for(replay_verb, call.checks, call.engine);
  if (!call.draws.empty() && !parse_draws(call.draws, options.first_draw, options.last_draw))
    end_with(STATUS_CALL, replay_verb, fmt::format("--draws {}: write A..B", call.draws));
  std::string problem;
  uint64_t written = 0;
  if (!call.png_folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(call.png_folder, error);
    if (error) end_with(STATUS_FAILED, replay_verb, fmt::format("{}: {}", call.png_folder, error.message()));
    options.after_draw = [&](uint64_t draw, const std::vector<gpu::Picture>& pictures) {
      for (const gpu::Picture& p : pictures) {
        std::string name = p.name;
        std::replace(name.begin(), name.end(), ' ', '-');
        auto done = write_png(fmt::format("{}/draw-{:05}-{}.png", call.png_folder, draw, name), p.width, p.height, p.rgba);
        if (done)
          written++;
        else if (problem.empty())
          problem = done.error().message;
      }
    };
  }
  if (!call.shaders.empty()) {
    std::error_code error;
    std::filesystem::create_directories(call.shaders, error);
    if (error) end_with(STATUS_FAILED, replay_verb, fmt::format("--shaders {}: {}", call.shaders, error.message()));
  }
  std::optional<ProgressLines> progress;
  progress.emplace(replay_verb, [&] { return fmt::format("{}: {} submissions begun", call.trace, submissions.load()); });
  auto result = trace::play(call.trace, options);
  progress.reset();
  if (out_of_time)
    end_with(STATUS_FAILED, replay_verb,
             fmt::format("{}: did not end within {} seconds (--timeout): ended in submission {}, counted from 0", call.trace,
                         call.timeout, submissions.load() ? submissions - 1 : 0));
  if (!result) end_with(STATUS_FAILED, replay_verb, result.error().message);
  const gpu::Statistics& s = result->statistics;
  if (call.stats) {
    nlohmann::ordered_json json{{"gpu", result->gpu},
                                {"submissions", result->submissions},
                                {"packets", s.packets},
                                {"draws", s.draws},
                                {"dispatches", s.dispatches},
                                {"waves", s.waves},
                                {"compiled", s.compiled},
                                {"called", s.called},
                                {"interpreted", s.interpreted},
                                {"vertices", s.vertices},
                                {"primitives", s.primitives},
                                {"pixels", s.pixels},
                                {"pixel_ways", s.pixel_paths},
                                {"run_seconds", s.seconds},
                                {"compile_seconds", s.compile_seconds},
                                {"pages_compared", result->pages_compared},
                                {"pages_unlike", result->pages_unlike},
                                {"pages_overtaken", result->pages_overtaken},
                                {"pages_left", result->pages_left},
                                {"whole", result->ending.whole()}};
    add_level(json);
    add_cache(json, file_caches());
    if (!result->ending.whole()) json["ending"] = result->ending.text();
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}: {} submissions, {} draws on {}; {} pages written by the GPU, {} of them unlike the recording's\n", call.trace,
               result->submissions, s.draws, result->gpu, result->pages_compared, result->pages_unlike);
    if (result->pages_overtaken)
      fmt::print("{} pages are unlike that the program may have written over before they were recorded\n",
                 result->pages_overtaken);
    if (!call.png_folder.empty()) fmt::print("{} pictures in {}\n", written, call.png_folder);
  }
  bool failed = false;
  auto note = [&](const std::string& text) {
    complain(replay_verb, text);
    failed = true;
  };
  for (auto& u : s.unknown)
    complain(replay_verb, fmt::format("not understood: {} ({} times, first {})", u.what, u.times, u.where));
  for (auto& report : result->lost) note(report);
  warn_of_skipped(replay_verb, call.trace, result->passed_over);
  if (options.gpu.findings && tell_findings(replay_verb, options.gpu.findings->take())) failed = true;
  if (!tell_ending(replay_verb, call.trace, result->ending)) failed = true;
  if (result->writes_nothing())
    note(fmt::format("the GPU writes nothing now: {} pages changed while it was recorded", result->pages_left));
  if (result->pages_unlike)
    note(fmt::format("{} pages are unlike the recording's, first in {}", result->pages_unlike, result->first_unlike));
  if (!problem.empty()) note(problem);
  if (shaders_unwritten) note(fmt::format("--shaders {}: not all programs could be written: see above", call.shaders));
  if (failed) end(STATUS_FAILED);
}

}  // namespace

void add_replay(CLI::App& app) {
  auto call = std::make_shared<ReplayCall>();
  CLI::App* sub = app.add_subcommand(replay_verb, "re-executes a recording without the driver");
  sub->add_option("TRACE", call->trace, "the file that `atoll run --record` wrote")->required();
  sub->add_option("--png", call->png_folder, "writes the render targets after each draw into this folder, as PNGs")
      ->type_name("DIR");
  sub->add_option("--draws", call->draws, "the draws that --png is for, counted from 0")->type_name("A..B");
  sub->add_option("--shaders", call->shaders, "writes each shader that the GPU is given into this folder")->type_name("DIR");
  sub->add_option("--engine", call->engine, "how shaders run")->check(CLI::IsMember({"auto", "interpreter", "jit"}));
  sub->add_option("--threads", call->threads, "host threads that share the work; 0: as many as the machine has")
      ->check(CLI::Range(0, 1024));
  add_check_option(*sub, call->checks);
  add_timeout_option(*sub, call->timeout, "ends the replay after so many seconds");
  sub->add_flag("--stats", call->stats, "prints counters as one JSON object");
  sub->add_flag("--strict", call->strict, "anything that is not modelled ends the context instead of being counted");
  sub->callback([call] { replay(*call); });
}

}  // namespace Atoll::cli
