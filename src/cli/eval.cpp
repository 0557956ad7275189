// atoll eval: executes a few instructions on given registers. One request on the command line, or JSON lines with --batch.
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/line_reader.h"
#include "cli/number_text.h"
#include "cli/time_option.h"
#include "cli/verbs.h"
#include "eval/evaluator.h"

namespace Atoll::cli {
namespace {

using eval::Request;
using json = nlohmann::ordered_json;

constexpr const char* eval_verb = "eval";
constexpr const char* eval_argument_help = R"(ARG:
  'v_log_f32 v0, v1'   an instruction; several run in order
  v1=0xff800000        a register's value before: one for all lanes, or one a lane, separated by commas; also 12, -3 (32 bits),
                       1.5, 1e-3, inf, nan (single precision) and 1.5h (half precision)
With --batch, JSON lines: {"isa":"gfx1200","asm":["v_log_f32 v0, v1"],"in":{"v1":"0xff800000"},"out":["v0"]}
  Memory in "in": "mem":{"0x10000":"hex bytes"}, "lds":"hex bytes", "gds":"hex bytes" (gfx7: the global data share; M0 says
  where a shader's part begins and how long it is); "read":{"mem":{"0x10000":16},"lds":[OFFSET,BYTES],"gds":[OFFSET,BYTES]}
  gives them back
Graphics waves (rdna4): --stage pixel|geometry|mesh|hull, and what the wave starts with beside the registers; in JSON
  "stage":"pixel","start":{"user":["0x0"],"input_ena":"0x2","persp_center_i":[...],"attr0.x":[P0,P10,P20,...]}. A value that a stage does
  not have is an error that lists those that it has; attrN.C takes three numbers for each primitive of the wave.
  What the wave exports is printed, and stands in the answer:
  "exports":[{"target":"mrt0","enabled":"0xf","done":true,"lanes":"0xffffffff","values":[[one a lane],...]}], with "row" where it has
  one; the answer to a stage has "messages":[{"message":"0x9","m0":"0x..."}] as well)";

struct EvalCall {
  std::string isa, engine = "interpreter", stage, as;
  unsigned wave = 0;
  bool batch = false;
  double timeout = 10;
  std::vector<std::string> arguments, words;
};

// --- values --------------------------------------------------------------------------------------------------------------------
Expected<uint64_t> number(const json& value) {
  if (value.is_string()) return parse_number(value.get_ref<const std::string&>());
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (value.is_number()) return parse_number(value.dump());
  return fail("{} is no number: write it as a string, \"0x…\"", value.dump());
}

Expected<std::vector<uint8_t>> hex_bytes(const json& value) {
  if (!value.is_string()) return fail("{}: bytes are a string of hex digits", value.dump());
  std::vector<uint8_t> bytes;
  int high = -1;
  for (char c : value.get_ref<const std::string&>()) {
    if (c == ' ' || c == '\t') continue;
    if (!std::isxdigit(static_cast<unsigned char>(c))) return fail("'{}' is no hex digit", c);
    int digit = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
    if (high < 0)
      high = digit;
    else
      bytes.push_back(uint8_t(high << 4 | digit)), high = -1;
  }
  if (high >= 0) return fail("bytes are pairs of hex digits: the last has one");
  return bytes;
}

std::string hex_text(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (uint8_t b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

std::string value_text(uint64_t value) { return fmt::format("{:#x}", value); }

Expected<wave::EngineChoice> engine_choice(std::string_view name) {
  if (auto choice = wave::parse_engine(name); choice && *choice != wave::EngineChoice::Auto) return *choice;
  return fail("engine '{}': interpreter or jit", name);
}

// --- requests ------------------------------------------------------------------------------------------------------------------
#define ATOLL_TAKE(name, expression)                                  \
  auto name##_taken = (expression);                                   \
  if (!name##_taken) return fail("{}", name##_taken.error().message); \
  auto& name = *name##_taken

Expected<eval::RegisterValue> read_value(const std::string& name, const json& value) {
  eval::RegisterValue out{lower(name), {}, value.is_array()};
  for (const json& one : out.list ? value : json::array({value})) {
    auto n = number(one);
    if (!n) return fail("in {}: {}", name, n.error().message);
    out.values.push_back(*n);
  }
  return out;
}

Expected<void> read_in(const json& in, Request& request) {
  if (!in.is_object()) return fail("\"in\" is an object: register names with values");
  for (const auto& [name, value] : in.items()) {
    if (name == "lds" || name == "gds") {
      ATOLL_TAKE(bytes, hex_bytes(value));
      (name == "lds" ? request.lds : request.gds) = std::move(bytes);
    } else if (name == "mem") {
      if (!value.is_object()) return fail("\"mem\" is an object: addresses with hex bytes");
      for (const auto& [address, text] : value.items()) {
        ATOLL_TAKE(at, parse_number(address));
        ATOLL_TAKE(bytes, hex_bytes(text));
        request.memory.push_back({at, std::move(bytes)});
      }
    } else {
      ATOLL_TAKE(given, read_value(name, value));
      request.registers.push_back(std::move(given));
    }
  }
  return {};
}

Expected<void> read_start(const json& start, Request& request) {
  if (!start.is_object()) return fail("\"start\" is an object: what the stage's wave starts with");
  if (!request.stage) return fail("\"start\" belongs to a \"stage\"");
  for (const auto& [name, value] : start.items()) {
    ATOLL_TAKE(given, read_value(name, value));
    request.stage->values.push_back(std::move(given));
  }
  return {};
}

// Reads the ranges that "read" asks for; the addresses as they were written, since they name the answer.
Expected<void> read_read(const json& read, Request& request, std::vector<std::string>& addresses) {
  if (!read.is_object()) return fail("\"read\" is an object with \"mem\", \"lds\" and \"gds\"");
  for (const auto& [name, value] : read.items()) {
    if (name == "mem" && value.is_object()) {
      for (const auto& [address, size] : value.items()) {
        ATOLL_TAKE(at, parse_number(address));
        ATOLL_TAKE(bytes, number(size));
        request.read_memory.push_back({at, bytes});
        addresses.push_back(address);
      }
    } else if ((name == "lds" || name == "gds") && value.is_array() && value.size() == 2) {
      ATOLL_TAKE(offset, number(value[0]));
      ATOLL_TAKE(bytes, number(value[1]));
      (name == "lds" ? request.read_lds : request.read_gds) = eval::MemoryRange{offset, bytes};
    } else {
      return fail("\"read\" takes \"mem\":{{ADDRESS:BYTES}} and \"lds\" or \"gds\":[OFFSET,BYTES]");
    }
  }
  return {};
}

Expected<Request> read_request(const json& line, const EvalCall& call, std::vector<std::string>& addresses) {
  if (!line.is_object()) return fail("a request is a JSON object");
  Request request;
  request.isa = call.isa, request.wave = call.wave;
  std::string engine = call.engine;
  for (const auto& [key, value] : line.items()) {
    auto strings = [&key = key, &value = value](std::vector<std::string>& into) -> Expected<void> {
      const json list = value.is_string() ? json::array({value}) : value;
      if (!list.is_array()) return fail("\"{}\" is a list of strings", key);
      for (const json& one : list) {
        if (!one.is_string()) return fail("\"{}\" is a list of strings, not of {}", key, one.dump());
        into.push_back(one.get<std::string>());
      }
      return {};
    };
    Expected<void> done;
    if ((key == "isa" || key == "engine") && !value.is_string()) {
      return fail("\"{}\" is a string", key);
    } else if (key == "isa") {
      request.isa = value.get<std::string>();
    } else if (key == "engine") {
      engine = value.get<std::string>();
    } else if (key == "wave") {
      ATOLL_TAKE(lanes, number(value));
      request.wave = unsigned(std::min<uint64_t>(lanes, ~0u));
      if (!request.wave) return fail("\"wave\" is 32 or 64, by the ISA");
    } else if (key == "asm") {
      done = strings(request.text);
    } else if (key == "words") {
      std::vector<std::string> words;
      if (value.is_array())  // numbers, too
        for (const json& one : value) {
          ATOLL_TAKE(word, number(one));
          if (word >> 32) return fail("\"words\": {} has more than 32 bits", one.dump());
          request.words.push_back(uint32_t(word));
        }
      else
        return fail("\"words\" is a list of strings");
    } else if (key == "in") {
      done = read_in(value, request);
    } else if (key == "stage") {
      if (!value.is_string()) return fail("\"stage\" is a string");
      if (!request.stage) request.stage.emplace();
      request.stage->name = lower(value.get<std::string>());
    } else if (key == "start") {
      if (!request.stage) request.stage.emplace();
      done = read_start(value, request);
    } else if (key == "out") {
      done = strings(request.out);
      for (std::string& name : request.out) name = lower(name);
    } else if (key == "read") {
      done = read_read(value, request, addresses);
    } else {
      return fail("\"{}\" is no part of a request: isa, wave, asm, words, stage, start, in, out, read, engine are", key);
    }
    if (!done) return fail("{}", done.error().message);
  }
  if (request.isa.empty()) return fail("\"isa\" is missing");
  if (request.stage && request.stage->name.empty()) return fail("\"start\" needs a \"stage\"");
  if (!request.words.empty() && !request.text.empty()) return fail("\"asm\" and \"words\" stand for each other: give one");
  ATOLL_TAKE(choice, engine_choice(engine));
  request.engine = choice;
  return request;
}
#undef ATOLL_TAKE

json export_json(const eval::ExportValue& e) {
  json one = {{"target", e.target}, {"enabled", value_text(e.enabled)}, {"done", e.done}};
  if (e.row) one["row"] = value_text(*e.row);
  one["lanes"] = value_text(e.lanes);
  json values = json::array();
  for (const auto& source : e.values) {
    json lanes = json::array();
    for (uint32_t value : source) lanes.push_back(value_text(value));
    values.push_back(std::move(lanes));
  }
  one["values"] = std::move(values);
  return one;
}

json answer(const Request& request, const std::vector<std::string>& addresses, const eval::Result& result, const json& line) {
  json out = json::object();
  for (size_t n = 0; n < result.registers.size(); n++) {
    const eval::RegisterValue& r = result.registers[n];
    json value = json::array();
    for (uint64_t one : r.values) value.push_back(value_text(one));
    out[line["out"].is_string() ? line["out"].get<std::string>() : line["out"][n].get<std::string>()] =
        r.list ? std::move(value) : std::move(value[0]);
  }
  if (!addresses.empty()) {
    json mem = json::object();
    for (size_t n = 0; n < addresses.size(); n++) mem[addresses[n]] = hex_text(result.memory[n].bytes);
    out["mem"] = std::move(mem);
  }
  if (request.read_lds) out["lds"] = hex_text(result.lds);
  if (request.read_gds) out["gds"] = hex_text(result.gds);
  if (request.stage || !result.exports.empty()) {
    json list = json::array();
    for (const eval::ExportValue& e : result.exports) list.push_back(export_json(e));
    out["exports"] = std::move(list);
  }
  if (request.stage) {
    json list = json::array();
    for (const eval::MessageValue& m : result.messages)
      list.push_back({{"message", value_text(m.message)}, {"m0", value_text(m.m0)}});
    out["messages"] = std::move(list);
  }
  return out;
}

// --- the two forms -------------------------------------------------------------------------------------------------------------
std::unique_ptr<eval::Evaluator> make_evaluator(const EvalCall& call) {
  auto made = eval::Evaluator::create();
  if (!made) end_with(STATUS_FAILED, eval_verb, made.error().message);
  (*made)->set_time_limit(call.timeout);
  return std::move(*made);
}

json run_line(const std::string& text, const EvalCall& call, eval::Evaluator& evaluator) {
  json line;
  try {
    line = json::parse(text);
  } catch (const json::exception& e) {
    return {{"error", fmt::format("not JSON: {}", e.what())}};
  }
  std::vector<std::string> addresses;
  auto request = read_request(line, call, addresses);
  if (!request) return {{"error", request.error().message}};
  auto result = evaluator.run(*request);
  if (!result) return {{"error", result.error().message}};
  return answer(*request, addresses, *result, line);
}

void run_batch(const EvalCall& call) {
  auto evaluator = make_evaluator(call);
  auto lines = LineReader::open("-");
  if (!lines) end_with(STATUS_FAILED, eval_verb, lines.error().message);
  bool failed = false;
  while (auto text = lines->next()) {
    json out = run_line(*text, call, *evaluator);
    failed |= out.contains("error");
    // Any bytes that came in go out as valid UTF-8.
    fmt::print("{}\n", out.dump(-1, ' ', false, json::error_handler_t::replace));
    std::fflush(stdout);  // who asks may wait for this answer
    if (std::ferror(stdout)) break;
  }
  if (std::string why = lines->failure(); !why.empty()) end_with(STATUS_FAILED, eval_verb, why);
  if (failed) end(STATUS_FAILED);
}

// NAME=VALUE; anything else is an instruction.
bool is_assignment(const std::string& text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || !std::isalpha(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.begin() + std::ptrdiff_t(equals),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
}

// One value where all are the same, unless they are to be listed anyway.
template <class Values>
std::string values_text(const Values& values, bool listed, NumberType type = NumberType::word) {
  bool equal = std::all_of(values.begin(), values.end(), [&](uint64_t v) { return v == values[0]; });
  if (equal && !listed) return number_text(values[0], type);
  std::string text;
  for (uint64_t value : values) text += (text.empty() ? "[" : ", ") + number_text(value, type);
  return text + "]";
}

void run_once(const EvalCall& call) {
  if (call.isa.empty()) end_with(STATUS_CALL, eval_verb, "--isa is missing: name the instruction set (or give --batch)");
  auto target = eval::find_target(call.isa);
  if (!target) end_with(STATUS_CALL, eval_verb, target.error().message);
  Request request;
  request.isa = call.isa, request.wave = call.wave, request.changed = true;
  request.engine = *engine_choice(call.engine);
  if (!call.stage.empty()) request.stage = eval::Stage{lower(call.stage), {}};
  auto sizes = (*target)->wave_sizes();
  if (call.wave && std::find(sizes.begin(), sizes.end(), call.wave) == sizes.end())
    end_with(STATUS_CALL, eval_verb, fmt::format("--wave {}: {} has no waves of that many lanes", call.wave, call.isa));
  for (const std::string& argument : call.arguments) {
    if (!is_assignment(argument)) {
      request.text.push_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    eval::RegisterValue given{lower(argument.substr(0, equals)), {}, false};
    const bool of_stage = request.stage && (*target)->is_stage_value(request.stage->name, given.name);
    if (auto found = (*target)->find(given.name, call.wave ? call.wave : sizes[0]); !found && !of_stage)
      end_with(STATUS_CALL, eval_verb, found.error().message);
    std::string_view rest = std::string_view(argument).substr(equals + 1);
    for (;;) {
      size_t comma = rest.find(',');
      auto value = parse_number(rest.substr(0, comma));
      if (!value) end_with(STATUS_CALL, eval_verb, fmt::format("argument '{}': {}", argument, value.error().message));
      given.values.push_back(*value);
      if (comma == std::string_view::npos) break;
      given.list = true;
      rest.remove_prefix(comma + 1);
    }
    (of_stage ? request.stage->values : request.registers).push_back(std::move(given));
  }
  for (const std::string& text : call.words) {
    auto word = parse_number(text);
    if (!word || *word >> 32) end_with(STATUS_CALL, eval_verb, fmt::format("--words {}: not a word of 32 bits", text));
    request.words.push_back(uint32_t(*word));
  }
  if (request.text.empty() && request.words.empty())
    end_with(STATUS_CALL, eval_verb, "what to execute? Give instructions, or --words with their encoding");
  if (!request.text.empty() && !request.words.empty())
    end_with(
        STATUS_CALL, eval_verb,
        fmt::format("--words and '{}': give words or instructions (several words are written --words A,B)", request.text[0]));
  const auto type = parse_number_type(call.as);
  if (!call.as.empty() && !type)
    end_with(STATUS_CALL, eval_verb, fmt::format("--as {}: choose one of {}", call.as, number_types()));
  auto result = make_evaluator(call)->run(request);
  if (!result) end_with(STATUS_FAILED, eval_verb, result.error().message);
  for (const eval::RegisterValue& r : result->registers) {
    const bool listed = r.list && r.values.size() <= 8;
    fmt::print("{} = {}{}\n", r.name, values_text(r.values, listed), type ? "  " + values_text(r.values, listed, *type) : "");
  }
  for (const eval::ExportValue& e : result->exports) {
    fmt::print("export {}{}{}, lanes {}\n", e.target, e.row ? fmt::format(" row {}", *e.row) : "", e.done ? " done" : "",
               value_text(e.lanes));
    for (size_t n = 0; n < e.values.size(); n++)
      if (!e.values[n].empty()) fmt::print("  {} = {}\n", "xyzw"[n], values_text(e.values[n], false));
  }
  for (const eval::MessageValue& m : result->messages) fmt::print("message {}, m0 {}\n", value_text(m.message), value_text(m.m0));
}

}  // namespace

void add_eval(CLI::App& app) {
  auto call = std::make_shared<EvalCall>();
  auto* sub = app.add_subcommand("eval", "executes a few instructions on given registers and prints what changed");
  sub->footer(eval_argument_help);
  sub->add_option("ARG", call->arguments, "instructions, and the values of registers before them");
  sub->add_option("--isa,--mcpu", call->isa,
                  "the instruction set, by its name (rdna4, gfx7, xe-lp, r500-fs, r500-vs), a GPU's or a processor's")
      ->type_name("ISA");
  sub->add_option("--wave", call->wave, "lanes of the wave: 32 or 64")->type_name("32|64");
  sub->add_option("--engine", call->engine, "how the instructions run")
      ->transform(CLI::IsMember({"interpreter", "jit"}, CLI::ignore_case));
  sub->add_option("--stage", call->stage, "a graphics wave, of that stage (rdna4)")
      ->transform(CLI::IsMember({"pixel", "geometry", "mesh", "hull"}, CLI::ignore_case));
  sub->add_option("--words", call->words, "the instructions as 32-bit words")
      ->type_name("WORD,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  sub->add_option("--as", call->as, "prints what changed as numbers of this type as well: " + number_types())->type_name("TYPE");
  add_timeout_option(*sub, call->timeout, "ends a request after so many seconds");
  sub->add_flag("--batch", call->batch, "reads JSON requests, one per line, from standard input and answers each with a line");
  sub->callback([call] {
    if (!call->batch) return run_once(*call);
    if (!call->as.empty()) end_with(STATUS_CALL, eval_verb, "--as: answers to --batch are words in hexadecimal");
    if (!call->stage.empty()) end_with(STATUS_CALL, eval_verb, "--stage: requests of --batch name theirs, \"stage\"");
    if (!call->arguments.empty() || !call->words.empty())
      end_with(STATUS_CALL, eval_verb,
               fmt::format("--batch reads its requests from standard input: '{}' has no place",
                           call->arguments.empty() ? call->words[0] : call->arguments[0]));
    if (!call->isa.empty())
      if (auto target = eval::find_target(call->isa); !target) end_with(STATUS_CALL, eval_verb, target.error().message);
    run_batch(*call);
  });
}

}  // namespace Atoll::cli
