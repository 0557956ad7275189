// The command processor: walks PM4 streams and executes their packets. One file a group of packets implements the handlers; the
// table in packet_table.cpp says which opcode is whose.
// Packet formats: Mesa 22.3.6 src/amd/common/sid.h, Linux drivers/gpu/drm/radeon/cikd.h; fields:
// registers/sea_islands/packets.json.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gpu/device/command_reader.h"
#include "gpu/sea_islands/context.h"

namespace Atoll::sea_islands {

class CommandProcessor;

// The dwords behind a packet's header; at least as many as its row of the table asks for.
using Body = std::span<const uint32_t>;
using Handler = void (*)(CommandProcessor& cp, Body body);

struct PacketRow {
  uint8_t opcode;
  uint8_t least;  // dwords that it needs behind its header
  Handler handler;
};
// Null: an opcode that nothing handles.
const PacketRow* find_packet_row(uint32_t opcode);

// One stream: a buffer, and the buffers that it calls. It can be left at a packet and taken up again there.
class Stream {
public:
  Stream(Context& context, const gpu::CommandBuffer& buffer);
  Stream(Context& context, uint64_t address, std::vector<uint32_t> words);

  bool ended() const { return frames_.empty(); }
  // The next packet's header and body; nothing when the stream has ended or the context is lost.
  struct Packet {
    uint64_t address;
    uint32_t header;
    Body body;
  };
  bool next(Packet& packet);
  // Goes on behind the current packet's `dwords` next dwords.
  void skip(uint32_t dwords);
  // Back to the packet last returned by next().
  void back();
  // Executes another buffer next; then goes on here, or with `chain` never comes back.
  void call(uint64_t address, uint32_t dwords, bool chain);

private:
  Context& context_;
  std::vector<gpu::CommandReader> frames_;
  uint32_t last_ = 0;  // dwords of the packet last returned

  bool fetch(uint64_t address, uint32_t dwords);
};

class CommandProcessor {
public:
  explicit CommandProcessor(Context& context) : c(context) {}

  // Executes the buffers one after the other. False: the context is lost.
  bool run(std::span<const gpu::CommandBuffer> buffers);
  // Executes packets that are at hand, as from a ring.
  bool run(uint64_t address, std::vector<uint32_t> words);

  Context& c;
  Stream* stream = nullptr;  // that is being executed
  bool blocked = false;      // set by a handler of the constant engine: its packet is tried again later

  // The constant engine beside the drawing engine: its RAM, and the counters by which they wait for each other.
  std::vector<uint8_t> constant_ram = std::vector<uint8_t>(0x8000);  // bytes
  uint64_t constant_counter = 0, drawing_counter = 0;
  Stream* constant_stream = nullptr;
  void run_constant_engine();  // until it ends or waits for the drawing engine

private:
  void execute(Stream& stream);
  bool count(const Stream::Packet& packet);  // false: it is more than a submission may have
  void execute(const Stream::Packet& packet);
};

// Registers as packets see them: writing some of them does something, reading some gives what is counted.
void write_register(Context& c, uint32_t address, uint32_t value);
uint32_t read_register(Context& c, uint32_t address);
// Whether the write of a register draws or dispatches; and a packet of type 0 that writes it.
bool starts_work(uint32_t address, uint32_t value);
constexpr uint32_t register_packet(uint32_t address) { return address / 4 & 0xffff; }
// Whether any register of that byte address is known; counts it as unknown if not.
bool known_register(Context& c, uint32_t address);

// Waits until `satisfied` answers true, on this thread, polling. False: the context is lost (also by the time limit).
bool wait_until(Context& c, const std::function<bool()>& satisfied);
// The same for a register. Nothing but the queue itself changes most of them: what is not so then never comes to be so, and the
// context is lost at once.
bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied);

// What an event of EVENT_WRITE, EVENT_WRITE_EOP ... writes or does, besides order.
void event(Context& c, uint32_t type);

// COMPARE of WAIT_REG_MEM, COND_WRITE and SDMA's POLL_REG_MEM.
bool compare(uint32_t function, uint64_t value, uint64_t reference);

}  // namespace Atoll::sea_islands
