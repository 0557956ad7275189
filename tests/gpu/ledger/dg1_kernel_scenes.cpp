// Grids of threads: what the walker and the states before it give them, and the surfaces and samplers that they read.
#include <bit>

#include "dg1_scene.h"
#include "tests/gpu/dg1/machine.h"

namespace Atoll::ledger {

using namespace dg1::commands;
using namespace dg1_at;
using dg1::SURFACE_FORMAT;
using dg1_tests::descriptor;
using dg1_tests::send;
using Descriptor = dg1::structures::INTERFACE_DESCRIPTOR_DATA;
using Surface = dg1::structures::RENDER_SURFACE_STATE;
using Sampler = dg1::structures::SAMPLER_STATE;
using Type = Surface::Surface_Type;

namespace {

constexpr uint32_t image_entry = 0, data_entry = 1, wide_entry = 3;  // of the binding table
constexpr uint64_t general = data + 0x8000;
constexpr uint32_t one_dword = 0xe00, simd8 = 2 << 12, simd16 = 1 << 12;

void buffer_state(Dg1Scene& s, unsigned entry, uint64_t address, uint32_t bytes) {
  uint32_t w[Surface::dwords] = {};
  Surface::Surface_Type::set(w, Type::SURFTYPE_BUFFER), Surface::Surface_Format::set(w, SURFACE_FORMAT::RAW);
  const uint32_t last = bytes - 1;
  Surface::Width::set(w, last & 0x7f), Surface::Height::set(w, last >> 7 & 0x3fff), Surface::Depth::set(w, last >> 21);
  Surface::Surface_Base_Address::set(w, address);
  s.put(surfaces + entry * 64, w);
}

std::unique_ptr<Dg1Scene> kernel_scene(const char* name, std::vector<std::string_view> units) {
  auto s = std::make_unique<Dg1Scene>(name);
  s->blocks = std::move(units);
  for (uint32_t n = 0; n < 4; n++) s->put(surfaces + table + n * 4, std::array{n * 64});
  buffer_state(*s, image_entry, images, 0x1000), buffer_state(*s, data_entry, data, 0x4000),
      buffer_state(*s, wide_entry, data, 0x8000);
  return s;
}

struct Grid {
  uint32_t simd = 0, threads = 1, x = 1, y = 1, z = 1;  // simd as the walker numbers it
  uint32_t shared = 1, own = 0;                         // registers of constants: for all threads, and each one's
  uint32_t slm = 0, scratch = 0;                        // as the commands have them
  bool barrier = false, indirect = false, pool = false;
};

// r1 on: the words of `constants`, of all threads, and then the thread's own.
void walk(Dg1Scene& s, const Grid& g, std::vector<uint32_t> words) {
  uint32_t d[Descriptor::dwords] = {};
  Descriptor::Sampler_State_Pointer::set(d, samplers), Descriptor::Binding_Table_Pointer::set(d, g.pool ? 0x40 : table);
  Descriptor::Constant_URB_Entry_Read_Length::set(d, g.own), Descriptor::Cross_Thread_Constant_Data_Read_Length::set(d, g.shared);
  Descriptor::Number_of_Threads_in_GPGPU_Thread_Group::set(d, g.threads);
  Descriptor::Shared_Local_Memory_Size::set(d, g.slm), Descriptor::Barrier_Enable::set(d, g.barrier);
  s.put(dynamic, d);
  s.structure("INTERFACE_DESCRIPTOR_DATA", dynamic);
  words.resize((g.shared + g.own * g.threads + 2) * 8, 0x1234);
  s.put(g.indirect ? general + 0x100 : dynamic + constants, words);
  const auto bytes = uint32_t((g.shared + g.own * g.threads) * 32);
  s.b.add<STATE_BASE_ADDRESS>([&](uint32_t* w) {
    using Base = STATE_BASE_ADDRESS;
    Base::General_State_Base_Address_Modify_Enable::set(w, 1), Base::General_State_Base_Address::set(w, general);
    Base::Surface_State_Base_Address_Modify_Enable::set(w, 1), Base::Surface_State_Base_Address::set(w, surfaces);
    Base::Dynamic_State_Base_Address_Modify_Enable::set(w, 1), Base::Dynamic_State_Base_Address::set(w, dynamic);
    Base::Indirect_Object_Base_Address_Modify_Enable::set(w, 1), Base::Indirect_Object_Base_Address::set(w, general);
    Base::Instruction_Base_Address_Modify_Enable::set(w, 1), Base::Instruction_Base_Address::set(w, dg1_at::kernel);
    Base::Bindless_Surface_State_Base_Address_Modify_Enable::set(w, 1),
        Base::Bindless_Surface_State_Base_Address::set(w, surfaces);
  });
  if (g.pool)
    s.b.add<_3DSTATE_BINDING_TABLE_POOL_ALLOC>([](uint32_t* w) {
      using Pool = _3DSTATE_BINDING_TABLE_POOL_ALLOC;
      Pool::Binding_Table_Pool_Enable::set(w, 1), Pool::Binding_Table_Pool_Base_Address::set(w, surfaces + 0x1000);
    });
  s.b.add<MEDIA_VFE_STATE>([&](uint32_t* w) {
    MEDIA_VFE_STATE::Scratch_Space_Base_Pointer::set(w, g.scratch ? 0x400 : 0),
        MEDIA_VFE_STATE::Per_Thread_Scratch_Space::set(w, g.scratch);
  });
  s.b.add<MEDIA_CURBE_LOAD>([&](uint32_t* w) {
    MEDIA_CURBE_LOAD::CURBE_Total_Data_Length::set(w, g.indirect ? 0 : (bytes + 63) / 64 * 64),
        MEDIA_CURBE_LOAD::CURBE_Data_Start_Address::set(w, constants);
  });
  s.b.add<MEDIA_INTERFACE_DESCRIPTOR_LOAD>(
      [](uint32_t* w) { MEDIA_INTERFACE_DESCRIPTOR_LOAD::Interface_Descriptor_Total_Length::set(w, Descriptor::dwords * 4); });
  s.b.add<GPGPU_WALKER>([&](uint32_t* w) {
    using Walker = GPGPU_WALKER;
    Walker::SIMD_Size::set(w, g.simd), Walker::Thread_Width_Counter_Maximum::set(w, g.threads - 1);
    Walker::Thread_Group_ID_X_Dimension::set(w, g.x), Walker::Thread_Group_ID_Y_Dimension::set(w, g.y),
        Walker::Thread_Group_ID_Z_Dimension::set(w, g.z);
    Walker::Right_Execution_Mask::set(w, 0x7f7f7f7f), Walker::Bottom_Execution_Mask::set(w, ~0u);
    if (g.indirect) Walker::Indirect_Data_Length::set(w, bytes), Walker::Indirect_Data_Start_Address::set(w, 0x100);
  });
}

// Registers from `first` on to bytes from `at` on of the data, `count` of 1, 2 or 4.
void store(std::vector<std::string>& lines, unsigned first, uint32_t at, unsigned count, unsigned entry = data_entry) {
  const unsigned size = count == 1 ? 2 : count == 2 ? 3 : 4;
  lines.emplace_back("(W) mov (8|M0) r120.0<1>:ud 0:ud");
  lines.push_back(fmt::format("(W) mov (1|M0) r120.2<1>:ud {}:ud", at / 16));
  lines.push_back(send("dc0", 8, "null", 120, int(first), count, descriptor(1, 0, true, 8, size << 8 | entry), "(W) "));
}

// Eight lanes for each thread of a grid write their number, the mode and the constants at the thread's place: whatever the header says.
void add_grid(Dg1Scenes& all, bool indirect, bool pool) {
  auto s = kernel_scene(pool       ? "a grid with a pool of binding tables"
                        : indirect ? "a grid with data of its own"
                                   : "a grid",
                        {"GPGPU", "CS", "SURFACE", "ALL"});
  if (pool)
    for (uint32_t n = 0; n < 4; n++) s->put(surfaces + 0x1040 + n * 4, std::array{n * 64});
  s->structure("BINDING_TABLE_STATE", surfaces + table + data_entry * 4);
  const unsigned own = indirect ? 1 : 2,
                 shared = indirect ? 2 : 1;  // (where the walker brings the data, each thread's own comes first)
  std::vector<std::string> lines = {
      "(W) mul (1|M0) r40.0<1>:d r0.7<0;1,0>:d 2:w", "(W) add (1|M0) r40.0<1>:d r40.0<0;1,0>:d r0.6<0;1,0>:d",
      "(W) mul (1|M0) r40.0<1>:d r40.0<0;1,0>:d 2:w", "(W) add (1|M0) r40.0<1>:d r40.0<0;1,0>:d r0.1<0;1,0>:d",
      "(W) mul (1|M0) r40.0<1>:d r40.0<0;1,0>:d 2:w", fmt::format("(W) add (1|M0) r40.0<1>:d r40.0<0;1,0>:d r{}.0<0;1,0>:d", own),
      "(W) shl (1|M0) r40.0<1>:d r40.0<0;1,0>:d 7:w", fmt::format("shl (8|M0) r20.0<1>:d r{}.0<8;8,1>:d 2:w", shared),
      "add (8|M0) r20.0<1>:d r20.0<8;8,1>:d r40.0<0;1,0>:d",
      fmt::format("add (8|M0) r22.0<1>:d r{}.0<8;8,1>:d cr0.0<0;1,0>:d", shared),
      send("dc1", 8, "null", 20, 22, 1, descriptor(1, 0, false, 9, one_dword | simd8 | data_entry)),
      // what the header says of scratch and samplers
      "mov (8|M0) r24.0<1>:ud r0.0<8;8,1>:ud", "add (8|M0) r20.0<1>:d r20.0<8;8,1>:d 32:w", "(W) mov (1|M0) r24.0<1>:ud 0:ud",
      "(W) mov (1|M0) r24.2<1>:ud 0:ud", "(W) mov (1|M0) r24.4<1>:ud 0:ud",
      send("dc1", 8, "null", 20, 24, 1, descriptor(1, 0, false, 9, one_dword | simd8 | data_entry)),
      // from the general base on, and by a state that no table names
      "add (8|M0) r20.0<1>:d r20.0<8;8,1>:d 0x1000:d",
      send("dc1", 8, "null", 20, 22, 1, descriptor(1, 0, false, 9, one_dword | simd8 | 253)),
      "add (8|M0) r20.0<1>:d r20.0<8;8,1>:d 0x20:d",
      send("dc1", 8, "null", 20, 22, 1, descriptor(1, 0, false, 9, one_dword | simd8 | 252))};
  s->kernel(std::move(lines));
  std::vector<uint32_t> words;
  auto numbers = [&] {
    for (uint32_t n = 0; n < 8; n++) words.push_back(n);
  };
  auto thread = [&](uint32_t n) { words.resize(words.size() + 8, n); };
  numbers(), thread(0), thread(1);
  walk(*s, {.threads = 2, .x = 2, .y = 2, .z = 2, .shared = 1, .own = 1, .scratch = 1, .indirect = indirect, .pool = pool},
       words);
  s->finish();
  all.push_back(std::move(s));
}

// Threads of a group hand on numbers through shared local memory, across a barrier; sixteen lanes.
void add_group(Dg1Scenes& all) {
  auto s = kernel_scene("a group with local memory", {"GPGPU"});
  constexpr uint32_t far = 0xe00;  // in 4 KB of it
  std::vector<std::string> lines = {
      "mov (8|M0) r10.0<1>:ud r1.0<8;8,1>:ud",
      "mov (8|M0) r11.0<1>:ud r2.0<8;8,1>:ud",  // 16 numbers
      "(W) shl (1|M0) r40.0<1>:d r3.0<0;1,0>:d 6:w",
      "shl (16|M0) r12.0<1>:d r10.0<8;8,1>:d 2:w",
      "add (16|M0) r12.0<1>:d r12.0<8;8,1>:d r40.0<0;1,0>:d",
      fmt::format("add (16|M0) r14.0<1>:d r12.0<8;8,1>:d {}:d", far),
      "mul (16|M0) r16.0<1>:d r12.0<8;8,1>:d 5:w",
      send("dc1", 16, "null", 14, 16, 2, descriptor(2, 0, false, 9, one_dword | simd16 | 254)),
      "(W) mov (8|M0) r118.0<1>:ud 0:ud",
      "(W) send.gtwy (1|M0) null r118 null 0x0 0x02000004",
      "(W) sync.bar null",
      "xor (16|M0) r14.0<1>:d r14.0<8;8,1>:d 64:w",
      send("dc1", 16, "r18", 14, -1, 0, descriptor(2, 2, false, 1, one_dword | simd16 | 254)),
      send("dc1", 16, "null", 12, 18, 2, descriptor(2, 0, false, 9, one_dword | simd16 | data_entry))};
  s->kernel(std::move(lines));
  std::vector<uint32_t> words;
  for (uint32_t n = 0; n < 16; n++) words.push_back(n);
  for (uint32_t t = 0; t < 2; t++) words.resize(words.size() + 8, t);
  walk(*s, {.simd = 1, .threads = 2, .shared = 2, .own = 1, .slm = 3, .barrier = true}, words);
  s->finish();
  all.push_back(std::move(s));
}

struct Image {
  uint32_t type = Type::SURFTYPE_2D, format = SURFACE_FORMAT::R8G8B8A8_UNORM, width = 8, height = 8, depth = 1, levels = 1;
  uint32_t tiling = Surface::Tile_Mode::LINEAR, pitch = 128, samples = 0, first_level = 0;
  bool array = false;
};

// r1 to r8: what messages take, by the letters of image_messages.cpp: u v r a l c, and whole numbers U V.
constexpr std::string_view letters = "uvralcUV";
struct Message {
  uint32_t number;
  std::string_view parameters;
  unsigned buffer_entry = image_entry;
};

void add_image(
    Dg1Scenes& all, const char* name, const Image& image, const std::vector<Message>& messages,
    const std::function<void(uint32_t* sampler)>& set, bool typed = false,
    const std::function<void(Dg1Scene& scene)>& begin = [](Dg1Scene&) {}) {
  auto s = kernel_scene(name, {"SURFACE", "SAMPLER"});
  for (uint32_t n = 0; n < 0x18000; n += 4) {
    // Bytes as unorm texels, or floats of about 1 in the order of their places.
    const uint32_t bits = n / 4 * 2654435761u;
    const bool floats = image.format == SURFACE_FORMAT::R32_FLOAT;
    s->put(images + n, std::array{floats ? std::bit_cast<uint32_t>(float(bits >> 24) / 256) : bits});
  }
  uint32_t w[Surface::dwords] = {};
  Surface::Surface_Type::set(w, image.type), Surface::Surface_Format::set(w, image.format),
      Surface::Surface_Array::set(w, image.array);
  Surface::Width::set(w, image.width - 1), Surface::Height::set(w, image.height - 1), Surface::Depth::set(w, image.depth - 1);
  Surface::Surface_Pitch::set(w, image.pitch - 1), Surface::Tile_Mode::set(w, image.tiling), Surface::Surface_QPitch::set(w, 8);
  Surface::Surface_Horizontal_Alignment::set(w, 1), Surface::Surface_Vertical_Alignment::set(w, 1);
  Surface::MIP_Count_LOD::set(w, image.levels - 1), Surface::Surface_Min_LOD::set(w, image.first_level);
  Surface::Number_of_Multisamples::set(w, image.samples);
  Surface::Shader_Channel_Select_Red::set(w, 4), Surface::Shader_Channel_Select_Green::set(w, 5);
  Surface::Shader_Channel_Select_Blue::set(w, 6), Surface::Shader_Channel_Select_Alpha::set(w, 7);
  Surface::Surface_Base_Address::set(w, images);
  if (image.type == Type::SURFTYPE_CUBE) w[0] |= 0x3f;  // all faces
  s->put(surfaces + image_entry * 64, w);
  s->structure("RENDER_SURFACE_STATE", surfaces + image_entry * 64);
  uint32_t sampler[Sampler::dwords] = {};
  Sampler::Max_LOD::set(sampler, 14 << 8), Sampler::Border_Color_Pointer::set(sampler, border);
  Sampler::LOD_PreClamp_Mode::set(sampler, Sampler::LOD_PreClamp_Mode::OGL);
  set(sampler);
  s->put(dynamic + samplers, sampler);
  s->structure("SAMPLER_STATE", dynamic + samplers);
  s->put(dynamic + border, std::array{0x3e800000u, 0x3f000000u, 0x3f400000u, 0x3e000000u});
  s->structure("SAMPLER_BORDER_COLOR_STATE", dynamic + border);
  begin(*s);
  s->put(dynamic + border + 0x40, std::array{0x3f800000u, 0x3f800000u, 0x3f800000u, 0x3f800000u});

  std::vector<std::string> lines;
  uint32_t at = 0;
  for (const Message& m : messages) {
    for (size_t n = 0; n < m.parameters.size(); n++)
      lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud", 40 + n, 1 + letters.find(m.parameters[n])));
    lines.push_back(send("smpl", 8, "r50", 40, -1, 0,
                         uint32_t(m.parameters.size()) << 25 | 4u << 20 | 1u << 17 | m.number << 12 | image_entry));
    store(lines, 50, at, 4), at += 128;
  }
  if (typed) {
    lines.push_back(send("dc1", 8, "null", 7, 1, 1, descriptor(2, 0, false, 0x0d, 0xe << 8 | 1 << 12 | image_entry)));
    lines.push_back(send("dc1", 8, "r50", 7, -1, 0, descriptor(2, 1, false, 0x05, 0xe << 8 | 1 << 12 | image_entry)));
    store(lines, 50, at, 1);
  }
  s->kernel(std::move(lines));
  std::vector<uint32_t> words;
  auto floats = [&](auto value) {
    for (uint32_t n = 0; n < 8; n++) words.push_back(std::bit_cast<uint32_t>(float(value(n))));
  };
  // Lanes are quads: one beside the other, the second row below.
  auto column = [](uint32_t n) { return float(n % 2 + n / 4 * 2); };
  auto row = [](uint32_t n) { return float(n / 2 % 2); };
  // (the first lane's is less than a 512th before a texel)
  floats([&](uint32_t n) { return n == 0 ? (3 - 1.0f / 1024) / 8 : -0.3f + 0.37f * column(n) + 0.05f * row(n); });
  floats([&](uint32_t n) { return 1.2f - 0.31f * row(n) - 0.11f * column(n); });
  floats([&](uint32_t n) { return 0.4f + 0.2f * float(n % 3); });
  floats([&](uint32_t n) { return float(n % 2); });
  floats([&](uint32_t n) { return 0.3f * float(n); });
  floats([&](uint32_t n) { return 0.125f * float(n) + 0.0625f; });
  for (uint32_t n = 0; n < 8; n++) words.push_back(n);
  for (uint32_t n = 0; n < 8; n++) words.push_back(n * 3 % 8);
  walk(*s, {.shared = 8}, words);
  s->finish();
  all.push_back(std::move(s));
}

void linear(uint32_t* w) {
  Sampler::Min_Mode_Filter::set(w, 1), Sampler::Mag_Mode_Filter::set(w, 1), Sampler::Mip_Mode_Filter::set(w, 3);
  Sampler::TCX_Address_Control_Mode::set(w, 4), Sampler::TCY_Address_Control_Mode::set(w, 4),
      Sampler::TCZ_Address_Control_Mode::set(w, 4);
}

void add_images(Dg1Scenes& all) {
  const std::vector<Message> flat = {{0x00, "uvra"}, {0x02, "luvra"}, {0x08, "uvra"}, {0x09, "uvra"},
                                     {0x07, "UVlr"}, {0x0a, "U"},     {0x0b, "U"}};
  add_image(all, "an image of levels", {.levels = 3}, flat, linear, true);
  add_image(all, "a tiled image of levels", {.width = 32, .height = 32, .levels = 3, .tiling = Surface::Tile_Mode::YMAJOR}, flat,
            linear);
  add_image(all, "the nearest texels", {.levels = 3}, flat, [](uint32_t* w) { Sampler::Mip_Mode_Filter::set(w, 1); });
  add_image(all, "an anisotropic filter", {.width = 256, .pitch = 1024}, flat, [](uint32_t* w) {
    linear(w);
    Sampler::Min_Mode_Filter::set(w, 2), Sampler::Mag_Mode_Filter::set(w, 2), Sampler::Maximum_Anisotropy::set(w, 3);
  });
  add_image(all, "an array", {.depth = 2, .array = true}, flat, linear, true);
  add_image(all, "layers that are tiled", {.depth = 2, .tiling = Surface::Tile_Mode::YMAJOR, .array = true}, flat, linear);
  add_image(all, "a row of texels", {.type = Type::SURFTYPE_1D, .depth = 2, .array = true}, flat, linear);
  add_image(all, "a volume", {.type = Type::SURFTYPE_3D, .depth = 4}, flat, linear);
  add_image(all, "a cube", {.type = Type::SURFTYPE_CUBE}, flat, [](uint32_t* w) {
    linear(w);
    for (auto address : {0, 3, 6}) w[3] = (w[3] & ~(7u << address)) | 2u << address;
  });
  add_image(all, "comparisons", {.format = SURFACE_FORMAT::R32_FLOAT, .levels = 3}, {{0x03, "cuvra"}, {0x10, "cuvra"}}, linear);
  add_image(all, "the least of texels", {.levels = 3}, flat, [](uint32_t* w) {
    linear(w);
    Sampler::Reduction_Type_Enable::set(w, 1), Sampler::Reduction_Type::set(w, 2);
  });
  add_image(
      all, "chroma keys", {.width = 32, .height = 32}, flat,
      [](uint32_t* w) {
        linear(w);
        Sampler::ChromaKey_Enable::set(w, 1), Sampler::ChromaKey_Mode::set(w, 1), Sampler::ChromaKey_Index::set(w, 1);
      },
      false,
      [](Dg1Scene& s) {
        using Key = _3DSTATE_CHROMA_KEY;
        s.blocks.push_back("WM");
        for (uint32_t n = 0; n < 4; n++)
          s.b.add<Key>([&](uint32_t* w) {
            Key::ChromaKey_Table_Index::set(w, n), Key::ChromaKey_Low_Value::set(w, 0x10101010 * n),
                Key::ChromaKey_High_Value::set(w, 0xe0e0e0e0 + n * 0x08080808);
          });
      });
  add_image(all, "samples", {.tiling = Surface::Tile_Mode::YMAJOR, .samples = 2}, {{0x1e, "UUUVr"}, {0x0b, "U"}}, linear);
  add_image(all, "a buffer of texels", {.type = Type::SURFTYPE_BUFFER, .width = 64, .height = 1, .pitch = 4},
            {{0x07, "UVlr"}, {0x0a, "U"}}, linear, true);
}

// A buffer of bytes, by tables that are read before the threads begin and by others.
void add_buffers(Dg1Scenes& all) {
  auto s = kernel_scene("a buffer of bytes", {"SURFACE"});
  s->structure("RENDER_SURFACE_STATE", surfaces + image_entry * 64);
  buffer_state(*s, image_entry, images, 0x48);
  for (uint32_t n = 0; n < 0x1000; n += 4) s->put(images + n, std::array{n * 77777});
  std::vector<std::string> lines = {
      "shl (8|M0) r10.0<1>:d r1.0<8;8,1>:d 2:w", "add (8|M0) r12.0<1>:d r10.0<8;8,1>:d 0x30:d",
      send("dc1", 8, "r20", 12, -1, 0, descriptor(1, 1, false, 1, one_dword | simd8 | image_entry)),
      send("dc1", 8, "r21", 10, -1, 0, descriptor(1, 1, false, 1, one_dword | simd8 | image_entry))};
  store(lines, 20, 0, 2);
  s->kernel(std::move(lines));
  walk(*s, {}, {0, 1, 2, 3, 4, 5, 6, 7});
  s->finish();
  all.push_back(std::move(s));
  // A block of an image.
  auto m = kernel_scene("a media block", {"SURFACE"});
  uint32_t w[Surface::dwords] = {};
  Surface::Surface_Type::set(w, Type::SURFTYPE_2D), Surface::Surface_Format::set(w, SURFACE_FORMAT::R8G8B8A8_UNORM);
  Surface::Width::set(w, 9), Surface::Height::set(w, 11), Surface::Surface_Pitch::set(w, 63),
      Surface::Surface_Base_Address::set(w, images);
  Surface::Surface_QPitch::set(w, 4), Surface::Surface_Horizontal_Alignment::set(w, 1),
      Surface::Surface_Vertical_Alignment::set(w, 1);
  Surface::Minimum_Array_Element::set(w, 1);
  m->put(surfaces + image_entry * 64, w);
  m->structure("RENDER_SURFACE_STATE", surfaces + image_entry * 64);
  for (uint32_t n = 0; n < 0x4000; n += 4) m->put(images + n, std::array{n * 77777});
  lines = {"(W) mov (8|M0) r6.0<1>:ud 0:ud", "(W) mov (1|M0) r6.0<1>:ud 30:ud", "(W) mov (1|M0) r6.1<1>:ud 10:ud",
           "(W) mov (1|M0) r6.2<1>:ud 0x3000f:ud",
           send("dc1", 8, "r50", 6, -1, 0, descriptor(1, 2, true, 4, image_entry), "(W) ")};
  store(lines, 50, 0, 2);
  m->kernel(std::move(lines));
  walk(*m, {}, {});
  m->finish();
  all.push_back(std::move(m));
}

}  // namespace

void add_kernel_scenes(Dg1Scenes& all) {
  add_grid(all, false, false);
  add_grid(all, true, false);
  add_grid(all, false, true);
  add_group(all);
  add_images(all);
  add_buffers(all);
}

}  // namespace Atoll::ledger
