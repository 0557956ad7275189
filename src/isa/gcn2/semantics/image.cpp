#include "isa/gcn2/semantics/image.h"

#include "isa/gcn2/semantics/registration.h"

ATOLL_SEMANTICS(image, ATOLL_IMAGE)
