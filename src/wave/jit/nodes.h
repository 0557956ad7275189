// The nodes that a recording leaves (recorder.h): typed operations in static single assignment form.
#pragma once
#include <cstdint>
#include <vector>

namespace Atoll::wave {

enum class Type : uint8_t { None, S1, S32, S64, SF32, SF64, Texture, M, U32, U64, F32, F64 };
constexpr bool is_lanes(Type t) { return t >= Type::M; }
constexpr bool is_float(Type t) { return t == Type::SF32 || t == Type::SF64 || t == Type::F32 || t == Type::F64; }

enum class Op : uint8_t {
  Const,
  Splat,
  LaneId,
  ReadScalar,
  WriteScalar,
  ReadLanes,
  ReadWhole,      // a lane register, inactive lanes as they are
  ReadQuads,      // the word of each quad
  ReadFirstQuad,  // the first quad's word, for all
  WriteWhole,     // a lane register, inactive lanes too
  ReadPixels,     // PixelWords
  WritePixels,
  WriteTexel,  // imm as of a Texel; a: the dword, b: under which mask, c: a TexelOffset
  WriteLanes,
  ReadMask,
  WriteMask,
  ConstantWord,  // extra: a table of 2^imm words that outlives the process's code
  BeginSeldom,   // until the next Seldom: what may be left out where no lane is in the mask a; b: what stands there instead
  Seldom,        // a: the same mask, b: of the nodes since the last BeginSeldom, c: its b
  ReadRegion,
  WriteRegion,
  ReadIndexed,  // extra: IndexedBytes (wave/byte_registers.h)
  WriteIndexed,
  MaskOf,  // a word's bits as lanes, and back
  WordOf,
  Add,
  Sub,
  Mul,
  And,
  Or,
  Xor,
  Not,
  Shl,
  LShr,
  AShr,
  MulHighU,
  MulHighS,
  Popcount,
  Clz,
  Ctz,
  Bitreverse,
  Fshr,
  Eq,
  Ne,
  ULt,
  ULe,
  SLt,
  SLe,
  Select,
  Widen,
  SignWiden,
  Low,
  High,
  Join,
  Bitcast,
  FAdd,
  FSub,
  FMul,
  FDiv,
  Fma,
  FSqrt,
  FAbs,
  FNeg,
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  FEq,
  FNe,
  FLt,
  FLe,
  IsNan,
  CvtFromU,
  CvtFromS,
  CvtFloat,
  CvtToU,
  CvtToS,
  CvtF32F16,
  CvtF16F32,
  CvtF16F32TowardZero,
  Saturate,
  FmaUp,  // these four, rounded as they say in every mode: Recorder::names_roundings()
  CvtToSUp,
  FloorProduct,
  CvtFromSDown,
  CvtToSNearest,  // of what is known to lie inside, to the nearest even
  CvtToSInside,   // CvtToS of what is known to lie inside: no NaN, below 2^31
  QuadLane,       // lane `imm` of each four
  Texture,        // finds a texture; where it is not of the expected form the region is left (sampled_texture.h)
  TextureWord,    // a word of the SampledTexture, at byte `imm`
  TexelColumn,    // what a column (row, slice) of a level adds to a texel's offset
  TexelRow,
  TexelSlice,
  Texel,        // the dword that holds byte `imm` of a texel, and what byte of it that is: see texel()
  TexelOffset,  // where a texel of that column, row and slice lies
  SharedWord,   // the dword of LDS at a byte, whatever lanes are active; 0 beyond it
  MoveLanes,    // extra: LaneMap
  PickLanes,    // each lane the value that a has in lane b, a number modulo the wave's lanes
  ReadLane,     // a lane of the register `imm`, inactive ones too: lane a, modulo the wave's
  WriteLane,    // the same, with b
  KeepLanes,    // slot `imm` of what the step's Atomic gives to its lanes
  Atomic,       // extra: AtomicCall
  CallWhole,    // extra: WholeCall
  Expect,       // the scalar; where its bits imm >> 32 are not those of `imm` the region is left before anything is done
  ScalarLoad,
  Load,
  Store,
  SignalBarrier,
  Jump,  // this and what follows ends a region
  JumpIf,
  JumpTo,
  Stop,
  WaitBarrier,
};

// a, b, c, d: operand nodes. imm: a constant, a cell, an address; what `extra` points to depends on the op (MemoryAccess,
// Region).
struct Node {
  Op op;
  Type type;
  int a = -1, b = -1, c = -1;
  uint64_t imm = 0;
  const void* extra = nullptr;
  uint32_t step = 0;  // position of the instruction in its region
  int d = -1;         // the condition of a store; a texel's slice
  uint8_t lanes = 0;  // of files of bytes: how many the node's lane values have; 0: a chunk's
};

// The read of the lane register whose bits, or number, the node is; or -1.
inline int register_read(const std::vector<Node>& nodes, int node) {
  if (nodes[size_t(node)].op == Op::Bitcast) node = nodes[size_t(node)].a;
  const Op op = nodes[size_t(node)].op;
  return op == Op::ReadLanes || op == Op::ReadWhole ? node : -1;
}

// How many lanes its lane values have, and its operands', in code for chunks of `chunk`.
constexpr int lanes_of(const Node& x, int chunk) { return x.lanes ? x.lanes : chunk; }

}  // namespace Atoll::wave
