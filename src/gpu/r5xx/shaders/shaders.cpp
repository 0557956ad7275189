#include "gpu/r5xx/shaders/shaders.h"

#include <algorithm>
#include <cstring>

#include "isa/r500/isa.h"
#include "isa/r500/registers.h"
#include "isa/r500/spelling.h"
#include "isa/r500/vertex_instruction.h"
#include "wave/sampled_texture.h"

namespace Atoll::r5xx {
namespace {

// The registers that the words from `code` can name: one more than the highest temporary and constant. A relative address may
// name any.
void find_registers(Shader& p) {
  using namespace r500;
  auto temporary = [&](uint32_t address, uint32_t relative) {
    p.temporaries = std::max<unsigned>(p.temporaries, relative ? kTemporaries : address % kTemporaries + 1);
  };
  auto source = [&](uint32_t address, uint32_t constant, uint32_t relative) {
    if (constant)
      p.constants = std::max<unsigned>(p.constants, relative ? kConstants : address + 1);
    else if (address < kTemporaries)
      temporary(address, relative);
  };
  for (size_t n = 0; n + kWords <= p.words.size(); n += kWords) {
    Words w;
    std::copy_n(p.words.begin() + long(n), kWords, w.begin());
    uint32_t type = field<US_CMN_INST::TYPE>.get(w);
    if (type == US_CMN_INST::TYPE::US_INST_TYPE_ALU || type == US_CMN_INST::TYPE::US_INST_TYPE_OUT) {
      source(field<US_ALU_RGB_ADDR::ADDR0>.get(w), field<US_ALU_RGB_ADDR::ADDR0_CONST>.get(w),
             field<US_ALU_RGB_ADDR::ADDR0_REL>.get(w));
      source(field<US_ALU_RGB_ADDR::ADDR1>.get(w), field<US_ALU_RGB_ADDR::ADDR1_CONST>.get(w),
             field<US_ALU_RGB_ADDR::ADDR1_REL>.get(w));
      source(field<US_ALU_RGB_ADDR::ADDR2>.get(w), field<US_ALU_RGB_ADDR::ADDR2_CONST>.get(w),
             field<US_ALU_RGB_ADDR::ADDR2_REL>.get(w));
      source(field<US_ALU_ALPHA_ADDR::ADDR0>.get(w), field<US_ALU_ALPHA_ADDR::ADDR0_CONST>.get(w),
             field<US_ALU_ALPHA_ADDR::ADDR0_REL>.get(w));
      source(field<US_ALU_ALPHA_ADDR::ADDR1>.get(w), field<US_ALU_ALPHA_ADDR::ADDR1_CONST>.get(w),
             field<US_ALU_ALPHA_ADDR::ADDR1_REL>.get(w));
      source(field<US_ALU_ALPHA_ADDR::ADDR2>.get(w), field<US_ALU_ALPHA_ADDR::ADDR2_CONST>.get(w),
             field<US_ALU_ALPHA_ADDR::ADDR2_REL>.get(w));
      temporary(field<US_ALU_RGBA_INST::RGB_ADDRD>.get(w), field<US_ALU_RGBA_INST::RGB_ADDRD_REL>.get(w));
      temporary(field<US_ALU_ALPHA_INST::ALPHA_ADDRD>.get(w), field<US_ALU_ALPHA_INST::ALPHA_ADDRD_REL>.get(w));
      if (type == US_CMN_INST::TYPE::US_INST_TYPE_OUT) {
        if (field<US_CMN_INST::RGB_OMASK>.get(w)) p.outputs |= uint8_t(1u << field<US_ALU_RGB_INST::TARGET>.get(w));
        if (field<US_CMN_INST::ALPHA_OMASK>.get(w)) p.outputs |= uint8_t(1u << field<US_ALU_ALPHA_INST::TARGET>.get(w));
      }
    } else if (type == US_CMN_INST::TYPE::US_INST_TYPE_TEX) {
      temporary(field<US_TEX_ADDR::SRC_ADDR>.get(w), field<US_TEX_ADDR::SRC_ADDR_REL>.get(w));
      temporary(field<US_TEX_ADDR::DST_ADDR>.get(w), field<US_TEX_ADDR::DST_ADDR_REL>.get(w));
      temporary(field<US_TEX_ADDR_DXDY::DX_ADDR>.get(w), field<US_TEX_ADDR_DXDY::DX_ADDR_REL>.get(w));
      temporary(field<US_TEX_ADDR_DXDY::DY_ADDR>.get(w), field<US_TEX_ADDR_DXDY::DY_ADDR_REL>.get(w));
      const uint32_t op = field<US_TEX_INST::INST>.get(w);
      p.kills |= op == TEX_TEXKILL;
      if (op != TEX_NOP && op != TEX_TEXKILL) p.units |= uint16_t(1u << field<US_TEX_INST::TEX_ID>.get(w));
    }
  }
}

// Constants that a vertex program can read: one more than the highest, or all where it adds something to their numbers.
unsigned vertex_constants(std::span<const uint32_t> code) {
  namespace vs = r500::vs;
  unsigned constants = 0;
  for (size_t n = 0; n + vs::kWords <= code.size(); n += vs::kWords) {
    vs::Words words;
    std::copy_n(code.begin() + long(n), vs::kWords, words.begin());
    if (!vs::objection(words).empty()) continue;
    const vs::Instruction i = vs::instruction_of(words);
    if (i.relative()) return vs::kConstants;
    for (const vs::Source* s : {&i.source[0], &i.source[1], &i.source[2], &i.dual.source})
      if (s->type == vs::SOURCE_CONSTANT) constants = std::max(constants, s->offset + 1u);
  }
  return constants;
}

void prepare_pixel_program(Shader& p) {
  p.like.lanes = r500::kPixels;
  p.like.inspected = false;
  p.program = std::make_shared<const wave::Program>(
      r500::fragment_isa(p.last, p.zero_rule ? r500::ZeroRule::on : r500::ZeroRule::off), 0, p.words);
}

// First words of keys.
constexpr uint32_t pixel_key = 0, vertex_key = 1;

using Low = VAP_PVS_FLOW_CNTL_ADDRS_LW;
using High = VAP_PVS_FLOW_CNTL_ADDRS_UW;
using Opcodes = VAP_PVS_FLOW_CNTL_OPC;
using FlowOpcodes = FieldList<Opcodes::PVS_FC_OPC_0, Opcodes::PVS_FC_OPC_1, Opcodes::PVS_FC_OPC_2, Opcodes::PVS_FC_OPC_3,
                              Opcodes::PVS_FC_OPC_4, Opcodes::PVS_FC_OPC_5, Opcodes::PVS_FC_OPC_6, Opcodes::PVS_FC_OPC_7,
                              Opcodes::PVS_FC_OPC_8, Opcodes::PVS_FC_OPC_9, Opcodes::PVS_FC_OPC_10, Opcodes::PVS_FC_OPC_11,
                              Opcodes::PVS_FC_OPC_12, Opcodes::PVS_FC_OPC_13, Opcodes::PVS_FC_OPC_14, Opcodes::PVS_FC_OPC_15>;

}  // namespace

Expected<std::shared_ptr<Shader>> ShaderCache::pixel(const RegisterFile& r, const PixelMemory& memory) {
  uint32_t offset = r.get<US_CODE_OFFSET::OFFSET_ADDR>();
  uint32_t first = (r.get<US_CODE_ADDR::START_ADDR>() + offset) % PixelMemory::instructions;
  uint32_t last = (r.get<US_CODE_ADDR::END_ADDR>() + offset) % PixelMemory::instructions;
  uint32_t window_end = r.get<US_CODE_RANGE::CODE_ADDR>() + r.get<US_CODE_RANGE::CODE_SIZE>();
  uint32_t needed = std::min(std::max({first, last, window_end}) + 1, PixelMemory::instructions);
  const uint32_t zero_rule = r.get<US_CONFIG::ZERO_TIMES_ANYTHING_EQUALS_ZERO>();
  const std::array head = {pixel_key, first, last, offset, zero_rule};
  const auto words = std::span(memory.code).first(needed * r500::kWords);
  auto make = [&]() -> Expected<std::shared_ptr<Shader>> {
    auto p = std::make_shared<Shader>();
    p->words.assign(words.begin(), words.end());
    p->first_pc = uint64_t(first) * r500::kWords * 4;
    p->last = last, p->zero_rule = zero_rule;
    find_registers(*p);
    prepare_pixel_program(*p);
    return p;
  };
  return find(ShaderSource::Query<decltype(make)>{{head, words}, make});
}

// Draws change textures more often than programs: code for each of a few sets of forms is kept. Beyond those it is code that calls
// lookups, whatever the textures.
Expected<std::shared_ptr<Shader>> ShaderCache::sampling(const std::shared_ptr<Shader>& pixel, TextureForms forms) {
  for (size_t n = 0; n < forms.size(); n++)
    if (!(pixel->units >> n & 1)) forms[n] = 0;
  auto name_variant = [](const Shader& shader) {
    shader.program->variant.assign(reinterpret_cast<const char*>(shader.forms->data()), sizeof *shader.forms);
  };
  if (!pixel->forms) pixel->forms = forms, name_variant(*pixel);
  if (pixel->forms == forms) return pixel;
  for (auto& other : pixel->others)
    if (other->forms == forms) return other;
  const bool any = pixel->others.size() + 1 >= max_forms;
  if (any) {
    forms.fill(wave::many_forms);
    if (pixel->others.back()->forms == forms) return pixel->others.back();
  }
  auto p = std::make_shared<Shader>();
  p->words = pixel->words;
  p->first_pc = pixel->first_pc, p->last = pixel->last, p->zero_rule = pixel->zero_rule;
  p->temporaries = pixel->temporaries, p->constants = pixel->constants;
  p->outputs = pixel->outputs, p->units = pixel->units, p->kills = pixel->kills;
  p->forms = forms;
  prepare_pixel_program(*p);
  name_variant(*p);
  if (any)
    for (uint64_t pc = 0; pc < p->words.size() * 4; pc += r500::kWords * 4) p->program->at(pc)->texture_form = wave::many_forms;
  if (auto made = p->prepare(engine()); !made) return std::unexpected(made.error());
  pixel->others.push_back(p);
  return p;
}

Expected<std::shared_ptr<Shader>> ShaderCache::vertex(const RegisterFile& r, const VertexMemory& memory) {
  namespace vs = r500::vs;
  const auto control = r.read<VAP_PVS_CODE_CNTL_0>();
  const auto opcodes = r.read<VAP_PVS_FLOW_CNTL_OPC>();
  vs::Flow flow;
  flow.first = VAP_PVS_CODE_CNTL_0::PVS_FIRST_INST::get(control);
  flow.last = VAP_PVS_CODE_CNTL_0::PVS_LAST_INST::get(control);
  uint32_t needed = std::max(flow.first, *flow.last) + 1;
  std::array<uint32_t, 3 + 3 * vs::kFlowOperations> head = {vertex_key, control.key(), opcodes.key()};
  size_t head_words = 3;
  for (uint32_t k = 0; k < vs::kFlowOperations; k++) {
    vs::FlowOperation& o = flow.operations[k];
    o.kind = vs::FlowKind(FlowOpcodes::get(opcodes, k));
    if (o.kind == vs::FlowKind::none) continue;
    const auto low = r.read<VAP_PVS_FLOW_CNTL_ADDRS_LW>(k);
    const auto high = r.read<VAP_PVS_FLOW_CNTL_ADDRS_UW>(k);
    auto loop = r.read<VAP_PVS_FLOW_CNTL_LOOP_INDEX>(k);
    o.after = Low::PVS_FC_ACT_ADRS_0::get(low), o.target_or_count = Low::PVS_FC_LOOP_CNT_JMP_INST_0::get(low);
    o.last = High::PVS_FC_LAST_INST_0::get(high), o.resume = High::PVS_FC_RTN_INST_0::get(high);
    o.loop_start = uint8_t(VAP_PVS_FLOW_CNTL_LOOP_INDEX::PVS_FC_LOOP_INIT_VAL_0::get(loop));
    o.loop_step = int8_t(VAP_PVS_FLOW_CNTL_LOOP_INDEX::PVS_FC_LOOP_STEP_VAL_0::get(loop));
    o.keeps_index = VAP_PVS_FLOW_CNTL_LOOP_INDEX::PVS_FC_LOOP_REPEAT_NO_FLI_0::get(loop);
    // Subroutines and jumps may lie behind the last instruction.
    if (o.kind != vs::FlowKind::loop) needed = std::max(needed, (o.target_or_count & 1023) + 1);
    needed = std::max({needed, (o.last & 1023) + 1, (o.resume & 1023) + 1});
    for (uint32_t word : {low.key(), high.key(), loop.key()}) head[head_words++] = word;
  }
  const std::span<const uint32_t> code(memory.words.data(), needed * vs::kWords);
  auto make = [&]() -> Expected<std::shared_ptr<Shader>> {
    auto p = std::make_shared<Shader>();
    auto program = vs::VertexProgram::make(code, flow);
    if (!program) return fail("vertex shader: {}", program.error().message);
    p->words.assign(code.begin(), code.end());
    p->vertex = std::move(*program);
    p->program = {p->vertex, &p->vertex->program()};
    p->first_pc = p->vertex->start();
    p->like.lanes = vs::kVertices;
    p->like.inspected = false;
    p->temporaries = 32;
    p->constants = vertex_constants(code);
    return p;
  };
  return find(ShaderSource::Query<decltype(make)>{{std::span(head).first(head_words), code}, make});
}

ShaderWords::operator std::vector<uint32_t>() const {
  std::vector<uint32_t> all(head.begin(), head.end());
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

// (Words need no order that means anything.)
bool ShaderSource::Less::operator()(const ShaderWords& a, const ShaderWords& b) const {
  const size_t size = a.head.size() + a.words.size(), other = b.head.size() + b.words.size();
  if (size != other) return size < other;
  if (const int order = std::memcmp(a.head.data(), b.head.data(), a.head.size_bytes())) return order < 0;
  return a.words.size() && std::memcmp(a.words.data(), b.words.data(), a.words.size_bytes()) < 0;
}

double Shader::compile_seconds() const {
  double sum = executor->compile_seconds() + framed.compile_seconds();
  for (auto& other : others) sum += other->compile_seconds();
  return sum;
}

uint64_t Shader::instructions_compiled() const {
  uint64_t sum = executor->instructions_compiled() + framed.instructions_compiled();
  for (auto& other : others) sum += other->instructions_compiled();
  return sum;
}

void Shader::wait_for_compilation() {
  executor->wait_for_compilation(), framed.wait_for_compilation();
  for (auto& other : others) other->wait_for_compilation();
}

size_t Shader::bytes() const {
  size_t sum = sizeof(Shader) + framed.bytes() + CachedProgram::bytes(words.size() * sizeof(r500::vs::Instruction));
  for (auto& other : others) sum += other->bytes();
  return sum;
}

}  // namespace Atoll::r5xx
