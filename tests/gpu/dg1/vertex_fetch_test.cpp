// Vertex elements against a model that has the formats from their names alone, and the fetcher's rules from the manual's text.
#include "gpu/dg1/draw/vertex_fetch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "batch.h"
#include "registers/lookup.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;

struct Channel {
  char letter;
  unsigned bits;
  std::string type;
};

// "R10G10B10_SNORM_A2_UNORM" -> four channels with their types.
std::vector<Channel> channels_of(const std::string& name) {
  std::vector<Channel> all;
  size_t untyped = 0, at = 0;
  while (at < name.size()) {
    if (std::string("RGBAX").find(name[at]) != std::string::npos && at + 1 < name.size() && std::isdigit(name[at + 1])) {
      Channel channel{name[at++], 0, ""};
      while (at < name.size() && std::isdigit(name[at])) channel.bits = channel.bits * 10 + unsigned(name[at++] - '0');
      all.push_back(channel);
      continue;
    }
    if (name[at] != '_') return {};
    const size_t end = std::min(name.find('_', at + 1), name.size());
    const std::string word = name.substr(at + 1, end - at - 1);
    const bool channel_word = word.size() > 1 && std::isdigit(word[1]);
    if (channel_word) {
      at++;
      continue;
    }
    for (; untyped < all.size(); untyped++) all[untyped].type = word;
    at = end;
  }
  return all;
}

// Floats of few bits by their definition, in doubles.
double small_float(uint64_t bits, unsigned exponent_bits, unsigned mantissa_bits, bool has_sign) {
  const uint64_t mantissa = bits & ((1u << mantissa_bits) - 1), exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  const double sign = has_sign && bits >> (mantissa_bits + exponent_bits) & 1 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1u << exponent_bits) - 1) return mantissa ? NAN : sign * INFINITY;
  if (!exponent) return sign * std::ldexp(double(mantissa), 1 - bias - int(mantissa_bits));
  return sign * std::ldexp(double(mantissa | 1u << mantissa_bits), int(exponent) - bias - int(mantissa_bits));
}

uint32_t model(const Channel& channel, uint64_t bits) {
  const unsigned n = channel.bits;
  const bool negative = bits >> (n - 1) & 1;
  const long double all = std::ldexp(1.0L, int(n)), plain = (long double)bits, with_sign = negative ? plain - all : plain;
  auto word = [](long double v) { return std::bit_cast<uint32_t>(float(v)); };
  if (channel.type == "UINT") return uint32_t(bits);
  if (channel.type == "SINT") return uint32_t(int32_t(with_sign));
  if (channel.type == "UNORM") return word(plain / (all - 1));
  if (channel.type == "SNORM") return word(std::max(with_sign / (all / 2 - 1), -1.0L));
  if (channel.type == "USCALED") return word(plain);
  if (channel.type == "SSCALED") return word(with_sign);
  if (channel.type == "SFIXED") return word(with_sign / 65536);
  if (n == 10 || n == 11) return word(small_float(bits, 5, n - 5, false));
  if (n == 16) return word(small_float(bits, 5, 10, true));
  if (n == 32) return uint32_t(bits);
  return word((long double)std::bit_cast<double>(bits));
}

bool same(uint32_t a, uint32_t b) {
  return a == b || (std::isnan(std::bit_cast<float>(a)) && std::isnan(std::bit_cast<float>(b)));
}

// The formats that Mesa 22.3.6's isl_format.c marks for vertex buffers are those of these types, and of the others these names.
TEST(VertexFormats, EveryFormatOfEveryWidth) {
  const auto* names = registers::find_enumeration(registers::dg1_tables, "SURFACE_FORMAT");
  ASSERT_TRUE(names);
  std::mt19937_64 random(1);
  unsigned formats = 0, tried = 0;
  for (auto& value : names->values) {
    const std::string name(value.name);
    const VertexFormat* format = find_vertex_format(uint32_t(value.first));
    const bool only_vertices = name.find("SCALED") != name.npos || name.find("SFIXED") != name.npos ||
                               name.find("PASSTHRU") != name.npos || name.starts_with("R64");
    if (only_vertices) EXPECT_TRUE(format) << name;
    if (!format) continue;
    formats++;
    const std::vector<Channel> channels = channels_of(name);
    ASSERT_FALSE(channels.empty()) << name;
    unsigned bytes = 0;
    for (auto& channel : channels) bytes += channel.bits;
    bytes /= 8;
    EXPECT_EQ(format->bytes(), name == "R10G10B10X2_USCALED" ? 4 : bytes) << name;
    for (unsigned n = 0; n < 256; n++) {
      uint8_t data[32] = {};
      // Random bits, all ones, and words whose channels are small or at the ends.
      for (auto& byte : data) byte = uint8_t(n == 0 ? 0 : n == 1 ? 0xff : n < 16 ? (random() & 1 ? 0x80 : 0x7f) : random());
      const auto words = convert_vertex(*format, data);
      if (name.find("PASSTHRU") != name.npos) {
        uint8_t expected[32] = {};
        std::copy_n(data, bytes, expected);
        EXPECT_EQ(std::memcmp(words.data(), expected, 32), 0) << name;
        continue;
      }
      std::map<char, uint32_t> expected{{'R', 0}, {'G', 0}, {'B', 0}};
      const bool integer = name.ends_with("UINT") || name.ends_with("SINT");
      expected['A'] = integer ? 1 : 0x3f800000;
      unsigned low = 0;
      for (auto& channel : channels) {
        uint64_t bits = 0;
        for (unsigned b = 0; b < channel.bits; b++) bits |= uint64_t(data[(low + b) / 8] >> (low + b) % 8 & 1) << b;
        low += channel.bits;
        if (channel.letter != 'X') expected[channel.letter] = model(channel, bits);
      }
      const char letters[] = "RGBA";
      for (unsigned c = 0; c < 4; c++)
        EXPECT_TRUE(same(words[c], expected[letters[c]]))
            << name << " " << c << std::hex << " " << words[c] << " instead of " << expected[letters[c]];
      tried++;
    }
  }
  EXPECT_EQ(formats, 108u);
  EXPECT_GT(tried, 25000u);
}

// A queue's state with a page of vertices, and commands that set it.
struct Fetch : ::testing::Test {
  static constexpr uint64_t page = 4096, buffer_at = 0x7f00'0000'0000, buffer_bytes = 4 * page;
  std::unique_ptr<AddressSpace> space = *AddressSpace::create_sectioned();
  gpu::Options options;
  std::atomic<int> stop{0};
  Context context{*gpu::find_chip("dg1"), gpu::QueueKind::graphics, *space, options, stop};
  std::vector<uint8_t> data = std::vector<uint8_t>(buffer_bytes);
  std::mt19937 random{7};

  Fetch() {
    EXPECT_TRUE(space->map(buffer_at, *space->memory().allocate(buffer_bytes), buffer_bytes));
    for (auto& byte : data) byte = uint8_t(random());
    std::memcpy(space->host(buffer_at), data.data(), data.size());
  }
  template <class Command, class Set>
  void send(Set&& set, uint32_t dwords = Command::dwords) {
    Batch words;
    words.add<Command>(set, dwords);
    context.graphics.set(*registers::find_command(registers::dg1_tables, words[0]), words);
  }
};

struct ModelBuffer {
  uint32_t offset = 0, bytes = 0, pitch = 0;
  bool null = false;
};
struct ModelElement {
  uint32_t format = 0, offset = 0, buffer = 0, control[4] = {};
  bool instancing = false;
  uint32_t step = 0;
};

// Random elements of every format, in buffers of random sizes, in random states.
TEST_F(Fetch, AsTheModel) {
  std::vector<std::pair<uint32_t, std::string>> formats;
  for (auto& value : registers::find_enumeration(registers::dg1_tables, "SURFACE_FORMAT")->values)
    if (find_vertex_format(uint32_t(value.first))) formats.emplace_back(uint32_t(value.first), std::string(value.name));
  auto chance = [&](unsigned of) { return random() % of == 0; };
  unsigned beyond = 0, words_tried = 0;
  std::set<uint32_t> seen;
  for (unsigned round = 0; round < 400; round++) {
    std::vector<ModelBuffer> buffers(1 + random() % 6);
    using B = _3DSTATE_VERTEX_BUFFERS::repeated;
    send<_3DSTATE_VERTEX_BUFFERS>(
        [&](uint32_t* w) {
          for (size_t n = 0; n < buffers.size(); n++) {
            uint32_t* at = w + 1 + n * 4;
            ModelBuffer& b = buffers[n];
            b = {uint32_t(random() % page), uint32_t(random() % (2 * page)), chance(4) ? 0 : uint32_t(random() % 100), chance(9)};
            B::Vertex_Buffer_State_Vertex_Buffer_Index::set(at, n), B::Vertex_Buffer_State_Address_Modify_Enable::set(at, 1);
            B::Vertex_Buffer_State_Buffer_Pitch::set(at, b.pitch);
            B::Vertex_Buffer_State_Null_Vertex_Buffer::set(at, b.null);
            B::Vertex_Buffer_State_Buffer_Starting_Address::set(at, buffer_at + b.offset);
            B::Vertex_Buffer_State_Buffer_Size::set(at, b.bytes);
          }
        },
        uint32_t(1 + buffers.size() * 4));
    std::vector<ModelElement> elements(1 + random() % 12);
    using E = _3DSTATE_VERTEX_ELEMENTS::repeated;
    send<_3DSTATE_VERTEX_ELEMENTS>(
        [&](uint32_t* w) {
          for (size_t n = 0; n < elements.size(); n++) {
            uint32_t* at = w + 1 + n * 2;
            ModelElement& e = elements[n];
            const auto& format = formats[random() % formats.size()];
            e.format = format.first, e.offset = uint32_t(random() % 64), e.buffer = uint32_t(random() % buffers.size());
            const bool wide = format.second.find("PASSTHRU") != std::string::npos;
            for (uint32_t& control : e.control) control = chance(2) || wide ? 1 : 2 + uint32_t(random() % 3);
            E::Element_Valid::set(at, 1);
            E::Element_Source_Element_Format::set(at, e.format);
            E::Element_Source_Element_Offset::set(at, e.offset);
            E::Element_Vertex_Buffer_Index::set(at, e.buffer);
            E::Element_Component_0_Control::set(at, e.control[0]);
            E::Element_Component_1_Control::set(at, e.control[1]);
            E::Element_Component_2_Control::set(at, e.control[2]);
            E::Element_Component_3_Control::set(at, e.control[3]);
            seen.insert(e.format);
          }
        },
        uint32_t(1 + elements.size() * 2));
    for (uint32_t n = 0; n < elements.size(); n++) {
      elements[n].instancing = chance(3), elements[n].step = uint32_t(random() % 3);
      send<_3DSTATE_VF_INSTANCING>([&](uint32_t* w) {
        _3DSTATE_VF_INSTANCING::Vertex_Element_Index::set(w, n);
        _3DSTATE_VF_INSTANCING::Instancing_Enable::set(w, elements[n].instancing);
        _3DSTATE_VF_INSTANCING::Instance_Data_Step_Rate::set(w, elements[n].step);
      });
    }
    // Each of the generated values in a place of its own: component number = which it is modulo 4, in one element.
    const bool sgvs = chance(2);
    const uint32_t target = uint32_t(random() % elements.size());
    const bool wide = formats[0].second.empty() || !find_vertex_format(elements[target].format) ||
                      find_vertex_format(elements[target].format)->is_passed_through();
    const bool generated = sgvs && !wide;
    send<_3DSTATE_VF_SGVS>([&](uint32_t* w) {
      using S = _3DSTATE_VF_SGVS;
      S::VertexID_Enable::set(w, generated), S::VertexID_Element_Offset::set(w, target), S::VertexID_Component_Number::set(w, 2);
      S::InstanceID_Enable::set(w, generated), S::InstanceID_Element_Offset::set(w, target);
      S::InstanceID_Component_Number::set(w, 0);
    });
    const bool from_draw = chance(2);
    send<_3DSTATE_VF_SGVS_2>([&](uint32_t* w) {
      using S = _3DSTATE_VF_SGVS_2;
      S::XP0_Enable::set(w, generated), S::XP0_Element_Offset::set(w, target), S::XP0_Component_Number::set(w, 1);
      S::XP0_Source_Select::set(w, from_draw);
      S::XP1_Enable::set(w, generated), S::XP1_Element_Offset::set(w, target), S::XP1_Component_Number::set(w, 3);
      S::XP1_Source_Select::set(w, from_draw);
    });
    // Every third round elements are packed: components that are enabled, one behind the other (of formats of 64 bits two dwords each), in
    // whole slots (Skylake PRM volume 2a, 3DSTATE_VF_COMPONENT_PACKING, quoted in Mesa's brw_vs.cpp).
    const bool packs = round % 3 == 0;
    std::vector<uint32_t> packing(5);
    for (uint32_t& word : packing) word = uint32_t(random());
    // Every fifth round has VertexIDs with the base that vertices are fetched from (VertexID Offset Enable).
    const bool offsets = round % 5 == 0;
    send<_3DSTATE_VF>([&](uint32_t* w) {
      _3DSTATE_VF::Component_Packing_Enable::set(w, packs), _3DSTATE_VF::VertexID_Offset_Enable::set(w, offsets);
    });
    send<_3DSTATE_VF_COMPONENT_PACKING>([&](uint32_t* w) { std::copy_n(packing.data() + 1, 4, w + 1); });
    DrawParameters draw;
    draw.indexed = chance(2), draw.start_vertex = uint32_t(random() % 20), draw.start_instance = uint32_t(random() % 5);
    draw.base_vertex = int32_t(random() % 40) - 10, draw.extended = {11, 22, 33};
    VertexFetch fetch;
    ASSERT_TRUE(fetch.find(context, draw)) << context.report();

    std::vector<uint32_t> numbers, instances;
    for (unsigned n = 0; n < 9; n++) numbers.push_back(uint32_t(random() % 60)), instances.push_back(uint32_t(random() % 7));
    std::vector<uint32_t> got(numbers.size() * fetch.elements() * 4, 0xcccccccc), expected;
    std::string fault;
    ASSERT_TRUE(fetch.fetch(numbers, instances, got.data(), nullptr, fault)) << fault;
    for (size_t v = 0; v < numbers.size(); v++, expected.resize((expected.size() + 3) / 4 * 4))
      for (uint32_t n = 0; n < elements.size(); n++) {
        const ModelElement& e = elements[n];
        auto is_stored = [&](unsigned component) { return !packs || packing[1 + n / 8] >> (n % 8 * 4 + component) & 1; };
        const ModelBuffer& b = buffers[e.buffer];
        const uint32_t base = draw.indexed ? uint32_t(draw.base_vertex) : draw.start_vertex;
        uint32_t row = numbers[v] + base;
        if (e.instancing) row = e.step == 0 ? draw.start_instance : draw.start_instance + instances[v] / e.step;
        const VertexFormat& format = *find_vertex_format(e.format);
        const uint64_t first = uint64_t(row) * b.pitch + e.offset, last = first + format.bytes();
        uint8_t texel[32] = {};
        if (!b.null && last <= b.bytes)
          std::copy_n(&data[b.offset + first], format.bytes(), texel);
        else
          beyond++;
        const auto words = convert_vertex(format, texel);
        if (format.is_passed_through()) {
          for (unsigned dword = 0; dword < 8; dword++)
            if (is_stored(dword / 2)) expected.push_back(words[dword]);
          continue;
        }
        unsigned next = 0;
        for (unsigned c = 0; c < 4; c++) {
          const uint32_t of_gpu[] = {instances[v], from_draw ? base : 11, numbers[v] + (offsets ? base : 0),
                                     from_draw ? draw.start_instance : 22};
          const uint32_t stored[] = {0, 0, 0, 0x3f800000, 1};
          const uint32_t value = generated && n == target ? of_gpu[c] : e.control[c] == 1 ? words[next++] : stored[e.control[c]];
          if (is_stored(c)) expected.push_back(value);
        }
      }
    ASSERT_EQ(got, expected) << "round " << round;
    words_tried += unsigned(got.size());
  }
  EXPECT_EQ(seen.size(), 108u);
  EXPECT_GT(beyond, 1000u);
  EXPECT_GT(words_tried, 50000u);
}

// Without a place in memory the fetch fails by name; with a buffer of that size all is 0.
TEST_F(Fetch, BoundsAndFaults) {
  using B = _3DSTATE_VERTEX_BUFFERS::repeated;
  using E = _3DSTATE_VERTEX_ELEMENTS::repeated;
  auto bind = [&](uint64_t address, uint32_t bytes, uint32_t pitch) {
    send<_3DSTATE_VERTEX_BUFFERS>(
        [&](uint32_t* w) {
          B::Vertex_Buffer_State_Buffer_Pitch::set(w + 1, pitch), B::Vertex_Buffer_State_Address_Modify_Enable::set(w + 1, 1);
          B::Vertex_Buffer_State_Buffer_Starting_Address::set(w + 1, address);
          B::Vertex_Buffer_State_Buffer_Size::set(w + 1, bytes);
        },
        5);
  };
  send<_3DSTATE_VERTEX_ELEMENTS>(
      [&](uint32_t* w) {
        for (uint32_t* at : {w + 1, w + 3}) {
          E::Element_Valid::set(at, 1);
          E::Element_Source_Element_Format::set(at, SURFACE_FORMAT::R32_UINT);
          E::Element_Component_0_Control::set(at, 1);
        }
        E::Element_Edge_Flag_Enable::set(w + 3, 1);
      },
      5);
  uint32_t words[8];
  uint8_t edges[2];
  std::string fault;
  const uint32_t numbers[] = {0, 4}, instances[] = {0, 0};
  VertexFetch fetch;
  bind(buffer_at, 16, 4);
  const uint32_t zero = 0;
  std::memcpy(space->host(buffer_at), &zero, 4);
  ASSERT_TRUE(fetch.find(context, {.vertices = 1, .instances = 1}));
  EXPECT_EQ(fetch.elements(), 1u);
  EXPECT_TRUE(fetch.has_edge_flags());
  EXPECT_TRUE(fetch.fetch(numbers, instances, words, edges, fault));
  EXPECT_EQ(words[4], 0u);  // the fifth of four
  EXPECT_EQ(edges[0], 0);
  EXPECT_EQ(edges[1], 0);
  bind(buffer_at + buffer_bytes - 8, 400, 4);
  ASSERT_TRUE(fetch.find(context, {.vertices = 1, .instances = 1}));
  EXPECT_TRUE(fetch.fetch(std::span(numbers).first(1), std::span(instances).first(1), words, edges, fault));
  uint32_t last = 0;
  std::memcpy(&last, &data[buffer_bytes - 8], 4);
  EXPECT_EQ(words[0], last);
  EXPECT_EQ(edges[0], last != 0);
  EXPECT_FALSE(fetch.fetch(std::span(numbers).last(1), std::span(instances).last(1), words, edges, fault));
  EXPECT_NE(fault.find("vertex element 0"), std::string::npos) << fault;
  send<_3DSTATE_VERTEX_ELEMENTS>(
      [&](uint32_t* w) {
        E::Element_Valid::set(w + 1, 1), E::Element_Source_Element_Format::set(w + 1, SURFACE_FORMAT::BC1_UNORM);
        E::Element_Component_0_Control::set(w + 1, 1);
      },
      3);
  EXPECT_FALSE(fetch.find(context, {.vertices = 1, .instances = 1}));
  EXPECT_NE(context.report().find("vertices have no format"), std::string::npos) << context.report();
}

}  // namespace
}  // namespace Atoll::dg1
