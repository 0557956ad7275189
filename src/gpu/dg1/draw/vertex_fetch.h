// The vertex fetcher: elements of four dwords each, from vertex buffers in memory and from what the GPU itself knows of a vertex. PRM
// volume 2a, 3DSTATE_VERTEX_BUFFERS, VERTEX_ELEMENT_STATE, 3DSTATE_VF_INSTANCING, 3DSTATE_VF_SGVS, 3DSTATE_VF_SGVS_2.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/dg1/draw/vertex_formats.h"
#include "gpu/dg1/state/context.h"

namespace Atoll::dg1 {

// 3DPRIMITIVE's parameters, wherever they came from.
struct DrawParameters {
  bool indexed = false;  // Vertex Access Type RANDOM
  uint32_t vertices = 0, start_vertex = 0, instances = 0, start_instance = 0;
  int32_t base_vertex = 0;
  std::array<uint32_t, 3> extended{};
};

// Found once a draw. Vertices are numbered as shaders see them (VertexID, InstanceID): by the index as the index buffer has it, or from 0
// on; instances from 0 on. The bases are added here.
class VertexFetch {
public:
  // False: the context is lost.
  bool find(Context& context, const DrawParameters& parameters);

  // The number of stored elements of four dwords each: an element that is passed through may be two, packed ones stand one behind
  // the other. The one with the edge flag is not counted.
  unsigned elements() const { return stored_; }
  bool has_edge_flags() const { return has_edge_flags_; }
  // Elements of the vertices, vertex after vertex. `edges`: whether the edge that begins there is drawn, a byte a vertex; may be null.
  // False: nothing is mapped where an element stands; `fault` says where. May be called by several threads at once.
  bool fetch(std::span<const uint32_t> numbers, std::span<const uint32_t> instances, uint32_t* out, uint8_t* edges,
             std::string& fault) const;

private:
  struct Buffer {
    uint64_t address = 0, bytes = 0;
    uint32_t pitch = 0;
    const uint8_t* memory = nullptr;  // of all of it; null: looked for element by element
  };
  // The source of a dword of an element.
  struct Component {
    enum class From : uint8_t { source, value, vertex_id, instance_id } from = From::value;
    uint32_t value = 0;  // or which dword of the source
  };
  struct Element {
    const VertexFormat* format = nullptr;
    Buffer buffer;
    uint32_t number = 0, offset = 0;
    bool instanced = false;
    uint32_t step_rate = 0;  // 0: all instances have the first one's
    bool edge_flag = false, reads = false;
    unsigned dwords = 4;        // that are stored
    uint8_t packed = 0xff;      // which of them, where elements are packed
    unsigned plain_dwords = 0;  // all of them from the source as they stand, so many; the rest are values
    std::array<Component, 8> components;
  };
  bool find_element(Context& context, unsigned n, uint32_t generated);
  static bool is_plain(const Element& element);
  template <unsigned dwords>
  void fetch_plain(const Element& element, std::span<const uint32_t> numbers, std::span<const uint32_t> instances, uint32_t* out,
                   size_t stride) const;
  bool source(const Element& element, uint32_t number, uint32_t instance, const uint8_t*& bytes, std::string& fault) const;
  void store(const Element& element, const uint8_t* bytes, uint32_t number, uint32_t instance, uint32_t* words) const;

  const AddressSpace* space_ = nullptr;
  uint32_t vertex_base_ = 0, instance_base_ = 0, number_base_ = 0;
  bool packs_ = false;
  unsigned stored_ = 0;
  bool has_edge_flags_ = false;
  std::vector<Element> elements_;
};

}  // namespace Atoll::dg1
