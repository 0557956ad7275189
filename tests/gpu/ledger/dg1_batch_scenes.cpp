// Batches without kernels: registers, memory, predication and other batches, the copy engine; and what waits for draws.
#include "dg1_scene.h"

namespace Atoll::ledger {

using namespace dg1::commands;
using dg1::Batch;
using namespace dg1_at;

namespace {

// Instructions of MI_MATH in words, and registers.
constexpr uint32_t gpr(unsigned n) { return 0x2600 + n * 8; }
constexpr uint32_t alu(uint32_t op, uint32_t one = 0, uint32_t two = 0) { return op << 20 | one << 10 | two; }

std::unique_ptr<Dg1Scene> batch_scene(const char* name, std::vector<std::string_view> units = {"MI", "CS"},
                                      gpu::QueueKind kind = gpu::QueueKind::graphics) {
  auto scene = std::make_unique<Dg1Scene>(name, kind);
  scene->blocks = std::move(units);
  return scene;
}

// A draw without vertex elements or targets: what it looks at ends its context by name, or it draws nothing.
void add_draw(Dg1Scenes& all) {
  auto scene =
      batch_scene("a draw", {"ALL", "CC", "CLIP", "DEPTH", "DS", "GS", "HS", "PS", "SBE", "SF", "SO", "TE", "VF", "VS", "WM"});
  scene->b.add<_3DPRIMITIVE>([](uint32_t* w) { _3DPRIMITIVE::Vertex_Count_Per_Instance::set(w, 3); });
  scene->finish(false);
  all.push_back(std::move(scene));
  // State that is reported when it comes.
  auto state = batch_scene("state of draws", {"DEPTH", "DS", "GS", "HS", "PS", "VF", "VS", "WM"});
  auto nothing = [](uint32_t*) {};
  state->b.add<_3DSTATE_DEPTH_BUFFER>(nothing).add<_3DSTATE_STENCIL_BUFFER>(nothing).add<_3DSTATE_WM_HZ_OP>(nothing);
  state->b.add<_3DSTATE_VF>(nothing).add<_3DSTATE_PRIMITIVE_REPLICATION>(nothing).add<_3DSTATE_VS>(nothing);
  state->b.add<_3DSTATE_HS>(nothing).add<_3DSTATE_DS>(nothing).add<_3DSTATE_GS>(nothing);
  state->b.add<_3DSTATE_WM>(nothing).add<_3DSTATE_PS>(nothing).add<_3DSTATE_PS_EXTRA>(nothing);
  state->finish();
  all.push_back(std::move(state));
  // The commands of another pipeline that nobody uses end their context.
  auto media = batch_scene("a media object", {"GPGPU"});
  media->b.add<MEDIA_OBJECT>([](uint32_t*) {});
  media->finish(false);
  all.push_back(std::move(media));
  auto display = batch_scene("a display's flip", {"MI"});
  display->b.add<MI_DISPLAY_FLIP>([](uint32_t*) {});
  display->finish(false);
  all.push_back(std::move(display));
}

void add_registers(Dg1Scenes& all) {
  auto scene = batch_scene("registers and memory");
  Batch& b = scene->b;
  b.load(gpr(3), 0x1122'3344'5566'7788);
  b.add<MI_LOAD_REGISTER_IMM>([](uint32_t* w) { w[1] = gpr(7), w[2] = 0x1234, w[3] = gpr(8), w[4] = 0x5678; }, 5);
  b.add<MI_LOAD_REGISTER_REG>([](uint32_t* w) { w[1] = gpr(3), w[2] = gpr(5); });
  b.add<MI_LOAD_REGISTER_MEM>([](uint32_t* w) {
    MI_LOAD_REGISTER_MEM::Register_Address::set(w, gpr(6)), MI_LOAD_REGISTER_MEM::Memory_Address::set(w, data + 40);
  });
  for (unsigned n = 0; n < 9; n++) b.store_register(gpr(n), data + 0x100 + n * 4);
  b.add<MI_COPY_MEM_MEM>([](uint32_t* w) {
    MI_COPY_MEM_MEM::Destination_Memory_Address::set(w, data + 0x200), MI_COPY_MEM_MEM::Source_Memory_Address::set(w, data + 44);
  });
  b.add<MI_STORE_DATA_IMM>([](uint32_t* w) {
    MI_STORE_DATA_IMM::Store_Qword::set(w, 1), MI_STORE_DATA_IMM::Address::set(w, data + 0x208), w[3] = 5, w[4] = 6;
  });
  b.add<PIPE_CONTROL>(
      [](uint32_t* w) { PIPE_CONTROL::Post_Sync_Operation::set(w, 1), PIPE_CONTROL::Address::set(w, data + 0x228), w[4] = 9; });
  b.add<MI_REPORT_PERF_COUNT>([](uint32_t* w) { MI_REPORT_PERF_COUNT::Memory_Address::set(w, data + 0x400), w[3] = 77; });
  b.add<MI_ATOMIC>([](uint32_t* w) {
    MI_ATOMIC::ATOMIC_OPCODE::set(w, MI_ATOMIC::ATOMIC_OPCODE::CMP_WR8B), MI_ATOMIC::Return_Data_Control::set(w, 1);
    MI_ATOMIC::Inline_Data::set(w, 1), MI_ATOMIC::Memory_Address::set(w, data + 0x300);
    w[3] = 0x05070b09, w[5] = 0x1d1f2123, w[4] = 0xabcd, w[6] = 0xef01;  // what is there, and what comes
  });
  b.store_register(gpr(0), data + 0x380).store_register(gpr(0) + 4, data + 0x384);
  const uint32_t there[] = {0x05070b09, 0x1d1f2123};
  scene->put(data + 0x300, there);
  b.add<MI_ATOMIC>(
      [](uint32_t* w) {  // with operands from registers
        MI_ATOMIC::ATOMIC_OPCODE::set(w, MI_ATOMIC::ATOMIC_OPCODE::ADD), MI_ATOMIC::Memory_Address::set(w, data + 0x310);
      },
      3);
  scene->finish();
  all.push_back(std::move(scene));

  auto math = batch_scene("arithmetic");
  math->b.load(gpr(0), 0xffff'ffff'ffff'fff0).load(gpr(1), 0x20);
  math->structure("MI_MATH_ALU_INSTRUCTION", batch + (math->b.size() + 1) * 4);
  math->b.add({0x0d000003, alu(0x80, 0x20, 0), alu(0x80, 0x21, 1), alu(0x100), alu(0x180, 2, 0x31)});
  for (unsigned n = 0; n < 16; n++) math->b.store_register(gpr(n), data + n * 8).store_register(gpr(n) + 4, data + n * 8 + 4);
  math->finish();
  all.push_back(std::move(math));
}

void add_flow(Dg1Scenes& all) {
  auto scene = batch_scene("predication and batches");
  Batch& b = scene->b;
  scene->put(more, Batch().store(data, 1).end_batch());
  scene->put(more + 0x400, Batch().store(data + 4, 2).end_batch());
  b.load(0x2400, 5).load(0x2408, 5).load(0x2410, 0);
  b.add<MI_PREDICATE>([](uint32_t* w) { MI_PREDICATE::Load_Operation::set(w, 2), MI_PREDICATE::Compare_Operation::set(w, 2); });
  b.add<MI_STORE_REGISTER_MEM>([](uint32_t* w) {
    MI_STORE_REGISTER_MEM::Predicate_Enable::set(w, 1), MI_STORE_REGISTER_MEM::Register_Address::set(w, 0x2408);
    MI_STORE_REGISTER_MEM::Memory_Address::set(w, data + 8);
  });
  b.add<MI_PREDICATE>([](uint32_t* w) { MI_PREDICATE::Load_Operation::set(w, 3), MI_PREDICATE::Compare_Operation::set(w, 2); });
  b.add<MI_STORE_REGISTER_MEM>([](uint32_t* w) {
    MI_STORE_REGISTER_MEM::Predicate_Enable::set(w, 1), MI_STORE_REGISTER_MEM::Register_Address::set(w, 0x2408);
    MI_STORE_REGISTER_MEM::Memory_Address::set(w, data + 12);
  });
  b.add<MI_SEMAPHORE_WAIT>([](uint32_t* w) {
    MI_SEMAPHORE_WAIT::Compare_Operation::set(w, MI_SEMAPHORE_WAIT::Compare_Operation::SAD_EQUAL_SDD);
    MI_SEMAPHORE_WAIT::Semaphore_Data_Dword::set(w, 7), MI_SEMAPHORE_WAIT::Semaphore_Address::set(w, data + 0x40);
  });
  const uint32_t seven[] = {7, 4};  // and a mask
  scene->put(data + 0x40, seven);
  b.add<MI_BATCH_BUFFER_START>([](uint32_t* w) {
    MI_BATCH_BUFFER_START::Second_Level_Batch_Buffer::set(w, 1), MI_BATCH_BUFFER_START::Batch_Buffer_Start_Address::set(w, more);
  });
  b.add<MI_SET_PREDICATE>(
      [](uint32_t* w) { MI_SET_PREDICATE::Predicate_Enable::set(w, MI_SET_PREDICATE::Predicate_Enable::NOOP_Always); });
  b.store(data + 16, 9);
  b.add({0x00800000}).store(data + 20, 10);
  b.add<MI_CONDITIONAL_BATCH_BUFFER_END>([](uint32_t* w) {
    using End = MI_CONDITIONAL_BATCH_BUFFER_END;
    End::Compare_Semaphore::set(w, 1), End::Compare_Mask_Mode::set(w, 1), End::Compare_Data_Dword::set(w, 6),
        End::Compare_Address::set(w, data + 0x40);
  });
  b.store(data + 24, 11);
  b.add<MI_BATCH_BUFFER_START>([](uint32_t* w) { MI_BATCH_BUFFER_START::Batch_Buffer_Start_Address::set(w, more + 0x400); });
  scene->finish();
  all.push_back(std::move(scene));
}

template <class Blt>
void rectangle(uint32_t* w) {
  Blt::Destination_X1::set(w, 1), Blt::Destination_Y1::set(w, 1), Blt::Destination_X2::set(w, 5), Blt::Destination_Y2::set(w, 4);
  Blt::Destination_Base_Address::set(w, data + 0x4000);
}

void add_blits(Dg1Scenes& all) {
  const std::vector<std::string_view> units = {"BLT", "MI"};
  auto copies = batch_scene("copies by the copy engine", units, gpu::QueueKind::copy);
  copies->b.add<XY_SRC_COPY_BLT>([](uint32_t* w) {
    using Blt = XY_SRC_COPY_BLT;
    rectangle<Blt>(w);
    Blt::Destination_Pitch::set(w, 128), Blt::Source_Pitch::set(w, 128), Blt::Raster_Operation::set(w, 0xcc),
        Blt::Color_Depth::set(w, 3);
    Blt::Source_X1::set(w, 2), Blt::Source_Y1::set(w, 3), Blt::Source_Base_Address::set(w, data);
    Blt::_32bpp_Byte_Mask::set(w, 3);
  });
  copies->b.add<MI_FLUSH_DW>(
      [](uint32_t* w) { MI_FLUSH_DW::Post_Sync_Operation::set(w, 1), MI_FLUSH_DW::Address::set(w, data + 0x218), w[3] = 8; });
  copies->finish();
  all.push_back(std::move(copies));
  auto fast = batch_scene("fast copies", units, gpu::QueueKind::copy);
  fast->b.add<XY_FAST_COPY_BLT>([](uint32_t* w) {
    using Blt = XY_FAST_COPY_BLT;
    rectangle<Blt>(w);
    Blt::Destination_Pitch::set(w, 128), Blt::Source_Pitch::set(w, 128), Blt::Color_Depth::set(w, 3);
    Blt::Source_X1::set(w, 2), Blt::Source_Y1::set(w, 3), Blt::Source_Base_Address::set(w, data);
  });
  fast->finish();
  all.push_back(std::move(fast));
  auto blocks = batch_scene("block copies", units, gpu::QueueKind::copy);
  blocks->b.add<XY_BLOCK_COPY_BLT>([](uint32_t* w) {
    using Blt = XY_BLOCK_COPY_BLT;
    rectangle<Blt>(w);
    Blt::Destination_Pitch::set(w, 127), Blt::Source_Pitch::set(w, 127), Blt::Color_Depth::set(w, 2);
    Blt::Source_X1::set(w, 2), Blt::Source_Y1::set(w, 3), Blt::Source_Base_Address::set(w, data);
  });
  blocks->finish();
  all.push_back(std::move(blocks));
  auto fills = batch_scene("fills", units, gpu::QueueKind::copy);
  fills->b.add<XY_COLOR_BLT>([](uint32_t* w) {
    using Blt = XY_COLOR_BLT;
    rectangle<Blt>(w);
    Blt::Destination_Pitch::set(w, 128), Blt::Raster_Operation::set(w, 0xf0), Blt::Color_Depth::set(w, 3);
    Blt::Solid_Pattern_Color::set(w, 0xabcd0123), Blt::_32bpp_Byte_Mask::set(w, 3);
  });
  fills->finish();
  all.push_back(std::move(fills));
  auto fast_fills = batch_scene("fast fills", units, gpu::QueueKind::copy);
  fast_fills->b.add<XY_FAST_COLOR_BLT>([](uint32_t* w) {
    using Blt = XY_FAST_COLOR_BLT;
    rectangle<Blt>(w);
    Blt::Destination_Pitch::set(w, 127), Blt::Color_Depth::set(w, 5);
    w[7] = 0xabcd0123, w[8] = 0x1, w[9] = 0x22, w[10] = 0x333;
  });
  fast_fills->finish();
  all.push_back(std::move(fast_fills));
}

}  // namespace

void add_batch_scenes(Dg1Scenes& all) {
  add_draw(all);
  add_registers(all);
  add_flow(all);
  add_blits(all);
}

}  // namespace Atoll::ledger
