// i915's command submission (Linux drivers/gpu/drm/i915/gem/i915_gem_execbuffer.c). Buffers are placed where the program says
// (EXEC_OBJECT_PINNED), and stay there until another one is placed over them or their handle is closed.
#include <libdrm/i915_drm.h>

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "drm/i915/contexts.h"
#include "drm/i915/extensions.h"
#include "drm/i915/i915.h"
#include "drm/session/sync_file.h"

namespace Atoll::drm::i915 {
namespace {

constexpr uint64_t max_buffers = 1 << 20, max_fences = 1 << 20;
constexpr uint64_t address_mask = (uint64_t(1) << Sections::address_bits) - 1;

// Canonical: the upper bits are copies of bit 47.
bool is_canonical(uint64_t address) { return uint64_t(int64_t(address << 16) >> 16) == address; }

struct Request {
  Submission submission;
  std::vector<drm_i915_gem_exec_object2> objects;
  std::vector<BufferPtr> buffers;  // of the objects
  std::vector<SyncobjPoint> signals;
};

int add_fence(File& file, uint32_t handle, uint32_t flags, uint64_t point, Request& request) {
  if (flags & uint32_t(__I915_EXEC_FENCE_UNKNOWN_FLAGS)) return -EINVAL;
  auto object = file.syncobjs().find(handle);
  if (!object) return -ENOENT;
  if (flags & I915_EXEC_FENCE_WAIT) {
    auto fence = object->find(point);
    if (!fence) return -EINVAL;
    request.submission.waits.push_back(*fence);
  }
  if (flags & I915_EXEC_FENCE_SIGNAL) request.signals.push_back({std::move(object), point});
  return 0;
}

int read_fence_array(File& file, const drm_i915_gem_execbuffer2& a, Request& request) {
  std::vector<drm_i915_gem_exec_fence> rows;
  if (!(a.flags & I915_EXEC_FENCE_ARRAY)) return 0;
  if (a.num_cliprects > max_fences) return -EINVAL;
  if (!read_user(rows, a.cliprects_ptr, a.num_cliprects)) return -EFAULT;
  for (auto& row : rows)
    if (int error = add_fence(file, row.handle, row.flags, 0, request)) return error;
  return 0;
}

int read_timelines(File& file, uint64_t address, Request& request) {
  drm_i915_gem_execbuffer_ext_timeline_fences list;
  if (!read_user(&list, address, sizeof list)) return -EFAULT;
  if (list.fence_count > max_fences) return -EINVAL;
  std::vector<drm_i915_gem_exec_fence> rows;
  std::vector<uint64_t> points;
  if (!read_user(rows, list.handles_ptr, list.fence_count) || !read_user(points, list.values_ptr, list.fence_count))
    return -EFAULT;
  for (size_t i = 0; i < rows.size(); ++i)
    if (int error = add_fence(file, rows[i].handle, rows[i].flags, points[i], request)) return error;
  return 0;
}

int read_fences(File& file, const drm_i915_gem_execbuffer2& a, Request& request) {
  if (a.flags & (I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT)) {
    if ((a.flags & I915_EXEC_FENCE_IN) && (a.flags & I915_EXEC_FENCE_SUBMIT)) return -EINVAL;
    const int descriptor = int(uint32_t(a.rsvd2));
    if (!is_sync_file(descriptor)) return -EINVAL;
    request.submission.waits.push_back(std::make_shared<DescriptorFence>(descriptor));
  }
  if (int error = read_fence_array(file, a, request)) return error;
  if (!(a.flags & I915_EXEC_USE_EXTENSIONS)) return 0;
  if (a.num_cliprects || (a.flags & I915_EXEC_FENCE_ARRAY)) return -EINVAL;
  return each_extension(a.cliprects_ptr, [&](uint32_t name, uint64_t address) {
    if (name == DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES) return read_timelines(file, address, request);
    log(LogLevel::info, "drm", "EXECBUFFER2 extension {} is not there", name);
    return -EINVAL;
  });
}

int read_objects(File& file, const drm_i915_gem_execbuffer2& a, Request& request) {
  if (a.buffer_count == 0 || a.buffer_count > max_buffers) return -EINVAL;
  if (!read_user(request.objects, a.buffers_ptr, a.buffer_count)) return -EFAULT;
  for (auto& object : request.objects) {
    auto buffer = file.find_buffer(object.handle);
    if (!buffer) return -ENOENT;
    if (object.relocation_count) return -EINVAL;  // as the kernel has it of every GPU with memory of its own
    if (object.flags & uint64_t(int64_t(__EXEC_OBJECT_UNKNOWN_FLAGS))) return -EINVAL;
    if (!(object.flags & EXEC_OBJECT_PINNED)) {
      file.lacks("buffers that the kernel places (EXECBUFFER2 without EXEC_OBJECT_PINNED)");
      return -EINVAL;
    }
    if (object.offset % page_bytes || !is_canonical(object.offset)) return -EINVAL;
    request.buffers.push_back(std::move(buffer));
  }
  return 0;
}

// Puts the buffers at their addresses, in place of what is there.
int place(File& file, VirtualMemory& memory, const Request& request) {
  std::vector<FencePtr> running;
  bool asked = false;
  auto in_flight = [&]() -> const std::vector<FencePtr>& {
    if (!asked) running = file.running();
    asked = true;
    return running;
  };
  for (size_t i = 0; i < request.buffers.size(); ++i) {
    auto& buffer = request.buffers[i];
    const uint64_t address = request.objects[i].offset & address_mask;
    if (memory.is_mapped(*buffer, address)) continue;
    memory.unmap_all(*buffer, in_flight());
    if (int error = memory.clear(address, buffer->bytes(), in_flight())) return error;
    if (int error = memory.map(buffer, address, 0, buffer->bytes(), true, in_flight())) return error;
  }
  // one of them stood where another was placed
  for (size_t i = 0; i < request.buffers.size(); ++i)
    if (!memory.is_mapped(*request.buffers[i], request.objects[i].offset & address_mask)) return -ENOSPC;
  return 0;
}

std::optional<size_t> engine_index(const drm_i915_gem_execbuffer2& a, const Context& context) {
  const size_t ring = a.flags & I915_EXEC_RING_MASK;
  std::lock_guard lock(context.mutex);
  if (context.has_engine_list) {
    if (ring >= context.engines.size() || !context.engines[ring].there) return {};
    return ring;
  }
  if (ring == I915_EXEC_DEFAULT || ring == I915_EXEC_RENDER) return size_t(I915_EXEC_RENDER);
  if (ring == I915_EXEC_BLT) return size_t(I915_EXEC_BLT);
  return {};
}

// Null: the list of engines has become another one since the number was found.
Ring* ring_of(File& file, Context& context, uint32_t id, size_t index, const std::shared_ptr<VirtualMemory>& memory) {
  std::lock_guard lock(context.mutex);
  if (context.has_engine_list && index >= context.engines.size()) return nullptr;
  auto& ring = context.rings[index];
  if (!ring) {
    const auto kind = context.has_engine_list  ? context.engines[index].kind
                      : index == I915_EXEC_BLT ? gpu::QueueKind::copy
                                               : gpu::QueueKind::graphics;
    const char* name = kind == gpu::QueueKind::copy ? "copy" : "render";
    // One that does not recover is lost with its first failure; another is reset.
    ring = std::make_unique<Ring>(file.process(), kind, memory, fmt::format("context {} {}", id, name),
                                  context.recoverable ? nullptr : context.banned);
  }
  return ring.get();
}

// The batch's start and greatest length.
int batch(const drm_i915_gem_execbuffer2& a, Request& request) {
  const size_t n = a.flags & I915_EXEC_BATCH_FIRST ? 0 : request.objects.size() - 1;
  const uint64_t whole = request.buffers[n]->bytes();
  if ((a.batch_start_offset | a.batch_len) & 7) return -EINVAL;
  if (a.batch_start_offset >= whole || a.batch_len > whole - a.batch_start_offset) return -EINVAL;
  const uint64_t bytes = a.batch_len ? a.batch_len : whole - a.batch_start_offset;
  const uint64_t address = (request.objects[n].offset & address_mask) + a.batch_start_offset;
  log(LogLevel::trace, "cs", "batch at {:#x}, at most {} bytes, {} buffers, flags {:#x}", address, bytes, request.objects.size(),
      a.flags);
  request.submission.commands.push_back({address, uint32_t(std::min<uint64_t>(bytes / 4, UINT32_MAX)), false});
  return 0;
}

void use_buffers(File& file, Request& request) {
  for (size_t i = 0; i < request.buffers.size(); ++i) {
    auto& buffer = request.buffers[i];
    // Work in flight on a buffer comes first, of this process and of others, unless the program synchronizes by hand.
    if (!(request.objects[i].flags & EXEC_OBJECT_ASYNC))
      for (auto& fence : buffer->uses()) request.submission.waits.push_back(fence);
  }
  request.submission.user_memory = file.user_memories().find(request.buffers);
  request.submission.buffers = request.buffers;
}

// Counts what fails. A context that recovers is banned as well when that happens too often.
// It must not hold the context itself, which must not end on a thread of its own rings.
void watch(const Submitted& submitted, const Context& context) {
  submitted.done->then([done = std::weak_ptr(submitted.done), standing = context.standing, banned = context.banned] {
    auto it = done.lock();
    if (!it || !it->failed) return;
    standing->failed.fetch_add(1);
    if (standing->is_hang_too_many(monotonic_nanoseconds()) && standing->bannable) *banned = true;
  });
}

}  // namespace

int execbuffer2(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_execbuffer2*>(argument);
  if (a.flags & uint64_t(int64_t(__I915_EXEC_UNKNOWN_FLAGS))) return -EINVAL;
  if (a.flags & (I915_EXEC_SECURE | I915_EXEC_IS_PINNED | I915_EXEC_RESOURCE_STREAMER))
    return a.flags & I915_EXEC_SECURE ? -EPERM : -EINVAL;
  if (a.DR1 || a.DR4 || (a.flags & I915_EXEC_CONSTANTS_MASK)) return -EINVAL;
  const uint32_t id = uint32_t(a.rsvd1 & I915_EXEC_CONTEXT_ID_MASK);
  auto& contexts = Contexts::of(file);
  auto context = contexts.find(id);
  if (!context) return -ENOENT;
  if (*context->banned) return -EIO;
  Request request;
  if (int error = read_objects(file, a, request)) return error;
  if (int error = read_fences(file, a, request)) return error;
  auto index = engine_index(a, *context);
  if (!index) return -EINVAL;
  auto memory = contexts.memory_of(file, *context);
  if (!memory) return -ENOMEM;
  if (int error = batch(a, request)) return error;
  if (int error = place(file, *memory, request)) return error;
  use_buffers(file, request);
  request.submission.memory = memory;
  request.submission.memory_mark = memory->mark();
  Ring* ring = ring_of(file, *context, id, *index, memory);
  if (!ring) return -EINVAL;
  Submitted submitted;
  if (int error = ring->submit(std::move(request.submission), submitted)) return error;
  watch(submitted, *context);
  for (auto& signal : request.signals) signal.object->signal(signal.point, submitted.done);
  if (!request.signals.empty()) file.session().notify();
  if (a.flags & I915_EXEC_FENCE_OUT) {
    int descriptor = make_sync_file(file.process().session(), submitted.done);
    if (descriptor < 0) return descriptor;
    a.rsvd2 = (a.rsvd2 & UINT32_MAX) | uint64_t(uint32_t(descriptor)) << 32;
  }
  return 0;
}

}  // namespace Atoll::drm::i915
