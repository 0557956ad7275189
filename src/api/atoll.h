/* Atoll's C library: GPUs in software, in this process. C99 and C++; link with -latoll (pkg-config atoll).
 *
 * What it has today is compute: open a GPU, map memory, load a code object, launch a kernel, read back. Registers, command
 * buffers and the stepping of waves come later, as more functions beside these: nothing here changes for them.
 *
 * Rules that hold for every function:
 *  - Errors are values. A function that can fail returns an atoll_status; what went wrong, in a sentence that says what to do, is
 *    atoll_error_message() of the thread that called. No function throws, aborts or exits, whatever a kernel, an object or an
 *    argument contains; a null pointer where none is allowed is ATOLL_ERROR_ARGUMENT. After an error nothing has changed, unless
 *    the function says so. (Pointers to memory that is not there, and handles after they were closed, are the caller's mistakes,
 *    as everywhere in C.)
 *  - Handles are opaque, made by atoll_..._open, _map and _load and ended by the function named there. What belongs to a device
 *    ends with it. Functions that end something take a null pointer and do nothing.
 *  - Structs begin with their size in bytes, which the caller sets to sizeof: a program goes on to work with a later library whose
 *    structs are longer, and with an earlier one as long as it leaves zero what that does not know. Fields named `reserved` are 0.
 *    In structs that the library fills, `size` is how much may be written.
 *  - Strings are UTF-8 and end with a zero. Numbers of bytes are bytes, addresses are the GPU's. A grid and a group count
 *    work-items, unless a function says work-groups.
 *  - Threads: every function may be called by any thread at any time. Calls for the same device (its memory, objects and kernels
 *    included) wait for each other, so that a launch holds up the others until it ends; atoll_device_stop() alone never waits.
 *    Different devices do not disturb each other. A call that ends a device, memory or object must be the last one that uses it.
 *  - GPU code runs on threads of the library's own. An access of it to memory that is not mapped raises SIGSEGV or SIGBUS there,
 *    which handlers of the library take; all other such signals go on to the handlers that the program had installed before.
 *    (Who installs one later chains to what was there, as always.)
 *  - After fork() the child must not use devices that its parent opened. */
#ifndef ATOLL_H
#define ATOLL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATOLL_API __attribute__((visibility("default")))

/* --- versions and errors ------------------------------------------------------------------------------------------------------ */

/* Rises with every addition. */
#define ATOLL_API_VERSION 1
/* ATOLL_API_VERSION of the library that is loaded. */
ATOLL_API uint32_t atoll_api_version(void);
/* The library's release, "0.1.0". It stays as long as the program does. */
ATOLL_API const char* atoll_version(void);

typedef enum atoll_status {
  ATOLL_OK = 0,
  ATOLL_ERROR_ARGUMENT = 1,    /* the call itself is wrong: a null pointer, a size, a number out of range */
  ATOLL_ERROR_NOT_FOUND = 2,   /* no GPU, kernel or index of that name or number */
  ATOLL_ERROR_OBJECT = 3,      /* the code object is damaged, or made for something else */
  ATOLL_ERROR_MISMATCH = 4,    /* arguments, grid or group do not fit the kernel */
  ATOLL_ERROR_MEMORY = 5,      /* no memory, or no room in the GPU's address space */
  ATOLL_ERROR_UNMAPPED = 6,    /* a GPU address that is not mapped, or mapped already */
  ATOLL_ERROR_UNSUPPORTED = 7, /* this GPU, or this release, does not have it */
  ATOLL_ERROR_FAULT = 8,       /* the kernel faulted: atoll_result.fault */
  ATOLL_ERROR_TIMEOUT = 9,     /* the kernel had not ended when its time was over */
  ATOLL_ERROR_STOPPED = 10,    /* atoll_device_stop() ended the launch */
  ATOLL_ERROR_INTERNAL = 11    /* a mistake of the library's own, or a resource of the machine that it could not get */
} atoll_status;

/* "ATOLL_ERROR_FAULT" and so on; "unknown" for other numbers. It stays as long as the program does. */
ATOLL_API const char* atoll_status_name(int status);
/* What the last call on this thread that failed had to say; "" when none has. It stays until the next one on this thread fails. */
ATOLL_API const char* atoll_error_message(void);

/* --- GPUs --------------------------------------------------------------------------------------------------------------------- */

/* The names that atoll_device_open() takes, from index 0 on; null behind the last. They stay as long as the program does. */
ATOLL_API const char* atoll_gpu_name(uint32_t index);

typedef struct atoll_device atoll_device; /* a GPU with an address space of its own */
typedef struct atoll_memory atoll_memory; /* memory that a device has mapped */
typedef struct atoll_object atoll_object; /* a code object in a device's memory */
typedef struct atoll_kernel atoll_kernel; /* a kernel of an object; ends with it */

typedef enum atoll_engine {
  ATOLL_ENGINE_AUTO = 0,        /* interpreted until it proves hot, then compiled */
  ATOLL_ENGINE_INTERPRETER = 1, /* no compiler at all */
  ATOLL_ENGINE_JIT = 2          /* compiled before it first runs; a launch fails where the code generator is not there */
} atoll_engine;

typedef struct atoll_device_options {
  uint32_t size;
  uint32_t engine;        /* an atoll_engine */
  uint32_t threads;       /* host threads of a launch; 0: as many as the machine has processors; at most 1024 */
  uint32_t deterministic; /* not 0: work-groups run in order, on one thread */
} atoll_device_options;

/* Opens a GPU by its name, in upper or lower case. `options` may be null: all 0. `*device` is ended by atoll_device_close(), and null
 * after an error. NOT_FOUND: no such GPU; UNSUPPORTED: one that runs no kernels; MEMORY: no address space. */
ATOLL_API atoll_status atoll_device_open(const char* gpu, const atoll_device_options* options, atoll_device** device);
/* Ends the device with its memory and objects. No other call for it may be under way. */
ATOLL_API void atoll_device_close(atoll_device* device);
/* The name that it was opened by, as atoll_gpu_name() has it. It stays as long as the program does; null for a null pointer. */
ATOLL_API const char* atoll_device_gpu(const atoll_device* device);
/* Ends the launch that is under way on the device, on whichever thread, with ATOLL_ERROR_STOPPED; without one nothing happens. It
 * returns at once and is safe in a signal handler. */
ATOLL_API void atoll_device_stop(atoll_device* device);

/* --- memory ------------------------------------------------------------------------------------------------------------------- */

/* Maps `bytes` of zeroed memory, which the program and the GPU both reach. gpu_address 0: the library chooses, a multiple of 256 (of a
 * page, 4096, where `bytes` is a multiple of that), with unmapped addresses in front and behind; otherwise it begins there, which must
 * be a multiple of 4096 and not 0, and takes whole pages. Below atoll_device_address_limit(). `bytes` 0 is ATOLL_ERROR_ARGUMENT.
 * `*memory` is ended by atoll_memory_unmap() or with its device, and null after an error. MEMORY: the machine has not so much, or the
 * address space no room; UNMAPPED: something is mapped there already. */
ATOLL_API atoll_status atoll_memory_map(atoll_device* device, uint64_t bytes, uint64_t gpu_address, atoll_memory** memory);
ATOLL_API void atoll_memory_unmap(atoll_memory* memory);
/* The GPU's address of its first byte; 0 for a null pointer. */
ATOLL_API uint64_t atoll_memory_address(const atoll_memory* memory);
/* Where the program reads and writes it, until it is unmapped; null for a null pointer. While a launch runs, both see what the other
 * writes as two threads do. */
ATOLL_API void* atoll_memory_pointer(const atoll_memory* memory);
ATOLL_API uint64_t atoll_memory_bytes(const atoll_memory* memory);

/* Copies between the program's memory and any mapped GPU address. UNMAPPED: not all of it is mapped; then nothing is copied. */
ATOLL_API atoll_status atoll_read(atoll_device* device, uint64_t gpu_address, void* to, uint64_t bytes);
ATOLL_API atoll_status atoll_write(atoll_device* device, uint64_t gpu_address, const void* from, uint64_t bytes);
/* The first address beyond the device's address space; 0 for a null pointer. */
ATOLL_API uint64_t atoll_device_address_limit(const atoll_device* device);

/* --- code objects and kernels ------------------------------------------------------------------------------------------------- */

/* Loads a code object: an HSA ELF file as clang and lld write it (version 4 to 6; also a clang offload bundle), or for dg1 what ocloc
 * writes (zebin or patch tokens). The bytes are copied. `name` stands for the object in messages; null: "code object". `*object` is
 * ended by atoll_object_unload() or with its device, and null after an error. OBJECT: damaged, or made for another GPU. */
ATOLL_API atoll_status atoll_object_load(atoll_device* device, const void* bytes, uint64_t byte_count, const char* name,
                                         atoll_object** object);
ATOLL_API void atoll_object_unload(atoll_object* object);
/* The kernels, from index 0 on; null behind the last, or for a null pointer. */
ATOLL_API const atoll_kernel* atoll_object_kernel(const atoll_object* object, uint32_t index);
/* The kernel of that name; of a null name the only one. `*kernel` is null after an error. NOT_FOUND: none, or several without a name. */
ATOLL_API atoll_status atoll_object_find(const atoll_object* object, const char* name, const atoll_kernel** kernel);
/* The GPU's address of a symbol that the object defines (a __device__ or program-scope variable). NOT_FOUND: there is none;
 * UNSUPPORTED: an object of Intel's. */
ATOLL_API atoll_status atoll_object_symbol(const atoll_object* object, const char* name, uint64_t* gpu_address);

typedef enum atoll_parameter_kind {
  ATOLL_PARAMETER_OTHER = 0,  /* what no atoll_argument can give yet */
  ATOLL_PARAMETER_VALUE = 1,  /* a scalar, vector or struct of `bytes` */
  ATOLL_PARAMETER_BUFFER = 2, /* a pointer to global or constant memory */
  ATOLL_PARAMETER_LOCAL = 3,  /* a pointer to a block of LDS (SLM) */
  ATOLL_PARAMETER_IMAGE = 4,
  ATOLL_PARAMETER_SAMPLER = 5
} atoll_parameter_kind;

/* Strings stay until the object is unloaded; "" where the compiler left them out. */
typedef struct atoll_kernel_info {
  uint32_t size;
  uint32_t parameter_count; /* explicit ones */
  const char* name;
  uint32_t wave_lanes;        /* 8, 16, 32 or 64 */
  uint32_t max_group_items;   /* 0: not told */
  uint32_t required_group[3]; /* 0, 0, 0: any */
  uint32_t lds_bytes;         /* that it declares itself */
  uint32_t scratch_bytes;     /* of a lane; of Intel's kernels of a hardware thread */
  uint32_t kernarg_bytes;     /* 0 for Intel's */
} atoll_kernel_info;
typedef struct atoll_parameter_info {
  uint32_t size;
  uint32_t kind;   /* an atoll_parameter_kind */
  uint32_t bytes;  /* of the value, or of the pointer */
  uint32_t offset; /* in the kernarg segment; 0 for Intel's */
  const char* name;
  const char* type_name;
} atoll_parameter_info;
/* Both need `size` set before. NOT_FOUND: no parameter of that index. */
ATOLL_API atoll_status atoll_kernel_describe(const atoll_kernel* kernel, atoll_kernel_info* info);
ATOLL_API atoll_status atoll_kernel_parameter(const atoll_kernel* kernel, uint32_t index, atoll_parameter_info* info);

/* --- launches ----------------------------------------------------------------------------------------------------------------- */

typedef enum atoll_argument_kind {
  ATOLL_ARGUMENT_VALUE = 1,  /* `value` points to `bytes`, exactly as many as the parameter takes */
  ATOLL_ARGUMENT_BUFFER = 2, /* `address` is a GPU address, or 0 for a null pointer */
  ATOLL_ARGUMENT_LOCAL = 3   /* a block of `bytes` of LDS */
} atoll_argument_kind;

typedef struct atoll_argument {
  uint32_t kind; /* an atoll_argument_kind */
  uint32_t reserved;
  uint64_t bytes;
  const void* value;
  uint64_t address;
} atoll_argument;

typedef struct atoll_launch_options {
  uint32_t size;
  uint32_t dimensions;             /* what get_work_dim() answers: 1 to 3; 0: up to the last one whose grid or group is not 1 */
  uint64_t grid[3];                /* work-items, none of them 0; a grid that the group does not divide has smaller last groups */
  uint64_t group[3];               /* work-items, none of them 0 */
  const atoll_argument* arguments; /* of the explicit parameters, in their order */
  uint32_t argument_count;
  uint32_t argument_size;     /* sizeof(atoll_argument) */
  uint64_t dynamic_lds_bytes; /* LDS that belongs to no parameter (HIP's extern __shared__) */
  double timeout_seconds;     /* 0: none. A compilation that is under way is waited for */
} atoll_launch_options;

typedef enum atoll_fault_kind {
  ATOLL_FAULT_LOAD = 0,
  ATOLL_FAULT_STORE = 1,
  ATOLL_FAULT_ATOMIC = 2,
  ATOLL_FAULT_FETCH = 3,   /* of instructions */
  ATOLL_FAULT_ILLEGAL = 4, /* an instruction that there is not */
  ATOLL_FAULT_OTHER = 5    /* `reason` says which: a trap, a barrier that nobody completes */
} atoll_fault_kind;

typedef struct atoll_fault {
  uint32_t kind;               /* an atoll_fault_kind */
  int32_t lane;                /* the first lane that faulted; -1: not a lane's */
  uint32_t group[3];           /* number of the work-group */
  uint32_t bytes;              /* of the access */
  uint64_t address;            /* of the access, the GPU's */
  uint64_t instruction_offset; /* in bytes, from the kernel's first instruction */
  char instruction[128];       /* its text, cut where it is longer */
  char reason[128];            /* "" where the kind says everything */
} atoll_fault;

/* What a launch did. All but `size` is written, whether it succeeds or not. */
typedef struct atoll_result {
  uint32_t size;
  uint32_t threads; /* host threads that ran it */
  uint64_t waves;   /* that ended; like the next four 0 after a fault, a timeout or a stop, where engines and threads differ */
  uint64_t instructions; /* executed by waves: the sum of the next three */
  uint64_t compiled, called, interpreted;
  double compile_seconds, run_seconds;
  const char* printed; /* what the kernel's printf wrote; "" if nothing. Stays until the device's next launch or its end */
  uint64_t printed_bytes;
  uint32_t faulted; /* not 0: `fault` says where */
  uint32_t reserved;
  atoll_fault fault;
} atoll_result;

/* Runs the kernel over the grid and returns when it has ended. `result` may be null. What the kernel wrote before a fault, a timeout
 * or a stop stays written. MISMATCH: number, kinds or sizes of arguments, grid or group do not fit. */
ATOLL_API atoll_status atoll_launch(const atoll_kernel* kernel, const atoll_launch_options* options, atoll_result* result);

/* --- raw instruction words (gfx1200 and gfx1201) ------------------------------------------------------------------------------ */

typedef struct atoll_words_options {
  uint32_t size;
  uint32_t wave_lanes;        /* 32 or 64; 0: 32 */
  const void* words;          /* instruction words, in the order of memory; execution begins with the first */
  uint64_t word_bytes;        /* a multiple of 4, at most 16 MiB */
  uint64_t grid[3], group[3]; /* work-items, as of atoll_launch_options */
  const uint32_t* user_sgprs; /* s0 and following at a wave's start; */
  uint32_t user_sgpr_count;   /* at most 32 */
  uint32_t rsrc1;             /* COMPUTE_PGM_RSRC1; 0: all VGPRs, denormals of f32 flushed, those of f16 and f64 kept */
  uint32_t rsrc2;             /* COMPUTE_PGM_RSRC2; 0: none of what it can ask for */
  uint32_t lds_bytes;         /* of a work-group, at most 65536 */
  uint32_t scratch_bytes;     /* of a lane, at most 262144 */
  uint32_t reserved;
  double timeout_seconds; /* 0: none */
} atoll_words_options;

/* Runs instruction words without an object around them: they are copied to an address of their own. Work-group ids are in TTMP9 (X)
 * and TTMP7 (Y in the low half, Z in the high one), the work-item's in v0 (X, Y << 10, Z << 20). UNSUPPORTED: other GPUs. */
ATOLL_API atoll_status atoll_launch_words(atoll_device* device, const atoll_words_options* options, atoll_result* result);

/* --- graphics waves (gfx1200 and gfx1201) -------------------------------------------------------------------------------------- */

/* Waves of one group run as the hardware starts them (RDNA4 ISA 3.5), without a driver: what their registers hold comes from these
 * structs, and what they export is collected. */
typedef enum atoll_stage {
  ATOLL_STAGE_PIXEL = 0,    /* one wave */
  ATOLL_STAGE_GEOMETRY = 1, /* ES and GS merged: NGG, and mesh shaders */
  ATOLL_STAGE_HULL = 2      /* LS and HS merged */
} atoll_stage;

/* What lanes start with. `index`: of pixel waves the term, numbered as SPI_PS_INPUT_ENA loads them: persp sample i j (0 1), center i j
 * (2 3), centroid i j (4 5), pull i/w j/w 1/w (6 7 8), linear sample i j (9 10), center i j (11 12), centroid i j (13 14), line stipple
 * (15), x y z w (16 to 19), front face (20), ancillary (21), sample coverage (22), fixed x and y (23); of geometry waves v0 to v6, of
 * hull waves v0 to v3. */
typedef struct atoll_lane_values {
  uint32_t index;
  uint32_t count; /* 1: the same for all lanes; else as many as the wave has */
  const uint32_t* values;
} atoll_lane_values;
/* A channel of an attribute for each primitive of a pixel wave: P0, P1 - P0, P2 - P0, three words each. */
typedef struct atoll_pixel_parameter {
  uint32_t attribute, channel;
  const uint32_t* values;
  uint32_t primitive_count;
  uint32_t reserved;
} atoll_pixel_parameter;

typedef struct atoll_wave_start {
  uint32_t size;
  uint32_t has_exec; /* not 0: `exec` counts, else as the stage has it */
  uint64_t exec;
  const uint32_t* user_sgprs;
  const atoll_lane_values* values;
  uint32_t user_sgpr_count;
  uint32_t value_count;
  /* of pixel waves */
  const atoll_pixel_parameter* parameters;
  uint32_t parameter_count;
  uint32_t input_ena, input_addr; /* SPI_PS_INPUT_ENA and _ADDR; input_addr 0: as input_ena */
  uint32_t new_primitive;         /* a bit for each quad that begins another primitive than the one before */
  uint32_t bc_optimize;           /* 0 or 1 */
  uint32_t lds_offset;            /* of the parameters, a multiple of 128 */
  uint32_t has_wave_id, wave_id;  /* an SGPR where the first is not 0 */
  uint32_t has_provoking_vertex, provoking_vertex;
  /* of geometry and hull waves */
  uint64_t address; /* s[0:1] */
  uint32_t off_chip, wave_in_group;
  /* of geometry waves */
  uint32_t mesh; /* not 0: a mesh shader, which has group_id in place of the next five */
  uint32_t group_primitives, group_vertices, ordered_wave_id;
  uint32_t primitives, vertices; /* of this wave */
  uint32_t group_id[3];
  uint32_t waves_in_group; /* 0: as many as there are */
  uint32_t attribute_ring; /* units of 512 bytes */
  /* of hull waves */
  uint32_t factor_ring, first_wave, group_size, patches, output_vertices, input_vertices;
  uint32_t reserved;
} atoll_wave_start;

typedef struct atoll_export {
  uint32_t wave;    /* its number in the group */
  uint32_t target;  /* 0 to 7 mrt, 8 mrtz, 12 to 16 pos, 20 prim, ... (RDNA4 ISA 14) */
  uint32_t enabled; /* a bit for each of the four sources */
  uint32_t done;    /* the last of its kind */
  int64_t row;      /* of a mesh shader's vertices or primitives; -1: none */
  uint64_t lanes;   /* that exported */
  uint32_t order;   /* among the wave's exports, from 1 on */
  uint32_t reserved;
  uint32_t values[4][64]; /* by source and lane; 0 where it did not export */
} atoll_export;
typedef struct atoll_message { /* of S_SENDMSG, but DEALLOC_VGPRS */
  uint32_t wave, message, m0, reserved;
} atoll_message;

typedef struct atoll_graphics_options {
  uint32_t size;
  uint32_t stage;    /* an atoll_stage */
  const void* words; /* as of atoll_words_options */
  uint64_t word_bytes;
  uint32_t wave_lanes;    /* 32 or 64; 0: 32 */
  uint32_t mode;          /* MODE; 0: 0xf0, to the nearest, all denormals kept */
  uint32_t lds_bytes;     /* of the group, at most 65536; a pixel wave has at least those of its parameters */
  uint32_t scratch_bytes; /* of a lane, at most 262144 */
  void* lds;              /* null, or lds_bytes: what LDS holds before, and afterwards what the waves left */
  uint32_t skip_export;   /* not 0: exports do nothing */
  uint32_t wave_count;    /* 1 to 16 */
  const atoll_wave_start* waves;
  uint32_t wave_size;       /* sizeof(atoll_wave_start), */
  uint32_t export_size;     /* sizeof(atoll_export), */
  uint32_t message_size;    /* sizeof(atoll_message) */
  uint32_t export_capacity; /* places at `exports`, which may be null if that is 0 */
  atoll_export* exports;
  atoll_message* messages;
  uint32_t message_capacity;
  uint32_t reserved;
  double timeout_seconds; /* 0: none */
} atoll_graphics_options;

/* Runs the group. `export_count` and `message_count` (either may be null) get how many there are, of which as many are written, in the
 * order of waves and in theirs, as there are places; after a fault those until then. `result` may be null. MISMATCH: a value that its
 * field cannot hold, or a list that has not as many as lanes; UNSUPPORTED: other GPUs. */
ATOLL_API atoll_status atoll_run_graphics(atoll_device* device, const atoll_graphics_options* options, uint32_t* export_count,
                                          uint32_t* message_count, atoll_result* result);

/* --- instruction words on this process's own memory --------------------------------------------------------------------------- */

/* The entry of remu (github.com/wozeparrot/remu), so that what calls it can call Atoll instead: gfx1201 executes the instruction words at
 * `lib` for gx*gy*gz work-groups of lx*ly*lz work-items, in waves of 32, with args_ptr in s[0:1], 64 KiB of LDS and no scratch memory.
 * Work-group ids stand where gfx12 has them (atoll_launch_words), not in s13 to s15 as gfx11 has them. Returns 0, or the
 * atoll_status; atoll_error_message() is the fault's text.
 *
 * GPU addresses are this process's pointers, and by remu's definition a kernel may touch everything that the process may: a wrong
 * kernel can spoil any writable memory of the program, as a wrong function of its own can. What happens is this. The kernel works on
 * copies of the pages that it touches, at the same addresses; a page that the process has not mapped, may not read or may not write
 * is a fault (ATOLL_ERROR_FAULT) and never a signal of the process; when the kernel has ended well, the bytes that it changed are
 * written back, and after an error none are. So it can neither spoil what executes it nor leave half a result, and it sees nothing
 * that other threads write while it runs. atoll_run_asm() with ranges keeps a kernel inside of them. */
ATOLL_API int32_t run_asm(const char* lib, uint32_t lib_sz, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t lx, uint32_t ly,
                          uint32_t lz, const uint64_t* args_ptr);
/* With what tinygrad's emulator (tinygrad/tinygrad, test/mockgpu/amd/emu.py) takes besides: COMPUTE_PGM_RSRC2 (0: its default), scratch
 * bytes of a lane, and the architecture: "rdna4", "gfx1200" or "gfx1201"; null: rdna4. LDS is as much as rsrc2 says. */
ATOLL_API int32_t run_asm_ex(const char* lib, uint32_t lib_sz, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t lx, uint32_t ly,
                             uint32_t lz, const uint64_t* args_ptr, uint32_t rsrc2, uint32_t scratch_sz, const char* arch);

typedef struct atoll_range {
  const void* pointer;
  uint64_t bytes;
  uint32_t writable; /* 0: a store there is a fault */
  uint32_t reserved;
} atoll_range;

typedef struct atoll_run_asm_options {
  uint32_t size;
  uint32_t wave_lanes; /* 32 or 64; 0: 32 */
  const char* arch;    /* as of run_asm_ex() */
  const void* lib;
  uint64_t lib_bytes;         /* at most 16 MiB of them are code */
  uint32_t groups[3];         /* work-groups */
  uint32_t group[3];          /* work-items of one */
  const void* args;           /* what s[0:1] holds where there are no user_sgprs */
  const uint32_t* user_sgprs; /* s0 and following; null: `args` alone */
  uint32_t user_sgpr_count;   /* at most 32 */
  uint32_t rsrc1;             /* as of atoll_words_options */
  uint32_t rsrc2; /* 0: none of what it can ask for, and 64 KiB of LDS; else its LDS_SIZE (bits 23:15, 512 bytes each) counts */
  uint32_t scratch_bytes; /* of a lane */
  /* Where the kernel may read and write; what it touches elsewhere is a fault. Null: everything, as run_asm(). A range counts by
   * whole pages of 4096: what a page has besides the range reads as 0, and what is stored there comes to nothing. The code, at `lib`,
   * may always be read. */
  const atoll_range* ranges;
  uint32_t range_count;
  uint32_t range_size;    /* sizeof(atoll_range) */
  uint32_t engine;        /* an atoll_engine */
  uint32_t threads;       /* as of atoll_device_options */
  double timeout_seconds; /* 0: none */
} atoll_run_asm_options;

/* The general form. `result` may be null; `printed` of it is always "". */
ATOLL_API atoll_status atoll_run_asm(const atoll_run_asm_options* options, atoll_result* result);

#ifdef __cplusplus
}
#endif
#endif
