#include "wave/findings.h"

#include <fmt/format.h>

#include <bit>

namespace Atoll::wave {
namespace {

// "lane 3", "lanes 0x00ff", or nothing.
std::string lanes_text(uint64_t lanes) {
  if (!lanes) return {};
  if (std::has_single_bit(lanes)) return fmt::format(", lane {}", std::countr_zero(lanes));
  return fmt::format(", lanes {:#x}", lanes);
}

std::string instruction_text(const Program& program, const Step& step) {
  return fmt::format("{:#x} '{}'", step.pc - program.base(), program.isa().text(step));
}

std::string text_of(const Program& program, const Wave& wave, const Step& step, const EarlyUse& use) {
  const std::string consumer = instruction_text(program, step),
                    producer = use.producer ? instruction_text(program, *use.producer) : std::string();
  std::string what;
  switch (use.hazard) {
    case Hazard::Read: what = fmt::format("reads {} before {} has written it", use.place, producer); break;
    case Hazard::Overwrite: what = fmt::format("writes {} before {} has written it", use.place, producer); break;
    case Hazard::Source: what = fmt::format("writes {} before {} has read it", use.place, producer); break;
    case Hazard::Unfinished: what = fmt::format("uses {} before {} is done", use.place, producer); break;
  }
  std::string out = fmt::format("instruction {} {}", consumer, what);
  if (!use.wait.empty()) out += fmt::format(": it lacks {}", use.wait);
  return out + fmt::format("; first in wave {} of its group{}", wave.index, lanes_text(use.lanes));
}

}  // namespace

void Findings::add(const Program& program, const Wave& wave, const Step& step, const EarlyUse& use) {
  const Key key{program.base(), step.pc, use.producer ? use.producer->pc : 0, use.hazard};
  std::lock_guard lock(mutex_);
  auto at = found_.find(key);
  if (at == found_.end()) {
    if (found_.size() >= most) {
      more_++;
      return;
    }
    at = found_.emplace(key, Finding{text_of(program, wave, step, use), program.base(), 0}).first;
  }
  at->second.times++;
}

std::vector<Finding> Findings::take() {
  std::lock_guard lock(mutex_);
  std::vector<Finding> out;
  for (auto& [key, finding] : found_)
    if (finding.times) {
      out.push_back(finding);
      finding.times = 0;
    }
  if (more_) out.push_back({fmt::format("more than {} instructions: the others are only counted", most), 0, more_});
  more_ = 0;
  return out;
}

Expected<std::shared_ptr<Findings>> parse_checks(std::string_view names) {
  bool waits = false;
  for (size_t at = 0; at <= names.size();) {
    const size_t comma = std::min(names.find(',', at), names.size());
    const std::string_view name = names.substr(at, comma - at);
    at = comma + 1;
    if (name == "waits") {
      waits = true;
    } else if (name == "races" || name == "uninit" || name == "nan") {
      return fail("the check {} is not built yet: there is waits", name);
    } else {
      return fail("no check '{}': there is waits", name);
    }
  }
  if (!waits) return fail("no check is named: there is waits");
  return std::make_shared<Findings>();
}

}  // namespace Atoll::wave
