// The threads that share a draw, and the storage that they keep from draw to draw.
#pragma once
#include <memory>

#include "base/worker_pool.h"

namespace Atoll::pipeline {

struct Storage;

class Workers : public WorkerPool {
public:
  explicit Workers(unsigned count, bool at_once = true);
  ~Workers();

  Storage& storage() { return *storage_; }  // of the draw at hand, and the tile cache (storage.h)

private:
  std::unique_ptr<Storage> storage_;
};

}  // namespace Atoll::pipeline
