// AMD HSA code objects, versions 4 to 6: an ELF shared object with kernels, their descriptors and their metadata
// (LLVM docs AMDGPUUsage: "Code Object", "Code Object Metadata", "Kernel Descriptor"). Plain data; nothing is loaded here.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "codeobject/elf.h"

namespace Atoll {

// The kind of value of a kernarg segment's argument. Hidden ones are filled in by the launching code.
enum class ValueKind : uint8_t {
  Unknown,
  ByValue,
  GlobalBuffer,
  DynamicSharedPointer,
  Sampler,
  Image,
  Pipe,
  Queue,
  HiddenNone,
  HiddenBlockCountX,
  HiddenBlockCountY,
  HiddenBlockCountZ,
  HiddenGroupSizeX,
  HiddenGroupSizeY,
  HiddenGroupSizeZ,
  HiddenRemainderX,
  HiddenRemainderY,
  HiddenRemainderZ,
  HiddenGlobalOffsetX,
  HiddenGlobalOffsetY,
  HiddenGlobalOffsetZ,
  HiddenGridDims,
  HiddenPrintfBuffer,
  HiddenHostcallBuffer,
  HiddenMultigridSyncArg,
  HiddenHeapV1,
  HiddenDefaultQueue,
  HiddenCompletionAction,
  HiddenDynamicLdsSize,
  HiddenPrivateBase,
  HiddenSharedBase,
  HiddenQueuePtr,
};
inline bool is_hidden(ValueKind kind) { return kind >= ValueKind::HiddenNone; }
// The metadata's spelling, "hidden_block_count_x"; "unknown" for Unknown.
std::string_view value_kind_name(ValueKind kind);

struct KernelArgument {
  std::string name, type_name;  // empty where the compiler left them out
  ValueKind kind = ValueKind::Unknown;
  std::string kind_text;           // as the metadata spells it
  uint32_t offset = 0, bytes = 0;  // in the kernarg segment
  std::string address_space;       // "global", "constant", "local", "generic", …
  std::string access;              // "read_only", "write_only", "read_write" of images and pipes
  uint32_t pointee_alignment = 0;  // of dynamic shared pointers; 0: not told
  bool is_const = false;
};

// The 64 bytes at NAME.kd. Bit positions: AMDGPUUsage, "Kernel Descriptor".
struct KernelDescriptor {
  uint32_t group_segment_bytes = 0;    // static LDS
  uint32_t private_segment_bytes = 0;  // scratch a lane
  uint32_t kernarg_bytes = 0;
  int64_t entry_offset = 0;  // from the descriptor
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0;
  uint16_t kernarg_preload = 0;  // dwords in bits 6:0, offset in dwords in bits 15:7
};

// Reads the 64 bytes of a descriptor. (amd_kernel_code_t, of objects before version 3, has these fields at the same offsets.)
KernelDescriptor read_descriptor(std::span<const uint8_t> bytes);

struct Kernel {
  std::string name, symbol;  // symbol: the descriptor's, "NAME.kd"
  std::string language;
  std::vector<KernelArgument> arguments;
  uint32_t kernarg_bytes = 0, kernarg_alignment = 0;
  uint32_t group_segment_bytes = 0, private_segment_bytes = 0;
  uint32_t wavefront_size = 0;
  uint32_t max_flat_workgroup_size = 0;
  std::optional<std::array<uint32_t, 3>> required_workgroup_size;
  bool uses_dynamic_stack = false;
  bool uniform_workgroup_size = false;
  uint64_t descriptor_address = 0;  // in the object's own address space, like every address here
  uint64_t entry_address = 0;
  KernelDescriptor descriptor;
};

// A printf format of the metadata: "ID:N:SIZE…:FORMAT".
struct PrintfFormat {
  uint32_t id = 0;
  std::vector<uint32_t> argument_bytes;
  std::string format;  // escapes of the metadata undone
};

struct CodeObject {
  std::string file;
  std::shared_ptr<const std::vector<uint8_t>> bytes;  // what the views of `elf` look at
  Elf elf;
  int version = 0;               // 4, 5 or 6
  std::string processor;         // "gfx1201", "gfx12-generic"
  uint32_t generic_version = 0;  // of generic processors
  std::vector<Kernel> kernels;
  std::vector<PrintfFormat> printf_formats;

  const Kernel* find(std::string_view kernel_name) const;
  std::string kernel_list() const;  // "a, b, c" for messages
};

// Reads a code object of any AMD processor; `file` names it in errors. From a clang offload bundle the entry for
// `processor` is read, or the only AMD one. An error is a phrase with the file's name, the place and what to do.
Expected<CodeObject> read_code_object(std::span<const uint8_t> bytes, const std::string& file, std::string_view processor = {});

}  // namespace Atoll
