// atoll decode: a command stream packet by packet, with registers and fields by name.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "base/files.h"
#include "cli/register_output.h"
#include "cli/verbs.h"
#include "registers/pm4.h"

namespace Atoll::cli {
namespace {

using namespace registers;

constexpr const char* verb = "decode";
constexpr unsigned deepest_buffer = 8;  // hardware has two levels; a chain of buffers that call themselves must end

struct DecodeCall {
  std::string gpu, file = "-";
  std::vector<std::string> buffers;  // ADDRESS=FILE
  bool hex = false, json = false;
};

using Words = std::vector<uint32_t>;

std::string shown_name(const std::string& file) { return file == "-" ? "standard input" : file; }

// Hexadecimal dwords, with or without 0x, between blanks, commas and line ends.
Expected<Words> words_of_hex(std::span<const uint8_t> bytes, const std::string& file) {
  Words words;
  size_t line = 1;
  for (size_t at = 0; at < bytes.size();) {
    auto blank = [](uint8_t c) { return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\n'; };
    if (blank(bytes[at])) {
      line += bytes[at++] == '\n';
      continue;
    }
    size_t end = at;
    while (end < bytes.size() && !blank(bytes[end])) end++;
    std::string text(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(end));
    std::string_view digits = text;
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    uint32_t word = 0;
    auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), word, 16);
    if (digits.empty() || error != std::errc() || rest != digits.data() + digits.size())
      return fail("{}:{}: '{}' is no hexadecimal dword", shown_name(file), line, text.substr(0, 40));
    words.push_back(word);
    at = end;
  }
  return words;
}

class StreamPrinter {
public:
  StreamPrinter(const DecodeCall& call, const Family& family) : call_(call), family_(family) {}

  Expected<void> add_buffer(const std::string& text) {
    auto equals = text.find('=');
    if (equals == std::string::npos) return fail("--ib {}: write ADDRESS=FILE", text);
    auto address = parse_words(text.substr(0, equals), 64);
    if (!address) return fail("--ib {}: {}", text, address.error().message);
    std::string file = text.substr(equals + 1);
    auto words = read(file);
    if (!words) return std::unexpected(words.error());
    buffers_[(*address)[0] | uint64_t((*address)[1]) << 32] = {file, std::move(*words)};
    return {};
  }

  Expected<Words> read(const std::string& file) {
    auto bytes = read_file(file);
    if (!bytes) return std::unexpected(bytes.error());
    if (call_.hex) return words_of_hex(*bytes, file);
    Words words(bytes->size() / 4);
    for (size_t i = 0; i < words.size() * 4; i++) words[i / 4] |= uint32_t((*bytes)[i]) << 8 * (i % 4);
    if (bytes->size() % 4)
      problem(shown_name(file), words.size(),
              fmt::format("{} bytes are left behind the last dword: the stream is truncated", bytes->size() % 4));
    return words;
  }

  void print(const std::string& file, const Words& words, unsigned depth = 0) {
    for (size_t offset = 0; offset < words.size();) {
      auto packet = read_packet(family_, words, offset);
      if (!packet) return problem(shown_name(file), offset, packet.error().message + ": the rest is not read");
      if (call_.json)
        print_json(*packet, depth ? file : "");
      else
        print_text(*packet, depth);
      count(*packet, file);
      if (packet->truncated())
        return problem(shown_name(file), offset,
                       fmt::format("{} of {} dwords are there: the stream is truncated", packet->words.size(), packet->length));
      if (packet->buffer) print_buffer(*packet, file, depth);
      offset += packet->length;
    }
  }

  // What was met and is not known; whether all was well.
  bool summarise() const {
    for (auto& [text, met] : unknown_)
      complain(verb, fmt::format("{}: at {:#x}: {}{}", met.file, met.offset * 4, text,
                                 met.times > 1 ? fmt::format(", {} times", met.times) : ""));
    return unknown_.empty() && !failed_;
  }

private:
  struct Met {
    std::string file;
    size_t offset, times;
  };

  void problem(const std::string& file, size_t offset, const std::string& text) {
    complain(verb, fmt::format("{}: at {:#x}: {}", file, offset * 4, text));
    failed_ = true;
  }

  void unknown(const std::string& text, const std::string& file, size_t offset) {
    auto [at, fresh] = unknown_.try_emplace(text, Met{shown_name(file), offset, 0});
    at->second.times++;
  }

  void count(const StreamPacket& packet, const std::string& file) {
    if (packet.type == 3 && !packet.known) unknown(fmt::format("opcode {:#04x} is unknown", packet.opcode), file, packet.offset);
    for (auto& write : packet.writes)
      if (!write.place.entry) unknown(fmt::format("register {:#x} is unknown", write.address), file, packet.offset + write.word);
  }

  void print_buffer(const StreamPacket& packet, const std::string& file, unsigned depth) {
    auto found = buffers_.find(packet.buffer->address);
    if (found == buffers_.end()) return;
    auto& [name, words] = found->second;
    if (depth >= deepest_buffer)
      return problem(shown_name(file), packet.offset, fmt::format("buffers call each other more than {} deep", deepest_buffer));
    if (words.size() < packet.buffer->dwords)
      problem(shown_name(file), packet.offset,
              fmt::format("the buffer has {} dwords, and {} has {}", packet.buffer->dwords, shown_name(name), words.size()));
    Words part(words.begin(), words.begin() + static_cast<ptrdiff_t>(std::min<size_t>(words.size(), packet.buffer->dwords)));
    print(name, part, depth + 1);
  }

  nlohmann::ordered_json fields_json(std::span<const Field> fields, uint32_t value) {
    auto json = nlohmann::ordered_json::array();
    for (auto& field : fields) {
      uint64_t part = field_value(field, {&value, 1});
      json.push_back({{"name", field.name}, {"high", field.high}, {"low", field.low}, {"value", fmt::format("{:#x}", part)}});
      if (auto name = value_name(field, part); !name.empty()) json.back()["value_name"] = name;
    }
    return json;
  }

  void print_json(const StreamPacket& packet, const std::string& buffer) {
    nlohmann::ordered_json line = {{"offset", packet.offset * 4}};
    if (!buffer.empty()) line["buffer"] = buffer;
    line["words"] = nlohmann::ordered_json::array();
    for (auto word : packet.words) line["words"].push_back(fmt::format("{:#x}", word));
    line["type"] = packet.type;
    if (packet.name().empty())
      line["packet"] = nullptr;
    else
      line["packet"] = packet.name();
    if (packet.type == 3) line["opcode"] = fmt::format("{:#x}", packet.opcode);
    if (packet.predicated) line["predicated"] = true;
    if (packet.compute) line["compute"] = true;
    if (packet.truncated()) line["truncated"] = true;
    line["registers"] = nlohmann::ordered_json::array();
    for (auto& write : packet.writes) {
      nlohmann::ordered_json part = {
          {"name", nullptr}, {"address", fmt::format("{:#x}", write.address)}, {"value", fmt::format("{:#x}", write.value)}};
      if (write.place.entry) part["name"] = write.place.name();
      part["fields"] = write.place.entry ? fields_json(write.place.entry->fields, write.value) : nlohmann::ordered_json::array();
      line["registers"].push_back(std::move(part));
    }
    if (!packet.operands.empty())
      for (auto& operand : packet.operands)
        line["operands"].push_back({{"name", operand.name},
                                    {"value", fmt::format("{:#x}", operand.value)},
                                    {"fields", fields_json(operand.fields, operand.value)}});
    if (packet.buffer)
      line["indirect_buffer"] = {{"address", fmt::format("{:#x}", packet.buffer->address)}, {"dwords", packet.buffer->dwords}};
    fmt::print("{}\n", line.dump());
  }

  // A field that fills the dword says no more than the dword.
  void print_fields(std::span<const Field> fields, uint32_t value, const std::string& margin) {
    if (fields.size() == 1 && fields[0].low == 0 && fields[0].high == 31 && fields[0].values.empty()) return;
    for (auto& field : fields) fmt::print("{}      {}\n", margin, field_text(field, field_value(field, {&value, 1})));
  }

  void print_text(const StreamPacket& packet, unsigned depth) {
    std::string margin(4 * depth, ' ');
    std::string name(packet.name());
    if (name.empty()) name = fmt::format("(unknown opcode {:#04x})", packet.opcode);
    fmt::print("{}{:#08x} {:08x} {}{}{}\n", margin, packet.offset * 4, packet.words[0], name,
               packet.predicated ? ", predicated" : "", packet.compute ? ", compute" : "");
    for (auto& write : packet.writes) {
      fmt::print("{}    {:#x} {} = {:#010x}\n", margin, write.address,
                 write.place.entry ? write.place.name() : "(unknown register)", write.value);
      if (write.place.entry) print_fields(write.place.entry->fields, write.value, margin);
    }
    for (auto& operand : packet.operands) {
      fmt::print("{}    {} = {:#010x}\n", margin, operand.name, operand.value);
      print_fields(operand.fields, operand.value, margin);
    }
    std::string line;
    for (size_t word = packet.named_words; word < packet.words.size(); word++) {
      line += fmt::format(" {:08x}", packet.words[word]);
      if ((word - packet.named_words) % 8 == 7 || word + 1 == packet.words.size())
        fmt::print("{}   {}\n", margin, line), line.clear();
    }
  }

  const DecodeCall& call_;
  const Family& family_;
  std::map<uint64_t, std::pair<std::string, Words>> buffers_;
  std::map<std::string, Met> unknown_;
  bool failed_ = false;
};

void decode(const DecodeCall& call) {
  if (call.gpu.empty()) end_with(STATUS_CALL, verb, "name the stream's GPU: --gpu GPU");
  const Family& family = *families_of(verb, call.gpu).front();
  if (!has_pm4(family))
    end_with(STATUS_CALL, verb, fmt::format("{}: its streams cannot be read yet: those of Sea Islands and R5xx can", call.gpu));
  StreamPrinter printer(call, family);
  for (auto& buffer : call.buffers)
    if (auto added = printer.add_buffer(buffer); !added) end_with(STATUS_CALL, verb, added.error().message);
  auto words = printer.read(call.file);
  if (!words) end_with(STATUS_FAILED, verb, words.error().message);
  printer.print(call.file, *words);
  if (!printer.summarise()) end(STATUS_FAILED);
}

}  // namespace

void add_decode(CLI::App& app) {
  auto call = std::make_shared<DecodeCall>();
  auto* sub = app.add_subcommand("decode", "prints a command stream packet by packet");
  sub->add_option("--gpu", call->gpu, "the GPU that the stream is for");
  sub->add_option("file", call->file, "raw little-endian dwords; - is standard input");
  sub->add_option("--ib", call->buffers, "ADDRESS=FILE: an indirect buffer's content, printed where it is called")->take_all();
  sub->add_flag("--hex", call->hex, "hexadecimal text instead of raw dwords");
  sub->add_flag("--json", call->json, "one JSON object a line");
  sub->callback([call] { decode(*call); });
}

}  // namespace Atoll::cli
