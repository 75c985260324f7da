/*
 * Reads the frames of posed from C99 on Linux: connects, subscribes, reads, and reconnects after a loss. It allocates
 * no memory: all data is in a struct posed_client that you provide (66 KB, so best static). One thread uses one client.
 * See hud.c beside this file.
 *
 * Build it with your program: cc -std=c99 -D_GNU_SOURCE yours.c posed_client.c -I<folder of posed.h>
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

/* Whether a field of a block is known: POSED_KNOWN(frame.pose, POSED_POSE_HEADING). Unknown fields are 0. */
#define POSED_KNOWN(struct_, bit) (((struct_).block.valid & (bit)) != 0)

/* The result of posed_client_next. */
enum posed_client_update {
    POSED_CLIENT_NOTHING, /* the timeout is over */
    POSED_CLIENT_CONNECTED, /* connected and subscribed; the message is hello */
    POSED_CLIENT_MESSAGE, /* a message was received: see type and the functions below */
    POSED_CLIENT_DISCONNECTED /* not connected: problem has the reason; retried after 0.1 s, later up to 5 s */
};

struct posed_client {
    uint32_t type; /* type of the last message: POSED_FRAME, POSED_EVENT, ...; skip unknown types */
    uint64_t lost; /* number of messages for this client that it did not receive, over all connections */
    char problem[160]; /* why it is not connected, as text */
    /* The other members are private. */
    char path[108];
    uint32_t topics, rate_mhz, flags;
    int socket;
    uint64_t expected;
    int64_t due_ns; /* not connected: when to try again; before hello: until when it must come; else 0 */
    int64_t wait_ns;
    uint32_t length;
    const struct posed_memory *memory;
    uint32_t memory_size;
    uint64_t buffer[POSED_MESSAGE_MAX / 8];
};

/* One frame. A part that was not subscribed, or that an older daemon does not have, has size 0 and no valid fields. */
struct posed_frame {
    struct posed_stamp stamp;
    struct posed_pose pose;
    struct posed_guidance guidance;
    struct posed_speed speed;
    struct posed_sources sources;
    struct posed_ecef ecef; /* only with POSED_SUBSCRIBE_ECEF */
};

/* Initializes a client; it connects in the first posed_client_next. path may be NULL for the default path; rate_hz 0 is
   every frame; flags are POSED_SUBSCRIBE_ flags. */
void posed_client_init(struct posed_client *client, const char *path, uint32_t topics, double rate_hz, uint32_t flags);

/* Waits for the next event, at most timeout_ms. */
enum posed_client_update posed_client_next(struct posed_client *client, int timeout_ms);

/* The newest frame: waits for one, reads all that have arrived, and skips those that became old while this program
   slept. 1, or 0 if there is none within the timeout. */
int posed_client_latest(struct posed_client *client, struct posed_frame *frame, int timeout_ms);

/* The frame of the last message; 0 if it was not a frame. */
int posed_client_frame(const struct posed_client *client, struct posed_frame *frame);

/* Copies a block of the last message: the part that both sides know, the rest 0. 0 if there is none. */
int posed_client_block(const struct posed_client *client, uint16_t id, void *block, size_t size);

/* Copies an element of posed_scene or posed_points in the same way. */
int posed_client_element(const struct posed_client *client, uint16_t id, size_t offset, size_t element_size,
    size_t index, void *element, size_t size);

/* Copies a text of a block, truncated to the buffer, with a final NUL; 0 if there is none. */
int posed_client_text(
    const struct posed_client *client, uint16_t id, size_t offset, size_t length, char *buffer, size_t capacity);

/* The newest frame from shared memory, without a system call. Needs POSED_SUBSCRIBE_SHARED, and posed_client_next until
   the memory was received. 1, or 0 while there is none. When the daemon has stopped, the stamp no longer changes. */
int posed_client_memory(const struct posed_client *client, struct posed_frame *frame);

/* Closes the connection; the client may be initialized again. */
void posed_client_close(struct posed_client *client);

#ifdef __cplusplus
}
#endif

#endif
