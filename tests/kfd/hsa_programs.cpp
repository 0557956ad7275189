// An HSA program as ROCm's users write them, through Debian's unmodified runtime: `hsa_programs OBJECT CASE` runs one case and says what was
// wrong. What the GPU computes is compared with the same on the processor.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "hsa_programs: %s\n", why.c_str());
  std::exit(1);
}
void check(hsa_status_t status, const char* what) {
  if (status == HSA_STATUS_SUCCESS) return;
  const char* text = nullptr;
  hsa_status_string(status, &text);
  give_up(std::string(what) + ": " + (text ? text : std::to_string(status)));
}
#define CHECK(call) check(call, #call)
void expect(bool holds, const std::string& what) {
  if (!holds) give_up(what);
}

hsa_agent_t gpu{}, host{};
hsa_amd_memory_pool_t host_pool{}, kernarg_pool{}, gpu_pool{};
hsa_executable_t executable{};

void find_agents() {
  CHECK(hsa_iterate_agents(
      [](hsa_agent_t agent, void*) {
        hsa_device_type_t type;
        CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        if (type == HSA_DEVICE_TYPE_GPU && !gpu.handle) gpu = agent;
        if (type == HSA_DEVICE_TYPE_CPU && !host.handle) host = agent;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  expect(gpu.handle && host.handle, "no GPU or no host agent");
  auto pools = [](hsa_amd_memory_pool_t pool, void*) {
    hsa_amd_segment_t segment;
    uint32_t flags = 0;
    CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
    CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
      kernarg_pool = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
      host_pool = pool;
    return HSA_STATUS_SUCCESS;
  };
  CHECK(hsa_amd_agent_iterate_memory_pools(host, pools, nullptr));
  if (!host_pool.handle) host_pool = kernarg_pool;
  CHECK(hsa_amd_agent_iterate_memory_pools(
      gpu,
      [](hsa_amd_memory_pool_t pool, void*) {
        hsa_amd_segment_t segment;
        CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
        if (segment == HSA_AMD_SEGMENT_GLOBAL && !gpu_pool.handle) gpu_pool = pool;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  expect(gpu_pool.handle != 0, "no memory of the GPU's own");
}

void load(const char* file) {
  std::ifstream in(file, std::ios::binary);
  static std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  expect(!bytes.empty(), std::string(file) + ": nothing to read");
  hsa_code_object_reader_t reader;
  CHECK(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable));
  CHECK(hsa_executable_load_agent_code_object(executable, gpu, reader, nullptr, nullptr));
  CHECK(hsa_executable_freeze(executable, nullptr));
}

template <class T = uint32_t>
T* allocate(hsa_amd_memory_pool_t pool, size_t count) {
  void* at = nullptr;
  CHECK(hsa_amd_memory_pool_allocate(pool, count * sizeof(T), 0, &at));
  hsa_agent_t both[] = {gpu, host};
  CHECK(hsa_amd_agents_allow_access(2, both, nullptr, at));
  return static_cast<T*>(at);
}

// Destroyed at the end of the case: the runtime insists on it.
std::vector<hsa_queue_t*> queues;
hsa_queue_t* make_queue(uint32_t packets = 256, void (*failed)(hsa_status_t, hsa_queue_t*, void*) = nullptr) {
  hsa_queue_t* queue = nullptr;
  CHECK(hsa_queue_create(gpu, packets, HSA_QUEUE_TYPE_MULTI, failed, nullptr, UINT32_MAX, UINT32_MAX, &queue));
  queues.push_back(queue);
  return queue;
}
hsa_signal_t make_signal(hsa_signal_value_t value) {
  hsa_signal_t signal;
  CHECK(hsa_signal_create(value, 0, nullptr, &signal));
  return signal;
}
void wait(hsa_signal_t signal, const char* what) {
  constexpr uint64_t seconds = 120;
  uint64_t frequency = 0;
  CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  hsa_signal_value_t value =
      hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, seconds * frequency, HSA_WAIT_STATE_BLOCKED);
  expect(value == 0, std::string(what) + ": the signal is " + std::to_string(value));
}

// A packet in the queue's next place, and the doorbell.
void submit(hsa_queue_t* queue, const void* packet, uint16_t header) {
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) std::this_thread::yield();
  char* slot = static_cast<char*>(queue->base_address) + (index & (queue->size - 1)) * 64;
  std::memcpy(slot + 4, static_cast<const char*>(packet) + 4, 60);
  uint32_t first;
  std::memcpy(&first, packet, 4);
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), (first & 0xffff0000) | header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, hsa_signal_value_t(index));
}
constexpr uint16_t header_of(hsa_packet_type_t type, bool barrier = false) {
  return uint16_t(type << HSA_PACKET_HEADER_TYPE | (barrier ? 1 << HSA_PACKET_HEADER_BARRIER : 0) |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

struct Arguments {
  std::vector<uint8_t> bytes;
  template <class T>
  Arguments& operator<<(T value) {
    while (bytes.size() % sizeof value) bytes.push_back(0);
    const auto* from = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
    return *this;
  }
};

void launch(hsa_queue_t* queue, const char* kernel, uint32_t grid, uint16_t group, const Arguments& arguments,
            hsa_signal_t done) {
  hsa_executable_symbol_t symbol;
  CHECK(hsa_executable_get_symbol_by_name(executable, (std::string(kernel) + ".kd").c_str(), &gpu, &symbol));
  hsa_kernel_dispatch_packet_t packet{};
  uint32_t kernarg_bytes = 0;
  auto info = [&](hsa_executable_symbol_info_t what, void* to) { CHECK(hsa_executable_symbol_get_info(symbol, what, to)); };
  info(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object);
  info(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernarg_bytes);
  info(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &packet.private_segment_size);
  info(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &packet.group_segment_size);
  auto* kernarg = allocate<uint8_t>(kernarg_pool, std::max<size_t>(kernarg_bytes, 64));
  std::memset(kernarg, 0, std::max<size_t>(kernarg_bytes, 64));
  std::memcpy(kernarg, arguments.bytes.data(), arguments.bytes.size());
  packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet.workgroup_size_x = group;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = grid;
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.kernarg_address = kernarg;
  packet.completion_signal = done;
  submit(queue, &packet, header_of(HSA_PACKET_TYPE_KERNEL_DISPATCH));
}

void run(hsa_queue_t* queue, const char* kernel, uint32_t grid, uint16_t group, const Arguments& arguments) {
  hsa_signal_t done = make_signal(1);
  launch(queue, kernel, grid, group, arguments, done);
  wait(done, kernel);
  CHECK(hsa_signal_destroy(done));
}

void compare(const char* what, const uint32_t* found, size_t count, const std::function<uint32_t(uint32_t)>& wanted) {
  for (uint32_t n = 0; n < count; n++)
    if (found[n] != wanted(n))
      give_up(std::string(what) + ": item " + std::to_string(n) + " is " + std::to_string(found[n]) + ", not " +
              std::to_string(wanted(n)));
}

constexpr uint32_t items = 1000;  // no multiple of a group
uint32_t input(uint32_t n) { return n * 2654435761u; }

void scale() {
  auto* in = allocate(host_pool, items);
  auto* out = allocate(host_pool, items);
  for (uint32_t n = 0; n < items; n++) in[n] = input(n);
  hsa_queue_t* queue = make_queue();
  run(queue, "scale", items, 64, Arguments() << in << out << uint32_t(5));
  compare("scale", out, items, [](uint32_t n) { return 5 * input(n) + n; });
}

void scratch() {
  auto* in = allocate(host_pool, items);
  auto* out = allocate(host_pool, items);
  for (uint32_t n = 0; n < items; n++) in[n] = input(n);
  hsa_queue_t* queue = make_queue();
  for (unsigned round = 0; round < 2; round++) {
    run(queue, "scratch", items, 128, Arguments() << in << out);
    compare("scratch", out, items, [](uint32_t n) {
      uint32_t sum = 0;
      for (uint32_t k = 0; k < 64; k++) sum += (input(n) * ((k * 5 + n) % 64) + 7) ^ k;
      return sum;
    });
    run(queue, "large_scratch", items, 64, Arguments() << in << out);
    compare("large_scratch", out, items, [](uint32_t n) {
      uint32_t sum = 0;
      for (uint32_t k = 0; k < 512; k++) {
        const uint32_t at = (k + n) % 512;
        sum = sum * 3 + input(n) + at * at;
      }
      return sum;
    });
  }
}

void group_memory() {
  constexpr uint32_t groups = 33, size = 256;
  auto* in = allocate(host_pool, groups * size);
  auto* out = allocate(host_pool, groups);
  for (uint32_t n = 0; n < groups * size; n++) in[n] = input(n);
  hsa_queue_t* queue = make_queue();
  run(queue, "reduce", groups * size, size, Arguments() << in << out);
  compare("reduce", out, groups, [](uint32_t group) {
    uint32_t sum = 0;
    for (uint32_t n = 0; n < size; n++) sum += input(group * size + n);
    return sum;
  });
  auto* places = allocate(host_pool, 512);
  run(queue, "generic", 512, 256, Arguments() << places);
  compare("generic", places, 512, [](uint32_t n) { return n * 3 + 1 + n * 5 + 1 + n; });
  run(queue, "packet", 512, 64, Arguments() << places);
  compare("packet", places, 512, [](uint32_t n) { return 512 * 1000 + n; });
}

// More packets than the queue has places, from two threads.
void many_packets() {
  hsa_queue_t* queue = make_queue(64);
  auto* counter = allocate(host_pool, 1);
  *counter = 0;
  constexpr uint32_t each = 150;
  hsa_signal_t done = make_signal(2 * each);
  auto submit_all = [&] {
    for (uint32_t n = 0; n < each; n++) launch(queue, "count", 64, 64, Arguments() << counter, done);
  };
  std::thread other(submit_all);
  submit_all();
  other.join();
  wait(done, "many packets");
  expect(*counter == 2 * each * 64, "the counter is " + std::to_string(*counter));
}

// Two queues: the second one's kernel waits by a barrier packet for the first one's signal, which the program gives after a while.
void barriers() {
  hsa_queue_t *first = make_queue(), *second = make_queue();
  auto* a = allocate(host_pool, items);
  auto* b = allocate(host_pool, items);
  auto* c = allocate(host_pool, items);
  for (uint32_t n = 0; n < items; n++) a[n] = input(n), b[n] = c[n] = 0;
  hsa_signal_t start = make_signal(1), between = make_signal(1), end = make_signal(1), never = make_signal(1);
  hsa_barrier_and_packet_t both{};
  both.dep_signal[0] = start;
  submit(first, &both, header_of(HSA_PACKET_TYPE_BARRIER_AND, true));
  hsa_barrier_or_packet_t either{};
  either.dep_signal[1] = between;
  either.dep_signal[4] = never;
  submit(second, &either, header_of(HSA_PACKET_TYPE_BARRIER_OR, true));
  launch(second, "scale", items, 64, Arguments() << b << c << uint32_t(3), end);
  launch(first, "scale", items, 64, Arguments() << a << b << uint32_t(2), between);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  expect(hsa_signal_load_scacquire(between) == 1 && hsa_signal_load_scacquire(end) == 1, "a barrier did not hold");
  hsa_signal_store_screlease(start, 0);
  wait(end, "barriers");
  compare("barriers", c, items, [](uint32_t n) { return 3 * (2 * input(n) + n) + n; });
}

// Copies by the engine that the runtime chooses, between all places, and fills.
void copies() {
  constexpr size_t count = (3 << 20) / 4 + 5;
  auto* from = allocate(host_pool, count);
  auto* to = allocate(host_pool, count);
  auto* card = allocate(gpu_pool, count);
  auto* other = allocate(gpu_pool, count);
  for (uint32_t n = 0; n < count; n++) from[n] = input(n), to[n] = 0;
  auto copy = [&](void* out, hsa_agent_t out_agent, const void* in, hsa_agent_t in_agent) {
    hsa_signal_t done = make_signal(1);
    CHECK(hsa_amd_memory_async_copy(out, out_agent, in, in_agent, count * 4, 0, nullptr, done));
    wait(done, "copy");
    CHECK(hsa_signal_destroy(done));
  };
  copy(card, gpu, from, host);
  copy(other, gpu, card, gpu);
  copy(to, host, other, gpu);
  compare("copies", to, count, input);
  CHECK(hsa_amd_memory_fill(card, 0x89abcdef, count));
  copy(to, host, card, gpu);
  compare("fill", to, count, [](uint32_t) { return 0x89abcdefu; });
}

// The program's own memory, which the GPU reads and writes while it is locked, in the middle of pages.
void locked_memory() {
  std::vector<uint32_t> in(items + 3), out(items + 3, 0xaaaaaaaa);
  for (uint32_t n = 0; n < items; n++) in[n + 1] = input(n);
  hsa_queue_t* queue = make_queue();
  for (unsigned round = 1; round <= 3; round++) {
    void *in_there = nullptr, *out_there = nullptr;
    CHECK(hsa_amd_memory_lock(in.data() + 1, items * 4, &gpu, 1, &in_there));
    CHECK(hsa_amd_memory_lock(out.data() + 1, items * 4, &gpu, 1, &out_there));
    run(queue, "scale", items, 64, Arguments() << in_there << out_there << uint32_t(round));
    compare("locked memory", out.data() + 1, items, [&](uint32_t n) { return round * input(n) + n; });
    CHECK(hsa_amd_memory_unlock(in.data() + 1));
    CHECK(hsa_amd_memory_unlock(out.data() + 1));
  }
  expect(out[0] == 0xaaaaaaaa && out[items + 1] == 0xaaaaaaaa, "memory beside the locked part was written");
}

void times() {
  hsa_queue_t* queue = make_queue();
  CHECK(hsa_amd_profiling_set_profiler_enabled(queue, 1));
  auto* counter = allocate(host_pool, 1);
  uint64_t before = 0, after = 0;
  hsa_signal_t done = make_signal(1);
  CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
  launch(queue, "count", 64, 64, Arguments() << counter, done);
  wait(done, "times");
  CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
  hsa_amd_profiling_dispatch_time_t time{};
  CHECK(hsa_amd_profiling_get_dispatch_time(gpu, done, &time));
  // (the runtime interpolates between two moments at which it read both clocks)
  const uint64_t slack = 20'000'000;
  expect(time.start < time.end && time.start + slack > before && time.end < after + slack,
         "the kernel ran from " + std::to_string(time.start) + " to " + std::to_string(time.end) + ", the program from " +
             std::to_string(before) + " to " + std::to_string(after));
}

hsa_status_t queue_error = HSA_STATUS_SUCCESS;
std::atomic<bool> queue_failed{false};
hsa_queue_t* make_watched_queue() {
  return make_queue(64, [](hsa_status_t status, hsa_queue_t*, void*) { queue_error = status, queue_failed = true; });
}
void wait_for_error(hsa_status_t wanted, const char* what) {
  for (unsigned n = 0; n < 6000 && !queue_failed; n++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  expect(queue_failed && queue_error == wanted,
         std::string(what) + ": the queue's error is " + std::to_string(queue_error) + ", not " + std::to_string(wanted));
}

void illegal_instruction() {
  launch(make_watched_queue(), "illegal", 64, 64, {}, make_signal(1));
  wait_for_error(hsa_status_t(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION), "an illegal instruction");
}
void large_group() {
  auto* counter = allocate(host_pool, 1);
  launch(make_watched_queue(), "count", 4096, 2048, Arguments() << counter, make_signal(1));
  wait_for_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "a group of 2,048 work-items");
}
void agent_dispatch() {
  hsa_agent_dispatch_packet_t packet{};
  packet.completion_signal = make_signal(1);
  submit(make_watched_queue(), &packet, header_of(HSA_PACKET_TYPE_AGENT_DISPATCH));
  wait_for_error(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "an agent dispatch");
}

// The runtime ends the program.
void memory_fault() { run(make_queue(), "store_to", 64, 64, Arguments() << reinterpret_cast<uint32_t*>(0x123456000)); }

const std::map<std::string, void (*)()> cases = {
    {"scale", scale},
    {"scratch", scratch},
    {"group_memory", group_memory},
    {"many_packets", many_packets},
    {"barriers", barriers},
    {"copies", copies},
    {"locked_memory", locked_memory},
    {"times", times},
    {"illegal_instruction", illegal_instruction},
    {"large_group", large_group},
    {"agent_dispatch", agent_dispatch},
    {"memory_fault", memory_fault},
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::printf("usage: hsa_programs OBJECT CASE...: cases are");
    for (auto& [name, run] : cases) std::printf(" %s", name.c_str());
    std::printf("\n");
    return count == 2 && std::string(arguments[1]) == "--help" ? 0 : 2;
  }
  CHECK(hsa_init());
  find_agents();
  load(arguments[1]);
  for (int n = 2; n < count; n++) {
    auto found = cases.find(arguments[n]);
    expect(found != cases.end(), std::string("no case ") + arguments[n]);
    found->second();
    for (hsa_queue_t* queue : queues) CHECK(hsa_queue_destroy(queue));
    queues.clear();
    std::printf("%s: right\n", arguments[n]);
  }
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_shut_down());
}
