// 3DPRIMITIVE, and WM_HZ_OP's operations on depth and stencil buffers.
#include "gpu/dg1/commands/handlers.h"
#include "gpu/dg1/draw/draw.h"
#include "gpu/dg1/draw/fills.h"

namespace Atoll::dg1 {

using namespace commands;

bool primitive(CommandStreamer& s, const Command& command) {
  using P = _3DPRIMITIVE;
  Context& c = s.context();
  const uint32_t* w = command.words;
  if (P::Predicate_Enable::is_set(w) && !(c.registers.read(mmio::predicate_result) & 1)) return true;
  if (P::End_Offset_Enable::is_set(w)) return c.lose("3DPRIMITIVE.End Offset Enable is not executed yet");
  DrawParameters d;
  d.indexed = P::Vertex_Access_Type::get(w) == P::Vertex_Access_Type::RANDOM;
  const bool extended = P::Extended_Parameters_Present::is_set(w);
  if (P::Indirect_Parameter_Enable::is_set(w)) {
    d.vertices = c.registers.read(mmio::draw_vertices), d.start_vertex = c.registers.read(mmio::draw_start_vertex);
    d.instances = c.registers.read(mmio::draw_instances), d.start_instance = c.registers.read(mmio::draw_start_instance);
    d.base_vertex = int32_t(c.registers.read(mmio::draw_base_vertex));
    for (uint32_t n = 0; extended && n < 3; n++) d.extended[n] = c.registers.read(mmio::draw_extended + n * 4);
  } else {
    d.vertices = uint32_t(P::Vertex_Count_Per_Instance::get(w)), d.start_vertex = uint32_t(P::Start_Vertex_Location::get(w));
    d.instances = uint32_t(P::Instance_Count::get(w)), d.start_instance = uint32_t(P::Start_Instance_Location::get(w));
    d.base_vertex = int32_t(P::Base_Vertex_Location::get(w));
    if (extended)
      d.extended = {uint32_t(P::Extended_Parameter_0::get(w)), uint32_t(P::Extended_Parameter_1::get(w)),
                    uint32_t(P::Extended_Parameter_2::get(w))};
  }
  return draw(c, d);
}

bool wm_hz_op(CommandStreamer& s, const Command& command) {
  s.context().graphics.set(command.row, std::span(command.words, command.dwords));
  return run_depth_operation(s.context());
}

}  // namespace Atoll::dg1
