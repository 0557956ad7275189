#include "wave/jit/lasting_statics.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::wave {
namespace {

int register_nothing(void (*)(void*), void*, void*) { return 0; }

struct Library {
  uintptr_t base = 0;
  uintptr_t read_only_begin = 0, read_only_end = 0;  // what the loader protects once it has relocated it (PT_GNU_RELRO)
  const ElfW(Dyn) * dynamic = nullptr;
};

// The loaded library that `address` lies in; without a dynamic section if there is none.
Library library_around(const void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (!::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map) return {};
  Library library{.base = map->l_addr, .dynamic = map->l_ld};
  const auto* header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  const auto* parts = reinterpret_cast<const ElfW(Phdr)*>(static_cast<const char*>(info.dli_fbase) + header->e_phoff);
  for (const auto& part : std::span(parts, header->e_phnum))
    if (part.p_type == PT_GNU_RELRO)
      library.read_only_begin = library.base + part.p_vaddr, library.read_only_end = library.read_only_begin + part.p_memsz;
  return library;
}

// A library's relocations by symbol: of calls (DT_JMPREL) and of data (DT_RELA). Its loader has made addresses of the dynamic
// section's offsets (glibc: sysdeps/generic/ldsodefs.h, D_PTR).
struct Relocations {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::span<const ElfW(Rela)> calls, data;
};

Relocations relocations_of(const Library& library) {
  Relocations found;
  const ElfW(Rela)* calls = nullptr, *data = nullptr;
  size_t calls_bytes = 0, data_bytes = 0;
  for (const auto* entry = library.dynamic; entry && entry->d_tag != DT_NULL; entry++) {
    // NOLINTBEGIN(performance-no-int-to-ptr)
    switch (entry->d_tag) {
      case DT_SYMTAB: found.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr); break;
      case DT_STRTAB: found.names = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
      case DT_JMPREL: calls = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
      case DT_PLTRELSZ: calls_bytes = entry->d_un.d_val; break;
      case DT_RELA: data = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
      case DT_RELASZ: data_bytes = entry->d_un.d_val; break;
      default: break;
    }
    // NOLINTEND(performance-no-int-to-ptr)
  }
  if (found.symbols && found.names) {
    if (calls) found.calls = {calls, calls_bytes / sizeof *calls};
    if (data) found.data = {data, data_bytes / sizeof *data};
  }
  return found;
}

bool write_slot(const Library& library, uintptr_t slot) {
  const auto page = uintptr_t(::sysconf(_SC_PAGESIZE));
  // NOLINTBEGIN(performance-no-int-to-ptr)
  void* first = reinterpret_cast<void*>(slot & ~(page - 1));
  // The loader protects whole pages.
  const bool read_only = slot >= library.read_only_begin && slot < (library.read_only_end & ~(page - 1));
  if (read_only && ::mprotect(first, page, PROT_READ | PROT_WRITE)) return false;
  std::atomic_ref(*reinterpret_cast<uintptr_t*>(slot)).store(reinterpret_cast<uintptr_t>(&register_nothing));
  // NOLINTEND(performance-no-int-to-ptr)
  if (read_only) ::mprotect(first, page, PROT_READ);
  return true;
}

}  // namespace

size_t keep_static_objects(const void* address) {
  const Library library = library_around(address);
  const Relocations relocations = relocations_of(library);
  size_t written = 0;
  for (const auto& list : {relocations.calls, relocations.data})
    for (const auto& one : list) {
      const auto type = ELF64_R_TYPE(one.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const auto& symbol = relocations.symbols[ELF64_R_SYM(one.r_info)];
      if (std::string_view(relocations.names + symbol.st_name) != "__cxa_atexit") continue;
      written += write_slot(library, library.base + one.r_offset);
    }
  return written;
}

}  // namespace Atoll::wave
