// One R5xx context: registers, shader memories, the vertex port that collects a draw, and what writing a register does. The
// command processor and MMIO both write through it. R5xx Acceleration v1.3, 10.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device/budget.h"
#include "gpu/device/device.h"
#include "gpu/r5xx/chip.h"
#include "gpu/r5xx/pixel_stage.h"
#include "gpu/r5xx/programs.h"
#include "gpu/r5xx/registers.h"
#include "gpu/r5xx/shader_memory.h"
#include "gpu/r5xx/targets.h"
#include "gpu/r5xx/textures.h"
#include "gpu/r5xx/unknown.h"
#include "memory/address_space.h"
#include "pipeline/draw.h"
#include "pipeline/workers.h"

namespace Atoll::r5xx {

// A draw as VAP_VF_CNTL begins it, with what has come for it through the ports so far.
struct VertexPort {
  bool waiting = false;  // for dwords
  uint32_t control = 0;  // VAP_VF_CNTL
  uint32_t vertices = 0;
  uint64_t wanted = 0;  // dwords
  std::vector<uint32_t> dwords;
};

// A draw that has all it needs.
struct DrawCall {
  uint32_t control = 0;  // VAP_VF_CNTL
  uint32_t vertices = 0;
  std::span<const uint32_t> dwords;  // indices or vertices of the command stream
};

class Context {
public:
  Context(const Chip& chip, const gpu::Options& options, AddressSpace& space);
  ~Context();

  // Writes a register with all that follows from it; may execute a draw.
  void write(uint32_t address, uint32_t value);
  uint32_t read(uint32_t address) const;

  // The context is lost from here on; the first report stays. The place of the packet at hand is put in front.
  void lose(const std::string& report);
  bool lost() const { return lost_; }
  const std::string& report() const { return report_; }
  void unknown(const std::string& what);

  // Set by the command processor: what is being executed, for reports. By an owner: what runs an indirect buffer.
  std::function<std::string()> place;
  std::function<void(uint64_t address, uint32_t dwords, unsigned level)> run_indirect_buffer;
  std::function<void(uint64_t draw)> after_draw;

  // A draw packet's start and its dwords, as if written to VAP_VF_CNTL and a port.
  void begin_draw(uint32_t control);
  void port_dwords(std::span<const uint32_t> dwords);
  void port_dword(uint32_t dword) { port_dwords({&dword, 1}); }
  void end_packet();  // a draw that still waits for its dwords gets none from this packet
  uint64_t port_missing() const { return port_.waiting ? port_.wanted - port_.dwords.size() : 0; }  // dwords

  const Chip& chip;
  const gpu::Options options;
  AddressSpace& space;
  RegisterFile registers{registers_end};
  VertexMemory vertex_memory;
  PixelMemory pixel_memory;
  Textures textures{space};
  Unknowns unknowns;
  gpu::Statistics statistics;
  gpu::Budget budget;  // of the submission at hand
  // Whether there is room for what was just counted: `within(budget.packets())`. False: there is not, and the context is lost.
  bool within(bool room) {
    if (!room) lose(budget.report());
    return room;
  }
  std::atomic<int> stop{0};           // of waves and draws (gpu/device/watch.h)
  std::atomic<uint64_t> progress{0};  // packets begun, waves and tiles ended so far, for who watches
  std::string stop_report() const;    // why `stop` is raised

  std::vector<gpu::Picture> pictures();
  const ProgramCache& programs() const { return *programs_; }

private:
  friend class DrawExecution;
  void write_ports(uint32_t address, uint32_t value);
  void write_pixel_memory(uint32_t address, uint32_t value);
  void write_zpass_address(uint32_t address);
  void write_scratch(uint32_t number, uint32_t value);
  void draw(const DrawCall& call);
  uint32_t selected_z_pipes() const;

  VertexPort port_;
  std::array<uint32_t, 4> z_passed_{};  // by pipe
  std::unique_ptr<ProgramCache> programs_;
  std::unique_ptr<pipeline::Workers> workers_;
  std::array<ColourBuffer, 4> last_buffers_{};
  uint64_t draws_ = 0;
  bool lost_ = false;
  std::string report_;
};

}  // namespace Atoll::r5xx
