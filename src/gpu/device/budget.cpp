#include "gpu/device/budget.h"

#include <fmt/format.h>

namespace Atoll::gpu {

std::string Budget::report() const {
  static constexpr struct {
    uint64_t Limits::* what;
    const char* text;
  } rows[] = {{&Limits::packets, "packets"},
              {&Limits::dwords, "dwords of commands"},
              {&Limits::buffers, "command buffers, which call or chain to each other without end,"},
              {&Limits::bytes, "bytes moved by packets"},
              {&Limits::groups, "work-groups"},
              {&Limits::vertices, "vertices"}};
  for (auto& row : rows)
    if (row.what == exhausted_)
      return fmt::format("more than {} {} in one submission: the GPU hangs", limits_.*row.what, row.text);
  return {};
}

}  // namespace Atoll::gpu
