#include "isa/rdna4/buffer_format.h"

#include <iterator>

namespace Atoll::rdna4 {
namespace {

// RDNA4 ISA table 62, in its order from 1 on. A name lists the widths from the highest bits down, so X's stands last.
#define ATOLL_NUMBERS_OF_SMALL(X, name, ...) \
  X(name "_UNORM", Unorm, __VA_ARGS__)       \
  X(name "_SNORM", Snorm, __VA_ARGS__)       \
  X(name "_USCALED", Uscaled, __VA_ARGS__)   \
  X(name "_SSCALED", Sscaled, __VA_ARGS__) X(name "_UINT", Uint, __VA_ARGS__) X(name "_SINT", Sint, __VA_ARGS__)
#define ATOLL_NUMBERS_OF_32(X, name, ...) \
  X(name "_UINT", Uint, __VA_ARGS__) X(name "_SINT", Sint, __VA_ARGS__) X(name "_FLOAT", Float, __VA_ARGS__)
#define ATOLL_ROW(name, number, ...) {name, {__VA_ARGS__}, Number::number},
constexpr BufferFormat kFormats[] = {
    ATOLL_NUMBERS_OF_SMALL(ATOLL_ROW, "8", 8)                         // 1-6
    ATOLL_NUMBERS_OF_SMALL(ATOLL_ROW, "16", 16)                       // 7-12
    ATOLL_ROW("16_FLOAT", Float, 16)                                  // 13
    ATOLL_NUMBERS_OF_SMALL(ATOLL_ROW, "8_8", 8, 8)                    // 14-19
    ATOLL_NUMBERS_OF_32(ATOLL_ROW, "32", 32)                          // 20-22
    ATOLL_NUMBERS_OF_SMALL(ATOLL_ROW, "16_16", 16, 16)                // 23-28
    ATOLL_ROW("16_16_FLOAT", Float, 16, 16)                           // 29
    ATOLL_ROW("10_11_11_FLOAT", Float, 11, 11, 10)                    // 30
    ATOLL_ROW("11_11_10_FLOAT", Float, 10, 11, 11)                    // 31
    ATOLL_ROW("10_10_10_2_UNORM", Unorm, 2, 10, 10, 10)               // 32
    ATOLL_ROW("10_10_10_2_SNORM", Snorm, 2, 10, 10, 10)               // 33
    ATOLL_ROW("10_10_10_2_UINT", Uint, 2, 10, 10, 10)                 // 34
    ATOLL_ROW("10_10_10_2_SINT", Sint, 2, 10, 10, 10)                 // 35
    ATOLL_NUMBERS_OF_SMALL(ATOLL_ROW, "2_10_10_10", 10, 10, 10, 2)    // 36-41
    ATOLL_NUMBERS_OF_SMALL(ATOLL_ROW, "8_8_8_8", 8, 8, 8, 8)          // 42-47
    ATOLL_NUMBERS_OF_32(ATOLL_ROW, "32_32", 32, 32)                   // 48-50
    ATOLL_NUMBERS_OF_SMALL(ATOLL_ROW, "16_16_16_16", 16, 16, 16, 16)  // 51-56
    ATOLL_ROW("16_16_16_16_FLOAT", Float, 16, 16, 16, 16)             // 57
    ATOLL_NUMBERS_OF_32(ATOLL_ROW, "32_32_32", 32, 32, 32)            // 58-60
    ATOLL_NUMBERS_OF_32(ATOLL_ROW, "32_32_32_32", 32, 32, 32, 32)     // 61-63
};
#undef ATOLL_ROW
static_assert(std::size(kFormats) == 63);

}  // namespace

const BufferFormat* buffer_format(unsigned number) {
  return number >= 1 && number <= std::size(kFormats) ? &kFormats[number - 1] : nullptr;
}

BufferResource buffer_resource(const uint32_t words[4]) {
  static constexpr uint8_t scale[] = {1, 4, 8, 32}, element[] = {0, 4, 4, 16};  // element size 2 is reserved
  auto field = [words](unsigned word, unsigned low, unsigned bits) { return words[word] >> low & ((1u << bits) - 1); };
  BufferResource v{};
  v.base = words[0] | uint64_t(field(1, 0, 16)) << 32;
  v.stride_scale = scale[field(3, 18, 2)];
  v.stride = field(1, 16, 14) * v.stride_scale;
  v.records = words[2];
  v.element_bytes = element[field(1, 30, 2)];
  v.index_stride = 8u << field(3, 21, 2);
  for (unsigned c = 0; c < 4; c++) v.select[c] = uint8_t(field(3, 3 * c, 3));
  v.format = uint8_t(field(3, 12, 6));
  v.add_lane = field(3, 23, 1);
  v.out_of_bounds = uint8_t(field(3, 28, 2));
  v.type = uint8_t(field(3, 30, 2));
  return v;
}

}  // namespace Atoll::rdna4
