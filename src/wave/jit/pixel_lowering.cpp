// Pixels of targets in compiled code: a quad's four texels follow each other, and so do most chunks' quads. The addresses are made by
// HostAddresses alone.
#include "wave/fed_pixels.h"
#include "wave/jit/memory_lowering.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

V MemoryLowering::fed_from(int first) {
  const V inside = b_.CreateAnd(values_[size_t(first)], b_.getInt32(first_fed(~0u, unsigned(f_.width))));
  return b_.CreateZExt(inside, f_.i64);
}

MemoryLowering::PixelPlaces MemoryLowering::pixel_places(const PixelWords& which, int first_pixel) {
  const unsigned quads = unsigned(f_.width) / 4;
  auto* words = llvm::FixedVectorType::get(f_.i32, quads);
  V from = b_.CreateInBoundsGEP(f_.i8, f_.cell_pointer(which.cell), first_pixel < 0 ? r_.chunk : fed_from(first_pixel));
  V offsets = b_.CreateAlignedLoad(words, from, llvm::Align(4)), first = b_.CreateExtractElement(offsets, uint64_t(0));
  llvm::SmallVector<uint32_t> bytes_on;
  for (unsigned q = 0; q < quads; q++) bytes_on.push_back(q * which.quad_bytes());
  V in_row = b_.CreateICmpEQ(b_.CreateSub(offsets, b_.CreateVectorSplat(quads, first)),
                             llvm::ConstantDataVector::get(b_.getContext(), bytes_on));
  PixelPlaces places;
  for (unsigned q = 0; q < quads; q++)
    places.quad.push_back(addresses_.pixel_place(f_.wave, which.target, b_.CreateExtractElement(offsets, q), which.offset));
  places.row = b_.CreateAndReduce(in_row);
  return places;
}

namespace {

// Texels of 1 and 2 bytes as they stand; of others their words, one texel after the other.
llvm::FixedVectorType* texels_type(llvm::IRBuilder<>& b, const PixelWords& which, unsigned lanes) {
  if (which.texel_bytes < 4) return llvm::FixedVectorType::get(b.getIntNTy(which.texel_bytes * 8u), lanes);
  return llvm::FixedVectorType::get(b.getInt32Ty(), lanes * which.texel_bytes / 4);
}

V load_words(llvm::IRBuilder<>& b, const PixelWords& which, unsigned lanes, V from) {
  V texels = b.CreateAlignedLoad(texels_type(b, which, lanes), from, llvm::Align(1));
  if (which.texel_bytes == 4) return texels;
  if (which.texel_bytes < 4) return b.CreateZExt(texels, llvm::FixedVectorType::get(b.getInt32Ty(), lanes));
  llvm::SmallVector<int> of_lane;
  for (unsigned l = 0; l < lanes; l++) of_lane.push_back(int(l * which.texel_bytes / 4 + which.word));
  return b.CreateShuffleVector(texels, of_lane);
}

// `next`: the following word, or null.
void store_words(llvm::IRBuilder<>& b, const PixelWords& which, unsigned lanes, V to, V value, V next, V mask) {
  auto* type = texels_type(b, which, lanes);
  if (which.texel_bytes == 4) {
    b.CreateMaskedStore(value, to, llvm::Align(4), mask);
  } else if (which.texel_bytes < 4) {  // (the tile's memory is this thread's)
    V old = b.CreateAlignedLoad(type, to, llvm::Align(1));
    b.CreateAlignedStore(b.CreateSelect(mask, b.CreateTrunc(value, type), old), to, llvm::Align(1));
  } else {
    // Each texel's words out of value and next, the mask for these words.
    const unsigned words = which.texel_bytes / 4;
    V both = next ? next : value, none = llvm::Constant::getNullValue(mask->getType());
    llvm::SmallVector<int> place, masked;
    for (unsigned n = 0; n < lanes * words; n++) {
      const unsigned lane = n / words, word = n % words;
      const bool first = word == which.word, second = next && word == which.word + 1u;
      place.push_back(int(second ? lanes + lane : lane));
      masked.push_back(int(first || second ? lane : lanes + lane));
    }
    b.CreateMaskedStore(b.CreateShuffleVector(value, both, place), to, llvm::Align(4), b.CreateShuffleVector(mask, none, masked));
  }
}

}  // namespace

V MemoryLowering::pixels(const Node& node) {
  const PixelWords which = PixelWords::from(node.imm);
  PixelPlaces places = pixel_places(which, node.a);
  auto& context = f_.module.getContext();
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, f_.function); };
  Block row = block("row"), apart = block("apart"), read = block("read");
  b_.CreateCondBr(places.row, row, apart);
  b_.SetInsertPoint(row);
  V together = load_words(b_, which, unsigned(f_.width), places.quad[0]);
  b_.CreateBr(read);
  b_.SetInsertPoint(apart);
  V all = llvm::PoisonValue::get(f_.vi32);
  for (size_t q = 0; q < places.quad.size(); q++)
    all = b_.CreateInsertVector(f_.vi32, all, load_words(b_, which, 4, places.quad[q]), b_.getInt64(q * 4));
  b_.CreateBr(read);
  b_.SetInsertPoint(read);
  auto* phi = b_.CreatePHI(f_.vi32, 2, "pixels");
  phi->addIncoming(together, row);
  phi->addIncoming(all, apart);
  return phi;
}

void MemoryLowering::set_pixels(const Node& node) {
  const PixelWords which = PixelWords::from(node.imm);
  V value = values_[size_t(node.a)], mask = values_[size_t(node.b)], next = node.c < 0 ? nullptr : values_[size_t(node.c)];
  PixelPlaces places = pixel_places(which, node.d);
  auto& context = f_.module.getContext();
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, f_.function); };
  Block row = block("row"), apart = block("apart"), written = block("written");
  b_.CreateCondBr(places.row, row, apart);
  b_.SetInsertPoint(row);
  store_words(b_, which, unsigned(f_.width), places.quad[0], value, next, mask);
  b_.CreateBr(written);
  b_.SetInsertPoint(apart);
  for (size_t q = 0; q < places.quad.size(); q++) {
    int first = int(q * 4), lanes[4] = {first, first + 1, first + 2, first + 3};
    auto of_quad = [&](V v) { return v ? b_.CreateShuffleVector(v, lanes) : nullptr; };
    store_words(b_, which, 4, places.quad[q], of_quad(value), of_quad(next), of_quad(mask));
  }
  b_.CreateBr(written);
  b_.SetInsertPoint(written);
}

}  // namespace Atoll::wave
