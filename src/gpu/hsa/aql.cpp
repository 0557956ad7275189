#include "gpu/hsa/aql.h"

#include <cstring>

namespace Atoll::hsa {
namespace {

template <class T>
T get(const PacketBytes& packet, size_t offset) {
  T value;
  std::memcpy(&value, packet.data() + offset, sizeof value);
  return value;
}

}  // namespace

uint32_t vendor_format(const PacketBytes& packet) { return get<uint16_t>(packet, 2); }

uint64_t completion_signal_of(const PacketBytes& packet) { return get<uint64_t>(packet, 56); }

KernelPacket read_kernel_packet(const PacketBytes& packet) {
  KernelPacket p;
  for (unsigned axis = 0; axis < 3; axis++) {
    p.group[axis] = get<uint16_t>(packet, 4 + 2 * axis);
    p.grid[axis] = get<uint32_t>(packet, 12 + 4 * axis);
  }
  p.private_bytes = get<uint32_t>(packet, 24), p.group_bytes = get<uint32_t>(packet, 28);
  p.kernel_object = get<uint64_t>(packet, 32), p.kernarg_address = get<uint64_t>(packet, 40);
  p.completion_signal = completion_signal_of(packet);
  return p;
}

BarrierPacket read_barrier_packet(const PacketBytes& packet) {
  BarrierPacket p;
  for (unsigned n = 0; n < p.signals.size(); n++) p.signals[n] = get<uint64_t>(packet, 8 + 8 * n);
  p.completion_signal = completion_signal_of(packet);
  return p;
}

Expected<Dispatch> dispatch_of(const Target& target, const KernelPacket& packet, const KernelDescriptor& descriptor,
                               const PacketPlace& place, uint32_t lane_scratch_bytes, QueueError& error) {
  Dispatch d;
  d.kernel = fmt::format("kernel at {:#x}", packet.kernel_object);
  uint64_t items = 1;
  error = error_dimensions;
  for (unsigned axis = 0; axis < 3; axis++) {
    if (!packet.grid[axis] || !packet.group[axis])
      return fail("a grid of {},{},{} work-items in groups of {},{},{}", packet.grid[0], packet.grid[1], packet.grid[2],
                  packet.group[0], packet.group[1], packet.group[2]);
    d.grid[axis] = packet.grid[axis], d.group[axis] = packet.group[axis];
    d.groups[axis] = uint32_t((uint64_t(d.grid[axis]) + d.group[axis] - 1) / d.group[axis]);
    items *= d.group[axis];
    if (items > target.max_group_items) {
      error = error_group_size;
      return fail("groups of {},{},{} work-items, {} has {}", packet.group[0], packet.group[1], packet.group[2], target.family,
                  target.max_group_items);
    }
  }
  error = error_group_memory;
  if (packet.group_bytes > target.max_lds_bytes)
    return fail("{} bytes of LDS, {} has {}", packet.group_bytes, target.family, target.max_lds_bytes);
  error = error_code;
  d.entry = packet.kernel_object + uint64_t(descriptor.entry_offset);
  d.wave_size = target.wave32 && descriptor.properties & PROPERTY_WAVE32 ? 32 : 64;
  d.rsrc1 = descriptor.rsrc1, d.rsrc2 = descriptor.rsrc2, d.rsrc3 = descriptor.rsrc3;
  d.static_lds_bytes = packet.group_bytes;
  d.lds_bytes = uint32_t(round_up(packet.group_bytes, target.lds_block));
  d.scratch_bytes = lane_scratch_bytes;
  d.dispatch_index = uint32_t(place.index);
  d.descriptor_address = packet.kernel_object, d.kernarg_address = packet.kernarg_address;
  d.packet_address = place.packet_address, d.queue_address = place.queue_address;
  KernelDescriptor asked = descriptor;
  asked.kernarg_preload = 0;  // gfx940's and later ones' alone, and other things in objects before version 3
  if (auto written = write_user_sgprs(target, d.kernel, asked, {}, d); !written) return std::unexpected(written.error());
  return d;
}

}  // namespace Atoll::hsa
