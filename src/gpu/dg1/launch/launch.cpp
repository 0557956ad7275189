#include "gpu/dg1/launch/launch.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/worker_pool.h"
#include "gpu/dg1/launch/launch_images.h"
#include "gpu/dg1/launch/loaded_object.h"
#include "gpu/dg1/launch/printf.h"
#include "gpu/dg1/threads/environment.h"
#include "gpu/dg1/threads/surface_state.h"
#include "gpu/dg1/threads/thread_groups.h"

namespace Atoll::dg1 {
namespace {

using intel::IntelKernel;
using intel::IntelObject;
using intel::Payload;
using intel::PayloadPart;

constexpr uint32_t surface_bytes = 64, sampler_bytes = 16, register_bytes = 32;
constexpr uint32_t least_scratch = 1024;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

uint64_t address_of(const hsa::ArgumentValue& value) {
  uint64_t address = 0;
  std::copy_n(value.bytes.begin(), std::min<size_t>(8, value.bytes.size()), reinterpret_cast<uint8_t*>(&address));
  return address;
}

// A surface of bytes; of an address that is no buffer's a null one.
SurfaceWords buffer_words(uint64_t address, uint64_t bytes) {
  SurfaceWords w{};
  SurfaceState::Surface_Type::set(w, SurfaceType::SURFTYPE_NULL);
  if (!bytes) return w;
  const uint64_t last = std::min<uint64_t>(bytes, uint64_t(1) << 32) - 1;
  SurfaceState::Surface_Type::set(w, SurfaceType::SURFTYPE_BUFFER), SurfaceState::Surface_Format::set(w, SURFACE_FORMAT::RAW);
  SurfaceState::Width::set(w, uint32_t(last & 0x7f)), SurfaceState::Height::set(w, uint32_t(last >> 7 & 0x3fff));
  SurfaceState::Depth::set(w, uint32_t(last >> 21));
  SurfaceState::Surface_Base_Address::set(w, address);
  return w;
}

// Everything of a launch but its groups: memory that it owns, tables, and what the payload is made of.
struct Launch {
  const IntelObject& object;
  const IntelKernel& kernel;
  const hsa::LaunchShape& shape;
  std::span<const hsa::ArgumentValue> arguments;
  AddressSpace& space;
  OwnedBuffers owned{space};
  LoadedSections loaded = {};
  xe_lp::ThreadContext context = {};
  Buffer printf_buffer = {};
  uint64_t private_base = 0, scratch_offset = 0;
  uint32_t scratch_bytes = 0, slm_bytes = 0;
  std::vector<uint32_t> slm_offsets = {};  // by argument

  Expected<void> prepare() {
    auto sections = load_sections(object, kernel, owned);
    if (!sections) return std::unexpected(sections.error());
    loaded = std::move(*sections);
    if (auto done = make_tables(); !done) return done;
    if (auto done = make_memory(); !done) return done;
    place_local_memory();
    if (slm_bytes > max_slm_bytes)
      return fail("kernel '{}': {} bytes of local memory: a work-group can have {}", kernel.signature.name, slm_bytes,
                  max_slm_bytes);
    return {};
  }

  // Words of an image or sampler object.
  std::span<const uint32_t> object_words(int argument, size_t count) const {
    return {reinterpret_cast<const uint32_t*>(space.host(address_of(arguments[size_t(argument)]))), count};
  }
  bool has_argument(int n) const { return n >= 0 && size_t(n) < arguments.size(); }

  Expected<void> make_tables() {
    uint64_t all_surfaces = 0, all_samplers = kernel.sampler_words.size() / 4;
    for (const intel::TableEntry& e : kernel.surfaces) all_surfaces = std::max(all_surfaces, uint64_t(e.index) + 1);
    for (const intel::TableEntry& e : kernel.samplers) all_samplers = std::max(all_samplers, uint64_t(e.index) + 1);
    for (const intel::InlineSampler& s : kernel.inline_samplers) all_samplers = std::max(all_samplers, uint64_t(s.index) + 1);
    if (all_surfaces > 240 || all_samplers > 16)
      return fail("kernel '{}': {} surfaces and {} samplers", kernel.signature.name, all_surfaces, all_samplers);
    const auto surfaces = uint32_t(all_surfaces), samplers = uint32_t(all_samplers);
    const uint32_t table = surfaces * surface_bytes;
    auto heap = owned.allocate(std::max(1u, table + surfaces * 4 + 64), 64);
    auto dynamic = owned.allocate(std::max(1u, samplers * sampler_bytes + 64), 64);
    if (!heap || !dynamic) return std::unexpected(!heap ? heap.error() : dynamic.error());
    const SurfaceWords none = buffer_words(0, 0);
    for (uint32_t n = 0; n < surfaces; n++) {
      std::memcpy(heap->host_pointer + n * surface_bytes, none.data(), surface_bytes);
      const uint32_t offset = n * surface_bytes;
      std::memcpy(heap->host_pointer + table + n * 4, &offset, 4);
    }
    for (const intel::TableEntry& e : kernel.surfaces) {
      const auto data = e.argument == intel::constants_surface ? object.constants
                        : e.argument == intel::globals_surface ? object.globals
                                                               : std::nullopt;
      if (data) {
        const Buffer& section = loaded.sections[*data];
        std::memcpy(heap->host_pointer + e.index * surface_bytes, buffer_words(section.gpu_address, section.bytes).data(),
                    surface_bytes);
      }
      if (!has_argument(e.argument)) continue;
      SurfaceWords words = none;
      const hsa::ArgumentValue& value = arguments[size_t(e.argument)];
      if (kernel.signature.arguments[size_t(e.argument)].kind == ValueKind::Image)
        std::ranges::copy(object_words(e.argument, words.size()), words.begin());
      else if (auto buffer = space.find(address_of(value)))
        words = buffer_words(address_of(value), buffer->gpu_address + buffer->bytes - address_of(value));
      std::memcpy(heap->host_pointer + e.index * surface_bytes, words.data(), surface_bytes);
    }
    std::ranges::copy(kernel.sampler_words, reinterpret_cast<uint32_t*>(dynamic->host_pointer));
    for (const intel::TableEntry& e : kernel.samplers)
      if (has_argument(e.argument) && kernel.signature.arguments[size_t(e.argument)].kind == ValueKind::Sampler)
        std::memcpy(dynamic->host_pointer + e.index * sampler_bytes, object_words(e.argument, 4).data(), sampler_bytes);
    for (const intel::InlineSampler& s : kernel.inline_samplers) {
      hsa::SamplerDescription d;
      using Address = hsa::SamplerDescription::Address;
      d.address = s.address == "repeat"         ? Address::repeat
                  : s.address == "mirror"       ? Address::mirrored_repeat
                  : s.address == "clamp_border" ? Address::clamp
                  : s.address == "clamp_edge"   ? Address::clamp_edge
                                                : Address::none;
      d.linear = s.linear, d.normalized = s.normalized;
      std::memcpy(dynamic->host_pointer + s.index * sampler_bytes, launch_images().sampler(d).data(), sampler_bytes);
    }
    context.surface_state_base = heap->gpu_address, context.binding_table = heap->gpu_address + table;
    context.dynamic_state_base = context.sampler_states = dynamic->gpu_address;
    return {};
  }

  // Private memory and scratch of all hardware threads, and the printf buffer.
  Expected<void> make_memory() {
    auto uses = [&](Payload what) {
      return std::ranges::any_of(kernel.payload, [&](const PayloadPart& p) { return p.what == what; });
    };
    if (uses(Payload::PrivateBase) && kernel.private_bytes) {
      auto memory = owned.allocate(uint64_t(kernel.private_bytes) * thread_slots, 64);
      if (!memory) return std::unexpected(memory.error());
      private_base = memory->gpu_address;
    }
    if (kernel.scratch_bytes) {
      scratch_bytes = std::bit_ceil(std::max(kernel.scratch_bytes, least_scratch));
      auto memory = owned.allocate(uint64_t(scratch_bytes) * thread_slots, 1024);
      if (!memory) return std::unexpected(memory.error());
      context.general_state_base = memory->gpu_address;
    }
    if (uses(Payload::PrintfBuffer)) {
      auto memory = owned.allocate(printf_buffer_bytes, 64);
      if (!memory) return std::unexpected(memory.error());
      printf_buffer = *memory;
      std::memcpy(printf_buffer.host_pointer, &printf_first, 4);
    }
    return {};
  }

  // Blocks of __local parameters stand behind what the kernel declares itself.
  void place_local_memory() {
    uint64_t end = kernel.slm_bytes;
    slm_offsets.resize(arguments.size());
    for (size_t n = 0; n < arguments.size(); n++) {
      if (!arguments[n].local) continue;
      const uint64_t alignment = std::max<uint64_t>(kernel.signature.arguments[n].pointee_alignment, 16);
      end = (end + alignment - 1) / alignment * alignment;
      slm_offsets[n] = uint32_t(std::min<uint64_t>(end, UINT32_MAX));
      end += arguments[n].local_bytes;
    }
    slm_bytes = uint32_t(std::min<uint64_t>((end + 1023) / 1024 * 1024, UINT32_MAX));
  }

  // The cross-thread data for groups of this size.
  std::vector<uint8_t> cross_thread(const std::array<uint32_t, 3>& local) const {
    std::vector<uint8_t> data((kernel.cross_thread_bytes + register_bytes - 1) / register_bytes * register_bytes);
    for (const PayloadPart& part : kernel.payload) put(part, local, data);
    return data;
  }

private:
  void put(const PayloadPart& part, const std::array<uint32_t, 3>& local, std::vector<uint8_t>& data) const {
    auto bytes = [&](const void* from, size_t size) {
      size = std::min<size_t>(size, part.bytes);
      if (part.offset <= data.size() && size <= data.size() - part.offset)
        std::copy_n(static_cast<const uint8_t*>(from), size, data.begin() + part.offset);
    };
    auto word = [&](uint64_t value) { bytes(&value, 8); };
    auto axes = [&](const std::array<uint32_t, 3>& words) {
      if (part.axis < 3)
        word(words[part.axis]);
      else
        bytes(words.data(), 12);
    };
    std::array<uint32_t, 3> global{}, group{}, groups{};
    for (unsigned n = 0; n < 3; n++) {
      global[n] = uint32_t(shape.grid[n]), group[n] = uint32_t(shape.group[n]);
      groups[n] = uint32_t((shape.grid[n] + shape.group[n] - 1) / shape.group[n]);
    }
    switch (part.what) {
      case Payload::LocalSize: return axes(local);
      case Payload::EnqueuedLocalSize: return axes(group);
      case Payload::GroupCount: return axes(groups);
      case Payload::GlobalSize: return axes(global);
      case Payload::GlobalOffset: return axes({0, 0, 0});
      case Payload::WorkDimensions: return word(shape.dimensions);
      case Payload::PrivateBase: return word(private_base);
      case Payload::PrintfBuffer: return word(printf_buffer.gpu_address);
      case Payload::ConstantBase: return word(object.constants ? loaded.sections[*object.constants].gpu_address : 0);
      case Payload::GlobalBase: return word(object.globals ? loaded.sections[*object.globals].gpu_address : 0);
      default: break;
    }
    if (!has_argument(part.argument)) return;
    const hsa::ArgumentValue& value = arguments[size_t(part.argument)];
    switch (part.what) {
      case Payload::Value:
        if (part.source_offset < value.bytes.size())
          bytes(value.bytes.data() + part.source_offset, value.bytes.size() - part.source_offset);
        return;
      case Payload::Pointer:
      case Payload::BufferAddress: return word(address_of(value));
      case Payload::BufferOffset: return word(0);
      case Payload::SlmOffset: return word(slm_offsets[size_t(part.argument)]);
      case Payload::ImageLevels:
      case Payload::ImageSamples: return word(part.what == Payload::ImageSamples ? 0 : 1);
      default: break;
    }
    const ValueKind kind = kernel.signature.arguments[size_t(part.argument)].kind;
    auto image = [&](size_t n) { word(kind == ValueKind::Image ? object_words(part.argument, image_words)[n] : 0); };
    auto sampler = [&](size_t n) { word(kind == ValueKind::Sampler ? object_words(part.argument, sampler_words)[n] : 0); };
    switch (part.what) {
      case Payload::ImageWidth: return image(IMAGE_WIDTH);
      case Payload::ImageHeight: return image(IMAGE_HEIGHT);
      case Payload::ImageDepth: return image(IMAGE_DEPTH);
      case Payload::ImageArraySize: return image(IMAGE_LAYERS);
      case Payload::ImageType: return image(IMAGE_TYPE);
      case Payload::ImageOrder:
      case Payload::ImageSrgbOrder: return image(IMAGE_ORDER);
      case Payload::SamplerAddress: return sampler(SAMPLER_ADDRESS);
      case Payload::SamplerNormalized: return sampler(SAMPLER_NORMALIZED);
      case Payload::SamplerSnap: return sampler(SAMPLER_SNAP);
      default: return;
    }
  }
};

// The threads' own data: identifiers of their work-items, an axis after the other.
std::vector<uint8_t> per_thread_data(const IntelKernel& k, const std::array<uint32_t, 3>& local, uint32_t threads) {
  std::vector<uint8_t> data(size_t(threads) * k.per_thread_bytes);
  const uint32_t axis_bytes = std::max(register_bytes, k.simd * 2), items = local[0] * local[1] * local[2];
  for (uint32_t item = 0; item < items; item++) {
    uint16_t id[3] = {};
    uint32_t rest = item;
    for (uint8_t axis : k.walk_order) id[axis] = uint16_t(rest % local[axis]), rest /= local[axis];
    uint8_t* thread = data.data() + size_t(item / k.simd) * k.per_thread_bytes + k.local_id_offset;
    for (unsigned axis = 0; axis < k.local_ids; axis++) std::memcpy(thread + axis * axis_bytes + item % k.simd * 2, &id[axis], 2);
  }
  return data;
}

// A part of the grid whose groups have one size: the last ones of an axis may be smaller.
struct GridPart {
  std::array<uint32_t, 3> begin, end, local;
};
std::vector<GridPart> grid_parts(const hsa::LaunchShape& shape) {
  std::vector<GridPart> parts{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
  for (unsigned axis = 0; axis < 3; axis++) {
    const auto whole = uint32_t(shape.grid[axis] / shape.group[axis]), rest = uint32_t(shape.grid[axis] % shape.group[axis]);
    std::vector<GridPart> next;
    for (GridPart p : parts) {
      p.begin[axis] = 0, p.end[axis] = whole, p.local[axis] = uint32_t(shape.group[axis]);
      if (whole) next.push_back(p);
      p.begin[axis] = whole, p.end[axis] = whole + 1, p.local[axis] = rest;
      if (rest) next.push_back(p);
    }
    parts = std::move(next);
  }
  return parts;
}

Expected<void> check_shape(const IntelKernel& k, const hsa::LaunchShape& shape) {
  uint64_t items = 1;
  for (unsigned axis = 0; axis < 3; axis++) {
    if (shape.grid[axis] > UINT32_MAX || shape.group[axis] > 1024)
      return fail("kernel '{}': a grid of {} and a group of {} work-items in dimension {}: at most {} and 1024", k.signature.name,
                  shape.grid[axis], shape.group[axis], axis + 1, UINT32_MAX);
    items *= shape.group[axis];
  }
  if (const uint64_t most = std::min<uint64_t>(1024, uint64_t(max_group_threads) * k.simd); items > most)
    return fail("kernel '{}': groups of {} work-items: {} are the most at SIMD{}", k.signature.name, items, most, k.simd);
  if (auto& required = k.signature.required_workgroup_size)
    for (unsigned axis = 0; axis < 3; axis++)
      if (shape.group[axis] != (*required)[axis])
        return fail("kernel '{}' takes groups of {},{},{} only: --group {},{},{}", k.signature.name, (*required)[0],
                    (*required)[1], (*required)[2], (*required)[0], (*required)[1], (*required)[2]);
  if (k.has_large_grf) return fail("kernel '{}' needs 256 registers, which Xe-LP's threads do not have", k.signature.name);
  return {};
}

}  // namespace

const hsa::Target& launch_target() {
  [[clang::no_destroy]] static const hsa::Target target{.family = "DG1",
                                                        .processors = {},
                                                        .compile_options = "ocloc compile -device dg1",
                                                        .wave32 = true,
                                                        .refused_properties = 0,
                                                        .max_user_sgprs = 0,
                                                        .shared_aperture_high = 0,
                                                        .private_aperture_high = 0,
                                                        .max_lds_bytes = max_slm_bytes,
                                                        .lds_block = 1024,
                                                        .max_group_items = 1024,
                                                        .max_groups_yz = UINT32_MAX,
                                                        .max_scratch_bytes = 0,
                                                        .images = &launch_images()};
  return target;
}

Expected<hsa::RunResult> launch(const IntelObject& object, const IntelKernel& kernel, const hsa::LaunchShape& shape,
                                std::span<const hsa::ArgumentValue> arguments, AddressSpace& space,
                                const hsa::RunOptions& options, PrintedByKernel& printed) {
  if (auto good = check_shape(kernel, shape); !good) return std::unexpected(good.error());
  Launch launch{.object = object, .kernel = kernel, .shape = shape, .arguments = arguments, .space = space};
  if (auto ready = launch.prepare(); !ready) return std::unexpected(ready.error());
  Kernels kernels(space, options.engine, options.findings);
  auto code = kernels.find(launch.loaded.sections[kernel.section].gpu_address + kernel.entry);
  if (!code) return std::unexpected(code.error());

  ThreadEnvironment environment(space);
  std::atomic<int> own_stop{0};
  std::atomic<int>& stop = options.stop ? *options.stop : own_stop;
  const unsigned threads = options.deterministic ? 1
                           : options.threads     ? options.threads
                                                 : std::max(1u, std::thread::hardware_concurrency());
  hsa::RunResult result;
  std::vector<double> times;
  std::string error;
  auto run_round = [&](WorkerPool& pool) {
    wave::Counters counters;
    for (const GridPart& part : grid_parts(shape)) {
      const uint32_t items = part.local[0] * part.local[1] * part.local[2],
                     group_threads = (items + kernel.simd - 1) / kernel.simd;
      const std::vector<uint8_t> own = per_thread_data(kernel, part.local, group_threads),
                                 shared = launch.cross_thread(part.local);
      ThreadGroups groups;
      groups.begin = part.begin, groups.end = part.end, groups.simd = kernel.simd, groups.threads = {group_threads, 1, 1};
      if (uint32_t last = items % kernel.simd) groups.right_mask = (1u << last) - 1;
      groups.per_thread = own, groups.per_thread_bytes = kernel.per_thread_bytes, groups.cross_thread = shared;
      groups.slm_bytes = launch.slm_bytes, groups.barrier = kernel.barriers;
      groups.scratch_bytes = launch.scratch_bytes, groups.context = launch.context;
      auto ended = run_thread_groups(groups, **code, space, pool, environment, stop, options.deterministic);
      if (!ended) {
        error = ended.error().message;
        return;
      }
      counters += ended->counters;
      result.fault = ended->fault;
      if (result.fault || stop.load()) break;
    }
    result.waves = counters.waves, result.compiled = counters.compiled, result.called = counters.called;
    result.interpreted = counters.interpreted;
  };
  // GPU code runs on Atoll's own threads only (fault handling, signal mask, MXCSR).
  std::thread([&] {
    WorkerPool pool(threads);
    for (unsigned round = 0; round < std::max(1u, options.repeat) && error.empty(); round++) {
      if (round) kernels.wait_for_compilation();
      const double start = seconds();
      run_round(pool);
      times.push_back(seconds() - start);
      if (result.fault || stop.load()) break;
    }
  }).join();
  if (!error.empty()) return fail("kernel '{}': {}", kernel.signature.name, error);
  if (times.size() > 1) times.erase(times.begin());
  std::sort(times.begin(), times.end());
  result.run_seconds = times[times.size() / 2];
  result.compile_seconds = kernels.compile_seconds(), result.instructions_compiled = kernels.instructions_compiled();
  result.instructions = result.compiled + result.called + result.interpreted;
  result.threads = threads, result.engine = wave::name_of(options.engine);
  result.stopped = !result.fault && stop.load() != 0;
  if (launch.printf_buffer.bytes)
    printed = decode_printf(launch.printf_buffer.span(), object.strings, kernel.printf_by_index, space);
  return result;
}

}  // namespace Atoll::dg1
