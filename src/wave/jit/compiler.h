// The dispatcher's interface to a code generator. The LLVM one lives in a library of its own (libatoll_jit.so), opened at the
// first use, so that tools and preloaded shims which compile nothing never load LLVM.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "base/expected.h"
#include "wave/jit/regions.h"

namespace Atoll::wave {

// Compiled code: runs one region on the wave from lane `first_lane` (0, or where a first attempt left off) and says how it ended:
// a Code in the top four bits, an index into the program's words below.
using CodeFunction = uint64_t (*)(Wave* wave, uint32_t first_lane);
enum class Code : uint8_t {
  Next,         // go on at the index
  Nan,          // a NaN's payload would have been seen: run the exact version from wave.chunk on
  Stopped,      // wave.stop says why; resumes at the index
  Elsewhere,    // go on at wave.pc
  Interrupted,  // the stop flag was raised in a loop
  Unfit,        // a texture is not what the code was made for: nothing is done, interpret the region at the index
};
constexpr int code_shift = 60;

enum class Tier : uint8_t { Quick, Full };

struct CompileOptions {
  Tier tier = Tier::Full;
  bool exact = false;  // NaN payloads by rule after every operation (nan.h); else only noticed
  // Loops over several regions as one function (loops.h), in the full tier. An exact version must have its fast one's shape: one
  // goes on at the chunk where the other left off, a loop starts anew.
  bool loops = true;
  int only = -1;            // compile just this region of the set
  bool found_only = false;  // what other processes have made, as long as all of it is there; LLVM is not asked (not_found)
  bool direct = false;      // go on straight to the code that CodeTable::direct says; else always return
  // Asked while it takes its time, on any thread: whether nobody waits for the code any more. It must not come to say no again. Then
  // there is none (not_wanted), within milliseconds. Null: it is wanted in any case.
  const std::function<bool()>* unwanted = nullptr;
};

// The data that compiled code reaches through Wave::code_table.
struct CodeTable {
  CodeFunction* direct = nullptr;  // by word of the program: code that may be jumped to without any check
  uint32_t mxcsr = 0;              // the host's, in which it runs
  uint64_t base = 0;               // the program's GPU address: code is the same wherever the program lies
  // The last change of mode by an instruction of waves in this mode (RegisterFile::mode_cell): with that word the host's MXCSR is
  // `mxcsr`, and the code stands in `to`.
  struct ModeChange {
    uint32_t word = 0, mxcsr = 0;
    CodeTable* to = nullptr;
  };
  std::atomic<const ModeChange*> change{nullptr};
};

// Functions, and what keeps them alive: when the last copy of `code` goes, so does their machine code, unless regions of another
// program have the same (code_key.h).
struct CompiledRegions {
  std::vector<CodeFunction> functions;
  std::shared_ptr<void> code;
};

class Compiler {
public:
  virtual ~Compiler() = default;
  // Code for each compiled region of the set, in its order (null for called ones). Keeps what it needs of the set alive; steps it
  // only knows by where they stand in Wave::program.
  virtual Expected<CompiledRegions> compile(const Program& program, const std::shared_ptr<RegionSet>& set,
                                            const CompileOptions& options) = 0;
};

// Compiled code calls this for the step at `pc`, which it does not contain: runs it through the interpreter and counts it as called.
void call_step(Wave& wave, uint64_t pc, const FloatMode& mode);

// Compiled code calls this where its slot holds another texture: what the descriptors' words name, null where that is nothing
// that compiled code could read. Leaves it in the slot.
const SampledTexture* find_texture(Wave& wave, const TextureAccess& access, const uint32_t* words);

// The error of a compilation that is asked for once the program ends; nobody needs to be told.
inline constexpr const char* program_ends = "the program ends";
// The error of a compilation that CompileOptions::unwanted ended.
inline constexpr const char* not_wanted = "the code is not wanted any more";

// The error of CompileOptions::found_only.
inline constexpr const char* not_found = "some of the code is not there";

// Called before the first thread that may ask for the compiler starts: once the program ends, no code is made any more.
void expect_compiler();

// The process's compiler; the error says what is missing (libatoll_jit.so beside libatoll.so).
Expected<Compiler*> host_compiler();

}  // namespace Atoll::wave
