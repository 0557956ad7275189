// Facts about descriptors: src/isa/xe_lp/data_message.h; about states: registers/dg1/commands.json.
#include "xe_lp_messages.h"

#include <cstring>

#include "gpu/dg1/threads/surface_state.h"
#include "hostile_values.h"
#include "isa/xe_lp/data_message.h"
#include "isa/xe_lp/encode.h"
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/semantics/send_called.h"

namespace Atoll::attacker {
namespace {

using namespace xe_lp;

// General registers: each payload a header, then addresses or parameters, then what is stored.
enum Payload : unsigned { LONG_HEADER = 20, LONG_ADDRESSES, OFFSET_HEADER = 40, OFFSETS, TEXEL_HEADER = 60, TEXELS, ANSWER = 84 };
constexpr unsigned descriptor_register = 112;  // what is xored into descriptors: 0 in tame runs
constexpr unsigned step_register = 114;        // added to addresses in loops
constexpr unsigned counter_register = 116;

// In the first window: the tables, then what is for buffers.
constexpr uint64_t table_at = 0x100, states_at = 0x600, samplers_at = 0xb00, border_at = 0xd00, buffers_at = 0x1000;
constexpr uint32_t states = 12, image_states = 6;  // the last ones are images'

Operand direct(File file, unsigned number, Type type = Type::UD, unsigned sub = 0) {
  Operand o;
  o.kind = Kind::Direct, o.file = file, o.type = type;
  o.number = uint8_t(number), o.sub = uint8_t(sub);
  o.width = 1, o.horizontal = 1;
  return o;
}
Operand scalar(File file, unsigned number, unsigned dword, Type type = Type::UD) {
  Operand o = direct(file, number, type, dword * 4);
  o.horizontal = 0;
  return o;
}
Operand immediate(uint32_t value, Type type = Type::UD) {
  Operand o;
  o.kind = Kind::Immediate, o.type = type, o.immediate = value;
  return o;
}
Instruction scalar_instruction(Op op, const Operand& dst, const Operand& a, const Operand& b = {}) {
  Instruction i;
  i.op = op, i.lanes = 1, i.no_mask = true;
  i.dst = dst, i.src[0] = a, i.src[1] = b;
  return i;
}

uint32_t random_bti(Random& r) {
  constexpr uint32_t special[] = {BTI_SLM, BTI_SLM, BTI_STATELESS, BTI_STATELESS_NON_COHERENT, BTI_BINDLESS};
  if (r.chance(50)) return r.below(states);
  return r.chance(85) ? special[r.below(5)] : r.below(256);
}

struct Row {
  Sfid function;
  uint32_t type;  // bits 18:14 of the descriptor
};
constexpr Row data_rows[] = {
    {Sfid::DataPort0, 0x00},    {Sfid::DataPort0, 0x01},   {Sfid::DataPort0, 0x03}, {Sfid::DataPort0, 0x04},
    {Sfid::DataPort0, 0x05},    {Sfid::DataPort0, 0x07},   {Sfid::DataPort0, 0x08}, {Sfid::DataPort0, 0x0b},
    {Sfid::DataPort0, 0x0c},    {Sfid::DataPort0, 0x0d},   {Sfid::DataPort0, 0x10}, {Sfid::DataPort0, 0x18},
    {Sfid::DataPort1, 0x01},    {Sfid::DataPort1, 0x01},   {Sfid::DataPort1, 0x02}, {Sfid::DataPort1, 0x03},
    {Sfid::DataPort1, 0x05},    {Sfid::DataPort1, 0x06},   {Sfid::DataPort1, 0x09}, {Sfid::DataPort1, 0x09},
    {Sfid::DataPort1, 0x0d},    {Sfid::DataPort1, 0x10},   {Sfid::DataPort1, 0x11}, {Sfid::DataPort1, 0x11},
    {Sfid::DataPort1, 0x12},    {Sfid::DataPort1, 0x14},   {Sfid::DataPort1, 0x15}, {Sfid::DataPort1, 0x19},
    {Sfid::DataPort1, 0x1a},    {Sfid::DataPort1, 0x1b},   {Sfid::DataPort1, 0x1d}, {Sfid::ConstantPort, 0x00},
    {Sfid::ConstantPort, 0x01}, {Sfid::ConstantPort, 0x03}};

// A message as it is to be put into an instruction; `length`: registers of both payloads.
struct Message {
  Sfid function = Sfid::DataPort1;
  uint32_t descriptor = 0, length = 1, answer = 0, lanes = 8;
  unsigned payload = OFFSETS;
};

// `plain`: mostly of channels from the first on, as compiled code has them.
Message data_message(Random& r, const Row& row, uint32_t bti, bool plain) {
  Message out;
  DataMessage m;
  do {
    out.descriptor = bti | (r.next() & 0x3f00) | row.type << 14 | r.below(2) << 19;
    if (plain && r.chance(80)) out.descriptor = (out.descriptor & ~0xf00u) | (0xf << (1 + r.below(4)) & 0xf) << 8;
  } while (read_data_message(row.function, out.descriptor, m) && !r.chance(2));
  out.function = row.function;
  const bool texels = m.access == DataAccess::Typed || m.access == DataAccess::TypedAtomic;
  const bool block = m.access == DataAccess::Block || m.access == DataAccess::ScratchBlock;
  if (block && r.chance(95)) out.descriptor |= 1u << 19, m.header = true;
  const unsigned per_register = m.element_bytes == 8 ? 4 : 8;
  unsigned data = m.elements * (m.lanes / per_register), addresses = m.lanes / (m.a64 ? 4u : 8u);
  if (block) data = m.access == DataAccess::ScratchBlock ? m.elements : (m.elements + 7u) / 8, addresses = 0;
  if (texels) data = m.elements, addresses = 1 + r.below(3);
  if (m.access == DataAccess::Atomic || m.access == DataAccess::TypedAtomic) data = atomic_operands(m) * m.lanes / per_register;
  out.payload = (m.a64 ? LONG_ADDRESSES : texels ? TEXELS : OFFSETS) - m.header;
  out.length = m.header + addresses + (m.write ? data : 0);
  out.answer = m.write && !m.returns ? 0 : data;
  out.lanes = m.lanes;
  return out;
}

Message sampler_message(Random& r) {
  constexpr uint32_t known[] = {0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    0xa,
                                0x0b, 0x10, 0x11, 0x12, 0x14, 0x18, 0x19, 0x1a, 0x1c, 0x1e, 0x1f};
  constexpr uint32_t modes[] = {1, 1, 2, 2, 5, 6};
  const uint32_t message = r.chance(95) ? known[r.below(std::size(known))] : r.below(32);
  const uint32_t mode = r.chance(95) ? modes[r.below(6)] : r.below(8), header = r.below(2);
  Message out;
  out.function = Sfid::Sampler;
  const uint32_t bti = r.chance(80) ? states - 1 - r.below(image_states) : random_bti(r);
  out.descriptor = bti | r.below(16) << 8 | message << 12 | (mode & 3) << 17 | header << 19 | mode >> 2 << 29 | r.below(2) << 30;
  out.payload = TEXELS - header;
  out.lanes = mode == 1 || mode == 5 ? 8 : 16;
  out.length = header + 1 + r.below(11);
  out.answer = out.lanes / 8 * (1 + r.below(4));
  return out;
}

void add_send(Code& code, Random& r, Message m, bool hostile, bool in_register) {
  Instruction i;
  i.op = Op::Send, i.function = uint8_t(m.function);
  i.lanes = uint8_t(r.chance(85) ? m.lanes : 1u << r.below(6));
  if (i.lanes < 32 && r.chance(20)) i.channel = uint8_t(r.below((32 - i.lanes) / 4 + 1) * 4);
  i.no_mask = r.chance(hostile ? 15 : 50);
  if (hostile && r.chance(20)) i.predicate = 1, i.predicate_inverted = r.chance(50), i.flag = uint8_t(r.below(2));
  unsigned from = m.payload, to = ANSWER;
  uint32_t first = r.chance(70) ? m.length : 1 + r.below(m.length);  // of source 0, the others are source 1's
  uint32_t second = m.length - std::min(first, m.length);
  if (hostile && r.chance(6)) from = r.below(kRegisters);
  if (hostile && r.chance(6)) first = r.below(16), second = r.below(32);
  if (r.chance(hostile ? 8 : 25)) to = kRegisters - 1 - r.below(10);  // where answers reach the end of the file
  // (a length that is too short hides from the decoder where the answer ends)
  const uint32_t answer = to != ANSWER && r.chance(70) ? 0 : r.chance(90) ? m.answer : r.below(32);
  m.descriptor = (m.descriptor & ~(0x1fu << 20 | 0xfu << 25)) | (answer & 31) << 20 | (std::min(first, 15u) & 15) << 25;
  const uint32_t extended = (second & 31) << 6 | (r.chance(60) ? r.below(16) << 11 : 0);
  i.src[0] = direct(File::Grf, from),
  i.src[1] = direct(second ? File::Grf : File::Null, second ? (from + first) % kRegisters : 0);
  if (hostile && second && r.chance(10)) i.src[1].number = uint8_t(r.below(kRegisters));
  i.dst = direct(r.chance(m.answer ? 95 : 10) ? File::Grf : File::Null, 0);
  if (i.dst.file == File::Grf) i.dst.number = uint8_t(to);
  i.descriptor = m.descriptor, i.extended_descriptor = extended;
  // a0.0 is the descriptor, a0.2 the extended one.
  auto by_register = [&](unsigned dword, uint32_t value) {
    add_instruction(code, scalar_instruction(Op::Mov, direct(File::A, 0, Type::UD, dword * 4), immediate(value)));
    if (hostile)
      add_instruction(code, scalar_instruction(Op::Xor, direct(File::A, 0, Type::UD, dword * 4), scalar(File::A, 0, dword),
                                               scalar(File::Grf, descriptor_register, r.below(8))));
  };
  if (in_register) {
    by_register(0, i.descriptor);
    i.descriptor = 0, i.descriptor_in_register = true;
  }
  if (hostile && r.chance(20)) {
    by_register(2, extended);
    i.extended_descriptor = 2, i.extended_descriptor_in_register = true;
  }
  if (i.descriptor_in_register || i.extended_descriptor_in_register || objection(i).empty() || r.chance(5))
    add_instruction(code, i);
}

// For SIMD32: the addresses of one of the payloads go on.
void add_step(Code& code, Random& r) {
  Instruction i;
  i.op = Op::Add, i.no_mask = true;
  const bool wide = r.chance(50);
  i.lanes = wide ? 8 : 16;
  i.dst = direct(File::Grf, wide ? LONG_ADDRESSES : OFFSETS, wide ? Type::UQ : Type::UD);
  i.src[0] = i.dst;
  i.src[0].vertical = wide ? 4 : 8, i.src[0].width = uint8_t(i.src[0].vertical);
  i.src[1] = scalar(File::Grf, step_register, wide ? 0 : 2 + r.below(2), wide ? Type::UQ : Type::UD);
  add_instruction(code, i);
}

uint64_t window_address(AddressSpace& space, uint64_t gpu_address) {
  return space.sections().window_address(gpu_address & ((uint64_t(1) << Sections::address_bits) - 1));
}

}  // namespace

void add_instruction(Code& code, const Instruction& instruction) {
  auto native = encode_native(instruction);
  ATOLL_ASSERT(native);
  uint32_t words[4];
  std::memcpy(words, native->half, 16);
  code.add(words);
}

void add_messages(Code& code, Random& r) {
  const bool loop = r.chance(35);
  const size_t top = code.words.size();
  for (uint32_t n = 1 + r.below(3); n > 0; n--) {
    const Message m =
        r.chance(25) ? sampler_message(r) : data_message(r, data_rows[r.below(std::size(data_rows))], random_bti(r), false);
    add_send(code, r, m, true, r.chance(30));
  }
  if (!loop) return;
  add_step(code, r);
  // As often as its counter says, which is 1 to 12.
  Instruction count = scalar_instruction(Op::Add, direct(File::Grf, counter_register, Type::D),
                                         scalar(File::Grf, counter_register, 0, Type::D), immediate(~0u, Type::D));
  count.condition = Condition::Gt, count.flag = 1;
  add_instruction(code, count);
  Instruction again;
  again.op = Op::Jmpi, again.lanes = 1, again.no_mask = true, again.predicate = 1, again.flag = 1;
  again.src[0].kind = Kind::Label;
  again.src[0].immediate = uint64_t(int64_t(top * 4) - int64_t(code.words.size() * 4));
  add_instruction(code, again);
}

void add_message_of_model(Code& code, Random& r) {
  constexpr Row rows[] = {{Sfid::DataPort1, 0x01}, {Sfid::DataPort1, 0x01}, {Sfid::DataPort1, 0x02},
                          {Sfid::DataPort0, 0x04}, {Sfid::DataPort1, 0x11}, {Sfid::DataPort1, 0x12},
                          {Sfid::DataPort0, 0x10}, {Sfid::DataPort0, 0x01}, {Sfid::DataPort1, 0x14}};
  const Row& row = rows[r.below(std::size(rows))];
  constexpr uint32_t places[] = {0, 1, 2, BTI_SLM, BTI_STATELESS};
  add_send(code, r, data_message(r, row, places[r.below(5)], true), false, r.chance(50));
}

void arm_messages(wave::Wave& w, AddressSpace& space, const Attack& a, Random& r, bool hostile) {
  auto reg = [&](unsigned n) { return reinterpret_cast<uint32_t*>(wave::bytes_of(w, grf_cell + n * kRegisterBytes)); };
  auto put64 = [](uint32_t* to, uint64_t value) { to[0] = uint32_t(value), to[1] = uint32_t(value >> 32); };
  const bool lanes_hostile = hostile && r.chance(70), states_hostile = hostile && r.chance(40),
             context_hostile = hostile && r.chance(15);

  // Addresses: in a row, all the same, or each its own; of hostile ones some lanes or all.
  const uint64_t start = tame_address(r, 0x1000);
  const uint32_t stride = r.chance(70) ? 4 : r.below(4) * 4, row = r.below(64) * 4;
  const bool all = r.chance(40);
  const uint64_t bad = hostile_address(r);
  const uint32_t bad_offset = hostile_offset(r, r.chance(50) ? a.lds_bytes : 0x800);
  for (unsigned l = 0; l < 16; l++) {
    const bool here = lanes_hostile && (all || r.chance(25));
    put64(reg(LONG_ADDRESSES) + l * 2, here ? (all ? bad + l * stride : hostile_address(r)) : start + l * stride);
    reg(OFFSETS)[l] =
        here ? (all ? bad_offset + l * stride : hostile_offset(r, r.chance(50) ? a.lds_bytes : 0x800)) : row + l * stride;
  }
  for (unsigned header : {LONG_HEADER, OFFSET_HEADER, TEXEL_HEADER}) {
    uint32_t* h = reg(header);
    put64(h, lanes_hostile ? hostile_address(r) : tame_address(r, 0x1000));
    h[2] = header == TEXEL_HEADER ? r.below(16) << 12 | r.below(4) << 16 | r.below(0x1000) : r.below(16);
    h[3] = r.below(3);
    h[5] = r.below(4) << 10;
    if (header == TEXEL_HEADER) h[3] = uint32_t(samplers_at);
    if (!lanes_hostile) continue;
    if (r.chance(60)) h[2] = header == TEXEL_HEADER ? r.next() : hostile_offset(r, 0x1000);
    if (r.chance(40)) h[3] = r.next();
    if (r.chance(40)) h[5] = r.next();
  }
  // Coordinates: floats, or integers that mostly are small.
  for (unsigned n = 0; n < 20; n++)
    for (unsigned l = 0; l < 8; l++)
      reg(TEXELS + n)[l] = n < 3 && r.chance(60) ? (lanes_hostile && r.chance(30) ? hostile_index(r, 16) : r.below(8)) : r.word();
  for (unsigned l = 0; l < 8; l++)
    reg(descriptor_register)[l] = hostile && r.chance(50) ? r.next() & r.next() & r.next() & r.next() : 0;
  uint32_t* step = reg(step_register);
  put64(step, hostile && r.chance(40) ? hostile_address(r) : r.below(4) * 4);
  step[2] = hostile && r.chance(40) ? hostile_offset(r, 0x800) : r.below(4) * 4, step[3] = r.below(4) * 64;
  reg(counter_register)[0] = 1 + r.below(12);

  // The tables.
  uint8_t* tables = space.host(windows[0].address);
  auto* table = reinterpret_cast<uint32_t*>(tables + table_at);
  for (uint32_t n = 0; n < 256; n++) table[n] = (uint32_t(states_at) + n % states * 64) | (r.next() & 63);
  for (uint32_t n = 0; n < states; n++) {
    dg1::SurfaceWords s{};
    const bool image = n >= states - image_states;
    const uint64_t at = image || r.chance(50) ? windows[0].address + buffers_at + r.below(4) * 0x800 : tame_address(r, 0x1000);
    s[8] = uint32_t(at), s[9] = uint32_t(at >> 32);
    dg1::SurfaceState::Surface_Type::set(s, dg1::SurfaceType::SURFTYPE_BUFFER),
        dg1::SurfaceState::Surface_Format::set(s, dg1::SURFACE_FORMAT::RAW);
    const uint32_t last = (r.chance(50) ? 0x800 : r.below(0x800) + 1) - 1;
    dg1::SurfaceState::Width::set(s, last & 0x7f), dg1::SurfaceState::Height::set(s, last >> 7),
        dg1::SurfaceState::Depth::set(s, 0);
    if (image) {
      // R32_UINT, R8G8B8A8_UNORM, R32_FLOAT, R16_UINT, R32G32B32A32_FLOAT, BC1_UNORM
      constexpr uint32_t formats[] = {0xd7, 0xd7, 0xc7, 0xd8, 0x10d, 0x000, 0x186};
      constexpr uint32_t types[] = {dg1::SurfaceType::SURFTYPE_1D, dg1::SurfaceType::SURFTYPE_2D, dg1::SurfaceType::SURFTYPE_2D,
                                    dg1::SurfaceType::SURFTYPE_3D, dg1::SurfaceType::SURFTYPE_CUBE};
      dg1::SurfaceState::Surface_Type::set(s, types[r.below(5)]), dg1::SurfaceState::Surface_Format::set(s, formats[r.below(7)]);
      dg1::SurfaceState::Width::set(s, r.below(8)), dg1::SurfaceState::Height::set(s, r.below(8)),
          dg1::SurfaceState::Depth::set(s, r.below(2));
      dg1::SurfaceState::Surface_Horizontal_Alignment::set(s, 1), dg1::SurfaceState::Surface_Vertical_Alignment::set(s, 1),
          dg1::SurfaceState::Surface_QPitch::set(s, 2);
      dg1::SurfaceState::Surface_Pitch::set(s, 127), dg1::SurfaceState::MIP_Count_LOD::set(s, r.chance(30) ? r.below(3) : 0);
      if (r.chance(20)) dg1::SurfaceState::Tile_Mode::set(s, 2 + r.below(2)), dg1::SurfaceState::Surface_Pitch::set(s, 511);
      if (r.chance(20)) dg1::SurfaceState::Surface_Array::set(s, 1);
      dg1::SurfaceState::Shader_Channel_Select_Red::set(s, 4), dg1::SurfaceState::Shader_Channel_Select_Green::set(s, 5),
          dg1::SurfaceState::Shader_Channel_Select_Blue::set(s, 6), dg1::SurfaceState::Shader_Channel_Select_Alpha::set(s, 7);
    }
    if (states_hostile && r.chance(40)) {
      const uint64_t elsewhere = hostile_address(r);
      s[8] = uint32_t(elsewhere), s[9] = uint32_t(elsewhere >> 32);
    }
    if (states_hostile && !image && r.chance(30)) s[2] = r.next() & 0x3fff3fff, s[3] = r.next();
    if (states_hostile && r.chance(30))
      for (uint32_t& word : s) word ^= r.next() & r.next() & r.next() & r.next();
    if (states_hostile && r.chance(10))
      for (uint32_t& word : s) word = r.next();
    std::memcpy(tables + states_at + n * 64, s.data(), 64);
  }
  for (uint32_t n = 0; n < 16; n++) {
    dg1::SamplerWords s{};
    for (uint32_t& word : s) word = r.chance(50) ? r.next() & r.next() : 0;
    dg1::structures::SAMPLER_STATE::Border_Color_Pointer::set(s, border_at);
    if (states_hostile)
      for (uint32_t& word : s) word = r.next();
    std::memcpy(tables + samplers_at + n * 16, s.data(), 16);
  }
  if (states_hostile && r.chance(30))
    for (uint32_t n = 0; n < 256; n++)
      if (r.chance(50)) table[n] = hostile_offset(r, 0x4000);

  ThreadContext& c = context_of(w);
  c = {};
  const uint64_t base = window_address(space, windows[0].address);
  auto address = [&](uint64_t tame) {
    return context_hostile && r.chance(40) ? window_address(space, hostile_address(r)) : tame;
  };
  c.surface_state_base = address(base), c.binding_table = address(base + table_at);
  c.bindless_surface_base = address(base + states_at), c.dynamic_state_base = address(base);
  c.sampler_states = address(base + samplers_at), c.bindless_sampler_base = address(base + samplers_at);
  c.general_state_base = address(window_address(space, windows[1].address) + 0x2000);
  c.instruction_base = code_base;
  // As whoever runs threads keeps them (gpu/dg1/threads/kept_surfaces.h).
  lose_surfaces(w);
  auto copy = [&](uint64_t at, void* to, uint64_t bytes) {
    for (const Window& window : windows) {
      const uint64_t first = window_address(space, window.address);
      if (at >= first && at + bytes <= first + window.bytes) return std::memcpy(to, w.window + at, bytes) != nullptr;
    }
    return false;
  };
  for (unsigned n = 0; n < kept_surfaces; n++) {
    uint32_t entry, state[16];
    if (copy(c.binding_table + n * 4, &entry, 4) && copy(c.surface_state_base + (entry & ~63u), state, sizeof state))
      surfaces_of(w)[n] = kept_surface(state, Sections::of_window(w.window));
  }
}

std::string judge_message(wave::Wave& w, AddressSpace& space, const Attack& a, const std::vector<uint8_t>& before) {
  wave::Program program(w.program->isa(), code_base, a.program.words);
  const Instruction* send = nullptr;
  for (uint32_t at = 0; at < a.program.words.size() && !send;) {
    const wave::Step& step = program.decoded(*program.at(code_base + at * 4));
    const auto* i = static_cast<const Instruction*>(step.instruction);
    if (i && is_send(i->op) && !i->end_of_thread) send = i;
    at += step.words;
  }
  if (!send) return {};
  const Instruction& i = *send;
  if (w.stop == wave::Stop::Fault && w.fault.kind == wave::FaultKind::Illegal) return {};
  if (std::memcmp(before.data(), wave::bytes_of(w, address_cell + 4), before.size()) != 0)
    return "a message changed registers that are none of its answer's";
  auto reg = [&](unsigned n) {
    return reinterpret_cast<const uint32_t*>(wave::bytes_of(w, grf_cell + n % kRegisters * kRegisterBytes));
  };
  const uint32_t descriptor = i.descriptor_in_register ? wave::word_of(w, address_cell) : i.descriptor;
  DataMessage m;
  if (read_data_message(Sfid(i.function), descriptor, m)) return {};
  if (m.access == DataAccess::MediaBlock) return {};  // tests/gpu/dg1/messages_test.cpp has a model of it
  const uint32_t mask = i.lanes >= 32 ? ~0u : (1u << i.lanes) - 1;
  const uint32_t enabled = (i.no_mask ? ~0u : wave::word_of(w, active_cell) >> i.channel) & mask & ((1u << m.lanes) - 1);
  // (a message in two payloads: where source 1 goes on)
  const unsigned length = m.address_length;
  auto payload = [&](unsigned n) { return reg(n < length ? i.src[0].number + n : i.src[1].number + n - length); };
  auto is_mapped = [&](uint64_t at, uint64_t bytes) {
    if (at >= w.window_bytes) return false;
    for (const Window& window : windows) {
      const uint64_t first = window_address(space, window.address);
      if (at >= first && at + bytes <= first + window.bytes) return true;
    }
    return false;
  };
  const ThreadContext& c = context_of(w);
  // The tables, which are tame but for what is said of them.
  if (!is_mapped(c.binding_table + m.bti * 4u, 4)) return {};
  uint64_t surface_address = 0, surface_bytes = 0;
  const bool surface = !m.a64 && m.bti < states;
  if (surface) {
    uint32_t entry;
    std::memcpy(&entry, w.window + c.binding_table + m.bti * 4u, 4);
    const uint64_t at = c.surface_state_base + (entry & ~63u);
    if (!is_mapped(at, 64)) return {};
    dg1::SurfaceWords s;
    std::memcpy(s.data(), w.window + at, 64);
    if (dg1::SurfaceState::Surface_Type::get(s) == dg1::SurfaceType::SURFTYPE_BUFFER) {
      const uint64_t entries = (uint64_t(dg1::SurfaceState::Depth::get(s)) << 21 | dg1::SurfaceState::Height::get(s) << 7 |
                                (dg1::SurfaceState::Width::get(s) & 0x7f)) +
                               1;
      surface_bytes = entries * (dg1::SurfaceState::Surface_Format::get(s) == dg1::SURFACE_FORMAT::RAW
                                     ? 1
                                     : dg1::SurfaceState::Surface_Pitch::get(s) + 1);
    }
    surface_address = dg1::SurfaceState::Surface_Base_Address::get(s);
  }
  bool faults = false, knows = true;
  // The host's byte, or null where a surface or shared local memory ends.
  auto host = [&](uint64_t offset, unsigned bytes, bool aligned) -> const uint8_t* {
    uint64_t at = 0;
    if (m.a64) {
      at = window_address(space, offset);
    } else if (m.bti == BTI_SLM) {
      // (whether what begins near the end of 64 KB goes on at its start is nowhere said)
      if (offset > 0xffff) offset &= 0xffff, knows = false;
      if (offset + bytes > w.lds_bytes) return nullptr;
      if (aligned && offset % bytes) faults = true;
      return w.lds + offset;
    } else if (surface) {
      if (offset > surface_bytes || bytes > surface_bytes - offset) return nullptr;
      at = window_address(space, surface_address + offset);
    } else {
      at = c.general_state_base + offset;
    }
    if (!is_mapped(at, bytes) || (aligned && at % bytes)) {
      faults = true;
      return nullptr;
    }
    return w.window + at;
  };
  struct Wanted {
    unsigned reg, byte;
    uint32_t value;
  };
  std::vector<Wanted> wanted;
  auto load = [&](uint64_t offset, unsigned bytes, unsigned to, unsigned byte) {
    uint32_t value = 0;
    if (const uint8_t* p = host(offset, bytes, false)) std::memcpy(&value, p, bytes);
    wanted.push_back({to, byte, value});
  };
  if (m.access == DataAccess::ScratchBlock) {
    if (!m.header || m.write) return {};
    const uint32_t* h = payload(0);
    const uint64_t size = uint64_t(1024) << (h[3] & 15);
    if (m.scratch_offset * 32u + m.elements * 32u > size)
      return enabled ? "a scratch block beyond the thread's scratch was read" : "";
    const uint64_t at = c.general_state_base + (h[5] & ~1023u) + m.scratch_offset * 32u;
    if (enabled && !is_mapped(at, m.elements * 32u)) faults = true;
    if (enabled && !faults)
      for (unsigned n = 0; n < m.elements * 8u; n++) {
        uint32_t value;
        std::memcpy(&value, w.window + at + n * 4, 4);
        wanted.push_back({n / 8, n % 8 * 4, value});
      }
  } else if (m.access == DataAccess::Block) {
    if (!m.header || (m.bti == BTI_STATELESS && !m.a64)) return {};
    const uint32_t* h = payload(0);
    uint64_t offset = m.a64 ? h[0] | uint64_t(h[1]) << 32 : uint64_t(h[2]) << m.address_shift;
    if (!m.a64 && offset > UINT32_MAX) return {};
    if (enabled)
      for (unsigned n = 0; n < m.elements; n++) {
        const unsigned to = n + (m.high_half ? 4 : 0);
        load(offset + n * 4, 4, to / 8, to % 8 * 4);
      }
  } else {
    if (m.access == DataAccess::Scattered && (m.elements > 1 || m.header)) return {};
    const unsigned first = m.header;
    for (unsigned l = 0; l < m.lanes; l++) {
      if (!(enabled >> l & 1)) continue;
      uint64_t offset;
      if (m.a64) {
        const uint32_t* pair = payload(first + l / 4) + l % 4 * 2;
        offset = pair[0] | uint64_t(pair[1]) << 32;
      } else {
        offset = uint64_t(payload(first + l / 8)[l % 8]) << m.address_shift;
      }
      if (m.access == DataAccess::Atomic) {
        host(offset, m.element_bytes, true);
        continue;
      }
      unsigned element = 0;
      for (unsigned n = 0; n < 4; n++) {
        if (m.access == DataAccess::Untyped ? !(m.channels >> n & 1) : n > 0) continue;
        const uint64_t from = offset + n * m.element_bytes;
        if (!m.a64 && from > UINT32_MAX) knows = false;
        load(from, m.element_bytes, element * (m.lanes / 8u) + l / 8, l % 8 * 4);
        element++;
      }
    }
  }
  if (!knows) return {};
  if (i.dst.file == File::Null && !m.write) return {};  // what nobody reads need not be loaded
  const bool faulted = w.stop == wave::Stop::Fault && w.fault.kind != wave::FaultKind::Fetch;
  if (faulted != faults)
    return fmt::format("the message {} although memory is {}", faulted ? "faults" : "does not fault",
                       faults ? "not there" : "there");
  if (faulted || i.dst.file == File::Null) return {};
  // If the answer goes over the payload nothing is known any more of it.
  for (const Wanted& x : wanted) {
    uint32_t is;
    std::memcpy(&is, reinterpret_cast<const uint8_t*>(reg(i.dst.number + x.reg)) + x.byte, 4);
    if (is != x.value)
      return fmt::format("register {} byte {} of the answer is {:#x} instead of {:#x}", x.reg, x.byte, is, x.value);
  }
  return {};
}

}  // namespace Atoll::attacker
