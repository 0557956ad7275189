// linux/kfd_ioctl.h includes <drm/drm.h>, as the kernel installs it; Debian has libdrm's alone.
#pragma once
#include <libdrm/drm.h>
