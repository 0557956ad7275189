// atoll.h in C++98 (-Wpedantic -Werror): no more is asked of programs.
#include "api/atoll.h"

const char* cpp98_uses_the_library();
const char* cpp98_uses_the_library() { return atoll_status_name(ATOLL_ERROR_FAULT); }
