#include "gpu/sea_islands/hsa/launch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "gpu/amd/packets/command_words.h"
#include "gpu/sea_islands/device.h"
#include "gpu/sea_islands/hsa/images.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

// The top three bits of both flat apertures: what Linux's amdkfd gives to the first process (kfd_device_queue_manager_cik.c).
constexpr uint32_t sh_mem_base = 0x2000;
constexpr uint32_t shared_aperture_high = sh_mem_base << 16, private_aperture_high = shared_aperture_high + 1;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The V# of scratch memory: swizzled by lane, dwords of 64 lanes together (ROCR's AqlQueue, scratch resource descriptor).
std::array<uint32_t, 4> scratch_descriptor(const Buffer& buffer) {
  using One = SQ_BUF_RSRC_WORD1;
  using Three = SQ_BUF_RSRC_WORD3;
  return {uint32_t(buffer.gpu_address), One::BASE_ADDRESS_HI::of(uint32_t(buffer.gpu_address >> 32)) | One::SWIZZLE_ENABLE::of(1),
          uint32_t(std::min<uint64_t>(buffer.bytes, UINT32_MAX)),
          Three::DST_SEL_X::of(4) | Three::DST_SEL_Y::of(5) | Three::DST_SEL_Z::of(6) | Three::DST_SEL_W::of(7) |
              Three::NUM_FORMAT::of(4) | Three::DATA_FORMAT::of(4) | Three::ELEMENT_SIZE::of(1) | Three::INDEX_STRIDE::of(3) |
              Three::ADD_TID_ENABLE::of(1)};
}

// Runs the buffer on a thread of its own (GPU code runs on no other), handing on the stop flag meanwhile.
Expected<void> run_on_own_thread(gpu::Device& device, gpu::Queue& queue, const gpu::CommandBuffer& commands,
                                 const std::atomic<int>* stop) {
  Expected<void> done;
  std::mutex mutex;
  std::condition_variable wake;
  bool ended = false;
  std::thread thread([&] {
    done = queue.run(std::span(&commands, 1));
    {
      std::lock_guard lock(mutex);
      ended = true;
    }
    wake.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, std::chrono::milliseconds(10), [&] { return ended; }))
      if (stop && stop->load()) device.stop = stop->load();
  }
  thread.join();
  return done;
}

}  // namespace

std::vector<uint32_t> dispatch_commands(const hsa::Dispatch& d, const hsa::ScratchMemory& scratch) {
  auto user_data = d.user_sgprs;
  if (d.private_segment_buffer_sgpr >= 0)
    std::ranges::copy(scratch.descriptor, user_data.begin() + d.private_segment_buffer_sgpr);
  if (d.flat_scratch_sgpr >= 0) {  // its offset from the hidden base, and a lane's bytes
    user_data[size_t(d.flat_scratch_sgpr)] = 0;
    user_data[size_t(d.flat_scratch_sgpr) + 1] = d.scratch_bytes;
  }
  using Initiator = COMPUTE_DISPATCH_INITIATOR;
  gpu::amd::CommandWords s;
  s.register_(SH_MEM_BASES::address(), SH_MEM_BASES::PRIVATE_BASE::of(sh_mem_base) | SH_MEM_BASES::SHARED_BASE::of(sh_mem_base));
  s.register_(SH_HIDDEN_PRIVATE_BASE_VMID::address(), uint32_t(scratch.address >> 8));
  s.register_(COMPUTE_PGM_LO::address(), uint32_t(d.entry >> 8));
  s.register_(COMPUTE_PGM_HI::address(), uint32_t(d.entry >> 40));
  s.register_(COMPUTE_PGM_RSRC1::address(), d.rsrc1);
  s.register_(COMPUTE_PGM_RSRC2::address(), COMPUTE_PGM_RSRC2::LDS_SIZE::set(d.rsrc2, d.lds_bytes / 512));
  s.register_(COMPUTE_RESOURCE_LIMITS::address(), 0);
  s.register_(COMPUTE_TMPRING_SIZE::address(),
              COMPUTE_TMPRING_SIZE::WAVES::of(scratch.waves) | COMPUTE_TMPRING_SIZE::WAVESIZE::of(scratch.wave_blocks));
  for (unsigned n = 0; n < 3; n++) s.register_(COMPUTE_NUM_THREAD_X::address() + n * 4, d.group[n]);
  for (unsigned n = 0; n < d.user_sgpr_count; n++) s.register_(COMPUTE_USER_DATA::address(n), user_data[n]);
  s.dispatch<packets::DISPATCH_DIRECT>(d.grid, Initiator::COMPUTE_SHADER_EN::of(1) | Initiator::PARTIAL_TG_EN::of(1) |
                                                   Initiator::FORCE_START_AT_000::of(1) |
                                                   Initiator::USE_THREAD_DIMENSIONS::of(1));
  return s.words;
}

hsa::Target hsa_target(const gpu::Chip& chip) {
  return {.family = chip.name,
          .processors = chip.processors,
          .compile_options = fmt::format("-mcpu={}", chip.name),
          .wave32 = false,
          .refused_properties = 0,
          .max_user_sgprs = 16,  // COMPUTE_USER_DATA_0-15
          .shared_aperture_high = shared_aperture_high,
          .private_aperture_high = private_aperture_high,
          .max_lds_bytes = 64 << 10,  // LDS_SIZE in dwords by 128
          .lds_block = 512,
          .max_group_items = 1024,  // 16 waves (LLVM AMDGPUBaseInfo getMaxFlatWorkGroupSize)
          .max_groups_yz = UINT32_MAX,
          .max_scratch_bytes = 0x1fff * 1024 / 64,  // COMPUTE_TMPRING_SIZE.WAVESIZE has 13 bits of 256 dwords
          .images = &hsa_images};
}

Expected<hsa::RunResult> run_hsa(const gpu::Chip& chip, const hsa::Dispatch& d, AddressSpace& space,
                                 const hsa::RunOptions& options) {
  unsigned threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  uint64_t groups = uint64_t(d.groups[0]) * d.groups[1] * d.groups[2];
  if (options.deterministic) threads = 1;
  threads = unsigned(std::min<uint64_t>(threads, groups));
  auto device = make_device(chip, {.engine = options.engine,
                                   .threads = threads,
                                   .deterministic = options.deterministic,
                                   .max_still_seconds = 0,
                                   .limits = {.groups = ~uint64_t(0)},  // --timeout is there
                                   .trap_faults = true,
                                   .findings = options.findings});
  if (!device) return std::unexpected(device.error());
  auto queue = (*device)->make_queue(gpu::QueueKind::compute, space);
  if (!queue) return std::unexpected(queue.error());

  std::vector<Buffer> buffers;
  struct Release {
    std::vector<Buffer>& buffers;
    AddressSpace& space;
    ~Release() {
      for (auto& buffer : buffers) space.free(buffer);
    }
  } release{buffers, space};
  auto allocate = [&](uint64_t bytes) {
    auto buffer = space.allocate(bytes, 256);
    if (buffer) buffers.push_back(*buffer);
    return buffer;
  };
  hsa::ScratchMemory scratch;
  if (d.scratch_bytes) {
    uint32_t group_waves = (d.group[0] * d.group[1] * d.group[2] + 63) / 64;
    scratch.wave_blocks = (d.scratch_bytes * 64 + 1023) / 1024;
    scratch.waves = std::min(threads * group_waves, (1u << 12) - 1);
    auto buffer = allocate(uint64_t(scratch.waves) * scratch.wave_blocks * 1024);
    if (!buffer) return fail("{}: scratch memory: {}", d.kernel, buffer.error().message);
    scratch.address = buffer->gpu_address;
    scratch.descriptor = scratch_descriptor(*buffer);
  }
  auto words = dispatch_commands(d, scratch);
  auto place = allocate(words.size() * 4);
  if (!place) return fail("{}: command buffer: {}", d.kernel, place.error().message);
  std::memcpy(place->host_pointer, words.data(), words.size() * 4);
  const gpu::CommandBuffer commands{.address = place->gpu_address, .dwords = uint32_t(words.size())};

  hsa::RunResult result;
  std::vector<double> times;
  for (unsigned round = 0; round < std::max(1u, options.repeat); round++) {
    if (round) (*queue)->wait_for_compilation();
    gpu::Statistics before = (*queue)->statistics();
    double start = seconds();
    auto done = run_on_own_thread(**device, **queue, commands, options.stop);
    times.push_back(seconds() - start);
    gpu::Statistics after = (*queue)->statistics();
    result.waves = after.waves - before.waves;
    result.compiled = after.compiled - before.compiled, result.called = after.called - before.called;
    result.interpreted = after.interpreted - before.interpreted;
    result.compile_seconds = after.compile_seconds, result.instructions_compiled = after.instructions_compiled;
    result.fault = (*queue)->fault();
    if (done) continue;
    result.stopped = !result.fault && options.stop && options.stop->load() != 0;
    if (result.fault || result.stopped) break;
    return fail("{}: {}", d.kernel, done.error().message);
  }
  // With several rounds, the first one includes the compilations: the median of the others counts.
  if (times.size() > 1) times.erase(times.begin());
  std::sort(times.begin(), times.end());
  result.run_seconds = times[times.size() / 2];
  result.instructions = result.compiled + result.called + result.interpreted;
  result.threads = threads;
  result.engine = wave::name_of(options.engine);
  for (const auto& unknown : (*queue)->statistics().unknown) result.unknown.push_back(unknown.what);
  return result;
}

}  // namespace Atoll::sea_islands
