// atoll why: what happened to a pixel in a frame of a recording.
#include "cli/pixel_option.h"
#include "cli/recordings.h"
#include "cli/verbs.h"

namespace Atoll::cli {
namespace {

constexpr const char* why_verb = "why";

struct WhyCall : PixelCall {
  bool json = false;
};

void why(const WhyCall& call) {
  const insight::PixelQuestion question = question_of(why_verb, call);
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
  add_pixel_option(*sub, *call, "the pixel")->required();
  add_pixel_place_options(*sub, *call);
  sub->add_flag("--json", call->json, "one JSON object");
  sub->footer("docs/pixel-history.md explains verdicts, reasons and the JSON.");
  sub->callback([call] { why(*call); });
}

}  // namespace Atoll::cli
