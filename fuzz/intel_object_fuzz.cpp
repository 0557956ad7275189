// Device binaries of Intel's compiler: files as they are (those that begin as a zebin, an ELF file around patch tokens or patch tokens
// do), or containers put together from parts with numbers of any size. Objects that can be read are launched as `atoll launch`
// does it: arguments by the kernel's signature, relocations, tables, payload, a few groups on the interpreter, and what the
// kernel printed.
#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "../tests/codeobject/intel_containers.h"
#include "bytes.h"
#include "codeobject/intel_object.h"
#include "gpu/dg1/launch/launch.h"
#include "gpu/dg1/launch/printf.h"
#include "gpu/hsa/launch_arguments.h"
#include "isa/xe_lp/program.h"

using namespace Atoll;
using namespace Atoll::intel;
using namespace Atoll::intel::test;
using fuzz::Bytes;

namespace {

[[noreturn]] void broken(const char* what, const std::string& text) {
  fmt::print(stderr, "{}: {}\n", what, text);
  std::abort();
}

// --- containers from parts

// Reads and writes what its payload points to, and its surfaces; or anything.
std::vector<uint8_t> code(Bytes& in) {
  if (in.chance(96)) {
    std::vector<uint8_t> raw(in.byte());
    for (uint8_t& byte : raw) byte = in.byte();
    return raw;
  }
  static const std::vector<std::string> lines = {
      "mov (16|M0) r20.0<2>:ud r4.0<0;1,0>:ud",
      "mov (16|M0) r20.1<2>:ud r4.1<0;1,0>:ud",
      "send.dc1 (8|M0) r30 r20 null 0x0 0x04146eff",
      "send.dc1 (16|M0) r40 r8 null 0x0 0x04205e00",
      "send.dc1 (16|M0) null r8 r40 0x80 0x04025e01",
      "send.dc0 (8|M0) r50 r0 null 0x0 0x021802fe",
      "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}",
  };
  static const std::vector<uint32_t> words = [] {
    auto assembled = xe_lp::assemble(lines);
    return assembled ? *assembled : std::vector<uint32_t>{};
  }();
  if (words.empty()) broken("the kernel does not assemble", lines[0]);
  const auto* p = reinterpret_cast<const uint8_t*>(words.data());
  return {p, p + words.size() * 4};
}

std::string item(std::initializer_list<std::pair<const char*, std::string>> fields, const char* indent) {
  std::string out;
  for (auto& [key, value] : fields)
    if (!value.empty()) out += fmt::format("{}{}{}: {}\n", indent, out.empty() ? "- " : "  ", key, value);
  return out;
}
std::string maybe(Bytes& in, unsigned of_256, std::string value) { return in.chance(of_256) ? std::move(value) : std::string(); }
std::string number(Bytes& in) { return std::to_string(in.chance(8) ? -int64_t(in.number()) : int64_t(in.number())); }

std::string kernel_info(Bytes& in) {
  static constexpr const char* kinds[] = {"local_size",
                                          "enqueued_local_size",
                                          "group_count",
                                          "work_dimensions",
                                          "global_size",
                                          "global_id_offset",
                                          "private_base_stateless",
                                          "printf_buffer",
                                          "implicit_arg_buffer",
                                          "buffer_address",
                                          "buffer_offset",
                                          "arg_byvalue",
                                          "arg_byvalue",
                                          "arg_bypointer",
                                          "arg_bypointer",
                                          "arg_bypointer",
                                          "image_width",
                                          "image_height",
                                          "image_depth",
                                          "image_num_mip_levels",
                                          "image_channel_order",
                                          "image_channel_data_type",
                                          "image_srgb_channel_order",
                                          "image_array_size",
                                          "image_num_samples",
                                          "sampler_address",
                                          "sampler_normalized",
                                          "sampler_snap_wa",
                                          "assert_buffer"};
  auto small = [&](uint32_t n) { return std::to_string(in.below(n)); };
  std::string out = fmt::format("kernels:\n  - name: k\n    execution_env:\n      simd_size: {}\n",
                                in.chance(240) ? std::to_string(8u << in.below(3)) : number(in));
  if (in.chance(64)) out += fmt::format("      barrier_count: {}\n", number(in));
  if (in.chance(64)) out += fmt::format("      slm_size: {}\n", number(in));
  if (in.chance(16)) out += fmt::format("      grf_count: {}\n", number(in));
  if (in.chance(32)) out += fmt::format("      required_work_group_size: [{}, {}, {}]\n", small(20), small(4), small(4));
  if (in.chance(32)) out += fmt::format("      work_group_walk_order_dimensions: [{}, {}, {}]\n", small(4), small(4), number(in));
  out += "    payload_arguments:\n";
  for (unsigned n = in.byte() % 12; n > 0; n--)
    out += item({{"arg_type", kinds[in.byte() % std::size(kinds)]},
                 {"offset", in.chance(200) ? std::to_string(in.byte() % 32 * 4) : number(in)},
                 {"size", in.chance(200) ? std::to_string(4u << in.below(3)) : number(in)},
                 {"arg_index", maybe(in, 224, in.chance(224) ? small(4) : number(in))},
                 {"addrmode", maybe(in, 128, in.one_of<const char*>({"stateless", "stateful", "bindless", "slm"}))},
                 {"addrspace", maybe(in, 128, in.one_of<const char*>({"global", "local", "image", "sampler", "constant"}))},
                 {"sampler_index", maybe(in, 48, number(in))},
                 {"slm_alignment", maybe(in, 48, number(in))},
                 {"source_offset", maybe(in, 64, number(in))}},
                "      ");
  if (in.chance(200)) {
    out += "    per_thread_payload_arguments:\n";
    for (unsigned n = 1 + in.byte() % 2; n > 0; n--)
      out += item({{"arg_type", in.chance(250) ? "local_id" : "packed_local_ids"},
                   {"offset", in.chance(200) ? "0" : number(in)},
                   {"size", in.chance(200) ? std::to_string(96u << in.below(2)) : number(in)}},
                  "      ");
  }
  out += "    binding_table_indices:\n";
  for (unsigned n = in.byte() % 5; n > 0; n--)
    out += item({{"bti_value", in.chance(224) ? small(4) : number(in)}, {"arg_index", in.chance(224) ? small(4) : number(in)}},
                "      ");
  out += "    per_thread_memory_buffers:\n";
  for (unsigned n = in.byte() % 3; n > 0; n--)
    out += item({{"type", in.one_of<const char*>({"scratch", "global"})},
                 {"size", number(in)},
                 {"is_simt_thread", maybe(in, 128, "true")}},
                "      ");
  out += "    inline_samplers:\n";
  for (unsigned n = in.byte() % 3; n > 0; n--)
    out += item({{"sampler_index", number(in)},
                 {"addrmode", in.one_of<const char*>({"repeat", "mirror", "clamp_border", "clamp_edge", "none"})},
                 {"filtermode", in.one_of<const char*>({"linear", "nearest"})},
                 {"normalized", maybe(in, 128, "true")}},
                "      ");
  if (in.chance(128)) {
    out += "kernels_misc_info:\n  - name: k\n    args_info:\n";
    for (unsigned n = in.byte() % 5; n > 0; n--)
      out += item({{"index", in.chance(224) ? small(5) : number(in)},
                   {"address_qualifier", in.one_of<const char*>({"__global", "__local", "__constant", "__private"})},
                   {"type_name",
                    fmt::format("'{};{}'", in.one_of<const char*>({"int*", "image2d_t", "sampler_t", "float4", "struct S", ""}),
                                number(in))}},
                  "      ");
  }
  return out;
}

std::vector<uint8_t> make_zebin(Bytes& in) {
  enum : uint32_t { CODE = 1, CONSTANTS, GLOBALS, NAMES, SYMBOLS };
  Writer names;
  names.text("").text("k").text("constants").text("globals");
  constexpr uint32_t name_places[] = {0, 1, 3, 13};
  auto place = [&] { return in.chance(224) ? uint64_t(in.byte() % 64) : uint64_t(in.number()) << (in.chance(16) ? 32 : 0); };
  Writer symbols;
  for (unsigned n = 0; n < 5; n++)
    symbols.put(in.chance(240) ? name_places[n % 4] : in.number())
        .put(uint16_t(0))
        .put(uint16_t(1 + in.byte() % 6))
        .put(place())
        .put(place());
  Writer relocations;
  for (unsigned n = in.byte() % 6; n > 0; n--) relocations.put(place()).put(uint64_t(in.byte() % 6) << 32 | in.byte() % 6);
  std::vector<ElfPart> parts = {
      {.name = ".text.k", .flags = 2, .bytes = code(in)},
      {.name = ".data.const", .flags = 2, .bytes = std::vector<uint8_t>(in.byte())},
      {.name = ".data.global", .flags = 2, .bytes = std::vector<uint8_t>(in.byte())},
      {.name = ".strtab", .type = STRTAB, .bytes = names.bytes},
      {.name = ".symtab", .type = SYMTAB, .bytes = symbols.bytes, .link = NAMES},
      {.name = ".rel", .type = REL, .bytes = relocations.bytes, .link = SYMBOLS, .info = in.byte() % 4u}};
  if (in.chance(32)) parts[2].type = NOBITS, parts[2].size = in.number() & 0xffffff;
  if (in.chance(16)) parts[4].link = in.number(), parts[5].link = in.number(), parts[5].info = in.number();
  parts.push_back({.name = ".ze_info", .type = ZE_INFO, .bytes = bytes_of(kernel_info(in))});
  std::vector<uint8_t> out = zebin(parts);
  if (in.chance(16) && !out.empty()) out[in.take<uint16_t>() % out.size()] = in.byte();
  return out;
}

std::vector<uint8_t> make_token(Bytes& in) {
  constexpr uint32_t numbers[] = {5,  8,  11, 12, 15, 16, 17, 17, 17, 18, 22, 23, 25, 26,
                                  28, 30, 31, 33, 38, 41, 42, 43, 44, 47, 48, 53, 54, 99};
  const uint32_t which = numbers[in.byte() % std::size(numbers)];
  std::vector<uint32_t> words(in.chance(16) ? in.byte() % 4 : which == 23 ? 24 : 3 + in.byte() % 8);
  for (uint32_t& word : words) word = in.chance(192) ? in.byte() % 16 * (in.chance(64) ? 4 : 1) : in.number();
  if (which == 23 && words.size() > 3 && in.chance(240)) words[3] = 8u << in.below(3), words[0] = 0;
  if (which == 17 && !words.empty()) words[0] = in.byte() % 50;
  std::vector<uint8_t> data;
  if (which == 41 || which == 42) data.resize(words.empty() ? 0 : words.back() & 0xff);
  if (which == 53 || which == 54) data.resize(words.empty() ? 0 : (words[0] & 3) * (which == 53 ? 112 : 108));
  for (size_t n = 0; n < data.size(); n++) data[n] = n % 108 < 12 ? in.byte() % 8 : n % 108 < 14 ? 'k' : 0;
  if (which == 26 || which == 28) data.clear(), words.insert(words.end(), {0x3b746e69, 0x34, 0x3b, 0});
  return token(which, words, data);
}
std::vector<uint8_t> make_patch_tokens(Bytes& in) {
  auto list = [&](unsigned most) {
    std::vector<uint8_t> out;
    for (unsigned n = in.byte() % most; n > 0; n--) {
      auto one = make_token(in);
      out.insert(out.end(), one.begin(), one.end());
    }
    return out;
  };
  const std::vector<uint8_t> program = list(4);
  std::vector<TokenKernel> kernels(1 + in.byte() % 2);
  for (TokenKernel& k : kernels) {
    k.name = in.chance(224) ? "k" : "Intel_Symbol_Table_Void_Program";
    k.code = code(in);
    k.dynamic_heap.resize(in.byte()), k.surface_heap.resize(in.byte());
    for (uint8_t& byte : k.surface_heap) byte = in.byte() % 4 ? 0 : in.byte() & 0x40;
    k.tokens = token(23, {0, 0, 0, 8u << in.below(3), 0, 0});
    const uint32_t payload[] = {in.chance(224) ? 32u * in.below(16) : in.number(), 32};
    auto stream = token(25, payload), rest = list(16);
    k.tokens.insert(k.tokens.end(), stream.begin(), stream.end());
    k.tokens.insert(k.tokens.end(), rest.begin(), rest.end());
  }
  return patch_tokens(program, kernels);
}

// --- launches

hsa::LaunchArgument argument_for(const KernelArgument& parameter, Bytes& in) {
  hsa::LaunchArgument a;
  a.output = "-";
  switch (parameter.kind) {
    case ValueKind::GlobalBuffer:
      a.form = in.chance(16) ? hsa::ArgumentForm::Null : hsa::ArgumentForm::Out, a.bytes = in.byte() * 16u;
      break;
    case ValueKind::DynamicSharedPointer: a.form = hsa::ArgumentForm::Local, a.bytes = in.number(); break;
    case ValueKind::Image:
      a.form = hsa::ArgumentForm::ImageOut;
      a.image.order = hsa::ChannelOrder(in.byte() % 19), a.image.type = hsa::ChannelType(in.byte() % 16);
      for (uint32_t& size : a.image.size) size = 1 + in.byte() % 32u;
      break;
    case ValueKind::Sampler:
      a.form = hsa::ArgumentForm::Sampler;
      a.sampler = {hsa::SamplerDescription::Address(in.byte() % 5), in.chance(128), in.chance(128)};
      break;
    default:
      a.form = hsa::ArgumentForm::Number, a.value.resize(parameter.bytes);
      for (uint8_t& byte : a.value) byte = in.byte();
  }
  return a;
}

void launch(const IntelObject& object, const IntelKernel& kernel, Bytes& in) {
  Kernel signature = kernel.signature;
  std::vector<hsa::LaunchArgument> arguments;
  for (KernelArgument& parameter : signature.arguments) {
    constexpr uint32_t largest = 1 << 20;  // the largest type that is described
    if (parameter.kind == ValueKind::ByValue) {
      if (parameter.bytes > largest) broken("an argument of more bytes than any can have", std::to_string(parameter.bytes));
      parameter.type_name.clear();  // (any bytes of the right number will do)
    }
    arguments.push_back(argument_for(parameter, in));
  }
  const hsa::Target& target = dg1::launch_target();
  if (!hsa::match_launch_arguments(target, signature, arguments)) return;
  auto space = AddressSpace::create();
  if (!space) std::abort();
  auto bound = hsa::bind_launch_arguments(target, signature, arguments, **space);
  if (!bound) return;
  hsa::LaunchShape shape;
  shape.dimensions = 1 + in.byte() % 3;
  for (unsigned n = 0; n < shape.dimensions; n++) {
    shape.group[n] = in.chance(32) ? 1 + in.take<uint16_t>() % 1024u : 1 + in.byte() % 8u;
    shape.grid[n] = in.chance(16) ? 1 + uint64_t(in.number()) : 1 + in.byte() % 16u;
  }
  std::atomic<int> stop{0};
  hsa::RunOptions options;
  options.engine = hsa::Engine::Interpreter, options.deterministic = true, options.stop = &stop;
  dg1::PrintedByKernel printed;
  fuzz::Deadline deadline(stop, std::chrono::milliseconds(30));
  auto ran = dg1::launch(object, kernel, shape, bound->values, **space, options, printed);
  if (!ran && ran.error().message.empty()) broken("a launch is refused without a word", signature.name);
  for (const hsa::LaunchOutput& output : bound->outputs) (void)output.content();
}

void print_buffer(const std::vector<std::string>& strings, Bytes& in) {
  static const std::unique_ptr<AddressSpace> space = std::move(*AddressSpace::create());
  std::vector<uint8_t> buffer(in.byte() * 4u);
  for (size_t n = 0; n + 4 <= buffer.size(); n += 4) {
    const uint32_t word = in.chance(200) ? in.byte() % 16 : in.number();
    std::memcpy(&buffer[n], &word, 4);
  }
  if (buffer.size() >= 4 && in.chance(240)) {
    const auto used = uint32_t(buffer.size());
    std::memcpy(buffer.data(), &used, 4);
  }
  std::vector<std::string> all = strings;
  all.insert(all.end(), {"%d %s %v4hlf %c\n", "%", "%*.*f", "%-08lx|%5.3s|%p", "%v16hhd"});
  (void)dg1::decode_printf(buffer, all, in.chance(224), *space);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  const bool whole = is_intel_object(bytes) || (size >= 4 && std::memcmp(data, "\177ELF", 4) == 0);
  Bytes in(data, size);
  std::vector<uint8_t> made;
  if (!whole) made = in.byte() & 1 ? make_zebin(in) : make_patch_tokens(in);
  auto object = read_intel_object(whole ? bytes : made, "fuzz");
  if (!object) {
    if (object.error().message.empty()) broken("refused without a word", "");
    return 0;
  }
  print_buffer(object->strings, in);
  uint64_t all = 0;
  for (const Section& section : object->sections) {
    all += section.bytes.size();
    for (const Relocation& r : section.relocations)
      if (r.offset > section.bytes.size() || section.bytes.size() - r.offset < (r.kind == RelocationKind::Address64 ? 8u : 4u))
        broken("a relocation beyond its section", section.name);
  }
  for (const Symbol& symbol : object->symbols)
    if (symbol.section >= object->sections.size()) broken("a symbol in no section", symbol.name);
  constexpr uint64_t most = 16 << 20;
  for (size_t n = 0; n < std::min<size_t>(object->kernels.size(), 3) && all <= most; n++) launch(*object, object->kernels[n], in);
  return 0;
}
