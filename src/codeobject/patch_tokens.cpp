// Patch tokens: a header, tokens of the program, then of each kernel its header, heaps and tokens. IGC: patch_list.h, patch_shared.h,
// patch_g7.h (structures of the tokens); NEO: shared/source/device_binary_format/patchtokens_decoder.cpp (which data follow them).
#include <algorithm>
#include <cstdlib>

#include "codeobject/byte_reader.h"
#include "codeobject/intel_object.h"

namespace Atoll::intel {
namespace {

enum Token : uint32_t {
  SAMPLER_STATE_ARRAY = 5,
  BINDING_TABLE_STATE = 8,
  GLOBAL_MEMORY_OBJECT = 11,
  IMAGE_MEMORY_OBJECT = 12,
  LOCAL_SURFACE = 15,
  SAMPLER_ARGUMENT = 16,
  DATA_PARAMETER_BUFFER = 17,
  MEDIA_VFE_STATE = 18,
  THREAD_PAYLOAD = 22,
  EXECUTION_ENVIRONMENT = 23,
  DATA_PARAMETER_STREAM = 25,
  ARGUMENT_INFO = 26,
  STRING = 28,
  STATELESS_GLOBAL_ARGUMENT = 30,
  STATELESS_CONSTANT_ARGUMENT = 31,
  PRINTF_SURFACE = 33,
  PRIVATE_SURFACE = 38,
  GLOBAL_DATA = 41,
  CONSTANT_DATA = 42,
  STATELESS_GLOBAL_DATA = 43,
  STATELESS_CONSTANT_DATA = 44,
  GLOBAL_POINTER = 47,
  CONSTANT_POINTER = 48,
  SYMBOL_TABLE = 53,
  RELOCATION_TABLE = 54,
};

struct ParameterRow {
  uint32_t token;
  Payload what;
  bool axes;  // three, told apart by the source's offset
};
constexpr ParameterRow parameters[] = {
    {1, Payload::Value, false},
    {2, Payload::LocalSize, true},
    {3, Payload::GlobalSize, true},
    {4, Payload::GroupCount, true},
    {5, Payload::WorkDimensions, false},
    {8, Payload::SlmOffset, false},
    {9, Payload::ImageWidth, false},
    {10, Payload::ImageHeight, false},
    {11, Payload::ImageDepth, false},
    {12, Payload::ImageType, false},
    {13, Payload::ImageOrder, false},
    {14, Payload::SamplerAddress, false},
    {15, Payload::SamplerNormalized, false},
    {16, Payload::GlobalOffset, true},
    {18, Payload::ImageArraySize, false},
    {20, Payload::ImageSamples, false},
    {21, Payload::SamplerSnap, false},
    {27, Payload::ImageLevels, false},
    {28, Payload::EnqueuedLocalSize, true},
    {39, Payload::ImageSrgbOrder, false},
    {42, Payload::BufferOffset, false},
    {49, Payload::ImplicitArguments, false},
};

constexpr uint32_t magic = 0x494e5443, register_bytes = 32, most_arguments = 4096, most_strings = 1 << 16;
constexpr const char *constants_symbol = "constant data", *globals_symbol = "global data";

// Strings stand as C has them in its source.
std::string without_escapes(std::string_view text) {
  std::string out;
  constexpr std::string_view letters = "ntrabfv", meanings = "\n\t\r\a\b\f\v";
  for (size_t n = 0; n < text.size(); n++) {
    if (text[n] != '\\' || n + 1 == text.size()) {
      out += text[n];
      continue;
    }
    const size_t letter = letters.find(text[++n]);
    out += letter == letters.npos ? text[n] : meanings[letter];
  }
  return out;
}

// A token's words behind its header.
struct Item {
  uint32_t token = 0, words = 0;
  ByteReader bytes;
  uint32_t word(uint32_t n) const { return bytes.read<uint32_t>(8 + n * 4).value_or(0); }
};

struct Reader {
  std::span<const uint8_t> bytes;
  ByteReader r{bytes};
  IntelObject object;

  // Calls take(item, what follows it) for every token of [at, end); take() says how many bytes of data follow.
  template <class Take>
  Expected<void> tokens(uint64_t at, uint64_t end, Take take) {
    while (at < end) {
      const auto token = r.value<uint32_t>(at), size = r.value<uint32_t>(at + 4);
      if (size < 8 || size > end - at) return fail("a patch token at {:#x} that reaches beyond its list", at);
      Item item{token, (size - 8) / 4, ByteReader(bytes.subspan(at, size))};
      auto more = take(item, bytes.subspan(at + size, end - at - size));
      if (!more) return std::unexpected(more.error());
      if (*more > end - at - size) return fail("the data of a patch token at {:#x} reach beyond its list", at);
      at += size + *more;
    }
    return {};
  }

  size_t add_section(std::string name, std::span<const uint8_t> content, bool code) {
    object.sections.push_back({std::move(name), {content.begin(), content.end()}, {}, code});
    return object.sections.size() - 1;
  }

  Expected<uint64_t> program_token(const Item& item, std::span<const uint8_t> behind) {
    if (item.token == GLOBAL_DATA || item.token == CONSTANT_DATA) {
      const uint32_t size = item.word(item.words - 1);
      const bool constant = item.token == CONSTANT_DATA;
      if (size > behind.size()) return fail("{} bytes of data are not there", size);
      const size_t section = add_section(constant ? constants_symbol : globals_symbol, behind.first(size), false);
      (constant ? object.constants : object.globals) = section;
      object.symbols.push_back({object.sections[section].name, section, 0});
      return size;
    }
    if (item.token == GLOBAL_POINTER || item.token == CONSTANT_POINTER) {
      auto& place = item.token == GLOBAL_POINTER ? object.globals : object.constants;
      const uint64_t offset = item.word(1) | uint64_t(item.word(2)) << 32;
      if (!place || object.sections[*place].bytes.size() < 8 || offset > object.sections[*place].bytes.size() - 8)
        return fail("a pointer beyond the program's data");
      object.sections[*place].relocations.push_back(
          {offset, RelocationKind::Address64, item.word(3) ? constants_symbol : globals_symbol});
    }
    return 0;
  }

  static KernelArgument* argument_of(IntelKernel& k, uint32_t number) {
    if (number > most_arguments) return nullptr;
    if (k.signature.arguments.size() <= number) k.signature.arguments.resize(number + 1);
    return &k.signature.arguments[number];
  }

  // The heaps, in which a kernel's tokens name things by their offsets.
  struct Heaps {
    std::span<const uint8_t> dynamic, surface;
    uint32_t table_offset = 0, table_count = 0, samplers_offset = 0, samplers_count = 0;
    struct Use {
      uint32_t offset;
      int argument;
    };
    std::vector<Use> surfaces, samplers;
  };

  void pointer(const Item& item, IntelKernel& k, Heaps& heaps) {
    KernelArgument* a = argument_of(k, item.word(0));
    if (!a) return;
    a->kind = ValueKind::GlobalBuffer, a->bytes = 8;
    k.payload.push_back({Payload::Pointer, item.word(2), item.word(3), int(item.word(0)), 0, 3});
    heaps.surfaces.push_back({item.word(1), int(item.word(0))});
  }
  Expected<void> parameter(const Item& item, IntelKernel& k) {
    auto row = std::ranges::find(parameters, item.word(0), &ParameterRow::token);
    if (row == std::end(parameters)) return {};
    PayloadPart part{row->what, item.word(2), item.word(3), int(item.word(1)), item.word(4), 3};
    KernelArgument* a = row->axes ? nullptr : argument_of(k, item.word(1));
    if (row->axes) {
      part.argument = -1, part.axis = std::min(item.word(4) / 4, 2u);
    } else if (part.what == Payload::Value && a) {
      if (auto good = check_value_part(part.argument, part.source_offset, part.bytes); !good) return good;
      a->kind = ValueKind::ByValue, a->bytes = std::max(a->bytes, part.source_offset + part.bytes);
    } else if (part.what == Payload::SlmOffset && a) {
      a->kind = ValueKind::DynamicSharedPointer, a->bytes = 8;
      a->pointee_alignment = std::clamp(part.source_offset, 1u, 4096u);
    }
    k.payload.push_back(part);
    return {};
  }
  void argument_info(const Item& item, IntelKernel& k) {
    KernelArgument* a = argument_of(k, item.word(0));
    if (!a) return;
    uint64_t at = 8 + 24;
    std::string texts[5];
    for (unsigned n = 0; n < 5; n++) {
      texts[n] = item.bytes.text(at).value_or("");
      at += item.word(1 + n);
    }
    const size_t semicolon = texts[3].rfind(';');
    a->name = texts[2], a->type_name = texts[3].substr(0, semicolon);
    const uint32_t bytes = semicolon == texts[3].npos
                               ? 0
                               : uint32_t(std::min(std::strtoul(texts[3].c_str() + semicolon + 1, nullptr, 10), 1ul << 16));
    if (a->kind == ValueKind::ByValue && bytes) a->bytes = bytes;
    if (a->kind != ValueKind::Unknown) return;
    // One that the code does not use.
    if (texts[0].starts_with("__global") || texts[0].starts_with("__constant"))
      a->kind = ValueKind::GlobalBuffer, a->bytes = 8;
    else if (texts[0].starts_with("__local"))
      a->kind = ValueKind::DynamicSharedPointer, a->bytes = 8;
    else if (a->type_name.starts_with("image"))
      a->kind = ValueKind::Image, a->bytes = 8;
    else if (a->type_name.starts_with("sampler"))
      a->kind = ValueKind::Sampler, a->bytes = 8;
    else
      a->kind = ValueKind::ByValue, a->bytes = bytes;
  }
  // Entries of 100 letters behind their numbers (ZESymEntry, ZERelocEntry of IGC's usc_gen.h).
  void names(const Item& item, std::span<const uint8_t> behind, size_t section) {
    constexpr uint32_t name_bytes = 100;
    const bool symbols = item.token == SYMBOL_TABLE;
    const uint32_t entry = (symbols ? 12 : 8) + name_bytes, count = item.word(0);
    ByteReader from(behind);
    for (uint64_t at = 0; at / entry < count && from.holds(at, entry); at += entry) {
      const std::string name(from.text(at + entry - name_bytes).value_or("").substr(0, name_bytes));
      const uint32_t first = from.value<uint32_t>(at), second = from.value<uint32_t>(at + 4);
      if (!symbols) {
        const uint64_t bytes = first == 1 ? 8 : 4;
        auto& code = object.sections[section];
        if (first >= 1 && first <= 4 && second + bytes <= code.bytes.size())
          code.relocations.push_back({second, RelocationKind(first - 1), name});
        continue;
      }
      const uint32_t kind = from.value<uint32_t>(at + 8);  // 1 function, 2 global, 3 constant
      const auto where = kind == 2 ? object.globals : kind == 3 ? object.constants : std::optional(section);
      if (where && kind >= 1 && kind <= 3) object.symbols.push_back({name, *where, first});
    }
  }

  Expected<uint64_t> kernel_token(const Item& item, std::span<const uint8_t> behind, IntelKernel& k, Heaps& heaps) {
    switch (item.token) {
      case SAMPLER_STATE_ARRAY: heaps.samplers_offset = item.word(0), heaps.samplers_count = item.word(1); break;
      case BINDING_TABLE_STATE: heaps.table_offset = item.word(0), heaps.table_count = item.word(1); break;
      case GLOBAL_MEMORY_OBJECT:
        if (KernelArgument* a = argument_of(k, item.word(0))) a->kind = ValueKind::GlobalBuffer, a->bytes = 8;
        heaps.surfaces.push_back({item.word(1), int(item.word(0))});
        break;
      case IMAGE_MEMORY_OBJECT:
        if (KernelArgument* a = argument_of(k, item.word(0))) a->kind = ValueKind::Image, a->bytes = 8;
        heaps.surfaces.push_back({item.word(2), int(item.word(0))});
        break;
      case SAMPLER_ARGUMENT:
        if (KernelArgument* a = argument_of(k, item.word(0))) a->kind = ValueKind::Sampler, a->bytes = 8;
        heaps.samplers.push_back({item.word(2), int(item.word(0))});
        break;
      case LOCAL_SURFACE: k.slm_bytes = std::min(item.word(1), 1u << 20); break;
      case DATA_PARAMETER_BUFFER:
        if (auto taken = parameter(item, k); !taken) return std::unexpected(taken.error());
        break;
      case MEDIA_VFE_STATE: k.scratch_bytes = std::min(item.word(1), 1u << 24); break;
      case THREAD_PAYLOAD:
        k.local_ids = (item.word(1) != 0) + (item.word(2) != 0) + (item.word(3) != 0);
        // UnusedPerThreadConstantPresent: without them the hardware wants a register of a thread's own
        if (!k.local_ids && item.word(6)) k.per_thread_bytes = register_bytes;
        break;
      case EXECUTION_ENVIRONMENT:
        k.simd = item.word(3), k.barriers = item.word(5) != 0, k.has_large_grf = item.word(20) > 128;
        if (item.word(0)) k.signature.required_workgroup_size = {item.word(0), item.word(1), item.word(2)};
        for (unsigned n = 0; n < 3 && item.word(21); n++) k.walk_order[n] = uint8_t(item.word(21) >> n * 2 & 3) % 3;
        break;
      case DATA_PARAMETER_STREAM: k.cross_thread_bytes = std::min(item.word(0), 127 * register_bytes); break;
      case ARGUMENT_INFO: argument_info(item, k); break;
      case STRING:
        if (item.word(0) < most_strings) {
          if (object.strings.size() <= item.word(0)) object.strings.resize(item.word(0) + 1);
          object.strings[item.word(0)] = without_escapes(item.bytes.text(16).value_or(""));
        }
        break;
      case STATELESS_GLOBAL_ARGUMENT:
      case STATELESS_CONSTANT_ARGUMENT: pointer(item, k, heaps); break;
      case PRINTF_SURFACE: k.payload.push_back({Payload::PrintfBuffer, item.word(2), item.word(3), -1, 0, 3}); break;
      case PRIVATE_SURFACE:
        k.payload.push_back({Payload::PrivateBase, item.word(1), item.word(2), -1, 0, 3});
        k.private_bytes = uint32_t(std::min<uint64_t>(uint64_t(item.word(3)) * (item.word(4) ? k.simd : 1), 1 << 24));
        break;
      case STATELESS_GLOBAL_DATA:
      case STATELESS_CONSTANT_DATA: {
        const bool constant = item.token == STATELESS_CONSTANT_DATA;
        k.payload.push_back({constant ? Payload::ConstantBase : Payload::GlobalBase, item.word(2), item.word(3), -1, 0, 3});
        heaps.surfaces.push_back({item.word(1), constant ? constants_surface : globals_surface});
        break;
      }
      case SYMBOL_TABLE:
      case RELOCATION_TABLE: {
        const uint64_t size = uint64_t(item.word(0)) * (item.token == SYMBOL_TABLE ? 112 : 108);
        if (size > behind.size()) return fail("{} entries of a table are not there", item.word(0));
        names(item, behind, k.section);
        return size;
      }
      default: break;
    }
    return 0;
  }

  // Tables' indices from heaps' offsets.
  void resolve(IntelKernel& k, const Heaps& heaps) {
    ByteReader surface(heaps.surface);
    for (const Heaps::Use& use : heaps.surfaces)
      for (uint32_t n = 0; n < std::min(heaps.table_count, 256u); n++)
        if (surface.read<uint32_t>(heaps.table_offset + n * 4) == use.offset) k.surfaces.push_back({n, use.argument});
    ByteReader dynamic(heaps.dynamic);
    for (uint32_t n = 0; n < std::min(heaps.samplers_count, 16u) * 4; n++)
      k.sampler_words.push_back(dynamic.read<uint32_t>(heaps.samplers_offset + n * 4).value_or(0));
    for (const Heaps::Use& use : heaps.samplers)
      if (use.offset >= heaps.samplers_offset) k.samplers.push_back({(use.offset - heaps.samplers_offset) / 16, use.argument});
  }

  Expected<uint64_t> take_kernel(uint64_t at) {
    if (!r.holds(at, 40)) return fail("a kernel at {:#x}, beyond the end", at);
    auto word = [&](uint64_t n) { return r.value<uint32_t>(at + n); };
    const uint32_t name_bytes = word(12), list = word(16), code = word(20), general = word(24), dynamic = word(28),
                   surface = word(32);
    uint64_t place = at + 40;
    auto take = [&](uint32_t size) {
      auto part = r.slice(place, size);
      place += size;
      return part;
    };
    auto name = take(name_bytes), heap = take(code), unused = take(general), dynamic_heap = take(dynamic),
         surface_heap = take(surface);
    if (!name || !heap || !unused || !dynamic_heap || !surface_heap || !r.holds(place, list))
      return fail("the kernel at {:#x} reaches beyond the end", at);
    IntelKernel k;
    k.signature.name = ByteReader(*name).text(0).value_or("");
    k.signature.language = "OpenCL C";
    k.printf_by_index = true;
    k.section = add_section(k.signature.name, *heap, true);
    Heaps heaps{.dynamic = *dynamic_heap, .surface = *surface_heap, .surfaces = {}, .samplers = {}};
    // The meaning of other tokens depends on the SIMD size, and that of descriptions on how their argument is passed.
    enum class Pass : uint8_t { Environment, Others, Descriptions };
    for (Pass pass : {Pass::Environment, Pass::Others, Pass::Descriptions}) {
      auto done = tokens(place, place + list, [&](const Item& item, std::span<const uint8_t> behind) -> Expected<uint64_t> {
        const Pass own = item.token == EXECUTION_ENVIRONMENT ? Pass::Environment
                         : item.token == ARGUMENT_INFO       ? Pass::Descriptions
                                                             : Pass::Others;
        if (pass == own) return kernel_token(item, behind, k, heaps);
        const bool table = item.token == SYMBOL_TABLE || item.token == RELOCATION_TABLE;
        return table ? uint64_t(item.word(0)) * (item.token == SYMBOL_TABLE ? 112 : 108) : 0;
      });
      if (!done) return fail("kernel {}: {}", k.signature.name, done.error().message);
    }
    if (auto good = check_value_parts(k); !good) return fail("kernel {}: {}", k.signature.name, good.error().message);
    if (k.simd != 8 && k.simd != 16 && k.simd != 32)
      return fail("kernel {}: SIMD size {}: 8, 16 and 32 run here", k.signature.name, k.simd);
    if (k.local_ids) k.per_thread_bytes = k.local_ids * std::max(register_bytes, k.simd * 2);
    resolve(k, heaps);
    if (k.signature.name != "Intel_Symbol_Table_Void_Program") object.kernels.push_back(std::move(k));
    return place + list;
  }
};

}  // namespace

Expected<IntelObject> read_patch_tokens(std::span<const uint8_t> bytes) {
  Reader reader{.bytes = bytes, .object = {}};
  const ByteReader& r = reader.r;
  if (!r.holds(0, 28) || r.read<uint32_t>(0) != magic) return fail("no patch tokens: it does not begin with CTNI");
  const uint32_t kernels = r.value<uint32_t>(16), list = r.value<uint32_t>(24);
  if (r.value<uint32_t>(12) != 8) return fail("pointers of {} bytes: 8 run here", r.value<uint32_t>(12));
  if (!r.holds(28, list)) return fail("the program's tokens reach beyond the end");
  auto done = reader.tokens(28, 28 + uint64_t(list), [&](const Item& item, std::span<const uint8_t> behind) {
    return reader.program_token(item, behind);
  });
  if (!done) return std::unexpected(done.error());
  uint64_t at = 28 + uint64_t(list);
  for (uint32_t n = 0; n < kernels; n++) {
    auto next = reader.take_kernel(at);
    if (!next) return std::unexpected(next.error());
    at = *next;
  }
  return std::move(reader.object);
}

}  // namespace Atoll::intel
