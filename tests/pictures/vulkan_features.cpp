// Features of Vulkan 1.3 that engines use, a line `NAME: VALUE` each, as vulkan_queries has them: what pixels and layers hold afterwards is
// the same on every driver. A driver that does not offer a feature prints nothing for it. Ends with 77 without a driver of Vulkan 1.3.
// vulkan_features [PART...]
#include "vulkan/conservative_cases.h"
#include "vulkan/feature_cases.h"
#include "vulkan/rate_cases.h"
#include "vulkan/sparse_image_cases.h"

int main(int count, char** arguments) {
  constexpr vulkan::Part kParts[] = {{"views", vulkan::view_cases},
                                     {"layers", vulkan::layer_cases},
                                     {"descriptors", vulkan::descriptor_cases},
                                     {"depth", vulkan::depth_cases},
                                     {"attachments", vulkan::attachment_cases},
                                     {"resolves", vulkan::resolve_cases},
                                     {"blocks", vulkan::block_copy_cases},
                                     {"rates", vulkan::rate_cases},
                                     {"sparse_images", vulkan::sparse_image_cases},
                                     {"conservative", vulkan::conservative_cases}};
  std::vector<vulkan::Extra> extras = vulkan::rate_extras();
  for (const vulkan::Extra& extra : vulkan::conservative_extras()) extras.push_back(extra);
  return vulkan::run_parts(kParts, count, arguments, std::move(extras));
}
