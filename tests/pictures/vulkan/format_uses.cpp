#include "format_uses.h"

#include <cstring>

#include "format_draw.h"
#include "format_shaders.h"
#include "format_storage.h"

namespace vulkan {
namespace {

constexpr uint32_t size = format_image_side, places = 32;  // places a side at which shaders look
constexpr VkImageUsageFlags copies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags sampled = VK_IMAGE_USAGE_SAMPLED_BIT, storage = VK_IMAGE_USAGE_STORAGE_BIT,
                            target = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
constexpr VkImageLayout undefined = VK_IMAGE_LAYOUT_UNDEFINED, general = VK_IMAGE_LAYOUT_GENERAL;

constexpr VkFormatFeatureFlags can_copy = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
constexpr VkFormatFeatureFlags can_sample = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
constexpr VkFormatFeatureFlags can_filter = can_sample | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
constexpr VkFormatFeatureFlags can_store = VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | can_copy;
constexpr VkFormatFeatureFlags can_draw = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
constexpr VkFormatFeatureFlags can_blend = can_draw | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
constexpr auto exact = Tolerance::none, filter = Tolerance::filter;
constexpr auto linear = VK_IMAGE_TILING_LINEAR;

constexpr Use all_uses[] = {
    {.name = "copy", .act = Act::copy, .needs = can_copy, .tolerance = exact},
    {.name = "copy-linear-tiling", .act = Act::copy, .needs = can_copy, .tolerance = exact, .tiling = linear},
    {.name = "copy-volume", .act = Act::copy, .needs = can_copy, .tolerance = exact, .depth = 4},
    {.name = "nearest", .act = Act::show, .needs = can_sample, .usage = sampled},
    {.name = "nearest-linear-tiling", .act = Act::show, .needs = can_sample, .usage = sampled, .tiling = linear},
    {.name = "nearest-level-1", .act = Act::show, .needs = can_sample, .usage = sampled, .levels = 3, .level = 1},
    {.name = "nearest-layer-2", .act = Act::show, .needs = can_sample, .usage = sampled, .layers = 3},
    {.name = "nearest-volume", .act = Act::show, .needs = can_sample, .usage = sampled, .depth = 4},
    {.name = "linear", .act = Act::show, .needs = can_filter, .usage = sampled, .tolerance = filter, .filter = true},
    {.name = "linear-level-0.5",
     .act = Act::show,
     .needs = can_filter,
     .usage = sampled,
     .tolerance = filter,
     .filter = true,
     .levels = 3,
     .level = 0.5f},
    {.name = "linear-volume",
     .act = Act::show,
     .needs = can_filter,
     .usage = sampled,
     .tolerance = filter,
     .filter = true,
     .depth = 4},
    {.name = "image-load", .act = Act::load, .needs = can_store, .usage = storage},
    {.name = "image-store", .act = Act::store, .needs = can_store, .usage = storage},
    {.name = "texel-buffer", .act = Act::fetch, .needs = VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT},
    {.name = "texel-buffer-load", .act = Act::load_buffer, .needs = VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT},
    {.name = "texel-buffer-store", .act = Act::store_buffer, .needs = VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT},
    {.name = "attribute", .act = Act::attribute, .needs = VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT},
    {.name = "attachment", .act = Act::attach, .needs = can_draw, .usage = target},
    {.name = "attachment-linear-tiling", .act = Act::attach, .needs = can_draw, .usage = target, .tiling = linear},
    {.name = "blend", .act = Act::attach, .needs = can_blend, .usage = target, .tolerance = filter, .paint = Use::blend},
    {.name = "blend-subtract",
     .act = Act::attach,
     .needs = can_blend,
     .usage = target,
     .tolerance = filter,
     .paint = Use::subtract},
    {.name = "blend-greatest", .act = Act::attach, .needs = can_blend, .usage = target, .paint = Use::greatest},
    {.name = "write-mask", .act = Act::attach, .needs = can_draw, .usage = target, .paint = Use::masked},
    {.name = "clear-by-load", .act = Act::attach, .needs = can_draw, .usage = target, .paint = Use::clear_by_load},
    {.name = "clear-rectangle", .act = Act::attach, .needs = can_draw, .usage = target, .paint = Use::clear_rectangle},
    {.name = "clear-image", .act = Act::clear_image, .needs = can_copy},
    {.name = "blit-from", .act = Act::blit_from, .needs = VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT},
    {.name = "blit-from-linear",
     .act = Act::blit_from,
     .needs = VK_FORMAT_FEATURE_BLIT_SRC_BIT | can_filter,
     .tolerance = filter,
     .filter = true},
    {.name = "blit-to", .act = Act::blit_to, .needs = VK_FORMAT_FEATURE_BLIT_DST_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT},
    {.name = "resolve", .act = Act::resolve, .needs = can_draw, .usage = target, .tolerance = filter},
};

VkImageCreateInfo image_info(const FormatRow& row, const Use& use) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = use.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.format = row.format;
  info.extent = {size, size, use.depth};
  info.mipLevels = use.levels;
  info.arrayLayers = use.layers;
  info.samples = use.act == Act::resolve ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
  info.tiling = use.tiling;
  info.usage = use.usage;
  if (use.needs & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT || use.act == Act::blit_from) info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  if (use.needs & VK_FORMAT_FEATURE_TRANSFER_DST_BIT || use.act == Act::blit_to) info.usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return info;
}

// The format of four 32-bit components that takes any of the row's values.
const FormatRow& wide(const FormatRow& row) {
  constexpr const char* names[] = {"R32G32B32A32_SFLOAT", "R32G32B32A32_UINT", "R32G32B32A32_SINT"};
  return *find_format(names[variant(row.kind)]);
}

VkImageAspectFlags aspect_of(const FormatRow& row) {
  return !is_depth(row)                    ? VK_IMAGE_ASPECT_COLOR_BIT
         : row.format == VK_FORMAT_S8_UINT ? VK_IMAGE_ASPECT_STENCIL_BIT
                                           : VK_IMAGE_ASPECT_DEPTH_BIT;
}

// One use of one format.
class Trial {
public:
  Trial(Device& device, const FormatRow& row, const Use& use) : device_(device), row_(row), use_(use) {}

  Found run() {
    switch (use_.act) {
      case Act::copy: return copy();
      case Act::show:
      case Act::load: return show_image();
      case Act::store: return store_image();
      case Act::fetch:
      case Act::load_buffer: return show_buffer();
      case Act::store_buffer: return store_buffer();
      case Act::attribute: return attribute();
      case Act::attach: return attach();
      case Act::clear_image: return clear();
      case Act::blit_from: return blit_from();
      case Act::blit_to: return blit_to();
      case Act::resolve: return resolve();
    }
    return {};
  }

private:
  Found found(const FormatRow& layout, uint32_t width, const Buffer& buffer, size_t bytes) {
    return {row_.name, use_.name, &layout, width, std::vector<uint8_t>(buffer.bytes, buffer.bytes + bytes)};
  }

  static size_t bytes_of(const FormatRow& row, uint32_t side, uint32_t depth) {
    uint32_t blocks = (side + row.block - 1) / row.block;
    return size_t(blocks) * blocks * depth * row.bytes;
  }

  // Every level and layer of the image, with bytes of its own; it is in the general layout then.
  void upload(const Image& image, const FormatRow& row) {
    std::vector<VkBufferImageCopy> regions;
    std::vector<uint8_t> bytes;
    for (uint32_t layer = 0; layer < image.layers; layer++)
      for (uint32_t level = 0; level < image.levels; level++) {
        uint32_t side = image.width >> level;
        auto part = random_texels(row, bytes_of(row, side, image.depth) / row.bytes, 1 + layer * 16 + level);
        bytes.resize((bytes.size() + 47) / 48 * 48);  // a multiple of every texel's and block's bytes
        VkBufferImageCopy region{};
        region.bufferOffset = bytes.size();
        region.imageSubresource = {image.aspects, level, layer, 1};
        region.imageExtent = {side, side, image.depth};
        regions.push_back(region);
        bytes.insert(bytes.end(), part.begin(), part.end());
      }
    Buffer staging = device_.make_buffer(bytes.size());
    std::memcpy(staging.bytes, bytes.data(), bytes.size());
    device_.submit([&](VkCommandBuffer commands) {
      transition(commands, image, undefined, general);
      vkCmdCopyBufferToImage(commands, staging.handle, image.handle, general, uint32_t(regions.size()), regions.data());
      transition(commands, image, general, general);
    });
  }

  Image make(const FormatRow& row, VkImageUsageFlags usage) {
    Use plain{.name = "", .act = Act::copy, .needs = 0, .usage = usage};
    return device_.make_image(image_info(row, plain), aspect_of(row));
  }

  Image make() { return device_.make_image(image_info(row_, use_), aspect_of(row_)); }

  Found read(const Image& image, const FormatRow& row) {
    size_t bytes = bytes_of(row, image.width, image.depth);
    Buffer buffer = device_.make_buffer(bytes);
    device_.submit([&](VkCommandBuffer commands) {
      transition(commands, image, general, general);
      VkBufferImageCopy region{};
      region.imageSubresource = {image.aspects, 0, 0, 1};
      region.imageExtent = {image.width, image.width, image.depth};
      vkCmdCopyImageToBuffer(commands, image.handle, general, buffer.handle, 1, &region);
    });
    return found(row, image.width / row.block, buffer, bytes);
  }

  Found copy() {
    Image from = make(), to = make();
    upload(from, row_);
    device_.submit([&](VkCommandBuffer commands) {
      transition(commands, to, undefined, general);
      VkImageCopy region{};
      region.srcSubresource = region.dstSubresource = {from.aspects, 0, 0, 1};
      region.extent = {size, size, use_.depth};
      vkCmdCopyImage(commands, from.handle, general, to.handle, general, 1, &region);
    });
    return read(to, row_);
  }

  Buffer compute(const FormatShader& shader, VkDescriptorType type, const Bound& bound, const void* constants, uint32_t side,
                 VkDeviceSize bytes) {
    Buffer buffer = device_.make_buffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    std::memset(buffer.bytes, 0, bytes);
    bool loads = use_.act == Act::load || use_.act == Act::load_buffer;
    dispatch(device_, shader, variant(row_.kind), type, bound, buffer, constants, side / 8,
             loads ? row_.format : VK_FORMAT_UNDEFINED);
    return buffer;
  }

  Found show(const FormatShader& shader, VkDescriptorType type, const Bound& bound) {
    float way[4] = {use_.level, 0.4f};
    VkDeviceSize bytes = places * places * 16;
    return found(wide(row_), places, compute(shader, type, bound, way, places, bytes), bytes);
  }

  Found show_image() {
    Image image = make();
    upload(image, row_);
    bool volume = use_.depth > 1, load = use_.act == Act::load;
    VkImageView view = device_.make_view(image, image.aspects, use_.layers - 1, 0, use_.levels,
                                         volume ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D);
    if (load) return show(shaders::show_image, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, {.view = view});
    VkSampler sampler = make_sampler(device_, use_.filter, variant(row_.kind) != 0);
    return show(volume ? shaders::show_volume : shaders::show_sampled, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                {.view = view, .sampler = sampler});
  }

  Found store_image() {
    Image image = make();
    upload(image, row_);
    VkImageView view = device_.make_view(image, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0);
    auto most = greatest(row_);
    compute(shaders::store_image, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, {.view = view}, most.data(), size, 16);
    return read(image, row_);
  }

  Buffer texels(VkBufferUsageFlags usage) {
    auto bytes = random_texels(row_, size * size, 1);
    Buffer buffer = device_.make_buffer(bytes.size(), usage);
    std::memcpy(buffer.bytes, bytes.data(), bytes.size());
    return buffer;
  }

  Found show_buffer() {
    bool load = use_.act == Act::load_buffer;
    Buffer buffer = texels(load ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT : VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
    Bound bound{.texels = make_buffer_view(device_, buffer, row_.format)};
    return load ? show(shaders::show_image_buffer, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, bound)
                : show(shaders::show_buffer, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, bound);
  }

  Found store_buffer() {
    Buffer buffer = texels(VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
    auto most = greatest(row_);
    compute(shaders::store_image_buffer, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
            {.texels = make_buffer_view(device_, buffer, row_.format)}, most.data(), size, 16);
    return found(row_, size, buffer, size * size * row_.bytes);
  }

  Found attribute() {
    const FormatRow& layout = wide(row_);
    Image image = make(layout, target | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    Buffer buffer = texels(VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    draw_points(device_, row_, image, buffer);
    return read(image, layout);
  }

  Found attach() {
    Image image = make();
    paint(device_, row_, image, use_.paint);
    return read(image, row_);
  }

  Found clear() {
    Image image = make();
    upload(image, row_);
    device_.submit([&](VkCommandBuffer commands) {
      VkClearColorValue value = clear_value(row_);
      VkClearDepthStencilValue depth{0.3f, 0xa5};
      VkImageSubresourceRange range{image.aspects, 0, 1, 0, 1};
      if (is_depth(row_))
        vkCmdClearDepthStencilImage(commands, image.handle, general, &depth, 1, &range);
      else
        vkCmdClearColorImage(commands, image.handle, general, &value, 1, &range);
    });
    return read(image, row_);
  }

  void blit(const Image& from, const Image& to) {
    device_.submit([&](VkCommandBuffer commands) {
      transition(commands, to, undefined, general);
      VkImageBlit region{};
      region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
      // A part of it over all of the other, and upside down. No place falls on a border of two texels.
      region.srcOffsets[0] = {3, 2, 0};
      region.srcOffsets[1] = {12, 13, 1};
      region.dstOffsets[0] = {0, size, 0};
      region.dstOffsets[1] = {size, 0, 1};
      vkCmdBlitImage(commands, from.handle, general, to.handle, general, 1, &region,
                     use_.filter ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
    });
  }

  Found blit_from() {
    const FormatRow& layout = wide(row_);
    Image from = make(), to = make(layout, copies);
    upload(from, row_);
    blit(from, to);
    return read(to, layout);
  }

  Found blit_to() {
    Image to = make();
    if (variant(row_.kind)) {
      // Integers have to fit: what does not is undefined.
      Image from = make(row_, copies);
      upload(from, row_);
      blit(from, to);
      return read(to, row_);
    }
    const FormatRow& layout = wide(row_);
    Image from = make(layout, copies);
    upload(from, layout);
    blit(from, to);
    return read(to, row_);
  }

  Found resolve() {
    Image image = make(), single = make(row_, copies | target);
    paint_samples(device_, row_, image, single);
    return read(single, row_);
  }

  Device& device_;
  const FormatRow& row_;
  const Use& use_;
};

}  // namespace

std::span<const Use> uses() { return all_uses; }

const Use* find_use(const std::string& name) {
  for (const Use& use : all_uses)
    if (name == use.name) return &use;
  return nullptr;
}

bool possible(const Device& device, const FormatRow& row, const Use& use) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(device.physical(), row.format, &properties);
  bool of_buffers =
      use.act == Act::fetch || use.act == Act::load_buffer || use.act == Act::store_buffer || use.act == Act::attribute;
  VkFormatFeatureFlags has = of_buffers                             ? properties.bufferFeatures
                             : use.tiling == VK_IMAGE_TILING_LINEAR ? properties.linearTilingFeatures
                                                                    : properties.optimalTilingFeatures;
  VkFormatFeatureFlags needs = use.needs;
  // Integers are blitted from their own format.
  if (use.act == Act::blit_to && variant(row.kind)) needs |= VK_FORMAT_FEATURE_BLIT_SRC_BIT | can_copy;
  if ((has & needs) != needs) return false;
  bool loads = use.act == Act::load || use.act == Act::load_buffer,
       stores = use.act == Act::store || use.act == Act::store_buffer;
  if (loads && !(device.features().shaderStorageImageExtendedFormats && storage_format(row.format))) return false;
  if (stores && !device.features().shaderStorageImageWriteWithoutFormat) return false;
  // A resolve of integers takes any one sample; of blocks no texel can be cleared.
  if (use.act == Act::resolve && variant(row.kind)) return false;
  if (use.act == Act::clear_image && row.block > 1) return false;
  // Depth is blitted to depth alone.
  if ((use.act == Act::blit_from || use.act == Act::blit_to) && is_depth(row)) return false;
  if (of_buffers) return true;
  VkImageCreateInfo info = image_info(row, use);
  VkImageFormatProperties image;
  VkResult result = vkGetPhysicalDeviceImageFormatProperties(device.physical(), info.format, info.imageType, info.tiling,
                                                             info.usage, 0, &image);
  return result == VK_SUCCESS && image.maxMipLevels >= info.mipLevels && image.maxArrayLayers >= info.arrayLayers &&
         image.maxExtent.depth >= info.extent.depth && (image.sampleCounts & info.samples);
}

Found find(Device& device, const FormatRow& row, const Use& use) {
  Found found = Trial(device, row, use).run();
  device.forget();
  return found;
}

Tolerance tolerance(const FormatRow& row, const Use& use) {
  bool to_wide = use.act == Act::show || use.act == Act::load || use.act == Act::blit_from || use.act == Act::fetch ||
                 use.act == Act::load_buffer;
  if (use.paint == Use::subtract && row.kind == Kind::SRGB) return Tolerance::darkness;
  if (!to_wide) return use.tolerance;
  // BC6H and BC7 say which bits a texel has.
  if (row.block > 1 && row.format < VK_FORMAT_BC6H_UFLOAT_BLOCK) return Tolerance::blocks;
  if (use.tolerance == Tolerance::rounding && row.kind == Kind::SRGB) return Tolerance::conversion;
  // lavapipe's blits of small components go by way of 8 bits a component.
  if (use.act == Act::blit_from && row.kind == Kind::UNORM && row.bits < 8 && row.block == 1) return Tolerance::filter;
  return use.tolerance;
}

}  // namespace vulkan
