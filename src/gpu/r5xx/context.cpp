#include "gpu/r5xx/context.h"

#include <fmt/format.h>

#include "gpu/device/watch.h"
#include "gpu/r5xx/packet_header.h"

namespace Atoll::r5xx {

Context::Context(const Chip& c, const gpu::Options& o, AddressSpace& s) : chip(c), options(o), space(s), budget(o.limits) {
  reset(registers, chip);
}

std::string Context::place() const {
  if (!packet.inside) return "MMIO";
  return fmt::format("{} at {:#x}", packet_header::name(packet.header), packet.address);
}

void Context::unknown(const std::string& what) {
  unknowns.add(what, [this] { return place(); });
  if (options.strict) lose(what + " is not modelled");
}

bool Context::lose(const std::string& report) {
  if (lost_) return false;
  lost_ = true;
  report_ = place() + ": " + report;
  return false;
}

std::string Context::stop_report() const {
  if (stop.load() != gpu::stopped_by_watch) return "stopped";
  return fmt::format("nothing moved for {} s: the GPU hangs", options.most_still_seconds);
}

bool Context::lose_stopped() { return lose(stop_report()); }

}  // namespace Atoll::r5xx
