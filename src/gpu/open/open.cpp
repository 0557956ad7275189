#include "gpu/open/open.h"

#include "gpu/device/chip.h"
#include "gpu/r5xx/device.h"
#include "gpu/sea_islands/device.h"

namespace Atoll::gpu {

Expected<std::unique_ptr<Device>> open_device(std::string_view name, const Options& options) {
  const Chip* chip = find_chip(name);
  if (!chip) return fail("no GPU '{}': `atoll gpus` lists them", name);
  switch (chip->family) {
    case Family::sea_islands: return sea_islands::make_device(chip->name, options);
    case Family::r5xx: return r5xx::make_device(chip->name, options);
  }
  return fail("{} executes nothing yet", chip->name);
}

}  // namespace Atoll::gpu
