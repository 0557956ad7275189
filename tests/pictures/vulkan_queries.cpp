// Queries, queues, indirect draws and sparse memory of a Vulkan driver, a line `NAME: VALUE` each. Values are the same on every
// driver; what the Vulkan specification leaves open is judged here by its rules, and the value is "ok". A driver that does not offer a
// feature prints nothing for it. The last line is the number of cases. Ends with 77 without a driver of Vulkan 1.3.
// vulkan_queries [PART...]
#include "vulkan/queue_bench.h"

int main(int count, char** arguments) {
  constexpr vulkan::Part kParts[] = {{"occlusion", vulkan::occlusion_cases},
                                     {"statistics", vulkan::statistics_cases},
                                     {"timestamps", vulkan::timestamp_cases},
                                     {"feedback", vulkan::transform_feedback_cases},
                                     {"conditional", vulkan::conditional_cases},
                                     {"indirect", vulkan::indirect_cases},
                                     {"queues", vulkan::queue_cases},
                                     {"copies", vulkan::copy_cases},
                                     {"sparse", vulkan::sparse_cases}};
  return vulkan::run_parts(kParts, count, arguments);
}
