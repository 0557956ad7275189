// The JIT's regions of short programs, before LLVM: each file of tests/wave/regions holds a program and the text of its regions
// (wave/jit/node_text.h). After an intended change of the recorder, of the cuts or of the guards,
//   build/release/tests/region_text_test --rewrite
// writes the expected texts anew, to be read in the diff.
//
// A file: lines that begin with '#' say what it shows; directives; the program; "--- regions"; what is expected.
//   .isa gfx7|gfx1200|gfx1200-wave64|r500-fs|xe-lp
//   .row N, .equal N, .any N   the profile says of instruction N (from 0): addresses in a row, all the same, otherwise
//   .round32 up          f32 results are rounded so, and f64's to nearest
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/isa.h"
#include "isa/gfx7/parse.h"
#include "isa/r500/isa.h"
#include "isa/r500/text.h"
#include "isa/rdna4/encode.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/parse.h"
#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/program.h"
#include "wave/jit/node_text.h"
#include "wave/jit/region_check.h"

namespace Atoll::wave {
namespace {

constexpr uint64_t code_base = 0x4000;
bool rewrite = false;

struct Sample {
  std::string head;  // all up to the expected text
  std::string expected;
  std::string isa;
  std::map<size_t, AddressForm> forms;
  FloatMode mode;
  std::vector<std::string> lines;
};

Sample sample_of(const std::filesystem::path& path) {
  Sample s;
  std::ifstream file(path);
  bool behind = false;
  for (std::string line; std::getline(file, line);) {
    (behind ? s.expected : s.head) += line + "\n";
    if (behind || line.empty() || line[0] == '#') continue;
    if (line == "--- regions") {
      behind = true;
      continue;
    }
    std::istringstream words(line);
    std::string directive, value;
    words >> directive >> value;
    if (directive == ".isa")
      s.isa = value;
    else if (directive == ".row" || directive == ".equal" || directive == ".any")
      s.forms[std::stoul(value)] = directive == ".row" ? kConsecutive : directive == ".equal" ? kEqual : kOther;
    else if (line == ".round32 up")
      s.mode.round32 = Rounding::Up;
    else if (line == ".flush32")
      s.mode.flush_in32 = s.mode.flush_out32 = true;
    else if (line[0] == '.')
      ADD_FAILURE() << path << ": no directive " << line;
    else
      s.lines.push_back(line);
  }
  EXPECT_TRUE(behind) << path << ": no line '--- regions'";
  return s;
}

template <class T>
T checked(Expected<T> got, const std::string& line) {
  if (got) return std::move(*got);
  ADD_FAILURE() << line << ": " << got.error().message;
  return T();
}

std::vector<uint32_t> assemble(const Sample& s) {
  std::vector<uint32_t> code;
  if (s.isa == "xe-lp") return checked(xe_lp::assemble(s.lines), s.lines[0]);
  for (const std::string& line : s.lines) {
    if (s.isa == "r500-fs") {
      auto words = checked(r500::parse(line), line);
      code.insert(code.end(), words.begin(), words.end());
    } else if (s.isa == "gfx7") {
      auto words = checked(gfx7::encode(checked(gfx7::parse(line), line)), line);
      code.insert(code.end(), words.dwords.begin(), words.dwords.begin() + words.count);
    } else {
      rdna4::CodeOptions options{s.isa == "gfx1200" ? 32u : 64u};
      auto words = checked(rdna4::encode(checked(rdna4::parse(line, options), line).main, options), line);
      code.insert(code.end(), words.dwords.begin(), words.dwords.begin() + words.count);
    }
  }
  return code;
}

const Isa& isa_of(const Sample& s) {
  if (s.isa == "gfx7") return gfx7::isa();
  if (s.isa == "gfx1200") return rdna4::isa(32);
  if (s.isa == "gfx1200-wave64") return rdna4::isa(64);
  if (s.isa == "r500-fs") return r500::fragment_isa(uint32_t(s.lines.size() - 1));
  EXPECT_EQ(s.isa, "xe-lp");
  return xe_lp::isa();
}

struct FreeDelete {
  void operator()(void* p) const { std::free(p); }
};

std::string regions_of(const Sample& s) {
  const Isa& isa = isa_of(s);
  const RegisterFile file = isa.register_file();
  std::vector<uint32_t> code = assemble(s);
  uint64_t base = s.isa == "r500-fs" ? 0 : code_base;
  Program program(isa, base, code);
  std::unique_ptr<void, FreeDelete> storage(std::aligned_alloc(128, (register_file_offset + file.bytes + 127) / 128 * 128));
  Wave& like = *new (storage.get()) Wave;
  like.lanes = s.isa == "gfx7" || s.isa == "gfx1200-wave64" ? 64 : 32;
  size_t number = 0;
  for (uint64_t pc = base; program.contains(pc); number++) {
    const Step& step = program.decoded(*program.at(pc));
    EXPECT_EQ(program.decode_error(step), "") << s.lines[number];
    if (auto form = s.forms.find(number); form != s.forms.end()) step.address_forms = form->second;
    pc += step.words * 4u;
  }
  RegionSet set = cut_regions(program, base, like, s.mode, 1000);
  std::sort(set.regions.begin(), set.regions.end(), [](auto& a, auto& b) { return a.pc < b.pc; });
  std::string text;
  for (const CodeRegion& region : set.regions) {
    int width = file.whole_wave || region.whole ? int(like.lanes) : 16;
    AccessPlan plan = plan_accesses(region, like, width);
    text += text_of(region, program, like, &plan);
    auto sound = check_region(region, plan, file, like, width);
    EXPECT_TRUE(sound) << sound.error().message;
  }
  return text;
}

class Regions : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Regions, AreAsExpected) {
  Sample s = sample_of(GetParam());
  std::string text = regions_of(s);
  if (rewrite)
    std::ofstream(GetParam()) << s.head << text;
  else
    EXPECT_EQ(text, s.expected) << "in " << GetParam() << ": if this is meant, region_text_test --rewrite";
}

std::vector<std::filesystem::path> samples() {
  std::vector<std::filesystem::path> all;
  for (auto& entry : std::filesystem::directory_iterator(ATOLL_SOURCE_DIR "/tests/wave/regions")) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Regions, testing::ValuesIn(samples()), [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace Atoll::wave

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  Atoll::wave::rewrite = count > 1 && std::string_view(arguments[1]) == "--rewrite";
  return RUN_ALL_TESTS();
}
