// The LLVM function that a region or a loop becomes: its types, how it reaches the wave, and the ways out of it. Every part of the
// lowering writes through this one.
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>

#include "wave/jit/compiler.h"
#include "wave/jit/own_symbols.h"
#include "wave/whole_calls.h"

namespace Atoll::wave {

struct FunctionBuilder {
  using V = llvm::Value*;
  using Block = llvm::BasicBlock*;

  // `lanes`: of a chunk.
  FunctionBuilder(llvm::Module& module, const Program& program, const RegionSet& set, const CompileOptions& options, int lanes);
  // Begins the function `name`; `ir` stands in its first block.
  void begin(const std::string& name);

  llvm::Module& module;
  const Program& program;
  const RegionSet& set;
  const CompileOptions& options;
  const Wave& like;
  int width;        // lanes of the values that are being made
  const bool wide;  // more than 32 lanes: masks take two words
  const uint32_t active_cell;
  llvm::IRBuilder<> ir;
  llvm::Type *i1, *i8, *i32, *i64, *f32, *f64, *vi32, *vi64, *vf32, *vf64, *vi1;
  llvm::IntegerType* piece;  // a chunk's bits of a mask
  llvm::Function* function = nullptr;
  V wave = nullptr;

  // Sets the lanes of an instruction: in files of bytes each has its own.
  void set_width(int lanes);

  // --- types, constants
  llvm::Type* type(Type t);
  V constant(const Node& node);
  V splat(V scalar) { return ir.CreateVectorSplat(unsigned(width), scalar); }
  V iota(uint32_t step);
  // A function or table of Atoll's (own_image.h).
  V own(const void* address) { return own_symbol(module, address); }
  // The place of these bytes among the code's constants.
  V data(const std::string& bytes);
  V instruction(const WholeCall& call);
  llvm::MDNode* odds(uint32_t taken, uint32_t not_taken);

  // --- the wave, places of the function's own
  V wave_field(size_t offset, llvm::Type* type, bool is_volatile = false);
  V cell_pointer(uint64_t cell) { return ir.CreateConstInBoundsGEP1_64(i8, wave, cell); }
  V make_alloca(llvm::Type* t, const char* name);

  // --- masks
  V any(V mask);       // i1: some lane is set
  V lanes_of(V bits);  // a chunk's bits of a mask as <W x i1>

  // --- the float mode
  bool constrained() const;  // a rounding that LLVM must not take for granted
  bool flushes() const;      // denormals, of some type

  // --- calls and ways out
  // The address `pc`, which is in the program or counts from its begin.
  V place(uint64_t pc);
  // The code at `pc` that may be jumped to, or null.
  V direct_code(uint64_t pc);
  V call_host(const void* function, llvm::Type* result, llvm::ArrayRef<V> arguments);
  void return_code(Code code, V index);
  // Goes on at `pc`, from code at `from`: straight into its code where there is some, else by way of the executor.
  void return_to(uint64_t pc, uint64_t from);
};

// For hosts of SSE2 alone: comparisons of vectors, which round nothing, become ordinary ones also where a rounding must not be taken
// for granted. LLVM 19 comes to no end over two constrained ones of 32 lanes of which one decides what the other compares, with a
// volatile access behind them: it splits each into many of a few lanes, all ordered by chains.
void free_comparisons(llvm::Module& module);

}  // namespace Atoll::wave
