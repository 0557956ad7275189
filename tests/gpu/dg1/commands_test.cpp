// Batches without a driver: registers and their arithmetic, memory, predication, other batches, faults.
#include "batch.h"
#include "isa/xe_lp/program.h"
#include "registers/dg1_mmio.h"

namespace Atoll::dg1 {
namespace {

constexpr uint32_t gpr(unsigned n) { return 0x2600 + n * 8; }
constexpr uint32_t alu(uint32_t op, uint32_t one = 0, uint32_t two = 0) { return op << 20 | one << 10 | two; }
constexpr uint32_t LOAD = 0x80, LOADINV = 0x480, LOAD0 = 0x81, LOAD1 = 0x481, ADD = 0x100, SUB = 0x101, AND = 0x102, XOR = 0x104,
                   STORE = 0x180, STOREINV = 0x580, SRCA = 0x20, SRCB = 0x21, ACCU = 0x31, ZF = 0x32, CF = 0x33;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(Commands, RegistersAndMemory) {
  data(10) = 77;
  Batch b;
  b.load(gpr(3), 0x1122'3344'5566'7788).store_register(gpr(3), data_at).store_register(gpr(3) + 4, data_at + 4);
  b.add({0x15000001, gpr(3), gpr(5)}).store_register(gpr(5), data_at + 8);       // register to register
  b.add({0x14800002, gpr(6), uint32_t(data_at + 40), uint32_t(data_at >> 32)});  // memory to register
  b.store_register(gpr(6), data_at + 12);
  b.add({0x17000003, uint32_t(data_at + 16), uint32_t(data_at >> 32), uint32_t(data_at + 40), uint32_t(data_at >> 32)});
  b.store(data_at + 20, 5);
  b.add({0x10200003, uint32_t(data_at + 24), uint32_t(data_at >> 32), 6, 7});  // 8 bytes
  b.add({0x10000003, uint32_t(data_at + 64), uint32_t(data_at >> 32), 8, 9});  // 8 bytes by the length alone
  b.add({0x10200007, uint32_t(data_at + 72), uint32_t(data_at >> 32), 10, 11, 12, 13, 14, 15});
  b.end_batch();
  EXPECT_EQ(run(b), "");
  EXPECT_EQ(data(0), 0x55667788u);
  EXPECT_EQ(data(1), 0x11223344u);
  EXPECT_EQ(data(2), 0x55667788u);
  EXPECT_EQ(data(3), 77u);
  EXPECT_EQ(data(4), 77u);
  EXPECT_EQ(data(5), 5u);
  EXPECT_EQ(data(6), 6u);
  EXPECT_EQ(data(7), 7u);
  EXPECT_EQ(data(16), 8u);
  for (unsigned n = 17; n < 24; n++) EXPECT_EQ(data(n), n - 8) << n;
  // registers are the context's: a later batch finds them
  EXPECT_EQ(run(Batch().store_register(gpr(6), data_at + 60).end_batch()), "");
  EXPECT_EQ(data(15), 77u);
}

TEST_F(Commands, ArithmeticOf64Bits) {
  Batch b;
  b.load(gpr(0), 0xffff'ffff'ffff'fff0).load(gpr(1), 0x20);
  auto step = [&](uint32_t op, unsigned to) {
    b.add({0x0d000004, alu(LOAD, SRCA, 0), alu(LOAD, SRCB, 1), alu(op), alu(STORE, to, ACCU), alu(STORE, to + 1, CF)});
  };
  step(ADD, 2), step(SUB, 4), step(AND, 6), step(XOR, 8);
  b.add({0x0d000005, alu(LOAD0, SRCA), alu(LOADINV, SRCB, 1), alu(AND), alu(STORE, 10, ZF), alu(STOREINV, 11, ACCU),
         alu(LOAD1, SRCA)});
  for (unsigned i = 0; i < 10; ++i)
    b.store_register(gpr(i + 2), data_at + i * 8).store_register(gpr(i + 2) + 4, data_at + i * 8 + 4);
  b.end_batch();
  EXPECT_EQ(run(b), "");
  auto value = [&](unsigned n) { return data(n * 2) | uint64_t(data(n * 2 + 1)) << 32; };
  EXPECT_EQ(value(0), 0x10u);
  EXPECT_EQ(value(1), ~uint64_t(0)) << "carry";
  EXPECT_EQ(value(2), 0xffff'ffff'ffff'ffd0);
  EXPECT_EQ(value(3), 0u) << "no borrow";
  EXPECT_EQ(value(4), 0x20u);
  EXPECT_EQ(value(6), 0xffff'ffff'ffff'ffd0);
  EXPECT_EQ(value(8), ~uint64_t(0)) << "zero";
  EXPECT_EQ(value(9), ~uint64_t(0));
  EXPECT_TRUE(has(run(Batch().add({0x0d000000, alu(0x7ff)}).end_batch()), "ALU instruction 0x7ff00000 does not exist"));
}

TEST_F(Commands, PredicatesDecideWhatIsDone) {
  Batch b;
  b.load(0x2400, 5).load(0x2408, 5);
  b.add({0x06000000 | 2 << 6 | 2});  // load: sources equal
  b.load(gpr(0), 1).add({0x12000002 | 1 << 21, gpr(0), uint32_t(data_at), uint32_t(data_at >> 32)});
  b.add({0x06000000 | 3 << 6 | 2});  // its contrary
  b.add({0x12000002 | 1 << 21, gpr(0), uint32_t(data_at + 4), uint32_t(data_at >> 32)});
  b.add({0x06000000 | 2 << 6 | 2 << 3 | 0});  // or true
  b.add({0x12000002 | 1 << 21, gpr(0), uint32_t(data_at + 8), uint32_t(data_at >> 32)});
  b.add({0x00800000 | 4}).store(data_at + 12, 9).add({0x00800000});  // pass over while set
  b.end_batch();
  EXPECT_EQ(run(b), "");
  EXPECT_EQ(data(0), 1u);
  EXPECT_EQ(data(1), 0u);
  EXPECT_EQ(data(2), 1u);
  EXPECT_EQ(data(3), 0u);
}

TEST_F(Commands, BatchesCallAndChain) {
  write(more_at, Batch().store(data_at, 1).end_batch());
  write(more_at + 4096, Batch().store(data_at + 4, 2).end_batch());
  Batch b;
  b.add({0x18800001 | 1 << 8 | 1 << 22, uint32_t(more_at), 0});  // and comes back
  b.store(data_at + 8, 3);
  b.add({0x18800001 | 1 << 8, uint32_t(more_at + 4096), 0});  // for good
  b.store(data_at + 12, 4).end_batch();
  EXPECT_EQ(run(b), "");
  EXPECT_EQ(data(0), 1u);
  EXPECT_EQ(data(1), 2u);
  EXPECT_EQ(data(2), 3u);
  EXPECT_EQ(data(3), 0u);
}

TEST_F(Commands, ABatchMayWriteWhatFollowsInItself) {
  Batch b;
  const uint64_t patched = batch_at + 4 * 4 + 3 * 4;  // the value of the store behind this one
  b.store(patched, 42).store(data_at, 1).end_batch();
  EXPECT_EQ(run(b), "");
  EXPECT_EQ(data(0), 42u);
}

TEST_F(Commands, AtomicsOnMemory) {
  data(0) = 10, data(2) = 5, data(4) = 7;
  auto atomic = [](uint32_t op, uint64_t at, bool inline_data) {
    return std::vector<uint32_t>{0x17800000 | op << 8 | 1 << 16 | (inline_data ? 1u << 18 | 9 : 1), uint32_t(at),
                                 uint32_t(at >> 32)};
  };
  Batch b;
  auto with = [&](uint32_t op, uint64_t at, uint32_t one, uint32_t two) {
    auto words = atomic(op, at, true);
    words.insert(words.end(), {one, two, 0, 0, 0, 0, 0, 0});
    b.insert(b.end(), words.begin(), words.end());
  };
  with(7, data_at, 3, 0);
  b.store_register(gpr(0), data_at + 4);
  with(14, data_at + 8, 5, 99);
  b.load(gpr(0), 0x100).load(gpr(1), 0);
  auto increment = atomic(0x27, data_at + 16, false);  // 8 bytes, by R0
  b.insert(b.end(), increment.begin(), increment.end());
  b.end_batch();
  EXPECT_EQ(run(b), "");
  EXPECT_EQ(data(0), 13u);
  EXPECT_EQ(data(1), 10u);
  EXPECT_EQ(data(2), 99u);
  EXPECT_EQ(data(4), 0x107u);
}

TEST_F(Commands, PipeControlWritesBehindItself) {
  Batch b;
  b.add<commands::PIPE_CONTROL>([&](uint32_t* w) {
    commands::PIPE_CONTROL::Address::set(w, data_at);
    commands::PIPE_CONTROL::Post_Sync_Operation::set(w, commands::PIPE_CONTROL::Post_Sync_Operation::Write_Immediate_Data);
    commands::PIPE_CONTROL::Immediate_Data::set(w, 0x1234'5678'9abc'def0);
  });
  for (int i = 1; i <= 2; ++i)
    b.add<commands::PIPE_CONTROL>([&](uint32_t* w) {
      commands::PIPE_CONTROL::Address::set(w, data_at + uint64_t(i) * 8);
      commands::PIPE_CONTROL::Post_Sync_Operation::set(w, commands::PIPE_CONTROL::Post_Sync_Operation::Write_Timestamp);
    });
  b.end_batch();
  EXPECT_EQ(run(b), "");
  EXPECT_EQ(data(0), 0x9abcdef0u);
  EXPECT_EQ(data(1), 0x12345678u);
  EXPECT_LT(data(2), data(4)) << "time goes on";
}

// The counts written behind the command are those from before it.
TEST_F(Commands, CountersBeginAnew) {
  constexpr uint32_t counters[] = {mmio::ia_vertices,    mmio::ia_primitives,  mmio::vs_invocations, mmio::hs_invocations,
                                   mmio::ds_invocations, mmio::gs_invocations, mmio::gs_primitives,  mmio::cl_invocations,
                                   mmio::cl_primitives,  mmio::ps_invocations, mmio::cs_invocations, mmio::ps_depth_count};
  using P = commands::PIPE_CONTROL;
  for (const bool resets : {false, true}) {
    Batch b;
    for (const uint32_t counter : counters) b.load(counter, uint64_t(3) << 32 | counter);
    b.add<P>([&](uint32_t* w) {
      P::Address::set(w, data_at), P::Post_Sync_Operation::set(w, P::Post_Sync_Operation::Write_PS_Depth_Count);
      P::Global_Snapshot_Count_Reset::set(w, resets);
    });
    for (unsigned n = 0; n < 24; n++) b.store_register(counters[n / 2] + n % 2 * 4, data_at + 16 + n * 4);
    EXPECT_EQ(run(b.end_batch()), "");
    EXPECT_EQ(data(0), mmio::ps_depth_count);
    EXPECT_EQ(data(1), 3u);
    for (unsigned n = 0; n < 24; n++) EXPECT_EQ(data(4 + n), resets ? 0 : n % 2 ? 3 : counters[n / 2]) << n;
  }
}

TEST_F(Commands, SemaphoresWaitUntilTheyHold) {
  data(0) = 5;
  auto wait = [&](uint32_t compare, uint32_t value) {
    return Batch().add({0x0e000002 | 1 << 15 | compare << 12, value, uint32_t(data_at), uint32_t(data_at >> 32)}).end_batch();
  };
  EXPECT_EQ(run(wait(4, 5)), "");
  EXPECT_EQ(run(wait(1, 5)), "");
  gpu::Options options;
  options.max_still_seconds = 0.05;
  open(options);
  EXPECT_TRUE(has(run(wait(4, 6)), "nothing moved for 0.05 s")) << queue->statistics().submissions;
}

// Mesa 25 starts the invalidation of auxiliary tables and polls the register until it is done.
TEST_F(Commands, InvalidationsOfAuxiliaryTablesAreDoneAtOnce) {
  constexpr uint32_t polls_register = 1 << 16, equal = 4 << 12;
  for (uint32_t start : {0x4208u, 0x4248u, 0x42c8u}) {
    Batch b;
    b.add({0x11000001, start, 1}).add({0x0e000002 | 1 << 15 | polls_register | equal, 0, start, 0}).store(data_at, start);
    EXPECT_EQ(run(b.end_batch()), "");
    EXPECT_EQ(data(0), start);
  }
}

TEST_F(Commands, WhatIsUnknownEndsTheContextByName) {
  std::string why = run(Batch().add({0}).add({0x7fff0000}).end_batch());
  EXPECT_TRUE(has(why, "batch at 0xffffffe00004: dword 0x7fff0000 begins no command of the render engine")) << why;
  EXPECT_TRUE(has(run(Batch().end_batch()), "the context is lost"));
  open({});
  EXPECT_TRUE(has(run(Batch().add<commands::MEDIA_OBJECT>([](uint32_t*) {}).end_batch()),
                  "MEDIA_OBJECT at 0xffffffe00000: this command is not executed yet"));
  open({});
  auto triangle = [](uint32_t* w) {
    commands::_3DPRIMITIVE::Vertex_Count_Per_Instance::set(w, 3), commands::_3DPRIMITIVE::Instance_Count::set(w, 1);
  };
  EXPECT_TRUE(has(run(Batch().add<commands::_3DPRIMITIVE>(triangle).end_batch()),
                  "3DPRIMITIVE at 0xffffffe00000: 3DSTATE_VF_TOPOLOGY.Primitive Topology Type 0: there is no such value"));
  open({});
  EXPECT_TRUE(has(run(Batch().add({0x50800008})), "begins no command of the render engine")) << "the copy engine has it";
  // state of the 3D pipeline is taken
  open({});
  EXPECT_EQ(run(Batch()
                    .add<commands::_3DSTATE_PS>([](uint32_t*) {})
                    .add<commands::_3DSTATE_VERTEX_BUFFERS>([](uint32_t*) {}, 5)
                    .end_batch()),
            "");
}

// A program's first frame may begin with a clear of depths alone.
TEST_F(Commands, DepthOperationsNeedNoDrawBefore) {
  using Depth = commands::_3DSTATE_DEPTH_BUFFER;
  using Operation = commands::_3DSTATE_WM_HZ_OP;
  EXPECT_EQ(run(Batch()
                    .add<Depth>([](uint32_t* w) { Depth::Surface_Type::set(w, Depth::Surface_Type::SURFTYPE_NULL); })
                    .add<Operation>([](uint32_t* w) {
                      Operation::Depth_Buffer_Clear_Enable::set(w, 1), Operation::Sample_Mask::set(w, 0xffff);
                      Operation::Clear_Rectangle_X_Max::set(w, 8), Operation::Clear_Rectangle_Y_Max::set(w, 8);
                    })
                    .end_batch()),
            "");
}

TEST_F(Commands, WildAddressesEndTheContext) {
  for (uint64_t wild : {uint64_t(0), uint64_t(0x1234'5678'9000), uint64_t(0x7fff'ffff'f000), data_at + data_bytes}) {
    open({});
    std::string why = run(Batch().store(wild, 1).end_batch());
    EXPECT_TRUE(has(why, fmt::format("write of a value of 4 bytes at {:#x}, where nothing is mapped", wild))) << why;
    open({});
    EXPECT_TRUE(has(run(Batch().add({0x18800001, uint32_t(wild), uint32_t(wild >> 32)})), "fetch of a command"));
  }
}

TEST_F(Commands, EndlessBatchesHaveABudget) {
  gpu::Options options;
  options.limits.packets = 1000;
  open(options);
  std::string why = run(Batch().add({0}).add({0x18800001, uint32_t(batch_at), uint32_t(batch_at >> 32)}));
  EXPECT_TRUE(has(why, "packets")) << why;
  // calls within calls
  open({});
  EXPECT_TRUE(has(run(Batch().add({0x18800001 | 1 << 22, uint32_t(batch_at), uint32_t(batch_at >> 32)})), "nested"));
}

TEST_F(Commands, WalkersWithoutTheirStateEndTheContext) {
  EXPECT_TRUE(has(run(Batch().add<commands::GPGPU_WALKER>([](uint32_t*) {}).end_batch()), "interface descriptor 0 of 0"));
  open({});
  std::string why = run(Batch()
                            .add<commands::MEDIA_INTERFACE_DESCRIPTOR_LOAD>([](uint32_t* w) {
                              commands::MEDIA_INTERFACE_DESCRIPTOR_LOAD::Interface_Descriptor_Total_Length::set(w, 32);
                            })
                            .end_batch());
  EXPECT_TRUE(has(why, "read of interface descriptors")) << why;
}

// A grid of one thread of 8 channels, by the descriptor at `dynamic_at`. `between`: commands before the walker.
template <class Between>
Batch one_thread(uint64_t data_at, uint64_t dynamic_at, uint64_t kernel_at, Between&& between) {
  Batch b;
  b.add<commands::STATE_BASE_ADDRESS>([&](uint32_t* w) {
    using Base = commands::STATE_BASE_ADDRESS;
    Base::General_State_Base_Address_Modify_Enable::set(w, 1), Base::General_State_Base_Address::set(w, data_at);
    Base::Dynamic_State_Base_Address_Modify_Enable::set(w, 1), Base::Dynamic_State_Base_Address::set(w, dynamic_at);
    Base::Instruction_Base_Address_Modify_Enable::set(w, 1), Base::Instruction_Base_Address::set(w, kernel_at);
  });
  between(b);
  b.add<commands::MEDIA_INTERFACE_DESCRIPTOR_LOAD>(
      [](uint32_t* w) { commands::MEDIA_INTERFACE_DESCRIPTOR_LOAD::Interface_Descriptor_Total_Length::set(w, 32); });
  b.add<commands::GPGPU_WALKER>([](uint32_t* w) {
    using Walker = commands::GPGPU_WALKER;
    Walker::Thread_Group_ID_X_Dimension::set(w, 1), Walker::Thread_Group_ID_Y_Dimension::set(w, 1);
    Walker::Thread_Group_ID_Z_Dimension::set(w, 1);
    Walker::Right_Execution_Mask::set(w, 0xff), Walker::Bottom_Execution_Mask::set(w, ~0u);
  });
  return b.end_batch();
}

// cr0 as a kernel finds it: where denormals are flushed (Ftz) those of halves (bit 10) and doubles (bit 6) are kept nevertheless (Intel's
// media-driver, mhw_state_heap_hwcmd_g12_X.h, DENORM_MODE_FTZ); where the kernel is to say it, all bits are 0 (IGC CISABuilder.cpp,
// initCR). Rounding stands in bits 5:4.
TEST_F(Commands, KernelsBeginInTheModeOfTheirDescriptor) {
  const uint64_t kernel_at = data_at + 0x1000, dynamic_at = data_at + 0x2000;
  const std::vector<std::string> lines{"(W) mov (8|M0) r3.0<1>:ud 0:ud", "(W) mov (8|M0) r10.0<1>:ud cr0.0<0;1,0>:ud",
                                       "(W) send.dc0 (8|M0) null r3 r10 0x40 0x020a02ff",
                                       "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"};
  const auto code = xe_lp::assemble(lines);
  ASSERT_TRUE(code) << code.error().message;
  std::memcpy(space->host(kernel_at), code->data(), code->size() * 4);
  using Descriptor = structures::INTERFACE_DESCRIPTOR_DATA;
  for (uint32_t by_kernel : {0u, 1u})
    for (uint32_t rounding = 0; rounding < 4; rounding++) {
      uint32_t descriptor[8] = {};
      Descriptor::Denorm_Mode::set(descriptor, by_kernel), Descriptor::Rounding_Mode::set(descriptor, rounding);
      Descriptor::Number_of_Threads_in_GPGPU_Thread_Group::set(descriptor, 1);
      std::memcpy(space->host(dynamic_at), descriptor, sizeof descriptor);
      data(0) = ~0u;
      EXPECT_EQ(run(one_thread(data_at, dynamic_at, kernel_at, [](Batch&) {})), "");
      EXPECT_EQ(data(0), (by_kernel ? 0u : 1u << 10 | 1u << 6) | rounding << 4) << by_kernel << " " << rounding;
    }
}

// cr0.1 begins with the exceptions that are enabled (Sandy Bridge PRM volume 4 part 2, "Control Register"). Nothing runs the system routine, at
// which a kernel would go on that raises one by itself.
TEST_F(Commands, Exceptions) {
  const uint64_t kernel_at = data_at + 0x1000, dynamic_at = data_at + 0x2000;
  using Descriptor = structures::INTERFACE_DESCRIPTOR_DATA;
  for (const bool raises : {false, true})
    for (uint32_t enables = 0; enables < 8; enables++) {
      std::vector<std::string> lines{"(W) mov (8|M0) r3.0<1>:ud 0:ud", "(W) mov (8|M0) r10.0<1>:ud cr0.1<0;1,0>:ud"};
      if (raises) lines.emplace_back("(W) or (1|M0) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x20000000:ud");
      lines.emplace_back("(W) send.dc0 (8|M0) null r3 r10 0x40 0x020a02ff");
      lines.emplace_back("(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}");
      const auto code = xe_lp::assemble(lines);
      ASSERT_TRUE(code) << code.error().message;
      std::memcpy(space->host(kernel_at), code->data(), code->size() * 4);
      uint32_t descriptor[8] = {};
      Descriptor::Software_Exception_Enable::set(descriptor, enables & 1);
      Descriptor::Illegal_Opcode_Exception_Enable::set(descriptor, enables >> 1 & 1);
      Descriptor::Mask_Stack_Exception_Enable::set(descriptor, enables >> 2 & 1);
      Descriptor::Number_of_Threads_in_GPGPU_Thread_Group::set(descriptor, 1);
      std::memcpy(space->host(dynamic_at), descriptor, sizeof descriptor);
      data(0) = ~0u;
      const std::string report = run(one_thread(data_at, dynamic_at, kernel_at, [](Batch&) {}));
      if (raises && enables & 1) {
        EXPECT_NE(report.find("Software Exception Enable of a kernel that writes cr0.1"), std::string::npos) << report;
        return;  // (the context is lost)
      }
      EXPECT_EQ(report, "");
      EXPECT_EQ(data(0), (enables & 1 ? 1u << 13 : 0) | (enables & 2 ? 1u << 12 : 0) | (enables & 4 ? 1u << 11 : 0)) << enables;
    }
}

// Threads have whole registers, constants are as many as there are: anv 25's own kernels load 48 bytes for two registers (Mesa 25.0.7
// src/intel/vulkan/genX_simple_shader.c).
TEST_F(Commands, ConstantsOfPartOfARegister) {
  const uint64_t kernel_at = data_at + 0x1000, dynamic_at = data_at + 0x2000;
  const std::vector<std::string> lines{"(W) mov (8|M0) r20.0<1>:ud 0:ud", "(W) mov (8|M0) r21.0<1>:ud r2.0<8;8,1>:ud",
                                       "(W) send.dc0 (8|M0) null r20 r21 0x40 0x020a02ff",
                                       "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"};
  const auto code = xe_lp::assemble(lines);
  ASSERT_TRUE(code) << code.error().message;
  std::memcpy(space->host(kernel_at), code->data(), code->size() * 4);
  uint32_t state[32] = {};
  using Descriptor = structures::INTERFACE_DESCRIPTOR_DATA;
  Descriptor::Number_of_Threads_in_GPGPU_Thread_Group::set(state, 1);
  Descriptor::Cross_Thread_Constant_Data_Read_Length::set(state, 2);
  for (uint32_t n = 0; n < 12; n++) state[16 + n] = n + 1;
  std::memcpy(space->host(dynamic_at), state, sizeof state);
  const auto constants = [](Batch& b) {
    b.add<commands::MEDIA_CURBE_LOAD>([](uint32_t* w) {
      using Load = commands::MEDIA_CURBE_LOAD;
      Load::CURBE_Total_Data_Length::set(w, 48), Load::CURBE_Data_Start_Address::set(w, 64);
    });
  };
  EXPECT_EQ(run(one_thread(data_at, dynamic_at, kernel_at, constants)), "");
  for (uint32_t n = 0; n < 4; n++) EXPECT_EQ(data(n), 9 + n) << n;
}

// CS_INVOCATION_COUNT: groups and the channels of their threads, the last of which in a row has the right mask, those of the last row
// the bottom mask. Counted here channel by channel.
TEST_F(Commands, InvocationsOfGridsAreCounted) {
  const uint64_t kernel_at = data_at + 0x1000, dynamic_at = data_at + 0x2000;
  const auto code = xe_lp::assemble(std::vector<std::string>{"(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"});
  ASSERT_TRUE(code) << code.error().message;
  std::memcpy(space->host(kernel_at), code->data(), code->size() * 4);
  uint32_t descriptor[8] = {};
  structures::INTERFACE_DESCRIPTOR_DATA::Number_of_Threads_in_GPGPU_Thread_Group::set(descriptor, 1);
  std::memcpy(space->host(dynamic_at), descriptor, sizeof descriptor);
  uint64_t expected = 0;
  unsigned grids = 0;
  for (uint32_t simd : {8u, 16u, 32u})
    for (uint32_t groups : {1u, 3u})
      for (uint32_t width : {1u, 2u, 5u})
        for (uint32_t height : {1u, 3u})
          for (uint32_t right : {~0u, 0x7fu, 1u})
            for (uint32_t bottom : {~0u, 0xf0u}) {
              Batch b;
              b.add<commands::STATE_BASE_ADDRESS>([&](uint32_t* w) {
                using Base = commands::STATE_BASE_ADDRESS;
                Base::Dynamic_State_Base_Address_Modify_Enable::set(w, 1), Base::Dynamic_State_Base_Address::set(w, dynamic_at);
                Base::Instruction_Base_Address_Modify_Enable::set(w, 1), Base::Instruction_Base_Address::set(w, kernel_at);
              });
              b.add<commands::MEDIA_INTERFACE_DESCRIPTOR_LOAD>(
                  [](uint32_t* w) { commands::MEDIA_INTERFACE_DESCRIPTOR_LOAD::Interface_Descriptor_Total_Length::set(w, 32); });
              b.add<commands::GPGPU_WALKER>([&](uint32_t* w) {
                using Walker = commands::GPGPU_WALKER;
                Walker::SIMD_Size::set(w, simd / 16);
                Walker::Thread_Width_Counter_Maximum::set(w, width - 1),
                    Walker::Thread_Height_Counter_Maximum::set(w, height - 1);
                Walker::Thread_Group_ID_X_Dimension::set(w, groups), Walker::Thread_Group_ID_Y_Dimension::set(w, 2);
                Walker::Thread_Group_ID_Z_Dimension::set(w, 1);
                Walker::Right_Execution_Mask::set(w, right), Walker::Bottom_Execution_Mask::set(w, bottom);
              });
              b.store_register(0x2290, data_at).store_register(0x2294, data_at + 4).end_batch();
              ASSERT_EQ(run(b), "");
              for (uint32_t y = 0; y < height; y++)
                for (uint32_t x = 0; x < width; x++)
                  for (uint32_t channel = 0; channel < simd; channel++)
                    expected +=
                        groups * 2 *
                        ((x + 1 < width || (right >> channel & 1)) && (y + 1 < height || (bottom >> channel & 1)) ? 1 : 0);
              ASSERT_EQ(data(0) | uint64_t(data(1)) << 32, expected) << simd << " " << groups << " " << width << " " << height;
              grids++;
            }
  EXPECT_EQ(grids, 216u);
}

TEST_F(Commands, GridsOfMoreWorkGroupsThanASubmissionMayHave) {
  const uint64_t dynamic_at = data_at + 0x2000;
  uint32_t descriptor[8] = {};
  structures::INTERFACE_DESCRIPTOR_DATA::Number_of_Threads_in_GPGPU_Thread_Group::set(descriptor, 1);
  std::memcpy(space->host(dynamic_at), descriptor, sizeof descriptor);
  for (auto [x, y, z] : {std::array{1u, 1u, 2400000000u}, {2400000000u, 1u, 1u}, {65536u, 65536u, 65536u}, {~0u, ~0u, ~0u}}) {
    Batch b;
    b.add<commands::STATE_BASE_ADDRESS>([&](uint32_t* w) {
      using Base = commands::STATE_BASE_ADDRESS;
      Base::Dynamic_State_Base_Address_Modify_Enable::set(w, 1), Base::Dynamic_State_Base_Address::set(w, dynamic_at);
    });
    b.add<commands::MEDIA_INTERFACE_DESCRIPTOR_LOAD>(
        [](uint32_t* w) { commands::MEDIA_INTERFACE_DESCRIPTOR_LOAD::Interface_Descriptor_Total_Length::set(w, 32); });
    b.add<commands::GPGPU_WALKER>([&](uint32_t* w) {
      using Walker = commands::GPGPU_WALKER;
      Walker::Thread_Group_ID_X_Dimension::set(w, x), Walker::Thread_Group_ID_Y_Dimension::set(w, y);
      Walker::Thread_Group_ID_Z_Dimension::set(w, z);
    });
    EXPECT_TRUE(has(run(b.end_batch()), "more than 268435456 work-groups in one submission: the GPU hangs")) << x << " " << z;
  }
}

struct Blits : Commands {
  Blits() { open({}, gpu::QueueKind::copy); }
};

TEST_F(Blits, CopyBetweenTilings) {
  // 64x16 dwords: linear to tile Y, to tile X, and back
  for (uint32_t i = 0; i < 1024; ++i) data(i) = i * 7919;
  const uint64_t y_at = data_at + 0x4000, x_at = data_at + 0x8000, back_at = data_at + 0xc000;
  using Blt = commands::XY_FAST_COPY_BLT;
  Batch b;
  auto copy = [&](uint64_t from, uint32_t from_tiling, uint32_t from_pitch, uint64_t to, uint32_t to_tiling, uint32_t to_pitch) {
    b.add<Blt>([&](uint32_t* w) {
      Blt::Source_Tiling_Method::set(w, from_tiling), Blt::Destination_Tiling_Method::set(w, to_tiling);
      Blt::Source_Pitch::set(w, from_pitch), Blt::Destination_Pitch::set(w, to_pitch);
      Blt::Color_Depth::set(w, 3);
      Blt::Destination_X2::set(w, 64), Blt::Destination_Y2::set(w, 16);
      Blt::Source_Base_Address::set(w, from), Blt::Destination_Base_Address::set(w, to);
    });
  };
  copy(data_at, 0, 256, y_at, 2, 64);
  copy(y_at, 2, 64, x_at, 1, 128);
  copy(x_at, 1, 128, back_at, 0, 256);
  b.end_batch();
  EXPECT_EQ(run(b), "");
  for (uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(data(0x3000 + i), i * 7919) << i;
  // tile Y: columns of 16 bytes, 32 rows each; tile X: rows of 512 bytes
  EXPECT_EQ(data(0x1000 + 4), data(64)) << "row 1 of the first column";
  EXPECT_EQ(data(0x1000 + 128), data(4)) << "the second column";
  EXPECT_EQ(data(0x2000 + 128), data(64)) << "row 1";
}

TEST_F(Blits, FillsAndFaults) {
  using Fill = commands::XY_COLOR_BLT;
  auto fill = [&](uint32_t operation) {
    return Batch()
        .add<Fill>([&](uint32_t* w) {
          Fill::Destination_Pitch::set(w, 64), Fill::Raster_Operation::set(w, operation), Fill::Color_Depth::set(w, 3);
          Fill::Destination_X1::set(w, 2), Fill::Destination_X2::set(w, 4), Fill::Destination_Y2::set(w, 2);
          Fill::Destination_Base_Address::set(w, data_at), Fill::Solid_Pattern_Color::set(w, 0xabcd);
        })
        .end_batch();
  };
  EXPECT_EQ(run(fill(0xf0)), "");
  EXPECT_EQ(data(1), 0u);
  EXPECT_EQ(data(2), 0xabcdu);
  EXPECT_EQ(data(3), 0xabcdu);
  EXPECT_EQ(data(4), 0u);
  EXPECT_EQ(data(18), 0xabcdu);
  EXPECT_TRUE(has(run(fill(0x66)), "raster operation 0x66 is not executed"));
  open({}, gpu::QueueKind::copy);
  EXPECT_TRUE(has(run(Batch().add<commands::GPGPU_WALKER>([](uint32_t*) {})), "begins no command of the blitter engine"));
}

TEST_F(Blits, FlushWritesBehindItself) {
  EXPECT_EQ(run(Batch().add({0x13000003 | 1 << 14, uint32_t(data_at), uint32_t(data_at >> 32), 8, 9}).end_batch()), "");
  EXPECT_EQ(data(0), 8u);
  EXPECT_EQ(data(1), 9u);
}

}  // namespace
}  // namespace Atoll::dg1
