#include "cli/xe_lp_code.h"

#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/parse.h"
#include "isa/xe_lp/print.h"

namespace Atoll::cli {
namespace {

struct Labels {
  const XeLpProgram& program;
  bool named = false;
};

std::optional<int64_t> place_of(std::string_view name, void* context) {
  auto& labels = *static_cast<Labels*>(context);
  labels.named = true;
  auto label = labels.program.labels.find(std::string(name));
  if (label == labels.program.labels.end()) return labels.program.measure ? std::optional<int64_t>(0) : std::nullopt;
  return int64_t(label->second) - int64_t(labels.program.address);
}

Expected<std::vector<uint8_t>> bytes_of(const Expected<xe_lp::Parsed>& parsed, uint64_t address, bool labelled) {
  if (!parsed) return std::unexpected(parsed.error());
  xe_lp::Instruction instruction = parsed->instruction;
  // calla counts from the program's beginning, not from the instruction.
  if (labelled && instruction.op == xe_lp::Op::Calla) instruction.src[0].immediate += address;
  return xe_lp::encode(instruction);
}

}  // namespace

Expected<XeLpText> disassemble_xe_lp(std::span<const uint8_t> bytes) {
  xe_lp::Instruction instruction;
  if (const char* why = xe_lp::decode(bytes, instruction)) return fail("{}", why);
  return XeLpText{instruction.compacted ? size_t(8) : size_t(16), xe_lp::print(instruction)};
}

Expected<std::vector<uint8_t>> assemble_xe_lp(std::string_view line) { return bytes_of(xe_lp::parse(line), 0, false); }

Expected<std::vector<uint8_t>> assemble_xe_lp(std::string_view line, const XeLpProgram& program) {
  Labels labels{program};
  auto parsed = xe_lp::parse(line, place_of, &labels);
  return bytes_of(parsed, program.address, labels.named);
}

}  // namespace Atoll::cli
