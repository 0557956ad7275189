#include "cli/recordings.h"

#include "cli/verbs.h"
#include "trace/recording_file.h"

namespace Atoll::cli {
namespace {

std::string submissions(uint64_t n) { return fmt::format("{} submission{}", n, n == 1 ? "" : "s"); }

}  // namespace

std::string place_for_recording(const char* verb, const std::string& file) {
  auto place = trace::place_of_recording(file);
  if (!place) end_with(STATUS_ATOLL, verb, "--record: " + place.error().message);
  return *place;
}

bool tell_recordings(const char* verb, const std::string& place, const std::vector<drm::RecordingReport>& reports) {
  bool well = true;
  if (reports.empty()) complain(verb, fmt::format("nothing was recorded: {} is not written", place));
  for (auto& r : reports) {
    std::string what = fmt::format("{} of {} (process {}), {} bytes", submissions(r.submissions), r.program, r.pid, r.bytes);
    if (!r.error.empty()) {
      well = false;
      complain(verb, r.file.empty() ? r.error : fmt::format("{}: what there is: {}: {}", r.error, r.file, what));
    } else if (r.alive) {
      complain(verb, fmt::format("{}: {} until now: the process still runs, and {}", r.file, what,
                                 r.file == r.place ? "adds to it" : fmt::format("names it {} when it ends", r.place)));
    } else {
      complain(verb, fmt::format("{}: {}{}", r.file, what,
                                 r.whole ? "" : ": the process was ended while the GPU worked, and there is no mark at the end"));
    }
  }
  return well;
}

nlohmann::ordered_json recordings_json(const std::vector<drm::RecordingReport>& reports) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (auto& r : reports) {
    list.push_back({{"file", r.file},
                    {"program", r.program},
                    {"process", r.pid},
                    {"submissions", r.submissions},
                    {"bytes", r.bytes},
                    {"whole", r.whole},
                    {"running", r.alive}});
    if (!r.error.empty()) list.back()["error"] = r.error;
  }
  return list;
}

bool tell_ending(const char* verb, const std::string& file, const trace::Ending& ending) {
  if (ending.place == trace::Ending::Place::unknown)
    complain(
        verb,
        fmt::format("{}: recordings of version 1 have no mark at the end: whether submissions are missing cannot be told", file));
  if (ending.place == trace::Ending::Place::mark && ending.closing == trace::Closing::launcher)
    complain(
        verb,
        fmt::format("{}: its process ended without an end of its own (killed, _exit): all that it had submitted is here", file));
  if (ending.whole()) return true;
  complain(verb, fmt::format("{} {}", file, ending.text()));
  return false;
}

void warn_of_skipped(const char* verb, const std::string& file, uint64_t records) {
  if (records)
    complain(verb, fmt::format("{}: {} record{} of kinds that this Atoll does not know {} passed over", file, records,
                               records == 1 ? "" : "s", records == 1 ? "was" : "were"));
}

}  // namespace Atoll::cli
