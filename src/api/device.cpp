// Devices and their memory.
#include <algorithm>
#include <cstring>

#include "api/handles.h"
#include "base/host_level.h"
#include "gpu/open/launch.h"

using namespace Atoll;
using namespace Atoll::api;

namespace Atoll::api {

Result<gpu::Engine> engine_of(uint32_t number) {
  switch (number) {
    case ATOLL_ENGINE_AUTO: return gpu::Engine::Auto;
    case ATOLL_ENGINE_INTERPRETER: return gpu::Engine::Interpreter;
    case ATOLL_ENGINE_JIT: return gpu::Engine::Jit;
    default: return refuse(ATOLL_ERROR_ARGUMENT, "engine {} is none of atoll_engine", number);
  }
}

hsa::RunOptions run_options(atoll_device& device) {
  hsa::RunOptions options;
  options.engine = device.engine;
  options.threads = device.threads;
  options.deterministic = device.deterministic;
  options.stop = &device.stop;
  return options;
}

Result<unsigned> threads_of(uint32_t number) {
  constexpr uint32_t most = 1024;
  if (number > most) return refuse(ATOLL_ERROR_ARGUMENT, "{} threads: {} are the most", number, most);
  return number;
}

}  // namespace Atoll::api

namespace {

bool launches(const gpu::Chip& chip) { return chip.launches(); }

Result<void> open_device(const char* name, const atoll_device_options* given, atoll_device** out) {
  if (!name || !out) return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", name ? "device" : "gpu");
  atoll_device_options options{};
  if (given) {
    auto read = read_struct(given, sizeof(atoll_device_options), "atoll_device_options");
    if (!read) return std::unexpected(read.error());
    options = *read;
  }
  auto engine = engine_of(options.engine);
  if (!engine) return std::unexpected(engine.error());
  auto threads = threads_of(options.threads);
  if (!threads) return std::unexpected(threads.error());
  const gpu::Chip* chip = gpu::find_chip(name);
  if (!chip) return refuse(ATOLL_ERROR_NOT_FOUND, "no GPU '{}': one of {}", name, gpu::chip_names(launches));
  if (!chip->launches())
    return refuse(ATOLL_ERROR_UNSUPPORTED, "{} runs no code objects: one of {}", chip->name, gpu::chip_names(launches));
  if (auto problem = host_level_problem(); !problem.empty()) return refuse(ATOLL_ERROR_UNSUPPORTED, "{}", problem);
  auto space = AddressSpace::create();
  if (!space) return refuse(ATOLL_ERROR_MEMORY, space.error());
  *out = new atoll_device{.chip = *chip,
                          .target = gpu::hsa_target(*chip),
                          .space = std::move(*space),
                          .engine = *engine,
                          .threads = *threads,
                          .deterministic = options.deterministic != 0};
  return {};
}

Result<void> map_memory(atoll_device* device, uint64_t bytes, uint64_t address, atoll_memory** out) {
  if (!device || !out) return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", device ? "memory" : "device");
  if (bytes == 0) return refuse(ATOLL_ERROR_ARGUMENT, "memory of 0 bytes");
  std::lock_guard lock(device->mutex);
  AddressSpace& space = *device->space;
  if (address) {
    if (address % page_bytes) return refuse(ATOLL_ERROR_ARGUMENT, "GPU address {:#x} is no multiple of {}", address, page_bytes);
    if (address >= space.size() || bytes > space.size() - address)
      return refuse(ATOLL_ERROR_ARGUMENT, "{} bytes at GPU address {:#x} reach beyond the address space, which ends at {:#x}",
                    bytes, address, space.size());
    if (!space.is_free(address, bytes))
      return refuse(ATOLL_ERROR_UNMAPPED, "{} bytes at GPU address {:#x}: something is mapped there already", bytes, address);
  }
  auto memory = std::make_unique<atoll_memory>(atoll_memory{device, {}});
  auto buffer = address ? space.allocate_at(address, bytes) : space.allocate(bytes, 256);
  if (!buffer) return refuse(ATOLL_ERROR_MEMORY, buffer.error());
  memory->buffer = *buffer;
  *out = memory.get();
  device->memories.emplace(memory.get(), std::move(memory));
  return {};
}

// Checks that the program's and the GPU's side of a copy exist.
Result<void> check_copy(const atoll_device* device, uint64_t address, const void* pointer, uint64_t bytes) {
  if (!device) return refuse(ATOLL_ERROR_ARGUMENT, "device is null");
  if (!pointer && bytes) return refuse(ATOLL_ERROR_ARGUMENT, "the program's pointer is null");
  if (bytes && !device->space->contains(address, bytes))
    return refuse(ATOLL_ERROR_UNMAPPED, "not all of {} bytes at GPU address {:#x} is mapped", bytes, address);
  return {};
}

}  // namespace

extern "C" {

const char* atoll_gpu_name(uint32_t index) {
  for (const gpu::Chip& chip : gpu::chips())
    if (chip.launches() && index-- == 0) return chip.name.data();  // (a literal's view: it ends with a zero)
  return nullptr;
}

atoll_status atoll_device_open(const char* gpu, const atoll_device_options* options, atoll_device** device) {
  if (device) *device = nullptr;
  return guarded([&] { return open_device(gpu, options, device); });
}
void atoll_device_close(atoll_device* device) { delete device; }
const char* atoll_device_gpu(const atoll_device* device) { return device ? device->chip.name.data() : nullptr; }
uint64_t atoll_device_address_limit(const atoll_device* device) { return device ? device->space->size() : 0; }
void atoll_device_stop(atoll_device* device) {
  if (!device) return;
  int running = 0;
  device->stop.compare_exchange_strong(running, hsa::stop_signal);
}

atoll_status atoll_memory_map(atoll_device* device, uint64_t bytes, uint64_t gpu_address, atoll_memory** memory) {
  if (memory) *memory = nullptr;
  return guarded([&] { return map_memory(device, bytes, gpu_address, memory); });
}
void atoll_memory_unmap(atoll_memory* memory) {
  if (!memory) return;
  atoll_device& device = *memory->device;
  std::lock_guard lock(device.mutex);
  device.space->free(memory->buffer);
  device.memories.erase(memory);
}
uint64_t atoll_memory_address(const atoll_memory* memory) { return memory ? memory->buffer.gpu_address : 0; }
void* atoll_memory_pointer(const atoll_memory* memory) { return memory ? memory->buffer.host_pointer : nullptr; }
uint64_t atoll_memory_bytes(const atoll_memory* memory) { return memory ? memory->buffer.bytes : 0; }

atoll_status atoll_read(atoll_device* device, uint64_t gpu_address, void* to, uint64_t bytes) {
  return guarded([&]() -> Result<void> {
    std::unique_lock<std::mutex> lock;
    if (device) lock = std::unique_lock(device->mutex);
    if (auto good = check_copy(device, gpu_address, to, bytes); !good) return good;
    if (bytes) std::memcpy(to, device->space->host(gpu_address), bytes);
    return {};
  });
}
atoll_status atoll_write(atoll_device* device, uint64_t gpu_address, const void* from, uint64_t bytes) {
  return guarded([&]() -> Result<void> {
    std::unique_lock<std::mutex> lock;
    if (device) lock = std::unique_lock(device->mutex);
    if (auto good = check_copy(device, gpu_address, from, bytes); !good) return good;
    if (bytes) std::memcpy(device->space->host(gpu_address), from, bytes);
    return {};
  });
}

}  // extern "C"
