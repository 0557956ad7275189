#include "llvm_mc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace Atoll::gfx7::test {

std::vector<LlvmAnswer> llvm_mc(std::span<const std::string> lines) {
  std::string base = fmt::format("{}/atoll-gfx7-{}", std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp", ::getpid());
  std::string source = base + ".s", errors = base + ".err", output = base + ".out";
  {
    std::ofstream file(source);
    for (const std::string& line : lines) file << line << '\n';
  }
  std::string command =
      fmt::format("{} -triple=amdgcn-amd-amdhsa -mcpu=bonaire -show-encoding {} >{} 2>{}", LLVM_MC, source, output, errors);
  if (std::system(command.c_str()) == -1) throw std::runtime_error("cannot run " + command);
  std::vector<LlvmAnswer> answers(lines.size());
  std::ifstream messages(errors);
  for (std::string line; std::getline(messages, line);) {
    size_t at = line.find(".s:"), colon = line.find(": error: ");
    if (at == std::string::npos || colon == std::string::npos) continue;
    size_t number = std::strtoul(line.c_str() + at + 3, nullptr, 10);
    if (number >= 1 && number <= answers.size() && answers[number - 1].error.empty())
      answers[number - 1].error = line.substr(colon + 9);
  }
  std::ifstream printed(output);
  size_t next = 0;
  for (std::string line; std::getline(printed, line);) {
    size_t mark = line.find("; encoding: [");
    if (mark == std::string::npos) continue;
    while (next < answers.size() && !answers[next].error.empty()) ++next;
    if (next == answers.size()) throw std::runtime_error("llvm-mc gave more encodings than lines: " + line);
    LlvmAnswer& answer = answers[next++];
    answer.text = line.substr(0, mark);
    answer.text.erase(0, answer.text.find_first_not_of(" \t"));
    answer.text.erase(answer.text.find_last_not_of(" \t") + 1);
    for (size_t c = mark + 13; c < line.size() && line[c] != ']'; ++c) {
      if (line[c] == ',') continue;
      if (line[c] == '0' && line[c + 1] == 'x') {
        ++c;
        continue;
      }
      answer.hex += line[c];
    }
  }
  while (next < answers.size() && !answers[next].error.empty()) ++next;
  if (next != answers.size()) throw std::runtime_error("llvm-mc gave fewer encodings than lines: " + lines[next]);
  for (const std::string& file : {source, errors, output}) ::unlink(file.c_str());
  return answers;
}

}  // namespace Atoll::gfx7::test
