/* Loaded before a process (LD_PRELOAD): a disk that fails, and notes of what is on it.

   FAIL_FSYNC=FILE   fsync fails with EIO for as long as FILE exists, and then nothing was synced.
   FULL_DISK=FILE    writing fails with ENOSPC for as long as FILE exists.
   FAULTS=N          after N faults FILE is deleted: the disk is well again.
   SYNCED=FOLDER     after each fsync, the file is copied to FOLDER under its own name; a name that
                     is deleted is deleted there. A power cut leaves what is in FOLDER.

   All three are for files whose path contains ".db". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int named(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, ".db") != NULL;
}

static int is_there(const char *variable) {
    const char *path = getenv(variable);
    return path != NULL && access(path, F_OK) == 0;
}

static void count_fault(const char *variable) {
    static int faults;
    const char *most = getenv("FAULTS");
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    if (most != NULL && __sync_add_and_fetch(&faults, 1) % atoi(most) == 0) real(getenv(variable));
}

static const char *last(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whole, or not at all: what was there before goes only when all of it is written. */
static void keep(int file, const char *path) {
    const char *folder = getenv("SYNCED");
    if (folder == NULL) return;
    char place[PATH_MAX + 64], draft[PATH_MAX + 128], buffer[65536];
    snprintf(place, sizeof place, "%s/%s", folder, last(path));
    snprintf(draft, sizeof draft, "%s.draft-%d", place, getpid());
    int copy = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (copy < 0) abort();
    off_t at = 0;
    ssize_t many;
    while ((many = pread(file, buffer, sizeof buffer, at)) > 0) {
        static ssize_t (*real)(int, const void *, size_t);
        if (!real) real = dlsym(RTLD_NEXT, "write");
        if (real(copy, buffer, many) != many) abort();
        at += many;
    }
    close(copy);
    if (rename(draft, place)) abort();
}

static int sync_by(const char *name, int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    char path[PATH_MAX];
    if (!named(file, path)) return real(file);
    if (is_there("FAIL_FSYNC")) {
        count_fault("FAIL_FSYNC");
        errno = EIO;
        return -1;
    }
    /* The copy is what the disk has; to wait for the real one would only take time. */
    if (getenv("SYNCED") == NULL) return real(file);
    keep(file, path);
    return 0;
}

int fsync(int file) { return sync_by("fsync", file); }
int fdatasync(int file) { return sync_by("fdatasync", file); }

int unlink(const char *path) {
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    const char *folder = getenv("SYNCED");
    if (folder != NULL && strstr(path, ".db") != NULL) {
        char place[PATH_MAX + 64];
        snprintf(place, sizeof place, "%s/%s", folder, last(path));
        real(place);
    }
    return real(path);
}

static int is_full(int file) {
    char path[PATH_MAX];
    if (!is_there("FULL_DISK") || !named(file, path)) return 0;
    count_fault("FULL_DISK");
    errno = ENOSPC;
    return 1;
}

ssize_t write(int file, const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    return is_full(file) ? -1 : real(file, data, size);
}

#define POSITIONED(name, offset)                                             \
    ssize_t name(int file, const void *data, size_t size, offset at) {       \
        static ssize_t (*real)(int, const void *, size_t, offset);           \
        if (!real) real = dlsym(RTLD_NEXT, #name);                           \
        return is_full(file) ? -1 : real(file, data, size, at);              \
    }
POSITIONED(pwrite, off_t)
POSITIONED(pwrite64, off64_t)
