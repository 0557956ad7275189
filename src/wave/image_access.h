// A wave's access to images, in terms of every ISA. The ISA unpacks addresses and modifiers from its registers; the GPU
// family knows what the descriptors or unit numbers mean (Environment::image) and fills the results.
#pragma once
#include <array>
#include <cstdint>

#include "wave/memory_access.h"

namespace Atoll::wave {

enum class ImageOperation : uint8_t {
  load,          // integer coordinates, no filter
  load_samples,  // the component `gather_component` of four samples of a texel, from the one given on
  store,
  sample,
  gather,     // four texels' component `gather_component`
  size,       // width, height, depth or layers, levels of `lod`
  query_lod,  // the level that sample would take: clamped, unclamped
  atomic,
};

enum class LodMode : uint8_t {
  implicit,  // from the quad's differences
  bias,      // implicit plus lod[]
  level,     // lod[]
  zero,
  derivatives,  // dx[], dy[]
};

enum class ImageAtomic : uint8_t {
  swap,
  compare_swap,
  add,
  sub,
  smin,
  umin,
  smax,
  umax,
  bit_and,
  bit_or,
  bit_xor,
  inc,
  dec,
  fcmpswap,
  fmin,
  fmax,
  fadd,
  packed_add_f16,
  packed_add_bf16,
};

// On one value of 4 bytes, or of 8 (`wide`).
constexpr AtomicOp atomic_operation(ImageAtomic atomic, bool wide) {
  switch (atomic) {
    case ImageAtomic::swap: return AtomicOp::Swap;
    case ImageAtomic::compare_swap: return AtomicOp::CompareSwap;
    case ImageAtomic::add: return AtomicOp::Add;
    case ImageAtomic::sub: return AtomicOp::Sub;
    case ImageAtomic::smin: return AtomicOp::SMin;
    case ImageAtomic::umin: return AtomicOp::UMin;
    case ImageAtomic::smax: return AtomicOp::SMax;
    case ImageAtomic::umax: return AtomicOp::UMax;
    case ImageAtomic::bit_and: return AtomicOp::And;
    case ImageAtomic::bit_or: return AtomicOp::Or;
    case ImageAtomic::bit_xor: return AtomicOp::Xor;
    case ImageAtomic::inc: return AtomicOp::IncrementWrap;
    case ImageAtomic::dec: return AtomicOp::DecrementWrap;
    case ImageAtomic::fcmpswap: return wide ? AtomicOp::CompareSwapF64 : AtomicOp::CompareSwapF32;
    case ImageAtomic::fmin: return wide ? AtomicOp::MinF64 : AtomicOp::MinF32;
    case ImageAtomic::fmax: return wide ? AtomicOp::MaxF64 : AtomicOp::MaxF32;
    case ImageAtomic::fadd: return wide ? AtomicOp::AddF64 : AtomicOp::AddF32;
    case ImageAtomic::packed_add_f16: return AtomicOp::PackedAddF16;
    case ImageAtomic::packed_add_bf16: return AtomicOp::PackedAddBf16;
  }
  return AtomicOp::Add;
}

// The dimension that an instruction names, as RDNA4's DIM numbers them: which coordinates it gives.
enum class ImageDimension : int8_t { one, two, three, cube, one_array, two_array, two_multisampled, two_multisampled_array };

inline constexpr unsigned image_lanes = 64;
using ImageLanes = std::array<uint32_t, image_lanes>;

// Lanes that are not in `active` have undefined values everywhere; of a pixel wave lanes 4q to 4q + 3 are a quad, top left, top
// right, bottom left, bottom right, and implicit differences are taken between active lanes of the quad.
struct ImageAccess {
  ImageOperation operation = ImageOperation::load;
  LodMode lod_mode = LodMode::zero;
  ImageAtomic atomic = ImageAtomic::add;
  unsigned lanes = 64;
  uint64_t active = 0;
  // AMD: the T# (8 dwords, 4 where `short_resource`) and S# (4) of the instruction's SGPRs. R5xx: null, and the unit's number.
  const uint32_t* resource = nullptr;
  const uint32_t* sampler = nullptr;
  bool short_resource = false;
  unsigned unit = 0;
  uint8_t components = 0xf;  // DMASK: which of red, green, blue, alpha are wanted or stored
  unsigned gather_component = 0;
  bool array = false;         // DA: the instruction declares an array (or cube)
  int8_t dimension = -1;      // an ImageDimension, where the instruction names one
  bool unnormalized = false;  // UNORM: coordinates are in texels
  bool projected = false;     // coordinates are divided by the last one given (R5xx PROJ)
  bool compare = false, offset = false, clamp_lod = false, coarse_derivatives = false;
  bool explicit_level = false;    // of load and store: lod[] is the mip level
  bool packed = false;            // of load and store: the texel's bits as they are (dwords, no format)
  bool sign_extend = false;       // of a packed load of 8 or 16 bits
  bool returns = false;           // of atomics: the old value
  bool halves = false;            // D16: data are 16 bits each, one a word
  bool fills_with_first = false;  // of store: components that the instruction does not give are the first one's, else 0
  bool tfe = false, lwe = false;  // residency status wanted
  unsigned coordinate_count = 0;  // filled entries of `coordinate`: the ISA does not know an image's dimensions and gives all
  std::array<ImageLanes, 4> coordinate;           // floats' bits, or integers (load, store, atomic): s t r, layer or face, sample
  ImageLanes lod, lod_clamp, reference, offsets;  // offsets: 6 bits each of x, y, z at bits 0, 8, 16
  unsigned derivative_count = 3;                  // of dx and of dy
  std::array<ImageLanes, 3> dx, dy;               // floats' bits
  std::array<ImageLanes, 4> data;                 // in: store, atomics (data[1]: comparand). out: results, packed by `components`
  ImageLanes status;                              // out: residency, 0 where all texels are there
  bool ignored = false;                           // out: the resource is no image's, and nothing comes back
  // Set if the access failed: a static text and the address.
  const char* fault = nullptr;
  uint64_t fault_address = 0;
};

}  // namespace Atoll::wave
