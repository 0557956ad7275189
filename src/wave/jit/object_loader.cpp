#include "wave/jit/object_loader.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "wave/jit/own_image.h"

namespace Atoll::wave {
namespace {

// Symbols outside are reached by way of a slot each in the block, which may lie further from them than code reaches: an address, behind
// it a jump to it (6 bytes: jmp *-14(%rip)).
constexpr size_t slot_bytes = 16;
constexpr uint8_t slot_jump[] = {0xff, 0x25, 0xf2, 0xff, 0xff, 0xff};

template <class T>
std::span<const T> table_in(std::string_view object, const Elf64_Shdr& section) {
  if (section.sh_offset > object.size() || section.sh_size > object.size() - section.sh_offset) return {};
  if (section.sh_offset % alignof(T) || section.sh_size % sizeof(T)) return {};
  return {reinterpret_cast<const T*>(object.data() + section.sh_offset), section.sh_size / sizeof(T)};
}

std::string_view text_at(std::string_view texts, size_t place) {
  if (place >= texts.size()) return {};
  texts.remove_prefix(place);
  const size_t end = texts.find('\0');
  return end == texts.npos ? std::string_view() : texts.substr(0, end);
}

class ObjectLoader {
public:
  ObjectLoader(std::string_view object, const SymbolResolver& find) : object_(object), find_(find) {}

  Expected<MachineCode> load(std::string_view name, CodeMemory& memory) {
    if (auto read = read_tables(); !read) return std::unexpected(read.error());
    auto block = memory.allocate(place_sections());
    if (!block) return std::unexpected(block.error());
    block_ = *block;
    Expected<void> done = copy_sections();
    if (done) done = relocate();
    CodeFunction function = nullptr;
    if (done)
      for (const Elf64_Sym& symbol : symbols_)
        if (text_at(names_, symbol.st_name) == name && symbol.st_shndx < places_.size() && places_[symbol.st_shndx].loaded &&
            symbol.st_value < sections_[symbol.st_shndx].sh_size)
          function = reinterpret_cast<CodeFunction>(executed(places_[symbol.st_shndx].begin + symbol.st_value));
    if (done && !function) done = fail("an object without its function");
    if (done) return MachineCode{block_, function};
    memory.release(block_);
    return std::unexpected(done.error());
  }

private:
  struct Place {
    bool loaded = false;
    size_t begin = 0;
  };
  std::string_view object_;
  const SymbolResolver& find_;
  std::span<const Elf64_Shdr> sections_;
  std::span<const Elf64_Sym> symbols_;
  std::string_view names_;
  std::vector<Place> places_;
  size_t slots_at_ = 0;
  std::map<uint32_t, size_t> slots_;  // by symbol
  CodeMemory::Block block_;

  uint64_t executed(size_t place) const { return reinterpret_cast<uint64_t>(block_.executed) + place; }

  Expected<void> read_tables() {
    Elf64_Ehdr head;
    if (object_.size() < sizeof head || reinterpret_cast<uintptr_t>(object_.data()) % alignof(Elf64_Shdr))
      return fail("no object file");
    std::memcpy(&head, object_.data(), sizeof head);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_REL ||
        head.e_machine != EM_X86_64 || head.e_shentsize != sizeof(Elf64_Shdr) || !head.e_shnum)
      return fail("no object file of x86-64");
    Elf64_Shdr whole{};
    whole.sh_offset = head.e_shoff, whole.sh_size = uint64_t(head.e_shnum) * sizeof(Elf64_Shdr);
    sections_ = table_in<Elf64_Shdr>(object_, whole);
    if (sections_.empty()) return fail("an object file without its sections");
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_SYMTAB) continue;
      symbols_ = table_in<Elf64_Sym>(object_, section);
      if (section.sh_link >= sections_.size()) return fail("an object file without names");
      const auto names = table_in<char>(object_, sections_[section.sh_link]);
      names_ = {names.data(), names.size()};
    }
    return {};
  }

  // Compiled code throws nothing, and nobody unwinds it.
  static bool is_loaded(const Elf64_Shdr& section) {
    return (section.sh_flags & SHF_ALLOC) && (section.sh_type == SHT_PROGBITS || section.sh_type == SHT_NOBITS);
  }

  // Bytes of the block.
  size_t place_sections() {
    size_t end = 0;
    places_.assign(sections_.size(), {});
    for (size_t n = 0; n < sections_.size(); n++) {
      const Elf64_Shdr& section = sections_[n];
      if (!is_loaded(section) || section.sh_size > size_t(1) << 28) continue;
      const size_t align = std::clamp<size_t>(section.sh_addralign, 16, 64);
      places_[n] = {true, end = (end + align - 1) / align * align};
      end += section.sh_size;
    }
    slots_at_ = (end + 15) & ~size_t(15);
    for (uint32_t n = 0; n < symbols_.size(); n++)
      if (symbols_[n].st_shndx == SHN_UNDEF && symbols_[n].st_name) slots_.emplace(n, slots_.size());
    return slots_at_ + slots_.size() * slot_bytes;
  }

  Expected<void> copy_sections() {
    if (block_.bytes < slots_at_ + slots_.size() * slot_bytes) return fail("an object file too large");
    for (size_t n = 0; n < sections_.size(); n++) {
      if (!places_[n].loaded) continue;
      if (sections_[n].sh_type == SHT_NOBITS) {
        std::memset(block_.written + places_[n].begin, 0, sections_[n].sh_size);
        continue;
      }
      const auto bytes = table_in<char>(object_, sections_[n]);
      if (bytes.size() != sections_[n].sh_size) return fail("an object file that is cut short");
      if (!bytes.empty()) std::memcpy(block_.written + places_[n].begin, bytes.data(), bytes.size());
    }
    for (auto [symbol, slot] : slots_) {
      const std::string_view name = text_at(names_, symbols_[symbol].st_name);
      const auto address = find_(name);
      if (!address) return fail("code needs {}, which is nowhere", name);
      uint8_t* at = block_.written + slots_at_ + slot * slot_bytes;
      std::memcpy(at, &*address, 8);
      std::memcpy(at + 8, slot_jump, sizeof slot_jump);
    }
    return {};
  }

  Expected<void> relocate() {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_RELA || section.sh_info >= sections_.size() || !places_[section.sh_info].loaded) continue;
      const size_t begin = places_[section.sh_info].begin, size = sections_[section.sh_info].sh_size;
      for (const Elf64_Rela& entry : table_in<Elf64_Rela>(object_, section))
        if (auto done = relocate(entry, begin, size); !done) return done;
    }
    return {};
  }

  // System V ABI, AMD64 supplement, table 4.9: S symbol, A addend, P place, G slot.
  Expected<void> relocate(const Elf64_Rela& entry, size_t begin, size_t size) {
    const uint32_t type = ELF64_R_TYPE(entry.r_info), number = ELF64_R_SYM(entry.r_info);
    if (number >= symbols_.size()) return fail("a reference to no symbol");
    const Elf64_Sym& symbol = symbols_[number];
    const bool outside = slots_.contains(number),
               by_slot = type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
    const bool wide = type == R_X86_64_64 || type == R_X86_64_PC64;
    if (entry.r_offset > size || size - entry.r_offset < (wide ? 8u : 4u)) return fail("a reference outside of its section");
    if (!outside && (symbol.st_shndx >= places_.size() || !places_[symbol.st_shndx].loaded))
      return fail("a reference to nothing");
    const size_t slot = outside ? slots_at_ + slots_[number] * slot_bytes : 0;
    uint64_t value = 0;
    if (by_slot) {
      if (!outside) return fail("a slot for what stands in the code itself");
      value = executed(slot);
    } else if (outside) {
      if (type == R_X86_64_64)
        std::memcpy(&value, block_.written + slot, 8);
      else if (type == R_X86_64_PLT32)
        value = executed(slot + 8);
      else
        return fail("a reference of kind {} to what stands elsewhere", type);
    } else {
      value = executed(places_[symbol.st_shndx].begin + symbol.st_value);
    }
    value += uint64_t(entry.r_addend);
    if (type != R_X86_64_64) value -= executed(begin + entry.r_offset);
    switch (type) {
      case R_X86_64_64:
      case R_X86_64_PC64: std::memcpy(block_.written + begin + entry.r_offset, &value, 8); return {};
      case R_X86_64_PC32:
      case R_X86_64_PLT32:
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX: {
        if (int64_t(value) != int32_t(value)) return fail("a reference too far");
        const auto near = uint32_t(value);
        std::memcpy(block_.written + begin + entry.r_offset, &near, 4);
        return {};
      }
      default: return fail("a reference of kind {}", type);
    }
  }
};

}  // namespace

Expected<MachineCode> load_object(std::string_view object, std::string_view name, CodeMemory& memory,
                                  const SymbolResolver& find) {
  return ObjectLoader(object, find).load(name, memory);
}

std::optional<uint64_t> process_symbol(std::string_view name) {
  if (auto own = address_of(name)) return own;
  const void* found = ::dlsym(RTLD_DEFAULT, std::string(name).c_str());
  if (!found) return {};
  return reinterpret_cast<uint64_t>(found);
}

}  // namespace Atoll::wave
