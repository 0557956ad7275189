// The difference of two recordings as JSON (docs/recording-diff.md has its form, tests/insight/diff.schema.json holds it) and as lines.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "insight/recording_diff.h"

namespace Atoll::insight {
namespace {

using DiffJson = nlohmann::ordered_json;

std::string target_name(unsigned number) { return number == 8 ? std::string("depth") : fmt::format("colour {}", number); }
std::string hex_text(const std::vector<uint8_t>& bytes, std::string_view between) {
  std::string text;
  for (size_t n = 0; n < bytes.size(); n++) text += fmt::format("{}{:02x}", n ? between : "", bytes[n]);
  return text;
}
DiffJson number_or_null(const std::optional<uint64_t>& value, bool hex = false) {
  return !value ? DiffJson(nullptr) : hex ? DiffJson(fmt::format("{:#x}", *value)) : DiffJson(*value);
}
DiffJson upload_json(const UploadDifference& upload) {
  return {{"submission", upload.submission},
          {"address", fmt::format("{:#x}", upload.address)},
          {"bytes", upload.bytes},
          {"a", upload.known ? DiffJson(hex_text(upload.held[0], "")) : DiffJson(nullptr)},
          {"b", upload.known ? DiffJson(hex_text(upload.held[1], "")) : DiffJson(nullptr)},
          {"structure", upload.structure.empty() ? DiffJson(nullptr) : DiffJson(upload.structure)}};
}

std::string why_call(const DiffQuestion& question, const DrawDifference& unlike, const TargetDifference& target, int side) {
  return fmt::format("atoll why {} --pixel {},{} --submission {} --target {:#x}", question.files[side], target.x, target.y,
                     *unlike.submissions[side], target.addresses[side]);
}

std::string who_call(const DiffQuestion& question, const DrawDifference& unlike, int side) {
  return fmt::format("atoll who {} {:#x} --submission {}", question.files[side], unlike.memory->address,
                     *unlike.submissions[side]);
}

DiffJson text_or_null(const std::optional<std::string>& text) { return text ? DiffJson(*text) : DiffJson(nullptr); }

DiffJson state_json(const StateDifference& state) {
  DiffJson one{{"name", state.name}, {"a", number_or_null(state.values[0], true)}, {"b", number_or_null(state.values[1], true)}};
  one["fields"] = DiffJson::array();
  for (const StateDifference::Field& field : state.fields)
    one["fields"].push_back({{"name", field.name},
                             {"a", field.values[0]},
                             {"b", field.values[1]},
                             {"a_means", field.meanings[0].empty() ? DiffJson(nullptr) : DiffJson(field.meanings[0])},
                             {"b_means", field.meanings[1].empty() ? DiffJson(nullptr) : DiffJson(field.meanings[1])}});
  return one;
}

DiffJson program_json(const ProgramDifference& program) {
  DiffJson one{{"stage", program.stage}};
  one["addresses"] = {number_or_null(program.addresses[0], true), number_or_null(program.addresses[1], true)};
  one["lines"] = {program.lines[0], program.lines[1]};
  one["first"] = program.first, one["unlike"] = program.unlike;
  one["a"] = text_or_null(program.instructions[0]), one["b"] = text_or_null(program.instructions[1]);
  return one;
}

std::string upload_text(const UploadDifference& upload) {
  if (!upload.known) return fmt::format("the page at {:#x}", upload.address);
  const std::string_view more = upload.bytes > upload.held[0].size() ? " ..." : "";
  return fmt::format("{:#x}+{}: {}{} and {}{}{}", upload.address, upload.bytes, hex_text(upload.held[0], " "), more,
                     hex_text(upload.held[1], " "), more, upload.structure.empty() ? "" : ", of " + upload.structure);
}

std::string value_text(const std::optional<uint64_t>& value) {
  return value ? fmt::format("{:#x}", *value) : std::string("not set");
}

}  // namespace

std::string json_of(const DiffQuestion& question, const RecordingDiff& diff) {
  DiffJson json{{"a", question.files[0]}, {"b", question.files[1]}, {"alike", diff.alike()}};
  json["gpus"] = {diff.gpus[0], diff.gpus[1]};
  json["submissions"] = {diff.submissions[0], diff.submissions[1]};
  json["draws"] = {diff.draws[0], diff.draws[1]};
  json["pairs"] = diff.pairs;
  json["unlike"] = DiffJson::array();
  for (const DrawDifference& unlike : diff.draws_unlike) {
    DiffJson draw{{"kind", unlike.dispatch ? "dispatch" : "draw"}, {"packet", unlike.packet}};
    draw["draws"] = {number_or_null(unlike.draws[0]), number_or_null(unlike.draws[1])};
    draw["submissions"] = {number_or_null(unlike.submissions[0]), number_or_null(unlike.submissions[1])};
    for (const char* part : {"uploads", "state", "programs", "structures", "targets"}) draw[part] = DiffJson::array();
    for (const UploadDifference& upload : unlike.uploads) draw["uploads"].push_back(upload_json(upload));
    draw["uploads_left_out"] = unlike.uploads_left_out;
    for (const StateDifference& state : unlike.state) draw["state"].push_back(state_json(state));
    for (const ProgramDifference& program : unlike.programs) draw["programs"].push_back(program_json(program));
    for (const StateDifference& state : unlike.structures) draw["structures"].push_back(state_json(state));
    for (const TargetDifference& target : unlike.targets) {
      DiffJson one{{"target", target_name(target.number)}, {"pixels", target.pixels}};
      one["first"] = target.pixels ? DiffJson{target.x, target.y} : DiffJson(nullptr);
      one["why"] = target.pixels ? DiffJson{why_call(question, unlike, target, 0), why_call(question, unlike, target, 1)}
                                 : DiffJson(nullptr);
      draw["targets"].push_back(std::move(one));
    }
    draw["memory"] = nullptr;
    if (unlike.memory)
      draw["memory"] = {{"address", fmt::format("{:#x}", unlike.memory->address)},
                        {"a", fmt::format("{:#x}", unlike.memory->held[0])},
                        {"b", fmt::format("{:#x}", unlike.memory->held[1])},
                        {"pages", unlike.memory->pages},
                        {"who", DiffJson{who_call(question, unlike, 0), who_call(question, unlike, 1)}}};
    json["unlike"].push_back(std::move(draw));
  }
  json["lost"] = DiffJson::array();
  for (const auto& lost : diff.lost) json["lost"].push_back(lost);
  json["unlike_left_out"] = diff.draws_left_out;
  json["first_result"] = diff.first_result ? DiffJson(*diff.first_result) : DiffJson(nullptr);
  return json.dump(-1, ' ', false, DiffJson::error_handler_t::replace);
}

std::string text_of(const DiffQuestion& question, const RecordingDiff& diff) {
  constexpr size_t most_shown = 16;
  std::string text;
  auto line = [&]<class... T>(fmt::format_string<T...> form, T&&... values) {
    text += fmt::format(form, std::forward<T>(values)...);
    text += '\n';
  };
  line("{} draws and dispatches of {}, {} of {}: {} are compared with each other", diff.draws[0], question.files[0],
       diff.draws[1], question.files[1], diff.pairs);
  auto show = [&](const std::vector<StateDifference>& states) {
    for (size_t k = 0; k < states.size() && k < most_shown; k++) {
      line("  {}: {} and {}", states[k].name, value_text(states[k].values[0]), value_text(states[k].values[1]));
      for (const StateDifference::Field& field : states[k].fields)
        line("    {}: {}{} and {}{}", field.name, field.values[0], field.meanings[0].empty() ? "" : " " + field.meanings[0],
             field.values[1], field.meanings[1].empty() ? "" : " " + field.meanings[1]);
    }
    if (states.size() > most_shown) line("  and {} more values: --json has them", states.size() - most_shown);
  };
  if (diff.alike()) line("they do the same, and what draws leave is the same");
  for (int side = 0; side < 2; side++)
    for (size_t n = 0; n < diff.lost[side].size() && n < most_shown; n++)
      line("the context of {} was lost: {}", question.files[side], diff.lost[side][n]);
  size_t shown = 0;
  for (size_t n = 0; n < diff.draws_unlike.size(); n++) {
    if (n >= most_shown && diff.first_result != n) continue;
    shown++;
    const DrawDifference& unlike = diff.draws_unlike[n];
    const std::string_view what = unlike.dispatch ? "dispatch" : "draw";
    if (!unlike.draws[0] || !unlike.draws[1]) {
      const int side = unlike.draws[0] ? 0 : 1;
      line("{} {} of {} alone, submission {}: {} at {:#x}", what, *unlike.draws[side], question.files[side],
           *unlike.submissions[side], unlike.packet, unlike.packet_address[side]);
    } else {
      line("{} {}{}, submission {}: {} at {:#x}", what, *unlike.draws[0],
           unlike.draws[0] == unlike.draws[1] ? std::string() : fmt::format(" and {}", *unlike.draws[1]), *unlike.submissions[0],
           unlike.packet, unlike.packet_address[0]);
    }
    for (size_t k = 0; k < unlike.uploads.size() && k < most_shown; k++)
      line("  the program wrote before submission {}: {}", unlike.uploads[k].submission, upload_text(unlike.uploads[k]));
    const uint64_t more = unlike.uploads.size() + unlike.uploads_left_out - std::min(unlike.uploads.size(), most_shown);
    if (more) line("  and {} more places that the program wrote", more);
    show(unlike.state);
    for (const ProgramDifference& program : unlike.programs) {
      if (!program.addresses[0] || !program.addresses[1]) {
        line("  {}: a program of {} alone", program.stage, question.files[program.addresses[0] ? 0 : 1]);
        continue;
      }
      const std::string place = *program.addresses[0]
                                    ? fmt::format(" at {:#x} and {:#x}", *program.addresses[0], *program.addresses[1])
                                    : std::string();
      line("  {}: the programs{} differ in {} of {} and {} instructions, first in instruction {}:", program.stage, place,
           program.unlike, program.lines[0], program.lines[1], program.first);
      for (const auto& instruction : program.instructions) line("    {}", instruction.value_or("(it has ended)"));
    }
    show(unlike.structures);
    for (const TargetDifference& target : unlike.targets)
      line("  {} differs{}", target_name(target.number),
           target.pixels ? fmt::format(" in {} pixels, first in {},{}", target.pixels, target.x, target.y) : std::string());
    if (unlike.memory)
      line("  the memory that its submission leaves differs in {} pages, first at {:#x}: {:#x} and {:#x}", unlike.memory->pages,
           unlike.memory->address, unlike.memory->held[0], unlike.memory->held[1]);
  }
  const uint64_t more = diff.draws_unlike.size() - shown + diff.draws_left_out;
  if (more) line("{} more draws differ: --json has {} of all", more, diff.draws_unlike.size());
  if (!diff.first_result) return text;
  const DrawDifference& first = diff.draws_unlike[*diff.first_result];
  for (const TargetDifference& target : first.targets) {
    if (!target.pixels) continue;
    line("what made the first pixel:");
    for (int side = 0; side < 2; side++) line("  {}", why_call(question, first, target, side));
    return text;
  }
  if (!first.memory) return text;
  line("who wrote there:");
  for (int side = 0; side < 2; side++) line("  {}", who_call(question, first, side));
  return text;
}

}  // namespace Atoll::insight
