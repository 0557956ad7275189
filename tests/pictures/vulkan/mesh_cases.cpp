// Mesh shaders, and task shaders before them.
#include "mesh_cases.h"

#include <mesh_culled.h>
#include <mesh_groups.h>
#include <mesh_large_payload.h>
#include <mesh_layers.h>
#include <mesh_lines.h>
#include <mesh_narrow.h>
#include <mesh_of_tasks.h>
#include <mesh_pixels.h>
#include <mesh_points.h>
#include <mesh_tasks.h>
#include <mesh_tasks_of_draws.h>
#include <mesh_tasks_with_much.h>
#include <mesh_viewports.h>
#include <mesh_views.h>
#include <mesh_views_of_tasks.h>
#include <mesh_wide.h>

#include <algorithm>

#include "feature_bench.h"
#include "graphics_pipeline.h"

namespace vulkan {
namespace {

struct Given {
  uint32_t first, groups, colour;
};
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;

#define SHADER(b, words) make_shader(b, words, sizeof words)

struct MeshBench {
  explicit MeshBench(Bench& bench) : b(bench) {
    VkPushConstantRange range{kStages, 0, sizeof(Given)};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 0, nullptr, 1, &range};
    check(vkCreatePipelineLayout(b.device, &info, nullptr, &layout), "vkCreatePipelineLayout");
    pixels = SHADER(b, mesh_pixels);
    draw = b.extension<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT");
    draw_indirect = b.extension<PFN_vkCmdDrawMeshTasksIndirectEXT>("vkCmdDrawMeshTasksIndirectEXT");
    draw_indirect_count = b.extension<PFN_vkCmdDrawMeshTasksIndirectCountEXT>("vkCmdDrawMeshTasksIndirectCountEXT");
  }
  VkPipeline pipeline(VkShaderModule task, VkShaderModule mesh, uint32_t views = 0, uint32_t viewports = 1) const {
    GraphicsPipeline state;
    state.add(VK_SHADER_STAGE_TASK_BIT_EXT, task), state.add(VK_SHADER_STAGE_MESH_BIT_EXT, mesh);
    state.add(VK_SHADER_STAGE_FRAGMENT_BIT, pixels);
    const VkViewport places[2] = {{0, 0, kSize, kSize, 0, 1}, {kSize / 2, kSize / 2, kSize / 2, kSize / 2, 0, 1}};
    const VkRect2D scissors[2] = {{{0, 0}, {kSize, kSize}}, {{0, 0}, {kSize, kSize}}};
    state.viewport.viewportCount = state.viewport.scissorCount = viewports;
    state.viewport.pViewports = places, state.viewport.pScissors = scissors;
    VkFormat format = kIntegers;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, nullptr, views, 1, &format};
    return state.make(b.device, layout, VK_NULL_HANDLE, &rendering);
  }
  // One pass over new layers; a line each.
  void drawn(const std::string& name, VkPipeline pipeline, uint32_t layers, uint32_t views,
             const std::function<void(VkCommandBuffer)>& draws) const {
    const Layers target = make_layers(b, kIntegers, layers);
    const VkRenderingAttachmentInfo colour = attachment(target);
    b.run([&](VkCommandBuffer c) {
      pass_over(c, &colour, nullptr, layers, views, [&] {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        draws(c);
      });
    });
    layer_lines(b, "meshes, " + name, target);
  }
  // Each view of a mask is what a draw without views leaves of that view's colour (mesh.mesh).
  void views_like(const std::string& name, VkPipeline pipeline, uint32_t views, const std::function<void(VkCommandBuffer)>& draws,
                  VkPipeline single, const std::function<void(VkCommandBuffer, uint32_t colour)>& draw_single) const {
    const auto run = [&](VkPipeline with, uint32_t layers, uint32_t mask, const std::function<void(VkCommandBuffer)>& all) {
      const Layers target = make_layers(b, kIntegers, layers);
      const VkRenderingAttachmentInfo colour = attachment(target);
      b.run([&](VkCommandBuffer c) {
        pass_over(c, &colour, nullptr, layers, mask, [&] {
          vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, with);
          all(c);
        });
      });
      return read_layers(b, target);
    };
    const std::vector<uint32_t> found = run(pipeline, 3, views, draws);
    bool right = true;
    for (uint32_t view = 0; view < 3; view++)
      if (views >> view & 1) {
        const std::vector<uint32_t> wanted = run(single, 1, 0, [&](VkCommandBuffer c) { draw_single(c, 9 + 40 * view); });
        right = right && std::equal(wanted.begin(), wanted.end(), found.begin() + ptrdiff_t(view * kSize * kSize));
      }
    b.fits("meshes, " + name, right);
  }
  void give(VkCommandBuffer c, const Given& given) const { vkCmdPushConstants(c, layout, kStages, 0, sizeof given, &given); }

  Bench& b;
  VkPipelineLayout layout = {};
  VkShaderModule pixels = {};
  PFN_vkCmdDrawMeshTasksEXT draw = {};
  PFN_vkCmdDrawMeshTasksIndirectEXT draw_indirect = {};
  PFN_vkCmdDrawMeshTasksIndirectCountEXT draw_indirect_count = {};
};

VkPhysicalDeviceMeshShaderFeaturesEXT& features() {
  static VkPhysicalDeviceMeshShaderFeaturesEXT all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
  return all;
}
VkPhysicalDeviceFragmentShadingRateFeaturesKHR& rates() {
  static VkPhysicalDeviceFragmentShadingRateFeaturesKHR all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
  return all;
}

// Three draws' rows, with others between them.
Memory rows(Bench& b, uint32_t count) {
  const Memory memory = b.make_memory(512, 0x7777);
  const uint32_t sizes[4][3] = {{3, 2, 1}, {0, 4, 1}, {1, 1, 2}, {7, 1, 1}};
  for (uint32_t n = 0; n < 4; n++) std::copy_n(sizes[n], 3, memory.words + 4 + n * 5);
  memory.words[1] = count;
  return memory;
}

}  // namespace

std::vector<Extra> mesh_extras() {
  return {{VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, &rates()}, {VK_EXT_MESH_SHADER_EXTENSION_NAME, &features()}};
}

void mesh_cases(Bench& b) {
  if (!b.has(VK_EXT_MESH_SHADER_EXTENSION_NAME) || !features().meshShader) return;
  const MeshBench m(b);
  const struct {
    const char* name;
    VkShaderModule mesh;
  } kShapes[] = {{"triangles", SHADER(b, mesh_groups)},   {"lines", SHADER(b, mesh_lines)},
                 {"points", SHADER(b, mesh_points)},      {"groups of 7", SHADER(b, mesh_narrow)},
                 {"groups of 128", SHADER(b, mesh_wide)}, {"primitives that are culled", SHADER(b, mesh_culled)}};
  for (const auto& shape : kShapes)
    m.drawn(shape.name, m.pipeline({}, shape.mesh), 1, 0, [&](VkCommandBuffer c) {
      m.give(c, {0, 0, 30}), m.draw(c, 100, 1, 1);
      m.give(c, {120, 0, 50}), m.draw(c, 5, 4, 3);
    });
  m.drawn("layers", m.pipeline({}, SHADER(b, mesh_layers)), 3, 0,
          [&](VkCommandBuffer c) { m.give(c, {0, 0, 9}), m.draw(c, 250, 1, 1); });
  m.drawn("viewports", m.pipeline({}, SHADER(b, mesh_viewports), 0, 2), 1, 0,
          [&](VkCommandBuffer c) { m.give(c, {0, 0, 9}), m.draw(c, 250, 1, 1); });
  if (features().multiviewMeshShader) {
    const VkPipeline single = m.pipeline({}, SHADER(b, mesh_groups)), views = m.pipeline({}, SHADER(b, mesh_views), 5);
    const auto draws = [&](VkCommandBuffer c, uint32_t colour) { m.give(c, {0, 0, colour}), m.draw(c, 64, 2, 1); };
    m.views_like("views", views, 5, [&](VkCommandBuffer c) { draws(c, 9); }, single, draws);
  }
  const VkPipeline plain = m.pipeline({}, kShapes[0].mesh);
  const Memory memory = rows(b, 3);
  m.drawn("by rows", plain, 1, 0,
          [&](VkCommandBuffer c) { m.give(c, {3, 0, 77}), m.draw_indirect(c, memory.buffer, 16, 4, 20); });
  m.drawn("by a count of rows", plain, 1, 0, [&](VkCommandBuffer c) {
    m.give(c, {3, 0, 77}), m.draw_indirect_count(c, memory.buffer, 16, memory.buffer, 4, 4, 20);
  });
}

void task_cases(Bench& b) {
  if (!b.has(VK_EXT_MESH_SHADER_EXTENSION_NAME) || !features().taskShader) return;
  const MeshBench m(b);
  const VkShaderModule task = SHADER(b, mesh_tasks), mesh = SHADER(b, mesh_of_tasks);
  const VkPipeline pipeline = m.pipeline(task, mesh), plain = m.pipeline({}, SHADER(b, mesh_groups));
  m.drawn("tasks", pipeline, 1, 0, [&](VkCommandBuffer c) { m.give(c, {0, 8, 40}), m.draw(c, 30, 1, 1); });
  m.drawn("tasks in three dimensions", pipeline, 1, 0, [&](VkCommandBuffer c) { m.give(c, {0, 5, 40}), m.draw(c, 4, 3, 4); });
  m.drawn("tasks that ask for nothing", pipeline, 1, 0, [&](VkCommandBuffer c) { m.give(c, {0, 0, 40}), m.draw(c, 40, 1, 1); });
  m.drawn("tasks beside meshes", pipeline, 1, 0, [&](VkCommandBuffer c) {
    for (uint32_t n = 0; n < 6; n++) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, n % 2 ? plain : pipeline);
      m.give(c, {n * 40, 4, n * 20}), m.draw(c, n % 2 ? 20 : 9, 1, 1);
    }
  });
  // More groups than the drivers' rings have entries.
  m.drawn("3,000 tasks", pipeline, 1, 0, [&](VkCommandBuffer c) { m.give(c, {0, 3, 1}), m.draw(c, 60, 50, 1); });
  m.drawn("large payloads", m.pipeline(SHADER(b, mesh_tasks_with_much), SHADER(b, mesh_large_payload)), 1, 0,
          [&](VkCommandBuffer c) { m.give(c, {0, 9, 40}), m.draw(c, 28, 1, 1); });
  const VkPipeline of_draws = m.pipeline(SHADER(b, mesh_tasks_of_draws), mesh);
  for (uint32_t count : {0u, 2u, 3u}) {
    const Memory memory = rows(b, count);
    const std::string number = ", " + std::to_string(count);
    m.drawn("tasks by rows" + number, of_draws, 1, 0,
            [&](VkCommandBuffer c) { m.give(c, {0, 6, 77}), m.draw_indirect(c, memory.buffer, 16, count, 20); });
    m.drawn("tasks by a count of rows" + number, of_draws, 1, 0, [&](VkCommandBuffer c) {
      m.give(c, {0, 6, 77}), m.draw_indirect_count(c, memory.buffer, 16, memory.buffer, 4, 4, 20);
    });
  }
  if (features().multiviewMeshShader) {
    const auto draws = [&](VkCommandBuffer c, uint32_t colour) { m.give(c, {0, 8, colour}), m.draw(c, 30, 1, 1); };
    m.views_like(
        "tasks and views", m.pipeline(task, SHADER(b, mesh_views_of_tasks), 3), 3, [&](VkCommandBuffer c) { draws(c, 9); },
        pipeline, draws);
  }
}

}  // namespace vulkan
