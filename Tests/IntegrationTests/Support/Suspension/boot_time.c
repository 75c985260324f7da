// Preloaded into the daemon: CLOCK_BOOTTIME is ahead by the seconds in the file POSED_TEST_SUSPENDED, as after a
// suspension of the machine. All other clocks are the machine's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long suspended_seconds(void) {
    char text[32] = {0};
    const char *path = getenv("POSED_TEST_SUSPENDED");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    return count > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*original)(clockid_t, struct timespec *);
    if (!original) *(void **)&original = dlsym(RTLD_NEXT, "clock_gettime");
    int result = original(clock, now);
    if (clock == CLOCK_BOOTTIME && result == 0) now->tv_sec += suspended_seconds();
    return result;
}
