// One truth for an instruction: a flag of the tables that nothing reads is a fact that nothing tests, and a mnemonic that is taken
// apart is a fact that the table lacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/gfx7/table.h"
#include "isa/rdna4/table.h"

namespace {

namespace fs = std::filesystem;
using namespace Atoll;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Names of the enumerators, in order.
std::vector<std::string> flags() {
  std::string text = text_of(ATOLL_SOURCE_DIR "/src/isa/amd/table.h");
  size_t begin = text.find("enum class Flag"), end = text.find("};", begin);
  text = std::regex_replace(text.substr(begin, end - begin), std::regex("//[^\n]*|enum class Flag : uint8_t \\{"), "");
  std::vector<std::string> names;
  static const std::regex name("[A-Za-z0-9]+");
  for (std::sregex_iterator at(text.begin(), text.end(), name), none; at != none; ++at) names.push_back(at->str());
  return names;
}

// load_d16 → LoadD16
std::string enumerator(const std::string& flag) {
  std::string name;
  bool begins = true;
  for (char c : flag) {
    if (c != '_') name += begins ? char(std::toupper(c)) : c;
    begins = c == '_';
  }
  return name;
}

// Flags that sources in these folders name: C++, or the generator of the vectors (`"accumulates" in row.flags`).
std::set<std::string> read_in(const std::vector<std::string>& folders) {
  std::set<std::string> found;
  static const std::regex cpp("Flag::([A-Za-z0-9]+)"), python("\"([a-z0-9_]+)\" (not )?in [a-z_.]*flags");
  for (const std::string& folder : folders)
    for (auto& entry : fs::recursive_directory_iterator(ATOLL_SOURCE_DIR "/" + folder)) {
      auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".py") continue;
      std::string text = text_of(entry.path());
      const std::regex& flag = extension == ".py" ? python : cpp;
      for (std::sregex_iterator at(text.begin(), text.end(), flag), none; at != none; ++at)
        found.insert(extension == ".py" ? enumerator((*at)[1]) : (*at)[1].str());
    }
  return found;
}

TEST(Flags, EachIsReadForEachTableThatHasIt) {
  std::vector<std::string> names = flags();
  ASSERT_GT(names.size(), 40u);
  ASSERT_LE(names.size(), 64u);
  struct Isa {
    std::string name;
    std::span<const amd::Opcode> rows;
  };
  const Isa isas[] = {{"gfx7", gfx7::opcodes()}, {"rdna4", rdna4::opcodes()}};
  std::set<std::string> unused(names.begin(), names.end());
  for (const Isa& isa : isas) {
    std::set<std::string> read =
        read_in({"src/isa/" + isa.name, "src/isa/amd", "src/gpu", "tests/isa/" + isa.name, "tests/wave", "tests/oracle/vectors"});
    for (size_t n = 0; n < names.size(); n++) {
      bool has = std::ranges::any_of(isa.rows, [&](const amd::Opcode& row) { return row.has(amd::Flag(n)); });
      if (!has) continue;
      unused.erase(names[n]);
      EXPECT_TRUE(read.count(names[n])) << isa.name << ": nothing reads " << names[n];
    }
  }
  for (const std::string& name : unused) ADD_FAILURE() << "no row has " << name;
}

// Lines that ask a mnemonic for a part of it.
std::vector<std::string> taken_apart(std::istream& text) {
  static const std::regex part(R"((\bname|\bmnemonic)\)?\.(starts_with|ends_with|contains|find|rfind|substr)\()");
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (std::regex_search(line, part)) lines.push_back(line);
  return lines;
}

TEST(Mnemonics, AreTextForPeople) {
  // Readers and writers of text; notes that name instructions by how they begin; OpenCL's names of arguments.
  static const std::regex texts("(parse|print|text|modifiers|names|immediates|fidelity)[a-z_]*\\.(h|cpp)$|/hsa/");
  size_t files = 0;
  for (const char* folder : {"/src/isa", "/src/gpu"})
    for (auto& entry : fs::recursive_directory_iterator(std::string(ATOLL_SOURCE_DIR) + folder)) {
      std::string path = entry.path();
      if ((!path.ends_with(".h") && !path.ends_with(".cpp")) || std::regex_search(path, texts)) continue;
      files++;
      std::ifstream file(path);
      for (const std::string& line : taken_apart(file)) ADD_FAILURE() << path << ": " << line;
    }
  EXPECT_GT(files, 100u);
}

TEST(Mnemonics, OneTakenApartIsFound) {
  std::istringstream text(
      "if (std::string_view(row.name).starts_with(\"s_cbranch\")) return Flow::Conditional;\nname.find(\"f32\");\n");
  EXPECT_EQ(taken_apart(text).size(), 2u);
}

}  // namespace
