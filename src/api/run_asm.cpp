// Instruction words on this process's own memory: run_asm() with remu's meaning, and its wider forms.
// remu: wozeparrot/remu src/lib.rs, src/work_group.rs; tinygrad/tinygrad: test/mockgpu/amd/emu.py (run_asm), helpers.py, amdgpu.py.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "api/handles.h"
#include "api/results.h"
#include "gpu/hsa/stop_timer.h"
#include "gpu/rdna4/run.h"
#include "gpu/rdna4/words.h"
#include "memory/host_mirror.h"

using namespace Atoll;
using namespace Atoll::api;

namespace {

constexpr uint32_t default_lds_bytes = 64 << 10;
constexpr uint32_t tinygrad_rsrc2 = 0x19c;  // 14 user SGPRs, work-group ids X and Y (emu.py's default)
// COMPUTE_PGM_RSRC2.LDS_SIZE (LLVM docs AMDGPUUsage, compute_pgm_rsrc2): units of 128 dwords
uint32_t lds_bytes_of(uint32_t rsrc2) { return (rsrc2 >> 15 & 0x1ff) * 512; }

// The amount of the process's memory that comes with an address that the kernel has met, at first and at most.
constexpr uint64_t first_block_bytes = 64 << 10, largest_block_bytes = 1 << 30;
constexpr uint64_t first_code_bytes = 64 << 10;
constexpr unsigned argument_words = 32;  // of the kernarg segment, looked at for pointers

struct HostRun {
  const atoll_run_asm_options& options;
  rdna4::Words words;
  hsa::RunOptions run_options;
  bool everything;  // no ranges were named
  std::vector<HostRange> readable;
  HostMirror& mirror;
  AddressSpace& space;
  hsa::RunResult run;  // the last one

  const HostRange* readable_at(uint64_t address) const {
    auto after = std::ranges::upper_bound(readable, address, {}, &HostRange::start);
    if (after == readable.begin() || !std::prev(after)->contains(address)) return nullptr;
    return &*std::prev(after);
  }

  // The page of the address with its surroundings, `bytes` in all. False: it is there already, or the process does not have it.
  bool take_block(uint64_t address, uint64_t bytes) {
    const HostRange* range = readable_at(address);
    if (!range || mirror.contains(address)) return false;
    const uint64_t low = std::max(range->start, round_down(address, bytes)),
                   high = std::min(range->end(), round_down(address, bytes) + bytes);
    HostRange block = mirror.free_around(address, low, high);
    block.writable = range->writable;
    if (mirror.add(block)) return true;
    // Files have pages that are not there; this one may be.
    return mirror.add({round_down(address, page_bytes), page_bytes, range->writable}).has_value();
  }

  // Memory that kernels surely touch: their code, their arguments, and what those point to.
  void take_arguments() {
    const uint64_t args = uint64_t(uintptr_t(options.args));
    if (!take_block(args, first_block_bytes)) return;
    for (unsigned n = 0; n < argument_words; n++) {
      const uint64_t place = args + n * 8;
      if (!mirror.contains(place) || !mirror.contains(place + 7)) return;
      uint64_t pointer;
      std::memcpy(&pointer, space.host(place), 8);
      take_block(pointer, first_block_bytes);
    }
  }

  Result<void> take_ranges() {
    auto add = [&](const HostRange& range) -> Result<void> {
      if (auto added = mirror.add(range); !added) return refuse(ATOLL_ERROR_ARGUMENT, "range: {}", added.error().message);
      return {};
    };
    if (auto added = add({words.code, words.code_bytes, false}); !added) return added;
    for (uint32_t n = 0; n < options.range_count; n++) {
      const atoll_range& range = options.ranges[n];
      if (auto added = add({uint64_t(uintptr_t(range.pointer)), range.bytes, range.writable != 0}); !added) return added;
    }
    return {};
  }

  // True if the fault goes away when the kernel runs once more: it met memory of the process that was not copied.
  bool take_what_was_missing(const gpu::Fault& fault, uint64_t block_bytes) {
    if (fault.kind == gpu::FaultKind::InstructionFetch && words.code_bytes < code_limit()) {
      words.code_bytes = std::min(words.code_bytes * 8, code_limit());
      return take_code();
    }
    if (fault.kind > gpu::FaultKind::Atomic || !fault.bytes) return false;
    const bool first = take_block(fault.address, block_bytes);
    return take_block(fault.address + fault.bytes - 1, block_bytes) || first;
  }
  uint64_t code_limit() const { return round_down(std::min(options.lib_bytes, rdna4::max_code_bytes), 4); }
  bool take_code() {
    for (uint64_t at = words.code; at < words.code + words.code_bytes; at = round_down(at + first_block_bytes, first_block_bytes))
      if (!mirror.contains(at) && !take_block(at, first_block_bytes)) return false;
    return mirror.contains(words.code + words.code_bytes - 1) || take_block(words.code + words.code_bytes - 1, first_block_bytes);
  }

  // On a thread of its own.
  Result<void> go() {
    if (everything) {
      auto ranges = readable_host_ranges();
      if (!ranges) return refuse(ATOLL_ERROR_INTERNAL, ranges.error());
      readable = std::move(*ranges);
      words.code_bytes = std::min(code_limit(), first_code_bytes);
      if (!take_code())
        return refuse(ATOLL_ERROR_ARGUMENT, "lib: {} bytes at {:#x} cannot be read", words.code_bytes, words.code);
      take_arguments();
    } else {
      words.code_bytes = code_limit();
      if (auto taken = take_ranges(); !taken) return taken;
    }
    const uint64_t most = std::min<uint64_t>(machine_memory_bytes() / 4, uint64_t(1) << 40);
    for (unsigned round = 1;; round++) {
      auto dispatch = rdna4::words_dispatch(words);
      if (!dispatch) return refuse(ATOLL_ERROR_MISMATCH, dispatch.error());
      // Its own flag says that a wave faulted.
      int fault = hsa::stop_fault;
      run_options.stop->compare_exchange_strong(fault, 0);
      auto done = rdna4::run(*dispatch, space, run_options);
      if (!done) return refuse(ATOLL_ERROR_INTERNAL, done.error());
      run = std::move(*done);
      if (!run.fault || !everything) break;
      // Nothing of the kernel has reached the process: it begins once more, with more of the process there.
      if (!take_what_was_missing(*run.fault, std::min(largest_block_bytes, first_block_bytes << std::min(round - 1, 20u)))) break;
      if (mirror.bytes() > most)
        return refuse(ATOLL_ERROR_MEMORY, "the kernel touches more than {} bytes of the process's memory: name its ranges", most);
      mirror.restore();
    }
    return {};
  }
};

Result<void> check_arch(const char* arch) {
  const std::string_view name = arch ? arch : "rdna4";
  if (name == "rdna4" || name == "gfx1200" || name == "gfx1201") return {};
  return refuse(ATOLL_ERROR_UNSUPPORTED, "arch '{}': instruction words run as rdna4, gfx1200 or gfx1201", name);
}

Result<rdna4::Words> words_of(const atoll_run_asm_options& o) {
  rdna4::Words words;
  words.code = uint64_t(uintptr_t(o.lib));
  if (!o.lib || o.lib_bytes < 4) return refuse(ATOLL_ERROR_ARGUMENT, "lib: {} bytes of code at {}", o.lib_bytes, o.lib);
  if (words.code % 4)
    return refuse(ATOLL_ERROR_ARGUMENT, "lib: instruction words stand at multiples of 4, not at {:#x}", words.code);
  for (unsigned n = 0; n < 3; n++) {
    if (o.groups[n] == 0 || o.group[n] == 0)
      return refuse(ATOLL_ERROR_MISMATCH, "{} work-groups of {} work-items in dimension {}", o.groups[n], o.group[n], "XYZ"[n]);
    words.shape.grid[n] = uint64_t(o.groups[n]) * o.group[n], words.shape.group[n] = o.group[n];
  }
  if (o.wave_lanes) words.wave_lanes = o.wave_lanes;
  if (o.user_sgpr_count > 32) return refuse(ATOLL_ERROR_ARGUMENT, "{} user SGPRs: 32 are the most", o.user_sgpr_count);
  const uint64_t args = uint64_t(uintptr_t(o.args));
  if (o.user_sgprs)
    words.user_sgprs.assign(o.user_sgprs, o.user_sgprs + o.user_sgpr_count);
  else
    words.user_sgprs = {uint32_t(args), uint32_t(args >> 32)};
  if (o.rsrc1) words.rsrc1 = o.rsrc1;
  words.rsrc2 = o.rsrc2;
  words.lds_bytes = o.rsrc2 ? lds_bytes_of(o.rsrc2) : default_lds_bytes;
  words.scratch_bytes = o.scratch_bytes;
  return words;
}

Result<void> run_asm_with(const atoll_run_asm_options* given, atoll_result* result) {
  if (auto good = check_result(result); !good) return good;
  auto options = read_struct(given, sizeof(atoll_run_asm_options), "atoll_run_asm_options");
  if (!options) return std::unexpected(options.error());
  if (auto seconds = seconds_of(options->timeout_seconds); !seconds) return std::unexpected(seconds.error());
  if (auto good = check_arch(options->arch); !good) return good;
  if (options->range_count && !options->ranges) return refuse(ATOLL_ERROR_ARGUMENT, "ranges is null");
  if (options->ranges && options->range_size != sizeof(atoll_range))
    return refuse(ATOLL_ERROR_ARGUMENT, "range_size is {}: set it to sizeof(atoll_range), {}", options->range_size,
                  sizeof(atoll_range));
  auto words = words_of(*options);
  if (!words) return std::unexpected(words.error());
  words->code_bytes = 4;  // (go() sets it)
  if (auto good = rdna4::words_dispatch(*words); !good) return refuse(ATOLL_ERROR_MISMATCH, good.error());
  auto engine = engine_of(options->engine);
  if (!engine) return std::unexpected(engine.error());
  auto threads = threads_of(options->threads);
  if (!threads) return std::unexpected(threads.error());
  auto space = AddressSpace::create_sectioned();
  if (!space) return refuse(ATOLL_ERROR_MEMORY, space.error());

  HostMirror mirror(**space);
  std::atomic<int> stop{0};
  HostRun host{.options = *options,
               .words = *words,
               .run_options = {.engine = *engine, .threads = *threads, .stop = &stop},
               .everything = !options->ranges,
               .readable = {},
               .mirror = mirror,
               .space = **space,
               .run = {}};
  static const std::string nothing_printed;
  // The process's memory is read and written on Atoll's own threads only, as GPU code runs there (memory/fault.h).
  Failure failure;
  std::thread([&] {
    failure.status = guarded([&]() -> Result<void> {
      {
        hsa::StopTimer timer(stop, options->timeout_seconds);
        if (auto gone = host.go(); !gone) return gone;
      }
      if (auto written = write_result(host.run, nothing_printed, result); !written) return written;
      if (auto ended = outcome("lib", host.run, stop, options->timeout_seconds); !ended) return ended;
      if (auto written = mirror.write_back(); !written) return refuse(ATOLL_ERROR_FAULT, written.error());
      return {};
    });
    if (failure.status != ATOLL_OK) failure.message = atoll_error_message();
  }).join();
  if (failure.status != ATOLL_OK) return std::unexpected(failure);
  return {};
}

}  // namespace

extern "C" {

atoll_status atoll_run_asm(const atoll_run_asm_options* options, atoll_result* result) {
  return guarded([&] { return run_asm_with(options, result); });
}

int32_t run_asm(const char* lib, uint32_t lib_sz, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t lx, uint32_t ly, uint32_t lz,
                const uint64_t* args_ptr) {
  atoll_run_asm_options options{};
  options.size = sizeof options;
  options.lib = lib, options.lib_bytes = lib_sz;
  options.groups[0] = gx, options.groups[1] = gy, options.groups[2] = gz;
  options.group[0] = lx, options.group[1] = ly, options.group[2] = lz;
  options.args = args_ptr;
  return atoll_run_asm(&options, nullptr);
}

int32_t run_asm_ex(const char* lib, uint32_t lib_sz, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t lx, uint32_t ly, uint32_t lz,
                   const uint64_t* args_ptr, uint32_t rsrc2, uint32_t scratch_sz, const char* arch) {
  atoll_run_asm_options options{};
  options.size = sizeof options;
  options.arch = arch;
  options.lib = lib, options.lib_bytes = lib_sz;
  options.groups[0] = gx, options.groups[1] = gy, options.groups[2] = gz;
  options.group[0] = lx, options.group[1] = ly, options.group[2] = lz;
  options.args = args_ptr;
  options.rsrc2 = rsrc2 ? rsrc2 : tinygrad_rsrc2, options.scratch_bytes = scratch_sz;
  return atoll_run_asm(&options, nullptr);
}

}  // extern "C"
