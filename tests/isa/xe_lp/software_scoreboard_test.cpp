// The findings of --check=waits in short programs, by the rules that software_scoreboard.cpp cites.
#include <gtest/gtest.h>

#include <thread>

#include "isa/xe_lp/isa.h"
#include "isa/xe_lp/program.h"
#include "isa/xe_lp/registers.h"
#include "wave/environment.h"
#include "wave/executor.h"
#include "wave/storage.h"

namespace {

using namespace Atoll;

class NoEnvironment : public wave::Environment {
public:
  bool mapped(uint64_t, uint64_t, bool) const override { return false; }
  uint64_t clock() override { return 0; }
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
};

// Runs the lines on 16 channels, of which `channels` are on, with shared local memory, and gives what was found.
std::vector<wave::Finding> found(std::vector<std::string> lines, uint32_t channels = 0xffff) {
  lines.emplace_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
  auto words = xe_lp::assemble(lines);
  EXPECT_TRUE(words) << words.error().message;
  if (!words) return {};
  constexpr uint64_t base = 0x10000;
  wave::Program program(xe_lp::isa(), base, *words);
  wave::Storage storage(wave::register_file_offset + xe_lp::register_file_bytes);
  std::vector<uint8_t> local(1024);
  std::atomic<int> stop{0};
  NoEnvironment environment;
  wave::WorkGroup group;
  wave::Wave& wave = *storage;
  wave.lds = local.data(), wave.lds_bytes = uint32_t(local.size());
  wave.stop_flag = &stop, wave.environment = &environment, wave.group = &group;
  wave.lanes = xe_lp::kChannels, wave.pc = base;
  xe_lp::context_of(wave) = {};
  xe_lp::lose_surfaces(wave);
  wave::word_of(wave, xe_lp::active_cell) = channels;
  auto findings = std::make_shared<wave::Findings>();
  wave::Executor executor(program, wave::EngineChoice::Auto, wave, {.findings = findings});
  std::thread([&] { executor.run(wave); }).join();
  EXPECT_EQ(wave.stop, wave::Stop::End) << (wave.fault.reason ? wave.fault.reason : "");
  return findings->take();
}
size_t count(std::vector<std::string> lines, uint32_t channels = 0xffff) { return found(std::move(lines), channels).size(); }

const std::string make = "mov (16|M0) r10.0<1>:f 1.0:f", use = "add (16|M0) r12.0<1>:f r10.0<8;8,1>:f 1.0:f",
                  other = "mov (16|M0) r20.0<1>:f 1.0:f", inverse = "math.inv (8|M0) r30.0<1>:f r40.0<8;8,1>:f",
                  use_inverse = "add (8|M0) r12.0<1>:f r30.0<8;8,1>:f 1.0:f",
                  load = "send.dc1 (16|M0) r50 r60 null 0x0 0x04205EFE", store = "send.dc1 (16|M0) null r60 r10 0x80 0x04025EFE";
std::string with(const std::string& line, const std::string& annotation) { return line + " {" + annotation + "}"; }

TEST(SoftwareScoreboard, InOrderResultsAreReadBehindTheirDistance) {
  EXPECT_EQ(count({make, use}), 1u);
  EXPECT_EQ(count({make, with(use, "@1")}), 0u);
  EXPECT_EQ(count({make, other, with(use, "@2")}), 0u);
  EXPECT_EQ(count({make, other, with(use, "@3")}), 1u);  // waits for what is before
  EXPECT_EQ(count({make, "sync.nop null {@1}", use}), 0u);
  EXPECT_EQ(count({make, "sync.nop null", with(use, "@1")}), 0u);  // sync does not count
  std::vector<std::string> far{make};
  for (int n = 0; n < 9; n++) far.push_back(other);
  far.push_back(use);
  EXPECT_EQ(count(far), 1u);
  far.insert(far.begin() + 1, other);
  EXPECT_EQ(count(far), 0u);  // eleven behind it is done
}

TEST(SoftwareScoreboard, OneByteIsEnough) {
  const std::string low = "mov (16|M0) r10.0<2>:uw 1:uw", reads_odd = "mov (16|M0) r12.0<1>:uw r10.1<16;8,2>:uw",
                    reads_even = "mov (16|M0) r12.0<1>:uw r10.0<16;8,2>:uw";
  EXPECT_EQ(count({low, reads_odd}), 0u);
  EXPECT_EQ(count({low, reads_even}), 1u);
}

TEST(SoftwareScoreboard, InOrderWritesAndFlagsTakeCareOfThemselves) {
  EXPECT_EQ(count({make, make}), 0u);
  EXPECT_EQ(count({use, make}), 0u);
  EXPECT_EQ(count({"cmp (16|M0) (eq)f0.0 null<1>:d r1.0<8;8,1>:d 0:d", "(f0.0) mov (16|M0) r5.0<1>:f 1.0:f"}), 0u);
  EXPECT_EQ(count({"mul (8|M0) acc0.0<1>:d r1.0<8;8,1>:d r2.0<16;8,2>:uw", "mach (8|M0) r3.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d"}),
            0u);
  EXPECT_EQ(count({"mov (1|M0) a0.0<1>:uw 64:uw", "mov (1|M0) r9.0<1>:f r[a0.0]<0;1,0>:f"}), 0u);
}

TEST(SoftwareScoreboard, MathNeedsItsToken) {
  EXPECT_EQ(count({with(inverse, "$3"), with(use_inverse, "$3.dst")}), 0u);
  EXPECT_EQ(count({with(inverse, "$3"), use_inverse}), 1u);
  EXPECT_EQ(count({with(inverse, "$3"), with(use_inverse, "$3.src")}), 1u);
  EXPECT_EQ(count({with(inverse, "$3"), with(use_inverse, "$4.dst")}), 1u);
  EXPECT_EQ(count({with(inverse, "$3"), "sync.allwr null", use_inverse}), 0u);
  EXPECT_EQ(count({with(inverse, "$3"), "sync.allwr ($3,$5)", use_inverse}), 0u);
  EXPECT_EQ(count({with(inverse, "$3"), "sync.allwr ($2,$5)", use_inverse}), 1u);
  EXPECT_EQ(count({with(inverse, "$3"), "sync.allrd null", use_inverse}), 1u);
  // a result that a second one overwrites, and a source
  EXPECT_EQ(count({with(inverse, "$3"), "mov (8|M0) r30.0<1>:f 1.0:f"}), 1u);
  EXPECT_EQ(count({with(inverse, "$3"), "mov (8|M0) r40.0<1>:f 1.0:f"}), 1u);
  EXPECT_EQ(count({with(inverse, "$3"), with("mov (8|M0) r40.0<1>:f 1.0:f", "$3.src")}), 0u);
  // setting the token again waits for it
  EXPECT_EQ(count({with(inverse, "$3"), with(inverse, "$3"), with(use_inverse, "$3.dst")}), 0u);
  EXPECT_EQ(count({with(inverse, "$3"), with(inverse, "$4"), with(use_inverse, "$4.dst")}), 2u);
  // without a token nothing can wait for it
  EXPECT_EQ(count({inverse, with(use_inverse, "$0.dst")}), 1u);
}

TEST(SoftwareScoreboard, MessagesWaitForWhatIsInOrder) {
  const std::string address = "mov (16|M0) r60.0<1>:ud 0:ud", reads_answer = "mov (16|M0) r70.0<1>:ud r50.0<8;8,1>:ud";
  EXPECT_EQ(count({address, with(load, "$1")}), 1u);
  EXPECT_EQ(count({address, with(load, "@1,$1"), with(reads_answer, "$1.dst")}), 0u);
  EXPECT_EQ(count({address, with(load, "@1,$1"), reads_answer}), 1u);
  // read and written in order before, by a message behind
  EXPECT_EQ(count({reads_answer, with(load, "$1")}), 1u);
  EXPECT_EQ(count({"mov (16|M0) r50.0<1>:ud 1:ud", with(load, "$1")}), 1u);
  // its sources are free when it has read them
  EXPECT_EQ(count({address, make, with(store, "@1,$2"), make}), 1u);
  EXPECT_EQ(count({address, make, with(store, "@1,$2"), with(make, "$2.src")}), 0u);
  EXPECT_EQ(count({address, with(load, "@1,$1"), address}), 1u);
  // the end waits for nothing
  EXPECT_EQ(count({address, with(load, "@1,$1")}), 0u);
}

TEST(SoftwareScoreboard, ChannelsThatAreOffDoNotCount) {
  const std::string some = "mov (8|M8) r11.0<1>:f 1.0:f", uses_some = "add (8|M0) r12.0<1>:f r11.0<8;8,1>:f 1.0:f";
  EXPECT_EQ(count({some, uses_some}, 0x00ff), 0u);
  EXPECT_EQ(count({some, uses_some}, 0x0fff), 1u);
}

TEST(SoftwareScoreboard, ATakenBranchLetsTheAluFinish) {
  EXPECT_EQ(count({make, "jmpi (1|M0) there", other, "there:", use}), 0u);
  EXPECT_EQ(count({make, "(W&f0.0) jmpi (1|M0) there", use, "there:", other}), 1u);  // f0.0 is 0: not taken
}

TEST(SoftwareScoreboard, ControlIsUsedWhenAllIsDone) {
  const std::string control = "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x400:uw";
  EXPECT_EQ(count({make, control}), 1u);
  EXPECT_EQ(count({make, with(control, "@1")}), 0u);
}

TEST(SoftwareScoreboard, SaysWhatUsesWhat) {
  const auto all = found({make, other, "mov (16|M0) r10.0<1>:f 2.0:f {@1}", use});
  ASSERT_EQ(all.size(), 1u);
  const std::string& text = all[0].text;
  EXPECT_EQ(all[0].times, 1u);
  EXPECT_NE(text.find("'add (16|M0) r12.0<1>:f r10.0<8;8,1>:f 1.0:f'"), std::string::npos) << text;
  EXPECT_NE(text.find("reads r10.0:ub before"), std::string::npos) << text;
  EXPECT_NE(text.find("has written it: it lacks @1"), std::string::npos) << text;
  EXPECT_NE(text.find("lanes 0xffff"), std::string::npos) << text;
}

TEST(SoftwareScoreboard, ChecksThatAreNotThereAreErrors) {
  EXPECT_TRUE(wave::parse_checks("waits"));
  for (const char* names : {"races", "uninit", "nan", "waits,races", "wait", "", "waits,", ",waits"})
    EXPECT_FALSE(wave::parse_checks(names)) << names;
  EXPECT_NE(wave::parse_checks("races").error().message.find("not built yet"), std::string::npos);
}

}  // namespace
