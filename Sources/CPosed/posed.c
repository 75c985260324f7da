/* Proof at compile time that the layout has no padding of the compiler's and is the promised one. */
#include "posed.h"

#include <stddef.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "posed.h is read and written as it lies in memory: this needs a little-endian machine"
#endif

#define FIXED(type, size) _Static_assert(sizeof(struct type) == (size), #type " has the promised size")
/* A block of a frame, which later releases of this version may make longer at its end. */
#define AT_LEAST(type, size)                                                                                           \
    _Static_assert(sizeof(struct type) >= (size) && sizeof(struct type) % 8 == 0, #type " has not become shorter")
#define AT(type, field, offset)                                                                                        \
    _Static_assert(offsetof(struct type, field) == (offset), #type "." #field " is where it was promised")

FIXED(posed_header, 24);
AT(posed_header, length, 8);
AT(posed_header, sequence, 16);
FIXED(posed_block, 8);
FIXED(posed_stamp, 64);
AT(posed_stamp, time_ns, 16);
AT(posed_stamp, dropped, 32);
AT(posed_stamp, measured_ns, 40);
AT(posed_stamp, published_ns, 56);
AT_LEAST(posed_pose, 464);
AT(posed_pose, lat_deg, 24);
AT(posed_pose, sigma_enu_m, 56);
AT(posed_pose, vel_enu_m_s, 128);
AT(posed_pose, q_enu_body, 184);
AT(posed_pose, heading_deg, 232);
AT(posed_pose, rate_body_rad_s, 272);
AT(posed_pose, reset_delta_heading_deg, 384);
AT(posed_pose, accel_enu_m_s2, 392);
AT(posed_pose, glide_heading_deg, 448);
AT(posed_pose, heading_magnetic_sigma_deg, 456);
AT_LEAST(posed_ecef, 32);
AT(posed_ecef, ecef_m, 8);
AT_LEAST(posed_guidance, 120);
AT(posed_guidance, progress_m, 24);
AT(posed_guidance, time_left_s, 80);
AT(posed_guidance, jump_delta_m, 96);
AT(posed_guidance, then_distance_m, 104);
AT(posed_guidance, age_s, 112);
AT_LEAST(posed_speed, 96);
AT(posed_speed, speed_m_s, 16);
AT(posed_speed, next_limit_m_s, 40);
AT(posed_speed, next_limit_source, 72);
AT(posed_speed, limit_reason, 74);
AT(posed_speed, next_limit_reason, 75);
AT(posed_speed, indicated_m_s, 80);
AT(posed_speed, age_s, 88);
AT_LEAST(posed_sources, 56);
AT(posed_sources, gps_age_s, 16);
AT(posed_sources, wheels_age_s, 48);
FIXED(posed_hello, 32);
FIXED(posed_subscribe, 24);
FIXED(posed_lane, 8);
FIXED(posed_maneuver, 64);
AT(posed_maneuver, lane_offset, 60);
FIXED(posed_event, 24);
FIXED(posed_bye, 16);
FIXED(posed_status, 320);
AT(posed_status, clients, 88);
AT(posed_status, why_offset, 104);
AT(posed_status, mount_q, 112);
AT(posed_status, magnetic_field_ut, 288);
AT(posed_status, magnetometer_state, 313);
AT_LEAST(posed_sight, 64);
AT(posed_sight, elevation_m, 52);
AT(posed_sight, elevation_angle_deg, 60);
AT_LEAST(posed_scene_point, 104);
AT(posed_scene_point, sight, 40);
FIXED(posed_scene, 40);
AT(posed_scene, count, 28);
AT_LEAST(posed_point, 104);
AT(posed_point, sight, 40);
FIXED(posed_route_point, 24);
FIXED(posed_route_place, 40);
FIXED(posed_route, 48);
AT(posed_route, count, 32);
FIXED(posed_points, 48);
AT(posed_points, count, 36);
FIXED(posed_shared, 16);
FIXED(posed_memory, 64);
AT(posed_memory, turn, 16);
