#include "codeobject/code_object.h"

#include <algorithm>
#include <unordered_map>

#include "codeobject/amd_machines.h"
#include "codeobject/byte_reader.h"
#include "codeobject/metadata.h"

namespace Atoll {
namespace {

constexpr const char* again = "build the object again";
constexpr uint8_t abi_hsa = 64, abi_pal = 65, abi_mesa = 66;  // EI_OSABI, AMDGPUUsage "Header"
constexpr uint32_t note_metadata = 32;                        // NT_AMDGPU_METADATA
constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint64_t descriptor_bytes = 64;

bool starts_with(std::span<const uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(), [](char a, uint8_t b) { return uint8_t(a) == b; });
}

// The error for a file that is no ELF object: its likely format, and the remedy.
Error foreign(std::span<const uint8_t> bytes) {
  struct Form {
    std::string_view magic, what;
  };
  static constexpr Form forms[] = {
      {"BC\xc0\xde", "LLVM bitcode: compile it on with clang -target amdgcn-amd-amdhsa -mcpu=gfx1201"},
      {"CCOB", "a compressed clang offload bundle: unpack it with clang-offload-bundler --unbundle --type=o"},
      {"!<arch>\n", "an archive: extract its members and link them with ld.lld -shared"},
      {"\x03\x02\x23\x07", "SPIR-V: compile the source for amdgcn-amd-amdhsa instead"},
      {"; ModuleID", "LLVM assembler text: compile it on with clang -target amdgcn-amd-amdhsa -mcpu=gfx1201"},
  };
  if (bytes.empty()) return {"the file is empty: give a code object of clang -target amdgcn-amd-amdhsa"};
  for (auto& form : forms)
    if (starts_with(bytes, form.magic)) return {fmt::format("not an ELF object but {}", form.what)};
  return {"not an ELF object: give a code object of clang -target amdgcn-amd-amdhsa"};
}

// Finds the code object for `processor`, or the only one of an AMD GPU, in a clang offload bundle (clang docs ClangOffloadBundler).
Expected<std::span<const uint8_t>> unbundle(std::span<const uint8_t> bytes, std::string_view processor) {
  ByteReader file(bytes);
  auto cut = [&] {
    return fail("truncated: the offload bundle's table reaches over the file's end at {:#x}: bundle it again", bytes.size());
  };
  auto count = file.read<uint64_t>(bundle_magic.size());
  if (!count) return cut();
  uint64_t at = bundle_magic.size() + 8;
  struct Entry {
    std::string_view target;
    uint64_t offset, bytes;
  };
  std::vector<Entry> fitting;
  std::string list;
  for (uint64_t i = 0; i < *count; ++i) {
    auto offset = file.read<uint64_t>(at), size = file.read<uint64_t>(at + 8), name_bytes = file.read<uint64_t>(at + 16);
    if (!offset || !size || !name_bytes) return cut();
    auto name = file.slice(at + 24, *name_bytes);
    if (!name) return cut();
    std::string_view target(reinterpret_cast<const char*>(name->data()), name->size());
    at += 24 + *name_bytes;
    if (target.find("amdgcn") == target.npos || *size == 0) continue;
    std::string_view chip = target.substr(target.rfind('-') + 1);
    if (size_t generic = target.find("-generic"); generic != target.npos) chip = target.substr(target.rfind("--", generic) + 2);
    chip = chip.substr(0, chip.find(':'));
    list += fmt::format("{}{}", list.empty() ? "" : ", ", target);
    bool generic_fits = chip.ends_with("-generic") && processor.starts_with(chip.substr(0, chip.find("-generic")));
    if (processor.empty() || chip == processor || generic_fits) fitting.push_back({target, *offset, *size});
  }
  if (list.empty()) return fail("the offload bundle holds no AMD GPU's object: compile with --offload-arch=gfx1201");
  if (fitting.empty()) return fail("the offload bundle holds nothing for {}, only {}: choose another --gpu", processor, list);
  if (fitting.size() > 1 && processor.empty()) return fail("the offload bundle holds {}: choose one with --gpu", list);
  auto object = file.slice(fitting[0].offset, fitting[0].bytes);
  if (!object)
    return fail("truncated: the bundle's entry {} reaches over the file's end at {:#x}: bundle it again", fitting[0].target,
                bytes.size());
  return *object;
}

Expected<void> check_header(const Elf& elf, CodeObject& object) {
  if (elf.machine == MACHINE_INTELGT) return fail("an Intel GPU's object (zebin), not an AMD GPU's: atoll launch runs it");
  if (elf.machine != MACHINE_AMDGPU)
    return fail("an object for {}, not for an AMD GPU: compile it with clang -target amdgcn-amd-amdhsa",
                machine_name(elf.machine));
  if (elf.type == ELF_RELOCATABLE) return fail("a relocatable object that is not linked yet: link it with ld.lld -shared");
  if (elf.type != ELF_SHARED)
    return fail("ELF type {} (offset 16) is not a shared object: link it with ld.lld -shared", elf.type);
  if (elf.os_abi != abi_hsa)
    return fail("made for {}, not for HSA (OS ABI {}): compile it with -target amdgcn-amd-amdhsa",
                elf.os_abi == abi_pal    ? "PAL"
                : elf.os_abi == abi_mesa ? "Mesa"
                                         : "an unknown runtime",
                elf.os_abi);
  if (elf.abi_version < 2 || elf.abi_version > 4)
    return fail("code object version {} (ABI version {}) is not one of 4, 5 and 6: compile it with -mcode-object-version=5",
                elf.abi_version + 2, elf.abi_version);
  object.version = elf.abi_version + 2;
  auto processor = amd_processor(elf.flags);
  if (processor.empty())
    return fail("made for an unknown AMD processor (e_flags {:#x}, ELF header, offset 48): {}", elf.flags, again);
  object.processor = processor;
  if (object.version >= 6) object.generic_version = elf.flags >> 24;
  return {};
}

// Finds the kernels' descriptors and code.
Expected<void> resolve_kernels(CodeObject& object) {
  const Elf& elf = object.elf;
  std::unordered_map<std::string_view, const ElfSymbol*> symbols;
  for (auto* table : {&elf.dynamic_symbols, &elf.static_symbols})
    for (auto& s : *table)
      if (s.defined && !s.name.empty()) symbols.emplace(s.name, &s);
  std::unordered_map<std::string_view, int> names;
  for (auto& kernel : object.kernels) {
    if (names[kernel.name]++) return fail("two kernels are called '{}': {}", kernel.name, again);
    auto found = symbols.find(kernel.symbol);
    if (found == symbols.end())
      return fail("kernel '{}' has no descriptor: the symbol '{}' is missing: {}", kernel.name, kernel.symbol, again);
    kernel.descriptor_address = found->second->address;
    auto bytes = elf.at(kernel.descriptor_address, descriptor_bytes);
    if (!bytes)
      return fail("the descriptor of kernel '{}' at address {:#x} is not in the file's segments: {}", kernel.name,
                  kernel.descriptor_address, again);
    if (kernel.descriptor_address % 64)
      return fail("the descriptor of kernel '{}' at address {:#x} is not 64-byte aligned: {}", kernel.name,
                  kernel.descriptor_address, again);
    kernel.descriptor = read_descriptor(*bytes);
    kernel.entry_address = kernel.descriptor_address + uint64_t(kernel.descriptor.entry_offset);
    bool executable = std::any_of(elf.segments.begin(), elf.segments.end(), [&](const ElfSegment& s) {
      return s.type == SEGMENT_LOAD && (s.flags & SEGMENT_EXECUTABLE) && kernel.entry_address >= s.address &&
             kernel.entry_address - s.address < s.file_bytes;
    });
    if (!executable || kernel.entry_address % 256)  // COMPUTE_PGM_LO holds the address shifted by 8
      return fail(
          "the code of kernel '{}' at address {:#x} (descriptor at {:#x}) is not 256-byte aligned in an executable segment: {}",
          kernel.name, kernel.entry_address, kernel.descriptor_address, again);
  }
  return {};
}

Expected<CodeObject> read(std::span<const uint8_t> bytes, const std::string& file, std::string_view processor) {
  if (starts_with(bytes, bundle_magic)) {
    auto entry = unbundle(bytes, processor);
    if (!entry) return std::unexpected(entry.error());
    bytes = *entry;
  }
  if (!starts_with(bytes,
                   "\x7f"
                   "ELF"))
    return std::unexpected(foreign(bytes));
  CodeObject object;
  object.file = file;
  object.bytes = std::make_shared<const std::vector<uint8_t>>(bytes.begin(), bytes.end());
  auto elf = read_elf_header(*object.bytes);
  if (!elf) return std::unexpected(elf.error());
  if (auto checked = check_header(*elf, object); !checked) return std::unexpected(checked.error());
  if (auto contents = read_elf_contents(*elf); !contents) return std::unexpected(contents.error());
  object.elf = std::move(*elf);
  auto note = std::find_if(object.elf.notes.begin(), object.elf.notes.end(),
                           [](const ElfNote& n) { return n.type == note_metadata && n.owner == "AMDGPU"; });
  if (note == object.elf.notes.end())
    return fail("no metadata note (owner AMDGPU, type {}), so its kernels are not known: keep the .note section when stripping",
                note_metadata);
  auto metadata = read_metadata(note->description);
  if (!metadata) return std::unexpected(metadata.error());
  object.kernels = std::move(metadata->kernels);
  object.printf_formats = std::move(metadata->printf_formats);
  if (!metadata->target.empty()) {  // triple, four parts, then the processor with its features behind colons
    std::string_view target = metadata->target;
    size_t at = target.find("--");
    std::string_view told = at == target.npos ? target : target.substr(at + 2);
    told = told.substr(0, told.find(':'));
    if (told != object.processor)
      return fail("contradicts itself: e_flags (offset 48) say {}, the metadata {}: {}", object.processor, told, again);
  }
  if (auto resolved = resolve_kernels(object); !resolved) return std::unexpected(resolved.error());
  return object;
}

}  // namespace

KernelDescriptor read_descriptor(std::span<const uint8_t> bytes) {
  ByteReader d(bytes);
  return {.group_segment_bytes = d.value<uint32_t>(0),
          .private_segment_bytes = d.value<uint32_t>(4),
          .kernarg_bytes = d.value<uint32_t>(8),
          .entry_offset = d.value<int64_t>(16),
          .rsrc1 = d.value<uint32_t>(48),
          .rsrc2 = d.value<uint32_t>(52),
          .rsrc3 = d.value<uint32_t>(44),
          .properties = d.value<uint16_t>(56),
          .kernarg_preload = d.value<uint16_t>(58)};
}

const Kernel* CodeObject::find(std::string_view kernel_name) const {
  for (auto& kernel : kernels)
    if (kernel.name == kernel_name) return &kernel;
  return nullptr;
}

std::string CodeObject::kernel_list() const {
  std::string list;
  for (auto& kernel : kernels) list += (list.empty() ? "" : ", ") + kernel.name;
  return list;
}

Expected<CodeObject> read_code_object(std::span<const uint8_t> bytes, const std::string& file, std::string_view processor) {
  auto object = read(bytes, file, processor);
  if (!object) return fail("{}: {}", file, object.error().message);
  return object;
}

}  // namespace Atoll
