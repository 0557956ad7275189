// Intel's device binaries for OpenCL, as `ocloc` writes them: zebin (an ELF file with .ze_info) and patch tokens. Both become the
// same description; nothing is loaded here. IGC: IGC/ZEBinWriter/zebin/spec (elf.md, zeinfo.md),
// IGC/AdaptorOCL/ocl_igc_shared/executable_format/patch_list.h.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "codeobject/code_object.h"

namespace Atoll::intel {

// The kind of value of an entry of the cross-thread data. Entries of an explicit argument have its number.
enum class Payload : uint8_t {
  LocalSize,          // of the group, three dwords
  EnqueuedLocalSize,  // the same but for a grid's last groups
  GroupCount,
  WorkDimensions,
  GlobalSize,
  GlobalOffset,
  PrivateBase,  // an address
  PrintfBuffer,
  ConstantBase,  // of the program's constants and globals
  GlobalBase,
  ImplicitArguments,
  Value,          // a part of the argument
  Pointer,        // its address
  SlmOffset,      // of a block of shared local memory
  BufferAddress,  // of an argument that is otherwise reached through its surface
  BufferOffset,   // added to offsets in its surface
  ImageWidth,
  ImageHeight,
  ImageDepth,
  ImageLevels,
  ImageType,   // channel data type
  ImageOrder,  // channel order
  ImageArraySize,
  ImageSamples,
  ImageSrgbOrder,
  SamplerAddress,
  SamplerNormalized,
  SamplerSnap,
  Unknown,  // left as it is
};

struct PayloadPart {
  Payload what = Payload::Unknown;
  uint32_t offset = 0, bytes = 0;
  int argument = -1;
  uint32_t source_offset = 0;  // Value: where in the argument
  unsigned axis = 3;           // of the three-dimensional ones: which dword; 3: all of them
};

// The table entry of an argument's surface or sampler; also of the surfaces of the program's data.
inline constexpr int constants_surface = -2, globals_surface = -3;
struct TableEntry {
  uint32_t index = 0;
  int argument = -1;
};

enum class RelocationKind : uint8_t { Address64, Low32, High32, PerThreadOffset };
struct Relocation {
  uint64_t offset = 0;
  RelocationKind kind = RelocationKind::Address64;
  std::string symbol;
};

// Bytes that are loaded: code, constants, globals.
struct Section {
  std::string name;
  std::vector<uint8_t> bytes;  // with zeros for what has none in the file
  std::vector<Relocation> relocations;
  bool is_code = false;
};
struct Symbol {
  std::string name;
  size_t section = 0;
  uint64_t offset = 0;
};

struct InlineSampler {
  uint32_t index = 0;
  std::string address;  // "none", "clamp_border", "clamp_edge", "repeat", "mirror"
  bool linear = false, normalized = false;
};

struct IntelKernel {
  Kernel signature;  // its name and explicit arguments, as the launch's text forms are matched with
  size_t section = 0;
  uint64_t entry = 0;  // in it
  unsigned simd = 32;
  uint32_t slm_bytes = 0;        // that it declares itself
  uint32_t private_bytes = 0;    // a hardware thread's, at PrivateBase
  uint32_t scratch_bytes = 0;    // a hardware thread's
  uint32_t local_id_offset = 0;  // in the thread's own data
  uint32_t per_thread_bytes = 0;
  unsigned local_ids = 0;  // dimensions that the thread's data has
  std::array<uint8_t, 3> walk_order{0, 1, 2};
  uint32_t cross_thread_bytes = 0;
  std::vector<PayloadPart> payload;
  std::vector<uint32_t> slm_alignments;  // by argument
  std::vector<TableEntry> surfaces, samplers;
  std::vector<InlineSampler> inline_samplers;
  std::vector<uint32_t> sampler_words;  // SAMPLER_STATEs that are there already
  bool barriers = false, has_large_grf = false, printf_by_index = false;
};

struct IntelObject {
  std::string file;
  std::vector<IntelKernel> kernels;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  std::optional<size_t> constants, globals;  // sections
  std::vector<std::string> strings;          // of printf, where formats are indices

  const IntelKernel* find(std::string_view kernel) const;
  std::string kernel_list() const;
};

// True if the bytes are one of the two kinds.
bool is_intel_object(std::span<const uint8_t> bytes);
// An error is a phrase with the file's name and what to do.
Expected<IntelObject> read_intel_object(std::span<const uint8_t> bytes, const std::string& file);

// All of a kernel's arguments together have no more bytes (NEO: shared/source/device/device_caps.cpp, maxParameterSize; ocloc refuses
// a kernel with more).
inline constexpr uint32_t max_argument_bytes = 2048;
// An error, in words that go behind the kernel's name, where a part by value lies beyond its argument: `described`, or one whose size is
// nowhere said.
Expected<void> check_value_part(int argument, uint64_t source_offset, uint64_t bytes, const KernelArgument* described = nullptr);
// The same of all parts of a kernel whose arguments are described.
Expected<void> check_value_parts(const IntelKernel& kernel);

// zebin.cpp, patch_tokens.cpp: of the file's bytes, of the device binary inside of it.
Expected<IntelObject> read_zebin(std::span<const uint8_t> bytes);
Expected<IntelObject> read_patch_tokens(std::span<const uint8_t> bytes);

struct ElfSection {
  std::string_view name;
  uint32_t type = 0, link = 0, info = 0;
  uint64_t flags = 0, size = 0;
  std::span<const uint8_t> bytes;  // none of a section that has none in the file
};
// The sections of a file with ELF64 section headers; nothing if these are damaged.
std::optional<std::vector<ElfSection>> elf_sections(std::span<const uint8_t> bytes);

}  // namespace Atoll::intel
