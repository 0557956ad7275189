// i915's contexts and address spaces (Linux drivers/gpu/drm/i915/gem/i915_gem_context.c).
#include <libdrm/i915_drm.h>

#include <cerrno>

#include "base/log.h"
#include "drm/i915/contexts.h"
#include "drm/i915/extensions.h"
#include "drm/i915/i915.h"

namespace Atoll::drm::i915 {
namespace {

std::optional<Engine> engine_of(const i915_engine_class_instance& engine) {
  if (engine.engine_instance == uint16_t(I915_ENGINE_CLASS_INVALID_NONE) &&
      engine.engine_class == uint16_t(I915_ENGINE_CLASS_INVALID))
    return Engine{gpu::QueueKind::graphics, false};
  if (engine.engine_instance) return {};
  switch (engine.engine_class) {
    case I915_ENGINE_CLASS_RENDER: return Engine{gpu::QueueKind::graphics};
    case I915_ENGINE_CLASS_COPY: return Engine{gpu::QueueKind::copy};
    default: return {};
  }
}

// Several engines of which any may do the work: all of ours are alone of their class, so the list names one.
int set_balanced(uint64_t address, std::vector<Engine>& engines) {
  i915_context_engines_load_balance balance;
  if (!read_user(&balance, address, sizeof balance)) return -EFAULT;
  if (balance.flags || balance.mbz64 || balance.engine_index >= engines.size() || balance.num_siblings == 0) return -EINVAL;
  i915_engine_class_instance engine;
  if (!read_user(&engine, address + sizeof balance, sizeof engine)) return -EFAULT;
  auto found = engine_of(engine);
  if (!found) return -EINVAL;
  engines[balance.engine_index] = *found;
  return 0;
}

int set_engines(const drm_i915_gem_context_param& in, Context& context) {
  constexpr size_t most = 64;  // I915_EXEC_RING_MASK + 1
  if (in.size == 0) {
    std::lock_guard lock(context.mutex);
    context.has_engine_list = false;
    return 0;
  }
  uint64_t extensions = 0;
  if (in.size < sizeof extensions || in.size % sizeof(i915_engine_class_instance)) return -EINVAL;
  const size_t count = (in.size - sizeof extensions) / sizeof(i915_engine_class_instance);
  std::vector<i915_engine_class_instance> rows;
  if (count > most || !read_user(&extensions, in.value, sizeof extensions)) return count > most ? -EINVAL : -EFAULT;
  if (!read_user(rows, in.value + sizeof extensions, count)) return -EFAULT;
  std::vector<Engine> engines;
  for (auto& row : rows) {
    auto engine = engine_of(row);
    if (!engine) {
      log(LogLevel::info, "drm", "there is no engine {}:{}", row.engine_class, row.engine_instance);
      return -ENOENT;
    }
    engines.push_back(*engine);
  }
  int error = each_extension(extensions, [&](uint32_t name, uint64_t address) {
    if (name == I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE) return set_balanced(address, engines);
    log(LogLevel::info, "drm", "context engines extension {} is not there", name);
    return -EINVAL;
  });
  if (error) return error;
  std::lock_guard lock(context.mutex);
  if (!context.rings.empty()) return -EINVAL;  // it has been used
  context.engines = std::move(engines);
  context.has_engine_list = true;
  return 0;
}

int get_sseu(File& file, drm_i915_gem_context_param& a) {
  if (a.size == 0) return a.size = sizeof(drm_i915_gem_context_param_sseu), 0;
  drm_i915_gem_context_param_sseu sseu;
  if (a.size < sizeof sseu) return -EINVAL;
  if (!read_user(&sseu, a.value, sizeof sseu)) return -EFAULT;
  const gpu::Chip& chip = file.process().chip();
  sseu.slice_mask = (uint64_t(1) << chip.shader_engines) - 1;
  sseu.subslice_mask = (uint64_t(1) << chip.shader_arrays) - 1;
  sseu.min_eus_per_subslice = sseu.max_eus_per_subslice = uint16_t(chip.compute_units);
  a.size = sizeof sseu;
  return write_user(a.value, &sseu, sizeof sseu) ? 0 : -EFAULT;
}

// Address space and engines may be chosen until the context is used.
int set_parameter(File& file, Context& context, const drm_i915_gem_context_param& a) {
  auto flag = [&](bool& to) {
    if (a.size) return -EINVAL;
    to = a.value != 0;
    return 0;
  };
  bool set = false;
  switch (a.param) {
    case I915_CONTEXT_PARAM_NO_ZEROMAP: return flag(set);
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
      if (int error = flag(set)) return error;
      context.error_capture = !set;
      return 0;
    case I915_CONTEXT_PARAM_BANNABLE:
      if (int error = flag(set)) return error;
      context.standing->bannable = set;
      return 0;
    case I915_CONTEXT_PARAM_RECOVERABLE: return flag(context.recoverable);
    case I915_CONTEXT_PARAM_PERSISTENCE: return flag(context.persistent);
    case I915_CONTEXT_PARAM_PRIORITY: {
      const int64_t priority = int64_t(a.value);
      if (a.size || priority > I915_CONTEXT_MAX_USER_PRIORITY || priority < I915_CONTEXT_MIN_USER_PRIORITY) return -EINVAL;
      if (priority > I915_CONTEXT_DEFAULT_PRIORITY) return -EPERM;  // CAP_SYS_NICE
      context.priority = priority;
      return 0;
    }
    case I915_CONTEXT_PARAM_SSEU: return -ENODEV;  // to choose slices is for Gen11
    case I915_CONTEXT_PARAM_VM: {
      auto memory = Contexts::of(file).memories.find(uint32_t(a.value));
      if (a.size || !memory) return a.size ? -EINVAL : -ENOENT;
      std::lock_guard lock(context.mutex);
      if (!context.rings.empty()) return -EINVAL;
      context.memory = std::move(memory);
      return 0;
    }
    case I915_CONTEXT_PARAM_ENGINES: return set_engines(a, context);
    case I915_CONTEXT_PARAM_RINGSIZE: return 0;
    default: log(LogLevel::info, "drm", "context parameter {} is not there", a.param); return -EINVAL;
  }
}

}  // namespace

int context_create(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_context_create_ext*>(argument);
  if (a.flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN) return -EINVAL;
  auto context = std::make_shared<Context>();
  if (a.flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS) {
    int error = each_extension(a.extensions, [&](uint32_t name, uint64_t address) {
      drm_i915_gem_context_create_ext_setparam set;
      if (name != I915_CONTEXT_CREATE_EXT_SETPARAM) return -EINVAL;
      if (!read_user(&set, address, sizeof set)) return -EFAULT;
      if (set.param.ctx_id) return -EINVAL;
      return set_parameter(file, *context, set.param);
    });
    if (error) return error;
  }
  a.ctx_id = Contexts::of(file).contexts.add(std::move(context));
  return 0;
}

int context_destroy(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_context_destroy*>(argument);
  if (a.pad || a.ctx_id == 0) return a.pad ? -EINVAL : -ENOENT;
  return Contexts::of(file).contexts.remove(a.ctx_id) ? 0 : -ENOENT;
}

int context_getparam(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_context_param*>(argument);
  auto& contexts = Contexts::of(file);
  auto context = contexts.find(a.ctx_id);
  if (!context) return -ENOENT;
  auto value = [&](uint64_t is) {
    a.size = 0;
    a.value = is;
    return 0;
  };
  switch (a.param) {
    case I915_CONTEXT_PARAM_GTT_SIZE: return value(uint64_t(1) << Sections::address_bits);
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE: return value(!context->error_capture);
    case I915_CONTEXT_PARAM_BANNABLE: return value(context->standing->bannable);
    case I915_CONTEXT_PARAM_RECOVERABLE: return value(context->recoverable);
    case I915_CONTEXT_PARAM_PERSISTENCE: return value(context->persistent);
    case I915_CONTEXT_PARAM_PRIORITY: return value(uint64_t(context->priority));
    case I915_CONTEXT_PARAM_SSEU: return get_sseu(file, a);
    case I915_CONTEXT_PARAM_VM: {
      auto memory = contexts.memory_of(file, *context);
      return memory ? value(contexts.memories.add(std::move(memory))) : -ENOMEM;
    }
    default: log(LogLevel::info, "drm", "context parameter {} cannot be asked for", a.param); return -EINVAL;
  }
}

int context_setparam(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_context_param*>(argument);
  auto context = Contexts::of(file).find(a.ctx_id);
  if (!context) return -ENOENT;
  return set_parameter(file, *context, a);
}

int vm_create(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_vm_control*>(argument);
  if (a.flags || a.extensions) return -EINVAL;
  auto memory = Contexts::of(file).make_memory(file);
  if (!memory) return -ENOMEM;
  a.vm_id = Contexts::of(file).memories.add(std::move(memory));
  return 0;
}

int vm_destroy(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_gem_vm_control*>(argument);
  if (a.flags || a.extensions) return -EINVAL;
  return Contexts::of(file).memories.remove(a.vm_id) ? 0 : -ENOENT;
}

int get_reset_stats(File& file, void* argument) {
  auto& a = *static_cast<drm_i915_reset_stats*>(argument);
  if (a.flags || a.pad) return -EINVAL;
  auto context = Contexts::of(file).find(a.ctx_id);
  if (!context) return -ENOENT;
  a.reset_count = 0;  // of the whole GPU: for the administrator
  a.batch_active = context->standing->failed;
  a.batch_pending = 0;
  return 0;
}

}  // namespace Atoll::drm::i915
