// Ray queries, ray pipelines and acceleration structures, a line `NAME: ok` each where what rays meet is what a model of the program's own
// says (vulkan/ray_model.cpp). A driver without rays prints nothing. Ends with 77 without a driver of Vulkan 1.3.
// vulkan_rays [PART...]
#include "vulkan/ray_cases.h"

int main(int count, char** arguments) {
  constexpr vulkan::Part kParts[] = {
      {"query", vulkan::ray_query_cases}, {"structures", vulkan::ray_structure_cases}, {"pipeline", vulkan::ray_pipeline_cases}};
  return vulkan::run_parts(kParts, count, arguments, vulkan::ray_extras());
}
