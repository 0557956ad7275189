#include "llvm_oracle.h"

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace Atoll::rdna4::test {

LlvmDisassembler::LlvmDisassembler(const char* cpu, unsigned wave) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  const char* features = wave == 64 ? "-wavefrontsize32,+wavefrontsize64" : "";
  context_ = LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", cpu, features, nullptr, 0, nullptr, nullptr);
  if (context_ == nullptr) throw std::runtime_error("LLVM has no disassembler for this GPU");
}

LlvmDisassembler::~LlvmDisassembler() { LLVMDisasmDispose(context_); }

LlvmDisassembler::Result LlvmDisassembler::operator()(std::span<const uint8_t> bytes) const {
  char text[1024];
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  Result result;
  result.bytes = LLVMDisasmInstruction(context_, copy.data(), copy.size(), 0, text, sizeof text);
  if (result.bytes == 0) return result;
  for (const char* c = text; *c != '\0'; ++c) {
    char one = *c == '\t' ? ' ' : *c;
    if (one != ' ' || !result.text.empty()) result.text += one;
  }
  while (result.text.ends_with(' ')) result.text.pop_back();
  return result;
}

std::string run(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string out;
  char piece[65536];
  while (size_t n = std::fread(piece, 1, sizeof piece, pipe)) out.append(piece, n);
  ::pclose(pipe);
  return out;
}

std::vector<std::string> llvm_assemble(std::span<const std::string> lines, std::string_view cpu, unsigned wave) {
  std::string base = fmt::format("{}/atoll-oracle-{}", std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp", ::getpid());
  std::string source = base + ".s", errors = base + ".err";
  {
    std::ofstream file(source);
    for (const std::string& line : lines) file << line << '\n';
  }
  std::string out = run(fmt::format("{} -triple=amdgcn-amd-amdhsa -mcpu={} {} -show-encoding {} 2>{}", LLVM_MC, cpu,
                                    wave == 64 ? "-mattr=-wavefrontsize32,+wavefrontsize64" : "", source, errors));
  std::set<size_t> wrong;
  std::ifstream messages(errors);
  for (std::string line; std::getline(messages, line);) {
    size_t at = line.find(".s:");
    if (at != std::string::npos && line.find(": error:") != std::string::npos)
      wrong.insert(std::strtoul(line.c_str() + at + 3, nullptr, 10));
  }
  ::unlink(source.c_str());
  ::unlink(errors.c_str());
  std::vector<std::string> results;
  size_t at = 0;
  for (size_t n = 1; n <= lines.size(); ++n) {
    std::string hex;
    if (!wrong.contains(n)) {
      at = out.find("encoding: [", at);
      if (at == std::string::npos) throw std::runtime_error("llvm-mc gave fewer encodings than lines: " + lines[n - 1]);
      size_t end = out.find(']', at);
      for (size_t c = at + 11; c < end; ++c) {
        if (out[c] == ',') continue;
        if (out[c] == '0' && out[c + 1] == 'x') {
          ++c;
          continue;
        }
        hex += out[c];
      }
      at = end;
    }
    results.push_back(hex);
  }
  return results;
}

std::vector<std::vector<uint8_t>> instructions_of(const std::string& object) {
  std::istringstream listing(run(fmt::format("{} -d {}", LLVM_OBJDUMP, object)));
  std::set<std::vector<uint8_t>> found;
  for (std::string line; std::getline(listing, line);) {
    size_t at = line.find("// ");
    size_t colon = at == std::string::npos ? at : line.find(": ", at);
    if (colon == std::string::npos) continue;
    std::istringstream words(line.substr(colon + 2));
    std::vector<uint8_t> bytes;
    for (std::string word; words >> word && word.size() == 8;) {
      unsigned long value = std::strtoul(word.c_str(), nullptr, 16);
      for (int n = 0; n < 4; ++n) bytes.push_back(uint8_t(value >> (8 * n)));
    }
    if (!bytes.empty()) found.insert(bytes);
  }
  return {found.begin(), found.end()};
}

}  // namespace Atoll::rdna4::test
