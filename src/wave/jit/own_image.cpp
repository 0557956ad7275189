#include "wave/jit/own_image.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <span>
#include <vector>

namespace Atoll::wave {
namespace {

constexpr std::string_view own = "own+", host = "host+";

// ELF gABI, "Note Section": size of the name, of the description, the type; each of the two filled up to 4 bytes.
std::string build_id_in(std::span<const uint8_t> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const size_t name = sizeof note, text = name + ((size_t(note.n_namesz) + 3) & ~size_t(3)),
                 end = text + ((size_t(note.n_descsz) + 3) & ~size_t(3));
    if (text + note.n_descsz > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !std::memcmp(notes.data() + name, "GNU", 4))
      return {reinterpret_cast<const char*>(notes.data()) + text, note.n_descsz};
    if (end >= notes.size()) break;
    notes = notes.subspan(end);
  }
  return {};
}

struct OwnImage {
  uint64_t base = 0;
  struct Part {
    uint64_t begin, end;
  };
  std::vector<Part> parts;
  std::string build_id;
  bool contains(uint64_t address) const {
    for (const Part& part : parts)
      if (address >= part.begin && address < part.end) return true;
    return false;
  }
};

int look_at(dl_phdr_info* file, size_t, void* data) {
  OwnImage found{.base = file->dlpi_addr, .parts = {}, .build_id = {}};
  for (unsigned n = 0; n < file->dlpi_phnum; n++) {
    const ElfW(Phdr)& part = file->dlpi_phdr[n];
    const uint64_t begin = found.base + part.p_vaddr;
    if (part.p_type == PT_LOAD) found.parts.push_back({begin, begin + part.p_memsz});
    if (part.p_type == PT_NOTE && found.build_id.empty())
      found.build_id = build_id_in({reinterpret_cast<const uint8_t*>(begin), part.p_memsz});
  }
  if (!found.contains(reinterpret_cast<uint64_t>(&symbol_of))) return 0;
  *static_cast<OwnImage*>(data) = std::move(found);
  return 1;
}

const OwnImage& own_image() {
  [[clang::no_destroy]] static const OwnImage image = [] {
    OwnImage found;
    ::dl_iterate_phdr(look_at, &found);
    return found;
  }();
  return image;
}

}  // namespace

std::string symbol_of(const void* address) {
  const auto place = reinterpret_cast<uint64_t>(address);
  return own_image().contains(place) ? fmt::format("{}{:x}", own, place - own_image().base) : fmt::format("{}{:x}", host, place);
}

bool is_lasting(std::string_view symbol) { return !symbol.starts_with(host); }

std::optional<uint64_t> address_of(std::string_view symbol) {
  const bool here = symbol.starts_with(own);
  if (!here && !symbol.starts_with(host)) return {};
  symbol.remove_prefix(here ? own.size() : host.size());
  uint64_t place = 0;
  const auto read = std::from_chars(symbol.data(), symbol.data() + symbol.size(), place, 16);
  if (read.ec != std::errc() || read.ptr != symbol.data() + symbol.size()) return {};
  if (!here) return place;
  place += own_image().base;
  if (!own_image().contains(place)) return {};
  return place;
}

const std::string& own_build_id() { return own_image().build_id; }

std::string build_id_of(const std::string& library) {
  const int file = ::open(library.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string found;
  Elf64_Ehdr head;
  Elf64_Phdr parts[16];
  if (::pread(file, &head, sizeof head, 0) == ssize_t(sizeof head) && !std::memcmp(head.e_ident, ELFMAG, SELFMAG) &&
      head.e_phentsize == sizeof parts[0] && head.e_phnum <= std::size(parts)) {
    const size_t bytes = head.e_phnum * sizeof parts[0];
    if (::pread(file, parts, bytes, off_t(head.e_phoff)) == ssize_t(bytes))
      for (unsigned n = 0; n < head.e_phnum && found.empty(); n++) {
        uint8_t notes[1024];
        if (parts[n].p_type != PT_NOTE || parts[n].p_filesz > sizeof notes) continue;
        if (::pread(file, notes, parts[n].p_filesz, off_t(parts[n].p_offset)) == ssize_t(parts[n].p_filesz))
          found = build_id_in({notes, parts[n].p_filesz});
      }
  }
  ::close(file);
  return found;
}

}  // namespace Atoll::wave
