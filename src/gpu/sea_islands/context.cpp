#include "gpu/sea_islands/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "gpu/device/watch.h"
#include "gpu/sea_islands/chip_config.h"
#include "gpu/sea_islands/clear_state.h"
#include "gpu/sea_islands/shaders/images.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

namespace {

// Cleared, with what describes the chip.
RegisterFile first_registers(const gpu::Chip& chip) {
  static std::mutex mutex;
  [[clang::no_destroy]] static std::map<const gpu::Chip*, RegisterFile> all;
  std::lock_guard lock(mutex);
  auto [at, fresh] = all.try_emplace(&chip, registers_end);
  if (fresh) {
    clear_state(at->second);
    for (uint32_t address = 0; address < registers_end; address += 4)
      if (uint32_t value; reset_value(chip, address, value)) at->second.set(address, value);
  }
  return at->second;
}

}  // namespace

Context::Context(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                 std::atomic<int>& stop)
    : chip(chip),
      config(config_of(chip)),
      kind(kind),
      space(space),
      options(options),
      stop(stop),
      threads(options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency())),
      registers(first_registers(chip)),
      images(std::make_unique<Images>(*this)),
      budget(options.limits) {}

Context::~Context() = default;

wave::GlobalPart Context::global_part() const {
  using wave::GlobalShare;
  wave::GlobalPart part;
  if (!share) return part;
  const auto sync = registers.read<GDS_GWS_VMID>(0);
  part.share = share;
  part.base = registers.get<GDS_VMID_BASE::BASE>(0) & ~3u;
  part.bytes = std::min(registers.get<GDS_VMID_SIZE::SIZE>(0), GlobalShare::bytes - part.base);
  part.first_resource = GDS_GWS_VMID::BASE::get(sync);
  part.resources = std::min(GDS_GWS_VMID::SIZE::get(sync), GlobalShare::resources - part.first_resource);
  return part;
}

std::string Context::place() const { return fmt::format("{} at {:#x}", packet, packet_address); }

void Context::unknown(std::string what) {
  constexpr size_t most_entries = 1000;
  std::lock_guard lock(mutex_);
  // A hostile stream or program puts a different number into every report: from here on they are counted together.
  if (statistics.unknown.size() >= most_entries && !unknown_index_.contains(what)) what = "more that is not understood";
  auto [at, fresh] = unknown_index_.try_emplace(what, statistics.unknown.size());
  if (fresh) statistics.unknown.push_back({what, place(), 0});
  statistics.unknown[at->second].times++;
  if (!options.strict || lost_) return;
  report_ = fmt::format("{}: {} is not understood (--strict)", place(), what);
  lost_ = true;
}

bool Context::lose(std::string report) {
  std::lock_guard lock(mutex_);
  if (lost_) return false;
  report_ = fmt::format("{}: {}", place(), report);
  lost_ = true;
  return false;
}

bool Context::lose(std::string report, gpu::Fault fault) {
  std::lock_guard lock(mutex_);
  if (lost_) return false;
  report_ = fmt::format("{}: {}", place(), report);
  fault_ = std::move(fault);
  lost_ = true;
  return false;
}

std::optional<gpu::Fault> Context::fault() const {
  std::lock_guard lock(mutex_);
  return fault_;
}

bool Context::lose_stopped() {
  if (stop.load() != gpu::stopped_by_watch) return lose("stopped");
  return lose(fmt::format("nothing moved for {} s: the GPU hangs", options.most_still_seconds));
}

std::string Context::report() const {
  std::lock_guard lock(mutex_);
  return report_;
}

bool Context::unmapped(uint64_t address, uint64_t bytes, const char* what) {
  return lose(fmt::format("{} of {} bytes at {:#x}, where nothing is mapped", what, bytes, address));
}

bool Context::read(uint64_t address, void* to, size_t bytes, const char* what) {
  if (bytes == 0) return true;
  const uint8_t* from = memory(address, bytes, false, what);
  if (!from) return false;
  return guarded(address, bytes, what, [&] {
    if (bytes == 4 && address % 4 == 0) {
      uint32_t value = __atomic_load_n(reinterpret_cast<const uint32_t*>(from), __ATOMIC_ACQUIRE);
      std::memcpy(to, &value, 4);
    } else if (bytes == 8 && address % 8 == 0) {
      uint64_t value = __atomic_load_n(reinterpret_cast<const uint64_t*>(from), __ATOMIC_ACQUIRE);
      std::memcpy(to, &value, 8);
    } else {
      std::memcpy(to, from, bytes);
    }
  });
}

bool Context::write(uint64_t address, const void* from, size_t bytes, const char* what) {
  if (bytes == 0) return true;
  uint8_t* to = memory(address, bytes, true, what);
  if (!to) return false;
  return guarded(address, bytes, what, [&] {
    if (bytes == 4 && address % 4 == 0) {
      uint32_t value;
      std::memcpy(&value, from, 4);
      __atomic_store_n(reinterpret_cast<uint32_t*>(to), value, __ATOMIC_RELEASE);
    } else if (bytes == 8 && address % 8 == 0) {
      uint64_t value;
      std::memcpy(&value, from, 8);
      __atomic_store_n(reinterpret_cast<uint64_t*>(to), value, __ATOMIC_RELEASE);
    } else {
      std::memcpy(to, from, bytes);
    }
  });
}

uint64_t Context::clock() {
  if (options.deterministic) return ++clock_reads_;
  using namespace std::chrono;
  auto now = duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  return uint64_t(static_cast<unsigned __int128>(now) * chip.crystal_clock / 1'000'000);
}

uint8_t* Context::memory(uint64_t address, uint64_t bytes, bool write, const char* what) {
  if (space.contains(address, bytes, write)) return space.host(address);
  lose(fmt::format("{} of {} bytes at {:#x}, where {}", what, bytes, address,
                   write && space.contains(address, bytes) ? "memory is read-only" : "nothing is mapped"));
  return nullptr;
}

}  // namespace Atoll::sea_islands
