// The smallest set of draws and dispatches of a recording with which a pixel is what it is, or which a caller's test still finds wrong,
// and the recording that has no others (docs/recording-bisection.md, `bisect`).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "insight/pixel_history.h"
#include "trace/edit.h"

namespace Atoll::insight {

enum class TestAnswer : uint8_t { wrong, right, unknown };

struct BisectionQuestion {
  PixelQuestion pixel;  // with the file, and up to where it is done again
  // Asked of a recording with a part of the work; none: the pixel is asked for.
  std::function<Expected<TestAnswer>(const std::string& file)> test;
  std::string candidate;  // the file that is written for the test
  // Called before each test, with how many are left in.
  std::function<void(uint64_t tests, size_t work, size_t submissions)> progress;
};

// Work that can be left out: a packet of a submission, with all draws that it makes there.
struct WorkPiece {
  uint64_t submission = 0, queue = 0;
  std::string packet;
  uint64_t packet_address = 0;
  std::vector<uint64_t> draws;  // their numbers, as `replay` counts draws and dispatches
  std::vector<trace::LeftOutPacket> instead;
};

struct Bisection {
  std::string gpu;
  std::optional<PixelHistory> history;  // of the pixel that was asked for
  uint64_t submissions = 0, draws = 0;  // of the recording, up to where it is done again
  std::vector<WorkPiece> kept;          // that can be left out, and are needed
  std::vector<uint64_t> fixed;          // draws that cannot be left out, and are in submissions that are needed
  std::vector<uint64_t> kept_submissions;
  uint64_t tests = 0;
  trace::Edit edit;  // that leaves the others out
  trace::ProgramWrites writes;
  trace::Ending ending;  // of the recording; valid where it was read to its end
  bool read_to_end = false;
};

Expected<Bisection> smallest_of(const BisectionQuestion& question);

struct WrittenPart {
  uint64_t bytes = 0, submissions = 0, draws = 0;
};
// Writes it as a recording, into a new file, and does that again: an error where it is not replayed as it should be.
Expected<WrittenPart> write_part(const BisectionQuestion& question, const Bisection& found, const std::string& file);

// One JSON object (docs/recording-bisection.md has its form), and lines for people. `file`: where it was written; empty: nowhere.
std::string json_of(const BisectionQuestion& question, const Bisection& found, const std::string& file,
                    const WrittenPart& written);
std::string text_of(const BisectionQuestion& question, const Bisection& found, const std::string& file,
                    const WrittenPart& written);

}  // namespace Atoll::insight
