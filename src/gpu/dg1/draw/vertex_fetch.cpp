#include "gpu/dg1/draw/vertex_fetch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace Atoll::dg1 {

using namespace commands;

namespace {

using Control = _3D_Vertex_Component_Control;
using Buffers = _3DSTATE_VERTEX_BUFFERS::repeated;
using Elements = _3DSTATE_VERTEX_ELEMENTS::repeated;

// (Nothing is longer than four components of 64 bits.)
constexpr uint8_t zeros[32] = {};

// The components of an element that the GPU writes itself, a bit each.
struct Generated {
  unsigned element = 0, component = 0;
  bool enabled = false;
};
struct AllGenerated {
  Generated vertex_id, instance_id, extended[3];

  explicit AllGenerated(const GraphicsState& state) {
    using S = _3DSTATE_VF_SGVS;
    using T = _3DSTATE_VF_SGVS_2;
    vertex_id = of<S::VertexID_Element_Offset, S::VertexID_Component_Number, S::VertexID_Enable>(state);
    instance_id = of<S::InstanceID_Element_Offset, S::InstanceID_Component_Number, S::InstanceID_Enable>(state);
    extended[0] = of<T::XP0_Element_Offset, T::XP0_Component_Number, T::XP0_Enable>(state);
    extended[1] = of<T::XP1_Element_Offset, T::XP1_Component_Number, T::XP1_Enable>(state);
    extended[2] = of<T::XP2_Element_Offset, T::XP2_Component_Number, T::XP2_Enable>(state);
  }
  uint32_t components_of(unsigned element) const {
    uint32_t mask = 0;
    for (const Generated& g : {vertex_id, instance_id, extended[0], extended[1], extended[2]})
      if (g.enabled && g.element == element) mask |= 1u << g.component;
    return mask;
  }

private:
  template <class Element, class Component, class Enable>
  static Generated of(const GraphicsState& state) {
    return {unsigned(state.get<Element>()), unsigned(state.get<Component>()), bool(state.get<Enable>())};
  }
};

// The dwords of element `n` that are stored if elements are packed one behind the other; components of 64 bits have two each. The
// last elements are always whole (Skylake PRM volume 2a, 3DSTATE_VF_COMPONENT_PACKING, quoted in Mesa's brw_vs.cpp,
// brw_nir_pack_vs_input; IGC VertexShaderCodeGen.cpp, AllocatePayload).
uint8_t packed_dwords(const GraphicsState& state, unsigned n, unsigned words_each) {
  constexpr unsigned elements_with_enables = 32;
  if (n >= elements_with_enables) return 0xff;
  const uint32_t components = state.words<_3DSTATE_VF_COMPONENT_PACKING>()[1 + n / 8] >> n % 8 * 4 & 0xf;
  if (words_each == 1) return uint8_t(components);
  uint8_t dwords = 0;
  for (unsigned c = 0; c < 4; c++) dwords |= uint8_t((components >> c & 1) * 3u << 2 * c);
  return dwords;
}

}  // namespace

bool VertexFetch::find(Context& c, const DrawParameters& parameters) {
  const GraphicsState& state = c.graphics;
  space_ = &c.space;
  vertex_base_ = parameters.indexed ? uint32_t(parameters.base_vertex) : parameters.start_vertex;
  // (Mesa 21.3 src/gallium/drivers/swr/rasterizer/jitter/fetch_jit.h, bVertexIDOffsetEnable: Intel's own rasterizer, of this state)
  number_base_ = state.get<_3DSTATE_VF::VertexID_Offset_Enable>() ? vertex_base_ : 0;
  instance_base_ = parameters.start_instance;
  elements_.clear(), stored_ = 0, has_edge_flags_ = false;
  packs_ = state.get<_3DSTATE_VF::Component_Packing_Enable>();
  const AllGenerated generated(state);
  const uint32_t dwords = state.dwords<_3DSTATE_VERTEX_ELEMENTS>();
  const unsigned count = dwords > 1 ? (dwords - 1) / Elements::dwords : 0;
  elements_.reserve(count);
  for (unsigned n = 0; n < count; n++)
    if (state.get<Elements::Element_Valid>(n) && !find_element(c, n, generated.components_of(n))) return false;
  auto put = [&](const Generated& g, Component what, const char* name) {
    if (!g.enabled) return true;
    auto element = std::ranges::find(elements_, g.element, &Element::number);
    if (element == elements_.end())
      return c.lose(fmt::format("{} goes to vertex element {}, which is not valid", name, g.element));
    element->components[g.component] = what;
    return true;
  };
  using From = Component::From;
  if (packs_) {
    unsigned dwords_stored = 0;
    for (const Element& e : elements_)
      if (!e.edge_flag) dwords_stored += unsigned(std::popcount(unsigned(e.packed) & ((1u << e.dwords) - 1)));
    stored_ = (dwords_stored + 3) / 4;
  }
  const bool start = state.get<_3DSTATE_VF_SGVS_2::XP0_Source_Select>() == _3DSTATE_VF_SGVS_2::XP0_Source_Select::VERTEX_LOCATION;
  const bool start_instance =
      state.get<_3DSTATE_VF_SGVS_2::XP1_Source_Select>() == _3DSTATE_VF_SGVS_2::XP1_Source_Select::Starting_Instance_Location;
  return put(generated.vertex_id, {From::vertex_id, 0}, "3DSTATE_VF_SGVS.VertexID") &&
         put(generated.instance_id, {From::instance_id, 0}, "3DSTATE_VF_SGVS.InstanceID") &&
         put(generated.extended[0], {From::value, start ? vertex_base_ : parameters.extended[0]}, "3DSTATE_VF_SGVS_2.XP0") &&
         put(generated.extended[1], {From::value, start_instance ? instance_base_ : parameters.extended[1]},
             "3DSTATE_VF_SGVS_2.XP1") &&
         put(generated.extended[2], {From::value, parameters.extended[2]}, "3DSTATE_VF_SGVS_2.XP2");
}

bool VertexFetch::find_element(Context& c, unsigned n, uint32_t generated) {
  const GraphicsState& state = c.graphics;
  Element e;
  e.number = n;
  const auto format = uint32_t(state.get<Elements::Element_Source_Element_Format>(n));
  e.format = find_vertex_format(format);
  e.offset = uint32_t(state.get<Elements::Element_Source_Element_Offset>(n));
  e.edge_flag = state.get<Elements::Element_Edge_Flag_Enable>(n);
  e.instanced = state.get<_3DSTATE_VF_INSTANCING::Instancing_Enable>(n);
  e.step_rate = uint32_t(state.get<_3DSTATE_VF_INSTANCING::Instance_Data_Step_Rate>(n));

  // Components take those of the source in turn: one that is another value, or that the GPU writes, takes none (PRM volume 2b,
  // 3D_Vertex_Component_Control, VFCOMP_STORE_SRC). Components of formats that are passed through have 64 bits each, and the
  // element has 256 if one of the upper two is stored (the same, VFCOMP_NOSTORE).
  const uint64_t controls[] = {
      state.get<Elements::Element_Component_0_Control>(n), state.get<Elements::Element_Component_1_Control>(n),
      state.get<Elements::Element_Component_2_Control>(n), state.get<Elements::Element_Component_3_Control>(n)};
  const unsigned words = e.format && e.format->is_passed_through() ? 2 : 1;
  unsigned source = 0;
  for (unsigned component = 0; component < 4; component++) {
    uint32_t value = 0;
    switch (controls[component]) {
      case Control::VFCOMP_STORE_SRC:
        if (generated >> component & 1 && words == 1) continue;
        for (unsigned w = 0; w < words; w++) e.components[component * words + w] = {Component::From::source, source * words + w};
        source++, e.reads = true;
        continue;
      case Control::VFCOMP_STORE_1_FP: value = std::bit_cast<uint32_t>(1.0f); break;
      case Control::VFCOMP_STORE_1_INT: value = 1; break;
      case Control::VFCOMP_STORE_0:
      case Control::VFCOMP_NOSTORE: break;
      default:
        return c.lose(fmt::format("VERTEX_ELEMENT_STATE {}: component control {} is not executed", n, controls[component]));
    }
    e.components[component * words].value = value;
  }
  if (words == 2 && (controls[2] != Control::VFCOMP_NOSTORE || controls[3] != Control::VFCOMP_NOSTORE)) e.dwords = 8;
  if (e.reads) {
    if (!e.format) return c.lose(fmt::format("VERTEX_ELEMENT_STATE {}: vertices have no format {:#x}", n, format));
    if (e.format->is_plain()) {
      unsigned leading = 0;
      while (leading < 4 && e.format->bits[leading] && e.components[leading].from == Component::From::source) leading++;
      if (leading == source) e.plain_dwords = leading;
    }
    const auto number = unsigned(state.get<Elements::Element_Vertex_Buffer_Index>(n));
    if (!state.get<Buffers::Vertex_Buffer_State_Null_Vertex_Buffer>(number)) {
      e.buffer.address = stripped(state.get<Buffers::Vertex_Buffer_State_Buffer_Starting_Address>(number));
      e.buffer.bytes = state.get<Buffers::Vertex_Buffer_State_Buffer_Size>(number);
    }
    e.buffer.pitch = uint32_t(state.get<Buffers::Vertex_Buffer_State_Buffer_Pitch>(number));
    if (e.buffer.bytes && space_->contains(e.buffer.address, e.buffer.bytes)) e.buffer.memory = space_->host(e.buffer.address);
  }
  if (packs_) e.packed = packed_dwords(state, n, words);
  if (!e.edge_flag) stored_ += e.dwords / 4;
  has_edge_flags_ |= e.edge_flag;
  elements_.push_back(e);
  return true;
}

// Data beyond the buffer's end read as 0.
bool VertexFetch::source(const Element& e, uint32_t number, uint32_t instance, const uint8_t*& bytes, std::string& fault) const {
  uint32_t at = number + vertex_base_;
  if (e.instanced) at = instance_base_ + (e.step_rate ? instance / e.step_rate : 0);
  const uint64_t first = uint64_t(at) * e.buffer.pitch + e.offset;
  bytes = zeros;
  if (first + e.format->bytes() > e.buffer.bytes) return true;
  if (!e.buffer.memory && !space_->contains(e.buffer.address + first, e.format->bytes())) {
    fault = fmt::format("vertex element {}: {} bytes of {} {} at {:#x} are not mapped", e.number, e.format->bytes(),
                        e.instanced ? "instance" : "vertex", at, e.buffer.address + first);
    return false;
  }
  bytes = e.buffer.memory ? e.buffer.memory + first : space_->host(e.buffer.address + first);
  return true;
}

void VertexFetch::store(const Element& e, const uint8_t* bytes, uint32_t number, uint32_t instance, uint32_t* words) const {
  std::array<uint32_t, 8> source{};
  if (e.reads && !e.plain_dwords) source = convert_vertex(*e.format, bytes);
  if (e.plain_dwords) std::memcpy(words, bytes, e.plain_dwords * 4);
  for (unsigned n = e.plain_dwords; n < e.dwords; n++) {
    const Component& component = e.components[n];
    switch (component.from) {
      case Component::From::source: words[n] = source[component.value]; break;
      case Component::From::value: words[n] = component.value; break;
      case Component::From::vertex_id: words[n] = number + number_base_; break;
      case Component::From::instance_id: words[n] = instance; break;
    }
  }
}

// One element of all vertices, whose words stand whole from `out` on, `stride` apart, as they are in a buffer all of which is mapped.
template <unsigned dwords>
void VertexFetch::fetch_plain(const Element& e, std::span<const uint32_t> numbers, std::span<const uint32_t> instances,
                              uint32_t* out, size_t stride) const {
  constexpr unsigned all = 4;
  const uint64_t bytes = e.format->bytes(), size = e.buffer.bytes, pitch = e.buffer.pitch;
  for (size_t v = 0; v < numbers.size(); v++, out += stride) {
    uint32_t at = numbers[v] + vertex_base_;
    if (e.instanced) at = instance_base_ + (e.step_rate ? instances[v] / e.step_rate : 0);
    const uint64_t first = at * pitch + e.offset;
    std::memcpy(out, first + bytes > size ? zeros : e.buffer.memory + first, dwords * 4);
    for (unsigned n = dwords; n < all; n++) out[n] = e.components[n].value;
  }
}
bool VertexFetch::is_plain(const Element& e) {
  const auto is_value = [](const Component& c) { return c.from == Component::From::value; };
  return e.plain_dwords && e.dwords == 4 && e.buffer.memory &&
         std::all_of(e.components.begin() + e.plain_dwords, e.components.begin() + 4, is_value);
}

bool VertexFetch::fetch(std::span<const uint32_t> numbers, std::span<const uint32_t> instances, uint32_t* out, uint8_t* edges,
                        std::string& fault) const {
  if (!packs_ && !has_edge_flags_ && std::ranges::all_of(elements_, is_plain)) {
    if (edges) std::fill_n(edges, numbers.size(), uint8_t(1));
    const size_t stride = size_t(stored_) * 4;
    for (const Element& e : elements_) {
      switch (e.plain_dwords) {
        case 1: fetch_plain<1>(e, numbers, instances, out, stride); break;
        case 2: fetch_plain<2>(e, numbers, instances, out, stride); break;
        case 3: fetch_plain<3>(e, numbers, instances, out, stride); break;
        default: fetch_plain<4>(e, numbers, instances, out, stride); break;
      }
      out += 4;
    }
    return true;
  }
  for (size_t v = 0; v < numbers.size(); v++) {
    if (edges) edges[v] = 1;
    uint32_t* const next = out + size_t(stored_) * 4;
    for (const Element& e : elements_) {
      if (e.edge_flag && !edges) continue;
      const uint8_t* bytes = zeros;
      if (e.reads && !source(e, numbers[v], instances[v], bytes, fault)) return false;
      if (e.edge_flag || packs_) {
        uint32_t words[8];
        store(e, bytes, numbers[v], instances[v], words);
        if (e.edge_flag) {
          edges[v] = words[0] != 0;
          continue;
        }
        for (unsigned n = 0; n < e.dwords; n++)
          if (e.packed >> n & 1) *out++ = words[n];
        continue;
      }
      store(e, bytes, numbers[v], instances[v], out);
      out += e.dwords;
    }
    std::fill(out, next, 0);  // (a rest of the last slot)
    out = next;
  }
  return true;
}

}  // namespace Atoll::dg1
