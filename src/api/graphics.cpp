// Graphics waves without a driver.
#include <algorithm>
#include <cstring>
#include <span>

#include "api/handles.h"
#include "api/results.h"
#include "gpu/chips/family_programs.h"
#include "gpu/hsa/stop_timer.h"
#include "gpu/rdna4/graphics_wave.h"
#include "gpu/rdna4/target.h"
#include "gpu/rdna4/words.h"
#include "memory/owned_buffers.h"

using namespace Atoll;
using namespace Atoll::api;

namespace {

// An array of the caller's: null is good where it is empty.
template <class T>
Result<std::span<const T>> array(const T* first, uint64_t count, uint64_t most, const char* name) {
  if (count && !first) return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", name);
  if (count > most) return refuse(ATOLL_ERROR_ARGUMENT, "{} {}: {} are the most", count, name, most);
  return std::span(first, size_t(count));
}

constexpr uint32_t most_lanes = 64, most_waves = 16, most_parameters = 32 * 4, most_primitives = 16;

template <size_t N>
Result<void> take_values(const atoll_wave_start& from, std::array<rdna4::LaneValues, N>& to) {
  auto lists = array(from.values, from.value_count, N, "values");
  if (!lists) return std::unexpected(lists.error());
  for (const atoll_lane_values& list : *lists) {
    if (list.index >= N) return refuse(ATOLL_ERROR_MISMATCH, "values of index {}: the stage has {}", list.index, N);
    auto values = array(list.values, list.count, most_lanes, "values of lanes");
    if (!values) return std::unexpected(values.error());
    to[list.index].assign(values->begin(), values->end());
  }
  return {};
}

Result<rdna4::GraphicsStart> pixel_start(const atoll_wave_start& from) {
  rdna4::PixelStart to;
  to.input_ena = from.input_ena, to.input_addr = from.input_addr;
  to.new_primitive = from.new_primitive, to.bc_optimize = from.bc_optimize != 0, to.lds_offset = from.lds_offset;
  if (from.has_wave_id) to.wave_id = from.wave_id;
  if (from.has_provoking_vertex) to.provoking_vertex = from.provoking_vertex;
  if (auto taken = take_values(from, to.terms); !taken) return std::unexpected(taken.error());
  auto parameters = array(from.parameters, from.parameter_count, most_parameters, "parameters");
  if (!parameters) return std::unexpected(parameters.error());
  for (const atoll_pixel_parameter& parameter : *parameters) {
    auto values = array(parameter.values, uint64_t(parameter.primitive_count) * 3, most_primitives * 3, "values of a parameter");
    if (!values) return std::unexpected(values.error());
    if (parameter.attribute >= 64 || parameter.channel >= 4)
      return refuse(ATOLL_ERROR_MISMATCH, "attribute {}, channel {}", parameter.attribute, parameter.channel);
    rdna4::PixelParameter& one = to.parameters.emplace_back();
    one.attribute = parameter.attribute, one.channel = parameter.channel;
    one.primitives.resize(parameter.primitive_count);
    for (size_t n = 0; n < one.primitives.size(); n++) std::copy_n(values->begin() + long(n * 3), 3, one.primitives[n].begin());
  }
  return to;
}

Result<rdna4::GraphicsStart> geometry_start(const atoll_wave_start& from, uint32_t waves) {
  rdna4::GeometryStart to;
  to.address = from.address, to.mesh = from.mesh != 0, to.off_chip = from.off_chip;
  to.group_primitives = from.group_primitives, to.group_vertices = from.group_vertices;
  to.ordered_wave_id = from.ordered_wave_id, to.primitives = from.primitives, to.vertices = from.vertices;
  std::copy_n(from.group_id, 3, to.group_id.begin());
  to.waves_in_group = from.waves_in_group ? from.waves_in_group : waves, to.wave_in_group = from.wave_in_group;
  to.attribute_ring = from.attribute_ring;
  if (auto taken = take_values(from, to.vgprs); !taken) return std::unexpected(taken.error());
  return to;
}

Result<rdna4::GraphicsStart> hull_start(const atoll_wave_start& from) {
  rdna4::HullStart to;
  to.address = from.address, to.off_chip = from.off_chip, to.factor_ring = from.factor_ring;
  to.first_wave = from.first_wave != 0, to.group_size = from.group_size, to.patches = from.patches;
  to.hull_vertices = from.output_vertices, to.vertices = from.input_vertices, to.wave_in_group = from.wave_in_group;
  if (auto taken = take_values(from, to.vgprs); !taken) return std::unexpected(taken.error());
  return to;
}

Result<std::vector<rdna4::GraphicsWave>> waves_of(const atoll_graphics_options& o) {
  if (o.wave_count == 0 || o.wave_count > most_waves || !o.waves)
    return refuse(ATOLL_ERROR_ARGUMENT, "{} waves: 1 to {}", o.wave_count, most_waves);
  if (o.wave_size != sizeof(atoll_wave_start))
    return refuse(ATOLL_ERROR_ARGUMENT, "wave_size is {}: set it to sizeof(atoll_wave_start), {}", o.wave_size,
                  sizeof(atoll_wave_start));
  std::vector<rdna4::GraphicsWave> waves;
  for (uint32_t n = 0; n < o.wave_count; n++) {
    auto from = read_struct(o.waves + n, sizeof(atoll_wave_start), "atoll_wave_start");
    if (!from) return std::unexpected(from.error());
    auto sgprs = array(from->user_sgprs, from->user_sgpr_count, 32, "user_sgprs");
    if (!sgprs) return std::unexpected(sgprs.error());
    Result<rdna4::GraphicsStart> start = refuse(ATOLL_ERROR_ARGUMENT, "stage {} is none of atoll_stage", o.stage);
    switch (o.stage) {
      case ATOLL_STAGE_PIXEL: start = pixel_start(*from); break;
      case ATOLL_STAGE_GEOMETRY: start = geometry_start(*from, o.wave_count); break;
      case ATOLL_STAGE_HULL: start = hull_start(*from); break;
      default: break;
    }
    if (!start) return std::unexpected(start.error());
    rdna4::GraphicsWave& wave = waves.emplace_back(rdna4::GraphicsWave{.start = std::move(*start)});
    wave.user_sgprs.assign(sgprs->begin(), sgprs->end());
    if (from->has_exec) wave.exec = from->exec;
  }
  return waves;
}

void write_exports(const rdna4::GraphicsResult& run, const atoll_graphics_options& o, uint32_t* export_count,
                   uint32_t* message_count) {
  uint32_t count = 0;
  for (uint32_t wave = 0; wave < run.exports.size(); wave++)
    for (const rdna4::Export& from : run.exports[wave]) {
      if (count++ >= o.export_capacity) continue;
      atoll_export& to = o.exports[count - 1];
      to = {};
      to.wave = wave, to.target = from.target, to.enabled = from.enabled, to.done = from.done;
      to.row = from.row ? int64_t(*from.row) : -1, to.lanes = from.lanes, to.order = from.order;
      for (size_t source = 0; source < 4; source++)
        for (size_t lane = 0; lane < std::min<size_t>(most_lanes, from.values[source].size()); lane++)
          if (from.lanes >> lane & 1) to.values[source][lane] = from.values[source][lane];
    }
  if (export_count) *export_count = count;
  count = 0;
  for (const rdna4::GraphicsMessage& from : run.messages)
    if (count++ < o.message_capacity) o.messages[count - 1] = {from.wave, from.message, from.m0, 0};
  if (message_count) *message_count = count;
}

Result<void> check_options(const atoll_graphics_options& o) {
  if (!o.words) return refuse(ATOLL_ERROR_ARGUMENT, "words is null");
  if (o.word_bytes == 0 || o.word_bytes % 4 || o.word_bytes > rdna4::max_code_bytes)
    return refuse(ATOLL_ERROR_ARGUMENT, "{} bytes of instruction words: a multiple of 4, from 4 to {}", o.word_bytes,
                  rdna4::max_code_bytes);
  if (o.lds_bytes > rdna4::target().max_lds_bytes || o.scratch_bytes > rdna4::target().max_scratch_bytes)
    return refuse(ATOLL_ERROR_MISMATCH, "{} bytes of LDS and {} of scratch memory a lane: at most {} and {}", o.lds_bytes,
                  o.scratch_bytes, rdna4::target().max_lds_bytes, rdna4::target().max_scratch_bytes);
  if ((o.export_capacity && (!o.exports || o.export_size != sizeof(atoll_export))) ||
      (o.message_capacity && (!o.messages || o.message_size != sizeof(atoll_message))))
    return refuse(ATOLL_ERROR_ARGUMENT, "exports or messages is null, or export_size or message_size not their sizeof, {} and {}",
                  sizeof(atoll_export), sizeof(atoll_message));
  return {};
}

Result<void> run_graphics(atoll_device* device, const atoll_graphics_options* given, uint32_t* export_count,
                          uint32_t* message_count, atoll_result* result) {
  if (!device) return refuse(ATOLL_ERROR_ARGUMENT, "device is null");
  if (auto good = check_result(result); !good) return good;
  auto options = read_struct(given, sizeof(atoll_graphics_options), "atoll_graphics_options");
  if (!options) return std::unexpected(options.error());
  if (auto seconds = seconds_of(options->timeout_seconds); !seconds) return std::unexpected(seconds.error());
  if (!gpu::programs_of(device->chip).bare_waves)
    return refuse(ATOLL_ERROR_UNSUPPORTED, "graphics waves run on gfx1200 and gfx1201, not on {}", device->chip.name);
  if (auto good = check_options(*options); !good) return good;
  auto waves = waves_of(*options);
  if (!waves) return std::unexpected(waves.error());

  std::lock_guard lock(device->mutex);
  device->printed.clear();
  OwnedBuffers memory(*device->space);
  auto code = memory.allocate(round_up(options->word_bytes, page_bytes), page_bytes);
  if (!code) return refuse(ATOLL_ERROR_MEMORY, code.error());
  std::memcpy(code->host_pointer, options->words, options->word_bytes);
  rdna4::GraphicsGroup group;
  group.code_start = group.entry = code->gpu_address, group.code_bytes = options->word_bytes;
  group.wave_size = options->wave_lanes ? options->wave_lanes : 32;
  if (options->mode) group.mode = options->mode;
  group.lds_bytes = options->lds_bytes, group.scratch_bytes = options->scratch_bytes;
  group.skip_export = options->skip_export != 0;
  if (options->lds) {
    const auto* bytes = static_cast<const uint8_t*>(options->lds);
    group.lds.assign(bytes, bytes + options->lds_bytes);
  }
  group.waves = std::move(*waves);
  Running running(*device);
  hsa::StopTimer timer(device->stop, options->timeout_seconds);
  auto run = rdna4::run_graphics(group, *device->space, run_options(*device));
  if (!run) return refuse(ATOLL_ERROR_MISMATCH, run.error());
  write_exports(*run, *options, export_count, message_count);
  if (options->lds)
    std::copy_n(run->lds.begin(), std::min<size_t>(run->lds.size(), options->lds_bytes), static_cast<uint8_t*>(options->lds));
  hsa::RunResult summary;
  summary.waves = run->fault || run->stopped ? 0 : group.waves.size();
  summary.compiled = run->compiled, summary.called = run->called, summary.interpreted = run->interpreted;
  summary.instructions = run->compiled + run->called + run->interpreted;
  summary.threads = 1, summary.fault = run->fault, summary.stopped = run->stopped;
  if (auto written = write_result(summary, device->printed, result); !written) return written;
  return outcome("words", summary, device->stop, options->timeout_seconds);
}

}  // namespace

extern "C" {

atoll_status atoll_run_graphics(atoll_device* device, const atoll_graphics_options* options, uint32_t* export_count,
                                uint32_t* message_count, atoll_result* result) {
  return guarded([&] { return run_graphics(device, options, export_count, message_count, result); });
}

}  // extern "C"
