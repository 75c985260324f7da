// A daemon of an older release: answers every line on FOLDER/stream with the status of that release.
// usage: posed --set sockets.folder=FOLDER ...
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    static const char reply[] = "{\"type\":\"reply\",\"cmd\":\"status\",\"ok\":true,\"release\":\"0.0.9\"}\n";
    static const char key[] = "sockets.folder=";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count < 3 || strncmp(arguments[2], key, sizeof key - 1) != 0) return 64;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/stream", arguments[2] + sizeof key - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 8) != 0) return 1;
    signal(SIGPIPE, SIG_IGN);
    // A test that fails must not leave it running.
    alarm(1800);
    for (;;) {
        int client = accept(listener, NULL, NULL);
        char line[256];
        if (client < 0) return 1;
        while (read(client, line, sizeof line) > 0) {
            if (write(client, reply, sizeof reply - 1) < 0) break;
        }
        close(client);
    }
}
