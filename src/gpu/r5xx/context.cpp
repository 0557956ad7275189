#include "gpu/r5xx/context.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/device/watch.h"
#include "pipeline/picture.h"
#include "registers/lookup.h"
#include "registers/r5xx.h"

namespace Atoll::r5xx {
namespace {

// Which register addresses have a name, a bit for each dword. A queue's thread may outlive the end of main(): never destroyed.
const std::vector<bool>& named_addresses() {
  [[clang::no_destroy]] static const std::vector<bool> named = [] {
    std::vector<bool> all(registers_end / 4);
    for (auto& instance : registers::all_instances(registers::r5xx_tables))
      if (auto address = instance.address(); address && *address < registers_end) all[*address / 4] = true;
    return all;
  }();
  return named;
}

// Registers that start an operation of the 2D engine when they are written; it is not modelled.
bool starts_2d(uint32_t address) {
  return address == DST_HEIGHT_WIDTH::address() || address == DST_WIDTH_HEIGHT::address() || address == DST_LINE_END::address();
}

template <class R>
bool in(uint32_t address) {
  return address >= R::address(R::first) && address < R::address(R::first) + R::count * R::stride &&
         (address - R::address(R::first)) % R::stride == 0;
}

// What is written to a register that is one number.
template <class Register>
uint32_t number(uint32_t value) {
  return Word<Register>(value).whole();
}

wave::EngineChoice engine_of(const std::string& name) {
  return name == "interpreter" ? wave::EngineChoice::Interpreter
         : name == "jit"       ? wave::EngineChoice::Jit
                               : wave::EngineChoice::Auto;
}

}  // namespace

Context::Context(const Chip& c, const gpu::Options& o, AddressSpace& s)
    : chip(c),
      options(o),
      space(s),
      budget(o.limits),
      programs_(std::make_unique<ProgramCache>(engine_of(o.engine))),
      workers_(std::make_unique<pipeline::Workers>(o.threads)) {
  reset(registers, chip);
}

Context::~Context() = default;

void Context::lose(const std::string& report) {
  if (lost_) return;
  lost_ = true;
  report_ = place ? place() + ": " + report : report;
}

std::string Context::stop_report() const {
  if (stop.load() != gpu::stopped_by_watch) return "stopped";
  return fmt::format("nothing moved for {} s: the GPU hangs", options.most_still_seconds);
}

void Context::unknown(const std::string& what) {
  unknowns.add(what, [this] { return place ? place() : std::string("MMIO"); });
  if (options.strict) lose(what + " is not modelled");
}

uint32_t Context::read(uint32_t address) const {
  switch (address) {
    case ZB_ZPASS_DATA::address(): return z_passed_[std::countr_zero(selected_z_pipes() | 8u)];
    case RBBM_STATUS::address(): return RBBM_STATUS::FIFOCNT::of(64);  // idle, the queue of writes empty
    case CP_STAT::address(): return 0;
    case GA_IDLE::address(): return (1u << 27) - 1;
    default: return registers.raw(address);
  }
}

void Context::write(uint32_t address, uint32_t value) {
  if (lost_) return;
  address &= ~3u;
  if (in<VAP_PORT_DATA>(address)) return port_dword(number<VAP_PORT_DATA>(value));
  if (in<VAP_PORT_IDX>(address)) return port_dword(number<VAP_PORT_IDX>(value));
  if (address == VAP_PORT_DATA_IDX_128::address()) return port_dword(number<VAP_PORT_DATA_IDX_128>(value));
  if (address >= 0x9000 && address < registers_end) return write_pixel_memory(address, value);
  if (in<SCRATCH_REG>(address)) return write_scratch((address - SCRATCH_REG::address(0)) / 4, value);
  // The viewport's registers answer at a second place.
  if (address >= 0x2098 && address <= 0x20ac) address = address - 0x2098 + VAP_VPORT_XSCALE::address();
  if (address >= registers_end || !named_addresses()[address / 4]) unknown(fmt::format("register {:#06x}", address));
  if (starts_2d(address)) unknown("the 2D engine");
  registers.set(address, value);

  switch (address) {
    case VAP_VF_CNTL::address(): begin_draw(value); break;
    case VAP_PVS_VECTOR_INDX_REG::address():
      vertex_memory.position = VAP_PVS_VECTOR_INDX_REG::OCTWORD_OFFSET::get(value) * 4;
      break;
    case VAP_PVS_VECTOR_DATA_REG::address(): vertex_memory.write(number<VAP_PVS_VECTOR_DATA_REG>(value)); break;
    case VAP_PVS_VECTOR_DATA_REG_128::address(): vertex_memory.write(number<VAP_PVS_VECTOR_DATA_REG_128>(value)); break;
    case GA_US_VECTOR_INDEX::address():
      pixel_memory.writes_constants = GA_US_VECTOR_INDEX::TYPE::get(value);
      pixel_memory.clamps = GA_US_VECTOR_INDEX::CLAMP::get(value);
      pixel_memory.position = GA_US_VECTOR_INDEX::INDEX::get(value) * (pixel_memory.writes_constants ? 4 : 6);
      break;
    case GA_US_VECTOR_DATA::address(): pixel_memory.write(number<GA_US_VECTOR_DATA>(value)); break;
    case ZB_ZPASS_DATA::address():
      for (unsigned p = 0; p < z_passed_.size(); p++)
        if (selected_z_pipes() >> p & 1) z_passed_[p] = number<ZB_ZPASS_DATA>(value);
      break;
    case ZB_ZPASS_ADDR::address():
      write_zpass_address(ZB_ZPASS_ADDR::ZPASS_ADDR::get(value) << ZB_ZPASS_ADDR::ZPASS_ADDR::low);
      break;
    case RB3D_DSTCACHE_CTLSTAT::address():
      // The sync that DC_FINISH asks for writes CP_RESYNC_DATA to a scratch register.
      if (RB3D_DSTCACHE_CTLSTAT::DC_FINISH::get(value) && registers.whole<CP_RESYNC_DATA>())
        write_scratch(registers.get<CP_RESYNC_ADDR::RESYNC_ADDR>(), registers.whole<CP_RESYNC_DATA>());
      break;
    case ZB_ZCACHE_CTLSTAT::address(): registers.set(address, 0); break;  // its bits clear themselves
    case ZB_HIZ_DWORD::address():
      registers.set(ZB_HIZ_WRINDEX::address(), ZB_HIZ_WRINDEX::HIZ_WRINDEX::of(registers.get<ZB_HIZ_WRINDEX::HIZ_WRINDEX>() + 1));
      unknown("hierarchical Z memory");
      break;
    case CP_IB_BUFSZ::address():
      if (run_indirect_buffer)
        run_indirect_buffer(registers.get<CP_IB_BASE::IB_BASE>() << CP_IB_BASE::IB_BASE::low, CP_IB_BUFSZ::IB_BUFSZ::get(value),
                            1);
      break;
    case CP_IB2_BUFSZ::address():
      if (run_indirect_buffer)
        run_indirect_buffer(registers.get<CP_IB2_BASE::IB2_BASE>() << CP_IB2_BASE::IB2_BASE::low,
                            CP_IB2_BUFSZ::IB2_BUFSZ::get(value), 2);
      break;
    case CP_ME_RAM_DATAL::address():  // micro code has nothing to do here; its address moves on
      registers.set(CP_ME_RAM_ADDR::address(), (registers.get<CP_ME_RAM_ADDR::ME_RAM_ADDR>() + 1) & 0xff);
      break;
    case CP_GUI_COMMAND::address():
    case CP_VID_COMMAND::address(): unknown("DMA of the command processor"); break;
    default: break;
  }
}

// The pixel shader's code as MMIO sees it: a word of all instructions after the other (US_*_[0-511]).
void Context::write_pixel_memory(uint32_t address, uint32_t value) {
  struct Bank {
    uint32_t address, word;
  };
  constexpr Bank banks[] = {{US_CMN_INST::address(0), 0},       {US_ALU_RGB_ADDR::address(0), 1},
                            {US_ALU_ALPHA_ADDR::address(0), 2}, {US_ALU_RGB_INST::address(0), 3},
                            {US_ALU_ALPHA_INST::address(0), 4}, {US_ALU_RGBA_INST::address(0), 5}};
  registers.set(address, value);
  for (auto& bank : banks)
    if (address >= bank.address && address < bank.address + PixelMemory::instructions * 4) {
      pixel_memory.code[(address - bank.address) / 4 * 6 + bank.word] = value;
      return;
    }
}

void Context::write_scratch(uint32_t number, uint32_t value) {
  if (number >= SCRATCH_REG::count) return;
  registers.set(SCRATCH_REG::address(number), value);
  if (!(registers.whole<SCRATCH_UMSK>() >> number & 1)) return;
  uint64_t address = (registers.whole<SCRATCH_ADDR>() & ~31u) + uint64_t(number) * 4;
  if (!space.contains(address, 4, true))
    return lose(fmt::format("scratch register {} is to be written to {:#x}, not mapped", number, address));
  std::memcpy(space.host(address), &value, 4);
}

// Depth units that a register access goes to: RV530 has a selection of its own for its two.
uint32_t Context::selected_z_pipes() const {
  if (chip.z_pipes > 1)
    return FieldList<RV530_FG_ZBREG_DEST::PIPE_SELECT_0, RV530_FG_ZBREG_DEST::PIPE_SELECT_1>::bits(
        registers.read<RV530_FG_ZBREG_DEST>());
  return registers.get<SU_REG_DEST::SELECT>();
}

// All samples that passed are pipe 0's; which of several selected pipes writes last is not defined: pipe 0 here.
void Context::write_zpass_address(uint32_t address) {
  uint32_t selected = selected_z_pipes();
  if (!selected) return;
  if (!space.contains(address, 4, true)) return lose(fmt::format("ZB_ZPASS_ADDR {:#x} is not mapped", address));
  std::memcpy(space.host(address), &z_passed_[unsigned(std::countr_zero(selected))], 4);
}

// --- the vertex port -----------------------------------------------------------------------------------------------------------
void Context::begin_draw(uint32_t control) {
  registers.set(VAP_VF_CNTL::address(), control);
  port_ = {};
  port_.control = control;
  port_.vertices = VAP_VF_CNTL::USE_ALT_NUM_VERTS::get(control) ? registers.get<VAP_ALT_NUM_VERTICES::NUM_VERTICES>()
                                                                : VAP_VF_CNTL::NUM_VERTICES::get(control);
  if (registers.get<VAP_CNTL::VAP_NO_RENDER>()) return;
  switch (VAP_VF_CNTL::PRIM_WALK::get(control)) {
    case VAP_VF_CNTL::PRIM_WALK::Indexes: {
      uint64_t halves = uint64_t(port_.vertices) * (VAP_VF_CNTL::INDEX_SIZE::get(control) ? 2 : 1);
      if (VAP_VF_CNTL::PRIM_TYPE::get(control) == VAP_VF_CNTL::PRIM_TYPE::Triangle_with_wFlags) halves += port_.vertices / 3;
      port_.wanted = (halves + 1) / 2;
      break;
    }
    case VAP_VF_CNTL::PRIM_WALK::Vertex_Data:
      port_.wanted = uint64_t(port_.vertices) * registers.get<VAP_VTX_SIZE::DWORDS_PER_VTX>();
      break;
    case VAP_VF_CNTL::PRIM_WALK::State_Based_Vertex_Data: unknown("VAP_VF_CNTL: vertices from state registers"); return;
    default: break;
  }
  // The dwords are kept until the last is there.
  if (port_.wanted > options.limits.dwords)
    return lose(fmt::format("a draw of {} vertices wants {} dwords through the port", port_.vertices, port_.wanted));
  if (port_.wanted) {
    port_.waiting = true;
  } else {
    draw({control, port_.vertices, {}});
  }
}

void Context::port_dwords(std::span<const uint32_t> dwords) {
  if (!port_.waiting) {
    if (!dwords.empty() && !registers.get<VAP_CNTL::VAP_NO_RENDER>()) unknown("dwords for a vertex port without a draw");
    return;
  }
  uint64_t missing = port_.wanted - port_.dwords.size();
  if (port_.dwords.empty() && dwords.size() >= missing) {
    port_.waiting = false;
    draw({port_.control, port_.vertices, dwords.first(size_t(missing))});
    return;
  }
  port_.dwords.insert(port_.dwords.end(), dwords.begin(), dwords.begin() + long(std::min<uint64_t>(missing, dwords.size())));
  if (port_.dwords.size() < port_.wanted) return;
  port_.waiting = false;
  draw({port_.control, port_.vertices, port_.dwords});
}

// Indices may come with a packet of their own, vertices may not.
void Context::end_packet() {
  if (!port_.waiting || VAP_VF_CNTL::PRIM_WALK::get(port_.control) != VAP_VF_CNTL::PRIM_WALK::Vertex_Data) return;
  port_.waiting = false;
  lose(fmt::format("the packet has {} dwords of vertices; {} vertices need {}", port_.dwords.size(), port_.vertices,
                   port_.wanted));
}

std::vector<gpu::Picture> Context::pictures() {
  std::vector<gpu::Picture> all;
  for (unsigned n = 0; n < last_buffers_.size(); n++) {
    const ColourBuffer& b = last_buffers_[n];
    if (!b.bound) continue;
    SurfaceTarget target(b.place, space);
    if (!target.mapped()) continue;  // a picture as large as the scissors say, of nothing
    pipeline::ColourTarget colour{&target, b.format, b.place.surface.element_bytes, false};
    gpu::Picture picture{fmt::format("draw {} colour {}", draws_, n), b.place.width, b.place.height, {}};
    std::vector<uint8_t> components = pipeline::rgba8_of(colour, picture.width, picture.height);
    picture.rgba = components;
    // The target's components are where the format has them; people see what the shader called red.
    for (size_t p = 0; p < components.size(); p += 4)
      for (unsigned c = 0; c < 4; c++) picture.rgba[p + b.shader_channel[c]] = components[p + c];
    all.push_back(std::move(picture));
  }
  return all;
}

}  // namespace Atoll::r5xx
