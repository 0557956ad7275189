#include "gpu/device/device.h"
