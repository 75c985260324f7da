#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include "CBench.h"

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t number_at(const char *packet, size_t offset) {
    int64_t value;
    memcpy(&value, packet + offset, sizeof value);
    return value;
}

int bench_receive(const int *sockets, int count, struct bench_layout layout, double seconds, double warm_up_seconds,
    struct bench_reception *result) {
    static char packet[65536];
    struct epoll_event ready[64];
    int64_t last[1024] = {0}, told[1024] = {0};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0 || count > 1024) return -1;
    for (int i = 0; i < count; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[i], &event) != 0) return -1;
    }
    const int64_t begin = now(), first = begin + (int64_t)(warm_up_seconds * 1e9),
                  end = begin + (int64_t)(seconds * 1e9);
    while (now() < end) {
        int found = epoll_wait(epoll, ready, 64, 100);
        for (int i = 0; i < found; i++) {
            uint32_t client = ready[i].data.u32;
            ssize_t length = recv(sockets[client], packet, sizeof packet, MSG_DONTWAIT);
            int64_t arrival = now();
            if (length == 0) epoll_ctl(epoll, EPOLL_CTL_DEL, sockets[client], NULL);
            if (length < layout.least_length || (layout.type != 0 && number_at(packet, 0) >> 48 != layout.type))
                continue;
            int64_t number = number_at(packet, layout.number_offset),
                    dropped = layout.dropped_offset < 0 ? 0 : number_at(packet, layout.dropped_offset);
            // Messages between frames have sequence numbers too, so a reader of frames only sees gaps there.
            if (arrival >= first) {
                if (last[client] != 0 && number > last[client] + 1)
                    result->lost += (uint64_t)(number - last[client] - 1);
                if (last[client] != 0) result->told += (uint64_t)(dropped - told[client]);
                if (result->count < result->capacity)
                    result->ages_ns[result->count++] = arrival - number_at(packet, layout.time_offset);
            }
            last[client] = number;
            told[client] = dropped;
        }
    }
    return 0;
}
