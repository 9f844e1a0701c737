#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "trial.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "test/lib/type_tools.h"

enum {
    TRIAL_SECONDS = 20,  /* a trial that takes longer hangs */
    SHRINK_SECONDS = 30, /* and the search ends */
    SEEDS = 3,           /* contents and cuts tried for each simpler message */
    MAX_NODES = 400      /* of a type, to be edited one by one */
};

static void trial_child(const trial_t *trial, int to_parent)
{
    alarm(TRIAL_SECONDS);
    /* A crash is the parent's to report, a sanitizer's words are not wanted here. */
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) {
        signal(crashes[i], SIG_DFL);
    }
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) {
        _exit(2);
    }
    check_t check = {.rng = rng_seeded(trial->check_seed, 0), .tier = trial->tier};
    bool ok = check_message(&check, trial->type, trial->count, trial->absolute, NULL);
    ssize_t written = write(to_parent, check.message, sizeof check.message);
    _exit(!ok || written < 0);
}

bool trial_fails(trial_t *trial)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        trial_child(trial, ends[1]);
    }
    close(ends[1]);
    char message[sizeof trial->message] = "";
    ssize_t got = child > 0 ? read(ends[0], message, sizeof message) : 0;
    close(ends[0]);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status == 0) {
        return false;
    }
    if (got <= 0 || message[0] == '\0') {
        snprintf(message, sizeof message, WIFSIGNALED(status) ? "killed by signal %d" : "exit %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    memcpy(trial->message, message, sizeof message);
    return true;
}

/* Two messages say the same when they agree up to the first number. */
static bool same_failure(const char *a, const char *b)
{
    size_t n = strcspn(a, "0123456789");
    return n == strcspn(b, "0123456789") && memcmp(a, b, n) == 0;
}

/* The candidate fails in the same way, with its own seed or another; then it replaces the trial. */
static bool accept(trial_t *trial, trial_t candidate, int64_t *tried)
{
    for (uint64_t i = 0; i < SEEDS; i++) {
        candidate.check_seed = trial->check_seed + i;
        ++*tried;
        if (trial_fails(&candidate) && same_failure(candidate.message, trial->message)) {
            *trial = candidate;
            return true;
        }
    }
    return false;
}

static bool shrink_message(trial_t *trial, int64_t *tried)
{
    const int64_t counts[] = {1, 2, trial->count / 2, trial->count - 1};
    trial_t candidate = *trial;
    candidate.absolute = false;
    if (trial->absolute && accept(trial, candidate, tried)) {
        return true;
    }
    for (int i = 0; i < 4; i++) {
        candidate = *trial;
        candidate.count = counts[i];
        if (counts[i] >= 0 && counts[i] < trial->count && accept(trial, candidate, tried)) {
            return true;
        }
    }
    return false;
}

static bool shrink_type(trial_t *trial, dame_tree_t *tree, int64_t *tried, time_t end)
{
    int64_t nodes = type_nodes(trial->type, MAX_NODES);
    for (int64_t node = 0; node < nodes; node++) {
        for (int edit = 0; edit < EDIT_COUNT && time(NULL) < end; edit++) {
            trial_t candidate = *trial;
            candidate.type = type_edited(tree, trial->type, node, (type_edit_t) edit);
            if (candidate.type && accept(trial, candidate, tried)) {
                return true;
            }
        }
    }
    return false;
}

int64_t trial_shrink(trial_t *trial, dame_tree_t *tree)
{
    int64_t tried = 0;
    time_t end = time(NULL) + SHRINK_SECONDS;
    while (time(NULL) < end &&
           (shrink_message(trial, &tried) || shrink_type(trial, tree, &tried, end))) {
    }
    return tried;
}

static bool write_text(const trial_t *trial, FILE *out)
{
    fprintf(out, "# %s\n# count %lld%s\n", trial->message, (long long) trial->count,
            trial->absolute ? ", absolute displacements" : "");
    type_describe(out, "# ", trial->type);
    fflush(out); /* the program may not survive being built */
    dame_program_t *program = NULL;
    dame_status_t status = trial->tier->obtain(trial->type, &trial->tier->options, &program);
    if (status != DAME_OK) {
        fprintf(out, "# not built: %s\n", dame_status_text(status));
        return false;
    }
    int printed = dame_program_print(program, out);
    dame_program_free(program);
    return printed == 0 && fflush(out) == 0;
}

bool trial_write(const trial_t *trial, const char *path)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(TRIAL_SECONDS);
        FILE *file = fopen(path, "w");
        bool ok = file && write_text(trial, file);
        ok = file && fclose(file) == 0 && ok;
        ok = write_text(trial, stdout) && ok;
        _exit(!ok);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
