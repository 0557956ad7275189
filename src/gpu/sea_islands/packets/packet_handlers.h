// The handlers of packets, by group, for packet_table.cpp.
#pragma once
#include "gpu/sea_islands/packets/command_processor.h"

namespace Atoll::sea_islands {

using gpu::amd::address_of;

// register_packets.cpp
void clear_state_packet(CommandProcessor& cp, Body body);
void context_control(CommandProcessor& cp, Body body);
void nothing(CommandProcessor& cp, Body body);
void set_base(CommandProcessor& cp, Body body);
void index_type(CommandProcessor& cp, Body body);
void index_base(CommandProcessor& cp, Body body);
void index_buffer_size(CommandProcessor& cp, Body body);
void num_instances(CommandProcessor& cp, Body body);
void draw_preamble(CommandProcessor& cp, Body body);

// event_packets.cpp
void event_write(CommandProcessor& cp, Body body);
bool event_concerns_targets(Body body);  // of EVENT_WRITE
void event_write_eop(CommandProcessor& cp, Body body);
void event_write_eos(CommandProcessor& cp, Body body);
void acquire_mem(CommandProcessor& cp, Body body);
void surface_sync(CommandProcessor& cp, Body body);
void strmout_buffer_update(CommandProcessor& cp, Body body);
// Executes an event of EVENT_WRITE, EVENT_WRITE_EOP ... (what it writes or does, apart from ordering).
void event(Context& c, uint32_t type);

// draw_packets.cpp
void draw_index_auto(CommandProcessor& cp, Body body);
void draw_index_2(CommandProcessor& cp, Body body);
void draw_index_offset_2(CommandProcessor& cp, Body body);
void dispatch_direct(CommandProcessor& cp, Body body);
void dispatch_indirect(CommandProcessor& cp, Body body);
// Starts the work that a write of VGT_DRAW_INITIATOR or COMPUTE_DISPATCH_INITIATOR asks for, according to
// the other registers.
void start_work(Context& c, uint32_t address);

// constant_packets.cpp
void load_const_ram(CommandProcessor& cp, Body body);
void write_const_ram(CommandProcessor& cp, Body body);
void dump_const_ram(CommandProcessor& cp, Body body);
void increment_ce_counter(CommandProcessor& cp, Body body);
void increment_de_counter(CommandProcessor& cp, Body body);
void wait_on_ce_counter(CommandProcessor& cp, Body body);
void wait_on_de_counter_diff(CommandProcessor& cp, Body body);

}  // namespace Atoll::sea_islands
