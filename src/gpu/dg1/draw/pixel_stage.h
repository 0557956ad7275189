// The pixel stage as the pipeline calls it: EU threads whose messages to render targets become the batch's results.
#pragma once
#include <memory>
#include <string>

#include "gpu/dg1/draw/attributes.h"
#include "gpu/dg1/state/context.h"
#include "pipeline/stages.h"

namespace Atoll::dg1 {

// The stage of a draw, found from the state. Null: there is none (3DSTATE_PS_EXTRA, Pixel Shader Valid), or the context is lost, where
// `problem` is not empty or the context says so itself. It stands as long as the draw, after which the context counts its threads.
// `reports`: where what threads have to say is kept until the draw's turn comes; null: it is said at once.
std::unique_ptr<pipeline::PixelStage> make_pixel_stage(Context& context, const AttributeMap& attributes, std::string& problem,
                                                       gpu::Reports::Kept* reports = nullptr);

}  // namespace Atoll::dg1
