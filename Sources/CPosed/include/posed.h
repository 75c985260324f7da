/*
 * The binary messages of posed. Only this header defines their layout. C99, fixed layout, little-endian.
 *
 * A message is one packet of the `frames` socket (SOCK_SEQPACKET): a posed_header followed by `blocks` blocks. Every
 * block starts with its id, its size and its validity bits. Sizes are multiples of 8, so that every field is on its
 * natural boundary.
 *
 * Compatibility: within one POSED_VERSION structs only grow at their end, bits and ids keep their meaning, and new
 * messages and blocks have new ids. A reader skips what it does not know: a message of an unknown type, a block of an
 * unknown id by its size, and the rest of a block that is longer than known. A field is valid only if its validity bit
 * is set; otherwise it is 0 and means unknown. No field is ever NaN or infinite.
 *
 * Reserved names have fixed numbers and meanings, so that readers can already be written for them. This release does
 * not send them, and ignores them in messages of clients.
 *
 * Angles are in degrees, all other quantities in SI units; names are as in the JSON lines. The world frame is
 * east-north-up, the body frame is x forward, y left, z up. Sigma is 1-sigma.
 */
#ifndef POSED_H
#define POSED_H

#include <stdint.h>

#define POSED_MAGIC 0x44534f50u /* "POSD" */
#define POSED_VERSION 1u
#define POSED_MESSAGE_MAX 65536u /* maximum length of a message, bytes */
#define POSED_SUBSCRIBE_MAX 256u /* maximum length of a client's message, bytes */
#define POSED_MEMORY_MAX 8192u /* maximum size of the shared memory, bytes */

/* posed_header.type */
#define POSED_HELLO 1u /* daemon: first message after connecting */
#define POSED_SUBSCRIBE 2u /* client: its subscription; may be sent again at any time */
#define POSED_FRAME 3u /* daemon: one frame with the subscribed topics */
#define POSED_MANEUVER 4u /* daemon: the next maneuver, when it changes and after a subscription */
#define POSED_EVENT 5u /* daemon: a change of state */
#define POSED_BYE 6u /* daemon: last message before it closes */

#define POSED_STATUS 7u /* daemon: its status, once per second */
#define POSED_SCENE 8u /* daemon: points to draw along the route, when they change, at most 11 per second */
#define POSED_POINTS 9u /* daemon: nearby points of interest, when they change, at most 11 per second */
#define POSED_SHARED 10u /* daemon: the frames in shared memory; its descriptor is passed with the message */

#define POSED_ROUTE 11u /* daemon: the route for a map, when it or the next maneuver changes and after a subscription */

/* posed_block.id */
#define POSED_BLOCK_STAMP 1u
#define POSED_BLOCK_POSE 2u
#define POSED_BLOCK_GUIDANCE 3u
#define POSED_BLOCK_SPEED 4u
#define POSED_BLOCK_SOURCES 5u
#define POSED_BLOCK_HELLO 16u
#define POSED_BLOCK_SUBSCRIBE 17u
#define POSED_BLOCK_MANEUVER 18u
#define POSED_BLOCK_EVENT 19u
#define POSED_BLOCK_BYE 20u
#define POSED_BLOCK_STATUS 21u
#define POSED_BLOCK_SCENE 22u
#define POSED_BLOCK_POINTS 23u
#define POSED_BLOCK_SHARED 24u
#define POSED_BLOCK_THEN 25u /* a second posed_maneuver in a POSED_MANEUVER: the one after the next */

#define POSED_BLOCK_ROUTE 26u
#define POSED_BLOCK_ECEF 27u /* in a POSED_FRAME, with POSED_SUBSCRIBE_ECEF and the pose */

/* Topics, for posed_subscribe */
#define POSED_TOPIC_POSE (1u << 0)
#define POSED_TOPIC_GUIDANCE (1u << 1)
#define POSED_TOPIC_SPEED (1u << 2)
#define POSED_TOPIC_SOURCES (1u << 3)
#define POSED_TOPIC_EVENTS (1u << 4) /* maneuvers and events */
#define POSED_TOPIC_STATUS (1u << 5)
#define POSED_TOPIC_SCENE (1u << 6)
#define POSED_TOPIC_POINTS (1u << 7)
#define POSED_TOPIC_ROUTE (1u << 8)

struct posed_header {
    uint32_t magic; /* POSED_MAGIC */
    uint16_t version; /* POSED_VERSION */
    uint16_t type; /* type of the message */
    uint32_t length; /* bytes of the whole message, this header included: the packet's length */
    uint32_t blocks; /* how many blocks follow */
    uint64_t sequence; /* counts the messages for this client from 1: a gap is the number of lost
                          messages; 0 from a client */
};

struct posed_block {
    uint16_t id; /* identifies the struct */
    uint16_t size; /* bytes of the whole block, this head included */
    uint32_t valid; /* which fields are known: the bits of this struct */
};

/* In every POSED_FRAME. */
#define POSED_STAMP_UTC (1u << 0)
#define POSED_STAMP_SIMULATED (1u << 1) /* a flag without a field: the frame comes from a simulated drive */
struct posed_stamp {
    struct posed_block block;
    uint64_t frame_sequence; /* counts the frames of the daemon */
    int64_t time_ns; /* time of validity: CLOCK_MONOTONIC */
    int64_t utc_ns; /* the same time as UTC since 1970 */
    uint64_t dropped; /* messages this client has lost since it connected */
    int64_t measured_ns; /* time of the newest measurement; the pose is predicted from there to time_ns */
    uint32_t reset_count; /* as in posed_pose, for clients without the pose */
    uint32_t origin_epoch; /* as in posed_pose */
    int64_t
        published_ns; /* time of publishing; the newest frame is predicted to it, so that it equals time_ns */
};

/* posed_pose.state */
#define POSED_POSE_STARTING 0u
#define POSED_POSE_ALIGNING 1u
#define POSED_POSE_COARSE 2u
#define POSED_POSE_ALIGNED 3u
#define POSED_POSE_DEAD_RECKONING 4u
#define POSED_POSE_LOST 5u
#define POSED_POSE_ATTITUDE_ONLY 6u /* attitude without a position */
/* posed_pose.block.valid */
#define POSED_POSE_POSITION (1u << 0) /* lat_deg and lon_deg */
#define POSED_POSE_ALT_HAE (1u << 1)
#define POSED_POSE_ALT_MSL (1u << 2)
#define POSED_POSE_SIGMA (1u << 3)
#define POSED_POSE_ENU (1u << 4)
#define POSED_POSE_ORIGIN (1u << 5)
#define POSED_POSE_ORIGIN_ALT_HAE (1u << 6)
#define POSED_POSE_VEL (1u << 7)
#define POSED_POSE_VEL_SIGMA (1u << 8)
#define POSED_POSE_Q (1u << 9)
#define POSED_POSE_ROLL (1u << 10)
#define POSED_POSE_PITCH (1u << 11)
#define POSED_POSE_HEADING (1u << 12)
#define POSED_POSE_HEADING_MAGNETIC (1u << 13)
#define POSED_POSE_COURSE (1u << 14)
#define POSED_POSE_TILT_SIGMA (1u << 15)
#define POSED_POSE_HEADING_SIGMA (1u << 16)
#define POSED_POSE_RATE (1u << 17)
#define POSED_POSE_ACCEL (1u << 18)
#define POSED_POSE_GRAVITY (1u << 19)
#define POSED_POSE_SLIP (1u << 20)
#define POSED_POSE_FIX_AGE (1u << 21)
#define POSED_POSE_SATELLITES (1u << 22)
#define POSED_POSE_ACCEL_ENU (1u << 23)
#define POSED_POSE_TURN_RATE (1u << 24)
#define POSED_POSE_HEADING_MAGNETIC_SIGMA (1u << 25)
/* posed_pose.flags */
#define POSED_POSE_STANDING_STILL (1u << 0)
#define POSED_POSE_BLENDING (1u << 1) /* a correction is blended in steps larger than 3 cm or 0.05 degrees at 60 Hz */
struct posed_pose {
    struct posed_block block;
    uint8_t state; /* how far it can be trusted */
    uint8_t fix_mode; /* of the last fix: 0 none yet, 1 no fix (replays only), 2 two-dimensional, 3 three-dimensional */
    uint16_t satellites_used; /* in the last fix */
    uint32_t flags; /* POSED_POSE_STANDING_STILL, POSED_POSE_BLENDING */
    uint32_t origin_epoch; /* changes when the local frame gets a new origin */
    uint32_t reset_count; /* counts the announced jumps */
    double lat_deg; /* geodetic, WGS 84 */
    double lon_deg; /* (-180, 180] */
    double alt_hae_m; /* above the ellipsoid */
    double alt_msl_m; /* above mean sea level */
    double sigma_enu_m[3]; /* of the position */
    double enu_m[3]; /* position relative to the origin of the local frame */
    double origin_lat_deg; /* origin of the local frame */
    double origin_lon_deg;
    double origin_alt_hae_m;
    double vel_enu_m_s[3]; /* over ground */
    double vel_sigma_enu_m_s[3];
    double course_deg; /* over ground, clockwise from true north, [0, 360) */
    double q_enu_body[4]; /* attitude, body to east-north-up: w, x, y, z; north is the magnetic one where only
                             heading_magnetic_deg is known, and arbitrary where no heading is */
    double roll_deg; /* right side down positive */
    double pitch_deg; /* nose up positive */
    double heading_deg; /* clockwise from true north, [0, 360) */
    double heading_magnetic_deg; /* clockwise from magnetic north, [0, 360) */
    double tilt_sigma_deg; /* of roll and pitch */
    double heading_sigma_deg; /* of the true heading */
    double heading_trim_deg; /* current heading trim, clockwise positive */
    double rate_body_rad_s[3]; /* angular rate */
    double accel_body_m_s2[3]; /* acceleration without gravity */
    double gravity_body[3]; /* direction of gravity (down), unit length */
    double slip_m_s2; /* specific force to the left: a slip ball goes right where it is positive */
    double fix_age_s; /* since the last accepted fix was valid */
    double reset_delta_enu_m[3]; /* the last announced jump: new minus old */
    double reset_delta_heading_deg; /* the last announced jump of the heading: new minus old, clockwise positive */
    double accel_enu_m_s2[3]; /* acceleration over ground: extrapolates position and velocity */
    double turn_rate_deg_s; /* rate of change of the heading, clockwise positive */
    double
        glide_enu_m[3]; /* this pose minus the best one, of a subscription to a smooth pose */
    double glide_heading_deg; /* this heading minus the best one, clockwise positive; the course without a heading */
    double heading_magnetic_sigma_deg; /* of the magnetic heading */
};

/* posed_ecef.block.valid */
#define POSED_ECEF_POSITION (1u << 0)
/* The position of posed_pose in Earth-centred coordinates; only for a client that asks for it. */
struct posed_ecef {
    struct posed_block block;
    double ecef_m[3]; /* Earth-centred, Earth-fixed, WGS 84; needs the height above the ellipsoid */
};

/* posed_guidance.state */
#define POSED_GUIDANCE_NO_ROUTE 0u
#define POSED_GUIDANCE_WAITING 1u
#define POSED_GUIDANCE_ON_ROUTE 2u
#define POSED_GUIDANCE_OFF_STEP 3u
#define POSED_GUIDANCE_OFF_ROUTE 4u
#define POSED_GUIDANCE_WRONG_WAY 5u
#define POSED_GUIDANCE_U_TURN_NEEDED 6u
#define POSED_GUIDANCE_REJOINED_AHEAD 7u
#define POSED_GUIDANCE_ARRIVED 8u
/* posed_guidance.block.valid */
#define POSED_GUIDANCE_PROGRESS (1u << 0)
#define POSED_GUIDANCE_CROSS_TRACK (1u << 1)
#define POSED_GUIDANCE_SEGMENT_BEARING (1u << 2)
#define POSED_GUIDANCE_NEXT_MANEUVER (1u << 3)
#define POSED_GUIDANCE_DISTANCE_TO_TURN (1u << 4)
#define POSED_GUIDANCE_STRAIGHT_DISTANCE (1u << 5)
#define POSED_GUIDANCE_TURN_ANGLE (1u << 6)
#define POSED_GUIDANCE_DISTANCE_LEFT (1u << 7)
#define POSED_GUIDANCE_TIME_LEFT (1u << 8)
#define POSED_GUIDANCE_AGE (1u << 9)
#define POSED_GUIDANCE_THEN_DISTANCE (1u << 10)
/* posed_guidance.flags */
#define POSED_GUIDANCE_IN_TUNNEL (1u << 0)
struct posed_guidance {
    struct posed_block block;
    uint8_t state; /* position relative to the route */
    uint8_t reserved[3]; /* 0 */
    uint32_t route_version; /* changes with every route loaded or cleared */
    uint32_t next_maneuver; /* index in the route's list */
    uint32_t reserved2; /* 0 */
    double progress_m; /* along the route from its start */
    double cross_track_m; /* sideways, left negative */
    double segment_bearing_deg; /* direction of the route here, clockwise from true north, [0, 360) */
    double distance_to_turn_m; /* along the route */
    double straight_distance_to_turn_m; /* in a straight line */
    double turn_angle_deg; /* clockwise positive, (-180, 180] */
    double distance_left_m; /* to the end of the route */
    double time_left_s;
    uint32_t
        jump_count; /* counts the jumps of the progress along one route: a skipped loop, a return further ahead */
    uint32_t flags; /* POSED_GUIDANCE_IN_TUNNEL */
    double jump_delta_m; /* the last jump of the progress, less the distance driven meanwhile; positive: forward */
    double then_distance_m; /* along the route to the maneuver after the next; known up to 500 m */
    double age_s; /* of the position used */
};

/* posed_speed.colour */
#define POSED_COLOUR_UNKNOWN 0u
#define POSED_COLOUR_BLUE 1u
#define POSED_COLOUR_ORANGE 2u
#define POSED_COLOUR_RED 3u
/* posed_speed.limit_source */
#define POSED_LIMIT_NONE 0u
#define POSED_LIMIT_ROUTE 1u
#define POSED_LIMIT_ROAD 2u
#define POSED_LIMIT_ROAD_CLASS 3u
#define POSED_LIMIT_FALLBACK 4u
/* posed_speed.block.valid */
#define POSED_SPEED_SPEED (1u << 0)
#define POSED_SPEED_LIMIT (1u << 1)
#define POSED_SPEED_RATIO (1u << 2)
#define POSED_SPEED_NEXT_LIMIT (1u << 3)
#define POSED_SPEED_NEXT_LIMIT_DISTANCE (1u << 4)
#define POSED_SPEED_CURVE (1u << 5)
#define POSED_SPEED_CURVE_DISTANCE (1u << 6)
#define POSED_SPEED_INDICATED (1u << 7)
#define POSED_SPEED_AGE (1u << 8)
/* posed_speed.flags */
#define POSED_SPEED_CONDITION                                                                                          \
    (1u << 0) /* the limit also depends on something that is not known: wetness, a holiday, a weight */
/* posed_speed.limit_reason: what the condition of the limit is about */
#define POSED_REASON_NONE 0u
#define POSED_REASON_TIME 1u /* hour or day of the week */
#define POSED_REASON_SEASON 2u
#define POSED_REASON_WEATHER 3u
#define POSED_REASON_VEHICLE 4u
#define POSED_REASON_TRAILER 5u
#define POSED_REASON_WEIGHT 6u
#define POSED_REASON_SEVERAL 7u
struct posed_speed {
    struct posed_block block;
    uint8_t colour;
    uint8_t limit_source;
    uint8_t reserved[6]; /* 0 */
    double speed_m_s; /* over ground */
    double limit_m_s; /* here */
    double ratio; /* speed divided by limit */
    double next_limit_m_s; /* the next limit with a different value */
    double next_limit_distance_m; /* along the way to the start of the next limit */
    double curve_speed_m_s; /* comfortable speed for the next curve */
    double curve_distance_m; /* along the way to the point where that speed should be reached */
    uint8_t next_limit_source; /* as limit_source */
    uint8_t flags; /* POSED_SPEED_CONDITION */
    uint8_t limit_reason; /* why the limit is not the road's general one */
    uint8_t next_limit_reason; /* as limit_reason */
    uint8_t reserved2[4]; /* 0 */
    double indicated_m_s; /* speed that the vehicle's speedometer shows, from the settings; colour and ratio use it */
    double age_s; /* of the speed used */
};

/* States of posed_sources */
#define POSED_SOURCE_ABSENT 0u
#define POSED_SOURCE_OPENING 1u
#define POSED_SOURCE_WAITING 2u
#define POSED_SOURCE_STREAMING 3u
#define POSED_SOURCE_STALE 4u
#define POSED_SOURCE_LOST 5u
/* posed_sources.block.valid */
#define POSED_SOURCES_GPS_AGE (1u << 0)
#define POSED_SOURCES_IMU_AGE (1u << 1)
#define POSED_SOURCES_MAGNETOMETER_AGE (1u << 2)
#define POSED_SOURCES_BAROMETER_AGE (1u << 3)
#define POSED_SOURCES_WHEELS_AGE (1u << 4)
struct posed_sources {
    struct posed_block block;
    uint8_t gps;
    uint8_t imu;
    uint8_t magnetometer;
    uint8_t barometer;
    uint8_t wheels;
    uint8_t reserved[3]; /* 0 */
    double gps_age_s; /* of the newest data of each source */
    double imu_age_s;
    double magnetometer_age_s;
    double barometer_age_s;
    double wheels_age_s;
};

/* Texts are UTF-8 without a final NUL, `text_length` bytes at `text_offset` from the start of the block; zeros pad the
 * block to a multiple of 8. */

/* posed_hello.flags */
#define POSED_HELLO_SIMULATED (1u << 0) /* the daemon shows a simulated drive: no sensor is read */
struct posed_hello {
    struct posed_block block;
    uint32_t topics; /* topics of this daemon */
    uint32_t default_rate_mhz; /* default rate, frames per 1000 s */
    uint32_t slowest_rate_mhz; /* lowest and highest rate that a client may request */
    uint32_t fastest_rate_mhz;
    uint16_t text_offset; /* the daemon's release, for people */
    uint16_t text_length;
    uint32_t flags; /* POSED_HELLO_SIMULATED */
};

/* posed_subscribe.flags */
#define POSED_SUBSCRIBE_EVERY                                                                                          \
    (1u << 0) /* for loggers: frames are queued up to a limit; otherwise the client gets the newest when it reads */
#define POSED_SUBSCRIBE_SMOOTH (1u << 1) /* corrections of the pose are blended within half a second */
#define POSED_SUBSCRIBE_SHARED (1u << 2) /* pass the shared memory */
#define POSED_SUBSCRIBE_ECEF (1u << 3) /* add a posed_ecef to every frame with the pose */
struct posed_subscribe {
    struct posed_block block;
    uint32_t topics; /* subscribed topics; unknown bits are ignored */
    uint32_t rate_mhz; /* frames per 1000 s; 0: every frame */
    uint32_t flags; /* POSED_SUBSCRIBE_...; unknown bits are ignored */
    uint32_t lead_ms; /* prediction beyond the time of publishing, 0 to 100 */
};

/* Directions of lanes */
#define POSED_LANE_NONE 0u
#define POSED_LANE_UTURN 1u
#define POSED_LANE_SHARP_RIGHT 2u
#define POSED_LANE_RIGHT 3u
#define POSED_LANE_SLIGHT_RIGHT 4u
#define POSED_LANE_STRAIGHT 5u
#define POSED_LANE_SLIGHT_LEFT 6u
#define POSED_LANE_LEFT 7u
#define POSED_LANE_SHARP_LEFT 8u
/* posed_lane.flags */
#define POSED_LANE_VALID (1u << 0) /* the maneuver is possible from this lane */
#define POSED_LANE_RECOMMENDED (1u << 1) /* this lane is recommended */
struct posed_lane {
    uint16_t arrows; /* bit n: the lane has an arrow in direction n */
    uint8_t flags;
    uint8_t direction; /* the arrow to follow; POSED_LANE_NONE if the router does not report it */
    uint32_t reserved; /* 0 */
};

/* posed_maneuver.block.valid */
#define POSED_MANEUVER_PRESENT                                                                                         \
    (1u << 0) /* there is a next maneuver; otherwise none is left, or there is no route */
#define POSED_MANEUVER_POSITION (1u << 1)
#define POSED_MANEUVER_TURN_ANGLE (1u << 2)
#define POSED_MANEUVER_LANES                                                                                           \
    (1u << 3) /* there are lanes; without this bit their fields are invalid: a shorter block may have texts there */
struct posed_maneuver {
    struct posed_block block;
    uint32_t route_version; /* version of the route */
    uint32_t index; /* index in the route's list */
    double lat_deg;
    double lon_deg;
    double turn_angle_deg; /* clockwise positive, (-180, 180] */
    double along_route_m; /* from the route's start */
    uint16_t text_offset; /* the instruction of the route */
    uint16_t text_length;
    uint16_t kind_offset; /* the kind of maneuver, as the route names it */
    uint16_t kind_length;
    uint16_t lane_count; /* lanes before the maneuver, from left to right */
    uint16_t lane_size; /* bytes of one posed_lane */
    uint16_t lane_offset; /* offset of the first lane from the start of the block, a multiple of 8 */
    uint16_t reserved; /* 0 */
};

/* posed_event.kind; `code` is the new value */
#define POSED_EVENT_POSE_STATE 1u /* code: posed_pose.state */
#define POSED_EVENT_GUIDANCE_STATE 2u /* code: posed_guidance.state */
#define POSED_EVENT_SOURCE_STATE 3u /* code: state, subject: index in posed_sources */
#define POSED_EVENT_ROUTE 4u /* code: the new route_version */
#define POSED_EVENT_RESET 5u /* code: the new reset_count */
#define POSED_EVENT_ORIGIN 6u /* code: the new origin_epoch */
#define POSED_EVENT_TARGET                                                                                             \
    7u /* code: POSED_TARGET_NEAR or POSED_TARGET_FAR, subject: number of targets chosen so far, modulo 65536 */
#define POSED_EVENT_MANEUVER_REACHED                                                                                   \
    8u /* code: index of the last maneuver reached, in the route's list; subject: how many at once, usually 1 */
#define POSED_EVENT_WAYPOINT_REACHED                                                                                   \
    9u /* code: number of the last waypoint reached, from 1 in the order of the route; subject: how many at once */
#define POSED_EVENT_DEPARTED 10u /* the vehicle left the route; code: its route_version */
#define POSED_EVENT_REJOINED                                                                                           \
    11u /* the vehicle is back on the route; code: its route_version, subject: POSED_REJOINED_... */
#define POSED_EVENT_WAYPOINT_SKIPPED                                                                                   \
    12u /* a rejoin lies beyond waypoints that were not reached; code and subject as for reached ones */
#define POSED_EVENT_FRAME_RATE                                                                                         \
    13u /* only to the client it concerns; code: measured frames per 1000 s, subject: POSED_FRAME_RATE_... */
#define POSED_TARGET_FAR 0u
#define POSED_TARGET_NEAR 1u
#define POSED_REJOINED_BEHIND 0u /* not farther along than where it left, apart from a tolerance */
#define POSED_REJOINED_AHEAD 1u /* farther along the route than where it left */
#define POSED_FRAME_RATE_ENOUGH 0u
#define POSED_FRAME_RATE_LOW 1u /* fewer than nine tenths of the rate asked for; with rate 0, of 5 Hz */
struct posed_event {
    struct posed_block block;
    int64_t time_ns;
    uint16_t kind;
    uint16_t subject;
    uint32_t code;
};

/* posed_bye.reason */
#define POSED_BYE_STOPPING 1u /* the daemon stops */
#define POSED_BYE_TOO_SLOW 2u /* the client did not read for too long */
#define POSED_BYE_TOO_MANY 3u /* the limit of connections is reached */
#define POSED_BYE_MALFORMED 4u /* invalid message */
#define POSED_BYE_FLOOD 5u /* too many messages from the client */
#define POSED_BYE_DESCRIPTORS 6u /* the client passed descriptors */
#define POSED_BYE_BAD_REQUEST 7u /* a request that cannot be served */
struct posed_bye {
    struct posed_block block;
    uint16_t reason;
    uint16_t text_offset; /* the reason and the remedy, for people */
    uint16_t text_length;
    uint16_t reserved; /* 0 */
};

/* posed_status.block.valid */
#define POSED_STATUS_IMU_RATE (1u << 0)
#define POSED_STATUS_FIX_RATE (1u << 1)
#define POSED_STATUS_MOUNT (1u << 2) /* mount_... */
#define POSED_STATUS_MAGNETOMETER (1u << 3) /* magnetometer_... and magnetic_... */
/* posed_status.mount_origin */
#define POSED_MOUNT_UNKNOWN 0u
#define POSED_MOUNT_CONFIGURED 1u /* from the settings; not yet confirmed by the drive */
#define POSED_MOUNT_KEPT 2u /* from an earlier drive; not yet confirmed by this drive */
#define POSED_MOUNT_FOUND 3u /* estimated on this drive */
/* posed_status.magnetometer_state */
#define POSED_MAGNETOMETER_UNKNOWN 0u
#define POSED_MAGNETOMETER_COLLECTING 1u /* not rotated enough yet to separate hard iron from the Earth's field */
#define POSED_MAGNETOMETER_CALIBRATED 2u
#define POSED_MAGNETOMETER_DISTURBED 3u /* the field here is not the Earth's field; not used for a while */
#define POSED_MAGNETOMETER_IMPLAUSIBLE 4u /* the estimate cannot be the Earth's field */
/* posed_status.flags */
#define POSED_STATUS_SIMULATED (1u << 0) /* the daemon shows a simulated drive: no sensor is read */
struct posed_status {
    struct posed_block block;
    int64_t time_ns; /* CLOCK_MONOTONIC */
    double uptime_s; /* since the daemon started */
    uint64_t frames_made; /* from new measurements, or predicted without one */
    uint64_t frames_repeated; /* published again, because the engine made none for 0.1 s */
    uint64_t messages_lost; /* by all clients together */
    uint64_t measurements_lost; /* because the engine was too late for them */
    uint64_t fixes_accepted;
    uint64_t fixes_rejected;
    double imu_rate_hz; /* measured rate */
    double fix_rate_hz;
    uint32_t clients; /* number of connected clients */
    uint32_t client_limit;
    uint8_t pose_state; /* as in posed_pose */
    uint8_t guidance_state; /* as in posed_guidance */
    uint8_t gps, imu, magnetometer, barometer, wheels; /* as in posed_sources */
    uint8_t flags; /* POSED_STATUS_SIMULATED */
    uint16_t why_offset; /* why the pose is not better: sentences, each followed by a newline */
    uint16_t why_length;
    uint32_t reserved2; /* 0 */
    double mount_q[4]; /* mount of the IMU: rotation from its axes to the body's axes: w, x, y, z */
    double mount_rpy_deg[3]; /* the mount as rotations about the body's forward, then left, then up axis */
    double mount_sigma_deg[3]; /* of the rotation about each body axis */
    double magnetic_iron_ut[3]; /* hard iron in the magnetometer's axes, microtesla */
    double magnetic_soft_iron[9]; /* soft iron and axis errors by rows: (identity + this) times (reading - hard iron) is
                                     the field */
    double magnetic_field_ut; /* estimated strength of the Earth's field */
    double magnetic_dip_deg; /* magnetic dip, downward positive */
    double magnetic_sigma_deg; /* of the magnetic heading */
    uint8_t mount_origin; /* where the mount comes from */
    uint8_t magnetometer_state; /* how far the magnetometer can be trusted */
    uint8_t reserved3[6]; /* 0 */
};

/* The position of an object relative to the body and the display. The validity bits are in the struct around it. */
#define POSED_SIGHT_ENU (1u << 8)
#define POSED_SIGHT_BODY (1u << 9)
#define POSED_SIGHT_SCREEN (1u << 10)
#define POSED_SIGHT_EDGE (1u << 11)
#define POSED_SIGHT_DISTANCE (1u << 12)
#define POSED_SIGHT_BEARING (1u << 13)
#define POSED_SIGHT_RELATIVE_BEARING (1u << 14)
#define POSED_SIGHT_SIZE (1u << 15)
#define POSED_SIGHT_ELEVATION (1u << 16)
#define POSED_SIGHT_DRAW_ELEVATION (1u << 17)
#define POSED_SIGHT_ELEVATION_ANGLE (1u << 18)
struct posed_sight {
    float enu_m[3]; /* relative to the origin of that epoch */
    float body_m[3]; /* relative to the body: x forward, y left, z up */
    float screen[2]; /* right and down, -1 to 1 at the edges of the display's field of view */
    float edge_deg; /* position of a hint at the display's edge, clockwise from the top, [0, 360) */
    float distance_m; /* horizontal */
    float bearing_deg; /* clockwise from true north, [0, 360) */
    float relative_bearing_deg; /* relative to the heading, right positive, (-180, 180] */
    float size; /* relative size for drawing: 1 near to 0 far */
    float elevation_m; /* of the ground or the object above mean sea level */
    float draw_elevation_m; /* above mean sea level, where it is drawn */
    float elevation_angle_deg; /* above the horizontal, where it is drawn */
};

/* The next two blocks have `count` elements of `element_size` bytes each, starting at `elements_offset` of the block.
 * Elements also grow only at their end. */

/* posed_scene_point.kind */
#define POSED_SCENE_MARKER 1u
#define POSED_SCENE_ARROW 2u
#define POSED_SCENE_TURN 3u
#define POSED_SCENE_WAYPOINT 4u
#define POSED_SCENE_DESTINATION 5u
/* flags of posed_scene_point and posed_point */
#define POSED_SIGHT_IN_VIEW (1u << 0)
#define POSED_SIGHT_BEHIND (1u << 1)
/* posed_scene_point.valid, in addition to the POSED_SIGHT bits */
#define POSED_SCENE_POINT_POSITION (1u << 0)
#define POSED_SCENE_POINT_ALONG_ROUTE (1u << 1)
struct posed_scene_point {
    uint32_t valid;
    uint32_t number; /* constant as long as the route is the same */
    uint8_t kind;
    uint8_t flags;
    uint8_t reserved[6]; /* 0 */
    double lat_deg;
    double lon_deg;
    double along_route_m; /* from the route's start */
    struct posed_sight sight;
};
struct posed_scene {
    struct posed_block block;
    int64_t time_ns; /* time of the pose used: CLOCK_MONOTONIC */
    uint32_t route_version;
    uint32_t window; /* changes when other points are shown */
    uint32_t origin_epoch; /* of every enu_m */
    uint16_t count;
    uint16_t element_size;
    uint16_t elements_offset;
    uint16_t reserved[3]; /* 0 */
};

/* posed_point.valid, in addition to the POSED_SIGHT bits */
#define POSED_POINT_POSITION (1u << 0)
struct posed_point {
    uint32_t valid;
    uint8_t flags;
    uint8_t reserved[3]; /* 0 */
    double lat_deg;
    double lon_deg;
    uint16_t id_offset; /* text offsets are from the start of the block */
    uint16_t id_length;
    uint16_t name_offset;
    uint16_t name_length;
    uint16_t category_offset;
    uint16_t category_length;
    uint32_t reserved2; /* 0 */
    struct posed_sight sight;
};
struct posed_points {
    struct posed_block block;
    int64_t time_ns; /* time of the pose used: CLOCK_MONOTONIC */
    double radius_m; /* around the position */
    uint32_t set_version; /* changes with the loaded set of points */
    uint32_t origin_epoch; /* of every enu_m */
    uint32_t total; /* within the radius, including those not listed */
    uint16_t count; /* number of listed points, the nearest first */
    uint16_t element_size;
    uint16_t elements_offset;
    uint16_t reserved[3]; /* 0 */
};

/* The line of the route, from a little behind the position to its end: `count` points; then `place_count` places. */
struct posed_route_point {
    double lat_deg;
    double lon_deg;
    double along_route_m; /* from the route's start */
};
/* posed_route_place.valid */
#define POSED_ROUTE_PLACE_ALONG_ROUTE (1u << 0)
struct posed_route_place {
    uint32_t valid;
    uint32_t number; /* as in posed_scene_point; of a turn the index of the maneuver */
    uint8_t kind; /* as in posed_scene_point: the next two turns, targets, the destination, markers */
    uint8_t reserved[7]; /* 0 */
    double lat_deg;
    double lon_deg;
    double along_route_m; /* from the route's start */
};
struct posed_route {
    struct posed_block block;
    uint32_t route_version; /* as in posed_guidance; without a route there are no points */
    uint32_t reserved; /* 0 */
    double length_m; /* of the whole route */
    double tolerance_m; /* by how much the route deviates from the line at most */
    uint16_t count; /* points of the line, in the order of the route */
    uint16_t element_size;
    uint16_t elements_offset;
    uint16_t place_count;
    uint16_t place_size; /* bytes of one posed_route_place */
    uint16_t places_offset;
    uint16_t reserved2[2]; /* 0 */
};

/* In POSED_SHARED. The descriptor is a sealed memory file: it can be mapped for reading, never written, grown or
 * shrunk. */
struct posed_shared {
    struct posed_block block;
    uint32_t size; /* bytes to map; 0, without a descriptor: there is no shared memory, read the socket */
    uint32_t reserved; /* 0 */
};

/*
 * The shared memory: the newest frame with all topics, as one complete POSED_FRAME message under a seqlock. `turn` is
 * odd while the message is being written, and a new even number afterwards. To read: load turn (acquire), and again
 * while it is odd; copy the message; load turn again after an acquire fence, and start again if it changed. A message
 * of length 0 means that there is none yet. `closed` is not 0 after the daemon has stopped.
 */
struct posed_memory {
    uint32_t magic; /* POSED_MAGIC */
    uint16_t version; /* POSED_VERSION */
    uint16_t message_offset; /* offset of the message */
    uint32_t size; /* size of the memory, bytes */
    uint32_t capacity; /* space for the message, bytes */
    uint64_t turn;
    uint32_t closed;
    uint32_t reserved[9]; /* 0; the message starts on a separate cache line */
};

#endif
