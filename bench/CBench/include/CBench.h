// C functions of the benchmark: a counter of all heap allocations of the process, and the fan-out that Linux itself can
// do.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Number of heap allocations since the process started, by all libraries and threads; frees are not counted.
uint64_t bench_allocation_count(void);

/// Starts a process that only sends: at each period of an absolute timer it writes one packet of `length` bytes to each
/// of `count` sockets. The first eight bytes are the time of the round, CLOCK_MONOTONIC nanoseconds, the next eight its
/// number. `priority` above 0 uses SCHED_FIFO. It ends after `packets` rounds. Returns the process, or -1 with errno.
pid_t bench_start_fan_out(
    const int *sockets, int count, int length, int64_t period_nanoseconds, int packets, int priority);

/// Starts a process that writes scans of a six-axis IMU at rest into the FIFO that emulates its device node, one per
/// period: six 16-bit readings, accelerometer first, and the time of writing, CLOCK_MONOTONIC nanoseconds. It runs
/// until it is killed. Returns the process, or -1 with errno.
pid_t bench_start_imu(const char *fifo, int64_t period_nanoseconds);

/// Starts a process that connects to a SOCK_SEQPACKET socket once per period and disconnects: at once, after one
/// invalid byte, or half closed. Returns the process, or -1 with errno.
pid_t bench_start_storm(const char *path, int64_t period_nanoseconds, int connections);

/// Starts a process that sends 10 MB/s of garbage to the stream socket for some seconds. A hundred times per second it
/// also sends an empty packet or passes twenty descriptors, each on a separate connection, and leaves one connection
/// half open. It ends with 0 if every violation was disconnected within one second. Returns the process, or -1 with
/// errno.
pid_t bench_start_abuse(const char *frames, const char *stream, double seconds);

/// The offsets of the fields that the receiver reads in a packet. `type`: required value of the 16 bits after the first
/// six bytes; 0: not checked. `dropped_offset`: the sender's count of dropped packets; -1 if packets have none.
struct bench_layout {
    int time_offset;
    int number_offset;
    int dropped_offset;
    int type;
    int least_length;
};

/// The result of the receiver: ages from the time in the packet to its reading, number of missing sequence numbers, and
/// number of packets that the sender reported as dropped.
struct bench_reception {
    int64_t *ages_ns;
    size_t capacity;
    size_t count;
    uint64_t lost;
    uint64_t told;
};

/// Reads from all sockets for some seconds; packets of the first seconds are not counted. 0, or -1 with errno.
int bench_receive(const int *sockets, int count, struct bench_layout layout, double seconds, double warm_up_seconds,
    struct bench_reception *result);

/// Opens a raw pseudo-terminal, non-blocking. Returns the descriptor of the master, or -1; `terminal` is the slave,
/// `name` its path.
int bench_open_terminal(int *terminal, char *name, size_t capacity);

/// Puts the calling thread under SCHED_FIFO, or with priority 0 back under the ordinary scheduler; 0, or an error
/// number.
int bench_set_priority(int priority);
