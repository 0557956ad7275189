/* atoll.h in strict C99 (-Wpedantic -Werror), with every function used as its prototype has it. */
#include "api/atoll.h"

#include <stddef.h>

typedef int sizes_are_whole[sizeof(atoll_argument) == 32 && sizeof(atoll_range) == 24 ? 1 : -1];
typedef int size_comes_first[offsetof(atoll_result, size) == 0 && offsetof(atoll_launch_options, size) == 0 ? 1 : -1];

const char *c99_uses_the_library(void);
const char *c99_uses_the_library(void) {
  atoll_device *device = NULL;
  atoll_device_options options = {0};
  options.size = sizeof options;
  options.engine = ATOLL_ENGINE_INTERPRETER;
  if (atoll_device_open("gfx1201", &options, &device) != ATOLL_OK) return NULL;
  {
    const char *name = atoll_device_gpu(device);
    atoll_device_close(device);
    return name;
  }
}
