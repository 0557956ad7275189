// Features of Vulkan 1.3 that engines use, a line `NAME: VALUE` each, as vulkan_queries has them: what pixels and layers hold afterwards is
// the same on every driver. A driver that does not offer a feature prints nothing for it. Ends with 77 without a driver of Vulkan 1.3.
// vulkan_features [PART...]
#include <cstdio>
#include <cstring>

#include "vulkan/feature_cases.h"

int main(int count, char** arguments) {
  vulkan::Bench bench;
  vulkan::open_bench(bench);
  std::printf("device: %s\n", bench.name.c_str());
  const struct {
    const char* name;
    void (*run)(vulkan::Bench&);
  } kParts[] = {
      {"views", vulkan::view_cases},       {"layers", vulkan::layer_cases},           {"descriptors", vulkan::descriptor_cases},
      {"depth", vulkan::depth_cases},      {"attachments", vulkan::attachment_cases}, {"resolves", vulkan::resolve_cases},
      {"blocks", vulkan::block_copy_cases}};
  for (const auto& part : kParts) {
    bool wanted = count == 1;
    for (int i = 1; i < count; i++) wanted |= std::strcmp(arguments[i], part.name) == 0;
    if (wanted) part.run(bench);
  }
  std::printf("cases: %u\n", bench.cases);
  vkDeviceWaitIdle(bench.device);
  return 0;
}
