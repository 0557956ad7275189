#include "cli/run_report.h"

#include <nlohmann/json.hpp>

#include "cli/cache_report.h"
#include "cli/level_report.h"
#include "cli/recordings.h"
#include "cli/verbs.h"

namespace Atoll::cli {

// The findings of --check in all processes.
std::vector<gpu::Finding> findings_of(const drm::SharedStatistics& s) {
  std::vector<gpu::Finding> found;
  for (auto& row : s.found) {
    if (!row.times) break;  // they are filled in turn; the others' pages have not been touched yet
    found.push_back({row.text, row.program, row.times});
  }
  if (s.found_more) found.push_back({"more than can be listed", 0, s.found_more});
  return found;
}

void report(const RunReport& about) {
  const drm::SharedStatistics& s = about.session.statistics();
  const std::string& gpu = about.gpu;
  uint64_t processes = s.opened - 1;  // one of them is this one
  std::fflush(stdout);
  if (s.submissions == 0 && about.goes_on) {
    complain(about.verb, fmt::format("nothing reached the {} so far", gpu));
  } else if (s.submissions == 0 && processes != 0 && about.status == 0) {
    // as programs do that list devices
    complain(about.verb, fmt::format("the {} was asked, nothing was drawn or computed", gpu));
  } else if (s.submissions == 0) {
    complain(
        about.verb,
        processes == 0
            ? fmt::format("nothing reached the GPU: no process opened the {}'s device files; does the program use Mesa?", gpu)
            : fmt::format("nothing reached the GPU: the {} was opened, but nothing was submitted", gpu));
  } else {
    complain(about.verb, fmt::format("{}: {} submissions, {} draws, {} dispatches of {} process{}{}", gpu, s.submissions.load(),
                                     s.draws.load(), s.dispatches.load(), processes, processes == 1 ? "" : "es",
                                     s.failed ? fmt::format("; {} submissions failed", s.failed.load()) : ""));
  }
  if (about.without_desktop && (s.submissions == 0 || about.status != 0))
    complain(about.verb,
             "the program had no desktop, since it is linked with no library for windows: --display headless gives it one");
  nlohmann::ordered_json unknown = nlohmann::json::array();
  for (auto& row : s.unknown) {
    if (!row.what[0]) break;
    complain(about.verb, fmt::format("unknown {} at {}, {} times", row.what, row.where, row.times));
    unknown.push_back({{"what", row.what}, {"where", row.where}, {"times", row.times}});
  }
  nlohmann::ordered_json refused = nlohmann::json::array();
  for (auto& row : s.refused) {
    if (!row.what[0]) break;
    complain(about.verb,
             fmt::format("refused {} time{}, since Atoll does not have it: {}", row.times, row.times == 1 ? "" : "s", row.what));
    refused.push_back({{"what", row.what}, {"times", row.times}});
  }
  nlohmann::ordered_json lost = nlohmann::json::array();
  for (auto& row : s.lost) {
    if (!row.why[0]) break;
    // (The first was said when it came.)
    if (row.times > 1) complain(about.verb, fmt::format("failed {} times, as this one or like it: {}", row.times, row.why));
    lost.push_back({{"why", row.why}, {"times", row.times}});
  }
  nlohmann::ordered_json early = nlohmann::json::array();
  for (const gpu::Finding& f : about.found) early.push_back({{"program", f.program}, {"what", f.text}, {"times", f.times}});
  if (!about.stats) return;
  double instructions = double(std::max<uint64_t>(s.instructions, 1));
  nlohmann::ordered_json line = {{"gpu", gpu},
                                 {"processes", processes},
                                 {"submissions", s.submissions.load()},
                                 {"failed", s.failed.load()},
                                 {"packets", s.packets.load()},
                                 {"draws", s.draws.load()},
                                 {"dispatches", s.dispatches.load()},
                                 {"vertices", s.vertices.load()},
                                 {"primitives", s.primitives.load()},
                                 {"pixels", s.pixels.load()},
                                 {"waves", s.waves.load()},
                                 {"instructions", s.instructions.load()},
                                 {"compiled", double(s.compiled) / instructions},
                                 {"called", double(s.called) / instructions},
                                 {"interpreted", double(s.interpreted) / instructions},
                                 {"run_seconds", double(s.run_nanoseconds) * 1e-9},
                                 {"compile_seconds", double(s.compile_nanoseconds) * 1e-9},
                                 {"unknown", unknown},
                                 {"refused", refused},
                                 {"lost", lost}};
  add_level(line);
  add_cache(line, {.found = s.code_found, .missing = s.code_missing, .refused = s.code_refused});
  if (about.frames) line["frames"] = *about.frames;
  if (about.frames && about.seconds > 0) line["frames_per_second"] = double(*about.frames) / about.seconds;
  if (about.checked) line["findings"] = early;
  if (about.recordings) line["recordings"] = recordings_json(*about.recordings);
  say(line.dump());
}

}  // namespace Atoll::cli
