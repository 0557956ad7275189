// atoll why: what happened to a pixel in a frame of a recording.
#include <charconv>

#include "cli/number_text.h"
#include "cli/recordings.h"
#include "cli/verbs.h"
#include "gpu/device/engine.h"
#include "insight/pixel_history.h"

namespace Atoll::cli {
namespace {

constexpr const char* why_verb = "why";

struct WhyCall {
  std::string trace, pixel, target, engine = "auto";
  std::optional<uint64_t> frame, submission;
  unsigned layer = 0, sample = 0;
  uint64_t events = insight::PixelQuestion().most_events;
  bool json = false;
};

// "X,Y"
bool parse_pixel(std::string_view text, int& x, int& y) {
  auto number = [](std::string_view t, int& value) {
    auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
    return !t.empty() && error == std::errc() && end == t.data() + t.size() && value >= 0;
  };
  const size_t comma = text.find(',');
  return comma != std::string_view::npos && number(text.substr(0, comma), x) && number(text.substr(comma + 1), y);
}

void why(const WhyCall& call) {
  insight::PixelQuestion question;
  question.file = call.trace;
  question.frame = call.frame, question.submission = call.submission;
  question.layer = call.layer, question.sample = call.sample;
  question.most_events = call.events;
  if (!parse_pixel(call.pixel, question.x, question.y))
    end_with(STATUS_CALL, why_verb, fmt::format("--pixel {}: write X,Y, counted from 0 at the top left", call.pixel));
  if (!call.target.empty()) {
    const auto address = parse_number(call.target);
    if (!address) end_with(STATUS_CALL, why_verb, fmt::format("--target {}: {}", call.target, "write an address, 0x..."));
    question.target = *address;
  }
  question.gpu.engine = gpu::parse_engine(call.engine).value_or(question.gpu.engine);
  auto history = insight::history_of(question);
  if (!history) end_with(STATUS_FAILED, why_verb, history.error().message);
  fmt::print("{}", call.json ? insight::json_of(question, *history) + "\n" : insight::text_of(question, *history));
  if (history->read_to_end && !tell_ending(why_verb, call.trace, history->ending)) end(STATUS_FAILED);
}

}  // namespace

void add_why(CLI::App& app) {
  auto call = std::make_shared<WhyCall>();
  CLI::App* sub = app.add_subcommand(why_verb, "the history of a pixel of a recording: what drew it, or why nothing did");
  sub->add_option("TRACE", call->trace, "the file that `atoll run --record` wrote")->required();
  sub->add_option("--pixel", call->pixel, "the pixel, counted from 0 at the top left of the target")
      ->type_name("X,Y")
      ->required();
  sub->add_option("--frame", call->frame, "the frame, counted from 0; the last one without it");
  sub->add_option("--submission", call->submission, "what was so far at the end of this submission, instead of a frame's end");
  sub->add_option("--target", call->target,
                  "an address in the colour target; without it the largest, of these the one with most draws")
      ->type_name("ADDRESS");
  sub->add_option("--layer", call->layer, "the target's layer");
  sub->add_option("--sample", call->sample, "the pixel's sample")->check(CLI::Range(0, 15));
  sub->add_option("--events", call->events, "room for so many events of the frame, those of other targets among them")
      ->capture_default_str();
  sub->add_option("--engine", call->engine, "how shaders run")->check(CLI::IsMember({"auto", "interpreter", "jit"}));
  sub->add_flag("--json", call->json, "one JSON object");
  sub->footer("docs/pixel-history.md explains verdicts, reasons and the JSON.");
  sub->callback([call] { why(*call); });
}

}  // namespace Atoll::cli
