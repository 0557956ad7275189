// atoll diff: where two recordings of one program differ first.
#include "cli/recordings.h"
#include "cli/verbs.h"
#include "gpu/device/engine.h"
#include "insight/recording_diff.h"

namespace Atoll::cli {
namespace {

constexpr const char* diff_verb = "diff";
// Nothing, or not all, could be compared: 1 says that the two differ, as with diff(1) and cmp(1).
constexpr Status no_comparison = STATUS_CALL;

struct DiffCall {
  std::string a, b, engine = "auto";
  bool json = false;
};

void diff(const DiffCall& call) {
  insight::DiffQuestion question;
  question.files[0] = call.a, question.files[1] = call.b;
  question.gpu.engine = gpu::parse_engine(call.engine).value_or(question.gpu.engine);
  auto found = insight::difference_of(question);
  if (!found) end_with(no_comparison, diff_verb, found.error().message);
  fmt::print("{}", call.json ? insight::json_of(question, *found) + "\n" : insight::text_of(question, *found));
  const bool first = tell_ending(diff_verb, call.a, found->endings[0]),
             second = tell_ending(diff_verb, call.b, found->endings[1]);
  if (!first || !second) end(no_comparison);
  if (!found->alike()) end(STATUS_FAILED);
}

}  // namespace

void add_diff(CLI::App& app) {
  auto call = std::make_shared<DiffCall>();
  CLI::App* sub =
      app.add_subcommand(diff_verb, "where two recordings of one program differ first: uploads, state, shaders, results");
  sub->add_option("A", call->a, "a file that `atoll run --record` wrote, for example a good one")->required();
  sub->add_option("B", call->b, "the other, for example a bad one")->required();
  sub->add_option("--engine", call->engine, "how shaders run")->check(CLI::IsMember({"auto", "interpreter", "jit"}));
  sub->add_flag("--json", call->json, "one JSON object");
  sub->footer(
      "The status is 0 where they are alike, 1 where they differ, 2 where a recording cannot be read or not to its end.\n"
      "docs/recording-diff.md explains what is compared, and the JSON.");
  sub->callback([call] { diff(*call); });
}

}  // namespace Atoll::cli
