// atoll asm: assembler text to bytes, a whole file (where branches may name labels) or line by line.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "cli/isa_option.h"
#include "cli/line_reader.h"
#include "cli/r500_code.h"
#include "cli/verbs.h"
#include "cli/xe_lp_code.h"

namespace Atoll::cli {
namespace {

constexpr const char* asm_verb = "asm";

struct AsmCall {
  IsaOption isa;
  bool batch = false, hex = false;
  std::string out = "-", file = "-";
};

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

// The bytes of ".long 0x…, …", as a listing has them where text cannot say an instruction; nothing where a line is none.
std::optional<Expected<std::vector<uint8_t>>> words_of_directive(std::string_view line) {
  constexpr std::string_view directive = ".long", blanks = " \t\r";
  line = line.substr(0, std::min(line.find("//"), line.find(';')));
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(blanks)));
  if (!line.starts_with(directive) || (line.size() > directive.size() && !blanks.contains(line[directive.size()]))) return {};
  line.remove_prefix(directive.size());
  std::vector<uint8_t> bytes;
  for (bool more = true; more;) {
    size_t comma = line.find(',');
    more = comma != line.npos;
    std::string word(line.substr(0, comma));
    word.erase(0, word.find_first_not_of(blanks));
    word.erase(word.find_last_not_of(blanks) + 1);
    char* end = nullptr;
    errno = 0;
    unsigned long long value = std::isdigit(static_cast<unsigned char>(word[0])) ? std::strtoull(word.c_str(), &end, 0) : 0;
    if (end == nullptr || *end != 0 || errno != 0 || value > UINT32_MAX)
      return fail(".long takes numbers of 32 bits, not '{}'", word);
    for (unsigned n = 0; n < 4; ++n) bytes.push_back(uint8_t(value >> 8 * n));
    if (more) line.remove_prefix(comma + 1);
  }
  return bytes;
}

void run_batch(const Assembler& assembler, LineReader& lines) {
  bool all_good = true;
  while (auto line = lines.next()) {
    if (is_blank(*line)) {
      fmt::print("\n");
      std::fflush(stdout);
      continue;
    }
    auto words = words_of_directive(*line);
    if (auto bytes = words ? *words : assembler.assemble(*line)) {
      fmt::print("{}\n", hex_of(*bytes));
    } else {
      all_good = false;
      fmt::print("! {}\n", bytes.error().message);
    }
    std::fflush(stdout);
  }
  if (auto why = lines.failure(); !why.empty()) end_with(STATUS_FAILED, asm_verb, why);
  if (!all_good) end(STATUS_FAILED);
}

// A line of a file: its instruction, and the label that it branches to.
struct Line {
  size_t number = 0;
  std::string text, target;
  uint64_t address = 0;
};

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; }
bool continues_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '@'; }

// Takes "name:" from the front of a line; nothing when it does not begin so.
std::optional<std::string> take_label(std::string& line) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || !begins_name(line[at])) return {};
  size_t end = at;
  while (end < line.size() && continues_name(line[end])) ++end;
  if (end >= line.size() || line[end] != ':' || (end + 1 < line.size() && line[end + 1] == ':')) return {};
  std::string name = line.substr(at, end - at);
  line.erase(0, end + 1);
  return name;
}

// If the last operand of a branch is a name, takes it out and leaves 0.
std::string take_target(std::string& line) {
  size_t first = line.find_first_not_of(" \t");
  if (!line.substr(first).starts_with("s_branch") && !line.substr(first).starts_with("s_cbranch_") &&
      !line.substr(first).starts_with("s_call_b64"))
    return {};
  line.erase(std::min(line.find("//"), line.find(';')) == std::string::npos ? line.size()
                                                                            : std::min(line.find("//"), line.find(';')));
  size_t end = line.find_last_not_of(" \t\r");
  size_t begin = end + 1;
  while (begin > 0 && continues_name(line[begin - 1])) --begin;
  if (begin == 0 || begin > end || !begins_name(line[begin]) || begin == first) return {};
  std::string target = line.substr(begin, end + 1 - begin);
  line.replace(begin, std::string::npos, "0");
  return target;
}

void run_whole(const AsmCall& call, const Assembler& assembler, LineReader& reader) {
  std::vector<Line> lines;
  std::map<std::string, uint64_t> labels;
  std::vector<std::vector<uint8_t>> instructions;
  uint64_t address = 0;
  size_t number = 0;
  bool all_good = true;
  auto wrong = [&](size_t line, const std::string& why) {
    all_good = false;
    complain(asm_verb, fmt::format("{}:{}: {}", call.file == "-" ? "standard input" : call.file, line, why));
  };
  size_t size = 0;
  while (auto text = reader.next()) {
    ++number;
    size += text->size() + 1;
    if (size > max_file_bytes)
      end_with(STATUS_FAILED, asm_verb,
               fmt::format("{}:{}: more than {} bytes of text: no more are read (--batch takes any number of lines)",
                           call.file == "-" ? "standard input" : call.file, number, max_file_bytes));
    while (auto label = take_label(*text))
      if (!labels.emplace(*label, address).second) wrong(number, fmt::format("label {} stands here for the second time", *label));
    if (is_blank(*text)) continue;
    Line line{number, *text, {}, address};
    if (assembler.isa == AssemblerIsa::R500Fragment)
      line.target = take_r500_target(line.text);
    else if (assembler.isa != AssemblerIsa::R500Vertex && assembler.isa != AssemblerIsa::XeLp)  // which names no others, or more
      line.target = take_target(line.text);
    auto words = words_of_directive(line.text);
    bool xe_lp = assembler.isa == AssemblerIsa::XeLp && !words;
    auto bytes = words ? *words : xe_lp ? assemble_xe_lp(line.text, {labels, address, true}) : assembler.assemble(line.text);
    if (!bytes) {
      wrong(number, bytes.error().message);
      continue;
    }
    address += bytes->size();
    lines.push_back(line);
    instructions.push_back(*bytes);
  }
  if (auto why = reader.failure(); !why.empty()) end_with(STATUS_FAILED, asm_verb, why);
  std::vector<uint8_t> out;
  for (size_t n = 0; n < lines.size(); ++n) {
    const Line& line = lines[n];
    if (assembler.isa == AssemblerIsa::XeLp && !words_of_directive(line.text)) {
      auto bytes = assemble_xe_lp(line.text, {labels, line.address});
      if (!bytes)
        wrong(line.number, bytes.error().message);
      else
        instructions[n] = *bytes;
    }
    if (!line.target.empty()) {
      auto label = labels.find(line.target);
      if (label == labels.end()) {
        wrong(line.number, fmt::format("there is no label {}", line.target));
        continue;
      }
      if (assembler.isa == AssemblerIsa::R500Fragment) {
        if (!set_r500_target(instructions[n], label->second))
          wrong(line.number, fmt::format("label {} stands behind the 512 instructions that there can be", line.target));
      } else {
        int64_t distance = (int64_t(label->second) - int64_t(line.address) - 4) / 4;  // in dwords, from behind the branch
        if (distance < INT16_MIN || distance > INT16_MAX) {
          wrong(line.number, fmt::format("label {} is {} dwords away: a branch reaches 32768", line.target, distance));
          continue;
        }
        instructions[n][0] = uint8_t(distance);  // SIMM16, the low half of the first dword
        instructions[n][1] = uint8_t(distance >> 8);
      }
    }
    const std::vector<uint8_t>& bytes = instructions[n];
    std::string text = call.hex ? hex_of(bytes) + "\n" : std::string(bytes.begin(), bytes.end());
    out.insert(out.end(), text.begin(), text.end());
  }
  if (!all_good) end(STATUS_FAILED);
  if (auto status = write_file(call.out, out); !status) end_with(STATUS_FAILED, asm_verb, status.error().message);
}

void run(const AsmCall& call) {
  Assembler assembler = call.isa.require_assembler(asm_verb);
  if (call.batch && call.out != "-") end_with(STATUS_CALL, asm_verb, "--batch answers on standard output: leave -o out");
  auto lines = LineReader::open(call.file);
  if (!lines) end_with(STATUS_FAILED, asm_verb, lines.error().message);
  call.batch ? run_batch(assembler, *lines) : run_whole(call, assembler, *lines);
}

}  // namespace

void add_asm(CLI::App& app) {
  auto* sub = app.add_subcommand("asm", "assembles text into machine code");
  auto call = std::make_shared<AsmCall>();
  call->isa.add(*sub);
  sub->add_flag(
      "--batch", call->batch,
      "reads one instruction per line, or `.long` with words, and writes for each a line with its bytes as hex, or `! reason`");
  sub->add_flag("--hex", call->hex, "writes hex text, one instruction per line, instead of raw bytes");
  sub->add_option("-o", call->out, "where the bytes go; - is standard output")->type_name("OUT");
  sub->add_option("FILE", call->file, "the text, up to 256 MiB, with --batch any number of lines; - is standard input")
      ->type_name("FILE");
  sub->callback([call] { run(*call); });
}

}  // namespace Atoll::cli
