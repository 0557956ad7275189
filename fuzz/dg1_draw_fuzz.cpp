// Draws of a DG1's render engine whose state, structures, programs and messages the bytes change: sizes of entries of the URB, handles
// and offsets, payloads and their lengths, surface states, bounds of buffers, stream output, stages that are missing, batches that come
// back to themselves. Nothing is mapped around what a draw may touch. Whatever comes, the context lives or is lost with a report.
#include <algorithm>
#include <cstring>
#include <memory>

#include "bytes.h"
#include "dg1_draw_state.h"
#include "gpu/chips/chip.h"
#include "gpu/dg1/device.h"
#include "memory/address_space.h"
#include "registers/lookup.h"

using namespace Atoll;
using namespace Atoll::dg1::fuzz;
using Atoll::fuzz::Bytes;

namespace {

struct World {
  std::unique_ptr<AddressSpace> space;
  World() {
    auto memory = MemoryFile::create();
    auto made = AddressSpace::create_sectioned(*memory);
    if (!made) std::abort();
    space = std::move(*made);
    for (uint64_t at : place::all) {
      auto pages = (*memory)->allocate(place::region);
      if (!pages || !space->map(at, *pages, place::region)) std::abort();
    }
  }
  void put(uint64_t at, std::span<const uint32_t> words) { std::memcpy(space->host(at), words.data(), words.size_bytes()); }
};

// True rarely: never when the bytes are used up.
bool rarely(Bytes& in, unsigned of_256) { return in.byte() >= 256 - of_256; }

// A bit or two away from what works, small, at an edge, or anything.
uint64_t changed(Bytes& in, uint64_t value, unsigned size) {
  const uint64_t all = size >= 64 ? ~uint64_t(0) : (uint64_t(1) << size) - 1;
  switch (in.byte() & 7) {
    case 0: return (value ^ uint64_t(1) << in.byte() % size) & all;
    case 1: return in.byte() & all;
    case 2: return all;
    case 3: return (value + uint64_t(int64_t(int8_t(in.byte())))) & all;
    case 4: return all >> in.byte() % size;
    case 5: return 0;
    default: return (in.take<uint64_t>()) & all;
  }
}

// A field by its row, or a dword as it comes.
void change(Bytes& in, std::vector<uint32_t>& words) {
  const registers::Command* row = registers::find_command(*registers::find_family("dg1"), words[0]);
  if (!row || row->fields.empty() || rarely(in, 48)) {
    uint32_t& word = words[in.byte() % words.size()];
    if (&word != words.data() || rarely(in, 16)) word = uint32_t(changed(in, word, 32));
    return;
  }
  const registers::Field& field = row->fields[in.byte() % row->fields.size()];
  const unsigned size = field.high - field.low + 1u;
  if (field.high / 32 >= words.size()) return;
  uint64_t value = 0;
  for (unsigned n = 0; n < std::min(size, 64u); n++)
    value |= uint64_t(words[(field.low + n) / 32] >> (field.low + n) % 32 & 1) << n;
  value = changed(in, value, std::min(size, 64u));
  for (unsigned n = 0; n < std::min(size, 64u); n++) {
    uint32_t& word = words[(field.low + n) / 32];
    word = (word & ~(1u << (field.low + n) % 32)) | uint32_t(value >> n & 1) << (field.low + n) % 32;
  }
}

void put_structures(World& w, Bytes& in) {
  std::vector<uint32_t> dynamic(0x1000 / 4);
  for (unsigned n = 0; n < 16; n++) {
    const float v[16] = {8, -8, 0.5f, 8, 8, 0.5f, 0, 0, -8, 8, -8, 8, 0, 15, 0, 15};
    for (unsigned k = 0; k < 16; k++) dynamic[place::viewports / 4 + n * 16 + k] = bits(v[k]);
    dynamic[place::depths / 4 + n * 2 + 1] = bits(1);
    dynamic[place::scissors / 4 + n * 2 + 1] = 15 | 15 << 16;
  }
  for (unsigned n = 0; n < 8; n++) dynamic[place::pushed / 4 + n] = bits(0.5f);
  std::vector<uint32_t> surfaces(0x2000 / 4);
  for (unsigned n = 0; n < 16; n++) {
    const bool buffer = n >= 8 && n < 12;
    const auto state = surface((n < 8 ? place::colour : place::output) + n % 8 * 0x1000, buffer);
    std::copy(state.begin(), state.end(), surfaces.begin() + n * 16);
  }
  for (unsigned n = 0; n < 64; n++) surfaces[place::table / 4 + n] = n % 16 * 64;
  for (unsigned n = in.byte() % 6; n > 0; n--) {
    uint32_t& word = rarely(in, 100) ? dynamic[in.take<uint16_t>() % 0x280]
                                     : surfaces[in.chance(200) ? in.byte() : place::table / 4 + in.byte() % 64];
    word = uint32_t(changed(in, word, 32));
  }
  w.put(place::dynamic, dynamic), w.put(place::surfaces, surfaces);
  std::vector<uint32_t> vertices;
  for (unsigned n = 0; n < 64; n++) {
    const float x = n % 3 == 1 ? 1.0f : -1.0f, y = n % 3 == 2 ? 1.0f : -1.0f;
    const uint32_t v[12] = {0,       0,          0,          bits(4),    bits(x), bits(y), bits(float(n % 5) / 8),
                            bits(1), bits(0.1f), bits(0.4f), bits(0.7f), bits(1)};
    vertices.insert(vertices.end(), v, v + 12);
  }
  for (unsigned n = in.byte() % 4; n > 0; n--)
    vertices[in.take<uint16_t>() % vertices.size()] = uint32_t(changed(in, bits(1), 32));
  w.put(place::vertices, vertices);
  std::vector<uint32_t> indices(128);
  for (uint32_t& index : indices) index = in.chance(240) ? in.byte() % 64 | uint32_t(in.byte() % 64) << 16 : in.take<uint32_t>();
  w.put(place::vertices + 0x8000, indices);
}

// Registers with hostile contents in r100 to r103, and a message with any descriptor that takes or gives some.
void add_message(Bytes& in, std::vector<std::string>& lines) {
  const unsigned to = 100 + in.byte() % 4;
  lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:ud 0x{:x}:ud", to, in.number()));
  if (rarely(in, 128))
    lines.push_back(fmt::format("add (8|M0) r{}.0<1>:ud r{}.0<8;8,1>:ud 0x{:x}:ud", to, 1 + in.byte() % 4, in.number()));
  const unsigned lanes = in.one_of({8u, 8u, 8u, 16u, 1u});
  const unsigned from = in.one_of({1u, 1u, 4u, 0u, to, to, unsigned(in.byte() % 128)}), second = in.byte() % 128;
  uint32_t length = in.chance(200) ? 1 + in.byte() % 4 : in.byte() % 16, answer = in.chance(200) ? in.byte() % 9 : in.byte() % 32;
  uint32_t extended = uint32_t(in.chance(200) ? in.byte() % 9 : in.byte() % 16) << 6, descriptor = 0;
  const char* function = "urb";
  switch (in.byte() % 8) {
    case 0:
    case 1:
    case 2:
    case 3:
      descriptor = 1u << 19 | (in.chance(230) ? in.one_of({7u, 8u}) : in.byte() & 15u) |
                   (in.chance(200) ? in.byte() % 12u : in.take<uint16_t>() & 0x7ffu) << 4 | (rarely(in, 64) ? 1u << 15 : 0) |
                   (rarely(in, 64) ? 1u << 17 : 0);
      break;
    case 4:
    case 5:
      function = "rc";
      descriptor = (in.chance(220) ? 0xcu : 0xdu) << 14 | uint32_t(in.byte() % 8) << 8 |
                   (in.chance(200) ? in.byte() % 8u : in.byte()) | (rarely(in, 64) ? 1u << 12 : 0) |
                   (rarely(in, 32) ? 1u << 11 : 0);
      extended |= uint32_t(in.byte() % 8) << 12 | (rarely(in, 32) ? 1u << 15 : 0) | (rarely(in, 32) ? 1u << 20 : 0);
      length = in.chance(200) ? 4 : length, answer = in.chance(220) ? 0 : answer;
      break;
    case 6:
      function = "pixi";
      descriptor = in.take<uint32_t>() & 0x1ffff;
      answer = in.chance(220) ? 2 : answer;
      break;
    default:
      function = in.one_of({"dc0", "dc1", "smpl", "gtwy", "dcro"});
      descriptor = in.take<uint32_t>() & 0x7ffff;
      if (rarely(in, 128)) descriptor |= 1u << 19;
  }
  if (rarely(in, 8)) descriptor ^= in.take<uint32_t>();
  descriptor = (descriptor & 0x000fffffu) | length << 25 | answer << 20;
  const std::string dst = answer ? fmt::format("r{}", in.byte() % 128) : "null";
  const std::string data = extended >> 6 & 15 ? fmt::format("r{}", second) : "null";
  lines.push_back(fmt::format("{}{}.{} ({}|M0) {} r{} {} 0x{:x} 0x{:08x}", rarely(in, 32) ? "(W) " : "",
                              std::string_view(function) == "rc" ? "sendc" : "send", function, lanes, dst, from, data, extended,
                              descriptor));
}

void put_programs(World& w, Bytes& in) {
  for (Program p : {Program::vertex, Program::hull, Program::domain, Program::geometry, Program::pixel}) {
    std::vector<std::string> extra;
    for (unsigned n = in.byte() % 5; n > 0; n--) add_message(in, extra);
    auto words = xe_lp::assemble(program_text(p, extra));
    if (!words) words = xe_lp::assemble(program_text(p, {}));  // (a message that no text can say)
    if (!words) std::abort();
    for (unsigned n = in.chance(230) ? 0 : in.byte() % 3; n > 0; n--) {
      uint32_t& word = (*words)[in.take<uint16_t>() % words->size()];
      word = uint32_t(changed(in, word, 32));
    }
    words->resize(std::min<size_t>(words->size(), place::kernel_bytes / 4));
    w.put(place::kernels + start_of(p), *words);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static World world;
  Bytes in(data, size);
  gpu::Options options;
  options.engine = gpu::Engine::Interpreter;
  options.threads = 2;
  options.max_still_seconds = 5;
  options.limits = {.packets = 2000, .dwords = 20000, .buffers = 50, .bytes = 1 << 20, .vertices = 2000};
  auto device = dg1::make_device(*gpu::find_chip("dg1"), options);
  auto queue = (*device)->make_queue(gpu::QueueKind::graphics, *world.space);
  const uint8_t shape = in.byte();
  for (int submissions = 0; submissions < 2 && (!submissions || !in.empty()); submissions++) {
    Commands commands = draw_commands({bool(shape & 1), bool(shape & 2), bool(shape & 4), bool(shape & 8)});
    put_structures(world, in);
    put_programs(world, in);
    for (unsigned n = in.byte() % 8; n > 0; n--) change(in, commands[in.byte() % commands.size()]);
    if (rarely(in, 32)) commands.erase(commands.begin() + in.byte() % commands.size());
    add_draw(commands, in.chance(224) ? 3 + in.byte() % 48 : in.number(), rarely(in, 64));
    if (rarely(in, 96)) change(in, commands.back());
    // The changes of a second draw of the same batch.
    for (unsigned n = in.byte() % 4; n > 0; n--) {
      commands.push_back(commands[in.byte() % commands.size()]);
      change(in, commands.back());
    }
    std::vector<uint32_t> batch;
    for (const auto& command : commands) batch.insert(batch.end(), command.begin(), command.end());
    if (rarely(in, 8))
      batch.insert(batch.end(),
                   {0x18800001, uint32_t(place::batch) + in.byte() * 4u, uint32_t(place::batch >> 32)});  // and again
    batch.push_back(0x05000000);
    world.put(place::batch, batch);
    const gpu::CommandBuffer buffer{place::batch, uint32_t(batch.size())};
    auto done = (*queue)->run({&buffer, 1});
    if (!done && done.error().message.empty()) std::abort();
    if (!done) break;
  }
  return 0;
}
