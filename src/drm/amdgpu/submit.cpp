// amdgpu's contexts, command submission and fences (Linux drivers/gpu/drm/amd/amdgpu/amdgpu_cs.c, amdgpu_ctx.c).
#include <libdrm/amdgpu_drm.h>
#include <linux/capability.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "drm/amdgpu/amdgpu.h"
#include "drm/amdgpu/contexts.h"
#include "drm/session/sync_file.h"

namespace Atoll::drm::amdgpu {
namespace {

// By AMDGPU_HW_IP_*.
constexpr struct {
  gpu::QueueKind kind;
  const char* name;
} engines[] = {
    {gpu::QueueKind::graphics, "graphics"},
    {gpu::QueueKind::compute, "compute"},
    {gpu::QueueKind::copy, "copy"},
};

bool is_ring(const File& file, uint32_t type, uint32_t instance, uint32_t number) {
  return instance == 0 && number < rings_of(file.process().chip(), type);
}

Ring& ring_of(File& file, Context& context, uint32_t id, uint32_t type, uint32_t number) {
  auto memory = file.memory();
  std::lock_guard lock(context.mutex);
  auto& ring = context.rings[type << 8 | number];
  if (!ring)
    ring = std::make_unique<Ring>(file.process(), engines[type].kind, std::move(memory),
                                  fmt::format("context {} {} {}", id, engines[type].name, number), context.lost);
  return *ring;
}

// The fence of a submission of any context; nothing when it is done. An error for a ring or context that does not exist.
int find_fence(File& file, uint32_t context_id, uint32_t type, uint32_t instance, uint32_t number, uint64_t sequence,
               FencePtr& found) {
  if (!is_ring(file, type, instance, number)) return -EINVAL;
  auto context = Contexts::of(file).contexts.find(context_id);
  if (!context) return -EINVAL;
  Ring* ring = context->find(type, number);
  if (sequence != ~uint64_t(0) && sequence > (ring ? ring->last() : 0)) return -EINVAL;
  found = ring ? ring->find(sequence) : nullptr;
  return 0;
}

bool read_handles(File& file, const drm_amdgpu_bo_list_in& list, std::vector<BufferPtr>& buffers, int& error) {
  error = -EINVAL;
  if (list.bo_number > 1 << 20 || list.bo_info_size > 4096) return false;
  std::vector<uint8_t> bytes;
  if (list.bo_info_size == 0 && list.bo_number) return false;
  error = -EFAULT;
  if (!read_user(bytes, list.bo_info_ptr, uint64_t(list.bo_number) * list.bo_info_size)) return false;
  error = -ENOENT;
  for (uint32_t i = 0; i < list.bo_number; ++i) {
    drm_amdgpu_bo_list_entry entry{};
    std::memcpy(&entry, &bytes[size_t(i) * list.bo_info_size], std::min<size_t>(sizeof entry, list.bo_info_size));
    auto buffer = file.find_buffer(entry.bo_handle);
    if (!buffer) return false;
    buffers.push_back(std::move(buffer));
  }
  error = 0;
  return true;
}

// Command buffers for one ring.
struct RingWork {
  uint32_t type = 0, number = 0;
  std::vector<gpu::CommandBuffer> commands;
};
// A submission as its chunks describe it. Work for several rings is a gang, which runs at once and talks through memory; what becomes of
// the submission is what becomes of its leader, the ring of the last buffer (amdgpu_cs.c, amdgpu_cs_p1_ib).
struct Request {
  Submission submission;  // what all rings' have; the commands are theirs
  std::vector<RingWork> gang;
  size_t leader = 0;
  bool has_buffers = false;
  std::vector<SyncobjPoint> signals;

  const RingWork& work_of_leader() const { return gang[leader]; }
};
constexpr size_t max_gang = 4;  // AMDGPU_CS_GANG_SIZE

template <class T>
bool read_chunk(const drm_amdgpu_cs_chunk& chunk, std::vector<T>& rows) {
  return read_user(rows, chunk.chunk_data, uint64_t(chunk.length_dw) * 4 / sizeof(T));
}

int read_commands(const File& file, const drm_amdgpu_cs_chunk& chunk, Request& request) {
  std::vector<drm_amdgpu_cs_chunk_ib> rows;
  if (!read_chunk(chunk, rows)) return -EFAULT;
  if (rows.size() != 1) return -EINVAL;
  auto& ib = rows[0];
  if (!is_ring(file, ib.ip_type, ib.ip_instance, ib.ring)) return -EINVAL;
  auto& gang = request.gang;
  auto work = std::ranges::find_if(gang, [&](const RingWork& w) { return w.type == ib.ip_type && w.number == ib.ring; });
  if (work == gang.end()) {
    // Older chips cannot flush for several at once (amdgpu_vm.c, concurrent_flush).
    if (gang.size() == (is_discovered(file.process().chip()) ? max_gang : 1)) return -EINVAL;
    work = gang.insert(gang.end(), RingWork{ib.ip_type, ib.ring, {}});
  }
  request.leader = size_t(work - gang.begin());
  uint64_t address = ib.va_start & ((uint64_t(1) << 48) - 1);
  log(LogLevel::trace, "cs", "IB at {:#x}, {} bytes, {} ring {}, flags {:#x}", address, ib.ib_bytes, engines[ib.ip_type].name,
      ib.ring, ib.flags);
  if (ib.ib_bytes % 4 || address % 4) return -EINVAL;
  work->commands.push_back({address, ib.ib_bytes / 4, bool(ib.flags & AMDGPU_IB_FLAG_CE)});
  return 0;
}

int read_user_fence(File& file, const drm_amdgpu_cs_chunk& chunk, Request& request) {
  std::vector<drm_amdgpu_cs_chunk_fence> rows;
  if (!read_chunk(chunk, rows)) return -EFAULT;
  if (rows.size() != 1) return -EINVAL;
  auto buffer = file.find_buffer(rows[0].handle);
  // amdgpu_cs_p1_user_fence: one page
  if (!buffer || buffer->bytes() != page_bytes || rows[0].offset > page_bytes - 8 || rows[0].offset % 8) return -EINVAL;
  request.submission.buffers.push_back(buffer);
  request.submission.fence_buffer = std::move(buffer);
  request.submission.fence_offset = rows[0].offset;
  return 0;
}

int read_dependencies(File& file, const drm_amdgpu_cs_chunk& chunk, Request& request) {
  std::vector<drm_amdgpu_cs_chunk_dep> rows;
  if (!read_chunk(chunk, rows)) return -EFAULT;
  for (auto& row : rows) {
    FencePtr fence;
    if (int error = find_fence(file, row.ctx_id, row.ip_type, row.ip_instance, row.ring, row.handle, fence)) return error;
    if (fence) request.submission.waits.push_back(std::move(fence));
  }
  return 0;
}

int wait_point(File& file, uint32_t handle, uint64_t point, uint32_t flags, Request& request) {
  auto object = file.syncobjs().find(handle);
  if (!object) return -EINVAL;
  auto fence = object->find(point);
  if (!fence && (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
    wait_until(file.session(), monotonic_nanoseconds() + file.process().submit_wait, UINT64_MAX,
               [&] { return bool(fence = object->find(point)); });
  if (!fence) return -EINVAL;
  request.submission.waits.push_back(*fence);
  return 0;
}

int read_syncobjs(File& file, const drm_amdgpu_cs_chunk& chunk, Request& request) {
  bool waits = chunk.chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_IN || chunk.chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT;
  std::vector<drm_amdgpu_cs_chunk_syncobj> rows;
  if (chunk.chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_IN || chunk.chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_OUT) {
    std::vector<drm_amdgpu_cs_chunk_sem> binary;
    if (!read_chunk(chunk, binary)) return -EFAULT;
    for (auto& one : binary) rows.push_back({one.handle, 0, 0});
  } else if (!read_chunk(chunk, rows)) {
    return -EFAULT;
  }
  for (auto& row : rows) {
    if (waits) {
      if (int error = wait_point(file, row.handle, row.point, row.flags, request)) return error;
    } else {
      auto object = file.syncobjs().find(row.handle);
      if (!object) return -EINVAL;
      request.signals.push_back({std::move(object), row.point});
    }
  }
  return 0;
}

int read_chunk_of(File& file, const drm_amdgpu_cs_chunk& chunk, Request& request) {
  switch (chunk.chunk_id) {
    case AMDGPU_CHUNK_ID_IB: return read_commands(file, chunk, request);
    case AMDGPU_CHUNK_ID_FENCE: return read_user_fence(file, chunk, request);
    case AMDGPU_CHUNK_ID_BO_HANDLES: {
      std::vector<drm_amdgpu_bo_list_in> lists;
      if (!read_chunk(chunk, lists)) return -EFAULT;
      int error = -EINVAL;
      if (lists.size() != 1 || request.has_buffers || !read_handles(file, lists[0], request.submission.buffers, error))
        return error;
      request.has_buffers = true;
      return 0;
    }
    // (The second waits until it has begun: a ring here begins when the one before is done, so its end is what there is to wait for.)
    case AMDGPU_CHUNK_ID_DEPENDENCIES:
    case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES: return read_dependencies(file, chunk, request);
    case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
    case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
    case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
    case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL: return read_syncobjs(file, chunk, request);
    default: file.lacks(fmt::format("CS chunk {}", chunk.chunk_id)); return -EINVAL;
  }
}

// The leader comes last, and has the fence. The others are there when it runs; each ring carries out its part on its own thread.
int submit_gang(File& file, Context& context, uint32_t id, Request& request, Submitted& submitted) {
  for (size_t n = 0; n < request.gang.size(); n++) {
    if (n == request.leader) continue;
    Submission member = request.submission;
    member.commands = std::move(request.gang[n].commands);
    member.fence_buffer = nullptr;
    Submitted done;
    if (int error = ring_of(file, context, id, request.gang[n].type, request.gang[n].number).submit(std::move(member), done))
      return error;
  }
  const RingWork& work = request.work_of_leader();
  request.submission.commands = work.commands;
  return ring_of(file, context, id, work.type, work.number).submit(std::move(request.submission), submitted);
}

}  // namespace

unsigned rings_of(const gpu::Chip& chip, uint32_t type) {
  switch (type) {
    case AMDGPU_HW_IP_GFX: return 1;
    case AMDGPU_HW_IP_COMPUTE: return chip.amdgpu.compute_rings;
    case AMDGPU_HW_IP_DMA: return chip.amdgpu.dma_rings;
    default: return 0;
  }
}

namespace {

// amdgpu_ctx.c, amdgpu_ctx_ioctl and amdgpu_ctx_priority_permit: what is no priority counts as the normal one, and more than that is for
// CAP_SYS_NICE and a DRM master. (The rings of all contexts have threads of their own here, which the host's scheduler treats alike.)
bool may_have_priority(const File& file, int32_t priority) {
  if (priority != AMDGPU_CTX_PRIORITY_HIGH && priority != AMDGPU_CTX_PRIORITY_VERY_HIGH) return true;
  return file.primary() || has_capability(CAP_SYS_NICE);
}

}  // namespace

int context(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_ctx*>(argument);
  auto in = a.in;
  auto found = in.op == AMDGPU_CTX_OP_ALLOC_CTX ? nullptr : Contexts::of(file).contexts.find(in.ctx_id);
  if (in.op != AMDGPU_CTX_OP_ALLOC_CTX && !found) return -EINVAL;
  switch (in.op) {
    case AMDGPU_CTX_OP_ALLOC_CTX:
      if (!may_have_priority(file, in.priority)) return -EACCES;
      a.out = {};
      a.out.alloc.ctx_id = Contexts::of(file).contexts.add(std::make_shared<Context>());
      return 0;
    case AMDGPU_CTX_OP_FREE_CTX: return Contexts::of(file).contexts.remove(in.ctx_id) ? 0 : -EINVAL;
    case AMDGPU_CTX_OP_QUERY_STATE: {
      bool lost = *found->lost;
      a.out = {};
      a.out.state.hangs = lost;
      // since it was asked the last time
      a.out.state.reset_status = lost && !found->told.exchange(true) ? AMDGPU_CTX_GUILTY_RESET : AMDGPU_CTX_NO_RESET;
      return 0;
    }
    case AMDGPU_CTX_OP_QUERY_STATE2: {
      bool lost = *found->lost;
      a.out = {};
      a.out.state.flags = lost ? AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY : 0;
      return 0;
    }
    case AMDGPU_CTX_OP_GET_STABLE_PSTATE:
      a.out = {};
      a.out.pstate.flags = AMDGPU_CTX_STABLE_PSTATE_NONE;
      return 0;
    case AMDGPU_CTX_OP_SET_STABLE_PSTATE: return 0;  // clocks do not change here
    default: return -EINVAL;
  }
}

int bo_list(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_bo_list*>(argument);
  auto in = a.in;
  std::vector<BufferPtr> buffers;
  int error = 0;
  if (in.operation != AMDGPU_BO_LIST_OP_DESTROY && !read_handles(file, in, buffers, error)) return error;
  auto& contexts = Contexts::of(file);
  std::lock_guard lock(contexts.lists_mutex);
  switch (in.operation) {
    case AMDGPU_BO_LIST_OP_CREATE:
      while (contexts.next_buffer_list == 0 || contexts.buffer_lists.count(contexts.next_buffer_list))
        contexts.next_buffer_list++;
      a.out = {};
      a.out.list_handle = contexts.next_buffer_list++;
      contexts.buffer_lists[a.out.list_handle] = std::move(buffers);
      return 0;
    case AMDGPU_BO_LIST_OP_DESTROY: return contexts.buffer_lists.erase(in.list_handle) ? 0 : -EINVAL;
    case AMDGPU_BO_LIST_OP_UPDATE:
      if (!contexts.buffer_lists.count(in.list_handle)) return -ENOENT;
      contexts.buffer_lists[in.list_handle] = std::move(buffers);
      a.out = {};
      a.out.list_handle = in.list_handle;
      return 0;
    default: return -EINVAL;
  }
}

int cs(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_cs*>(argument);
  auto in = a.in;
  auto context = Contexts::of(file).contexts.find(in.ctx_id);
  if (!context) return -EINVAL;
  if (*context->lost) return -ECANCELED;
  if (in.num_chunks == 0 || in.num_chunks > 1024) return -EINVAL;
  std::vector<uint64_t> pointers;
  if (!read_user(pointers, in.chunks, in.num_chunks)) return -EFAULT;
  Request request;
  for (uint64_t pointer : pointers) {
    drm_amdgpu_cs_chunk chunk;
    if (!read_user(&chunk, pointer, sizeof chunk)) return -EFAULT;
    if (int error = read_chunk_of(file, chunk, request)) return error;
  }
  if (request.gang.empty()) return -EINVAL;
  if (in.bo_list_handle) {
    if (request.has_buffers) return -EINVAL;
    auto& contexts = Contexts::of(file);
    std::lock_guard lock(contexts.lists_mutex);
    auto found = contexts.buffer_lists.find(in.bo_list_handle);
    if (found == contexts.buffer_lists.end()) return -ENOENT;
    request.submission.buffers.insert(request.submission.buffers.end(), found->second.begin(), found->second.end());
  }
  request.submission.memory = file.memory();
  if (!request.submission.memory) return -ENOMEM;
  request.submission.memory_mark = request.submission.memory->mark();
  // what other processes still do with shared buffers comes first, unless the buffer's maker synchronizes by hand
  for (auto& buffer : request.submission.buffers) {
    if (!buffer->shared().shared || (buffer->shared().flags & AMDGPU_GEM_CREATE_EXPLICIT_SYNC)) continue;
    for (auto& fence : buffer->uses(true)) request.submission.waits.push_back(fence);
  }
  request.submission.user_memory = file.user_memories().find(request.submission.buffers);
  Submitted submitted;
  if (int error = submit_gang(file, *context, in.ctx_id, request, submitted)) return error;
  for (auto& signal : request.signals) signal.object->signal(signal.point, submitted.done);
  if (!request.signals.empty()) file.session().notify();
  a.out.handle = submitted.sequence;
  return 0;
}

int wait_cs(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_wait_cs*>(argument);
  auto in = a.in;
  a.out.status = 0;
  if (in.handle == 0) return 0;
  FencePtr fence;
  if (int error = find_fence(file, in.ctx_id, in.ip_type, in.ip_instance, in.ring, in.handle, fence)) return error;
  a.out.status = fence && !wait_all(file.session(), {&fence, 1}, in.timeout);
  return 0;
}

int wait_fences(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_wait_fences*>(argument);
  auto in = a.in;
  std::vector<drm_amdgpu_fence> rows;
  if (!read_user(rows, in.fences, in.fence_count)) return -EFAULT;
  std::vector<FencePtr> fences;
  std::vector<uint32_t> places;
  a.out = {};
  for (uint32_t i = 0; i < rows.size(); ++i) {
    auto& row = rows[i];
    FencePtr fence;
    if (int error = find_fence(file, row.ctx_id, row.ip_type, row.ip_instance, row.ring, row.seq_no, fence)) return error;
    if (fence) {
      fences.push_back(std::move(fence));
      places.push_back(i);
    } else if (!in.wait_all) {
      a.out.status = 1;
      a.out.first_signaled = i;
      return 0;
    }
  }
  if (in.wait_all) {
    a.out.status = wait_all(file.session(), fences, in.timeout_ns);
    return 0;
  }
  int first = wait_any(file.session(), fences, in.timeout_ns);
  a.out.status = first >= 0;
  a.out.first_signaled = first >= 0 ? places[size_t(first)] : 0;
  return 0;
}

int fence_to_handle(File& file, void* argument) {
  auto& a = *static_cast<drm_amdgpu_fence_to_handle*>(argument);
  auto in = a.in;
  FencePtr fence;
  if (int error =
          find_fence(file, in.fence.ctx_id, in.fence.ip_type, in.fence.ip_instance, in.fence.ring, in.fence.seq_no, fence))
    return error;
  if (!fence) {
    auto done = std::make_shared<Completion>(file.process().session());
    done->signal();
    fence = std::move(done);
  }
  switch (in.what) {
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ: {
      auto object = std::make_shared<Syncobj>();
      object->replace(std::move(fence));
      a.out.handle = file.syncobjs().add(std::move(object));
      return 0;
    }
    case AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD: {
      int fd = make_sync_file(file.process().session(), fence);
      if (fd < 0) return fd;
      a.out.handle = uint32_t(fd);
      return 0;
    }
    default: return -EINVAL;
  }
}

int sched(File&, void*) { return -EACCES; }  // only a DRM master may

}  // namespace Atoll::drm::amdgpu
