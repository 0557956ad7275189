#include "gpu/device/program_listing.h"

#include <fmt/format.h>

namespace Atoll::gpu {

std::vector<std::string> list_program(const wave::Program& program, uint64_t begin, size_t most) {
  std::vector<std::string> lines;
  for (uint64_t pc = begin; program.contains(pc) && lines.size() < most;) {
    const wave::Step& step = program.decoded(*program.at(pc));
    const std::string error = program.decode_error(step);
    lines.push_back(error.empty() ? program.isa().text(step)
                                  : fmt::format("// {:#010x}: {}", program.code()[program.index(pc)], error));
    pc += (step.words ? step.words : 1) * 4u;
  }
  return lines;
}

}  // namespace Atoll::gpu
