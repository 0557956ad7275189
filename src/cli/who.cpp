// atoll who: who wrote bytes of GPU memory in a recording, and who read them.
#include <charconv>

#include "cli/number_text.h"
#include "cli/recordings.h"
#include "cli/verbs.h"
#include "gpu/device/engine.h"
#include "insight/memory_history.h"

namespace Atoll::cli {
namespace {

constexpr const char* who_verb = "who";
constexpr const char* place_forms =
    "write ADDRESS, ADDRESS+BYTES, draw:N:colour0 to colour7 or draw:N:depth, and :X,Y behind these for a pixel";

struct WhoCall {
  std::string trace, place, engine = "auto";
  std::optional<uint64_t> submission, space;
  uint64_t events = insight::MemoryQuestion().most_events;
  bool json = false;
};

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}
template <class T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return false;
  text.remove_prefix(size_t(end - text.data()));
  return true;
}

// "draw:3:colour0", "draw:3:depth:10,20"
std::optional<insight::TargetName> parse_target(std::string_view text) {
  insight::TargetName target;
  int64_t draw = 0;
  if (!take_word(text, "draw:") || !take_number(text, draw)) return {};
  target.draw = uint64_t(draw);
  if (take_word(text, ":depth")) {
    target.number = 8;
  } else {
    int number = 0;
    if (!take_word(text, ":colour") || !take_number(text, number) || number > 7) return {};
    target.number = unsigned(number);
  }
  if (text.empty()) return target;
  insight::TargetName::Pixel pixel{};
  if (!take_word(text, ":") || !take_number(text, pixel.x) || !take_word(text, ",") || !take_number(text, pixel.y) ||
      !text.empty())
    return {};
  target.pixel = pixel;
  return target;
}

void who(const WhoCall& call) {
  insight::MemoryQuestion question;
  question.file = call.trace;
  question.submission = call.submission, question.space = call.space;
  question.most_events = call.events;
  question.target = parse_target(call.place);
  if (!question.target) {
    const size_t plus = call.place.find('+');
    const auto address = parse_number(call.place.substr(0, plus));
    const auto bytes = parse_number(plus == std::string::npos ? "4" : call.place.substr(plus + 1));
    if (!address || !bytes) end_with(STATUS_CALL, who_verb, fmt::format("{}: {}", call.place, place_forms));
    question.address = *address, question.bytes = *bytes;
  }
  question.gpu.engine = gpu::parse_engine(call.engine).value_or(question.gpu.engine);
  auto history = insight::history_of(question);
  if (!history) end_with(STATUS_FAILED, who_verb, history.error().message);
  fmt::print("{}", call.json ? insight::json_of(question, *history) + "\n" : insight::text_of(question, *history));
  if (history->read_to_end && !tell_ending(who_verb, call.trace, history->ending)) end(STATUS_FAILED);
}

}  // namespace

void add_who(CLI::App& app) {
  auto call = std::make_shared<WhoCall>();
  CLI::App* sub = app.add_subcommand(who_verb, "who wrote bytes of GPU memory of a recording, in order, and who read them");
  sub->add_option("TRACE", call->trace, "the file that `atoll run --record` wrote")->required();
  sub->add_option(
         "PLACE", call->place,
         "ADDRESS (4 bytes), ADDRESS+BYTES, or a draw's target: draw:N:colour0, draw:N:depth, a pixel of it: draw:N:colour0:X,Y")
      ->required();
  sub->add_option("--submission", call->submission, "at the end of this submission, counted from 0; of the last one without it");
  sub->add_option("--space", call->space, "the address space, counted from 0; without it the first that has something there");
  sub->add_option("--events", call->events, "room for so many events, of which the last stay")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  sub->add_option("--engine", call->engine, "how shaders run")->check(CLI::IsMember({"auto", "interpreter", "jit"}));
  sub->add_flag("--json", call->json, "one JSON object");
  sub->footer("docs/memory-history.md explains events, accesses and the JSON.");
  sub->callback([call] { who(*call); });
}

}  // namespace Atoll::cli
