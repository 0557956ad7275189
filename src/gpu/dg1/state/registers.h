// Registers that a command streamer's commands read and write, by byte address of the render engine; the copy engine's stand
// 0x20000 higher and are the same here. What nothing gives a meaning keeps what was written to it.
#pragma once
#include <atomic>
#include <cstdint>
#include <unordered_map>

namespace Atoll::dg1 {

// Mesa src/intel/genxml; Intel "Open Source Programmer's Reference Manual" volume 2c, command reference: registers.
namespace mmio {
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
inline constexpr uint32_t general_purpose = 0x2600;                               // CS_GPR, 16 of 64 bits
inline constexpr uint32_t gt_mode = 0x7008;
inline constexpr uint32_t wide_binding_tables = 1 << 10;  // of GT_MODE: pointers to binding tables are 8 times as coarse
}  // namespace mmio

class Registers {
public:
  Registers(uint64_t timestamp_khz, bool deterministic) : timestamp_khz_(timestamp_khz), deterministic_(deterministic) {}

  uint32_t read(uint32_t address);
  void write(uint32_t address, uint32_t value);
  uint64_t read64(uint32_t address) { return read(address) | uint64_t(read(address + 4)) << 32; }
  void write64(uint32_t address, uint64_t value) {
    write(address, uint32_t(value));
    write(address + 4, uint32_t(value >> 32));
  }

  // Ticks of the GPU's clock.
  uint64_t timestamp();

private:
  static uint32_t normal(uint32_t address);

  const uint64_t timestamp_khz_;
  const bool deterministic_;
  std::atomic<uint64_t> asked_{0};  // of a deterministic clock
  std::unordered_map<uint32_t, uint32_t> values_;
};

}  // namespace Atoll::dg1
