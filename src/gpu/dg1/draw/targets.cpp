// PRM volume 2a, RENDER_SURFACE_STATE, 3DSTATE_DEPTH_BUFFER, 3DSTATE_STENCIL_BUFFER; places of levels and samples: Mesa 22.3.6
// isl_gfx12.c (isl_gfx12_choose_image_alignment_el), isl_emit_depth_stencil.c; which formats can be drawn into: isl_format.c
// (format_info, column RT, up to 12.0).
#include "gpu/dg1/draw/targets.h"

#include <algorithm>
#include <bit>

#include "gpu/dg1/draw/pixel_payload.h"
#include "gpu/dg1/draw/raster_state.h"
#include "gpu/dg1/threads/images.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using Name = SURFACE_FORMAT;

constexpr uint32_t target_formats[] = {Name::R32G32B32A32_FLOAT,
                                       Name::R32G32B32A32_SINT,
                                       Name::R32G32B32A32_UINT,
                                       Name::R32G32B32X32_FLOAT,
                                       Name::R16G16B16A16_UNORM,
                                       Name::R16G16B16A16_SNORM,
                                       Name::R16G16B16A16_SINT,
                                       Name::R16G16B16A16_UINT,
                                       Name::R16G16B16A16_FLOAT,
                                       Name::R32G32_FLOAT,
                                       Name::R32G32_SINT,
                                       Name::R32G32_UINT,
                                       Name::R16G16B16X16_FLOAT,
                                       Name::B8G8R8A8_UNORM,
                                       Name::B8G8R8A8_UNORM_SRGB,
                                       Name::R10G10B10A2_UNORM,
                                       Name::R10G10B10A2_UINT,
                                       Name::R8G8B8A8_UNORM,
                                       Name::R8G8B8A8_UNORM_SRGB,
                                       Name::R8G8B8A8_SNORM,
                                       Name::R8G8B8A8_SINT,
                                       Name::R8G8B8A8_UINT,
                                       Name::R16G16_UNORM,
                                       Name::R16G16_SNORM,
                                       Name::R16G16_SINT,
                                       Name::R16G16_UINT,
                                       Name::R16G16_FLOAT,
                                       Name::B10G10R10A2_UNORM,
                                       Name::B10G10R10A2_UNORM_SRGB,
                                       Name::R11G11B10_FLOAT,
                                       Name::R32_SINT,
                                       Name::R32_UINT,
                                       Name::R32_FLOAT,
                                       Name::B8G8R8X8_UNORM,
                                       Name::B8G8R8X8_UNORM_SRGB,
                                       Name::B5G6R5_UNORM,
                                       Name::B5G6R5_UNORM_SRGB,
                                       Name::B5G5R5A1_UNORM,
                                       Name::B5G5R5A1_UNORM_SRGB,
                                       Name::B4G4R4A4_UNORM,
                                       Name::B4G4R4A4_UNORM_SRGB,
                                       Name::R8G8_UNORM,
                                       Name::R8G8_SNORM,
                                       Name::R8G8_SINT,
                                       Name::R8G8_UINT,
                                       Name::R16_UNORM,
                                       Name::R16_SNORM,
                                       Name::R16_SINT,
                                       Name::R16_UINT,
                                       Name::R16_FLOAT,
                                       Name::B5G5R5X1_UNORM,
                                       Name::B5G5R5X1_UNORM_SRGB,
                                       Name::A1B5G5R5_UNORM,
                                       Name::A4B4G4R4_UNORM,
                                       Name::R8_UNORM,
                                       Name::R8_SNORM,
                                       Name::R8_SINT,
                                       Name::R8_UINT,
                                       Name::A8_UNORM};

// The same surface as its one level and layers are drawn into. One dimension and volumes stay so, for their layouts. Compression
// means nothing here, nor does an MCS: each sample has a place of its own.
SurfaceWords as_layers(SurfaceWords w) {
  using S = SurfaceState;
  if (S::Surface_Type::get(w) == SurfaceType::SURFTYPE_CUBE) S::Surface_Type::set(w, SurfaceType::SURFTYPE_2D);
  S::Surface_Array::set(w, 1);
  S::Depth::set(w, S::Render_Target_View_Extent::get(w));
  S::Surface_Min_LOD::set(w, S::MIP_Count_LOD::get(w)), S::MIP_Count_LOD::set(w, 0);
  S::Auxiliary_Surface_Mode::set(w, AuxiliaryMode::AUX_NONE);
  return w;
}

// A depth or stencil buffer's command as a surface state. Alignments are those of its format.
template <class Command, class Lod, class Tiles>
SurfaceWords state_of_buffer(const GraphicsState& g, uint32_t format, uint32_t halign, uint32_t valign) {
  using S = SurfaceState;
  SurfaceWords w{};
  S::Surface_Type::set(w, SurfaceType::SURFTYPE_2D);
  S::Surface_Format::set(w, format);
  S::Tile_Mode::set(w, TileMode::YMAJOR);
  S::Surface_Horizontal_Alignment::set(w, uint32_t(std::countr_zero(halign)) - 1);
  S::Surface_Vertical_Alignment::set(w, uint32_t(std::countr_zero(valign)) - 1);
  S::Surface_QPitch::set(w, g.get<typename Command::Surface_QPitch>());
  S::Width::set(w, g.get<typename Command::Width>()), S::Height::set(w, g.get<typename Command::Height>());
  S::Surface_Pitch::set(w, g.get<typename Command::Surface_Pitch>());
  S::Minimum_Array_Element::set(w, g.get<typename Command::Minimum_Array_Element>());
  S::Render_Target_View_Extent::set(w, g.get<typename Command::Render_Target_View_Extent>());
  S::MIP_Count_LOD::set(w, g.get<Lod>());
  S::Tiled_Resource_Mode::set(w, g.get<Tiles>()), S::Mip_Tail_Start_LOD::set(w, g.get<typename Command::Mip_Tail_Start_LOD>());
  S::Number_of_Multisamples::set(w, uint32_t(std::countr_zero(samples_of(g))));
  S::Multisampled_Surface_Storage_Format::set(w, S::Multisampled_Surface_Storage_Format::MSFMT_DEPTH_STENCIL);
  S::Surface_Base_Address::set(w, g.get<typename Command::Surface_Base_Address>());
  S::Shader_Channel_Select_Red::set(w, ChannelSelect::RED), S::Shader_Channel_Select_Green::set(w, ChannelSelect::GREEN);
  S::Shader_Channel_Select_Blue::set(w, ChannelSelect::BLUE), S::Shader_Channel_Select_Alpha::set(w, ChannelSelect::ALPHA);
  return w;
}

// Nothing: there is none.
std::optional<SurfaceWords> depth_buffer(Context& context, unsigned& bits) {
  const GraphicsState& g = context.graphics;
  using Buffer = _3DSTATE_DEPTH_BUFFER;
  const uint32_t type = g.get<Buffer::Surface_Type>();
  if (type == Buffer::Surface_Type::SURFTYPE_NULL || !g.dwords<Buffer>()) return {};
  const uint32_t format = g.get<Buffer::Surface_Format>();
  uint32_t of_state = 0;
  switch (format) {
    case Buffer::Surface_Format::D32_FLOAT: bits = 32, of_state = Name::R32_FLOAT; break;
    case Buffer::Surface_Format::D24_UNORM_X8_UINT: bits = 24, of_state = Name::R24_UNORM_X8_TYPELESS; break;
    case Buffer::Surface_Format::D16_UNORM: bits = 16, of_state = Name::R16_UNORM; break;
    default: context.lose(fmt::format("3DSTATE_DEPTH_BUFFER.Surface Format {}: there is no such value", format)); return {};
  }
  const unsigned samples = samples_of(g);
  const bool narrow = bits == 16 && samples != 2 && samples != 8;
  return state_of_buffer<Buffer, Buffer::LOD, Buffer::Tiled_Resource_Mode>(g, of_state, bits == 16 && !narrow ? 16 : 8,
                                                                           narrow ? 8 : 4);
}

std::optional<SurfaceWords> stencil_buffer(Context& context) {
  const GraphicsState& g = context.graphics;
  using Buffer = _3DSTATE_STENCIL_BUFFER;
  if (g.get<Buffer::Surface_Type>() == Buffer::Surface_Type::SURFTYPE_NULL || !g.dwords<Buffer>()) return {};
  return state_of_buffer<Buffer, Buffer::Surf_LOD, Buffer::Tiled_Mode>(g, Name::R8_UINT, 16, 8);
}

// The area and samples that all have; layers that any has.
void include(pipeline::Targets& t, unsigned width, unsigned height, unsigned layers) {
  t.width = t.width ? std::min(t.width, width) : width;
  t.height = t.height ? std::min(t.height, height) : height;
  t.layers = std::max(t.layers, layers);
}

}  // namespace

bool TargetCache::make_room(Context& context) {
  if (entries_.size() < most) return true;
  // (what the pipeline has cached names planes)
  if (context.workers && !pipeline::write_back(*context.workers)) return false;
  entries_.clear();
  return true;
}

bool TargetCache::find(Context& context, const SurfaceWords& words, const char* what, PlaneTarget*& plane) {
  plane = nullptr;
  if (SurfaceState::Surface_Type::get(words) == SurfaceType::SURFTYPE_NULL) return true;
  auto found = entries_.find(words);
  if (found == entries_.end()) {
    if (SurfaceState::Surface_Type::get(words) >= SurfaceType::SURFTYPE_BUFFER)
      return context.lose(
          fmt::format("{}: surface type {} cannot be drawn into", what, uint32_t(SurfaceState::Surface_Type::get(words))));
    if (const uint32_t turned = SurfaceState::Render_Target_And_Sample_Unorm_Rotation::get(words))
      return context.lose(fmt::format("{}: Render Target And Sample Unorm Rotation {} is not executed", what, turned));
    has_samples_ |= SurfaceState::Number_of_Multisamples::get(words) > 0;
    const SurfaceWords layers = as_layers(words);
    auto surface = image_surface(layers, View::layers);
    if (!surface) return context.lose(fmt::format("{}: {}", what, surface.error().message));
    const uint64_t address = stripped(surface->address);
    uint8_t* memory = context.memory(address, surface->bytes, true, what);
    if (!memory) return false;
    const unsigned level = surface->description.first_level;
    auto texture = surface::Texture::make(surface->description, memory, surface->bytes);
    if (!texture) return context.lose(fmt::format("{}: {}", what, texture.error().message));
    const auto size = texture->size(level);
    found = entries_.emplace(words, Entry{}).first;
    found->second = {std::make_unique<PlaneTarget>(std::move(*texture), size.width, size.height, level,
                                                   pipeline::MemoryRange{memory, surface->bytes}),
                     address, surface->bytes};
  } else if (!context.memory(found->second.address, found->second.bytes, true, what)) {
    return false;
  }
  plane = found->second.plane.get();
  return true;
}

namespace {

// Calls `look` with the pixel shader's kernel of each enabled width. False: the context is lost.
template <class Look>
bool each_kernel(Context& context, Look look) {
  for (const unsigned width : {8u, 16u, 32u}) {
    const auto start = kernel_start(context.graphics, width);
    if (!start) continue;
    auto kernel = context.kernels.find(stripped(context.bases.instruction + *start));
    if (!kernel) return context.lose(kernel.error().message);
    look(**kernel);
  }
  return true;
}

}  // namespace

bool find_written_targets(Context& context, std::array<uint16_t, 8>& targets) {
  targets = {};
  return each_kernel(context, [&](const Kernel& kernel) {
    for (unsigned n = 0; n < targets.size(); n++)
      if (kernel.targets[n]) targets[n] = kernel.targets[n];
  });
}

bool find_read_targets(Context& context, std::array<uint16_t, 8>& targets, uint8_t& read) {
  std::bitset<256> entries;
  read = 0;
  if (!each_kernel(context, [&](const Kernel& kernel) { entries |= kernel.target_reads; })) return false;
  for (unsigned entry = 0; entry < entries.size() && entries.any(); entry++) {
    if (!entries[entry]) continue;
    auto at = std::ranges::find(targets, entry + 1);
    if (at == targets.end()) at = std::ranges::find(targets, 0);
    if (at == targets.end()) return context.lose("the pixel shader reads and writes more render targets than 8");
    *at = uint16_t(entry + 1);
    read |= uint8_t(1u << (at - targets.begin()));
  }
  return true;
}

bool read_target_state(Context& context, unsigned entry, SurfaceWords& words) {
  uint32_t pointer;
  const uint64_t table =
      context.binding_table(context.graphics.get<_3DSTATE_BINDING_TABLE_POINTERS_PS::Pointer_to_PS_Binding_Table>());
  if (!context.load(table + entry * sizeof pointer, &pointer, sizeof pointer, "read of a binding table")) return false;
  const uint64_t at = context.bases.surface + structures::BINDING_TABLE_STATE::Surface_State_Pointer::get(&pointer);
  if (!context.load(at, words.data(), sizeof words, "read of a render target's surface state")) return false;
  context.tell_use("RENDER_SURFACE_STATE", at, words);
  return true;
}

namespace {

// Render target `n` of the draw.
bool bind_colour(Context& context, TargetCache& cache, const SurfaceWords& words, unsigned n, bool read, pipeline::Draw& draw) {
  const uint32_t format = SurfaceState::Surface_Format::get(words);
  if (std::ranges::find(target_formats, format) == std::end(target_formats))
    return context.lose(format == Name::R10G10B10_FLOAT_A2_UNORM
                            ? fmt::format("render target {}: SURFACE_FORMAT R10G10B10_FLOAT_A2_UNORM is not executed", n)
                            : fmt::format("render target {}: SURFACE_FORMAT {:#x} cannot be drawn into", n, format));
  PlaneTarget* plane;
  if (!cache.find(context, words, "render target", plane)) return false;
  include(draw.targets, plane->width, plane->height, plane->layers);
  if (!draw.colour.blend[n].write_mask && !read) return true;
  // (The pipeline has room for as many as the draw's. Mesa's framebuffers have the same number everywhere.)
  if (plane->samples > draw.targets.samples)
    return context.lose(fmt::format("render target {}: {} samples a pixel, of a draw whose 3DSTATE_MULTISAMPLE says {}", n,
                                    plane->samples, draw.targets.samples));
  const surface::Format& of = plane->texture.format();
  // Floats with fewer bits are cut off, as Direct3D asks it of every GPU ("Data conversion rules", floating point conversion: round to
  // zero to another float format); OpenGL and Vulkan allow either neighbour.
  constexpr bool toward_zero = true;
  draw.targets.colour[n] = {plane, of, plane->texel_bytes, toward_zero, of.order[3] == surface::Select::one};
  return true;
}

// The context's planes, with room for a draw's. Null: the context is lost.
TargetCache* planes(Context& context) {
  if (!context.targets) context.targets = std::make_shared<TargetCache>();
  return context.targets->make_room(context) ? context.targets.get() : nullptr;
}

}  // namespace

bool bind_surface(Context& context, const SurfaceWords& words, pipeline::Draw& draw) {
  TargetCache* cache = planes(context);
  if (!cache) return false;
  draw.targets = {};
  draw.targets.samples = 1u << SurfaceState::Number_of_Multisamples::get(words);
  return bind_colour(context, *cache, words, 0, false, draw);
}

bool bind_targets(Context& context, const std::array<uint16_t, 8>& targets, uint8_t read, pipeline::Draw& draw) {
  TargetCache* const found = planes(context);
  if (!found) return false;
  TargetCache& cache = *found;
  pipeline::Targets& t = draw.targets;
  t = {};
  t.samples = samples_of(context.graphics);
  unsigned width = 16384, height = 16384, layers = 2048;  // of nothing: counters and stores of shaders still happen
  for (unsigned n = 0; n < targets.size(); n++) {
    if (!targets[n]) continue;
    SurfaceWords words;
    if (!read_target_state(context, targets[n] - 1u, words)) return false;
    if (SurfaceState::Surface_Type::get(words) == SurfaceType::SURFTYPE_NULL) {
      width = SurfaceState::Width::get(words) + 1, height = SurfaceState::Height::get(words) + 1;
      layers = SurfaceState::Depth::get(words) + 1;
      continue;
    }
    if (!bind_colour(context, cache, words, n, read >> n & 1, draw)) return false;
  }
  pipeline::DepthStencil& tests = draw.depth_stencil;
  unsigned bits = 0;
  if (tests.depth_test || tests.bounds_test) {
    PlaneTarget* plane = nullptr;
    const auto words = depth_buffer(context, bits);
    if (context.lost() || (words && !cache.find(context, *words, "depth buffer", plane))) return false;
    t.depth.depth = plane, t.depth.depth_bits = bits;
    if (plane) include(t, plane->width, plane->height, plane->layers);
    if (!plane) tests.depth_test = tests.depth_write = tests.bounds_test = false;
  }
  if (tests.stencil_test) {
    PlaneTarget* plane = nullptr;
    const auto words = stencil_buffer(context);
    if (context.lost() || (words && !cache.find(context, *words, "stencil buffer", plane))) return false;
    t.depth.stencil = plane;
    if (plane) include(t, plane->width, plane->height, plane->layers);
    if (!plane) tests.stencil_test = false;
  }
  if (!t.width) include(t, width, height, layers);
  return true;
}

}  // namespace Atoll::dg1
