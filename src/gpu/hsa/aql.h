// Packets of the Architected Queuing Language, 64 bytes each, and the structures in memory that ROCm keeps for them (HSA Platform System
// Architecture 1.2, 2.9; ROCR-Runtime 5.2.3 inc/amd_hsa_queue.h, amd_hsa_signal.h).
#pragma once
#include <array>
#include <cstdint>

#include "base/expected.h"
#include "codeobject/code_object.h"
#include "gpu/hsa/dispatch.h"
#include "gpu/hsa/target.h"

namespace Atoll::hsa {

inline constexpr uint64_t aql_packet_bytes = 64;
using PacketBytes = std::array<uint8_t, aql_packet_bytes>;

enum class PacketType : uint8_t { vendor_specific, invalid, kernel_dispatch, barrier_and, agent_dispatch, barrier_or };
// From a packet's first 16 bits.
constexpr PacketType packet_type(uint16_t header) { return PacketType(header & 0xff); }

// A vendor-specific packet's format, and AMD's for a call of PM4 commands: INDIRECT_BUFFER with its three dwords behind the first dword
// (ROCR-Runtime 5.2.3 amd_aql_queue.cpp, ExecutePM4).
uint32_t vendor_format(const PacketBytes& packet);
inline constexpr uint32_t vendor_format_pm4 = 1;

struct KernelPacket {
  std::array<uint16_t, 3> group{};
  std::array<uint32_t, 3> grid{};
  uint32_t private_bytes = 0, group_bytes = 0;
  uint64_t kernel_object = 0, kernarg_address = 0;
  uint64_t completion_signal = 0;
};
KernelPacket read_kernel_packet(const PacketBytes& packet);

struct BarrierPacket {
  std::array<uint64_t, 5> signals{};  // 0: none
  uint64_t completion_signal = 0;
};
BarrierPacket read_barrier_packet(const PacketBytes& packet);
// The address of the packet's completion signal, which is at the same offset in packets of all kinds.
uint64_t completion_signal_of(const PacketBytes& packet);

// Offsets in amd_signal_t.
struct SignalLayout {
  static constexpr uint64_t value = 8, mailbox = 16, event_id = 24, start = 32, end = 40, bytes = 64;
};
// Offsets in amd_queue_t.
struct QueueLayout {
  static constexpr uint64_t read_index = 128, ring_setup = 140, scratch_descriptor = 144, scratch_location = 160,
                            scratch_lane_bytes = 176, properties = 180, inactive_signal = 192, bytes = 256;
  static constexpr uint32_t profiles = 1 << 3;  // of properties: packets' times are wanted
};

// Values of a queue's inactive signal for packets that cannot be carried out (ROCR-Runtime amd_aql_queue.cpp, DynamicScratchHandler).
enum QueueError : uint32_t {
  error_scratch = 1,  // too little of it: the packet is tried again when the signal is 0
  error_dimensions = 2,
  error_group_memory = 4,
  error_code = 8,
  error_format = 32,
  error_group_size = 64,
  error_vendor_packet = 256,
  error_aperture = 0x20000000,
  error_instruction = 0x40000000,
  error_exception = 0x80000000
};

struct PacketPlace {
  uint64_t packet_address = 0, queue_address = 0, index = 0;
};

// The packet's dispatch. `error`: what the queue is told if there is none.
Expected<Dispatch> dispatch_of(const Target& target, const KernelPacket& packet, const KernelDescriptor& descriptor,
                               const PacketPlace& place, uint32_t lane_scratch_bytes, QueueError& error);

}  // namespace Atoll::hsa
