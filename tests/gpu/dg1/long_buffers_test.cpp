// Texel buffers of more entries than a picture's row: loads, stores and atomics against memory itself.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gpu/dg1/threads/images.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1;

constexpr uint64_t page = 4096, buffer_at = 0x40000000;

// Entries less 1 in 7, 14 and 11 bits (PRM volume 2a, RENDER_SURFACE_STATE: Width, Height, Depth of SURFTYPE_BUFFER).
SurfaceWords buffer(uint32_t format, uint32_t entry_bytes, uint32_t entries) {
  SurfaceWords w{};
  SurfaceState::Surface_Type::set(w, SurfaceType::SURFTYPE_BUFFER), SurfaceState::Surface_Format::set(w, format);
  SurfaceState::Width::set(w, (entries - 1) & 0x7f), SurfaceState::Height::set(w, (entries - 1) >> 7 & 0x3fff);
  SurfaceState::Depth::set(w, (entries - 1) >> 21), SurfaceState::Surface_Pitch::set(w, entry_bytes - 1);
  SurfaceState::Shader_Channel_Select_Red::set(w, ChannelSelect::RED);
  SurfaceState::Shader_Channel_Select_Green::set(w, ChannelSelect::GREEN);
  SurfaceState::Shader_Channel_Select_Blue::set(w, ChannelSelect::BLUE);
  SurfaceState::Shader_Channel_Select_Alpha::set(w, ChannelSelect::ALPHA);
  SurfaceState::Surface_Base_Address::set(w, buffer_at);
  return w;
}

struct Form {
  uint32_t format, bytes, components;
};

TEST(LongBuffers, EveryEntryIsItsOwn) {
  constexpr Form forms[] = {
      {SURFACE_FORMAT::R8_UINT, 1, 1}, {SURFACE_FORMAT::R32_UINT, 4, 1}, {SURFACE_FORMAT::R32G32B32A32_UINT, 16, 4}};
  unsigned accesses = 0;
  for (const Form& form : forms)
    for (uint32_t entries : {1000u, 65535u, 65536u, 65537u, 131072u, 200001u, 2500000u}) {
      // Nothing is mapped behind the buffer's last page.
      const uint64_t bytes = uint64_t(entries) * form.bytes, mapped = (bytes + page - 1) / page * page;
      auto space = *AddressSpace::create();
      ASSERT_TRUE(space->map(buffer_at, *space->memory().allocate(mapped), mapped));
      uint8_t* memory = space->host(buffer_at);
      for (uint64_t n = 0; n < bytes; n++) memory[n] = uint8_t(n * 2654435761u >> 13);
      std::vector<uint8_t> expected(memory, memory + mapped);
      Images images(*space);
      images.begin_submission(nullptr);
      const SurfaceWords words = buffer(form.format, form.bytes, entries);
      uint32_t random = entries;
      for (unsigned round = 0; round < 60; round++) {
        wave::ImageAccess access;
        access.resource = words.data(), access.lanes = 8, access.active = 0xff, access.coordinate_count = 1;
        for (auto& lanes : access.coordinate) lanes.fill(0);
        const auto operation = round % 3;
        access.operation = operation == 0   ? wave::ImageOperation::load
                           : operation == 1 ? wave::ImageOperation::store
                                            : wave::ImageOperation::atomic;
        if (operation == 2 && form.bytes != 4) continue;
        if (operation == 2) access.components = 1, access.returns = true;
        for (unsigned lane = 0; lane < 8; lane++) {
          random = random * 1664525 + 1013904223;
          const uint32_t near[] = {0, entries - 1, entries, entries + 65535, 65535, 65536, ~0u};
          access.coordinate[0][lane] = random >> 31 ? (random >> 4) % entries : near[(random >> 8) % 7];
          for (unsigned c = 0; c < 4; c++) access.data[c][lane] = random >> (c + 3) & (form.bytes == 1 ? 0xff : ~0u);
        }
        const auto index = access.coordinate[0], given = access.data[0];
        const auto data = access.data;
        images.access(access, 0);
        ASSERT_EQ(access.fault, nullptr) << access.fault;
        for (unsigned lane = 0; lane < 8; lane++, accesses++) {
          const bool there = index[lane] < entries;
          uint8_t* at = expected.data() + uint64_t(there ? index[lane] : 0) * form.bytes;
          uint32_t before[4] = {};
          if (there) std::memcpy(before, at, form.bytes);
          if (operation == 0) {
            for (unsigned c = 0; c < form.components; c++)
              ASSERT_EQ(access.data[c][lane], before[c]) << index[lane] << " of " << entries;
          } else if (operation == 1) {
            for (unsigned c = 0; c < form.components && there; c++)
              std::memcpy(at + c * 4, &data[c][lane], std::min(4u, form.bytes));
          } else {
            ASSERT_EQ(access.data[0][lane], before[0]) << index[lane] << " of " << entries;
            before[0] += given[lane];
            if (there) std::memcpy(at, before, 4);
          }
        }
        ASSERT_EQ(std::memcmp(memory, expected.data(), mapped), 0)
            << entries << " entries of " << form.bytes << ", operation " << operation;
      }
    }
  EXPECT_GT(accesses, 6000u);
}

}  // namespace
