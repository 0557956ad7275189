// ATOLL_RECORDED(name): the function `name` of the namespace `recording`, a RecordFunction; null in a build without the code generator, for
// which no source is compiled for the recorder (cmake/levels.cmake).
#pragma once
#include "wave/program.h"

#ifdef ATOLL_WITHOUT_RECORDER
#define ATOLL_RECORDED(name) (::Atoll::wave::RecordFunction(nullptr))
#else
#define ATOLL_RECORDED(name) (recording::name)
#endif
