#include "cli/r500_code.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "isa/r500/spelling.h"
#include "isa/r500/text.h"
#include "isa/r500/vertex_text.h"

namespace Atoll::cli {

namespace {

template <class Words>
std::vector<uint8_t> bytes_of(const Words& words) {
  std::vector<uint8_t> bytes;
  for (uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(uint8_t(word >> shift));
  return bytes;
}
template <class Words>
Words words_of(std::span<const uint8_t> bytes) {
  Words words{};
  for (size_t n = 0; n < words.size() * 4; n++) words[n / 4] |= uint32_t(bytes[n]) << (n % 4 * 8);
  return words;
}

void remove_comment(std::string& line) { line.erase(std::min({line.find("//"), line.find(';'), line.size()})); }

}  // namespace

Expected<std::vector<uint8_t>> assemble_r500_vertex(std::string line) {
  remove_comment(line);
  auto words = r500::vs::parse(line);
  if (!words) return std::unexpected(words.error());
  return bytes_of(*words);
}

Expected<std::string> disassemble_r500_vertex(std::span<const uint8_t> bytes) {
  if (bytes.size() < r500_vertex_bytes)
    return fail("an instruction takes {} bytes; {} are left", r500_vertex_bytes, bytes.size());
  auto words = words_of<r500::vs::Words>(bytes);
  if (std::string_view why = r500::vs::objection(words); !why.empty()) return fail("{}", why);
  return r500::vs::print(words);
}

Expected<std::vector<uint8_t>> assemble_r500(std::string line) {
  remove_comment(line);
  auto words = r500::parse(line);
  if (!words) return std::unexpected(words.error());
  return bytes_of(*words);
}

Expected<std::string> disassemble_r500(std::span<const uint8_t> bytes) {
  if (bytes.size() < r500_instruction_bytes)
    return fail("an instruction takes {} bytes; {} are left", r500_instruction_bytes, bytes.size());
  auto words = words_of<r500::Words>(bytes);
  if (std::string_view why = r500::objection(words); !why.empty()) return fail("{}", why);
  return r500::print(words);
}

std::string take_r500_target(std::string& text) {
  std::string_view line = std::string_view(text).substr(0, std::min({text.find("//"), text.find(';'), text.size()}));
  size_t at = std::min(line.find_first_not_of(" \t"), line.size());
  if (line.substr(at).starts_with('(')) {
    at = std::min(line.find(')', at), line.size() - 1) + 1;
    at = std::min(line.find_first_not_of(" \t", at), line.size());
  }
  auto token = [&] {
    size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    std::string_view found = line.substr(at, end - at);
    at = std::min(line.find_first_not_of(" \t\r", end), line.size());
    return found;
  };
  std::string name = lower(token());
  if (std::find(std::begin(r500::flow_names), std::end(r500::flow_names), name) == std::end(r500::flow_names)) return {};
  std::string_view target = token();
  bool is_name = !target.empty() && (std::isalpha(static_cast<unsigned char>(target[0])) || target[0] == '_' || target[0] == '.');
  if (!is_name) return {};
  std::string taken(target);
  text.replace(size_t(target.data() - text.data()), target.size(), "0");
  return taken;
}

bool set_r500_target(std::vector<uint8_t>& bytes, uint64_t address) {
  const r500::Field& field = r500::field<r500::US_FC_ADDR::JUMP_ADDR>;
  uint64_t number = address / r500_instruction_bytes;
  if (number > field.largest()) return false;
  auto words = words_of<r500::Words>(bytes);
  field.set(words, uint32_t(number));
  bytes = bytes_of(words);
  return true;
}

}  // namespace Atoll::cli
