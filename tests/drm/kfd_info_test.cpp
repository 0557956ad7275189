// /dev/kfd: what it tells of GPUs, render nodes, events.
#include "tests/drm/kfd.h"

namespace Atoll::drm {
namespace {

TEST(Kfd, TellsVersionAndApertures) {
  Kfd k(false);
  kfd_ioctl_get_version_args version{};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_VERSION, version), 0);
  EXPECT_EQ(version.major_version, 1u);
  EXPECT_EQ(version.minor_version, 11u);
  kfd_ioctl_get_process_apertures_new_args a{};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, a), 0);
  EXPECT_EQ(a.num_of_nodes, 1u);
  kfd_process_device_apertures told[3]{};
  a = {.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(told), .num_of_nodes = 3, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, a), 0);
  EXPECT_EQ(a.num_of_nodes, 1u);
  // kfd_flat_memory.c: MAKE_LDS_APP_BASE_VI, MAKE_SCRATCH_APP_BASE_VI, SVM_USER_BASE
  EXPECT_EQ(told[0].lds_base, 0x2000000000000000u);
  EXPECT_EQ(told[0].lds_limit, 0x20000000ffffffffu);
  EXPECT_EQ(told[0].scratch_base, 0x2000000100000000u);
  EXPECT_EQ(told[0].gpuvm_base, 0x1000000u);
  EXPECT_LE(told[0].gpuvm_limit, (uint64_t(1) << 40) - 1);
  EXPECT_EQ(told[0].gpu_id, k.id);
  a = {.kfd_process_device_apertures_ptr = 8, .num_of_nodes = 1, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, a), -EFAULT);
  // kfd_ioctl answers a number beyond its table so; the debugger's first interface is taken back
  int none = 0;
  EXPECT_EQ(k.call(_IOWR('K', 0x7f, int), none), -EINVAL);
  kfd_ioctl_dbg_unregister_args debug{};
  EXPECT_EQ(k.call(AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED, debug), -EPERM);
  // RUNTIME_ENABLE is of later kernels than know hawaii alone
  uint64_t runtime[2]{};
  EXPECT_EQ(k.call(_IOWR('K', 0x25, uint64_t[2]), runtime), -EINVAL);
}

TEST(Kfd, TellsHowImagesLie) {
  Kfd k(false);
  std::vector<uint32_t> tiles(40, 1), macros(20, 1);
  kfd_ioctl_get_tile_config_args a{};
  a.tile_config_ptr = reinterpret_cast<uint64_t>(tiles.data()),
  a.macro_tile_config_ptr = reinterpret_cast<uint64_t>(macros.data());
  a.num_tile_configs = 40, a.num_macro_tile_configs = 20, a.gpu_id = k.id;
  ASSERT_EQ(k.call(AMDKFD_IOC_GET_TILE_CONFIG, a), 0);
  EXPECT_EQ(a.num_tile_configs, 32u);
  EXPECT_EQ(a.num_macro_tile_configs, 16u);
  // the test's device answers with the address; cik_d.h: mmGB_TILE_MODE0 0x2644, mmGB_MACROTILE_MODE0 0x2664, mmGB_ADDR_CONFIG 0x263e
  constexpr uint32_t mark = 0x5a5a5a5a;
  EXPECT_EQ(tiles[0], (0x2644u * 4) ^ mark);
  EXPECT_EQ(tiles[31], (0x2663u * 4) ^ mark);
  EXPECT_EQ(tiles[32], 1u);
  EXPECT_EQ(macros[15], (0x2673u * 4) ^ mark);
  EXPECT_EQ(macros[16], 1u);
  EXPECT_EQ(a.gb_addr_config, (0x263eu * 4) ^ mark);
  a.tile_config_ptr = 8;
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_TILE_CONFIG, a), -EFAULT);
  a.gpu_id = 1;
  EXPECT_EQ(k.call(AMDKFD_IOC_GET_TILE_CONFIG, a), -EINVAL);
}

TEST(Kfd, AcquiresPageTablesOnce) {
  Kfd k(false);
  uint64_t handle = 0;
  EXPECT_EQ(k.allocate(base, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT, handle), -ENODEV);
  EXPECT_EQ(k.acquire_vm(-1), -EINVAL);
  EXPECT_EQ(k.acquire_vm(0), -EINVAL);
  EXPECT_EQ(k.acquire_vm(k.descriptor), -EINVAL);  // the session's file, but no node
  kfd_ioctl_acquire_vm_args other{.drm_fd = uint32_t(k.node), .gpu_id = 1};
  EXPECT_EQ(k.call(AMDKFD_IOC_ACQUIRE_VM, other), -EINVAL);
  EXPECT_EQ(k.acquire_vm(k.node), 0);
  EXPECT_EQ(k.acquire_vm(k.node), 0);
  const int second = k.open_node(2);
  EXPECT_EQ(k.acquire_vm(second), -EBUSY);
  ::close(second);
}

// The answers of ioctls where the program has not brought its render node (kfd_bind_process_to_device in kfd_chardev.c).
TEST(Kfd, AsksForARenderNodeFirst) {
  Kfd k(false);
  kfd_ioctl_create_queue_args queue{};
  queue.gpu_id = k.id, queue.ring_size = 4096;
  EXPECT_EQ(k.call(AMDKFD_IOC_CREATE_QUEUE, queue), -ESRCH);
  kfd_ioctl_set_memory_policy_args policy{};
  policy.gpu_id = k.id;
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_MEMORY_POLICY, policy), -ESRCH);
  kfd_ioctl_set_trap_handler_args trap{};
  trap.gpu_id = k.id;
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_TRAP_HANDLER, trap), -ESRCH);
  kfd_ioctl_set_scratch_backing_va_args scratch{};
  scratch.gpu_id = k.id;
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, scratch), -ENODEV);
  EXPECT_EQ(k.map(uint64_t(k.id) << 32 | 1), -ENODEV);
  EXPECT_EQ(k.unmap(uint64_t(k.id) << 32 | 1), -ENOMEM);
  kfd_ioctl_create_event_args event{};
  event.event_page_offset = uint64_t(k.id) << 32 | 1;
  EXPECT_EQ(k.call(AMDKFD_IOC_CREATE_EVENT, event), -ENODEV);
  kfd_ioctl_get_available_memory_args available{.available = 0, .gpu_id = k.id, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_AVAILABLE_MEMORY, available), 0);
  // a GPU that there is not: EINVAL from all of them
  queue.gpu_id = policy.gpu_id = trap.gpu_id = scratch.gpu_id = available.gpu_id = 7;
  EXPECT_EQ(k.call(AMDKFD_IOC_CREATE_QUEUE, queue), -EINVAL);
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_MEMORY_POLICY, policy), -EINVAL);
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_TRAP_HANDLER, trap), -EINVAL);
  EXPECT_EQ(k.call(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, scratch), -EINVAL);
  EXPECT_EQ(k.call(AMDKFD_IOC_AVAILABLE_MEMORY, available), -EINVAL);
}

TEST(Kfd, WaitsForEvents) {
  Kfd k;
  const uint32_t once = k.make_event(KFD_IOC_EVENT_SIGNAL, true), stays = k.make_event(KFD_IOC_EVENT_SIGNAL, false);
  uint32_t outcome = 0;
  EXPECT_EQ(k.wait({once}, true, 0, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  EXPECT_EQ(k.set(once), 0);
  EXPECT_EQ(k.wait({once, stays}, true, 1, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));  // the other is not there, and the first one was taken
  EXPECT_EQ(k.set(stays), 0);
  for (int n = 0; n < 2; n++) {
    EXPECT_EQ(k.wait({once, stays}, false, 0, outcome), 0);
    EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  }
  kfd_ioctl_reset_event_args reset{.event_id = stays, .pad = 0};
  EXPECT_EQ(k.call(AMDKFD_IOC_RESET_EVENT, reset), 0);
  EXPECT_EQ(k.wait({stays}, false, 0, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  std::thread setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    k.set(once);
  });
  EXPECT_EQ(k.wait({once}, true, UINT32_MAX, outcome), 0);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  setter.join();
  std::thread destroyer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kfd_ioctl_destroy_event_args a{.event_id = stays, .pad = 0};
    k.call(AMDKFD_IOC_DESTROY_EVENT, a);
  });
  EXPECT_EQ(k.wait({stays}, true, UINT32_MAX, outcome), -EIO);
  EXPECT_EQ(outcome, uint32_t(KFD_IOC_WAIT_RESULT_FAIL));
  destroyer.join();
  EXPECT_EQ(k.wait({stays}, true, 0, outcome), -EINVAL);
  EXPECT_EQ(k.set(12345), -EINVAL);
  const uint32_t memory = k.make_event(KFD_IOC_EVENT_MEMORY, true);
  EXPECT_EQ(k.set(memory), -EINVAL);  // the GPU's alone
  k.driver->events().raise({.gpu_id = k.id, .address = 0xabc000, .not_present = true});
  kfd_event_data told{};
  EXPECT_EQ(k.wait({memory}, true, 0, outcome, &told), 0);
  EXPECT_EQ(told.memory_exception_data.va, 0xabc000u);
  EXPECT_EQ(told.memory_exception_data.gpu_id, k.id);
  EXPECT_EQ(told.memory_exception_data.failure.NotPresent, 1u);
}

}  // namespace
}  // namespace Atoll::drm
