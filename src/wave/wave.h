// The state of one wave, shared by both engines: exact at every region end, so that a wave may change engine there.
// The neutral part comes first; the ISA's register file follows it and is addressed by byte offsets ("cells") from the start of
// the struct. docs/architecture.md, "Semantics once, two engines".
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wave/sampled_texture.h"

namespace Atoll::wave {

class Environment;
class Program;
struct Step;
struct WorkGroup;

// Why an engine stopped running a wave.
enum class Stop : uint8_t {
  Run,          // it has not stopped
  End,          // the program ended (s_endpgm, EOT)
  Barrier,      // waits for the work-group; resumes at wave.pc when the group says so
  Yield,        // lets other waves of the group run (s_sleep, a poll on memory); resumes at wave.pc
  Wait,         // waits for something outside of its work-group; wave.pc is the same instruction, which checks again
  Elsewhere,    // wave.pc is in another program (a trap handler, or back from it)
  Interrupted,  // the launch's stop flag was raised
  Fault,        // wave.fault has the report
};

// The event that a stopped wave waits for (Wave::waits_at_barrier; work_group.h).
enum class WaitsFor : uint8_t {
  Group,   // the work-group's barrier
  Named,   // the named barrier that it has joined
  Trap,    // the barrier of trap handlers
  Wakeup,  // it sleeps until another wave wakes it
  Turn,    // nothing: it has not begun
};

// The kind of a fault. Address and lane are those of the first failing lane.
enum class FaultKind : uint8_t { None, Load, Store, Atomic, ScalarLoad, Fetch, Illegal, Trap };

struct FaultReport {
  FaultKind kind = FaultKind::None;
  uint64_t address = 0;  // GPU address
  uint32_t bytes = 0;
  uint64_t pc = 0;               // GPU address of the instruction
  int lane = -1;                 // -1: not a lane's (scalar access, fetch)
  const char* reason = nullptr;  // static text for Illegal and Trap
};

struct alignas(128) Wave {
  uint8_t* window = nullptr;                  // host address of GPU address 0
  uint64_t window_bytes = uint64_t(1) << 40;  // addresses at or above this fault: the window ends there
  uint8_t* lds = nullptr;                     // the work-group's LDS
  uint8_t* scratch = nullptr;                 // this wave's private memory: dword d of lane l stands at (d * lanes + l) * 4
  std::atomic<int>* stop_flag = nullptr;
  Environment* environment = nullptr;
  const TextureSlots* textures = nullptr;  // textures for compiled code (sampled_texture.h); null: it always asks the environment
  uint8_t* const* targets = nullptr;       // of a pixel wave that writes its colours itself: the texels of up to 8 targets
  WorkGroup* group = nullptr;
  const Program* program = nullptr;                    // the code it runs
  const Step* step = nullptr;                          // that the interpreter executes; null in compiled code and outside engines
  uint32_t lds_bytes = 0;                              // allocated size: accesses beyond it read 0 and write nothing
  uint32_t scratch_bytes = 0;                          // a lane's private bytes
  uint32_t lanes = 32;                                 // 8 to 64
  uint32_t index = 0;                                  // in its work-group
  uint64_t pc = 0;                                     // GPU address of the next instruction
  uint64_t compiled = 0, called = 0, interpreted = 0;  // instructions executed so far, by how they were executed
  uint32_t chunk = 0;                                  // JIT: first lane not yet committed, for the replay after a fault or a NaN
  uint32_t flat_shared_high = 0;                       // high halves of the flat apertures for LDS and private memory; 0: none
  uint32_t flat_private_high = 0;
  // Flat private memory at a place that the wave's registers give: the cell of two words, {bytes a lane, place in units of 256
  // bytes}, and the GPU address that the place counts from. Dword d of lane l stands at (d * lanes + l) * 4 there. Cell 0: it
  // is `scratch`.
  uint32_t flat_scratch_cell = 0;
  uint64_t flat_scratch_base = 0;
  void* code_table = nullptr;  // the executor's table of compiled code for this wave's mode
  Stop stop = Stop::Run;
  bool waits_at_barrier = false;
  bool inspected = true;          // its registers will be read after it has ended
  bool signed_addresses = false;  // lanes' addresses may carry their sign above 48 bits: the same for all waves of an executor
  bool one_primitive = false;     // a pixel wave all of whose quads are of one: the same for all waves of an executor
  bool privileged = false;        // runs a trap handler: the same for all waves of an executor
  bool exports = false;           // its exports are used (RDNA4): the same for all waves of an executor
  uint32_t barriers_passed = 0;   // rounds of the work-group barrier that this wave has passed
  WaitsFor waits_for = WaitsFor::Group;
  uint8_t named_barrier = 0;          // that it has joined; 0: none
  bool named_complete = false;        // a round of that barrier is complete which the wave has not passed
  bool wakeup_credit = false;         // another wave woke it: it wakes, or its next sleep is none
  uint32_t trap_barriers_passed = 0;  // and of the trap handlers'
  // JIT: for waves of a work-group that hand over to each other without the executor (barrier_lowering.h).
  Wave* next = nullptr;  // the wave that runs after this one; null: return
  void* resume =
      nullptr;  // the CodeFunction with which a wave that waits in compiled code continues; null: the executor finds it by pc
  FaultReport fault;
  // The ISA's register file follows, at register_file_offset.
};

inline constexpr uint32_t register_file_offset = (sizeof(Wave) + 127) / 128 * 128;

inline uint8_t* bytes_of(Wave& wave, uint32_t cell) { return reinterpret_cast<uint8_t*>(&wave) + cell; }
inline uint32_t& word_of(Wave& wave, uint32_t cell) { return *reinterpret_cast<uint32_t*>(bytes_of(wave, cell)); }

}  // namespace Atoll::wave
