#define _GNU_SOURCE
#include "CCAN.h"

#include <errno.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct can_frame) == CAN_MTU && sizeof(struct canfd_frame) == CANFD_MTU, "forms of a frame");

static int fail(int descriptor, int step, int *failed) {
    int code = errno;
    if (descriptor >= 0) close(descriptor);
    *failed = step;
    errno = code;
    return -1;
}

int posed_can_open(const char *interface, const uint32_t *ids, const uint32_t *masks, size_t count, int *failed) {
    struct can_filter filters[POSED_CAN_FILTERS];
    if (count > POSED_CAN_FILTERS) {
        errno = EINVAL;
        return fail(-1, POSED_CAN_SOCKET, failed);
    }
    for (size_t i = 0; i < count; i++) filters[i] = (struct can_filter){.can_id = ids[i], .can_mask = masks[i]};
    int descriptor = socket(AF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
    if (descriptor < 0) return fail(descriptor, POSED_CAN_SOCKET, failed);
    struct sockaddr_can address = {.can_family = AF_CAN};
    address.can_ifindex = (int)if_nametoindex(interface);
    if (address.can_ifindex == 0) return fail(descriptor, POSED_CAN_INTERFACE, failed);
    can_err_mask_t errors = CAN_ERR_BUSOFF | CAN_ERR_RESTARTED | CAN_ERR_CRTL;
    int yes = 1;
    if (setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_FILTER, filters, (socklen_t)(count * sizeof filters[0])) != 0)
        return fail(descriptor, POSED_CAN_SOCKET, failed);
    // Each of these may be missing in an older kernel, and none is necessary.
    setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof errors);
    setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &yes, sizeof yes);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
        return fail(descriptor, POSED_CAN_BIND, failed);
    // An interface that is down is bound all the same: only the error of the socket says it.
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0) {
        errno = error;
        return fail(descriptor, POSED_CAN_BIND, failed);
    }
    return posed_can_prepare(descriptor) == 0 ? descriptor : fail(descriptor, POSED_CAN_SOCKET, failed);
}

int posed_can_prepare(int descriptor) {
    int yes = 1;
    // Not possible on all sockets: drops of the kernel's queue are then not counted.
    setsockopt(descriptor, SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof yes);
    return setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
}

static void read_notes(struct msghdr *message, struct posed_can_frame *frame, uint32_t *dropped) {
    frame->realtime_ns = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SO_TIMESTAMPNS && c->cmsg_len >= CMSG_LEN(sizeof(struct timespec))) {
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            frame->realtime_ns = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
        } else if (c->cmsg_type == SO_RXQ_OVFL && c->cmsg_len >= CMSG_LEN(sizeof(uint32_t))) {
            memcpy(dropped, CMSG_DATA(c), sizeof *dropped);
        }
    }
}

static void read_frame(const struct canfd_frame *raw, size_t length, struct posed_can_frame *frame) {
    size_t most = length == CAN_MTU ? CAN_MAX_DLEN : CANFD_MAX_DLEN;
    frame->kind = POSED_CAN_MALFORMED;
    frame->length = 0;
    if ((length != CAN_MTU && length != CANFD_MTU) || raw->len > most) return;
    frame->kind = raw->can_id & CAN_ERR_FLAG ? POSED_CAN_ERROR : raw->can_id & CAN_RTR_FLAG ? POSED_CAN_REMOTE
                                                                                            : POSED_CAN_DATA;
    frame->id = raw->can_id;
    frame->length = raw->len;
    memcpy(frame->data, raw->data, raw->len);
}

int posed_can_receive(int descriptor, struct posed_can_frame *frames, size_t capacity, uint32_t *dropped) {
    enum { BATCH = 32 };
    struct canfd_frame raw[BATCH];
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH];
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t))];
    } notes[BATCH];
    if (capacity > BATCH) capacity = BATCH;
    memset(messages, 0, capacity * sizeof messages[0]);
    for (size_t i = 0; i < capacity; i++) {
        parts[i] = (struct iovec){.iov_base = &raw[i], .iov_len = sizeof raw[i]};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_control = &notes[i];
        messages[i].msg_hdr.msg_controllen = sizeof notes[i];
    }
    int count = recvmmsg(descriptor, messages, (unsigned)capacity, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++) {
        read_frame(&raw[i], messages[i].msg_len, &frames[i]);
        read_notes(&messages[i].msg_hdr, &frames[i], dropped);
    }
    return count;
}

int posed_can_send(int descriptor, uint32_t id, const uint8_t data[8]) {
    struct can_frame frame = {.can_id = id, .len = 8};
    memcpy(frame.data, data, 8);
    return send(descriptor, &frame, sizeof frame, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof frame ? 0 : -1;
}
