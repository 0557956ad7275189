// The interface that the packets of PM4 common to all chips need from a family of chips. Each packet is a template over F, a
// struct of the family's with
//
//   Context, Processor     its queue's context (on gpu::QueueState: `registers`, `predicate`, `indirect_base`, clock(),
//                          write_back_targets()) and its command processor, a PacketExecutor<F>
//   WRITE_DATA, ...        the packets' words, generated from registers/FAMILY/*.json, by the names below; what a family has not (the
//                          GDS of GFX12, byte swaps) is no enumerator or no field there, and its code is left out
//   the functions below    registers as packets see them, and what is a family's own
//
// Formats: Mesa 22.3.6 and 25.0.7 src/amd/common/sid.h, Linux drivers/gpu/drm/radeon/cikd.h.
#pragma once
#include <concepts>
#include <cstdint>
#include <span>

#include "registers/tables.h"

namespace Atoll::gpu::amd {

// The dwords after a packet's header; at least as many as its row in the table requires.
using Body = std::span<const uint32_t>;

inline uint64_t address_of(uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; }

// SET_PREDICATION: predicated packets are passed over while it `fails`.
struct Predicate {
  bool fails = false;
  bool visible = true;  // the result of the queries so far
};

// The arguments of a draw in memory; without indices `first` is its first vertex, and `base_vertex` as well.
struct IndirectArguments {
  uint32_t count = 0, instances = 0, first = 0, base_vertex = 0, first_instance = 0;
};

// The row of a packet. `handler` executes it; before that `writes_back` is asked whether the pipeline's copies of the targets are
// to be written back (null: always).
template <class Processor>
struct PacketRow {
  uint8_t opcode;
  uint8_t min_dwords;  // behind its header
  void (*handler)(Processor& cp, Body body);
  bool (*writes_back)(Body body);
};

template <class F>
concept PacketFamily = requires(typename F::Context& c, uint32_t address, uint32_t value, Body body, const IndirectArguments& a) {
  { F::tables() } -> std::same_as<const registers::Family&>;
  { F::row(value) } -> std::same_as<const PacketRow<typename F::Processor>*>;  // null: nothing handles the opcode
  // The bits of the number in a packet's word that names a register.
  { F::register_number_mask } -> std::convertible_to<uint32_t>;
  // The bits that count in addresses of DMA packets, whose words have all 64.
  { F::dma_address_mask } -> std::convertible_to<uint64_t>;
  // True if any register of that byte address is known; counts it as unknown if not.
  { F::known_register(c, address) } -> std::same_as<bool>;
  { F::read_register(c, address) } -> std::same_as<uint32_t>;
  F::write_register(c, address, value);
  // Executes an event, apart from ordering.
  F::event(c, value);
  // How many render backends write their counts of samples.
  { F::render_backends(c) } -> std::convertible_to<unsigned>;
  // The address in SET_PREDICATION.
  { F::predicate_address(body) } -> std::same_as<uint64_t>;
  // Draws with arguments from memory; `value` is VGT_DRAW_INITIATOR.
  F::draw(c, value, true, a);
};

}  // namespace Atoll::gpu::amd
