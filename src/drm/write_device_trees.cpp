// write_device_trees FOLDER: the device files of every chip, as part of the build.
#include <cstdio>

#include "drm/session/device_tree.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (auto& chip : Atoll::gpu::chips()) {
    if (!chip.runs()) continue;
    const Atoll::gpu::Chip* const one = &chip;
    auto written = Atoll::drm::write_device_tree(std::string(argv[1]) + "/" + std::string(chip.name), {&one, 1});
    if (written) continue;
    std::fprintf(stderr, "write_device_trees: %s\n", written.error().message.c_str());
    return 1;
  }
}
