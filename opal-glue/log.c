#include "log.h"

#include "ompi_config.h"

#include <stdarg.h>
#include <stdio.h>

#include "opal/util/output.h"
#include "opal/util/proc.h"

enum { VERBOSITY = 10 };

static int stream = -1;

void dt_log_start(int output)
{
    stream = output;
}

int dt_log_stream(void)
{
    return stream;
}

void dt_log(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    opal_output_verbose(VERBOSITY, stream, "dt:dame: %s", text);
}

void dt_log_once_a_node(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (0 == opal_process_info.my_local_rank) {
        opal_output(stream, "dt:dame: %s", text);
    } else {
        opal_output_verbose(VERBOSITY, stream, "dt:dame: %s", text);
    }
}
