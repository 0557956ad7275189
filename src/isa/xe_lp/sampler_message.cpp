#include "isa/xe_lp/sampler_message.h"

namespace Atoll::xe_lp {
namespace {

using wave::ImageOperation;
using wave::LodMode;

struct SamplerRow {
  ImageOperation operation = ImageOperation::sample;
  LodMode lod_mode = LodMode::zero;
  bool compare = false, integers = false;
  std::string_view parameters;
};

constexpr SamplerRow sampler_row(unsigned message) {
  switch (message) {
    case 0x00: return {ImageOperation::sample, LodMode::implicit, false, false, "uvram"};
    case 0x01: return {ImageOperation::sample, LodMode::bias, false, false, "buvram"};
    case 0x02: return {ImageOperation::sample, LodMode::level, false, false, "luvra"};
    case 0x03: return {ImageOperation::sample, LodMode::implicit, true, false, "cuvram"};
    case 0x04: return {ImageOperation::sample, LodMode::derivatives, false, false, "udevfgrhiam"};
    case 0x05: return {ImageOperation::sample, LodMode::bias, true, false, "cbuvram"};
    case 0x06: return {ImageOperation::sample, LodMode::level, true, false, "cluvra"};
    case 0x07: return {ImageOperation::load, LodMode::level, false, true, "uvlr"};
    case 0x08: return {ImageOperation::gather, LodMode::zero, false, false, "uvra"};
    case 0x09: return {ImageOperation::query_lod, LodMode::implicit, false, false, "uvra"};
    case 0x0a: return {ImageOperation::size, LodMode::zero, false, true, "l"};
    case sampler_message_info: return {ImageOperation::size, LodMode::zero, false, true, "."};
    case 0x10: return {ImageOperation::gather, LodMode::zero, true, false, "cuvra"};
    case 0x11: return {ImageOperation::gather, LodMode::zero, false, false, "uvpqr"};
    case 0x12: return {ImageOperation::gather, LodMode::zero, true, false, "cuvpqr"};
    case 0x14: return {ImageOperation::sample, LodMode::derivatives, true, false, "cudevfgrhiam"};
    case 0x18: return {ImageOperation::sample, LodMode::zero, false, false, "uvra"};
    case 0x19: return {ImageOperation::sample, LodMode::zero, true, false, "cuvra"};
    case 0x1a: return {ImageOperation::load, LodMode::zero, false, true, "uvr"};
    case 0x1c: return {ImageOperation::load, LodMode::zero, false, true, "s..uvrl"};
    case sampler_message_mcs: return {ImageOperation::size, LodMode::zero, false, true, "uvr"};
    case 0x1e: return {ImageOperation::load, LodMode::zero, false, true, "s.uvrl"};
    case 0x1f: return {ImageOperation::load, LodMode::zero, false, true, "suvrl"};
    default: return {};
  }
}

}  // namespace

bool read_sampler_message(uint32_t d, SamplerMessage& m) {
  const unsigned mode = (d >> 17 & 3) | (d >> 29 & 1) << 2;
  m.number = d >> 12 & 31;
  const SamplerRow row = sampler_row(m.number);
  m.operation = row.operation, m.lod_mode = row.lod_mode, m.compare = row.compare, m.integers = row.integers;
  m.parameters = row.parameters;
  m.halves = mode == 5 || mode == 6;
  m.lanes = mode == 1 || mode == 5 ? 8 : 16;
  m.header = d >> 19 & 1, m.answer_halves = d >> 30 & 1;
  m.sampler = d >> 8 & 15, m.bti = uint8_t(d);
  m.address_length = d >> 25 & 15, m.response_length = d >> 20 & 31;
  return (mode == 1 || mode == 2 || m.halves) && !m.parameters.empty();
}

}  // namespace Atoll::xe_lp
