// A program on /dev/kfd without ROCm's libraries, for chips that Debian's do not know: it makes queues by ioctls, writes their packets itself
// and uses the processor's addresses for the GPU, as tinygrad's AMD backend does. ioctl_programs OBJECT CASE...: OBJECT holds the kernels of
// kernels.cpp; "CASE: right" is written for each. Packets: Mesa 25.0.7 src/amd/common/sid.h, Linux drivers/gpu/drm/amd/amdgpu/soc15d.h and
// sdma_v6_0_0_pkt_open.h, HSA Platform System Architecture 1.2.
#include <elf.h>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::printf("wrong: %s\n", what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}
void check(bool good, const std::string& what) {
  if (!good) fail(what);
}

constexpr size_t page = 4096;
size_t whole_pages(size_t bytes) { return (bytes + page - 1) / page * page; }

template <class T>
T load(const T* from) {
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
template <class T>
void store(T* to, T value) {
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

struct Gpu {
  int kfd = -1, drm = -1;
  std::map<std::string, uint64_t> properties;
  uint32_t id = 0, event = 0;
  uint64_t* mailbox = nullptr;

  template <class T>
  void call(unsigned long request, T& argument, const char* name) const {
    if (::ioctl(kfd, request, &argument) != 0) fail(std::string(name) + ": " + std::strerror(errno));
  }
  Gpu();
  // Memory of both, at one address.
  uint8_t* allocate(size_t bytes, uint32_t kind = KFD_IOC_ALLOC_MEM_FLAGS_GTT, uint64_t* handle = nullptr) const;
};

uint8_t* Gpu::allocate(size_t bytes, uint32_t kind, uint64_t* handle) const {
  bytes = whole_pages(bytes);
  const bool own = kind == KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
  void* at = ::mmap(nullptr, bytes, own ? PROT_READ | PROT_WRITE : PROT_NONE,
                    MAP_ANONYMOUS | (own ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE), -1, 0);
  check(at != MAP_FAILED, "mmap");
  kfd_ioctl_alloc_memory_of_gpu_args a{};
  a.va_addr = reinterpret_cast<uint64_t>(at), a.size = bytes, a.gpu_id = id;
  a.mmap_offset = own ? a.va_addr : 0;
  a.flags = kind | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
  call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, a, "ALLOC_MEMORY_OF_GPU");
  if (!own)
    check(::mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, drm, off_t(a.mmap_offset)) == at, "mmap of memory");
  uint32_t ids[] = {id};
  kfd_ioctl_map_memory_to_gpu_args map{};
  map.handle = a.handle, map.device_ids_array_ptr = reinterpret_cast<uint64_t>(ids), map.n_devices = 1;
  call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, map, "MAP_MEMORY_TO_GPU");
  check(map.n_success == 1, "MAP_MEMORY_TO_GPU mapped nothing");
  if (handle) *handle = a.handle;
  return static_cast<uint8_t*>(at);
}

Gpu::Gpu() {
  kfd = ::open("/dev/kfd", O_RDWR | O_CLOEXEC);
  check(kfd >= 0, "/dev/kfd cannot be opened");
  const std::string nodes = "/sys/devices/virtual/kfd/kfd/topology/nodes/";
  for (int n = 0; n < 8 && !id; n++) {
    std::ifstream number(nodes + std::to_string(n) + "/gpu_id");
    if (!(number >> id) || !id) continue;
    std::ifstream file(nodes + std::to_string(n) + "/properties");
    std::string name;
    for (uint64_t value; file >> name >> value;) properties[name] = value;
  }
  check(id != 0, "no GPU in the topology");
  const std::string node = "/dev/dri/renderD" + std::to_string(properties["drm_render_minor"]);
  drm = ::open(node.c_str(), O_RDWR | O_CLOEXEC);
  kfd_ioctl_acquire_vm_args acquire{};
  acquire.drm_fd = uint32_t(drm), acquire.gpu_id = id;
  call(AMDKFD_IOC_ACQUIRE_VM, acquire, "ACQUIRE_VM");
  kfd_ioctl_create_event_args made{};
  uint64_t handle = 0;
  uint8_t* events = allocate(0x8000, KFD_IOC_ALLOC_MEM_FLAGS_GTT, &handle);
  made.event_page_offset = handle;
  made.auto_reset = 1;
  call(AMDKFD_IOC_CREATE_EVENT, made, "CREATE_EVENT");
  event = made.event_id;
  mailbox = reinterpret_cast<uint64_t*>(events) + made.event_slot_index;
}

void wait_for(Gpu& gpu, const uint64_t* where, uint64_t value, const char* what) {
  for (int n = 0; n < 300 && load(where) != value; n++) {
    kfd_event_data data{};
    data.event_id = gpu.event;
    kfd_ioctl_wait_events_args wait{};
    wait.events_ptr = reinterpret_cast<uint64_t>(&data), wait.num_events = 1, wait.timeout = 200;
    gpu.call(AMDKFD_IOC_WAIT_EVENTS, wait, "WAIT_EVENTS");
  }
  check(load(where) == value, std::string(what) + " did not end");
}

// A code object as the linker leaves it: position-independent, without relocations.
struct Kernels {
  uint8_t* image = nullptr;
  std::map<std::string, uint64_t> descriptors;

  Kernels(Gpu& gpu, const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    check(bytes.size() > sizeof(Elf64_Ehdr), "no code object");
    auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
    auto* parts = reinterpret_cast<const Elf64_Phdr*>(bytes.data() + header->e_phoff);
    size_t end = 0;
    for (int n = 0; n < header->e_phnum; n++)
      if (parts[n].p_type == PT_LOAD) end = std::max<size_t>(end, parts[n].p_vaddr + parts[n].p_memsz);
    image = gpu.allocate(end, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    for (int n = 0; n < header->e_phnum; n++)
      if (parts[n].p_type == PT_LOAD) std::memcpy(image + parts[n].p_vaddr, bytes.data() + parts[n].p_offset, parts[n].p_filesz);
    auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
    for (int n = 0; n < header->e_shnum; n++) {
      if (sections[n].sh_type != SHT_DYNSYM) continue;
      const char* names = bytes.data() + sections[sections[n].sh_link].sh_offset;
      auto* symbols = reinterpret_cast<const Elf64_Sym*>(bytes.data() + sections[n].sh_offset);
      for (size_t s = 0; s < sections[n].sh_size / sizeof *symbols; s++)
        descriptors[names + symbols[s].st_name] = reinterpret_cast<uint64_t>(image) + symbols[s].st_value;
    }
  }
  uint64_t operator[](const std::string& name) const {
    auto found = descriptors.find(name + ".kd");
    check(found != descriptors.end(), "no kernel " + name);
    return found->second;
  }
};

// A field of a kernel's descriptor (LLVM docs AMDGPUUsage, "Kernel Descriptor").
template <class T>
T of_descriptor(uint64_t descriptor, size_t offset) {
  T value;
  std::memcpy(&value, reinterpret_cast<const uint8_t*>(descriptor) + offset, sizeof value);
  return value;
}
uint32_t group_bytes(uint64_t descriptor) { return of_descriptor<uint32_t>(descriptor, 0); }
uint32_t private_bytes(uint64_t descriptor) { return of_descriptor<uint32_t>(descriptor, 4); }

struct Queue {
  Gpu& gpu;
  uint8_t *ring, *control;  // control: as amd_queue_t, write index at 56, read index at 128
  uint64_t* doorbell;
  size_t ring_bytes;
  uint64_t written = 0;

  Queue(Gpu& gpu, uint32_t type, size_t ring_bytes) : gpu(gpu), ring_bytes(ring_bytes) {
    ring = gpu.allocate(ring_bytes);
    control = gpu.allocate(page);
    if (type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL)
      for (size_t n = 0; n < ring_bytes; n += 64) ring[n] = 1;
    kfd_ioctl_create_queue_args a{};
    a.ring_base_address = reinterpret_cast<uint64_t>(ring), a.ring_size = uint32_t(ring_bytes);
    a.read_pointer_address = reinterpret_cast<uint64_t>(control) + 128;
    a.write_pointer_address = reinterpret_cast<uint64_t>(control) + 56;
    a.gpu_id = gpu.id, a.queue_type = type, a.queue_percentage = 100, a.queue_priority = 7;
    if (type != KFD_IOC_QUEUE_TYPE_SDMA) {
      a.eop_buffer_address = reinterpret_cast<uint64_t>(gpu.allocate(page)), a.eop_buffer_size = page;
      a.ctl_stack_size = uint32_t(gpu.properties["ctl_stack_size"]);
      a.ctx_save_restore_size = uint32_t(gpu.properties["cwsr_size"]);
      const uint64_t waves = gpu.properties["simd_count"] * gpu.properties["max_waves_per_simd"];
      a.ctx_save_restore_address =
          reinterpret_cast<uint64_t>(gpu.allocate(a.ctx_save_restore_size + waves * 32, KFD_IOC_ALLOC_MEM_FLAGS_VRAM));
    }
    gpu.call(AMDKFD_IOC_CREATE_QUEUE, a, "CREATE_QUEUE");
    const uint64_t frame = a.doorbell_offset & ~uint64_t(0x1fff);
    void* at = ::mmap(nullptr, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED, gpu.kfd, off_t(frame));
    check(at != MAP_FAILED, "mmap of doorbells");
    doorbell = reinterpret_cast<uint64_t*>(static_cast<uint8_t*>(at) + (a.doorbell_offset - frame));
  }

  // Packets of dwords; `unit`: the bytes that pointers count.
  void submit(const std::vector<uint32_t>& words, size_t unit) {
    for (uint32_t word : words) {
      std::memcpy(ring + written % ring_bytes, &word, 4);
      written += 4;
    }
    store(reinterpret_cast<uint64_t*>(control + 56), written / unit);
    store(doorbell, written / unit);
  }
};

uint32_t low(const void* address) { return uint32_t(reinterpret_cast<uint64_t>(address)); }
uint32_t high(const void* address) { return uint32_t(reinterpret_cast<uint64_t>(address) >> 32); }

struct Launch {
  uint64_t descriptor;
  uint32_t groups, group;
  std::vector<uint64_t> arguments;
};

// --- AQL

void submit_packet(Queue& q, const Launch& launch, uint8_t* arguments, uint8_t* signal) {
  std::memcpy(arguments, launch.arguments.data(), launch.arguments.size() * 8);
  auto* slot = q.ring + q.written % (q.ring_bytes / 64) * 64;
  std::memset(slot + 4, 0, 60);
  auto put = [&](size_t offset, auto value) { std::memcpy(slot + offset, &value, sizeof value); };
  put(4, uint16_t(launch.group)), put(6, uint16_t(1)), put(8, uint16_t(1));
  put(12, launch.groups * launch.group), put(16, 1u), put(20, 1u);
  put(24, private_bytes(launch.descriptor)), put(28, group_bytes(launch.descriptor));
  put(32, launch.descriptor), put(40, reinterpret_cast<uint64_t>(arguments));
  put(56, reinterpret_cast<uint64_t>(signal));
  constexpr uint32_t kernel = 2 | 1 << 8 | 2 << 9 | 2 << 11, one_dimension = 1;
  store(reinterpret_cast<uint32_t*>(slot), kernel | one_dimension << 16);
  store(reinterpret_cast<uint64_t*>(q.control + 56), ++q.written);
  store(q.doorbell, q.written - 1);
}

// An AQL signal with the event behind it, of value 1.
uint8_t* make_signal(Gpu& gpu) {
  uint8_t* signal = gpu.allocate(page);
  auto put = [&](size_t offset, uint64_t value) { std::memcpy(signal + offset, &value, 8); };
  put(0, 1), put(8, 1), put(16, reinterpret_cast<uint64_t>(gpu.mailbox)), put(24, gpu.event);
  return signal;
}

void run_by_aql(Gpu& gpu, const Launch& launch) {
  static Queue* q = nullptr;
  if (!q) {
    q = new Queue(gpu, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, page);
    const uint32_t lane_bytes = 8192;
    std::memcpy(q->control + 176, &lane_bytes, 4);
  }
  uint8_t* signal = make_signal(gpu);
  submit_packet(*q, launch, gpu.allocate(page), signal);
  wait_for(gpu, reinterpret_cast<uint64_t*>(signal + 8), 0, "a packet");
}

// --- PM4

enum Opcode : uint32_t {
  dispatch_direct = 0x15,
  wait_reg_mem = 0x3c,
  indirect_buffer = 0x3f,
  event_write = 0x46,
  release_mem = 0x49,
  acquire_mem = 0x58,
  set_sh_reg = 0x76
};

struct Packets {
  std::vector<uint32_t> words;
  void put(Opcode opcode, const std::vector<uint32_t>& body) {
    words.push_back(3u << 30 | uint32_t(body.size() - 1) << 16 | opcode << 8);
    words.insert(words.end(), body.begin(), body.end());
  }
  void registers(uint32_t byte_address, std::vector<uint32_t> values) {
    values.insert(values.begin(), (byte_address - 0xb000) / 4);
    put(set_sh_reg, values);
  }
  // 32 bits at the end of the pipe, with an interrupt.
  void write_at_end(const void* address, uint32_t value, bool interrupts) {
    put(release_mem, {20 | 5 << 8, 1u << 29 | (interrupts ? 2u << 24 : 0), low(address), high(address), value, 0, value});
  }
};

void add_launch(Packets& p, Gpu& gpu, const Launch& launch) {
  uint8_t* arguments = gpu.allocate(page);
  std::memcpy(arguments, launch.arguments.data(), launch.arguments.size() * 8);
  uint8_t* packet = arguments + 2048;  // the parts of an AQL packet that kernels read
  const uint16_t group = uint16_t(launch.group);
  const uint32_t grid = launch.groups * launch.group;
  std::memcpy(packet + 4, &group, 2), std::memcpy(packet + 12, &grid, 4);
  const uint64_t entry = launch.descriptor + of_descriptor<uint64_t>(launch.descriptor, 16);
  const uint32_t properties = of_descriptor<uint16_t>(launch.descriptor, 56);
  std::vector<uint32_t> user;
  if (properties & 2) user.insert(user.end(), {low(packet), high(packet)});  // ENABLE_SGPR_DISPATCH_PTR
  check(!(properties & 5), "a kernel asks for a private segment buffer or a queue");
  user.insert(user.end(), {low(arguments), high(arguments)});
  constexpr uint32_t all_caches = 0x3fff0;
  p.put(acquire_mem, {0, ~0u, 0xff, 0, 0, 10, all_caches});
  p.registers(0xb830, {uint32_t(entry >> 8), uint32_t(entry >> 40)});
  p.registers(0xb848, {of_descriptor<uint32_t>(launch.descriptor, 48),
                       of_descriptor<uint32_t>(launch.descriptor, 52) | (group_bytes(launch.descriptor) + 511) / 512 << 15});
  p.registers(0xb8a0, {of_descriptor<uint32_t>(launch.descriptor, 44)});
  p.registers(0xb860, {1 | (private_bytes(launch.descriptor) * 64 + 255) / 256 << 12});
  p.registers(0xb900, user);
  p.registers(0xb854, {0});
  p.registers(0xb810, {0, 0, 0, launch.group, 1, 1, 0, 0});
  const uint32_t wave32 = properties >> 10 & 1;
  p.put(dispatch_direct, {launch.groups, 1, 1, 1u | 1 << 2 | wave32 << 15});
  p.put(event_write, {7 | 4 << 8});  // CS_PARTIAL_FLUSH
}

void run_by_pm4(Gpu& gpu, const Launch& launch) {
  static Queue* q = nullptr;
  static uint64_t* end = nullptr;
  static uint32_t number = 0;
  if (!q) q = new Queue(gpu, KFD_IOC_QUEUE_TYPE_COMPUTE, page), end = reinterpret_cast<uint64_t*>(gpu.allocate(page));
  Packets p;
  // the bus is flushed, and what was submitted before has ended
  constexpr uint32_t equal = 3, at_least = 5, write_first = 1 << 6, in_memory = 1 << 4;
  p.put(wait_reg_mem, {equal | write_first, 0xe26, 0xe27, ~0u, ~0u, 4});
  p.put(wait_reg_mem, {at_least | in_memory, low(end), high(end), number, ~0u, 4});
  add_launch(p, gpu, launch);
  p.write_at_end(end, ++number, false);
  p.write_at_end(gpu.mailbox, gpu.event, true);
  // every other time from a buffer of its own
  if (number % 2) {
    q->submit(p.words, 4);
  } else {
    uint8_t* buffer = gpu.allocate(p.words.size() * 4);
    std::memcpy(buffer, p.words.data(), p.words.size() * 4);
    Packets call;
    call.put(indirect_buffer, {low(buffer), high(buffer), uint32_t(p.words.size()) | 1 << 23});
    q->submit(call.words, 4);
  }
  wait_for(gpu, end, number, "a dispatch");
}

// --- cases

using Runner = void (*)(Gpu& gpu, const Launch& launch);

void run_kernels(Gpu& gpu, const Kernels& kernels, Runner run) {
  constexpr uint32_t groups = 37, group = 256, items = groups * group;
  auto* in = reinterpret_cast<uint32_t*>(gpu.allocate(items * 4, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR));
  auto* out = reinterpret_cast<uint32_t*>(gpu.allocate(items * 4, KFD_IOC_ALLOC_MEM_FLAGS_VRAM));
  const uint64_t from = reinterpret_cast<uint64_t>(in), to = reinterpret_cast<uint64_t>(out);
  for (uint32_t n = 0; n < items; n++) in[n] = n * 2654435761u;
  auto compare = [&](const char* what, auto expected, uint32_t count = items) {
    for (uint32_t n = 0; n < count; n++)
      if (out[n] != expected(n)) fail(std::string(what) + " of item " + std::to_string(n) + ": " + std::to_string(out[n]));
  };
  for (uint32_t round = 1; round < 30; round++) {  // more than the ring holds
    run(gpu, {kernels["scale"], groups, group, {from, to, round}});
    compare("scale", [&](uint32_t n) { return round * in[n] + n; });
  }
  run(gpu, {kernels["scratch"], groups, group, {from, to}});
  compare("scratch", [&](uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 64; k++) sum += (in[n] * ((k * 5 + n) % 64) + 7) ^ k;
    return sum;
  });
  run(gpu, {kernels["reduce"], groups, group, {from, to}});
  compare(
      "reduce",
      [&](uint32_t g) {
        uint32_t sum = 0;
        for (uint32_t n = 0; n < group; n++) sum += in[g * group + n];
        return sum;
      },
      groups);
  run(gpu, {kernels["generic"], groups, group, {to}});
  compare("generic", [&](uint32_t n) { return n * 3 + 1 + n * 5 + 1 + n; });
  run(gpu, {kernels["packet"], groups, group, {to}});
  compare("packet", [&](uint32_t n) { return items * 1000 + n; });
  out[0] = 0;
  run(gpu, {kernels["count"], groups, group, {to}});
  check(out[0] == items, "count: " + std::to_string(out[0]));
}

// SDMA: COPY, WRITE, FENCE, POLL_REGMEM, TRAP, and NOP round the ring's end.
void run_copies(Gpu& gpu) {
  Queue q(gpu, KFD_IOC_QUEUE_TYPE_SDMA, page);
  constexpr uint32_t bytes = 300'000;
  uint8_t *from = gpu.allocate(bytes, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR), *to = gpu.allocate(bytes, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
  auto* end = reinterpret_cast<uint64_t*>(gpu.allocate(page));
  for (uint32_t round = 1; round < 60; round++) {
    for (uint32_t n = 0; n < bytes; n++) from[n] = uint8_t(n * 31 + round);
    const uint32_t length = bytes - round * 1000;
    q.submit({1,
              length - 1,
              0,
              low(from),
              high(from),
              low(to),
              high(to),
              2,
              low(&end[1]),
              high(&end[1]),
              0,
              round * 3,
              8 | 3u << 28 | 1u << 31,
              low(&end[1]),
              high(&end[1]),
              round * 3,
              ~0u,
              0xfff << 16 | 4,
              5,
              low(end),
              high(end),
              round,
              5,
              low(gpu.mailbox),
              high(gpu.mailbox),
              gpu.event,
              6,
              gpu.event},
             1);
    wait_for(gpu, end, round, "a copy");
    check(std::memcmp(from, to, length) == 0, "copied bytes");
    check(uint32_t(end[1]) == round * 3, "written dword");
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::fprintf(stderr, "usage: ioctl_programs OBJECT CASE...\n"), 2;
  Gpu gpu;
  Kernels kernels(gpu, words[1]);
  for (int n = 2; n < count; n++) {
    const std::string name = words[n];
    if (name == "aql")
      run_kernels(gpu, kernels, run_by_aql);
    else if (name == "pm4")
      run_kernels(gpu, kernels, run_by_pm4);
    else if (name == "copies")
      run_copies(gpu);
    else
      fail("no case " + name);
    std::printf("%s: right\n", name.c_str());
    std::fflush(stdout);
  }
  return 0;
}
