// A pixel of a recording as verbs name it: --pixel X,Y and what says of which frame, target, layer and sample.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "insight/pixel_history.h"

namespace Atoll::cli {

struct PixelCall {
  std::string trace, pixel, target, engine = "auto";
  std::optional<uint64_t> frame, submission;
  unsigned layer = 0, sample = 0;
  uint64_t events = insight::PixelQuestion().most_events;
};

// `what`: what --pixel means to the verb.
CLI::Option* add_pixel_option(CLI::App& sub, PixelCall& call, const char* what);
void add_pixel_place_options(CLI::App& sub, PixelCall& call);

// Ends the verb where an option cannot be read. Without --pixel the pixel is left out.
insight::PixelQuestion question_of(const char* verb, const PixelCall& call);

}  // namespace Atoll::cli
