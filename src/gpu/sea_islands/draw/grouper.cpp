#include "gpu/sea_islands/draw/grouper.h"

#include <algorithm>
#include <bit>

#include "gpu/sea_islands/state/field_lists.h"

namespace Atoll::sea_islands {
namespace {

using pipeline::Topology;
using Primitive = VGT_GROUP_PRIM_TYPE::PRIM_TYPE;
using Order = VGT_GROUP_PRIM_TYPE::PRIM_ORDER;
using Path = VGT_OUTPUT_PATH_CNTL::PATH_SELECT;

struct TopologyRow {
  uint32_t type, order;
  Topology topology;
  Topology kept;  // where groups keep their order: strips of what follows each other
  uint32_t corners, step;
};
constexpr TopologyRow topologies[] = {
    {Primitive::VGT_GRP_3D_POINT, Order::VGT_GRP_LIST, Topology::points, Topology::points, 1, 1},
    {Primitive::VGT_GRP_3D_LINE, Order::VGT_GRP_LIST, Topology::lines, Topology::lines, 2, 2},
    {Primitive::VGT_GRP_3D_LINE, Order::VGT_GRP_STRIP, Topology::line_strip, Topology::line_strip, 2, 1},
    {Primitive::VGT_GRP_3D_LINE, Order::VGT_GRP_LOOP, Topology::line_loop, Topology::line_strip, 2, 1},
    {Primitive::VGT_GRP_3D_TRI, Order::VGT_GRP_LIST, Topology::triangles, Topology::triangles, 3, 3},
    {Primitive::VGT_GRP_3D_TRI, Order::VGT_GRP_STRIP, Topology::triangle_strip, Topology::triangle_strip, 3, 1},
    {Primitive::VGT_GRP_3D_TRI, Order::VGT_GRP_FAN, Topology::triangle_fan, Topology::triangle_strip, 3, 1},
    {Primitive::VGT_GRP_3D_TRI, Order::VGT_GRP_POLYGON, Topology::polygon, Topology::triangle_strip, 0, 1},
    {Primitive::VGT_GRP_3D_RECT, Order::VGT_GRP_LIST, Topology::rectangles, Topology::rectangles, 3, 3},
    {Primitive::VGT_GRP_3D_QUAD, Order::VGT_GRP_LIST, Topology::quads, Topology::quads, 4, 4},
    {Primitive::VGT_GRP_3D_QUAD, Order::VGT_GRP_STRIP, Topology::quad_strip, Topology::quad_strip, 4, 2},
    {Primitive::VGT_GRP_2D_LINE, Order::VGT_GRP_LIST, Topology::lines, Topology::lines, 2, 2},
    {Primitive::VGT_GRP_2D_LINE, Order::VGT_GRP_STRIP, Topology::line_strip, Topology::line_strip, 2, 1},
    {Primitive::VGT_GRP_2D_TRI, Order::VGT_GRP_LIST, Topology::triangles, Topology::triangles, 3, 3},
    {Primitive::VGT_GRP_2D_TRI, Order::VGT_GRP_STRIP, Topology::triangle_strip, Topology::triangle_strip, 3, 1},
    {Primitive::VGT_GRP_3D_LINE_ADJ, Order::VGT_GRP_LIST, Topology::lines_adjacency, Topology::lines_adjacency, 4, 4},
    {Primitive::VGT_GRP_3D_LINE_ADJ, Order::VGT_GRP_STRIP, Topology::line_strip_adjacency, Topology::line_strip_adjacency, 4, 1},
    {Primitive::VGT_GRP_3D_TRI_ADJ, Order::VGT_GRP_LIST, Topology::triangles_adjacency, Topology::triangles_adjacency, 6, 6},
    {Primitive::VGT_GRP_3D_TRI_ADJ, Order::VGT_GRP_STRIP, Topology::triangle_strip_adjacency, Topology::triangle_strip_adjacency,
     6, 2},
    {Primitive::VGT_GRP_3D_PATCH, Order::VGT_GRP_LIST, Topology::patches, Topology::patches, 0, 1},
};

template <class R>
using Enables = FieldList<typename R::COMP_X_EN, typename R::COMP_Y_EN, typename R::COMP_Z_EN, typename R::COMP_W_EN>;
template <class R>
using Conversions = FieldList<typename R::X_CONV, typename R::Y_CONV, typename R::Z_CONV, typename R::W_CONV>;
template <class R>
using Offsets = FieldList<typename R::X_OFFSET, typename R::Y_OFFSET, typename R::Z_OFFSET, typename R::W_OFFSET>;

bool fits(uint32_t path, const StageSelection& stages) {
  if (stages.tessellation) return path == Path::VGT_OUTPATH_HS_BLOCK;
  if (stages.geometry) return path == Path::VGT_OUTPATH_GS_BLOCK;
  return path == Path::VGT_OUTPATH_VTX_REUSE || path == Path::VGT_OUTPATH_PASSTHRU;
}

}  // namespace

bool Grouper::Vector::used() const {
  return std::ranges::any_of(component, [](const Component& c) { return c.enabled; });
}

template <class Control, class Format>
Grouper::Vector Grouper::vector_of(const RegisterFile& r) {
  const auto control = r.read<Control>();
  const auto format = r.read<Format>();
  Vector v;
  for (unsigned c = 0; c < 4; c++)
    v.component[c] = {Enables<Control>::get(control, c) != 0, uint8_t(Conversions<Format>::get(format, c)),
                      uint8_t(Offsets<Format>::get(format, c))};
  v.stride = Control::STRIDE::get(control);
  v.shift = std::min(v.stride, Control::SHIFT::get(control));  // more is not allowed
  return v;
}

bool Grouper::prepare(RegisterContext& context, const StageSelection& stages, pipeline::Draw& draw) {
  const RegisterFile& r = context.registers;
  const auto type = r.read<VGT_GROUP_PRIM_TYPE>();
  const uint32_t primitive = Primitive::get(type), order = Order::get(type), path = r.get<Path>();
  auto none = [&](std::string what) {
    context.unknown(std::move(what));
    return false;
  };
  const auto row = std::ranges::find_if(topologies, [&](auto& t) { return t.type == primitive && t.order == order; });
  if (row == std::end(topologies))
    return none(fmt::format("VGT_GROUP_PRIM_TYPE.PRIM_TYPE {} in PRIM_ORDER {}", primitive, order));
  if (!fits(path, stages)) return none(fmt::format("VGT_OUTPUT_PATH_CNTL.PATH_SELECT {} with the draw's stages", path));
  // The pass-through path keeps no first vertex, but has its strips turned (VGT_GROUP_PRIM_TYPE).
  const bool passes = path == Path::VGT_OUTPATH_PASSTHRU;
  if (passes && order != Order::VGT_GRP_LIST && order != Order::VGT_GRP_STRIP)
    return none(fmt::format("VGT_GROUP_PRIM_TYPE.PRIM_ORDER {} on a path that keeps no vertex", order));
  if (draw.assembly.restart) context.unknown("VGT_MULTI_PRIM_IB_RESET_EN in a draw by VGT_GROUP registers");
  const bool keeps = VGT_GROUP_PRIM_TYPE::RETAIN_ORDER::get(type) && !(passes && row->topology == Topology::triangle_strip);
  draw.assembly.topology = keeps ? row->kept : row->topology;
  draw.assembly.strips_keep_order = keeps;
  corners_ = row->corners, step_ = row->step;
  if (row->topology == Topology::patches) corners_ = step_ = r.get<VGT_LS_HS_CONFIG::HS_NUM_INPUT_CP>();

  vector_ = {vector_of<VGT_GROUP_VECT_0_CNTL, VGT_GROUP_VECT_0_FMT_CNTL>(r),
             vector_of<VGT_GROUP_VECT_1_CNTL, VGT_GROUP_VECT_1_FMT_CNTL>(r)};
  for (const Vector& v : vector_)
    for (const Component& c : v.component)
      if (c.enabled && c.conversion > VGT_GROUP_CONV_SEL::VGT_GRP_FIX_1_23_TO_FLOAT)
        return none(fmt::format("conversion {} of a component of a group", c.conversion));

  const uint32_t first = r.get<VGT_GROUP_FIRST_DECR::FIRST_DECR>(), each = r.get<VGT_GROUP_DECR::DECR>();
  stream_ = draw.vertices;
  if (stream_.count > first && !each) return none("VGT_GROUP_DECR.DECR 0: the draw would not end");
  // The first group, and those for which there is enough left.
  const uint64_t groups = stream_.count < first ? 0 : 1 + (each ? (stream_.count - first) / each : 0);
  draw.vertices = {.count = uint32_t(std::min<uint64_t>(groups, ~0u)),
                   .instances = stream_.instances,
                   .first_instance = stream_.first_instance};
  return true;
}

// The stream is of indices as they come, or of numbers of 32 bits from 0 on.
uint32_t Grouper::word(uint64_t at) const {
  if (stream_.index_bytes == 2) return pipeline::raw_index(stream_, at);
  return pipeline::raw_index(stream_, at / 2) >> at % 2 * 16 & 0xffff;
}

uint32_t Grouper::primitives_before(uint32_t group) const {
  if (!corners_ || group < corners_) return 0;
  return (group - corners_) / step_ + 1;
}

uint32_t Grouper::value(const Vector& vector, const Component& component, uint64_t at, uint32_t group) const {
  using Conversion = VGT_GROUP_CONV_SEL;
  // Words at the vector's stride and beyond are none of its.
  auto own = [&](unsigned n) { return component.offset + n < vector.stride ? word(at + component.offset + n) : 0; };
  auto dword = [&] { return own(0) | own(1) << 16; };
  auto as_float = [](auto number) { return std::bit_cast<uint32_t>(float(number)); };
  switch (component.conversion) {
    case Conversion::VGT_GRP_INDEX_16: return pipeline::vertex_number(stream_, own(0));
    case Conversion::VGT_GRP_INDEX_32: return pipeline::vertex_number(stream_, dword() & 0xffffff);
    case Conversion::VGT_GRP_UINT_16: return as_float(own(0));
    case Conversion::VGT_GRP_UINT_32: return as_float(dword());
    case Conversion::VGT_GRP_SINT_16: return as_float(int16_t(own(0)));
    case Conversion::VGT_GRP_SINT_32: return as_float(int32_t(dword()));
    case Conversion::VGT_GRP_FLOAT_32: return dword();
    case Conversion::VGT_GRP_AUTO_PRIM: return primitives_before(group) & 0xffffff;
    default: return 0;  // a place in a patch of the older tessellator, which this vertex is not from
  }
}

void Grouper::load(wave::Wave& wave, std::span<const uint32_t> numbers, unsigned vgprs) const {
  using namespace gfx7;
  const bool second = vector_[1].used();
  const uint64_t step = uint64_t(vector_[0].shift) + (second ? vector_[1].shift : 0);
  for (unsigned v = 0; v < 2; v++)
    for (unsigned c = 0; c < 4; c++) {
      const Component& component = vector_[v].component[c];
      if ((v == 0 && c >= vgprs) || (!component.enabled && v + c > 0)) continue;
      uint32_t* lanes = words_of(wave, vgpr_cell(4 * v + c));
      for (size_t n = 0; n < numbers.size(); n++) {
        const uint64_t at = numbers[n] * step + (v ? vector_[0].shift : 0);
        lanes[n] = component.enabled ? value(vector_[v], component, at, numbers[n]) : 0;
      }
    }
}

}  // namespace Atoll::sea_islands
