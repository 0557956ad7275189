// The report of `registers-used` on a program's register writes: as text, as JSON lines, as a page of HTML.
#pragma once
#include <string>
#include <string_view>

#include "registers/usage.h"

namespace Atoll::cli {

std::string usage_report_text(const registers::Family& family, const registers::Usage& usage);
// One object a line: "kind" is summary, packet, register, statement or draw.
std::string usage_report_json(const registers::Family& family, const registers::Usage& usage);
// Stands alone: no other file, no network. `refresh`: seconds after which a browser reads it again; 0: never.
std::string usage_report_html(const registers::Family& family, const registers::Usage& usage, unsigned refresh);

// By the ending of the file's name: .html, .json, else text.
std::string usage_report_for(std::string_view file, const registers::Family& family, const registers::Usage& usage,
                             unsigned refresh);

}  // namespace Atoll::cli
