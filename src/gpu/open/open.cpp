#include "gpu/open/open.h"

#include "gpu/dg1/device.h"
#include "gpu/gfx12/device.h"
#include "gpu/r5xx/device.h"
#include "gpu/sea_islands/device.h"

namespace Atoll::gpu {

Expected<std::unique_ptr<Device>> open_device(const Chip& chip, const Options& asked) {
  Options options = asked;
  if (options.findings) options.engine = Engine::Interpreter;
  switch (chip.family) {
    case Family::sea_islands: return sea_islands::make_device(chip, options);
    case Family::r5xx: return r5xx::make_device(chip, options);
    case Family::rdna4: return gfx12::make_device(chip, options);
    case Family::xe_lp: return dg1::make_device(chip, options);
  }
  return fail("{} executes no command streams yet", chip.name);
}

Expected<std::unique_ptr<Device>> open_device(std::string_view name, const Options& options) {
  const Chip* chip = find_chip(name);
  if (!chip) return fail("no GPU '{}': `atoll gpus` lists them", name);
  return open_device(*chip, options);
}

}  // namespace Atoll::gpu
