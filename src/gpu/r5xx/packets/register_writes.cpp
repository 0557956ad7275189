#include "gpu/r5xx/packets/register_writes.h"

#include <fmt/format.h>

#include <bit>

#include "gpu/r5xx/packets/vertex_state.h"
#include "registers/lookup.h"

namespace Atoll::r5xx {
namespace {

// Registers that start an operation of the 2D engine when they are written; it is not modelled.
bool starts_2d(uint32_t address) {
  return address == DST_HEIGHT_WIDTH::address() || address == DST_WIDTH_HEIGHT::address() || address == DST_LINE_END::address();
}

template <class R>
bool in(uint32_t address) {
  return address >= R::address(R::first) && address < R::address(R::first) + R::count * R::stride &&
         (address - R::address(R::first)) % R::stride == 0;
}

// Registers that drivers write for every draw, and that no state of it comes from (draw/draw_state.h): which vertices, where the ports
// of the shaders' memories stand, and which of the vertex shader's constants are its.
bool is_of_one_draw(uint32_t address) {
  switch (address) {
    case VAP_VF_CNTL::address():
    case VAP_INDEX_OFFSET::address():
    case VAP_VF_MIN_VTX_INDX::address():
    case VAP_VF_MAX_VTX_INDX::address():
    case VAP_PVS_CONST_CNTL::address():
    case VAP_PVS_VECTOR_INDX_REG::address():
    case VAP_PVS_VECTOR_DATA_REG::address():
    case VAP_PVS_VECTOR_DATA_REG_128::address():
    case GA_US_VECTOR_INDEX::address():
    case GA_US_VECTOR_DATA::address(): return true;
    default: return address >= VAP_VTX_AOS_ATTR::address(0) && address <= VAP_VTX_AOS_ADDR::address(15);
  }
}

// The value of a register that is one number.
template <class Register>
uint32_t number(uint32_t value) {
  return Word<Register>(value).whole();
}

// The address that a register's field of an address gives.
template <class Field>
uint32_t address_in(const RegisterFile& r) {
  return r.get<Field>() << Field::low;
}

// The pixel shader's code as MMIO sees it: a word of all instructions after the other (US_*_[0-511]). Texture and flow control
// instructions have other names for the same places.
struct Bank {
  uint32_t address, word;
};
constexpr Bank banks[] = {{US_CMN_INST::address(0), 0},       {US_ALU_RGB_ADDR::address(0), 1},
                          {US_ALU_ALPHA_ADDR::address(0), 2}, {US_ALU_RGB_INST::address(0), 3},
                          {US_ALU_ALPHA_INST::address(0), 4}, {US_ALU_RGBA_INST::address(0), 5}};
constexpr uint32_t first_bank = US_ALU_RGB_ADDR::address(0);  // only banks from there on

void write_pixel_code(Context& c, uint32_t address, uint32_t value) {
  c.registers.set(address, value);
  for (auto& bank : banks)
    if (address >= bank.address && address < bank.address + PixelMemory::instructions * 4) {
      return c.pixel_memory.write_code((address - bank.address) / 4 * 6 + bank.word, value);
    }
}

void write_scratch(Context& c, uint32_t number, uint32_t value) {
  if (number >= SCRATCH_REG::count) return;
  c.registers.set(SCRATCH_REG::address(number), value);
  if (!(c.registers.whole<SCRATCH_UMSK>() >> number & 1)) return;
  uint64_t address = (c.registers.whole<SCRATCH_ADDR>() & ~31u) + uint64_t(number) * 4;
  c.write(address, &value, 4, "copy of a scratch register (SCRATCH_ADDR)");
}

// Depth units that a register access goes to: RV530 has a selection of its own for its two.
uint32_t selected_z_pipes(const Context& c) {
  using Z = RV530_FG_ZBREG_DEST;
  if (c.chip.depth_pipes > 1) return FieldList<Z::PIPE_SELECT_0, Z::PIPE_SELECT_1>::bits(c.registers.read<Z>());
  return c.registers.get<SU_REG_DEST::SELECT>();
}

// All samples that passed are pipe 0's; which of several selected pipes writes last is not defined: pipe 0 here.
void write_samples_passed(Context& c, uint32_t address) {
  uint32_t selected = selected_z_pipes(c);
  if (!selected) return;
  c.write(address, &c.z_passed[unsigned(std::countr_zero(selected))], 4, "count of samples (ZB_ZPASS_ADDR)");
}

// Two of the four weights (s1.9) of one phase of a filter of four texels, of columns or rows. There are nine phases.
void load_weights(Context& c, uint32_t value) {
  const uint32_t phase = TX_FILTER4::PHASE::get(value);
  if (phase >= surface::FourTaps::phases) return c.unknown(fmt::format("TX_FILTER4.PHASE {}", phase));
  auto number = [](uint32_t weight) { return float(int32_t(weight << 21) >> 21) / 512; };
  auto weights = std::make_shared<surface::FourTaps>(*c.four_taps);
  float* pair = &weights->weight[TX_FILTER4::DIRECTION::get(value)][phase][TX_FILTER4::WEIGHT_PAIR::get(value) * 2];
  pair[0] = number(TX_FILTER4::WEIGHT_0::get(value)), pair[1] = number(TX_FILTER4::WEIGHT_1::get(value));
  c.four_taps = std::move(weights);
}

uint32_t float_bits_of_fixed(uint32_t value) { return std::bit_cast<uint32_t>(float(int16_t(value)) / 4096); }

// A copy by DMA. Linux drivers/gpu/drm/radeon/r200.c (r200_copy_dma): the command's bits 20:0 are the bytes; bit 31 ends the list,
// which is this one command, and bit 30 asks for no interrupt.
void copy(Context& c, uint32_t source, uint32_t destination, uint32_t command) {
  const uint32_t bytes = command & 0x1fffff;
  if (!bytes || !c.within(c.budget.bytes(bytes))) return;
  std::vector<uint8_t> data(bytes);
  if (c.read(source, data.data(), bytes, "source of a copy by DMA (CP_GUI_SRC_ADDR, CP_VID_SRC_ADDR)"))
    c.write(destination, data.data(), bytes, "destination of a copy by DMA (CP_GUI_DST_ADDR, CP_VID_DST_ADDR)");
}

bool is_port(uint32_t address) {
  return in<VAP_PORT_DATA>(address) || in<VAP_PORT_IDX>(address) || address == VAP_PORT_DATA_IDX_128::address();
}

// The viewport's registers answer at a second place (their aliases in registers/r5xx/vertex.json).
constexpr uint32_t first_of_viewport = VAP_VPORT_XSCALE::address(), second_viewport = 0x2098,
                   after_second_viewport = second_viewport + VAP_VPORT_ZOFFSET::address() - first_of_viewport + 4;

bool needs_write_back(uint32_t address) {
  switch (address) {
    case RB3D_DSTCACHE_CTLSTAT::address():
    case ZB_ZCACHE_CTLSTAT::address():
    case DSTCACHE_CTLSTAT::address():
    case RB2D_DSTCACHE_CTLSTAT::address():
    case WAIT_UNTIL::address():
    case ZB_ZPASS_DATA::address():
    case ZB_ZPASS_ADDR::address():
    case CP_IB_BUFSZ::address():
    case CP_IB2_BUFSZ::address():
    case CP_GUI_COMMAND::address():
    case CP_VID_COMMAND::address(): return true;
    default: return in<SCRATCH_REG>(address) || starts_2d(address);
  }
}

// The properties of an address that matter before its register is written.
enum AddressKind : uint8_t {
  NAMED = 1,
  WRITES_BACK = 2,
  PLAIN = 4,        // a register with a name, of no group of which each has something done of its own
  OF_ONE_DRAW = 8,  // is_of_one_draw()
};
// By dword. A queue's thread may outlive the end of main(): never destroyed.
const std::vector<uint8_t>& address_kinds() {
  [[clang::no_destroy]] static const std::vector<uint8_t> kinds = [] {
    std::vector<uint8_t> all(registers_end / 4);
    for (auto& instance : registers::all_instances(registers::r5xx_tables))
      if (auto address = instance.address(); address && *address < registers_end) all[*address / 4] = NAMED;
    for (uint32_t address = 0; address < registers_end; address += 4) {
      uint8_t& kind = all[address / 4];
      const bool in_group = is_port(address) || address >= first_bank || in<SCRATCH_REG>(address) || starts_2d(address) ||
                            is_vertex_state(address) || (address >= second_viewport && address < after_second_viewport);
      if (kind == NAMED && !in_group) kind |= PLAIN;
      if (needs_write_back(address)) kind |= WRITES_BACK;
      if (is_of_one_draw(address)) kind |= OF_ONE_DRAW;
    }
    return all;
  }();
  return kinds;
}
uint8_t kind_of(uint32_t address) { return address < registers_end ? address_kinds()[address / 4] : uint8_t(0); }

}  // namespace

uint32_t read_register(const Context& c, uint32_t address) {
  switch (address) {
    case ZB_ZPASS_DATA::address(): return c.z_passed[unsigned(std::countr_zero(selected_z_pipes(c) | 8u))];
    case ZB_HIZ_DWORD::address(): return c.hierarchical_depth.read(c.registers.get<ZB_HIZ_RDINDEX::HIZ_RDINDEX>());
    case RBBM_STATUS::address(): return RBBM_STATUS::FIFOCNT::of(64);  // idle, the queue of writes empty
    case CP_STAT::address(): return 0;
    case GA_IDLE::address(): return (1u << 27) - 1;
    default: return c.registers.raw(address);
  }
}

bool writes_back(uint32_t address) { return kind_of(address) & WRITES_BACK; }

Effect write_register(Context& c, uint32_t address, uint32_t value) {
  if (c.lost()) return {};
  RegisterFile& r = c.registers;
  address &= ~3u;
  uint8_t kind = kind_of(address);
  if (!(kind & PLAIN)) {
    if (in<VAP_PORT_DATA>(address)) return PortDword{number<VAP_PORT_DATA>(value)};
    if (in<VAP_PORT_IDX>(address)) return PortDword{number<VAP_PORT_IDX>(value)};
    if (address == VAP_PORT_DATA_IDX_128::address()) return PortDword{number<VAP_PORT_DATA_IDX_128>(value)};
    if (address >= first_bank && address < registers_end) return write_pixel_code(c, address, value), Effect();
    if (in<SCRATCH_REG>(address)) return write_scratch(c, (address - SCRATCH_REG::address(0)) / 4, value), Effect();
    if (address >= second_viewport && address < after_second_viewport)
      address += first_of_viewport - second_viewport, kind = kind_of(address);
    if (!(kind & NAMED)) c.unknown(fmt::format("register {:#06x}", address));
    if (starts_2d(address)) c.unknown("the 2D engine");
  }
  c.not_yet.at_write(address, value, [&](std::string what) { c.unknown(std::move(what)); });
  if (!(kind & PLAIN) && is_vertex_state(address)) return write_vertex_state(c, address, value);
  if (kind & OF_ONE_DRAW)
    r.set_uncounted(address, value);
  else
    r.set(address, value);

  switch (address) {
    case VAP_VF_CNTL::address(): return BeginDraw{Word<VAP_VF_CNTL>(value)};
    case VAP_PVS_VECTOR_INDX_REG::address():
      c.vertex_memory.position = VAP_PVS_VECTOR_INDX_REG::OCTWORD_OFFSET::get(value) * 4;
      break;
    case VAP_PVS_VECTOR_DATA_REG::address(): c.vertex_memory.write(number<VAP_PVS_VECTOR_DATA_REG>(value)); break;
    case VAP_PVS_VECTOR_DATA_REG_128::address(): c.vertex_memory.write(number<VAP_PVS_VECTOR_DATA_REG_128>(value)); break;
    case GA_US_VECTOR_INDEX::address():
      c.pixel_memory.writes_constants = GA_US_VECTOR_INDEX::TYPE::get(value);
      c.pixel_memory.clamps = GA_US_VECTOR_INDEX::CLAMP::get(value);
      c.pixel_memory.position = GA_US_VECTOR_INDEX::INDEX::get(value) * (c.pixel_memory.writes_constants ? 4 : 6);
      break;
    case GA_US_VECTOR_DATA::address(): c.pixel_memory.write(number<GA_US_VECTOR_DATA>(value)); break;
    case TX_FILTER4::address(): load_weights(c, value); break;
    case ZB_ZPASS_DATA::address():
      for (unsigned p = 0; p < c.z_passed.size(); p++)
        if (selected_z_pipes(c) >> p & 1) c.z_passed[p] = number<ZB_ZPASS_DATA>(value);
      break;
    case ZB_ZPASS_ADDR::address(): write_samples_passed(c, address_in<ZB_ZPASS_ADDR::ZPASS_ADDR>(r)); break;
    case RB3D_DSTCACHE_CTLSTAT::address():
      // The sync that DC_FINISH asks for writes CP_RESYNC_DATA to a scratch register.
      if (RB3D_DSTCACHE_CTLSTAT::DC_FINISH::get(value) && r.whole<CP_RESYNC_DATA>())
        write_scratch(c, r.get<CP_RESYNC_ADDR::RESYNC_ADDR>(), r.whole<CP_RESYNC_DATA>());
      break;
    case ZB_ZCACHE_CTLSTAT::address(): r.set(address, 0); break;  // its bits clear themselves
    case ZB_HIZ_DWORD::address(): {
      const uint32_t at = r.get<ZB_HIZ_WRINDEX::HIZ_WRINDEX>();
      c.hierarchical_depth.write(at, number<ZB_HIZ_DWORD>(value));
      r.set(ZB_HIZ_WRINDEX::address(), ZB_HIZ_WRINDEX::HIZ_WRINDEX::of(at + 1));
      break;
    }
    // The older form of the fill colour, S3.12.
    case GA_SOLID_RG::address():
      r.set(GA_FILL_R::address(), float_bits_of_fixed(GA_SOLID_RG::COLOR_RED::get(value)));
      r.set(GA_FILL_G::address(), float_bits_of_fixed(GA_SOLID_RG::COLOR_GREEN::get(value)));
      break;
    case GA_SOLID_BA::address():
      r.set(GA_FILL_B::address(), float_bits_of_fixed(GA_SOLID_BA::COLOR_BLUE::get(value)));
      r.set(GA_FILL_A::address(), float_bits_of_fixed(GA_SOLID_BA::COLOR_ALPHA::get(value)));
      break;
    case CP_IB_BUFSZ::address(): return RunIndirectBuffer{address_in<CP_IB_BASE::IB_BASE>(r), CP_IB_BUFSZ::IB_BUFSZ::get(value)};
    case CP_IB2_BUFSZ::address():
      return RunIndirectBuffer{address_in<CP_IB2_BASE::IB2_BASE>(r), CP_IB2_BUFSZ::IB2_BUFSZ::get(value)};
    case CP_ME_RAM_DATAL::address():  // micro code has nothing to do here; its address moves on
      r.set(CP_ME_RAM_ADDR::address(),
            CP_ME_RAM_ADDR::ME_RAM_ADDR::of(CP_ME_RAM_ADDR::ME_RAM_ADDR::peek(r.read<CP_ME_RAM_ADDR>()) + 1));
      break;
    case CP_GUI_COMMAND::address():
      copy(c, r.whole<CP_GUI_SRC_ADDR>(), r.whole<CP_GUI_DST_ADDR>(), number<CP_GUI_COMMAND>(value));
      break;
    case CP_VID_COMMAND::address():
      copy(c, r.whole<CP_VID_SRC_ADDR>(), r.whole<CP_VID_DST_ADDR>(), number<CP_VID_COMMAND>(value));
      break;
    default: break;
  }
  return {};
}

}  // namespace Atoll::r5xx
