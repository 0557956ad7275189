#include "r5xx_scene.h"

#include "gpu/chips/chip.h"
#include "gpu/r5xx/state.h"
#include "isa/r500/text.h"
#include "isa/r500/vertex_text.h"

namespace Atoll::ledger {

using namespace r5xx;

namespace {

const Family& family() { return registers::r5xx_tables; }

// Registers whose writing does something at once: the writes that are there are changed, none is added.
bool in_place(uint32_t address) {
  switch (address) {
    case VAP_VF_CNTL::address():
    case VAP_PVS_VECTOR_INDX_REG::address():
    case VAP_PVS_VECTOR_DATA_REG::address():
    case VAP_PVS_VECTOR_DATA_REG_128::address():
    case GA_US_VECTOR_INDEX::address():
    case GA_US_VECTOR_DATA::address():
    case RB3D_DSTCACHE_CTLSTAT::address():
    case VAP_PORT_DATA_IDX_128::address():
    case ZB_ZPASS_DATA::address():
    case ZB_ZPASS_ADDR::address():
    case CP_GUI_COMMAND::address():
    case CP_VID_COMMAND::address():
    case CP_IB_BASE::address():
    case CP_IB_BUFSZ::address():
    case CP_IB2_BASE::address():
    case CP_IB2_BUFSZ::address(): return true;
    default: break;
  }
  if (address >= VAP_VTX_ST_POS_0_X_4::address() && address <= VAP_VTX_ST_END_OF_PKT::address()) return true;
  return address >= VAP_PORT_DATA::address(0) && address <= VAP_PORT_IDX::address(15);
}

// The word of an instruction that a register of the pixel shader's memory is, and the types of instructions that have it.
struct CodeWord {
  std::string_view prefix;
  unsigned word;
  uint32_t types;  // a bit each: ALU, OUT, FC, TEX
};
constexpr CodeWord code_words[] = {{"US_CMN_INST_", 0, 15},    {"US_ALU_RGB_ADDR_", 1, 3},   {"US_ALU_ALPHA_ADDR_", 2, 3},
                                   {"US_ALU_RGB_INST_", 3, 3}, {"US_ALU_ALPHA_INST_", 4, 3}, {"US_ALU_RGBA_INST_", 5, 3},
                                   {"US_TEX_INST_", 1, 8},     {"US_TEX_ADDR_DXDY_", 3, 8},  {"US_TEX_ADDR_", 2, 8},
                                   {"US_FC_INST_", 2, 4},      {"US_FC_ADDR_", 3, 4}};
const CodeWord* code_word(unsigned register_number) {
  for (const CodeWord& c : code_words)
    if (family().registers[register_number].name.starts_with(c.prefix)) return &c;
  return nullptr;
}

bool draws(uint32_t opcode) {
  using namespace packets;
  return opcode == _3D_DRAW_VBUF_2::opcode || opcode == _3D_DRAW_IMMD_2::opcode || opcode == _3D_DRAW_INDX_2::opcode;
}

}  // namespace

// (A changed program may go round for ever.)
R5xxScene::R5xxScene(std::string name, std::string_view chip)
    : Scene(std::move(name)), s(chip, {.engine = gpu::Engine::Interpreter, .threads = 1, .max_still_seconds = 3}) {
  commands_ = s.machine.allocate(1 << 16);
  buffers_ = {s.target, s.depth};
  for (size_t n = 0; n < s.target.bytes / 4; n++)
    reinterpret_cast<uint32_t*>(s.target.host_pointer)[n] = uint32_t(n) * 0x01030507;
  for (size_t n = 0; n < s.depth.bytes / 4; n++) reinterpret_cast<uint32_t*>(s.depth.host_pointer)[n] = uint32_t(n) * 0x9e3779b9;
  auto device = *make_device(*gpu::find_chip(chip), {.engine = gpu::Engine::Interpreter, .threads = 1});
  device->attach(*s.machine.space);
  for (auto& i : registers::all_instances(family()))
    if (auto at = i.address(); at && i.entry->source == "manual") reset_[*at] = device->read_register(*at);
}

Buffer R5xxScene::allocate(uint32_t bytes) {
  buffers_.push_back(s.machine.allocate(bytes));
  return buffers_.back();
}

void R5xxScene::code(const std::vector<std::string>& lines, uint32_t first) {
  w.set(GA_US_VECTOR_INDEX::address(), GA_US_VECTOR_INDEX::INDEX::of(first));
  for (auto& line : lines) {
    auto words = r500::parse(line);
    ASSERT_TRUE(words) << name << ": " << line << ": " << words.error().message;
    w.burst(GA_US_VECTOR_DATA::address(), std::span<const uint32_t>(words->data(), 6));
  }
  const auto last = uint32_t(lines.size() - 1);
  w.set(US_CODE_ADDR::address(), US_CODE_ADDR::END_ADDR::of(last))
      .set(US_CODE_RANGE::address(), US_CODE_RANGE::CODE_SIZE::of(last));
}

void R5xxScene::constants(const std::vector<float>& values) {
  w.set(GA_US_VECTOR_INDEX::address(), GA_US_VECTOR_INDEX::TYPE::of(1));
  std::vector<uint32_t> words;
  words.reserve(values.size());
  for (float v : values) words.push_back(test::bits(v));
  w.burst(GA_US_VECTOR_DATA::address(), words);
}

void R5xxScene::float_target() {
  using Out = US_OUT_FMT;
  s.colour_format(RB3D_COLORPITCH::COLORFORMAT::ARGB32323232, Out::OUT_FMT::of(Out::OUT_FMT::C4_32_FP) | Out::C0_SEL::of(1) |
                                                                  Out::C1_SEL::of(2) | Out::C2_SEL::of(3) | Out::C3_SEL::of(0));
}

void R5xxScene::vertex_code(const std::vector<std::string>& lines) {
  w.set(VAP_PVS_VECTOR_INDX_REG::address(), 0);
  for (auto& line : lines) {
    auto words = r500::vs::parse(line);
    ASSERT_TRUE(words) << name << ": " << line << ": " << words.error().message;
    w.burst(VAP_PVS_VECTOR_DATA_REG_128::address(), std::span<const uint32_t>(words->data(), words->size()));
  }
  w.set(VAP_PVS_CODE_CNTL_0::address(), VAP_PVS_CODE_CNTL_0::PVS_LAST_INST::of(uint32_t(lines.size() - 1)));
}

void R5xxScene::vertex_constants(const std::vector<float>& values) {
  w.set(VAP_PVS_VECTOR_INDX_REG::address(), VertexMemory::first_constant);
  std::vector<uint32_t> words;
  words.reserve(values.size());
  for (float v : values) words.push_back(test::bits(v));
  w.burst(VAP_PVS_VECTOR_DATA_REG::address(), words);
}

void R5xxScene::vertex_engine() {
  w.set(VAP_CNTL_STATUS::address(), 0).set(VAP_CLIP_CNTL::address(), 0).set(VAP_CNTL::address(), 0x00b0085a);
  w.set(VAP_PROG_STREAM_CNTL::address(0), 3u | (3u | 1 << 8 | 1 << 13) << 16);
  w.set(VAP_PVS_CODE_CNTL_0::address(), 0x00100000).set(VAP_PVS_CODE_CNTL_1::address(), 1);
  w.set(VAP_PVS_VECTOR_INDX_REG::address(), 0);
  w.burst(VAP_PVS_VECTOR_DATA_REG_128::address(),
          {0x00f00203, 0x00d10001, 0x01248001, 0x01248001, 0x00f02203, 0x00d10021, 0x01248021, 0x01248021});
  w.set(VAP_GB_VERT_CLIP_ADJ::address(), {test::bits(1), test::bits(1), test::bits(1), test::bits(1)});
  w.set(VAP_VPORT_XSCALE::address(),
        {test::bits(32), test::bits(32), test::bits(16), test::bits(16), test::bits(0.5f), test::bits(0.5f)});
  w.set(VAP_VTE_CNTL::address(), 0x43f);
}

void R5xxScene::save(std::vector<uint8_t>& to) const {
  to.clear();
  for (const Buffer& b : buffers_) to.insert(to.end(), b.host_pointer, b.host_pointer + b.bytes);
}

void R5xxScene::load(const std::vector<uint8_t>& from) {
  size_t at = 0;
  for (const Buffer& b : buffers_) std::memcpy(b.host_pointer, from.data() + at, b.bytes), at += b.bytes;
}

bool R5xxScene::run(const std::vector<uint32_t>& words, std::string& report) {
  auto queue = *s.machine.device->make_queue(gpu::QueueKind::graphics, *s.machine.space);
  EXPECT_LE(words.size() * 4, commands_.bytes) << name;
  std::memcpy(commands_.host_pointer, words.data(), words.size() * 4);
  gpu::CommandBuffer buffer{commands_.gpu_address, uint32_t(words.size())};
  auto done = queue->run({&buffer, 1});
  if (!done) report = done.error().message;
  if (after_.empty())
    for (auto& u : queue->statistics().unknown) ADD_FAILURE() << name << ": " << u.what << " at " << u.where;
  return bool(done);
}

void R5xxScene::finish() {
  save(before_);
  std::string report;
  lost_ = !run(w.words, report);
  EXPECT_FALSE(lost_) << name << ": " << report;
  save(after_);
  load(before_);
  run(w.words, report);
  save(now_);
  EXPECT_EQ(now_, after_) << name << " is not the same each time";
  EXPECT_NE(after_, before_) << name;
}

std::vector<uint32_t> R5xxScene::changed(const std::vector<uint32_t>& stream, const Change& change,
                                         const std::map<uint32_t, uint32_t>& reset, BeforeDraw before_draw) {
  const CodeWord* instruction_word = code_word(change.register_number);
  const bool is_code = instruction_word != nullptr;
  std::vector<uint32_t> out;
  uint32_t current = reset.contains(change.address) ? reset.at(change.address) : 0;
  bool writes_code = false;
  auto insert = [&] {
    if (is_code || in_place(change.address) || !change.address) return;
    out.push_back(change.address / 4), out.push_back(change.applied(current));
  };
  for (size_t at = 0; at < stream.size();) {
    const uint32_t header = stream[at];
    if (header >> 30 == 2) {
      out.push_back(header), at++;
      continue;
    }
    std::vector<uint32_t> packet(stream.begin() + long(at), stream.begin() + long(at + (header >> 16 & 0x3fff) + 2));
    at += packet.size();
    if (header >> 30 == 0) {
      const bool one = header >> 15 & 1;
      const uint32_t first = (header & 0x7fff) * 4;
      bool acts = false;
      for (size_t n = 1; n < packet.size(); n++) {
        const uint32_t address = one ? first : first + uint32_t(n - 1) * 4;
        acts |= in_place(address) && address != GA_US_VECTOR_INDEX::address() && address != GA_US_VECTOR_DATA::address();
        if (address == GA_US_VECTOR_INDEX::address()) writes_code = !GA_US_VECTOR_INDEX::TYPE::get(packet[n]);
        if (is_code && writes_code && address == GA_US_VECTOR_DATA::address() && (n - 1) % 6 == instruction_word->word &&
            instruction_word->types >> (packet[(n - 1) / 6 * 6 + 1] & 3) & 1)
          packet[n] = change.applied(packet[n]);
        if (address != change.address || is_code) continue;
        current = packet[n];
        if (in_place(address)) packet[n] = change.applied(packet[n]);
      }
      if (acts) insert();
    } else {
      if (const uint32_t opcode = header >> 8 & 0xff; before_draw && draws(opcode)) {
        const std::vector<uint32_t> before = before_draw(packet);
        out.insert(out.end(), before.begin(), before.end());
      }
      insert();
      if (auto* p = registers::find_packet(family(), header >> 8 & 0xff)) {
        unsigned instance = 0;  // words of one register repeat it: the first one's, the second one's, ...
        for (size_t n = 0; n < p->words.size() && n + 1 < packet.size(); n++)
          if (p->words[n].register_number == int(change.register_number) && instance++ == change.instance)
            current = packet[n + 1], packet[n + 1] = change.applied(packet[n + 1]);
      }
    }
    out.insert(out.end(), packet.begin(), packet.end());
  }
  return out;
}

std::vector<std::string> R5xxScene::unknown(const Changes& changes, bool strict) {
  load(before_);
  auto device = *make_device(*gpu::find_chip("r580"), {.engine = gpu::Engine::Interpreter, .threads = 1, .strict = strict});
  auto queue = *device->make_queue(gpu::QueueKind::graphics, *s.machine.space);
  std::vector<uint32_t> words = w.words;
  for (const Change& change : changes) words = changed(words, change, reset_);
  std::memcpy(commands_.host_pointer, words.data(), words.size() * 4);
  gpu::CommandBuffer buffer{commands_.gpu_address, uint32_t(words.size())};
  auto done = queue->run({&buffer, 1});
  std::vector<std::string> all;
  if (strict && !done) all.push_back(done.error().message);
  if (!strict)
    for (auto& u : queue->statistics().unknown) all.push_back(u.what);
  return all;
}

bool R5xxScene::keeps_old_state(const Change& change) {
  if (code_word(change.register_number)) return false;  // code is not loaded between the draws
  std::string report[2];
  std::vector<uint8_t> memory[2];
  for (bool forgets : {false, true}) {
    load(before_);
    auto twice = [](const std::vector<uint32_t>& draw) { return draw; };
    auto apart = [](const std::vector<uint32_t>& draw) {
      std::vector<uint32_t> packets = draw;
      // A register that no draw reads has another value for a moment.
      packets.insert(packets.end(), {ZB_HIZ_RDINDEX::address() / 4, 1, ZB_HIZ_RDINDEX::address() / 4, 0});
      return packets;
    };
    run(changed(w.words, change, reset_, forgets ? BeforeDraw(apart) : BeforeDraw(twice)), report[forgets]);
    save(memory[forgets]);
  }
  return memory[0] != memory[1] || report[0].empty() != report[1].empty();
}

bool R5xxScene::differs(const Change& change) {
  if (code_word(change.register_number) && change.instance) return false;  // all instructions are changed together
  load(before_);
  std::string report;
  if (run(changed(w.words, change, reset_), report) == lost_) return true;
  save(now_);
  return now_ != after_;
}

}  // namespace Atoll::ledger
