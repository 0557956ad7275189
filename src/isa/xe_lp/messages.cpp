// The messages of the shared functions by their descriptors (PRM volume 2b, "Message Descriptor" of each), in the words that IGA
// has for them (IGC: visa/iga/IGALibrary/Backend/Messages, IGALibrary/Frontend/SendDescriptorDecoding.cpp).
#include "isa/xe_lp/messages.h"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::xe_lp {
namespace {

struct Message {
  const Instruction& i;
  std::string text;          // empty: none that Xe-LP has
  unsigned coordinates = 0;  // lanes, where the message's addresses are coordinates of a typed surface; else 0

  unsigned bits(unsigned low, unsigned size) const { return i.descriptor >> low & ((1u << size) - 1); }
  bool bit(unsigned n) const { return bits(n, 1) != 0; }
  unsigned type() const { return bits(14, 5); }

  // --- data ports
  void oword_block(std::string_view name) {
    constexpr unsigned counts[] = {1, 1, 2, 4, 8, 16, 0, 0};
    text = fmt::format("{} x{}{}", name, counts[bits(8, 3)], bits(8, 3) == 1 ? "H" : "");
  }
  // The components of xyzw that a message has; its bits switch them off.
  std::string channels() const {
    std::string out = " with ";
    for (unsigned n = 0; n < 4; n++)
      if (!bit(8 + n)) out += "xyzw"[n];
    return out;
  }
  void bytes(std::string_view name) {
    constexpr std::string_view sizes[] = {" 8b", " 16b", " 32b", ""};
    text = fmt::format("{}{}", name, sizes[bits(10, 2)]);
  }
  void float_atomic(std::string_view name, unsigned size) {
    constexpr std::string_view operations[] = {"",    "max",      "min",     "fp-compare and swap ",
                                               "add", "subtract", "64b add", "64b subtract"};
    unsigned operation = bits(8, 3);
    if (operation == 0) return;
    if (operation >= 6) size = 64;
    text = fmt::format("{} {} ({}b){}", name, operations[operation], size, bit(13) ? " with return" : "");
  }
  void integer_atomic(std::string_view name) {
    constexpr std::string_view operations[] = {"64b integer compare and swap",
                                               "logical AND",
                                               "logical OR",
                                               "logical XOR",
                                               "store",
                                               "integer increment",
                                               "integer decrement",
                                               "integer add",
                                               "integer subtract",
                                               "commuted integer subtract",
                                               "signed-integer max",
                                               "signed-integer min",
                                               "unsigned-integer max",
                                               "unsigned-integer min",
                                               "integer compare and swap",
                                               "integer pre-decrement (returns pre-decrement value)"};
    text = fmt::format("{} {}", name, operations[bits(8, 4)]);
  }
  void typed_atomic(unsigned size) {
    text = bit(12) ? fmt::format("typed_sgh atomic {}-bit integer (slot group high)", size)
                   : fmt::format("typed atomic {}-bit integer", size);
    integer_atomic(std::string(text));
  }
  void typed(std::string_view name, bool status) {
    text = fmt::format("{}{}{}{}", name, bits(12, 2) == 2 ? " (high slot group)" : "", status ? " returning status" : "",
                       channels());
    coordinates = 8;
  }
  void fence() {
    text = bit(13) ? "synchronized " : "";
    if (bits(0, 8) == 0xfe) text += "SLM fence";
    if (bits(0, 8) != 0) return;
    text += "global fence flushing";
    if (bit(8)) text += " L1";
    if (bits(9, 4) == 15) {
      text += " all L3 data";
    } else if (bits(9, 4)) {
      text += " L3";
      if (bit(12)) text += " r/w data";
      std::string_view comma = "";
      constexpr std::string_view names[] = {" instruction data", " texture data", " constant data"};
      for (unsigned n = 3; n-- > 0;)
        if (bit(9 + n)) text += comma, text += names[n], comma = ",";
    }
  }
  void media_block(std::string_view name) {
    text = name;
    bool skip = bit(8), override_stride = bit(9);
    if (!bits(8, 3)) return;
    text += " with vertical line stride ";
    if (override_stride) text += "override";
    if (skip) text += override_stride ? ",skip" : " and skip";
    if (override_stride) text += skip ? ", and offset" : " and offset";
  }
  void a64_block(std::string_view direction) {
    bool hwords = bits(11, 2) == 3, aligned = bits(11, 2) == 1;
    std::string name =
        fmt::format("a64 {} {} block {}", aligned ? "aligned" : "unaligned", hwords ? "hword" : "oword", direction);
    if (hwords)
      text = fmt::format("{} x{}", name, 1 << bits(8, 3));
    else
      oword_block(name);
  }
  void a64_scattered(bool read) {
    std::string_view direction = read ? "gathering read" : "scattering write";
    unsigned kind = bits(8, 2);
    if (kind == 1 || kind == 2)
      text = fmt::format("a64 {} {}", kind == 1 ? "dword" : "qword", direction);
    else
      bytes(fmt::format("a64 byte {}", direction));
  }
  void data_port_0() {
    switch (type()) {
      case 0x00: return oword_block("oword block read");
      case 0x01: return oword_block("oword aligned block read");
      case 0x02: text = "oword dual block read"; return;
      case 0x03:
      case 0x0b:
        text = type() == 3 ? "dword gathering read" : "dword scattering write";
        if (bits(10, 2)) text += fmt::format(" x{}", 1 << bits(10, 2));
        return;
      case 0x04: return bytes("byte gathering read");
      case 0x05:
      case 0x0d: text = "qword gathering read"; return;  // IGA: the write as well
      case 0x07: return fence();
      case 0x08: return oword_block("oword block write");
      case 0x09: return oword_block("hword aligned block write");
      case 0x0a: text = "oword dual block write"; return;
      case 0x0c: return bytes("byte scattering write");
      default:
        if (bit(18)) text = fmt::format("hword scratch block {} x{}", bit(17) ? "write" : "read", 1 << bits(12, 2));
    }
  }
  void data_port_1() {
    switch (type()) {
      case 0x01: text = "untyped surface read" + channels(); return;
      case 0x02: return integer_atomic("untyped atomic int32");
      case 0x03: return integer_atomic("untyped atomic int16");
      case 0x04: return media_block("media block read");
      case 0x05: return typed("typed surface read", false);
      case 0x06: return typed_atomic(32);
      case 0x07: coordinates = 8; return typed_atomic(16);
      case 0x09: text = "untyped surface write" + channels(); return;
      case 0x0a: return media_block("media block write");
      case 0x0b:
      case 0x0c:
        coordinates = bit(12) ? 8 : 16;
        return integer_atomic(type() == 0x0b ? "typed atomic 32-bit counter" : "typed atomic 16-bit counter");
      case 0x0d: return typed("typed surface write", false);
      case 0x0e: return typed("typed surface read", true);
      case 0x10: return a64_scattered(true);
      case 0x11: text = "a64 untyped surface read" + channels(); return;
      case 0x12: return integer_atomic(bit(12) ? "untyped a64 atomic int64" : "untyped a64 atomic int32");
      case 0x13: return integer_atomic("untyped a64 atomic int16");
      case 0x14: return a64_block("read");
      case 0x15: return a64_block("write");
      case 0x19: text = "a64 untyped surface write" + channels(); return;
      case 0x1a: return a64_scattered(false);
      case 0x1b: return float_atomic("float atomic", 32);
      case 0x1c: return float_atomic("untyped half-float atomic", 16);
      case 0x1d: return float_atomic("a64 float atomic", 32);
      case 0x1e: return float_atomic("a64 untyped half-float atomic", 16);
      default: return;
    }
  }
  void constant_port() {
    switch (type()) {
      case 0x00: return oword_block("constant oword block read");
      case 0x01: return oword_block("constant aligned oword block read");
      case 0x03: text = "constant dword gathering read"; return;
      // IGA names this one too, although only younger GPUs have it.
      case 0x09: text = "untyped surface uncompressed write"; return;
      case 0x0c: text = "typed surface CCS update message"; return;
      case 0x0d: text = "typed surface uncompressed write"; return;
      case 0x17: text = "A64 page CCS update operation"; return;
      case 0x18: text = "A64 untyped surface CCS operation"; return;
      case 0x19: text = "A64 untyped surface uncompressed write"; return;
      default: return;
    }
  }

  // --- the other shared functions
  void gateway() {
    constexpr std::string_view messages[] = {
        "end of thread", "signal event", "monitor event", "unmonitor event", "signal barrier", "", "wait for event", ""};
    text = messages[bits(0, 3)];
  }
  void render_target() {
    bool write = bits(14, 4) == 12, read = bits(14, 4) == 13;
    text = bit(30) ? "half-precision" : "full-precision";
    text += write ? " render target write" : read ? " render target read" : " unknown render target op";
    constexpr std::string_view writes[] = {" SIMD16", " replicated SIMD16", " of low SIMD8", " of high SIMD8", " SIMD8"};
    unsigned kind = bits(8, 3);
    if (write) text += kind < 5 ? writes[kind] : "unknown write subop";
    if (read) text += kind == 0 ? " SIMD16" : kind == 1 ? " SIMD8" : "unknown read subop";
    if (write && bit(18)) text += " with Per-Coarse Pixel PS outputs enable";
    if (bit(13)) text += " with Per-Sample Pixel PS outputs enable";
    if (write && bit(12)) text += "; last render target";
    if (bit(11)) text += " slot group high";
    text += fmt::format(" to surface {}", bits(0, 8));
  }
  void sampler() {
    constexpr std::string_view sizes[] = {"unknown simd mode", "simd8",      "simd16",      "simd32/64",
                                          "unknown simd mode", "simd8 high", "simd16 high", ""};
    constexpr std::string_view messages[] = {"sample",
                                             "sample+LOD bias",
                                             "sample override LOD",
                                             "sample compare",
                                             "sample gradient",
                                             "sample compare+LOD bias",
                                             "sample compare+override LOD",
                                             "sample load",
                                             "sample gather4",
                                             "sample override lod",
                                             "sample res info",
                                             "sample info",
                                             "sample+killpix",
                                             "",
                                             "",
                                             "",
                                             "sample gather4+compare",
                                             "sample gather4+pixel offset",
                                             "sample gather4 pixel offset+compare",
                                             "",
                                             "sample derivatives+compare",
                                             "",
                                             "sample min",
                                             "sample max",
                                             "sample with lod forced to 0",
                                             "sample compare+with lod forced to 0",
                                             "sample load with lod forced to 0",
                                             "",
                                             "sample ld2 multi-sample wide",
                                             "sample load mcs auxiliary data",
                                             "sample load multi-sample",
                                             "sample multi-sample without mcs"};
    unsigned size = bits(17, 2) | bits(29, 1) << 2, message = bits(12, 5);
    std::string_view name = messages[message];
    if (size == 3)
      name = message == 0x00   ? "sample unorm"
             : message == 0x02 ? "sample unorm+killpix"
             : message == 0x08 ? "sample deinterlace"
             : message == 0x0a ? "sample unorm+killpix for media"
             : message == 0x0b ? "sample 8x8"
             : message == 0x0c ? "sample unorm for media"
             : message == 0x1f ? "sampler cache flush"
                               : "";
    text =
        fmt::format("{}{} {} using sampler index {}", sizes[size], bit(30) ? " 16b" : "", name.empty() ? "?" : name, bits(8, 4));
  }
  void urb() {
    std::string_view offset = bit(17) ? " with per-slot offset enabled" : "";
    switch (bits(0, 4)) {
      case 7: text = fmt::format("urb dword {}write{}", bit(15) ? "masked " : "", offset); return;
      case 8: text = fmt::format("urb dword read{}", offset); return;
      case 9: text = "urb fence"; return;
      default: return;
    }
  }

  void describe() {
    switch (Sfid(i.function)) {
      case Sfid::Sampler: return sampler();
      case Sfid::Gateway: return gateway();
      case Sfid::RenderTarget: return render_target();
      case Sfid::Urb: return urb();
      case Sfid::ThreadSpawner:
        if (bits(0, 3) == 0) text = "end of thread";
        return;
      case Sfid::ConstantPort: return constant_port();
      case Sfid::DataPort0: return data_port_0();
      case Sfid::DataPort1: return data_port_1();
      default: return;
    }
  }
};

}  // namespace

std::string describe_send(const Instruction& i) {
  // Lengths in registers come from the descriptors; null has none.
  auto is_null = [](const Operand& o) { return o.file == File::Null; };
  unsigned addresses = i.descriptor >> 25 & 15;
  std::string out = "wr:";
  out += !i.descriptor_in_register ? fmt::format("{}", addresses) : is_null(i.src[0]) ? "0" : "a0.0[28:25]";
  if (!i.descriptor_in_register && i.descriptor >> 19 & 1) out += "h";
  out += !i.extended_descriptor_in_register ? fmt::format("+{}", i.extended_descriptor >> 6 & 31)
         : is_null(i.src[1])                ? "+0"
                                            : fmt::format("+a0.{}[10:6]", i.extended_descriptor);
  if (i.descriptor_in_register) return out + ", rd:a0.0[24:20]";
  out += fmt::format(", rd:{}", i.descriptor >> 20 & 31);
  Message message{i, {}, 0};
  message.describe();
  out += "; " + (message.text.empty() ? "?" : message.text);
  if (message.coordinates) {
    unsigned registers = std::max(1u, std::min<unsigned>(message.coordinates, i.lanes) * 32 / 256);
    constexpr std::string_view names[] = {"", "; u", "; u,v", "; u,v,r", "; u,v,r,lod"};
    if (addresses / registers < std::size(names)) out += names[addresses / registers];
  }
  return out;
}

}  // namespace Atoll::xe_lp
