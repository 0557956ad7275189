// Random Sea Islands programs: every instruction that has semantics, with random operands over few registers so that values flow;
// branches, loops, divergence, forks and calls around them. All end (a few by a fault), and access memory where there is some.
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "isa/gfx7/isa.h"
#include "isa/gfx7/table.h"
#include "machine.h"

namespace Atoll::gfx7::test {

using namespace Atoll::test;

// Registers with a meaning in every program; the others hold data.
enum Reserved : uint32_t {
  LOOP_COUNTER = 20,  // SGPRs
  SAVED_EXEC = 22,    // and 24, 26 by depth
  DATA_SGPRS = 16,    // s0 to s15, v0 to v15 are data
  DATA_VGPRS = 16,
  SMALL_OFFSET = 28,
  BUFFER_BASE = 30,  // 64 bits
  BUFFER_DESCRIPTOR = 32,
  SCALAR_ADDRESS = 39,
  TARGET = 40,            // 64 bits: where to jump
  RETURN_ADDRESS = 42,    // 64 bits
  SAVED_STACK = 44,       // 45 by depth: MODE.CSP before a fork
  IMAGE_DESCRIPTOR = 48,  // 8 dwords, the sampler's 4 behind them
  ADDRESS = 40,           // VGPRs: a computed address; 41 is the buffer's high half
  LANE_BASE = 42,         // lane number times 64
  FLAT_HIGH = 44,         // high half of an address: of the buffer, LDS or private memory, by lane
  LANE_COUNTER = 46,
};
constexpr uint32_t shared_high = 0x00010000, private_high = 0x00020000;

// The list that a row stands in. Ending: instructions that end the wave or may, mostly by a fault. Special: placed by a function
// of its own.
enum Class { Scalar, Vector, Graphics, Lds, Flat, Smem, Buffer, Image, Ending, ClassCount, Special };
Class class_of(const Opcode& row);

// A data format and a number that it can hold (one in a hundred times: cannot, which faults).
struct BufferFormat {
  uint32_t data, number;
};
BufferFormat random_format(Random& r);

struct Context {
  int depth = 0;
  bool exec_writes = true, calls = true;
  uint32_t stack = 0;  // data SGPRs, from s0, that the branch stack holds
};

class Generator {
public:
  explicit Generator(Random& random) : r(random), isa_(isa()) {}
  RandomProgram program();

  // For programs of another kind: a line of assembly, some instructions without control flow, some access to memory.
  void line(Code& code, const std::string& text) { assemble(code, text); }
  void pieces(Code& code, uint32_t count);
  void aimed(Code& code, const Aim& aim);
  // Any instruction; or a lookup by the descriptors of IMAGE_DESCRIPTOR that there may be code for.
  bool image(Code& code, bool plain_lookup = false);

private:
  Random& r;
  const wave::Isa& isa_;
  std::vector<std::shared_ptr<void>> keep_;

  // --- pieces (gfx7_generator.cpp)
  template <class... Args>
  void text(Code& code, fmt::format_string<Args...> format, Args&&... args) {
    assemble(code, fmt::format(format, std::forward<Args>(args)...));
  }
  void assemble(Code& code, const std::string& line);
  bool valid(const std::vector<uint32_t>& words);
  void branch(Code& code, const char* name, int words);
  Code block(uint32_t count, Context context);
  void scalar_loop(Code& code, Context context);
  void lane_loop(Code& code, Context context);
  void lane_if(Code& code, Context context);
  void forward(Code& code, Context context);
  void fork(Code& code, Context context);
  void jump_over(Code& code, Context context);
  void call(Code& code);
  void address_of(Code& code, uint32_t sgpr, int words);
  void straight(Code& code, const Context& context);
  bool hardware_register(Code& code, const Context& context);
  bool ending(Code& code, const Context& context);
  bool relative(Code& code, const Context& context);
  const Opcode* pick(Class c);

  // --- operands (gfx7_operands.cpp)
  uint32_t data_vgpr(unsigned dwords) { return r.below(DATA_VGPRS + 1 - std::clamp(dwords, 1u, unsigned(DATA_VGPRS))); }
  uint32_t data_sgpr(unsigned dwords) { return free_sgpr(dwords, 0); }
  uint32_t free_sgpr(unsigned dwords, uint32_t from);
  static bool has_room(unsigned dwords, const Context& context) { return context.stack + dwords <= DATA_SGPRS; }
  uint32_t scalar_destination(unsigned dwords, const Context& context);
  uint32_t scalar_source(unsigned dwords, bool may_have_literal, bool& literal);
  uint32_t operand(const Opcode& row, const OperandRow& o, const Context& context, bool& literal);
  bool one(Code& code, const Opcode* row, const Context& context);

  // --- memory (gfx7_memory_generator.cpp)
  bool memory(Code& code, const Context& context, const Aim* aim = nullptr);
};

}  // namespace Atoll::gfx7::test
