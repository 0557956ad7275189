// Sparse images: blocks bound in any order, some of them not at all, mip tails; texels copied in and out, fetched with their residency, and
// blocks whose memory changes places.
#include "sparse_image_cases.h"

#include <sparse_look_image_2d.h>
#include <sparse_look_image_2d_array.h>
#include <sparse_look_image_3d.h>

#include <algorithm>
#include <cstring>

#include "graphics_pipeline.h"

namespace vulkan {

namespace {

constexpr VkDeviceSize kPage = 65536;

struct Kind {
  const char* name;
  VkFormat format;
  uint32_t bytes, block = 1;  // of an element, and its texels across and down
};
constexpr Kind kKinds[] = {{"R8", VK_FORMAT_R8_UINT, 1},
                           {"R16", VK_FORMAT_R16_UINT, 2},
                           {"R32", VK_FORMAT_R32_UINT, 4},
                           {"R32G32", VK_FORMAT_R32G32_UINT, 8},
                           {"R32G32B32A32", VK_FORMAT_R32G32B32A32_UINT, 16},
                           {"BC1", VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8, 4},
                           {"BC7", VK_FORMAT_BC7_UNORM_BLOCK, 16, 4}};

struct Shape {
  const char* name;
  VkImageType type;
  VkExtent3D size;
  uint32_t levels, layers;
};
constexpr Shape kShapes[] = {
    {"2D", VK_IMAGE_TYPE_2D, {300, 200, 1}, 1, 1},       {"2D with levels", VK_IMAGE_TYPE_2D, {517, 260, 1}, 10, 1},
    {"2D array", VK_IMAGE_TYPE_2D, {200, 150, 1}, 8, 3}, {"small 2D array", VK_IMAGE_TYPE_2D, {40, 24, 1}, 6, 4},
    {"3D", VK_IMAGE_TYPE_3D, {70, 66, 40}, 1, 1},        {"3D with levels", VK_IMAGE_TYPE_3D, {67, 40, 34}, 7, 1}};

// One texel's element of a level and layer.
uint32_t word_of(uint32_t level, uint32_t layer, uint32_t element, uint32_t n) {
  uint32_t x = level * 0x9e3779b9u ^ layer * 0x85ebca6bu ^ element * 0xc2b2ae35u ^ n * 0x27d4eb2fu;
  x ^= x >> 15, x *= 0x2c1b3c6du, x ^= x >> 12;
  return x | 0x01010101u;  // (never what is read where nothing is)
}

struct Level {
  uint32_t width, height, depth;  // elements, and slices
  VkExtent3D texels;
  VkDeviceSize at;  // of its first layer in buffers
  VkDeviceSize layer_bytes;
};

struct Block {
  uint32_t level, layer;
  VkOffset3D at;      // elements
  VkExtent3D extent;  // elements
  uint32_t page;      // none: not bound
  static constexpr uint32_t none = ~0u;
};

class SparseImage {
public:
  SparseImage(Bench& b, const Kind& kind, const Shape& shape) : b_(b), kind_(kind), shape_(shape) {
    VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    check(vkCreateFence(b.device, &fence, nullptr, &fence_), "vkCreateFence");
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
    // (Mesa 25.0.7 halves blocks, not texels, to find where a mip tail begins: isl.c, isl_choose_miptail_start_level. One that is a block wider
    // than its place overlaps the next.)
    if (kind.block > 1) shape_.size.width = (shape.size.width + 31) / 32 * 32;
    info.imageType = shape.type, info.format = kind.format, info.extent = shape_.size;
    info.mipLevels = shape.levels, info.arrayLayers = shape.layers, info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    check(vkCreateImage(b.device, &info, nullptr, &image_), "vkCreateImage");
    for (uint32_t n = 0; n < shape.levels; n++) {
      Level l;
      l.texels = {std::max(1u, shape_.size.width >> n), std::max(1u, shape_.size.height >> n),
                  std::max(1u, shape_.size.depth >> n)};
      l.width = (l.texels.width + kind.block - 1) / kind.block, l.height = (l.texels.height + kind.block - 1) / kind.block;
      l.depth = l.texels.depth;
      l.at = bytes_, l.layer_bytes = VkDeviceSize(l.width) * l.height * l.depth * kind.bytes;
      bytes_ += (l.layer_bytes * shape.layers + 15) / 16 * 16;
      levels_.push_back(l);
    }
  }

  // False: the granularity is not one of whole pages.
  bool bind() {
    uint32_t count = 0;
    vkGetImageSparseMemoryRequirements(b_.device, image_, &count, nullptr);
    std::vector<VkSparseImageMemoryRequirements> parts(count);
    vkGetImageSparseMemoryRequirements(b_.device, image_, &count, parts.data());
    if (count != 1) return false;
    const VkSparseImageMemoryRequirements& part = parts[0];
    granularity_ = part.formatProperties.imageGranularity;
    first_in_tail_ = std::min(part.imageMipTailFirstLod, shape_.levels);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(b_.device, image_, &needs);
    if (needs.alignment != kPage) return false;
    const VkExtent3D grain{granularity_.width / kind_.block, granularity_.height / kind_.block, granularity_.depth};
    for (uint32_t n = 0; n < first_in_tail_; n++)
      for (uint32_t layer = 0; layer < shape_.layers; layer++)
        for (uint32_t z = 0; z < levels_[n].depth; z += grain.depth)
          for (uint32_t y = 0; y < levels_[n].height; y += grain.height)
            for (uint32_t x = 0; x < levels_[n].width; x += grain.width)
              blocks_.push_back({n,
                                 layer,
                                 {int32_t(x), int32_t(y), int32_t(z)},
                                 {std::min(grain.width, levels_[n].width - x), std::min(grain.height, levels_[n].height - y),
                                  std::min(grain.depth, levels_[n].depth - z)},
                                 0});
    // From the last page to the first, and every fifth block nowhere.
    const auto pages = uint32_t(blocks_.size());
    const bool strict = b_.properties.sparseProperties.residencyNonResidentStrict;
    for (uint32_t n = 0; n < pages; n++) blocks_[n].page = strict && n % 5 == 2 ? Block::none : pages - 1 - n;
    const bool single = part.formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT;
    const uint32_t tails = first_in_tail_ == shape_.levels ? 0 : single ? 1 : shape_.layers;
    // RADV's tail is one page, however many blocks its volumes are deep (Mesa 24.0 radv_formats.c,
    // radv_GetImageSparseMemoryRequirements2): what lies deeper has no memory.
    if (strict && tails && part.imageMipTailSize == kPage)
      for (uint32_t n = first_in_tail_; n < shape_.levels; n++)
        if (const Level& l = levels_[n]; l.depth > grain.depth)
          blocks_.push_back({n, 0, {0, 0, int32_t(grain.depth)}, {l.width, l.height, l.depth - grain.depth}, Block::none});
    VkMemoryRequirements all = needs;
    all.size = pages * kPage + tails * part.imageMipTailSize;
    memory_ = b_.allocate(all, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    std::vector<VkSparseMemoryBind> opaque;
    for (uint32_t n = 0; n < tails; n++)
      opaque.push_back({part.imageMipTailOffset + n * part.imageMipTailStride, part.imageMipTailSize, memory_,
                        pages * kPage + n * part.imageMipTailSize, 0});
    submit_binds(blocks_, opaque);
    b_.run([&](VkCommandBuffer c) {
      VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
      barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
      barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL, barrier.image = image_;
      barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, shape_.levels, 0, shape_.layers};
      vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                           &barrier);
    });
    return true;
  }

  void fill() {
    Memory from = b_.make_memory(bytes_);
    data_.resize(bytes_);
    for (uint32_t n = 0; n < shape_.levels; n++)
      for (uint32_t layer = 0; layer < shape_.layers; layer++)
        for (uint32_t element = 0; element < levels_[n].layer_bytes / kind_.bytes; element++)
          for (uint32_t byte = 0; byte < kind_.bytes; byte += 4) {
            const uint32_t word = word_of(n, layer, element, byte);
            std::memcpy(&data_[levels_[n].at + layer * levels_[n].layer_bytes + size_t(element) * kind_.bytes + byte], &word,
                        std::min(4u, kind_.bytes));
          }
    std::memcpy(from.words, data_.data(), bytes_);
    b_.run([&](VkCommandBuffer c) {
      const auto copies = regions();
      vkCmdCopyBufferToImage(c, from.buffer, image_, VK_IMAGE_LAYOUT_GENERAL, uint32_t(copies.size()), copies.data());
      full_barrier(c);
    });
    // Texels written where nothing is bound are gone.
    for (const Block& block : blocks_)
      if (block.page == Block::none) each_byte_row(block, [&](uint8_t* row, size_t size) { std::memset(row, 0, size); });
  }

  // Bytes that differ from what is expected.
  size_t differences() {
    Memory to = b_.make_memory(bytes_, 0xdeadbeef);
    b_.run([&](VkCommandBuffer c) {
      full_barrier(c);
      const auto copies = regions();
      vkCmdCopyImageToBuffer(c, image_, VK_IMAGE_LAYOUT_GENERAL, to.buffer, uint32_t(copies.size()), copies.data());
      full_barrier(c);
    });
    const auto* got = reinterpret_cast<const uint8_t*>(to.words);
    size_t wrong = 0;
    for (const Level& l : levels_)
      for (VkDeviceSize n = 0; n < l.layer_bytes * shape_.layers; n++) wrong += got[l.at + n] != data_[l.at + n];
    return wrong;
  }

  // Two whole blocks of the first level exchange their memory. False: there are none.
  bool exchange() {
    std::vector<Block*> whole;
    for (Block& block : blocks_)
      if (block.page != Block::none && block.level == 0 && block.extent.width * kind_.block == granularity_.width &&
          block.extent.height * kind_.block == granularity_.height && block.extent.depth == granularity_.depth)
        whole.push_back(&block);
    if (whole.size() < 2) return false;
    Block &a = *whole.front(), &z = *whole.back();
    std::swap(a.page, z.page);
    submit_binds({a, z}, {});
    std::vector<uint8_t> of_a, of_z;
    each_byte_row(a, [&](uint8_t* row, size_t size) { of_a.insert(of_a.end(), row, row + size); });
    each_byte_row(z, [&](uint8_t* row, size_t size) { of_z.insert(of_z.end(), row, row + size); });
    size_t at = 0;
    each_byte_row(a, [&](uint8_t* row, size_t size) { std::memcpy(row, &of_z[at], size), at += size; });
    at = 0;
    each_byte_row(z, [&](uint8_t* row, size_t size) { std::memcpy(row, &of_a[at], size), at += size; });
    return true;
  }

  // Texels that a shader fetches otherwise, or whose residency it is told wrongly.
  size_t fetched_wrong() {
    const bool volume = shape_.type == VK_IMAGE_TYPE_3D, array = shape_.layers > 1;
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image_, view.format = kind_.format;
    view.viewType = volume ? VK_IMAGE_VIEW_TYPE_3D : array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, shape_.levels, 0, shape_.layers};
    VkImageView made;
    check(vkCreateImageView(b_.device, &view, nullptr, &made), "vkCreateImageView");
    VkSamplerCreateInfo sampler_info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VkSampler sampler;
    check(vkCreateSampler(b_.device, &sampler_info, nullptr, &sampler), "vkCreateSampler");
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
    VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 2, bindings};
    VkDescriptorSetLayout set_layout;
    check(vkCreateDescriptorSetLayout(b_.device, &set_info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 2, sizes};
    VkDescriptorPool pool;
    check(vkCreateDescriptorPool(b_.device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &set_layout};
    VkDescriptorSet set;
    check(vkAllocateDescriptorSets(b_.device, &allocation, &set), "vkAllocateDescriptorSets");
    VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set_layout, 1, &range};
    VkPipelineLayout layout;
    check(vkCreatePipelineLayout(b_.device, &layout_info, nullptr, &layout), "vkCreatePipelineLayout");
    VkComputePipelineCreateInfo compute{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    compute.stage = shader_stage(VK_SHADER_STAGE_COMPUTE_BIT,
                                 volume  ? make_shader(b_, sparse_look_image_3d, sizeof sparse_look_image_3d)
                                 : array ? make_shader(b_, sparse_look_image_2d_array, sizeof sparse_look_image_2d_array)
                                         : make_shader(b_, sparse_look_image_2d, sizeof sparse_look_image_2d));
    compute.layout = layout;
    VkPipeline pipeline;
    check(vkCreateComputePipelines(b_.device, {}, 1, &compute, nullptr, &pipeline), "vkCreateComputePipelines");
    size_t wrong = 0;
    for (uint32_t n = 0; n < shape_.levels; n++) {
      const Level& l = levels_[n];
      const uint32_t slices = volume ? l.depth : shape_.layers, texels = l.width * l.height * slices;
      Memory out = b_.make_memory(VkDeviceSize(texels) * 8, 7);
      VkDescriptorImageInfo image{sampler, made, VK_IMAGE_LAYOUT_GENERAL};
      VkDescriptorBufferInfo buffer{out.buffer, 0, VK_WHOLE_SIZE};
      VkWriteDescriptorSet writes[2] = {
          {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, 0, 0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &image},
          {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, 1, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, nullptr, &buffer}};
      vkUpdateDescriptorSets(b_.device, 2, writes, 0, nullptr);
      b_.run([&](VkCommandBuffer c) {
        full_barrier(c);
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        const uint32_t push[] = {l.width, l.height, slices, n};
        vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 16, push);
        vkCmdDispatch(c, (texels + 63) / 64, 1, 1);
        full_barrier(c);
      });
      for (uint32_t t = 0; t < texels; t++) {
        uint32_t word = 0;
        std::memcpy(&word, &data_[l.at + size_t(t) * kind_.bytes], std::min(4u, kind_.bytes));
        // (Data that is bound is nowhere 0.)
        wrong += out.words[2 * t] != word || out.words[2 * t + 1] != uint32_t(word != 0);
      }
    }
    return wrong;
  }

  std::string granularity() const {
    return std::to_string(granularity_.width) + "x" + std::to_string(granularity_.height) + "x" +
           std::to_string(granularity_.depth);
  }

private:
  std::vector<VkBufferImageCopy> regions() const {
    std::vector<VkBufferImageCopy> all;
    for (uint32_t n = 0; n < shape_.levels; n++)
      all.push_back({levels_[n].at, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, n, 0, shape_.layers}, {}, levels_[n].texels});
    return all;
  }
  void submit_binds(const std::vector<Block>& blocks, const std::vector<VkSparseMemoryBind>& opaque) {
    std::vector<VkSparseImageMemoryBind> binds;
    for (const Block& block : blocks) {
      if (block.page == Block::none) continue;
      VkSparseImageMemoryBind bind{};
      bind.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, block.level, block.layer};
      bind.offset = {block.at.x * int32_t(kind_.block), block.at.y * int32_t(kind_.block), block.at.z};
      const VkExtent3D& whole = levels_[block.level].texels;
      bind.extent = {std::min(granularity_.width, whole.width - uint32_t(bind.offset.x)),
                     std::min(granularity_.height, whole.height - uint32_t(bind.offset.y)),
                     std::min(granularity_.depth, whole.depth - uint32_t(bind.offset.z))};
      bind.memory = memory_, bind.memoryOffset = block.page * kPage;
      binds.push_back(bind);
    }
    VkSparseImageMemoryBindInfo images{image_, uint32_t(binds.size()), binds.data()};
    VkSparseImageOpaqueMemoryBindInfo tails{image_, uint32_t(opaque.size()), opaque.data()};
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.imageBindCount = binds.empty() ? 0 : 1, info.pImageBinds = &images;
    info.imageOpaqueBindCount = opaque.empty() ? 0 : 1, info.pImageOpaqueBinds = &tails;
    check(vkQueueBindSparse(b_.binder, 1, &info, fence_), "vkQueueBindSparse");
    check(vkWaitForFences(b_.device, 1, &fence_, VK_TRUE, ~0ull), "vkWaitForFences");
    check(vkResetFences(b_.device, 1, &fence_), "vkResetFences");
  }
  template <class Row>
  void each_byte_row(const Block& block, Row row) {
    const Level& l = levels_[block.level];
    for (uint32_t z = 0; z < block.extent.depth; z++)
      for (uint32_t y = 0; y < block.extent.height; y++) {
        const size_t element = ((size_t(block.at.z) + z) * l.height + size_t(block.at.y) + y) * l.width + size_t(block.at.x);
        row(&data_[l.at + block.layer * l.layer_bytes + element * kind_.bytes], size_t(block.extent.width) * kind_.bytes);
      }
  }

  Bench& b_;
  const Kind kind_;
  Shape shape_;
  VkFence fence_ = {};
  VkImage image_ = {};
  VkDeviceMemory memory_ = {};
  VkExtent3D granularity_ = {};
  uint32_t first_in_tail_ = 0;
  VkDeviceSize bytes_ = 0;
  std::vector<Level> levels_;
  std::vector<Block> blocks_;
  std::vector<uint8_t> data_;
};

}  // namespace

void sparse_image_cases(Bench& b) {
  if (!b.binder) return;
  for (const Shape& shape : kShapes) {
    const bool volume = shape.type == VK_IMAGE_TYPE_3D;
    if (!(volume ? b.features.sparseResidencyImage3D : b.features.sparseResidencyImage2D)) continue;
    for (const Kind& kind : kKinds) {
      uint32_t count = 0;
      vkGetPhysicalDeviceSparseImageFormatProperties(
          b.physical, kind.format, shape.type, VK_SAMPLE_COUNT_1_BIT,
          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_TILING_OPTIMAL,
          &count, nullptr);
      if (!count) continue;
      SparseImage image(b, kind, shape);
      if (!image.bind()) continue;
      const std::string name = std::string("sparse ") + kind.name + " " + shape.name;
      image.fill();
      size_t wrong = image.differences();
      b.fits(name + " (" + image.granularity() + ")", wrong == 0, std::to_string(wrong) + " bytes");
      if (image.exchange()) {
        wrong = image.differences();
        b.fits(name + ", blocks exchanged", wrong == 0, std::to_string(wrong) + " bytes");
      }
      if (kind.block > 1 || !b.features.shaderResourceResidency) continue;
      wrong = image.fetched_wrong();
      b.fits(name + ", fetched", wrong == 0, std::to_string(wrong) + " texels");
    }
  }
}

}  // namespace vulkan
