#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <link.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

void posed_set_thread_name(const char *name) { prctl(PR_SET_NAME, name); }

int posed_watch(int epoll, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int posed_watch_again(int epoll, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

int posed_wait_ready(int epoll, struct posed_ready *ready, int capacity, int timeout_ms) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, capacity < 64 ? capacity : 64, timeout_ms);
    for (int i = 0; i < count; i++) {
        ready[i].token = events[i].data.u64;
        ready[i].events = events[i].events;
    }
    return count;
}

int posed_device_events(void) {
    // Group 1 has the kernel's messages; group 2 those that udev sends when its rules have given access to the device.
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1 | 2};
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
    if (descriptor < 0) return -1;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int posed_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int posed_unix_socket(int type) { return socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

static socklen_t unix_address(const char *path, struct sockaddr_un *address) {
    size_t length = strlen(path);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (length == 0 || length >= sizeof address->sun_path) {
        errno = length == 0 ? ENOENT : ENAMETOOLONG;
        return 0;
    }
    memcpy(address->sun_path, path, length);
    return sizeof *address;
}

int posed_connect(int descriptor, const char *path) {
    struct sockaddr_un address;
    socklen_t length = unix_address(path, &address);
    return length == 0 ? -1 : connect(descriptor, (struct sockaddr *)&address, length);
}

int posed_bind(int descriptor, const char *path) {
    struct sockaddr_un address;
    socklen_t length = unix_address(path, &address);
    return length == 0 ? -1 : bind(descriptor, (struct sockaddr *)&address, length);
}

int posed_bound_path(int descriptor, char *path, size_t capacity) {
    struct sockaddr_un address = {0};
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0 || address.sun_path[0] == 0) return -1;
    size_t bytes = strnlen(address.sun_path, sizeof address.sun_path);
    if (bytes >= capacity) return -1;
    memcpy(path, address.sun_path, bytes);
    path[bytes] = 0;
    return (int)bytes;
}

int posed_peer(int descriptor, uint32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    *pid = (uint32_t)peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int posed_peer_has_group(int descriptor, uint32_t gid) {
    uint32_t pid, uid, primary;
    if (posed_peer(descriptor, &pid, &uid, &primary) != 0) return 0;
    if (primary == gid) return 1;
    gid_t few[64], *groups = few;
    socklen_t length = sizeof few;
    int result = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length);
    if (result != 0 && errno == ERANGE) {
        groups = malloc(length);
        if (groups == NULL) return 0;
        result = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length);
    }
    int found = 0;
    for (socklen_t i = 0; result == 0 && i < length / sizeof *groups; i++) found |= groups[i] == gid;
    if (groups != few) free(groups);
    return found;
}

ssize_t posed_receive(int descriptor, void *buffer, size_t capacity, int *notes) {
    struct iovec part = {.iov_base = buffer, .iov_len = capacity};
    // No space for control data: the kernel passes no descriptor and sets MSG_CTRUNC.
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    *notes = 0;
    if (count < 0) return count;
    if (message.msg_flags & MSG_CTRUNC) *notes |= POSED_RECEIVED_DESCRIPTORS;
    if (message.msg_flags & MSG_TRUNC) *notes |= POSED_RECEIVED_TRUNCATED;
    return count;
}

ssize_t posed_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int posed_wait_readable(int descriptor, int64_t until_ns) {
    struct timespec now, wait;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t remaining = until_ns - ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    if (remaining < 0) remaining = 0;
    wait.tv_sec = remaining / 1000000000;
    wait.tv_nsec = remaining % 1000000000;
    struct pollfd watched = {.fd = descriptor, .events = POLLIN};
    int count = ppoll(&watched, 1, &wait, NULL);
    return count > 0 ? 1 : count;
}

int posed_error_text(int error, char *buffer, size_t capacity) {
    // The GNU version returns a pointer to the text, which may be a constant.
    const char *text = strerror_r(error, buffer, capacity);
    if (text == NULL || capacity == 0) return EINVAL;
    if (text != buffer) {
        strncpy(buffer, text, capacity - 1);
        buffer[capacity - 1] = 0;
    }
    return 0;
}

static int release_read_only(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        uintptr_t begin = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        if (end > begin) madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 0;
}

void posed_release_startup_pages(void) {
    dl_iterate_phdr(release_read_only, NULL);
    malloc_trim(0);
}

void posed_release_free_memory(void) { malloc_trim(0); }

int posed_lock_memory(void) { return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? 0 : errno; }

int posed_clock_is_synchronized(void) {
    struct timex clock = {0};
    int state = adjtimex(&clock);
    if (state < 0) return -1;
    return state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}
