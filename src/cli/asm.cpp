// atoll asm: assembler text to bytes, a whole file or line by line.
#include <string>
#include <vector>

#include "base/files.h"
#include "cli/isa_option.h"
#include "cli/line_reader.h"
#include "cli/verbs.h"
#include "isa/rdna4/parse.h"

namespace Atoll::cli {
namespace {

constexpr const char* verb = "asm";

struct AsmCall {
  IsaOption isa;
  bool batch = false, hex = false;
  std::string out = "-", file = "-";
};

Expected<rdna4::Words> assembled(const std::string& line, unsigned wave) {
  auto instruction = rdna4::parse(line, {wave});
  if (!instruction) return std::unexpected(instruction.error());
  return rdna4::encode(instruction->main, {wave});
}

std::string hex_of(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Nothing to assemble: blanks, or only a comment.
bool is_blank(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\r\f\v");
  return first == std::string_view::npos || line[first] == ';' || line.substr(first).starts_with("//");
}

void run_batch(const AsmCall& call, LineReader& lines) {
  bool all_good = true;
  while (auto line = lines.next()) {
    if (is_blank(*line)) {
      fmt::print("\n");
    } else if (auto words = assembled(*line, call.isa.lanes())) {
      fmt::print("{}\n", hex_of(words->bytes()));
    } else {
      all_good = false;
      fmt::print("! {}\n", words.error().message);
    }
    std::fflush(stdout);
  }
  if (auto why = lines.failure(); !why.empty()) end_with(STATUS_FAILED, verb, why);
  if (!all_good) end(STATUS_FAILED);
}

void run_whole(const AsmCall& call, LineReader& lines) {
  std::vector<uint8_t> out;
  size_t number = 0;
  bool all_good = true;
  while (auto line = lines.next()) {
    ++number;
    if (is_blank(*line)) continue;
    auto words = assembled(*line, call.isa.lanes());
    if (!words) {
      all_good = false;
      complain(verb, fmt::format("{}:{}: {}", call.file == "-" ? "standard input" : call.file, number, words.error().message));
      continue;
    }
    auto bytes = words->bytes();
    if (call.hex) {
      std::string text = hex_of(bytes) + "\n";
      out.insert(out.end(), text.begin(), text.end());
    } else {
      out.insert(out.end(), bytes.begin(), bytes.end());
    }
  }
  if (auto why = lines.failure(); !why.empty()) end_with(STATUS_FAILED, verb, why);
  if (!all_good) end(STATUS_FAILED);
  if (auto status = write_file(call.out, out); !status) end_with(STATUS_FAILED, verb, status.error().message);
}

void run(const AsmCall& call) {
  call.isa.require_rdna4(verb);
  if (call.batch && call.out != "-") end_with(STATUS_CALL, verb, "--batch answers on standard output: leave -o out");
  auto lines = LineReader::open(call.file);
  if (!lines) end_with(STATUS_FAILED, verb, lines.error().message);
  call.batch ? run_batch(call, *lines) : run_whole(call, *lines);
}

}  // namespace

void add_asm(CLI::App& app) {
  auto* sub = app.add_subcommand("asm", "assembles");
  auto call = std::make_shared<AsmCall>();
  call->isa.add(*sub);
  sub->add_flag("--batch", call->batch, "one instruction a line in, its bytes as hex or `! reason` a line out");
  sub->add_flag("--hex", call->hex, "hex text, an instruction a line, instead of raw bytes");
  sub->add_option("-o", call->out, "where the bytes go; - is standard output")->type_name("OUT");
  sub->add_option("file", call->file, "the text; - is standard input")->type_name("FILE");
  sub->callback([call] { run(*call); });
}

}  // namespace Atoll::cli
