// The command streamer: reads a batch and the batches that it calls or chains to, command by command, and executes them by a table
// of handlers (command_table.cpp). Lengths come from registers/dg1/commands.json. Nothing is fetched ahead: what a batch writes
// into itself behind the command at hand is what is executed.
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/dg1/state/context.h"
#include "gpu/dg1/threads/not_yet.h"
#include "registers/lookup.h"

namespace Atoll::dg1 {

class CommandStreamer;

// A command as its handler gets it: as many dwords as the table says the command has, those that it came without as 0.
struct Command {
  const registers::Command& row;
  const uint32_t* words;  // at least row.dwords
  uint32_t dwords;        // that it came with
  uint64_t address;       // of its first
};

// False: the context is lost.
using Handler = bool (*)(CommandStreamer& streamer, const Command& command);

class CommandStreamer {
public:
  explicit CommandStreamer(Context& context) : context_(context) {}

  // Executes to the end of the batch. It reads no more than `dwords` before the first jump.
  void run(uint64_t address, uint64_t dwords);

  Context& context() { return context_; }

  // MI_BATCH_BUFFER_START: goes on there; `call`: and comes back when that batch has ended.
  bool jump(uint64_t address, bool call);
  // MI_BATCH_BUFFER_END.
  void end_batch();
  // The whole stream ends (MI_CONDITIONAL_BATCH_BUFFER_END).
  void end_all() { frames_.clear(); }

private:
  struct Frame {
    uint64_t address, end;  // of the next command; where the batch ends in any case
  };
  bool step();

  Context& context_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> words_;
};

// The table's entry for a command that begins with this dword, on an engine; without row and handler it is unknown. A command
// without a handler only sets state.
struct TableEntry {
  const registers::Command* row = nullptr;
  Handler handler = nullptr;
  const NotYet* not_yet = nullptr;  // null: it has no field whose value is looked at before the command is executed
  bool after_draws = false;         // it may look at what draws leave
};
TableEntry find_command(uint32_t first, gpu::QueueKind kind);

}  // namespace Atoll::dg1
