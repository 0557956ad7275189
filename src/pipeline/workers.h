// The threads that share a draw, and the storage that they keep from draw to draw.
#pragma once
#include <memory>

#include "base/worker_pool.h"

namespace Atoll::pipeline {

struct PixelWatch;
struct Storage;

class Workers : public WorkerPool {
public:
  explicit Workers(unsigned count, bool at_once = true);
  ~Workers();

  // From now on this pixel is looked at (pixel_watch.h), wherever it is active; null: none.
  void look_at(PixelWatch* pixel) { watch_ = pixel; }
  PixelWatch* watched() const;  // null while it is not active

  Storage& storage() { return *storage_; }  // of the draw at hand, and the tile cache (storage.h)

private:
  std::unique_ptr<Storage> storage_;
  PixelWatch* watch_ = nullptr;
};

}  // namespace Atoll::pipeline
