#define _GNU_SOURCE
#include "CBench.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { longest = 4096 };

static void send_all(const int *sockets, int count, int length, int64_t period, int packets) {
    char packet[longest] = {0};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t due = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    for (int n = 0; n < packets; n++) {
        due += period;
        struct timespec wake = {due / 1000000000, due % 1000000000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {}
        memcpy(packet, &due, sizeof due);
        for (int i = 0; i < count; i++) send(sockets[i], packet, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
}

pid_t bench_start_fan_out(const int *sockets, int count, int length, int64_t period_nanoseconds, int packets) {
    if (length < 8 || length > longest) {
        errno = EINVAL;
        return -1;
    }
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    send_all(sockets, count, length, period_nanoseconds, packets);
    _exit(0);
}
