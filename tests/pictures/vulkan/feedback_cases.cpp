// Transform feedback, conditional rendering and indirect draws and dispatches.
#include <string_view>

#include "queue_bench.h"

namespace vulkan {

namespace {

std::string words(const uint32_t* from, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; i++) text += (i ? " " : "") + std::to_string(from[i]);
  return text;
}

struct Feedback {
  Bench& b;
  Target target;
  PFN_vkCmdBeginQueryIndexedEXT begin_query;
  PFN_vkCmdEndQueryIndexedEXT end_query;
  PFN_vkCmdBindTransformFeedbackBuffersEXT bind_buffers;
  PFN_vkCmdBeginTransformFeedbackEXT begin;
  PFN_vkCmdEndTransformFeedbackEXT end;
  PFN_vkCmdDrawIndirectByteCountEXT draw_bytes;

  explicit Feedback(Bench& bench)
      : b(bench),
        target(bench.make_target(VK_SAMPLE_COUNT_1_BIT)),
        begin_query(b.extension<PFN_vkCmdBeginQueryIndexedEXT>("vkCmdBeginQueryIndexedEXT")),
        end_query(b.extension<PFN_vkCmdEndQueryIndexedEXT>("vkCmdEndQueryIndexedEXT")),
        bind_buffers(b.extension<PFN_vkCmdBindTransformFeedbackBuffersEXT>("vkCmdBindTransformFeedbackBuffersEXT")),
        begin(b.extension<PFN_vkCmdBeginTransformFeedbackEXT>("vkCmdBeginTransformFeedbackEXT")),
        end(b.extension<PFN_vkCmdEndTransformFeedbackEXT>("vkCmdEndTransformFeedbackEXT")),
        draw_bytes(b.extension<PFN_vkCmdDrawIndirectByteCountEXT>("vkCmdDrawIndirectByteCountEXT")) {}

  // A draw of primitives with so many corners into a buffer with room for so many bytes.
  void room(const std::string& name, VkPipeline pipeline, VkDeviceSize offset, VkDeviceSize bytes, uint32_t vertices,
            uint32_t instances, uint32_t corners = 1) {
    VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 1);
    Memory out = b.make_memory(1024, 0xcdcdcdcd), counter = b.make_memory(64, 0xcdcdcdcd), copy = b.make_memory(64);
    b.run([&](VkCommandBuffer c) {
      vkCmdResetQueryPool(c, pool, 0, 1);
      b.pass(c, target, true, [&] {
        b.bind(c, pipeline);
        bind_buffers(c, 0, 1, &out.buffer, &offset, &bytes);
        vkCmdBeginQuery(c, pool, 0, 0);
        begin(c, 0, 0, nullptr, nullptr);
        vkCmdDraw(c, vertices, instances, 3, 0);
        VkDeviceSize at = 8;
        end(c, 0, 1, &counter.buffer, &at);
        vkCmdEndQuery(c, pool, 0);
      });
      vkCmdCopyQueryPoolResults(c, pool, 0, 1, copy.buffer, 0, 8, VK_QUERY_RESULT_WAIT_BIT);
    });
    uint64_t got[3] = {};
    check(vkGetQueryPoolResults(b.device, pool, 0, 1, 24, got, 24,
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
          "results");
    b.line("feedback, " + name + ", written, needed",
           std::to_string(got[0]) + " " + std::to_string(got[1]) + (got[2] ? "" : " not available"));
    b.line("feedback, " + name + ", copied", words(copy.words, 2));
    // RADV's shaders on GFX11 and GFX12 count what the group of vertices needs that the buffer ends in, and no later group (Mesa 25.0.7
    // ac_nir_lower_ngg.c, ngg_build_streamout_buffer_info: of offsets before the group's own alone it is asked whether they are beyond
    // the end). These draws are one group each.
    const std::string_view device = b.properties.deviceName;
    const bool whole_groups = device.find("RADV GFX11") != device.npos || device.find("RADV GFX12") != device.npos;
    const uint64_t expected = got[whole_groups ? 1 : 0] * corners * 16;
    b.fits("feedback, " + name + ", bytes", counter.words[2] == expected,
           std::to_string(counter.words[2]) + " for " + std::to_string(expected));
    b.line("feedback, " + name + ", data", hash(out.words, out.bytes));
    b.line("feedback, " + name + ", first vertex", words(out.words + offset / 4, 4));
  }
};

void streams_of_geometry(Feedback& f) {
  Bench& b = f.b;
  PipelineParts parts;
  parts.vertex = b.capture;
  parts.geometry = b.streams;
  parts.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  parts.discards_all = true;
  VkPipeline pipeline = b.make_pipeline(parts);
  VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 4);
  Memory out[2] = {b.make_memory(512, 0xcdcdcdcd), b.make_memory(512, 0xcdcdcdcd)};
  VkBuffer buffers[2] = {out[0].buffer, out[1].buffer};
  b.run([&](VkCommandBuffer c) {
    vkCmdResetQueryPool(c, pool, 0, 4);
    b.pass(c, f.target, true, [&] {
      b.bind(c, pipeline);
      for (uint32_t round = 0; round < 2; round++) {
        // Then stream 1's buffer has no room for the second half; each round begins at the start.
        VkDeviceSize offsets[2] = {round * 256, round * 256}, sizes[2] = {256, round ? 40u : 256u};
        f.bind_buffers(c, 0, 2, buffers, offsets, sizes);
        // Stream 0 and stream 1 in turn: one query of a type and stream at a time.
        for (uint32_t stream = 0; stream < 2; stream++) f.begin_query(c, pool, round * 2 + stream, 0, stream);
        f.begin(c, 0, 0, nullptr, nullptr);
        vkCmdDraw(c, 10, 1, 0, 0);
        f.end(c, 0, 0, nullptr, nullptr);
        for (uint32_t stream = 0; stream < 2; stream++) f.end_query(c, pool, round * 2 + stream, stream);
      }
    });
  });
  uint32_t got[8];
  check(vkGetQueryPoolResults(b.device, pool, 0, 4, sizeof got, got, 8, VK_QUERY_RESULT_WAIT_BIT), "results");
  b.line("feedback, streams, stream 0", words(got, 2));
  b.line("feedback, streams, stream 1", words(got + 2, 2));
  b.line("feedback, streams, stream 0 beside one that overflows", words(got + 4, 2));
  b.line("feedback, streams, stream 1 that overflows", words(got + 6, 2));
  for (int i = 0; i < 2; i++) b.line("feedback, streams, data of buffer " + std::to_string(i), hash(out[i].words, 256));
  b.line("feedback, streams, data of buffer 1 that overflows", hash(out[1].words + 64, 256));
}

}  // namespace

void transform_feedback_cases(Bench& b) {
  if (!b.transform_feedback) return;
  Feedback f(b);
  PipelineParts parts;
  parts.vertex = b.capture;
  parts.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  parts.discards_all = true;
  VkPipeline points = b.make_pipeline(parts);
  f.room("room for all", points, 0, 512, 12, 2);
  f.room("full to the last byte", points, 16, 24 * 16, 12, 2);
  f.room("overflows", points, 32, 10 * 16, 12, 2);
  f.room("overflows in a vertex", points, 0, 10 * 16 + 12, 24, 1);
  f.room("no vertices", points, 0, 512, 0, 1);
  parts.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipeline triangles = b.make_pipeline(parts);
  f.room("triangles", triangles, 0, 1024, 18, 2, 3);
  f.room("triangles overflow", triangles, 0, 16 * 8, 18, 1, 3);
  parts.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  f.room("a strip", b.make_pipeline(parts), 0, 1024, 7, 2, 3);
  parts.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
  f.room("a strip of lines", b.make_pipeline(parts), 0, 1024, 7, 2, 2);

  // Paused, continued, and drawn by the bytes that were written.
  PipelineParts draws;
  draws.vertex = b.cell_vertices;
  draws.fragment = b.cell_pixels;
  VkPipeline cells = b.make_pipeline(draws);
  Memory out = b.make_memory(1024, 0xcdcdcdcd), counter = b.make_memory(64, 0);
  VkDeviceSize zero = 0, size = 1024, at = 12;
  b.run([&](VkCommandBuffer c) {
    b.pass(c, f.target, true, [&] {
      b.bind(c, points);
      f.bind_buffers(c, 0, 1, &out.buffer, &zero, &size);
      f.begin(c, 0, 0, nullptr, nullptr);
      vkCmdDraw(c, 5, 1, 0, 0);
      f.end(c, 0, 1, &counter.buffer, &at);
      vkCmdDraw(c, 9, 1, 100, 0);
    });
    b.pass(c, f.target, true, [&] {
      b.bind(c, points);
      f.bind_buffers(c, 0, 1, &out.buffer, &zero, &size);
      f.begin(c, 0, 1, &counter.buffer, &at);
      vkCmdDraw(c, 13, 1, 50, 0);
      f.end(c, 0, 1, &counter.buffer, &at);
    });
    b.pass(c, f.target, true, [&] {
      b.bind(c, cells);
      b.place(c, 0, 0, 8, 8, 0.5f);
      f.draw_bytes(c, 2, 1, counter.buffer, at, 0, 16);
    });
  });
  b.number("feedback, paused and continued, bytes", counter.words[3]);
  b.line("feedback, paused and continued, data", hash(out.words, 1024));
  b.line("feedback, drawn by its bytes", hash(b.read(f.target).data(), kSize * kSize * 4));
  // The counter's bytes beyond an offset: 288 bytes are 20 vertices, three whole cells. Mesa's lavapipe and RADV (22.3.6) leave
  // the offset out, as if it were 0, and draw four.
  b.run([&](VkCommandBuffer c) {
    b.pass(c, f.target, true, [&] {
      b.bind(c, cells);
      b.place(c, 0, 0, 8, 8, 0.5f);
      f.draw_bytes(c, 1, 0, counter.buffer, at, 48, 12);
    });
  });
  const std::vector<uint32_t> pixels = b.read(f.target);
  unsigned drawn = 0;
  for (unsigned cell = 0; cell < 8; cell++) drawn += pixels[6 * kSize + cell * 8 + 6] != 0;
  b.fits("feedback, drawn by its bytes behind an offset", drawn == 3 || drawn == 4, std::to_string(drawn) + " cells");
  if (b.geometry_streams && b.features.geometryShader) streams_of_geometry(f);
  if (b.primitives_generated) {
    VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 2);
    draws.geometry = b.cell_geometry;
    VkPipeline doubled = b.features.geometryShader ? b.make_pipeline(draws) : cells;
    b.run([&](VkCommandBuffer c) {
      vkCmdResetQueryPool(c, pool, 0, 2);
      b.pass(c, f.target, true, [&] {
        for (uint32_t i = 0; i < 2; i++) {
          b.bind(c, i ? doubled : cells);
          b.place(c, 0, 0, 8, 8, 0.5f);
          vkCmdBeginQuery(c, pool, i, 0);
          vkCmdDraw(c, 12, 3, 0, 0);
          vkCmdDraw(c, 5, 1, 0, 0);
          vkCmdEndQuery(c, pool, i);
        }
      });
    });
    uint64_t got[2];
    check(vkGetQueryPoolResults(b.device, pool, 0, 2, 16, got, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT), "results");
    b.number("feedback, primitives generated", got[0]);
    b.number("feedback, primitives generated by geometry", got[1]);
  }
}

// As many conditions in one command buffer as a target has cells: RADV makes each a predicate of its own, 8 bytes beyond the last.
void condition_series(Bench& b) {
  constexpr uint32_t kConditions = 64, kColumns = 8;
  auto begin = b.extension<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT");
  auto end = b.extension<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
  Memory predicates = b.make_memory(kConditions * 4, 0, true), indirect = b.make_memory(kConditions * 32, 0, true),
         indices = b.make_memory(kConditions * 6 * 4);
  const bool first_instance = b.features.drawIndirectFirstInstance;
  // Arguments of each: the draw of one cell at 0, one group at 16.
  for (uint32_t k = 0; k < kConditions; k++) {
    predicates.words[k] = k * 2654435761u >> 28 & 1 ? 0x100u << k % 24 : 0;
    const uint32_t words[] = {6, 1, k % kColumns * 6, first_instance ? k / kColumns : 0, 1, 1, 1};
    std::copy_n(words, 7, indirect.words + k * 8);
  }
  for (uint32_t i = 0; i < kConditions * 6; i++) indices.words[i] = i;
  auto conditional = [&](VkCommandBuffer c, uint32_t k, const std::function<void()>& commands) {
    // (every fourth is inverted)
    VkConditionalRenderingBeginInfoEXT info{
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr, predicates.buffer, k * 4,
        k % 4 == 1 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : VkConditionalRenderingFlagsEXT(0)};
    begin(c, &info);
    commands();
    end(c);
  };
  auto happens = [&](uint32_t k) { return (predicates.words[k] != 0) != (k % 4 == 1); };

  Target target = b.make_target(VK_SAMPLE_COUNT_1_BIT);
  PipelineParts parts;
  parts.vertex = b.cell_vertices;
  parts.fragment = b.cell_pixels;
  VkPipeline pipeline = b.make_pipeline(parts);
  const char* kinds[] = {"draws", "indexed draws", "indirect draws", "multiple indirect draws"};
  for (int kind = 0; kind < (first_instance ? 4 : 2); kind++) {
    b.run([&](VkCommandBuffer c) {
      b.pass(c, target, true, [&] {
        b.bind(c, pipeline);
        b.place(c, 0, 0, 8, 8, 0.5f);
        vkCmdBindIndexBuffer(c, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
        for (uint32_t k = 0; k < kConditions; k++)
          conditional(c, k, [&] {
            const uint32_t first = k % kColumns * 6, row = k / kColumns;
            if (kind == 0) vkCmdDraw(c, 6, 1, first, row);
            if (kind == 1) vkCmdDrawIndexed(c, 6, 1, first, 0, row);
            if (kind == 2) vkCmdDrawIndirect(c, indirect.buffer, k * 32, 1, 32);
            // (of an even cell and the next, which either's condition draws)
            if (kind == 3) vkCmdDrawIndirect(c, indirect.buffer, k / 2 * 64, b.features.multiDrawIndirect ? 2 : 1, 32);
          });
      });
    });
    const std::vector<uint32_t> pixels = b.read(target);
    unsigned wrong = 0;
    for (uint32_t k = 0; k < kConditions; k++) {
      bool drawn = happens(k);
      if (kind == 3) drawn = (happens(k & ~1u) || happens(k | 1)) && (k % 2 == 0 || b.features.multiDrawIndirect);
      for (uint32_t i = 0; i < 64; i++)
        wrong += (pixels[(k / kColumns * 8 + i / 8) * kSize + k % kColumns * 8 + i % 8] != 0) != drawn;
    }
    b.fits(std::string("conditional, ") + std::to_string(kConditions) + " conditions, " + kinds[kind], wrong == 0,
           std::to_string(wrong) + " pixels");
  }

  for (const Queue& queue : b.queues) {
    if (!(queue.flags & VK_QUEUE_COMPUTE_BIT)) continue;
    Memory values = b.make_memory(256, 0, true);
    VkDescriptorSet set = b.make_set(values);
    uint32_t expected[64] = {};
    b.run(queue, [&](VkCommandBuffer c) {
      for (uint32_t k = 0; k < kConditions; k++) {
        b.steps(c, set, k + 1, 0);
        conditional(c, k, [&] {
          if (k / 2 % 2)
            vkCmdDispatchIndirect(c, indirect.buffer, k * 32 + 16);
          else
            vkCmdDispatch(c, 1, 1, 1);
        });
        full_barrier(c);
      }
    });
    for (uint32_t k = 0; k < kConditions; k++)
      for (uint32_t i = 0; i < 64 && happens(k); i++) expected[i] = expected[i] * 3 + k + 1 + i;
    b.fits("conditional, " + std::to_string(kConditions) + " conditions, dispatches, queue " +
               std::to_string(&queue - b.queues.data()),
           std::equal(expected, expected + 64, values.words));
  }
}

void conditional_cases(Bench& b) {
  if (!b.conditional) return;
  condition_series(b);
  auto begin = b.extension<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT");
  auto end = b.extension<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
  Target target = b.make_target(VK_SAMPLE_COUNT_1_BIT);
  PipelineParts parts;
  parts.vertex = b.cell_vertices;
  parts.fragment = b.cell_pixels;
  VkPipeline pipeline = b.make_pipeline(parts);
  Memory predicates = b.make_memory(64), values = b.make_memory(1024), indirect = b.make_memory(64);
  VkDescriptorSet set = b.make_set(values);
  const uint32_t kValues[] = {0, 1, 2, 0x80000000, 0, 0x100};
  const uint32_t kDraw[] = {12, 2, 6, 1, 4, 1, 1};
  for (uint32_t i = 0; i < 6; i++) predicates.words[i] = kValues[i];
  for (uint32_t i = 0; i < 7; i++) indirect.words[i] = kDraw[i];
  for (uint32_t i = 0; i < 6; i++)
    for (bool inverted : {false, true}) {
      for (uint32_t k = 0; k < 256; k++) values.words[k] = 0;
      VkConditionalRenderingBeginInfoEXT info{
          VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr, predicates.buffer, i * 4,
          inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : VkConditionalRenderingFlagsEXT(0)};
      b.run([&](VkCommandBuffer c) {
        b.steps(c, set, 1, 1);
        full_barrier(c);
        begin(c, &info);
        vkCmdDispatch(c, 2, 1, 1);
        full_barrier(c);
        vkCmdDispatchIndirect(c, indirect.buffer, 16);
        end(c);
        full_barrier(c);
        vkCmdDispatch(c, 1, 1, 1);
        b.pass(c, target, true, [&] {
          b.bind(c, pipeline);
          b.place(c, 0, 0, 8, 8, 0.5f);
          vkCmdDraw(c, 6, 1, 0, 0);
          begin(c, &info);
          vkCmdDraw(c, 6, 4, 18, 0);
          vkCmdDrawIndirect(c, indirect.buffer, 0, 1, 0);
          VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
          clear.clearValue.color.float32[1] = 1;
          VkClearRect rectangle{{{40, 40}, {8, 16}}, 0, 1};
          vkCmdClearAttachments(c, 1, &clear, 1, &rectangle);
          end(c);
          b.place(c, 0, 56, 8, 8, 0.5f);
          vkCmdDraw(c, 6, 1, 12, 0);
        });
      });
      std::string name =
          "conditional, " + std::to_string(kValues[i]) + " at " + std::to_string(i * 4) + (inverted ? ", inverted, " : ", ");
      b.line(name + "dispatches", hash(values.words, values.bytes));
      b.line(name + "draws", hash(b.read(target).data(), kSize * kSize * 4));
    }
}

void indirect_cases(Bench& b) {
  Target target = b.make_target(VK_SAMPLE_COUNT_1_BIT);
  PipelineParts parts;
  parts.vertex = b.cell_vertices;
  parts.fragment = b.cell_pixels;
  VkPipeline pipeline = b.make_pipeline(parts);
  // At 16: draws 20 bytes apart (vertices, instances, first vertex, first instance); at 256: indexed ones 24 bytes apart (indices,
  // instances, first index, vertex offset, first instance); at 512: counts; at 640: groups.
  Memory arguments = b.make_memory(1024);
  const uint32_t kDraws[4][4] = {{6, 2, 0, 0}, {12, 1, 18, 3}, {18, 3, 30, 5}, {6, 1, 0, 7}};
  const uint32_t kIndexed[4][5] = {{6, 2, 0, 0, 0}, {12, 2, 6, 6, 2}, {6, 1, 0, 42, 5}, {12, 1, 12, uint32_t(-6), 7}};
  const uint32_t kCounts[] = {0, 1, 3, 4, 9};
  bool first_instance = b.features.drawIndirectFirstInstance;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 5; k++) {
      if (k < 4) arguments.words[4 + i * 5 + k] = k == 3 && !first_instance ? 0 : kDraws[i][k];
      arguments.words[64 + i * 6 + k] = k == 4 && !first_instance ? 0 : kIndexed[i][k];
    }
  for (int i = 0; i < 5; i++) arguments.words[128 + i] = kCounts[i];
  Memory indices = b.make_memory(256);
  for (uint32_t i = 0; i < 24; i++) reinterpret_cast<uint16_t*>(indices.words)[i] = uint16_t("012215"[i % 6] - '0' + i / 6 * 6);

  auto draw = [&](const std::string& name, const std::function<void(VkCommandBuffer)>& draws) {
    VkQueryPool pool = b.make_queries(VK_QUERY_TYPE_OCCLUSION, 1);
    b.run([&](VkCommandBuffer c) {
      vkCmdResetQueryPool(c, pool, 0, 1);
      b.pass(c, target, true, [&] {
        b.bind(c, pipeline);
        b.place(c, 0, 0, 8, 8, 0.5f);
        vkCmdBindIndexBuffer(c, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdBeginQuery(c, pool, 0, b.features.occlusionQueryPrecise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
        draws(c);
        vkCmdEndQuery(c, pool, 0);
      });
    });
    uint32_t samples = 0;
    check(vkGetQueryPoolResults(b.device, pool, 0, 1, 4, &samples, 4, VK_QUERY_RESULT_WAIT_BIT), "results");
    b.line("indirect, " + name, std::to_string(samples) + ", " + hash(b.read(target).data(), kSize * kSize * 4));
  };
  draw("direct, vertex offset and first instance", [&](VkCommandBuffer c) {
    vkCmdDrawIndexed(c, 12, 3, 6, 12, 2);
    vkCmdDraw(c, 6, 2, 42, 6);
  });
  for (uint32_t i = 0; i < 4; i++) {
    draw("draw " + std::to_string(i), [&](VkCommandBuffer c) { vkCmdDrawIndirect(c, arguments.buffer, 16 + i * 20, 1, 0); });
    draw("indexed draw " + std::to_string(i),
         [&](VkCommandBuffer c) { vkCmdDrawIndexedIndirect(c, arguments.buffer, 256 + i * 24, 1, 0); });
  }
  draw("no draws", [&](VkCommandBuffer c) { vkCmdDrawIndirect(c, arguments.buffer, 16, 0, 20); });
  if (b.features.multiDrawIndirect) {
    draw("four draws", [&](VkCommandBuffer c) { vkCmdDrawIndirect(c, arguments.buffer, 16, 4, 20); });
    draw("two draws, each second one", [&](VkCommandBuffer c) { vkCmdDrawIndirect(c, arguments.buffer, 36, 2, 40); });
    draw("four indexed draws", [&](VkCommandBuffer c) { vkCmdDrawIndexedIndirect(c, arguments.buffer, 256, 4, 24); });
  }
  if (b.features12.drawIndirectCount)
    for (uint32_t i = 0; i < 5; i++)
      for (uint32_t most : {4u, 2u}) {
        std::string name = "count of " + std::to_string(kCounts[i]) + ", at most " + std::to_string(most);
        draw(name, [&](VkCommandBuffer c) {
          vkCmdDrawIndirectCount(c, arguments.buffer, 16, arguments.buffer, 512 + i * 4, most, 20);
        });
        draw(name + ", indexed", [&](VkCommandBuffer c) {
          vkCmdDrawIndexedIndirectCount(c, arguments.buffer, 256, arguments.buffer, 512 + i * 4, most, 24);
        });
      }
  // Arguments that the commands before write.
  draw("after arguments that commands wrote", [&](VkCommandBuffer c) { vkCmdDrawIndirect(c, arguments.buffer, 16, 1, 0); });
  Memory values = b.make_memory(4096), written = b.make_memory(64);
  VkDescriptorSet set = b.make_set(values);
  const uint32_t kGroups[][3] = {{3, 1, 1}, {16, 1, 1}, {0, 1, 1}, {5, 1, 0}, {2, 3, 1}};
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 3; k++) arguments.words[160 + k] = kGroups[i][k];
    for (uint32_t k = 0; k < 1024; k++) values.words[k] = k;
    b.run([&](VkCommandBuffer c) {
      VkBufferCopy copy{640, 4, 12};
      vkCmdCopyBuffer(c, arguments.buffer, written.buffer, 1, &copy);
      full_barrier(c);
      // Groups of the second and third dimension would race with those of the first: they do the same step once only.
      b.steps(c, set, 5, 0);
      if (kGroups[i][1] == 1) vkCmdDispatchIndirect(c, written.buffer, 4);
      full_barrier(c);
      vkCmdDispatchBase(c, 0, 0, 0, 1, 1, 1);
    });
    b.line("indirect, groups " + words(kGroups[i], 3), hash(values.words, 4096));
  }
  if (!b.features.pipelineStatisticsQuery) return;
  VkQueryPool pool =
      b.make_queries(VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);
  b.run([&](VkCommandBuffer c) {
    vkCmdResetQueryPool(c, pool, 0, 1);
    vkCmdBeginQuery(c, pool, 0, 0);
    b.steps(c, set, 5, 0);
    vkCmdDispatchIndirect(c, arguments.buffer, 640);
    vkCmdEndQuery(c, pool, 0);
  });
  uint32_t got = 0;
  check(vkGetQueryPoolResults(b.device, pool, 0, 1, 4, &got, 4, VK_QUERY_RESULT_WAIT_BIT), "results");
  b.number("indirect, invocations of groups in three dimensions", got);
}

}  // namespace vulkan
