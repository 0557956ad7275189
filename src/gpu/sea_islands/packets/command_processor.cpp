#include "gpu/sea_islands/packets/command_processor.h"

#include "gpu/amd/images.h"
#include "gpu/sea_islands/shaders/shaders.h"

namespace Atoll::sea_islands {
namespace {

constexpr auto dialect = registers::Pm4Dialect::SeaIslands;

}  // namespace

bool CommandProcessor::run(std::span<const gpu::CommandBuffer> buffers) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  if (c.shaders) c.shaders->invalidate();
  c.images->invalidate();
  for (size_t n = 0; n < buffers.size() && !c.lost(); n++) {
    c.packet = "command buffer", c.packet_address = buffers[n].address;
    if (buffers[n].constant_engine) {  // runs beside the buffer behind it
      if (n + 1 < buffers.size() && !buffers[n + 1].constant_engine) {
        CommandStream constants(c, dialect, buffers[n]), drawing(c, dialect, buffers[n + 1]);
        constant_stream = &constants;
        run_constant_engine();
        execute(drawing);
        drawing_counter = ~uint64_t(0) >> 1;  // nothing is left to wait for
        run_constant_engine();
        constant_stream = nullptr;
        constant_counter = drawing_counter = 0;
        n++;
        continue;
      }
    }
    CommandStream s(c, dialect, buffers[n]);
    execute(s);
  }
  c.write_back_targets();
  c.recovery = nullptr;
  return !c.lost();
}

bool CommandProcessor::run(uint64_t address, std::vector<uint32_t> words) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  if (c.shaders) c.shaders->invalidate();
  c.images->invalidate();
  CommandStream s(c, dialect, address, std::move(words));
  execute(s);
  c.write_back_targets();
  c.recovery = nullptr;
  return !c.lost();
}

void CommandProcessor::run_constant_engine() {
  if (!constant_stream || stream == constant_stream) return;
  CommandStream* drawing = stream;
  std::string_view packet = c.packet;
  uint64_t address = c.packet_address;
  blocked = false;
  stream = constant_stream;
  CommandStream::Packet next;
  while (!blocked && stream->next(next)) {
    execute(next);
    if (blocked) stream->back();
  }
  blocked = false;
  stream = drawing;
  if (!c.lost()) c.packet = packet, c.packet_address = address;
}

}  // namespace Atoll::sea_islands
