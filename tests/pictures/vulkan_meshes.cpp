// Mesh and task shaders, a line `NAME: VALUE` each, as vulkan_queries has them. A driver without them prints nothing. Ends with 77 without a
// driver of Vulkan 1.3.
// vulkan_meshes [PART...]
#include "vulkan/mesh_cases.h"

int main(int count, char** arguments) {
  constexpr vulkan::Part kParts[] = {{"meshes", vulkan::mesh_cases}, {"tasks", vulkan::task_cases}};
  return vulkan::run_parts(kParts, count, arguments, vulkan::mesh_extras());
}
