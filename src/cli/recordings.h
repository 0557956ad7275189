// The verbs' messages about recordings: the result of recording a run, and how a recording that is read ends.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "drm/session/recording.h"
#include "trace/reader.h"

namespace Atoll::cli {

// The status of `run` when Atoll failed and not the program, as timeout(1) and env(1) use it.
constexpr int STATUS_ATOLL = 125;

// The absolute path for `run --record FILE`; ends the verb with status 125 if no recording may be written there.
std::string place_for_recording(const char* verb, const std::string& file);

// A line for each recording of a session. False if one of them is not what it should be: Atoll failed, not the program.
bool tell_recordings(const char* verb, const std::string& place, const std::vector<drm::RecordingReport>& reports);
nlohmann::ordered_json recordings_json(const std::vector<drm::RecordingReport>& reports);

// Says what a recording lacks at its end, and what in it this Atoll does not know. False if it lacks something.
bool tell_ending(const char* verb, const std::string& file, const trace::Ending& ending);
void warn_of_skipped(const char* verb, const std::string& file, uint64_t records);

}  // namespace Atoll::cli
