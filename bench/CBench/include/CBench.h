// What the benchmark needs from C: every heap allocation of the process counted, and the fan-out that Linux itself
// could do.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Blocks asked of the heap since the process began, by every library and thread in it; frees are not counted.
uint64_t bench_allocation_count(void);

/// Starts a process that does nothing but send: at each period of an absolute timer it writes one packet of `length`
/// bytes to each of `count` sockets. The first eight bytes are the instant of the round, CLOCK_MONOTONIC nanoseconds,
/// the next eight its number. `priority` above 0: under SCHED_FIFO. It ends after `packets` rounds. Returns the
/// process, or -1 with errno.
pid_t bench_start_fan_out(
    const int *sockets, int count, int length, int64_t period_nanoseconds, int packets, int priority);

/// Starts a process that writes the scans of a six-axis IMU at rest into the FIFO that stands for its device node, one
/// each period: six 16-bit readings, accelerometer first, and the instant of the writing, CLOCK_MONOTONIC nanoseconds.
/// It ends when it is ended. Returns the process, or -1 with errno.
pid_t bench_start_imu(const char *fifo, int64_t period_nanoseconds);

/// Starts a process that connects to a SOCK_SEQPACKET socket once each period and leaves again: at once, after a byte
/// of nonsense, or half closed. Returns the process, or -1 with errno.
pid_t bench_start_storm(const char *path, int64_t period_nanoseconds, int connections);

/// Starts a process that for some seconds pours 10 MB/s of garbage into the stream, and a hundred times a second sends
/// an empty packet or passes twenty descriptors, each over a connection of its own, and leaves one half open. It ends
/// with 0 when every offender was let go within a second. Returns the process, or -1 with errno.
pid_t bench_start_abuse(const char *frames, const char *stream, double seconds);

/// Where a packet has what the receiver looks at. `type`: the 16 bits behind the first six bytes must be this; 0: they
/// are not looked at. `dropped_offset`: the sender's own count of what it has dropped; -1 where packets have none.
struct bench_layout {
    int time_offset;
    int number_offset;
    int dropped_offset;
    int type;
    int least_length;
};

/// What was received: ages from the instant in the packet to its reading, how many numbers were missing, and how many
/// the sender said it had dropped.
struct bench_reception {
    int64_t *ages_ns;
    size_t capacity;
    size_t count;
    uint64_t lost;
    uint64_t told;
};

/// Reads from all sockets for some seconds; packets of the first ones are not counted. 0, or -1 with errno.
int bench_receive(const int *sockets, int count, struct bench_layout layout, double seconds, double warm_up_seconds,
    struct bench_reception *result);

/// Opens a raw pseudo-terminal, non-blocking: the near end's descriptor, or -1; `terminal` is the far end, `name` its
/// path.
int bench_open_terminal(int *terminal, char *name, size_t capacity);

/// Puts the calling thread under SCHED_FIFO, or, with 0, back under the ordinary scheduler; 0, or an error number.
int bench_set_priority(int priority);
