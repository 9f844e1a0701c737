/* SPDX-License-Identifier: BSD-3-Clause */
/* dame doctor: this machine, and what jobs keep and load on it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dame/cpu.h"
#include "doctor.h"
#include "dame/dame.h"
#include "jit/cache.h"
#include "jit/jit.h"
#include "base/user_file.h"
#include "base/whole_file.h"
#include "llvm.h"
#include "measure/profile.h"
#include "openmpi.h"
#include "cli/tool.h"

static void look_at_cpu(void)
{
    char line[256] = "";
    char *model = NULL;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && model == NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            model = strchr(line, ':') + 2;
            model[strcspn(model, "\n")] = '\0';
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    struct utsname system;
    const dame_cpu_t cpu = dame_cpu_detect();
    const int known = uname(&system) == 0;
    doctor_say("CPU", "%s%s%s", model == NULL ? (known ? system.machine : "unknown") : model,
               cpu.avx512 ? ", AVX-512"
               : cpu.avx2 ? ", AVX2"
                          : "",
               cpu.avx512_vbmi ? " with VBMI" : "");
    if (known) {
        doctor_say("system", "%s %s", system.sysname, system.release);
    }
}

/* Compiles a small program, as a job would. */
static void look_at_machine_code(doctor_t *doctor)
{
    static const char text[] = "EXIT VECTORFINAL(64, 1, 24, 8, 8) CONTIGFINAL(8) BOTTOM";
    static const char *const kinds[] = {
        [DAME_JIT_MEMORY_DUAL] = "a memfd, mapped once to write and once to execute",
        [DAME_JIT_MEMORY_OWN] = "pages that are written, then made executable (mprotect)",
        [DAME_JIT_MEMORY_NONE] = "none: the system denies execution",
    };
    dame_program_t *columns = NULL;
    dame_jit_t *jit = NULL;
    dame_jit_stats_t stats;
    dame_status_t status = dame_program_parse(text, sizeof(text) - 1, &columns, NULL);
    if (status == DAME_OK) {
        status = dame_jit_create(NULL, &jit);
    }
    if (status == DAME_OK) {
        status = dame_jit_compile(jit, columns, DAME_PACK, NULL);
        dame_jit_stats(jit, &stats);
        doctor_say("tiers", "interpreter%s%s%s", *stats.vector_name != '\0' ? ", x (" : "",
                   stats.vector_name,
                   *stats.vector_name != '\0' ? "); l: see LLVM" : "; no machine code for this CPU");
        doctor_say("code memory", "%s%s%s", kinds[stats.memory],
                   stats.memory_errno != 0 ? "; better ones were refused: " : "",
                   stats.memory_errno != 0 ? strerror(stats.memory_errno) : "");
        if (status == DAME_ERR_DENIED) {
            doctor_note(doctor,
                        "machine code may not be executed (SELinux: execmem, or execute on tmpfs "
                        "files);\n    DAME works, but only its interpreter");
        }
        dame_jit_release(jit, columns);
        dame_jit_destroy(jit);
    }
    dame_program_free(columns);
}

/* ---- Objects that jobs load when they need them ---------------------------------------------- */

/* Loads it, as a job would. Returns it, or NULL after a line that says why not; *is_there: the file
 * exists. */
static void *load(const doctor_t *doctor, const char *subject, const char *name, int *is_there)
{
    char path[PATH_MAX + NAME_MAX];
    snprintf(path, sizeof(path), "%s/%s", doctor->directory, name);
    *is_there = *doctor->directory != '\0' && access(path, F_OK) == 0;
    if (!*is_there) {
        doctor_say(subject, "none: %s is not beside mca_dt_dame.so", name);
        return NULL;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        doctor_say(subject, "no: %s", dlerror());
    }
    return object;
}

static void look_at_llvm(doctor_t *doctor)
{
    int is_there;
    void *object = load(doctor, "LLVM", "dame_llvm.so", &is_there);
    void (*version)(unsigned *, unsigned *, unsigned *) = NULL;
    unsigned number[3] = {0, 0, 0};
    if (object == NULL && is_there) {
        doctor_advise(
            doctor,
            "LLVM cannot be loaded (see above); without it jobs have no tier l. Install its\n"
            "    library, or build DAME again with the LLVM of this machine");
    } else if (object != NULL) {
        void *symbol = dlsym(object, "LLVMGetVersion");
        memcpy(&version, &symbol, sizeof(version)); /* ISO C has no cast for it */
        if (version != NULL) {
            version(&number[0], &number[1], &number[2]);
        }
        doctor_say("LLVM", "%u.%u.%u, by %s/dame_llvm.so", number[0], number[1], number[2],
                   doctor->directory);
    }
}

static void look_at_papi(doctor_t *doctor)
{
    int is_there;
    char *events = doctor_parameter(doctor, "dt_dame_papi_events");
    const int wanted = events != NULL && *events != '\0';
    if (load(doctor, "PAPI", "dame_papi.so", &is_there) != NULL) {
        doctor_say("PAPI", "by %s/dame_papi.so", doctor->directory);
    } else if (wanted) {
        doctor_advise(
            doctor, "dt_dame_papi_events = %s counts nothing: PAPI is missing (see above)", events);
    }
    doctor_say("PAPI events", "%s", wanted ? events : "none (dt_dame_papi_events)");
    free(events);
}

/* ---- What jobs keep -------------------------------------------------------------------------- */

/* 0, or why this user cannot make or change a file in a directory, which may be missing as yet. */
static int cannot_write(const char *directory)
{
    char path[PATH_MAX];
    struct stat about;
    snprintf(path, sizeof(path), "%s", directory);
    while (stat(path, &about) != 0) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT || slash == NULL) {
            return errno;
        }
        slash[slash == path] = '\0';
    }
    if (!S_ISDIR(about.st_mode)) {
        return ENOTDIR;
    }
    if (strcmp(path, directory) == 0) { /* jobs also want it to be the user's own, and no link */
        if (lstat(path, &about) != 0 || S_ISLNK(about.st_mode)) {
            return ELOOP;
        }
        if (about.st_uid != geteuid()) {
            return DAME_FILE_FOREIGN;
        }
    }
    return access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

/* Says so when a file of jobs cannot be written; `what` they lose, and how to write it elsewhere.
 */
static void check_writing(doctor_t *doctor, const char *directory, const char *what,
                          const char *type)
{
    const int error = cannot_write(directory);
    if (error != 0) {
        doctor_say("", "cannot be written: %s: %s", directory, dame_file_error_text(error));
        doctor_note(doctor, "jobs cannot keep %s in\n    %s: %s", what, directory, type);
    }
}

static void count_file(void *context, const dame_cache_file_t *file)
{
    int64_t *files = context;
    files[file->fault == NULL ? 0 : 1]++;
}

static const char automatic[] = "auto";

/* The first directory, which is written; those behind it are only read. */
static void look_at_code_cache(doctor_t *doctor)
{
    char directory[PATH_MAX];
    int64_t files[2] = {0, 0}; /* good, bad */
    char *given = doctor_parameter(doctor, "dt_dame_code_dir");
    const char *first = given == NULL ? automatic : given;
    snprintf(directory, sizeof(directory), "%.*s", (int) strcspn(first, ":"), first);
    const int is_automatic = strcmp(directory, automatic) == 0;
    free(given);
    if (is_automatic && dame_user_cache_directory(directory, sizeof(directory)) != 0) {
        doctor_say("code cache", "none: HOME and XDG_CACHE_HOME name no directory");
        return;
    }
    if (*directory == '\0') {
        doctor_say("code cache", "none is written (dt_dame_code_dir)");
        return;
    }
    const int error = dame_cache_each(directory, count_file, files);
    if (error != 0 && error != ENOENT && error != ENOTDIR) {
        doctor_say("code cache", "not usable: %s: %s", directory, dame_file_error_text(error));
        doctor_advise(doctor,
                      "the code cache has to be a directory that only you can write:\n"
                      "    make %s such, or choose another by dt_dame_code_dir",
                      directory);
        return;
    }
    doctor_say("code cache", "%s: %lld files, %lld damaged", directory, (long long) files[0],
               (long long) files[1]);
    check_writing(doctor, directory, "machine code", "--mca dt_dame_code_dir DIRECTORY");
}

static void count_record(void *context, const dame_profile_key_t *key,
                         const dame_profile_value_t *value)
{
    (void) context;
    (void) key;
    (void) value;
}

static void look_at_profile(doctor_t *doctor)
{
    char cpu[DAME_PROFILE_NAME], directory[PATH_MAX];
    char *where = doctor_parameter(doctor, "dt_dame_profile");
    dame_profile_cpu(cpu, sizeof(cpu));
    dame_profile_t *profile = dame_profile_new(where == NULL ? automatic : where, cpu, NULL, NULL);
    free(where);
    if (profile == NULL) {
        return;
    }
    const int32_t records = dame_profile_each(profile, count_record, NULL);
    const char *path = dame_profile_path(profile);
    doctor_say("profile", "%s: %d records", *path == '\0' ? "none" : path, (int) records);
    if (*path != '\0') {
        snprintf(directory, sizeof(directory), "%.*s", (int) (strrchr(path, '/') - path), path);
        check_writing(doctor, directory, "their profile", "--mca dt_dame_profile DIRECTORY");
    }
    dame_profile_free(profile);
}

static void look_at_last_run(doctor_t *doctor)
{
    char directory[PATH_MAX];
    const char *home = getenv("HOME");
    char *keeps = doctor_parameter(doctor, "dt_dame_last_run");
    const int is_off = keeps != NULL && (strcmp(keeps, "false") == 0 || strcmp(keeps, "0") == 0);
    free(keeps);
    if (is_off || home == NULL || *home != '/') {
        doctor_say("last run", "not kept: %s", is_off ? "dt_dame_last_run" : "HOME is not set");
        return;
    }
    snprintf(directory, sizeof(directory), "%s/.openmpi", home);
    doctor_say("last run", "%s/dame-last-run", directory);
    check_writing(doctor, directory, "their last run", "--mca dt_dame_last_run 0");
}

void doctor_look_at_machine(doctor_t *doctor)
{
    look_at_cpu();
    look_at_machine_code(doctor);
    look_at_llvm(doctor);
    look_at_code_cache(doctor);
    look_at_profile(doctor);
    look_at_last_run(doctor);
    look_at_papi(doctor);
}
