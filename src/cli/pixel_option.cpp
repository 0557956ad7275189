#include "cli/pixel_option.h"

#include <charconv>

#include "cli/number_text.h"
#include "cli/verbs.h"
#include "gpu/device/engine.h"

namespace Atoll::cli {
namespace {

// "X,Y"
bool parse_pixel(std::string_view text, int& x, int& y) {
  auto number = [](std::string_view t, int& value) {
    auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
    return !t.empty() && error == std::errc() && end == t.data() + t.size() && value >= 0;
  };
  const size_t comma = text.find(',');
  return comma != std::string_view::npos && number(text.substr(0, comma), x) && number(text.substr(comma + 1), y);
}

}  // namespace

CLI::Option* add_pixel_option(CLI::App& sub, PixelCall& call, const char* what) {
  return sub.add_option("--pixel", call.pixel, fmt::format("{}, counted from 0 at the top left of the target", what))
      ->type_name("X,Y");
}

void add_pixel_place_options(CLI::App& sub, PixelCall& call) {
  sub.add_option("--frame", call.frame, "the frame, counted from 0; the last one without it");
  sub.add_option("--submission", call.submission, "what was so far at the end of this submission, instead of a frame's end");
  sub.add_option("--target", call.target,
                 "an address in the colour target; without it the largest, of these the one with most draws")
      ->type_name("ADDRESS");
  sub.add_option("--layer", call.layer, "the target's layer");
  sub.add_option("--sample", call.sample, "the pixel's sample")->check(CLI::Range(0, 15));
  sub.add_option("--events", call.events, "room for so many events of the frame, those of other targets among them")
      ->capture_default_str();
  sub.add_option("--engine", call.engine, "how shaders run")->check(CLI::IsMember({"auto", "interpreter", "jit"}));
}

insight::PixelQuestion question_of(const char* verb, const PixelCall& call) {
  insight::PixelQuestion question;
  question.file = call.trace;
  question.frame = call.frame, question.submission = call.submission;
  question.layer = call.layer, question.sample = call.sample;
  question.most_events = call.events;
  if (!call.pixel.empty() && !parse_pixel(call.pixel, question.x, question.y))
    end_with(STATUS_CALL, verb, fmt::format("--pixel {}: write X,Y, counted from 0 at the top left", call.pixel));
  if (!call.target.empty()) {
    const auto address = parse_number(call.target);
    if (!address) end_with(STATUS_CALL, verb, fmt::format("--target {}: write an address, 0x...", call.target));
    question.target = *address;
  }
  question.gpu.engine = gpu::parse_engine(call.engine).value_or(question.gpu.engine);
  return question;
}

}  // namespace Atoll::cli
