#include "gpu/hsa/launch_arguments.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/files.h"
#include "base/text.h"

namespace Atoll::hsa {
namespace {

// The largest file of a buffer or image: as many bytes as OpenCL's CL_DEVICE_MAX_MEM_ALLOC_SIZE of the chips with most memory.
constexpr uint64_t max_argument_bytes = uint64_t(1) << 32;

struct TypeRow {
  ElementType type;
  std::string_view form;    // in an argument
  std::string_view opencl;  // in the metadata's type names
  unsigned bytes;
  bool is_float, is_signed;
};
constexpr TypeRow types[] = {
    {ElementType::I8, "i8", "char", 1, false, true},    {ElementType::U8, "u8", "uchar", 1, false, false},
    {ElementType::I16, "i16", "short", 2, false, true}, {ElementType::U16, "u16", "ushort", 2, false, false},
    {ElementType::I32, "i32", "int", 4, false, true},   {ElementType::U32, "u32", "uint", 4, false, false},
    {ElementType::I64, "i64", "long", 8, false, true},  {ElementType::U64, "u64", "ulong", 8, false, false},
    {ElementType::F16, "f16", "half", 2, true, true},   {ElementType::F32, "f32", "float", 4, true, true},
    {ElementType::F64, "f64", "double", 8, true, true},
};
constexpr const TypeRow& row_of(ElementType type) { return types[size_t(type)]; }

constexpr unsigned room_of(unsigned elements) { return elements == 3 ? 4 : elements; }

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t end; (end = text.find(at, start)) != text.npos; start = end + 1) parts.push_back(text.substr(start, end - start));
  parts.push_back(text.substr(start));
  return parts;
}

// "x4" and the like behind a type's name; 1 for nothing, 0 for anything else.
unsigned element_count(std::string_view suffix, std::string_view prefix) {
  if (suffix.empty()) return 1;
  if (!suffix.starts_with(prefix)) return 0;
  suffix.remove_prefix(prefix.size());
  for (unsigned n : {2, 3, 4, 8, 16})
    if (suffix == std::to_string(n)) return n;
  return 0;
}

// The bytes of one integer. Hexadecimal gives the bits, so that 0xff is a valid i8 (-1).
Expected<uint64_t> parse_integer(const std::string& text, const TypeRow& type) {
  bool negative = !text.empty() && text[0] == '-';
  auto magnitude = parse_number(negative ? text.substr(1) : text);
  if (!magnitude) return fail("'{}' is no whole number, decimal or 0x", text);
  uint64_t all = type.bytes == 8 ? UINT64_MAX : (uint64_t(1) << 8 * type.bytes) - 1, half = all / 2;
  bool hexadecimal = lower(text).find("0x") != text.npos;
  uint64_t most = !type.is_signed || (hexadecimal && !negative) ? all : half + negative;
  if ((negative && !type.is_signed && *magnitude) || *magnitude > most) return fail("{} does not fit into {}", text, type.form);
  return (negative ? 0 - *magnitude : *magnitude) & all;
}

bool is_float_text(const std::string& text) {  // strtod also takes blanks in front
  return !text.empty() && std::string_view(" \t\n\v\f\r").find(text[0]) == std::string_view::npos;
}

// The bits of one floating-point number, rounded once to nearest even from the decimal (or 0x) text.
Expected<uint64_t> parse_float(const std::string& text, ElementType type) {
  const char* start = text.c_str();
  char* end = nullptr;
  uint64_t bits = 0;
  if (type == ElementType::F32) {
    float value = std::strtof(start, &end);
    std::memcpy(&bits, &value, sizeof value);
  } else if (type == ElementType::F64) {
    double value = std::strtod(start, &end);
    std::memcpy(&bits, &value, sizeof value);
  } else {
    // Truncated to double, with its last bit set where something was cut off: then rounding to half is exact.
    int rounding = std::fegetround();
    std::fesetround(FE_TOWARDZERO);
    std::feclearexcept(FE_INEXACT);
    double value = std::strtod(start, &end);
    bool inexact = std::fetestexcept(FE_INEXACT);
    std::fesetround(rounding);
    std::memcpy(&bits, &value, sizeof value);
    if (inexact) bits |= 1;
    std::memcpy(&value, &bits, sizeof value);
    _Float16 half = _Float16(value);
    bits = 0;
    std::memcpy(&bits, &half, sizeof half);
  }
  if (!is_float_text(text) || *end != 0) return fail("'{}' is no number", text);
  return bits;
}

Expected<LaunchArgument> parse_values(LaunchArgument argument, const std::string& list) {
  const TypeRow& type = row_of(argument.type);
  auto parts = split(list, ',');
  if (parts.size() != argument.elements && !(argument.elements == 3 && parts.size() == 4))
    return fail("argument '{}' has {} values instead of {}", argument.text, parts.size(), argument.elements);
  argument.value.resize(size_t(room_of(argument.elements)) * type.bytes);
  for (size_t i = 0; i < parts.size(); ++i) {
    auto bits = type.is_float ? parse_float(parts[i], argument.type) : parse_integer(parts[i], type);
    if (!bits) return fail("argument '{}': {}", argument.text, bits.error().message);
    std::memcpy(argument.value.data() + i * type.bytes, &*bits, type.bytes);
  }
  return argument;
}

// FILE:FORMAT:WxH[xD]
Expected<LaunchArgument> parse_image(LaunchArgument argument, const std::string& value) {
  size_t size_at = value.rfind(':'),
         format_at = size_at == value.npos || size_at == 0 ? value.npos : value.rfind(':', size_at - 1);
  if (format_at == value.npos || format_at == 0)
    return fail("argument '{}' is not {}=FILE:FORMAT:WxH or WxHxD", argument.text,
                argument.text.substr(0, argument.text.find('=')));
  auto image = parse_image_description(value.substr(format_at + 1, size_at - format_at - 1), value.substr(size_at + 1));
  if (!image) return fail("argument '{}': {}", argument.text, image.error().message);
  argument.image = *image;
  (argument.form == ArgumentForm::Image ? argument.input : argument.output) = value.substr(0, format_at);
  return argument;
}

// The type of a by-value parameter where the metadata's name tells it: "float4" → F32, 4.
struct NamedType {
  const TypeRow* row;
  unsigned elements;
};
std::optional<NamedType> named_type(const std::string& name) {
  for (auto& row : types)
    if (name.starts_with(row.opencl))
      if (unsigned n = element_count(std::string_view(name).substr(row.opencl.size()), "")) return NamedType{&row, n};
  return {};
}

std::string describe(const KernelArgument& a) {
  std::string type = a.type_name.empty() ? fmt::format("{} bytes", a.bytes) : a.type_name;
  if (a.kind == ValueKind::DynamicSharedPointer) type = "__local " + type;
  return a.name.empty() ? type : type + " " + a.name;
}

std::vector<const KernelArgument*> parameters_of(const Kernel& kernel) {
  std::vector<const KernelArgument*> parameters;
  for (auto& a : kernel.arguments)
    if (!is_hidden(a.kind)) parameters.push_back(&a);
  return parameters;
}

// Empty where the argument fits, otherwise what the parameter wants.
std::string misfit(const KernelArgument& p, const LaunchArgument& a) {
  using Form = ArgumentForm;
  switch (p.kind) {
    case ValueKind::GlobalBuffer:
      return a.form == Form::In || a.form == Form::Out || a.form == Form::InOut || a.form == Form::Null
                 ? ""
                 : "a buffer: in=, out=, inout= or null";
    case ValueKind::DynamicSharedPointer: return a.form == Form::Local ? "" : "a block of LDS: local=BYTES";
    case ValueKind::Image: return a.form == Form::Image || a.form == Form::ImageOut ? "" : "an image: image= or image-out=";
    case ValueKind::Sampler: return a.form == Form::Sampler ? "" : "a sampler: sampler=";
    case ValueKind::ByValue: break;
    default: return fmt::format("a {}, which `launch` cannot give", p.kind_text);
  }
  if (a.form == Form::Struct) return "";  // its size is known when the file is read
  if (a.form != Form::Number)
    return fmt::format("a value of {} bytes: {}", p.bytes, named_type(p.type_name) ? "a number" : "a number or struct=FILE");
  if (a.value.size() != p.bytes) return fmt::format("{} bytes, not {}", p.bytes, a.value.size());
  if (auto named = named_type(p.type_name)) {
    const TypeRow& given = row_of(a.type);
    if (named->row->is_float != given.is_float || named->row->bytes != given.bytes ||
        room_of(named->elements) != room_of(a.elements))
      return fmt::format("{}, not {}", p.type_name, a.text.substr(0, a.text.find('=')));
  }
  return "";
}

// Puts the words of an image or sampler object into memory; the argument is their address.
Expected<void> place_object(std::span<const uint32_t> words, AddressSpace& space, ArgumentValue& value) {
  auto buffer = space.allocate(words.size_bytes(), 64);
  if (!buffer) return std::unexpected(buffer.error());
  std::memcpy(buffer->host_pointer, words.data(), words.size_bytes());
  value.bytes.resize(8);
  std::memcpy(value.bytes.data(), &buffer->gpu_address, 8);
  return {};
}

}  // namespace

Expected<uint64_t> parse_number(const std::string& text) {
  bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  std::string digits = hexadecimal ? text.substr(2) : text;
  std::string_view allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  if (digits.empty() || digits.find_first_not_of(allowed) != digits.npos)
    return fail("'{}' is no whole number, decimal or 0x", text);
  errno = 0;
  uint64_t value = std::strtoull(digits.c_str(), nullptr, hexadecimal ? 16 : 10);
  if (errno == ERANGE) return fail("{} does not fit into 64 bits", text);
  return value;
}

Expected<std::array<uint64_t, 3>> parse_dimensions(const std::string& text, unsigned& dimensions) {
  auto parts = split(text, ',');
  std::array<uint64_t, 3> out{1, 1, 1};
  if (parts.size() > 3) return fail("'{}' has more than three dimensions", text);
  for (size_t i = 0; i < parts.size(); ++i) {
    auto n = parse_number(parts[i]);
    if (!n) return fail("'{}' is not X, X,Y or X,Y,Z", text);
    if (*n == 0) return fail("'{}' has a dimension of 0", text);
    out[i] = *n;
  }
  dimensions = unsigned(parts.size());
  return out;
}

Expected<LaunchArgument> parse_launch_argument(const std::string& text) {
  LaunchArgument a;
  a.text = text;
  if (lower(text) == "null") return a;
  size_t equals = text.find('=');
  if (equals == text.npos)
    return fail(
        "argument '{}' has no form: i32=…, f32x4=…, in=FILE, out=FILE:BYTES, inout=FILE, local=BYTES, struct=FILE, image=…, "
        "sampler=… or null",
        text);
  std::string form = lower(text.substr(0, equals)), value = text.substr(equals + 1);
  // the number behind the last colon
  auto split_last = [&](std::string& file, std::string& rest) {
    size_t colon = value.rfind(':');
    if (colon == value.npos) return false;
    file = value.substr(0, colon);
    rest = value.substr(colon + 1);
    return true;
  };
  auto file_missing = [&] { return fail("argument '{}' names no file", text); };
  if (form == "in" || form == "struct") {
    a.form = form == "in" ? ArgumentForm::In : ArgumentForm::Struct;
    a.input = value;
    if (value.empty()) return file_missing();
    return a;
  }
  if (form == "inout") {
    a.form = ArgumentForm::InOut;
    if (!split_last(a.input, a.output)) a.input = a.output = value;
    if (a.input.empty() || a.output.empty()) return file_missing();
    return a;
  }
  if (form == "out") {
    a.form = ArgumentForm::Out;
    std::string bytes;
    if (!split_last(a.output, bytes)) return fail("argument '{}' is not out=FILE:BYTES", text);
    if (a.output.empty()) return file_missing();
    auto n = parse_number(bytes);
    if (!n) return fail("argument '{}': {}", text, n.error().message);
    a.bytes = *n;
    return a;
  }
  if (form == "local") {
    a.form = ArgumentForm::Local;
    auto n = parse_number(value);
    if (!n) return fail("argument '{}': {}", text, n.error().message);
    a.bytes = *n;
    return a;
  }
  if (form == "image" || form == "image-out") {
    a.form = form == "image" ? ArgumentForm::Image : ArgumentForm::ImageOut;
    return parse_image(a, value);
  }
  if (form == "sampler") {
    a.form = ArgumentForm::Sampler;
    auto sampler = parse_sampler_description(value);
    if (!sampler) return fail("argument '{}': {}", text, sampler.error().message);
    a.sampler = *sampler;
    return a;
  }
  for (auto& row : types) {
    if (!form.starts_with(row.form)) continue;
    unsigned n = element_count(std::string_view(form).substr(row.form.size()), "x");
    if (n == 0) continue;
    a.form = ArgumentForm::Number;
    a.type = row.type;
    a.elements = n;
    return parse_values(a, value);
  }
  return fail("argument '{}' has the unknown form '{}='", text, form);
}

Expected<LaunchMatch> match_launch_arguments(const Target& target, const Kernel& kernel,
                                             std::span<const LaunchArgument> arguments) {
  auto parameters = parameters_of(kernel);
  LaunchMatch match;
  // OpenCL's dynamic LDS always has parameters
  bool dynamic_lds = !kernel.language.starts_with("OpenCL") &&
                     std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                                 [](const KernelArgument& a) { return a.kind == ValueKind::HiddenDynamicLdsSize; });
  if (dynamic_lds && arguments.size() == parameters.size() + 1 && arguments.back().form == ArgumentForm::Local) {
    match.extra_lds_bytes = arguments.back().bytes;
    arguments = arguments.first(arguments.size() - 1);
  }
  if (arguments.size() != parameters.size()) {
    std::string list;
    for (auto* p : parameters) list += (list.empty() ? "" : ", ") + describe(*p);
    return fail("kernel '{}' takes {} argument{} ({}), but {} {} given", kernel.name, parameters.size(),
                parameters.size() == 1 ? "" : "s", list, arguments.size(), arguments.size() == 1 ? "is" : "are");
  }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (auto wanted = misfit(*parameters[i], arguments[i]); !wanted.empty())
      return fail("argument {} '{}' does not fit parameter '{}' of kernel '{}', which takes {}", i + 1, arguments[i].text,
                  describe(*parameters[i]), kernel.name, wanted);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const LaunchArgument& a = arguments[i];
    bool image = a.form == ArgumentForm::Image || a.form == ArgumentForm::ImageOut;
    if (!image && a.form != ArgumentForm::Sampler) continue;
    if (!target.images) return fail("argument {} '{}': {} has no images here yet", i + 1, a.text, target.family);
    if (!image) continue;
    auto fitting = image_of_parameter(a.image, parameters[i]->type_name);
    if (!fitting) return fail("argument {} '{}': {}", i + 1, a.text, fitting.error().message);
  }
  return match;
}

std::vector<uint8_t> LaunchOutput::content() const {
  if (image) return packed_texels(image->first, image->second, buffer.host_pointer);
  return {buffer.span().begin(), buffer.span().end()};
}

Expected<BoundArguments> bind_launch_arguments(const Target& target, const Kernel& kernel,
                                               std::span<const LaunchArgument> arguments, AddressSpace& space) {
  auto parameters = parameters_of(kernel);
  BoundArguments bound;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const LaunchArgument& a = arguments[i];
    auto fail_here = [&](const Error& error) { return fail("argument {} '{}': {}", i + 1, a.text, error.message); };
    ArgumentValue value;
    std::vector<uint8_t> content;
    if (!a.input.empty()) {
      auto read = read_file(a.input, max_argument_bytes);
      if (!read) return fail_here(read.error());
      content = std::move(*read);
    }
    switch (a.form) {
      case ArgumentForm::Number: value.bytes = a.value; break;
      case ArgumentForm::Struct:
        if (content.size() != parameters[i]->bytes)
          return fail_here(Error{fmt::format("the parameter '{}' of kernel '{}' takes {} bytes, the file has {}",
                                             describe(*parameters[i]), kernel.name, parameters[i]->bytes, content.size())});
        value.bytes = std::move(content);
        break;
      case ArgumentForm::Local:
        value.local = true;
        value.local_bytes = a.bytes;
        break;
      case ArgumentForm::Null: value.bytes.resize(parameters[i]->bytes); break;
      case ArgumentForm::In:
      case ArgumentForm::Out:
      case ArgumentForm::InOut: {
        auto buffer = space.allocate(a.form == ArgumentForm::Out ? a.bytes : content.size());
        if (!buffer) return fail_here(buffer.error());
        std::copy(content.begin(), content.end(), buffer->host_pointer);
        if (a.form != ArgumentForm::In) bound.outputs.push_back({a.output, *buffer});
        value.bytes.resize(parameters[i]->bytes);
        std::memcpy(value.bytes.data(), &buffer->gpu_address, std::min<size_t>(value.bytes.size(), 8));
        break;
      }
      case ArgumentForm::Image:
      case ArgumentForm::ImageOut: {
        auto image = image_of_parameter(a.image, parameters[i]->type_name);
        if (!image) return fail_here(image.error());
        auto object = target.images->image(*image);
        if (!object) return fail_here(object.error());
        uint64_t bytes = uint64_t(texel_bytes(*image)) * image->size[0] * image->size[1] * image->size[2];
        if (a.form == ArgumentForm::Image && content.size() != bytes)
          return fail_here(Error{fmt::format("the image takes {} bytes, the file has {}", bytes, content.size())});
        auto texels = space.allocate(object->bytes, 256);
        if (!texels) return fail_here(texels.error());
        if (a.form == ArgumentForm::Image) place_texels(*image, *object, content, texels->host_pointer);
        target.images->place(object->words, texels->gpu_address);
        if (auto placed = place_object(object->words, space, value); !placed) return fail_here(placed.error());
        if (a.form == ArgumentForm::ImageOut) bound.outputs.push_back({a.output, *texels, std::pair(*image, *object)});
        break;
      }
      case ArgumentForm::Sampler:
        if (auto placed = place_object(target.images->sampler(a.sampler), space, value); !placed)
          return fail_here(placed.error());
        break;
    }
    bound.values.push_back(std::move(value));
  }
  return bound;
}

}  // namespace Atoll::hsa
