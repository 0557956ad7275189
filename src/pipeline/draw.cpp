#include "pipeline/draw.h"
