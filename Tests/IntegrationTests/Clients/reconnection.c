/* Says when the C client connects again and how long it waits, by a clock that goes on only where the client waits. The
   daemon is played by the same thread. usage: reconnection SOCKET */
#define _GNU_SOURCE
#include <poll.h>
#include <stdint.h>
#include <time.h>

#define MILLISECOND INT64_C(1000000)

static int64_t clock_ns = 1000 * MILLISECOND;

static int played_clock(clockid_t id, struct timespec *time) {
    (void)id;
    time->tv_sec = (time_t)(clock_ns / 1000000000);
    time->tv_nsec = (long)(clock_ns % 1000000000);
    return 0;
}

static int played_poll(struct pollfd *watched, nfds_t count, const struct timespec *wait, const void *mask) {
    int ready = poll(watched, count, 0);
    (void)mask;
    if (ready == 0) clock_ns += (int64_t)wait->tv_sec * 1000000000 + wait->tv_nsec;
    return ready;
}

#define clock_gettime played_clock
#define ppoll played_poll
#include "posed_client.c"

static struct posed_client client;
static int listener, connection = -1;

static void say(uint16_t type, uint64_t sequence) {
    struct posed_header header;
    memset(&header, 0, sizeof header);
    header.magic = POSED_MAGIC;
    header.version = POSED_VERSION;
    header.type = type;
    header.length = sizeof header;
    header.sequence = sequence;
    if (send(connection, &header, sizeof header, MSG_NOSIGNAL) < 0) perror("send");
}

static void hang_up(void) {
    if (connection >= 0) close(connection);
    connection = -1;
}

/* Lets the client go on by 10 ms; 1 if it has begun a connection. */
static int step(enum posed_client_update *update) {
    clock_ns += 10 * MILLISECOND;
    *update = posed_client_next(&client, 0);
    if (connection >= 0) return 0;
    connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return connection >= 0;
}

/* A daemon that greets and refuses every subscription. */
static void refuse(void) {
    int64_t begin = clock_ns;
    int connections = 0;
    while (clock_ns < begin + 5000 * MILLISECOND) {
        enum posed_client_update update;
        if (step(&update)) {
            connections++;
            say(POSED_HELLO, 1);
        }
        if (update == POSED_CLIENT_CONNECTED) say(POSED_BYE, 2);
        if (update == POSED_CLIENT_DISCONNECTED) hang_up();
    }
    printf("refused: %d connections in 5 s\n", connections);
}

/* A daemon that takes the subscription, sends one message and ends. */
static void serve(void) {
    enum posed_client_update update = POSED_CLIENT_NOTHING;
    int64_t lost;
    while (update != POSED_CLIENT_DISCONNECTED) {
        if (step(&update)) say(POSED_HELLO, 1);
        if (update == POSED_CLIENT_CONNECTED) say(999, 2);
        if (update == POSED_CLIENT_MESSAGE) hang_up();
    }
    lost = clock_ns;
    while (!step(&update)) continue;
    printf("served: again after %d tenths of a second\n", (int)((clock_ns - lost) / (100 * MILLISECOND)));
}

/* A daemon that takes the connection and says nothing. */
static void stay_silent(void) {
    int64_t begin = clock_ns;
    int count = 0;
    while (posed_client_next(&client, 300) == POSED_CLIENT_NOTHING) count++;
    printf("silent: nothing %d times, then after %d ms: %s\n", count, (int)((clock_ns - begin) / MILLISECOND),
        client.problem);
}

int main(int count, char **words) {
    struct sockaddr_un address;
    if (count < 2 || strlen(words[1]) >= sizeof address.sun_path) return 64;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path, words[1]);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4) != 0) return 69;
    posed_client_init(&client, words[1], 1, 0, 0);
    refuse();
    hang_up();
    serve();
    stay_silent();
    posed_client_close(&client);
    return 0;
}
