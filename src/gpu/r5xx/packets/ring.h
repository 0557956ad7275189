// The ring buffer of the command processor, driven by MMIO: CP_RB_BASE, CP_RB_CNTL, CP_RB_RPTR, CP_RB_WPTR, CP_RB_RPTR_ADDR
// (R5xx Acceleration v1.3, 10.1). Writing the write pointer executes the dwords between the two pointers.
#pragma once
#include <array>
#include <vector>

#include "gpu/r5xx/context.h"
#include "gpu/r5xx/packets/command_processor.h"

namespace Atoll::r5xx {

class Ring {
public:
  Ring(Context& context, CommandProcessor& processor) : c_(context), processor_(processor) {}
  void write_register(uint32_t address, uint32_t value);

private:
  void run(uint32_t write_pointer);
  bool enabled() const;
  // The command queues, which may be written instead of read from memory (programmed I/O): the primary one, those of indirect
  // buffers 1 and 2.
  enum Queue : unsigned { primary, indirect_1, indirect_2, queues };
  bool takes_writes(Queue queue) const;
  void take(Queue queue, uint32_t dword);

  std::array<std::vector<uint32_t>, queues> pending_;  // of a packet that is not whole yet

  Context& c_;
  CommandProcessor& processor_;
};

}  // namespace Atoll::r5xx
