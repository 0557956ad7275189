// The choice of the host level: the best whose code the host can run, for every set of hidden features. The features that code
// needs are taken from the compiler: those that LLVM has in x86-64-v3 and -v4, less those that the build's flags take away.
#include "base/host_level.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/TargetParser/X86TargetParser.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/host_features.h"

namespace Atoll {
namespace {

// LLVM's names of features in x86-64-vN that no processor reports in CPUID, or every 64-bit one.
const std::set<std::string> unreported = {"evex512", "64bit", "64bit-mode", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87"};

using Features = llvm::StringMap<bool>;

// With what follows from them: AVX2 is none without AVX.
void set_feature(Features& features, llvm::StringRef name, bool there) {
  features[name] = there;
  llvm::X86::updateImpliedFeatures(name, there, features);
}

Features features_of(llvm::StringRef cpu) {
  llvm::SmallVector<llvm::StringRef, 64> found;
  llvm::X86::getFeaturesForCPU(cpu, found, true);
  Features out;
  for (llvm::StringRef name : found) set_feature(out, name.drop_front(), true);
  return out;
}

std::set<std::string> names_of(const Features& features) {
  std::set<std::string> out;
  for (auto& [name, there] : features)
    if (there && !unreported.contains(name.str())) out.insert(name.str());
  return out;
}

// The features that sources are compiled with, by their flags.
std::set<std::string> compiled_with(const char* flags) {
  Features out;
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    if (word.starts_with("-march=")) out = features_of(word.substr(7));
    if (word.starts_with("-mno-")) set_feature(out, word.substr(5), false);
  }
  return names_of(out);
}

const std::map<int, const char*> flags = {{3, LEVEL_FLAGS_AVX2}, {4, LEVEL_FLAGS_AVX512}};

TEST(HostFeatures, AreThoseOfTheCompilersVersions) {
  std::map<std::string, int> expected;
  for (int version : {4, 3, 2})
    for (auto& name : names_of(features_of(fmt::format("x86-64-v{}", version)))) expected[name] = version;
  ASSERT_GE(expected.size(), 20u);
  std::map<std::string, int> listed;
  for (auto& feature : host_features) listed[feature.name] = feature.version;
  EXPECT_EQ(listed, expected);
  EXPECT_TRUE(compiled_with(LEVEL_FLAGS_BASELINE).empty());
}

TEST(HostFeatures, LevelsAskForWhatTheyAreCompiledWith) {
  for (auto& [version, text] : flags) {
    std::set<std::string> needed;
    for (size_t n = 0; n < std::size(host_features); n++)
      if (features_needed(version) >> n & 1) needed.insert(host_features[n].name);
    EXPECT_EQ(needed, compiled_with(text)) << "x86-64-v" << version;
    for (const char* unused : {"lzcnt", "movbe"}) EXPECT_FALSE(needed.contains(unused));
  }
}

TEST(HostFeatures, EverySetOfThemGetsTheBestLevelThatRuns) {
  std::map<int, HostFeatures> code;
  for (auto& [version, text] : flags)
    for (auto& name : compiled_with(text))
      for (size_t n = 0; n < std::size(host_features); n++)
        if (host_features[n].name == name) code[version] |= HostFeatures(1) << n;
  std::map<int, uint64_t> chosen;
  for (HostFeatures there = 0; there < HostFeatures(1) << std::size(host_features); there++) {
    const int best = (code[4] & ~there) == 0 ? 4 : (code[3] & ~there) == 0 ? 3 : 1;
    ASSERT_EQ(best_version(there), best) << std::hex << there;
    chosen[best]++;
  }
  EXPECT_EQ(chosen.size(), 3u);
}

// A process of its own for each: what the C library found, less what the variable hides.
TEST(HostLevel, IsTheBestWithoutWhatIsHidden) {
  for (size_t n = 0; n < std::size(host_features); n++) {
    const HostFeatures left = features_of_host() & ~(HostFeatures(1) << n);
    const HostLevel best =
        std::map<int, HostLevel>{{4, HostLevel::Avx512}, {3, HostLevel::Avx2}, {1, HostLevel::Baseline}}[best_version(left)];
    EXPECT_EXIT(
        {
          ::setenv("ATOLL_HOST_LACKS", host_features[n].name, 1);
          const bool lacks = std::ranges::count(lacking_for(HostLevel::Avx512), std::string_view(host_features[n].name)) == 1;
          ::_exit(best_host_level() == best && lacks == host_features[n].used ? 0 : 1);
        },
        testing::ExitedWithCode(0), "")
        << host_features[n].name;
  }
}

// Features that the C library's tunables hide are hidden from us (GLIBC_TUNABLES, glibc.cpu.hwcaps; those of its names that glibc
// 2.36 has).
TEST(HostLevel, TunablesHideFeatures) {
  const HostFeatures there = features_of_host();
  const std::map<std::string, const char*> names = {
      {"avx", "AVX"},           {"avx2", "AVX2"},         {"bmi", "BMI1"},          {"bmi2", "BMI2"},
      {"fma", "FMA"},           {"lzcnt", "LZCNT"},       {"movbe", "MOVBE"},       {"popcnt", "POPCNT"},
      {"ssse3", "SSSE3"},       {"sse4.1", "SSE4_1"},     {"sse4.2", "SSE4_2"},     {"avx512f", "AVX512F"},
      {"avx512bw", "AVX512BW"}, {"avx512cd", "AVX512CD"}, {"avx512dq", "AVX512DQ"}, {"avx512vl", "AVX512VL"}};
  for (size_t n = 0; n < std::size(host_features); n++) {
    auto name = names.find(host_features[n].name);
    if (name == names.end()) continue;
    HostFeatures left = there & ~(HostFeatures(1) << n);
    const std::string call = fmt::format("GLIBC_TUNABLES=glibc.cpu.hwcaps=-{} {} --say-version", name->second, "/proc/$PPID/exe");
    int status = std::system(call.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 10 + best_version(left)) << call;
  }
}

}  // namespace
}  // namespace Atoll

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--say-version") return 10 + Atoll::best_version(Atoll::features_of_host());
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
