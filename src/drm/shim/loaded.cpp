// The libraries that are loaded and their exports, read from the dynamic linker's list for debuggers (link.h, _r_debug) and from
// their tables (System V ABI, chapter 5; the GNU hash table as binutils and glibc lay it out). Libraries that a program starts
// with stand at the list's front and stay; the list grows at its end only.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "drm/shim/shim.h"

// Both are the dynamic linker's: weak, or this library would have to name it beside the C library. The function, without a lock
// and callable from anywhere, came with glibc 2.35.
#pragma weak _r_debug
#pragma weak _dl_find_object

namespace Atoll::drm::shim {
namespace {

const link_map* first_library() { return &_r_debug ? _r_debug.r_map : nullptr; }

const link_map* own_library() {
  for (auto* map = first_library(); map; map = map->l_next)
    if (map->l_ld == _DYNAMIC) return map;
  return nullptr;
}

struct Exports {
  const uint32_t* hash = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Half) * versions = nullptr;
};

Exports exports_of(const link_map& map) {
  Exports found;
  for (auto* entry = map.l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
    // glibc has added the library's place already, but not for the kernel's own (vdso(7))
    uintptr_t at = entry->d_un.d_ptr;
    if (at < map.l_addr) at += map.l_addr;
    switch (entry->d_tag) {
      case DT_GNU_HASH: found.hash = reinterpret_cast<const uint32_t*>(at); break;
      case DT_SYMTAB: found.symbols = reinterpret_cast<const ElfW(Sym)*>(at); break;
      case DT_STRTAB: found.names = reinterpret_cast<const char*>(at); break;
      case DT_VERSYM: found.versions = reinterpret_cast<const ElfW(Half)*>(at); break;
    }
  }
  return found;
}

uint32_t hash_of(const char* name) {
  uint32_t hash = 5381;
  for (; *name; ++name) hash = hash * 33 + uint8_t(*name);
  return hash;
}

// The default version of a function, or null.
void* find_in(const link_map& map, const char* name, uint32_t hash) {
  Exports e = exports_of(map);
  if (!e.hash || !e.symbols || !e.names) return nullptr;
  const uint32_t buckets = e.hash[0], first = e.hash[1], filter_words = e.hash[2];
  const uint32_t* bucket = e.hash + 4 + filter_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chain = bucket + buckets;
  if (buckets == 0) return nullptr;
  for (uint32_t i = bucket[hash % buckets]; i >= first && i; ++i) {
    const uint32_t here = chain[i - first];
    const ElfW(Sym)& symbol = e.symbols[i];
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    constexpr ElfW(Half) hidden = 0x8000;
    if ((here | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
        !(e.versions && e.versions[i] & hidden) && same(e.names + symbol.st_name, name)) {
      auto* at = reinterpret_cast<void*>(map.l_addr + symbol.st_value);
      return type == STT_GNU_IFUNC ? reinterpret_cast<void* (*)()>(at)() : at;
    }
    if (here & 1) break;  // the bucket's last
  }
  return nullptr;
}

// Does one of the library's segments hold the address? For C libraries before 2.35.
bool contains(const link_map& map, uintptr_t address) {
  if (map.l_addr == 0 || !map.l_name || map.l_name[0] != '/') return false;
  auto* header = reinterpret_cast<const ElfW(Ehdr)*>(map.l_addr);
  auto* segment = reinterpret_cast<const ElfW(Phdr)*>(map.l_addr + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; ++i, ++segment)
    if (segment->p_type == PT_LOAD && address - map.l_addr - segment->p_vaddr < segment->p_memsz) return true;
  return false;
}

}  // namespace

void* find_next(const char* name) {
  const uint32_t hash = hash_of(name);
  const link_map* own = own_library();
  for (auto* map = own ? own->l_next : nullptr; map; map = map->l_next)
    if (void* found = find_in(*map, name, hash)) return found;
  return nullptr;
}

const char* file_of(const void* address) {
  if (_dl_find_object) {
    dl_find_object found;
    return _dl_find_object(const_cast<void*>(address), &found) == 0 && found.dlfo_link_map ? found.dlfo_link_map->l_name
                                                                                           : nullptr;
  }
  for (auto* map = first_library(); map; map = map->l_next)
    if (contains(*map, reinterpret_cast<uintptr_t>(address))) return map->l_name;
  return nullptr;
}

const char* own_file() {
  const link_map* own = own_library();
  return own ? own->l_name : nullptr;
}

bool is_linked_with(const char* name, const char* file) {
  for (auto* map = first_library(); map && file; map = map->l_next) {
    if (!map->l_name || !same(name_in(map->l_name), name)) continue;
    const char* names = exports_of(*map).names;
    for (auto* entry = map->l_ld; names && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED && same(names + entry->d_un.d_val, name_in(file))) return true;
  }
  return false;
}

}  // namespace Atoll::drm::shim
