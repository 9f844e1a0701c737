/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * damage [--every N] [--types] [--many] KIND FILE [COMMAND ARGUMENT...]: damages copies of a file
 * that DAME has written, and reads each as DAME does. It must be refused, or be read correctly;
 * nothing may crash, or take longer than some seconds.
 *
 *   code     a file of the code cache: refused unless its bytes are the same
 *   profile  the machine's profile: the same
 *   last-run what ompi_info shows: all of it or nothing
 *   program  a program's text: what a changed text means is moved right in all ways, or refused
 *   command  whatever this command of dame(1) reads, where it says "@" ("@-": without the name's
 *            suffix; "@/": its directory): it succeeds, or prints one message
 *
 * Every N-th byte (1: each) is changed, one bit and to 0x00 and 0xff; the file is cut there; bytes
 * are appended. --types: other kinds of files in its place as well, and only those that are read
 * without being named by the user. --many: a command that fails prints one message or more, of any
 * form. The last line is "N passed, M failed".
 */
#include "damage.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USAGE = 2, LONGEST = 1 << 20, SECONDS = 20, MOST_REPORTED = 20 };

char *damage_original;
size_t damage_size;
const char *damage_name;
static const char *damage_file; /* the original */
char damage_directory[200];
char damage_path[500];
char **damage_command;

static long passed, failed;
static int many;       /* messages are allowed */
static char what[200]; /* is tried now */

static const damage_kind_t *const kinds[] = {
    &damage_code,     &damage_profile,
#ifdef HAVE_LAST_RUN
    &damage_last_run,
#endif
    &damage_program,  &damage_with_command,
};

static void on_signal(int number)
{
    static const char hangs[] = " hangs\n", crashes[] = " ends the process\n";
    const int late = number == SIGALRM;
    (void) !write(STDERR_FILENO, what, strlen(what));
    (void) !write(STDERR_FILENO, late ? hangs : crashes, strlen(late ? hangs : crashes));
    (void) !write(STDOUT_FILENO, "0 passed, 1 failed\n", 19);
    _exit(1);
}

static void try(const damage_kind_t *kind, int same)
{
    char why[300] = "";
    alarm(SECONDS);
    const int good = kind->read(same, why, sizeof(why));
    alarm(0);
    passed += good;
    failed += !good;
    if (!good && failed <= MOST_REPORTED) {
        fprintf(stderr, "FAILED: %s: %s\n", what, why);
    }
}

/* Without O_TRUNC: file systems write what replaces a file that way to the disk. */
static void put(const char *bytes, size_t size)
{
    const int fd = open(damage_path, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || pwrite(fd, bytes, size, 0) != (ssize_t) size ||
        ftruncate(fd, (off_t) size) != 0 || close(fd) != 0) {
        perror(damage_path);
        exit(USAGE);
    }
}

static void put_and_try(const damage_kind_t *kind, const char *bytes, size_t size)
{
    put(bytes, size);
    try(kind, size == damage_size && memcmp(bytes, damage_original, size) == 0);
}

/* ---- other bytes ---------------------------------------------------------------------------- */

static void change_bytes(const damage_kind_t *kind, size_t every)
{
    char *bytes = malloc(damage_size + 1);
    memcpy(bytes, damage_original, damage_size);
    for (size_t at = 0; at < damage_size; at += every) {
        const char was = bytes[at];
        for (int bit = 0; bit < 8; bit += every == 1 && !kind->slow ? 1 : 8) {
            const int flipped = every == 1 && !kind->slow ? bit : (int) (at / every % 8);
            snprintf(what, sizeof(what), "%s: bit %d of byte %zu is another", kind->name, flipped,
                     at);
            bytes[at] = (char) (was ^ 1 << flipped);
            put_and_try(kind, bytes, damage_size);
        }
        for (int value = 0; value <= 0xff; value += 0xff) {
            snprintf(what, sizeof(what), "%s: byte %zu is %02x", kind->name, at, (unsigned) value);
            bytes[at] = (char) value;
            put_and_try(kind, bytes, damage_size);
        }
        bytes[at] = was;
    }
    free(bytes);
}

static void cut_and_append(const damage_kind_t *kind, size_t every)
{
    static const size_t more[] = {1, 8, 100, 5000};
    char *longer = calloc(1, damage_size + 5000);
    for (size_t size = 0; size < damage_size; size += every) {
        snprintf(what, sizeof(what), "%s: it is cut behind %zu bytes", kind->name, size);
        put_and_try(kind, damage_original, size);
    }
    memcpy(longer, damage_original, damage_size);
    for (int i = 0; i < 4; i++) {
        for (int value = 0; value <= 0x80; value += 0x40) {
            snprintf(what, sizeof(what), "%s: %zu bytes %02x are appended", kind->name, more[i],
                     (unsigned) value);
            memset(longer + damage_size, value, more[i]);
            put_and_try(kind, longer, damage_size + more[i]);
        }
    }
    snprintf(what, sizeof(what), "%s: it is there twice", kind->name);
    if (damage_size <= 5000) {
        memcpy(longer + damage_size, damage_original, damage_size);
        put_and_try(kind, longer, 2 * damage_size);
    }
    free(longer);
}

/* ---- other kinds of files ------------------------------------------------------------------- */

static int make_directory(void)
{
    return mkdir(damage_path, 0700);
}

static int make_pipe(void)
{
    return mkfifo(damage_path, 0600);
}

static int make_loop(void)
{
    return symlink(damage_path, damage_path);
}

static int make_link(void)
{
    return symlink("/dev/zero", damage_path);
}

/* More than there is memory. */
static int make_sparse(void)
{
    const int fd = open(damage_path, O_WRONLY | O_CREAT, 0600);
    const int error = fd < 0 || ftruncate(fd, (off_t) 1 << 40) != 0;
    return error || close(fd) != 0;
}

static int make_unreadable(void)
{
    const int fd = open(damage_path, O_WRONLY | O_CREAT, 0);
    return fd < 0 || close(fd) != 0;
}

static void other_files(const damage_kind_t *kind)
{
    static const struct {
        const char *name;
        int (*make)(void);
    } files[] = {
        {"a directory", make_directory},   {"a pipe", make_pipe},
        {"a link to itself", make_loop},   {"a link to /dev/zero", make_link},
        {"a TiB of nothing", make_sparse}, {"unreadable", make_unreadable},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        (void) unlink(damage_path);
        if (files[i].make() == 0) {
            snprintf(what, sizeof(what), "%s: it is %s", kind->name, files[i].name);
            try(kind, 0);
        } else {
            fprintf(stderr, "not tried: %s, %s: %s\n", kind->name, files[i].name, strerror(errno));
        }
        (void) (unlink(damage_path) != 0 && rmdir(damage_path));
    }
    snprintf(what, sizeof(what), "%s: it is not there", kind->name);
    try(kind, 0);
}

/* ---- a command ------------------------------------------------------------------------------ */

/* Where a run of the command writes; its messages. */
static int run_command(char *said, size_t room)
{
    char errors[600];
    int status;
    snprintf(errors, sizeof(errors), "%s/errors", damage_directory);
    const pid_t child = fork();
    if (child == 0) {
        char prefix[sizeof(damage_path)];
        snprintf(prefix, sizeof(prefix), "%.*s", (int) (strrchr(damage_path, '.') - damage_path),
                 damage_path);
        for (char **word = damage_command; *word != NULL; word++) {
            *word = strcmp(*word, "@") == 0    ? damage_path
                    : strcmp(*word, "@-") == 0 ? prefix
                    : strcmp(*word, "@/") == 0 ? damage_directory
                                               : *word;
        }
        const int null = open("/dev/null", O_RDWR);
        const int file = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        alarm(SECONDS / 2);
        execvp(damage_command[0], damage_command);
        _exit(127);
    }
    waitpid(child, &status, 0);
    FILE *file = fopen(errors, "r");
    said[file == NULL ? 0 : fread(said, 1, room - 1, file)] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return status;
}

static int messages_in(const char *text)
{
    int n = 0;
    for (const char *line = text; line != NULL && *line != '\0';) {
        n += strncmp(line, "dame: ", 6) == 0;
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return n;
}

static int read_with_command(int same, char *why, size_t room)
{
    char said[4096] = "";
    for (size_t i = 0; i < sizeof(said); i++) {
        said[i] = '\0';
    }
    const int status = run_command(said, sizeof(said));
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 3) {
        snprintf(why, room, "the command ends with status %x", (unsigned) status);
        return 0;
    }
    const int code = WEXITSTATUS(status), messages = many ? said[0] != '\0' : messages_in(said);
    snprintf(why, room, "exit code %d, %d messages: %.200s", code, messages, said);
    return same ? code == 0 : code == 0 || messages == 1;
}

/* Of a record "PREFIX.0", rank 1's stands beside it. */
static void link_other_rank(void)
{
    char beside[PATH_MAX], link[sizeof(damage_path)];
    const size_t length = strlen(damage_name);
    if (length > 2 && strcmp(damage_name + length - 2, ".0") == 0 &&
        realpath(damage_file, beside) != NULL) {
        snprintf(link, sizeof(link), "%s", damage_path);
        beside[strlen(beside) - 1] = link[strlen(link) - 1] = '1';
        (void) !symlink(beside, link);
    }
}

/* Open MPI's parameter file has its place. */
static void prepare_command(void)
{
    link_other_rank();
    if (strcmp(damage_name, "mca-params.conf") == 0) {
        setenv("HOME", damage_directory, 1);
        snprintf(damage_path, sizeof(damage_path), "%s/.openmpi", damage_directory);
        mkdir(damage_path, 0700);
        strcat(damage_path, "/mca-params.conf");
    }
}

const damage_kind_t damage_with_command = {
    .name = "command", .read = read_with_command, .slow = 1, .prepare = prepare_command};

/* ---- the command line ----------------------------------------------------------------------- */

static void load(const char *path)
{
    FILE *file = fopen(path, "rb");
    damage_original = malloc(LONGEST);
    damage_size = file == NULL ? 0 : fread(damage_original, 1, LONGEST, file);
    if (damage_size == 0 || damage_size == LONGEST) {
        fprintf(stderr, "damage: %s: %s\n", path,
                file == NULL       ? strerror(errno)
                : damage_size == 0 ? "it is empty"
                                   : "it is too long");
        exit(USAGE);
    }
    fclose(file);
    damage_file = path;
    damage_name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
}

static void make_scratch(const damage_kind_t *kind)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(damage_directory, sizeof(damage_directory), "%s/dame-damage.XXXXXX",
             tmp == NULL ? "/tmp" : tmp);
    if (mkdtemp(damage_directory) == NULL) {
        perror(damage_directory);
        exit(USAGE);
    }
    snprintf(damage_path, sizeof(damage_path), "%s/%s", damage_directory, damage_name);
    if (kind->prepare != NULL) {
        kind->prepare();
    }
}

static void remove_scratch(void)
{
    char command[300];
    snprintf(command, sizeof(command), "rm -rf '%s'", damage_directory);
    (void) !system(command);
}

static const damage_kind_t *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i]->name, name) == 0) {
            return kinds[i];
        }
    }
    fprintf(stderr, "damage: '%s' is not a kind of file; allowed:", name);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        fprintf(stderr, " %s", kinds[i]->name);
    }
    fputc('\n', stderr);
    exit(USAGE);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"every", required_argument, NULL, 'e'},
                                            {"types", no_argument, NULL, 't'},
                                            {"many", no_argument, NULL, 'm'},
                                            {0}};
    long every = 1;
    int types = 0;
    for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
        every = option == 'e' ? atol(optarg) : every;
        types |= option == 't';
        many |= option == 'm';
        if (option == '?' || every < 1) {
            return USAGE;
        }
    }
    if (argc - optind < 2) {
        fprintf(stderr,
                "Usage: damage [--every N] [--types] [--many] KIND FILE [COMMAND ARGUMENT...]\n");
        return USAGE;
    }
    const damage_kind_t *kind = kind_of(argv[optind]);
    load(argv[optind + 1]);
    damage_command = argv + optind + 2;
    make_scratch(kind);
    signal(SIGALRM, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGBUS, on_signal);
    signal(SIGABRT, on_signal);
    snprintf(what, sizeof(what), "%s: as it was written", kind->name);
    put_and_try(kind, damage_original, damage_size);
    change_bytes(kind, (size_t) every);
    cut_and_append(kind, (size_t) every);
    if (types) {
        other_files(kind);
    }
    remove_scratch();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed > 0;
}
