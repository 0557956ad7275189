#include "ray_cases.h"

#include <feature_vertices.h>
#include <ray_pixels.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ray_bench.h"

namespace vulkan {
namespace {

// Towards the middle from around it.
std::vector<Ray> random_rays(Random& random, unsigned count, float reach) {
  std::vector<Ray> rays(count);
  for (Ray& ray : rays) {
    for (int k = 0; k < 3; k++) {
      ray.origin[k] = random.between(-2 * reach, 2 * reach);
      ray.direction[k] = (random.between(-reach, reach) - ray.origin[k]) / (random.below(2) ? reach : 1);
    }
    ray.least = 0.001f, ray.most = 1000;
    ray.mask = 0xff;
    ray.stride = 2;
  }
  return rays;
}

constexpr uint32_t kFlags[] = {0,
                               opaque_rays,
                               no_opaque_rays,
                               first_hit_ends,
                               no_closest_hit,
                               culls_back,
                               culls_front,
                               culls_opaque,
                               culls_no_opaque,
                               skips_triangles,
                               skips_boxes,
                               first_hit_ends | opaque_rays,
                               culls_back | no_opaque_rays,
                               culls_front | culls_opaque,
                               skips_boxes | culls_no_opaque,
                               skips_triangles | first_hit_ends};

void vary(Random& random, std::vector<Ray>& rays) {
  for (Ray& ray : rays) {
    ray.flags = kFlags[random.below(std::size(kFlags))];
    ray.mask = random.below(4) ? 0xffu : 1u << random.below(8);
    if (random.below(4) == 0) ray.most = random.between(0.2f, 2), ray.least = random.between(0, 0.5f);
  }
}

Instance instance_of(uint32_t bottom, uint32_t custom) {
  Instance instance;
  instance.bottom = bottom, instance.custom = custom;
  return instance;
}

Scene one_bottom(std::vector<Geometry> geometries) {
  Scene scene;
  scene.bottoms.push_back({std::move(geometries)});
  scene.instances.push_back(instance_of(0, 5));
  return scene;
}

// Bottoms of triangles and of spheres in turn, in instances with everything that these have.
Scene full_scene(uint32_t seed) {
  Random random(seed);
  Scene scene;
  constexpr unsigned kBottoms = 4;
  for (unsigned n = 0; n < kBottoms; n++) {
    Bottom bottom;
    for (unsigned g = 0; g < 1 + n % 3; g++) {
      bottom.geometries.push_back(n % 2 ? random_spheres(random, 12, 1.5f) : random_triangles(random, 24, 1.5f, 0.7f));
      bottom.geometries.back().opaque = random.below(2);
    }
    scene.bottoms.push_back(std::move(bottom));
  }
  for (unsigned n = 0; n < 20; n++) {
    Instance instance = instance_of(random.below(kBottoms), 3 * n);
    random_transform(random, instance.transform, 3);
    instance.mask = random.below(3) ? 0xff : random.below(256);
    instance.flags = random.below(2) ? random.below(16) : 0;
    if ((instance.flags & 12) == 12) instance.flags &= ~8u;  // not both
    instance.offset = 2 * random.below(3) + instance.bottom % 2;
    instance.there = n != 7;
    scene.instances.push_back(instance);
  }
  return scene;
}

void judged(Bench& b, const std::string& name, const Scene& scene, const std::vector<Ray>& rays, const uint32_t* results,
            unsigned least_hits) {
  const Judgement j = judge(scene, rays, results);
  b.fits("rays, " + name, j.wrong == 0 && j.hits >= least_hits && j.uncertain * 8 <= rays.size(),
         std::to_string(j.wrong) + " of " + std::to_string(rays.size()) + ", " + std::to_string(j.hits) + " hits, " +
             std::to_string(j.uncertain) + " uncertain; " + j.first);
}

void queried(RayBench& r, const std::string& name, const Scene& scene, const Structure& top, const std::vector<Ray>& rays,
             unsigned least_hits) {
  const std::vector<uint32_t> results = r.run_query(scene, top, rays);
  judged(r.b, name, scene, rays, results.data(), least_hits);
}

void built_and_queried(RayBench& r, const std::string& name, const Scene& scene, const std::vector<Ray>& rays,
                       unsigned least_hits, const BuildOptions& options = {}) {
  const std::vector<Structure> bottoms = r.build_bottoms(scene, options);
  queried(r, name, scene, r.build_top(scene, bottoms, options), rays, least_hits);
}

}  // namespace

std::vector<Extra> ray_extras() {
  static VkPhysicalDeviceAccelerationStructureFeaturesKHR structures{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR};
  static VkPhysicalDeviceRayQueryFeaturesKHR queries{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR};
  static VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipelines{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR};
  return {{VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, nullptr},
          {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME, &structures},
          {VK_KHR_RAY_QUERY_EXTENSION_NAME, &queries},
          {VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, &pipelines}};
}

void ray_query_cases(Bench& b) {
  RayBench r(b);
  if (!r.queries) return;
  {
    Geometry triangle;
    triangle.corners = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    Random random(1);
    built_and_queried(r, "one triangle", one_bottom({triangle}), random_rays(random, 64, 1), 10);
  }
  {
    Random random(2);
    const Scene scene = one_bottom({random_triangles(random, 400, 2, 0.5f)});
    const std::vector<Ray> rays = random_rays(random, 1024, 2);
    built_and_queried(r, "400 triangles", scene, rays, 400);
    BuildOptions quick{VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_BUILD_BIT_KHR |
                       VK_BUILD_ACCELERATION_STRUCTURE_LOW_MEMORY_BIT_KHR};
    built_and_queried(r, "400 triangles, built quickly", scene, rays, 400, quick);
  }
  {
    Random random(3);
    std::vector<Ray> rays = random_rays(random, 1024, 2);
    built_and_queried(r, "spheres", one_bottom({random_spheres(random, 60, 2)}), rays, 300);
    Scene scene = one_bottom({random_triangles(random, 60, 2, 0.7f)});
    scene.bottoms.push_back({{random_spheres(random, 30, 2)}});
    scene.instances.push_back(instance_of(1, 9));
    for (Bottom& bottom : scene.bottoms) bottom.geometries[0].opaque = false;
    vary(random, rays);
    built_and_queried(r, "nothing opaque", scene, rays, 300);
  }
  const struct {
    const char* name;
    VertexForm vertices;
    IndexForm indices;
    bool transformed;
  } kForms[] = {{"corners by indices of 32 bits", VertexForm::floats, IndexForm::words, false},
                {"corners by indices of 16 bits", VertexForm::floats, IndexForm::halves, false},
                {"corners in a plane", VertexForm::pairs, IndexForm::none, true},
                {"corners of halves", VertexForm::halves, IndexForm::none, false},
                {"corners of fractions", VertexForm::signed_fractions, IndexForm::halves, true},
                {"corners that are transformed", VertexForm::floats, IndexForm::none, true}};
  for (const auto& form : kForms) {
    Random random(4);
    Scene scene = one_bottom({});
    for (unsigned g = 0; g < 3; g++) {
      Geometry made = random_triangles(random, 40, 0.6f, 0.3f);
      made.vertices = form.vertices, made.indices = form.indices, made.transformed = form.transformed;
      if (form.transformed) random_transform(random, made.transform, 0.5f);
      for (auto& corner : made.corners)
        for (int k = 0; k < 3; k++) {
          if (form.vertices == VertexForm::pairs && k == 2) corner[k] = 0;
          if (form.vertices == VertexForm::halves)
            corner[k] = std::bit_cast<float>(std::bit_cast<uint32_t>(corner[k] + (corner[k] < 0 ? -0.01f : 0.01f)) & ~0x1fffu);
          if (form.vertices == VertexForm::signed_fractions) corner[k] = std::round(corner[k] * 32767) / 32767;
        }
      scene.bottoms[0].geometries.push_back(std::move(made));
    }
    built_and_queried(r, form.name, scene, random_rays(random, 512, 0.7f), 100);
  }
  for (uint32_t seed = 10; seed < 14; seed++) {
    const Scene scene = full_scene(seed);
    Random random(seed + 100);
    std::vector<Ray> rays = random_rays(random, 2048, 3);
    const std::string number = ", scene " + std::to_string(seed);
    built_and_queried(r, "instances" + number, scene, rays, 500);
    vary(random, rays);
    BuildOptions options;
    options.indirect_instances = seed % 2;
    built_and_queried(r, "instances and flags" + number, scene, rays, 300, options);
  }
  {
    Random random(5);
    std::vector<Ray> rays = random_rays(random, 128, 2);
    Scene nothing = one_bottom({random_triangles(random, 4, 1, 1)});
    nothing.instances.clear();
    built_and_queried(r, "no instances", nothing, rays, 0);
    Scene some = one_bottom({random_triangles(random, 64, 2, 0.7f)});
    auto& corners = some.bottoms[0].geometries[0].corners;
    for (size_t n = 0; n < corners.size(); n += 12) corners[n][0] = std::numeric_limits<float>::quiet_NaN();
    built_and_queried(r, "inactive triangles", some, rays, 20);
  }
  {
    Random random(6);
    const Scene scene = one_bottom({random_triangles(random, 5000, 8, 0.4f)});
    built_and_queried(r, "5,000 triangles", scene, random_rays(random, 1024, 8), 300);
  }
  {
    Random random(7);
    const Scene scene = full_scene(20);
    std::vector<Ray> rays = random_rays(random, kSize * kSize, 3);
    vary(random, rays);
    const Structure top = r.build_top(scene, r.build_bottoms(scene, {}), {});
    const RayBench::Bound bound = r.bind(scene, top, rays);
    VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(Place)};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &r.set_layout, 1, &range};
    FeaturePipeline parts;
    check(vkCreatePipelineLayout(b.device, &info, nullptr, &parts.layout), "vkCreatePipelineLayout");
    parts.vertex = make_shader(b, feature_vertices, sizeof feature_vertices);
    parts.fragment = make_shader(b, ray_pixels, sizeof ray_pixels);
    parts.colour = VK_FORMAT_R8G8B8A8_UNORM;
    const VkPipeline pipeline = make_pipeline(b, parts);
    const Layers target = make_layers(b, parts.colour);
    const VkRenderingAttachmentInfo colour = attachment(target);
    b.run([&](VkCommandBuffer c) {
      pass_over(c, &colour, nullptr, 1, 0, [&] {
        whole_scissor(c, pipeline);
        vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, parts.layout, 0, 1, &bound.set, 0, nullptr);
        draw(c, parts.layout, {{0, 0, kSize, kSize}, {0.5f, 0.5f}});
      });
    });
    judged(b, "in pixels", scene, rays, bound.results.words, 1000);
  }
}

void ray_structure_cases(Bench& b) {
  RayBench r(b);
  if (!r.queries) return;
  const Scene scene = full_scene(30);
  Random random(31);
  const std::vector<Ray> rays = random_rays(random, 1024, 3);
  BuildOptions options;
  options.flags |=
      VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR | VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR;
  const std::vector<Structure> bottoms = r.build_bottoms(scene, options);
  const Structure top = r.build_top(scene, bottoms, options);
  queried(r, "before copies", scene, top, rays, 300);
  auto copies = [&](const char* name, VkCopyAccelerationStructureModeKHR mode) {
    std::vector<Structure> copied;
    bool smaller = true;
    auto copy = [&](const Structure& from) {
      const bool compact = mode == VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR;
      const uint64_t bytes =
          compact ? r.property(from, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR) : from.memory.bytes;
      smaller = smaller && bytes && bytes <= from.memory.bytes;
      const Structure to = r.make_structure(from.type, bytes);
      VkCopyAccelerationStructureInfoKHR info{VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR, nullptr, from.handle,
                                              to.handle, mode};
      b.run([&](VkCommandBuffer c) { r.call.copy(c, &info); });
      return to;
    };
    for (const Structure& from : bottoms) copied.push_back(copy(from));
    queried(r, std::string(name) + ", bottoms", scene, r.build_top(scene, copied, options), rays, 300);
    queried(r, std::string(name) + ", top", scene, copy(top), rays, 300);
    b.fits(std::string("rays, ") + name + ", sizes", smaller);
  };
  copies("clones", VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
  copies("compacted", VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);

  std::vector<Structure> read;
  std::vector<uint64_t> places;
  auto through_memory = [&](const Structure& from, const std::vector<Structure>* below) {
    const uint64_t bytes = r.property(from, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR);
    const Memory text = b.make_memory(bytes + 256);
    const VkDeviceSize skip = (256 - text.address % 256) % 256;
    VkCopyAccelerationStructureToMemoryInfoKHR out{VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
                                                   nullptr,
                                                   from.handle,
                                                   {text.address + skip},
                                                   VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR};
    b.run([&](VkCommandBuffer c) { r.call.serialize(c, &out); });
    // Behind two identifiers: bytes serialized, bytes needed, number of handles, handles.
    const uint8_t* header = reinterpret_cast<const uint8_t*>(text.words) + skip + 2 * VK_UUID_SIZE;
    uint64_t sizes[3];
    std::memcpy(sizes, header, sizeof sizes);
    b.fits("rays, serialized size" + std::string(below ? ", top" : ", bottom " + std::to_string(read.size())),
           sizes[0] == bytes && sizes[2] <= scene.instances.size());
    if (below)
      for (uint64_t n = 0; n < sizes[2]; n++) {
        uint64_t handle;
        uint8_t* at = const_cast<uint8_t*>(header) + sizeof sizes + n * 8;
        std::memcpy(&handle, at, 8);
        for (size_t k = 0; k < bottoms.size(); k++)
          if (handle == bottoms[k].address) std::memcpy(at, &(*below)[k].address, 8);
      }
    const Structure to = r.make_structure(from.type, sizes[1]);
    VkCopyMemoryToAccelerationStructureInfoKHR in{VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
                                                  nullptr,
                                                  {text.address + skip},
                                                  to.handle,
                                                  VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR};
    b.run([&](VkCommandBuffer c) { r.call.deserialize(c, &in); });
    return to;
  };
  for (const Structure& from : bottoms) read.push_back(through_memory(from, nullptr));
  queried(r, "serialized", scene, through_memory(top, &read), rays, 300);

  // Moved a little, and built again in its old shape.
  Scene moved = scene;
  for (Bottom& bottom : moved.bottoms)
    for (Geometry& g : bottom.geometries) {
      for (auto& corner : g.corners)
        for (float& v : corner) v += random.between(-0.3f, 0.3f);
      for (Sphere& s : g.spheres)
        for (float& v : s.centre) v += random.between(-0.3f, 0.3f);
    }
  std::vector<Structure> updated;
  for (size_t n = 0; n < bottoms.size(); n++) updated.push_back(r.build_bottom(moved.bottoms[n], options, &bottoms[n]));
  queried(r, "updated bottoms", moved, r.build_top(moved, updated, options), rays, 300);
  for (Instance& instance : moved.instances)
    for (int row = 0; row < 3; row++) instance.transform[row * 4 + 3] += random.between(-0.5f, 0.5f);
  queried(r, "updated top", moved, r.build_top(moved, updated, options, &top), rays, 300);
}

namespace {

void traced(RayBench& r, const Table& table, const std::string& name, const Scene& scene, const std::vector<Ray>& rays,
            bool indirect) {
  const Structure top = r.build_top(scene, r.build_bottoms(scene, {}), {});
  std::vector<uint32_t> results = r.run_trace(table, scene, top, rays, indirect);
  unsigned records = 0, misses = 0, calls = 0, second_wrong = 0, seconds = 0, second_uncertain = 0;
  std::string second_first;
  auto of_instance = [&](Met& met, uint32_t offset, uint32_t stride) {
    if (met.kind == 0 || met.instance >= scene.instances.size()) return met.kind == 0;
    const uint32_t own = scene.instances[met.instance].offset;
    const bool right = met.record == own + offset + stride * met.geometry && (met.kind != 2 || met.front == 0);
    met.record = own;
    return right;
  };
  for (size_t n = 0; n < rays.size(); n++) {
    uint32_t* words = &results[n * kResultWords];
    Met met, second;
    std::memcpy(&met, words, sizeof met), std::memcpy(&second, words + 13, sizeof second);
    records += !of_instance(met, rays[n].offset, rays[n].stride);
    std::memcpy(words, &met, sizeof met);
    misses += words[10] != (met.kind ? 0 : 100 + rays[n].miss);
    calls += words[11] != uint32_t(n * 3 + 1000 * (n % 2 + 1));
    if (met.kind == 0) continue;
    calls += words[12] != (7 * met.primitive + met.instance) * 3 + 1000 * (met.instance % 2 + 1);
    records += !of_instance(second, 0, 2);
    Ray from{};
    std::memcpy(from.origin, words + 23, 12), std::memcpy(from.direction, words + 26, 12);
    from.least = 0.0625f, from.most = 100, from.mask = 0xff;
    bool uncertain;
    const std::string wrong = judge_ray(scene, from, second, uncertain);
    seconds += second.kind != 0, second_uncertain += uncertain;
    if (!wrong.empty() && !second_wrong++) second_first = wrong;
  }
  judged(r.b, name, scene, rays, results.data(), unsigned(rays.size()) / 8);
  auto fits = [&](const char* what, unsigned wrong) {
    r.b.fits("rays, " + name + ", " + what, wrong == 0, std::to_string(wrong) + " of " + std::to_string(rays.size()));
  };
  fits("shader records", records), fits("misses", misses), fits("callable shaders", calls);
  r.b.fits("rays, " + name + ", rays from there",
           second_wrong == 0 && seconds >= rays.size() / 32 && second_uncertain * 20 <= rays.size(),
           std::to_string(second_wrong) + " of " + std::to_string(seconds) + " hits; " + second_first);
}

}  // namespace

void ray_pipeline_cases(Bench& b) {
  RayBench r(b);
  if (!r.pipelines) return;
  const Table table = r.make_table();
  for (uint32_t seed = 40; seed < 43; seed++) {
    const Scene scene = full_scene(seed);
    Random random(seed + 100);
    std::vector<Ray> rays = random_rays(random, 1500, 3);
    vary(random, rays);
    for (Ray& ray : rays) {
      ray.flags &= ~uint32_t(no_closest_hit);
      ray.offset = 2 * random.below(3), ray.miss = random.below(2);
    }
    traced(r, table, "pipeline, scene " + std::to_string(seed), scene, rays, false);
    if (seed == 42) traced(r, table, "pipeline by a size in memory", scene, rays, true);
  }
}

}  // namespace vulkan
