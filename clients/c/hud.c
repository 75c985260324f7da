/* Prints a line for a HUD. Build: cc -std=c99 hud.c posed_client.c -I. -I<posed.h> -o hud. Run: hud [SOCKET] [LINES] */
#include <stdio.h>
#include <stdlib.h>

#include "posed_client.h"

static struct posed_client client;

int main(int count, char **words) {
    long lines = count > 2 ? atol(words[2]) : -1;
    struct posed_frame frame;
    uint32_t topics = POSED_TOPIC_POSE | POSED_TOPIC_SPEED | POSED_TOPIC_GUIDANCE;
    posed_client_init(&client, count > 1 ? words[1] : NULL, topics, 10, POSED_SUBSCRIBE_SMOOTH);
    while (lines != 0) {
        if (!posed_client_latest(&client, &frame, 1000)) {
            printf("no pose: %s\n", client.problem);
            continue;
        }
        POSED_KNOWN(frame.pose, POSED_POSE_HEADING) ? printf("%03.0f deg", frame.pose.heading_deg) : printf("--- deg");
        if (POSED_KNOWN(frame.speed, POSED_SPEED_SPEED)) printf("  %3.0f km/h", frame.speed.speed_m_s * 3.6);
        else printf("  --- km/h");
        if (POSED_KNOWN(frame.speed, POSED_SPEED_LIMIT)) printf(" of %.0f", frame.speed.limit_m_s * 3.6);
        if (POSED_KNOWN(frame.guidance, POSED_GUIDANCE_DISTANCE_TO_TURN))
            printf("  turn in %.0f m", frame.guidance.distance_to_turn_m);
        printf("%s\n", frame.pose.state == POSED_POSE_ALIGNED ? "" : "  (uncertain)");
        lines -= 1 + fflush(stdout);
    }
    return 0;
}
