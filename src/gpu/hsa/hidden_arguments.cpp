#include "gpu/hsa/hidden_arguments.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace Atoll::hsa {
namespace {

uint64_t value_of(ValueKind kind, const HiddenValues& v) {
  auto axis = [kind](ValueKind x) { return size_t(kind) - size_t(x); };
  switch (kind) {
    case ValueKind::HiddenBlockCountX:
    case ValueKind::HiddenBlockCountY:
    case ValueKind::HiddenBlockCountZ: {
      size_t i = axis(ValueKind::HiddenBlockCountX);
      return v.grid[i] / v.group[i];  // whole groups only
    }
    case ValueKind::HiddenGroupSizeX:
    case ValueKind::HiddenGroupSizeY:
    case ValueKind::HiddenGroupSizeZ: return v.group[axis(ValueKind::HiddenGroupSizeX)];
    case ValueKind::HiddenRemainderX:
    case ValueKind::HiddenRemainderY:
    case ValueKind::HiddenRemainderZ: {
      size_t i = axis(ValueKind::HiddenRemainderX);
      return v.grid[i] % v.group[i];
    }
    case ValueKind::HiddenGridDims: return v.dimensions;
    case ValueKind::HiddenPrintfBuffer: return v.printf_buffer;
    case ValueKind::HiddenDynamicLdsSize: return v.dynamic_lds_bytes;
    case ValueKind::HiddenPrivateBase: return v.private_base;
    case ValueKind::HiddenSharedBase: return v.shared_base;
    case ValueKind::HiddenQueuePtr: return v.queue;
    default: return 0;  // no global offset, and services that are not offered: hostcall, multi-grid, heap, device queue
  }
}

struct Place {
  ValueKind kind;
  uint32_t offset, bytes;  // from the start of the implicit arguments
};

constexpr Place implicit_arguments[] = {
    {ValueKind::HiddenBlockCountX, 0, 4},
    {ValueKind::HiddenBlockCountY, 4, 4},
    {ValueKind::HiddenBlockCountZ, 8, 4},
    {ValueKind::HiddenGroupSizeX, 12, 2},
    {ValueKind::HiddenGroupSizeY, 14, 2},
    {ValueKind::HiddenGroupSizeZ, 16, 2},
    {ValueKind::HiddenRemainderX, 18, 2},
    {ValueKind::HiddenRemainderY, 20, 2},
    {ValueKind::HiddenRemainderZ, 22, 2},
    {ValueKind::HiddenGlobalOffsetX, 40, 8},
    {ValueKind::HiddenGlobalOffsetY, 48, 8},
    {ValueKind::HiddenGlobalOffsetZ, 56, 8},
    {ValueKind::HiddenGridDims, 64, 2},
    {ValueKind::HiddenPrintfBuffer, 72, 8},
    {ValueKind::HiddenHostcallBuffer, 80, 8},
    {ValueKind::HiddenMultigridSyncArg, 88, 8},
    {ValueKind::HiddenHeapV1, 96, 8},
    {ValueKind::HiddenDefaultQueue, 104, 8},
    {ValueKind::HiddenCompletionAction, 112, 8},
    {ValueKind::HiddenDynamicLdsSize, 120, 4},
    {ValueKind::HiddenPrivateBase, 192, 4},
    {ValueKind::HiddenSharedBase, 196, 4},
    {ValueKind::HiddenQueuePtr, 200, 8},
};

}  // namespace

void write_hidden_arguments(const Kernel& kernel, int code_object_version, const HiddenValues& values,
                            std::span<uint8_t> kernarg) {
  std::optional<int64_t> implicit;  // where the implicit arguments start
  for (auto& argument : kernel.arguments) {
    if (!is_hidden(argument.kind)) continue;
    uint64_t value = value_of(argument.kind, values);
    std::memcpy(kernarg.data() + argument.offset, &value, std::min<size_t>(argument.bytes, sizeof value));
    if (!implicit && code_object_version >= 5)
      for (auto& place : implicit_arguments)
        if (place.kind == argument.kind) implicit = int64_t(argument.offset) - place.offset;
  }
  if (!implicit || *implicit < 0) return;
  for (auto& place : implicit_arguments) {
    uint64_t start = uint64_t(*implicit) + place.offset, end = start + place.bytes;
    bool free = end <= kernarg.size() &&
                std::none_of(kernel.arguments.begin(), kernel.arguments.end(),
                             [&](const KernelArgument& a) { return a.offset < end && uint64_t(a.offset) + a.bytes > start; });
    uint64_t value = value_of(place.kind, values);
    if (free) std::memcpy(kernarg.data() + start, &value, place.bytes);
  }
}

}  // namespace Atoll::hsa
