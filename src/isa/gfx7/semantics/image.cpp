#include "isa/gfx7/semantics/image.h"

#include "isa/gfx7/semantics/registration.h"

ATOLL_SEMANTICS(image, ATOLL_IMAGE)
