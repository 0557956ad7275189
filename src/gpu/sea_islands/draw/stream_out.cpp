#include "gpu/sea_islands/draw/stream_out.h"

#include <algorithm>

#include "gpu/sea_islands/state/field_lists.h"
#include "pipeline/front/assembly.h"

namespace Atoll::sea_islands {
namespace {

// Vertices that all the buffers have room for, counted from where stream-out began.
uint64_t room(const RegisterFile& r, uint32_t buffers) {
  uint64_t vertices = buffers ? ~uint64_t(0) : 0;
  for (unsigned n = 0; n < 4; n++) {
    if (!(buffers >> n & 1)) continue;
    uint64_t size = StreamBufferSizes::get(r, n), offset = StreamOffsets::get(r, n), stride = StreamStrides::get(r, n);
    if (!stride) continue;
    vertices = std::min(vertices, size > offset ? (size - offset) / stride : 0);
  }
  return vertices;
}

unsigned corners_of(const pipeline::Assembled& primitive) {
  return primitive.kind == pipeline::PrimitiveKind::point ? 1 : primitive.kind == pipeline::PrimitiveKind::line ? 2 : 3;
}

}  // namespace

bool stream_out(DrawContext& c, VertexStage& stage, const pipeline::Draw& draw, unsigned stream) {
  RegisterFile& r = c.registers;
  if (!StreamEnables::get(r, stream)) return true;
  if (!c.write_back_targets()) return false;
  uint32_t buffers = StreamBuffers::get(r, stream);
  const uint64_t most = room(r, buffers);
  uint32_t& vertices = c.streamout_vertices[stream];

  pipeline::VertexCache cache;
  pipeline::Assembler assembler(draw, cache);
  pipeline::Segment segment;
  std::vector<uint32_t> number, instance, identifier;  // of the wave to come
  auto flush = [&] {
    if (number.empty()) return true;
    uint32_t count = uint32_t(number.size());
    bool fine = !stage.streams_out() || stage.stream_out({number, instance, identifier}, stream, vertices);
    vertices += count;
    number.clear(), instance.clear(), identifier.clear();
    return fine;
  };
  for (;;) {
    cache.forget();
    segment.clear();
    if (!assembler.next(segment)) break;
    if (c.stop.load(std::memory_order_relaxed)) return c.lose_stopped();
    c.progress.fetch_add(1, std::memory_order_relaxed);
    for (const pipeline::Assembled& primitive : segment.primitives) {
      unsigned corners = corners_of(primitive);
      c.streamout_needed[stream] += c.counts;
      if (vertices + number.size() + corners > most) continue;  // only whole primitives are written
      if (number.size() + corners > stage.batch_size() && !flush()) return false;
      c.streamout_written[stream] += c.counts;
      for (unsigned n = 0; n < corners; n++) {
        number.push_back(segment.number[primitive.slot[n]]);
        instance.push_back(segment.instance[primitive.slot[n]]);
        if (!segment.primitive.empty()) identifier.push_back(segment.primitive[primitive.slot[n]]);
      }
    }
  }
  if (!flush()) return false;
  for (unsigned n = 0; n < 4; n++)
    if (buffers >> n & 1) r.set(StreamFilledSizes::address(n), StreamOffsets::get(r, n) + vertices * StreamStrides::get(r, n));
  return true;
}

}  // namespace Atoll::sea_islands
