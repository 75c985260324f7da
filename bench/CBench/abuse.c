// Traffic that must not disturb other clients: garbage, empty packets, passed descriptors, half-open connections.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "CBench.h"

enum { half_open_most = 64, descriptors_at_once = 20, garbage_bytes = 100000, round_ns = 10000000 };

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int connected(const char *path, int type) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    memcpy(address.sun_path, path, strlen(path));
    int descriptor = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    if (descriptor >= 0) close(descriptor);
    return -1;
}

static void pass_descriptors(int descriptor) {
    char byte = 1;
    struct iovec part = {&byte, 1};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(descriptors_at_once * sizeof(int))];
    } control = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors_at_once * sizeof(int));
    int passed[descriptors_at_once];
    for (int i = 0; i < descriptors_at_once; i++) passed[i] = STDERR_FILENO;
    memcpy(CMSG_DATA(head), passed, sizeof passed);
    sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

// Reads until the other end has closed. Returns whether that took at most one second.
static int is_left(int descriptor) {
    static char buffer[65536];
    int64_t end = now() + INT64_C(1000000000);
    struct pollfd ready = {descriptor, POLLIN, 0};
    while (now() < end && poll(&ready, 1, (int)((end - now()) / 1000000) + 1) > 0) {
        if (recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT) <= 0) return 1;
    }
    return 0;
}

// Performs one violation on a separate connection. Returns whether the daemon disconnected in time.
static int offend(const char *path, int how) {
    int descriptor = connected(path, SOCK_SEQPACKET);
    if (descriptor < 0) return 1;
    char nothing = 0;
    if (how == 0) send(descriptor, &nothing, 0, MSG_NOSIGNAL);
    if (how == 1) pass_descriptors(descriptor);
    int left = is_left(descriptor);
    close(descriptor);
    return left;
}

static int pour_garbage(const char *path, int *stream) {
    static char garbage[garbage_bytes];
    if (garbage[0] == 0) {
        uint32_t state = 1;
        for (int i = 0; i < garbage_bytes; i++) garbage[i] = (char)((state = state * 1664525 + 1013904223) >> 24);
        garbage[0] = 1;
    }
    if (*stream < 0) *stream = connected(path, SOCK_STREAM);
    if (*stream < 0 || send(*stream, garbage, sizeof garbage, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) return 1;
    int left = is_left(*stream);
    close(*stream);
    *stream = -1;
    return left;
}

static int abuse(const char *frames, const char *stream_path, int64_t end) {
    int half_open[half_open_most], count = 0, stream = -1, all_left = 1;
    int64_t due = now();
    for (int n = 0; now() < end; n++) {
        due += round_ns;
        struct timespec wake = {due / 1000000000, due % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
        all_left &= pour_garbage(stream_path, &stream);
        all_left &= offend(frames, n % 2);
        int place = count % half_open_most;
        if (count >= half_open_most) close(half_open[place]);
        half_open[place] = connected(n % 2 ? frames : stream_path, n % 2 ? SOCK_SEQPACKET : SOCK_STREAM);
        if (half_open[place] >= 0) {
            shutdown(half_open[place], SHUT_WR);
            count++;
        }
    }
    return all_left;
}

pid_t bench_start_abuse(const char *frames, const char *stream, double seconds) {
    int64_t end = now() + (int64_t)(seconds * 1e9);
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(abuse(frames, stream, end) ? 0 : 1);
}
