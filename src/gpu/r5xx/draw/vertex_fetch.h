// The vertex fetcher and the programmable stream control: dwords of a vertex, from arrays in memory or from the command stream,
// become the vectors of the vertex engine's input memory. R5xx Acceleration v1.3, 10.11: VAP_PROG_STREAM_CNTL(_EXT),
// VAP_PSC_SGN_NORM_CNTL, VAP_VTX_AOS_*, VAP_VTX_SIZE.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/expected.h"
#include "gpu/r5xx/state.h"
#include "memory/address_space.h"

namespace Atoll::r5xx {

inline constexpr unsigned input_vectors = 32;  // DST_VEC_LOC has 5 bits
inline constexpr unsigned max_arrays = 16;
using InputVectors = std::array<std::array<float, 4>, input_vectors>;

// One element of a vertex: where its dwords begin in the vertex, how they are read, where they go.
struct StreamElement {
  uint8_t type = 0;  // StreamDataType
  uint8_t vector = 0;
  bool is_signed = false, normalized = false;
  uint8_t normalize_method = 0;      // SignedNormalize
  std::array<uint8_t, 4> swizzle{};  // StreamSwizzle
  uint8_t write_enable = 0xf;
  unsigned first_dword = 0, dwords = 0;
};

// The elements to the one marked last (or all 16), in their order. `dwords`: of a whole vertex, skipped ones included. An error
// names an element whose type or swizzle the manual calls reserved.
struct StreamLayout {
  std::vector<StreamElement> elements;
  unsigned dwords = 0;
  uint32_t vectors_written = 0;  // bit n: vector n
};
Expected<StreamLayout> stream_layout(const RegisterFile& registers);

// Writes one element's vector; `dwords` are the element's own. Components that are not enabled keep their values.
void read_element(const StreamElement& element, const uint32_t* dwords, std::array<float, 4>& vector);

// The source of vertices, fixed for a draw.
class VertexFetcher {
public:
  // Arrays as VAP_VTX_NUM_ARRAYS and the AOS registers say. `highest`: the largest vertex number that is to be expected; the
  // memory of others is looked at for each.
  // `dual_index`: a vertex number is two (VAP_VF_CNTL.DUAL_INDEX_MODE), bits 23:16 that in array 0, 15:0 that in the others.
  static Expected<VertexFetcher> from_arrays(const RegisterFile& registers, const AddressSpace& space, uint32_t highest,
                                             bool dual_index = false);
  // Vertices from the command stream, `stride` dwords each; vertices beyond its end read as 0.
  static Expected<VertexFetcher> from_stream(const RegisterFile& registers, std::span<const uint32_t> dwords, unsigned stride);

  // False: the vertex's memory is not mapped; `fault` says which array and address.
  bool fetch(uint32_t vertex, InputVectors& inputs, std::string& fault) const;
  const StreamLayout& layout() const { return layout_; }
  // If all elements are floats as they stand in arrays, or in the command stream: fetch_words() may be called instead, for many
  // vertices at once. Component c of vector v of vertex n goes to lanes[(v * 4 + c) * stride + n], of all vectors that are written.
  bool has_words(std::span<const uint32_t> vertices) const;
  bool fetch_words(std::span<const uint32_t> vertices, uint32_t* lanes, size_t stride, std::string& fault) const;

private:
  struct Array {
    uint64_t address = 0;
    unsigned count = 0, stride = 0;  // dwords
    bool checked = false;            // every vertex up to the highest is mapped
  };
  // A component that is a dword of array `array`, or a constant.
  struct Word {
    static constexpr uint8_t constant = 0xff;
    uint8_t array = constant;
    uint8_t component = 0;       // and vector, times 4
    uint32_t dword_or_bits = 0;  // of the array's part of a vertex
  };
  void find_words();
  // The vertex's data in array n; null: they are not mapped.
  const uint8_t* place(size_t n, uint32_t vertex, std::string& fault) const;

  StreamLayout layout_;
  std::vector<Word> words_;
  bool has_words_ = false;
  const AddressSpace* space_ = nullptr;
  std::vector<Array> arrays_;
  uint32_t highest_ = 0;
  uint32_t swap_ = 0;  // VAP_CNTL_STATUS.VC_SWAP
  bool dual_index_ = false;
  std::span<const uint32_t> stream_;
  unsigned stream_stride_ = 0;
};

}  // namespace Atoll::r5xx
