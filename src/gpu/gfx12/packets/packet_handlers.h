// The handlers of packets, by group, for packet_table.cpp.
#pragma once
#include "gpu/gfx12/draw/draw.h"
#include "gpu/gfx12/packets/command_processor.h"

namespace Atoll::gfx12 {

using gpu::amd::address_of;

// register_packets.cpp
void context_control(CommandProcessor& cp, Body body);
void nothing(CommandProcessor& cp, Body body);
void set_base(CommandProcessor& cp, Body body);
void index_base(CommandProcessor& cp, Body body);
void index_buffer_size(CommandProcessor& cp, Body body);
void num_instances(CommandProcessor& cp, Body body);

// event_packets.cpp
void event_write(CommandProcessor& cp, Body body);
bool event_concerns_targets(Body body);  // of EVENT_WRITE
bool release_concerns_targets(Body body);
void event_write_zpass(CommandProcessor& cp, Body body);
void acquire_mem(CommandProcessor& cp, Body body);
// Executes an event of EVENT_WRITE or RELEASE_MEM, apart from ordering.
void event(Context& c, uint32_t type);

// draw_packets.cpp
void draw_index_auto(CommandProcessor& cp, Body body);
void draw_index_2(CommandProcessor& cp, Body body);
void draw_index_offset_2(CommandProcessor& cp, Body body);
void dispatch_mesh_direct(CommandProcessor& cp, Body body);
void dispatch_mesh_indirect_multi(CommandProcessor& cp, Body body);
void dispatch_direct(CommandProcessor& cp, Body body);
void dispatch_indirect(CommandProcessor& cp, Body body);
using Initiator = registers::access::Word<COMPUTE_DISPATCH_INITIATOR>;
void run_draw(Context& c, const DrawCall& call);
void run_dispatch(Context& c, const DispatchCall& call);

// task_packets.cpp
void dispatch_task_state_init(CommandProcessor& cp, Body body);
void dispatch_taskmesh_direct_ace(CommandProcessor& cp, Body body);
void dispatch_taskmesh_indirect_multi_ace(CommandProcessor& cp, Body body);
void dispatch_taskmesh_gfx(CommandProcessor& cp, Body body);

}  // namespace Atoll::gfx12
