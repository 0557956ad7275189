// The only place where compiled code makes host addresses of memory that GPU code reaches: the window, LDS and private memory.
// Texels are found by tables whose every entry lies in the texture, at indices that are brought inside of the tables here.
// An address comes from a Proof, a guard that compiled code has passed, and lies where that guard looked, or it is forced into
// the window by arithmetic. Registers stand at constant cells, which check_region() holds against the register file.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "wave/jit/access_plan.h"
#include "wave/sampled_texture.h"

namespace Atoll::wave {

class HostAddresses {
public:
  using V = llvm::Value*;

  // A chunk's address registers as a guard found them.
  struct Proof {
    Space space = Space::Global;
    AddressForm form = kEqual;
    V base = nullptr;            // i64: GPU address or offset in lane 0; of kOther: of each lane
    int64_t begin = 0, end = 0;  // bytes from there that lie in the memory, or in what is reserved around the window
    V offsets = nullptr;         // i32, of kOther: lanes that are added to `base`, which is then one for all
  };

  // `lanes`: of the wave; `width`: of a chunk.
  HostAddresses(llvm::IRBuilder<>& builder, uint32_t lanes, const int& width) : b_(builder), lanes_(lanes), width_(width) {}

  // Reads base and size of the window, and of every memory that a group is for, from the wave, at the builder's place.
  void begin(V wave, const AccessPlan& plan);

  // The test (i1) that the group's guard makes besides that the live lanes stand in their form, for an address that is `low`
  // (i32) and `high` (i32, Global only) in lane 0. If it holds, `proof` does.
  V bounds_test(const GuardedGroup& group, V low, V high, Proof& proof);
  // The same of a group whose address is a sum: `base` (i64) and lane 0's `offset` (i32).
  V sum_test(const GuardedGroup& group, V base, V offset, Proof& proof);
  // The same of a group of form kOther, for addresses of lanes: lanes for which it holds.
  V lanes_test(const GuardedGroup& group, V low, V high, Proof& proof);
  // The same where addresses of lanes are sums of `base` (i64) and `offsets` (lanes): it holds for all of them (i1).
  V sums_test(const GuardedGroup& group, V base, V offsets, Proof& proof);
  // For such a group: the places of the lanes' dwords that hold `bytes` at `offset`, and unless those are all of it, the first
  // bit.
  V lane_places(const Proof& proof, int64_t offset, unsigned bytes, V& shift);
  // Tests whether the live lanes of such a group stand in a row (i1); `first` is the place of its lane 0 (i64), `lane` (i64) a
  // live one.
  V row_test(const Proof& proof, V live, V lane, V& first);
  // There: where the row's access at `offset` starts, of which the live lanes' dwords are the memory's.
  V row_place(const Proof& proof, V first, int64_t offset);
  // For such a group: the places of a live lane's dwords at [offset, offset + bytes); a lane that is not live reads from the
  // wave.
  V lane_block_places(const Proof& proof, int64_t offset, unsigned bytes, V live, V wave);
  // The start of the chunk's access at `offset`; all bytes_touched() of it are the memory's. `chunk` (i64): its first lane.
  V place(const Proof& proof, int64_t offset, V chunk);
  // A scalar load's place: `address` (i64) where that lies in the window, else a page behind it that is never mapped.
  V scalar_place(V address);

  // --- textures. `texture`: the SampledTexture that an Op::Texture found, whose tables cover its levels.
  using Direction = TexelPlaces::Direction;
  // The places of the lanes' parts of an offset: `level` and `index` (lanes), whatever they are, brought inside of the table.
  V table_places(V texture, Direction direction, V level, V index);
  // The lanes' parts of one level (i32), which with `index` is brought inside, made of digits that `places` has.
  V part_of_digits(V texture, const TexelPlaces& places, Direction direction, V level, V index);
  // The lanes' offsets of texels from the first, of parts of one level (region_check), and where their bytes from `byte` on stand.
  V texel_offset(V texture, const TexelPlaces& places, V level, V column, V row, V slice);
  V texel_places(V texture, V offset, unsigned byte);
  // The same of the dword at `byte` of texels of `bytes`: of texels smaller than a dword the one they are in, and in `shift` where.
  V dword_places(V texture, V offset, unsigned bytes, unsigned byte, V& shift);

  // --- pixels: texels of the target `target` at the byte `offset` (i32), which whoever launched the wave placed there (check_region
  // lets nothing else write such words); `more`: bytes from there to a sample that was placed with it.
  V pixel_place(V wave, unsigned target, V offset, uint32_t more);

  // The places of the lanes' dwords of LDS, at the bytes `place` (lanes) without their low two bits; `inside`: the lanes whose
  // dword lies in it.
  V shared_places(V wave, V place, V& inside);
  // The word of a lane register that lane `lane` (i32, modulo the wave's lanes) has.
  V lane_place(V wave, uint64_t cell, V lane);

  // Words of a table of 2^log_size of Atoll's own (Op::ConstantWord), whatever `index` (lanes) is.
  V constant_places(const uint32_t* words, unsigned log_size, V index);

private:
  V bases_of(const Proof& proof);
  V texture_word(V texture, size_t byte, llvm::Type* type);
  V joined(V a, V b, V swizzled_bits);
  V lanes_of(uint32_t n) { return b_.CreateVectorSplat(unsigned(width_), b_.getInt32(n)); }
  llvm::IRBuilder<>& b_;
  const uint32_t lanes_;
  const int& width_;
  V window_ = nullptr, window_bytes_ = nullptr, lds_ = nullptr, lds_bytes_ = nullptr, scratch_ = nullptr,
    scratch_bytes_ = nullptr;
};

}  // namespace Atoll::wave
