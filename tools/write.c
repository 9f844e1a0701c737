/* Files and JSON as output. */
#define _GNU_SOURCE /* asprintf */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

/* Returns 0 or an error number. */
static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t) written;
        }
    }
    return 0;
}

/* The mode of a new file. */
static mode_t new_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A new file beside `path` takes its name once it is complete. Returns 0 or an error number. */
static int replace(const char *path, mode_t mode, const char *bytes, size_t length)
{
    char *temporary;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
        return ENOMEM;
    }
    int fd = mkstemp(temporary);
    if (fd < 0) {
        int error = errno;
        free(temporary);
        return error;
    }
    int error = write_all(fd, bytes, length);
    if (error == 0 && fchmod(fd, mode) != 0) {
        error = errno;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && rename(temporary, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(temporary);
    }
    free(temporary);
    return error;
}

/* Writes to what is there: devices and pipes, and with O_TRUNC files. Returns 0 or an error number.
 */
static int write_in_place(const char *path, int flags, const char *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | flags);
    if (fd < 0) {
        return errno;
    }
    int error = write_all(fd, bytes, length);
    return close(fd) != 0 && error == 0 ? errno : error;
}

static int write_path(const char *path, const char *bytes, size_t length)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return errno == ENOENT ? replace(path, new_mode(), bytes, length) : errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return write_in_place(path, 0, bytes, length);
    }
    char *real = realpath(path, NULL); /* not to replace a symbolic link */
    if (real == NULL) {
        return errno;
    }
    int error =
        access(real, W_OK) != 0 ? errno : replace(real, status.st_mode & 07777, bytes, length);
    if ((error == EACCES || error == EPERM || error == EROFS) && access(real, W_OK) == 0) {
        error = write_in_place(real, O_TRUNC, bytes, length); /* the directory takes no new file */
    }
    free(real);
    return error;
}

int tool_write(const char *path, const char *bytes, size_t length)
{
    if (strcmp(path, "-") == 0) {
        fwrite(bytes, 1, length, stdout); /* main() looks for errors */
        return TOOL_OK;
    }
    int error = write_path(path, bytes, length);
    return error == 0 ? TOOL_OK : tool_error(TOOL_SYSTEM, "%s: %s", path, strerror(error));
}

void tool_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (int n; *text != '\0'; text += n > 0 ? n : 1) {
        n = text_sequence(text);
        if (n == 0) {
            fputs("\\ufffd", out);
        } else if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if (n == 1 && *text < ' ') {
            fprintf(out, "\\u%04x", (unsigned) *text);
        } else {
            fwrite(text, 1, (size_t) n, out);
        }
    }
    fputc('"', out);
}
