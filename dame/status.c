#include "dame/status.h"

const char *dame_status_text(dame_status_t status)
{
    switch (status) {
    case DAME_OK:
        return "success";
    case DAME_ERR_NOMEM:
        return "out of memory";
    case DAME_ERR_ARGUMENT:
        return "invalid argument";
    case DAME_ERR_RANGE:
        return "size or bounds exceed 64 bits";
    case DAME_ERR_VERIFY:
        return "program breaks a rule of the language";
    case DAME_ERR_TEXT:
        return "text is no program";
    case DAME_ERR_UNSUPPORTED:
        return "nothing to compile";
    case DAME_ERR_DENIED:
        return "the system does not let memory be executed";
    case DAME_ERR_FULL:
        return "no room for more machine code";
    }
    return "unknown status";
}
