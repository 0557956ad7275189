// The programs that draws and dispatches are given, written into a folder: which stages, how often, what the files hold.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/files.h"
#include "gpu/sea_islands/stream.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;

std::string new_folder() {
  std::string name = testing::TempDir() + "shader_files-XXXXXX";
  EXPECT_TRUE(mkdtemp(name.data()));
  return name;
}

class ShaderFilesTest : public SeaIslandsTest {
protected:
  ShaderFilesTest() : ShaderFilesTest(new_folder()) {}
  explicit ShaderFilesTest(const std::string& name)
      : SeaIslandsTest("bonaire", {.engine = gpu::Engine::Interpreter, .threads = 1, .shaders = name + "/made"}), folder(name) {}
  ~ShaderFilesTest() override { std::filesystem::remove_all(folder); }
  std::string folder;

  static std::vector<uint32_t> words(std::initializer_list<const char*> lines) {
    std::vector<uint32_t> all;
    for (const char* line : lines) {
      auto encoded = gfx7::encode(*gfx7::parse(line));
      EXPECT_TRUE(encoded) << line;
      all.insert(all.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    return all;
  }
  uint64_t program(const std::vector<uint32_t>& code) {
    Buffer b = *space->allocate(4096, 4096);
    std::memcpy(b.host_pointer, code.data(), code.size() * 4);
    return b.gpu_address;
  }
  static void bind(Words& w, uint32_t low_register, uint64_t address) {
    w.shader(low_register, uint32_t(address >> 8)).shader(low_register + 4, uint32_t(address >> 40));
  }
  // The files that were written, by the part of the name before the hash.
  std::multimap<std::string, std::filesystem::path> files(const std::string& end) {
    std::multimap<std::string, std::filesystem::path> all;
    if (std::filesystem::exists(folder + "/made"))
      for (auto& entry : std::filesystem::directory_iterator(folder + "/made"))
        if (entry.path().extension() == end)
          all.emplace(entry.path().filename().string().substr(0, std::string("bonaire-xx").size()), entry.path());
    return all;
  }
  static std::string text_of(const std::filesystem::path& path) {
    auto bytes = read_file(path.string());
    return bytes ? std::string(bytes->begin(), bytes->end()) : bytes.error().message;
  }
  Words dispatch(uint64_t address) {
    Words w;
    bind(w, COMPUTE_PGM_LO::address(), address);
    w.shader(COMPUTE_NUM_THREAD_X::address(), 1)
        .shader(COMPUTE_NUM_THREAD_Y::address(), 1)
        .shader(COMPUTE_NUM_THREAD_Z::address(), 1);
    return w.packet(DISPATCH_DIRECT::opcode, {1, 1, 1, 1});
  }
};

TEST_F(ShaderFilesTest, AProgramOnceWithItsText) {
  // A branch over an end: the program goes on to the last one. The words behind that are not its own.
  auto code = words({"s_cbranch_scc0 1", "s_endpgm", "s_nop 3", "s_endpgm"});
  auto more = code;
  more.push_back(0xffffffff);
  uint64_t address = program(more), copy = program(more);
  good(dispatch(address));
  good(dispatch(copy));
  good(dispatch(address));
  auto binaries = files(".bin"), texts = files(".s");
  ASSERT_EQ(binaries.size(), 1u);
  ASSERT_EQ(binaries.count("bonaire-cs"), 1u);
  std::string bytes = text_of(binaries.begin()->second);
  ASSERT_EQ(bytes.size(), code.size() * 4);
  EXPECT_EQ(std::memcmp(bytes.data(), code.data(), bytes.size()), 0);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(text_of(texts.begin()->second),
            fmt::format("// bonaire cs at {:#x}, 16 bytes\ns_cbranch_scc0 1\ns_endpgm\ns_nop 3\ns_endpgm\n", address));
}

TEST_F(ShaderFilesTest, OtherWordsAtTheSamePlace) {
  uint64_t address = program(words({"s_nop 1", "s_endpgm"}));
  good(dispatch(address));
  auto other = words({"s_nop 2", "s_endpgm"});
  std::memcpy(space->host(address), other.data(), other.size() * 4);
  good(dispatch(address));
  EXPECT_EQ(files(".bin").size(), 2u);
}

TEST_F(ShaderFilesTest, StagesOfADraw) {
  Words w;
  w.packet(CLEAR_STATE::opcode, {0});
  uint32_t registers[] = {SPI_SHADER_PGM_LO_PS::address(), SPI_SHADER_PGM_LO_VS::address(), SPI_SHADER_PGM_LO_GS::address(),
                          SPI_SHADER_PGM_LO_ES::address(), SPI_SHADER_PGM_LO_HS::address(), SPI_SHADER_PGM_LO_LS::address()};
  for (uint32_t low : registers) bind(w, low, program(words({"s_nop 0", "s_endpgm"})));
  Words plain = w;
  plain.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {0, 2});
  (void)run(plain);
  auto binaries = files(".bin");
  EXPECT_EQ(binaries.size(), 2u) << "stages that are off have programs from before";
  EXPECT_EQ(binaries.count("bonaire-vs") + binaries.count("bonaire-ps"), 2u);
  using Stages = VGT_SHADER_STAGES_EN;
  w.context(Stages::address(),
            Stages::LS_EN::of(1) | Stages::HS_EN::of(1) | Stages::ES_EN::of(1) | Stages::GS_EN::of(1) | Stages::VS_EN::of(2));
  w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {0, 2});
  (void)run(w);
  binaries = files(".bin");
  EXPECT_EQ(binaries.size(), 6u);
  for (const char* stage : {"bonaire-ls", "bonaire-hs", "bonaire-es", "bonaire-gs", "bonaire-vs", "bonaire-ps"})
    EXPECT_EQ(binaries.count(stage), 1u) << stage;
}

TEST_F(ShaderFilesTest, WhatAPrologGoesOnTo) {
  uint64_t main = program(words({"s_nop 5", "s_endpgm"})), other = program(words({"s_nop 6", "s_endpgm"}));
  qword(0x18) = other;
  for (auto& prolog :
       {words({"s_nop 7", "s_setpc_b64 s[2:3]"}), words({"s_load_dwordx2 s[32:33], s[4:5], 0x2", "s_setpc_b64 s[32:33]"})}) {
    Words w;
    w.packet(CLEAR_STATE::opcode, {0});
    bind(w, SPI_SHADER_PGM_LO_VS::address(), program(prolog));
    bind(w, SPI_SHADER_PGM_LO_PS::address(), program(words({"s_endpgm"})));
    w.shader(SPI_SHADER_USER_DATA_VS::address(2), Words::low(main))
        .shader(SPI_SHADER_USER_DATA_VS::address(3), Words::high(main));
    w.shader(SPI_SHADER_USER_DATA_VS::address(4), Words::low(at(0x10)))
        .shader(SPI_SHADER_USER_DATA_VS::address(5), Words::high(at(0x10)));
    w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {0, 2});
    (void)run(w);
  }
  auto texts = files(".s");
  std::string all;
  for (auto& [stage, path] : texts) all += text_of(path);
  EXPECT_EQ(texts.count("bonaire-vs"), 4u) << all;
  EXPECT_NE(all.find("s_nop 5\n"), all.npos) << all;
  EXPECT_NE(all.find("s_nop 6\n"), all.npos) << all;
}

TEST_F(ShaderFilesTest, AFolderThatCannotBeMade) {
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(write_file(folder, {}));  // a file stands in the folder's place
  testing::internal::CaptureStderr();
  good(dispatch(program(words({"s_endpgm"}))));
  good(dispatch(program(words({"s_nop 0", "s_endpgm"}))));
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("shaders: no more programs are written: "), said.rfind("shaders: no more programs are written: ")) << said;
  EXPECT_NE(said.find("made"), said.npos) << said;
}

}  // namespace
}  // namespace Atoll::sea_islands::test
