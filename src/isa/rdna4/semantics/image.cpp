#include "isa/rdna4/semantics/image.h"

#include "isa/rdna4/semantics/registration.h"

ATOLL_SEMANTICS(image, ATOLL_IMAGE)
