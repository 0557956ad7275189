// Every denormal of every component of every format of floats, as the sampler's and typed messages read and store it, against the
// format's own definition: the number's fraction times a power of two.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/dg1/threads/images.h"
#include "isa/xe_lp/surface_format.h"
#include "memory/address_space.h"
#include "registers/dg1.h"

namespace {

using namespace Atoll;
using wave::ImageOperation;
using Name = dg1::SURFACE_FORMAT;

// A component: where its bits stand in a texel, whose least denormal is 2^`least`.
struct Component {
  unsigned first_bit, fraction_bits, bits;
  int least;
};
struct FloatFormat {
  const char* name;
  uint32_t code;
  unsigned bytes;
  bool stored;  // by typed writes (Mesa 25.0.7 isl_format.c, column TW)
  std::vector<Component> components;
};

std::vector<Component> of(unsigned count, unsigned bits, unsigned fraction, int least) {
  std::vector<Component> all;
  for (unsigned n = 0; n < count; n++) all.push_back({n * bits, fraction, bits, least});
  return all;
}
const FloatFormat formats[] = {
    {"R32G32B32A32_FLOAT", Name::R32G32B32A32_FLOAT, 16, true, of(4, 32, 23, -149)},
    {"R32G32B32_FLOAT", Name::R32G32B32_FLOAT, 12, false, of(3, 32, 23, -149)},
    {"R32G32_FLOAT", Name::R32G32_FLOAT, 8, true, of(2, 32, 23, -149)},
    {"R32_FLOAT", Name::R32_FLOAT, 4, true, of(1, 32, 23, -149)},
    {"R16G16B16A16_FLOAT", Name::R16G16B16A16_FLOAT, 8, true, of(4, 16, 10, -24)},
    {"R16G16B16_FLOAT", Name::R16G16B16_FLOAT, 6, false, of(3, 16, 10, -24)},
    {"R16G16_FLOAT", Name::R16G16_FLOAT, 4, true, of(2, 16, 10, -24)},
    {"R16_FLOAT", Name::R16_FLOAT, 2, true, of(1, 16, 10, -24)},
    {"R16G16B16X16_FLOAT", Name::R16G16B16X16_FLOAT, 8, false, of(3, 16, 10, -24)},
    {"R11G11B10_FLOAT", Name::R11G11B10_FLOAT, 4, true, {{0, 6, 11, -20}, {11, 6, 11, -20}, {22, 5, 10, -19}}},
    {"R9G9B9E5_SHAREDEXP", Name::R9G9B9E5_SHAREDEXP, 4, false, {{0, 9, 9, -24}, {9, 9, 9, -24}, {18, 9, 9, -24}}},
    {"R10G10B10_FLOAT_A2_UNORM", Name::R10G10B10_FLOAT_A2_UNORM, 4, false, {{0, 5, 10, -19}, {10, 5, 10, -19}, {20, 5, 10, -19}}},
};

struct Memory {
  static constexpr uint64_t at = 0x10000, bytes = 1 << 16;
  std::unique_ptr<AddressSpace> space = *AddressSpace::create();
  std::unique_ptr<dg1::Images> images;
  Memory() {
    EXPECT_TRUE(space->map(at, *space->memory().allocate(bytes), bytes));
    images = std::make_unique<dg1::Images>(*space);
  }
  dg1::SurfaceWords surface(uint32_t type, uint32_t code, unsigned texel_bytes) const {
    dg1::SurfaceWords w{};
    dg1::SurfaceState::Surface_Type::set(w, type), dg1::SurfaceState::Surface_Format::set(w, code),
        dg1::SurfaceState::Surface_Base_Address::set(w, at);
    dg1::SurfaceState::Shader_Channel_Select_Red::set(w, dg1::ChannelSelect::RED),
        dg1::SurfaceState::Shader_Channel_Select_Green::set(w, dg1::ChannelSelect::GREEN);
    dg1::SurfaceState::Shader_Channel_Select_Blue::set(w, dg1::ChannelSelect::BLUE),
        dg1::SurfaceState::Shader_Channel_Select_Alpha::set(w, dg1::ChannelSelect::ALPHA);
    if (type == dg1::SurfaceType::SURFTYPE_BUFFER) {
      dg1::SurfaceState::Width::set(w, 15), dg1::SurfaceState::Surface_Pitch::set(w, texel_bytes - 1);
    } else {
      dg1::SurfaceState::Width::set(w, 15), dg1::SurfaceState::Surface_Pitch::set(w, 511),
          dg1::SurfaceState::Surface_Horizontal_Alignment::set(w, 1), dg1::SurfaceState::Surface_Vertical_Alignment::set(w, 1);
    }
    return w;
  }
  wave::ImageAccess access(const dg1::SurfaceWords& words, ImageOperation operation) const {
    wave::ImageAccess a;
    a.resource = words.data(), a.operation = operation;
    a.lanes = 16, a.active = 0xffff, a.components = 15, a.coordinate_count = 1;
    for (auto& lanes : a.coordinate) lanes.fill(0);
    for (uint32_t l = 0; l < 16; l++) a.coordinate[0][l] = l;
    return a;
  }
};

void put_bits(uint8_t* texel, unsigned first, unsigned count, uint32_t value) {
  for (unsigned n = 0; n < count; n++)
    if (value >> n & 1) texel[(first + n) / 8] = uint8_t(texel[(first + n) / 8] | 1 << (first + n) % 8);
}

// Fractions that are tried: all of up to 10 bits, of 23 bits those with one bit or all but one.
std::vector<uint32_t> fractions_of(const Component& c) {
  std::vector<uint32_t> all;
  if (c.fraction_bits <= 10)
    for (uint32_t n = 1; n < 1u << c.fraction_bits; n++) all.push_back(n);
  else
    for (unsigned n = 0; n < c.fraction_bits; n++) all.insert(all.end(), {1u << n, (1u << c.fraction_bits) - 1 - (1u << n)});
  return all;
}

TEST(SmallFloats, OfEveryFormatAreReadAndStored) {
  Memory m;
  uint8_t* memory = m.space->host(Memory::at);
  size_t read = 0, stored = 0;
  for (const FloatFormat& f : formats)
    for (uint32_t type : {dg1::SurfaceType::SURFTYPE_BUFFER, dg1::SurfaceType::SURFTYPE_1D})
      for (size_t c = 0; c < f.components.size(); c++) {
        const Component& part = f.components[c];
        const auto words = m.surface(type, f.code, f.bytes);
        const auto fractions = fractions_of(part);
        for (size_t from = 0; from < fractions.size(); from += 16) {
          const size_t count = std::min<size_t>(16, fractions.size() - from);
          std::vector<uint8_t> texels(16 * f.bytes);
          for (size_t n = 0; n < count; n++) put_bits(&texels[n * f.bytes], part.first_bit, part.bits, fractions[from + n]);
          std::memcpy(memory, texels.data(), texels.size());
          auto load = m.access(words, ImageOperation::load);
          m.images->access(load, 0);
          ASSERT_EQ(load.fault, nullptr) << f.name << ": " << load.fault;
          for (size_t n = 0; n < count; n++, read++)
            ASSERT_EQ(load.data[c][n], std::bit_cast<uint32_t>(std::ldexp(float(fractions[from + n]), part.least)))
                << f.name << " component " << c << " fraction " << fractions[from + n];
          if (!f.stored) continue;
          auto store = m.access(words, ImageOperation::store);
          store.data = load.data;
          std::memset(memory, 0xee, texels.size());
          m.images->access(store, 0);
          ASSERT_EQ(store.fault, nullptr) << f.name << ": " << store.fault;
          for (size_t n = 0; n < count; n++, stored++)
            ASSERT_EQ(std::memcmp(memory + n * f.bytes, &texels[n * f.bytes], f.bytes), 0)
                << f.name << " component " << c << " fraction " << fractions[from + n];
        }
      }
  EXPECT_EQ(read, 2 * (10u * 46 + 13u * 1023 + 126 + 31 + 3 * 511 + 3 * 31));
  EXPECT_EQ(stored, 2 * (7u * 46 + 7u * 1023 + 126 + 31));
}

// The formats that a typed read converts: those of Mesa 25.0.7 isl_format.c, column TR up to 12.0. For the others of as many bits
// it gives the bits, which Mesa's anv unpacks (isl_storage_image.c, isl_lower_storage_image_format).
TEST(SmallFloats, TypedReadsGiveBitsOfWhatTheyDoNotConvert) {
  for (uint32_t code : {uint32_t(Name::R11G11B10_FLOAT), uint32_t(Name::R10G10B10A2_UNORM), uint32_t(Name::R10G10B10A2_UINT)})
    EXPECT_EQ(xe_lp::typed_read_format(code), Name::R32_UINT);
  size_t converted = 0;
  for (uint32_t code = 0; code < 512; code++) {
    if (!xe_lp::surface_format(code)) continue;
    const uint32_t as = xe_lp::typed_read_format(code);
    EXPECT_TRUE(as == code || as == Name::R32_UINT || as == Name::R16_UINT || as == Name::R8_UINT) << code;
    const auto bytes = [](uint32_t c) { return surface::row(xe_lp::surface_format(c)->layout).bytes; };
    EXPECT_EQ(bytes(as), bytes(code)) << code;
    converted += as == code && bytes(code) <= 4 && surface::row(xe_lp::surface_format(code)->layout).block_width == 1;
  }
  EXPECT_EQ(converted, 26u + 7);  // (of the 37 those of up to 32 bits; seven of three bytes, for which there are no integers)
}

}  // namespace
