#include "isa/xe_lp/messages.h"

#include <fmt/format.h>

namespace Atoll::xe_lp::eu {

std::string describe_send(const Instruction& i) {
  std::string out = "wr:";
  out += i.descriptor_in_register ? "a0.0[28:25]" : fmt::format("{}", i.descriptor >> 25 & 15);
  if (!i.descriptor_in_register && i.descriptor >> 19 & 1) out += "h";
  out += i.extended_descriptor_in_register ? fmt::format("+a0.{}[10:6]", i.extended_descriptor)
                                           : fmt::format("+{}", i.extended_descriptor >> 6 & 31);
  out += i.descriptor_in_register ? ", rd:a0.0[24:20]" : fmt::format(", rd:{}", i.descriptor >> 20 & 31);
  return out;
}

}  // namespace Atoll::xe_lp::eu
