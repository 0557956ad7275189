#include "gpu/hsa/dispatch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/hsa/hidden_arguments.h"

namespace Atoll::hsa {
namespace {

constexpr uint32_t bits(uint32_t word, unsigned low, unsigned count) { return word >> low & ((1u << count) - 1); }

constexpr uint64_t local_alignment = 16;  // of dynamic LDS blocks (CLI.md)

template <class T>
void put(std::span<uint8_t> bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

std::string triple(const std::array<uint64_t, 3>& n) { return fmt::format("{},{},{}", n[0], n[1], n[2]); }

Expected<void> check_shape(const Target& target, const Kernel& kernel, const LaunchShape& shape) {
  for (int i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0)
      return fail("{}: a grid of {} has no work-items: give every dimension at least 1", kernel.name, triple(shape.grid));
    if (shape.group[i] == 0)
      return fail("{}: a group of {} has no work-items: give every dimension at least 1", kernel.name, triple(shape.group));
    if (shape.grid[i] > UINT32_MAX)
      return fail("{}: a grid of {} does not fit into the dispatch packet's 32 bits a dimension: launch it in parts", kernel.name,
                  triple(shape.grid));
  }
  if (auto& required = kernel.required_workgroup_size)
    for (int i = 0; i < 3; ++i)
      if ((*required)[i] != shape.group[i])
        return fail("{}: the kernel requires a group of {},{},{}, not {}: give --group {},{},{}", kernel.name, (*required)[0],
                    (*required)[1], (*required)[2], triple(shape.group), (*required)[0], (*required)[1], (*required)[2]);
  uint64_t most = std::min<uint64_t>(kernel.max_flat_workgroup_size ? kernel.max_flat_workgroup_size : target.max_group_items,
                                     target.max_group_items);
  uint64_t items = 1;
  for (uint64_t n : shape.group) {
    if (n > most || items * n > most)
      return fail("{}: a group of {} has more work-items than the kernel's maximum of {}: give a smaller --group", kernel.name,
                  triple(shape.group), most);
    items *= n;
  }
  for (int i = 1; i < 3; ++i)
    if ((shape.grid[i] + shape.group[i] - 1) / shape.group[i] > target.max_groups_yz)
      return fail("{}: more than {} work-groups in dimension {} (grid {}, group {}): launch it in parts", kernel.name,
                  target.max_groups_yz, "XYZ"[i], shape.grid[i], shape.group[i]);
  return {};
}

Expected<void> check_descriptor(const Target& target, const CodeObject& object, const Kernel& kernel) {
  const KernelDescriptor& d = kernel.descriptor;
  if (std::find(target.processors.begin(), target.processors.end(), object.processor) == target.processors.end())
    return fail("{}: made for {}, not for {}: compile it with {}", object.file, object.processor, target.family,
                target.compile_options);
  if (d.properties & target.refused_properties)
    return fail(
        "{}: the descriptor of kernel '{}' asks for SGPRs that {} does not have (properties {:#x}): build the object again",
        object.file, kernel.name, target.family, d.properties);
  uint32_t wave = target.wave32 && d.properties & PROPERTY_WAVE32 ? 32 : 64;
  if (wave != kernel.wavefront_size)
    return fail("{}: the descriptor of kernel '{}' says wave{}, its metadata wave{}: build the object again", object.file,
                kernel.name, wave, kernel.wavefront_size);
  return {};
}

// Places the explicit arguments and adds up the dynamic LDS; answers its size with the alignment in front of the blocks.
Expected<uint64_t> write_explicit_arguments(const Target& target, const Kernel& kernel, uint64_t static_lds,
                                            std::span<const ArgumentValue> values, std::span<uint8_t> kernarg) {
  uint64_t lds = static_lds;
  size_t next = 0;
  for (auto& argument : kernel.arguments) {
    if (is_hidden(argument.kind)) continue;
    if (next == values.size()) return fail("{}: the kernel takes more than {} arguments", kernel.name, values.size());
    const ArgumentValue& value = values[next++];
    if (value.local != (argument.kind == ValueKind::DynamicSharedPointer))
      return fail("{}: argument {} is a {}, {} a block of LDS", kernel.name, next - 1, argument.kind_text,
                  value.local ? "not" : "which needs");
    if (value.local) {
      lds = round_up(lds, std::max<uint64_t>(local_alignment, argument.pointee_alignment));
      if (argument.bytes < 4 || lds > UINT32_MAX || value.local_bytes > UINT32_MAX)
        return fail("{}: argument {} asks for {} bytes of LDS, but a work-group has {}", kernel.name, next - 1, value.local_bytes,
                    target.max_lds_bytes);
      put(kernarg, argument.offset, uint32_t(lds));
      lds += value.local_bytes;
      continue;
    }
    if (value.bytes.size() != argument.bytes)
      return fail("{}: argument {} takes {} bytes, not {}", kernel.name, next - 1, argument.bytes, value.bytes.size());
    std::copy(value.bytes.begin(), value.bytes.end(), kernarg.begin() + argument.offset);
  }
  if (next != values.size()) return fail("{}: the kernel takes {} arguments, not {}", kernel.name, next, values.size());
  return lds - static_lds;
}

// hsa_kernel_dispatch_packet_t (HSA System Architecture 2.9.6)
void write_packet(std::span<uint8_t> packet, const Dispatch& d) {
  constexpr uint16_t kernel_dispatch = 2, barrier = 1 << 8, acquire_system = 2 << 9, release_system = 2 << 11;
  put<uint16_t>(packet, 0, kernel_dispatch | barrier | acquire_system | release_system);
  put<uint16_t>(packet, 2, uint16_t(d.dimensions));
  for (int i = 0; i < 3; ++i) {
    put(packet, 4 + 2 * i, uint16_t(d.group[i]));
    put(packet, 12 + 4 * i, d.grid[i]);
  }
  put(packet, 24, d.scratch_bytes);
  put(packet, 28, d.static_lds_bytes + d.dynamic_lds_bytes);
  put(packet, 32, d.descriptor_address);
  put(packet, 40, d.kernarg_address);
}

// amd_queue_t around hsa_queue_t (ROCR's amd_hsa_queue.h); a queue of one packet that has been taken
void write_queue(const Target& target, std::span<uint8_t> queue, const Dispatch& d) {
  put(queue, 8, d.packet_address);
  put<uint32_t>(queue, 24, 1);                   // size in packets
  put<uint64_t>(queue, 56, 1);                   // write_dispatch_id
  put(queue, 64, target.shared_aperture_high);   // group_segment_aperture_base_hi
  put(queue, 68, target.private_aperture_high);  // private_segment_aperture_base_hi
  put<uint64_t>(queue, 128, 1);                  // read_dispatch_id
}
constexpr uint64_t queue_bytes = 256, packet_bytes = 64;

bool can_print(const Kernel& kernel, int version) {
  bool hidden = false;
  for (auto& argument : kernel.arguments) {
    if (argument.kind == ValueKind::HiddenPrintfBuffer) return true;
    hidden |= is_hidden(argument.kind);
  }
  return hidden && version >= 5;  // a library routine may print without the metadata's telling
}

}  // namespace

// User SGPRs in the order of AMDGPUUsage, "SGPR Register Set Up Order"
Expected<void> write_user_sgprs(const Target& target, const std::string& kernel, const KernelDescriptor& descriptor,
                                std::span<const uint8_t> kernarg, Dispatch& d) {
  unsigned asked = bits(descriptor.rsrc2, 1, 5), next = 0;
  auto put32 = [&](uint32_t value) {
    if (next < d.user_sgprs.size()) d.user_sgprs[next] = value;
    ++next;
  };
  auto put64 = [&](uint64_t value) { put32(uint32_t(value)), put32(uint32_t(value >> 32)); };
  if (descriptor.properties & PROPERTY_PRIVATE_SEGMENT_BUFFER) {
    d.private_segment_buffer_sgpr = int(next);
    next += 4;
  }
  if (descriptor.properties & PROPERTY_DISPATCH_PTR) put64(d.packet_address);
  if (descriptor.properties & PROPERTY_QUEUE_PTR) put64(d.queue_address);
  if (descriptor.properties & PROPERTY_KERNARG_PTR) put64(d.kernarg_address);
  if (descriptor.properties & PROPERTY_DISPATCH_ID) put64(d.dispatch_index);
  if (descriptor.properties & PROPERTY_FLAT_SCRATCH_INIT) {
    d.flat_scratch_sgpr = int(next);
    next += 2;
  }
  if (descriptor.properties & PROPERTY_PRIVATE_SEGMENT_SIZE) put32(d.scratch_bytes);
  // Preloaded kernel arguments. (Where the hardware preloads, code that starts by loading them itself finds the same values.)
  uint32_t preload = bits(descriptor.kernarg_preload, 0, 7), from = bits(descriptor.kernarg_preload, 7, 9);
  for (uint32_t i = 0; i < preload; ++i) {
    uint32_t word = 0;
    uint64_t at = uint64_t(from + i) * 4;
    if (at + 4 <= kernarg.size()) std::memcpy(&word, kernarg.data() + at, 4);
    put32(word);
  }
  if (next > asked)
    return fail("{}: the kernel's descriptor has {} user SGPRs, but what it enables takes {}: build the object again", kernel,
                asked, next);
  if (asked > target.max_user_sgprs)
    return fail("{}: the kernel's descriptor has {} user SGPRs, {} has {} at most: build the object again", kernel, asked,
                target.family, target.max_user_sgprs);
  d.user_sgpr_count = asked;
  return {};
}

void release(Dispatch& dispatch, AddressSpace& space) {
  for (auto& buffer : dispatch.buffers) space.free(buffer);
  dispatch.buffers.clear();
}

Expected<Dispatch> prepare_dispatch(const Target& target, const CodeObject& object, const LoadedObject& loaded,
                                    const Kernel& kernel, const LaunchShape& shape, std::span<const ArgumentValue> arguments,
                                    AddressSpace& space) {
  return prepare_dispatch(target, object, loaded, kernel, shape, arguments, 0, space);
}

Expected<Dispatch> prepare_dispatch(const Target& target, const CodeObject& object, const LoadedObject& loaded,
                                    const Kernel& kernel, const LaunchShape& shape, std::span<const ArgumentValue> arguments,
                                    uint64_t extra_lds_bytes, AddressSpace& space) {
  if (auto checked = check_descriptor(target, object, kernel); !checked) return std::unexpected(checked.error());
  if (auto checked = check_shape(target, kernel, shape); !checked) return std::unexpected(checked.error());
  for (auto& argument : kernel.arguments)
    if (argument.kind == ValueKind::Unknown)
      return fail("{}: an argument is of kind '{}', which Atoll does not know", kernel.name, argument.kind_text);

  const KernelDescriptor& descriptor = kernel.descriptor;
  Dispatch d;
  d.kernel = kernel.name;
  d.dimensions = shape.dimensions;
  for (int i = 0; i < 3; ++i) {
    d.grid[i] = uint32_t(shape.grid[i]);
    d.group[i] = uint32_t(shape.group[i]);
    d.groups[i] = uint32_t((shape.grid[i] + shape.group[i] - 1) / shape.group[i]);
  }
  d.entry = loaded.address(kernel.entry_address);
  auto code = std::ranges::find_if(loaded.code, [&](const LoadedObject::Range& range) { return range.contains(d.entry); });
  if (code == loaded.code.end())
    return fail("{}: the code of kernel '{}' at {:#x} lies in no executable segment: build the object again", object.file,
                kernel.name, kernel.entry_address);
  d.code_start = code->start;
  d.code_bytes = code->bytes;
  d.descriptor_address = loaded.address(kernel.descriptor_address);
  d.wave_size = kernel.wavefront_size;
  d.rsrc1 = descriptor.rsrc1, d.rsrc2 = descriptor.rsrc2, d.rsrc3 = descriptor.rsrc3;

  bool dynamic_stack = kernel.uses_dynamic_stack || (descriptor.properties & PROPERTY_DYNAMIC_STACK);
  uint64_t scratch = std::max(descriptor.private_segment_bytes, kernel.private_segment_bytes);
  if (dynamic_stack) scratch += dynamic_stack_bytes;
  if (!bits(descriptor.rsrc2, 0, 1)) scratch = 0;
  scratch = round_up(scratch, 4);
  if (scratch > target.max_scratch_bytes)
    return fail("{}: {} bytes of private memory a work-item are more than the hardware's {}: use smaller private arrays",
                kernel.name, scratch, target.max_scratch_bytes);
  d.scratch_bytes = uint32_t(scratch);

  std::vector<uint8_t> kernarg(
      std::max(kernel.kernarg_bytes, descriptor.kernarg_bytes <= 1 << 20 ? descriptor.kernarg_bytes : 0));
  uint64_t static_lds = std::max(descriptor.group_segment_bytes, kernel.group_segment_bytes);
  auto dynamic_lds = write_explicit_arguments(target, kernel, static_lds, arguments, kernarg);
  if (!dynamic_lds) return std::unexpected(dynamic_lds.error());
  if (extra_lds_bytes)
    *dynamic_lds =
        round_up(static_lds + *dynamic_lds, local_alignment) - static_lds + std::min<uint64_t>(extra_lds_bytes, UINT32_MAX);
  if (static_lds + *dynamic_lds > target.max_lds_bytes)
    return fail("{}: {} bytes of LDS ({} static, {} dynamic) are more than the {} that a work-group has: ask for less",
                kernel.name, static_lds + *dynamic_lds, static_lds, *dynamic_lds, target.max_lds_bytes);
  d.static_lds_bytes = uint32_t(static_lds);
  d.dynamic_lds_bytes = uint32_t(*dynamic_lds);
  d.lds_bytes = uint32_t(round_up(static_lds + *dynamic_lds, target.lds_block));

  auto allocate = [&](uint64_t bytes, uint64_t alignment) -> Expected<Buffer> {
    auto buffer = space.allocate(bytes, alignment);
    if (buffer) d.buffers.push_back(*buffer);
    return buffer;
  };
  auto give_up = [&](const Error& error) {
    release(d, space);
    return std::unexpected(error);
  };
  if (can_print(kernel, object.version)) {
    auto buffer = allocate(printf_buffer_bytes, 64);
    if (!buffer) return give_up(buffer.error());
    put<uint32_t>(buffer->span(), 4, printf_buffer_bytes);  // bytes in use, then size; see printf.h
    d.printf_buffer = *buffer;
  }
  auto packet = allocate(packet_bytes, packet_bytes), queue = allocate(queue_bytes, 64);
  auto segment = allocate(round_up(kernarg.size(), 64), std::max<uint64_t>(64, std::bit_ceil(kernel.kernarg_alignment)));
  for (auto* buffer : {&packet, &queue, &segment})
    if (!*buffer) return give_up(buffer->error());
  d.packet_address = packet->gpu_address;
  d.queue_address = queue->gpu_address;
  d.kernarg_address = segment->gpu_address;

  write_hidden_arguments(kernel, object.version,
                         {.grid = d.grid,
                          .group = d.group,
                          .dimensions = d.dimensions,
                          .printf_buffer = d.printf_buffer.gpu_address,
                          .queue = d.queue_address,
                          .dynamic_lds_bytes = d.dynamic_lds_bytes,
                          .private_base = target.private_aperture_high,
                          .shared_base = target.shared_aperture_high},
                         kernarg);
  std::copy(kernarg.begin(), kernarg.end(), segment->host_pointer);
  write_packet(packet->span(), d);
  write_queue(target, queue->span(), d);
  if (auto written = write_user_sgprs(target, kernel.name, kernel.descriptor, kernarg, d); !written)
    return give_up(written.error());
  return d;
}

}  // namespace Atoll::hsa
