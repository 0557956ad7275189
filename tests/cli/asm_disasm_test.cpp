// The atoll binary from outside: verbs asm and disasm, their batch modes, messages and exit statuses.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <string>

#include "base/files.h"
#include "codeobject/compiled_object.h"
#include "codeobject/intel_containers.h"

namespace Atoll {
namespace {

struct Result {
  int status = 0;
  std::string out, err;
};

struct Assembling : testing::Test {
  TemporaryFolder folder;

  std::string get(const std::string& name) {
    auto bytes = read_file(folder.file(name));
    return bytes ? std::string(bytes->begin(), bytes->end()) : "(none)";
  }

  // Runs atoll with these arguments and this standard input.
  Result atoll(const std::string& arguments, const std::string& input = "") {
    write_text(folder.file("in"), input);
    std::string command = std::string(ATOLL_BINARY) + " " + arguments + " <" + folder.file("in") + " >" + folder.file("out") +
                          " 2>" + folder.file("err");
    int status = std::system(command.c_str());
    return {WEXITSTATUS(status), get("out"), get("err")};
  }
};

TEST_F(Assembling, BatchAnswersLineByLine) {
  auto r = atoll("asm --isa gfx1200 --batch", "v_add_f32 v1, v2, v3\n\nnonsense v0\nlabel:\n.text\ns_branch somewhere\ns_endpgm");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(
      r.out,
      "02070206\n\n! unknown instruction 'nonsense'\n! labels cannot be assembled here\n! directives cannot be assembled here: "
      ".text\n"
      "! a branch needs a number of dwords, as labels cannot be resolved here: expected a number at 'somewhere'\n0000b0bf\n");
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(atoll("asm --isa gfx1201 --batch", "s_endpgm\n").status, 0);
}

TEST_F(Assembling, BatchDisassembles) {
  auto r = atoll("disasm -mcpu=GFX1200 --batch",
                 "02070206\n0x00,0x00,0xb0,0xbf\n\n00 00 b0 bf\n0000b0bf0000b0bf\nffffffff\n0000b0\n0g\n123\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out,
            "v_add_f32_e32 v1, v2, v3\ns_endpgm\n\ns_endpgm\n! 4 bytes are left behind an instruction of 4\n"
            "! no instruction format begins with 0xffffffff\n! an instruction takes at least 4 bytes; 3 are left\n"
            "! an odd number of hex digits: '0'\n! an odd number of hex digits: '123'\n");
}

// Disassembled text assembles to the same words. The halves of a VOPD may read the same VGPR (RDNA4 ISA 7.8), which LLVM 19
// refuses and LLVM 22 takes; LLVM 19 prints the lower 16 bits of V_FMA_MIX's f32 literals. Words that no assembler makes are
// `.long`.
TEST_F(Assembling, WhatIsDisassembledAssembles) {
  const std::string words =
      "071100c807130403\n000020cc01ff09043333333b\n000020cc01ff09040000803f\n000020cc01ff091433330000\nff70c0616a5d8246\nfcc02187"
      "\n";
  auto r = atoll("disasm --isa gfx1201 --batch", words);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out,
            "v_dual_fmac_f32 v3, v7, v8 :: v_dual_fmac_f32 v4, v7, v9\nv_fma_mix_f32 v0, v1, 0x3b333333, v2\n"
            "v_fma_mix_f32 v0, v1, 0x3f800000, v2\nv_fma_mix_f32 v0, v1, 0x3333, v2 op_sel_hi:[0,1,0]\n"
            ".long 0x61c070ff, 0x46825d6a // v_min_num_f16_e32 v96.h, 0x5d6a, v56; its text stands for other words\n"
            ".long 0x8721c0fc // s_lshl1_add_u32 s33, src_execz, 64; this GPU has no src_execz\n");
  r = atoll("asm --isa gfx1201 --batch", r.out);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, words);
  EXPECT_EQ(atoll("asm --isa gfx1201 --batch", "v_dual_fmac_f32 v3, v7, v8 :: v_dual_fmac_f32 v4, v11, v9\n").out,
            "! the two sources 0 of a VOPD must be the same VGPR or in different banks (number modulo 4)\n");
  r = atoll("disasm --isa xe-lp --batch", "00a3170ffb76dc37c1eaaac499239549\n");
  EXPECT_EQ(atoll("asm --isa xe-lp --batch", r.out).out, "00a3170ffb76dc37c1eaaac499239549\n") << r.out;
}

TEST_F(Assembling, WaveDecidesMasks) {
  EXPECT_EQ(atoll("asm --isa gfx1200 --wave 64 --batch", "v_cmp_lt_f32 vcc, v1, v2\n").status, 0);
  EXPECT_EQ(atoll("asm --isa gfx1200 --wave 32 --batch", "v_cmp_lt_f32 vcc, v1, v2\n").status, 1);
  EXPECT_EQ(atoll("disasm --mcpu gfx1200 --wave 64 --batch", "0105227c\n").out, "v_cmp_lt_f32_e32 vcc, v1, v2\n");
  EXPECT_EQ(atoll("disasm --mcpu gfx1200 --batch", "0105227c\n").out, "v_cmp_lt_f32_e32 vcc_lo, v1, v2\n");
}

TEST_F(Assembling, FilesRoundTripAndLabelsResolve) {
  std::string text =
      "start:\n  s_mov_b32 s0, 3 // three\nloop: s_sub_co_i32 s0, s0, 1\n  s_cmp_lg_u32 s0, 0 ; until none\n  s_cbranch_scc1 "
      "loop\n  s_branch end\nend:\n  s_endpgm\n";
  write_text(folder.file("k.s"), text);
  auto r = atoll("asm --isa gfx1200 " + folder.file("k.s") + " -o " + folder.file("k.bin"));
  ASSERT_EQ(r.status, 0) << r.err;
  r = atoll("disasm --isa gfx1200 " + folder.file("k.bin"));
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "s_mov_b32 s0, 3\ns_sub_co_i32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 65533\ns_branch 0\ns_endpgm\n");
  std::string again = r.out;
  write_text(folder.file("again.s"), again);
  ASSERT_EQ(atoll("asm --isa gfx1200 " + folder.file("again.s") + " -o " + folder.file("again.bin")).status, 0);
  EXPECT_EQ(get("again.bin"), get("k.bin"));
  EXPECT_EQ(atoll("asm --isa gfx1200 --hex", "s_endpgm\nv_add_f32 v1, v2, v3\n").out, "0000b0bf\n02070206\n");
}

TEST_F(Assembling, ErrorsNameTheLineAndLeaveNothing) {
  write_text(folder.file("bad.s"), "s_endpgm\n\nv_foo v1\ns_branch nowhere\n");
  auto r = atoll("asm --isa gfx1200 " + folder.file("bad.s") + " -o " + folder.file("bad.bin"));
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "atoll: asm: " + folder.file("bad.s") + ":3: unknown instruction 'v_foo'\natoll: asm: " +
                       folder.file("bad.s") + ":4: there is no label nowhere\n");
  EXPECT_EQ(get("bad.bin"), "(none)");
  r = atoll("disasm --isa gfx1200", std::string("\xff\xff\xff\xff\x00\x00\xb0\xbf", 8));
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, ".long 0xffffffff // no instruction format begins with 0xffffffff\ns_endpgm\n");
  EXPECT_EQ(r.err, "atoll: disasm: standard input: at 0x0: no instruction format begins with 0xffffffff\n");
}

// Found by the decoder's fuzzer: the stack overflowed.
TEST_F(Assembling, ListsInListsWithoutAnEnd) {
  for (const char* isa : {"gfx1201", "gfx7"}) {
    auto r = atoll(fmt::format("asm --isa {} --batch", isa),
                   "v_mov_b32 v0, " + std::string(300000, '[') + "\nv_add_f64 v[0:1], [[v2,v3]], v[4:5]\n");
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_TRUE(r.out.starts_with("! register lists more than 4 deep")) << r.out;
    EXPECT_EQ(r.out.find('!', 1), std::string::npos) << r.out;
  }
}

TEST_F(Assembling, WrongCallsAreStatus2) {
  for (const char* call : {"asm", "disasm", "asm --isa gfx900", "asm --isa gfx7 --wave 32", "asm --isa gfx1200 --wave 16",
                           "asm --isa gfx1200 --nonsense", "asm --isa gfx1200 --batch -o x", "disasm --isa dg1 --wave 64",
                           "disasm --isa r500-vs --wave 64", "asm --isa r500-fs --wave 64"}) {
    auto r = atoll(call);
    EXPECT_EQ(r.status, 2) << call;
    EXPECT_TRUE(r.err.starts_with("atoll: ")) << call << ": " << r.err;
  }
  EXPECT_EQ(atoll("disasm --isa gfx1200 " + folder.file("not-there")).status, 1);
}

TEST_F(Assembling, SeaIslandsUnderAllItsNames) {
  for (const char* name :
       {"gfx7", "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705", "bonaire", "Hawaii", "kaveri", "KABINI"}) {
    auto r = atoll(std::string("asm --isa ") + name + " --batch",
                   "v_add_f32 v1, v2, v3\n\nv_add_co_u32 v0, vcc, v1, v2\ns_waitcnt vmcnt(0)\n");
    EXPECT_EQ(r.status, 1) << name;
    EXPECT_EQ(r.out, "02070206\n\n! unknown instruction 'v_add_co_u32'\n700f8cbf\n") << name;
    r = atoll(std::string("disasm --mcpu=") + name + " --batch", "01054a4a\n02070206\n700f8cbf\n04803ce001000004\nff0300be\n");
    EXPECT_EQ(r.status, 1) << name;
    EXPECT_EQ(r.out,
              "v_add_i32_e32 v37, vcc, v1, v2\nv_add_f32_e32 v1, v2, v3\ns_waitcnt vmcnt(0)\n"
              "buffer_load_dwordx3 v[0:2], v[1:2], s[0:3], s4 addr64 offset:4\n! unknown SOPK opcode 28\n")
        << name;
  }
}

TEST_F(Assembling, SeaIslandsFilesAndObjects) {
  auto r = atoll("asm --isa bonaire --hex",
                 "start:\n  s_cbranch_scc0 end\n  v_mov_b32 v0, 0x12345\n  s_branch start // back\nend:\n  s_endpgm\n");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "030084bf\nff02007e45230100\nfcff82bf\n000081bf\n");
  std::string object = folder.file("k.co");
  compile_to(object, "kernel void one(global int* p) { *p = 1; }\n", "bonaire", "-O2");
  r = atoll("disasm " + object);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("one:\n")) << r.out;
  EXPECT_NE(r.out.find("flat_store_dword v["), std::string::npos) << r.out;
  EXPECT_EQ(atoll("disasm --isa bonaire " + object).status, 0);
  EXPECT_EQ(atoll("disasm --isa gfx1200 " + object).status, 1);
  // Functions that kernels call stand behind them.
  compile_to(
      object,
      "__attribute__((noinline)) int twice(int x) { return 2 * x + 1; }\nkernel void one(global int* p) { *p = twice(*p); }\n",
      "bonaire", "-O2");
  r = atoll("disasm " + object);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("one:\n")) << r.out;
  EXPECT_NE(r.out.find("\n\ntwice:\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("s_setpc_b64", r.out.find("twice:")), std::string::npos) << r.out;
  EXPECT_EQ(atoll("disasm --kernel one " + object).out.find("twice"), std::string::npos);
}

// Words recorded from Mesa's r300g, in bytes.
TEST_F(Assembling, WhatTextCannotSayIsWords) {
  // An export with a VSRC that it does not read, as Mesa's ACO leaves it.
  auto r = atoll("asm --isa gfx7", "start: .long 0xf8001801, 0x102 // anything\n.long 3212836864 ; s_nop 0\ns_branch start\n");
  ASSERT_EQ(r.status, 0) << r.err;
  std::string bytes = r.out;
  EXPECT_EQ(bytes.size(), 16u);
  r = atoll("disasm --isa gfx7 -", bytes);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.out,
            "exp mrt0 v2, off, off, off done vm // .long 0xf8001801, 0x00000102; exp: a VSRC that EN leaves out must be zero\n"
            "s_nop 0\ns_branch 65532\n");
  r = atoll("disasm --isa gfx7 --exact -", bytes);
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.out,
            ".long 0xf8001801, 0x00000102 // exp mrt0 v2, off, off, off done vm; exp: a VSRC that EN leaves out must be zero\n"
            "s_nop 0\ns_branch 65532\n");
  EXPECT_EQ(atoll("asm --isa gfx7", r.out).out, bytes);
  r = atoll("disasm --isa gfx7 --batch", "0118 00f8 02010000\n");
  EXPECT_EQ(r.out, "! exp: a VSRC that EN leaves out must be zero\n");
  r = atoll("asm --isa gfx7", ".long 1,\n.long 0x100000000\n.long x\n.long\n.long -1\n.longer 1\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err,
            "atoll: asm: standard input:1: .long takes numbers of 32 bits, not ''\n"
            "atoll: asm: standard input:2: .long takes numbers of 32 bits, not '0x100000000'\n"
            "atoll: asm: standard input:3: .long takes numbers of 32 bits, not 'x'\n"
            "atoll: asm: standard input:4: .long takes numbers of 32 bits, not ''\n"
            "atoll: asm: standard input:5: .long takes numbers of 32 bits, not '-1'\n"
            "atoll: asm: standard input:6: directives cannot be assembled here: .longer\n");
}

// The words and the text are the Intel Graphics Assembler's.
TEST_F(Assembling, XeLp) {
  auto r = atoll("asm --isa xe-lp --batch",
                 "add (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n\nfrob (8|M0) r1:f\n jmpi L0 // a comment\nnop\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out,
            "40000300a00a05010502460a05034600\n\n! 'frob' is no instruction of Xe-LP\n"
            "! L0: labels are for whole programs; a number counts bytes from here\n60000000000000000000000000000000\n");
  r = atoll("disasm --isa DG1 --batch",
            "40000300a00a05010502460a05034600\n4000012000020003\n40\n02000000000000000000000000000000\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out,
            "        add (8|M0)               r1.0<1>:f     r2.0<8;8,1>:f     r3.0<8;8,1>:f   \n"
            "        add (16|M0)              r1.0<1>:f     r2.0<8;8,1>:f     r3.0<8;8,1>:f    {Compacted}\n"
            "! an instruction takes 8 or 16 bytes; fewer are left\n! the opcode is reserved\n");
  // Labels, before and behind, among instructions of both sizes.
  r = atoll("asm --isa xe-lp --hex",
            "add (16|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {Compacted}\nL8: nop\n(f0.0) if (8|M0) ELSE END\n"
            "ELSE: else (8|M0) END END\nEND:\n  while (8|M0) L8\n");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out,
            "4000012000020003\n60000000000000000000000000000000\n2200030100c000002000000010000000\n"
            "2400030000c000001000000010000000\n270003000040000000000000d0ffffff\n");
  r = atoll("asm --isa xe-lp", "nop\n while (8|M0) NOWHERE\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "atoll: asm: standard input:2: there is no label NOWHERE\n");
}

// Kernels of Intel's device binaries, from both containers.
TEST_F(Assembling, IntelDeviceBinaries) {
  using namespace intel::test;
  std::vector<uint8_t> code;  // nop, a compacted add, an end of thread; then zeros
  for (uint32_t word : {0x60u, 0u, 0u, 0u, 0x20010040u, 0x03000200u})
    for (int byte = 0; byte < 4; byte++) code.push_back(uint8_t(word >> 8 * byte));
  std::vector<uint8_t> padded = code;
  padded.resize(128);
  const std::string info =
      "kernels:\n  - name: first\n    execution_env:\n      simd_size: 16\n  - name: second\n    execution_env:\n      "
      "simd_size: 16\n";
  const ElfPart parts[] = {{.name = ".text.first", .flags = 2, .bytes = padded},
                           {.name = ".text.second", .flags = 2, .bytes = code},
                           {.name = ".ze_info", .type = ZE_INFO, .bytes = bytes_of(info)}};
  const std::string text =
      "        nop                    \n"
      "        add (16|M0)              r1.0<1>:f     r2.0<8;8,1>:f     r3.0<8;8,1>:f    {Compacted}\n";
  const std::string file = folder.file("zebin.bin");
  ASSERT_TRUE(write_file(file, zebin(parts)));
  auto r = atoll("disasm " + file);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "first:\n" + text + "\nsecond:\n" + text);
  r = atoll("disasm --isa dg1 --kernel second " + file);
  EXPECT_EQ(r.out, "second:\n" + text);
  r = atoll("disasm --kernel third " + file);
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "atoll: disasm: no kernel 'third' in " + file + ": it has first, second\n");
  r = atoll("disasm --isa gfx7 " + file);
  EXPECT_EQ(r.err, "atoll: disasm: " + file + " is for an Intel GPU, not for --isa gfx7\n");
  const std::vector<uint8_t> environment = token(23, {0, 0, 0, 16, 0, 0});  // EXECUTION_ENVIRONMENT: SIMD16
  const TokenKernel k{.name = "third", .code = padded, .dynamic_heap = {}, .surface_heap = {}, .tokens = environment};
  ASSERT_TRUE(write_file(folder.file("tokens.bin"), patch_tokens({}, std::span(&k, 1))));
  r = atoll("disasm " + folder.file("tokens.bin"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "third:\n" + text);
}

TEST_F(Assembling, R500VertexShaders) {
  std::string hex = "0302f0000100d1000180240101802401";
  auto r = atoll("disasm --isa r500-vs --batch", hex + "\n\n00\n" + hex + "00\n3d000000000000000000000000000000\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(
      r.out,
      "mov o0.xyzw, i0.xyzw\n\n! an instruction takes 16 bytes; 1 are left\n! 1 bytes are left behind an instruction of 16\n"
      "! OPCODE: a reserved operation\n");
  r = atoll("asm --isa R500-VS --batch", "mov o0.xyzw, i0.xyzw // a comment\n\nfrob t0, t1\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, hex + "\n\n! column 5: 'frob' is no operation\n");
  r = atoll("asm --isa r500-vs -o " + folder.file("code"), "mov o0.xyzw, i0.xyzw\n  (p) rcp.sat t1.w, c[a0.y+7].x ; one\n");
  EXPECT_EQ(r.status, 0) << r.err;
  r = atoll("disasm --isa r500-vs " + folder.file("code"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "mov o0.xyzw, i0.xyzw\n(p) rcp.sat t1.w, c[a0.y+7].x\n");
  r = atoll("disasm --isa r500-vs", std::string(1, '\x3d') + std::string(31, '\0') + "12");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("\nnop\n"), std::string::npos) << r.out;
  EXPECT_NE(r.err.find("an instruction takes 16 bytes; 2 are left"), std::string::npos) << r.err;
}

// Words recorded from Mesa's r300g, in bytes.
TEST_F(Assembling, R500PixelShaders) {
  std::string hex =
      "058007000000020800000208"
      "2002db0000c0c00000004920";
  std::string text = "mad o0.rgb, t0.xyz, 1, 0 | mad o0.a, t0.w, 1, 0 @tex_sem_wait";
  std::string reserved = "000000000000000000000000000000000000000006000000";
  auto r = atoll("disasm --isa r500-fs --batch", hex + "\n\n00\n" + hex + "00\n" + reserved + "\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, text +
                       "\n\n! an instruction takes 24 bytes; 1 are left\n! 1 bytes are left behind an instruction of 24\n"
                       "! US_ALU_RGBA_INST.RGB_OP: a reserved operation\n");
  r = atoll("asm --isa R500-FS --batch", text + " // a comment\n\nmul t0.r, t1, t2\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, hex + "\n\n! column 4: 'mul' is no operation\n");
  // A file: labels are numbers of instructions.
  std::string loop =
      "start: loop behind @int_addr=2\n(p.r) ld t0.rgba, tex1, t2 ; lookup\n  endloop start @jump_any\nbehind:\n" + text + "\n";
  r = atoll("asm --isa r500-fs -o " + folder.file("code"), loop);
  EXPECT_EQ(r.status, 0) << r.err;
  r = atoll("disasm --isa r500-fs " + folder.file("code"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "loop 3 @int_addr=2\n(p.r) ld t0.rgba, tex1.xyzw, t2.xyzw\nendloop 0 @jump_any\n" + text + "\n");
  r = atoll("asm --isa r500-fs --hex", "nop\njump nowhere\n");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("standard input:2: there is no label nowhere"), std::string::npos) << r.err;
  std::string far;
  for (int n = 0; n < 512; n++) far += "jump behind\n";
  EXPECT_NE(atoll("asm --isa r500-fs", far + "behind:").err.find("512 instructions"), std::string::npos);
  r = atoll("disasm --isa r500-fs", std::string(20, '\0') + "\6" + std::string(3, '\0') + std::string(24, '\0') + "123");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("0x00000006 // US_ALU_RGBA_INST.RGB_OP"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("\n{t0, t0, t0 | t0, t0, t0} nop | nop\n"), std::string::npos) << r.out;
  EXPECT_NE(r.err.find("an instruction takes 24 bytes; 3 are left"), std::string::npos) << r.err;
}

TEST_F(Assembling, CodeObjectsGiveTheirKernels) {
  std::string object = folder.file("k.co");
  compile_to(object, "kernel void one(global int* p) { *p = 1; }\nkernel void two(global int* p) { *p = 2; }\n", "gfx1201",
             "-O2");
  auto r = atoll("disasm " + object);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("one:\n")) << r.out;
  EXPECT_NE(r.out.find("\n\ntwo:\n"), std::string::npos);
  EXPECT_NE(r.out.find("global_store_b32 "), std::string::npos);
  r = atoll("disasm --isa gfx1201 --kernel two " + object);
  EXPECT_TRUE(r.out.starts_with("two:\n"));
  EXPECT_EQ(atoll("disasm --kernel three " + object).status, 1);
  EXPECT_EQ(atoll("disasm --isa gfx1200 " + object).status, 1);
}

}  // namespace
}  // namespace Atoll
