/*
 * Particles over a socket pair: a process sends some of its particles, chosen by a list, another
 * one receives them side by side. Each packs, or unpacks, as many bytes as fit its small buffer and
 * sends, or receives, as many of them as the socket takes: the position in the stream is all that
 * is kept between calls.
 */
#include <dame/datatype.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARTICLES = 20000, EVERY = 3, LEAVING = (PARTICLES + EVERY - 1) / EVERY, BUFFER = 1000 };

typedef struct particle {
    double position[3];
    double velocity[3];
    double charge; /* the same everywhere: not sent */
    int id;
    char kind;
} particle_t;

static particle_t particles[PARTICLES];

static void check(dame_status_t status)
{
    if (status != DAME_OK) {
        fprintf(stderr, "particles: %s\n", dame_error_message());
        exit(EXIT_FAILURE);
    }
}

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* The fields that travel, one sizeof(particle_t) from particle to particle. */
static dame_datatype_t *particle_type(dame_context_t *context)
{
    const int64_t lengths[] = {6, 1, 1};
    const int64_t places[] = {offsetof(particle_t, position), offsetof(particle_t, id),
                              offsetof(particle_t, kind)};
    const char *names[] = {"double", "int", "char"};
    dame_datatype_t *basic[3], *fields, *type;
    for (int i = 0; i < 3; i++) {
        check(dame_datatype_basic(context, names[i], 0, &basic[i]));
    }
    check(dame_datatype_struct(context, 3, lengths, places, (const dame_datatype_t *const *) basic,
                               &fields));
    check(dame_datatype_resized(0, sizeof(particle_t), fields, &type));
    dame_datatype_free(fields);
    for (int i = 0; i < 3; i++) {
        dame_datatype_free(basic[i]);
    }
    return type;
}

static void wait_for(int socket, short events)
{
    struct pollfd ready = {.fd = socket, .events = events};
    if (poll(&ready, 1, -1) < 0) {
        fail("poll");
    }
}

static void send_message(int socket, const dame_datatype_t *type, int64_t count, const void *base)
{
    char buffer[BUFFER];
    int64_t bytes, packed, calls = 0;
    check(dame_packed_size(type, count, &bytes));
    for (int64_t position = 0; position < bytes;) {
        check(dame_pack(type, count, base, position, buffer, BUFFER, &packed));
        wait_for(socket, POLLOUT);
        /* at most 700 bytes, so that the bytes packed after them are packed again */
        const ssize_t sent = send(socket, buffer, packed < 700 ? (size_t) packed : 700, 0);
        if (sent < 0) {
            fail("send");
        }
        position += sent;
        calls++;
    }
    printf("sent %lld bytes in %s calls\n", (long long) bytes, calls > 100 ? "many" : "few");
    fflush(stdout);
}

static void receive_message(int socket, const dame_datatype_t *type, int64_t count, void *base)
{
    char buffer[BUFFER];
    int64_t bytes;
    check(dame_packed_size(type, count, &bytes));
    for (int64_t position = 0; position < bytes;) {
        wait_for(socket, POLLIN);
        const ssize_t got = recv(socket, buffer, 1 + (size_t) (position % BUFFER), 0);
        if (got <= 0) {
            fail("recv");
        }
        check(dame_unpack(type, count, base, position, buffer, got, NULL));
        position += got;
    }
}

static int receive(int socket, const dame_datatype_t *particle)
{
    int wrong = 0;
    receive_message(socket, particle, LEAVING, particles);
    for (int i = 0; i < LEAVING; i++) {
        const particle_t *p = &particles[i];
        wrong += p->id != EVERY * i || p->kind != 'a' + EVERY * i % 26 ||
                 p->position[2] != EVERY * i + 0.5 || p->velocity[0] != -EVERY * i ||
                 p->charge != 0;
    }
    printf("received %d particles, %d of them wrong\n", LEAVING, wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void send_some(int socket, const dame_datatype_t *particle)
{
    static int64_t leaving[LEAVING];
    dame_datatype_t *some;
    for (int i = 0; i < PARTICLES; i++) {
        particles[i] = (particle_t){.position = {0, 0, i + 0.5},
                                    .velocity = {-i},
                                    .charge = 1,
                                    .id = i,
                                    .kind = (char) ('a' + i % 26)};
    }
    for (int i = 0; i < LEAVING; i++) {
        leaving[i] = EVERY * i;
    }
    check(dame_datatype_indexed_block(LEAVING, 1, leaving, particle, &some));
    check(dame_datatype_commit(some));
    send_message(socket, some, 1, particles);
    dame_datatype_free(some);
}

int main(void)
{
    int sockets[2], status;
    dame_context_t *context;
    check(dame_context_new(NULL, &context));
    dame_datatype_t *particle = particle_type(context);
    check(dame_datatype_commit(particle));
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 ||
        fcntl(sockets[0], F_SETFL, O_NONBLOCK) != 0) {
        fail("socketpair");
    }
    const pid_t child = fork(); /* the child goes on with what the parent made */
    if (child == 0) {
        return receive(sockets[1], particle);
    }
    send_some(sockets[0], particle);
    if (waitpid(child, &status, 0) != child) {
        fail("waitpid");
    }
    dame_datatype_free(particle);
    dame_context_free(context);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
