// The smallest set of draws that keeps a pixel, as JSON (docs/recording-bisection.md, tests/insight/bisect.schema.json) and as lines.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "insight/bisection.h"
#include "insight/texel_json.h"

namespace Atoll::insight {
namespace {

using Json = nlohmann::ordered_json;

std::string plural(uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string numbers(const std::vector<uint64_t>& some) { return fmt::format("{}", fmt::join(some, ", ")); }

uint64_t draws_of(const std::vector<WorkPiece>& pieces) {
  uint64_t draws = 0;
  for (const WorkPiece& piece : pieces) draws += piece.draws.size();
  return draws;
}

// The command that shows the pixel in the new recording.
std::string why_call(const BisectionQuestion& question, const Bisection& found, const std::string& file) {
  const PixelQuestion& q = question.pixel;
  std::string text = fmt::format("atoll why {} --pixel {},{} --target {:#x} --submission {}", file, q.x, q.y,
                                 found.history->target.address, found.kept_submissions.size() - 1);
  if (q.layer) text += fmt::format(" --layer {}", q.layer);
  if (q.sample) text += fmt::format(" --sample {}", q.sample);
  return text;
}

}  // namespace

std::string json_of(const BisectionQuestion& question, const Bisection& found, const std::string& file,
                    const WrittenPart& written) {
  const PixelQuestion& q = question.pixel;
  Json json{{"file", q.file}, {"gpu", found.gpu}};
  if (found.history) {
    json["frame"] = found.history->frame;
    json["pixel"] = {{"x", q.x}, {"y", q.y}, {"layer", q.layer}, {"sample", q.sample}};
    json["target"] = json_of(found.history->target);
    json["colour"] = json_of(found.history->target, found.history->colour);
  } else {
    for (const char* name : {"frame", "pixel", "target", "colour"}) json[name] = nullptr;
  }
  json["submissions"] = found.submissions, json["draws"] = found.draws, json["tests"] = found.tests;
  json["kept"] = Json::array();
  for (const WorkPiece& piece : found.kept)
    json["kept"].push_back({{"submission", piece.submission},
                            {"queue", piece.queue},
                            {"draws", piece.draws},
                            {"packet", {{"name", piece.packet}, {"address", fmt::format("{:#x}", piece.packet_address)}}}});
  json["fixed_draws"] = found.fixed;
  json["kept_submissions"] = found.kept_submissions;
  json["output"] = nullptr;
  if (!file.empty()) {
    json["output"] = {{"file", file}, {"bytes", written.bytes}, {"submissions", written.submissions}, {"draws", written.draws}};
    json["output"]["why"] = found.history ? Json(why_call(question, found, file)) : Json(nullptr);
  }
  return json.dump();
}

std::string text_of(const BisectionQuestion& question, const Bisection& found, const std::string& file,
                    const WrittenPart& written) {
  std::string text;
  if (found.history)
    text += fmt::format("pixel {},{} of frame {} on {}: {}\n", question.pixel.x, question.pixel.y, found.history->frame,
                        found.gpu, text_of(found.history->target, found.history->colour));
  text += fmt::format("{} of {} needed, {} of {}; {}\n", draws_of(found.kept), plural(found.draws, "draw"),
                      found.kept_submissions.size(), plural(found.submissions, "submission"), plural(found.tests, "test"));
  for (const WorkPiece& piece : found.kept)
    text += fmt::format("draw {}, submission {}, {} at {:#x}\n", numbers(piece.draws), piece.submission, piece.packet,
                        piece.packet_address);
  if (!found.fixed.empty()) text += fmt::format("beside those that cannot be left out: {}\n", numbers(found.fixed));
  if (!file.empty()) {
    text += fmt::format("{}: {}, {}, {} bytes\n", file, plural(written.draws, "draw"), plural(written.submissions, "submission"),
                        written.bytes);
    if (found.history) text += fmt::format("  {}\n", why_call(question, found, file));
  }
  return text;
}

}  // namespace Atoll::insight
