#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "posed_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SHORTEST_WAIT INT64_C(100000000)
#define LONGEST_WAIT INT64_C(5000000000)
/* How long the daemon may take for its hello, nanoseconds. */
#define HELLO_WAIT INT64_C(2000000000)
/* A frame older than this was in the socket while its reader slept, nanoseconds. */
#define OLD INT64_C(50000000)

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Waits for input until a time; 1 if there is input. */
static int wait_until(int descriptor, int64_t until) {
    for (;;) {
        int64_t remaining = until - now_ns();
        struct timespec wait;
        struct pollfd watched;
        int count;
        if (remaining < 0) remaining = 0;
        wait.tv_sec = (time_t)(remaining / 1000000000);
        wait.tv_nsec = (long)(remaining % 1000000000);
        watched.fd = descriptor;
        watched.events = POLLIN;
        watched.revents = 0;
        count = ppoll(&watched, descriptor < 0 ? 0 : 1, &wait, NULL);
        if (count > 0) return 1;
        if (count == 0 || errno != EINTR) return 0;
    }
}

static void drop_memory(struct posed_client *client) {
    if (client->memory) munmap((void *)(uintptr_t)client->memory, client->memory_size);
    client->memory = NULL;
}

static enum posed_client_update failed(struct posed_client *client, const char *what, int error) {
    char buffer[80] = "";
    const char *text = buffer;
    if (error) text = strerror_r(error, buffer, sizeof buffer);
    snprintf(client->problem, sizeof client->problem, "%s%s%s", what, error ? ": " : "", text);
    if (client->socket >= 0) close(client->socket);
    client->socket = -1;
    client->length = 0;
    drop_memory(client);
    client->wait_ns = client->wait_ns == 0                 ? SHORTEST_WAIT
                      : client->wait_ns * 2 < LONGEST_WAIT ? client->wait_ns * 2
                                                           : LONGEST_WAIT;
    client->due_ns = now_ns() + client->wait_ns;
    return POSED_CLIENT_DISCONNECTED;
}

void posed_client_init(struct posed_client *client, const char *path, uint32_t topics, double rate_hz, uint32_t flags) {
    memset(client, 0, sizeof *client);
    client->socket = -1;
    snprintf(client->path, sizeof client->path, "%s", path ? path : POSED_DEFAULT_PATH);
    client->topics = topics;
    client->rate_mhz = rate_hz > 0 ? (uint32_t)(rate_hz * 1000 + 0.5) : 0;
    client->flags = flags;
}

void posed_client_close(struct posed_client *client) {
    if (client->socket >= 0) close(client->socket);
    client->socket = -1;
    client->length = 0;
    client->due_ns = 0;
    drop_memory(client);
}

static int subscribe(struct posed_client *client) {
    struct {
        struct posed_header header;
        struct posed_subscribe subscription;
    } packet;
    memset(&packet, 0, sizeof packet);
    packet.header.magic = POSED_MAGIC;
    packet.header.version = POSED_VERSION;
    packet.header.type = POSED_SUBSCRIBE;
    packet.header.length = sizeof packet;
    packet.header.blocks = 1;
    packet.subscription.block.id = POSED_BLOCK_SUBSCRIBE;
    packet.subscription.block.size = sizeof packet.subscription;
    packet.subscription.topics = client->topics;
    packet.subscription.rate_mhz = client->rate_mhz;
    packet.subscription.flags = client->flags;
    return send(client->socket, &packet, sizeof packet, MSG_NOSIGNAL) == (ssize_t)sizeof packet;
}

static const struct posed_header *header_of(const struct posed_client *client) {
    return (const struct posed_header *)(const void *)client->buffer;
}

/* Whether the message is complete: every block lies within it. */
static int is_complete(const struct posed_client *client) {
    const struct posed_header *header = header_of(client);
    const char *bytes = (const char *)client->buffer;
    size_t place = sizeof *header;
    uint32_t i;
    if (client->length < sizeof *header || header->magic != POSED_MAGIC || header->version != POSED_VERSION ||
        header->length != client->length)
        return 0;
    for (i = 0; i < header->blocks; i++) {
        struct posed_block block;
        if (client->length - place < sizeof block) return 0;
        memcpy(&block, bytes + place, sizeof block);
        if (block.size < sizeof block || block.size > client->length - place) return 0;
        place += block.size;
    }
    return place == client->length;
}

static void map_memory(struct posed_client *client, int descriptor) {
    struct posed_shared shared;
    struct stat file;
    void *memory;
    if (descriptor < 0) return;
    drop_memory(client);
    if (posed_client_block(client, POSED_BLOCK_SHARED, &shared, sizeof shared) &&
        shared.size >= sizeof(struct posed_memory) && fstat(descriptor, &file) == 0 &&
        file.st_size >= (off_t)shared.size) {
        memory = mmap(NULL, shared.size, PROT_READ, MAP_SHARED, descriptor, 0);
        if (memory != MAP_FAILED) {
            client->memory = memory;
            client->memory_size = shared.size;
        }
    }
    close(descriptor);
}

/* Receives one message. */
static enum posed_client_update receive(struct posed_client *client) {
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec part;
    struct msghdr message;
    struct cmsghdr *head;
    ssize_t count;
    int passed = -1;
    memset(&message, 0, sizeof message);
    part.iov_base = client->buffer;
    part.iov_len = sizeof client->buffer;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    count = recvmsg(client->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return POSED_CLIENT_NOTHING;
    if (count <= 0) return failed(client, "the daemon closed the connection", count < 0 ? errno : 0);
    for (head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
            memcpy(&passed, CMSG_DATA(head), sizeof passed);
    }
    client->length = (uint32_t)count;
    if (!is_complete(client)) {
        if (passed >= 0) close(passed);
        return failed(client, "received an invalid message; not version 1", 0);
    }
    client->type = header_of(client)->type;
    if (header_of(client)->sequence > client->expected) client->lost += header_of(client)->sequence - client->expected;
    client->expected = header_of(client)->sequence + 1;
    map_memory(client, passed);
    if (client->type == POSED_BYE) {
        struct posed_bye bye;
        if (posed_client_block(client, POSED_BLOCK_BYE, &bye, sizeof bye) &&
            posed_client_text(
                client, POSED_BLOCK_BYE, bye.text_offset, bye.text_length, client->problem, sizeof client->problem)) {
            char text[sizeof client->problem];
            memcpy(text, client->problem, sizeof text);
            return failed(client, text, 0);
        }
        return failed(client, "the daemon disconnected the client", 0);
    }
    return POSED_CLIENT_MESSAGE;
}

/* Begins a connection: 1, or 0 if it failed. */
static int begin(struct posed_client *client) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, client->path, sizeof client->path);
    client->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (client->socket < 0) {
        failed(client, "cannot create a socket", errno);
        return 0;
    }
    if (connect(client->socket, (const struct sockaddr *)&address, sizeof address) != 0) {
        failed(client, client->path, errno);
        return 0;
    }
    client->expected = 1;
    client->due_ns = now_ns() + HELLO_WAIT;
    return 1;
}

/* Answers the first message of a connection. */
static enum posed_client_update greet(struct posed_client *client) {
    if (client->type != POSED_HELLO) return failed(client, "the first message is not hello", 0);
    if (!subscribe(client)) return failed(client, "cannot send the subscription", errno);
    client->due_ns = 0;
    client->problem[0] = 0;
    return POSED_CLIENT_CONNECTED;
}

enum posed_client_update posed_client_next(struct posed_client *client, int timeout_ms) {
    int64_t until = now_ns() + (int64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;
    for (;;) {
        enum posed_client_update update;
        int awaits_hello;
        if (client->socket < 0) {
            if (client->due_ns > until) {
                wait_until(-1, until);
                return POSED_CLIENT_NOTHING;
            }
            wait_until(-1, client->due_ns);
            if (!begin(client)) return POSED_CLIENT_DISCONNECTED;
        }
        awaits_hello = client->due_ns != 0;
        if (!wait_until(client->socket, awaits_hello && client->due_ns < until ? client->due_ns : until)) {
            if (awaits_hello && now_ns() >= client->due_ns) return failed(client, "no hello message within 2 s", 0);
            return POSED_CLIENT_NOTHING;
        }
        update = receive(client);
        if (update == POSED_CLIENT_MESSAGE) {
            if (awaits_hello) return greet(client);
            /* A message after hello: the daemon has taken the subscription. */
            client->wait_ns = 0;
        }
        if (update != POSED_CLIENT_NOTHING) return update;
    }
}

int posed_client_latest(struct posed_client *client, struct posed_frame *frame, int timeout_ms) {
    int64_t until = now_ns() + (int64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;
    int has_frame = 0;
    for (;;) {
        int64_t remaining = until - now_ns();
        int is_fresh = has_frame && frame->stamp.time_ns >= now_ns() - OLD;
        enum posed_client_update update;
        /* With a fresh frame, only messages that have already arrived are read. */
        update = posed_client_next(client, is_fresh || remaining < 0 ? 0 : (int)(remaining / 1000000));
        if (update == POSED_CLIENT_MESSAGE) {
            if (posed_client_frame(client, frame)) has_frame = 1;
        } else if (update == POSED_CLIENT_NOTHING) {
            return has_frame;
        } else if (update == POSED_CLIENT_DISCONNECTED && has_frame) {
            return 1;
        }
        if (!is_fresh && remaining <= 0 && update != POSED_CLIENT_MESSAGE) return has_frame;
    }
}

/* The address of a block in a message; NULL if there is none. */
static const char *find(const void *message, uint16_t id, size_t *size) {
    const struct posed_header *header = message;
    const char *place = (const char *)message + sizeof *header;
    uint32_t i;
    for (i = 0; i < header->blocks; i++) {
        struct posed_block block;
        memcpy(&block, place, sizeof block);
        *size = block.size;
        if (block.id == id) return place;
        place += block.size;
    }
    return NULL;
}

static int copy_block(const void *message, uint16_t id, void *block, size_t size) {
    size_t sent = 0;
    const char *place = find(message, id, &sent);
    memset(block, 0, size);
    if (!place) return 0;
    memcpy(block, place, sent < size ? sent : size);
    return 1;
}

int posed_client_block(const struct posed_client *client, uint16_t id, void *block, size_t size) {
    memset(block, 0, size);
    return client->length == 0 ? 0 : copy_block(client->buffer, id, block, size);
}

int posed_client_element(const struct posed_client *client, uint16_t id, size_t offset, size_t element_size,
    size_t index, void *element, size_t size) {
    size_t sent = 0;
    const char *place = client->length == 0 ? NULL : find(client->buffer, id, &sent);
    memset(element, 0, size);
    if (!place || element_size == 0 || offset > sent || index >= (sent - offset) / element_size) return 0;
    memcpy(element, place + offset + index * element_size, element_size < size ? element_size : size);
    return 1;
}

int posed_client_text(
    const struct posed_client *client, uint16_t id, size_t offset, size_t length, char *buffer, size_t capacity) {
    size_t sent = 0;
    const char *place = client->length == 0 ? NULL : find(client->buffer, id, &sent);
    if (capacity > 0) buffer[0] = 0;
    if (!place || capacity == 0 || offset > sent || length > sent - offset) return 0;
    if (length > capacity - 1) length = capacity - 1;
    memcpy(buffer, place + offset, length);
    buffer[length] = 0;
    return 1;
}

static void read_frame(const void *message, struct posed_frame *frame) {
    copy_block(message, POSED_BLOCK_STAMP, &frame->stamp, sizeof frame->stamp);
    copy_block(message, POSED_BLOCK_POSE, &frame->pose, sizeof frame->pose);
    copy_block(message, POSED_BLOCK_GUIDANCE, &frame->guidance, sizeof frame->guidance);
    copy_block(message, POSED_BLOCK_SPEED, &frame->speed, sizeof frame->speed);
    copy_block(message, POSED_BLOCK_SOURCES, &frame->sources, sizeof frame->sources);
    copy_block(message, POSED_BLOCK_ECEF, &frame->ecef, sizeof frame->ecef);
}

int posed_client_frame(const struct posed_client *client, struct posed_frame *frame) {
    if (client->length == 0 || client->type != POSED_FRAME) return 0;
    read_frame(client->buffer, frame);
    return 1;
}

int posed_client_memory(const struct posed_client *client, struct posed_frame *frame) {
    uint64_t copy[POSED_MEMORY_MAX / 8];
    const struct posed_memory *memory = client->memory;
    const uint64_t *from;
    int attempt;
    if (!memory || memory->magic != POSED_MAGIC || memory->version != POSED_VERSION) return 0;
    if (memory->capacity > sizeof copy || memory->message_offset + memory->capacity > client->memory_size) return 0;
    from = (const uint64_t *)(const void *)((const char *)memory + memory->message_offset);
    for (attempt = 0; attempt < 1000; attempt++) {
        uint64_t before = __atomic_load_n(&memory->turn, __ATOMIC_ACQUIRE);
        uint32_t length, i;
        if (before & 1) continue;
        copy[1] = __atomic_load_n(&from[1], __ATOMIC_RELAXED);
        length = (uint32_t)copy[1]; /* the field `length` of the header */
        if (length == 0) return 0;
        if (length > memory->capacity) continue;
        for (i = 0; i < length / 8; i++) copy[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&memory->turn, __ATOMIC_RELAXED) != before) continue;
        read_frame(copy, frame);
        return 1;
    }
    return 0;
}
