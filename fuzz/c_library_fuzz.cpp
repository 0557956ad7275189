// Calls of the C library in an order and with numbers that the bytes choose: memory, an object (the rest of the bytes, as they are), its
// kernels with arguments, raw words, also on memory of the process. Every call returns a status, and a message where that is an error.
#include <cstring>
#include <vector>

#include "api/atoll.h"
#include "bytes.h"

namespace {

using Atoll::fuzz::Bytes;

void check(atoll_status status) {
  if (status != ATOLL_OK && !*atoll_error_message()) __builtin_trap();
  if (status == ATOLL_ERROR_INTERNAL) __builtin_trap();
}

uint64_t any_address(Bytes& in, const std::vector<atoll_memory*>& memories) {
  if (memories.empty() || in.chance(64)) return uint64_t(in.number()) << (in.byte() & 32);
  return atoll_memory_address(memories[in.below(uint32_t(memories.size()))]) + (in.chance(64) ? in.number() : 0);
}

void shape(Bytes& in, uint64_t (&grid)[3], uint64_t (&group)[3]) {
  for (int n = 0; n < 3; n++) {
    group[n] = in.chance(240) ? 1 + in.byte() % 9 : in.number();
    grid[n] = in.chance(240) ? 1 + in.byte() % 17 : in.number();
  }
}

// A whole grid of a hostile object may be large: its time is short.
constexpr double seconds = 0.05;

void launch(Bytes& in, const atoll_kernel* kernel, const std::vector<atoll_memory*>& memories) {
  static const uint8_t values[64] = {1};
  atoll_kernel_info info{};
  info.size = sizeof info;
  check(atoll_kernel_describe(kernel, &info));
  std::vector<atoll_argument> arguments;
  for (uint32_t n = 0; n < info.parameter_count && n < 64; n++) {
    atoll_parameter_info p{};
    p.size = sizeof p;
    check(atoll_kernel_parameter(kernel, n, &p));
    atoll_argument a{};
    a.kind = in.chance(16) ? in.byte() : p.kind;
    a.bytes = in.chance(16) ? in.number() % sizeof values : a.kind == ATOLL_ARGUMENT_LOCAL ? in.number() : p.bytes;
    a.value = a.bytes <= sizeof values ? values : nullptr;
    a.address = any_address(in, memories);
    arguments.push_back(a);
  }
  atoll_launch_options options{};
  options.size = sizeof options;
  options.dimensions = in.chance(32) ? in.byte() : 0;
  shape(in, options.grid, options.group);
  options.arguments = arguments.data(), options.argument_count = uint32_t(arguments.size());
  options.argument_size = sizeof(atoll_argument);
  options.dynamic_lds_bytes = in.chance(32) ? in.number() : 0;
  options.timeout_seconds = seconds;
  atoll_result result{};
  result.size = sizeof result;
  check(atoll_launch(kernel, &options, &result));
}

// On memory of the fuzzer's own, of which two ranges are named: what is behind them stays.
void run_on_own_memory(Bytes& in) {
  alignas(8) static uint8_t memory[3 * 8192];
  constexpr uint8_t untouched = 0xa5;
  std::memset(memory, untouched, sizeof memory);
  const uint32_t readable = in.number() % 8192, writable = in.number() % 8192;
  atoll_range ranges[2] = {{memory, readable, 0, 0}, {memory + 8192, writable, 1, 0}};
  uint32_t words[24], sgprs[8];
  for (uint32_t& word : words) word = in.take<uint32_t>();
  for (uint32_t& sgpr : sgprs) sgpr = in.take<uint32_t>();
  const uint64_t pointers[2] = {uint64_t(uintptr_t(memory)), uint64_t(uintptr_t(memory + 8192))};
  std::memcpy(sgprs, pointers, sizeof pointers);
  atoll_run_asm_options options{};
  options.size = sizeof options;
  options.wave_lanes = in.one_of<uint32_t>({32, 64});
  options.lib = words, options.lib_bytes = sizeof words;
  for (int n = 0; n < 3; n++) options.groups[n] = 1 + in.byte() % 3, options.group[n] = 1 + in.byte() % 9;
  options.user_sgprs = sgprs, options.user_sgpr_count = 8;
  options.rsrc1 = in.number(), options.rsrc2 = in.number(), options.scratch_bytes = in.number() & 0x3fffc;
  options.ranges = ranges, options.range_count = 2, options.range_size = sizeof ranges[0];
  options.engine = ATOLL_ENGINE_INTERPRETER, options.threads = 1;
  options.timeout_seconds = seconds;
  const atoll_status status = atoll_run_asm(&options, nullptr);
  check(status);
  for (size_t n = 0; n < sizeof memory; n++)
    if (memory[n] != untouched && (status != ATOLL_OK || n < 8192 || n >= 8192 + writable)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes in(data, size);
  const char* name = in.one_of<const char*>({"gfx1201", "gfx1201", "gfx1200", "bonaire", "dg1"});
  atoll_device_options options{};
  options.size = sizeof options;
  options.engine = ATOLL_ENGINE_INTERPRETER, options.threads = 1;
  atoll_device* device = nullptr;
  if (atoll_device_open(name, &options, &device) != ATOLL_OK) __builtin_trap();
  std::vector<atoll_memory*> memories;
  const uint8_t calls = in.byte() & 15;
  for (unsigned n = 0; n < calls; n++) {
    atoll_memory* memory = nullptr;
    check(atoll_memory_map(device, in.number() & 0xfffff, in.chance(128) ? uint64_t(in.number()) << 12 : 0, &memory));
    if (memory) memories.push_back(memory);
    uint32_t words[8] = {};
    for (uint32_t& word : words) word = in.take<uint32_t>();
    if (in.chance(64)) check(atoll_write(device, any_address(in, memories), words, in.byte() % sizeof words));
    if (in.chance(64)) {
      atoll_words_options run{};
      run.size = sizeof run;
      run.words = words, run.word_bytes = sizeof words;
      run.wave_lanes = in.one_of<uint32_t>({0, 32, 64, 7});
      shape(in, run.grid, run.group);
      run.user_sgprs = words, run.user_sgpr_count = in.byte() % 8;
      run.rsrc1 = in.number(), run.rsrc2 = in.number();
      run.lds_bytes = in.number(), run.scratch_bytes = in.number();
      run.timeout_seconds = seconds;
      check(atoll_launch_words(device, &run, nullptr));
    }
    if (!memories.empty() && in.chance(32)) {
      atoll_memory_unmap(memories.back());
      memories.pop_back();
    }
  }
  if (in.chance(128)) run_on_own_memory(in);
  const size_t used = std::min<size_t>(size, 256);
  atoll_object* object = nullptr;
  check(atoll_object_load(device, data + used, size - used, "fuzz", &object));
  for (uint32_t n = 0; const atoll_kernel* kernel = atoll_object_kernel(object, n); n++) {
    if (n == 8) break;
    launch(in, kernel, memories);
  }
  atoll_device_close(device);
  return 0;
}
