// Code objects in a device's memory, and what is to be known of their kernels.
#include <algorithm>
#include <span>

#include "api/handles.h"
#include "gpu/chips/family_programs.h"
#include "gpu/open/launch.h"

using namespace Atoll;
using namespace Atoll::api;

namespace {

void add_kernel(atoll_object& object, const Kernel& signature, const intel::IntelKernel* intel_kernel) {
  atoll_kernel kernel{&object, &signature, intel_kernel, {}};
  for (const KernelArgument& argument : signature.arguments)
    if (!is_hidden(argument.kind)) kernel.parameters.push_back(&argument);
  object.kernels.push_back(std::move(kernel));
}

Result<void> load_intel(atoll_object& object, std::span<const uint8_t> bytes, const std::string& name) {
  const gpu::Chip& chip = object.device->chip;
  if (gpu::programs_of(chip).container != gpu::Container::intel)
    return refuse(ATOLL_ERROR_OBJECT, "{}: made by Intel's compiler, which {} does not run: open dg1", name, chip.name);
  auto read = intel::read_intel_object(bytes, name);
  if (!read) return refuse(ATOLL_ERROR_OBJECT, read.error());
  object.intel = std::move(*read);
  for (const intel::IntelKernel& kernel : object.intel->kernels) add_kernel(object, kernel.signature, &kernel);
  return {};
}

Result<void> load_hsa(atoll_object& object, std::span<const uint8_t> bytes, const std::string& name) {
  const gpu::Chip& chip = object.device->chip;
  if (gpu::programs_of(chip).container == gpu::Container::intel) {
    auto read = read_code_object(bytes, name);
    if (!read) return refuse(ATOLL_ERROR_OBJECT, read.error());
    return refuse(ATOLL_ERROR_OBJECT,
                  "{}: made for {}, but {} runs device binaries of Intel's compiler: ocloc compile -device dg1", name,
                  read->processor, chip.name);
  }
  auto read = gpu::read_code_object_for(bytes, name, &chip);
  if (!read) return refuse(ATOLL_ERROR_OBJECT, read.error());
  if (!chip.processors.contains(read->processor))
    return refuse(ATOLL_ERROR_OBJECT, "{}: made for {}, which {} does not run: compile it with -mcpu={}", name, read->processor,
                  chip.name, chip.processors.front());
  object.hsa = std::move(*read);
  auto loaded = hsa::load(object.hsa, *object.device->space);
  if (!loaded) return refuse(ATOLL_ERROR_OBJECT, loaded.error());
  object.loaded = std::move(*loaded);
  for (const Kernel& kernel : object.hsa.kernels) add_kernel(object, kernel, nullptr);
  return {};
}

Result<void> load_object(atoll_device* device, const void* bytes, uint64_t count, const char* name, atoll_object** out) {
  if (!device || !bytes || !out)
    return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", !device ? "device" : !bytes ? "bytes" : "object");
  const std::span<const uint8_t> content{static_cast<const uint8_t*>(bytes), size_t(count)};
  const std::string file = name ? name : "code object";
  std::lock_guard lock(device->mutex);
  auto object = std::make_unique<atoll_object>();
  object->device = device;
  auto loaded = intel::is_intel_object(content) ? load_intel(*object, content, file) : load_hsa(*object, content, file);
  if (!loaded) return loaded;
  *out = object.get();
  device->objects.emplace(object.get(), std::move(object));
  return {};
}

std::string kernel_list(const atoll_object& object) {
  return object.intel ? object.intel->kernel_list() : object.hsa.kernel_list();
}
const std::string& file_of(const atoll_object& object) { return object.intel ? object.intel->file : object.hsa.file; }

Result<void> find_kernel(const atoll_object* object, const char* name, const atoll_kernel** out) {
  if (!object || !out) return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", object ? "kernel" : "object");
  if (object->kernels.empty()) return refuse(ATOLL_ERROR_NOT_FOUND, "{}: the object has no kernel", file_of(*object));
  if (!name && object->kernels.size() > 1)
    return refuse(ATOLL_ERROR_NOT_FOUND, "{}: {} kernels, name one: {}", file_of(*object), object->kernels.size(),
                  kernel_list(*object));
  for (const atoll_kernel& kernel : object->kernels)
    if (!name || kernel.signature->name == name) {
      *out = &kernel;
      return {};
    }
  return refuse(ATOLL_ERROR_NOT_FOUND, "{}: no kernel '{}': it has {}", file_of(*object), name, kernel_list(*object));
}

Result<void> find_symbol(const atoll_object* object, const char* name, uint64_t* address) {
  if (!object || !name || !address)
    return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", !object ? "object" : !name ? "name" : "gpu_address");
  if (object->intel) return refuse(ATOLL_ERROR_UNSUPPORTED, "{}: symbols of Intel's device binaries", file_of(*object));
  auto found = hsa::symbol_address(object->hsa, object->loaded, name);
  if (!found) return refuse(ATOLL_ERROR_NOT_FOUND, "{}: no symbol '{}' is defined there", file_of(*object), name);
  *address = *found;
  return {};
}

Result<void> describe_kernel(const atoll_kernel* kernel, atoll_kernel_info* out) {
  if (!kernel) return refuse(ATOLL_ERROR_ARGUMENT, "kernel is null");
  const Kernel& k = *kernel->signature;
  atoll_kernel_info info{};
  info.parameter_count = uint32_t(kernel->parameters.size());
  info.name = k.name.c_str();
  info.wave_lanes = kernel->intel ? kernel->intel->simd : k.wavefront_size;
  info.max_group_items = k.max_flat_workgroup_size;
  if (k.required_workgroup_size) std::copy_n(k.required_workgroup_size->begin(), 3, info.required_group);
  info.lds_bytes = kernel->intel ? kernel->intel->slm_bytes : k.group_segment_bytes;
  info.scratch_bytes = kernel->intel ? kernel->intel->scratch_bytes : k.private_segment_bytes;
  info.kernarg_bytes = kernel->intel ? 0 : k.kernarg_bytes;
  return write_struct(info, out, sizeof(atoll_kernel_info), "atoll_kernel_info");
}

Result<void> describe_parameter(const atoll_kernel* kernel, uint32_t index, atoll_parameter_info* out) {
  if (!kernel) return refuse(ATOLL_ERROR_ARGUMENT, "kernel is null");
  if (index >= kernel->parameters.size())
    return refuse(ATOLL_ERROR_NOT_FOUND, "kernel '{}' has {} parameters, none of index {}", kernel->signature->name,
                  kernel->parameters.size(), index);
  const KernelArgument& p = *kernel->parameters[index];
  atoll_parameter_info info{};
  info.kind = kind_of(p.kind);
  info.bytes = p.bytes;
  info.offset = kernel->intel ? 0 : p.offset;
  info.name = p.name.c_str(), info.type_name = p.type_name.c_str();
  return write_struct(info, out, sizeof(atoll_parameter_info), "atoll_parameter_info");
}

}  // namespace

namespace Atoll::api {

uint32_t kind_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::ByValue: return ATOLL_PARAMETER_VALUE;
    case ValueKind::GlobalBuffer: return ATOLL_PARAMETER_BUFFER;
    case ValueKind::DynamicSharedPointer: return ATOLL_PARAMETER_LOCAL;
    case ValueKind::Image: return ATOLL_PARAMETER_IMAGE;
    case ValueKind::Sampler: return ATOLL_PARAMETER_SAMPLER;
    default: return ATOLL_PARAMETER_OTHER;
  }
}

}  // namespace Atoll::api

extern "C" {

atoll_status atoll_object_load(atoll_device* device, const void* bytes, uint64_t byte_count, const char* name,
                               atoll_object** object) {
  if (object) *object = nullptr;
  return guarded([&] { return load_object(device, bytes, byte_count, name, object); });
}
void atoll_object_unload(atoll_object* object) {
  if (!object) return;
  atoll_device& device = *object->device;
  std::lock_guard lock(device.mutex);
  if (!object->intel) hsa::unload(object->loaded, *device.space);
  device.objects.erase(object);
}
const atoll_kernel* atoll_object_kernel(const atoll_object* object, uint32_t index) {
  return object && index < object->kernels.size() ? &object->kernels[index] : nullptr;
}
atoll_status atoll_object_find(const atoll_object* object, const char* name, const atoll_kernel** kernel) {
  if (kernel) *kernel = nullptr;
  return guarded([&] { return find_kernel(object, name, kernel); });
}
atoll_status atoll_object_symbol(const atoll_object* object, const char* name, uint64_t* gpu_address) {
  return guarded([&] { return find_symbol(object, name, gpu_address); });
}
atoll_status atoll_kernel_describe(const atoll_kernel* kernel, atoll_kernel_info* info) {
  return guarded([&] { return describe_kernel(kernel, info); });
}
atoll_status atoll_kernel_parameter(const atoll_kernel* kernel, uint32_t index, atoll_parameter_info* info) {
  return guarded([&] { return describe_parameter(kernel, index, info); });
}

}  // extern "C"
