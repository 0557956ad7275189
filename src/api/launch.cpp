// Launches of kernels and of raw instruction words on a device.
#include "gpu/dg1/launch/launch.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "api/handles.h"
#include "api/results.h"
#include "gpu/chips/family_programs.h"
#include "gpu/hsa/printf.h"
#include "gpu/hsa/stop_timer.h"
#include "gpu/open/launch.h"
#include "gpu/rdna4/run.h"
#include "gpu/rdna4/words.h"
#include "memory/owned_buffers.h"

using namespace Atoll;
using namespace Atoll::api;

namespace {

// A family's launch asks for no dimension of 0 and none that wraps.
Result<hsa::LaunchShape> shape_of(const std::string& kernel, const uint64_t (&grid)[3], const uint64_t (&group)[3],
                                  uint32_t dimensions) {
  if (dimensions > 3) return refuse(ATOLL_ERROR_ARGUMENT, "{}: {} dimensions: 1 to 3, or 0", kernel, dimensions);
  hsa::LaunchShape shape;
  for (unsigned n = 0; n < 3; n++) {
    if (grid[n] == 0 || group[n] == 0)
      return refuse(ATOLL_ERROR_MISMATCH, "{}: a {} of 0 work-items in dimension {}: give every dimension at least 1", kernel,
                    grid[n] == 0 ? "grid" : "group", "XYZ"[n]);
    if (grid[n] > UINT32_MAX || group[n] > UINT32_MAX)
      return refuse(ATOLL_ERROR_MISMATCH, "{}: {} work-items in dimension {} are more than a launch can have", kernel,
                    std::max(grid[n], group[n]), "XYZ"[n]);
    shape.grid[n] = grid[n], shape.group[n] = group[n];
    if (!dimensions && (grid[n] != 1 || group[n] != 1)) shape.dimensions = n + 1;
  }
  if (dimensions) shape.dimensions = dimensions;
  return shape;
}

Result<std::vector<hsa::ArgumentValue>> values_of(const atoll_kernel& kernel, const atoll_launch_options& options) {
  const std::string& name = kernel.signature->name;
  if (options.argument_count != kernel.parameters.size())
    return refuse(ATOLL_ERROR_MISMATCH, "{}: the kernel takes {} arguments, but {} are given", name, kernel.parameters.size(),
                  options.argument_count);
  if (options.argument_count && !options.arguments) return refuse(ATOLL_ERROR_ARGUMENT, "{}: arguments is null", name);
  if (options.argument_count && options.argument_size != sizeof(atoll_argument))
    return refuse(ATOLL_ERROR_ARGUMENT, "{}: argument_size is {}: set it to sizeof(atoll_argument), {}", name,
                  options.argument_size, sizeof(atoll_argument));
  std::vector<hsa::ArgumentValue> values;
  for (size_t n = 0; n < kernel.parameters.size(); n++) {
    const KernelArgument& parameter = *kernel.parameters[n];
    const atoll_argument& argument = options.arguments[n];
    hsa::ArgumentValue value;
    auto wanted = [&](const char* what) {
      return refuse(ATOLL_ERROR_MISMATCH, "{}: argument {} of kind {} does not fit parameter '{} {}', which takes {}", name, n,
                    argument.kind, parameter.type_name, parameter.name, what);
    };
    switch (kind_of(parameter.kind)) {
      case ATOLL_PARAMETER_VALUE:
        if (argument.kind != ATOLL_ARGUMENT_VALUE) return wanted("ATOLL_ARGUMENT_VALUE");
        if (argument.bytes != parameter.bytes)
          return refuse(ATOLL_ERROR_MISMATCH, "{}: argument {} has {} bytes, its parameter takes {}", name, n, argument.bytes,
                        parameter.bytes);
        if (!argument.value) return refuse(ATOLL_ERROR_ARGUMENT, "{}: the value of argument {} is null", name, n);
        value.bytes.assign(static_cast<const uint8_t*>(argument.value),
                           static_cast<const uint8_t*>(argument.value) + argument.bytes);
        break;
      case ATOLL_PARAMETER_BUFFER:
        if (argument.kind != ATOLL_ARGUMENT_BUFFER) return wanted("ATOLL_ARGUMENT_BUFFER");
        value.bytes.resize(parameter.bytes);
        std::memcpy(value.bytes.data(), &argument.address, std::min<size_t>(value.bytes.size(), 8));
        break;
      case ATOLL_PARAMETER_LOCAL:
        if (argument.kind != ATOLL_ARGUMENT_LOCAL) return wanted("ATOLL_ARGUMENT_LOCAL");
        if (const uint32_t most = kernel.object->device->target.max_lds_bytes; argument.bytes > most)
          return refuse(ATOLL_ERROR_MISMATCH, "{}: argument {} asks for {} bytes of LDS: a work-group has {}", name, n,
                        argument.bytes, most);
        value.local = true, value.local_bytes = argument.bytes;
        break;
      default:
        return refuse(ATOLL_ERROR_UNSUPPORTED, "{}: parameter {} is a {}, which this library cannot give yet", name, n,
                      parameter.kind_text);
    }
    values.push_back(std::move(value));
  }
  return values;
}

// `printed` gets the kernel's text.
Result<hsa::RunResult> run_hsa(atoll_device& device, const atoll_kernel& kernel, const hsa::LaunchShape& shape,
                               std::span<const hsa::ArgumentValue> values, const atoll_launch_options& options,
                               std::string& printed) {
  atoll_object& object = *kernel.object;
  auto dispatch = hsa::prepare_dispatch(device.target, object.hsa, object.loaded, *kernel.signature, shape, values,
                                        options.dynamic_lds_bytes, *device.space);
  if (!dispatch) return refuse(ATOLL_ERROR_MISMATCH, dispatch.error());
  struct Release {
    hsa::Dispatch& dispatch;
    AddressSpace& space;
    ~Release() { hsa::release(dispatch, space); }
  } release{*dispatch, *device.space};
  hsa::StopTimer timer(device.stop, options.timeout_seconds);
  auto run = gpu::run_dispatch(device.chip, *dispatch, *device.space, run_options(device));
  if (!run) return refuse(ATOLL_ERROR_INTERNAL, run.error());
  if (dispatch->printf_buffer.bytes) printed = hsa::decode_printf(dispatch->printf_buffer.span(), object.hsa.printf_formats).text;
  return std::move(*run);
}

Result<hsa::RunResult> run_intel(atoll_device& device, const atoll_kernel& kernel, const hsa::LaunchShape& shape,
                                 std::span<const hsa::ArgumentValue> values, const atoll_launch_options& options,
                                 std::string& printed) {
  if (options.dynamic_lds_bytes)
    return refuse(ATOLL_ERROR_MISMATCH, "{}: local memory without a parameter for it", kernel.signature->name);
  const auto& object = kernel.object->intel;
  if (!object) return refuse(ATOLL_ERROR_INTERNAL, "{}: its object is not there", kernel.signature->name);
  dg1::PrintedByKernel text;
  hsa::StopTimer timer(device.stop, options.timeout_seconds);
  auto run = dg1::launch(*object, *kernel.intel, shape, values, *device.space, run_options(device), text);
  if (!run) return refuse(ATOLL_ERROR_MISMATCH, run.error());
  printed = std::move(text.text);
  return std::move(*run);
}

Result<void> launch(const atoll_kernel* kernel, const atoll_launch_options* given, atoll_result* result) {
  if (!kernel) return refuse(ATOLL_ERROR_ARGUMENT, "kernel is null");
  if (auto good = check_result(result); !good) return good;
  auto options = read_struct(given, sizeof(atoll_launch_options), "atoll_launch_options");
  if (!options) return std::unexpected(options.error());
  if (auto seconds = seconds_of(options->timeout_seconds); !seconds) return std::unexpected(seconds.error());
  const std::string& name = kernel->signature->name;
  auto shape = shape_of(name, options->grid, options->group, options->dimensions);
  if (!shape) return std::unexpected(shape.error());
  auto values = values_of(*kernel, *options);
  if (!values) return std::unexpected(values.error());

  atoll_device& device = *kernel->object->device;
  std::lock_guard lock(device.mutex);
  device.printed.clear();
  Running running(device);
  auto run = (kernel->intel ? run_intel : run_hsa)(device, *kernel, *shape, *values, *options, device.printed);
  if (!run) return std::unexpected(run.error());
  if (auto written = write_result(*run, device.printed, result); !written) return written;
  return outcome(name, *run, device.stop, options->timeout_seconds);
}

Result<void> launch_words(atoll_device* device, const atoll_words_options* given, atoll_result* result) {
  if (!device) return refuse(ATOLL_ERROR_ARGUMENT, "device is null");
  if (auto good = check_result(result); !good) return good;
  auto options = read_struct(given, sizeof(atoll_words_options), "atoll_words_options");
  if (!options) return std::unexpected(options.error());
  if (auto seconds = seconds_of(options->timeout_seconds); !seconds) return std::unexpected(seconds.error());
  if (!gpu::programs_of(device->chip).bare_waves)
    return refuse(ATOLL_ERROR_UNSUPPORTED, "raw instruction words run on gfx1200 and gfx1201, not on {}", device->chip.name);
  const std::string name = "words";
  auto shape = shape_of(name, options->grid, options->group, 0);
  if (!shape) return std::unexpected(shape.error());
  if (!options->words || (options->user_sgpr_count && !options->user_sgprs))
    return refuse(ATOLL_ERROR_ARGUMENT, "{} is null", options->words ? "user_sgprs" : "words");
  if (options->word_bytes == 0 || options->word_bytes % 4 || options->word_bytes > rdna4::max_code_bytes)
    return refuse(ATOLL_ERROR_ARGUMENT, "{} bytes of instruction words: a multiple of 4, from 4 to {}", options->word_bytes,
                  rdna4::max_code_bytes);
  if (options->user_sgpr_count > 32)
    return refuse(ATOLL_ERROR_ARGUMENT, "{} user SGPRs: 32 are the most", options->user_sgpr_count);

  std::lock_guard lock(device->mutex);
  device->printed.clear();
  OwnedBuffers memory(*device->space);
  auto code = memory.allocate(round_up(options->word_bytes, page_bytes), page_bytes);
  if (!code) return refuse(ATOLL_ERROR_MEMORY, code.error());
  std::memcpy(code->host_pointer, options->words, options->word_bytes);
  rdna4::Words words{.code = code->gpu_address, .code_bytes = options->word_bytes, .shape = *shape};
  if (options->wave_lanes) words.wave_lanes = options->wave_lanes;
  words.user_sgprs.assign(options->user_sgprs, options->user_sgprs + options->user_sgpr_count);
  if (options->rsrc1) words.rsrc1 = options->rsrc1;
  words.rsrc2 = options->rsrc2, words.lds_bytes = options->lds_bytes, words.scratch_bytes = options->scratch_bytes;
  auto dispatch = rdna4::words_dispatch(words);
  if (!dispatch) return refuse(ATOLL_ERROR_MISMATCH, dispatch.error());

  Running running(*device);
  hsa::StopTimer timer(device->stop, options->timeout_seconds);
  auto run = rdna4::run(*dispatch, *device->space, run_options(*device));
  if (!run) return refuse(ATOLL_ERROR_INTERNAL, run.error());
  if (auto written = write_result(*run, device->printed, result); !written) return written;
  return outcome(name, *run, device->stop, options->timeout_seconds);
}

}  // namespace

extern "C" {

atoll_status atoll_launch(const atoll_kernel* kernel, const atoll_launch_options* options, atoll_result* result) {
  return guarded([&] { return launch(kernel, options, result); });
}
atoll_status atoll_launch_words(atoll_device* device, const atoll_words_options* options, atoll_result* result) {
  return guarded([&] { return launch_words(device, options, result); });
}

}  // extern "C"
