// Checks Sources/CCAN on a real kernel: a virtual bus (vcan), raw sockets, and a control unit that answers OBD-II with
// the kernel's own ISO-TP. Prints one line for each check; "guest: can: done" with the number of failures is the last.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/can.h>
#include <linux/can/isotp.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "CCAN.h"

static int failures;

static void check(int is_true, const char *what) {
    printf("guest: can: %s: %s\n", what, is_true ? "ok" : "FAILED");
    failures += !is_true;
}

static int64_t realtime(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void set_up(const char *interface, int is_up) {
    struct ifreq request = {0};
    int control = socket(AF_INET, SOCK_DGRAM, 0);
    strcpy(request.ifr_name, interface);
    ioctl(control, SIOCGIFFLAGS, &request);
    request.ifr_flags = (short)(is_up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
    ioctl(control, SIOCSIFFLAGS, &request);
    close(control);
}

// A socket of ISO-TP that receives one identifier and sends with another.
static int control_unit(const char *interface, uint32_t rx, uint32_t tx) {
    int unit = socket(AF_CAN, SOCK_DGRAM, CAN_ISOTP);
    struct can_isotp_options options = {.flags = CAN_ISOTP_TX_PADDING, .txpad_content = 0xAA};
    setsockopt(unit, SOL_CAN_ISOTP, CAN_ISOTP_OPTS, &options, sizeof options);
    struct sockaddr_can address = {.can_family = AF_CAN, .can_ifindex = (int)if_nametoindex(interface)};
    address.can_addr.tp.rx_id = rx;
    address.can_addr.tp.tx_id = tx;
    return bind(unit, (struct sockaddr *)&address, sizeof address) == 0 ? unit : -1;
}

static int wait_readable(int descriptor) {
    struct pollfd watched = {.fd = descriptor, .events = POLLIN};
    return poll(&watched, 1, 2000) == 1;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    int failed = -1;
    uint32_t ids[2] = {0x1A0, 0x7E8}, masks[2] = {0xDFFFFFFF, 0xDFFFFFF8}, dropped = 0;
    struct posed_can_frame frames[32];

    check(posed_can_open("can9", ids, masks, 2, &failed) < 0 && failed == POSED_CAN_INTERFACE && errno == ENODEV,
          "a missing interface is told apart");
    check(posed_can_open("lo", ids, masks, 2, &failed) < 0 && failed == POSED_CAN_BIND && errno == ENODEV,
          "an interface of another kind is told apart");
    set_up("vcan0", 1);
    int reader = posed_can_open("vcan0", ids, masks, 2, &failed);
    check(reader >= 0, "vcan0 opens");
    uint32_t none[1] = {0x7FF};
    uint32_t exact[1] = {0xDFFFFFFF};
    int bus = posed_can_open("vcan0", none, exact, 1, &failed);
    uint8_t data[8] = {0, 0, 0x88, 0x13, 0x9C, 0x13, 0, 0};
    int64_t before = realtime();
    for (uint32_t id = 0x19F; id <= 0x1A1; id++) posed_can_send(bus, id, data);
    posed_can_send(bus, 0x800001A0, data);
    check(wait_readable(reader), "a frame arrives");
    int count = posed_can_receive(reader, frames, 32, &dropped);
    check(count == 1 && frames[0].id == 0x1A0, "the kernel filters the other identifiers");
    check(frames[0].kind == POSED_CAN_DATA && frames[0].length == 8 && memcmp(frames[0].data, data, 8) == 0,
          "its data are those sent");
    check(frames[0].realtime_ns >= before && frames[0].realtime_ns <= realtime(), "it has the kernel's time");

    int unit = control_unit("vcan0", 0x7DF, 0x7E8);
    check(unit >= 0, "a control unit listens by ISO-TP");
    uint8_t request[8] = {0x02, 0x01, 0x0D}, message[16], answer[3] = {0x41, 0x0D, 50};
    posed_can_send(reader, 0x7DF, request);
    check(wait_readable(unit) && read(unit, message, sizeof message) == 2 && message[0] == 0x01 && message[1] == 0x0D,
          "it understands the request of PID 0D");
    check(write(unit, answer, sizeof answer) == (ssize_t)sizeof answer, "it answers");
    check(wait_readable(reader), "the answer arrives");
    count = posed_can_receive(reader, frames, 32, &dropped);
    check(count == 1 && frames[0].id == 0x7E8 && frames[0].data[0] == 0x03 && frames[0].data[1] == 0x41
              && frames[0].data[2] == 0x0D && frames[0].data[3] == 50,
          "it is the speed of 50 km/h in one frame");

    int small = 0;
    setsockopt(reader, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    for (int i = 0; i < 400; i++) posed_can_send(bus, 0x1A0, data);
    int received = 0;
    while ((count = posed_can_receive(reader, frames, 32, &dropped)) > 0) received += count;
    // The number of drops comes with the next frame that has room.
    posed_can_send(bus, 0x1A0, data);
    wait_readable(reader);
    count = posed_can_receive(reader, frames, 32, &dropped);
    check(received > 0 && received < 400 && (int)dropped == 400 - received, "frames without room are counted");

    set_up("vcan0", 0);
    wait_readable(reader);
    check(posed_can_receive(reader, frames, 32, &dropped) < 0 && errno == ENETDOWN,
          "an interface that goes down is told");
    check(posed_can_send(reader, 0x7DF, request) < 0 && errno == ENETDOWN, "nothing is sent while it is down");
    check(posed_can_open("vcan0", ids, masks, 2, &failed) < 0 && errno == ENETDOWN && failed == POSED_CAN_BIND,
          "an interface that is down is not opened");
    set_up("vcan0", 1);
    int again = posed_can_open("vcan0", ids, masks, 2, &failed);
    posed_can_send(reader, 0x1A0, data);
    check(wait_readable(again) && posed_can_receive(again, frames, 32, &dropped) == 1, "it works again when it is up");
    printf("guest: can: done, %d failed\n", failures);
    return failures != 0;
}
