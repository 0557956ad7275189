// The state of any queue: the memory it sees, a submission's remaining budget, the reason why it was lost, its counts.
// Each family's Context adds its registers and caches.
#pragma once
#include <setjmp.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "gpu/device/budget.h"
#include "gpu/device/device.h"
#include "gpu/device/reports.h"
#include "gpu/device/uses.h"
#include "memory/address_space.h"
#include "memory/fault.h"

namespace Atoll::gpu {

struct QueueState : Reports {
  QueueState(AddressSpace& space, const Options& options, std::atomic<int>& stop)
      : Reports(options.strict), space(space), options(options), stop(stop), budget(options.limits) {}
  QueueState(const QueueState&) = delete;
  QueueState& operator=(const QueueState&) = delete;

  AddressSpace& space;
  const Options& options;             // of the device
  std::atomic<int>& stop;             // once raised (by whom: gpu/device/watch.h), running work ends soon
  std::atomic<uint64_t> progress{0};  // packets begun, waves and tiles ended so far, for the watchdog
  Statistics statistics;

  Budget budget;  // of the submission at hand
  // True if the budget allows what was just counted: `within(budget.packets())`. Otherwise the context is lost.
  bool within(bool room) { return room || lose(budget.report()); }

  // Why `stop` is raised; `where` is what ran, if anything is to be said of it.
  std::string why_stopped(const std::string& where = {}) const;
  // Loses the context for that reason. Always false.
  bool lose_stopped(const std::string& where = {}) { return lose(why_stopped(where)); }

  // Ends a draw whose reports were kept: makes the reports, and loses the context if it was not drawn to its end (`good` is
  // false), with a stage's report if there is one.
  void end_draw(Kept& reports, bool good);

  // Sets the name and address of the current packet.
  void begin_packet() const {
    if (options.before_packet) options.before_packet(*this);
  }

  // Tells whoever watches (Options::uses) of a structure that the draw or dispatch at hand uses.
  void tell_use(std::string_view structure, uint64_t address, std::span<const uint32_t> words) const {
    if (options.uses && options.uses->structure) options.uses->structure(structure, address, words);
  }
  // Sees to it that whoever watches is told of each program that is found. `begin_of(program)`: the PC of its first instruction;
  // `address_of`: its GPU address.
  template <class Cache, class Begin, class Address>
  void tell_programs(Cache& cache, Begin begin_of, Address address_of) const {
    if (!options.uses || !options.uses->program) return;
    cache.found = [uses = options.uses, begin_of, address_of](const typename Cache::Program& program) {
      uses->program(*program.program, begin_of(program), address_of(program));
    };
  }
  // The same of a cache of programs in memory.
  template <class Cache>
  void tell_programs(Cache& cache) const {
    constexpr auto address = [](const typename Cache::Program& program) { return program.address; };
    tell_programs(cache, address, address);
  }

  // Device::after_draw, if a device has the queue. It is called with the draw's targets, on the queue's thread.
  const decltype(Device::after_draw)* after_draw = nullptr;
  bool asked_for_draws() const { return after_draw && *after_draw; }

  // The host address of a wholly mapped GPU range; else null, and the context is lost: `what` names the access in the report.
  uint8_t* memory(uint64_t address, uint64_t bytes, bool write, const char* what);
  // Copies out of and into GPU memory; false: some of it is not mapped like that, and the context is lost. Aligned 4 and 8 bytes
  // are one access.
  bool read(uint64_t address, void* to, size_t bytes, const char* what);
  bool write(uint64_t address, const void* from, size_t bytes, const char* what);
  // Runs `access`, which touches GPU memory at [address, address + bytes) and owns nothing that a fault would leave behind;
  // false: another thread unmapped it meanwhile, and the context is lost. Not on threads other than the queue's.
  template <class Access>
  bool guarded(uint64_t address, uint64_t bytes, const char* what, Access access) {
    if (!recovery) return access(), true;
    if (sigsetjmp(recovery->environment, 0)) return unmapped(address, bytes, what);
    recovery->activate();
    access();
    recovery->deactivate();
    return true;
  }
  FaultRecovery* recovery = nullptr;  // while the queue runs

private:
  bool unmapped(uint64_t address, uint64_t bytes, const char* what);
};

}  // namespace Atoll::gpu
