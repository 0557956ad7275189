#include "gpu/dg1/draw/attributes.h"

#include <algorithm>
#include <array>

namespace Atoll::dg1 {

using namespace commands;

namespace {

using Sbe = _3DSTATE_SBE;
using Swizzles = _3DSTATE_SBE_SWIZ;
constexpr unsigned swizzled_attributes = 16;

// 3DSTATE_SBE_SWIZ with attribute n's 16 bits where those of attribute 0 stand.
std::array<uint32_t, Swizzles::dwords> swizzle_words(const GraphicsState& state, unsigned n) {
  std::array<uint32_t, Swizzles::dwords> words{};
  words[1] = state.words<Swizzles>()[1 + n / 2] >> n % 2 * 16 & 0xffff;
  return words;
}

// Entry n is that of attribute n, or of the one behind by 16 (its Swizzle Control Mode).
void swizzle(const GraphicsState& state, unsigned n, PixelInput& input) {
  const auto words = swizzle_words(state, n % swizzled_attributes);
  const uint32_t* w = words.data();
  if (bool(Swizzles::Attribute_0_Swizzle_Control_Mode::get(w)) != (n >= swizzled_attributes)) return;
  using Select = Swizzles::Attribute_0_Swizzle_Select;
  input.front = input.back = uint8_t(Swizzles::Attribute_0_Source_Attribute::get(w));
  // The attribute behind it is that of back faces.
  const uint32_t select = Select::get(w);
  if (select == Select::INPUTATTR_FACING || select == Select::INPUTATTR_FACING_W) input.back++;
  input.x_is_w = select == Select::INPUTATTR_W || select == Select::INPUTATTR_FACING_W;
  input.overridden =
      uint8_t(Swizzles::Attribute_0_Component_Override_X::get(w) | Swizzles::Attribute_0_Component_Override_Y::get(w) << 1 |
              Swizzles::Attribute_0_Component_Override_Z::get(w) << 2 | Swizzles::Attribute_0_Component_Override_W::get(w) << 3);
  input.value = PixelInput::Value(Swizzles::Attribute_0_Constant_Source::get(w));
}

// The part of a vertex that SBE reads when it does not say so itself: the output that the last enabled stage declares.
template <class Field>
unsigned of_last_stage(const GraphicsState& state) {
  if (state.get<_3DSTATE_GS::Enable>()) return unsigned(state.get<typename Field::Gs>());
  if (state.get<_3DSTATE_DS::Enable>()) return unsigned(state.get<typename Field::Ds>());
  return unsigned(state.get<typename Field::Vs>());
}
struct OutputOffset {
  using Vs = _3DSTATE_VS::Vertex_URB_Entry_Output_Read_Offset;
  using Ds = _3DSTATE_DS::Vertex_URB_Entry_Output_Read_Offset;
  using Gs = _3DSTATE_GS::Vertex_URB_Entry_Output_Read_Offset;
};
struct OutputLength {
  using Vs = _3DSTATE_VS::Vertex_URB_Entry_Output_Length;
  using Ds = _3DSTATE_DS::Vertex_URB_Entry_Output_Length;
  using Gs = _3DSTATE_GS::Vertex_URB_Entry_Output_Length;
};

}  // namespace

AttributeMap find_attributes(const GraphicsState& state) {
  AttributeMap map;
  map.read_offset = state.get<Sbe::Force_Vertex_URB_Entry_Read_Offset>()
                        ? unsigned(state.get<Sbe::Vertex_URB_Entry_Read_Offset>())
                        : of_last_stage<OutputOffset>(state);
  const unsigned pairs = state.get<Sbe::Force_Vertex_URB_Entry_Read_Length>()
                             ? unsigned(state.get<Sbe::Vertex_URB_Entry_Read_Length>())
                             : of_last_stage<OutputLength>(state);
  constexpr unsigned most = 32;
  map.vertex_attributes = std::min(pairs * 2, most);
  map.sprite_origin_lower_left =
      state.get<Sbe::Point_Sprite_Texture_Coordinate_Origin>() == Sbe::Point_Sprite_Texture_Coordinate_Origin::LOWERLEFT;
  const bool swizzles = state.get<Sbe::Attribute_Swizzle_Enable>();
  const uint32_t constant = uint32_t(state.get<Sbe::Constant_Interpolation_Enable>()),
                 sprites = uint32_t(state.get<Sbe::Point_Sprite_Texture_Coordinate_Enable>());
  map.inputs.resize(std::min(unsigned(state.get<Sbe::Number_of_SF_Output_Attributes>()), most));
  for (unsigned n = 0; n < map.inputs.size(); n++) {
    PixelInput& input = map.inputs[n];
    input.front = input.back = uint8_t(n);
    if (swizzles) swizzle(state, n, input);
    input.constant = constant >> n & 1;
    // (Whether attributes are swizzled says nothing of it: Sandy Bridge PRM volume 2 part 1, Attribute Swizzle Enable.)
    if (n < swizzled_attributes && !input.constant) input.wrapped = state.words<Swizzles>()[9 + n / 8] >> n % 8 * 4 & 0xf;
    input.point_sprite = sprites >> n & 1;
  }
  const auto of_primitive = uint8_t(
      state.get<Sbe::Primitive_ID_Override_Component_X>() | state.get<Sbe::Primitive_ID_Override_Component_Y>() << 1 |
      state.get<Sbe::Primitive_ID_Override_Component_Z>() << 2 | state.get<Sbe::Primitive_ID_Override_Component_W>() << 3);
  const auto select = unsigned(state.get<Sbe::Primitive_ID_Override_Attribute_Select>());
  if (of_primitive && select < map.inputs.size()) {
    map.inputs[select].overridden = of_primitive;
    map.inputs[select].value = PixelInput::Value::PRIM_ID;
  }
  return map;
}

}  // namespace Atoll::dg1
