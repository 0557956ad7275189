// Queries, queues, indirect draws and sparse memory of a Vulkan driver, a line `NAME: VALUE` each. Values are the same on every
// driver; what the Vulkan specification leaves open is judged here by its rules, and the value is "ok". A driver that does not offer a
// feature prints nothing for it. The last line is the number of cases. Ends with 77 without a driver of Vulkan 1.3.
// vulkan_queries [PART...]
#include <cstdio>
#include <cstring>

#include "vulkan/queue_bench.h"

int main(int count, char** arguments) {
  vulkan::Bench bench;
  vulkan::open_bench(bench);
  std::printf("device: %s\n", bench.name.c_str());
  const struct {
    const char* name;
    void (*run)(vulkan::Bench&);
  } kParts[] = {{"occlusion", vulkan::occlusion_cases},
                {"statistics", vulkan::statistics_cases},
                {"timestamps", vulkan::timestamp_cases},
                {"feedback", vulkan::transform_feedback_cases},
                {"conditional", vulkan::conditional_cases},
                {"indirect", vulkan::indirect_cases},
                {"queues", vulkan::queue_cases},
                {"copies", vulkan::copy_cases},
                {"sparse", vulkan::sparse_cases}};
  for (const auto& part : kParts) {
    bool wanted = count == 1;
    for (int i = 1; i < count; i++) wanted |= std::strcmp(arguments[i], part.name) == 0;
    if (wanted) part.run(bench);
  }
  std::printf("cases: %u\n", bench.cases);
  // The process ends: the driver takes back what was made.
  vkDeviceWaitIdle(bench.device);
  return 0;
}
