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

/// Truncates a number, which must fit into an integer. Swift's own conversion checks that each time.
static inline int64_t posed_truncated(double value) { return (int64_t)value; }

/// Names the calling thread for ps, top and gdb; Linux keeps the first 15 bytes.
void posed_set_thread_name(const char *name);

/// One ready descriptor: its token and its EPOLL* bits.
struct posed_ready {
    uint64_t token;
    uint32_t events;
};

/// Adds a descriptor to an epoll; 0, or -1 with errno. The corresponding C function is epoll_ctl (EPOLL_CTL_ADD).
int posed_watch(int epoll, int descriptor, uint32_t events, uint64_t token);

/// Changes the events of a descriptor in an epoll; 0, or -1 with errno. The corresponding C function is epoll_ctl
/// (EPOLL_CTL_MOD).
int posed_watch_again(int epoll, int descriptor, uint32_t events, uint64_t token);

/// Waits for at most 64 ready descriptors; their number, or -1 with errno. The corresponding C function is epoll_wait.
int posed_wait_ready(int epoll, struct posed_ready *ready, int capacity, int timeout_ms);

/// Accepts a connection, non-blocking and close-on-exec; its descriptor, or -1 with errno. The corresponding C function
/// is accept4.
int posed_accept(int listener);

/// A Unix socket of type SOCK_STREAM or SOCK_SEQPACKET, non-blocking and close-on-exec; its descriptor, or -1 with
/// errno.
int posed_unix_socket(int type);

/// Connects to a path; 0, or -1 with errno (ENAMETOOLONG for a path of more than 107 bytes, ENOENT for an empty one).
/// The corresponding C function is connect.
int posed_connect(int descriptor, const char *path);

/// Binds to a path; 0, or -1 with errno as for posed_connect. The corresponding C function is bind.
int posed_bind(int descriptor, const char *path);

/// The path to which a socket is bound, with a final NUL; its length, or -1 if it has none. The corresponding C
/// function is getsockname.
int posed_bound_path(int descriptor, char *path, size_t capacity);

/// The credentials of the peer; 0, or -1 with errno. The corresponding option is SO_PEERCRED.
int posed_peer(int descriptor, uint32_t *pid, uint32_t *uid, uint32_t *gid);

/// Whether the peer had that group when it connected, as its primary or a supplementary group: 1 or 0. The
/// corresponding option is SO_PEERGROUPS.
int posed_peer_has_group(int descriptor, uint32_t gid);

/// Flags of posed_receive.
enum { POSED_RECEIVED_DESCRIPTORS = 1, POSED_RECEIVED_TRUNCATED = 2 };

/// Receives without blocking. Descriptors passed by the peer are never accepted: the kernel closes them, and `notes`
/// has a flag. Returns the bytes received, 0 for an empty packet or the end, or -1 with errno.
ssize_t posed_receive(int descriptor, void *buffer, size_t capacity, int *notes);

/// Sends without blocking and without SIGPIPE; bytes sent, or -1 with errno. The corresponding C function is send.
ssize_t posed_send(int descriptor, const void *bytes, size_t count);

/// Opens a socket with the messages of the kernel and of udev about devices that come, go and change; -1 with errno
/// where the system refuses it. Only root can send to it.
int posed_device_events(void);

/// Whether the kernel's clock is synchronized: 1 or 0, or -1 if the kernel does not tell. The corresponding C function
/// is adjtimex.
int posed_clock_is_synchronized(void);

/// Waits until the descriptor is readable or the monotonic time is reached; 1 readable, 0 timed out, -1 interrupted or
/// failed. The corresponding C function is ppoll.
int posed_wait_readable(int descriptor, int64_t until_ns);

/// The text of an error number; 0, or an error number. The corresponding C function is strerror_r.
int posed_error_text(int error, char *buffer, size_t capacity);

/// Releases read-only pages of programs and libraries that only the start needed, and free heap. The kernel reads such
/// a page again if it is used. Only segments that are never written are released, so that no data is lost.
void posed_release_startup_pages(void);

/// Returns free heap to the system. The corresponding C function is malloc_trim.
void posed_release_free_memory(void);

/// Locks every page in memory from its first use on; 0, or an error number. The corresponding C function is mlockall
/// (MCL_ONFAULT).
int posed_lock_memory(void);

/// Sends like ``posed_send`` and passes a descriptor. The corresponding C function is sendmsg with SCM_RIGHTS.
ssize_t posed_send_descriptor(int descriptor, const void *bytes, size_t count, int passed);

/// Receives like ``posed_receive`` and stores one passed descriptor (close-on-exec) in `passed`, or -1 without one; the
/// caller closes it.
ssize_t posed_receive_descriptor(int descriptor, void *buffer, size_t capacity, int *passed);

/// Creates a memory file that other processes can only map for reading and that cannot grow or shrink, and maps it for
/// writing. Returns its descriptor, or -1 with errno. The corresponding C functions are memfd_create, and fcntl with
/// F_ADD_SEALS.
int posed_memory_create(const char *name, size_t size, void **memory);

/// Maps such a file for reading; NULL with errno. Rejects a file that could shrink during reading.
const void *posed_memory_map(int descriptor, size_t size);

/// Maximum number of guarded mappings of a process.
enum { POSED_MOST_GUARDED = 256 };

/// Guards a mapping of a file against bytes that are gone, because the file was shortened in place or the disk cannot
/// read them: the first access to one of them replaces all of the mapping by zeros, instead of ending the process by
/// SIGBUS. Returns a number, or -1 with errno (EMFILE: there are too many). `start` is that of the mapping. The first
/// call installs a handler of SIGBUS; the earlier one gets every other SIGBUS.
int posed_guard_mapping(const void *start, size_t length);

/// Whether a guarded mapping was replaced by zeros: 1 or 0.
int posed_mapping_is_damaged(int number);

/// Ends the guard of a mapping; to be called before it is unmapped.
void posed_unguard_mapping(int number);

/// Writes a message under a seqlock; its length must be a multiple of 8 bytes. `turn` is odd during the write.
void posed_seqlock_write(uint64_t *turn, void *place, const void *message, size_t length);

/// Copies data guarded by a seqlock; 1, or 0 if a writer was active meanwhile: try again.
int posed_seqlock_read(const uint64_t *turn, const void *place, void *copy, size_t length);

/// Starts writing a part of a file to the disk, without waiting. Corresponds to sync_file_range.
void posed_write_out(int descriptor, off_t offset, off_t size);

/// Waits until a part of a file is on the disk, and removes it from memory. Corresponds to sync_file_range and
/// posix_fadvise.
void posed_drop_written(int descriptor, off_t offset, off_t size);

/// Opens a raw pseudo-terminal, non-blocking and close-on-exec. Returns the descriptor of the master, or -1 with errno;
/// `terminal` is the slave, `name` its path.
int posed_terminal_open(int *terminal, char *name, size_t capacity);

/// Number of unread bytes in a terminal. The corresponding call is ioctl (FIONREAD).
int posed_unread(int terminal);

/// Listens on a TCP port of 127.0.0.1, non-blocking and close-on-exec; the descriptor, or -1 with errno.
int posed_listen_loopback(uint16_t port);

/// Starts a program with these descriptors from 0 on and no other, and with no signal blocked or ignored. Each number
/// must be at least its place in the list; -1 is /dev/null. Sets `process`; 0, or an error number. The corresponding C
/// function is posix_spawn.
int posed_spawn(const char *path, char *const *arguments, char *const *environment, const int *descriptors, int count,
                int has_own_group, int32_t *process);

/// Starts a program whose descriptor 0 is one end of a new socket pair. It inherits descriptor 2 and no other, and no
/// blocked signals. Returns the other end (SOCK_STREAM, non-blocking, close-on-exec) and sets `process`, or -1 with
/// errno. The corresponding C functions are socketpair and posix_spawn.
int posed_start_program(const char *path, int32_t *process);

/// Kills a program started by posed_start_program and waits for its end, so that no zombie process remains. The
/// corresponding C functions are kill and waitpid.
void posed_end_program(int32_t process);

/// Copies this process, which must have one thread: 1 in it with the new process in `process`, 0 in the new one, -1
/// with errno. The new process is killed when this one ends. The corresponding C functions are fork, and prctl with
/// PR_SET_PDEATHSIG.
int posed_fork(int32_t *process);

/// Like ``posed_fork``, with a new socket pair (SOCK_SEQPACKET, non-blocking) between the two; `end` is the own end.
/// The new process has the descriptors 0 to 2 and that end, no other, and ignores SIGINT, SIGTERM, SIGHUP and SIGPIPE.
int posed_fork_with_socket(int32_t *process, int *end);

/// How a child process has ended: its exit code, 256 plus the signal that killed it, or -1 while it runs and `blocks`
/// is 0. The corresponding C function is waitpid.
int posed_wait_process(int32_t process, int blocks);
