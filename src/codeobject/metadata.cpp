#include "codeobject/metadata.h"

#include <bit>
#include <nlohmann/json.hpp>

#include "codeobject/message_pack.h"

namespace Atoll {
namespace {

using Json = nlohmann::json;

constexpr const char* again = "build the object again";
constexpr uint32_t max_kernarg_bytes = 1 << 20;  // far above what any compiler allows

struct KindName {
  ValueKind kind;
  std::string_view name;
};
constexpr KindName kind_names[] = {
    {ValueKind::ByValue, "by_value"},
    {ValueKind::GlobalBuffer, "global_buffer"},
    {ValueKind::DynamicSharedPointer, "dynamic_shared_pointer"},
    {ValueKind::Sampler, "sampler"},
    {ValueKind::Image, "image"},
    {ValueKind::Pipe, "pipe"},
    {ValueKind::Queue, "queue"},
    {ValueKind::HiddenNone, "hidden_none"},
    {ValueKind::HiddenBlockCountX, "hidden_block_count_x"},
    {ValueKind::HiddenBlockCountY, "hidden_block_count_y"},
    {ValueKind::HiddenBlockCountZ, "hidden_block_count_z"},
    {ValueKind::HiddenGroupSizeX, "hidden_group_size_x"},
    {ValueKind::HiddenGroupSizeY, "hidden_group_size_y"},
    {ValueKind::HiddenGroupSizeZ, "hidden_group_size_z"},
    {ValueKind::HiddenRemainderX, "hidden_remainder_x"},
    {ValueKind::HiddenRemainderY, "hidden_remainder_y"},
    {ValueKind::HiddenRemainderZ, "hidden_remainder_z"},
    {ValueKind::HiddenGlobalOffsetX, "hidden_global_offset_x"},
    {ValueKind::HiddenGlobalOffsetY, "hidden_global_offset_y"},
    {ValueKind::HiddenGlobalOffsetZ, "hidden_global_offset_z"},
    {ValueKind::HiddenGridDims, "hidden_grid_dims"},
    {ValueKind::HiddenPrintfBuffer, "hidden_printf_buffer"},
    {ValueKind::HiddenHostcallBuffer, "hidden_hostcall_buffer"},
    {ValueKind::HiddenMultigridSyncArg, "hidden_multigrid_sync_arg"},
    {ValueKind::HiddenHeapV1, "hidden_heap_v1"},
    {ValueKind::HiddenDefaultQueue, "hidden_default_queue"},
    {ValueKind::HiddenCompletionAction, "hidden_completion_action"},
    {ValueKind::HiddenDynamicLdsSize, "hidden_dynamic_lds_size"},
    {ValueKind::HiddenPrivateBase, "hidden_private_base"},
    {ValueKind::HiddenSharedBase, "hidden_shared_base"},
    {ValueKind::HiddenQueuePtr, "hidden_queue_ptr"},
};

// Reads fields of one map, remembering the first that is missing or of another type.
class Fields {
public:
  Fields(const Json& map, std::string where) : map_(map), where_(std::move(where)) {}

  // A whole number up to `most`.
  void number(std::string_view key, uint32_t& out, bool required, uint64_t most = UINT32_MAX) {
    auto* found = value(key, required);
    if (!found) return;
    auto n = unsigned_of(*found);
    if (!n || *n > most) return wrong(key, fmt::format("a number up to {}", most));
    out = uint32_t(*n);
  }
  void text(std::string_view key, std::string& out, bool required) {
    auto* found = value(key, required);
    if (!found) return;
    if (!found->is_string()) return wrong(key, "a text");
    out = found->get<std::string>();
  }
  void flag(std::string_view key, bool& out) {  // written as a boolean or as 0 and 1
    auto* found = value(key, false);
    if (!found) return;
    if (found->is_boolean())
      out = found->get<bool>();
    else if (auto n = unsigned_of(*found))
      out = *n != 0;
    else
      wrong(key, "a boolean");
  }
  const Json* array(std::string_view key, bool required) {
    auto* found = value(key, required);
    if (found && !found->is_array()) return wrong(key, "a list"), nullptr;
    return found;
  }
  void wrong(std::string_view key, std::string expected) {
    if (!error_) error_ = Error{fmt::format("{} of {} in the metadata is not {}: {}", key, where_, expected, again)};
  }
  Expected<void> result() const {
    if (error_) return std::unexpected(*error_);
    return {};
  }

private:
  const Json* value(std::string_view key, bool required) {
    auto at = map_.find(key);  // the end where this is no map
    const Json* found = at == map_.end() ? nullptr : &*at;
    if (!found && required && !error_) error_ = Error{fmt::format("the metadata of {} has no {}: {}", where_, key, again)};
    return found;
  }

  const Json& map_;
  std::string where_;
  std::optional<Error> error_;
};

ValueKind kind_of(std::string_view name) {
  for (auto& k : kind_names)
    if (k.name == name) return k.kind;
  return ValueKind::Unknown;
}

Expected<KernelArgument> read_argument(const Json& map, const std::string& where) {
  KernelArgument a;
  Fields fields(map, where);
  fields.text(".name", a.name, false);
  fields.text(".type_name", a.type_name, false);
  fields.text(".value_kind", a.kind_text, true);
  fields.number(".offset", a.offset, true, max_kernarg_bytes);
  fields.number(".size", a.bytes, true, max_kernarg_bytes);
  fields.text(".address_space", a.address_space, false);
  fields.text(".access", a.access, false);
  fields.number(".pointee_align", a.pointee_alignment, false, 1 << 16);
  fields.flag(".is_const", a.is_const);
  if (a.pointee_alignment && !std::has_single_bit(a.pointee_alignment)) fields.wrong(".pointee_align", "a power of two");
  if (auto read = fields.result(); !read) return std::unexpected(read.error());
  a.kind = kind_of(a.kind_text);
  return a;
}

Expected<Kernel> read_kernel(const Json& map, size_t index) {
  Kernel k;
  Fields fields(map, fmt::format("kernel {}", index));
  fields.text(".name", k.name, true);
  fields.text(".symbol", k.symbol, true);
  fields.text(".language", k.language, false);
  fields.number(".kernarg_segment_size", k.kernarg_bytes, true, max_kernarg_bytes);
  fields.number(".kernarg_segment_align", k.kernarg_alignment, true, 4096);
  fields.number(".group_segment_fixed_size", k.group_segment_bytes, true);
  fields.number(".private_segment_fixed_size", k.private_segment_bytes, true);
  fields.number(".wavefront_size", k.wavefront_size, true, 64);
  fields.number(".max_flat_workgroup_size", k.max_flat_workgroup_size, true);
  fields.flag(".uses_dynamic_stack", k.uses_dynamic_stack);
  fields.flag(".uniform_work_group_size", k.uniform_workgroup_size);
  if (k.wavefront_size != 32 && k.wavefront_size != 64) fields.wrong(".wavefront_size", "32 or 64");
  if (k.kernarg_alignment && !std::has_single_bit(k.kernarg_alignment)) fields.wrong(".kernarg_segment_align", "a power of two");
  if (auto* sizes = fields.array(".reqd_workgroup_size", false)) {
    std::array<uint32_t, 3> required{};
    for (size_t i = 0; i < 3; ++i) {
      auto n = i < sizes->size() ? unsigned_of((*sizes)[i]) : std::nullopt;
      if (sizes->size() != 3 || !n || *n > UINT32_MAX)
        fields.wrong(".reqd_workgroup_size", "a list of three numbers");
      else
        required[i] = uint32_t(*n);
    }
    k.required_workgroup_size = required;
  }
  auto* arguments = fields.array(".args", false);
  if (auto read = fields.result(); !read) return std::unexpected(read.error());
  if (!arguments) return k;
  uint64_t end = 0;
  for (size_t i = 0; i < arguments->size(); ++i) {
    std::string where = fmt::format("argument {} of kernel '{}'", i, k.name);
    auto a = read_argument((*arguments)[i], where);
    if (!a) return std::unexpected(a.error());
    if (a->offset < end || uint64_t(a->offset) + a->bytes > k.kernarg_bytes)
      return fail("{} takes bytes {} to {}, which overlap the one before or reach over the kernarg segment of {} bytes: {}",
                  where, a->offset, uint64_t(a->offset) + a->bytes, k.kernarg_bytes, again);
    end = uint64_t(a->offset) + a->bytes;
    k.arguments.push_back(std::move(*a));
  }
  return k;
}

// "ID:N:SIZE…:FORMAT"; the format escapes control characters and writes a colon as \72 (LLVM AMDGPUPrintfRuntimeBinding).
Expected<PrintfFormat> read_printf(std::string_view text) {
  auto bad = [&] {
    return fail("the printf format '{}' in the metadata is not 'ID:N:SIZE…:FORMAT': {}", text.substr(0, 80), again);
  };
  PrintfFormat out;
  size_t at = 0;
  auto number = [&](uint32_t& n) {
    size_t start = at;
    uint64_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && value <= UINT32_MAX; ++at)
      value = value * 10 + uint64_t(text[at] - '0');
    if (at == start || value > UINT32_MAX || at == text.size() || text[at] != ':') return false;
    ++at;
    n = uint32_t(value);
    return true;
  };
  uint32_t count = 0;
  if (!number(out.id) || !number(count) || count > text.size()) return bad();
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bytes = 0;
    if (!number(bytes)) return bad();
    out.argument_bytes.push_back(bytes);
  }
  constexpr std::string_view letters = "abfnrv", controls = "\a\b\f\n\r\v";
  for (; at < text.size(); ++at) {
    if (text[at] == '\\' && text.substr(at, 3) == "\\72") {
      out.format += ':';
      at += 2;
    } else if (size_t n = at + 1 < text.size() ? letters.find(text[at + 1]) : letters.npos;
               text[at] == '\\' && n != letters.npos) {
      out.format += controls[n];
      ++at;
    } else {
      out.format += text[at];
    }
  }
  return out;
}

}  // namespace

std::string_view value_kind_name(ValueKind kind) {
  for (auto& k : kind_names)
    if (k.kind == kind) return k.name;
  return "unknown";
}

Expected<Metadata> read_metadata(std::span<const uint8_t> note) {
  auto root = read_message_pack(note);
  if (!root) return fail("the metadata note cannot be read, {}: {}", root.error().message, again);
  Metadata out;
  Fields fields(*root, "the object");
  auto* version = fields.array("amdhsa.version", true);
  auto* kernels = fields.array("amdhsa.kernels", true);
  auto* formats = fields.array("amdhsa.printf", false);
  fields.text("amdhsa.target", out.target, false);
  if (version && (version->empty() || unsigned_of((*version)[0]) != 1)) fields.wrong("amdhsa.version", "[1, …]");
  if (auto read = fields.result(); !read) return std::unexpected(read.error());
  for (size_t i = 0; i < kernels->size(); ++i) {
    auto kernel = read_kernel((*kernels)[i], i);
    if (!kernel) return std::unexpected(kernel.error());
    out.kernels.push_back(std::move(*kernel));
  }
  if (formats)
    for (auto& item : *formats) {
      auto format = read_printf(item.is_string() ? item.get_ref<const std::string&>() : "");
      if (!format) return std::unexpected(format.error());
      out.printf_formats.push_back(std::move(*format));
    }
  return out;
}

}  // namespace Atoll
