// Any sequence of ioctls on the nodes of amdgpu, radeon and i915, over a device that executes nothing: no crash, no leak, no hang. The
// first byte chooses the driver; then a byte for the ioctl, its argument, and what its pointers point to.
#include <libdrm/amdgpu_drm.h>
#include <libdrm/i915_drm.h>
#include <libdrm/radeon_drm.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "drm/core/file.h"
#include "drm/core/process.h"

using namespace Atoll;
using namespace Atoll::drm;

namespace {

struct NoDevice : gpu::Device {
  struct NoQueue : gpu::Queue {
    Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override {
      for (auto& buffer : buffers)
        if (buffer.dwords == 13) return fail("as asked");
      return {};
    }
    gpu::Statistics statistics() const override { return {}; }
  };
  std::string_view name() const override { return "none"; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind, AddressSpace&) override { return std::make_unique<NoQueue>(); }
  uint32_t read_register(uint32_t address) override { return address; }
  void write_register(uint32_t, uint32_t) override {}
  void attach(AddressSpace&) override {}
  std::string report() const override { return {}; }
};

// The places of pointers in arguments, and of times that must stay short. ~0: none.
struct Row {
  unsigned number;
  std::vector<unsigned> pointers;
  unsigned timeout = ~0u;
  unsigned descriptor = ~0u;  // a 32-bit descriptor that comes back
};

const std::vector<Row> core_rows = {
    {0x00, {offsetof(drm_version, name), offsetof(drm_version, date), offsetof(drm_version, desc)}},
    {0x01, {offsetof(drm_unique, unique)}},
    {0x2d, {}, ~0u, offsetof(drm_prime_handle, fd)},
    {0xc1, {}, ~0u, offsetof(drm_syncobj_handle, fd)},
    {0xc3, {offsetof(drm_syncobj_wait, handles)}, offsetof(drm_syncobj_wait, timeout_nsec)},
    {0xc4, {0}},
    {0xc5, {0}},
    {0xca,
     {offsetof(drm_syncobj_timeline_wait, handles), offsetof(drm_syncobj_timeline_wait, points)},
     offsetof(drm_syncobj_timeline_wait, timeout_nsec)},
    {0xcb, {0, 8}},
    {0xcd, {0, 8}},
};
constexpr unsigned first = DRM_COMMAND_BASE;
const std::vector<Row> amdgpu_rows = {
    {first + DRM_AMDGPU_BO_LIST, {offsetof(drm_amdgpu_bo_list_in, bo_info_ptr)}},
    {first + DRM_AMDGPU_CS, {offsetof(drm_amdgpu_cs_in, chunks)}},
    {first + DRM_AMDGPU_INFO, {offsetof(drm_amdgpu_info, return_pointer)}},
    {first + DRM_AMDGPU_GEM_WAIT_IDLE, {}, offsetof(drm_amdgpu_gem_wait_idle_in, timeout)},
    {first + DRM_AMDGPU_WAIT_CS, {}, offsetof(drm_amdgpu_wait_cs_in, timeout)},
    {first + DRM_AMDGPU_GEM_OP, {offsetof(drm_amdgpu_gem_op, value)}},
    {first + DRM_AMDGPU_WAIT_FENCES,
     {offsetof(drm_amdgpu_wait_fences_in, fences)},
     offsetof(drm_amdgpu_wait_fences_in, timeout_ns)},
};
const std::vector<Row> radeon_rows = {
    {first + DRM_RADEON_INFO, {offsetof(drm_radeon_info, value)}},
    {first + DRM_RADEON_CS, {offsetof(drm_radeon_cs, chunks)}},
};

const std::vector<Row> i915_rows = {
    {first + DRM_I915_GETPARAM, {offsetof(drm_i915_getparam, value)}},
    {first + DRM_I915_QUERY, {offsetof(drm_i915_query, items_ptr)}},
    {first + DRM_I915_GEM_CREATE_EXT, {offsetof(drm_i915_gem_create_ext, extensions)}},
    {first + DRM_I915_GEM_CONTEXT_CREATE, {offsetof(drm_i915_gem_context_create_ext, extensions)}},
    {first + DRM_I915_GEM_EXECBUFFER2,
     {offsetof(drm_i915_gem_execbuffer2, buffers_ptr), offsetof(drm_i915_gem_execbuffer2, cliprects_ptr)}},
};

const Row* find(const std::vector<Row>& rows, unsigned number) {
  auto found = std::find_if(rows.begin(), rows.end(), [&](auto& row) { return row.number == number; });
  return found == rows.end() ? nullptr : &*found;
}

struct Input {
  const uint8_t* data;
  size_t size;

  bool take(void* to, size_t bytes) {
    size_t some = std::min(bytes, size);
    std::memcpy(to, data, some);
    std::memset(static_cast<uint8_t*>(to) + some, 0, bytes - some);
    data += some;
    size -= some;
    return size > 0;
  }
};

// The memory that pointers point to: chunks with pointers of their own where a submission wants them.
struct Scratch {
  alignas(16) uint8_t bytes[8192];
  std::vector<uint64_t> pointers;
  std::vector<drm_amdgpu_cs_chunk> chunks;  // radeon's have the same shape

  uint64_t at(size_t place) { return reinterpret_cast<uint64_t>(bytes + place % (sizeof bytes - 4096)); }

  uint64_t submission(Input& in, unsigned& count) {
    count %= 8;
    chunks.assign(count, {});
    pointers.clear();
    for (auto& chunk : chunks) {
      uint8_t shape[4];
      in.take(shape, 4);
      chunk.chunk_id = shape[0] % 12;
      chunk.length_dw = shape[1] % 64;
      chunk.chunk_data = at(shape[2] * 64u);
      pointers.push_back(reinterpret_cast<uint64_t>(&chunk));
      // a list of buffers in a chunk has a pointer too
      if (chunk.chunk_id == AMDGPU_CHUNK_ID_BO_HANDLES) {
        auto* list = reinterpret_cast<drm_amdgpu_bo_list_in*>(chunk.chunk_data);
        list->bo_number %= 64;
        list->bo_info_ptr = at(shape[3] * 32u);
      }
    }
    return reinterpret_cast<uint64_t>(pointers.data());
  }
};

// i915's arguments beyond plain pointers: what a query writes to, parameters that are pointers, small numbers of buffers.
void tame_i915(unsigned number, uint8_t* argument, Scratch& scratch) {
  if (number == first + DRM_I915_QUERY) {
    auto& query = *reinterpret_cast<drm_i915_query*>(argument);
    query.num_items %= 8;
    for (uint32_t i = 0; i < query.num_items; ++i) {
      auto* at = reinterpret_cast<uint8_t*>(query.items_ptr) + i * sizeof(drm_i915_query_item);
      drm_i915_query_item item;
      std::memcpy(&item, at, sizeof item);
      item.data_ptr = scratch.at(item.data_ptr);
      item.length %= 2048;
      std::memcpy(at, &item, sizeof item);
    }
  }
  if (number == first + DRM_I915_GEM_CONTEXT_GETPARAM || number == first + DRM_I915_GEM_CONTEXT_SETPARAM) {
    auto& param = *reinterpret_cast<drm_i915_gem_context_param*>(argument);
    if (param.param == I915_CONTEXT_PARAM_ENGINES || param.param == I915_CONTEXT_PARAM_SSEU)
      param.value = scratch.at(param.value);
  }
  if (number == first + DRM_I915_GEM_EXECBUFFER2) {
    auto& a = *reinterpret_cast<drm_i915_gem_execbuffer2*>(argument);
    a.buffer_count %= 8;
    a.num_cliprects %= 8;
  }
}

void run(File& file, const Ioctl& ioctl, std::string_view uapi, Input& in, Scratch& scratch, std::vector<int>& descriptors) {
  const bool radeon = uapi == "radeon", i915 = uapi == "i915";
  alignas(16) uint8_t argument[512];
  in.take(argument, ioctl.bytes);
  const Row* row = find(core_rows, ioctl.number);
  if (!row) row = find(radeon ? radeon_rows : i915 ? i915_rows : amdgpu_rows, ioctl.number);
  if (row) {
    for (unsigned place : row->pointers) {
      uint64_t value;
      std::memcpy(&value, argument + place, 8);
      value = scratch.at(value);
      std::memcpy(argument + place, &value, 8);
    }
    if (row->timeout != ~0u) {
      uint64_t soon = monotonic_nanoseconds() + 1'000'000;
      std::memcpy(argument + row->timeout, &soon, 8);
    }
    if (ioctl.number == first + DRM_AMDGPU_CS && uapi == "amdgpu") {
      auto& cs = reinterpret_cast<drm_amdgpu_cs*>(argument)->in;
      cs.chunks = scratch.submission(in, cs.num_chunks);
    }
    if (ioctl.number == first + DRM_RADEON_CS && radeon) {
      auto& cs = *reinterpret_cast<drm_radeon_cs*>(argument);
      cs.chunks = scratch.submission(in, cs.num_chunks);
    }
    if (ioctl.number == 0xc3 || ioctl.number == 0xca) reinterpret_cast<drm_syncobj_wait*>(argument)->count_handles %= 128;
    if (ioctl.number == 0x00) {
      auto& version = *reinterpret_cast<drm_version*>(argument);
      version.name_len %= 1024;
      version.date_len %= 1024;
      version.desc_len %= 1024;
    }
  }
  if (i915) tame_i915(ioctl.number, argument, scratch);
  bool gives_sync_file =
      uapi == "amdgpu" && ioctl.number == first + DRM_AMDGPU_FENCE_TO_HANDLE &&
      reinterpret_cast<drm_amdgpu_fence_to_handle*>(argument)->in.what == AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD;
  unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'd', ioctl.number, ioctl.bytes);
  int result = file.ioctl(request, argument);
  if (result != 0) return;
  if (row && row->descriptor != ~0u) {
    int fd;
    std::memcpy(&fd, argument + row->descriptor, 4);
    descriptors.push_back(fd);
  }
  if (i915 && ioctl.number == first + DRM_I915_GEM_EXECBUFFER2) {
    auto& a = *reinterpret_cast<drm_i915_gem_execbuffer2*>(argument);
    if (a.flags & I915_EXEC_FENCE_OUT) descriptors.push_back(int(a.rsvd2 >> 32));
  }
  if (gives_sync_file) descriptors.push_back(int(reinterpret_cast<drm_amdgpu_fence_to_handle*>(argument)->out.handle));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static bool quiet = [] {
    ::setenv("ATOLL_LOG", "error:nothing", 1);
    // failures of submissions are wanted here: not a word on standard error
    return true;
  }();
  (void)quiet;
  Input in{data, size};
  uint8_t kind = 0;
  in.take(&kind, 1);
  const struct {
    const char *gpu, *uapi;
  } kinds[] = {{"bonaire", "amdgpu"}, {"r580", "radeon"}, {"kabini", "amdgpu"}, {"bonaire", "radeon"}, {"dg1", "i915"}};
  const auto& chosen = kinds[kind % std::size(kinds)];
  ::setenv("ATOLL_UAPI", chosen.uapi, 1);
  auto session = Session::create_file();
  if (!session) std::abort();
  std::vector<int> descriptors;
  {
    auto process = Process::create(*session, chosen.gpu);
    if (!process) std::abort();
    (*process)->set_device(std::make_unique<NoDevice>());
    (*process)->submit_wait = 1'000'000;
    std::vector<const Ioctl*> table;
    for (auto rows : {drm_ioctls(), syncobj_ioctls(), find_uapi(chosen.uapi)->ioctls})
      for (auto& row : rows) table.push_back(&row);
    auto file = (*process)->open_file(position_ours | 1);
    auto scratch = std::make_unique<Scratch>();
    for (int calls = 0; in.size > 0 && calls < 64; ++calls) {
      uint8_t which[2];
      in.take(which, 2);
      if (which[1] & 1) in.take(scratch->bytes, 256);
      if (which[1] & 2) in.take(scratch->bytes + 1024, 256);
      run(*file, *table[which[0] % table.size()], chosen.uapi, in, *scratch, descriptors);
    }
    if ((*process)->session()->allocated_bytes() > memory_bytes) std::abort();
    file.reset();
    (*process)->close_file(position_ours | 1);
  }
  for (int fd : descriptors) ::close(fd);
  ::close(*session);
  return 0;
}
