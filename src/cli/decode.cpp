// atoll decode: a command stream packet by packet, with registers and fields by name.
#include <fmt/format.h>

#include <map>

#include "base/files.h"
#include "cli/register_output.h"
#include "cli/verbs.h"
#include "registers/pm4.h"
#include "registers/stream_text.h"

namespace Atoll::cli {
namespace {

using namespace registers;

constexpr const char* verb = "decode";
constexpr unsigned deepest_buffer = 4;      // hardware has two levels
constexpr unsigned most_buffers = 100'000;  // that few buffers calling each other again and again must end

struct DecodeCall {
  std::string gpu, file = "-";
  std::vector<std::string> buffers;  // ADDRESS=FILE
  bool hex = false, json = false;
};

using Words = std::vector<uint32_t>;

std::string shown_name(const std::string& file) { return file == "-" ? "standard input" : file; }

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
    buffers_[(*address)[0] | uint64_t((*address)[1]) << 32] = {file, std::move(*words), false};
    return {};
  }

  Expected<Words> read(const std::string& file) {
    auto bytes = read_file(file);
    if (!bytes) return std::unexpected(bytes.error());
    if (call_.hex) {
      auto words = dwords_of_hex({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
      if (!words) return fail("{}:{}", shown_name(file), words.error().message);
      return words;
    }
    Words words(bytes->size() / 4);
    for (size_t i = 0; i < words.size() * 4; i++) words[i / 4] |= uint32_t((*bytes)[i]) << 8 * (i % 4);
    if (bytes->size() % 4)
      problem(shown_name(file), words.size(),
              fmt::format("{} bytes are left behind the last dword: the stream is truncated", bytes->size() % 4));
    return words;
  }

  void print(const std::string& file, std::span<const uint32_t> words, unsigned depth = 0) {
    for (size_t offset = 0; offset < words.size();) {
      auto packet = read_packet(family_, words, offset);
      if (!packet) return problem(shown_name(file), offset, packet.error().message + ": the rest is not read");
      if (call_.json)
        print_json(*packet, file == call_.file ? "" : file);
      else
        print_text(*packet, depth);
      count(*packet, file);
      if (packet->truncated())
        return problem(shown_name(file), offset,
                       fmt::format("{} of {} dwords are there: the stream is truncated", packet->words.size(), packet->length));
      offset += packet->length;
      if (!packet->buffer || !buffers_.contains(packet->buffer->address)) continue;
      print_buffer(*packet, file, depth);
      if (packet->buffer->chained) return;  // what follows is never reached
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
  struct Buffer {
    std::string file;
    Words words;
    bool active = false;  // being printed
  };
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
    auto& buffer = buffers_.at(packet.buffer->address);
    if (buffer.active)
      return problem(shown_name(file), packet.offset, fmt::format("the buffer at {:#x} calls itself", packet.buffer->address));
    if (depth >= deepest_buffer && !packet.buffer->chained)
      return problem(shown_name(file), packet.offset, fmt::format("buffers call each other more than {} deep", deepest_buffer));
    if (printed_buffers_++ == most_buffers)
      return problem(shown_name(file), packet.offset,
                     fmt::format("more than {} buffers are called: the others are not printed", most_buffers));
    if (printed_buffers_ > most_buffers) return;
    if (buffer.words.size() < packet.buffer->dwords)
      problem(shown_name(file), packet.offset,
              fmt::format("the buffer has {} dwords, and {} has {}", packet.buffer->dwords, shown_name(buffer.file),
                          buffer.words.size()));
    buffer.active = true;
    print(buffer.file, std::span(buffer.words).first(std::min<size_t>(buffer.words.size(), packet.buffer->dwords)),
          packet.buffer->chained ? depth : depth + 1);
    buffer.active = false;
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
    fmt::print("{}\n",
               line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));  // a file's name may be no UTF-8
  }

  void print_text(const StreamPacket& packet, unsigned depth) {
    text_.clear();
    append_text(text_, packet, std::string(4 * depth, ' '));
    std::fwrite(text_.data(), 1, text_.size(), stdout);
  }

  const DecodeCall& call_;
  const Family& family_;
  std::map<uint64_t, Buffer> buffers_;
  unsigned printed_buffers_ = 0;
  std::map<std::string, Met> unknown_;
  std::string text_;
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
