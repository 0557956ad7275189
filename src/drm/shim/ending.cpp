// The order in which a program is taken down, where LLVM is concerned.
//
// Mesa compiles on threads of its own and has them joined by an exit handler (its util_queue). Objects that LLVM 15 makes at the
// first compilation, such as the table of value types, register their destructors after that handler; exit() goes backwards and
// destroys them before the threads are joined, under a compilation that may still run. So they die on any hardware (docs/drm.md:
// "Ends while Mesa compiles"; LLVM's headers call that order the static destruction order problem). Here LLVM's destructors wait
// until the dynamic linker takes LLVM itself down, which it does after every exit handler and after the libraries that are linked
// with LLVM: the order that the linker guarantees for what a library makes while it is loaded. Handlers of other libraries and
// the program are passed on as they come.
//
// The LLVM that Atoll's code generator works with has threads that nobody joins. Its destructors are dropped, as those of
// libatoll.so are (cli/library.cpp).
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drm/shim/shim.h"

using namespace Atoll::drm::shim;

namespace {

using Destructor = void (*)(void*);

struct Kept {
  Destructor destructor;
  void* object;
  void* library;
};
constexpr size_t max_kept = 1 << 16;  // LLVM 15 and 19 have some 3,300 each; pages that nobody touches cost nothing
Kept* kept;
size_t kept_count;

// The pages of such a table, made at the first use; null where there is no memory.
template <class Row>
Row* table(Row*& rows, size_t most) {
  if (Row* room = __atomic_load_n(&rows, __ATOMIC_ACQUIRE)) return room;
  long made = syscall(SYS_mmap, nullptr, most * sizeof(Row), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1, off_t(0));
  if (made == -1) return nullptr;
  auto* room = reinterpret_cast<Row*>(made);
  Row* none = nullptr;
  if (__atomic_compare_exchange_n(&rows, &none, room, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return room;
  syscall(SYS_munmap, room, most * sizeof(Row));
  return none;
}

// False: the C library has to keep it.
bool keep(Destructor destructor, void* object, void* library) {
  const char* file = library ? file_of(library) : nullptr;
  if (!file || !starts_with(name_in(file), "libLLVM")) return false;
  Kept* room = table(kept, max_kept);
  if (!room) return false;
  size_t at = __atomic_fetch_add(&kept_count, 1, __ATOMIC_RELAXED);
  if (at >= max_kept) return false;
  room[at].object = object;
  room[at].library = library;
  __atomic_store_n(&room[at].destructor, destructor, __ATOMIC_RELEASE);
  return true;
}

// The last first, each once.
void run_kept(void* library) {
  Kept* room = __atomic_load_n(&kept, __ATOMIC_ACQUIRE);
  size_t count = __atomic_load_n(&kept_count, __ATOMIC_ACQUIRE);
  if (!room || (library && is_linked_with("libatoll_jit.so", file_of(library)))) return;
  for (size_t i = count < max_kept ? count : max_kept; i-- > 0;) {
    if (room[i].library != library) continue;
    if (Destructor destructor = __atomic_exchange_n(&room[i].destructor, nullptr, __ATOMIC_ACQ_REL)) destructor(room[i].object);
  }
}

// Exit handlers of drivers take their queues' locks and wait for their threads (Mesa: atexit_handler in src/util/u_queue.c). The
// child of a fork has neither the threads nor whoever held a lock then: it ends without them.
struct Handler {
  Destructor destructor;
  void* object;
};
constexpr size_t max_handlers = 1 << 12;
Handler* handlers;
size_t handler_count;

bool is_driver(const char* file) {
  constexpr const char* begins[] = {"libvulkan_",    "libgallium",       "libEGL_mesa", "libGLX_mesa",
                                    "libMesaOpenCL", "libRusticlOpenCL", "libigdrcl"};
  const char* name = name_in(file);
  for (const char* begin : begins)
    if (starts_with(name, begin)) return true;
  for (; *name; ++name)
    if (starts_with(name, "_dri.so")) return true;
  return false;
}

void run_in_its_process(void* data) {
  auto& handler = *static_cast<Handler*>(data);
  if (!is_child_of_gpu_process()) handler.destructor(handler.object);
}

// Null: there is no room, or the handler is nobody's that waits.
Handler* handler_of_driver(Destructor destructor, void* object, void* library) {
  const char* file = library ? file_of(library) : nullptr;
  if (!file || !is_driver(file)) return nullptr;
  Handler* room = table(handlers, max_handlers);
  size_t at = room ? __atomic_fetch_add(&handler_count, 1, __ATOMIC_RELAXED) : max_handlers;
  if (at >= max_handlers) return nullptr;
  room[at] = {destructor, object};
  return &room[at];
}

}  // namespace

// Itanium C++ ABI 3.3.6.3
SHIM_EXPORT int __cxa_atexit(Destructor destructor, void* object, void* library) {
  static auto real = next<int (*)(Destructor, void*, void*)>("__cxa_atexit");
  if (keep(destructor, object, library)) return 0;
  if (Handler* handler = handler_of_driver(destructor, object, library)) return real(run_in_its_process, handler, library);
  return real(destructor, object, library);
}

// Called by each library when it is taken down, with its own handle.
SHIM_EXPORT void __cxa_finalize(void* library) {
  static auto real = next<void (*)(void*)>("__cxa_finalize");
  if (library) run_kept(library);
  real(library);
}
