// Sequences of i915's ioctls as drivers make them: buffers, contexts, address spaces and sync objects that exist, lists of engines,
// regions and fences, submissions with buffers at addresses, each field now and then another. A queue stands in for the GPU that reads
// its batch, writes to its buffers and fails as the batch says. No crash, no leak, no hang. (drm_ioctl_fuzz has raw bytes.)
#include <fcntl.h>
#include <libdrm/drm.h>
#include <libdrm/i915_drm.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bytes.h"
#include "drm/core/file.h"
#include "drm/core/process.h"

using namespace Atoll;
using namespace Atoll::drm;
using fuzz::Bytes;

namespace {

// The first byte of a batch: what its submission does.
enum BatchKind : uint8_t { fails = 13, writes = 87 };

struct StandIn : gpu::Device {
  struct Queue : gpu::Queue {
    AddressSpace& space;
    explicit Queue(AddressSpace& s) : space(s) {}
    Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override {
      for (auto& buffer : buffers) {
        // Placed there, and there as long as this runs; page 0 never is.
        const uint64_t bytes = std::min<uint64_t>(buffer.dwords * uint64_t(4), 256);
        if (bytes == 0 || !space.contains(buffer.address, bytes)) return fail("nothing is mapped there");
        uint8_t* batch = space.host(buffer.address);
        if (*batch == fails) return fail("as asked");
        if (*batch == writes) std::memset(batch, 1, bytes);
      }
      return {};
    }
    gpu::Statistics statistics() const override { return {}; }
  };
  std::string_view name() const override { return "none"; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind, AddressSpace& space) override {
    return std::make_unique<Queue>(space);
  }
  uint32_t read_register(uint32_t address) override { return address; }
  void write_register(uint32_t, uint32_t) override {}
  void attach(AddressSpace&) override {}
  std::string report() const override { return {}; }
};

// Memory that arguments point to. What is "the program's own" for GEM_USERPTR stands at its end, in whole pages.
struct Arena {
  static constexpr size_t bytes = 32768, user_pages = 4, page = 4096;
  alignas(page) std::array<uint8_t, bytes> front{};
  std::array<uint8_t, user_pages * page> user{};
  size_t used = 0;

  void clear() { used = 0; }
  uint8_t* room(size_t size) {
    used = (used + 15) / 16 * 16;
    if (size > bytes || used + size > bytes) used = 0;
    uint8_t* at = front.data() + used;
    used += size;
    return at;
  }
  template <class T>
  uint64_t put(const T* rows, size_t count) {
    uint8_t* at = room(sizeof(T) * count);
    std::memcpy(at, rows, std::min(sizeof(T) * count, bytes));
    return reinterpret_cast<uint64_t>(at);
  }
  template <class T>
  uint64_t put(const T& row) {
    return put(&row, 1);
  }
};

class Program {
public:
  Program(File& file, Bytes& in, int session) : file_(file), in_(in), session_(session) {
    // The objects that every program has: two buffers, an address space, a sync object.
    for (int n = 0; n < 2; ++n) {
      drm_i915_gem_create a{};
      a.size = 8192;
      if (raw(file_, DRM_COMMAND_BASE + DRM_I915_GEM_CREATE, a) == 0) buffers_.push_back(a.handle);
    }
    drm_i915_gem_vm_control memory{};
    if (raw(file_, DRM_COMMAND_BASE + DRM_I915_GEM_VM_CREATE, memory) == 0) memories_.push_back(memory.vm_id);
    drm_syncobj_create object{};
    if (raw(file_, 0xbf, object) == 0) objects_.push_back(object.handle);
  }
  ~Program() {
    for (int fd : descriptors_) ::close(fd);
  }

  void call() {
    arena_->clear();
    switch (in_.below(24)) {
      case 0: return create_buffer();
      case 1: return create_buffer_ext();
      case 2: return user_buffer();
      case 3: return create_context();
      case 4:
        return simple<drm_i915_gem_context_destroy>(DRM_I915_GEM_CONTEXT_DESTROY,
                                                    [&](auto& a) { a.ctx_id = of(contexts_), a.pad = odd(); });
      case 5: return set_parameter();
      case 6: return get_parameter();
      case 7:
        return simple<drm_i915_gem_vm_control>(
            DRM_I915_GEM_VM_CREATE, [&](auto& a) { a.flags = odd(), a.extensions = odd(); },
            [&](auto& a) { memories_.push_back(a.vm_id); });
      case 8:
        return simple<drm_i915_gem_vm_control>(DRM_I915_GEM_VM_DESTROY,
                                               [&](auto& a) { a.vm_id = of(memories_), a.flags = odd(); });
      case 9:
        return simple<drm_i915_reset_stats>(DRM_I915_GET_RESET_STATS,
                                            [&](auto& a) { a.ctx_id = of(contexts_), a.flags = odd(), a.pad = odd(); });
      case 10:
        return simple<drm_i915_gem_mmap_offset>(
            DRM_I915_GEM_MMAP_GTT,
            [&](auto& a) {
              a.handle = of(buffers_), a.flags = in_.chance(230) ? I915_MMAP_OFFSET_FIXED : in_.below(8), a.extensions = odd();
            },
            [&](auto& a) { write_batch(a.offset); });
      case 11: return simple<drm_i915_gem_busy>(DRM_I915_GEM_BUSY, [&](auto& a) { a.handle = of(buffers_); });
      case 12:
        return simple<drm_i915_gem_wait>(DRM_I915_GEM_WAIT, [&](auto& a) {
          a.bo_handle = of(buffers_), a.flags = odd(), a.timeout_ns = in_.chance(128) ? 0 : in_.take<uint16_t>();
        });
      case 13:
        return simple<drm_i915_gem_madvise>(DRM_I915_GEM_MADVISE,
                                            [&](auto& a) { a.handle = of(buffers_), a.madv = in_.below(3); });
      case 14: return query();
      case 15: return getparam();
      case 16: return sync_objects();
      case 17: return closing();
      case 18: return sharing();
      default: return submit();
    }
  }

private:
  File& file_;
  Bytes& in_;
  const int session_;
  std::unique_ptr<Arena> arena_ = std::make_unique<Arena>();
  std::vector<uint32_t> buffers_, contexts_{0}, memories_, objects_;
  std::vector<int> descriptors_;

  template <class T>
  static int raw(File& file, unsigned number, T& argument) {
    return file.ioctl(_IOC(_IOC_READ | _IOC_WRITE, 'd', number, sizeof(T)), &argument);
  }
  template <class T, class Fill, class Then>
  void simple(unsigned number, Fill fill, Then then) {
    T argument{};
    fill(argument);
    if (raw(file_, DRM_COMMAND_BASE + number, argument) == 0) then(argument);
  }
  template <class T, class Fill>
  void simple(unsigned number, Fill fill) {
    simple<T>(number, fill, [](auto&) {});
  }

  // Mostly one that exists.
  uint32_t of(const std::vector<uint32_t>& handles) {
    return in_.chance(240) && !handles.empty() ? handles[in_.below(uint32_t(handles.size()))] : in_.number();
  }
  // A value for a field that has to be 0.
  uint32_t odd() { return in_.chance(6) ? in_.number() : 0; }
  uint32_t bit(uint32_t flag, unsigned of_256 = 128) { return in_.chance(of_256) ? flag : 0; }
  // Now and then an address where nothing is; never memory of this process's that is somebody else's.
  uint64_t pointer(uint64_t good) {
    return in_.chance(248) ? good : in_.chance(128) ? 0 : uint64_t(1) << 62 | in_.take<uint32_t>();
  }

  uint64_t size() {
    if (in_.chance(8)) return in_.take<uint64_t>();
    return in_.one_of<uint64_t>({1, 100, 4096, 4097, 8192, 65536, 1 << 20}) + odd();
  }
  void write_batch(uint64_t offset) {
    const uint8_t first = in_.one_of<uint8_t>({0, fails, writes, 0});
    ::pwrite(session_, &first, 1, off_t(offset));
  }

  void create_buffer() {
    simple<drm_i915_gem_create>(
        DRM_I915_GEM_CREATE, [&](auto& a) { a.size = size(); }, [&](auto& a) { buffers_.push_back(a.handle); });
  }
  // A list of structures that extend an argument; one may lead back to itself.
  uint64_t extension(uint32_t name, uint64_t at, uint64_t next) {
    i915_user_extension head{};
    head.next_extension = in_.chance(4) ? at : next;
    head.name = in_.chance(245) ? name : in_.number();
    head.flags = odd();
    std::memcpy(reinterpret_cast<void*>(at), &head, sizeof head);
    return pointer(at);
  }
  void create_buffer_ext() {
    uint64_t list = 0;
    for (uint32_t n = in_.below(3); n > 0; --n) {
      std::array<drm_i915_gem_memory_class_instance, 3> rows{};
      for (auto& row : rows) row.memory_class = uint16_t(in_.below(3)), row.memory_instance = uint16_t(odd());
      drm_i915_gem_create_ext_memory_regions regions{};
      regions.num_regions = in_.chance(240) ? in_.below(4) : in_.number();
      regions.regions = pointer(arena_->put(rows));
      regions.pad = odd();
      list = extension(in_.chance(230) ? I915_GEM_CREATE_EXT_MEMORY_REGIONS : I915_GEM_CREATE_EXT_PROTECTED_CONTENT,
                       arena_->put(regions), list);
    }
    simple<drm_i915_gem_create_ext>(
        DRM_I915_GEM_CREATE_EXT, [&](auto& a) { a.size = size(), a.flags = odd(), a.extensions = list; },
        [&](auto& a) { buffers_.push_back(a.handle); });
  }
  void user_buffer() {
    simple<drm_i915_gem_userptr>(
        DRM_I915_GEM_USERPTR,
        [&](auto& a) {
          const uint32_t page = in_.below(Arena::user_pages);
          a.user_ptr = pointer(reinterpret_cast<uint64_t>(arena_->user.data()) + page * Arena::page) + odd();
          a.user_size = in_.chance(240) ? (Arena::user_pages - page) * Arena::page : size();
          a.flags = bit(I915_USERPTR_READ_ONLY, 64) | bit(I915_USERPTR_PROBE) | bit(I915_USERPTR_UNSYNCHRONIZED, 16) | odd();
        },
        [&](auto& a) { buffers_.push_back(a.handle); });
  }

  drm_i915_gem_context_param parameter() {
    drm_i915_gem_context_param a{};
    a.param = in_.chance(240) ? in_.below(14) : in_.number();
    a.size = odd();
    a.value = in_.chance(128) ? in_.below(2) : in_.number();
    if (a.param == I915_CONTEXT_PARAM_VM) a.value = of(memories_);
    if (a.param == I915_CONTEXT_PARAM_PRIORITY) a.value = uint64_t(-int64_t(in_.number()));
    if (a.param == I915_CONTEXT_PARAM_SSEU) {
      a.size = in_.chance(200) ? sizeof(drm_i915_gem_context_param_sseu) : in_.number();
      a.value = pointer(arena_->put(drm_i915_gem_context_param_sseu{}));
    }
    if (a.param == I915_CONTEXT_PARAM_ENGINES) engines(a);
    return a;
  }
  void engines(drm_i915_gem_context_param& a) {
    const uint32_t count = in_.chance(240) ? in_.below(6) : in_.below(80);
    std::vector<i915_engine_class_instance> rows(count);
    for (auto& row : rows) {
      row.engine_class = in_.chance(230) ? uint16_t(in_.below(2)) : in_.take<uint16_t>();
      row.engine_instance = uint16_t(odd());
      if (in_.chance(16))
        row.engine_class = uint16_t(I915_ENGINE_CLASS_INVALID), row.engine_instance = uint16_t(I915_ENGINE_CLASS_INVALID_NONE);
    }
    uint64_t list = 0;
    for (uint32_t n = in_.chance(96) ? in_.below(3) : 0; n > 0; --n) {
      i915_context_engines_load_balance balance{};
      balance.engine_index = uint16_t(in_.below(8));
      balance.num_siblings = uint16_t(in_.below(3));
      balance.flags = odd();
      const i915_engine_class_instance engine{uint16_t(in_.below(3)), 0};
      uint8_t* extended = arena_->room(sizeof balance + sizeof engine);
      std::memcpy(extended, &balance, sizeof balance), std::memcpy(extended + sizeof balance, &engine, sizeof engine);
      list = extension(in_.chance(230) ? I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE : I915_CONTEXT_ENGINES_EXT_BOND,
                       reinterpret_cast<uint64_t>(extended), list);
    }
    uint8_t* at = arena_->room(8 + rows.size() * sizeof rows[0]);
    std::memcpy(at, &list, 8);
    if (!rows.empty()) std::memcpy(at + 8, rows.data(), rows.size() * sizeof rows[0]);
    a.value = pointer(reinterpret_cast<uint64_t>(at));
    a.size = in_.chance(248) ? uint32_t(8 + rows.size() * sizeof rows[0]) : in_.number();
  }
  void create_context() {
    uint64_t list = 0;
    for (uint32_t n = in_.below(4); n > 0; --n) {
      drm_i915_gem_context_create_ext_setparam set{};
      set.param = parameter();
      set.param.ctx_id = odd();
      list = extension(I915_CONTEXT_CREATE_EXT_SETPARAM, arena_->put(set), list);
    }
    simple<drm_i915_gem_context_create_ext>(
        DRM_I915_GEM_CONTEXT_CREATE,
        [&](auto& a) { a.extensions = list, a.flags = (list ? I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS : 0u) | odd(); },
        [&](auto& a) { contexts_.push_back(a.ctx_id); });
  }
  void set_parameter() {
    simple<drm_i915_gem_context_param>(DRM_I915_GEM_CONTEXT_SETPARAM,
                                       [&](auto& a) { a = parameter(), a.ctx_id = of(contexts_); });
  }
  void get_parameter() {
    simple<drm_i915_gem_context_param>(
        DRM_I915_GEM_CONTEXT_GETPARAM, [&](auto& a) { a = parameter(), a.ctx_id = of(contexts_); },
        [&](auto& a) {
          if (a.param == I915_CONTEXT_PARAM_VM) memories_.push_back(uint32_t(a.value));
        });
  }

  void query() {
    std::array<drm_i915_query_item, 6> items{};
    for (auto& item : items) {
      item.query_id = in_.chance(240) ? 1 + in_.below(6) : in_.number();
      item.length = in_.chance(100) ? 0 : int32_t(in_.chance(200) ? 1024 : in_.number() % 1024);
      item.data_ptr = pointer(reinterpret_cast<uint64_t>(arena_->room(1024)));
      item.flags = odd();
    }
    const uint64_t at = pointer(arena_->put(items));
    simple<drm_i915_query>(DRM_I915_QUERY, [&](auto& a) {
      a.num_items = in_.chance(245) ? in_.below(7) : in_.number() % 4000, a.flags = odd(), a.items_ptr = at;
    });
  }
  void getparam() {
    simple<drm_i915_getparam>(DRM_I915_GETPARAM, [&](auto& a) {
      a.param = int(in_.chance(240) ? in_.below(64) : in_.number());
      a.value = reinterpret_cast<int*>(pointer(reinterpret_cast<uint64_t>(arena_->room(64))));
    });
  }

  std::vector<uint32_t> some_objects(uint32_t most) {
    std::vector<uint32_t> handles(in_.below(most) + 1);
    for (auto& handle : handles) handle = of(objects_);
    return handles;
  }
  std::vector<uint64_t> some_points(size_t count) {
    std::vector<uint64_t> points(count);
    for (auto& point : points) point = in_.chance(200) ? in_.below(6) : in_.take<uint64_t>();
    return points;
  }
  void sync_objects() {
    const auto handles = some_objects(5);
    const auto points = some_points(handles.size());
    const uint64_t at = pointer(arena_->put(handles.data(), handles.size())),
                   points_at = pointer(arena_->put(points.data(), points.size()));
    const auto count = uint32_t(in_.chance(245) ? handles.size() : in_.below(4096));
    switch (in_.below(8)) {
      case 0:
      case 1: {
        drm_syncobj_create a{};
        a.flags = bit(DRM_SYNCOBJ_CREATE_SIGNALED) | odd();
        if (raw(file_, 0xbf, a) == 0) objects_.push_back(a.handle);
        return;
      }
      case 2: {
        drm_syncobj_destroy a{of(objects_), odd()};
        raw(file_, 0xc0, a);
        return;
      }
      case 3: {
        drm_syncobj_wait a{};
        a.handles = at, a.count_handles = count, a.flags = in_.below(8) | odd();
        a.timeout_nsec = int64_t(monotonic_nanoseconds() + 200'000);
        raw(file_, 0xc3, a);
        return;
      }
      case 4: {
        drm_syncobj_array a{};
        a.handles = at, a.count_handles = count, a.pad = odd();
        raw(file_, in_.chance(128) ? 0xc4 : 0xc5, a);
        return;
      }
      case 5: {
        drm_syncobj_timeline_wait a{};
        a.handles = at, a.points = points_at, a.count_handles = count, a.flags = in_.below(8) | odd();
        a.timeout_nsec = int64_t(monotonic_nanoseconds() + 200'000);
        raw(file_, 0xca, a);
        return;
      }
      case 6: {
        drm_syncobj_timeline_array a{};
        a.handles = at, a.points = points_at, a.count_handles = count, a.flags = in_.below(2) | odd();
        raw(file_, in_.chance(128) ? 0xcb : 0xcd, a);
        return;
      }
      default: {
        drm_syncobj_transfer a{};
        a.src_handle = of(objects_), a.dst_handle = of(objects_), a.src_point = points[0], a.dst_point = in_.below(6),
        a.flags = in_.below(3);
        raw(file_, 0xcc, a);
      }
    }
  }
  void closing() {
    drm_gem_close a{};
    a.handle = of(buffers_), a.pad = odd();
    raw(file_, 0x09, a);
  }
  void sharing() {
    if (in_.chance(128)) {
      drm_prime_handle a{};
      a.handle = of(buffers_), a.flags = bit(O_CLOEXEC) | bit(O_RDWR) | odd();
      if (raw(file_, 0x2d, a) == 0) descriptors_.push_back(a.fd);
    } else if (!descriptors_.empty()) {
      drm_prime_handle a{};
      a.fd = descriptors_[in_.below(uint32_t(descriptors_.size()))];
      if (raw(file_, 0x2e, a) == 0) buffers_.push_back(a.handle);
    }
  }

  uint64_t place() {
    const uint64_t base = in_.one_of<uint64_t>(
        {0, 0x10000, 0x20000, 0x100000, 0x7fff'ffff'0000, 0xffff'8000'0000'0000, 0xffff'ffff'0000'0000, 0x8000'0000'0000});
    return base + in_.below(16) * uint64_t(4096) + odd();
  }
  uint64_t timelines(uint64_t next) {
    const auto handles = some_objects(4);
    const auto points = some_points(handles.size());
    std::vector<drm_i915_gem_exec_fence> fences;
    for (uint32_t handle : handles) fences.push_back({handle, in_.below(4) | odd()});
    drm_i915_gem_execbuffer_ext_timeline_fences list{};
    list.fence_count = in_.chance(245) ? fences.size() : in_.number();
    list.handles_ptr = pointer(arena_->put(fences.data(), fences.size()));
    list.values_ptr = pointer(arena_->put(points.data(), points.size()));
    return extension(DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES, arena_->put(list), next);
  }
  void submit() {
    std::vector<drm_i915_gem_exec_object2> rows(in_.below(5) + 1);
    for (auto& row : rows) {
      row.handle = of(buffers_);
      row.relocation_count = odd();
      row.offset = place();
      row.flags = bit(EXEC_OBJECT_PINNED, 250) | bit(EXEC_OBJECT_WRITE) | bit(EXEC_OBJECT_SUPPORTS_48B_ADDRESS) |
                  bit(EXEC_OBJECT_ASYNC, 64) | bit(EXEC_OBJECT_CAPTURE, 32) | odd();
    }
    drm_i915_gem_execbuffer2 a{};
    a.buffers_ptr = pointer(arena_->put(rows.data(), rows.size()));
    a.buffer_count = in_.chance(248) ? uint32_t(rows.size()) : in_.number();
    a.batch_start_offset = in_.chance(200) ? 0 : in_.below(300) * 8 + odd();
    a.batch_len = in_.chance(200) ? 0 : in_.below(300) * 8 + odd();
    a.flags = in_.below(5) | bit(I915_EXEC_NO_RELOC) | bit(I915_EXEC_HANDLE_LUT, 64) | bit(I915_EXEC_BATCH_FIRST) | odd();
    a.rsvd1 = of(contexts_);
    const uint32_t how = in_.below(8);
    if (how == 0) {
      std::vector<drm_i915_gem_exec_fence> fences;
      for (uint32_t handle : some_objects(4)) fences.push_back({handle, in_.below(4) | odd()});
      a.flags |= I915_EXEC_FENCE_ARRAY;
      a.cliprects_ptr = pointer(arena_->put(fences.data(), fences.size()));
      a.num_cliprects = in_.chance(248) ? uint32_t(fences.size()) : in_.number();
    }
    if (how == 1)
      a.flags |= I915_EXEC_USE_EXTENSIONS, a.cliprects_ptr = timelines(in_.chance(64) ? timelines(0) : 0),
                                           a.num_cliprects = odd();
    if (how == 2) a.flags |= I915_EXEC_FENCE_OUT;
    if (how == 3 && !descriptors_.empty()) {
      a.flags |= in_.chance(200) ? I915_EXEC_FENCE_IN : I915_EXEC_FENCE_SUBMIT;
      a.rsvd2 = uint32_t(descriptors_[in_.below(uint32_t(descriptors_.size()))]);
    }
    const unsigned number = DRM_COMMAND_BASE + (in_.chance(128) ? DRM_I915_GEM_EXECBUFFER2 : DRM_I915_GEM_EXECBUFFER2_WR);
    if (raw(file_, number, a) == 0 && a.flags & I915_EXEC_FENCE_OUT) descriptors_.push_back(int(a.rsvd2 >> 32));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool set = [] {
    ::setenv("ATOLL_LOG", "error:nothing", 0);  // failures of submissions are wanted here: not a word on standard error
    ::setenv("ATOLL_UAPI", "i915", 1);
    return true;
  }();
  (void)set;
  Bytes in(data, size);
  auto session = Session::create_file();
  if (!session) std::abort();
  {
    auto process = Process::create(*session, "dg1");
    if (!process) std::abort();
    (*process)->set_device(std::make_unique<StandIn>());
    (*process)->submit_wait = 200'000;
    auto file = (*process)->open_file(position_ours | 1);
    {
      Program program(*file, in, *session);
      for (int calls = 0; !in.empty() && calls < 200; ++calls) program.call();
      file.reset();
      (*process)->close_file(position_ours | 1);  // what runs has ended before the program's memory goes
    }
    if ((*process)->session()->allocated_bytes() > memory_bytes) std::abort();
  }
  ::close(*session);
  return 0;
}
