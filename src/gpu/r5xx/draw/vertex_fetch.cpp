#include "gpu/r5xx/draw/vertex_fetch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/r5xx/byte_swap.h"
#include "surface/number.h"

namespace Atoll::r5xx {
namespace {

// The dwords that an element of each StreamDataType has; 0: reserved.
constexpr uint8_t element_dwords[16] = {1, 2, 3, 4, 1, 1, 1, 2, 1, 1, 8, 1, 2, 0, 0, 0};

using Control = VAP_PROG_STREAM_CNTL;
using Extension = VAP_PROG_STREAM_CNTL_EXT;
using Methods = VAP_PSC_SGN_NORM_CNTL;
using NormalizeMethods =
    FieldList<Methods::SGN_NORM_METHOD_0, Methods::SGN_NORM_METHOD_1, Methods::SGN_NORM_METHOD_2, Methods::SGN_NORM_METHOD_3,
              Methods::SGN_NORM_METHOD_4, Methods::SGN_NORM_METHOD_5, Methods::SGN_NORM_METHOD_6, Methods::SGN_NORM_METHOD_7,
              Methods::SGN_NORM_METHOD_8, Methods::SGN_NORM_METHOD_9, Methods::SGN_NORM_METHOD_10, Methods::SGN_NORM_METHOD_11,
              Methods::SGN_NORM_METHOD_12, Methods::SGN_NORM_METHOD_13, Methods::SGN_NORM_METHOD_14, Methods::SGN_NORM_METHOD_15>;

float fixed(uint32_t word, unsigned low, unsigned bits, const StreamElement& e) {
  uint32_t c = word >> low & ((1u << bits) - 1);
  float largest = float((1u << (bits - (e.is_signed ? 1 : 0))) - 1);
  if (!e.is_signed) return e.normalized ? float(c) / largest : float(c);
  int32_t value = int32_t(c << (32 - bits)) >> (32 - bits);
  if (!e.normalized) return float(value);
  switch (e.normalize_method) {
    case SignedNormalize::SGN_NORM_ZERO: return float(value) / largest;
    case SignedNormalize::SGN_NORM_ZERO_CLAMP_MINUS_ONE: return std::max(float(value) / largest, -1.0f);
    default: return float(2 * value + 1) / float((1u << bits) - 1);
  }
}

float half(uint32_t word, unsigned low) { return surface::from_half(uint16_t(word >> low)); }

void write_vector(const StreamElement& e, const std::array<float, 4>& read, std::array<float, 4>& vector) {
  for (unsigned c = 0; c < 4; c++) {
    if (!(e.write_enable >> c & 1)) continue;
    uint8_t select = e.swizzle[c];
    vector[c] = select < 4 ? read[select] : select == StreamSwizzle::SELECT_FP_ONE ? 1.0f : 0.0f;
  }
}

}  // namespace

Expected<StreamLayout> stream_layout(const RegisterFile& r) {
  StreamLayout layout;
  auto methods = r.read<VAP_PSC_SGN_NORM_CNTL>();
  for (unsigned n = 0; n < 16; n++) {
    const unsigned half = n % 2;  // of a register: two elements each
    const auto control = r.read<Control>(n / 2);
    const auto extension = r.read<Extension>(n / 2);
    StreamElement e;
    e.type = uint8_t(FieldList<Control::DATA_TYPE_0, Control::DATA_TYPE_1>::get(control, half));
    e.dwords = element_dwords[e.type];
    if (e.dwords == 0) return fail("VAP_PROG_STREAM_CNTL element {}: data type {} is reserved", n, e.type);
    e.vector = uint8_t(FieldList<Control::DST_VEC_LOC_0, Control::DST_VEC_LOC_1>::get(control, half));
    e.is_signed = FieldList<Control::SIGNED_0, Control::SIGNED_1>::get(control, half);
    e.normalized = FieldList<Control::NORMALIZE_0, Control::NORMALIZE_1>::get(control, half);
    e.normalize_method = uint8_t(NormalizeMethods::get(methods, n));
    e.swizzle = {uint8_t(FieldList<Extension::SWIZZLE_SELECT_X_0, Extension::SWIZZLE_SELECT_X_1>::get(extension, half)),
                 uint8_t(FieldList<Extension::SWIZZLE_SELECT_Y_0, Extension::SWIZZLE_SELECT_Y_1>::get(extension, half)),
                 uint8_t(FieldList<Extension::SWIZZLE_SELECT_Z_0, Extension::SWIZZLE_SELECT_Z_1>::get(extension, half)),
                 uint8_t(FieldList<Extension::SWIZZLE_SELECT_W_0, Extension::SWIZZLE_SELECT_W_1>::get(extension, half))};
    e.write_enable = uint8_t(FieldList<Extension::WRITE_ENA_0, Extension::WRITE_ENA_1>::get(extension, half));
    for (uint8_t select : e.swizzle)
      if (select > StreamSwizzle::SELECT_FP_ONE)
        return fail("VAP_PROG_STREAM_CNTL_EXT element {}: swizzle {} is reserved", n, select);
    e.first_dword = layout.dwords;
    layout.dwords += e.dwords + FieldList<Control::SKIP_DWORDS_0, Control::SKIP_DWORDS_1>::get(control, half);
    layout.vectors_written |= 1u << e.vector;
    if (e.type == StreamDataType::FLOAT_8) layout.vectors_written |= 1u << (e.vector + 1) % input_vectors;
    layout.elements.push_back(e);
    if (FieldList<Control::LAST_VEC_0, Control::LAST_VEC_1>::get(control, half)) break;
  }
  return layout;
}

void read_element(const StreamElement& e, const uint32_t* d, std::array<float, 4>& vector) {
  std::array<float, 4> v{0, 0, 0, 0};
  switch (e.type) {
    case StreamDataType::FLOAT_1:
    case StreamDataType::FLOAT_2:
    case StreamDataType::FLOAT_3:
    case StreamDataType::FLOAT_4:
    case StreamDataType::FLOAT_8: std::memcpy(v.data(), d, std::min(e.dwords, 4u) * 4); break;
    case StreamDataType::BYTE:
      v = {fixed(d[0], 0, 8, e), fixed(d[0], 8, 8, e), fixed(d[0], 16, 8, e), fixed(d[0], 24, 8, e)};
      break;
    case StreamDataType::D3DCOLOR:
      v = {fixed(d[0], 16, 8, e), fixed(d[0], 8, 8, e), fixed(d[0], 0, 8, e), fixed(d[0], 24, 8, e)};
      break;
    case StreamDataType::SHORT_2: v = {fixed(d[0], 0, 16, e), fixed(d[0], 16, 16, e), 0, 1}; break;
    case StreamDataType::SHORT_4:
      v = {fixed(d[0], 0, 16, e), fixed(d[0], 16, 16, e), fixed(d[1], 0, 16, e), fixed(d[1], 16, 16, e)};
      break;
    case StreamDataType::VECTOR_3_TTT: v = {fixed(d[0], 0, 10, e), fixed(d[0], 10, 10, e), fixed(d[0], 20, 10, e), 1}; break;
    case StreamDataType::VECTOR_3_EET: v = {fixed(d[0], 0, 11, e), fixed(d[0], 11, 11, e), fixed(d[0], 22, 10, e), 1}; break;
    case StreamDataType::FLT16_2: v = {half(d[0], 0), half(d[0], 16), 0, 1}; break;
    case StreamDataType::FLT16_4: v = {half(d[0], 0), half(d[0], 16), half(d[1], 0), half(d[1], 16)}; break;
    default: break;
  }
  write_vector(e, v, vector);
}

Expected<VertexFetcher> VertexFetcher::from_arrays(const RegisterFile& r, const AddressSpace& space, uint32_t highest,
                                                   bool dual_index) {
  VertexFetcher f;
  auto layout = stream_layout(r);
  if (!layout) return std::unexpected(layout.error());
  f.layout_ = std::move(*layout);
  f.space_ = &space;
  f.highest_ = highest;
  f.swap_ = r.get<VAP_CNTL_STATUS::VC_SWAP>();
  f.dual_index_ = dual_index;
  unsigned count = r.get<VAP_VTX_NUM_ARRAYS::VTX_NUM_ARRAYS>();
  if (count > max_arrays) return fail("VAP_VTX_NUM_ARRAYS: {} arrays; there are {}", count, max_arrays);
  for (unsigned n = 0; n < count; n++) {
    using Attributes = VAP_VTX_AOS_ATTR;
    const auto attributes = r.read<Attributes>(n / 2);
    Array a;
    a.count = FieldList<Attributes::VTX_AOS_COUNT0, Attributes::VTX_AOS_COUNT1>::get(attributes, n % 2);
    a.stride = FieldList<Attributes::VTX_AOS_STRIDE0, Attributes::VTX_AOS_STRIDE1>::get(attributes, n % 2);
    a.address = r.get<VAP_VTX_AOS_ADDR::VTX_AOS_ADDR0>(n) << VAP_VTX_AOS_ADDR::VTX_AOS_ADDR0::low;
    a.checked = a.count == 0 || space.contains(a.address, (uint64_t(a.stride) * highest + a.count) * 4);
    f.arrays_.push_back(a);
  }
  f.find_words();
  return f;
}

void VertexFetcher::find_words() {
  if (swap_ || dual_index_) return;
  // A component's last element counts; those that have none are 0.
  std::array<Word, input_vectors * 4> words;
  for (const StreamElement& e : layout_.elements) {
    if (e.type > StreamDataType::FLOAT_4) return;
    size_t array = 0;
    unsigned first = 0;
    while (array < arrays_.size() && first + arrays_[array].count <= e.first_dword) first += arrays_[array++].count;
    if (array == arrays_.size() || e.first_dword + e.dwords > first + arrays_[array].count) return;
    for (unsigned c = 0; c < 4; c++) {
      if (!(e.write_enable >> c & 1)) continue;
      Word& word = words[e.vector * 4 + c];
      const uint8_t select = e.swizzle[c];
      word = {};
      if (select < e.dwords)
        word.array = uint8_t(array), word.dword_or_bits = e.first_dword - first + select;
      else if (select == StreamSwizzle::SELECT_FP_ONE)
        word.dword_or_bits = std::bit_cast<uint32_t>(1.0f);
    }
  }
  words_.reserve(size_t(std::popcount(layout_.vectors_written)) * 4);
  for (unsigned n = 0; n < words.size(); n++)
    if (layout_.vectors_written >> n / 4 & 1) words[n].component = uint8_t(n), words_.push_back(words[n]);
  has_words_ = true;
}

Expected<VertexFetcher> VertexFetcher::from_stream(const RegisterFile& r, std::span<const uint32_t> dwords, unsigned stride) {
  VertexFetcher f;
  auto layout = stream_layout(r);
  if (!layout) return std::unexpected(layout.error());
  f.layout_ = std::move(*layout);
  f.stream_ = dwords;
  f.stream_stride_ = stride;
  f.arrays_.push_back({.count = stride, .stride = stride});
  f.find_words();
  return f;
}

// Data behind the stream's end are 0: such vertices are fetched one by one.
bool VertexFetcher::has_words(std::span<const uint32_t> vertices) const {
  if (!has_words_ || space_) return has_words_;
  const size_t whole = stream_stride_ ? stream_.size() / stream_stride_ : 0;
  return std::ranges::all_of(vertices, [&](uint32_t vertex) { return vertex < whole; });
}

const uint8_t* VertexFetcher::place(size_t n, uint32_t vertex, std::string& fault) const {
  if (!space_) return reinterpret_cast<const uint8_t*>(stream_.data() + size_t(vertex) * stream_stride_);
  const Array& a = arrays_[n];
  const uint32_t number = !dual_index_ ? vertex : n == 0 ? vertex >> 16 : vertex & 0xffff;
  const uint64_t address = a.address + uint64_t(a.stride) * number * 4;
  if ((!a.checked || vertex > highest_) && !space_->contains(address, a.count * 4)) {
    fault = fmt::format("vertex {} of array {}: {} dwords at {:#x} are not mapped", vertex, n, a.count, address);
    return nullptr;
  }
  return space_->host(address);
}

bool VertexFetcher::fetch_words(std::span<const uint32_t> vertices, uint32_t* lanes, size_t stride, std::string& fault) const {
  constexpr size_t at_once = 32;
  ATOLL_ASSERT(has_words_ && vertices.size() <= at_once);
  const uint8_t* places[max_arrays][at_once];
  // (vertex by vertex, as fetch() goes: which fault is the first)
  for (size_t v = 0; v < vertices.size(); v++)
    for (size_t n = 0; n < arrays_.size(); n++) {
      places[n][v] = place(n, vertices[v], fault);
      if (!places[n][v]) return false;
    }
  for (const Word& word : words_) {
    uint32_t* to = lanes + word.component * stride;
    if (word.array == Word::constant) {
      std::fill_n(to, vertices.size(), word.dword_or_bits);
      continue;
    }
    const uint8_t* const* from = places[word.array];
    for (size_t v = 0; v < vertices.size(); v++) std::memcpy(to + v, from[v] + word.dword_or_bits * 4, 4);
  }
  return true;
}

bool VertexFetcher::fetch(uint32_t vertex, InputVectors& inputs, std::string& fault) const {
  constexpr unsigned most = 16 * (8 + 15);  // dwords of 16 elements, the skipped ones included
  std::array<uint32_t, most> dwords;
  std::memset(dwords.data(), 0, layout_.dwords * 4);
  unsigned have = 0;
  if (space_) {
    for (size_t n = 0; n < arrays_.size(); n++) {
      const uint8_t* from = place(n, vertex, fault);
      if (!from) return false;
      unsigned taken = std::min(arrays_[n].count, layout_.dwords - have);
      std::memcpy(dwords.data() + have, from, taken * 4);
      have += taken;
    }
    if (swap_)
      for (unsigned n = 0; n < have; n++) dwords[n] = swapped(dwords[n], swap_);
  } else {
    uint64_t first = uint64_t(vertex) * stream_stride_;
    if (first < stream_.size()) {
      have = unsigned(std::min<uint64_t>({stream_stride_, stream_.size() - first, layout_.dwords}));
      std::memcpy(dwords.data(), stream_.data() + first, have * 4);
    }
  }
  for (const StreamElement& e : layout_.elements) {
    read_element(e, dwords.data() + e.first_dword, inputs[e.vector]);
    if (e.type == StreamDataType::FLOAT_8)
      read_element(e, dwords.data() + e.first_dword + 4, inputs[(e.vector + 1) % input_vectors]);
  }
  return true;
}

}  // namespace Atoll::r5xx
