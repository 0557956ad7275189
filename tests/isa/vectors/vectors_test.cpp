// Runs the committed vectors of instructions on both engines. One test a family: an encoding of an instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "machine.h"
#include "r500_places.h"

namespace Atoll::vectors {
namespace {

constexpr size_t least_vectors = 200, least_r500_vectors = 256;
const std::string folder = ATOLL_SOURCE_DIR "/tests/isa/vectors";

const Vectors& vectors() {
  static const Vectors all = [] {
    auto read = read_vectors(folder);
    if (!read) {
      std::fprintf(stderr, "%s\n", read.error().message.c_str());
      std::exit(1);
    }
    return std::move(*read);
  }();
  return all;
}

// (isa, encoding, opcode) -> why it has no vectors
const std::map<std::string, std::string>& without() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> reasons;
    std::ifstream file(folder + "/without.txt");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string isa, encoding, opcode, reason;
      if (line.empty() || line[0] == '#' || !(words >> isa >> encoding >> opcode)) continue;
      std::getline(words >> std::ws, reason);
      reasons[fmt::format("{} {} {}", isa, encoding, opcode)] = reason;
    }
    return reasons;
  }();
  return all;
}

std::string hex(const uint32_t* dwords, size_t count) {
  std::string text;
  for (size_t n = count; n--;) text += fmt::format("{:08x}", dwords[n]);
  return text;
}

// A float's place on the line of all floats of its size.
double ordered(const std::vector<uint32_t>& x, unsigned bits) {
  uint64_t pattern = bits == 64 ? uint64_t(x[1]) << 32 | x[0] : x[0];
  uint64_t sign = uint64_t(1) << (bits - 1), magnitude = pattern & (sign - 1);
  return pattern & sign ? -double(magnitude) : double(magnitude);
}
double number(const std::vector<uint32_t>& x, unsigned bits) {
  if (bits == 64) return std::bit_cast<double>(uint64_t(x[1]) << 32 | x[0]);
  if (bits == 32) return double(std::bit_cast<float>(x[0]));
  uint32_t magnitude = x[0] & 0x7fff;
  double value =
      magnitude < 0x400 ? std::ldexp(magnitude, -24) : std::ldexp(0x400 | (magnitude & 0x3ff), int(magnitude >> 10) - 25);
  return x[0] & 0x8000 ? -value : value;
}

bool agrees(const Block& block, const Output& output, const std::vector<uint32_t>& got, const std::vector<uint32_t>& want) {
  if (got == want) return true;
  unsigned bits = output.values.bits;
  if (!block.ulps && block.absolute == 0) return false;
  bool half = block.name.find("_F16") != std::string::npos;
  if (half) bits = 16;
  auto low = [&](std::vector<uint32_t> x) {
    if (half) x[0] &= 0xffff;
    return x;
  };
  if (half && got[0] >> 16 != want[0] >> 16) return false;
  auto is_nan = [&](double x) { return std::isnan(x); };
  auto a = low(got), b = low(want);
  if (!half && (is_nan(number(a, bits)) || is_nan(number(b, bits)))) return false;
  if (half && ((a[0] & 0x7fff) > 0x7c00 || (b[0] & 0x7fff) > 0x7c00)) return false;
  if (block.ulps) return std::fabs(ordered(a, bits) - ordered(b, bits)) <= block.ulps;
  return std::fabs(number(a, bits) - number(b, bits)) <= block.absolute;
}

std::string row_text(const Block& block, size_t row) {
  std::string text;
  for (const Input& input : block.inputs)
    if (input.column)
      text += fmt::format(" {}={}", input.place, hex(input.column->at(block.first + row), input.column->dwords_each()));
  return text;
}

// Runs all rows; false when one of them differs.
void check(Machine& machine, const Block& block, const Form& form, wave::EngineChoice engine) {
  const char* engine_name = engine == wave::EngineChoice::Jit ? "jit" : "interpreter";
  auto ready = machine.prepare(form, engine);
  if (!ready) {
    ADD_FAILURE() << block.file << " " << block.name << ": " << form.text << ": " << ready.error().message;
    return;
  }
  size_t wrong = 0;
  std::string shown;
  size_t each = block.lanes ? machine.lanes() : 1;
  for (size_t first = 0; first < block.rows; first += each) {
    size_t count = std::min(each, block.rows - first);
    if (auto done = machine.run(block, first, count); !done) {
      ADD_FAILURE() << block.file << " " << block.name << ": " << form.isa << " " << form.text << ", " << engine_name << ": "
                    << done.error().message;
      return;
    }
    if (engine == wave::EngineChoice::Jit && machine.interpreted()) {
      ADD_FAILURE() << block.name << ": " << form.text << ": the JIT left " << machine.interpreted()
                    << " instructions to the interpreter";
      return;
    }
    for (size_t n = 0; n < count; n++)
      for (const Output& output : block.outputs) {
        size_t dwords = output.values.dwords_each();
        const uint32_t* from = output.values.at(first + n);
        std::vector<uint32_t> want(from, from + dwords), got = machine.result(output, n);
        if (agrees(block, output, got, want)) continue;
        if (wrong++ < 4)
          shown += fmt::format("\n  row {}:{}: {} is {}, not {}", first + n, row_text(block, first + n), output.place,
                               hex(got.data(), dwords), hex(want.data(), dwords));
      }
  }
  if (wrong)
    ADD_FAILURE() << block.file << " " << block.name << ": " << form.isa << " '" << form.text << "', " << engine_name << ": "
                  << wrong << " values differ" << shown;
}

struct Family {
  const char *isa, *encoding;
};
const Family families[] = {
#define ATOLL_FAMILY(isa, encoding) {#isa, #encoding},
#include "families.inc"
#undef ATOLL_FAMILY
};

class VectorFamily : public testing::TestWithParam<Family> {};

TEST_P(VectorFamily, GivesTheResults) {
  auto [isa, encoding] = GetParam();
  std::map<std::string, size_t> opcodes;
  Machine machine;
  size_t total = 0;
  for (const Block& block : vectors().blocks)
    for (const Form& form : block.runs)
      if (form.isa == isa && form.encoding == encoding) {
        opcodes[form.opcode()] += block.rows;
        total += block.rows;
        for (auto engine : {wave::EngineChoice::Interpreter, wave::EngineChoice::Jit}) check(machine, block, form, engine);
      }
  size_t few = ~size_t(0);
  for (auto& [opcode, rows] : opcodes) {
    few = std::min(few, rows);
    EXPECT_GE(rows, is_r500(isa) ? least_r500_vectors : least_vectors) << opcode;
  }
  EXPECT_GE(total, least_vectors);
  // Every opcode of the encoding has vectors, or stands in without.txt with its reason, not both.
  size_t reasons = 0;
  std::string table = is_r500(isa) ? "src/isa/r500" : std::string(isa) == "gfx7" ? "isa/gfx7.tsv" : "isa/rdna4.tsv";
  std::set<std::string> rows;
  for (auto& [format, opcode] : is_r500(isa) ? r500_table(isa) : table_rows(ATOLL_SOURCE_DIR "/" + table))
    if (format == encoding) rows.insert(opcode);
  for (const std::string& opcode : rows) {
    bool excused = without().count(fmt::format("{} {} {}", isa, encoding, opcode));
    reasons += excused;
    EXPECT_NE(opcodes.count(opcode) > 0, excused)
        << opcode << (excused ? ": has vectors and stands in without.txt" : ": has no vectors");
  }
  for (auto& [opcode, count] : opcodes) EXPECT_TRUE(rows.count(opcode)) << opcode << " is no opcode of " << table;
  std::printf("%s %s: %zu opcodes, %zu vectors, %zu at least, on two engines; %zu opcodes without\n", isa, encoding,
              opcodes.size(), total, few, reasons);
}

INSTANTIATE_TEST_SUITE_P(Isa, VectorFamily, testing::ValuesIn(families),
                         [](const auto& info) { return std::string(info.param.isa) + "_" + info.param.encoding; });

// Each run belongs to a test above, and errata change something.
TEST(Vectors, AreWhole) {
  std::set<std::string> known;
  for (auto [isa, encoding] : families) known.insert(std::string(isa) + " " + encoding);
  for (const Block& block : vectors().blocks) {
    EXPECT_FALSE(block.runs.empty()) << block.name;
    EXPECT_FALSE(block.outputs.empty()) << block.name;
    for (const Form& form : block.runs)
      EXPECT_TRUE(known.count(form.isa + " " + form.encoding)) << form.isa << " " << form.encoding;
    for (const Erratum& e : block.errata)
      for (auto& [row, literal] : e.rows)
        for (const Output& o : block.outputs)
          if (o.place == e.place) {
            std::string value = hex(o.values.at(row), o.values.dwords_each());
            std::string padded = std::string(value.size() - std::min(value.size(), literal.size()), '0') + literal;
            EXPECT_NE(value, padded) << block.name << " row " << row << ": erratum " << e.name << " changes nothing";
          }
  }
}

}  // namespace
}  // namespace Atoll::vectors
