/* Prints what the C client reads in golden packets: lines `NAME PATH VALUE`. usage: golden FILE.hex... */
#include "posed_client.c"

#include <stdlib.h>

static struct posed_client client;
static char name[64];
static char text[4200];

static void number(const char *path, int known, double value) {
    if (known) printf("%s %s %.17g\n", name, path, value);
    else printf("%s %s null\n", name, path);
}

static void count(const char *path, uint64_t value) { printf("%s %s %llu\n", name, path, (unsigned long long)value); }
static void truth(const char *path, int value) { printf("%s %s %s\n", name, path, value ? "true" : "false"); }
static void seconds(const char *path, int64_t ns) {
    unsigned long long magnitude = ns < 0 ? 0ull - (unsigned long long)ns : (unsigned long long)ns;
    printf("%s %s %s%llu.%09llu\n", name, path, ns < 0 ? "-" : "", magnitude / 1000000000, magnitude % 1000000000);
}

static void list(const char *path, int known, const double *values, int length) {
    char element[96];
    int i;
    if (!known) {
        number(path, 0, 0);
        return;
    }
    for (i = 0; i < length; i++) {
        snprintf(element, sizeof element, "%s.%d", path, i);
        number(element, 1, values[i]);
    }
}

static void words(const char *path, uint16_t block, uint16_t offset, uint16_t length) {
    if (posed_client_text(&client, block, offset, length, text, sizeof text)) printf("%s %s %s\n", name, path, text);
}

#define P(bit) POSED_KNOWN(frame.pose, POSED_POSE_##bit)
#define G(bit) POSED_KNOWN(frame.guidance, POSED_GUIDANCE_##bit)
#define S(bit) POSED_KNOWN(frame.speed, POSED_SPEED_##bit)

static void show_pose(const struct posed_pose *p) {
    struct {
        struct posed_pose pose;
    } frame;
    frame.pose = *p;
    number("pose.lat_deg", P(POSITION), p->lat_deg);
    number("pose.lon_deg", P(POSITION), p->lon_deg);
    number("pose.alt_hae_m", P(ALT_HAE), p->alt_hae_m);
    number("pose.alt_msl_m", P(ALT_MSL), p->alt_msl_m);
    list("pose.sigma_enu_m", P(SIGMA), p->sigma_enu_m, 3);
    list("pose.enu_m", P(ENU), p->enu_m, 3);
    count("pose.origin.epoch", p->origin_epoch);
    number("pose.origin.lat_deg", P(ORIGIN), p->origin_lat_deg);
    number("pose.origin.lon_deg", P(ORIGIN), p->origin_lon_deg);
    number("pose.origin.alt_hae_m", P(ORIGIN_ALT_HAE), p->origin_alt_hae_m);
    list("pose.vel_enu_m_s", P(VEL), p->vel_enu_m_s, 3);
    list("pose.vel_sigma_enu_m_s", P(VEL_SIGMA), p->vel_sigma_enu_m_s, 3);
    list("pose.accel_enu_m_s2", P(ACCEL_ENU), p->accel_enu_m_s2, 3);
    number("pose.course_deg", P(COURSE), p->course_deg);
    list("pose.q_enu_body", P(Q), p->q_enu_body, 4);
    number("pose.roll_deg", P(ROLL), p->roll_deg);
    number("pose.pitch_deg", P(PITCH), p->pitch_deg);
    number("pose.heading_deg", P(HEADING), p->heading_deg);
    number("pose.heading_magnetic_deg", P(HEADING_MAGNETIC), p->heading_magnetic_deg);
    number("pose.tilt_sigma_deg", P(TILT_SIGMA), p->tilt_sigma_deg);
    number("pose.heading_sigma_deg", P(HEADING_SIGMA), p->heading_sigma_deg);
    number("pose.heading_magnetic_sigma_deg", P(HEADING_MAGNETIC_SIGMA), p->heading_magnetic_sigma_deg);
    number("pose.heading_trim_deg", 1, p->heading_trim_deg);
    number("pose.turn_rate_deg_s", P(TURN_RATE), p->turn_rate_deg_s);
    list("pose.rate_body_rad_s", P(RATE), p->rate_body_rad_s, 3);
    list("pose.accel_body_m_s2", P(ACCEL), p->accel_body_m_s2, 3);
    list("pose.gravity_body", P(GRAVITY), p->gravity_body, 3);
    number("pose.slip_m_s2", P(SLIP), p->slip_m_s2);
    truth("pose.standing_still", (p->flags & POSED_POSE_STANDING_STILL) != 0);
    truth("pose.blending", (p->flags & POSED_POSE_BLENDING) != 0);
    number("pose.fix_age_s", P(FIX_AGE), p->fix_age_s);
    count("pose.fix_mode", p->fix_mode);
    number("pose.satellites_used", P(SATELLITES), p->satellites_used);
    count("pose.reset_count", p->reset_count);
    list("pose.reset_delta_enu_m", 1, p->reset_delta_enu_m, 3);
    number("pose.reset_delta_heading_deg", 1, p->reset_delta_heading_deg);
    list("pose.glide_enu_m", 1, p->glide_enu_m, 3);
    number("pose.glide_heading_deg", 1, p->glide_heading_deg);
}

static void show_guidance(const struct posed_guidance *g) {
    struct {
        struct posed_guidance guidance;
    } frame;
    frame.guidance = *g;
    count("guidance.route_version", g->route_version);
    number("guidance.progress_m", G(PROGRESS), g->progress_m);
    number("guidance.cross_track_m", G(CROSS_TRACK), g->cross_track_m);
    number("guidance.segment_bearing_deg", G(SEGMENT_BEARING), g->segment_bearing_deg);
    number("guidance.next_maneuver", G(NEXT_MANEUVER), g->next_maneuver);
    number("guidance.distance_to_turn_m", G(DISTANCE_TO_TURN), g->distance_to_turn_m);
    number("guidance.straight_distance_to_turn_m", G(STRAIGHT_DISTANCE), g->straight_distance_to_turn_m);
    number("guidance.turn_angle_deg", G(TURN_ANGLE), g->turn_angle_deg);
    number("guidance.distance_left_m", G(DISTANCE_LEFT), g->distance_left_m);
    number("guidance.time_left_s", G(TIME_LEFT), g->time_left_s);
    count("guidance.jump_count", g->jump_count);
    number("guidance.jump_delta_m", 1, g->jump_delta_m);
    truth("guidance.in_tunnel", (g->flags & POSED_GUIDANCE_IN_TUNNEL) != 0);
    number("guidance.then_distance_m", G(THEN_DISTANCE), g->then_distance_m);
    number("guidance.age_s", G(AGE), g->age_s);
}

static void show_frame(void) {
    struct posed_frame frame;
    posed_client_frame(&client, &frame);
    count("seq", frame.stamp.frame_sequence);
    seconds("t_s", frame.stamp.time_ns);
    if (POSED_KNOWN(frame.stamp, POSED_STAMP_UTC)) seconds("utc_s", frame.stamp.utc_ns);
    seconds("measured_s", frame.stamp.measured_ns);
    seconds("published_s", frame.stamp.published_ns);
    truth("simulated", POSED_KNOWN(frame.stamp, POSED_STAMP_SIMULATED));
    count("dropped", frame.stamp.dropped);
    if (frame.pose.block.size) show_pose(&frame.pose);
    if (frame.guidance.block.size) show_guidance(&frame.guidance);
    if (frame.speed.block.size) {
        number("speed.speed_m_s", S(SPEED), frame.speed.speed_m_s);
        number("speed.limit_m_s", S(LIMIT), frame.speed.limit_m_s);
        number("speed.ratio", S(RATIO), frame.speed.ratio);
        number("speed.next_limit_m_s", S(NEXT_LIMIT), frame.speed.next_limit_m_s);
        number("speed.next_limit_distance_m", S(NEXT_LIMIT_DISTANCE), frame.speed.next_limit_distance_m);
        number("speed.curve_speed_m_s", S(CURVE), frame.speed.curve_speed_m_s);
        number("speed.curve_distance_m", S(CURVE_DISTANCE), frame.speed.curve_distance_m);
        truth("speed.has_condition", (frame.speed.flags & POSED_SPEED_CONDITION) != 0);
        number("speed.indicated_m_s", S(INDICATED), frame.speed.indicated_m_s);
        number("speed.age_s", S(AGE), frame.speed.age_s);
    }
    if (frame.sources.block.size) {
        number("sources.gps_age_s", POSED_KNOWN(frame.sources, POSED_SOURCES_GPS_AGE), frame.sources.gps_age_s);
        number(
            "sources.wheels_age_s", POSED_KNOWN(frame.sources, POSED_SOURCES_WHEELS_AGE), frame.sources.wheels_age_s);
    }
    if (frame.ecef.block.size) list("pose.ecef_m", POSED_KNOWN(frame.ecef, POSED_ECEF_POSITION), frame.ecef.ecef_m, 3);
}

static void show_event(void) {
    struct posed_event event;
    posed_client_block(&client, POSED_BLOCK_EVENT, &event, sizeof event);
    seconds("t_s", event.time_ns);
    switch (event.kind) {
    case POSED_EVENT_ROUTE:
    case POSED_EVENT_DEPARTED:
    case POSED_EVENT_REJOINED: count("route_version", event.code); break;
    case POSED_EVENT_RESET: count("reset_count", event.code); break;
    case POSED_EVENT_ORIGIN: count("epoch", event.code); break;
    case POSED_EVENT_TARGET: count("target", event.subject); break;
    case POSED_EVENT_MANEUVER_REACHED: count("maneuver", event.code); break;
    case POSED_EVENT_WAYPOINT_REACHED:
    case POSED_EVENT_WAYPOINT_SKIPPED: count("waypoint", event.code); break;
    case POSED_EVENT_FRAME_RATE: number("rate_hz", 1, event.code / 1000.0); break;
    default: break;
    }
    if (event.kind == POSED_EVENT_REJOINED) truth("ahead", event.subject == POSED_REJOINED_AHEAD);
    if (event.kind == POSED_EVENT_MANEUVER_REACHED || event.kind == POSED_EVENT_WAYPOINT_REACHED ||
        event.kind == POSED_EVENT_WAYPOINT_SKIPPED)
        count("count", event.subject);
}

static void show_maneuver(void) {
    struct posed_maneuver m;
    posed_client_block(&client, POSED_BLOCK_MANEUVER, &m, sizeof m);
    count("route_version", m.route_version);
    if (!(m.block.valid & POSED_MANEUVER_PRESENT)) return;
    count("index", m.index);
    number("lat_deg", (m.block.valid & POSED_MANEUVER_POSITION) != 0, m.lat_deg);
    number("turn_angle_deg", (m.block.valid & POSED_MANEUVER_TURN_ANGLE) != 0, m.turn_angle_deg);
    number("along_route_m", 1, m.along_route_m);
    words("text", POSED_BLOCK_MANEUVER, m.text_offset, m.text_length);
    words("kind", POSED_BLOCK_MANEUVER, m.kind_offset, m.kind_length);
    count("lanes.count", m.block.valid & POSED_MANEUVER_LANES ? m.lane_count : 0);
}

static void show_scene(void) {
    struct posed_scene scene;
    struct posed_scene_point point;
    int i;
    char path[64];
    posed_client_block(&client, POSED_BLOCK_SCENE, &scene, sizeof scene);
    seconds("t_s", scene.time_ns);
    count("route_version", scene.route_version);
    count("points.count", scene.count);
    for (i = 0; i < scene.count; i++) {
        posed_client_element(&client, POSED_BLOCK_SCENE, scene.elements_offset, scene.element_size, (size_t)i, &point,
            sizeof point);
        snprintf(path, sizeof path, "points.%d.number", i);
        count(path, point.number);
        snprintf(path, sizeof path, "points.%d.distance_m", i);
        number(path, (point.valid & POSED_SIGHT_DISTANCE) != 0, point.sight.distance_m);
        snprintf(path, sizeof path, "points.%d.relative_bearing_deg", i);
        number(path, (point.valid & POSED_SIGHT_RELATIVE_BEARING) != 0, point.sight.relative_bearing_deg);
        snprintf(path, sizeof path, "points.%d.in_view", i);
        truth(path, (point.flags & POSED_SIGHT_IN_VIEW) != 0);
    }
}

static void show(void) {
    struct posed_status status;
    struct posed_route route;
    struct posed_hello hello;
    struct posed_bye bye;
    switch (client.type) {
    case POSED_FRAME: show_frame(); break;
    case POSED_EVENT: show_event(); break;
    case POSED_MANEUVER: show_maneuver(); break;
    case POSED_SCENE: show_scene(); break;
    case POSED_HELLO:
        posed_client_block(&client, POSED_BLOCK_HELLO, &hello, sizeof hello);
        words("release", POSED_BLOCK_HELLO, hello.text_offset, hello.text_length);
        number("default_rate_hz", 1, hello.default_rate_mhz / 1000.0);
        break;
    case POSED_BYE:
        posed_client_block(&client, POSED_BLOCK_BYE, &bye, sizeof bye);
        words("text", POSED_BLOCK_BYE, bye.text_offset, bye.text_length);
        break;
    case POSED_STATUS:
        posed_client_block(&client, POSED_BLOCK_STATUS, &status, sizeof status);
        count("fixes_rejected", status.fixes_rejected);
        number("imu_rate_hz", (status.block.valid & POSED_STATUS_IMU_RATE) != 0, status.imu_rate_hz);
        number("fix_rate_hz", (status.block.valid & POSED_STATUS_FIX_RATE) != 0, status.fix_rate_hz);
        if (status.block.valid & POSED_STATUS_MOUNT) list("mount.q", 1, status.mount_q, 4);
        break;
    case POSED_ROUTE:
        posed_client_block(&client, POSED_BLOCK_ROUTE, &route, sizeof route);
        number("length_m", 1, route.length_m);
        count("line.count", route.count);
        count("places.count", route.place_count);
        break;
    default: break;
    }
}

/* Reads a packet into the client, as if it had come from the socket. */
static int load(const char *path) {
    FILE *file = fopen(path, "r");
    unsigned byte;
    const char *base = strrchr(path, '/');
    if (!file) return 0;
    snprintf(name, sizeof name, "%s", base ? base + 1 : path);
    *strchr(name, '.') = 0;
    client.length = 0;
    while (fscanf(file, "%2x", &byte) == 1) ((unsigned char *)client.buffer)[client.length++] = (unsigned char)byte;
    fclose(file);
    client.type = header_of(&client)->type;
    return is_complete(&client);
}

int main(int argc, char **argv) {
    int i;
    for (i = 1; i < argc; i++) {
        if (!load(argv[i])) return 1;
        show();
    }
    return 0;
}
