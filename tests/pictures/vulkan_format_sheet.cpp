// Every format of Vulkan (but those of depth and stencil together, and of planes) in every use that a device has for it, and the
// comparison of two devices' results.
//   vulkan_format_sheet --list           the device's pairs, FORMAT USE a line
//   vulkan_format_sheet --uses FILE OUT  what it finds in the pairs that FILE lists, to OUT
//   vulkan_format_sheet --compare A B    what differs
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "vulkan/format_uses.h"

namespace {

using namespace vulkan;
constexpr const char* program = "vulkan_format_sheet";

// The step in which a call failed or a driver ended the program.
std::string& doing() {
  static std::string text;
  return text;
}

int fail(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", program, what.c_str());
  return 2;
}

int list() {
  Device device(program);
  for (const FormatRow& row : formats)
    for (const Use& use : uses())
      if (possible(device, row, use)) std::printf("%s %s\n", row.name, use.name);
  return 0;
}

int find_all(const char* pairs, const char* out) {
  std::ifstream in(pairs);
  if (!in) return fail(std::string("cannot read ") + pairs);
  std::ofstream results(out, std::ios::binary);
  Device device(program);
  std::printf("device: %s\n", device.name().c_str());
  std::atexit([] {
    if (!doing().empty()) std::fprintf(stderr, "%s: ended in %s\n", program, doing().c_str());
  });
  std::string format, use_name;
  while (in >> format >> use_name) {
    const FormatRow* row = find_format(format);
    const Use* use = find_use(use_name);
    if (!row || !use) return fail(std::string("no such pair: ").append(format).append(" ").append(use_name));
    doing() = std::string(format).append(" ").append(use_name);
    if (!possible(device, *row, *use)) return fail("the device has no " + doing());
    Found found = find(device, *row, *use);
    results << found.format << ' ' << found.use << ' ' << found.layout->name << ' ' << found.width << ' ' << found.bytes.size()
            << '\n';
    results.write(reinterpret_cast<const char*>(found.bytes.data()), std::streamsize(found.bytes.size()));
    results.flush();
  }
  doing().clear();
  return results ? 0 : fail(std::string("cannot write ") + out);
}

bool read(std::istream& in, Found& found) {
  std::string line, layout;
  if (!std::getline(in, line)) return false;
  std::istringstream words(line);
  size_t bytes = 0;
  if (!(words >> found.format >> found.use >> layout >> found.width >> bytes) || bytes > 1u << 24) return false;
  found.layout = find_format(layout);
  found.bytes.resize(bytes);
  return found.layout && found.width && bytes % found.layout->bytes == 0 &&
         in.read(reinterpret_cast<char*>(found.bytes.data()), std::streamsize(bytes));
}

int compare(const char* file_a, const char* file_b) {
  std::ifstream a(file_a, std::ios::binary), b(file_b, std::ios::binary);
  if (!a || !b) return fail(std::string("cannot read ") + (!a ? file_a : file_b));
  int pairs = 0, differing = 0;
  std::set<std::string> seen_formats;
  for (Found of_a, of_b;;) {
    bool has_a = read(a, of_a), has_b = read(b, of_b);
    if (!has_a && !has_b && a.eof() && b.eof()) break;
    if (!has_a || !has_b || of_a.format != of_b.format || of_a.use != of_b.use)
      return fail("the results do not have the same pairs after " + std::to_string(pairs));
    const FormatRow* row = find_format(of_a.format);
    const Use* use = find_use(of_a.use);
    if (!row || !use) return fail("no such pair: " + of_a.format + " " + of_a.use);
    pairs++;
    seen_formats.insert(of_a.format);
    auto text = difference(of_a, of_b, tolerance(*row, *use));
    if (!text) continue;
    differing++;
    std::printf("%s %s: %s\n", row->name, use->name, text->c_str());
  }
  std::printf("%d pairs of %zu formats compared, %d differ\n", pairs, seen_formats.size(), differing);
  return differing ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "--list" && argc == 2) return list();
  if (verb == "--uses" && argc == 4) return find_all(argv[2], argv[3]);
  if (verb == "--compare" && argc == 4) return compare(argv[2], argv[3]);
  return fail("--list, --uses FILE OUT or --compare A B");
}
