#include "gpu/open/open.h"

#include "gpu/device/chip.h"
#if __has_include("gpu/sea_islands/device.h")
#include "gpu/sea_islands/device.h"
#define ATOLL_HAS_SEA_ISLANDS 1
#endif
#if __has_include("gpu/r5xx/device.h")
#include "gpu/r5xx/device.h"
#define ATOLL_HAS_R5XX 1
#endif

namespace Atoll::gpu {

Expected<std::unique_ptr<Device>> open_device(std::string_view name, const Options& options) {
  const Chip* chip = find_chip(name);
  if (!chip) return fail("no GPU '{}': `atoll gpus` lists them", name);
#ifdef ATOLL_HAS_SEA_ISLANDS
  if (chip->family == Family::sea_islands) return sea_islands::make_device(chip->name, options);
#endif
#ifdef ATOLL_HAS_R5XX
  if (chip->family == Family::r5xx) return r5xx::make_device(chip->name, options);
#endif
  return fail("{} executes nothing yet", chip->name);
}

}  // namespace Atoll::gpu
