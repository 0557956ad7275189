#include "gpu/dg1/draw/vue.h"

#include <algorithm>
#include <cstring>

namespace Atoll::dg1 {

using namespace commands;

Stage last_vertex_stage(const GraphicsState& s) {
  if (s.get<_3DSTATE_GS::Enable>()) return Stage::GS;
  return s.get<_3DSTATE_DS::Enable>() ? Stage::DS : Stage::VS;
}

DistanceBits find_distances(const GraphicsState& s) {
  using Clip = _3DSTATE_CLIP;
  DistanceBits bits;
  switch (last_vertex_stage(s)) {
    case Stage::GS:
      bits = {uint8_t(s.get<_3DSTATE_GS::User_Clip_Distance_Clip_Test_Enable_Bitmask>()),
              uint8_t(s.get<_3DSTATE_GS::User_Clip_Distance_Cull_Test_Enable_Bitmask>())};
      break;
    case Stage::DS:
      bits = {uint8_t(s.get<_3DSTATE_DS::User_Clip_Distance_Clip_Test_Enable_Bitmask>()),
              uint8_t(s.get<_3DSTATE_DS::User_Clip_Distance_Cull_Test_Enable_Bitmask>())};
      break;
    default:
      bits = {uint8_t(s.get<_3DSTATE_VS::User_Clip_Distance_Clip_Test_Enable_Bitmask>()),
              uint8_t(s.get<_3DSTATE_VS::User_Clip_Distance_Cull_Test_Enable_Bitmask>())};
  }
  if (s.get<Clip::Force_User_Clip_Distance_Clip_Test_Enable_Bitmask>())
    bits.clip = uint8_t(s.get<Clip::User_Clip_Distance_Clip_Test_Enable_Bitmask>());
  if (s.get<Clip::Force_User_Clip_Distance_Cull_Test_Enable_Bitmask>())
    bits.cull = uint8_t(s.get<Clip::User_Clip_Distance_Cull_Test_Enable_Bitmask>());
  return bits;
}

// (Where the command was never sent, or says nothing, primitives are what they are.)
Replicas find_replicas(const GraphicsState& s) {
  using Replication = _3DSTATE_PRIMITIVE_REPLICATION;
  const auto count = unsigned(s.get<Replication::Replication_Count>()) + 1;
  if (count == 1) return {};
  return {count, uint32_t(s.get<Replication::Replica_Mask>()) & ((1u << count) - 1)};
}

VueReader find_vue_reader(const GraphicsState& s, const AttributeMap& map, unsigned replica) {
  VueReader reader;
  reader.positions = find_replicas(s).count, reader.position = 1 + replica;
  if (reader.positions > 1) {
    // Four bits a replica each.
    const uint32_t* words = s.words<_3DSTATE_PRIMITIVE_REPLICATION>();
    auto offset = [&](unsigned first) { return words[first + replica / 8] >> replica % 8 * 4 & 0xf; };
    reader.viewport_offset = offset(2), reader.layer_offset = offset(4);
  }
  reader.layer = !s.get<_3DSTATE_CLIP::Force_Zero_RTA_Index_Enable>();
  reader.most_viewports = uint32_t(s.get<_3DSTATE_CLIP::Maximum_VP_Index>());
  reader.point_size = s.get<_3DSTATE_SF::Point_Width_Source>() == _3DSTATE_SF::Point_Width_Source::Vertex;
  const DistanceBits bits = find_distances(s);
  const unsigned all = bits.clip | bits.cull;
  reader.distances[0] = all & 0x0f, reader.distances[1] = all & 0xf0;
  reader.first_attribute = 2 * map.read_offset, reader.attributes = map.vertex_attributes;
  return reader;
}

void VueReader::read(const uint32_t* vue, unsigned slots, pipeline::Vertex& vertex, float* out) const {
  if (slots > position) std::memcpy(vertex.position, vue + position * 4, 16);
  if (layer) vertex.layer = vue[1];
  if (vue[2] <= most_viewports) vertex.viewport = vue[2];
  vertex.layer += layer_offset, vertex.viewport = (vertex.viewport + viewport_offset) % 16;
  if (point_size) std::memcpy(&vertex.point_size, &vue[3], 4);
  for (unsigned n = 0; n < 2; n++)
    if (const unsigned slot = 1 + positions + n; distances[n] && slot < slots)
      std::memcpy(vertex.clip_distance + 4 * n, vue + slot * 4, 16);
  const unsigned there = std::min(attributes, slots > first_attribute ? slots - first_attribute : 0);
  if (there) std::memcpy(out, vue + first_attribute * 4, there * 16);
  if (there < attributes) std::memset(out + there * 4, 0, (attributes - there) * 16);
}

}  // namespace Atoll::dg1
