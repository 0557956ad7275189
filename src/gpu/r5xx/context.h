// What one queue of an R5xx chip works with: its registers and shader memories, the memory it sees, what was counted and met
// unknown, and why it was lost. Packets, draws and shaders get it by reference. R5xx Acceleration v1.3, 10.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <string>

#include "gpu/device/budget.h"
#include "gpu/device/device.h"
#include "gpu/device/program_files.h"
#include "gpu/r5xx/chip.h"
#include "gpu/r5xx/state.h"
#include "gpu/r5xx/unknown.h"
#include "memory/address_space.h"

namespace Atoll::r5xx {

struct Context {
  Context(const Chip& chip, const gpu::Options& options, AddressSpace& space);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Chip& chip;
  const gpu::Options options;
  AddressSpace& space;
  RegisterFile registers{registers_end};
  VertexMemory vertex_memory;
  PixelMemory pixel_memory;
  std::array<uint32_t, 4> z_passed{};  // samples that passed, by pipe (ZB_ZPASS_DATA)

  std::atomic<int> stop{0};           // of waves and draws (gpu/device/watch.h)
  std::atomic<uint64_t> progress{0};  // packets begun, waves and tiles ended so far, for who watches
  gpu::Statistics statistics;         // but for what is unknown
  gpu::Budget budget;                 // of the submission at hand
  // Whether there is room for what was just counted: `within(budget.packets())`. False: there is not, and the context is lost.
  bool within(bool room) { return room || lose(budget.report()); }

  gpu::ProgramFiles* program_files = nullptr;  // of the device; null: programs are not written to files

  // After a draw, with its number on this queue; may be empty.
  std::function<void(uint64_t number)> after_draw;

  // Where the command processor is: for reports.
  struct {
    bool inside = false;   // of a packet; else MMIO
    uint32_t header = 0;   // packet_header.h
    uint64_t address = 0;  // GPU address of the header
  } packet;
  std::string place() const;  // "3D_DRAW_VBUF_2 at 0x1240"

  // Counts something that is not modelled: unknown("packet 0x7f"). Under --strict the context is lost with it.
  void unknown(const std::string& what);
  // The context is lost: the first report stays. Always false, so that `return context.lose(...)` reads well.
  bool lose(const std::string& report);
  bool lose_stopped();  // because `stop` is raised
  std::string stop_report() const;
  bool lost() const { return lost_; }
  const std::string& report() const { return report_; }

  Unknowns unknowns;

private:
  bool lost_ = false;
  std::string report_;
};

}  // namespace Atoll::r5xx
