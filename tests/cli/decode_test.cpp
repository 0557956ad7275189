// The atoll binary from outside: verbs reg, enum and decode. The streams are built here word by word, after what radeonsi and
// r300g of Mesa 22.3.6 submit for a triangle.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "codeobject/compiled_object.h"

namespace Atoll {
namespace {

using nlohmann::json;

struct Result {
  int status = 0;
  std::string out, err;

  std::vector<json> lines() const {
    std::vector<json> all;
    std::istringstream text(out);
    for (std::string line; std::getline(text, line);) all.push_back(json::parse(line));
    return all;
  }
};

struct Registers : testing::Test {
  TemporaryFolder folder;

  std::string get(const std::string& name) {
    auto bytes = read_file(folder.file(name));
    return bytes ? std::string(bytes->begin(), bytes->end()) : "(none)";
  }

  Result atoll(const std::string& arguments, const std::string& input = "") {
    write_text(folder.file("in"), input);
    std::string command = std::string(ATOLL_BINARY) + " " + arguments + " <" + folder.file("in") + " >" + folder.file("out") +
                          " 2>" + folder.file("err");
    int status = std::system(command.c_str());
    return {WEXITSTATUS(status), get("out"), get("err")};
  }
};

std::string bytes_of(const std::vector<uint32_t>& words) {
  std::string bytes;
  for (auto word : words)
    for (int i = 0; i < 4; i++) bytes += static_cast<char>(word >> 8 * i);
  return bytes;
}

uint32_t packet3(uint32_t opcode, uint32_t dwords) { return 0xc0000000 | (dwords - 1) << 16 | opcode << 8; }
uint32_t packet0(uint32_t address, uint32_t dwords, bool one_register = false) {
  return (dwords - 1) << 16 | (one_register ? 0x8000u : 0u) | address / 4;
}

const json* find(const json& list, const std::string& name) {
  for (auto& item : list)
    if (item["name"] == name) return &item;
  return nullptr;
}

std::string field(const json& item, const std::string& name, const char* key) {
  auto* found = find(item["fields"], name);
  return found && found->contains(key) ? (*found)[key].get<std::string>() : "(none)";
}

TEST_F(Registers, RegSplitsAValue) {
  auto r = atoll("reg --gpu bonaire CB_COLOR0_INFO 0x28828 --json");
  EXPECT_EQ(r.status, 0) << r.err;
  ASSERT_EQ(r.lines().size(), 1u);
  auto reg = r.lines()[0];
  EXPECT_EQ(reg["name"], "CB_COLOR0_INFO");
  EXPECT_EQ(reg["block"], "CB");
  EXPECT_EQ(reg["address"], "0x28c70");
  EXPECT_EQ(reg["access"], "RW");
  EXPECT_EQ(reg["bits"], 32);
  EXPECT_EQ(reg["source"], "manual");
  EXPECT_EQ(reg["value"], "0x28828");
  EXPECT_EQ(field(reg, "FORMAT", "value"), "0xa");
  EXPECT_EQ(field(reg, "FORMAT", "value_name"), "COLOR_8_8_8_8");
  EXPECT_EQ(field(reg, "FORMAT", "default"), "none");
  EXPECT_EQ(field(reg, "COMP_SWAP", "value_name"), "SWAP_ALT");
  EXPECT_EQ((*find(reg["fields"], "FORMAT"))["high"], 6);
  EXPECT_EQ((*find(reg["fields"], "FORMAT"))["values"]["0"], "COLOR_INVALID");
  r = atoll("reg --gpu BONAIRE cb_color0_info 165928");
  EXPECT_NE(r.out.find("[6:2]    FORMAT = 10 (0xa) COLOR_8_8_8_8\n"), std::string::npos) << r.out;
}

TEST_F(Registers, RegByAddress) {
  auto r = atoll("reg --gpu r580 0x4e28");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(r.out.starts_with("RB3D_COLOROFFSET0  0x4e28  CB  RW  32 bits  r5xx: manual")) << r.out;
  auto alias = atoll("reg --gpu r580 0x2098 --json").lines();
  ASSERT_EQ(alias.size(), 1u);
  EXPECT_EQ(alias[0]["alias_of"], "VAP_VPORT_XSCALE");
  EXPECT_EQ(alias[0]["address"], "0x2098");
  auto views = atoll("reg --gpu r580 0x9804 --json").lines();
  ASSERT_EQ(views.size(), 3u);
  for (size_t i = 1; i < 3; i++) EXPECT_EQ(views[i]["view_of"], views[0]["name"]);
  EXPECT_EQ(atoll("reg --gpu r580 RB3D_COLOROFFSET --json").lines().size(), 4u);
  auto everywhere = atoll("reg CB_COLOR0_INFO --json").lines();  // two families have a register of that name
  ASSERT_EQ(everywhere.size(), 2u);
  EXPECT_EQ(everywhere[0]["family"], "sea_islands");
  EXPECT_EQ(everywhere[0]["address"], "0x28c70");
  EXPECT_EQ(everywhere[1]["family"], "gfx12");
  EXPECT_EQ(everywhere[1]["address"], "0x28ec0");
}

// Names, places and fields: Mesa 25.0.7 src/amd/registers/gfx12.json, which has 1,717 registers, and 16 words in gfx12-rsrc.json.
TEST_F(Registers, ThoseOfGfx12) {
  auto r = atoll("reg CB_COLOR0_BASE --gpu gfx1201");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("CB_COLOR0_BASE  0x28c60  CB  RW  32 bits  gfx12: Mesa 25.0.7 src/amd/registers/gfx12.json"))
      << r.out;
  EXPECT_EQ(atoll("reg --gpu gfx1200 --all --json").lines().size(), 1717u + 16);
  auto viewports = atoll("reg --gpu gfx1201 PA_CL_VPORT_XSCALE --json").lines();  // Mesa writes no index 0
  ASSERT_EQ(viewports.size(), 16u);
  EXPECT_EQ(viewports[0]["name"], "PA_CL_VPORT_XSCALE_0");
  auto info = atoll("reg --gpu gfx1201 VGT_SHADER_STAGES_EN 0x4000020 --json").lines();
  ASSERT_EQ(info.size(), 1u);
  EXPECT_EQ(info[0].contains("bits_without_field"), false) << info[0].dump();
}

// A packet that says of each value for which register it is: Mesa 25.0.7 src/amd/common/sid.h (SET_CONTEXT_REG_PAIRS).
TEST_F(Registers, PairsOfRegistersOfGfx12) {
  auto r = atoll("decode --gpu gfx1201 --json", bytes_of({packet3(0xb8, 4), 0x318, 0x1000, 0x2d3, 0x7f, packet3(0x9b, 2),
                                                          0x30000007, 0xffff, packet3(0xb8, 3), 0x318, 0x1001, 0x319}));
  ASSERT_EQ(r.status, 0) << r.err;
  auto packets = r.lines();
  ASSERT_EQ(packets.size(), 3u);
  EXPECT_EQ(packets[0]["packet"], "SET_CONTEXT_REG_PAIRS");
  ASSERT_EQ(packets[0]["registers"].size(), 2u);
  EXPECT_EQ(packets[0]["registers"][0]["name"], "CB_COLOR0_BASE");
  EXPECT_EQ(packets[0]["registers"][0]["value"], "0x1000");
  EXPECT_EQ(packets[0]["registers"][1]["address"], "0x28b4c");
  EXPECT_EQ(packets[1]["packet"], "SET_SH_REG_INDEX");
  EXPECT_EQ(packets[1]["registers"][0]["name"], "SPI_SHADER_PGM_RSRC4_PS");
  EXPECT_EQ(packets[1]["operands"][0]["fields"][1]["value_name"], "APPLY_KMD_CU_AND_MASK");
  EXPECT_EQ(packets[2]["registers"].size(), 1u) << "the last number has no value";
}

TEST_F(Registers, WhatIsWrongIsSaid) {
  auto r = atoll("reg --gpu bonaire CB_COLR0_INFO");
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(r.err.starts_with("atoll: reg: no register of sea_islands is called CB_COLR0_INFO: perhaps CB_COLOR0_INFO"))
      << r.err;
  r = atoll("reg --gpu r580 0x4e29");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("RB3D_COLOROFFSET0 at 0x4e28"), std::string::npos) << r.err;
  EXPECT_EQ(atoll("reg --gpu bonaire CB_COLOR0_INFO 0x100000000").status, 2);
  EXPECT_EQ(atoll("reg --gpu bonaire CB_COLOR0_INFO 12z").status, 2);
  EXPECT_EQ(atoll("reg --gpu voodoo CB_COLOR0_INFO").status, 2);
  EXPECT_EQ(atoll("reg --gpu bonaire").status, 2);
  EXPECT_EQ(atoll("reg --gpu bonaire CB_COLOR0_INFO --all").status, 2);
  r = atoll("enum --gpu dg1 ExecSiz");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("perhaps ExecSize"), std::string::npos) << r.err;
}

TEST_F(Registers, Enumerations) {
  auto r = atoll("enum --gpu dg1 ExecSize --json");
  ASSERT_EQ(r.status, 0) << r.err;
  auto e = r.lines()[0];
  EXPECT_EQ(e["name"], "ExecSize");
  EXPECT_EQ(e["bits"], 3);
  EXPECT_EQ(e["values"]["0"], "1 Channel (Scalar operation)");
  EXPECT_EQ(e["values"].size(), 6u);
  EXPECT_EQ(atoll("enum --gpu dg1 --all --json").lines().size(), 43u);
  EXPECT_NE(atoll("enum EU_OPCODE 0x58").out.find("88     dp4a"), std::string::npos);
  EXPECT_EQ(atoll("enum EU_OPCODE 3").status, 1);
  EXPECT_EQ(atoll("enum EU_OPCODE 128").status, 2);
  EXPECT_EQ(atoll("enum --gpu kabini PACKET3 0x2d --json").lines().at(0)["value_name"], "DRAW_INDEX_AUTO");
  EXPECT_EQ(atoll("enum --gpu rv515 packet3 0x35 --json").lines().at(0)["value_name"], "3D_DRAW_IMMD_2");
  auto predicate = atoll("enum PredCtrl 2").out;
  EXPECT_NE(predicate.find(".anyv (any from f0.0-f1.0 on the same channel)  (AccessMode is Align1)"), std::string::npos)
      << predicate;
  EXPECT_NE(predicate.find("Replication swizzle .x  (AccessMode is Align16)"), std::string::npos);
}

TEST_F(Registers, DecodesSeaIslands) {
  std::vector<uint32_t> stream = {
      packet3(0x28, 2),     0x80000000, 0x80000000,                    // CONTEXT_CONTROL
      packet3(0x69, 3),     0x31c,      0x00028028, 0x000001ce,        // CB_COLOR0_INFO, CB_COLOR0_ATTRIB
      packet3(0x76, 2),     0x148,      0x003fffff,                    // a persistent-state register
      packet3(0x79, 2),     0x10000242, 0x11,                          // VGT_PRIMITIVE_TYPE
      packet3(0x46, 1),     0x10,                                      // EVENT_WRITE
      packet3(0x2d, 2),     3,          2,                             // DRAW_INDEX_AUTO
      packet3(0x15, 4) | 2, 4,          0x100,      1,          0x45,  // DISPATCH_DIRECT on the compute side
      0xffff1000,           0x80000000};                               // padding
  write_text(folder.file("stream"), bytes_of(stream));
  auto r = atoll("decode --gpu bonaire --json " + folder.file("stream"));
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.status, 0);
  auto lines = r.lines();
  ASSERT_EQ(lines.size(), 9u);
  const char* names[] = {"CONTEXT_CONTROL", "SET_CONTEXT_REG", "SET_SH_REG", "SET_UCONFIG_REG", "EVENT_WRITE",
                         "DRAW_INDEX_AUTO", "DISPATCH_DIRECT", "NOP",        "PACKET2"};
  size_t offset = 0;
  for (size_t i = 0; i < 9; i++) {
    EXPECT_EQ(lines[i]["packet"], names[i]);
    EXPECT_EQ(lines[i]["offset"], offset);
    offset += 4 * lines[i]["words"].size();
  }
  EXPECT_EQ(offset, 4 * stream.size());
  auto info = lines[1]["registers"][0], attribute = lines[1]["registers"][1];
  EXPECT_EQ(info["name"], "CB_COLOR0_INFO");
  EXPECT_EQ(info["address"], "0x28c70");
  EXPECT_EQ(info["value"], "0x28028");
  EXPECT_EQ(field(info, "FORMAT", "value_name"), "COLOR_8_8_8_8");
  EXPECT_EQ(attribute["name"], "CB_COLOR0_ATTRIB");
  EXPECT_EQ(field(attribute, "TILE_MODE_INDEX", "value"), "0xe");
  EXPECT_EQ(lines[2]["registers"][0]["address"], "0xb520");
  EXPECT_EQ(lines[3]["registers"][0]["name"], "VGT_PRIMITIVE_TYPE");
  EXPECT_EQ(field(lines[3]["operands"][0], "INDEX", "value"), "0x1");
  EXPECT_EQ(lines[5]["operands"][0]["value"], "0x3");
  EXPECT_EQ(lines[6]["compute"], true);
  EXPECT_EQ(lines[7]["words"].size(), 1u);
  auto text = atoll("decode --gpu bonaire -", bytes_of(stream)).out;
  EXPECT_NE(text.find("0x00000c c0026900 SET_CONTEXT_REG\n    0x28c70 CB_COLOR0_INFO = 0x00028028\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n      FORMAT = 10 (0xa) COLOR_8_8_8_8\n"), std::string::npos) << text;
}

TEST_F(Registers, DecodesR5xx) {
  std::vector<uint32_t> stream = {packet0(0x43e0, 2),
                                  0,
                                  0x0003e03f,  // two scissor registers in a row
                                  packet0(0x4e28, 1),
                                  0,  // RB3D_COLOROFFSET0
                                  packet3(0x10, 1),
                                  0,  // NOP: the kernel's relocation
                                  packet0(0x2208, 4, true),
                                  1,
                                  2,
                                  3,
                                  4,  // a burst to one register
                                  packet3(0x35, 5),
                                  0x00030034,
                                  10,
                                  11,
                                  12,
                                  13,  // 3D_DRAW_IMMD_2
                                  0x80000000};
  auto r = atoll("decode --gpu r580 --json", bytes_of(stream));
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.status, 0);
  auto lines = r.lines();
  ASSERT_EQ(lines.size(), 6u);
  ASSERT_EQ(lines[0]["registers"].size(), 2u);
  EXPECT_EQ(lines[0]["packet"], "PACKET0");
  EXPECT_EQ(lines[0]["registers"][1]["address"], "0x43e4");
  EXPECT_EQ(lines[0]["registers"][1]["value"], "0x3e03f");
  EXPECT_EQ(lines[1]["registers"][0]["name"], "RB3D_COLOROFFSET0");
  EXPECT_EQ(lines[2]["packet"], "NOP");
  ASSERT_EQ(lines[3]["registers"].size(), 4u);
  for (size_t i = 0; i < 4; i++) {
    EXPECT_EQ(lines[3]["registers"][i]["address"], "0x2208");
    EXPECT_EQ(lines[3]["registers"][i]["value"], "0x" + std::to_string(i + 1));
  }
  EXPECT_EQ(lines[4]["packet"], "3D_DRAW_IMMD_2");
  EXPECT_EQ(lines[4]["operands"][0]["name"], "VAP_VF_CNTL");
  EXPECT_EQ(field(lines[4]["operands"][0], "NUM_VERTICES", "value"), "0x3");
  EXPECT_EQ(lines[5]["packet"], "PACKET2");
  std::string hex;
  for (auto word : stream) hex += fmt::format("{:08x}\n", word);
  EXPECT_EQ(atoll("decode --gpu r580 --json --hex", hex).out, r.out);
}

TEST_F(Registers, DecodeNamesWhatIsWrong) {
  // The packet is cut: what is there is printed, the rest named.
  auto r = atoll("decode --gpu bonaire --json", bytes_of({0x80000000, packet3(0x69, 3), 0x31c, 0x00028028}));
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "atoll: decode: standard input: at 0x4: 3 of 4 dwords are there: the stream is truncated\n");
  ASSERT_EQ(r.lines().size(), 2u);
  EXPECT_EQ(r.lines()[1]["truncated"], true);
  EXPECT_EQ(r.lines()[1]["registers"].size(), 1u);
  r = atoll("decode --gpu bonaire", bytes_of({0x80000000}) + "abc");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "atoll: decode: standard input: at 0x4: 3 bytes are left behind the last dword: the stream is truncated\n");
  r = atoll("decode --gpu r580", bytes_of({0x80000000, 0x40000000, 0x80000000}));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("at 0x4: 0x40000000 is the header of a type-1 packet"), std::string::npos) << r.err;
  // Unknown opcodes and registers are passed over, counted and named.
  r = atoll("decode --gpu bonaire --json",
            bytes_of({packet3(0xfe, 2), 1, 2, packet3(0xfe, 1), 1, packet3(0x69, 2), 0x3ff, 7, 0x80000000}));
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err,
            "atoll: decode: standard input: at 0x0: opcode 0xfe is unknown, 2 times\n"
            "atoll: decode: standard input: at 0x1c: register 0x28ffc is unknown\n");
  ASSERT_EQ(r.lines().size(), 4u);
  EXPECT_TRUE(r.lines()[0]["packet"].is_null());
  EXPECT_EQ(r.lines()[0]["opcode"], "0xfe");
  EXPECT_TRUE(r.lines()[2]["registers"][0]["name"].is_null());
  r = atoll("decode --gpu r580 --hex", "80000000\n80000000 8000000g\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "atoll: decode: standard input:2: '8000000g' is no hexadecimal dword\n");
  for (const char* text : {"1ffffffff", "0x", "0x100000000", "-1", "+1", "0x0x1"})
    EXPECT_EQ(atoll("decode --gpu r580 --hex", text).status, 1) << text;
  EXPECT_EQ(atoll("decode --gpu r580 --hex", "0x80000000,0X80000000\t80000000\r\n").out,
            "0x000000 80000000 PACKET2\n0x000004 80000000 PACKET2\n0x000008 80000000 PACKET2\n");
  EXPECT_EQ(atoll("decode --gpu bonaire " + folder.file("not-there")).status, 1);
  for (const char* call : {"decode", "decode --gpu dg1 --engine video", "decode --gpu none", "decode --gpu bonaire --ib x"})
    EXPECT_EQ(atoll(call).status, 2) << call;
  EXPECT_EQ(atoll("decode --gpu bonaire").status, 0);
}

TEST_F(Registers, DecodePrintsBatchesOfDg1) {
  // a call (to 0x100000), state, a write behind PIPE_CONTROL, an end
  const std::string inner = folder.file("inner.bin");
  std::ofstream(inner, std::ios::binary) << bytes_of({0x10000002, 0x2000, 0, 42, 0x05000000});
  const std::string batch =
      bytes_of({0x18c00101, 0x100000, 0, 0x69041302, 0x7a000004, 0x00104000, 0x3000, 0xffff8000, 7, 0, 0x05000000, 0xdeadbeef});
  auto r = atoll("decode --gpu dg1 --ib 0x100000=" + inner, batch);
  EXPECT_EQ(r.status, 0) << r.err;
  for (auto part : {"0x0000  18c00101 MI_BATCH_BUFFER_START, 3 dwords", "  0x100000  10000002 MI_STORE_DATA_IMM, 4 dwords",
                    "Immediate Data = 42", "PIPELINE_SELECT", "Pipeline Selection = 2", "GPGPU"})
    EXPECT_NE(r.out.find(part), std::string::npos) << part << "\n" << r.out;
  EXPECT_NE(r.out.find("Write Immediate Data"), std::string::npos) << r.out;
  r = atoll("decode --gpu dg1 --json --ib 0x100000=" + inner, batch);
  ASSERT_EQ(r.lines().size(), 6u) << "what is behind the end is not read";
  EXPECT_EQ(r.lines()[1]["command"], "MI_STORE_DATA_IMM");
  EXPECT_EQ(r.lines()[1]["fields"]["Immediate Data"], 42);
  EXPECT_EQ(r.lines()[4]["fields"]["Command Streamer Stall Enable"], 1);
  r = atoll("decode --gpu dg1", bytes_of({0, 0x7fff0000}));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("0x4: 0x7fff0000 begins no command of the render engine"), std::string::npos) << r.err;
  r = atoll("decode --gpu dg1 --engine blitter", bytes_of({0x53c00008, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(r.status, 1);
}

TEST_F(Registers, DecodeFollowsBuffers) {
  std::vector<uint32_t> inner = {packet3(0x2d, 2), 3, 2};
  write_text(folder.file("inner"), bytes_of(inner));
  std::vector<uint32_t> outer = {packet3(0x3f, 3), 0x00200000, 1, 3, 0x80000000};
  std::string buffer = " --ib 0x100200000=" + folder.file("inner");
  auto r = atoll("decode --gpu bonaire --json" + buffer, bytes_of(outer));
  EXPECT_EQ(r.status, 0) << r.err;
  ASSERT_EQ(r.lines().size(), 3u);
  EXPECT_EQ(r.lines()[0]["indirect_buffer"]["address"], "0x100200000");
  EXPECT_EQ(r.lines()[1]["packet"], "DRAW_INDEX_AUTO");
  EXPECT_EQ(r.lines()[1]["buffer"], folder.file("inner"));
  EXPECT_EQ(r.lines()[2]["packet"], "PACKET2");
  // Shorter than the packet says.
  outer[3] = 5;
  r = atoll("decode --gpu bonaire --json" + buffer, bytes_of(outer));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("the buffer has 5 dwords"), std::string::npos) << r.err;
  // A chain does not come back.
  outer[3] = 3 | 1 << 20;
  r = atoll("decode --gpu bonaire --json" + buffer, bytes_of(outer));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.lines().size(), 2u);
  // One that calls itself.
  outer[3] = 4;
  write_text(folder.file("inner"), bytes_of(outer));
  r = atoll("decode --gpu bonaire --json" + buffer, bytes_of(outer));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("inner: at 0x0: the buffer at 0x100200000 calls itself"), std::string::npos) << r.err;
  // R5xx: two registers start a buffer.
  write_text(folder.file("inner"), bytes_of({packet0(0x4e28, 1), 0x40}));
  r = atoll("decode --gpu rv515 --json --ib 0x1000=" + folder.file("inner"), bytes_of({packet0(0x738, 2), 0x1000, 2}));
  EXPECT_EQ(r.status, 0) << r.err;
  ASSERT_EQ(r.lines().size(), 2u);
  EXPECT_EQ(r.lines()[1]["registers"][0]["name"], "RB3D_COLOROFFSET0");
  // Two more start one from within a buffer.
  r = atoll("decode --gpu rv515 --json --ib 0x1000=" + folder.file("inner"), bytes_of({packet0(0x730, 2), 0x1000, 2}));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.lines().size(), 2u);
}

}  // namespace
}  // namespace Atoll
