#include "wave/jit/code_cache.h"

#include <cpuid.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/environment.h"
#include "wave/interpreter/level.h"
#include "wave/jit/own_image.h"

#ifndef ATOLL_LLVM_LIBRARY  // a build without the JIT
#define ATOLL_LLVM_VERSION ""
#define ATOLL_LLVM_LIBRARY ""
#endif

namespace Atoll::wave {
namespace {

constexpr const char* format_version = "code 1";

// Vendor, model and features, without what differs from one of the machine's processors to the next (Intel SDM, volume 2, CPUID; what
// LLVM 19 asks in llvm/lib/TargetParser/Host.cpp): leaf, subleaf, and which of EAX, EBX, ECX, EDX count.
struct Question {
  unsigned leaf, subleaf, registers;
};
constexpr Question questions[] = {{0, 0, 0xf},    {1, 0, 0xd},    {7, 0, 0xf},          {7, 1, 0xf},          {0xd, 1, 0x1},
                                  {0x14, 0, 0xf}, {0x19, 0, 0xf}, {0x80000001, 0, 0xd}, {0x80000008, 0, 0x2}, {0x24, 0, 0xf}};

std::string processor() {
  std::string text;
  for (const Question& question : questions) {
    unsigned answers[4] = {};
    if (__get_cpuid_count(question.leaf, question.subleaf, &answers[0], &answers[1], &answers[2], &answers[3]))
      for (int n = 0; n < 4; n++)
        if (question.registers >> n & 1) text += fmt::format("{:x} ", answers[n]);
    text += ",";
  }
  unsigned low = 0, high = 0, a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c >> 27 & 1))  // (what the system keeps for programs)
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return text + fmt::format("{:x}", low);
}

// The library that LLVM stands in, as the build found it: exchanged for another, it has another time or size.
std::string llvm() {
  struct stat about{};
  if (::stat(ATOLL_LLVM_LIBRARY, &about) != 0) return ATOLL_LLVM_VERSION;
  return fmt::format("{} {} {}.{}", ATOLL_LLVM_VERSION, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

}  // namespace

static std::string folder_of(const char* part) {
  const std::string folder = cache_folder();
  return folder.empty() ? folder : folder + part;
}
std::string code_folder() { return folder_of("/code"); }
std::string notes_folder() { return folder_of("/notes"); }

std::unique_ptr<CodeCache> CodeCache::open(const std::string& library) {
  if (cache_folder().empty() || environment_flag("ATOLL_DUMP_IR")) return nullptr;
#ifdef ATOLL_REMOVABLE_CHECKS
  return nullptr;  // (what code is made with depends on which check is out)
#endif
  const std::string own = own_build_id(), generator = build_id_of(library);
  if (own.empty() || generator.empty()) return nullptr;
  std::string about;
  for (const std::string& part :
       {std::string(format_version), own, generator, llvm(), processor(),
        fmt::format("level {}{}", int(host_level()), environment_text("ATOLL_LEVEL").empty() ? "" : " asked for")})
    about += fmt::format("{} ", part.size()) + part;
  return std::unique_ptr<CodeCache>(new CodeCache(about));
}

}  // namespace Atoll::wave
