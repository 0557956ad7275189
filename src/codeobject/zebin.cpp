// Zebin: ELF sections, symbols and relocations, and the YAML text of .ze_info.
#include <algorithm>
#include <map>

#include "codeobject/byte_reader.h"
#include "codeobject/intel_object.h"
#include "codeobject/yaml.h"

namespace Atoll::intel {
namespace {

constexpr uint32_t section_nobits = 8, section_rel = 9, section_rela = 4, section_symbols = 2, section_ze_info = 0xff000011;
constexpr uint64_t flag_alloc = 2;
constexpr uint64_t max_section_bytes = uint64_t(1) << 30;
constexpr uint32_t register_bytes = 32;
constexpr int64_t most_arguments = 4096;

struct KindRow {
  std::string_view name;
  Payload what;
};
constexpr KindRow kinds[] = {
    {"local_size", Payload::LocalSize},
    {"enqueued_local_size", Payload::EnqueuedLocalSize},
    {"group_count", Payload::GroupCount},
    {"work_dimensions", Payload::WorkDimensions},
    {"global_size", Payload::GlobalSize},
    {"global_id_offset", Payload::GlobalOffset},
    {"private_base_stateless", Payload::PrivateBase},
    {"printf_buffer", Payload::PrintfBuffer},
    {"implicit_arg_buffer", Payload::ImplicitArguments},
    {"buffer_address", Payload::BufferAddress},
    {"buffer_offset", Payload::BufferOffset},
    {"arg_byvalue", Payload::Value},
    {"image_width", Payload::ImageWidth},
    {"image_height", Payload::ImageHeight},
    {"image_depth", Payload::ImageDepth},
    {"image_num_mip_levels", Payload::ImageLevels},
    {"image_channel_data_type", Payload::ImageType},
    {"image_channel_order", Payload::ImageOrder},
    {"image_srgb_channel_order", Payload::ImageSrgbOrder},
    {"image_array_size", Payload::ImageArraySize},
    {"image_num_samples", Payload::ImageSamples},
    {"sampler_address", Payload::SamplerAddress},
    {"sampler_normalized", Payload::SamplerNormalized},
    {"sampler_snap_wa", Payload::SamplerSnap},
};

// Describes an argument that is not in the payload by the text of its type: "int*;8".
void describe_argument(const Yaml& info, KernelArgument& a) {
  std::string_view type = info.text("type_name");
  const size_t semicolon = type.rfind(';');
  a.name = info.text("name");
  a.type_name = type.substr(0, semicolon);
  Yaml size;
  if (semicolon != type.npos) size.scalar = type.substr(semicolon + 1);
  // (the payload's part of a char has four bytes)
  const auto bytes = uint32_t(std::clamp<int64_t>(size.as_number().value_or(0), 0, 1 << 20));
  if (bytes && (a.kind == ValueKind::ByValue || !a.bytes)) a.bytes = bytes;
  if (a.kind != ValueKind::Unknown) return;
  const std::string_view space = info.text("address_qualifier");
  if (type.starts_with("image"))
    a.kind = ValueKind::Image;
  else if (type.starts_with("sampler"))
    a.kind = ValueKind::Sampler;
  else if (space == "__global" || space == "__constant")
    a.kind = ValueKind::GlobalBuffer;
  else
    a.kind = space == "__local" ? ValueKind::DynamicSharedPointer : ValueKind::ByValue;
  if (a.kind == ValueKind::GlobalBuffer) a.bytes = 8;
}

struct ZebinReader {
  const std::vector<ElfSection>& elf;
  IntelObject object;
  std::map<size_t, size_t> loaded;  // ELF section to ours

  Expected<void> take_sections() {
    uint64_t all = 0;
    for (size_t n = 0; n < elf.size(); n++) {
      const ElfSection& s = elf[n];
      if (!(s.flags & flag_alloc)) continue;
      all += s.size;
      if (s.size > max_section_bytes || all > max_section_bytes) return fail("section {} of {} bytes: too large", s.name, s.size);
      Section to;
      to.name = s.name;
      to.bytes.assign(s.bytes.begin(), s.bytes.end());
      if (s.type == section_nobits) to.bytes.resize(s.size);
      to.is_code = s.name.starts_with(".text.");
      if (s.name == ".data.const") object.constants = object.sections.size();
      if (s.name == ".data.global") object.globals = object.sections.size();
      loaded[n] = object.sections.size();
      object.sections.push_back(std::move(to));
    }
    return {};
  }
  // Symbols by their number in the table; those that are not defined here have no section.
  Expected<void> take_symbols_and_relocations() {
    for (const ElfSection& s : elf) {
      if (s.type == section_rela && elf_targets(s)) return fail("section {}: relocations with addends are not known", s.name);
      if (s.type != section_rel || !elf_targets(s)) continue;
      if (s.link >= elf.size() || elf[s.link].type != section_symbols) return fail("section {}: it names no symbols", s.name);
      ByteReader r(s.bytes), symbols(elf[s.link].bytes);
      for (uint64_t at = 0; r.holds(at, 16); at += 16) {
        const uint64_t offset = r.value<uint64_t>(at), info = r.value<uint64_t>(at + 8);
        const uint32_t type = uint32_t(info);
        if (type == 0) continue;
        if (type > 4) return fail("section {}: relocation type {} is not known", s.name, type);
        Relocation to{offset, RelocationKind(type - 1), {}};
        auto name = symbol_name(elf[s.link], symbols, info >> 32);
        if (!name) return fail("section {}: relocation at {:#x} names no symbol", s.name, offset);
        to.symbol = *name;
        Section& section = object.sections[loaded[s.info]];
        const uint64_t bytes = to.kind == RelocationKind::Address64 ? 8 : 4;
        if (offset > section.bytes.size() || bytes > section.bytes.size() - offset)
          return fail("section {}: relocation at {:#x}, beyond {} bytes", s.name, offset, section.bytes.size());
        section.relocations.push_back(std::move(to));
      }
    }
    for (const ElfSection& s : elf) {
      if (s.type != section_symbols) continue;
      ByteReader r(s.bytes);
      for (uint64_t at = 0; r.holds(at, 24); at += 24) {
        const auto section = loaded.find(r.value<uint16_t>(at + 6));
        auto name = symbol_name(s, r, at / 24);
        if (section != loaded.end() && name && !name->empty())
          object.symbols.push_back({std::string(*name), section->second, r.value<uint64_t>(at + 8)});
      }
    }
    return {};
  }
  bool elf_targets(const ElfSection& s) const { return loaded.contains(s.info); }
  std::optional<std::string_view> symbol_name(const ElfSection& table, const ByteReader& symbols, uint64_t number) const {
    auto at = symbols.read<uint32_t>(number * 24);
    if (!at || table.link >= elf.size()) return {};
    return ByteReader(elf[table.link].bytes).text(*at);
  }

  // The signature's argument that an entry of the payload belongs to.
  static KernelArgument& argument_of(Kernel& signature, int64_t index) {
    if (signature.arguments.size() <= size_t(index)) signature.arguments.resize(size_t(index) + 1);
    return signature.arguments[size_t(index)];
  }

  Expected<void> take_payload(const Yaml& y, IntelKernel& k) {
    const std::string_view type = y.text("arg_type");
    PayloadPart part;
    part.offset = uint32_t(y.number("offset")), part.bytes = uint32_t(y.number("size"));
    if (y.number("offset") < 0 || y.number("offset") > 4096 || y.number("size") < 0 || y.number("size") > 4096)
      return fail("kernel {}: {} at {} of {} bytes does not fit into a thread's registers", k.signature.name, type,
                  y.number("offset"), y.number("size"));
    const int64_t index = y.number("arg_index", -1);
    if (index < -1 || index > most_arguments) return fail("kernel {}: argument {}", k.signature.name, index);
    part.argument = int(index);
    k.cross_thread_bytes = std::max(k.cross_thread_bytes, part.offset + part.bytes);
    if (type == "arg_bypointer") return take_pointer(y, k, part);
    auto row = std::ranges::find(kinds, type, &KindRow::name);
    part.what = row == std::end(kinds) ? Payload::Unknown : row->what;
    if (part.what == Payload::Value && index >= 0) {
      KernelArgument& a = argument_of(k.signature, index);
      const auto source = uint64_t(std::max<int64_t>(0, y.number("source_offset", 0)));
      if (auto good = check_value_part(part.argument, source, part.bytes); !good)
        return fail("kernel {}: {}", k.signature.name, good.error().message);
      part.source_offset = uint32_t(source);
      a.kind = ValueKind::ByValue, a.bytes = std::max(a.bytes, part.source_offset + part.bytes);
    }
    k.payload.push_back(part);
    return {};
  }
  Expected<void> take_pointer(const Yaml& y, IntelKernel& k, PayloadPart part) {
    if (part.argument < 0) return fail("kernel {}: a pointer of no argument", k.signature.name);
    KernelArgument& a = argument_of(k.signature, part.argument);
    const std::string_view space = y.text("addrspace"), mode = y.text("addrmode");
    a.bytes = 8;
    if (space == "image") {
      a.kind = ValueKind::Image;
    } else if (space == "sampler") {
      a.kind = ValueKind::Sampler;
      const int64_t index = y.number("sampler_index", -1);
      if (index >= 0) k.samplers.push_back({uint32_t(index), part.argument});
    } else if (space == "local" || mode == "slm") {
      a.kind = ValueKind::DynamicSharedPointer;
      a.pointee_alignment = uint32_t(std::clamp<int64_t>(y.number("slm_alignment", 16), 1, 4096));
      part.what = Payload::SlmOffset;
      k.payload.push_back(part);
    } else {
      a.kind = ValueKind::GlobalBuffer;
      if (mode == "bindless") return fail("kernel {}: argument {} is bindless", k.signature.name, part.argument);
      if (mode == "stateless") part.what = Payload::Pointer, k.payload.push_back(part);
    }
    return {};
  }

  Expected<void> take_kernel(const Yaml& y, const Yaml* arguments) {
    IntelKernel k;
    k.signature.name = y.text("name");
    k.signature.language = "OpenCL C";
    const Yaml* env = y.find("execution_env");
    if (!env) return fail("kernel {}: .ze_info has no execution_env", k.signature.name);
    k.simd = unsigned(env->number("simd_size"));
    if (k.simd != 8 && k.simd != 16 && k.simd != 32)
      return fail("kernel {}: SIMD size {}: 8, 16 and 32 run here", k.signature.name, k.simd);
    k.barriers = env->number("barrier_count") > 0;
    k.has_large_grf = env->number("grf_count", 128) > 128;
    k.slm_bytes = uint32_t(std::clamp<int64_t>(env->number("slm_size"), 0, 1 << 20));
    if (auto& size = env->list("required_work_group_size"); size.size() == 3) {
      std::array<uint32_t, 3> required{};
      for (unsigned n = 0; n < 3; n++) required[n] = uint32_t(size[n].as_number().value_or(0));
      if (required[0]) k.signature.required_workgroup_size = required;
    }
    if (auto& order = env->list("work_group_walk_order_dimensions"); order.size() == 3)
      for (unsigned n = 0; n < 3; n++) k.walk_order[n] = uint8_t(order[n].as_number().value_or(n) & 3) % 3;
    for (const Yaml& part : y.list("payload_arguments"))
      if (auto taken = take_payload(part, k); !taken) return taken;
    for (const Yaml& part : y.list("per_thread_payload_arguments")) {
      if (part.text("arg_type") != "local_id")
        return fail("kernel {}: {} in a thread's data", k.signature.name, part.text("arg_type"));
      const int64_t offset = part.number("offset"), bytes = part.number("size");
      if (offset < 0 || offset > 4096 || bytes < 0 || bytes > 4096)
        return fail("kernel {}: {} bytes at {} do not fit into a thread's registers", k.signature.name, bytes, offset);
      const uint32_t one = std::max(register_bytes, k.simd * 2), size = uint32_t(bytes);
      k.local_ids = std::min(3u, size / one), k.local_id_offset = uint32_t(offset);
      k.per_thread_bytes = k.local_id_offset + k.local_ids * one;
    }
    if (!k.local_ids) k.per_thread_bytes = register_bytes;  // the hardware wants some, and kernels leave that register out
    for (const Yaml& part : y.list("binding_table_indices")) {
      const int64_t surface = part.number("bti_value"), argument = part.number("arg_index", -1);
      if (surface < 0 || surface >= 240 || argument < -1 || argument > most_arguments)
        return fail("kernel {}: surface {} of argument {}", k.signature.name, surface, argument);
      k.surfaces.push_back({uint32_t(surface), int(argument)});
    }
    for (const Yaml& part : y.list("per_thread_memory_buffers")) {
      uint64_t size = uint64_t(std::clamp<int64_t>(part.number("size"), 0, 1 << 24));
      if (part.flag("is_simt_thread")) size *= k.simd;
      uint32_t& sum = part.text("type") == "scratch" ? k.scratch_bytes : k.private_bytes;
      if (sum + size > uint64_t(1) << 29) return fail("kernel {}: {} bytes of memory a thread", k.signature.name, sum + size);
      sum += uint32_t(size);
    }
    for (const Yaml& part : y.list("inline_samplers")) {
      if (part.number("sampler_index") < 0 || part.number("sampler_index") >= 16)
        return fail("kernel {}: sampler {}", k.signature.name, part.number("sampler_index"));
      k.inline_samplers.push_back({uint32_t(part.number("sampler_index")), std::string(part.text("addrmode")),
                                   part.text("filtermode") == "linear", part.flag("normalized")});
    }
    if (arguments)
      for (const Yaml& info : arguments->list("args_info"))
        if (int64_t index = info.number("index", -1); index >= 0 && index <= most_arguments)
          describe_argument(info, argument_of(k.signature, index));
    if (auto good = check_value_parts(k); !good) return fail("kernel {}: {}", k.signature.name, good.error().message);
    const std::string section = ".text." + k.signature.name;
    auto code = std::ranges::find(object.sections, section, &Section::name);
    if (code == object.sections.end()) return fail("kernel {}: there is no section {}", k.signature.name, section);
    k.section = size_t(code - object.sections.begin());
    object.kernels.push_back(std::move(k));
    return {};
  }
};

}  // namespace

Expected<IntelObject> read_zebin(std::span<const uint8_t> bytes) {
  auto elf = elf_sections(bytes);
  if (!elf) return fail("damaged section headers: compile it again");
  ZebinReader reader{*elf, {}, {}};
  if (auto taken = reader.take_sections(); !taken) return std::unexpected(taken.error());
  if (auto taken = reader.take_symbols_and_relocations(); !taken) return std::unexpected(taken.error());
  auto info = std::ranges::find(*elf, section_ze_info, &ElfSection::type);
  if (info == elf->end()) return fail("no .ze_info section: it is no zebin that ocloc wrote");
  auto yaml = read_yaml({reinterpret_cast<const char*>(info->bytes.data()), info->bytes.size()});
  if (!yaml) return fail(".ze_info: {}", yaml.error().message);
  std::map<std::string_view, const Yaml*> arguments;
  for (const Yaml& k : yaml->list("kernels_misc_info")) arguments[k.text("name")] = &k;
  for (const Yaml& k : yaml->list("kernels")) {
    auto own = arguments.find(k.text("name"));
    if (k.text("name") == "Intel_Symbol_Table_Void_Program") continue;  // carries functions and symbols only
    if (auto taken = reader.take_kernel(k, own == arguments.end() ? nullptr : own->second); !taken)
      return std::unexpected(taken.error());
  }
  return std::move(reader.object);
}

}  // namespace Atoll::intel
