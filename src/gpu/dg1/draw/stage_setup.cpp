#include "gpu/dg1/draw/stage_setup.h"

#include "gpu/dg1/draw/push_constants.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

// Fields of the four commands that have the same name in each.
template <class Command>
bool find_common(Context& c, Stage stage, StageDispatch& d, StageSetup& setup, bool single_program_flow = false,
                 bool mask_stack = false) {
  const GraphicsState& s = c.graphics;
  d.exceptions = control_exceptions(s.get<typename Command::Software_Exception_Enable>(),
                                    s.get<typename Command::Illegal_Opcode_Exception_Enable>(), mask_stack);
  d.kernel = s.get<typename Command::Kernel_Start_Pointer>();
  d.scratch_offset = s.get<typename Command::Scratch_Space_Base_Pointer>();
  if (d.scratch_offset >> 32)
    return c.lose(fmt::format("{}: Scratch Space Base Pointer {:#x}, of which threads name 32 bits", d.stage, d.scratch_offset));
  d.scratch_bytes = d.scratch_offset ? least_thread_scratch << s.get<typename Command::Per_Thread_Scratch_Space>() : 0;
  // Denormals of floats are flushed and rounding is to nearest: a kernel that wants others says so in cr0 (Mesa 22.3.6 brw_fs.cpp,
  // brw_emit_float_controls_mode.cpp).
  d.control = stage_control(s.get<typename Command::Floating_Point_Mode>() != 0, single_program_flow, false, 0);
  setup.threads = find_stage_threads(c, d);
  return setup.threads && read_push_constants(c, stage, setup.constants);
}

}  // namespace

bool find_stage(Context& c, Stage stage, StageSetup& setup) {
  const GraphicsState& s = c.graphics;
  StageDispatch d;
  switch (stage) {
    case Stage::VS:
      d.stage = "vertex shader (3DSTATE_VS)";
      d.binding_table = s.get<_3DSTATE_BINDING_TABLE_POINTERS_VS::Pointer_to_VS_Binding_Table>();
      d.samplers = s.get<_3DSTATE_SAMPLER_STATE_POINTERS_VS::Pointer_to_VS_Sampler_State>();
      setup.first_register = unsigned(s.get<_3DSTATE_VS::Dispatch_GRF_Start_Register_For_URB_Data>());
      return find_common<_3DSTATE_VS>(c, stage, d, setup);
    case Stage::HS:
      d.stage = "hull shader (3DSTATE_HS)";
      d.binding_table = s.get<_3DSTATE_BINDING_TABLE_POINTERS_HS::Pointer_to_HS_Binding_Table>();
      d.samplers = s.get<_3DSTATE_SAMPLER_STATE_POINTERS_HS::Pointer_to_HS_Sampler_State>();
      setup.first_register = unsigned(s.get<_3DSTATE_HS::Dispatch_GRF_Start_Register_For_URB_Data>() |
                                      s.get<_3DSTATE_HS::Dispatch_GRF_Start_Register_For_URB_Data_5>() << 5);
      return find_common<_3DSTATE_HS>(c, stage, d, setup, s.get<_3DSTATE_HS::Single_Program_Flow>());
    case Stage::DS:
      d.stage = "domain shader (3DSTATE_DS)";
      d.binding_table = s.get<_3DSTATE_BINDING_TABLE_POINTERS_DS::Pointer_to_DS_Binding_Table>();
      d.samplers = s.get<_3DSTATE_SAMPLER_STATE_POINTERS_DS::Pointer_to_DS_Sampler_State>();
      setup.first_register = unsigned(s.get<_3DSTATE_DS::Dispatch_GRF_Start_Register_For_URB_Data>());
      return find_common<_3DSTATE_DS>(c, stage, d, setup);
    default:
      d.stage = "geometry shader (3DSTATE_GS)";
      d.binding_table = s.get<_3DSTATE_BINDING_TABLE_POINTERS_GS::Pointer_to_GS_Binding_Table>();
      d.samplers = s.get<_3DSTATE_SAMPLER_STATE_POINTERS_GS::Pointer_to_GS_Sampler_State>();
      setup.first_register = unsigned(s.get<_3DSTATE_GS::Dispatch_GRF_Start_Register_For_URB_Data>() |
                                      s.get<_3DSTATE_GS::Dispatch_GRF_Start_Register_For_URB_Data_5_4>() << 4);
      return find_common<_3DSTATE_GS>(c, stage, d, setup, s.get<_3DSTATE_GS::Single_Program_Flow>(),
                                      s.get<_3DSTATE_GS::Mask_Stack_Exception_Enable>());
  }
}

}  // namespace Atoll::dg1
