// Occlusion queries, pipeline statistics and timestamps: Vulkan 1.3, chapter 18 (Queries).
#include <time.h>

#include <algorithm>
#include <bit>

#include "queue_bench.h"

namespace vulkan {

namespace {

// Stands for what a query must not have written.
constexpr uint32_t kUntouched = 0xcdcdcdcd;

struct Occlusion {
  Bench& b;
  Target target;
  VkPipeline plain, discards;
  std::string suffix;

  // The samples that pass in the draws of one query over a pass that begins with an opaque quad at depth 0.5 over the left half.
  uint64_t count(VkQueryControlFlags flags, const std::function<void(VkCommandBuffer)>& draws) {
    VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_OCCLUSION, 1);
    b.run([&](VkCommandBuffer commands) {
      vkCmdResetQueryPool(commands, pool, 0, 1);
      b.pass(commands, target, true, [&] {
        b.bind(commands, plain);
        b.place(commands, 0, 0, 32, 64, 0.5f);
        vkCmdDraw(commands, 6, 1, 0, 0);
        vkCmdBeginQuery(commands, pool, 0, flags);
        draws(commands);
        vkCmdEndQuery(commands, pool, 0);
      });
    });
    uint64_t value = ~0ull;
    check(vkGetQueryPoolResults(b.device, pool, 0, 1, 8, &value, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    vkDestroyQueryPool(b.device, pool, nullptr);
    return value;
  }

  void shapes() {
    struct Shape {
      const char* name;
      std::function<void(VkCommandBuffer)> draws;
      int pixels = -1;  // where the specification fixes them and llvmpipe counts others
    };
    auto quad = [this](VkCommandBuffer commands, float x, float y, float width, float height, float depth) {
      b.place(commands, x, y, width, height, depth);
      vkCmdDraw(commands, 6, 1, 0, 0);
    };
    const Shape kShapes[] = {
        {"nothing drawn", [](VkCommandBuffer) {}},
        {"all covered", [&](VkCommandBuffer c) { quad(c, 0, 0, 64, 64, 0.25f); }},
        {"partly hidden", [&](VkCommandBuffer c) { quad(c, 8, 8, 40, 24, 0.75f); }},
        {"hidden", [&](VkCommandBuffer c) { quad(c, 0, 0, 32, 64, 0.75f); }},
        {"equal depth", [&](VkCommandBuffer c) { quad(c, 0, 0, 64, 64, 0.5f); }},
        {"partly outside", [&](VkCommandBuffer c) { quad(c, -16, 40, 40, 40, 0.25f); }},
        {"behind the far plane", [&](VkCommandBuffer c) { quad(c, 0, 0, 64, 64, 1.5f); }},
        {"edges within pixels", [&](VkCommandBuffer c) { quad(c, 3.25f, 5.25f, 20.5f, 9.5f, 0.25f); }},
        {"discarded", [&](VkCommandBuffer c) { b.bind(c, discards), quad(c, 0, 0, 64, 64, 0.25f); }},
        {"discarded and hidden", [&](VkCommandBuffer c) { b.bind(c, discards), quad(c, 16, 0, 32, 10, 0.75f); }},
        // llvmpipe of Mesa 22.3.6 counts samples outside of the scissor where a pixel has several.
        {"scissored", [&](VkCommandBuffer c) { b.bind(c, plain, {{5, 7}, {11, 13}}), quad(c, 0, 0, 64, 64, 0.25f); }, 11 * 13},
        {"scissored to nothing", [&](VkCommandBuffer c) { b.bind(c, plain, {{5, 7}, {0, 0}}), quad(c, 0, 0, 64, 64, 0.25f); }},
        {"several draws, one over the other",
         [&](VkCommandBuffer c) { quad(c, 0, 0, 16, 16, 0.25f), quad(c, 8, 8, 16, 16, 0.3f), quad(c, 0, 0, 64, 4, 0.1f); }},
        {"instances",
         [&](VkCommandBuffer c) {
           b.place(c, 40, 1, 4, 5, 0.25f);
           vkCmdDraw(c, 24, 7, 0, 0);
         }},
    };
    for (const Shape& shape : kShapes) {
      uint64_t precise = 0;
      if (b.features.occlusionQueryPrecise) {
        precise = count(VK_QUERY_CONTROL_PRECISE_BIT, shape.draws);
        std::string name = "occlusion, " + suffix + ", " + shape.name;
        if (shape.pixels < 0)
          b.number(name, precise);
        else
          b.fits(name, precise == uint64_t(shape.pixels) * target.samples, std::to_string(precise));
      }
      b.line("occlusion, " + suffix + ", imprecise, " + shape.name, count(0, shape.draws) ? "some" : "none");
    }
  }
};

std::string words(const uint32_t* from, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; i++)
    text += (i ? " " : "") + (from[i] == kUntouched ? std::string("-") : std::to_string(from[i]));
  return text;
}

// Uses of results: reset, used again, in 32 and 64 bits, with and without availability, read and copied.
void results(Bench& b, const Occlusion& scene) {
  VkQueryControlFlags precise = b.features.occlusionQueryPrecise ? VK_QUERY_CONTROL_PRECISE_BIT : 0;
  constexpr uint32_t kQueries = 6;
  VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_OCCLUSION, kQueries);
  auto fill = [&](float scale) {
    b.run([&](VkCommandBuffer commands) {
      vkCmdResetQueryPool(commands, pool, 0, kQueries);
      for (uint32_t pass = 0; pass < 2; pass++)
        b.pass(commands, scene.target, pass == 0, [&] {
          b.bind(commands, scene.plain);
          // Query 5 is reset and never begun.
          for (uint32_t i = pass; i < 5; i += 2) {
            vkCmdBeginQuery(commands, pool, i, precise);
            b.place(commands, 0, 8 * float(i), scale * float(i + 1), 7, 0.5f);
            vkCmdDraw(commands, 6, 1, 0, 0);
            vkCmdEndQuery(commands, pool, i);
          }
        });
    });
  };
  const struct {
    const char* name;
    VkQueryResultFlags flags;
    uint32_t first, count, stride;  // in words
  } kReads[] = {{"32 bits", 0, 0, 5, 1},
                {"32 bits, wait", VK_QUERY_RESULT_WAIT_BIT, 1, 4, 2},
                {"64 bits", VK_QUERY_RESULT_64_BIT, 0, 5, 2},
                {"64 bits, wait, stride 24", VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT, 0, 5, 6},
                {"32 bits, availability", VK_QUERY_RESULT_WITH_AVAILABILITY_BIT, 0, 5, 2},
                {"32 bits, availability, stride 12", VK_QUERY_RESULT_WITH_AVAILABILITY_BIT, 2, 3, 3},
                {"64 bits, availability, stride 32", VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT, 0, 5, 8},
                {"64 bits, availability, partial",
                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_PARTIAL_BIT, 0, 6, 4},
                {"32 bits, partial", VK_QUERY_RESULT_PARTIAL_BIT, 4, 2, 1}};
  for (float scale : {8.0f, 3.0f}) {
    fill(scale);
    std::string round = scale == 8 ? "first use" : "used again";
    for (const auto& read : kReads) {
      std::vector<uint32_t> got(64, kUntouched);
      VkResult result =
          vkGetQueryPoolResults(b.device, pool, read.first, read.count, 256, got.data(), read.stride * 4, read.flags);
      b.line("results, " + round + ", read, " + read.name,
             std::to_string(result) + ", " + words(got.data(), read.count * read.stride));
      if (read.first + read.count > 5 && !(read.flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)) continue;
      Memory copy = b.make_memory(256, kUntouched);
      b.run([&](VkCommandBuffer commands) {
        vkCmdCopyQueryPoolResults(commands, pool, read.first, read.count, copy.buffer, 8, read.stride * 4, read.flags);
      });
      b.line("results, " + round + ", copied, " + read.name, words(copy.words, read.count * read.stride + 4));
    }
    uint64_t pair[2] = {7, 7};
    VkResult result =
        vkGetQueryPoolResults(b.device, pool, 5, 1, 16, pair, 16, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    b.fits("results, " + round + ", a query that was not begun is not available", result == VK_NOT_READY && pair[1] == 0);
  }
  // Copied in the command buffer that counts, waiting.
  Memory copy = b.make_memory(256, kUntouched);
  b.run([&](VkCommandBuffer commands) {
    vkCmdResetQueryPool(commands, pool, 2, 2);
    b.pass(commands, scene.target, true, [&] {
      b.bind(commands, scene.plain);
      for (uint32_t i = 2; i < 4; i++) {
        vkCmdBeginQuery(commands, pool, i, precise);
        b.place(commands, 0, 0, 10, float(i), 0.2f);
        vkCmdDraw(commands, 6, 1, 0, 0);
        vkCmdEndQuery(commands, pool, i);
      }
    });
    vkCmdCopyQueryPoolResults(commands, pool, 2, 2, copy.buffer, 16, 16,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    full_barrier(commands);
    vkCmdResetQueryPool(commands, pool, 2, 2);
  });
  b.line("results, copied and reset by the same commands", words(copy.words, 16));
  uint32_t value[2] = {9, 9};
  VkResult result = vkGetQueryPoolResults(b.device, pool, 2, 1, 8, value, 8, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  b.fits("results, reset by commands, not available", result == VK_NOT_READY && value[1] == 0);
  if (b.features12.hostQueryReset) {
    fill(5);
    vkResetQueryPool(b.device, pool, 1, 2);
    std::vector<uint32_t> got(12, kUntouched);
    const VkResult some =
        vkGetQueryPoolResults(b.device, pool, 0, kQueries, 48, got.data(), 8, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    if (some != VK_NOT_READY) check(some, "results");  // (two are not there)
    std::string available;
    for (uint32_t i = 0; i < kQueries; i++) available += got[i * 2 + 1] ? std::to_string(got[i * 2]) + " " : "- ";
    b.line("results, queries 1 and 2 reset by the host", available);
    // Reset by the host, used without a reset by commands.
    vkResetQueryPool(b.device, pool, 0, kQueries);
    b.run([&](VkCommandBuffer commands) {
      b.pass(commands, scene.target, true, [&] {
        b.bind(commands, scene.plain);
        vkCmdBeginQuery(commands, pool, 1, precise);
        b.place(commands, 0, 0, 6, 7, 0.2f);
        vkCmdDraw(commands, 6, 1, 0, 0);
        vkCmdEndQuery(commands, pool, 1);
      });
    });
    uint32_t samples = 0;
    check(vkGetQueryPoolResults(b.device, pool, 1, 1, 4, &samples, 4, VK_QUERY_RESULT_WAIT_BIT), "results");
    b.number("results, used after the host's reset", samples);
  }
}

// A query that the primary command buffer began counts what secondary ones draw.
void inherited(Bench& b, const Occlusion& scene) {
  if (!b.features.inheritedQueries) return;
  VkQueryControlFlags precise = b.features.occlusionQueryPrecise ? VK_QUERY_CONTROL_PRECISE_BIT : 0;
  VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_OCCLUSION, 1);
  VkCommandBuffer secondary[2];
  VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, b.graphics().pool,
                                         VK_COMMAND_BUFFER_LEVEL_SECONDARY, 2};
  check(vkAllocateCommandBuffers(b.device, &allocation, secondary), "vkAllocateCommandBuffers");
  for (int i = 0; i < 2; i++) {
    VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkCommandBufferInheritanceRenderingInfo rendering{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
    rendering.rasterizationSamples = scene.target.samples;
    VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &rendering};
    inheritance.occlusionQueryEnable = VK_TRUE;
    inheritance.queryFlags = precise;
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                   VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inheritance};
    check(vkBeginCommandBuffer(secondary[i], &begin), "vkBeginCommandBuffer");
    b.bind(secondary[i], scene.plain);
    b.place(secondary[i], float(i * 20), 0, 10, float(10 + i), 0.5f);
    vkCmdDraw(secondary[i], 6, 1, 0, 0);
    check(vkEndCommandBuffer(secondary[i]), "vkEndCommandBuffer");
  }
  b.run([&](VkCommandBuffer commands) {
    vkCmdResetQueryPool(commands, pool, 0, 1);
    // Begun outside of the pass: what a query may hold then are whole passes.
    vkCmdBeginQuery(commands, pool, 0, precise);
    b.pass(
        commands, scene.target, true, [&] { vkCmdExecuteCommands(commands, 2, secondary); },
        VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdEndQuery(commands, pool, 0);
  });
  uint32_t samples = 0;
  check(vkGetQueryPoolResults(b.device, pool, 0, 1, 4, &samples, 4, VK_QUERY_RESULT_WAIT_BIT), "results");
  b.fits("occlusion, " + scene.suffix + ", inherited by secondary command buffers",
         precise ? samples == 210u * scene.target.samples : samples > 0, std::to_string(samples));
}

// One query over two passes with everything else between them.
void over_passes(Bench& b, const Occlusion& scene) {
  VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_OCCLUSION, 2);
  b.run([&](VkCommandBuffer commands) {
    vkCmdResetQueryPool(commands, pool, 0, 2);
    vkCmdBeginQuery(commands, pool, 1, b.features.occlusionQueryPrecise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
    for (int pass = 0; pass < 2; pass++)
      b.pass(commands, scene.target, pass == 0, [&] {
        b.bind(commands, scene.plain);
        b.place(commands, 0, 0, 20, 20, 0.5f);
        vkCmdDraw(commands, 6, 1, 0, 0);
        b.place(commands, 10, 10, 20, 20, 0.75f);
        vkCmdDraw(commands, 6, 1, 0, 0);
      });
    vkCmdEndQuery(commands, pool, 1);
  });
  uint32_t samples = 0;
  check(vkGetQueryPoolResults(b.device, pool, 1, 1, 4, &samples, 4, VK_QUERY_RESULT_WAIT_BIT), "results");
  b.number("occlusion, " + scene.suffix + ", over two passes", samples);
}

const char* const kStatistics[11] = {"vertices",
                                     "primitives",
                                     "vertex invocations",
                                     "geometry invocations",
                                     "geometry primitives",
                                     "clipping invocations",
                                     "clipping primitives",
                                     "fragment invocations",
                                     "patches",
                                     "evaluation invocations",
                                     "compute invocations"};

}  // namespace

void occlusion_cases(Bench& b) {
  for (VkSampleCountFlagBits samples : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT}) {
    PipelineParts parts;
    parts.vertex = b.cell_vertices;
    parts.fragment = b.cell_pixels;
    parts.samples = samples;
    Occlusion scene{
        b, b.make_target(samples), b.make_pipeline(parts), {}, samples == VK_SAMPLE_COUNT_1_BIT ? "1 sample" : "4 samples"};
    parts.fragment = b.cell_discards;
    scene.discards = b.make_pipeline(parts);
    scene.shapes();
    over_passes(b, scene);
    inherited(b, scene);
    if (samples == VK_SAMPLE_COUNT_1_BIT) results(b, scene);
  }
}

void statistics_cases(Bench& b) {
  if (!b.features.pipelineStatisticsQuery) return;
  constexpr uint32_t kStages = 11;
  uint32_t offered = (1u << kStages) - 1;
  if (!b.features.geometryShader) offered &= ~0x18u;
  if (!b.features.tessellationShader) offered &= ~0x300u;
  Target target = b.make_target(VK_SAMPLE_COUNT_1_BIT);
  PipelineParts parts;
  parts.vertex = b.cell_vertices;
  parts.fragment = b.cell_pixels;
  Memory indices = b.make_memory(256);
  for (uint32_t i = 0; i < 24; i++) indices.words[i] = "012215"[i % 6] - '0' + i / 6 * 6;
  Memory values = b.make_memory(4096);
  VkDescriptorSet set = b.make_set(values);

  // The result of one query of these bits for the draw.
  auto count = [&](uint32_t bits, const std::function<void(VkCommandBuffer)>& draw, bool dispatches = false) {
    VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, bits);
    b.run([&](VkCommandBuffer commands) {
      vkCmdResetQueryPool(commands, pool, 0, 1);
      if (dispatches) {
        vkCmdBeginQuery(commands, pool, 0, 0);
        draw(commands);
        vkCmdEndQuery(commands, pool, 0);
        return;
      }
      b.pass(commands, target, true, [&] {
        vkCmdBeginQuery(commands, pool, 0, 0);
        draw(commands);
        vkCmdEndQuery(commands, pool, 0);
      });
    });
    std::vector<uint64_t> got(kStages + 1, ~0ull);
    check(vkGetQueryPoolResults(b.device, pool, 0, 1, got.size() * 8, got.data(), got.size() * 8,
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    vkDestroyQueryPool(b.device, pool, nullptr);
    got.resize(size_t(std::popcount(bits)));
    return got;
  };
  auto all = [&](const std::function<void(VkCommandBuffer)>& draw, bool dispatches = false) {
    std::vector<uint64_t> got = count(offered, draw, dispatches), result(kStages);
    for (uint32_t bit = 0, at = 0; bit < kStages; bit++)
      if (offered >> bit & 1) result[bit] = got[at++];
    return result;
  };

  struct Draw {
    const char* name;
    bool tessellates, geometry;
    uint32_t vertices, unique, primitives;  // unique: what a perfect cache would shade
    uint32_t pixels;
    std::function<void(VkCommandBuffer)> draw;
  };
  auto grid = [&](VkCommandBuffer commands) { b.place(commands, 0, 0, 8, 8, 0.5f); };
  auto plain = [&](VkCommandBuffer c) { grid(c), vkCmdDraw(c, 24, 1, 0, 0); };
  const Draw kDraws[] = {
      {"a list", false, false, 24, 24, 8, 256, plain},
      {"instances", false, false, 72, 72, 24, 768, [&](VkCommandBuffer c) { grid(c), vkCmdDraw(c, 24, 3, 0, 0); }},
      {"indices", false, false, 24, 16, 8, 256,
       [&](VkCommandBuffer c) {
         grid(c);
         vkCmdBindIndexBuffer(c, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
         vkCmdDrawIndexed(c, 24, 1, 0, 0, 0);
       }},
      {"indices and instances", false, false, 48, 32, 16, 512,
       [&](VkCommandBuffer c) {
         grid(c);
         vkCmdBindIndexBuffer(c, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
         vkCmdDrawIndexed(c, 24, 2, 0, 0, 1);
       }},
      {"an incomplete primitive", false, false, 11, 9, 3, 64, [&](VkCommandBuffer c) { grid(c), vkCmdDraw(c, 11, 1, 0, 0); }},
      {"geometry", false, true, 24, 24, 8, 256, plain},
      {"tessellation", true, false, 24, 24, 8, 256, plain},
      {"tessellation and geometry", true, true, 24, 24, 8, 256, plain}};
  for (const Draw& draw : kDraws) {
    if ((draw.tessellates && !b.features.tessellationShader) || (draw.geometry && !b.features.geometryShader)) continue;
    parts.control = draw.tessellates ? b.cell_control : VK_NULL_HANDLE;
    parts.evaluation = draw.tessellates ? b.cell_evaluation : VK_NULL_HANDLE;
    parts.geometry = draw.geometry ? b.cell_geometry : VK_NULL_HANDLE;
    VkPipeline pipeline = b.make_pipeline(parts);
    auto draws = [&](VkCommandBuffer c) { b.bind(c, pipeline), draw.draw(c); };
    std::vector<uint64_t> got = all(draws);
    std::string name = std::string("statistics, ") + draw.name + ", ", text;
    for (uint32_t i = 0; i < kStages; i++) text += (i ? " " : "") + std::to_string(got[i]);
    // An incomplete primitive's vertices may be counted or not, in all stages before it is dropped.
    bool exact = draw.vertices % 3 == 0;
    if (exact) {
      b.number(name + kStatistics[0], got[0]);
    } else {
      b.fits(name + kStatistics[0], got[0] >= draw.vertices / 3 * 3 && got[0] <= draw.vertices, text);
    }
    if (draw.tessellates) {
      b.fits(name + kStatistics[1], got[1] == draw.primitives, text);
    } else {
      b.number(name + kStatistics[1], got[1]);
    }
    // May be more or fewer where results are shared or shaded again: at least one for each that is used.
    b.fits(name + kStatistics[2], got[2] >= draw.unique && got[2] <= 2 * draw.vertices, text);
    // A triangle whose outer levels are 2 and its inner one 1 (rounded to 2 then): 6 triangles.
    uint64_t primitives = draw.primitives * (draw.tessellates ? 6u : 1u);
    if (draw.tessellates) {
      b.number(name + kStatistics[8], got[8]);
      b.fits(name + kStatistics[9], got[9] >= draw.primitives * 7u && got[9] <= primitives * 3, text);
    } else {
      b.fits(name + "no tessellation", got[8] == 0 && got[9] == 0, text);
    }
    if (draw.geometry) {
      b.fits(name + kStatistics[3], got[3] == primitives, text);
      b.fits(name + kStatistics[4], got[4] == 2 * primitives, text);
      primitives *= 2;
    } else {
      b.fits(name + "no geometry", got[3] == 0 && got[4] == 0, text);
    }
    b.fits(name + kStatistics[5], got[5] == primitives, text);
    b.fits(name + kStatistics[6], got[6] >= primitives, text);
    uint32_t pixels = draw.pixels * (draw.geometry ? 2 : 1);
    b.fits(name + kStatistics[7], got[7] >= draw.pixels && got[7] <= 16 * pixels, text);
    b.fits(name + "no compute", got[10] == 0, text);
    // Values come in the order of their bits, whichever others there are.
    bool ordered = true;
    for (uint32_t i = 0; i < kStages; i++)
      for (uint32_t j = i; j < kStages; j++) {
        uint32_t bits = 1u << i | 1u << j;
        if ((bits & offered) != bits || !(draw.tessellates && draw.geometry)) continue;
        std::vector<uint64_t> pair = count(bits, draws);
        if (pair.front() != got[i] || pair.back() != got[j]) ordered = false, text += ", bits " + std::to_string(bits);
      }
    if (draw.tessellates && draw.geometry) b.fits(name + "order of the values", ordered, text);
  }
  std::vector<uint64_t> outside = all([&](VkCommandBuffer c) {
    parts.control = parts.evaluation = parts.geometry = VK_NULL_HANDLE;
    b.bind(c, b.make_pipeline(parts));
    b.place(c, 200, 200, 8, 8, 0.5f);
    vkCmdDraw(c, 24, 1, 0, 0);
  });
  b.number("statistics, outside the viewport, primitives", outside[1]);
  b.number("statistics, outside the viewport, clipping invocations", outside[5]);
  b.number("statistics, outside the viewport, fragment invocations", outside[7]);
  std::vector<uint64_t> computed = all(
      [&](VkCommandBuffer c) {
        b.steps(c, set, 1, 5);
        full_barrier(c);
        vkCmdDispatch(c, 2, 3, 2);
      },
      true);
  b.number("statistics, dispatches, compute invocations", computed[10]);
  b.fits("statistics, dispatches, nothing else", *std::max_element(computed.begin(), computed.end() - 1) == 0);
  for (const Queue& queue : b.queues) {
    if (!(queue.flags & VK_QUEUE_COMPUTE_BIT) || &queue == &b.graphics()) continue;
    VkQueryPool pool =
        b.make_queries(VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);
    b.run(queue, [&](VkCommandBuffer c) {
      vkCmdResetQueryPool(c, pool, 0, 1);
      vkCmdBeginQuery(c, pool, 0, 0);
      b.steps(c, set, 1, 3);
      vkCmdEndQuery(c, pool, 0);
    });
    uint32_t got = 0;
    check(vkGetQueryPoolResults(b.device, pool, 0, 1, 4, &got, 4, VK_QUERY_RESULT_WAIT_BIT), "results");
    b.fits("statistics, compute queue " + std::to_string(&queue - b.queues.data()), got == 192, std::to_string(got));
  }
}

void timestamp_cases(Bench& b) {
  Target target = b.make_target(VK_SAMPLE_COUNT_1_BIT);
  PipelineParts parts;
  parts.vertex = b.cell_vertices;
  parts.fragment = b.cell_pixels;
  VkPipeline pipeline = b.make_pipeline(parts);
  b.fits("timestamps, period", b.properties.limits.timestampPeriod > 0);
  for (const Queue& queue : b.queues) {
    if (!queue.timestamp_bits) continue;
    bool draws = queue.flags & VK_QUEUE_GRAPHICS_BIT;
    // Lavapipe has one queue: the others are judged here only.
    std::string name = "timestamps, queue " + std::to_string(&queue - b.queues.data()) + ", ";
    uint64_t mask = queue.timestamp_bits == 64 ? ~0ull : (1ull << queue.timestamp_bits) - 1;
    constexpr uint32_t kStamps = 8;
    VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_TIMESTAMP, kStamps);
    VkDescriptorSet set = b.make_set(b.make_memory(4096));
    Memory copy = b.make_memory(256, kUntouched);
    for (uint32_t round = 0; round < 2; round++)
      b.run(queue, [&](VkCommandBuffer c) {
        vkCmdResetQueryPool(c, pool, round * 4, 4);
        vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, round * 4);
        if (draws) {
          b.pass(c, target, true, [&] {
            b.bind(c, pipeline);
            b.place(c, 0, 0, 8, 8, 0.5f);
            vkCmdDraw(c, 48, 8, 0, 0);
            vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, pool, round * 4 + 1);
          });
        } else {
          b.steps(c, set, 1, 4);
          vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, pool, round * 4 + 1);
        }
        b.steps(c, set, 1, 4);
        full_barrier(c);
        vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, round * 4 + 2);
        full_barrier(c);
        vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, round * 4 + 3);
        if (round) {
          full_barrier(c);
          vkCmdCopyQueryPoolResults(c, pool, 0, kStamps, copy.buffer, 0, 16,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
        }
      });
    uint64_t got[kStamps][2];
    check(vkGetQueryPoolResults(b.device, pool, 0, kStamps, sizeof got, got, 16,
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
          "results");
    bool rises = true, valid = true, available = true, copied = true;
    std::string text;
    for (uint32_t i = 0; i < kStamps; i++) {
      text += " " + std::to_string(got[i][0]);
      // The colours' stage may end before its subpass's other commands do, but not before the top of the pipe.
      rises &= i == 0 || got[i][0] >= got[i - 1][0];
      valid &= (got[i][0] & ~mask) == 0;
      available &= got[i][1] != 0;
      copied &=
          copy.words[i * 4] == uint32_t(got[i][0]) && copy.words[i * 4 + 1] == got[i][0] >> 32 && copy.words[i * 4 + 2] != 0;
    }
    b.fits(name + "in order", rises, text);
    b.fits(name + "a later submission is later", got[4][0] > got[0][0] && got[7][0] > got[3][0], text);
    b.fits(name + "within the valid bits", valid, text);
    b.fits(name + "available", available, text);
    b.fits(name + "copied", copied, text);
    uint32_t low = 0;
    check(vkGetQueryPoolResults(b.device, pool, 3, 1, 4, &low, 4, VK_QUERY_RESULT_WAIT_BIT), "results");
    // 32 bits: the low ones, or saturated.
    b.fits(name + "in 32 bits", low == uint32_t(got[3][0]) || low == ~0u, std::to_string(low) + text);
  }
  if (!b.calibrated) return;
  auto domains_of = reinterpret_cast<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT>(
      vkGetInstanceProcAddr(b.instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT"));
  auto calibrated = b.extension<PFN_vkGetCalibratedTimestampsEXT>("vkGetCalibratedTimestampsEXT");
  uint32_t count = 0;
  domains_of(b.physical, &count, nullptr);
  std::vector<VkTimeDomainEXT> domains(count);
  domains_of(b.physical, &count, domains.data());
  bool device = std::count(domains.begin(), domains.end(), VK_TIME_DOMAIN_DEVICE_EXT);
  bool host = std::count(domains.begin(), domains.end(), VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
  VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_TIMESTAMP, 2);
  auto stamp = [&](uint32_t i) {
    b.run([&](VkCommandBuffer c) {
      vkCmdResetQueryPool(c, pool, i, 1);
      vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, i);
    });
  };
  auto clock = [] {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return uint64_t(now.tv_sec) * 1000000000 + uint64_t(now.tv_nsec);
  };
  VkCalibratedTimestampInfoEXT infos[2] = {
      {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr, VK_TIME_DOMAIN_DEVICE_EXT},
      {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT}};
  uint64_t pair[2] = {}, deviation = 0, stamps[2] = {};
  stamp(0);
  uint64_t before = clock();
  VkResult result = calibrated(b.device, host ? 2 : 1, infos, pair, &deviation);
  uint64_t after = clock();
  stamp(1);
  check(vkGetQueryPoolResults(b.device, pool, 0, 2, 16, stamps, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT), "results");
  std::string text = std::to_string(stamps[0]) + " " + std::to_string(pair[0]) + " " + std::to_string(stamps[1]);
  if (device)
    b.fits("timestamps, calibrated, the device's between two of a queue", !result && stamps[0] <= pair[0] && pair[0] <= stamps[1],
           text);
  if (host)
    b.fits("timestamps, calibrated, the host's between two of the host", !result && before <= pair[1] && pair[1] <= after);
}

}  // namespace vulkan
