/* Says what the C client finds: one line for each update, and for each frame what it holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "posed_client.h"

static struct posed_client client;

static void print_number(const char *name, int is_known, double value) {
    if (is_known) printf(" %s=%.9g", name, value);
    else printf(" %s=none", name);
}

static void print_frame(const struct posed_frame *frame) {
    printf("frame seq=%llu dropped=%llu", (unsigned long long)frame->stamp.frame_sequence,
        (unsigned long long)frame->stamp.dropped);
    print_number("lat", POSED_KNOWN(frame->pose, POSED_POSE_POSITION), frame->pose.lat_deg);
    print_number("heading", POSED_KNOWN(frame->pose, POSED_POSE_HEADING), frame->pose.heading_deg);
    print_number("turn_rate", POSED_KNOWN(frame->pose, POSED_POSE_TURN_RATE), frame->pose.turn_rate_deg_s);
    print_number(
        "turn_in", POSED_KNOWN(frame->guidance, POSED_GUIDANCE_DISTANCE_TO_TURN), frame->guidance.distance_to_turn_m);
    print_number("jump", frame->guidance.jump_count > 0, frame->guidance.jump_delta_m);
    print_number("speed", POSED_KNOWN(frame->speed, POSED_SPEED_SPEED), frame->speed.speed_m_s);
    printf(" lost=%llu\n", (unsigned long long)client.lost);
}

int main(int count, char **words) {
    struct posed_frame frame;
    long updates;
    if (count < 4) return 64;
    posed_client_init(&client, words[1], 0xFFFFFFFFu, 0, (uint32_t)atol(words[2]));
    for (updates = atol(words[3]); updates > 0; updates--) {
        switch (posed_client_next(&client, 3000)) {
        case POSED_CLIENT_NOTHING: printf("nothing\n"); break;
        case POSED_CLIENT_CONNECTED: printf("connected\n"); break;
        case POSED_CLIENT_DISCONNECTED: printf("disconnected %s\n", client.problem); break;
        case POSED_CLIENT_MESSAGE:
            if (posed_client_frame(&client, &frame)) print_frame(&frame);
            else printf("type %u\n", client.type);
            if (client.memory && posed_client_memory(&client, &frame)) printf("memory ");
            if (client.memory && posed_client_memory(&client, &frame)) print_frame(&frame);
            break;
        }
        fflush(stdout);
    }
    posed_client_close(&client);
    return 0;
}
