#include "codeobject/elf.h"

#include <algorithm>
#include <bit>

#include "codeobject/byte_reader.h"

namespace Atoll {
namespace {

static_assert(std::endian::native == std::endian::little);

enum : uint64_t {
  TAG_HASH = 4,
  TAG_STRTAB = 5,
  TAG_SYMTAB = 6,
  TAG_RELA = 7,
  TAG_RELASZ = 8,
  TAG_RELAENT = 9,
  TAG_STRSZ = 10,
  TAG_SYMENT = 11,
  TAG_REL = 17,
  TAG_PLTRELSZ = 2,
  TAG_PLTREL = 20,
  TAG_JMPREL = 23,
  TAG_RELR = 36,
  TAG_GNU_HASH = 0x6ffffef5
};
constexpr uint64_t header_bytes = 64, program_header_bytes = 56, section_header_bytes = 64, symbol_bytes = 24, rela_bytes = 24;
constexpr uint32_t section_symbols = 2;
constexpr uint16_t section_undefined = 0;

constexpr const char* again = "build the object again";

struct MachineName {
  uint16_t machine;
  const char* name;
};
constexpr MachineName machines[] = {
    {2, "SPARC"},
    {3, "x86 (32 bits)"},
    {8, "MIPS"},
    {20, "PowerPC"},
    {21, "PowerPC64"},
    {22, "S/390"},
    {40, "ARM"},
    {43, "SPARC V9"},
    {50, "IA-64"},
    {62, "x86-64"},
    {183, "AArch64"},
    {190, "NVIDIA CUDA"},
    {205, "Intel GPU (zebin)"},
    {224, "AMD GPU"},
    {243, "RISC-V"},
    {247, "BPF"},
    {258, "LoongArch"},
};

Expected<void> read_segments(Elf& elf) {
  ByteReader file(elf.bytes);
  uint64_t table = file.value<uint64_t>(32);
  uint16_t entry = file.value<uint16_t>(54), count = file.value<uint16_t>(56);
  if (count == 0) return fail("no program headers, so nothing to load: link it with ld.lld -shared");
  if (entry != program_header_bytes)
    return fail("program headers of {} bytes instead of {} (ELF header, offset 54): {}", entry, program_header_bytes, again);
  if (!file.holds(table, uint64_t(count) * entry))
    return fail("truncated: {} program headers at offset {:#x}, but the file ends at {:#x}: {}", count, table, file.size(),
                again);
  for (unsigned i = 0; i < count; ++i) {
    uint64_t at = table + i * program_header_bytes;
    ElfSegment s;
    s.type = file.value<uint32_t>(at);
    s.flags = file.value<uint32_t>(at + 4);
    s.offset = file.value<uint64_t>(at + 8);
    s.address = file.value<uint64_t>(at + 16);
    s.file_bytes = file.value<uint64_t>(at + 32);
    s.memory_bytes = file.value<uint64_t>(at + 40);
    s.alignment = file.value<uint64_t>(at + 48);
    if (s.type == SEGMENT_LOAD || s.type == SEGMENT_DYNAMIC || s.type == SEGMENT_NOTE) {
      if (!file.holds(s.offset, s.file_bytes))
        return fail("truncated: segment {} holds {:#x} bytes at offset {:#x}, but the file ends at {:#x}: {}", i, s.file_bytes,
                    s.offset, file.size(), again);
    }
    if (s.type == SEGMENT_LOAD) {
      constexpr uint64_t most = uint64_t(1) << 40;  // no address of a GPU lies beyond
      if (s.memory_bytes < s.file_bytes || s.memory_bytes > most || s.address > most - s.memory_bytes)
        return fail("segment {} of {:#x} bytes at address {:#x} (program header at offset {:#x}) cannot be loaded: {}", i,
                    s.memory_bytes, s.address, at, again);
      if (s.alignment > 1 && (!std::has_single_bit(s.alignment) || s.alignment > uint64_t(1) << 30))
        return fail("segment {} asks for an alignment of {:#x} (program header at offset {:#x}): {}", i, s.alignment, at, again);
    }
    elf.segments.push_back(s);
  }
  return {};
}

// One table of symbols; `names` is its string table.
Expected<void> read_symbols(std::vector<ElfSymbol>& out, std::span<const uint8_t> table, std::span<const uint8_t> names,
                            const char* what) {
  ByteReader symbols(table), strings(names);
  for (uint64_t at = 0; at + symbol_bytes <= table.size(); at += symbol_bytes) {
    ElfSymbol s;
    uint32_t name = symbols.value<uint32_t>(at);
    uint8_t info = symbols.value<uint8_t>(at + 4);
    if (name != 0 || !names.empty()) {
      auto text = strings.text(name);
      if (!text)
        return fail("the name of {} symbol {} lies at {:#x}, outside its string table of {:#x} bytes: {}", what,
                    at / symbol_bytes, name, names.size(), again);
      s.name = *text;
    }
    s.type = info & 15;
    s.weak = info >> 4 == 2;
    s.defined = symbols.value<uint16_t>(at + 6) != section_undefined;
    s.address = symbols.value<uint64_t>(at + 8);
    s.bytes = symbols.value<uint64_t>(at + 16);
    out.push_back(s);
  }
  return {};
}

// The number of symbols that the GNU hash table at `address` reaches: the highest chain start, followed
// to its end.
std::optional<uint64_t> symbols_of_gnu_hash(const Elf& elf, uint64_t address) {
  auto word = [&](uint64_t at) -> std::optional<uint32_t> {
    auto bytes = elf.at(at, 4);
    return bytes ? ByteReader(*bytes).read<uint32_t>(0) : std::nullopt;
  };
  auto buckets = word(address), first = word(address + 4), bloom = word(address + 8);
  if (!buckets || !first || !bloom) return {};
  uint64_t bucket_table = address + 16 + uint64_t(*bloom) * 8, chains = bucket_table + uint64_t(*buckets) * 4;
  if (!elf.at(bucket_table, uint64_t(*buckets) * 4)) return {};
  uint32_t highest = 0;
  for (uint64_t i = 0; i < *buckets; ++i) highest = std::max(highest, word(bucket_table + i * 4).value_or(0));
  if (highest < *first) return *first;
  for (uint64_t i = highest;; ++i) {
    auto chain = word(chains + (i - *first) * 4);
    if (!chain) return {};
    if (*chain & 1) return i + 1;
  }
}

struct Dynamic {
  std::optional<uint64_t> hash, gnu_hash, strings, string_bytes, symbols, rela, rela_bytes, jump_rela, jump_rela_bytes;
};

Expected<void> read_relocations(Elf& elf, uint64_t address, uint64_t bytes) {
  auto table = elf.at(address, bytes);
  if (!table || bytes % rela_bytes)
    return fail("{:#x} bytes of relocations at address {:#x} are not all in the file: {}", bytes, address, again);
  ByteReader reader(*table);
  for (uint64_t at = 0; at < bytes; at += rela_bytes) {
    ElfRelocation r;
    r.address = reader.value<uint64_t>(at);
    uint64_t info = reader.value<uint64_t>(at + 8);
    r.type = uint32_t(info);
    r.symbol = uint32_t(info >> 32);
    r.addend = reader.value<int64_t>(at + 16);
    if (r.symbol != 0 && r.symbol >= elf.dynamic_symbols.size())
      return fail("the relocation of address {:#x} names symbol {}, but there are {}: {}", r.address, r.symbol,
                  elf.dynamic_symbols.size(), again);
    elf.relocations.push_back(r);
  }
  return {};
}

Expected<void> read_dynamic(Elf& elf, const ElfSegment& segment) {
  ByteReader table(elf.bytes.subspan(size_t(segment.offset), size_t(segment.file_bytes)));
  Dynamic d;
  for (uint64_t at = 0;; at += 16) {
    auto tag = table.read<uint64_t>(at), value = table.read<uint64_t>(at + 8);
    if (!tag || !value || *tag == 0) break;
    switch (*tag) {
      case TAG_HASH: d.hash = value; break;
      case TAG_GNU_HASH: d.gnu_hash = value; break;
      case TAG_STRTAB: d.strings = value; break;
      case TAG_STRSZ: d.string_bytes = value; break;
      case TAG_SYMTAB: d.symbols = value; break;
      case TAG_RELA: d.rela = value; break;
      case TAG_RELASZ: d.rela_bytes = value; break;
      case TAG_JMPREL: d.jump_rela = value; break;
      case TAG_PLTRELSZ: d.jump_rela_bytes = value; break;
      case TAG_SYMENT:
        if (*value != symbol_bytes)
          return fail("symbols of {} bytes instead of {} (dynamic segment): {}", *value, symbol_bytes, again);
        break;
      case TAG_RELAENT:
        if (*value != rela_bytes)
          return fail("relocations of {} bytes instead of {} (dynamic segment): {}", *value, rela_bytes, again);
        break;
      case TAG_PLTREL:
        if (*value == TAG_RELA) break;
        [[fallthrough]];
      case TAG_REL:
      case TAG_RELR:
        return fail(
            "relocations of a kind that AMD GPU objects do not use (dynamic segment, tag {}): link it again with ld.lld -shared",
            *tag);
      default: break;
    }
  }
  if (d.symbols) {
    std::optional<uint64_t> count;
    if (d.hash) {
      if (auto words = elf.at(*d.hash, 8)) count = ByteReader(*words).read<uint32_t>(4);  // nbucket, nchain
    }
    if (!count && d.gnu_hash) count = symbols_of_gnu_hash(elf, *d.gnu_hash);
    if (!count)
      return fail("the dynamic segment has symbols at {:#x} but no readable hash table that counts them: {}", *d.symbols, again);
    auto symbols = elf.at(*d.symbols, *count * symbol_bytes);
    if (!symbols) return fail("{} dynamic symbols at address {:#x} are not all in the file: {}", *count, *d.symbols, again);
    auto strings = elf.at(d.strings.value_or(0), d.string_bytes.value_or(0));
    if (!d.strings || !strings)
      return fail("the dynamic string table of {:#x} bytes at address {:#x} is not in the file: {}", d.string_bytes.value_or(0),
                  d.strings.value_or(0), again);
    if (auto read = read_symbols(elf.dynamic_symbols, *symbols, *strings, "dynamic"); !read) return read;
  }
  if (d.rela && d.rela_bytes)
    if (auto read = read_relocations(elf, *d.rela, *d.rela_bytes); !read) return read;
  if (d.jump_rela && d.jump_rela_bytes)
    if (auto read = read_relocations(elf, *d.jump_rela, *d.jump_rela_bytes); !read) return read;
  return {};
}

Expected<void> read_notes(Elf& elf, const ElfSegment& segment) {
  ByteReader notes(elf.bytes.subspan(size_t(segment.offset), size_t(segment.file_bytes)));
  auto aligned = [](uint64_t n) { return (n + 3) / 4 * 4; };
  for (uint64_t at = 0; at + 12 <= notes.size();) {
    uint64_t name_bytes = *notes.read<uint32_t>(at), bytes = *notes.read<uint32_t>(at + 4);
    ElfNote note;
    note.type = *notes.read<uint32_t>(at + 8);
    auto name = notes.slice(at + 12, name_bytes), description = notes.slice(at + 12 + aligned(name_bytes), bytes);
    if (!name || !description)
      return fail("truncated: a note of {} + {} bytes at offset {:#x} reaches over its segment's end: {}", name_bytes, bytes,
                  segment.offset + at, again);
    note.owner = {reinterpret_cast<const char*>(name->data()), name->size()};
    while (!note.owner.empty() && note.owner.back() == 0) note.owner.remove_suffix(1);
    note.description = *description;
    constexpr size_t most = 4096;
    if (elf.notes.size() == most) return fail("more than {} notes (at offset {:#x}): {}", most, segment.offset + at, again);
    elf.notes.push_back(note);
    at += 12 + aligned(name_bytes) + aligned(bytes);
  }
  return {};
}

// Section headers may be missing (stripped objects); where they are, they must be sound.
Expected<void> read_static_symbols(Elf& elf) {
  ByteReader file(elf.bytes);
  uint64_t table = file.value<uint64_t>(40);
  uint16_t entry = file.value<uint16_t>(58), count = file.value<uint16_t>(60);
  if (table == 0 || count == 0) return {};
  if (entry != section_header_bytes)
    return fail("section headers of {} bytes instead of {} (ELF header, offset 58): {}", entry, section_header_bytes, again);
  if (!file.holds(table, uint64_t(count) * entry))
    return fail("truncated: {} section headers at offset {:#x}, but the file ends at {:#x}: {}", count, table, file.size(),
                again);
  for (unsigned i = 0; i < count; ++i) {
    uint64_t at = table + i * section_header_bytes;
    if (file.value<uint32_t>(at + 4) != section_symbols) continue;
    uint64_t offset = file.value<uint64_t>(at + 24), bytes = file.value<uint64_t>(at + 32);
    uint32_t link = file.value<uint32_t>(at + 40);
    auto symbols = file.slice(offset, bytes);
    if (!symbols)
      return fail("truncated: the symbols of section {} at offset {:#x} reach over the file's end: {}", i, offset, again);
    if (link >= count) return fail("section {} names string table {}, but there are {} sections: {}", i, link, count, again);
    uint64_t strings_at = table + link * section_header_bytes;
    auto strings = file.slice(file.value<uint64_t>(strings_at + 24), file.value<uint64_t>(strings_at + 32));
    if (!strings) return fail("truncated: the string table of section {} reaches over the file's end: {}", i, again);
    return read_symbols(elf.static_symbols, *symbols, *strings, "static");  // there is one at most
  }
  return {};
}

}  // namespace

std::string machine_name(uint16_t machine) {
  for (auto& m : machines)
    if (m.machine == machine) return m.name;
  return fmt::format("machine {:#x}", machine);
}

std::optional<std::span<const uint8_t>> Elf::at(uint64_t address, uint64_t count) const {
  for (auto& s : segments) {
    if (s.type != SEGMENT_LOAD || address < s.address) continue;
    uint64_t inside = address - s.address;
    if (inside > s.file_bytes || count > s.file_bytes - inside) continue;
    return bytes.subspan(size_t(s.offset + inside), size_t(count));
  }
  return {};
}

Expected<Elf> read_elf_header(std::span<const uint8_t> bytes) {
  ByteReader file(bytes);
  if (file.size() < 4 || file.value<uint32_t>(0) != 0x464c457f)
    return fail("not an ELF object (it does not start with 7f 45 4c 46)");
  if (file.size() < 20) return fail("truncated: {} bytes, but an ELF header has {}: {}", file.size(), header_bytes, again);
  uint8_t data = bytes[5];
  uint16_t machine = file.value<uint16_t>(18);
  if (data == 2)
    return fail("a big-endian ELF object ({}), not an AMD GPU's: compile it for amdgcn-amd-amdhsa",
                machine_name(uint16_t(machine << 8 | machine >> 8)));
  if (data != 1) return fail("unknown ELF data encoding {} (offset 5): {}", data, again);
  if (bytes[4] == 1)
    return fail("a 32-bit ELF object ({}), not an AMD GPU's: compile it for amdgcn-amd-amdhsa", machine_name(machine));
  if (bytes[4] != 2) return fail("unknown ELF class {} (offset 4): {}", bytes[4], again);
  if (file.size() < header_bytes)
    return fail("truncated: {} bytes, but an ELF header has {}: {}", file.size(), header_bytes, again);
  if (bytes[6] != 1) return fail("unknown ELF version {} (offset 6): {}", bytes[6], again);
  Elf elf;
  elf.bytes = bytes;
  elf.os_abi = bytes[7];
  elf.abi_version = bytes[8];
  elf.type = file.value<uint16_t>(16);
  elf.machine = machine;
  elf.flags = file.value<uint32_t>(48);
  return elf;
}

Expected<void> read_elf_contents(Elf& elf) {
  if (auto read = read_segments(elf); !read) return read;
  bool dynamic = false;
  for (auto& segment : elf.segments) {
    if (segment.type == SEGMENT_DYNAMIC && !dynamic) {  // there is one at most
      dynamic = true;
      if (auto read = read_dynamic(elf, segment); !read) return read;
    }
    if (segment.type == SEGMENT_NOTE)
      if (auto read = read_notes(elf, segment); !read) return read;
  }
  return read_static_symbols(elf);
}

}  // namespace Atoll
