// Pixels of targets in compiled code: a quad's four words follow each other, and so do most chunks' quads. The addresses are made by
// HostAddresses alone.
#include "wave/jit/memory_lowering.h"

namespace Atoll::wave {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;

MemoryLowering::PixelPlaces MemoryLowering::pixel_places(uint64_t target_and_cell) {
  const unsigned quads = unsigned(f_.width) / 4, target = unsigned(target_and_cell >> 32);
  auto* words = llvm::FixedVectorType::get(f_.i32, quads);
  V from = b_.CreateInBoundsGEP(f_.i8, f_.cell_pointer(uint32_t(target_and_cell)), r_.chunk);
  V offsets = b_.CreateAlignedLoad(words, from, llvm::Align(4)), first = b_.CreateExtractElement(offsets, uint64_t(0));
  llvm::SmallVector<uint32_t> bytes_on;
  for (unsigned q = 0; q < quads; q++) bytes_on.push_back(q * 16);
  V in_row = b_.CreateICmpEQ(b_.CreateSub(offsets, b_.CreateVectorSplat(quads, first)),
                             llvm::ConstantDataVector::get(b_.getContext(), bytes_on));
  PixelPlaces places;
  for (unsigned q = 0; q < quads; q++)
    places.quad.push_back(addresses_.pixel_place(f_.wave, target, b_.CreateExtractElement(offsets, q)));
  places.row = b_.CreateAndReduce(in_row);
  return places;
}

V MemoryLowering::pixels(const Node& node) {
  PixelPlaces places = pixel_places(node.imm);
  auto& context = f_.module.getContext();
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, f_.function); };
  Block row = block("row"), apart = block("apart"), read = block("read");
  b_.CreateCondBr(places.row, row, apart);
  b_.SetInsertPoint(row);
  V together = b_.CreateAlignedLoad(f_.vi32, places.quad[0], llvm::Align(4));
  b_.CreateBr(read);
  b_.SetInsertPoint(apart);
  V all = llvm::PoisonValue::get(f_.vi32);
  auto* four = llvm::FixedVectorType::get(f_.i32, 4);
  for (size_t q = 0; q < places.quad.size(); q++) {
    V words = b_.CreateAlignedLoad(four, places.quad[q], llvm::Align(4));
    all = b_.CreateInsertVector(f_.vi32, all, words, b_.getInt64(q * 4));
  }
  b_.CreateBr(read);
  b_.SetInsertPoint(read);
  auto* phi = b_.CreatePHI(f_.vi32, 2, "pixels");
  phi->addIncoming(together, row);
  phi->addIncoming(all, apart);
  return phi;
}

void MemoryLowering::set_pixels(const Node& node) {
  V value = values_[size_t(node.a)], mask = values_[size_t(node.b)];
  PixelPlaces places = pixel_places(node.imm);
  auto& context = f_.module.getContext();
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, f_.function); };
  Block row = block("row"), apart = block("apart"), written = block("written");
  b_.CreateCondBr(places.row, row, apart);
  b_.SetInsertPoint(row);
  b_.CreateMaskedStore(value, places.quad[0], llvm::Align(4), mask);
  b_.CreateBr(written);
  b_.SetInsertPoint(apart);
  for (size_t q = 0; q < places.quad.size(); q++) {
    int first = int(q * 4), lanes[4] = {first, first + 1, first + 2, first + 3};
    b_.CreateMaskedStore(b_.CreateShuffleVector(value, lanes), places.quad[q], llvm::Align(4),
                         b_.CreateShuffleVector(mask, lanes));
  }
  b_.CreateBr(written);
  b_.SetInsertPoint(written);
}

}  // namespace Atoll::wave
