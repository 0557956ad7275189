// Handlers of commands by file; command_table.cpp says which command has which.
#pragma once
#include "gpu/dg1/commands/command_streamer.h"

namespace Atoll::dg1 {

// No effect here: caches are coherent, threads of a command are done when the next one begins, interrupts are nobody's.
inline bool nothing_to_do(CommandStreamer&, const Command&) { return true; }

// flow_commands.cpp: the stream itself, predication
bool mi_batch_buffer_start(CommandStreamer& s, const Command& c);
bool mi_batch_buffer_end(CommandStreamer& s, const Command& c);
bool mi_conditional_batch_buffer_end(CommandStreamer& s, const Command& c);
bool mi_predicate(CommandStreamer& s, const Command& c);
bool mi_set_predicate(CommandStreamer& s, const Command& c);
bool mi_semaphore_wait(CommandStreamer& s, const Command& c);

// register_commands.cpp: registers and their arithmetic
bool mi_load_register_imm(CommandStreamer& s, const Command& c);
bool mi_load_register_reg(CommandStreamer& s, const Command& c);
bool mi_load_register_mem(CommandStreamer& s, const Command& c);
bool mi_store_register_mem(CommandStreamer& s, const Command& c);
bool mi_math(CommandStreamer& s, const Command& c);

// memory_commands.cpp: single values in memory
bool mi_store_data_imm(CommandStreamer& s, const Command& c);
bool mi_copy_mem_mem(CommandStreamer& s, const Command& c);
bool mi_atomic(CommandStreamer& s, const Command& c);
bool mi_flush_dw(CommandStreamer& s, const Command& c);
bool mi_report_perf_count(CommandStreamer& s, const Command& c);
bool pipe_control(CommandStreamer& s, const Command& c);

// state_commands.cpp: where offsets count from, what threads start with
bool state_base_address(CommandStreamer& s, const Command& c);
bool binding_table_pool_alloc(CommandStreamer& s, const Command& c);
bool media_vfe_state(CommandStreamer& s, const Command& c);
bool media_curbe_load(CommandStreamer& s, const Command& c);
bool media_interface_descriptor_load(CommandStreamer& s, const Command& c);

bool so_buffer(CommandStreamer& s, const Command& c);
bool sampler_palette_load(CommandStreamer& s, const Command& c);
bool chroma_key(CommandStreamer& s, const Command& c);

// walker.cpp
bool gpgpu_walker(CommandStreamer& s, const Command& c);

// draw_commands.cpp
bool primitive(CommandStreamer& s, const Command& c);
bool wm_hz_op(CommandStreamer& s, const Command& c);

// blitter.cpp
bool xy_fast_copy_blt(CommandStreamer& s, const Command& c);
bool xy_src_copy_blt(CommandStreamer& s, const Command& c);
bool xy_color_blt(CommandStreamer& s, const Command& c);
bool xy_block_copy_blt(CommandStreamer& s, const Command& c);
bool xy_fast_color_blt(CommandStreamer& s, const Command& c);

// Loses the context with a report that names the command: it is not executed yet.
bool not_yet(CommandStreamer& s, const Command& c);

}  // namespace Atoll::dg1
