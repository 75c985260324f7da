#define _GNU_SOURCE
#include "CSystem.h"
#include <sys/prctl.h>

void posed_set_thread_name(const char *name) { prctl(PR_SET_NAME, name); }
