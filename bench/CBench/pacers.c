#define _GNU_SOURCE
#include "CBench.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { longest = 4096 };

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// Waits for the next time of a periodic series. Returns the current time.
static int64_t wait_for(int64_t *due, int64_t period) {
    *due += period;
    struct timespec wake = {*due / 1000000000, *due % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {}
    return now();
}

static void send_all(const int *sockets, int count, int length, int64_t period, int packets) {
    char packet[longest] = {0};
    int64_t due = now();
    for (int n = 0; n < packets; n++) {
        int64_t instant = wait_for(&due, period);
        int64_t number = n + 1;
        memcpy(packet, &instant, sizeof instant);
        memcpy(packet + sizeof instant, &number, sizeof number);
        for (int i = 0; i < count; i++) send(sockets[i], packet, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
}

int bench_set_priority(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), priority > 0 ? SCHED_FIFO : SCHED_OTHER, &parameters);
}

pid_t bench_start_fan_out(
    const int *sockets, int count, int length, int64_t period_nanoseconds, int packets, int priority) {
    if (length < 16 || length > longest) {
        errno = EINVAL;
        return -1;
    }
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (priority > 0) bench_set_priority(priority);
    send_all(sockets, count, length, period_nanoseconds, packets);
    _exit(0);
}

static void come_and_go(const struct sockaddr_un *address, int how) {
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return;
    if (connect(descriptor, (const struct sockaddr *)address, sizeof *address) == 0) {
        if (how == 1) send(descriptor, "?", 1, MSG_NOSIGNAL);
        if (how == 2) shutdown(descriptor, SHUT_WR);
    }
    close(descriptor);
}

pid_t bench_start_storm(const char *path, int64_t period_nanoseconds, int connections) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path));
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int64_t due = now();
    for (int n = 0; n < connections; n++) {
        wait_for(&due, period_nanoseconds);
        come_and_go(&address, n % 3);
    }
    _exit(0);
}

static void write_scans(int fifo, int64_t period) {
    struct {
        int16_t readings[6];
        int16_t padding[2];
        int64_t instant;
    } scan = {.readings = {0, 0, 16399, 0, 0, 0}};
    int64_t due = now();
    for (unsigned n = 0;; n++) {
        scan.instant = wait_for(&due, period);
        // Adds some noise: a sensor that repeats its value counts as stuck.
        scan.readings[n % 6] ^= 1;
        if (write(fifo, &scan, sizeof scan) < 0 && errno != EAGAIN) return;
    }
}

pid_t bench_start_imu(const char *fifo, int64_t period_nanoseconds) {
    // Opens both ends, so that the FIFO stays open without its reader, as a device does.
    int descriptor = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        write_scans(descriptor, period_nanoseconds);
        _exit(0);
    }
    close(descriptor);
    return child;
}

int bench_open_terminal(int *terminal, char *name, size_t capacity) {
    struct termios settings;
    int near = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (near < 0 || grantpt(near) != 0 || unlockpt(near) != 0 || ptsname_r(near, name, capacity) != 0) return -1;
    *terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*terminal < 0 || tcgetattr(*terminal, &settings) != 0) return -1;
    cfmakeraw(&settings);
    return tcsetattr(*terminal, TCSANOW, &settings) == 0 ? near : -1;
}
