// Any bytes as Xe-LP instruction words, native and compacted: decoded, printed, read again from their own text; and as a program of
// such words and of messages with descriptors of any kind, run by threads of the interpreter over surface states, samplers and
// addresses of which some are hostile. Whatever comes, threads end, fault with a report, or are stopped.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bytes.h"
#include "gpu/dg1/threads/environment.h"
#include "gpu/dg1/threads/kernels.h"
#include "gpu/dg1/threads/surface_state.h"
#include "gpu/dg1/threads/thread_groups.h"
#include "isa/xe_lp/data_message.h"
#include "isa/xe_lp/decode.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/parse.h"
#include "isa/xe_lp/print.h"
#include "memory/address_space.h"

using namespace Atoll;
using namespace Atoll::xe_lp;
using fuzz::Bytes;

namespace {

[[noreturn]] void broken(const char* what, const std::string& text, const std::string& more = "") {
  fmt::print(stderr, "{}: {}{}{}\n", what, text, more.empty() ? "" : " | ", more);
  std::abort();
}

// --- text

// The assembler's words for the text; nothing if no text can ask for what the words hold, such as a stride of 0.
std::vector<uint8_t> assembled(const std::string& text) {
  auto parsed = parse(text);
  if (!parsed) return {};
  parsed->instruction.compacted = false;  // text leaves out a size that sync's compacted form has
  auto words = encode(parsed->instruction);
  if (!words) broken("what is printed and read does not encode", text);
  return *words;
}

void check_text(std::span<const uint8_t> bytes) {
  for (size_t at = 0; at + 8 <= bytes.size();) {
    Instruction i;
    if (decode(bytes.subspan(at), i)) {
      at += 8;
      continue;
    }
    at += i.compacted ? 8 : 16;
    const std::string text = print(i);
    if (auto words = encode(i)) {
      Instruction again;
      if (const char* why = decode(*words, again)) broken("what is encoded does not decode", text, why);
      if (print(again) != text) broken("encoded and decoded it prints otherwise", text, print(again));
    }
    const std::vector<uint8_t> words = assembled(text);
    if (words.empty()) continue;
    Instruction again;
    if (const char* why = decode(words, again)) broken("what is assembled does not decode", text, why);
    const std::string once_more = print(again);
    if (assembled(once_more) != words) broken("its text assembles to other words", text, once_more);
  }
}

// --- execution

constexpr uint64_t area_bytes = 1 << 16;
constexpr uint64_t code_at = 0xfff0'0000'0000, states_at = 0xfff1'0000'0000, low_at = 0x10'0000, high_at = 0x7f00'0000'0000;
constexpr uint32_t table_at = 0x2000, samplers_at = 0x3000, surfaces = 16;

struct World {
  std::unique_ptr<AddressSpace> space;
  World() {
    auto made = AddressSpace::create_sectioned();
    if (!made) std::abort();
    space = std::move(*made);
    for (uint64_t at : {code_at, states_at, low_at, high_at}) {
      auto pages = space->memory().allocate(area_bytes);
      if (!pages || !space->map(at, *pages, area_bytes)) std::abort();
    }
  }
};

// Mostly in one of the areas, often at its end.
uint64_t address(Bytes& in) {
  const uint64_t area = in.one_of({low_at, high_at, high_at, states_at});
  switch (in.byte() % 8) {
    case 0: return area + area_bytes - in.byte();
    case 1: return area - in.byte();
    case 2: return in.take<uint64_t>();
    case 3: return in.one_of<uint64_t>({0, ~uint64_t(0), uint64_t(1) << 47, (uint64_t(1) << 48) - 8, uint64_t(1) << 32});
    default: return area + in.take<uint16_t>() / 4 * 4;
  }
}

void put_surface(Bytes& in, uint8_t* to) {
  dg1::SurfaceWords w{};
  const uint64_t at = in.chance(224) ? (in.chance(128) ? low_at : high_at) + in.byte() * 16u : address(in);
  dg1::SurfaceState::Surface_Base_Address::set(w, at);
  if (in.chance(128)) {
    dg1::SurfaceState::Surface_Type::set(w, dg1::SurfaceType::SURFTYPE_BUFFER),
        dg1::SurfaceState::Surface_Format::set(w, in.chance(200) ? dg1::SURFACE_FORMAT::RAW : in.take<uint16_t>());
    dg1::SurfaceState::Width::set(w, in.byte()), dg1::SurfaceState::Height::set(w, in.byte()),
        dg1::SurfaceState::Surface_Pitch::set(w, in.byte() % 64);
  } else {
    dg1::SurfaceState::Surface_Type::set(w, in.byte()), dg1::SurfaceState::Surface_Format::set(w, in.take<uint16_t>());
    dg1::SurfaceState::Width::set(w, in.byte() % 40), dg1::SurfaceState::Height::set(w, in.byte() % 40),
        dg1::SurfaceState::Depth::set(w, in.byte() % 8);
    dg1::SurfaceState::Tile_Mode::set(w, in.chance(128) ? 0 : in.byte()),
        dg1::SurfaceState::Surface_Pitch::set(w, in.one_of<uint32_t>({63, 127, 511, 1023}));
    dg1::SurfaceState::Surface_Horizontal_Alignment::set(w, 1), dg1::SurfaceState::Surface_Vertical_Alignment::set(w, 1),
        dg1::SurfaceState::Surface_QPitch::set(w, in.byte() % 16);
    dg1::SurfaceState::MIP_Count_LOD::set(w, in.byte() % 5), dg1::SurfaceState::Surface_Array::set(w, in.byte());
    dg1::SurfaceState::Shader_Channel_Select_Red::set(w, 4), dg1::SurfaceState::Shader_Channel_Select_Green::set(w, 5),
        dg1::SurfaceState::Shader_Channel_Select_Blue::set(w, 6), dg1::SurfaceState::Shader_Channel_Select_Alpha::set(w, 7);
  }
  for (unsigned n = in.byte() % 4; n > 0; n--) w[in.byte() % 16] ^= in.take<uint32_t>();
  std::memcpy(to, w.data(), sizeof w);
}

void put_states(Bytes& in, AddressSpace& space) {
  uint8_t* states = space.host(states_at);
  for (uint32_t n = 0; n < surfaces; n++) put_surface(in, states + n * 64);
  for (uint32_t n = 0; n < 256; n++) {
    const uint32_t offset = n < 2 * surfaces ? n % surfaces * 64 : n * 4096;
    std::memcpy(states + table_at + n * 4, &offset, 4);
  }
  for (uint32_t n = 0; n < 16; n++) {
    dg1::SamplerWords s{};
    for (uint32_t& word : s) word = in.chance(128) ? in.take<uint32_t>() : 0;
    std::memcpy(states + samplers_at + n * 16, s.data(), 16);
  }
}

// r1 to r120: A64 addresses in those from 8, offsets from 24, small floats from 40, what the bytes say elsewhere.
std::vector<uint8_t> registers(Bytes& in) {
  std::vector<uint8_t> data(120 * 32);
  auto put = [&](uint32_t reg, uint32_t byte, auto value) { std::memcpy(&data[(reg - 1) * 32 + byte], &value, sizeof value); };
  const uint64_t base = address(in);
  const uint32_t step = in.byte(), offset = in.number();
  for (uint32_t n = 0; n < 16 * 4; n++) put(8 + n / 4, n % 4 * 8, base + n * step);
  for (uint32_t n = 0; n < 16 * 8; n++) put(24 + n / 8, n % 8 * 4, offset + n * step);
  const float from = float(in.byte()) / 16, slope = float(in.byte()) / 64;
  for (uint32_t n = 0; n < 32 * 8; n++) put(40 + n / 8, n % 8 * 4, from + slope * float(n));
  for (uint32_t n = 0; n < 16 * 8; n++) put(72 + n / 8, n % 8 * 4, n * in.byte());
  for (unsigned n = in.byte() % 16; n > 0; n--) {
    const uint32_t reg = 1 + in.byte() % 120, byte = in.byte() % 8 * 4;
    put(reg, byte, in.chance(128) ? uint32_t(address(in)) : in.take<uint32_t>());
  }
  return data;
}

Operand grf(uint32_t number) {
  Operand o;
  o.kind = Kind::Direct, o.file = File::Grf, o.type = Type::UD;
  o.number = uint8_t(number % kRegisters), o.width = 1, o.horizontal = 1;
  return o;
}

Instruction message(Bytes& in) {
  Instruction i;
  i.op = in.chance(240) ? Op::Send : Op::Sendc;
  i.lanes = uint8_t(1u << in.byte() % 6), i.channel = uint8_t(in.chance(32) ? in.byte() % 8 * 4 : 0);
  i.no_mask = in.chance(64);
  if (in.chance(32)) i.predicate = uint8_t(in.byte() % 14), i.predicate_inverted = in.chance(128), i.flag = in.byte() & 1;
  i.function = in.chance(240) ? in.one_of<uint8_t>({2, 9, 10, 10, 12, 12, 12, 3}) : in.byte() & 15;
  const uint8_t bti = in.chance(192) ? in.byte() % surfaces : in.one_of<uint8_t>({252, 253, 254, 255, 17, 200});
  i.descriptor = bti | uint32_t(in.take<uint16_t>()) << 8 | (in.chance(64) ? in.take<uint32_t>() << 16 : 0);
  i.descriptor = (i.descriptor & 0x000f'ffff) | uint32_t(in.byte() % 10) << 25 | uint32_t(in.byte() % 10) << 20;
  if (in.chance(16)) i.descriptor = in.take<uint32_t>();
  i.extended_descriptor = uint32_t(in.byte() % 10) << 6;
  if (in.chance(32)) i.descriptor_in_register = true, i.descriptor = 0;
  if (in.chance(16)) i.extended_descriptor_in_register = true, i.extended_descriptor = in.byte() % 8;
  i.src[0] = grf(in.one_of<uint32_t>({8, 9, 12, 24, 24, 26, 40, 40, 72, 120, 126, 127, in.byte()}));
  i.src[1] = in.chance(64) ? Operand{} : grf(in.byte());
  i.src[1].kind = Kind::Direct;
  i.dst = in.chance(32) ? Operand{} : grf(in.one_of<uint32_t>({90, 100, 120, 126, 127, in.byte()}));
  i.dst.kind = Kind::Direct;
  return i;
}

// One of an opcode that there is; what else it is the bytes say, but that general registers are the usual operands.
Words computation(Bytes& in) {
  Words w{{in.take<uint64_t>(), in.take<uint64_t>()}};
  const Opcode* opcode = nullptr;
  for (unsigned n = in.byte(); !opcode || opcode->op == Op::Illegal; n++) opcode = find_opcode(n % 128);
  w.set(field::opcode, unsigned(opcode->op)), w.set(field::compacted, 0);
  if (in.chance(128)) {
    w.set(field::dst.file, 1), w.set(field::dst.indirect, 0), w.set(field::dst.sub, 0);
    for (const field::Source& s : field::source) w.set(s.file, 1), w.set(s.indirect, 0), w.set(s.sub, 0);
  }
  if (opcode->format == Format::Branch && in.chance(224)) {
    w.set(field::jip, uint32_t(int32_t(int8_t(in.byte())) * 8)), w.set(field::uip, uint32_t(int32_t(int8_t(in.byte())) * 8));
  }
  return w;
}

std::vector<uint8_t> program(Bytes& in) {
  std::vector<uint8_t> code;
  auto add = [&](const void* from, size_t bytes) {
    const auto* p = static_cast<const uint8_t*>(from);
    code.insert(code.end(), p, p + bytes);
  };
  while (!in.empty() && code.size() < 4096) {
    const uint8_t what = in.byte();
    if (what < 128) {
      if (auto words = encode_native(message(in))) add(words->half, 16);
    } else if (what < 208) {
      add(computation(in).half, 16);
    } else if (what < 232) {
      const uint64_t compact = in.take<uint64_t>() | uint64_t(1) << field::compacted.low;
      add(&compact, 8);
    } else {
      const Words raw{{in.take<uint64_t>(), in.take<uint64_t>()}};
      add(raw.half, 16);
    }
  }
  Instruction end;
  end.op = Op::Send, end.lanes = 8, end.no_mask = true, end.end_of_thread = true;
  end.function = uint8_t(Sfid::ThreadSpawner), end.descriptor = 0x02000010;
  end.dst.kind = end.src[1].kind = Kind::Direct, end.src[0] = grf(127);
  if (auto words = encode_native(end)) add(words->half, 16);
  return code;
}

void run(Bytes& in) {
  static World world;
  AddressSpace& space = *world.space;
  dg1::ThreadGroups groups;
  const uint8_t shape = in.byte();
  groups.simd = shape & 1 ? 8 : shape & 2 ? 16 : 32;
  groups.threads = {shape & 4 ? 2u : 1u, 1, 1};
  groups.right_mask = shape & 8 ? in.take<uint32_t>() : ~0u;
  groups.slm_bytes = shape & 16 ? 1024u << in.byte() % 7 : 0;
  groups.barrier = true;
  groups.scratch_bytes = shape & 32 ? 1024u << in.byte() % 4 : 0;
  groups.control = shape & 64 ? in.take<uint16_t>() : 0x4c0;
  for (uint64_t at : {low_at, high_at}) std::memset(space.host(at), in.byte(), area_bytes);
  put_states(in, space);
  auto base = [&](uint64_t tame) { return in.chance(240) ? tame : address(in); };
  groups.context.surface_state_base = base(states_at), groups.context.binding_table = base(states_at + table_at);
  groups.context.bindless_surface_base = base(states_at), groups.context.dynamic_state_base = base(states_at);
  groups.context.sampler_states = groups.context.bindless_sampler_base = base(states_at + samplers_at);
  groups.context.general_state_base = base(low_at), groups.context.instruction_base = base(code_at);
  const std::vector<uint8_t> data = registers(in);
  groups.cross_thread = data;
  const std::vector<uint8_t> code = program(in);
  std::memset(space.host(code_at), 0, area_bytes);
  std::memcpy(space.host(code_at), code.data(), code.size());

  dg1::Kernels kernels(space, wave::EngineChoice::Interpreter);
  auto kernel = kernels.find(code_at);
  if (!kernel) {
    if (kernel.error().message.empty()) broken("a kernel is refused without a word", "");
    return;
  }
  std::atomic<int> stop{0};
  Expected<dg1::GroupsResult> result{};
  {
    fuzz::Deadline deadline(stop, std::chrono::milliseconds(30));
    std::thread([&] {  // GPU code runs on threads that handle its faults
      WorkerPool pool(1);
      dg1::ThreadEnvironment environment(space);
      result = dg1::run_thread_groups(groups, **kernel, space, pool, environment, stop, true);
    })
        .join();
  }
  if (!result) broken("groups are refused", result.error().message);
  if (result->fault && result->fault->kind == gpu::FaultKind::Other && result->fault->other.empty())
    broken("a fault without a word", result->fault->instruction_text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!size) return 0;
  if (data[0] & 1) {
    check_text({data + 1, size - 1});
  } else {
    Bytes in(data + 1, size - 1);
    run(in);
  }
  return 0;
}
