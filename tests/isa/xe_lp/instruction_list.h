// The lines of instructions.txt.
#pragma once
#include <fstream>
#include <string>
#include <vector>

namespace Atoll::xe_lp::test {

struct ListedInstruction {
  std::vector<uint8_t> bytes;
  std::string hex, text;
};

inline std::vector<ListedInstruction> listed_instructions() {
  std::vector<ListedInstruction> list;
  std::ifstream file(ATOLL_SOURCE_DIR "/tests/isa/xe_lp/instructions.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    size_t blank = line.find(' ');
    ListedInstruction one{{}, line.substr(0, blank), line.substr(blank + 1)};
    for (size_t n = 0; n < blank; n += 2) one.bytes.push_back(uint8_t(std::stoul(line.substr(n, 2), nullptr, 16)));
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace Atoll::xe_lp::test
