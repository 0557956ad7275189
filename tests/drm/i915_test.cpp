// i915's uapi over a device that executes a few words: memory, contexts, submissions, fences.
#include <libdrm/drm.h>
#include <libdrm/i915_drm.h>

#include "drm/session/sync_file.h"
#include "tests/drm/uapi.h"

namespace Atoll::drm {
namespace {

struct I915 : ::testing::Test {
  Program program{"dg1"};
  File& file = *program.file;

  uint32_t create(uint64_t bytes) {
    drm_i915_gem_create a{};
    a.size = bytes;
    EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_CREATE, a), 0);
    return a.handle;
  }
  uint8_t* host(uint32_t handle) { return file.find_buffer(handle)->host(); }
  uint32_t create_context() {
    drm_i915_gem_context_create_ext a{};
    EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, a), 0);
    return a.ctx_id;
  }
  int set(uint32_t context, uint64_t param, uint64_t value) {
    drm_i915_gem_context_param a{};
    a.ctx_id = context;
    a.param = param;
    a.value = value;
    return call(file, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, a);
  }
  uint64_t get(uint32_t context, uint64_t param) {
    drm_i915_gem_context_param a{};
    a.ctx_id = context;
    a.param = param;
    EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, a), 0);
    return a.value;
  }
  static drm_i915_gem_exec_object2 at(uint32_t handle, uint64_t address) {
    drm_i915_gem_exec_object2 object{};
    object.handle = handle;
    object.offset = uint64_t(int64_t(address << 16) >> 16);
    object.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
    return object;
  }
  // The last object is the batch.
  int submit(std::vector<drm_i915_gem_exec_object2> objects, uint32_t context = 0, uint64_t flags = 0,
             drm_i915_gem_execbuffer2 a = {}) {
    a.buffers_ptr = reinterpret_cast<uint64_t>(objects.data());
    a.buffer_count = uint32_t(objects.size());
    a.rsvd1 = context;
    a.flags |= flags;
    return call(file, DRM_IOCTL_I915_GEM_EXECBUFFER2, a);
  }
  int wait(uint32_t handle, int64_t timeout = -1) {
    drm_i915_gem_wait a{};
    a.bo_handle = handle;
    a.timeout_ns = timeout;
    return call(file, DRM_IOCTL_I915_GEM_WAIT, a);
  }
  void write(uint32_t handle, std::vector<uint32_t> words) { std::memcpy(host(handle), words.data(), words.size() * 4); }
  uint32_t resets(uint32_t context) {
    drm_i915_reset_stats a{};
    a.ctx_id = context;
    EXPECT_EQ(call(file, DRM_IOCTL_I915_GET_RESET_STATS, a), 0);
    return a.batch_active;
  }
};

constexpr uint64_t low = 0x10000, high = 0xffff'fffe'0000;

TEST_F(I915, TellsWhatItIs) {
  auto param = [&](int which, int& value) {
    drm_i915_getparam a{which, &value};
    return call(file, DRM_IOCTL_I915_GETPARAM, a);
  };
  int value = 0;
  EXPECT_EQ(param(I915_PARAM_CHIPSET_ID, value), 0);
  EXPECT_EQ(value, 0x4905);
  EXPECT_EQ(param(I915_PARAM_CS_TIMESTAMP_FREQUENCY, value), 0);
  EXPECT_EQ(value, 19'200'000);
  EXPECT_EQ(param(I915_PARAM_HAS_LLC, value), 0);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(param(9999, value), -EINVAL);

  auto query = [&](uint64_t id, std::vector<uint8_t>* bytes) {
    drm_i915_query_item item{};
    item.query_id = id;
    if (bytes) {
      item.length = int(bytes->size());
      item.data_ptr = reinterpret_cast<uint64_t>(bytes->data());
    }
    drm_i915_query a{1, 0, reinterpret_cast<uint64_t>(&item)};
    EXPECT_EQ(call(file, DRM_IOCTL_I915_QUERY, a), 0);
    return item.length;
  };
  std::vector<uint8_t> bytes(size_t(query(DRM_I915_QUERY_MEMORY_REGIONS, nullptr)));
  EXPECT_EQ(query(DRM_I915_QUERY_MEMORY_REGIONS, &bytes), int(bytes.size()));
  auto* regions = reinterpret_cast<drm_i915_query_memory_regions*>(bytes.data());
  ASSERT_EQ(regions->num_regions, 2u);
  EXPECT_EQ(regions->regions[1].region.memory_class, I915_MEMORY_CLASS_DEVICE);
  EXPECT_EQ(regions->regions[1].probed_size, uint64_t(4) << 30);
  bytes.assign(size_t(query(DRM_I915_QUERY_TOPOLOGY_INFO, nullptr)), 0);
  EXPECT_EQ(query(DRM_I915_QUERY_TOPOLOGY_INFO, &bytes), int(bytes.size()));
  auto* topology = reinterpret_cast<drm_i915_query_topology_info*>(bytes.data());
  EXPECT_EQ(topology->max_subslices, 6);
  EXPECT_EQ(topology->data[topology->subslice_offset], 0x3f);
  EXPECT_EQ(topology->data[topology->eu_offset + 11], 0xff);
  EXPECT_EQ(query(DRM_I915_QUERY_HWCONFIG_BLOB, nullptr), -ENODEV);
  EXPECT_EQ(query(77, nullptr), -EINVAL);
}

TEST_F(I915, BuffersOfBothMemories) {
  drm_i915_gem_memory_class_instance device{I915_MEMORY_CLASS_DEVICE, 0};
  drm_i915_gem_create_ext_memory_regions list{};
  list.base.name = I915_GEM_CREATE_EXT_MEMORY_REGIONS;
  list.num_regions = 1;
  list.regions = reinterpret_cast<uint64_t>(&device);
  drm_i915_gem_create_ext a{};
  a.size = 5000;
  a.extensions = reinterpret_cast<uint64_t>(&list);
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_CREATE_EXT, a), 0);
  EXPECT_EQ(a.size, 8192u);
  drm_i915_gem_mmap_offset offset{};
  offset.handle = a.handle;
  offset.flags = I915_MMAP_OFFSET_FIXED;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_MMAP_OFFSET, offset), 0);
  EXPECT_EQ(offset.offset, file.find_buffer(a.handle)->offset());
  offset.flags = I915_MMAP_OFFSET_WB;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_MMAP_OFFSET, offset), -ENODEV);
  list.base.name = 99;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_CREATE_EXT, a), -EINVAL);
}

TEST_F(I915, SubmissionsFindBuffersWhereTheyArePinned) {
  uint32_t batch = create(4096), target = create(4096), other = create(4096);
  write(batch, {store, uint32_t(high), uint32_t(high >> 32), 42});
  EXPECT_EQ(submit({at(target, high), at(batch, low)}), 0);
  EXPECT_EQ(wait(target), 0);
  EXPECT_EQ(host(target)[0], 42);
  // another one in its place, and the first elsewhere
  EXPECT_EQ(submit({at(other, high), at(target, high - 4096), at(batch, low)}), 0);
  EXPECT_EQ(wait(other), 0);
  EXPECT_EQ(host(other)[0], 42);
  // two at one place
  EXPECT_EQ(submit({at(other, high), at(target, high), at(batch, low)}), -ENOSPC);
  // what the kernel would place, and what it would patch
  auto loose = at(batch, low);
  loose.flags = 0;
  EXPECT_EQ(submit({loose}), -EINVAL);
  loose = at(batch, low);
  loose.relocation_count = 1;
  EXPECT_EQ(submit({loose}), -EINVAL);
  loose = at(batch, low);
  loose.offset = high;  // not canonical
  EXPECT_EQ(submit({loose}), -EINVAL);
}

TEST_F(I915, ABatchBeginsAtItsOffset) {
  uint32_t batch = create(4096), target = create(4096);
  write(batch, {error, 0, 0, 0, store, uint32_t(high), uint32_t(high >> 32), 7});
  drm_i915_gem_execbuffer2 a{};
  a.batch_start_offset = 16;
  a.batch_len = 16;
  EXPECT_EQ(submit({at(batch, low), at(target, high)}, 0, I915_EXEC_BATCH_FIRST, a), 0);
  EXPECT_EQ(wait(target), 0);
  EXPECT_EQ(host(target)[0], 7);
  a.batch_start_offset = 4096;
  EXPECT_EQ(submit({at(batch, low)}, 0, 0, a), -EINVAL);
}

TEST_F(I915, ContextsHaveAddressSpacesOfTheirOwnOrShareOne) {
  uint32_t one = create_context(), two = create_context(), three = create_context();
  drm_i915_gem_vm_control vm{};
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_VM_CREATE, vm), 0);
  EXPECT_EQ(set(two, I915_CONTEXT_PARAM_VM, vm.vm_id), 0);
  EXPECT_EQ(set(three, I915_CONTEXT_PARAM_VM, vm.vm_id), 0);
  EXPECT_EQ(set(three, I915_CONTEXT_PARAM_VM, 77), -ENOENT);
  EXPECT_EQ(get(one, I915_CONTEXT_PARAM_GTT_SIZE), uint64_t(1) << 48);
  uint32_t batch = create(4096), a = create(4096), b = create(4096);
  write(batch, {store, uint32_t(high), uint32_t(high >> 32), 1});
  EXPECT_EQ(submit({at(a, high), at(batch, low)}, one), 0);
  EXPECT_EQ(submit({at(b, high), at(batch, low)}, two), 0);
  EXPECT_EQ(wait(batch), 0);
  EXPECT_EQ(host(a)[0] + host(b)[0], 2);
  host(b)[0] = 0;
  EXPECT_EQ(submit({at(batch, low)}, three), 0);  // b is still there
  EXPECT_EQ(wait(batch), 0);
  EXPECT_EQ(host(b)[0], 1);
  EXPECT_EQ(set(two, I915_CONTEXT_PARAM_VM, vm.vm_id), -EINVAL) << "it has been used";
}

TEST_F(I915, EnginesByClassOrByList) {
  uint32_t context = create_context(), batch = create(4096);
  write(batch, {nothing});
  EXPECT_EQ(submit({at(batch, low)}, context, I915_EXEC_BLT), 0);
  EXPECT_EQ(submit({at(batch, low)}, context, I915_EXEC_BSD), -EINVAL);
  context = create_context();
  struct {
    uint64_t extensions = 0;
    i915_engine_class_instance engines[2] = {{I915_ENGINE_CLASS_COPY, 0}, {I915_ENGINE_CLASS_RENDER, 0}};
  } list;
  drm_i915_gem_context_param a{};
  a.ctx_id = context;
  a.param = I915_CONTEXT_PARAM_ENGINES;
  a.size = sizeof list;
  a.value = reinterpret_cast<uint64_t>(&list);
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, a), 0);
  EXPECT_EQ(submit({at(batch, low)}, context, 1), 0);
  EXPECT_EQ(submit({at(batch, low)}, context, 2), -EINVAL);
  list.engines[0].engine_class = I915_ENGINE_CLASS_VIDEO;
  a.ctx_id = create_context();
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, a), -ENOENT);
}

TEST_F(I915, TheProgramsOwnMemory) {
  alignas(4096) static uint32_t own[2048];
  own[0] = 1, own[1024] = 5;
  drm_i915_gem_userptr user{};
  user.user_ptr = reinterpret_cast<uint64_t>(own);
  user.user_size = sizeof own;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_USERPTR, user), 0);
  uint32_t batch = create(4096);
  write(batch, {store, uint32_t(high), uint32_t(high >> 32), 2, gate});
  EXPECT_EQ(submit({at(user.handle, high), at(batch, low)}), 0);
  while (!program.device->at_gate) std::this_thread::yield();
  own[1024] = 6;  // meanwhile
  program.device->gate_open = true;
  EXPECT_EQ(wait(user.handle), 0);
  EXPECT_EQ(own[0], 2u);
  EXPECT_EQ(own[1024], 6u);
  // it goes without its memory
  drm_gem_close close{user.handle, 0};
  EXPECT_EQ(call(file, DRM_IOCTL_GEM_CLOSE, close), 0);
  EXPECT_EQ(own[0], 2u);
  user.user_ptr = 1;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_USERPTR, user), -EINVAL);
  user.user_ptr = 0x1000;
  user.flags = I915_USERPTR_PROBE;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_USERPTR, user), -EFAULT);
  user.user_ptr = reinterpret_cast<uint64_t>(own);
  user.flags = I915_USERPTR_READ_ONLY;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_USERPTR, user), -ENODEV);
}

// Programs poll what the GPU writes when it is done, and read their memory then.
TEST_F(I915, TheProgramsOwnMemoryIsThereBeforeTheSignal) {
  alignas(4096) static uint32_t own[1024];
  drm_i915_gem_userptr user{};
  user.user_ptr = reinterpret_cast<uint64_t>(own);
  user.user_size = sizeof own;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_USERPTR, user), 0);
  uint32_t batch = create(4096), tag = create(4096);
  write(batch, {store, uint32_t(high), uint32_t(high >> 32), 2, 1 << 16 | store, uint32_t(low + 0x10000), 0, 1, gate});
  EXPECT_EQ(submit({at(user.handle, high), at(tag, low + 0x10000), at(batch, low)}), 0);
  while (__atomic_load_n(reinterpret_cast<uint32_t*>(host(tag)), __ATOMIC_ACQUIRE) != 1) std::this_thread::yield();
  EXPECT_EQ(own[0], 2u) << "although the submission has not ended";
  own[0] = 3;
  program.device->gate_open = true;
  EXPECT_EQ(wait(batch), 0);
  EXPECT_EQ(own[0], 3u);
}

TEST_F(I915, FencesOfTimelinesAndDescriptors) {
  drm_syncobj_create object{};
  EXPECT_EQ(call(file, DRM_IOCTL_SYNCOBJ_CREATE, object), 0);
  uint32_t batch = create(4096), later = create(4096), target = create(4096);
  write(batch, {gate, store, uint32_t(high), uint32_t(high >> 32), 1});
  write(later, {store, uint32_t(high + 4), uint32_t(high >> 32), 2});
  drm_i915_gem_exec_fence signal{object.handle, I915_EXEC_FENCE_SIGNAL}, waits{object.handle, I915_EXEC_FENCE_WAIT};
  uint64_t point = 5;
  drm_i915_gem_execbuffer_ext_timeline_fences fences{};
  fences.fence_count = 1;
  fences.handles_ptr = reinterpret_cast<uint64_t>(&signal);
  fences.values_ptr = reinterpret_cast<uint64_t>(&point);
  drm_i915_gem_execbuffer2 a{};
  a.cliprects_ptr = reinterpret_cast<uint64_t>(&fences);
  EXPECT_EQ(submit({at(target, high), at(batch, low)}, 0, I915_EXEC_USE_EXTENSIONS, a), 0);
  fences.handles_ptr = reinterpret_cast<uint64_t>(&waits);
  drm_i915_gem_exec_object2 objects[] = {at(later, low + 0x10000)};
  a.buffers_ptr = reinterpret_cast<uint64_t>(objects);
  a.buffer_count = 1;
  a.flags = I915_EXEC_USE_EXTENSIONS | I915_EXEC_FENCE_OUT | I915_EXEC_BLT;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, a), 0);
  EXPECT_EQ(wait(later, 1'000'000), -ETIME);
  program.device->gate_open = true;
  EXPECT_EQ(wait(later), 0);
  const int descriptor = int(a.rsvd2 >> 32);
  EXPECT_TRUE(is_sync_file(descriptor));
  ::close(descriptor);
}

TEST_F(I915, WhatFailsResetsOrBansItsContext) {
  uint32_t recovers = create_context(), does_not = create_context(), batch = create(4096);
  EXPECT_EQ(set(does_not, I915_CONTEXT_PARAM_RECOVERABLE, 0), 0);
  write(batch, {error});
  EXPECT_EQ(submit({at(batch, low)}, does_not), 0);
  EXPECT_EQ(wait(batch), 0);
  EXPECT_EQ(resets(does_not), 1u);
  EXPECT_EQ(submit({at(batch, low)}, does_not), -EIO);
  for (uint32_t n = 1; n <= 3; ++n) {
    EXPECT_EQ(submit({at(batch, low)}, recovers), 0);
    EXPECT_EQ(wait(batch), 0);
    EXPECT_EQ(resets(recovers), n);
  }
  EXPECT_EQ(submit({at(batch, low)}, recovers), -EIO);
  write(batch, {nothing});
  EXPECT_EQ(submit({at(batch, low)}), 0) << "others go on";
  EXPECT_EQ(wait(batch), 0);
  EXPECT_EQ(resets(0), 0u);
}

TEST_F(I915, RefusesWhatADiscreteGpuHasNot) {
  drm_i915_gem_set_domain domain{};
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_SET_DOMAIN, domain), -ENODEV);
  drm_i915_gem_set_tiling tiling{};
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_SET_TILING, tiling), -EOPNOTSUPP);
  drm_i915_gem_busy busy{};
  EXPECT_EQ(call(file, DRM_IOCTL_I915_GEM_BUSY, busy), -ENOENT);
  drm_i915_reg_read read{};
  read.offset = 0x1234;
  EXPECT_EQ(call(file, DRM_IOCTL_I915_REG_READ, read), -EINVAL);
}

}  // namespace
}  // namespace Atoll::drm
