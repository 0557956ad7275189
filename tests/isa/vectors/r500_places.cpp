#include "r500_places.h"

#include <algorithm>
#include <sstream>

#include "isa/r500/instruction.h"
#include "isa/r500/registers.h"
#include "isa/r500/registers_vs.h"
#include "isa/r500/vertex_instruction.h"

namespace Atoll::vectors {
namespace {

using r500::Pair;
namespace vs = r500::vs;

// A bit a lane: both words of it, whatever lanes there are.
eval::Register bits(uint32_t cell) { return {{{cell}}, 64}; }
eval::Register word(uint32_t cell) { return {{{cell}}}; }

std::optional<eval::Register> special(bool pixel, const std::string& name) {
  if (name == "active") return bits(pixel ? r500::active_cell : vs::active_cell);
  if (name == "al") return word(pixel ? r500::loop_register_cell : vs::loop_index_cell);
  if (!pixel) return name == "p" ? std::optional(bits(vs::predicate_cell)) : std::nullopt;
  if (name == "us_config") return word(r500::config_cell);
  if (name == "alu_result") return bits(r500::alu_result_cell);
  if (name.starts_with("p.")) return bits(r500::predicate_cell(uint32_t(std::string("xyzw").find(name.back()))));
  return {};
}

const char* encoding_of(vs::Engine engine) {
  return engine == vs::Engine::vector ? "VECTOR" : engine == vs::Engine::math ? "MATH" : "MACRO";
}

}  // namespace

std::optional<eval::Register> r500_register(const std::string& isa, const std::string& name, unsigned lanes) {
  const bool pixel = isa == "r500_fs";
  if (auto found = special(pixel, name)) return found;
  uint32_t (*cell)(uint32_t, uint32_t) = nullptr;
  if (name[0] == 't') cell = pixel ? r500::temporary_cell : vs::temporary_cell;
  if (name[0] == 'c') cell = pixel ? r500::constant_cell : vs::constant_cell;
  if (name[0] == 'o') cell = pixel ? r500::output_cell : vs::output_cell;
  if (name[0] == 'u' && !pixel) cell = vs::alternate_cell;
  if (name[0] == 'i' && !pixel) cell = vs::input_cell;
  unsigned n = 0;
  char letter = 0;
  const bool depth = pixel && name == "depth", address = !pixel && name.starts_with("a0.");
  if (!depth && !address && (!cell || std::sscanf(name.c_str() + 1, "%u.%c", &n, &letter) != 2)) return {};
  const size_t channel = std::string("xyzw").find(name.back());
  if (!depth && channel == std::string::npos) return {};
  const uint32_t first = depth ? r500::depth_cell : address ? vs::address_cell(uint32_t(channel)) : cell(n, uint32_t(channel));
  if (name[0] == 'c') return word(first);
  eval::Register r{{}, 32, true};
  for (uint32_t lane = 0; lane < lanes; lane++) r.places.push_back({first + lane * 4});
  return r;
}

Expected<std::vector<uint32_t>> r500_words(const std::string& isa, const std::string& encoding, const std::string& text) {
  std::istringstream parts(text);
  std::string mnemonic, found;
  std::vector<uint32_t> words;
  parts >> mnemonic >> std::hex;
  for (uint32_t w; parts >> w;) words.push_back(w);
  if (isa == "r500_fs") {
    if (words.size() != r500::kWords) return fail("{} words", words.size());
    r500::Words all;
    std::ranges::copy(words, all.begin());
    if (std::string_view why = r500::objection(all); !why.empty()) return fail("{}", why);
    const Pair pair = r500::pair_of(all);
    found = row_of(encoding == "RGB" ? pair.rgb.op : pair.alpha.op).name;
  } else {
    if (words.size() != vs::kWords) return fail("{} words", words.size());
    vs::Words all;
    std::ranges::copy(words, all.begin());
    if (std::string_view why = vs::objection(all); !why.empty()) return fail("{}", why);
    const vs::Instruction i = vs::instruction_of(all);
    const vs::OpRow& row = row_of(encoding == "DUAL" ? i.dual.op : i.op);
    if (encoding != "DUAL" && encoding != encoding_of(row.engine)) return fail("an instruction of {}", encoding_of(row.engine));
    found = row.name;
  }
  if (found != mnemonic) return fail("the words are {}", found);
  return words;
}

std::vector<std::pair<std::string, std::string>> r500_table(const std::string& isa) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (isa == "r500_fs") {
    for (const r500::OpRow& row : r500::op_rows) {
      if (row.rgb >= 0) rows.emplace_back("RGB", row.name);
      if (row.alpha >= 0) rows.emplace_back("ALPHA", row.name);
    }
    return rows;
  }
  for (const vs::OpRow& row : vs::op_rows) {
    rows.emplace_back(encoding_of(row.engine), row.name);
    if (row.engine == vs::Engine::math) rows.emplace_back("DUAL", row.name);
  }
  return rows;
}

}  // namespace Atoll::vectors
