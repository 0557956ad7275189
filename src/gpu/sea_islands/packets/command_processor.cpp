#include "gpu/sea_islands/packets/command_processor.h"

#include <fmt/format.h>
#include <time.h>

#include <bitset>
#include <chrono>

#include "gpu/device/watch.h"
#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/shaders/global_share.h"
#include "gpu/sea_islands/shaders/images.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "registers/lookup.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

constexpr size_t most_frames = 4;  // ring, buffer, buffer called by it, and one to spare

const registers::Family& family() {
  static const registers::Family* found = registers::find_family("sea_islands");
  return *found;
}

// Names of packets by opcode; null where there is none.
const char* packet_name(uint32_t opcode) {
  [[clang::no_destroy]] static const auto names = [] {
    std::vector<std::string> all(256);
    for (uint32_t n = 0; n < 256; n++)
      if (auto* packet = registers::find_packet(family(), n)) all[n] = packet->name;
    return all;
  }();
  return names[opcode].empty() ? nullptr : names[opcode].c_str();
}

enum : uint32_t { TYPE_REGISTERS = 0, TYPE_FILLER = 2, TYPE_OPCODE = 3 };
constexpr uint32_t type_of(uint32_t header) { return header >> 30; }
constexpr uint32_t count_of(uint32_t header) { return header >> 16 & 0x3fff; }
constexpr uint32_t opcode_of(uint32_t header) { return header >> 8 & 0xff; }
constexpr bool predicated(uint32_t header) { return header & 1; }
// The one-dword NOP: a count of all ones (Mesa si_emit: 0xffff1000).
constexpr bool lone_nop(uint32_t header) { return opcode_of(header) == 0x10 && count_of(header) == 0x3fff; }

}  // namespace

Stream::Stream(Context& context, const gpu::CommandBuffer& buffer) : context_(context) { fetch(buffer.address, buffer.dwords); }

Stream::Stream(Context& context, uint64_t address, std::vector<uint32_t> words) : context_(context) {
  frames_.emplace_back(address, std::move(words));
}

bool Stream::fetch(uint64_t address, uint32_t dwords) {
  if (!context_.within(context_.budget.buffers())) return false;
  if (frames_.size() >= most_frames) return context_.lose(fmt::format("command buffer at {:#x} is called too deep", address));
  if (dwords == 0) return true;
  if (address & 3) return context_.lose(fmt::format("command buffer at {:#x}, which is no multiple of 4", address));
  if (!context_.memory(address, uint64_t(dwords) * 4, false, "fetch of a command buffer")) return false;
  frames_.emplace_back(address, dwords);
  return true;
}

bool Stream::next(Packet& packet) {
  auto read = [&](uint64_t address, uint32_t* to, uint64_t bytes) {
    return context_.read(address, to, bytes, "fetch of a command buffer");
  };
  while (!frames_.empty()) {
    gpu::CommandReader& f = frames_.back();
    if (f.left() == 0) {
      frames_.pop_back();
      continue;
    }
    if (context_.lost()) return false;
    packet.address = f.address();
    context_.packet_address = packet.address;
    std::span<const uint32_t> words = f.peek(1, read);
    if (words.empty()) return false;
    uint32_t header = words[0];
    packet.header = header;
    bool counted = type_of(header) == TYPE_REGISTERS || (type_of(header) == TYPE_OPCODE && !lone_nop(header));
    uint32_t behind = counted ? count_of(header) + 1 : 0;
    if (behind > f.left() - 1) {
      context_.packet = "packet";
      return context_.lose(
          fmt::format("header {:#x} announces {} dwords, its buffer ends after {}", header, behind, f.left() - 1));
    }
    if (behind) words = f.peek(1 + behind, read);
    if (words.empty()) return false;
    packet.body = words.subspan(1);
    last_ = 1 + behind;
    f.skip(last_);
    return true;
  }
  return false;
}

void Stream::skip(uint32_t dwords) {
  if (!frames_.empty()) frames_.back().skip(dwords);
}

void Stream::back() {
  if (!frames_.empty()) frames_.back().back(last_);
}

void Stream::call(uint64_t address, uint32_t dwords, bool chain) {
  if (chain && !frames_.empty()) frames_.pop_back();
  fetch(address, dwords);
}

bool CommandProcessor::run(std::span<const gpu::CommandBuffer> buffers) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  if (c.shaders) c.shaders->invalidate();
  c.images->invalidate();
  for (size_t n = 0; n < buffers.size() && !c.lost(); n++) {
    c.packet = "command buffer", c.packet_address = buffers[n].address;
    if (buffers[n].constant_engine) {  // runs beside the buffer behind it
      if (n + 1 < buffers.size() && !buffers[n + 1].constant_engine) {
        Stream constants(c, buffers[n]), drawing(c, buffers[n + 1]);
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
    Stream s(c, buffers[n]);
    execute(s);
  }
  c.recovery = nullptr;
  return !c.lost();
}

bool CommandProcessor::run(uint64_t address, std::vector<uint32_t> words) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  if (c.shaders) c.shaders->invalidate();
  c.images->invalidate();
  Stream s(c, address, std::move(words));
  execute(s);
  c.recovery = nullptr;
  return !c.lost();
}

void CommandProcessor::run_constant_engine() {
  if (!constant_stream || stream == constant_stream) return;
  Stream* drawing = stream;
  const char* packet = c.packet;
  uint64_t address = c.packet_address;
  blocked = false;
  stream = constant_stream;
  Stream::Packet next;
  while (!blocked && stream->next(next)) {
    execute(next);
    if (blocked) stream->back();
  }
  blocked = false;
  stream = drawing;
  if (!c.lost()) c.packet = packet, c.packet_address = address;
}

void CommandProcessor::execute(Stream& s) {
  stream = &s;
  Stream::Packet packet;
  while (s.next(packet)) {
    if (c.stop.load(std::memory_order_relaxed)) {
      c.lose_stopped();
      break;
    }
    execute(packet);
    if (blocked) {  // only the constant engine may wait for the other one
      c.lose("waits for the constant engine, which has come to its end");
      break;
    }
  }
  stream = nullptr;
}

bool CommandProcessor::count(const Stream::Packet& packet) {
  c.statistics.packets++;
  c.progress.fetch_add(1, std::memory_order_relaxed);
  return c.within(c.budget.packets()) && c.within(c.budget.dwords(1 + packet.body.size()));
}

void CommandProcessor::execute(const Stream::Packet& packet) {
  switch (type_of(packet.header)) {
    case TYPE_FILLER:
      c.packet = "PACKET2";
      count(packet);
      return;
    case TYPE_REGISTERS: {
      c.packet = "PACKET0";
      if (!count(packet)) return;
      uint32_t address = (packet.header & 0xffff) * 4;
      for (uint32_t value : packet.body) {
        if (known_register(c, address)) write_register(c, address, value);
        address += 4;
      }
      return;
    }
    case TYPE_OPCODE: break;
    default:
      c.packet = "packet";
      c.lose(fmt::format("header {:#x} is of type 1, which does not exist", packet.header));
      return;
  }
  uint32_t opcode = opcode_of(packet.header);
  const char* name = packet_name(opcode);
  c.packet = name ? name : "packet";
  if (!count(packet)) return;
  const PacketRow* row = find_packet_row(opcode);
  if (!row) {
    c.unknown(name ? fmt::format("packet {}", name) : fmt::format("packet {:#x}", opcode));
    return;
  }
  if (predicated(packet.header) && c.predicate_fails) return;
  if (packet.body.size() < row->least && !(opcode == 0x10 && packet.body.empty())) {
    c.lose(fmt::format("{} dwords behind the header, {} are needed", packet.body.size(), row->least));
    return;
  }
  row->handler(*this, packet.body);
}

// --- registers

bool known_register(Context& c, uint32_t address) {
  [[clang::no_destroy]] static const auto known = [] {
    auto bits = std::make_unique<std::bitset<registers_end / 4>>();
    for (auto& instance : registers::all_instances(family()))
      if (auto at = instance.address(); at && *at < registers_end) bits->set(*at / 4);
    return bits;
  }();
  if (address < registers_end && known->test(address / 4)) return true;
  c.unknown(fmt::format("register {:#x}", address));
  return address < registers_end;
}

namespace {

constexpr uint32_t filled_size[4] = {VGT_STRMOUT_BUFFER_FILLED_SIZE_0::address(), VGT_STRMOUT_BUFFER_FILLED_SIZE_1::address(),
                                     VGT_STRMOUT_BUFFER_FILLED_SIZE_2::address(), VGT_STRMOUT_BUFFER_FILLED_SIZE_3::address()};

void begin_streamout(Context& c, unsigned buffer, uint32_t offset) {
  c.registers.set(filled_size[buffer], offset);
  std::ranges::fill(c.streamout_vertices, 0u);
}

// The counters that registers show as two halves: the low one's address.
struct CounterRow {
  uint32_t low;
  uint64_t (*value)(const Context& c);
};
constexpr CounterRow counter_rows[] = {
    {CP_VGT_IAVERT_COUNT_LO::address(), [](const Context& c) { return c.counters.vertices; }},
    {CP_VGT_IAPRIM_COUNT_LO::address(), [](const Context& c) { return c.counters.primitives; }},
    {CP_VGT_VSINVOC_COUNT_LO::address(), [](const Context& c) { return c.counters.vertex_invocations; }},
    {CP_VGT_CSINVOC_COUNT_LO::address(), [](const Context& c) { return c.compute_invocations; }},
    {CP_PA_CINVOC_COUNT_LO::address(), [](const Context& c) { return c.counters.clipped_primitives_in; }},
    {CP_PA_CPRIM_COUNT_LO::address(), [](const Context& c) { return c.counters.clipped_primitives_out; }},
    {CP_SC_PSINVOC_COUNT_LO::address(0), [](const Context& c) { return c.counters.pixel_invocations; }},
    {DB_ZPASS_COUNT_LOW::address(), [](const Context& c) { return c.counters.samples_passed; }},
    {DB_OCCLUSION_COUNT_LOW::address(0), [](const Context& c) { return c.counters.samples_passed; }},
};

}  // namespace

bool starts_work(uint32_t address, uint32_t value) {
  if (address == COMPUTE_DISPATCH_INITIATOR::address()) return COMPUTE_DISPATCH_INITIATOR::COMPUTE_SHADER_EN::get(value);
  return address == VGT_DRAW_INITIATOR::address();
}

void write_register(Context& c, uint32_t address, uint32_t value) {
  c.registers.set(address, value);
  if (starts_work(address, value)) return start_work(c, address);
  if (address >= gds_registers_begin && address < gds_registers_end) return write_gds_register(c, address, value);
  switch (address) {
    case VGT_INDEX_TYPE::address(): c.index_type = VGT_INDEX_TYPE::INDEX_TYPE::get(value), c.index_swap = 0; break;
    case VGT_DMA_INDEX_TYPE::address():
      c.index_type = VGT_DMA_INDEX_TYPE::INDEX_TYPE::get(value), c.index_swap = VGT_DMA_INDEX_TYPE::SWAP_MODE::peek(value);
      break;
    case VGT_NUM_INSTANCES::address(): c.instances = value; break;
    case VGT_EVENT_INITIATOR::address(): event(c, VGT_EVENT_INITIATOR::EVENT_TYPE::get(value)); break;
    // Writing an offset begins the buffer anew: nothing is written to it yet.
    case VGT_STRMOUT_BUFFER_OFFSET_0::address(): begin_streamout(c, 0, value); break;
    case VGT_STRMOUT_BUFFER_OFFSET_1::address(): begin_streamout(c, 1, value); break;
    case VGT_STRMOUT_BUFFER_OFFSET_2::address(): begin_streamout(c, 2, value); break;
    case VGT_STRMOUT_BUFFER_OFFSET_3::address(): begin_streamout(c, 3, value); break;
  }
}

uint32_t read_register(Context& c, uint32_t address) {
  for (const CounterRow& row : counter_rows)
    if (address == row.low || address == row.low + 4) return uint32_t(row.value(c) >> (address - row.low) * 8);
  if (address >= gds_registers_begin && address < gds_registers_end)
    if (auto value = read_gds_register(c, address)) return *value;
  return c.registers.raw(address);
}

// --- waiting

bool compare(uint32_t function, uint64_t value, uint64_t reference) {
  switch (function) {
    case COMPARE::LESS: return value < reference;
    case COMPARE::LESS_OR_EQUAL: return value <= reference;
    case COMPARE::EQUAL: return value == reference;
    case COMPARE::NOT_EQUAL: return value != reference;
    case COMPARE::GREATER_OR_EQUAL: return value >= reference;
    case COMPARE::GREATER: return value > reference;
    default: return true;
  }
}

bool wait_until(Context& c, const std::function<bool()>& satisfied) {
  using clock = std::chrono::steady_clock;
  const double most = c.options.most_still_seconds;
  auto start = clock::now();
  for (unsigned round = 0;; round++) {
    if (satisfied()) return !c.lost();
    if (c.lost()) return false;
    int stop = c.stop.load(std::memory_order_relaxed);
    bool too_long = round >= 64 && most > 0 && std::chrono::duration<double>(clock::now() - start).count() > most;
    if (too_long || stop == gpu::stopped_by_watch) return c.lose(fmt::format("waits for {} s: the GPU hangs", most));
    if (stop) return c.lose_stopped();
    if (round < 64) continue;
    timespec pause{0, round < 1000 ? 20'000 : 200'000};
    ::nanosleep(&pause, nullptr);
  }
}

bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied) {
  auto once = [&] { return satisfied(read_register(c, address)); };
  // Shaders of other queues write to the global data share, and move what its registers show.
  if (address >= gds_registers_begin && address < gds_registers_end) return wait_until(c, once);
  return once() || c.lose(fmt::format("waits for register {:#x}, which nothing changes: the GPU hangs", address));
}

}  // namespace Atoll::sea_islands
