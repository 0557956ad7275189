// Textures in compiled code: found in the region's prologue, read by gathers. Their addresses are made by HostAddresses alone.
#include <algorithm>
#include <cstddef>

#include "base/removable_check.h"
#include "wave/jit/host_functions.h"
#include "wave/jit/memory_lowering.h"
#include "wave/jit/plain_bytes.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

// Gives the slot's texture if it was made from these very words, else the one that the GPU family finds. If that has another form
// than the code was made for, the region is left: nothing of it is done yet but loads. (An exact version that goes on at a later
// chunk finds what the fast one found: textures stay until the submission ends.)
V MemoryLowering::find_texture(const Node& node) {
  const auto& access = *static_cast<const TextureAccess*>(node.extra);
  auto& context = f_.module.getContext();
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, f_.function); };
  Block look = block("look"), compare = block("compare"), found = block("found"), unfit = block("unfit"), fit = block("fit");
  V form = b_.getInt64(access.form), null = llvm::ConstantPointerNull::get(b_.getPtrTy());
  auto field = [&](V texture, size_t offset, llvm::Type* type) {
    return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(f_.i8, texture, offset));
  };
  V slots = f_.wave_field(offsetof(Wave, textures), b_.getPtrTy());
  b_.CreateCondBr(b_.CreateICmpEQ(slots, null), look, compare, f_.odds(1, 2000));

  b_.SetInsertPoint(compare);
  V texture = b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(f_.i8, slots, access.slot * sizeof(void*)), true);
  V differs = b_.CreateXor(field(texture, offsetof(SampledTexture, form), f_.i64), form), words = b_.getInt32(0);
  for (size_t n = 0; n < access.words.size(); n++) {
    size_t at = n < 8 ? offsetof(SampledTexture, resource) + n * 4 : offsetof(SampledTexture, sampler) + (n - 8) * 4;
    words = b_.CreateOr(words, b_.CreateXor(values_[size_t(access.words[n])], field(texture, at, f_.i32)));
  }
  if (!ATOLL_CHECK_REMOVED("jit.texture.words")) differs = b_.CreateOr(differs, b_.CreateZExt(words, f_.i64));
  b_.CreateCondBr(b_.CreateICmpEQ(differs, b_.getInt64(0)), fit, look, f_.odds(2000, 1));

  b_.SetInsertPoint(look);
  V array = f_.make_alloca(llvm::ArrayType::get(f_.i32, access.words.size()), "words");
  for (size_t n = 0; n < access.words.size(); n++)
    b_.CreateStore(values_[size_t(access.words[n])], b_.CreateConstInBoundsGEP1_64(f_.i32, array, n));
  V other = f_.call_host(reinterpret_cast<const void*>(host_functions().find_texture), b_.getPtrTy(),
                         {f_.wave, f_.data(plain_bytes(access)), array});
  b_.CreateCondBr(b_.CreateICmpEQ(other, null), unfit, found);
  b_.SetInsertPoint(found);
  b_.CreateCondBr(b_.CreateICmpEQ(field(other, offsetof(SampledTexture, form), f_.i64), form), fit, unfit);
  b_.SetInsertPoint(unfit);
  f_.return_code(Code::Unfit, b_.getInt64(f_.program.index(region_->pc)));

  b_.SetInsertPoint(fit);
  auto* phi = b_.CreatePHI(b_.getPtrTy(), 2, "texture");
  phi->addIncoming(texture, compare);
  phi->addIncoming(other, found);
  return phi;
}

V MemoryLowering::texture_word(const Node& node) {
  return b_.CreateLoad(f_.i32, b_.CreateConstInBoundsGEP1_64(f_.i8, values_[size_t(node.a)], node.imm));
}

// All lanes: there is no index that has no place, and masks would make branches of gathers where the host has none.
static V gathered(FunctionBuilder& f, V places) {
  return f.ir.CreateMaskedGather(f.vi32, places, llvm::Align(4), llvm::ConstantInt::getTrue(f.vi1));
}

V MemoryLowering::constant_word(const Node& node) {
  return gathered(
      f_, addresses_.constant_places(static_cast<const uint32_t*>(node.extra), unsigned(node.imm), values_[size_t(node.a)]));
}

V MemoryLowering::constant_scalar(const Node& node) {
  V place = b_.CreateZExt(b_.CreateAnd(values_[size_t(node.a)], (1u << node.imm) - 1), f_.i64);
  return b_.CreateLoad(f_.i32, b_.CreateGEP(f_.i32, f_.own(node.extra), place));
}

const TexelPlaces& MemoryLowering::places_of(int texture) const {
  return static_cast<const TextureAccess*>(region_->nodes[size_t(texture)].extra)->places;
}

// Levels hardly ever differ between the lanes of a chunk: then its parts are made of digits, else they are gathered. The parts of one
// filter come together, so that it is asked once for all of them.
V MemoryLowering::texel_part(const Node& node) {
  auto direction_of = [](const Node& x) {
    return x.op == Op::TexelColumn ? TexelPlaces::column : x.op == Op::TexelRow ? TexelPlaces::row : TexelPlaces::slice;
  };
  const std::vector<Node>& nodes = region_->nodes;
  const size_t own = size_t(&node - nodes.data());
  if (auto made = parts_.find(own); made != parts_.end()) return made->second;
  const TexelPlaces& places = places_of(node.a);
  V texture = values_[size_t(node.a)], level = values_[size_t(node.b)];
  auto from_table = [&](const Node& x) {
    return gathered(f_, addresses_.table_places(texture, direction_of(x), level, values_[size_t(x.c)]));
  };
  auto has_digits = [&](const Node& x) {
    return places.digits[direction_of(x)] && f_.width == (places.digit_bits == 5 ? 16 : 8);
  };
  if (!has_digits(node)) return from_table(node);
  auto of_digits = [&](const Node& x, V one) {
    return addresses_.part_of_digits(texture, places, direction_of(x), one, values_[size_t(x.c)]);
  };
  auto* constant = llvm::dyn_cast<llvm::Constant>(level);
  if (constant && constant->isNullValue()) return of_digits(node, b_.getInt32(0));
  ChunkLevel& same = levels_[node.b];
  if (!same.level) {
    V live = b_.CreateBitCast(r_.active, f_.piece);
    V lane = b_.CreateAnd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, live, b_.getFalse()), uint64_t(f_.width - 1));
    same.level = b_.CreateExtractElement(level, lane);
    same.is_one = b_.CreateNot(f_.any(b_.CreateAnd(b_.CreateICmpNE(level, f_.splat(same.level)), r_.active)));
  }
  // This one, and those that follow and need nothing that is not there yet.
  std::vector<size_t> together = {own};
  for (size_t n = own + 1; n < nodes.size() && nodes[n].op != Op::Texel; n++) {
    const Node& x = nodes[n];
    const bool part = x.op == Op::TexelColumn || x.op == Op::TexelRow || x.op == Op::TexelSlice;
    if (part && x.a == node.a && x.b == node.b && size_t(x.c) < own && has_digits(x)) together.push_back(n);
  }
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(f_.module.getContext(), name, f_.function); };
  Block one = block("one_level"), several = block("levels"), done = block("parts");
  b_.CreateCondBr(same.is_one, one, several, f_.odds(100, 1));
  std::vector<V> fast, slow;
  b_.SetInsertPoint(one);
  for (size_t n : together) fast.push_back(of_digits(nodes[n], same.level));
  b_.CreateBr(done);
  b_.SetInsertPoint(several);
  for (size_t n : together) slow.push_back(from_table(nodes[n]));
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  for (size_t n = 0; n < together.size(); n++) {
    auto* part = b_.CreatePHI(f_.vi32, 2);
    part->addIncoming(fast[n], one);
    part->addIncoming(slow[n], several);
    parts_[together[n]] = part;
  }
  return parts_[own];
}

V MemoryLowering::texel_offset(const Node& node) {
  auto value = [&](int id) -> V { return id < 0 ? nullptr : values_[size_t(id)]; };
  V level = value(region_->nodes[size_t(node.b)].b);
  return addresses_.texel_offset(value(node.a), places_of(node.a), level, value(node.b), value(node.c), value(node.d));
}

// Lanes that store to the same texel do so in their order.
void MemoryLowering::set_texel(const Node& node) {
  const unsigned bytes = unsigned(node.imm >> 8);
  V texture = values_[size_t(region_->nodes[size_t(node.c)].a)], value = values_[size_t(node.a)];
  if (bytes < 4) value = b_.CreateTrunc(value, llvm::FixedVectorType::get(b_.getIntNTy(bytes * 8), unsigned(f_.width)));
  V places = addresses_.texel_places(texture, values_[size_t(node.c)], unsigned(node.imm & 255));
  b_.CreateMaskedScatter(value, places, llvm::Align(std::min(bytes, 4u)), b_.CreateAnd(values_[size_t(node.b)], r_.active));
}

V MemoryLowering::texel(const Node& node) {
  V shift = nullptr;
  const unsigned bytes = unsigned(node.imm >> 8);
  V dwords =
      gathered(f_, addresses_.dword_places(values_[size_t(node.a)], texel_offset(node), bytes, unsigned(node.imm & 255), shift));
  if (!shift) return dwords;
  return b_.CreateAnd(b_.CreateLShr(dwords, shift), f_.splat(b_.getInt32(bytes == 1 ? 0xff : 0xffff)));
}

V MemoryLowering::expect(const Node& node) {
  V word = values_[size_t(node.a)];
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(f_.module.getContext(), name, f_.function); };
  Block unfit = block("other_word"), fit = block("word");
  V differs = b_.CreateAnd(b_.CreateXor(word, b_.getInt32(uint32_t(node.imm))), b_.getInt32(uint32_t(node.imm >> 32)));
  b_.CreateCondBr(b_.CreateICmpEQ(differs, b_.getInt32(0)), fit, unfit, f_.odds(2000, 1));
  b_.SetInsertPoint(unfit);
  f_.return_code(Code::Unfit, b_.getInt64(f_.program.index(region_->pc)));
  b_.SetInsertPoint(fit);
  return word;
}

V MemoryLowering::quad_lane(const Node& node) {
  llvm::SmallVector<int> lanes;
  for (int l = 0; l < f_.width; l++) lanes.push_back((l & ~3) + int(node.imm));
  return b_.CreateShuffleVector(values_[size_t(node.a)], lanes);
}

// Lanes that are not active have what the register held before the region, which memory still holds: chunks are committed whole.
V MemoryLowering::whole_lanes(const Node& node) {
  V kept = b_.CreateAlignedLoad(f_.vi32, b_.CreateInBoundsGEP(f_.i32, f_.cell_pointer(node.imm), r_.chunk),
                                llvm::Align(std::min<uint64_t>(128, uint64_t(f_.width) * 4)));
  auto written = r_.lanes.find(node.imm);
  if (written != r_.lanes.end() && r_.whole_written.count(node.imm)) return written->second;
  if (written != r_.lanes.end()) return b_.CreateSelect(r_.active, written->second, kept);
  return kept;
}

}  // namespace Atoll::wave
