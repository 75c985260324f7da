/* A server of the network time protocol (RFC 5905) on 127.0.0.1. Like the receiver's, its clock goes on where that of
 * the system is set later. usage: time_server. Never ends. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Seconds from 1900, where the protocol counts from, to 1970. */
#define FROM_1900 2208988800u

static void put_time(unsigned char *field, time_t offset) {
    struct timespec now;
    uint32_t whole, fraction;
    clock_gettime(CLOCK_BOOTTIME, &now);
    whole = htonl((uint32_t)(now.tv_sec + offset + FROM_1900));
    fraction = htonl((uint32_t)(((uint64_t)now.tv_nsec << 32) / 1000000000u));
    memcpy(field, &whole, 4);
    memcpy(field + 4, &fraction, 4);
}

int main(void) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(123)}, other;
    struct timespec start, uptime;
    time_t offset;
    int server = socket(AF_INET, SOCK_DGRAM, 0);
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (server < 0 || bind(server, (struct sockaddr *)&own, sizeof own)) {
        perror("time_server");
        return 1;
    }
    clock_gettime(CLOCK_REALTIME, &start);
    clock_gettime(CLOCK_BOOTTIME, &uptime);
    offset = start.tv_sec - uptime.tv_sec;
    for (;;) {
        /* Version 4, from a server; stratum 1; poll every 64 s; precision 2^-20 s; no delay and dispersion; "LOCL". */
        unsigned char request[48], answer[48] = {0x24, 1, 6, 0xec, 0, 0, 0, 0, 0, 0, 0, 0, 'L', 'O', 'C', 'L'};
        socklen_t length = sizeof other;
        ssize_t received = recvfrom(server, request, sizeof request, 0, (struct sockaddr *)&other, &length);
        if (received != sizeof request) continue;
        put_time(answer + 16, offset);        /* last set */
        memcpy(answer + 24, request + 40, 8); /* sent by the client */
        put_time(answer + 32, offset);        /* received */
        put_time(answer + 40, offset);        /* sent back */
        if (sendto(server, answer, sizeof answer, 0, (struct sockaddr *)&other, length) < 0) perror("time_server");
    }
}
