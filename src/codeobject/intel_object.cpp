#include "codeobject/intel_object.h"

#include <algorithm>

#include "codeobject/byte_reader.h"

namespace Atoll::intel {
namespace {

constexpr uint16_t opencl_executable = 0xff04;          // e_type of what ocloc wraps patch tokens in
constexpr uint32_t section_device_binary = 0xff000005;  // SHT_OPENCL_DEV_BINARY
constexpr uint32_t patch_token_magic = 0x494e5443;      // "CTNI"
constexpr uint32_t elf_magic = 0x464c457f;
constexpr uint32_t section_nobits = 8;

bool starts_with(std::span<const uint8_t> bytes, uint32_t magic) { return ByteReader(bytes).read<uint32_t>(0) == magic; }

}  // namespace

std::optional<std::vector<ElfSection>> elf_sections(std::span<const uint8_t> bytes) {
  ByteReader r(bytes);
  const auto table = r.value<uint64_t>(40);
  const uint32_t entry = r.value<uint16_t>(58), count = r.value<uint16_t>(60), names = r.value<uint16_t>(62);
  if (!starts_with(bytes, elf_magic) || r.value<uint8_t>(4) != 2 || entry != 64 || names >= count) return {};
  if (!r.holds(table, uint64_t(count) * 64)) return {};
  std::vector<ElfSection> sections(count);
  for (uint32_t n = 0; n < count; n++) {
    const uint64_t at = table + n * 64;
    ElfSection& s = sections[n];
    s.type = r.value<uint32_t>(at + 4), s.flags = r.value<uint64_t>(at + 8);
    s.size = r.value<uint64_t>(at + 32), s.link = r.value<uint32_t>(at + 40), s.info = r.value<uint32_t>(at + 44);
    if (s.type == section_nobits || s.type == 0) continue;
    auto inside = r.slice(r.value<uint64_t>(at + 24), s.size);
    if (!inside) return {};
    s.bytes = *inside;
  }
  for (uint32_t n = 1; n < count; n++) {
    auto name = ByteReader(sections[names].bytes).text(r.value<uint32_t>(table + n * 64));
    if (!name) return {};
    sections[n].name = *name;
  }
  return sections;
}

const IntelKernel* IntelObject::find(std::string_view name) const {
  auto found = std::ranges::find(kernels, name, [](const IntelKernel& k) -> std::string_view { return k.signature.name; });
  return found == kernels.end() ? nullptr : &*found;
}
std::string IntelObject::kernel_list() const {
  std::string list;
  for (auto& k : kernels) list += (list.empty() ? "" : ", ") + k.signature.name;
  return list;
}

Expected<void> check_value_part(int argument, uint64_t source_offset, uint64_t bytes, const KernelArgument* described) {
  // (the payload's part of a char has four bytes)
  const uint64_t most = described ? (uint64_t(described->bytes) + 3) / 4 * 4 : max_argument_bytes;
  if (source_offset <= most && bytes <= most - source_offset) return {};
  return fail("bytes {} to {} of argument {}, which has {}{}", source_offset, source_offset + std::max<uint64_t>(bytes, 1) - 1,
              argument, described ? described->bytes : max_argument_bytes, described ? "" : " at most");
}
Expected<void> check_value_parts(const IntelKernel& kernel) {
  for (const PayloadPart& part : kernel.payload) {
    if (part.what != Payload::Value || part.argument < 0 || size_t(part.argument) >= kernel.signature.arguments.size()) continue;
    const KernelArgument& a = kernel.signature.arguments[size_t(part.argument)];
    if (a.kind != ValueKind::ByValue) continue;
    if (auto good = check_value_part(part.argument, part.source_offset, part.bytes, &a); !good) return good;
  }
  return {};
}

bool is_intel_object(std::span<const uint8_t> bytes) {
  if (starts_with(bytes, patch_token_magic)) return true;
  ByteReader r(bytes);
  if (!starts_with(bytes, elf_magic)) return false;
  return r.read<uint16_t>(18) == uint16_t(MACHINE_INTELGT) || r.read<uint16_t>(16) == opencl_executable;
}

Expected<IntelObject> read_intel_object(std::span<const uint8_t> bytes, const std::string& file) {
  auto read = [&]() -> Expected<IntelObject> {
    if (starts_with(bytes, patch_token_magic)) return read_patch_tokens(bytes);
    auto sections = elf_sections(bytes);
    if (!sections) return fail("damaged section headers: compile it again");
    if (ByteReader(bytes).read<uint16_t>(18) == uint16_t(MACHINE_INTELGT)) return read_zebin(bytes);
    for (const ElfSection& s : *sections) {
      if (s.type != section_device_binary) continue;
      return starts_with(s.bytes, elf_magic) ? read_zebin(s.bytes) : read_patch_tokens(s.bytes);
    }
    return fail("an OpenCL executable without a device binary: compile it for one device, ocloc compile -device dg1");
  }();
  if (!read) return fail("{}: {}", file, read.error().message);
  read->file = file;
  return read;
}

}  // namespace Atoll::intel
