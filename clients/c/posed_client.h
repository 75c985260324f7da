/*
 * Reads the frames of posed from C99 on Linux: connects, subscribes, reads, and comes back by itself when the daemon
 * was away. It allocates nothing: everything lies in a struct posed_client of yours (66 KB, so best static). One thread
 * uses one client. See hud.c beside this file.
 *
 * Build it with your program: cc -std=c99 -D_GNU_SOURCE yours.c posed_client.c -I<where posed.h is>
 */
#ifndef POSED_CLIENT_H
#define POSED_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "posed.h"

#ifdef __cplusplus
extern "C" {
#endif

#define POSED_DEFAULT_PATH "/run/posed/frames"

/* Whether a field of a block is known: POSED_KNOWN(frame.pose, POSED_POSE_HEADING). What is not known is 0. */
#define POSED_KNOWN(struct_, bit) (((struct_).block.valid & (bit)) != 0)

/* What one call of posed_client_next brought. */
enum posed_client_update {
    POSED_CLIENT_NOTHING, /* the time is over */
    POSED_CLIENT_CONNECTED, /* connected and subscribed; the message is the hello */
    POSED_CLIENT_MESSAGE, /* a message came: type, and what the functions below find in it */
    POSED_CLIENT_DISCONNECTED /* gone, or nobody there: problem says why; it is tried again after 0.1 s, later up to 5 s
                               */
};

struct posed_client {
    uint32_t type; /* POSED_FRAME, POSED_EVENT, ...: of the last message; a type you do not know is to be passed over */
    uint64_t lost; /* messages that were meant for this client and never came, over all connections */
    char problem[160]; /* why it is not connected, in words */
    /* The rest is the client's own. */
    char path[108];
    uint32_t topics, rate_mhz, flags;
    int socket;
    uint64_t expected;
    int64_t retry_ns, wait_ns;
    uint32_t length;
    const struct posed_memory *memory;
    uint32_t memory_size;
    uint64_t buffer[POSED_MESSAGE_MAX / 8];
};

/* One instant. A part that was not asked for, or that an older daemon does not have, has size 0 and nothing valid. */
struct posed_frame {
    struct posed_stamp stamp;
    struct posed_pose pose;
    struct posed_guidance guidance;
    struct posed_speed speed;
    struct posed_sources sources;
};

/* Prepares a client; it connects with the first posed_client_next. path may be NULL for the usual one; rate_hz 0 is
   every frame; flags are POSED_SUBSCRIBE_ ones. */
void posed_client_init(struct posed_client *client, const char *path, uint32_t topics, double rate_hz, uint32_t flags);

/* Waits for the next thing to happen, at most so long. */
enum posed_client_update posed_client_next(struct posed_client *client, int timeout_ms);

/* The newest frame: waits for one, takes all that have come, and passes over those that grew old while this program
   slept. 1, or 0 when there is none in that time. */
int posed_client_latest(struct posed_client *client, struct posed_frame *frame, int timeout_ms);

/* The frame of the last message; 0 when it was none. */
int posed_client_frame(const struct posed_client *client, struct posed_frame *frame);

/* Copies a block of the last message: as much as both sides know, the rest 0. 0 when there is none. */
int posed_client_block(const struct posed_client *client, uint16_t id, void *block, size_t size);

/* Copies an element (of posed_scene or posed_points) in the same way. */
int posed_client_element(const struct posed_client *client, uint16_t id, size_t offset, size_t element_size,
    size_t index, void *element, size_t size);

/* Copies a text of a block, cut at the buffer's end and ended by a NUL; 0 when there is none. */
int posed_client_text(
    const struct posed_client *client, uint16_t id, size_t offset, size_t length, char *buffer, size_t capacity);

/* The newest frame from shared memory, without a system call. Needs POSED_SUBSCRIBE_SHARED, and posed_client_next until
   the memory has come. 1, or 0 while there is none; a stamp that no longer changes tells that the daemon has gone. */
int posed_client_memory(const struct posed_client *client, struct posed_frame *frame);

/* Closes the connection; the client may be prepared again. */
void posed_client_close(struct posed_client *client);

#ifdef __cplusplus
}
#endif

#endif
