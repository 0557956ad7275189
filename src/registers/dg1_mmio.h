// Addresses of DG1's registers that commands and the kernel driver read and write, in bytes; those of the render engine, where each
// engine has one.
#pragma once
#include <cstdint>

// Mesa src/intel/genxml; Intel "Open Source Programmer's Reference Manual" volume 2c, command reference: registers.
namespace Atoll::dg1::mmio {

inline constexpr uint32_t engine_base = 0x2000, copy_engine_base = 0x22000, engine_bytes = 0x800;
inline constexpr uint32_t timestamp = 0x2358;                                             // 64 bits, of which 36 count
inline constexpr uint32_t predicate_source_0 = 0x2400;                                    // MI_PREDICATE_SRC0, 64 bits
inline constexpr uint32_t predicate_source_1 = 0x2408;                                    // MI_PREDICATE_SRC1
inline constexpr uint32_t predicate_data = 0x2410;                                        // MI_PREDICATE_DATA
inline constexpr uint32_t predicate_result = 0x2418;                                      // MI_PREDICATE_RESULT, bit 0
inline constexpr uint32_t predicate_result_1 = 0x241c;                                    // MI_PREDICATE_RESULT_1
inline constexpr uint32_t predicate_result_2 = 0x23bc;                                    // MI_PREDICATE_RESULT_2
inline constexpr uint32_t dispatch_x = 0x2500, dispatch_y = 0x2504, dispatch_z = 0x2508;  // GPGPU_DISPATCHDIM*
inline constexpr uint32_t draw_start_vertex = 0x2430, draw_vertices = 0x2434;             // 3DPRIM_START_VERTEX, _VERTEX_COUNT
inline constexpr uint32_t draw_instances = 0x2438, draw_start_instance = 0x243c;  // 3DPRIM_INSTANCE_COUNT, _START_INSTANCE
inline constexpr uint32_t draw_base_vertex = 0x2440;                              // 3DPRIM_BASE_VERTEX
inline constexpr uint32_t draw_extended = 0x2690;                                 // 3DPRIM_XP0 to 2
// Counters of the pipeline, 64 bits each (CS_INVOCATION_COUNT, IA_VERTICES_COUNT and so on to PS_DEPTH_COUNT).
inline constexpr uint32_t cs_invocations = 0x2290, hs_invocations = 0x2300, ds_invocations = 0x2308, ia_vertices = 0x2310,
                          ia_primitives = 0x2318, vs_invocations = 0x2320, gs_invocations = 0x2328, gs_primitives = 0x2330,
                          cl_invocations = 0x2338, cl_primitives = 0x2340, ps_invocations = 0x2348, ps_depth_count = 0x2350;
// Stream output: counts by stream, 64 bits each; offsets by buffer, 32 bits.
inline constexpr uint32_t so_primitives_written = 0x5200, so_storage_needed = 0x5240, so_write_offset = 0x5280;
inline constexpr uint32_t general_purpose = 0x2600;  // CS_GPR, 16 of 64 bits
// Translation tables of tiled resources, of the render and the copy engine: GFX_TRTT_CR and BLT_TRTT_CR, and what stands behind them.
inline constexpr uint32_t trtt = 0x4400, copy_trtt = 0x4480;
inline constexpr uint32_t trtt_control = 0x0, trtt_va_range = 0x4, trtt_l3 = 0x8, trtt_null = 0x10, trtt_invalid = 0x14;
inline constexpr uint32_t trtt_enable = 1;                                        // of TRTT_CR
constexpr uint32_t tr_va_data(uint32_t va_range) { return va_range & 0xf; }       // bits 47:44 of the range's addresses
constexpr uint32_t tr_va_mask(uint32_t va_range) { return va_range >> 4 & 0xf; }  // which of those bits count
inline constexpr uint32_t gt_mode = 0x7008;
inline constexpr uint32_t wide_binding_tables = 1 << 10;  // of GT_MODE: pointers to binding tables are 8 times as coarse

}  // namespace Atoll::dg1::mmio
