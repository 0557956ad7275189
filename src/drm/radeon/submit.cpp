// radeon's command submission (Linux drivers/gpu/drm/radeon/radeon_cs.c): the stream comes as the program's memory and is copied
// to the GPU's, on R5xx with the addresses of buffers put in.
#include <libdrm/radeon_drm.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "drm/radeon/radeon.h"
#include "drm/radeon/rings.h"

namespace Atoll::drm::radeon {
namespace {

constexpr size_t longest_commands = 16 << 10;  // dwords, where there are page tables (RADEON_IB_VM_MAX_SIZE)
constexpr size_t longest_physical = 256 << 10;

struct Stream {
  std::vector<uint32_t> commands, constants;
  std::vector<drm_radeon_cs_reloc> relocations;
  std::vector<uint32_t> flags;

  bool keeps_tiling() const { return !flags.empty() && (flags[0] & RADEON_CS_KEEP_TILING_FLAGS); }
  bool uses_memory() const { return !flags.empty() && (flags[0] & RADEON_CS_USE_VM); }
  uint32_t ring() const { return flags.size() > 1 ? flags[1] : uint32_t(RADEON_CS_RING_GFX); }
};

int read_stream(const drm_radeon_cs& in, Stream& stream) {
  if (in.num_chunks > 64) return -EINVAL;
  std::vector<uint64_t> pointers;
  if (!read_user(pointers, in.chunks, in.num_chunks)) return -EFAULT;
  for (uint64_t pointer : pointers) {
    drm_radeon_cs_chunk chunk;
    if (!read_user(&chunk, pointer, sizeof chunk)) return -EFAULT;
    bool read = true;
    switch (chunk.chunk_id) {
      case RADEON_CHUNK_ID_IB:
        if (chunk.length_dw == 0) return -EINVAL;
        read = read_user(stream.commands, chunk.chunk_data, chunk.length_dw);
        break;
      case RADEON_CHUNK_ID_CONST_IB:
        if (chunk.length_dw == 0) return -EINVAL;
        read = read_user(stream.constants, chunk.chunk_data, chunk.length_dw);
        break;
      case RADEON_CHUNK_ID_RELOCS: read = read_user(stream.relocations, chunk.chunk_data, chunk.length_dw / 4); break;
      case RADEON_CHUNK_ID_FLAGS:
        if (chunk.length_dw == 0) return -EINVAL;
        read = read_user(stream.flags, chunk.chunk_data, chunk.length_dw);
        break;
      default: log(LogLevel::warn, "drm", "CS chunk {} is unknown", chunk.chunk_id); return -EINVAL;
    }
    if (!read) return -EFAULT;
  }
  return 0;
}

// The stream in the GPU's memory.
int place(File& file, std::span<const uint32_t> words, bool constants, Submission& submission) {
  auto place = Rings::of(file).command_place(file, words.size_bytes());
  if (!place.buffer) return -ENOMEM;
  uint8_t* host = place.buffer->host();
  // written while an earlier submission may run
  if (auto& recorder = file.process().recorder()) recorder->cpu_visible(place.buffer->offset(), place.buffer->bytes());
  if (!host) return -ENOMEM;
  std::memcpy(host, words.data(), words.size_bytes());
  log(LogLevel::trace, "cs", "IB at {:#x}, {} dwords{}", place.address, words.size(), constants ? ", constant engine" : "");
  submission.commands.push_back({place.address, uint32_t(words.size()), constants});
  submission.buffers.push_back(std::move(place.buffer));
  return 0;
}

}  // namespace

int cs(File& file, void* argument) {
  auto& a = *static_cast<drm_radeon_cs*>(argument);
  bool physical = !file.process().chip().has_page_tables;
  Stream stream;
  if (int error = read_stream(a, stream)) return error;
  if (stream.commands.empty()) return 0;  // as the kernel has it
  if (stream.uses_memory() == physical) return -EINVAL;
  size_t longest = physical ? longest_physical : longest_commands;
  if (stream.commands.size() > longest || stream.constants.size() > longest) return -EINVAL;
  constexpr gpu::QueueKind kinds[] = {gpu::QueueKind::graphics, gpu::QueueKind::compute, gpu::QueueKind::copy};
  if (stream.ring() >= std::size(kinds) || (physical && stream.ring() != RADEON_CS_RING_GFX)) return -EINVAL;
  Submission submission;
  std::vector<Relocation> addresses;
  for (auto& one : stream.relocations) {
    auto buffer = file.find_buffer(one.handle);
    if (!buffer) return -ENOENT;
    addresses.push_back({uint32_t(buffer->offset()), buffer->shared().radeon_tiling});
    if (buffer->shared().shared)
      for (auto& fence : buffer->uses(true)) submission.waits.push_back(fence);
    // buffers synchronize all rings here, not contexts: each waits for what the others do with it
    for (auto& fence : buffer->uses()) submission.waits.push_back(fence);
    submission.buffers.push_back(std::move(buffer));
  }
  submission.user_memory = file.user_memories().find(submission.buffers);
  if (physical) {
    const Granted granted{file.session().has(Exclusive::hierarchical_depth, file.position()),
                          file.session().has(Exclusive::colour_masks, file.position())};
    if (auto done = relocate(stream.commands, addresses, stream.keeps_tiling(), granted); !done) {
      log(LogLevel::error, "drm", "CS refused: {}", done.error().message);
      return -EINVAL;
    }
  }
  submission.memory = file.memory();
  if (!submission.memory) return -ENOMEM;
  if (!stream.constants.empty())
    if (int error = place(file, stream.constants, true, submission)) return error;
  if (int error = place(file, stream.commands, false, submission)) return error;
  submission.memory_mark = submission.memory->mark();
  Submitted submitted;
  if (int error = Rings::of(file).ring(file, kinds[stream.ring()]).submit(std::move(submission), submitted)) return error;
  a.gart_limit = file.process().chip().gtt_bytes;
  a.vram_limit = file.process().chip().vram_bytes;
  return 0;
}

}  // namespace Atoll::drm::radeon
