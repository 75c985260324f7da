/* Feeds changed packets to the C client's own reading functions. A message ends where its page does, and behind that
   lies forbidden memory: a byte read beyond it ends this program. usage: mutations ROUNDS FILE.hex... */
#include "posed_client.c"

#include <stdlib.h>

/* Lies so that the last byte of the message is the last one there is. */
static struct posed_client *client;
static uint64_t state = UINT64_C(0x5eed0005);

static uint64_t random_number(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t load(const char *path, unsigned char *bytes, size_t capacity) {
    FILE *file = fopen(path, "r");
    size_t count = 0;
    unsigned value;
    if (!file) return 0;
    while (count < capacity && fscanf(file, " %2x", &value) == 1) bytes[count++] = (unsigned char)value;
    fclose(file);
    return count;
}

/* Everything a program may ask of a message; what it gets is summed up, so that nothing is left out. */
static unsigned read_all(void) {
    struct posed_frame frame;
    struct posed_scene scene;
    struct posed_scene_point point;
    struct posed_points points;
    struct posed_point interest;
    struct posed_status status;
    struct posed_maneuver maneuver;
    char text[300];
    unsigned sum = (unsigned)posed_client_frame(client, &frame), i;
    if (posed_client_block(client, POSED_BLOCK_SCENE, &scene, sizeof scene)) {
        for (i = 0; i < scene.count; i++)
            sum += (unsigned)posed_client_element(
                client, POSED_BLOCK_SCENE, scene.elements_offset, scene.element_size, i, &point, sizeof point);
    }
    if (posed_client_block(client, POSED_BLOCK_POINTS, &points, sizeof points)) {
        for (i = 0; i < points.count; i++) {
            if (!posed_client_element(client, POSED_BLOCK_POINTS, points.elements_offset, points.element_size, i,
                    &interest, sizeof interest))
                break;
            sum += (unsigned)posed_client_text(
                client, POSED_BLOCK_POINTS, interest.name_offset, interest.name_length, text, sizeof text);
        }
    }
    if (posed_client_block(client, POSED_BLOCK_STATUS, &status, sizeof status))
        sum += (unsigned)posed_client_text(
            client, POSED_BLOCK_STATUS, status.why_offset, status.why_length, text, sizeof text);
    if (posed_client_block(client, POSED_BLOCK_MANEUVER, &maneuver, sizeof maneuver))
        sum += (unsigned)posed_client_text(
            client, POSED_BLOCK_MANEUVER, maneuver.text_offset, maneuver.text_length, text, sizeof text);
    return sum;
}

/* A client whose buffer ends with a message of that length. */
static struct posed_client *place(unsigned char *end, size_t length) {
    struct posed_client *placed =
        (struct posed_client *)(void *)(end - ((length + 7) & ~(size_t)7) - offsetof(struct posed_client, buffer));
    memset(placed, 0, offsetof(struct posed_client, buffer));
    placed->length = (uint32_t)length;
    return placed;
}

int main(int count, char **words) {
    static unsigned char whole[POSED_MESSAGE_MAX];
    const size_t room = 32 * 4096;
    unsigned long rounds, round, understood = 0;
    unsigned sum = 0;
    int file;
    unsigned char *pages = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (count < 3 || pages == MAP_FAILED || mprotect(pages + room, 4096, PROT_NONE) != 0) return 64;
    rounds = strtoul(words[1], NULL, 10);
    for (file = 2; file < count; file++) {
        size_t length = load(words[file], whole, sizeof whole);
        if (length < sizeof(struct posed_header)) return 65;
        for (round = 0; round < rounds; round++) {
            size_t taken = round % 4 == 3 ? (size_t)(random_number() % length) : length, changes;
            unsigned char *bytes;
            client = place(pages + room, taken);
            bytes = (unsigned char *)client->buffer;
            memcpy(bytes, whole, taken);
            for (changes = 0; round > 0 && taken > 0 && changes < 1 + round % 4; changes++)
                bytes[random_number() % taken] = (unsigned char)random_number();
            if (!is_complete(client)) continue;
            client->type = header_of(client)->type;
            understood++;
            sum += read_all();
        }
    }
    printf("understood %lu of %lu, %u\n", understood, rounds * (unsigned long)(count - 2), sum);
    return 0;
}
