// The Linux calls that Swift's Glibc module lacks.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>

/// A number without its decimals; it must be one that fits. Swift's own conversion asks that each time.
static inline int64_t posed_truncated(double value) { return (int64_t)value; }

/// Names the calling thread for ps, top and gdb; Linux keeps the first 15 bytes.
void posed_set_thread_name(const char *name);

/// One descriptor that is ready: its token, and EPOLL* bits.
struct posed_ready {
    uint64_t token;
    uint32_t events;
};

/// Watches a descriptor; 0, or -1 with errno. The corresponding C function is epoll_ctl (EPOLL_CTL_ADD).
int posed_watch(int epoll, int descriptor, uint32_t events, uint64_t token);

/// Watches a descriptor that is watched already for other events; 0, or -1 with errno. The corresponding C function is
/// epoll_ctl (EPOLL_CTL_MOD).
int posed_watch_again(int epoll, int descriptor, uint32_t events, uint64_t token);

/// Waits for at most 64 ready descriptors; how many, or -1 with errno. The corresponding C function is epoll_wait.
int posed_wait_ready(int epoll, struct posed_ready *ready, int capacity, int timeout_ms);

/// Accepts a connection, non-blocking and closed on exec; its descriptor, or -1 with errno. The corresponding C
/// function is accept4.
int posed_accept(int listener);

/// A non-blocking Unix socket, closed on exec, of SOCK_STREAM or SOCK_SEQPACKET; its descriptor, or -1 with errno.
int posed_unix_socket(int type);

/// Connects to a path; 0, or -1 with errno (ENAMETOOLONG for a path of more than 107 bytes, ENOENT for an empty one).
/// The corresponding C function is connect.
int posed_connect(int descriptor, const char *path);

/// Binds to a path; 0, or -1 with errno, as above. The corresponding C function is bind.
int posed_bind(int descriptor, const char *path);

/// The path a socket is bound to, with its final NUL; its length, or -1 where it has none. The corresponding C function
/// is getsockname.
int posed_bound_path(int descriptor, char *path, size_t capacity);

/// Who is at the other end; 0, or -1 with errno. The corresponding option is SO_PEERCRED.
int posed_peer(int descriptor, uint32_t *pid, uint32_t *uid, uint32_t *gid);

/// Whether the peer had that group when it connected, as its own or a further one: 1 or 0. The corresponding option is
/// SO_PEERGROUPS.
int posed_peer_has_group(int descriptor, uint32_t gid);

/// What a receive found.
enum { POSED_RECEIVED_DESCRIPTORS = 1, POSED_RECEIVED_TRUNCATED = 2 };

/// Receives without waiting. Descriptors that the peer passes are never taken: the kernel closes them, and `notes` says
/// so. Bytes received, 0 for an empty packet or the end, or -1 with errno.
ssize_t posed_receive(int descriptor, void *buffer, size_t capacity, int *notes);

/// Sends without waiting and without SIGPIPE; bytes sent, or -1 with errno. The corresponding C function is send.
ssize_t posed_send(int descriptor, const void *bytes, size_t count);

/// Waits until the descriptor is readable or the monotonic instant has come; 1 readable, 0 time, -1 interrupted or
/// failed. The corresponding C function is ppoll.
int posed_wait_readable(int descriptor, int64_t until_ns);

/// An error number in words; 0, or an error number. The corresponding C function is strerror_r.
int posed_error_text(int error, char *buffer, size_t capacity);

/// Gives back the pages of programs and libraries that only the start needed, and free heap: they are read again where
/// they are used after all. Only segments that are never written, so that nothing is lost.
void posed_release_startup_pages(void);

/// Returns free heap to the system. The corresponding C function is malloc_trim.
void posed_release_free_memory(void);

/// Keeps every page in memory from its first use on; 0, or an error number. The corresponding C function is mlockall
/// (MCL_ONFAULT).
int posed_lock_memory(void);

/// Sends as ``posed_send``, and passes a descriptor along. The corresponding C function is sendmsg with SCM_RIGHTS.
ssize_t posed_send_descriptor(int descriptor, const void *bytes, size_t count, int passed);

/// Receives as ``posed_receive``, and takes one descriptor that comes along (closed on exec) into `passed`, -1 where
/// none does; the caller closes it.
ssize_t posed_receive_descriptor(int descriptor, void *buffer, size_t capacity, int *passed);

/// Makes a memory file that others can only map for reading, and that nobody can grow or shrink, and maps it for
/// writing here. Its descriptor, or -1 with errno. The corresponding C functions are memfd_create, and fcntl with
/// F_ADD_SEALS.
int posed_memory_create(const char *name, size_t size, void **memory);

/// Maps such a file for reading; NULL with errno. Refuses one that could shrink under the reader.
const void *posed_memory_map(int descriptor, size_t size);

/// Writes a message of a multiple of 8 bytes under a seqlock: `turn` is odd while it is written.
void posed_seqlock_write(uint64_t *turn, void *place, const void *message, size_t length);

/// Copies what a seqlock guards; 1, or 0 where a writer came in between: try again.
int posed_seqlock_read(const uint64_t *turn, const void *place, void *copy, size_t length);

/// Opens a raw pseudo-terminal, non-blocking and closed on exec: the near end's descriptor, or -1 with errno;
/// `terminal` is the far end, `name` its path.
int posed_terminal_open(int *terminal, char *name, size_t capacity);

/// Bytes that lie unread in a terminal. The corresponding call is ioctl (FIONREAD).
int posed_unread(int terminal);

/// Listens on a TCP port of 127.0.0.1, non-blocking and closed on exec; its descriptor, or -1 with errno.
int posed_listen_loopback(uint16_t port);

/// Starts a program whose descriptor 0 is the far end of a new socket; it inherits descriptor 2 and no other, and no
/// blocked signal. Its process and the near end (SOCK_STREAM, non-blocking, closed on exec), or -1 with errno. The
/// corresponding C functions are socketpair and posix_spawn.
int posed_start_program(const char *path, int32_t *process);

/// Kills a program that was started here, and waits for its end, so that no zombie stays. The corresponding C functions
/// are kill and waitpid.
void posed_end_program(int32_t process);
