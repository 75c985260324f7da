#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

ssize_t posed_send_descriptor(int descriptor, const void *bytes, size_t count, int passed) {
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {{0}};
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &passed, sizeof passed);
    return sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t posed_receive_descriptor(int descriptor, void *buffer, size_t capacity, int *passed) {
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {{0}};
    struct iovec part = {.iov_base = buffer, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    *passed = -1;
    if (count < 0) return count;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head != NULL; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
            memcpy(passed, CMSG_DATA(head), sizeof *passed);
    }
    return count;
}

int posed_memory_create(const char *name, size_t size, void **memory) {
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    *memory = MAP_FAILED;
    if (ftruncate(descriptor, (off_t)size) == 0)
        *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    // The mapping above stays writable; later mappings cannot be writable.
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
    if (*memory != MAP_FAILED && fcntl(descriptor, F_ADD_SEALS, seals) == 0) return descriptor;
    int problem = errno;
    if (*memory != MAP_FAILED) munmap(*memory, size);
    *memory = NULL;
    close(descriptor);
    errno = problem;
    return -1;
}

const void *posed_memory_map(int descriptor, size_t size) {
    struct stat file;
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(descriptor, &file) != 0 || (size_t)file.st_size < size) {
        errno = EINVAL;
        return NULL;
    }
    void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

// Every word is copied atomically: a copy made during a write may be inconsistent, which `turn` shows, but the
// behaviour is always defined.

void posed_seqlock_write(uint64_t *turn, void *place, const void *message, size_t length) {
    const uint64_t *from = message;
    uint64_t *to = place, now = __atomic_load_n(turn, __ATOMIC_RELAXED);
    __atomic_store_n(turn, now + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (size_t i = 0; i < length / 8; i++) __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
    __atomic_store_n(turn, now + 2, __ATOMIC_RELEASE);
}

int posed_seqlock_read(const uint64_t *turn, const void *place, void *copy, size_t length) {
    const uint64_t *from = place, before = __atomic_load_n(turn, __ATOMIC_ACQUIRE);
    uint64_t *to = copy;
    if (before & 1) return 0;
    for (size_t i = 0; i < length / 8; i++) to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(turn, __ATOMIC_RELAXED) == before;
}

void posed_write_out(int descriptor, off_t offset, off_t size) {
    sync_file_range(descriptor, offset, size, SYNC_FILE_RANGE_WRITE);
}

void posed_drop_written(int descriptor, off_t offset, off_t size) {
    sync_file_range(
        descriptor, offset, size,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    posix_fadvise(descriptor, offset, size, POSIX_FADV_DONTNEED);
}
